"""A look at all atoms of all lists, streamed or not: the derivatives in all of their weights, and who would enter."""

import attrs
import numpy as np

from kernelopt._evidence._lists import Slopes, listed, slopes_of, split, weights
from kernelopt._evidence._newton import FIRST, scored
from kernelopt._evidence._own import own_price
from kernelopt._families import Streamed
from kernelopt._finite import FiniteFamily
from kernelopt._gram import Gram
from kernelopt._mixture import Mixture
from kernelopt._problem import Problem
from kernelopt._typing import FloatArray


@attrs.frozen(eq=False)
class Survey:
    """What a look at all atoms found at a kernel.

    Attributes:
        slopes: there, of all atoms.
        values: sum_c V_c'K_a V_c at another dual point, shape (m,).
    """

    slopes: Slopes
    values: FloatArray

    def entering(self, problem: Problem, mixture: Mixture) -> tuple[FloatArray, ...]:
        """The atoms of each leaf to which the model of the evidence gives weight: with their rivals it sees their
        share, where each atom's own excess over its price would bring all that are alike.
        """
        w, _ = scored(weights(problem, mixture), self.slopes, FIRST)
        pieces = zip(problem.leaves, split(problem, w), strict=True)
        return tuple(listed(leaf).dictionary().atoms[piece > 0.0] for leaf, piece in pieces)


def surveyed(problem: Problem, V: FloatArray, near: FloatArray, omega: Gram) -> Survey | None:
    """At a kernel with V = K^-1 Y (n, c), Omega = K^-1, values at `near` (n, c); None where not all are lists."""
    if not all(isinstance(leaf.family, FiniteFamily) for leaf in problem.leaves):
        return None
    images: list[FloatArray] = []
    values: list[FloatArray] = []
    traces: list[FloatArray] = []
    for leaf, data in zip(problem.leaves, problem.data, strict=True):
        family = listed(leaf)
        if isinstance(family, Streamed):
            found = data.surveyed(V, near, omega)
        else:
            found = family.columns_of(data, V), family.values_of(data, near), family.traces(data, omega)
        for known, one in zip((images, values, traces), found, strict=True):
            known.append(leaf.factor * one)
    slopes = slopes_of(np.concatenate(images), np.concatenate(traces), V, omega)
    slopes = attrs.evolve(slopes, own=own_price(problem))
    return Survey(slopes, np.concatenate(values))
