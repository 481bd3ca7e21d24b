"""Limited-memory BFGS from many starts at once: every evaluation serves all of them."""

from collections.abc import Callable

import attrs
import numpy as np

from kernelopt.plugin import BoolArray, FloatArray

Objective = Callable[[FloatArray], tuple[FloatArray, FloatArray]]
"""Points (b, p) to their values (b,) and gradients (b, p)."""

_ARMIJO = 1e-4
_CURVED = 1e-10


@attrs.frozen(eq=False)
class Memory:
    """What is remembered of the last k steps of every point.

    Attributes:
        S: steps, newest first, shape (k, b, p).
        Y: changes of the gradient, newest first, shape (k, b, p).
        rho: 1 / (s'y), 0 of a step without positive curvature, shape (k, b).
        scale: s'y / y'y of each point's newest step that counts; 1 where there is none, shape (b,).
    """

    S: FloatArray
    Y: FloatArray
    rho: FloatArray
    scale: FloatArray

    @classmethod
    def empty(cls, x: FloatArray) -> "Memory":
        """That of points x (b, p) which have made no step."""
        return cls(np.zeros((0, *x.shape)), np.zeros((0, *x.shape)), np.zeros((0, len(x))), np.ones(len(x)))

    def with_step(self, s: FloatArray, y: FloatArray, most: int) -> "Memory":
        """The memory after a step (b, p); a step without positive curvature does not count."""
        sy, yy = _products(s, y), _products(y, y)
        curved = sy > _CURVED * np.sqrt(_products(s, s) * yy)
        rho = np.divide(1.0, sy, out=np.zeros_like(sy), where=curved)
        return Memory(
            np.concatenate([s[None], self.S])[:most],
            np.concatenate([y[None], self.Y])[:most],
            np.concatenate([rho[None], self.rho])[:most],
            np.divide(sy, yy, out=self.scale.copy(), where=curved),
        )

    def among(self, keep: BoolArray) -> "Memory":
        """The memory of some of the points."""
        return Memory(self.S[:, keep], self.Y[:, keep], self.rho[:, keep], self.scale[keep])

    def times(self, gradient: FloatArray) -> FloatArray:
        """The inverse Hessian's estimate times a gradient (b, p), by the two-loop recursion (Nocedal, 1980)."""
        q = gradient.copy()
        shares = []
        for s, y, rho in zip(self.S, self.Y, self.rho, strict=True):
            share = rho * _products(s, q)
            q -= share[:, None] * y
            shares.append(share)
        q *= self.scale[:, None]
        for s, y, rho, share in zip(self.S[::-1], self.Y[::-1], self.rho[::-1], shares[::-1], strict=True):
            q += (share - rho * _products(y, q))[:, None] * s
        return q


def _products(first: FloatArray, second: FloatArray) -> FloatArray:
    """The inner products of the rows of two arrays (b, p), shape (b,)."""
    found: FloatArray = np.vecdot(first, second)
    return found


def descend(
    objective: Objective,
    start: FloatArray,
    lower: float,
    *,
    steps: int = 200,
    tolerance: float = 1e-6,
    reach: float = 1.0,
    memory: int = 8,
) -> FloatArray:
    """Local minima of `objective` above `lower`, one for each start; projected L-BFGS with backtracking.

    Liu and Nocedal (1989); the bound by projection, the coordinates that it holds left out of the direction
    (Bertsekas, 1982). A trial where the value or the gradient is no finite number is refused, so the objective may
    overflow far from the start; numpy does not warn of that.

    Args:
        objective: smooth within the bound.
        start: shape (b, p), within the bound.
        lower: a bound on every coordinate, -inf for none.
        steps: at most.
        tolerance: a start is done where no entry of the projected gradient is larger.
        reach: no step is longer.
        memory: how many steps are remembered.

    Returns:
        The points reached, shape (b, p).
    """
    reached = start.copy()
    place = np.arange(len(start))
    x = start.copy()
    f, g = _evaluated(objective, x)
    known = Memory.empty(x)
    for _ in range(steps):
        free = (x > lower) | (g < 0.0)
        going = np.abs(np.where(free, g, 0.0)).max(axis=1, initial=0.0) > tolerance
        if not going.all():
            reached[place] = x
            place, x, f, g, free, known = place[going], x[going], f[going], g[going], free[going], known.among(going)
        if not len(place):
            break
        direction = _direction(known, np.where(free, g, 0.0), free, reach)
        new, f_new, g_new, moved = _line_search(objective, x, f, g, direction, lower)
        known = known.with_step(new - x, g_new - g, memory)
        x, f, g = new, f_new, g_new
        if not moved.all():
            reached[place] = x
            place, x, f, g, known = place[moved], x[moved], f[moved], g[moved], known.among(moved)
    reached[place] = x
    return reached


def _evaluated(objective: Objective, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Values (b,) and gradients (b, p) at points (b, p), without numpy's warnings of numbers that are not finite.

    Trials with such numbers are refused. And where OpenBLAS multiplies five columns in single precision by a vector,
    its AVX-512 code also reads what lies beside them on the stack: the product does not depend on that, but numpy may
    warn of it.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return objective(x)


def _direction(known: Memory, gradient: FloatArray, free: BoolArray, reach: float) -> FloatArray:
    """The step -H g on the free coordinates, no longer than `reach`; -g where that is no descent."""
    step = np.where(free, -known.times(gradient), 0.0)
    uphill = _products(step, gradient) >= 0.0
    step[uphill] = -gradient[uphill]
    length = np.linalg.norm(step, axis=1)
    return np.asarray(step * np.minimum(1.0, reach / np.maximum(length, 1e-300))[:, None])


def _line_search(
    objective: Objective, x: FloatArray, f: FloatArray, g: FloatArray, direction: FloatArray, lower: float
) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    """The points max(x + t d, lower) with Armijo's decrease, their values and gradients, and which found one."""
    new, f_new, g_new = x.copy(), f.copy(), g.copy()
    pending = np.arange(len(x))
    t = 1.0
    for _ in range(25):
        trial = np.maximum(x[pending] + t * direction[pending], lower)
        value, gradient = _evaluated(objective, trial)
        wanted = f[pending] + _ARMIJO * _products(g[pending], trial - x[pending])
        good = (value < wanted) & np.isfinite(value) & np.isfinite(gradient).all(axis=1)
        accepted = pending[good]
        new[accepted], f_new[accepted], g_new[accepted] = trial[good], value[good], gradient[good]
        pending = pending[~good]
        if not len(pending):
            break
        t *= 0.5
    moved = np.ones(len(x), dtype=bool)
    moved[pending] = False
    return new, f_new, g_new, moved
