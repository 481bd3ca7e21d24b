"""Everything that is installed, under the kit as `kernelopt plugins --check` runs it: without a word of its author."""

import pytest

from kernelopt._plugins._registry import registry
from kernelopt.plugin import ConcaveCriterion
from kernelopt.testing import SolverSuite, broken_laws, judge

OFFERED = [
    key for key, cls in sorted(registry().classes.items()) if key[0] != "rows" and not issubclass(cls, ConcaveCriterion)
]


@pytest.mark.parametrize("key", OFFERED, ids="-".join)
def test_what_is_installed_keeps_all_laws_that_can_be_judged(key):
    suite = judge(registry().classes[key])
    if isinstance(suite, SolverSuite):
        suite.steps = 2  # four are looked at one by one in the tests of each solver, whose author says no more of steps
    assert broken_laws(suite) == {}
