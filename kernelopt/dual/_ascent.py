"""Chunks of SMO on the samples that matter, with Newton steps on the free variables, for as long as that pays."""

from collections.abc import Iterator

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._criteria._dual_qp import Dual
from kernelopt.dual._newton import newton
from kernelopt.dual._request import Asked, gap
from kernelopt.dual._table import Table, tabulate

_SHRINK = 0.7
"""Shrink when fewer than this share of the samples is left. Worth: `constants.py dual.shrink`."""
_FALL = 0.1
"""A chunk ends when the violation has fallen to this share of what it was. Worth: `constants.py dual.fall`."""
_STEP = 100.0
"""What a step of SMO costs besides, in table entries. Worth: `constants.py dual.step`."""
_OVERHEAD = 2e5
"""What the certificate after a chunk, or a Newton step, costs whatever its size, in table entries.
Worth: `constants.py dual.overhead`."""


def ascent(
    asked: Asked, K: FloatArray, dual: Dual, f: FloatArray, *, patience: float, chunk_work: float, growth: float
) -> Iterator[Dual]:
    """Certified duals after each chunk.

        repeat while `_Ledger` says that it pays
            a chunk of SMO
            when SMO, with the certificates after its chunks, has cost as much since the last one, or since the
            start: a Newton step on the free variables
            f = K v afresh where the gap is closed, or SMO has cost as much, or rows are few: no error piles up

    Args:
        asked: the problem.
        K: shape (n, n), C-contiguous.
        dual: where to start.
        f: K v there, shape (n,).
        patience: the most work, in Cholesky factorisations.
        chunk_work: table entries that one compiled call may visit.
        growth: each chunk may take this many times the steps of the one before.
    """
    qp, n = asked.qp, asked.qp.n
    table = tabulate(qp)
    d = table.curvature + asked.d + table.bias
    ledger = _Ledger(unit=n**3 / 60.0 + 3e5, patience=patience)
    steps, since, reluctance, drifted = float(n), 0.0, 1.0, 0.0
    while ledger.pays(gap(dual) / asked.allowed(dual)):
        v = dual.v
        u, work, known = _chunk(table, K, d, table.load(qp, dual.alpha), f, steps, min(chunk_work, ledger.left))
        if work == 0:
            return
        if known is not None:
            v, f = qp.embed(table.store(qp, u)), known
        ledger.spend(work + n * n / 8.0)
        since += work
        drifted += work
        price = float(np.count_nonzero((u > table.lo) & (u < table.hi))) ** 3 / 60.0 + _OVERHEAD
        if since >= reluctance * price:
            before, v = v, qp.embed(table.store(qp, u))
            f = f + asked.image(v - before)
            u, whole = newton(table, K, u, table.gradient(u, f))
            # A step that the box cuts short says that the free variables are not yet the right ones.
            since, reluctance = 0.0, 1.0 if whole else 4.0 * reluctance
            ledger.spend(price)
        since += _OVERHEAD
        if n * n <= _OVERHEAD:
            dual, f = asked.answer(table.store(qp, u))
        else:
            dual, f = asked.answer_from(table.store(qp, u), v, f)
            if dual.converged or drifted >= n * n:
                dual, f = asked.answer(dual.alpha)
                drifted = 0.0
        yield dual
        steps *= growth


def _chunk(
    table: Table, K: FloatArray, d: FloatArray, u: FloatArray, f: FloatArray, steps: float, work: float
) -> tuple[FloatArray, int, FloatArray | None]:
    """SMO until the violation has fallen tenfold, or for some steps or some entries.

    The new u, the entries, and f = K v there where all samples took part.

    Samples whose variables stand at bounds that the gradient confirms are left out: shrinking. Where that leaves
    few, they are copied to a block of their own, whose rows are contiguous; the copy costs less than it saves.
    """
    # numba is imported when the first problem needs it
    from kernelopt._linalg._compiled_rows import square
    from kernelopt.dual._smo import U, ascend, violation

    n = u.shape[1]
    g = table.gradient(u, f)
    masks = table.masks(u)
    worst = violation(g.reshape(-1), masks.reshape(2, -1, u.size), table.span)
    if worst <= 0.0:
        return u, 0, None
    kept = _kept(table, g, masks)
    whole = kept.size >= _SHRINK * n
    variables = np.stack([d, u, table.lo, table.hi, table.t, table.curvature])
    block, span = K, table.span
    if not whole:
        block, span = square(K, kept), table.layers * kept.size
        g, masks, variables = (np.take(each, kept, axis=-1) for each in (g, masks, variables))
    entries = g.size + _STEP
    limit = int(min(steps, work / entries)) + 1
    taken = ascend(
        block, variables.reshape(len(variables), -1), g.reshape(-1), masks.reshape(2, -1, g.size), span, table.bias,
        _FALL * worst, int(_OVERHEAD / entries), limit, np.empty(g.size),
    )  # fmt: skip
    u[:, slice(None) if whole else kept] = variables[U]
    return u, int(taken * entries), table.image(u, g) if whole else None


@attrs.define
class _Ledger:
    """The work of SMO, and whether more of it is likely to pay.

    Attributes:
        unit: table entries that SMO visits in the time of one step of the interior point.
        patience: the most units.
        spent: entries visited so far.
        record: (spent, smallest gap over the allowed gap) after each chunk.
    """

    unit: float
    patience: float
    spent: float = 0.0
    record: list[tuple[float, float]] = attrs.field(factory=list)

    @property
    def left(self) -> float:
        """Entries that may still be visited."""
        return max(0.0, self.patience * self.unit - self.spent)

    def spend(self, entries: float) -> None:
        self.spent += entries

    def pays(self, excess: float) -> bool:
        """Whether to go on, the gap being `excess` times the allowed one.

        If the last doubling of the work has divided the gap by r, then log(excess) / log(r) more will be needed.
        """
        best = min([excess, *(e for _, e in self.record[-1:])])
        self.record.append((self.spent, best))
        if self.left <= 0.0:
            return False
        if self.spent < 1.5 * self.unit or not 1.0 < best < np.inf:
            return True
        before = min(e for spent, e in self.record if spent <= 0.5 * self.spent)
        fall = np.log(before / best)
        doublings = np.log(best) / fall if fall > 0.0 else np.inf
        return bool(np.log2(self.spent) + doublings <= np.log2(self.patience * self.unit))


def _kept(table: Table, g: FloatArray, masks: FloatArray) -> IntArray:
    """Samples with a variable that is free, or at a bound where the multiplier may still let it go.

    Fan, Chen and Lin (2005), section 4, with both ends of the multiplier's interval as they stand.
    """
    keep = np.zeros(g.shape[1], dtype=bool)
    for e in range(table.groups):
        rise, fall = g + masks[0, e], g - masks[1, e]
        high, floor = float(rise.max(initial=-np.inf)), float(fall.min(initial=np.inf))
        if e == table.groups - 1:
            high, floor = 0.0, 0.0
        member = table.group == e
        both = np.isfinite(rise) & np.isfinite(fall)
        wants = (rise >= floor) & (rise > -np.inf) | (fall <= high) & (fall < np.inf)
        keep |= (member & (both | wants)).any(axis=0)
    return np.flatnonzero(keep)
