"""The kit itself: what it needs, how it reports, and whether its slow methods are right."""

import subprocess
import sys
import unittest

import attrs
import numpy as np
import pytest

import kernelopt.testing
from kernelopt import SVC, Delta
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._loop import run
from kernelopt.plugin import InvalidOption
from kernelopt.testing import (
    Affine,
    Columns,
    CuttingPlanes,
    FamilySuite,
    LawBroken,
    Waves,
    broken_laws,
    default_examples,
    judge,
    laws_of,
    make_example,
    two_classes,
    verdicts,
)
from kernelopt.testing._laws import arrays_in, demand_close, untouched

pytest_plugins = ["pytester"]


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_core_does_not_import_the_kit(loaded):
    assert not {"pytest", "kernelopt.testing"} & loaded


def test_the_kit_works_without_pytest():
    code = (
        "import sys; sys.modules['pytest'] = None\n"
        "from kernelopt.testing import Affine, broken_laws, judge, verdicts\n"
        "suite = judge(Affine)\n"
        "print(dict(broken_laws(suite)), *(one.outcome for one in verdicts(suite, ['test_gram_is_the_naive_one'])))"
    )
    done = python(code)
    assert done.stdout == "{} skipped\n", done.stderr


def test_everything_public_is_there():
    assert all(hasattr(kernelopt.testing, name) for name in kernelopt.testing.__all__)


def test_other_exceptions_are_reported_under_the_name_of_the_test():
    class Suite:
        def test_division(self):
            return 1 // 0

        def test_skipped(self):
            pytest.skip("does not apply")

        def test_skipped_without_pytest(self):
            raise unittest.SkipTest("does not apply")

        def test_failed(self):
            pytest.fail("no")

    broken = broken_laws(Suite())
    assert list(broken) == ["test_division", "test_failed"]
    assert broken["test_division"].startswith(
        "ZeroDivisionError: integer division or modulo by zero (test_kit.py, line"
    )
    assert broken["test_failed"].startswith("Failed: no (test_kit.py")
    assert [one.outcome for one in verdicts(Suite())] == ["failed", "skipped", "skipped", "failed"]


def test_pytest_shows_a_law_that_does_not_apply_as_skipped(pytester):
    pytester.makepyfile(
        """
        from kernelopt.testing import Affine, FamilySuite

        class TestAffine(FamilySuite):
            def family(self):
                return Affine()
        """
    )
    found = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-W", "error", "-k", "curved_bend")
    found.assert_outcomes(skipped=1, deselected=len(laws_of(FamilySuite)) - 1)


def test_laws_are_told_in_the_order_of_their_files_with_their_sentences():
    class Suite:
        def test_b(self):
            """First.

            More.
            """

        def test_a(self):
            """Second."""

    assert laws_of(Suite) == {"test_b": "First.", "test_a": "Second."}
    assert [one.title for one in verdicts(Suite())] == ["b", "a"]
    assert all(laws_of(FamilySuite).values())


@attrs.frozen
class Asking(Affine):
    size: int = attrs.field(kw_only=True)


@pytest.mark.parametrize(
    ("subject", "told"),
    [
        (FamilySuite, "FamilySuite judges nothing by itself"),
        (kernelopt.Evidence(), "no laws for a criterion with a concave term"),
        (3, "got 3, wanted a family, a criterion, a solver"),
        (Asking, "Asking cannot be made without options"),
    ],
)
def test_what_cannot_be_judged_is_refused(subject, told):
    with pytest.raises(InvalidOption, match=told):
        judge(subject)


def test_a_suite_judges_what_it_is_of():
    class Laws(FamilySuite):
        def family(self):
            return Affine()

    assert isinstance(judge(Laws), Laws)
    assert judge(Laws()).family() == Affine()


def test_message_names_the_law_and_the_entry():
    with pytest.raises(LawBroken, match=r"LAW some-law: words; got 3 at \(1, 0\), wanted 1") as caught:
        demand_close([[0.0, 0.0], [3.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]], "some-law", "words")
    assert caught.value.law == "some-law"


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_no_numbers_never_agree(bad):
    with pytest.raises(LawBroken, match="NaN or infinite"):
        demand_close([bad], [bad], "some-law", "words")


def test_shapes_must_agree():
    with pytest.raises(LawBroken, match="got shape"):
        demand_close(np.zeros((2, 1)), np.zeros(2), "some-law", "words")


def test_changed_arrays_are_found_wherever_they_are():
    inside = np.zeros(3)
    value = {"a": [(1, Affine(2)), (inside, "text")]}
    assert [array is inside for array in arrays_in(value)] == [True]
    with pytest.raises(LawBroken, match="act must leave its inputs as they are, and it changed value"):  # noqa: SIM117
        with untouched("some-law", "act", value=value):
            inside[1] = 1.0


@pytest.mark.parametrize("example", default_examples(), ids=lambda one: one.name)
def test_naive_optimum_lies_between_certified_bounds(example):
    if CuttingPlanes().refuses(example.problem.leaves, example.problem.criterion):
        pytest.skip("cutting planes need a finite list")
    start = example.problem.respond(example.problem.center())
    certificate = run(example.problem, CuttingPlanes(), start, Limits(1e-6, None, 200, None)).bounds.certificate
    assert certificate.relative_gap <= 1e-6
    assert certificate.lower - 1e-6 * abs(example.optimum) <= example.optimum
    assert example.optimum <= certificate.upper + 1e-6 * abs(example.optimum)


def test_naive_optimum_of_a_matrix_family_is_that_of_its_only_kernel():
    """Over trace P = 1 and one output the best P is s s'/s's, s = Z'v: the value is that of the kernel Z Z'."""
    X, y = two_classes(np.random.default_rng(3), 12, 2)
    example = make_example("affine", (Affine(),), X, y, SVC(1.0))
    Z = np.column_stack([np.ones(len(X)), X])
    from sklearn.svm import SVC as LibSVM

    machine = LibSVM(C=1.0, kernel="precomputed", tol=1e-10).fit(Z @ Z.T, y[:, 0])
    v = np.zeros(len(y))
    v[machine.support_] = machine.dual_coef_[0]
    assert example.optimum == pytest.approx(np.abs(v).sum() - 0.5 * v @ Z @ Z.T @ v, rel=1e-6)


def test_union_has_the_optimum_of_its_better_member_at_most():
    X, y = two_classes(np.random.default_rng(3), 12, 2)
    alone, both = (make_example("", families, X, y, SVC(1.0)) for families in ((Columns(),), (Columns(), Delta())))
    assert both.optimum <= alone.optimum + 1e-8


def test_searched_family_needs_its_optimum_given():
    X, y = two_classes(np.random.default_rng(3), 12, 2)
    with pytest.raises(InvalidOption, match="give the example's optimum yourself"):
        make_example("waves", (Waves(),), X, y, SVC(1.0))
    assert make_example("waves", (Waves(),), X, y, SVC(1.0), optimum=1.0).optimum == 1.0
