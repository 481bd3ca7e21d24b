"""How the kit is asked about one law."""

from inspect import getsource
from types import SimpleNamespace

import pytest

from kernelopt.testing import broken_laws


def verdict(suite, law):
    """What the kit says of one law of a suite: the message of the first test that finds it broken, or None.

    The tests whose text names the law are asked before the others.
    """
    tests = {name: getattr(suite, name) for name in sorted(dir(suite)) if name.startswith("test_")}
    for name in sorted(tests, key=lambda name: f'"{law}"' not in getsource(tests[name])):
        broken = broken_laws(SimpleNamespace(**{name: tests[name]}))
        if law in broken:
            return broken[law]
    return None


@pytest.fixture(scope="session", name="verdict")
def _verdict():
    return verdict
