"""A small concave quadratic programme with a box, some of whose sums are given: a point, and a point that is feasible.

    max over x   p'x - 1/2 x'H x,    0 <= x <= u,    A x = b

Whatever the interior point returns, the repaired point is feasible, so its value is a bound that nobody need trust.
"""

import attrs
import numpy as np

_STEPS = 60


@attrs.frozen(eq=False)
class Sums:
    """What the variables sum to: groups of indices, each to its target, or where there are none, two to the same."""

    groups: tuple
    targets: tuple | None

    def equations(self, m):
        """A (k, m) and b (k,)."""
        rows = [np.isin(np.arange(m), group).astype(float) for group in self.groups]
        if self.targets is None:
            return np.array([rows[0] - rows[1]]), np.zeros(1)
        return np.array(rows).reshape(len(rows), m), np.array(self.targets, dtype=float)

    def repaired(self, x, upper):
        """A feasible point near x, or None where there is none."""
        x = np.clip(np.nan_to_num(x, nan=0.0, posinf=0.0, neginf=0.0), 0.0, upper)
        totals = [float(x[group].sum()) for group in self.groups]
        targets = [min(totals, default=0.0)] * len(totals) if self.targets is None else self.targets
        for group, total, target in zip(self.groups, totals, targets, strict=True):
            if total > target:
                x[group] *= target / total
            elif total < target:
                room = np.minimum(upper[group], target) - x[group]
                if room.sum() <= 0.0:
                    continue
                x[group] += room * min((target - total) / room.sum(), 1.0)
        return x


def unbounded(H, p):
    """The optimum where there is no box, in the longest floating point numbers of numpy: K may have entries of 1e13
    beside a ridge of 0.01, and H^-1 p in double precision is then rounding. A singular H has its shortest optimum.
    """
    L = np.zeros(H.shape, dtype=np.longdouble)
    for j in range(len(H)):
        column = H[j:, j] - L[j:, :j] @ L[j, :j]
        if not column[0] > 0.0:
            return np.linalg.lstsq(H, p, rcond=None)[0]
        L[j:, j] = column / np.sqrt(column[0])
    x = p.astype(np.longdouble)
    for i in range(len(H)):
        x[i] = (x[i] - L[i, :i] @ x[:i]) / L[i, i]
    for i in reversed(range(len(H))):
        x[i] = (x[i] - L[i + 1 :, i] @ x[i + 1 :]) / L[i, i]
    return x.astype(float)


def solved(H, p, upper, sums):
    """A point near the optimum, by Mehrotra's predictor and corrector; in units in which the box is about 1."""
    m = len(p)
    A, b = sums.equations(m)
    finite = np.isfinite(upper)
    unit = _unit(H, p, upper, b)
    H, p, b, u = H * unit, p.copy(), b / unit, np.where(finite, upper / unit, 1.0)
    size = max(float(np.abs(p).max(initial=0.0)), float(np.abs(H).sum(axis=1).max(initial=0.0)), 1e-300)
    H, p = H / size, p / size
    x, w = np.where(finite, 0.5 * u, 1.0), np.where(finite, 0.5 * u, 1.0)
    z, t, lam = np.ones(m), np.where(finite, 1.0, 0.0), np.zeros(len(b))
    whole = np.block([[H, -A.T], [A, 1e-14 * np.eye(len(b))]])
    curved, places = np.diagonal(H).copy(), np.arange(m)
    for _ in range(_STEPS):
        dual = H @ x - p - A.T @ lam - z + t
        primal, slack = A @ x - b, np.where(finite, x + w - u, 0.0)
        mu = (x @ z + w @ t) / (m + finite.sum())
        if mu < 1e-14 and max(np.abs(dual).max(), np.abs(primal).max(initial=0.0)) < 1e-11:
            break
        whole[places, places] = curved + z / x + t / w

        def direction(centre, xz, wt, dual=dual, primal=primal, slack=slack, x=x, w=w, z=z, t=t):
            rx, rw = centre - x * z - xz, np.where(finite, centre - w * t - wt, 0.0)
            right = -dual + rx / x - (rw + t * slack) / w
            step = np.linalg.solve(whole, np.concatenate([right, -primal]))
            dx = step[:m]
            dw = np.where(finite, -slack - dx, 0.0)
            return dx, step[m:], (rx - z * dx) / x, np.where(finite, (rw - t * dw) / w, 0.0), dw

        try:
            dx, _, dz, dt, dw = direction(0.0, 0.0, 0.0)
            reach = _reach((x, w, z, t), (dx, dw, dz, dt))
            ahead = ((x + reach * dx) @ (z + reach * dz) + (w + reach * dw) @ (t + reach * dt)) / (m + finite.sum())
            dx, dlam, dz, dt, dw = direction(mu * (ahead / mu) ** 3, dx * dz, dw * dt)
        except np.linalg.LinAlgError:
            break
        go = 0.995 * _reach((x, w, z, t), (dx, dw, dz, dt))
        if not np.isfinite(dx).all():
            break
        x, lam, z, t, w = x + go * dx, lam + go * dlam, z + go * dz, t + go * dt, w + go * dw
    return x * unit


def _unit(H, p, upper, b):
    """What one variable is about as large as."""
    bounds = upper[np.isfinite(upper)]
    box = float(bounds.max()) if bounds.size else np.inf
    curve = max(float(np.abs(np.diagonal(H)).mean()), 1e-300)
    free = float(np.abs(p).max(initial=0.0)) / curve
    given = float(np.abs(b).max(initial=0.0))
    return min(box, max(free, given)) or min(box, 1.0)


def _reach(variables, steps):
    """How far one may go, at most 1, until a variable is 0."""
    x, dx = np.concatenate(variables), np.concatenate(steps)
    falling = dx < 0.0
    return min(1.0, float((-x[falling] / dx[falling]).min(initial=1.0)))
