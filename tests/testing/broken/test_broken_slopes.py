"""The kit must reject a family whose gradient is wrong for some of its atoms, or for atoms without weight."""

import attrs
import numpy as np
import pytest

from kernelopt.plugin import Gradient
from kernelopt.testing import Waves, judge


@attrs.frozen
class WrongAtLargeAtoms(Waves):
    """By one per cent, for a tenth of all atoms."""

    def pullback(self, part, data, V):
        found = super().pullback(part, data, V)
        return Gradient(np.where(part.atoms > 0.9 * self.top, 1.01, 1.0) * found.atoms, found.weights)


@attrs.frozen
class NothingAtNoWeight(Waves):
    """An atom that has no weight yet would never get one."""

    def pullback(self, part, data, V):
        found = super().pullback(part, data, V)
        return Gradient(found.atoms, np.where(part.weights > 0.0, found.weights, 0.0))


@attrs.frozen
class SlopeWithoutWeight(Waves):
    """Of atoms that have no weight, whose slope is 0."""

    def pullback(self, part, data, V):
        found = super().pullback(part, data, V)
        whole = super().pullback(attrs.evolve(part, weights=np.ones(len(part))), data, V)
        return Gradient(np.where(part.weights[:, None] > 0.0, found.atoms, whole.atoms), found.weights)


@pytest.mark.parametrize(
    ("family", "words"),
    [
        (WrongAtLargeAtoms, "gradient in the atoms"),
        (NothingAtNoWeight, "gradient in the weights"),
        (SlopeWithoutWeight, "gradient in the atoms"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_family_with_a_gradient_that_is_wrong_at_some_atoms_is_rejected(family, words, rejected):
    assert "at the atom" in rejected(judge(family), "smooth-every", words)
