"""The kit must reject a family that is wrong for many outputs or rows, or hands out what it remembers."""

from typing import ClassVar

import attrs
import numpy as np
import pytest
from kernelopt_minimal import Gaussians

from kernelopt.testing import Affine, Columns, Waves, broken_laws, judge


@attrs.frozen
class Listed(Columns):
    def prepare(self, X, weight):
        return type(self)(X.shape[1])


@attrs.frozen
class FormOfFourOutputs(Listed):
    def form(self, data, V):
        return super().form(data, V[:, :4])


@attrs.frozen
class CouplesAHundredRows(Listed):
    def couple(self, data, v):
        return super().couple(data, np.where(np.arange(len(v)) < 100, v, 0.0))


@attrs.frozen
class ImageOfAHundredRows(Affine):
    def prepare(self, X, weight):
        return type(self)(X.shape[1])

    def image_of(self, P, data, V):
        return super().image_of(P, data, np.where(np.arange(len(V))[:, None] < 100, V, 0.0))


@attrs.frozen
class PullbackOfFourOutputs(Waves):
    def pullback(self, part, data, V):
        return super().pullback(part, data, V[:, :4])


@attrs.frozen
class PullbackOfAHundredRows(Waves):
    """In the atoms alone."""

    def pullback(self, part, data, V):
        gradient = super().pullback(part, data, V)
        return attrs.evolve(gradient, atoms=super().pullback(part, data[:100], V[:100]).atoms)


class Memory:
    """The last answer to a question."""

    def __init__(self):
        self.question, self.answer = None, None

    def __call__(self, question, answered):
        if question != self.question:
            self.question, self.answer = question, answered()
        return self.answer


def asked(family, part, *arrays):
    return family, *(array.tobytes() for array in (part.atoms, part.weights, *arrays))


@attrs.frozen
class RemembersCross(Gaussians):
    memory: ClassVar[Memory] = Memory()

    def cross(self, part, Z, X):
        return self.memory(asked(self, part, Z, X), lambda: Gaussians.cross(self, part, Z, X))


@attrs.frozen
class RemembersDiag(Gaussians):
    memory: ClassVar[Memory] = Memory()

    def diag(self, part, X):
        return self.memory(asked(self, part, X), lambda: Gaussians.diag(self, part, X))


@attrs.frozen
class RemembersApply(Gaussians):
    memory: ClassVar[Memory] = Memory()

    def apply(self, part, data, V):
        return self.memory((*asked(self, part, data, V), V.shape), lambda: Gaussians.apply(self, part, data, V))


@attrs.frozen
class LendsCopies(RemembersCross):
    def cross(self, part, Z, X):
        return super().cross(part, Z, X).copy()


@attrs.frozen
class NothingAtOne(Listed):
    """0/0 where V does not vary."""

    def best_atoms(self, data, V, query):
        best = super().best_atoms(data, V, query)
        return attrs.evolve(best, ceiling=np.nan) if np.ptp(V) == 0.0 and V.any() else best


@attrs.frozen
class DrawsFromAGrid(Waves):
    def draw(self, k, rng):
        return np.round(rng.uniform(0.0, self.top, size=(k, 1)), 1)


@attrs.frozen
class ThreeCopiesAtMost(Gaussians):
    def prepare(self, X, weight):
        return super().prepare(X, np.minimum(weight, 3.0))


@pytest.mark.parametrize(
    ("family", "law", "words"),
    [
        (FormOfFourOutputs, "many-outputs", "130 outputs <form(V), parameters>"),
        (CouplesAHundredRows, "many-outputs", "167 rows and 130 outputs what couple applies"),
        (ImageOfAHundredRows, "many-outputs", "130 outputs image_of"),
        (PullbackOfFourOutputs, "many-outputs", "the gradient in the weights"),
        (PullbackOfAHundredRows, "many-outputs", "the gradient in the atoms"),
        (RemembersCross, "answers-shared", "the array that cross returned"),
        (RemembersDiag, "answers-shared", "the array that diag returned"),
        (RemembersApply, "answers-shared", "the array that apply returned"),
        (NothingAtOne, "oracle-finite", "at V = 1 for 17 rows"),
        (DrawsFromAGrid, "draw-distinct", "draw(64, rng)"),
        (ThreeCopiesAtMost, "prepare-copies", "a row of weight 7"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_family_that_is_wrong_for_many_is_rejected(family, law, words, rejected):
    rejected(judge(family), law, words)


def test_a_family_that_lends_copies_passes():
    assert broken_laws(judge(LendsCopies)) == {}
