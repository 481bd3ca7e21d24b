"""How the kit is asked about one law."""

from functools import cache
from inspect import getsource

import pytest

from kernelopt.testing import laws_of, verdicts


@cache
def text(test):
    """The lines of a test: many suites inherit it."""
    return getsource(test)


def ordered(suite, law):
    """The verdicts of a suite; the tests whose text names the law come before the others."""
    tests = sorted(laws_of(type(suite)), key=lambda name: f'"{law}"' not in text(getattr(type(suite), name)))
    return verdicts(suite, tests)


def verdict(suite, law):
    """What the kit says of one law of a suite: the message of the first test that finds it broken, or None."""
    return next((one.detail for one in ordered(suite, law) if one.law == law), None)


@pytest.fixture(scope="session", name="ordered")
def _ordered():
    return ordered


@pytest.fixture(scope="session", name="verdict")
def _verdict():
    return verdict
