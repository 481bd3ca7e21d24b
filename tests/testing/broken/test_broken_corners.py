"""The kit must reject a family that is wrong far away, for rare atoms or weights, or for arrays that lie otherwise."""

import attrs
import numpy as np
import pytest
from kernelopt_minimal import Gaussians

from kernelopt.plugin import Part
from kernelopt.testing import Affine, Columns, Waves, broken_laws, judge, verdicts


@attrs.frozen
class DiagNearby(Gaussians):
    def diag(self, part, X):
        return np.where(np.abs(X).max(axis=1) > 9.0, 0.0, super().diag(part, X))


@attrs.frozen
class AlikeFarAway(Gaussians):
    def cross(self, part, Z, X):
        far = np.abs(Z).max(axis=1) > 9.0
        return np.where(far[:, None], part.mass, super().cross(part, Z, X))


@attrs.frozen
class NoPositiveFarAway(Gaussians):
    """Symmetric, and no kernel."""

    def cross(self, part, Z, X):
        far = np.abs(Z).max(axis=1)[:, None], np.abs(X).max(axis=1)
        return np.where(np.maximum(*far) > 9.0, 0.5 * part.mass, super().cross(part, Z, X)) + 0.0

    def diag(self, part, X):
        return np.where(np.abs(X).max(axis=1) > 9.0, 0.5, 1.0) * part.mass


@attrs.frozen
class OverflowsFarAway(Gaussians):
    def cross(self, part, Z, X):
        size = np.exp(np.abs(Z).max(axis=1))
        return super().cross(part, Z, X) * (size / size)[:, None]


@attrs.frozen
class TopIsLessInPredictions(Waves):
    def cross(self, part, Z, X):
        weights = np.where(part.atoms[:, 0] >= self.top, 0.9, 1.0) * part.weights
        return super().cross(Part(part.atoms, weights), Z, X)


@attrs.frozen
class ManyWidths(Gaussians):
    """One of forty is another kernel in predictions."""

    widths: tuple[float, ...] = attrs.field(
        default=tuple(0.1 * k for k in range(1, 41)), validator=Gaussians.__attrs_attrs__[0].validator
    )

    def cross(self, part, Z, X):
        weights = np.where(part.atoms[:, 0] == self.widths[36], 0.5, 1.0) * part.weights
        return super().cross(Part(part.atoms, weights), Z, X)


@attrs.frozen
class LosesLittle(Gaussians):
    def _mixed(self, part, squared):
        kept = part.weights > 1e-6
        return super()._mixed(Part(part.atoms[kept], part.weights[kept]), squared)


@attrs.frozen
class TenAtMost(Gaussians):
    def _mixed(self, part, squared):
        return super()._mixed(Part(part.atoms, np.minimum(part.weights, 10.0)), squared)

    def diag(self, part, X):
        return np.full(len(X), np.minimum(part.weights, 10.0).sum())


@attrs.frozen
class SharesOfNothing(Gaussians):
    """0/0 where a family has no share in the best kernel."""

    def diag(self, part, X):
        return np.full(len(X), part.mass * (part.weights / part.mass).sum())


@attrs.frozen
class ReadsMemory(Gaussians):
    def cross(self, part, Z, X):
        return super().cross(part, Z.ravel(order="K").reshape(Z.shape), X)


@attrs.frozen
class ReadsMemoryOfV(Affine):
    def prepare(self, X, weight):
        return type(self)(X.shape[1])

    def best_atoms(self, data, V, query):
        return super().best_atoms(data, V.ravel(order="K").reshape(V.shape), query)


@attrs.frozen
class AsksForTheOrderOfC(Gaussians):
    def cross(self, part, Z, X):
        assert Z.flags.c_contiguous
        return super().cross(part, Z, X)


@attrs.frozen
class WritesForAMoment(Columns):
    def prepare(self, X, weight):
        return type(self)(X.shape[1])

    def best_atoms(self, data, V, query):
        V *= 2.0
        best = super().best_atoms(data, V, query)
        V /= 2.0
        return attrs.evolve(best, values=best.values / 4.0, ceiling=best.ceiling / 4.0)


@attrs.frozen
class AroundARow(Gaussians):
    """Fades away from the training row that is nearest to 0, which is a view of all of them."""

    _middle: np.ndarray | None = attrs.field(default=None, alias="_middle", repr=False, eq=False)

    def prepare(self, X, weight):
        size = np.where(weight > 0.0, np.sum(X * X, axis=1), np.inf)
        return attrs.evolve(super().prepare(X, weight), _middle=self.kept(X[int(np.argmin(size))]))

    def kept(self, row):
        return row

    def fade(self, X):
        return np.exp(-np.sum((X - self._middle) ** 2, axis=1) / 50.0)

    def bind(self, X):
        return super().bind(X), X

    def bind_bytes(self, n, d):
        return 8 * n * (n + d)

    def gram(self, part, data):
        faded = self.fade(data[1])
        return type(super().gram(part, data[0]))(super().gram(part, data[0]).dense() * np.outer(faded, faded))

    def cross(self, part, Z, X):
        return super().cross(part, Z, X) * np.outer(self.fade(Z), self.fade(X))

    def diag(self, part, X):
        return part.mass * self.fade(X) ** 2


@attrs.frozen
class AroundACopy(AroundARow):
    def kept(self, row):
        return row.copy()


@attrs.frozen
class FourOutputs(Columns):
    def prepare(self, X, weight):
        return type(self)(X.shape[1])

    def best_atoms(self, data, V, query):
        return super().best_atoms(data, V[:, :4], query)


@attrs.frozen
class FourColumnsOfApply(FourOutputs):
    def best_atoms(self, data, V, query):
        return Columns.best_atoms(self, data, V, query)

    def apply(self, part, data, V):
        return super().apply(part, data, np.where(np.arange(V.shape[1]) < 4, V, 0.0))


@attrs.frozen
class LowCeilingOfManyRows(Gaussians):
    def best_atoms(self, data, V, query):
        best = super().best_atoms(data, V, query)
        return best if len(V) < 30 else attrs.evolve(best, ceiling=0.9 * best.ceiling)


@attrs.frozen
class FunctionOfAHundredRows(Gaussians):
    def function(self, part, X, V):
        return lambda Z: self.cross(part, Z, X[:100]) @ V[:100]


@attrs.frozen
class FunctionAtAHundredRows(Gaussians):
    def function(self, part, X, V):
        return lambda Z: np.where(np.arange(len(Z))[:, None] < 100, self.cross(part, Z, X) @ V, 0.0)


@attrs.frozen
class FourBest(Gaussians):
    def best_atoms(self, data, V, query):
        assert query.k <= 4
        return super().best_atoms(data, V, query)


@attrs.frozen
class TwoLinesOfNote(Gaussians):
    def best_atoms(self, data, V, query):
        return attrs.evolve(super().best_atoms(data, V, query), note="found\nat once")


@attrs.frozen
class NamesTheSecond(Gaussians):
    def describe(self, part):
        return f"mostly {part.atoms[np.argsort(-part.weights)[1], 0]:g}"


@attrs.frozen
class SortsInWords(Gaussians):
    def describe(self, part):
        part.weights.sort()
        return f"up to {part.weights[-1]:.2f}"


@attrs.frozen
class NamedInReverse(Gaussians):
    def named(self, columns):
        return attrs.evolve(self, widths=self.widths[::-1])


@attrs.frozen
class AnyAtom(Gaussians):
    def stranger(self, atoms):
        return None


@attrs.frozen
class AnyVector(Affine):
    def prepare(self, X, weight):
        return type(self)(X.shape[1])

    def stranger(self, atoms):
        return None


@attrs.frozen
class FirstAtomAlone(Gaussians):
    def stranger(self, atoms):
        return super().stranger(atoms[:1])


@attrs.frozen
class FailsOnLargeAtoms(Waves):
    def stranger(self, atoms):
        if np.any(atoms > 1e6):
            raise OverflowError("int too large")
        return super().stranger(atoms)


@attrs.frozen
class NoConstantColumn(Gaussians):
    def prepare(self, X, weight):
        spans = np.ptp(X[weight > 0.0], axis=0)
        return attrs.evolve(super().prepare(X, weight), _size=float(1.0 / np.sum(1.0 / spans)))


@attrs.frozen
class ListOfNumbers(Gaussians):
    def apply(self, part, data, V):
        return super().apply(part, data, V).tolist()


@attrs.frozen
class AsksForOtherRows(Gaussians):
    def caution(self, Z):
        return "the second row is 0" if not Z[1].any() else None


@pytest.mark.parametrize(
    ("family", "law", "words"),
    [
        (DiagNearby, "far-rows", "diag of rows 10 times as long"),
        (AlikeFarAway, "far-rows", "cross of rows 10 times as long as new rows, and of training rows, must be symm"),
        (NoPositiveFarAway, "far-rows", "must be positive semidefinite"),
        (OverflowsFarAway, "far-rows", "NaN"),
        (TopIsLessInPredictions, "each-atom", "for the atom [3.0] alone cross"),
        (ManyWidths, "each-atom", "for the atom [3.7] alone cross"),
        (LosesLittle, "weights-size", "leave out no small weights"),
        (TenAtMost, "weights-size", "1e+09 times as large"),
        (ReadsMemory, "layout", "cross must give the same"),
        (ReadsMemoryOfV, "layout", "best_atoms must give the same"),
        (AsksForTheOrderOfC, "layout", "do not ask for rows in the order of C"),
        (WritesForAMoment, "layout", "write into arrays of your own"),
        (AroundARow, "rows-viewed", "let prepare store a copy"),
        (FourOutputs, "oracle-outputs", "here 130"),
        (FourColumnsOfApply, "apply", "shape (17, 130)"),
        (LowCeilingOfManyRows, "repeated-rows", "here for 340 rows"),
        (FunctionOfAHundredRows, "many-rows", "with 317 rows function"),
        (FunctionAtAHundredRows, "many-rows", "with 317 rows function"),
        (TwoLinesOfNote, "oracle-note", "one line of text"),
        (SortsInWords, "inputs-untouched", "describe must leave its inputs"),
        (NamedInReverse, "named", "and their order"),
        (AnyAtom, "stranger", "which is no atom of the family"),
        (AnyVector, "stranger", "which is no atom of the family"),
        (FirstAtomAlone, "stranger", "which is no atom of the family"),
        (FailsOnLargeAtoms, "stranger", "got OverflowError: int too large"),
        (NoConstantColumn, "few-rows", "where a column is constant in training, and seeing returns None"),
        (ListOfNumbers, "float64", "apply must be a numpy array, got list"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_family_that_is_wrong_in_a_corner_is_rejected(family, law, words, rejected):
    rejected(judge(family), law, words)


@pytest.mark.parametrize(
    ("family", "test"),
    [
        (FourBest, "test_oracle_values_are_those_of_its_atoms"),
        (SharesOfNothing, "test_weights_may_be_of_any_size"),
        (NamesTheSecond, "test_family_describes_itself"),
        (AsksForOtherRows, "test_caution_is_a_sentence_or_none"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_family_that_fails_in_a_corner_is_rejected(family, test):
    (said,) = verdicts(judge(family), [test])
    assert (said.outcome, said.law) == ("failed", test)
    assert "test_broken_corners.py, line" in said.detail


@pytest.mark.parametrize("family", [AroundACopy, Gaussians])
def test_a_sound_family_passes(family):
    assert broken_laws(judge(family)) == {}
