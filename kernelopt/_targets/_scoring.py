"""Scoring for many targets at once: each descends its own evidence, all by the same tensor operations."""

import attrs
import numpy as np

from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._targets._determinant import LEAST, Interpolation
from kernelopt._targets._subspace import Reduced, Subspaces

_PASSES = 3
"""So often weights that a step would make negative are held at 0, and the step of the others is found anew."""
_SOFTEST, _HARDEST = 1e-6, 1e6
_FIRST = 1e-3
_PARTS = ("w", "value", "gradient", "prices")
_REDUCED = ("solution", "quadratic", "values", "information")


@attrs.frozen(eq=False)
class Evidence:
    """Of some targets at their weights.

    Attributes:
        w: weights and noise, shape (t, m + 1).
        value: 1/2 (y'V^-1 y + log det V), shape (t,).
        gradient: shape (t, m + 1).
        prices: tr(V^-1 K_a), shape (t, m + 1).
        reduced: the small problems.
    """

    w: FloatArray
    value: FloatArray
    gradient: FloatArray
    prices: FloatArray
    reduced: Reduced

    @property
    def steepness(self) -> FloatArray:
        """Half the second derivatives of y'V^-1 y, shape (t, m + 1, m + 1), the average information doubled."""
        return self.reduced.information


def evidence(spaces: Subspaces, which: IntArray, determinant: Interpolation, n: float, w: FloatArray) -> Evidence:
    """At weights (k, m + 1) of some targets."""
    reduced = spaces.at(which, w)
    noise = w[:, -1:]
    r = w[:, :-1] / noise
    h, slopes = determinant.at(r)
    prices = np.concatenate([slopes, np.maximum(n - (r * slopes).sum(axis=1), LEAST)[:, None]], axis=1) / noise
    value = 0.5 * (reduced.quadratic + n * np.log(noise[:, 0]) + h)
    return Evidence(w, value, 0.5 * (prices - reduced.values), prices, reduced)


def taken(mask: BoolArray, new: Evidence, old: Evidence) -> Evidence:
    """The new one where the mask says so."""

    def chosen(a: FloatArray, b: FloatArray) -> FloatArray:
        return np.where(mask.reshape(-1, *(1,) * (a.ndim - 1)), a, b)

    reduced = Reduced(*(chosen(getattr(new.reduced, name), getattr(old.reduced, name)) for name in _REDUCED))
    parts = {name: chosen(getattr(new, name), getattr(old, name)) for name in _PARTS}
    return Evidence(**parts, reduced=reduced)


def rows(of: Evidence, places: IntArray | BoolArray) -> Evidence:
    """Of the targets in these places."""
    reduced = Reduced(*(getattr(of.reduced, name)[places] for name in _REDUCED))
    return Evidence(**{name: getattr(of, name)[places] for name in _PARTS}, reduced=reduced)


def put(into: Evidence, places: IntArray, new: Evidence) -> None:
    """Writes the new one into these places (k,) of a larger one."""
    for name in _PARTS:
        getattr(into, name)[places] = getattr(new, name)
    for name in _REDUCED:
        getattr(into.reduced, name)[places] = getattr(new.reduced, name)


def step(at: Evidence, damping: FloatArray, floor: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The weights >= 0, noise >= floor, that the quadratic model of the average information asks for, and its fall.

    In units u_a = w_a prices_a, the share that a weight has in the number of rows; damping (t,) is relative to the
    diagonal.
    """
    unit = np.maximum(at.prices, 1e-300)
    least = np.zeros_like(at.w)
    least[:, -1] = floor
    u, lowest = at.w * unit, least * unit
    g = at.gradient / unit
    A = 0.5 * at.steepness / unit[:, :, None] / unit[:, None, :]
    m = u.shape[1]
    diagonal = np.einsum("taa->ta", A)
    A = A + (damping[:, None] * diagonal + 1e-10 * (1.0 + diagonal.mean(axis=1, keepdims=True)))[:, :, None] * np.eye(m)
    held = (u <= lowest) & (g >= 0.0)
    move = np.zeros_like(u)
    for _ in range(_PASSES):
        fixed = np.where(held, lowest - u, 0.0)
        rest = np.where(held, fixed, -(g + np.einsum("tab,tb->ta", A, fixed)))
        both = held[:, :, None] | held[:, None, :]
        matrix = np.where(both, np.eye(m), A)
        move = np.linalg.solve(matrix, rest[:, :, None])[:, :, 0]
        below = (u + move < lowest) & ~held
        if not below.any():
            break
        held = held | below
    after = np.maximum(u + move, lowest)
    move = after - u
    fall = -np.einsum("ta,ta->t", g, move) - 0.5 * np.einsum("ta,tab,tb->t", move, A, move)
    return np.asarray(np.maximum(after / unit, least)), fall


def descended(
    spaces: Subspaces,
    which: IntArray,
    determinant: Interpolation,
    n: float,
    w: FloatArray,
    floor: FloatArray,
    steps: int,
    tol: float,
) -> tuple[Evidence, FloatArray]:
    """Where so many steps lead each of some targets from weights w (k, m + 1), and what the last model still promised.

    A step that does not bring the evidence down is damped on.
    """
    at = evidence(spaces, which, determinant, n, w)
    damping = np.full(len(w), _FIRST)
    for _ in range(steps):
        after, fall = step(at, damping, floor)
        if np.all(fall <= tol):
            break
        trial = evidence(spaces, which, determinant, n, after)
        gain = at.value - trial.value
        better = gain > 0.1 * fall
        damping = np.where(better, np.where(gain > 0.75 * fall, 0.2, 1.0), 10.0) * damping
        damping = np.clip(damping, _SOFTEST, _HARDEST)
        at = taken(better, trial, at)
    return at, np.maximum(step(at, np.zeros(len(w)), floor)[1], 0.0)
