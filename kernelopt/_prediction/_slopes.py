"""How steeply a function rises along each column, by differences, so that a function of any family can be asked."""

from collections.abc import Iterator

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._base.tables._encoding import is_category
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families.dictionary.columns._further_columns import FEW
from kernelopt._linalg._gram import ROW_BLOCK
from kernelopt._prediction._predictor import Predictor
from kernelopt._prediction._swaps import Swaps

_DECISIONS = 20_000
"""What the differences may cost, about: it is a matter of seconds for every family."""
_STEP = 0.1
"""Of a difference, in deviations of the column: small beside what kernels resolve, and large beside rounding."""
_ROUNDING = 1e-13
"""A change of a decision that is none, as a share of the sizes that add up to it: some hundreds of their last bits."""


@attrs.frozen(eq=False)
class Moves:
    """Where rows go along one column.

    Attributes:
        column: its number.
        at, down, up: its values at the rows, and those to go to, shape (m,); one that cannot be left is stayed at.
        deviation: of the column, > 0.
        leaps: whether from value to value, each way by itself; else up and down are one step around the row.
    """

    column: int
    at: FloatArray
    down: FloatArray
    up: FloatArray
    deviation: float
    leaps: bool

    def rows(self, X: FloatArray) -> FloatArray:
        """Rows X (m, d) moved down, and then up, shape (2 m, d)."""
        moved = np.concatenate([X, X])
        moved[:, self.column] = np.concatenate([self.down, self.up])
        return moved

    def slopes(self, values: FloatArray, down: FloatArray, up: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The mean of the slopes down and up, and half their difference, (m, c) each, of a function's values there."""
        if not self.leaps:
            return self._slope(up - down, self.up - self.down), np.zeros_like(up)
        fall, rise = self._slope(values - down, self.at - self.down), self._slope(up - values, self.up - self.at)
        fall = np.where((self.down < self.at)[:, None], fall, rise)
        rise = np.where((self.up > self.at)[:, None], rise, fall)
        return 0.5 * (rise + fall), 0.5 * (rise - fall)

    def _slope(self, change: FloatArray, distance: FloatArray) -> FloatArray:
        """A change by the distance in deviations; 0 where there is no distance."""
        far = (distance / self.deviation)[:, None]
        return np.asarray(np.divide(change, far, out=np.zeros_like(change), where=far > 0.0))


def root_of_slopes(machine: Predictor, X: FloatArray) -> FloatArray:
    """J, shape (q, d), with J'J a multiple of G = mean over rows of sum_c grad f_c grad f_c'.

    Columns are in units of their standard deviations over rows X, and a constant one has slope 0. A step is a tenth of
    a deviation to both sides, within the range of the column. A column of few values goes to the value above or the one
    below, with equal odds where there are both, and one of categories to another of these: G is the expectation.

    Args:
        machine: of which the decision function f is asked.
        X: rows, shape (n, d); of many some are asked, evenly chosen.
    """
    varying = [j for j in range(X.shape[1]) if _varies(X[:, j], machine, j)]
    most = max(_DECISIONS // (1 + 2 * len(varying)), 1)
    chosen = np.linspace(0, len(X) - 1, min(len(X), most), dtype=np.intp)
    rows = X[chosen]
    values, rounding = _outputs(machine, rows), _ROUNDING * _size(machine, rows)
    moves = [_moves_of(machine, X[:, j], chosen, j) for j in varying]
    slopes, spreads = np.zeros((*values.shape, X.shape[1])), np.zeros(X.shape[1])
    for move, ends in zip(moves, _at_the_ends(machine, moves, rows), strict=True):
        down, up = (np.where(np.abs(end - values) <= rounding, values, end) for end in np.split(ends, 2))
        slopes[..., move.column], spread = move.slopes(values, down, up)
        spreads[move.column] = np.linalg.norm(spread)
    both = np.flatnonzero(spreads)
    own = np.zeros((len(both), X.shape[1]))
    own[np.arange(len(both)), both] = spreads[both]
    return np.concatenate([slopes.reshape(-1, X.shape[1]), own])


def _varies(values: FloatArray, machine: Predictor, column: int) -> bool:
    """Whether there is more than one value in a column (n,), or a gap counts as one, as among categories."""
    known = values[~np.isnan(values)]
    gap = len(known) < len(values) and is_category(machine.kernel.encoding, column)
    return len(np.unique(known)) + gap > 1


def _moves_of(machine: Predictor, values: FloatArray, chosen: IntArray, column: int) -> Moves | Swaps:
    """Those of a column with values (n,), of which some rows are chosen (m,)."""
    encoding = machine.kernel.encoding
    if encoding is not None and encoding.labels[column] is not None:
        return Swaps.of(encoding, values, chosen, column)
    return _moves(values, chosen, column)


def _moves(values: FloatArray, chosen: IntArray, column: int) -> Moves:
    """Those of a column of numbers (n,), of which some rows are chosen (m,); one that is missing stays so."""
    present = values[~np.isnan(values)]
    distinct = np.unique(present)
    low, high = distinct[0], distinct[-1]
    deviation = float((high - low) * np.std((present - low) / (high - low)))
    at = values[chosen]
    if len(distinct) > FEW:
        step = _STEP * deviation
        down, up = np.maximum(at - step, low), np.minimum(at + step, high)
        return Moves(column, at, down, up, deviation, leaps=False)
    place = np.searchsorted(distinct, at)
    down, up = distinct[np.maximum(place - 1, 0)], distinct[np.minimum(place + 1, len(distinct) - 1)]
    down, up = (np.where(np.isnan(at), np.nan, one) for one in (down, up))
    return Moves(column, at, down, up, deviation, leaps=True)


def _at_the_ends(machine: Predictor, moves: list[Moves | Swaps], rows: FloatArray) -> Iterator[FloatArray]:
    """The decisions after each of the moves, down and then up, (2 m, c); as many moves at once as fill a block."""
    together = max(ROW_BLOCK // (2 * len(rows)), 1)
    for start in range(0, len(moves), together):
        some = moves[start : start + together]
        values = _outputs(machine, np.concatenate([move.rows(rows) for move in some]))
        yield from np.split(values, len(some))


def _outputs(machine: Predictor, rows: FloatArray) -> FloatArray:
    """The decisions, with a column for each output."""
    return machine.decision_function(rows).reshape(len(rows), -1)


def _size(machine: Predictor, rows: FloatArray) -> float:
    """The largest sum of sizes |k(z, x_i) v_i| or |phi(z) u|, and |b|, which makes a decision at rows (m, d)."""
    if machine.multiples is not None:
        return max(_size(machine.alone(c), rows) for c in range(len(machine.intercept)))
    kernel = machine.kernel
    sizes = np.zeros((len(rows), len(machine.intercept)))
    for leaf, part, u in zip(kernel.leaves, kernel.mixture.parts, machine.features, strict=True):
        for start in range(0, len(rows), ROW_BLOCK):
            block = slice(start, start + ROW_BLOCK)
            seen = leaf.view(rows[block])
            if u is not None and len(u):
                assert isinstance(leaf.family, ExplicitFamily)
                sizes[block] += np.abs(leaf.family.columns(part.atoms, seen)[0]) @ np.abs(u)
            elif u is None and part.mass > 0.0 and len(machine.support_vectors):
                cross = leaf.factor * leaf.family.cross(part, seen, leaf.view(machine.support_vectors))
                sizes[block] += np.abs(cross) @ np.abs(machine.dual_coef)
    return float((sizes + np.abs(machine.intercept)).max())
