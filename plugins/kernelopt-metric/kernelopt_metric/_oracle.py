"""The best metrics that a search finds: the best of many starts climb."""

from collections.abc import Callable

import attrs
import numpy as np

from kernelopt.plugin import FloatArray
from kernelopt_metric._climb import Free, climbed
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


def ask(
    landscape: Landscape,
    candidates: FloatArray,
    drawn: FloatArray,
    starts: int,
    most: int,
    free: Free,
    stop: Callable[[], bool] = bool,
) -> Answer:
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
        free: what of an atom moves in a climb.
        stop: whether no further climb may begin.
    """
    values = landscape.values(candidates)
    order = np.argsort(-values, kind="stable")
    first = candidates[_different(landscape.layout, candidates, order, starts)]
    ends = candidates[:0]
    for atom in np.vstack([first, drawn]):
        if stop():
            break
        ends = np.vstack([ends, climbed(landscape, atom, free)])
    atoms = np.vstack([candidates, ends])
    values = np.append(values, landscape.values(ends))
    best = _different(landscape.layout, atoms, np.argsort(-values, kind="stable"), most)
    note = f"metric: the best of {len(candidates)} metrics and of {len(ends)} climbs"
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
