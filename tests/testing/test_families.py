"""The core's own families, and the toys, under the laws that every plugin must keep."""

import math

import attrs
import numpy as np
import pytest

from kernelopt import Delta, Dictionary, Group, Precomputed, fixed, sampled
from kernelopt._families.dictionary.columns._category_groups import Same
from kernelopt._solvers._exchange import Active
from kernelopt.plugin import KerneloptError
from kernelopt.testing import Affine, Columns, FamilySuite, Waves


def rbf(x, z, gamma):
    apart = x - z
    return math.exp(-gamma * (apart @ apart))


def square(x, z):
    return float((1.0 + x @ z) ** 2)


def squares(X, Z):
    """A kernel as a user would write it, on arrays."""
    return (1.0 + X @ Z.T) ** 2


KERNELS = (("rbf", {"gamma": 0.7}), ("rbf", {"gamma": 0.1}), squares)
NAIVE = (lambda x, z: rbf(x, z, 0.7), lambda x, z: rbf(x, z, 0.1), square)


def pairwise(kernel, X):
    return np.array([[kernel(x, z) for z in X] for x in X])


class DictionaryLaws(FamilySuite):
    normalize: str | None = None
    goes_into_files = False

    def family(self):
        return Dictionary(KERNELS, normalize=self.normalize)

    def size(self, K, weight):
        return 1.0

    def naive_gram(self, family, part, X):
        """The sizes are taken on the training rows and weights, which are those of every sample's first draw."""
        total = np.zeros((len(X), len(X)))
        for atom, weight in zip(part.atoms[:, 0], part.weights, strict=True):
            kernel = NAIVE[int(atom)]
            total += weight * self.normalized(kernel, pairwise(kernel, X), X)
        return total

    def normalized(self, kernel, K, X):
        size = self.size(pairwise(kernel, self.training), self.training_weight)
        return K / size

    def sample(self, draw=0):
        sample = super().sample(draw)
        self.training, self.training_weight = sample.X, sample.weight
        return sample


class TestDictionary(DictionaryLaws):
    pass


class TestDictionaryTrace(DictionaryLaws):
    normalize = "trace"

    def size(self, K, weight):
        return sum(weight[i] * K[i, i] for i in range(len(K))) / sum(weight)


class TestDictionaryVariance(DictionaryLaws):
    normalize = "variance"

    def size(self, K, weight):
        share = weight / weight.sum()
        diagonal = sum(share[i] * K[i, i] for i in range(len(K)))
        return diagonal - sum(share[i] * share[j] * K[i, j] for i in range(len(K)) for j in range(len(K)))


class TestDictionaryDiagonal(DictionaryLaws):
    normalize = "diagonal"

    def normalized(self, kernel, K, X):
        return np.array([[kernel(x, z) / np.sqrt(kernel(x, x) * kernel(z, z)) for z in X] for x in X])


class TestDictionaryOfStandardColumns(DictionaryLaws):
    def family(self):
        return Dictionary(KERNELS, normalize=None, rescale="standard")

    def rows(self, rng):
        return rng.normal(size=(self.n, self.d)) * [1.0, 30.0, 0.2] + [0.0, 10.0, -1.0]

    def naive_gram(self, family, part, X):
        mean = np.average(self.training, axis=0, weights=self.training_weight)
        square = np.average((self.training - mean) ** 2, axis=0, weights=self.training_weight)
        return super().naive_gram(family, part, (X - mean) / np.sqrt(square))


class TestDefaultDictionary(FamilySuite):
    """Of two columns: 39 kernels of variance 1."""

    d = 2

    def family(self):
        return Dictionary()

    def sample(self, draw=0):
        sample = super().sample(draw)
        self.training, self.training_weight = sample.X, sample.weight
        return sample

    def naive_gram(self, family, part, X):
        share = self.training_weight / self.training_weight.sum()
        mean = share @ self.training
        deviation = np.sqrt(share @ (self.training - mean) ** 2)
        old, new = (self.training - mean) / deviation, (X - mean) / deviation
        kernels = [(gaussian_or_polynomial(number), columns) for columns in ([0, 1], [0], [1]) for number in range(13)]
        total = np.zeros((len(X), len(X)))
        for atom, weight in zip(part.atoms[:, 0], part.weights, strict=True):
            kernel, columns = kernels[int(atom)]
            K = pairwise(kernel, old[:, columns])
            size = share @ np.diagonal(K) - share @ K @ share
            total += weight * pairwise(kernel, new[:, columns]) / size
        return total


class TestDictionaryOfMixedColumns(FamilySuite):
    """The list of auto on heavy tails, categories and a plain column: it grows."""

    n = 40
    weights_are_copies = False  # the number of rows decides which kernels are listed

    def family(self):
        return Dictionary("auto")

    def rows(self, rng):
        n = self.n
        return np.column_stack([np.exp(3.0 * rng.normal(size=n)), rng.integers(4, size=n), rng.normal(size=n)])

    def new_rows(self, rng, X):
        new = X[rng.integers(len(X), size=5)] + [0.1, 0.0, 0.1] * rng.normal(size=(5, 3))
        new[0, 1] = 9.0
        return new

    def naive_gram(self, family, part, X):
        seen = family.seen(X)
        total = np.zeros((len(X), len(X)))
        for atom, weight in zip(part.atoms[:, 0], part.weights, strict=True):
            kernel = family.listed[int(atom)]
            columns, k = list(kernel.place.numbers), naive(*kernel.kernel)
            size = np.average([k(x, x) for x in self.seen[:, columns]], weights=self.weight)
            total += weight * pairwise(k, seen[:, columns]) / size
        return total

    def sample(self, draw=0):
        sample = super().sample(draw)
        self.seen, self.weight = sample.family.seen(sample.X), sample.weight
        return sample


class TestDictionaryOfNumberedColumns(TestDictionaryOfMixedColumns):
    """The list of auto on a column of fifteen whole numbers, of which two rows have the same or not."""

    n = 60

    def rows(self, rng):
        return np.column_stack([3.0 * rng.permutation(np.repeat(np.arange(15), 4)), rng.normal(size=self.n)])

    def new_rows(self, rng, X):
        new = X[rng.integers(len(X), size=5)]
        new[:2, 0] = 7.0, 1.0  # no training row has these
        return new

    def naive_gram(self, family, part, X):
        same = [a for a, kernel in enumerate(family.listed) if isinstance(getattr(kernel, "place", None), Same)]
        total = np.zeros((len(X), len(X)))
        for atom, weight in zip(part.atoms[:, 0], part.weights, strict=True):
            if int(atom) in same:
                total += weight * pairwise(lambda x, z: float(x[0] == z[0]), X)
        others = part.weights * ~np.isin(part.atoms[:, 0], same)
        return total + self.of_places(family, attrs.evolve(part, weights=others), X)

    def of_places(self, family, part, X):
        """Of the other kernels, by what each sees of the rows."""
        seen, total = family.seen(X), np.zeros((len(X), len(X)))
        for atom, weight in zip(part.atoms[:, 0], part.weights, strict=True):
            place = family.listed[int(atom)].place
            columns, k = (
                list(getattr(place, "numbers", [getattr(place, "number", 0)])),
                naive(*family.listed[int(atom)].kernel),
            )
            size = np.average([k(x, x) for x in self.seen[:, columns]], weights=self.weight)
            total += weight * pairwise(k, seen[:, columns]) / size if weight else 0.0
        return total


class TestDictionaryOfOfferedColumns(TestDictionaryOfNumberedColumns):
    """The list of auto on a column of fifteen fractions, which it offers to compare."""

    n = 90

    def rows(self, rng):
        fractions = 0.3 + 1.7 * rng.permutation(np.repeat(np.arange(15), 6))
        return np.column_stack([fractions, np.exp(3.0 * rng.normal(size=self.n)), rng.normal(size=self.n)])

    def test_it_offers_a_kernel(self):
        """The laws of what is offered look at one."""
        sample = self.sample()
        assert sample.family.offered(sample.X, np.ones(self.n)) is not None
        assert sample.family.adapted(sample.X, sample.X[:, :1], np.ones(self.n)) is not None


def naive(name, options):
    gamma = options.get("gamma", 1.0)
    return {
        "rbf": lambda x, z: rbf(x, z, gamma),
        "laplacian": lambda x, z: math.exp(-gamma * np.abs(x - z).sum()),
        "linear": lambda x, z: float(x @ z),
        "poly": lambda x, z: float((gamma * (x @ z)) ** 2),
    }[name]


def gaussian_or_polynomial(number):
    if number >= 10:
        return lambda x, z: float((1.0 + x @ z) ** (number - 9))
    width = 0.5 * 20.0 ** (number / 9)
    return lambda x, z: rbf(x, z, 1.0 / (2.0 * width**2))


class TestPrecomputed(FamilySuite):
    """Rows are numbers; the matrix is a Gaussian's between forty points."""

    d = 1
    points = np.random.default_rng(8).normal(size=(40, 2))
    goes_into_files = False

    def family(self):
        return Dictionary([Precomputed(pairwise(lambda x, z: rbf(x, z, 0.5), self.points))], normalize=None)

    def rows(self, rng):
        return rng.permutation(40)[: self.n, None].astype(float)

    def new_rows(self, rng, X):
        return rng.integers(40, size=(5, 1)).astype(float)

    def naive_gram(self, family, part, X):
        chosen = self.points[X[:, 0].astype(int)]
        return part.mass * pairwise(lambda x, z: rbf(x, z, 0.5), chosen)


class TestFixed(FamilySuite):
    def family(self):
        return fixed(("rbf", {"gamma": 0.7}))

    def naive_gram(self, family, part, X):
        return part.mass * pairwise(lambda x, z: rbf(x, z, 0.7), X)


class TestDelta(FamilySuite):
    def family(self):
        return Delta()

    def naive_gram(self, family, part, X):
        return part.mass * np.eye(len(X))


class TestGroup(FamilySuite):
    """Rows with one column that two or more of them share."""

    d = 1

    def rows(self, rng):
        return rng.integers(3, size=(self.n, 1)).astype(float)

    def new_rows(self, rng, X):
        return rng.integers(5, size=(6, 1)).astype(float)

    def family(self):
        return Group()

    def naive_gram(self, family, part, X):
        return part.mass * pairwise(lambda x, z: float(x[0] == z[0]), X)


@attrs.frozen(eq=False)
class Bound(Active):
    """An exchange hands `Active` the data that the whole family has bound; here it binds them itself."""

    def bind(self, X):
        return self.family.bind(X)

    def bind_bytes(self, n, d):
        return self.family.bind_bytes(n, d)


class ActiveLaws(FamilySuite):
    """A family's atoms in play are a finite list with the laws of one."""

    any_columns = False

    def atoms(self):
        raise NotImplementedError

    def whole(self):
        raise NotImplementedError

    def family(self):
        return Bound(self.whole().prepare(np.zeros((2, self.d)), np.ones(2)), self.atoms())


class TestActiveMatrix(ActiveLaws):
    def whole(self):
        return Affine()

    def atoms(self):
        vectors = np.random.default_rng(4).normal(size=(3, self.d + 1))
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def naive_gram(self, family, part, X):
        vectors = self.atoms()[part.atoms[:, 0].astype(int)]
        return naive_affine(vectors, part.weights, X)


class TestActiveDictionary(ActiveLaws):
    goes_into_files = False

    def whole(self):
        return Dictionary(KERNELS, normalize=None)

    def atoms(self):
        return np.array([[2.0], [0.0]])

    def naive_gram(self, family, part, X):
        numbers = self.atoms()[part.atoms[:, 0].astype(int), 0]
        return sum(w * pairwise(NAIVE[int(a)], X) for a, w in zip(numbers, part.weights, strict=True))


class SampledLaws(FamilySuite):
    """A list of random atoms is a finite list with the laws of one, whatever it was drawn from."""

    def whole(self):
        raise NotImplementedError

    def naive_whole(self, atoms, weights, X):
        raise NotImplementedError

    def family(self):
        return sampled(self.whole(), 7, seed=3)

    def naive_gram(self, family, part, X):
        return self.naive_whole(family.atoms[part.atoms[:, 0].astype(int)], part.weights, X)


class TestSampledMatrix(SampledLaws):
    def whole(self):
        return Affine()

    def naive_whole(self, atoms, weights, X):
        return naive_affine(atoms, weights, X)


class TestSampledMatricesOfRankTwo(SampledLaws):
    """Colbert and Peet (2020), equation (25), with P^s = A A' / |A|^2."""

    def family(self):
        return sampled(self.whole(), 5, seed=3, rank=2)

    def whole(self):
        return Affine()

    def naive_whole(self, atoms, weights, X):
        vectors = atoms.reshape(2 * len(atoms), -1)
        np.testing.assert_allclose((vectors**2).sum(axis=1).reshape(-1, 2).sum(axis=1), 1.0)
        return naive_affine(vectors, np.repeat(weights, 2), X)


class TestSampledDictionary(SampledLaws):
    def whole(self):
        return Dictionary(KERNELS, normalize=None)

    def naive_whole(self, atoms, weights, X):
        return sum(w * pairwise(NAIVE[int(a)], X) for a, w in zip(atoms[:, 0], weights, strict=True))


class TestSampledSearch(SampledLaws):
    def whole(self):
        return Waves()

    def naive_whole(self, atoms, weights, X):
        pairs = list(zip(atoms[:, 0], weights, strict=True))
        return pairwise(lambda x, z: sum(w * np.cos(a * (x[0] - z[0])) for a, w in pairs), X)


def naive_affine(vectors, weights, X):
    def kernel(x, z):
        return sum(w * (p[0] + p[1:] @ x) * (p[0] + p[1:] @ z) for p, w in zip(vectors, weights, strict=True))

    return pairwise(kernel, X)


class TestAffine(FamilySuite):
    def family(self):
        return Affine()

    def naive_gram(self, family, part, X):
        return naive_affine(part.atoms, part.weights, X)


class TestColumns(FamilySuite):
    def family(self):
        return Columns()

    def naive_gram(self, family, part, X):
        pairs = [(int(a), w) for a, w in zip(part.atoms[:, 0], part.weights, strict=True)]
        return pairwise(lambda x, z: sum(w * x[j] * z[j] for j, w in pairs), X)


def test_missing_hook_says_what_to_write():
    class Empty(FamilySuite):
        pass

    with pytest.raises(NotImplementedError, match="write family"):
        Empty().test_gram_is_symmetric()


def test_refusal_of_scaled_columns_is_no_broken_law():
    class Refusing(Affine):
        def prepare(self, X, weight):
            if np.abs(X).max() > 1e3 or np.abs(X[:, 0]).max() < 1e-3:
                raise KerneloptError("rescale the columns")
            return Refusing(X.shape[1])

    class Laws(TestAffine):
        def family(self):
            return Refusing()

    Laws().test_columns_of_any_size_are_finite_or_refused()
