"""The kit must reject a family that keeps too much, computes too few digits, or says of itself what is not so."""

from typing import ClassVar

import attrs
import numpy as np
import pytest
from scipy.spatial.distance import cdist

from kernelopt.plugin import BestAtoms, Dense, FiniteFamily, KernelFamily, Part
from kernelopt.testing import Waves, broken_laws, judge


@attrs.frozen
class Wide(FiniteFamily):
    """exp(-r |x - z|^2) of three r."""

    name: ClassVar[str] = "wide"

    rates: ClassVar[tuple[float, ...]] = (0.1, 0.5, 2.0)

    def bind(self, X):
        return cdist(X, X, "sqeuclidean")

    def bind_bytes(self, n, d):
        return 8 * n * n

    def dictionary(self):
        return Part(np.array(self.rates)[:, None], np.full(3, 1.0 / 3.0))

    def diag(self, part, X):
        return np.full(len(X), part.mass)

    def gram(self, part, data):
        return Dense(self._mixed(part, data))

    def cross(self, part, Z, X):
        return self._mixed(part, cdist(Z, X, "sqeuclidean"))

    def _mixed(self, part, squared):
        pairs = zip(part.atoms[:, 0], part.weights, strict=True)
        return sum((w * np.exp(-r * squared) for r, w in pairs), np.zeros_like(squared))


class SingleInside(Wide):
    """Distances of seven digits in gram and in cross, so that both agree."""

    def _mixed(self, part, squared):
        return super()._mixed(part, squared.astype(np.float32).astype(np.float64))


@attrs.frozen
class KeepsRows(Wide):
    _rows: np.ndarray | None = attrs.field(default=None, alias="_rows", repr=False, eq=False)

    def prepare(self, X, weight):
        return attrs.evolve(self, _rows=X.copy())


class KeepsEveryGram(Wide):
    """What bind returns remembers every Gram that was asked for."""

    def bind(self, X):
        return {"squared": super().bind(X)}

    def gram(self, part, data):
        key = (part.atoms.tobytes(), part.weights.tobytes())
        if key not in data:
            data[key] = self._mixed(part, data["squared"])
        return Dense(data[key].copy())


class SaysItGrows(Wide):
    def boundless(self, part):
        return True


class LosesSmallWeights(Wide):
    def compact(self, part):
        kept = part.weights > 1e-4
        return self, Part(part.atoms[kept], part.weights[kept])


class DrawsTheSame(Waves):
    def draw(self, k, rng):
        return np.linspace(0.0, self.top, k)[:, None]


class KnowsNoStrangers(Waves):
    def stranger(self, atoms):
        return None


class SaysItTurns(Waves):
    """Waves look at the first column."""

    def turned(self, width):
        return self


class TurnsButForFewAtoms(Waves):
    """cos(a (|x| - |z|)), which sees no axes, but for small a, where it looks at the first column."""

    def columns(self, atoms, X):
        long = np.linalg.norm(X, axis=1)[:, None]
        phase = np.where(atoms[:, 0] > 1.2, long, X[:, :1]) * atoms[:, 0]
        features = np.stack([np.cos(phase), np.sin(phase)], axis=2).reshape(len(X), 2 * len(atoms))
        return features, np.repeat(np.arange(len(atoms)), 2)

    def turned(self, width):
        return self


@attrs.frozen
class ProvesAGrid(KernelFamily):
    """(t x'z / 3 + 1 - t)^3, 0 <= t <= 1: the best of a grid is said to be the best of all."""

    name: ClassVar[str] = "cubes"

    def bind(self, X):
        return X @ X.T / 3.0

    def bind_bytes(self, n, d):
        return 8 * n * n

    def center(self):
        return Part(np.full((1, 1), 0.5), np.ones(1))

    def draw(self, k, rng):
        return rng.uniform(size=(k, 1))

    def best_atoms(self, data, V, query):
        grid = np.linspace(0.0, 1.0, 601)
        values = np.array([np.vdot(V, (t * data + 1.0 - t) ** 3 @ V) for t in grid])
        best = np.argsort(-values, kind="stable")[: query.k]
        return BestAtoms(grid[best, None], values[best], float(values.max()), exact=True)

    def gram(self, part, data):
        return Dense(self._mixed(part, data))

    def cross(self, part, Z, X):
        return self._mixed(part, Z @ X.T / 3.0)

    def diag(self, part, X):
        return self._mixed(part, np.sum(X * X, axis=1) / 3.0)

    def boundless(self, part):
        return bool(part.atoms.any())

    def _mixed(self, part, products):
        pairs = zip(part.atoms[:, 0], part.weights, strict=True)
        return sum((w * (t * products + 1.0 - t) ** 3 for t, w in pairs), np.zeros_like(products))


class StatesTooMuch(Wide):
    def bind_bytes(self, n, d):
        return 8000 * n * n


class IndefiniteAlone(Wide):
    """One kernel is not positive semidefinite, and every mixture with the others is."""

    def _mixed(self, part, squared):
        wide = part.weights[part.atoms[:, 0] == 0.1].sum()
        return super()._mixed(part, squared) - 0.03 * wide * (squared > 3.0)


class WrongInLaterRows(Wide):
    """The rows of a later block are lost."""

    def cross(self, part, Z, X):
        K = super().cross(part, Z, X)
        K[128:] *= len(Z) == len(X)
        return K


class WrongInLaterRowsOfGram(Wide):
    """The diagonal of a later block is lost."""

    def gram(self, part, data):
        K = self._mixed(part, data)
        K[128:, 128:] *= 1.0 - np.eye(len(K))[128:, 128:]
        return Dense(K)


@pytest.mark.parametrize(
    ("family", "law", "words"),
    [
        (SingleInside, "float64", "something on the way is float32"),
        (KeepsRows, "fields", "let bind return"),
        (KeepsEveryGram, "keeps", "each call of gram"),
        (SaysItGrows, "boundless", "return False"),
        (LosesSmallWeights, "compact", "small weights"),
        (DrawsTheSame, "draw-random", "draw them by rng"),
        (KnowsNoStrangers, "stranger", "lies outside atom_bounds, from [0.0] to [3.0]"),
        (SaysItTurns, "turned", "return None from turned"),
        (TurnsButForFewAtoms, "turned", "return None from turned"),
        (ProvesAGrid, "oracle-judged", "of one of 1000 random atoms"),
        (StatesTooMuch, "bind-bytes", "runs would be refused"),
        (IndefiniteAlone, "gram-positive", "the Gram of the atom [0.1]"),
        (WrongInLaterRows, "many-rows", "new rows"),
        (WrongInLaterRowsOfGram, "many-rows", "with 317 rows the Gram must be cross"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_family_that_holds_or_says_too_much_is_rejected(family, law, words, rejected):
    rejected(judge(family), law, words)


def test_a_sound_family_passes():
    assert broken_laws(judge(Wide)) == {}
