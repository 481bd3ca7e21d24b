"""The answer to a query: search, and prove where that is asked for and affordable."""

from typing import Self

import attrs
import numpy as np

from kernelopt.plugin import FloatArray
from kernelopt_cosine._branch_and_bound import first_cells, prove
from kernelopt_cosine._frequency_objective import Landscape
from kernelopt_cosine._local_maxima import Peaks
from kernelopt_cosine._multistart import Found, Plan, climb, radius_of, search


@attrs.frozen(eq=False)
class Answer:
    """The best frequencies, in the landscape's units.

    Attributes:
        frequencies: shape (m, d), best first, m >= 1.
        values: shape (m,).
        ceiling: no frequency has a larger value, if `exact`; else the largest value found.
        exact: whether that is proved.
        note: how it was found.
    """

    frequencies: FloatArray
    values: FloatArray
    ceiling: float
    exact: bool
    note: str

    @classmethod
    def of(cls, peaks: Peaks, ceiling: float, note: str, *, exact: bool) -> Self:
        """The peaks that are above rounding."""
        peaks = peaks.above_rounding()
        return cls(peaks.frequencies, peaks.values, ceiling, exact, note)


def ask(landscape: Landscape, near: FloatArray, above: float, plan: Plan, most: float) -> Answer:
    """The best frequencies of a landscape.

    Args:
        landscape: normalised.
        near: frequencies to start from too, shape (m, d).
        above: only values above are of interest.
        plan: how long to search.
        most: how many times a row may meet a cell of a proof; 0 for no proof.
    """
    if landscape.is_flat:
        zero = np.zeros((1, landscape.rows.shape[1]))
        values = landscape.values(zero)
        return Answer(zero, values, float(values[0]), exact=True, note="")
    found = search(landscape, near, above, plan)
    if most > 0.0:
        proved = _proved(landscape, found, above, most)
        if proved is not None:
            return proved
    return Answer.of(found.peaks, found.peaks.best, _note(found.peaks, f"{found.starts} starts"), exact=False)


def _proved(landscape: Landscape, found: Found, above: float, most: float) -> Answer | None:
    """The answer with a proved ceiling, or None where that would cost more than `most`.

    Where the proof finds a frequency that is better than all peaks, it becomes one, and the proof begins anew.
    """
    peaks, radius = found.peaks, found.radius
    while first_cells(landscape, radius) * len(landscape.rows) <= most:
        proof = prove(landscape, peaks.best, above, radius, most)
        if proof is None:
            return None
        if proof.better is None:
            note = _note(peaks, f"{found.starts} starts, proved by {proof.cells} cells")
            return Answer.of(peaks, proof.ceiling, note, exact=True)
        start = proof.better[None]
        both = np.vstack([start, climb(landscape, start)])
        peaks = peaks.merged(both, landscape.values(both))
        radius = radius_of(landscape, max(peaks.best, above))
    return None


def _note(peaks: Peaks, effort: str) -> str:
    return f"cosine: {effort}, {len(peaks)} maxima, {peaks.ratio()}"
