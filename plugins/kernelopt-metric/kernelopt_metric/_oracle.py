"""The best metrics that a search finds: the best of many starts climb."""

import math

import attrs
import numpy as np
from scipy.optimize import minimize

from kernelopt.plugin import FloatArray
from kernelopt_metric._layout import Layout
from kernelopt_metric._metric_objective import Landscape

_ALIKE = 1e-3
"""Metrics that differ by less than this share of the larger one climbed to the same place."""


@attrs.frozen(eq=False)
class Answer:
    """What a search found.

    Attributes:
        atoms: no two alike, shape (m, p), best first, m >= 1.
        values: shape (m,).
        note: how it was found.
    """

    atoms: FloatArray
    values: FloatArray
    note: str


def ask(landscape: Landscape, candidates: FloatArray, drawn: FloatArray, starts: int, most: int) -> Answer:
    """The best metrics of a landscape.

        judge    all candidates and all that are drawn
        climb    from the best candidates, from as many drawn ones
        return   the best of all

    Args:
        landscape: of V that is not 0.
        candidates: shape (m, p), m >= 1.
        drawn: shape (starts, p): more of them contain the fewer.
        starts: how many of each climb.
        most: how many atoms are wanted.
    """
    values = landscape.values(candidates)
    order = np.argsort(-values, kind="stable")
    first = candidates[_different(landscape.layout, candidates, order, starts)]
    climbed = np.array([_climbed(landscape, atom) for atom in np.vstack([first, drawn])])
    atoms = np.vstack([candidates, climbed])
    values = np.append(values, landscape.values(climbed))
    best = _different(landscape.layout, atoms, np.argsort(-values, kind="stable"), most)
    note = f"metric: the best of {len(candidates)} metrics and of {len(climbed)} climbs"
    return Answer(atoms[best], values[best], note)


def _different(layout: Layout, atoms: FloatArray, order: np.ndarray, most: int) -> list[int]:
    """The first places of an order, no two of which hold one metric: R and R Q are one for every rotation Q."""
    norms = layout.norms(atoms)
    kept: list[int] = []
    for a in order:
        if len(kept) == most:
            break
        between = norms[a] + norms[kept] - 2.0 * layout.overlaps(atoms[a][None], atoms[kept])[0]
        if (between > _ALIKE**2 * np.maximum(norms[a], norms[kept])).all():
            kept.append(int(a))
    return kept


def _climbed(landscape: Landscape, atom: FloatArray) -> FloatArray:
    """An atom moved uphill on the logarithm of its value; itself where it has none."""

    def loss(x: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = landscape.gradient(x)
        if not value > 0.0:
            return math.inf, np.zeros_like(x)
        return -math.log(value), -gradient / value

    if not math.isfinite(loss(atom)[0]):
        return atom
    return np.asarray(minimize(loss, atom, jac=True, method="L-BFGS-B").x)
