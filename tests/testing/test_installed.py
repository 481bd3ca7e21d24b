"""Everything that is installed, under the kit as `kernelopt plugins --check` runs it: without a word of its author."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from kernelopt._plugins._registry import registry
from kernelopt.plugin import ConcaveCriterion
from kernelopt.testing import SolverSuite, judge, verdicts

ROOT = Path(__file__).parents[2]
OFFERED = [
    key for key, cls in sorted(registry().classes.items()) if key[0] != "rows" and not issubclass(cls, ConcaveCriterion)
]
AUTHORS = {
    ("family", "hyperkernel"): ("plugins/kernelopt-hyperkernel/tests/test_hyperkernel.py", "TestHarmonic"),
    ("family", "metric"): ("plugins/kernelopt-metric/tests/test_metric.py", "TestGaussianMetric"),
    ("solver", "apd"): ("plugins/kernelopt-apd/tests/test_apd.py", "TestAcceleratedPrimalDual"),
    ("solver", "fw"): ("plugins/kernelopt-fw/tests/test_fw.py", "TestFrankWolfe"),
    ("solver", "ipm"): ("plugins/kernelopt-ipm/tests/test_ipm.py", "TestInteriorPoint"),
    ("solver", "qcqp"): ("plugins/kernelopt-qcqp/tests/test_qcqp.py", "TestQCQP"),
    ("solver", "reweighted"): ("tests/evidence/test_solvers.py", "TestReweighted"),
    ("solver", "scoring"): ("tests/evidence/test_solvers.py", "TestScoring"),
    ("solver", "sdp"): ("plugins/kernelopt-sdp/tests/test_sdp.py", "TestSDP"),
    ("solver", "simplemkl"): ("plugins/kernelopt-simplemkl/tests/test_simplemkl.py", "TestSimpleMKL"),
    ("solver", "smo"): ("plugins/kernelopt-smo/tests/test_smo.py", "TestMoreauYosidaSMO"),
}
"""The files and the names of suites that hold what is installed, as it is where nothing is said, to all of its laws."""

PATIENT = {("solver", "plain-fw"): ("plugins/kernelopt-fw/tests/test_fw.py", "TestPlainFrankWolfe")}
"""Suites that do so but for a larger tolerance than that of the kit."""
OF_TOLERANCE = (
    "test_run_converges_or_says_why_not",
    "test_run_converges_from_a_single_atom",
    "test_units_do_not_matter",
    "test_order_of_samples_does_not_matter",
    "test_prices_are_counted_or_refused",
    "test_other_criteria_are_served_or_refused",
)
"""The laws of a solver that look at its tolerance."""


@pytest.mark.parametrize("key", [key for key in OFFERED if key not in AUTHORS], ids="-".join)
def test_what_is_installed_keeps_all_laws_that_can_be_judged(key):
    suite = judge(registry().classes[key])
    if isinstance(suite, SolverSuite):
        suite.steps = 2  # four are looked at one by one in the tests of each solver, whose author says no more of steps
    judged = verdicts(suite, OF_TOLERANCE if key in PATIENT else None)
    assert {one.law: one.detail for one in judged if one.outcome == "failed"} == {}


def suite_of_tests(file, name):
    """A suite of a file of tests, which pytest runs there."""
    assert Path(file).name.startswith("test_")
    assert name.startswith("Test")
    spec = spec_from_file_location(Path(file).stem, ROOT / file)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)()


def said(suite):
    """What the author of a suite says: all that its classes hold which are not those of the kit."""
    own = [cls for cls in type(suite).__mro__ if not cls.__module__.startswith("kernelopt.testing")]
    return {name for cls in own for name in vars(cls) if not name.startswith("__")}


@pytest.mark.parametrize("key", [key for key in OFFERED if key in AUTHORS | PATIENT], ids="-".join)
def test_a_suite_that_judges_it_in_its_own_tests_asks_all_that_the_kit_asks(key):
    """It is about an equal object, changes no law, no rows and no problems, and has no larger tolerance, or else the
    laws of the tolerance are judged here.
    """
    author, ours = suite_of_tests(*(AUTHORS | PATIENT)[key]), judge(registry().classes[key])
    subject, more = key[0], {"family": "naive_gram", "solver": "tolerance"}[key[0]]
    assert getattr(author, subject)() == getattr(ours, subject)()
    assert isinstance(author, type(ours).__base__)
    assert said(author) <= {subject, more}
    assert author.tolerance <= ours.tolerance or key in PATIENT
