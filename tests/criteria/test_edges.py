"""Options at the ends of their ranges, data without a free support vector, and what is refused."""

import numpy as np
import pytest

import kernelopt
from kernelopt import L2SVC, SVC, SVR, Alignment, LagrangianSVC, Margin, NuSVC, NuSVR, OneClass, Ridge
from kernelopt.plugin import Dense, InvalidOption, LowRank
from kernelopt.testing import every_criterion

CRITERIA = (SVC, L2SVC, LagrangianSVC, NuSVC, Margin, SVR, NuSVR, OneClass, Alignment, Ridge)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_it_is_found_by_its_name(criterion):
    assert criterion.name in kernelopt.criteria()
    assert getattr(kernelopt, criterion.__name__) is criterion
    assert criterion() == criterion()


@pytest.mark.parametrize(
    ("criterion", "options", "words"),
    [
        (L2SVC, {"C": 0}, "L2SVC: C must be a positive finite number, got 0"),
        (LagrangianSVC, {"c": -1.0}, r"LagrangianSVC: c must be a positive finite number, got -1\.0"),
        (NuSVC, {"nu": 0}, "NuSVC: nu must be above 0, got 0"),
        (NuSVC, {"nu": 1.5}, r"NuSVC: nu must be a number from 0 to 1, got 1\.5"),
        (Margin, {"C": 0.0}, r"Margin: C must be a positive number of at most 1e\+100, or inf, got 0\.0"),
        (Margin, {"C": -np.inf}, r"Margin: C must be a positive number of at most 1e\+100, or inf, got -inf"),
        (Margin, {"C": np.nan}, r"Margin: C must be a positive number of at most 1e\+100, or inf, got nan"),
        (SVR, {"C": "1"}, "SVR: C must be a positive finite number, got '1'"),
        (SVR, {"epsilon": -0.1}, r"SVR: epsilon must be a number of at least 0, got -0\.1"),
        (SVR, {"epsilon": np.inf}, "SVR: epsilon must be a number of at least 0, got inf"),
        (NuSVR, {"C": True}, "NuSVR: C must be a positive finite number, got True"),
        (NuSVR, {"nu": -0.1}, r"NuSVR: nu must be a number from 0 to 1, got -0\.1"),
        (OneClass, {"nu": 2}, "OneClass: nu must be a number from 0 to 1, got 2"),
        (Ridge, {"lam": 0.0}, r"Ridge: lam must be a positive finite number, got 0\.0"),
    ],
)
def test_option_out_of_range(criterion, options, words):
    with pytest.raises(InvalidOption, match=words):
        criterion(**options)


def classes(plus, minus):
    return np.concatenate([np.ones(plus), -np.ones(minus)])


def gram(n, seed=0):
    F = np.random.default_rng(seed).normal(size=(n, n))
    return F @ F.T / n + 0.1 * np.eye(n)


def test_the_largest_nu_is_told_and_admitted(answer):
    y = classes(3, 8)
    with pytest.raises(InvalidOption, match=r"nu = 0\.6 is too large .* 3 and 8: the largest admissible value is") as e:
        NuSVC(0.6).outputs(y[:, None], np.ones((11, 1)))
    dual = answer(NuSVC(float(str(e.value).split()[-1])), gram(11), y)
    np.testing.assert_array_equal(dual.alpha[:3], 1.0)
    assert dual.alpha[3:].sum() == pytest.approx(3.0, rel=1e-12)
    assert np.isfinite(dual.multipliers).all()


def test_weights_decide_which_nu_is_admissible():
    y, weight = classes(3, 8), np.concatenate([np.full(3, 4.0), np.ones(8)])
    NuSVC(0.8).outputs(y[:, None], weight[:, None])
    with pytest.raises(InvalidOption, match=r"classes of weight 8 and 12"):
        NuSVC(0.9).outputs(y[:, None], weight[:, None])


def test_the_smallest_c_of_margin_is_told_and_admitted(answer):
    y = classes(3, 8)
    with pytest.raises(InvalidOption, match=r"Margin: C = 0\.3 is too small .* 3: the smallest admissible") as e:
        Margin(0.3).outputs(y[:, None], np.ones((11, 1)))
    dual = answer(Margin(float(str(e.value).split()[-1])), gram(11), y)
    np.testing.assert_allclose(dual.alpha[:3], 1.0 / 3.0, rtol=1e-12)


def test_margin_needs_two_classes():
    with pytest.raises(InvalidOption, match="wanted samples of two classes"):
        Margin().outputs(np.ones((4, 1)), np.ones((4, 1)))
    with pytest.raises(InvalidOption, match="largest admissible value is 0"):
        NuSVC().outputs(np.ones((4, 1)), np.ones((4, 1)))


@pytest.mark.parametrize("criterion", [Margin(), NuSVC(0.9)])
def test_hulls_that_meet_have_the_optimum_zero(criterion, answer):
    """A linear kernel cannot separate these: no margin, and the bounds say so."""
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(40, 2)), classes(20, 20)
    dual = answer(criterion, X @ X.T, y, accuracy=1e-6)
    assert dual.upper <= 0.0
    assert dual.objective == pytest.approx(0.0, abs=1e-9)


def test_hard_margin_of_two_points_is_half_their_distance(answer, decision):
    K, y = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([1.0, -1.0])
    dual = answer(Margin(), K, y)
    np.testing.assert_allclose(dual.alpha, 1.0)
    assert dual.objective == pytest.approx(-0.5 * (2.0 + 1.0 - 2.0 * 0.5))
    np.testing.assert_allclose(decision(dual, K), dual.multipliers[1] * y)


def test_one_class_at_nu_one_takes_the_largest_value(answer, decision):
    K = gram(9)
    dual = answer(OneClass(1.0), K, np.ones(9))
    np.testing.assert_array_equal(dual.alpha, 1.0)
    assert dual.objective == pytest.approx(-0.5 * K.sum(), rel=1e-14)
    assert decision(dual, K).max() == pytest.approx(0.0, abs=1e-14)


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_constant_targets(answer, decision, epsilon):
    y = np.full(8, 5.0)
    for criterion in (SVR(1.0, epsilon), NuSVR()):
        dual = answer(criterion, gram(8), y)
        assert not dual.v.any()
        np.testing.assert_allclose(decision(dual, gram(8)), 5.0)


@pytest.mark.parametrize("solver", ["ipm", "fw", "qcqp", "simplemkl"])
@pytest.mark.parametrize("criterion", [SVR(1e5, 0.0), NuSVR(1e5, 1.0)], ids=repr)
@pytest.mark.parametrize("value", [11.3, -2.9])
def test_constant_targets_of_weighted_rows_leave_nothing_to_learn(value, criterion, solver):
    """The weighted mean of equal numbers is their number: without rounding, the optimum is 0."""
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(5, 2)), rng.uniform(0.1, 3.0, size=5)
    family = kernelopt.Dictionary(["linear", ("rbf", {"gamma": 1.0})])
    solution = kernelopt.solve(
        X, np.full(5, value), family=family, criterion=criterion, solver=solver, sample_weight=weight, max_steps=30
    )
    assert solution.status.name == "CONVERGED"
    assert solution.certificate.lower == solution.certificate.upper == 0.0
    assert (solution.predict(X) == value).all()


def test_a_tube_that_holds_everything_takes_its_middle(answer):
    y = np.array([0.1, 0.5, -0.3, 0.2])
    dual = answer(SVR(1.0, 1.0), gram(4), y)
    assert not dual.v.any()
    assert dual.multipliers[0] == pytest.approx(0.5 * (0.5 - 0.3))
    assert dual.upper == dual.objective == 0.0


def test_no_free_support_vector_takes_the_middle(answer):
    """Every alpha at C: any b with no margin violated the other way will do, as in libsvm."""
    from sklearn import svm

    K, y = gram(6), classes(3, 3)
    dual = answer(SVC(1e-3), K, y)
    theirs = svm.SVC(C=1e-3, kernel="precomputed", tol=1e-12).fit(K, y)
    np.testing.assert_array_equal(dual.alpha, 1e-3)
    assert dual.multipliers[0] == pytest.approx(theirs.intercept_[0], abs=1e-8)


def test_zero_epsilon_is_the_median(answer):
    """A constant kernel leaves the bias alone: the weighted median of the targets."""
    y, weight = np.array([3.0, 1.0, 7.0, 4.0]), np.array([1.0, 1.0, 1.0, 4.0])
    dual = answer(SVR(1.0, 0.0), np.ones((4, 4)), y, weight)
    assert dual.multipliers[0] == 4.0
    assert dual.upper == pytest.approx(weight @ np.abs(y - 4.0))


def test_alignment_refuses_weights():
    with pytest.raises(InvalidOption, match=r"weights from 1 to 2, wanted 1 each.*or take ridge"):
        Alignment().outputs(np.ones((3, 1)), np.array([[1.0], [2.0], [1.0]]))


def test_alignment_is_not_proved_where_the_kernel_may_be_singular():
    F = np.random.default_rng(0).normal(size=(6, 2))
    (qp,) = Alignment().outputs(np.arange(6.0)[:, None], np.ones((6, 1)))
    v = np.ones(6)
    for singular in (Dense(F @ F.T), LowRank(F)):
        assert Alignment().primal(qp, singular, v, singular.apply(v)).value == np.inf
    for regular in (Dense(F @ F.T + 0.5 * np.eye(6)), LowRank(F, 0.5)):
        value = Alignment().primal(qp, regular, v, regular.apply(v)).value
        assert 0.5 * qp.linear @ np.linalg.solve(regular.dense(), qp.linear) <= value < np.inf


def test_alignment_needs_no_eigenvalue_where_the_residual_is_zero():
    (qp,) = Alignment().outputs(np.array([[2.0], [0.0]]), np.ones((2, 1)))
    singular, v = Dense(np.diag([1.0, 0.0])), np.array([2.0, 0.0])
    assert Alignment().primal(qp, singular, v, singular.apply(v)).value == 2.0


@pytest.mark.parametrize("criterion", [*every_criterion().values(), Margin(C=0.3), Margin(C=2.0)], ids=str)
def test_what_a_criterion_declares_of_its_dual_problem_is_what_its_outputs_have(criterion):
    """Solvers are chosen by it, before there are any outputs: on rows of the user's own, and on no others."""
    y, one = classes(24, 16)[:, None], np.ones((40, 1))
    (qp,) = criterion.outputs(y, one)
    flat = qp.curvature == 0.0
    assert criterion.bounded == tuple(bool(np.isfinite(side[flat]).all()) for side in (qp.lower, qp.upper))
    assert criterion.sized == bool(qp.target.any())
