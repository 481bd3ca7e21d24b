"""The criteria of the documentation, written again in plain numpy: of one output, its dual and its primal objective.

K is the Gram on the rows with weight, s their weights, y the targets of one output. `Machine.dual` is a function of any
feasible dual variables and below the optimum J(K), `Machine.primal` one of any v and above it.
"""

from collections.abc import Callable

import attrs
import numpy as np

from random_problems.quadratic import Sums, solved, unbounded


@attrs.frozen(eq=False)
class Machine:
    """One output of a criterion: max p'a - 1/2 sum c a^2 - 1/2 bias (sign'a)^2 - 1/2 v'Kv, v the signed sum of a.

    Attributes:
        linear, curvature: p and c, shape (m,).
        upper: of the box from 0, shape (m,); None where the variables are free.
        sample, sign: row and sign of each variable in v, shape (m,).
        sums: what the variables sum to.
        primal: (K, v) -> a number that is above the optimum.
        bias: the price of the bias.
    """

    linear: np.ndarray
    curvature: np.ndarray
    upper: np.ndarray | None
    sample: np.ndarray
    sign: np.ndarray
    sums: Sums
    primal: Callable
    bias: float = 0.0

    def bounds(self, K):
        """A number below J(K), one above it, v, and how large the terms are that they are sums of."""
        n = len(K)
        E = np.zeros((n, len(self.linear)))
        E[self.sample, np.arange(len(self.linear))] = self.sign
        H = E.T @ K @ E + np.diag(self.curvature) + self.bias * np.outer(self.sign, self.sign)
        if self.upper is None:
            a = unbounded(H, self.linear)
        else:
            a = self.sums.repaired(solved(H, self.linear, self.upper, self.sums), self.upper)
        below = float(self.linear @ a - 0.5 * a @ H @ a)
        v = E @ a
        size = float(np.abs(self.linear) @ np.abs(a) + np.abs(a) @ np.abs(H) @ np.abs(a))
        return below, self.primal(K, v), v, size


def machine_of(name, options, y, s):
    """The machine of a criterion's name."""
    return MACHINES[name](y, s, **options)


def _signed(y, s, *, curvature, upper, primal, sums=None, linear=1.0, bias=0.0):
    n = len(y)
    sums = Sums((), ()) if sums is None else sums
    return Machine(np.full(n, linear), curvature, upper, np.arange(n), y, sums, primal, bias)


def _classes(y):
    return np.flatnonzero(y > 0), np.flatnonzero(y < 0)


def svc(y, s, *, C=1.0):
    def primal(K, v):
        f = K @ v
        biases = y - f
        losses = np.maximum(0.0, 1.0 - y * (f + biases[:, None])) @ s
        return 0.5 * v @ f + C * float(losses.min())

    sums = Sums(_classes(y), None)
    return _signed(y, s, curvature=np.zeros(len(y)), upper=C * s, primal=primal, sums=sums)


def l2_svc(y, s, *, C=1.0):
    def primal(K, v):
        f = K @ v
        return 0.5 * v @ f + C * _squared_hinge(y, f, s, 0.0)

    return _signed(
        y, s, curvature=1.0 / (C * s), upper=np.full(len(y), np.inf), primal=primal, sums=Sums(_classes(y), None)
    )


def lagrangian_svc(y, s, *, c=1.0):
    def primal(K, v):
        f = K @ v
        return 0.5 * v @ f + _squared_hinge(y, f, s / c, 1.0)

    return _signed(y, s, curvature=c / s, upper=np.full(len(y), np.inf), primal=primal, bias=1.0)


def _squared_hinge(y, f, price, cost):
    """Min over b of cost b^2 / 2 + 1/2 sum price max(0, 1 - y (f + b))^2, by halving: its slope rises with b."""
    ends = y - f
    low, high = min(float(ends.min()), 0.0) - 1.0, max(float(ends.max()), 0.0) + 1.0
    for _ in range(200):
        b = 0.5 * (low + high)
        if b in (low, high):
            break
        slope = cost * b - float(price @ (y * np.maximum(0.0, 1.0 - y * (f + b))))
        low, high = (low, b) if slope > 0.0 else (b, high)
    return 0.5 * cost * b * b + 0.5 * float(price @ np.maximum(0.0, 1.0 - y * (f + b)) ** 2)


def fill(t, cap, total):
    """Min of sum c t over 0 <= c <= cap with sum c = total."""
    order = np.argsort(t)
    taken = np.minimum(np.cumsum(cap[order]), total)
    return float(np.diff(taken, prepend=0.0) @ t[order])


def _homogeneous(K, v, least):
    """min over t of t^2 Q / 2 - t S at the best multiple of v; S is what `least` finds."""
    f = K @ v
    Q, S = float(v @ f), least(f)
    return -0.5 * S * S / Q if S > 0.0 and Q > 0.0 else 0.0


def nu_svc(y, s, *, nu=0.5):
    return _hulls(y, s, 0.5 * nu * s.sum())


def margin(y, s, *, C=np.inf):
    return _hulls(y, np.minimum(C * s, 1.0), 1.0)


def _hulls(y, upper, total):
    plus, minus = _classes(y)

    def primal(K, v):
        return _homogeneous(K, v, lambda f: fill(f[plus], upper[plus], total) + fill(-f[minus], upper[minus], total))

    sums = Sums((plus, minus), (total, total))
    return _signed(y, upper, curvature=np.zeros(len(y)), upper=upper, primal=primal, sums=sums, linear=0.0)


def one_class(y, s, *, nu=0.5):
    n, total = len(y), nu * s.sum()
    sums = Sums((np.arange(n),), (total,))
    return _signed(
        np.ones(n),
        s,
        curvature=np.zeros(n),
        upper=s,
        primal=lambda K, v: _homogeneous(K, v, lambda f: fill(f, s, total)),
        sums=sums,
        linear=0.0,
    )


def _tube(y, linear, upper, sums, primal):
    n = len(y)
    sample, sign = np.tile(np.arange(n), 2), np.repeat([1.0, -1.0], n)
    return Machine(linear, np.zeros(2 * n), upper, sample, sign, sums, primal)


def svr(y, s, *, C=1.0, epsilon=0.1):
    n = len(y)

    def primal(K, v):
        f = K @ v
        biases = np.concatenate([y - f - epsilon, y - f + epsilon])
        losses = np.maximum(0.0, np.abs(y - f - biases[:, None]) - epsilon) @ s
        return 0.5 * v @ f + C * float(losses.min())

    linear = np.concatenate([y, -y]) - epsilon
    return _tube(y, linear, C * np.tile(s, 2), Sums((np.arange(n), n + np.arange(n)), None), primal)


def nu_svr(y, s, *, C=1.0, nu=0.5):
    n, total = len(y), 0.5 * C * nu * s.sum()

    def primal(K, v):
        f = K @ v
        return 0.5 * v @ f - fill(f - y, C * s, total) - fill(y - f, C * s, total)

    sums = Sums((np.arange(n), n + np.arange(n)), (total, total))
    return _tube(y, np.concatenate([y, -y]), C * np.tile(s, 2), sums, primal)


def ridge(y, s, *, lam=1e-2):
    curvature = lam * s.sum() / s

    def primal(K, v):
        f = K @ v
        return 0.5 * v @ f + 0.5 * float((y - f) @ ((y - f) / curvature))

    n = len(y)
    return Machine(y, curvature, None, np.arange(n), np.ones(n), Sums((), ()), primal)


def alignment(y, s):
    def primal(K, v):
        f, values = K @ v, np.linalg.eigvalsh(K)
        least = values[0] - 10 * len(y) * np.finfo(float).eps * np.abs(values).max()
        r = y - f
        return 0.5 * v @ f + v @ r + 0.5 * (r @ r) / least if least > 0.0 else np.inf

    n = len(y)
    return Machine(y, np.zeros(n), None, np.arange(n), np.ones(n), Sums((), ()), primal)


MACHINES = {
    "svc": svc,
    "l2-svc": l2_svc,
    "lagrangian-svc": lagrangian_svc,
    "nu-svc": nu_svc,
    "margin": margin,
    "one-class": one_class,
    "svr": svr,
    "nu-svr": nu_svr,
    "ridge": ridge,
    "alignment": alignment,
}
