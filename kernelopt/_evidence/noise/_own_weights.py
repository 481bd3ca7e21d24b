"""How much each learned kernel counts for one of several targets that have learned their kernels together.

Targets that share one kernel K = sum_a w_a K_a need not depend on the same columns. With multiples m_a of the weights
and a ratio r of its noise, a target y of n rows is a Gaussian process of covariance size (K_m + r tau D), where K_m =
sum_a m_a w_a K_a. With the most probable size, what is left of the logarithm of the density is

    -n/2 log y'(K_m + r tau D)^-1 y - 1/2 log det (K_m + r tau D) - sum_a |log m_a| / b - 1/2 (log r / 2)^2.

The third term is a prior, Laplace's distribution of log m_a: a weight stays exactly as it was learned for all targets,
unless a change of it by a factor of e says more than 1/b nats of the target. Such multiples are taken only where the
whole rises by `_NATS` and rows left out one at a time are predicted with no larger squared error.
"""

import math
import time
from collections.abc import Callable, Sequence

import attrs
import numpy as np
from scipy.optimize import minimize

from kernelopt._base._budget import Budget
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._evidence._factorisation import factored
from kernelopt._evidence.noise._own_noise import LARGEST, Likelihood, doubt, pulled
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Part
from kernelopt._families.variances._delta import Delta
from kernelopt._linalg._gram import Dense
from kernelopt._prediction._own_noise import OwnNoise

_SCALE = 1.0
"""b: of the logarithm of a multiple. Worth: `own_noise_table.py --scale 0.5 1 2`."""
_NATS = 3.0
"""So many nats own weights must gain. Worth: `own_noise_table.py --nats 0 1 3 6`."""
_FARTHEST = 12.0
"""The largest size of the logarithm of a multiple: a guard, for the prior costs as many nats."""
_LOOKS, _CLOSE = 20, 1e-2
"""The density is looked at so often at most, and a step that gains a smaller share of the whole gain, or fewer nats, is
the last: half of all targets need five looks."""
SOME = 500
"""Multiples are learned on so many rows."""
_MEMBERS = 24
"""So many kernels have multiples, those that count most in the mean diagonal: a guard of time and memory."""
_BEYOND = 1e10
"""Minus the density where rounding leaves nothing positive of the matrix, which the search turns back from."""


@attrs.frozen(eq=False)
class Member:
    """Atoms whose weights have one multiple: an atom of a list, or all of another family.

    Attributes:
        leaf: the number of the family.
        atoms: their places in the family's part, shape (k,).
    """

    leaf: int
    atoms: IntArray

    def alone(self, mixture: Mixture) -> Mixture:
        """The mixture of nothing else."""
        none = [Part(part.atoms[:0], part.weights[:0]) for part in mixture.parts]
        part = mixture.parts[self.leaf]
        none[self.leaf] = Part(part.atoms[self.atoms], part.weights[self.atoms])
        return Mixture(tuple(none))


def members_of(leaves: tuple[Leaf, ...], mixture: Mixture) -> tuple[Member, ...]:
    """What has a multiple in a kernel that was learned: everything but the noise."""
    found: list[Member] = []
    for number, (leaf, part) in enumerate(zip(leaves, mixture.parts, strict=True)):
        places = np.flatnonzero(part.weights > 0.0)
        if len(places) and not isinstance(leaf.family, Delta):
            pieces = places[:, None] if isinstance(leaf.family, FiniteFamily) else places[None]
            found.extend(Member(number, one) for one in pieces)
    return tuple(found)


@attrs.frozen(eq=False)
class Look:
    """What is known at some multiples and a ratio.

    Attributes:
        value: the logarithm of the density without the priors, up to a constant.
        slopes: its derivatives in the logarithms of the multiples and in that of the ratio, shape (m + 1,).
        left: the mean squared error of rows that are left out one at a time.
    """

    value: float
    slopes: FloatArray
    left: float


@attrs.frozen(eq=False)
class Members:
    """What has multiples, on the rows that say how large these are.

    Attributes:
        likelihood: of the targets under the kernel that they have in common.
        shared: its Gram, shape (n, n).
        grams: w_a K_a, shape (m, n, n).
    """

    likelihood: Likelihood
    shared: FloatArray
    grams: FloatArray

    def at(self, y: FloatArray, logs: FloatArray) -> Look | None:
        """At logarithms of multiples and of the ratio, shape (m + 1,), for a target (n,) that is not 0 everywhere; None
        where rounding leaves nothing positive of the matrix.
        """
        shares, noise = np.exp(logs[:-1]), math.exp(logs[-1]) * self.likelihood.D
        rows, between = self.likelihood.rows, self.likelihood.between
        factor = factored(Dense(self.shared + np.tensordot(shares - 1.0, self.grams, 1)), noise)
        if factor is None:
            return None
        v = factor.solve(y)
        size = float(y @ v) / rows
        if not size > 0.0:
            return None
        omega = factor.inverse().dense()
        value = -0.5 * (rows * math.log(size) + factor.log_determinant + between * float(logs[-1]))
        explained = shares * np.einsum("ani,n,i->a", self.grams, v, v, optimize=True) / size
        charged = shares * np.tensordot(self.grams, omega, axes=((1, 2), (0, 1)))
        of_noise = float(noise @ (v * v)) / size - float(noise @ np.diagonal(omega)) - between
        slopes = 0.5 * np.append(explained - charged, of_noise)
        return Look(value, slopes, self._left(v, np.diagonal(omega), noise))

    def _left(self, v: FloatArray, omega: FloatArray, noise: FloatArray) -> float:
        """The mean squared error of rows that are left out, by v (n,), the diagonal of the inverse and the noise.

        Of a row that counts as s copies one copy is left out: its noise is s times that of the row, and the matrix of
        all copies has v / s and omega / s^2 + (1 - 1/s) / (s noise) (Rasmussen and Williams 2006, equation 5.12).
        """
        total = float(np.sum(1.0 / self.likelihood.D))
        s = (
            np.maximum(self.likelihood.rows / (total * self.likelihood.D), 1.0)
            if self.likelihood.between > 0.0
            else 1.0
        )
        return float(np.average((v / s / (omega / s**2 + (1.0 - 1.0 / s) / (s * noise))) ** 2, weights=1.0 / noise))

    def own(self, y: FloatArray, ratio: float, least: float) -> tuple[FloatArray, float] | None:
        """The most probable multiples of a target (n,), shape (m,), and the ratio of its noise, from the ratio that it
        has without them; None where they are not worth it.
        """
        m = len(self.grams)
        start = np.append(np.zeros(m), math.log(ratio))
        before = self.at(y, start)
        if before is None or np.all(np.abs(before.slopes[:-1]) * _SCALE <= 1.0):
            return None
        begun = before.value - doubt(start[-1])
        found = _searched(lambda logs: self.at(y, logs), start, begun, least)
        after = self.at(y, found)
        if after is None or after.left > before.left:
            return None
        gain = after.value - float(np.abs(found[:-1]).sum()) / _SCALE - doubt(found[-1]) - begun
        return (np.exp(found[:-1]), math.exp(found[-1])) if gain > _NATS else None


def with_own_weights(
    own: OwnNoise,
    mixture: Mixture,
    members: Sequence[Member],
    sizes: FloatArray,
    gram: Callable[[int], FloatArray],
    some: Likelihood,
    least: float,
    budget: Budget,
) -> OwnNoise:
    """The noise of targets that share a mixture, with multiples of the weights for those that are worth it.

    Args:
        own: the noise of each target under the weights that all have in common.
        mixture: these weights.
        members: what has multiples.
        sizes: the mean diagonal of each of them, with its weights, shape (m,).
        gram: the Gram of one of them, by its number, on some rows, shape (n, n).
        some: the likelihood of the targets on the same rows.
        least: the smallest ratio that may be taken.
        budget: the time; a target is left out for which it would not be enough, as far as those before it tell.
    """
    heavy = np.argsort(-sizes, kind="stable")[:_MEMBERS]
    known = Members(some, some.gram.dense(), np.array([gram(int(a)) for a in heavy]))
    ratio, c = own.ratio.copy(), len(own.ratio)
    multiples = tuple(np.ones((len(part), c)) for part in mixture.parts)
    slowest = 0.0
    for target in range(c):
        began = time.monotonic()
        found = known.own(some.Y[:, target], float(ratio[target]), least) if budget.allows(slowest) else None
        slowest = max(slowest, time.monotonic() - began)
        if found is not None:
            ratio[target] = found[1]
            for a, multiple in zip(heavy, found[0], strict=True):
                multiples[members[a].leaf][members[a].atoms, target] = multiple
    changed = any(np.any(one != 1.0) for one in multiples)
    return OwnNoise(ratio, own.size, multiples) if changed else own


def _searched(look: Callable[[FloatArray], Look | None], start: FloatArray, begun: float, least: float) -> FloatArray:
    """The logarithms at which density and priors are largest, shape (m + 1,).

    Each logarithm of a multiple is a difference p - q of numbers from 0, so that the prior is linear in both.
    """
    m = len(start) - 1

    def joined(x: FloatArray) -> FloatArray:
        return np.append(x[:m] - x[m : 2 * m], x[-1])

    def minus(x: FloatArray) -> tuple[float, FloatArray]:
        found = look(joined(x))
        if found is None:
            return _BEYOND, np.zeros(len(x))
        value = found.value - float(x[: 2 * m].sum()) / _SCALE - doubt(x[-1]) - begun
        slopes, price = found.slopes[:-1], 1.0 / _SCALE
        return -value, -np.concatenate([slopes - price, -slopes - price, [found.slopes[-1] - pulled(x[-1])]])

    bounds = [(0.0, _FARTHEST)] * (2 * m) + [(math.log(max(least, 1.0 / LARGEST)), math.log(LARGEST))]
    first = np.append(np.zeros(2 * m), start[-1])
    options = {"maxfun": _LOOKS, "ftol": _CLOSE}
    return joined(minimize(minus, first, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x)
