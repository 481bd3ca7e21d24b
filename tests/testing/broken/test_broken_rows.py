"""The kit must reject a family that is right on the rows of a sample, and wrong on others, or in a corner."""

from typing import ClassVar

import attrs
import numpy as np
import pytest
from scipy.spatial.distance import cdist

from kernelopt.plugin import BestAtoms, Dense, ExplicitFamily, FeatureFamily, FiniteFamily, InvalidData, Part, Query
from kernelopt.testing import FamilySuite, Waves, broken_laws, judge


@attrs.frozen
class Widths(FiniteFamily):
    """exp(-r |x - z|^2 / s) of two r, s the sum of the variances of all columns."""

    name: ClassVar[str] = "widths"
    _size: float = attrs.field(default=1.0, alias="_size", repr=False)

    def prepare(self, X, weight):
        mean = np.average(X, axis=0, weights=weight)
        return attrs.evolve(self, _size=float(np.average((X - mean) ** 2, axis=0, weights=weight).sum()))

    def bind(self, X):
        return cdist(X, X, "sqeuclidean") / self._size

    def bind_bytes(self, n, d):
        return 8 * n * n

    def dictionary(self):
        return Part(np.array([[0.5], [2.0]]), np.full(2, 0.5))

    def diag(self, part, X):
        return np.full(len(X), part.mass)

    def gram(self, part, data):
        return Dense(self._mixed(part, data))

    def cross(self, part, Z, X):
        return self._mixed(part, cdist(Z, X, "sqeuclidean") / self._size)

    def _mixed(self, part, squared):
        pairs = zip(part.atoms[:, 0], part.weights, strict=True)
        return sum((w * np.exp(-r * squared) for r, w in pairs), np.zeros_like(squared))


class Remembers(Widths):
    """Finds what bind computed by a key; subclasses leave out of the key what it must have."""

    held: ClassVar[dict] = {}

    def key(self, X):
        return X.tobytes(), self._size

    def bind(self, X):
        key = (type(self), *self.key(X))
        if key not in self.held:
            self.held.clear()
            self.held[key] = super().bind(X)
        return self.held[key]


class ByTheFirstRow(Remembers):
    def key(self, X):
        return X.shape, X[0].tobytes(), self._size


class ByTheRowsAlone(Remembers):
    def key(self, X):
        return (X.tobytes(),)


class ByTheArray(Remembers):
    def key(self, X):
        return X.__array_interface__["data"][0], X.shape, self._size


class PredictsWithTheLast(Widths):
    """Takes the rows that were bound last for the training rows, if there are as many."""

    last: ClassVar[dict] = {}

    def bind(self, X):
        self.last["rows"] = X.copy()
        return super().bind(X)

    def cross(self, part, Z, X):
        rows = self.last.get("rows", X)
        return super().cross(part, Z, rows if len(rows) == len(X) else X)


class DiagOfDifferentRows(Widths):
    def diag(self, part, X):
        return super().diag(part, np.unique(X, axis=0))


class NeedsTwoColumns(Widths):
    """numpy.cov of one column is no matrix."""

    def prepare(self, X, weight):
        return attrs.evolve(self, _size=float(np.trace(np.cov(X.T, aweights=weight, bias=True))))


class SaysTwoColumns(NeedsTwoColumns):
    def prepare(self, X, weight):
        if X.shape[1] < 2:
            raise InvalidData("widths: got one column, wanted two or more")
        return super().prepare(X, weight)


class NeedsTwoRows(Widths):
    """The distance to the nearest other row, of which one row has none."""

    def bind(self, X):
        squared = super().bind(X)
        nearest = (squared + np.diag(np.full(len(X), np.inf))).min(axis=0)
        return squared + 0.0 * nearest.max()


@attrs.frozen
class Steps(ExplicitFamily):
    """1{x_j > t} 1{z_j > t} of every column j and threshold t; an atom is (j, t)."""

    name: ClassVar[str] = "steps"
    _low: np.ndarray | None = attrs.field(default=None, alias="_low", repr=False, eq=False)
    _high: np.ndarray | None = attrs.field(default=None, alias="_high", repr=False, eq=False)

    def prepare(self, X, weight):
        return attrs.evolve(self, _low=X[weight > 0].min(axis=0), _high=X[weight > 0].max(axis=0))

    def columns(self, atoms, X):
        return np.where(X[:, atoms[:, 0].astype(int)] > atoms[:, 1], 1.0, 0.0), np.arange(len(atoms))

    def center(self):
        d = len(self._low)
        return Part(np.column_stack([np.arange(d), 0.5 * (self._low + self._high)]), np.full(d, 1.0 / d))

    def cuts(self, x):
        """The numbers of the sorted values x after which a threshold can lie."""
        return np.flatnonzero(np.diff(x) > 0.0)

    def best_atoms(self, data, V, query):
        found = [(float(np.sum(V.sum(axis=0) ** 2)), 0.0, float(np.nextafter(data[:, 0].min(), -np.inf)))]
        for j, column in enumerate(data.T):
            order = np.argsort(column, kind="stable")
            x, above = column[order], V.sum(axis=0) - np.cumsum(V[order], axis=0)
            found += [(float(np.sum(above[i] ** 2)), float(j), float(0.5 * (x[i] + x[i + 1]))) for i in self.cuts(x)]
        best = np.array(sorted(found, reverse=True))
        _, first = np.unique(self.columns(best[:, 1:], data)[0], axis=1, return_index=True)
        best = best[np.sort(first)][: query.k]
        return BestAtoms(best[:, 1:], best[:, 0], float(best[0, 0]), exact=True)

    def draw(self, k, rng):
        j = rng.integers(len(self._low), size=k)
        return np.column_stack([j, rng.uniform(self._low[j], self._high[j])])


class StepsBetweenEquals(Steps):
    """Cuts between rows of the same value, which no threshold parts."""

    def cuts(self, x):
        return np.arange(len(x) - 1)


class SkipsARow(Waves):
    """The gradient leaves out one row more than those where V is zero."""

    def pullback(self, part, data, V):
        rows = np.flatnonzero(V.any(axis=1))
        rows = rows if len(rows) == len(V) else rows[1:]
        return super().pullback(part, data[rows], V[rows])


class OneOutputTwice(Waves):
    def pullback(self, part, data, V):
        return super().pullback(part, data, V if V.shape[1] > 1 else 2.0 * V)


class NoSlopeAtTheTop(Waves):
    """0/0 at a bound."""

    def pullback(self, part, data, V):
        gradient = super().pullback(part, data, V)
        return attrs.evolve(gradient, atoms=np.where(part.atoms == self.top, np.nan, gradient.atoms))


@pytest.mark.parametrize(
    ("family", "law", "words"),
    [
        (ByTheFirstRow, "rows-remembered", "every row, and every field"),
        (ByTheRowsAlone, "rows-remembered", "every row, and every field"),
        (ByTheArray, "rows-remembered", "address of an array"),
        (PredictsWithTheLast, "rows-remembered", "bound one after the other"),
        (DiagOfDifferentRows, "repeated-rows", "diag must have an entry for each of them"),
        (StepsBetweenEquals, "repeated-rows", "the value that comes with an atom"),
        (NeedsTwoColumns, "few-rows", "with one column"),
        (NeedsTwoRows, "few-rows", "where one row is bound alone, gram must be cross, of finite numbers"),
        (SkipsARow, "smooth-atoms", "6 rows are not 0"),
        (OneOutputTwice, "smooth-atoms", "V of shape (17, 1)"),
        (NoSlopeAtTheTop, "smooth-bound", "number 0 of an atom is at its bound 3"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_family_that_is_wrong_on_other_rows_is_rejected(family, law, words, rejected):
    rejected(judge(family), law, words)


@pytest.mark.parametrize("family", [Widths, Remembers, SaysTwoColumns, Steps])
def test_a_sound_family_passes(family):
    assert broken_laws(judge(family)) == {}


def test_the_steps_are_those_of_brute_force():
    X, rng = np.round(np.random.default_rng(0).normal(size=(20, 2)), 1), np.random.default_rng(1)
    family = Steps().prepare(X, np.ones(20))
    V = rng.normal(size=(20, 2))
    masks = [np.where(X[:, j] > t, 1.0, 0.0) for j in range(2) for t in np.append(X[:, j], -9.0)]
    assert family.best_atoms(X, V, Query()).ceiling == pytest.approx(max(np.sum((m @ V) ** 2) for m in masks))


class CutOff(Widths):
    """Small entries are left out: hardly indefinite, and not at all among few rows."""

    def _mixed(self, part, squared):
        pairs = zip(part.atoms[:, 0], part.weights, strict=True)
        kernels = ((w, np.exp(-r * squared)) for r, w in pairs)
        return sum((w * np.where(K < 0.02, 0.0, K) for w, K in kernels), np.zeros_like(squared))


class DiagOfALaterBlock(Widths):
    def diag(self, part, X):
        found = super().diag(part, X)
        found[64:] = 0.0
        return found


class DropsSmallCoefficients(Widths):
    def function(self, part, X, V):
        kept = np.abs(V).max(axis=1) > 1e-3
        return lambda Z: self.cross(part, Z, X[kept]) @ V[kept]


class EndsWhereLittleIsGained(Waves):
    """Climbs on from its grid only if the value is not small in itself."""

    def best_atoms(self, data, V, query):
        best = super().best_atoms(data, V, query)
        return best if best.ceiling > 1e-6 else attrs.evolve(best, ceiling=0.9 * best.ceiling)


@pytest.mark.parametrize(
    ("family", "law", "words"),
    [
        (CutOff, "gram-positive", "on 68 rows"),
        (DiagOfALaterBlock, "many-rows", "diag must have the entries"),
        (DropsSmallCoefficients, "function", "what function returns"),
        (EndsWhereLittleIsGained, "oracle-quadratic", "as large with another C"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_family_that_is_wrong_for_many_rows_or_small_numbers_is_rejected(family, law, words, rejected):
    rejected(judge(family), law, words)


@attrs.frozen
class Sets(FiniteFamily):
    """The share of elements that two sets have in common; a row has 1 for each element of a set, and 0 for others."""

    name: ClassVar[str] = "sets"

    def checked(self, X):
        if not np.isin(X, (0.0, 1.0)).all():
            raise InvalidData("sets: got other numbers than 0 and 1, wanted rows of 0 and 1")
        return X

    def dictionary(self):
        return Part(np.zeros((1, 1)), np.ones(1))

    def diag(self, part, X):
        return np.full(len(self.checked(X)), part.mass)

    def gram(self, part, data):
        return Dense(self.cross(part, data, data))

    def cross(self, part, Z, X):
        shared = self.checked(Z) @ self.checked(X).T
        whole = Z.sum(axis=1)[:, None] + X.sum(axis=1) - shared
        return part.mass * np.divide(shared, whole, out=np.ones_like(shared), where=whole > 0.0)


class OfTraining(FamilySuite):
    d = 6

    def family(self):
        return Sets()

    def naive_gram(self, family, part, X):
        sets = [{j for j, here in enumerate(row) if here} for row in X]
        return np.array([[part.mass * (len(a & b) / len(a | b) if a | b else 1.0) for b in sets] for a in sets])

    def rows(self, rng):
        return rng.integers(0, 2, size=(self.n, self.d)).astype(float)


class OfSets(OfTraining):
    def new_rows(self, rng, X):
        return rng.integers(0, 2, size=(5, self.d)).astype(float)


@pytest.mark.parametrize("suite", [judge(Sets), OfTraining()], ids=["no rows", "no new rows"])
def test_a_family_of_rows_of_another_kind_is_told_to_write_rows(suite):
    broken = broken_laws(suite)
    told = broken["rows"]
    assert list(broken) == ["rows"], "every law explains itself in the same way"
    assert "Sets refuses the rows that it is tested on: sets: got other numbers than 0 and 1" in told
    assert "write rows(self, rng), and new_rows(self, rng, X)" in told


def test_a_family_of_rows_of_another_kind_passes_on_its_own():
    assert broken_laws(OfSets()) == {}


@attrs.frozen
class OneFeatureMore(FeatureFamily):
    name: ClassVar[str] = "onemore"
    order = 5

    def features(self, X):
        return np.column_stack([np.ones(len(X)), X])


def test_features_of_another_number_than_the_order_are_told(rejected):
    rejected(judge(OneFeatureMore), "features-order", "shape (n, order) = (17, 5), got (17, 4)")
