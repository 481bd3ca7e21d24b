"""Everything that is installed, under the kit as `kernelopt plugins --check` runs it: without a word of its author."""

import pytest

from kernelopt._plugins._registry import registry
from kernelopt.plugin import ConcaveCriterion
from kernelopt.testing import SolverSuite, broken_laws, default_examples, judge

OFFERED = [
    key for key, cls in sorted(registry().classes.items()) if key[0] != "rows" and not issubclass(cls, ConcaveCriterion)
]


JUDGED_HERE = ("working-set",)
"""Solvers that no suite of their tests judges. All others meet the examples of a larger C there."""


@pytest.mark.parametrize("key", OFFERED, ids="-".join)
def test_what_is_installed_keeps_all_laws_that_can_be_judged(key):
    suite = judge(registry().classes[key])
    if isinstance(suite, SolverSuite) and key[1] not in JUDGED_HERE:
        suite.problems = lambda: default_examples()[::2]
    assert broken_laws(suite) == {}
