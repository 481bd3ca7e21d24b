"""What predicts classes on features of many rows: the logistic mode in as many numbers as there are features, and how
probable classes are by the numbers -1 and 1, of rows that were left out.
"""

import math
from collections.abc import Callable

import attrs
import numpy as np
from scipy.linalg import cho_solve, cholesky
from scipy.special import expit

from kernelopt._base._typing import FloatArray
from kernelopt._evidence._summed_mean import SummedMean
from kernelopt._evidence.classes._laplace import Classes
from kernelopt._evidence.classes._shares import shares_from
from kernelopt._families.features._feature_rows import FeatureMap, HeldRows
from kernelopt._linalg._gram import LowRank
from kernelopt._prediction._odds import Shares
from kernelopt._rows._coded import Block, CodedRows

_ROWS = 500
"""The scale is learned on so many rows at most, as it is with fewer rows. Worth: `constants.py laplace.rows`."""
_LOOKED_AT = 4000
"""Rows that are left out, one at a time, at most: two numbers come of them."""
_NEWTON = 50
"""So many passes at most, which rounding alone needs."""
_SETTLED = 1e-5
"""Newton's steps end with one that promises less than this, in nats for each row."""
_BEGUN = 1e-2
"""The same for a start: the mode of some rows differs by more from that of all."""
_LAST = 1e-2
"""Of both: before the last step, others with an earlier curvature go on to this share, for they cost little."""
_NEAR, _FALLING = 0.1, 0.3
"""Curvatures are computed anew where a step promises more than so many nats for each row, or more than this share of
what the one before promised. A guard: their n r^2 operations are nearly all that a pass over features in memory takes,
and near the end they hardly change."""


@attrs.frozen(eq=False)
class Mode:
    """Where Newton's method for the odds of an output is.

    Attributes:
        scale: c, of the kernel.
        b: shape (r,).
    """

    scale: float
    b: FloatArray


def forgotten(mode: Mode) -> None:
    """Nobody keeps where it is."""


@attrs.frozen(eq=False)
class Labelled:
    """Rows with two classes, by features.

    Attributes:
        rows: whose targets are positive or negative.
        map: the features Phi.
        root: the roots of the weights of K = Phi diag(w) Phi', shape (r,).
        output: the column of the targets.
        stop: whether to end with what is found.
    """

    rows: CodedRows
    map: FeatureMap
    root: FloatArray
    output: int = 0
    stop: Callable[[], bool] = bool

    def mode(
        self,
        scale: float,
        start: FloatArray,
        moved: Callable[[Mode], None] = forgotten,
        settled: float = _SETTLED,
    ) -> FloatArray:
        """The b (r,) with the least 1/2 |b|^2 + sum_i s_i log(1 + exp(-y_i f_i)), f = (c w)^1/2 Phi b.

        By Newton's method, one pass over the rows for each step; a step that does not descend is halved. Where memory
        has room for all features, steps near the end take the curvature of an earlier one while they fall fast, on a
        device too, so that its answer is that of memory. Somebody is told of each place from which it goes on. Steps
        end with one of its own curvature that promises less than what is settled, in nats for each row.
        """
        at, best, value, promise, lower = start, start, math.inf, math.inf, None
        small = isinstance(self.rows, HeldRows) and self.rows.features.room  # else any pass takes long
        for _ in range(_NEWTON):
            look = self._look(scale, at, curved=lower is None)
            if look is None:
                break
            if look.value > value:
                at, lower = 0.5 * (at + best), None
                continue
            best, value, before, own = at, look.value, promise, lower is None
            lower = self._factor(scale, look) if lower is None else lower
            step = cho_solve((lower, True), -look.slope, check_finite=False)
            at, promise = best + step, -0.5 * float(look.slope @ step)
            moved(Mode(scale, at))
            if own and promise <= settled * look.rows:
                return np.asarray(at)
            fast = _LAST * settled * look.rows < promise <= min(_FALLING * before, _NEAR * look.rows)
            lower = lower if small and fast else None
        return best

    def _look(self, scale: float, b: FloatArray, *, curved: bool) -> "_Look | None":
        """The objective and its derivatives at b, and where that is asked its curvature; None where there is no time
        left.
        """
        if self.stop():
            return None
        work = _Looking(self.map, math.sqrt(scale) * self.root, b, self.output, curved)
        found, _ = self.rows.total(work, stop=self.stop)
        if self.stop():
            return None
        return attrs.evolve(found, value=found.value + 0.5 * float(b @ b), slope=found.slope + b)

    def _factor(self, scale: float, look: "_Look") -> FloatArray:
        """Cholesky's factor of the second derivatives of a look that has them, shape (r, r), below the diagonal."""
        curvature, factor = look.curvature, math.sqrt(scale) * self.root
        curvature *= factor
        curvature *= factor[:, None]
        curvature[np.diag_indices(len(factor))] += 1.0
        return np.asarray(cholesky(curvature, lower=True, overwrite_a=True, check_finite=False))


@attrs.frozen(eq=False)
class _Looking:
    """The loss of a block and its derivatives.

    Attributes:
        map: the features Phi.
        factor: f = Phi diag(factor) b, shape (r,).
        b: shape (r,).
        output: the column of the targets.
        curved: whether second derivatives are wanted.
    """

    map: FeatureMap
    factor: FloatArray
    b: FloatArray
    output: int
    curved: bool

    @property
    def at_once(self) -> int:
        """So many rows a block has at most."""
        return self.map.at_once

    def __call__(self, block: Block) -> "_Look":
        phi, y, s = self.map.of_block(block), np.sign(block.y[:, self.output]), block.weight
        f = phi.times((self.factor * self.b)[:, None])[:, 0]
        p = expit(f)
        value = float(s @ np.logaddexp(0.0, -y * f))
        slope = self.factor * phi.sums((s * (p - 0.5 * (y + 1.0)))[:, None])[:, 0]
        curvature = phi.inner(s * p * (1.0 - p)) if self.curved else np.zeros((0, 0))
        return _Look(value, slope, curvature, float(s.sum()))


@attrs.frozen(eq=False)
class _Look:
    """What rows say; looks at parts of the rows add.

    Attributes:
        value: the loss.
        slope: its derivatives, shape (r,).
        curvature: Phi'S Phi, of which the factors make its second derivatives, shape (r, r); (0, 0) where it was not
            wanted.
        rows: how many rows there are, each as often as it counts.
    """

    value: float
    slope: FloatArray
    curvature: FloatArray
    rows: float

    def plus(self, other: "_Look") -> "_Look":
        """That of both parts."""
        return _Look(
            self.value + other.value,
            self.slope + other.slope,
            self.curvature + other.curvature,
            self.rows + other.rows,
        )


def logistic(
    labelled: Labelled,
    few: HeldRows,
    seed: int,
    kept: Mode | None = None,
    moved: Callable[[Mode], None] = forgotten,
) -> Mode:
    """The scale c of the kernel, and b: (c w)^1/2 b are the coefficients of the features whose sum are the log odds.

    Args:
        labelled: all rows.
        few: some of them, of which the scale and a start are learned.
        seed: of the rows for the scale.
        kept: where an earlier run has come to; None to begin.
        moved: is told of each place from which it goes on.
    """
    if kept is None:
        scale = _scale(labelled, few, seed)
        start = attrs.evolve(labelled, rows=few).mode(scale, np.zeros(len(labelled.root)), settled=_BEGUN)
        kept = Mode(scale, start)
    return Mode(kept.scale, labelled.mode(kept.scale, kept.b, moved))


def _scale(labelled: Labelled, few: HeldRows, seed: int) -> float:
    """The c of f = c K a where Laplace's evidence of some rows is the largest."""
    some = some_of(few, seed)
    gram = LowRank(some.features.at(slice(None)) * labelled.root)
    return Classes(gram, 0.0, np.sign(some.y[:, labelled.output]), some.weight, labelled.stop).scaled().scale


def some_of(rows: HeldRows, seed: int) -> HeldRows:
    """As many of the rows, by chance, as the scale is learned on."""
    return rows.only(np.sort(np.random.default_rng(seed).permutation(rows.n)[:_ROWS]))


def shares(few: HeldRows, mean: SummedMean, copy: FloatArray, seed: int) -> Shares:
    """How probable classes are by the values of the numbers -1 and 1.

    Args:
        few: some of the rows that were learned from.
        mean: of the numbers.
        copy: how much of the weight of each row a single copy of it has, shape (k,).
        seed: of the rows that are looked at.
    """
    looked_at = np.sort(np.random.default_rng(seed).permutation(few.n)[:_LOOKED_AT])
    some = few.only(looked_at)
    return shares_from(some.y - mean.left_out(some, copy[looked_at]), some.y, some.weight)
