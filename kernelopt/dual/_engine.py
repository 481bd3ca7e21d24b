"""The best dual variables for a given kernel: SMO in growing chunks, then an interior point; certified throughout."""

from collections.abc import Callable, Iterator
from time import monotonic

import attrs
import numpy as np

from kernelopt._criterion import Primal
from kernelopt._dual import Dual, DualQP
from kernelopt._gram import Gram
from kernelopt._typing import FloatArray
from kernelopt.dual._interior import interior
from kernelopt.dual._repair import repair
from kernelopt.dual._newton import newton
from kernelopt.dual._table import Table, tabulate

PrimalAt = Callable[[FloatArray, FloatArray], Primal]


@attrs.frozen
class Engine:
    """Options of the inner solver.

    Attributes:
        patience: SMO work before the interior point takes over, in Cholesky factorisations of the Gram.
        interior_steps: the most steps of the interior point; 0 for SMO alone.
        chunk_work: table entries that one compiled call may touch, about a second's work; Ctrl-C waits for its end.
        growth: each chunk may take this many times the steps of the one before.
    """

    patience: float = attrs.field(default=8.0, validator=attrs.validators.ge(0.0))
    interior_steps: int = attrs.field(default=60, validator=attrs.validators.ge(0))
    chunk_work: float = attrs.field(default=5e8, validator=attrs.validators.gt(0.0))
    newton: bool = True
    growth: float = attrs.field(default=1.5, validator=attrs.validators.ge(1.0))


@attrs.frozen(eq=False)
class _Asked:
    """What is asked: the problem, the kernel, the certificate, and when to stop.

    Attributes:
        d: diagonal of K, shape (n,).
        over: whether the time is up.
    """

    qp: DualQP
    gram: Gram
    d: FloatArray
    primal: PrimalAt
    accuracy: float
    over: Callable[[], bool]

    def answer(self, alpha: FloatArray) -> tuple[Dual, FloatArray]:
        """Certify any alpha: a Dual at the feasible point next to it, and f = K v computed afresh, shape (n,)."""
        alpha = repair(self.qp, alpha)
        v = self.qp.embed(alpha)
        f = self.gram.apply(v)
        quad, h = float(v @ f), self.qp.h(alpha)
        bound = self.primal(v, f)
        dual = Dual(alpha, v, h, quad, bound.multipliers, bound.value)
        # Rounding leaves a gap where the optimal value is 0: it is measured by the terms that cancel.
        scale = max(abs(bound.value), abs(dual.objective))
        allowed = self.accuracy * scale + 1e-12 * (abs(h) + 0.5 * float((v * v) @ self.d))
        return attrs.evolve(dual, converged=gap(dual) <= allowed), f


def gap(dual: Dual) -> float:
    """The inner gap, +inf where it is not a number."""
    width = dual.upper - dual.objective
    return width if width == width else np.inf


def maximise(
    qp: DualQP,
    gram: Gram,
    primal: PrimalAt,
    warm: FloatArray | None = None,
    *,
    accuracy: float = 1e-6,
    max_seconds: float | None = None,
    cancelled: Callable[[], bool] | None = None,
    options: Engine | None = None,
) -> Dual:
    """Maximise h(alpha) - 1/2 v'Kv over the dual set until the certified gap is at most accuracy * the value.

    The work is bounded: when SMO has spent what `options.patience` allows, an interior point, which does not depend
    on the conditioning of K, finishes. A deadline that passes first leaves wider bounds, and true ones.

    Args:
        qp: the dual set.
        gram: K, positive semidefinite up to rounding.
        primal: U at (v, f = K v): a valid upper bound for any v, and the multipliers that attain it.
        warm: where to start, shape (N,); any vector, feasible or not.
        accuracy: relative to the larger of the two bounds.
        max_seconds: wall clock; looked at between chunks of about a second.
        cancelled: asked between chunks.
        options: of the method.

    Returns:
        The best alpha met, exactly feasible; `converged` says whether the accuracy was reached.
    """
    options = Engine() if options is None else options
    deadline = np.inf if max_seconds is None else monotonic() + max_seconds
    asked = _Asked(
        qp,
        gram,
        gram.diag(),
        primal,
        accuracy,
        lambda: monotonic() > deadline or (cancelled is not None and cancelled()),
    )
    best: Dual | None = None
    for dual in _candidates(asked, np.zeros(qp.size) if warm is None else warm, options):
        if best is None or gap(dual) < gap(best):
            best = dual
        if best.converged or asked.over():
            break
    assert best is not None
    return best


def _candidates(asked: _Asked, start: FloatArray, options: Engine) -> Iterator[Dual]:
    """The start, SMO's chunks, then the interior point's steps; each certified."""
    dual, f = asked.answer(start)
    yield dual
    K = np.ascontiguousarray(asked.gram.dense())
    yield from _smo(asked, K, dual.alpha, f, options)
    for alpha in interior(asked.qp, K, options.interior_steps):
        yield asked.answer(alpha)[0]


def _smo(asked: _Asked, K: FloatArray, alpha: FloatArray, f: FloatArray, options: Engine) -> Iterator[Dual]:
    """Chunks of SMO.

    repeat until the work is spent
        keep the samples whose variables are free, or whose bound the gradient does not confirm
        a chunk on these alone, until their violation has fallen tenfold
        f = K v afresh, which also tells whether the others were rightly left out
    """
    from kernelopt.dual._smo import LANES, ascend, violation  # numba is imported when the first problem needs it

    qp, n = asked.qp, asked.qp.n
    table = tabulate(qp)
    d = table.curvature + asked.d + table.bias
    budget = options.patience * n**3 / 60.0
    steps = float(n)
    spent = 0.0
    value, lanes = np.empty(n), np.empty(LANES)
    while budget > 0.0:
        u = table.load(qp, alpha)
        g = table.gradient(u, f[None, :])
        up, low = table.masks(u)
        worst = violation(g, up, low, value, lanes)
        kept = _kept(table, u, g, up, low)
        if worst <= 0.0:
            return
        part, block = table, K
        compact = kept.size < 0.7 * n
        if compact:
            part, block = table.restricted(kept), K[np.ix_(kept, kept)]
            u_part, g_part, d_part = (np.ascontiguousarray(x[:, kept]) for x in (u, g, d))
            up, low = np.ascontiguousarray(up[:, :, kept]), np.ascontiguousarray(low[:, :, kept])
        else:
            u_part, g_part, d_part = u, g, d
        limit = int(min(steps, options.chunk_work / u_part.size, budget / u_part.size)) + 1
        taken = ascend(
            block, d_part, g_part, u_part, part.lo, part.hi, part.t, part.curvature, part.group, up, low, part.has,
            part.bias, 0.1 * worst, limit,
        )  # fmt: skip
        if compact:
            u[:, kept] = u_part
        spent += taken * u_part.size
        free = np.count_nonzero((u > table.lo) & (u < table.hi))
        if options.newton and spent >= free**3 / 60.0:
            if not compact: pass
            v = qp.embed(table.store(qp, u))
            u = newton(table, K, u, table.gradient(u, asked.gram.apply(v)[None, :]))
            spent = 0.0
        dual, f = asked.answer(table.store(qp, u))
        alpha = dual.alpha
        yield dual
        if taken == 0:
            return
        budget -= (taken + 1) * u_part.size + u.size
        steps *= options.growth


def _kept(table: Table, u: FloatArray, g: FloatArray, up: FloatArray, low: FloatArray) -> "np.ndarray":
    """Samples with a variable that is free, or at a bound where the multiplier may still let it go.

    Fan, Chen and Lin (2005), section 4, with both ends of the multiplier's interval as they stand.
    """
    keep = np.zeros(g.shape[1], dtype=bool)
    for e in range(table.groups):
        rise, fall = (g + up[e]), (g - low[e])
        high, floor = float(rise.max(initial=-np.inf)), float(fall.min(initial=np.inf))
        if e == table.groups - 1:
            high, floor = 0.0, 0.0
        member = table.group == e
        both = np.isfinite(rise) & np.isfinite(fall)
        wants = (rise >= floor) & (rise > -np.inf) | (fall <= high) & (fall < np.inf)
        keep |= (member & (both | wants)).any(axis=0)
    return np.flatnonzero(keep)
