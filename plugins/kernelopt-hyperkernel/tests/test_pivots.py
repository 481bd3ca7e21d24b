"""The incomplete factorisation, the widths, and packed matrices, against their definitions on few rows."""

import tracemalloc

import numpy as np
import pytest
from kernelopt_hyperkernel import Hyperkernel
from kernelopt_hyperkernel._hyperkernels import Harmonic
from kernelopt_hyperkernel._incomplete_cholesky import pivots
from kernelopt_hyperkernel._pairs import base_values, packed, unpacked
from kernelopt_hyperkernel._widths import widths

import kernelopt
from kernelopt.plugin import NotEnoughMemory, Part

KERNEL = Harmonic(0.6, np.array([1.0, 0.3]))
RNG = np.random.default_rng(0)
X = RNG.normal(size=(14, 2))


def chosen(rows=X, most=1000, tolerance=1e-6):
    values = base_values(KERNEL, rows)
    return values, pivots(KERNEL, values, KERNEL.own(values), most, tolerance)[0]


@pytest.mark.parametrize("tolerance", [1e-1, 1e-3, 1e-6])
def test_what_the_pivots_leave_is_within_the_tolerance(tolerance):
    values, index = chosen(tolerance=tolerance)
    H = KERNEL.between(values, values)
    left = H - H[:, index] @ np.linalg.solve(H[np.ix_(index, index)], H[index])
    assert np.abs(left).max() <= tolerance * 1.001
    without = index[:-1]
    before = H - H[:, without] @ np.linalg.solve(H[np.ix_(without, without)], H[without])
    assert np.diagonal(before).max() > tolerance


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"kind": "isotropic"},
        {"kind": "cosh"},
        {"kind": "log"},
        {"kind": "polynomial-gaussian"},
        {"kind": "sum", "kernels": ["rbf", "polynomial"], "coefficients": [2.0, 0.3]},
    ],
)
def test_a_pairs_own_value_is_on_the_diagonal_of_the_hyper_gram(options):
    rows = 1.0 + RNG.uniform(size=(6, 2))
    kernel = Hyperkernel(**options).prepare(rows, np.ones(6))._fixed.kernel
    values = base_values(kernel, rows)
    np.testing.assert_allclose(kernel.own(values), np.diagonal(kernel.between(values, values)), rtol=1e-12)


def test_each_pivot_is_what_the_ones_before_explain_least():
    values, index = chosen()
    H = KERNEL.between(values, values)
    left = H
    for a in index[:12]:
        diagonal = np.diagonal(left)
        assert diagonal[a] == pytest.approx(diagonal.max(), rel=1e-9)
        left = left - np.outer(left[a], left[a]) / left[a, a]


def test_there_are_at_most_so_many_pivots_and_fewer_begin_the_list():
    many, few = chosen()[1], chosen(most=5)[1]
    assert len(few) == 5
    assert len(many) < len(packed(np.zeros((14, 14))))
    np.testing.assert_array_equal(few, many[:5])


def test_pivots_depend_neither_on_the_order_of_rows_nor_on_copies_nor_on_rows_without_weight():
    options = {"sigma": (1.0, 0.3), "pivots": 30}
    wanted = Hyperkernel(**options).prepare(X, np.ones(14)).dictionary().atoms
    order = RNG.permutation(14)
    for rows, weight in (
        (X[order], np.ones(14)),
        (np.vstack([X, X[:5]]), np.ones(19)),
        (np.vstack([X, X + 9.0]), np.repeat([3.0, 0.0], 14)),
    ):
        np.testing.assert_array_equal(Hyperkernel(**options).prepare(rows, weight).dictionary().atoms, wanted)


def test_all_pairs_are_listed_once():
    """A pair of a point with itself is the same atom for every point."""
    atoms = Hyperkernel(sigma=1.0, pivots="all").prepare(X, np.ones(14)).dictionary().atoms
    assert len(atoms) == 14 * 13 // 2 + 1
    kind = {"kind": "polynomial-gaussian", "sigma": 1.0, "pivots": "all"}
    assert len(Hyperkernel(**kind).prepare(X, np.ones(14)).dictionary().atoms) == 14 * 15 // 2


@pytest.mark.parametrize("kind", ["harmonic", "isotropic", "sinh", "log"])
def test_the_centre_is_the_kernel_of_a_point_with_itself_whatever_the_pivots(kind):
    few, many = (Hyperkernel(kind=kind, pivots=p).prepare(X, np.ones(14)) for p in (2, 50))
    atom = few.center().atoms[0]
    np.testing.assert_array_equal(atom[:2], atom[2:])
    np.testing.assert_array_equal(many.center().atoms, few.center().atoms)


def test_the_price_is_the_norm_in_the_space_of_the_hyperkernel():
    """|k|^2 = w'Hw, where H is the hyperkernel between the pairs that the atoms are."""
    for penalty in ("norm", "squared"):
        family = Hyperkernel(lambda_q=3.0, penalty=penalty, sigma=0.7).prepare(X, np.ones(14))
        part = family.dictionary()
        pairs = zip(part.atoms[:, :2], part.atoms[:, 2:], strict=True)
        H = np.array(
            [
                family.cross(Part(part.atoms, w), *(point[None] for point in pair))[0, 0]
                for pair in pairs
                for w in np.eye(len(part))
            ]
        ).reshape(len(part), -1)
        w = RNG.dirichlet(np.ones(len(part)))
        square = w @ H @ w
        assert family.penalty.value(w) == pytest.approx(1.5 * (square if penalty == "squared" else np.sqrt(square)))


def test_any_pair_is_an_atom_in_either_order():
    """Grams of pairs that are no pivots are computed when they are asked for."""
    family = Hyperkernel(sigma=1.0, pivots=6).prepare(X, np.ones(14))
    data = family.bind(X)
    pivot = family.dictionary().atoms[5]
    turned, foreign = np.roll(pivot, 2), np.array([0.1, 0.2, 3.0, -1.0])
    part = Part(np.array([turned, foreign, pivot]), np.array([0.5, 0.3, 0.2]))
    wanted = family.cross(part, X, X)
    np.testing.assert_allclose(family.gram(part, data).dense(), wanted, atol=1e-14)
    np.testing.assert_allclose(family.apply(part, data, X), wanted @ X, atol=1e-13)
    single = family.gram(Part(pivot[None], np.ones(1)), data).dense()
    np.testing.assert_allclose(family.gram(Part(turned[None], np.ones(1)), data).dense(), single, atol=1e-15)


def test_packed_matrices_are_unpacked():
    K = X @ X.T
    assert packed(K).shape == (14 * 15 // 2,)
    np.testing.assert_array_equal(unpacked(packed(K), 14), K)


@pytest.mark.parametrize("weight", [np.ones(14), np.arange(1.0, 15.0)])
def test_the_quantile_is_that_of_all_pairs_of_rows(weight):
    copies = np.repeat(X, weight.astype(int), axis=0)
    distance = np.sort(np.abs(copies[:, None] - copies).reshape(-1, 2), axis=0)
    q = distance[int(np.ceil(0.9 * len(distance))) - 1]
    np.testing.assert_allclose(widths("quantile", X, weight), 1.0 / (2.0 * q**2), rtol=1e-12)


def test_the_units_of_a_column_do_not_matter_and_a_constant_one_is_left_out():
    rows = np.column_stack([X * [1e6, 1e-6] + [0.0, 3e-6], np.full(14, 7.0)])
    family, plain = (Hyperkernel().prepare(one, np.ones(14)) for one in (rows[:, :2], X))
    part = Part(family.dictionary().atoms[:3], np.ones(3))
    like = Part(plain.dictionary().atoms[:3], np.ones(3))
    np.testing.assert_allclose(family.cross(part, rows[:, :2], rows[:, :2]), plain.cross(like, X, X), rtol=1e-6)
    assert widths("quantile", rows, np.ones(14))[2] == 0.0


def test_a_column_where_few_rows_differ_takes_its_range():
    rare = np.where(np.arange(40) == 7, 5.0, 1.0)[:, None]
    assert widths("quantile", rare, np.ones(40))[0] == pytest.approx(1.0 / 16.0)


def test_the_hyper_gram_of_all_pairs_is_not_formed():
    rows = RNG.normal(size=(90, 3))
    pairs = 90 * 91 // 2
    tracemalloc.start()
    family = Hyperkernel(pivots=20).prepare(rows, np.ones(90))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(family.dictionary()) == 20
    assert peak < 8 * pairs * 50 < 8 * pairs**2 / 80


def test_too_many_pairs_are_refused_before_the_work():
    with pytest.raises(NotEnoughMemory, match="the pivots among 2001000 pairs of 2000 rows"):
        Hyperkernel(pivots="all").prepare(RNG.normal(size=(2000, 2)), np.ones(2000))


def test_what_pivots_leave_that_end_by_their_number_is_told():
    """The share of the trace, which falls with the number; nothing where they end by the tolerance."""
    values = base_values(KERNEL, X)
    H = KERNEL.between(values, values)
    shares = []
    for most in (2, 5, 20):
        index, share = pivots(KERNEL, values, KERNEL.own(values), most, 1e-6)
        left = H - H[:, index] @ np.linalg.solve(H[np.ix_(index, index)], H[index])
        assert share == pytest.approx(np.trace(left) / np.trace(H), rel=1e-6)
        shares.append(share)
    assert shares == sorted(shares, reverse=True)
    assert pivots(KERNEL, values, KERNEL.own(values), 10**6, 1e-6)[1] == 0.0
    y = np.where(X[:, 0] > 0.0, 1, -1)
    options = {"criterion": "svc", "tol": 1e-2}
    few = kernelopt.solve(X, y, family=Hyperkernel(pivots=5), **options)
    assert any("the 5 pivots leave" in note and "raise pivots=" in note for note in few.notes)
    for family in (Hyperkernel(pivots=1000), Hyperkernel(pivots="all"), Hyperkernel(pivots=5, tolerance=0.99)):
        assert not any("pivots leave" in note for note in kernelopt.solve(X, y, family=family, **options).notes)
