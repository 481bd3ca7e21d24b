"""Options, what `prepare` fixes, words, and invariances."""

import kernelopt_metric
import numpy as np
import pytest
from kernelopt_metric import Metric, column_shares

from kernelopt.plugin import CONTRACT, InvalidData, InvalidOption, Part, Query

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4)) * [1.0, 2.0, 0.1, 5.0]
V = RNG.normal(size=(30, 2))
BOTH = pytest.mark.parametrize("diagonal", [False, True])
SHAPES = pytest.mark.parametrize("shape", ["gaussian", "laplace", "matern"])


def prepared(rows=X, **options):
    return Metric(**options).prepare(rows, np.ones(len(rows)))


def test_the_hook_offers_the_family():
    assert kernelopt_metric.kernelopt_families() == [Metric]
    assert kernelopt_metric.KERNELOPT_CONTRACT == CONTRACT


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shape": "cubic"}, "shape must be one of 'gaussian', 'laplace', 'matern'"),
        ({"rank": 0}, "rank must be an integer of at least 1, got 0"),
        ({"rank": 1.5}, "rank must be an integer"),
        ({"eta": -1.0}, "eta must be a number of at least 0, got -1.0"),
        ({"diagonal": 1}, "diagonal must be True or False"),
        ({"diagonal": True, "rank": 2}, "got diagonal=True and rank=2, wanted one of the two"),
        ({"starts": 0}, "starts must be an integer of at least 1"),
        ({"rescale": "distance"}, "rescale must be one of 'standard', None"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(InvalidOption, match=message):
        Metric(**options)


def test_a_family_without_data_says_so():
    with pytest.raises(InvalidOption, match=r"call prepare\(X, weight\) first"):
        Metric().bind(X)


def test_a_column_without_rescaling_may_not_be_too_wild():
    with pytest.raises(InvalidData, match='use rescale="standard"'):
        prepared(X * 1e100, rescale=None)
    assert np.isfinite(prepared(X * 1e100).bind(X * 1e100)).all()


@BOTH
@pytest.mark.parametrize("rescale", ["standard", None])
def test_the_centre_has_two_rows_at_distance_one_in_the_quadratic_mean(diagonal, rescale):
    family = prepared(diagonal=diagonal, rescale=rescale)
    A = family.layout.projected(family.bind(X), family.center().atoms[0])
    assert 2.0 * A.var(axis=0).sum() == pytest.approx(1.0)


def test_a_centre_of_low_rank_looks_along_the_leading_directions():
    rows = X @ np.diag([10.0, 1.0, 5.0, 0.01])
    family = prepared(rows, rank=2, rescale=None)
    R = family.center().atoms.reshape(4, 2)
    vectors = np.linalg.eigh(np.cov(rows, rowvar=False))[1]
    np.testing.assert_allclose(R.T @ vectors[:, :2], 0.0, atol=1e-9 * np.abs(R).max())
    assert 2.0 * (family.bind(rows) @ R).var(axis=0).sum() == pytest.approx(1.0)


def test_a_high_price_widens_the_centre():
    family = prepared(eta=1e4)
    assert family.heights(family.center())[0] == pytest.approx(np.exp(-0.5))


@SHAPES
@BOTH
def test_units_and_order_of_columns_do_not_matter(shape, diagonal):
    """The kernel of the same metric, and what the oracle finds: to the law of a search, its value."""
    order = np.array([2, 0, 3, 1])
    other = (X * [1e9, -1e-9, 1.0, 7.0] + [1e9, 0.0, 5.0, -3.0])[:, order]
    plain, moved = prepared(shape=shape, diagonal=diagonal), prepared(other, shape=shape, diagonal=diagonal)
    atoms = RNG.normal(size=(2, 4 if diagonal else 16))
    signs = np.array([1.0, -1.0, 1.0, 1.0])
    same = (atoms.reshape(2, 4, -1) * signs[None, :, None])[:, order].reshape(2, -1)
    K = plain.cross(Part(atoms, np.ones(2)), X[:5], X)
    np.testing.assert_allclose(moved.cross(Part(same, np.ones(2)), other[:5], other), K, rtol=1e-5)
    found = [family.best_atoms(family.bind(rows), V, Query()) for family, rows in ((plain, X), (moved, other))]
    assert found[0].ceiling == pytest.approx(found[1].ceiling, rel=1e-4)


@BOTH
def test_more_of_a_column_that_is_constant_changes_nothing(diagonal):
    rows = np.column_stack([X, np.full(30, 7.0)])
    plain, wide = prepared(diagonal=diagonal, eta=0.0), prepared(rows, diagonal=diagonal, eta=0.0)
    assert wide.center().atoms.size > plain.center().atoms.size
    K = wide.cross(wide.center(), rows, rows)
    np.testing.assert_allclose(K, plain.cross(plain.center(), X, X), rtol=1e-12)
    assert wide.seeing(np.arange(4), 5) is wide


def test_the_rank_is_at_most_the_number_of_columns():
    assert prepared(rank=9).layout.rank == 4
    assert prepared(np.ones((3, 1)) * np.arange(3.0)[:, None]).layout.rank == 1
    assert prepared(RNG.normal(size=(30, 20))).layout.rank == 8


def test_equal_rows_have_a_centre_and_no_variance():
    same = np.ones((5, 2))
    family = prepared(same)
    assert family.largest_atom(same, np.ones(5), centred=True) == 0.0
    assert family.best_atoms(family.bind(same), np.ones((5, 1)), Query()).ceiling == pytest.approx(25.0)


def test_the_mixture_in_words():
    family = prepared(diagonal=True, eta=0.0).named(("age", "size", "x", "y"))
    atoms = np.array([[1.0, 2.0, 0.0, 0.0], [0.0, 3.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    part = Part(atoms, np.array([0.5, 0.5, 9.0]))
    np.testing.assert_allclose(column_shares(part, family), [0.1, 0.9, 0.0, 0.0])
    assert family.describe(part) == "3 metrics: size 90 %, age 10 %"
    assert family.label(atoms[2]) == "no column"
    assert family.describe(Part(np.zeros((0, 4)), np.zeros(0))) == "no metric"
    assert family.coordinates(("a", "b", "c", "d")) == ("R(a)", "R(b)", "R(c)", "R(d)")
