"""The size of kernels on rows: from all of them, or from some where pairs of all would be too many."""

import numpy as np
import pytest

import kernelopt
from kernelopt._families import _kernel_size
from kernelopt._families._kernel_size import largest_of_matrix, spread
from kernelopt._families.dictionary.grams import _blocks
from kernelopt._families.dictionary.kernels._base_kernels import ColumnKernel
from kernelopt._families.dictionary.kernels._pairwise import bases_of
from kernelopt.plugin import Part

ONE = Part(np.zeros((1, 1)), np.ones(1))
RNG = np.random.default_rng(0)
X, WEIGHT = RNG.normal(size=(1200, 3)), RNG.uniform(0.5, 2.0, size=1200)
FAMILY = kernelopt.Dictionary((("rbf", {"gamma": 0.2}),), normalize=None).prepare(X, WEIGHT)


def exactly(rows, weight):
    share = weight / weight.sum()
    K = FAMILY.cross(ONE, rows, rows)
    return float(share @ np.diagonal(K) - share @ K @ share)


def test_the_variance_in_feature_space_is_that_of_all_pairs():
    assert spread(FAMILY, ONE, X, WEIGHT, centred=True) == pytest.approx(exactly(X, WEIGHT))


def test_of_many_rows_some_pairs_say_it_nearly_and_the_same_each_time(monkeypatch):
    monkeypatch.setattr(_kernel_size, "_ROWS", 400)
    found = spread(FAMILY, ONE, X, WEIGHT, centred=True)
    assert found != exactly(X, WEIGHT)
    assert found == pytest.approx(exactly(X, WEIGHT), rel=0.05)
    assert found == spread(FAMILY, ONE, X, WEIGHT, centred=True)
    assert spread(FAMILY, ONE, X[:400], WEIGHT[:400], centred=True) == pytest.approx(exactly(X[:400], WEIGHT[:400]))


@pytest.mark.parametrize("kernel", ["linear", ("poly", {"degree": 2}), ColumnKernel("linear", 2)], ids=str)
def test_kernels_of_a_list_have_the_variance_one_on_weighted_rows_far_from_zero(kernel):
    rows = X + np.array([5.0, -3.0, 40.0])
    listed = kernelopt.Dictionary([kernel], normalize="variance").prepare(rows, WEIGHT)
    assert spread(listed, ONE, rows, WEIGHT, centred=True) == pytest.approx(1.0)


def test_nothing_of_the_square_of_many_rows_is_looked_at(monkeypatch):
    monkeypatch.setattr(_kernel_size, "_ROWS", 100)
    seen = []

    class Counting:
        def diag(self, part, rows):
            return FAMILY.diag(part, rows)

        def cross(self, part, first, second):
            seen.append(len(first) * len(second))
            return FAMILY.cross(part, first, second)

        def apart(self, part, X):
            return np.zeros(len(X))

    spread(Counting(), ONE, X, WEIGHT, centred=True)
    assert sum(seen) == 100 * 100


def test_the_largest_of_a_matrix_family_is_nearly_that_of_all_rows(monkeypatch):
    def adjoint(rows, V):
        sums = rows.T @ V
        return sums @ sums.T

    whole = largest_of_matrix(3, adjoint, X, WEIGHT, centred=True)
    monkeypatch.setattr(_kernel_size, "_ROWS", 300)
    assert largest_of_matrix(3, adjoint, X, WEIGHT, centred=True) == pytest.approx(whole, rel=0.05)


LISTED = [
    ("rbf", {"gamma": 0.1}),
    ("rbf", {"gamma": 2.0}),
    "linear",
    ("poly", {"degree": 2, "gamma": 0.2, "coef0": 1.0}),
    "laplacian",
    ColumnKernel(("rbf", {"gamma": 1.0}), 1),
    lambda X, Z: np.exp(-np.abs(X[:, None, 0] - Z[None, :, 0])),
]


@pytest.mark.parametrize("n", [40, 700])
@pytest.mark.parametrize("normalize", ["variance", "trace", "diagonal", None])
def test_kernels_of_a_list_have_the_sizes_that_each_has_alone(normalize, n):
    rng = np.random.default_rng(0)
    X, weight = 3.0 + rng.normal(size=(n, 4)), rng.uniform(0.1, 2.0, n)
    together = kernelopt.Dictionary(LISTED, normalize=normalize).prepare(X, weight)
    for a, kernel in enumerate(LISTED):
        alone = kernelopt.Dictionary([kernel], normalize=normalize).prepare(X, weight)
        part = Part(np.array([[float(a)]]), np.ones(1))
        found, wanted = together.cross(part, X[:5], X), alone.cross(alone.center(), X[:5], X)
        np.testing.assert_allclose(found, wanted, rtol=1e-10)


OF_ONE_COLUMN = [
    ("rbf", {"gamma": 2.0}),
    "laplacian",
    ("poly", {"degree": 3, "gamma": 1.0, "coef0": 1.0}),
    "linear",
]


@pytest.mark.parametrize("values", [2, 7])
def test_of_few_values_no_pairs_of_rows_are_looked_at(monkeypatch, values):
    """A category is a column of two values: a list with a few kernels on each of 500 took as long as learning."""
    kernels = [ColumnKernel(kernel, 0) for kernel in OF_ONE_COLUMN]
    rows = (np.arange(900) % 11 % values).astype(float)[:, None]
    weight = RNG.uniform(0.5, 2.0, size=900)
    with monkeypatch.context() as patched:
        patched.setattr(_blocks, "bases_of", None)
        listed = kernelopt.Dictionary(kernels).prepare(rows, weight)
    for a in range(len(kernels)):
        part = Part(np.array([[float(a)]]), np.ones(1))
        assert spread(listed, part, rows, weight, centred=True) == pytest.approx(1.0)


def test_of_long_lists_fewer_pairs_are_looked_at(monkeypatch):
    """Of thousands of kernels all pairs of two thousand rows took as long as learning."""
    looked = []

    def counted(wanted, Z, X, *others):
        looked.append(len(Z) * len(X))
        return bases_of(wanted, Z, X, *others)

    kernels = [("rbf", {"gamma": 0.2 + 0.01 * k}) for k in range(40)]
    monkeypatch.setattr(_blocks, "bases_of", counted)
    monkeypatch.setattr(_kernel_size, "_PAIRS", 20 * 400**2)
    listed = kernelopt.Dictionary(kernels).prepare(X, WEIGHT)
    assert sum(looked) <= 400**2
    looked.clear()
    alone = kernelopt.Dictionary(kernels[:1]).prepare(X, WEIGHT)
    assert sum(looked) > 400**2
    sizes = [spread(one, ONE, X, WEIGHT, centred=True) for one in (listed, alone)]
    assert sizes == pytest.approx([1.0, 1.0], rel=0.05)


def test_distances_are_computed_once_for_all_kernels_of_a_list(monkeypatch):
    asked = []

    def counted(wanted, *others):
        asked.append(set(wanted))
        return bases_of(wanted, *others)

    monkeypatch.setattr(_blocks, "bases_of", counted)
    X = np.random.default_rng(0).normal(size=(200, 3))
    kernelopt.Dictionary([("rbf", {"gamma": 2.0**k}) for k in range(9)]).prepare(X, np.ones(200))
    assert asked == [{"squares"}]
