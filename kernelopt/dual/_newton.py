"""A Newton step on the variables strictly inside their box: what SMO does slowly where K is badly conditioned."""

import numpy as np
from scipy.linalg import lapack

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._large_cholesky import lower_factor
from kernelopt.dual._table import Table

_EPS = float(np.finfo(np.float64).eps)
_ROUNDS = 8
"""So often variables that cross a bound are put on it, at most. Worth: `constants.py dual.rounds`."""
_REGULAR = 1e-6
"""Pivots that differ by no more are told from zero: the system of the equalities then has one solution."""
_REFINED = 3
"""H is singular where a sample's two variables are both free: the equalities then need more than one solve."""


def free_variables(table: Table, u: FloatArray) -> tuple[IntArray, IntArray]:
    """Layers and columns of the variables strictly inside their box."""
    layer, column = np.nonzero((u > table.lo) & (u < table.hi))
    return np.ascontiguousarray(layer), np.ascontiguousarray(column)


def newton(table: Table, K: FloatArray, u: FloatArray, g: FloatArray) -> tuple[FloatArray, bool]:
    """A point no worse than u that differs in its free variables only, every equality kept.

        F = the free variables; H = K_FF in u, plus curvature; C = {}
        repeat a few times
            target = the maximiser over F, those of C on the bounds that they crossed
            put into C those that cross a bound now; stop if none does
        u += p (target - u), p the best step that stays in the box

    Args:
        table: the layout.
        K: shape (n, n), C-contiguous.
        u: variables, shape (L, n).
        g: gradient, shape (L, n).

    Returns:
        new u, shape (L, n), and whether at least half of the way to the target was free.
    """
    from kernelopt._linalg._compiled_rows import square  # numba is imported when the first problem needs it

    layer, column = free_variables(table, u)
    if not layer.size:
        return u, True
    place = (layer, column)
    t, group, g_free = table.t[place], table.group[place], g[place]
    H = square(K, column)
    H += table.bias
    H *= t[:, None]
    H *= t
    H[np.diag_indices_from(H)] += table.curvature[place]
    fall, rise = table.lo[place] - u[place], table.hi[place] - u[place]
    step = towards(H, g_free, group, table.groups, fall, rise)
    return _along(u, place, H, g_free, step, fall, rise)


def towards(
    H: FloatArray, g: FloatArray, group: IntArray, groups: int, fall: FloatArray, rise: FloatArray
) -> FloatArray:
    """The step to the maximiser of g's - 1/2 s'Hs, each group's sum kept, those that cross a bound stopping there.

    A few rounds only: some entries may still lie outside [fall, rise]. It is 0 where nothing was found.

    Args:
        H: shape (f, f), positive semidefinite.
        g: shape (f,).
        group: number of each variable's equality, `groups` - 1 for none, shape (f,).
        groups: how many there are, that of none included.
        fall: distance to the lower bound, <= 0.
        rise: distance to the upper bound, >= 0.
    """
    step = np.zeros(g.size)
    crossed = np.zeros(g.size, dtype=bool)
    for _ in range(_ROUNDS):
        moving = np.flatnonzero(~crossed)
        trial = _maximiser(H, g, group, groups, np.clip(step, fall, rise), moving)
        if trial is None:
            break
        step = trial
        outside = (step < fall) | (step > rise)
        if not outside.any():
            break
        crossed |= outside
    return step


def _maximiser(
    H: FloatArray, g: FloatArray, group: IntArray, groups: int, step: FloatArray, moving: IntArray
) -> FloatArray | None:
    """The step that maximises g's - 1/2 s'Hs over its entries `moving`, the others fixed, each group's sum kept.

    None where there is no such step.
    """
    if not moving.size:
        return None
    whole = moving.size == g.size
    fixed = np.zeros(g.size) if whole else step.copy()
    fixed[moving] = 0.0
    r = g if whole else (g - H @ fixed)[moving]
    member = (group[moving] == np.arange(groups - 1)[:, None]).astype(np.float64)
    total = np.array([fixed[group == e].sum() for e in range(groups - 1)])
    factor = _factor(H if whole else H[np.ix_(moving, moving)], float(H.trace()) / len(H) + 1e-300)
    if factor is None:
        return None
    solved, _ = lapack.dpotrs(factor, np.column_stack([r, member.T]), lower=1, overwrite_b=1)
    if not np.isfinite(solved).all():
        return None
    move, across = solved[:, 0], solved[:, 1:]
    balance = member @ across
    for _ in range(_REFINED):
        lacks = -total - member @ move
        if not (np.abs(lacks) > _EPS * np.abs(move).sum()).any():
            break
        move = move + across @ _solution(balance, lacks)
    lacking = np.abs(member @ move + total)
    if not np.isfinite(move).all() or (lacking > 1e-9 * (np.abs(move).sum() + np.abs(fixed).sum())).any():
        return None  # all of an equality's variables have crossed, say
    share = np.maximum(member.sum(axis=1), 1.0)
    fixed[moving] = move - ((member @ move + total) / share) @ member  # what the solves left of an equality
    return fixed


def _factor(H: FloatArray, size: float) -> FloatArray | None:
    """The Cholesky factor of a symmetric H with as little added to its diagonal as it takes; None where that is much.

    Args:
        H: shape (f, f), C-contiguous, not written to.
        size: of its diagonal.
    """
    for k in range(6):
        damped = H.copy()
        damped.reshape(-1)[:: len(H) + 1] += 100.0**k * 10.0 * _EPS * size
        factor = lower_factor(damped)
        if factor is not None:
            return factor
    return None


def _solution(balance: FloatArray, lacks: FloatArray) -> FloatArray:
    """The solution of a system of as many unknowns as there are equalities, the shortest where it has many."""
    if len(lacks) == 1:
        return lacks / balance[0] if balance[0, 0] > 0.0 else np.zeros(1)
    factor, solution, failed = lapack.dposv(balance, lacks, lower=1)
    sizes = np.diagonal(factor)
    if not failed and sizes.min() > _REGULAR * sizes.max():
        return np.asarray(solution)
    return np.asarray(np.linalg.lstsq(balance, lacks, rcond=None)[0])


def _along(
    u: FloatArray, place: tuple[IntArray, IntArray], H: FloatArray, g: FloatArray,
    step: FloatArray, fall: FloatArray, rise: FloatArray,
) -> tuple[FloatArray, bool]:  # fmt: skip
    """The best point on the line, inside the box; those that reach a bound stand on it exactly."""
    slope, bend = float(g @ step), float(step @ H @ step)
    if not slope > 0.0:
        return u, False
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        reach = np.where(step > 0.0, rise / step, np.where(step < 0.0, fall / step, np.inf))
    p = min(float(reach.min()), 1.0 if bend <= 0.0 else slope / bend)
    moved = np.clip(p * step, fall, rise)
    full = reach <= p * (1.0 + 1e-12)
    moved = np.where(full, np.where(step > 0.0, rise, fall), moved)
    after = u.copy()
    after[place] += moved
    return after, bool(p >= 0.5)
