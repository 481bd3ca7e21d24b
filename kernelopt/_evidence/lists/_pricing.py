"""A look at all atoms of all lists, streamed or not: the derivatives in all of their weights, and who would enter."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._evidence.lists._hyperprior import own_price
from kernelopt._evidence.lists._list_likelihood import Slopes, listed, looked, slopes_of, split, weights
from kernelopt._evidence.lists._scoring_step import FIRST, scored
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._mixture import Mixture
from kernelopt._linalg._gram import Gram
from kernelopt._saddle._problem import Problem


def surveyed(problem: Problem, V: FloatArray, omega: Gram) -> Slopes | None:
    """The derivatives at a kernel with V = K^-1 Y (n, c), Omega = K^-1; None where not all families are lists."""
    if not all(isinstance(leaf.family, FiniteFamily) for leaf in problem.leaves):
        return None
    images: list[FloatArray] = []
    traces: list[FloatArray] = []
    for leaf, data in zip(problem.leaves, problem.data, strict=True):
        for known, one in zip((images, traces), looked(listed(leaf), data, V, omega), strict=True):
            known.append(leaf.factor * one)
    slopes = slopes_of(np.concatenate(images), np.concatenate(traces), V, omega)
    return attrs.evolve(slopes, own=own_price(problem))


def imaged(problem: Problem, V: FloatArray) -> FloatArray:
    """K_a V for every atom of lists, shape (m, n, c)."""
    pairs = zip(problem.leaves, problem.data, strict=True)
    return np.concatenate([leaf.factor * listed(leaf).columns_of(data, V) for leaf, data in pairs])


def entering(problem: Problem, mixture: Mixture, slopes: Slopes) -> tuple[FloatArray, ...]:
    """The atoms of each leaf to which the model of the evidence gives weight.

    With their rivals it sees their share, where each atom's own excess over its price would bring all that are alike.
    """
    w, _ = scored(weights(problem, mixture), slopes, FIRST)
    pieces = zip(problem.leaves, split(problem, w), strict=True)
    return tuple(listed(leaf).dictionary().atoms[piece > 0.0] for leaf, piece in pieces)
