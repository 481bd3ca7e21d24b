"""The kit must reject a family that takes arrays, rows or options for others, or passes over or mixes up atoms."""

import itertools
from typing import ClassVar

import attrs
import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import cdist

from kernelopt.plugin import BestAtoms, Dense, FiniteFamily, Part, positive
from kernelopt.testing import Waves, broken_laws, judge, verdicts

CACHE = {}
"""What the module of a careless plugin remembers."""


@pytest.fixture(autouse=True)
def _forgotten():
    CACHE.clear()


@attrs.frozen
class Widths(FiniteFamily):
    """exp(-|x - z|^2 / (width^2 s)) of three widths, s a number of the training rows."""

    name: ClassVar[str] = "widths"

    unit: float = attrs.field(default=1.0, validator=positive)
    _size: float = attrs.field(default=1.0, alias="_size")

    def prepare(self, X, weight):
        return attrs.evolve(self, _size=self._of_rows(X, weight))

    def _of_rows(self, X, weight):
        mean = np.average(X, axis=0, weights=weight)
        return float(np.average((X - mean) ** 2, axis=0, weights=weight).sum())

    def bind_bytes(self, n, d):
        return 8 * n * d

    def dictionary(self):
        return Part(self.unit * np.array([[0.3], [1.0], [3.0]]), np.full(3, 1.0 / 3.0))

    def diag(self, part, X):
        return np.full(len(X), part.mass)

    def gram(self, part, data):
        return Dense(self.cross(part, data, data))

    def cross(self, part, Z, X):
        squared = cdist(Z, X, "sqeuclidean") / self._size
        pairs = zip(part.atoms[:, 0], part.weights, strict=True)
        return sum((w * np.exp(-squared / r**2) for r, w in pairs), np.zeros_like(squared))


class AppliesById(Widths):
    def apply(self, part, data, V):
        key = (id(V), V.shape, part.atoms.tobytes(), part.weights.tobytes(), data.tobytes())
        if key not in CACHE:
            CACHE[key] = super().apply(part, data, V)
        return CACHE[key].copy()


class AnswersById(Widths):
    def best_atoms(self, data, V, query):
        key = (id(V), V.shape, query.k)
        if key not in CACHE:
            CACHE[key] = super().best_atoms(data, V, query)
        return CACHE[key]


class PredictsByLength(Widths):
    def function(self, part, X, V):
        known = {}

        def predict(Z):
            if len(Z) not in known:
                known[len(Z)] = self.cross(part, Z, X) @ V
            return known[len(Z)].copy()

        return predict


class SlopesById(Waves):
    def pullback(self, part, data, V):
        key = (id(V), V.shape)
        if key not in CACHE:
            CACHE[key] = super().pullback(part, data, V)
        return CACHE[key]


class KeepsTheLast(Widths):
    def prepare(self, X, weight):
        CACHE["size"] = self._of_rows(X, weight)
        return self

    def cross(self, part, Z, X):
        return Widths.cross(attrs.evolve(self, _size=CACHE["size"]), part, Z, X)


class PreparesByTheFirstRow(Widths):
    def _of_rows(self, X, weight):
        return CACHE.setdefault(X[0].tobytes(), super()._of_rows(X, weight))


class PreparesByShape(Widths):
    def _of_rows(self, X, weight):
        return CACHE.setdefault(X.shape, super()._of_rows(X, weight))


class PreparesWithoutOptions(Widths):
    def prepare(self, X, weight):
        return CACHE.setdefault((X.tobytes(), weight.tobytes()), super().prepare(X, weight))


class GramsWithoutFields(Widths):
    """Few Grams are kept, so that nothing grows."""

    def gram(self, part, data):
        key = (data.tobytes(), part.atoms.tobytes(), part.weights.tobytes())
        if CACHE.get("key") != key:
            CACHE.update(key=key, gram=self.cross(part, data, data))
        return Dense(CACHE["gram"].copy())


class AmongWithoutWeights(Widths):
    def among(self, part, X):
        def between(rows, columns):
            key = (X.tobytes(), part.atoms.tobytes(), str(rows), str(columns))
            if key not in CACHE:
                CACHE[key] = self.cross(part, X[rows], X[columns])
            return CACHE[key].copy()

        return between


class Coarse(Waves):
    """Peaks between the few points of its grid are passed over."""

    points: ClassVar[int] = 6
    exact: ClassVar[bool] = False

    def best_atoms(self, data, V, query):
        def value(a):
            return float(np.sum((self.columns(np.array([[a]]), data)[0].T @ V) ** 2))

        if not V.any():
            return BestAtoms(np.zeros((1, 1)), np.zeros(1), 0.0, exact=self.exact)
        grid = np.linspace(0.0, self.top, self.points + 1)
        found = [0.0, self.top, *([] if query.near is None else query.near[:, 0])]
        for low, high in itertools.pairwise(grid):
            climbed = minimize_scalar(
                lambda a: -value(a), bounds=(low, high), method="bounded", options={"xatol": 1e-10}
            )
            found.append(float(climbed.x))
        best = max(found, key=value)
        return BestAtoms(np.array([[best]]), np.array([value(best)]), value(best), exact=self.exact)


class SaysItIsExact(Coarse):
    """A good search on these rows, and no proof."""

    points = 30
    exact = True


class DescribesTheFirst(Widths):
    def describe(self, part):
        return f"width {part.atoms[0, 0]:g}"


class DescribesTheLightest(Widths):
    def describe(self, part):
        return f"width {part.atoms[np.argmin(part.weights), 0]:g}"


class DescribesAnother(Widths):
    def label(self, atom):
        return f"width {atom[0]:.1f}"

    def describe(self, part):
        atoms = self.dictionary().atoms[:, 0]
        heaviest = part.atoms[np.argmax(part.weights), 0]
        return f"width {atoms[(np.flatnonzero(atoms == heaviest)[0] + 1) % 3]:.1f}"


@pytest.mark.parametrize(
    ("family", "law", "words"),
    [
        (AppliesById, "array-remembered", "apply must be what the numbers say that are in the array now"),
        (AnswersById, "array-remembered", "best_atoms must be"),
        (PredictsByLength, "array-remembered", "the prediction of rows must be"),
        (SlopesById, "array-remembered", "pullback must be"),
        (KeepsTheLast, "prepare-shared", "holds what it needs in fields"),
        (PreparesByTheFirstRow, "prepare-remembered", "by every row and every weight"),
        (PreparesByShape, "prepare-remembered", "by every row and every weight"),
        (PreparesWithoutOptions, "options-remembered", "another value of unit"),
        (GramsWithoutFields, "prepare-shared", "be found by these fields"),
        (AmongWithoutWeights, "among", "what among returns must be cross"),
        (Coarse(top=60.0), "oracle-peaks", "the search passes over atoms"),
        (SaysItIsExact, "oracle-peaks", "exact=True is false: for rows 64 times as far apart"),
        (DescribesTheFirst, "describe-order", "in another order"),
        (DescribesTheLightest, "describe-atom", "as if the second atom stood alone"),
        (DescribesAnother, "describe-label", "of another atom"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_family_that_mistakes_one_thing_for_another_is_rejected(rejected, family, law, words):
    rejected(judge(family), law, words)


class DependsOnTheOrder(Widths):
    """No cache is to blame."""

    def _of_rows(self, X, weight):
        return float(np.sum((X - X[0]) ** 2))


def test_who_depends_on_the_order_of_rows_is_not_told_of_what_is_remembered():
    broken = broken_laws(judge(DependsOnTheOrder))
    assert "prepare-order" in broken
    assert not {"prepare-remembered", "options-remembered"} & set(broken)


class Turned(Widths):
    def cross(self, part, Z, X):
        return super().cross(part, X, Z)


class Column(Widths):
    def diag(self, part, X):
        return super().diag(part, X)[:, None]


class Wrapped(Widths):
    def cross(self, part, Z, X):
        return Dense(super().cross(part, Z, X))

    def gram(self, part, data):
        return self.cross(part, data, data)


@pytest.mark.parametrize(
    ("family", "told"),
    [
        (Turned, "cross must return an array of shape (n', n) = (5, 17), got shape (17, 5)"),
        (Column, "diag must return an array of shape (n,) = (5,), got shape (5, 1)"),
        (Wrapped, "cross must return an array of shape (n', n) = (5, 17), got Dense"),
    ],
)
def test_an_answer_of_another_shape_is_the_first_thing_that_is_said(family, told):
    assert told in next(verdicts(judge(family))).detail


def test_a_warning_of_a_plugin_says_why_it_is_an_error():
    class Divides(Widths):
        def cross(self, part, Z, X):
            return super().cross(part, Z, X) * (Z - Z).sum() / (X - X).sum()

    assert "the kit takes warnings for errors" in next(verdicts(judge(Divides))).detail


def test_a_sound_family_passes():
    assert broken_laws(judge(Widths)) == {}
