"""Options, what `prepare` fixes, and whole solutions: what is learned, what is not, and that the user is told."""

import kernelopt_gpk
import numpy as np
import pytest
from kernelopt_gpk import GPK
from sklearn.datasets import load_iris, make_moons

import kernelopt
from kernelopt.plugin import CONTRACT, InvalidOption, LowRank
from kernelopt.testing import two_classes

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2)) * [3.0, 0.1] + [5.0, 0.0]


def prepared(rows=X, **options):
    return GPK(**options).prepare(rows, np.ones(len(rows)))


def test_the_hook_offers_the_family():
    assert kernelopt_gpk.kernelopt_families() == [GPK]
    assert kernelopt_gpk.KERNELOPT_CONTRACT == CONTRACT
    assert "gpk" in kernelopt.families()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"degree": -1}, "degree must be an integer from 0 to 4095, got -1"),
        ({"degree": 1.5}, "degree must be an integer"),
        ({"trace": 0}, 'trace must be a positive finite number or "order", got 0'),
        ({"trace": "n"}, "trace must be"),
        ({"rescale": "standard"}, "rescale must be one of 'minmax', None"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(InvalidOption, match=message):
        GPK(**options)


def test_the_exponents_say_which_monomial_is_which():
    assert prepared().exponents.tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [2, 0]]
    family = prepared(rescale=None)
    np.testing.assert_allclose(family.features(X)[:, 4], X[:, 0] * X[:, 1])


def test_columns_are_mapped_to_the_interval_from_minus_1_to_1():
    linear = prepared(degree=1).features(X)
    assert linear.min(axis=0) == pytest.approx([1.0, -1.0, -1.0])
    assert linear.max(axis=0) == pytest.approx([1.0, 1.0, 1.0])
    moved = 7.0 + X * [1e6, 1e-6]
    np.testing.assert_allclose(prepared(moved).features(moved), prepared().features(X), atol=1e-6)


def test_a_large_matrix_is_refused():
    with pytest.raises(InvalidOption, match=r"P would be 5151 x 5151"):
        GPK().prepare(RNG.normal(size=(5, 100)), np.ones(5))


def test_monomials_beyond_floating_point_numbers_are_refused():
    with pytest.raises(InvalidOption, match="overflow on these rows"):
        GPK(degree=3, rescale=None).prepare(X * 1e60, np.ones(30))


def test_the_trace_of_the_papers():
    assert prepared(trace="order").paper_scale() == 6.0
    assert prepared(trace=2.5).paper_scale() == 2.5


def test_grams_are_of_low_rank():
    gram = prepared().gram(prepared().center(), prepared().bind(X))
    assert isinstance(gram, LowRank)
    assert gram.factor.shape == (30, 6)


def monomials_as_a_kernel(A, B):
    family = prepared(moons()[0])
    return family.features(A) @ family.features(B).T


def moons():
    return make_moons(60, noise=0.3, random_state=0)


@pytest.mark.parametrize("solver", ["ipm", "fw"])
def test_with_one_output_the_answer_is_that_of_the_fixed_kernel_and_the_user_is_told(solver):
    rows, y = moons()
    learned = kernelopt.solve(rows, y, family="gpk", solver=solver, tol=1e-8, scale="paper")
    fixed = kernelopt.solve(rows, y, family=kernelopt.fixed(monomials_as_a_kernel), tol=1e-8, scale="paper")
    assert learned.status.converged
    assert learned.certificate.exact
    assert learned.objective == pytest.approx(fixed.objective, rel=1e-7)
    np.testing.assert_allclose(learned.decision_function(rows), fixed.decision_function(rows), atol=1e-3)
    assert sum("fixed kernel" in note for note in learned.notes) == 1


@pytest.mark.parametrize("solver", ["ipm", "fw"])
def test_several_outputs_learn_a_matrix(solver):
    rows, y = load_iris(return_X_y=True)
    learned = kernelopt.solve(rows, y, family="gpk", solver=solver, tol=1e-5)
    assert learned.status.converged
    assert not any("fixed kernel" in note for note in learned.notes)
    (leaf,) = learned.predictor.kernel.leaves
    spectrum = np.linalg.eigvalsh(leaf.family.matrix(learned.mixture.parts[0]))[::-1]
    assert 1e-2 < spectrum[1] < 0.5
    single = kernelopt.solve(rows, y, family=kernelopt.fixed(lambda A, B: _block(leaf, A, B)), scale="paper", tol=1e-5)
    assert single.certificate.lower > learned.certificate.upper


def _block(leaf, A, B):
    """The kernel of trace 1 that weighs every monomial alike, in the leaf's scale."""
    return leaf.factor * leaf.family.cross(leaf.family.center(), A, B)


def test_the_model_keeps_no_support_vectors():
    rows, y = moons()
    assert len(kernelopt.solve(rows, y, family="gpk").predictor.support_vectors) == 0


def test_a_union_of_a_thin_matrix_and_a_dense_family():
    rows, y = two_classes(np.random.default_rng(0), 60, 2)
    s = kernelopt.solve(rows, y[:, 0], family=["gpk", "tk", "delta"], solver="ipm", tol=1e-6)
    assert s.status is kernelopt.Status.CONVERGED
