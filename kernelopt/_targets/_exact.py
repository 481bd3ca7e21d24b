"""One target by itself: where the shared quantities cannot decide, its own factorisations do."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._evidence._factorisation import factored
from kernelopt._linalg._gram import Dense
from kernelopt._targets._atlas import Atlas
from kernelopt._targets._batch import SAFETY, Fitted
from kernelopt._targets._scoring import Evidence, step
from kernelopt._targets._subspace import Reduced

_STEPS = 60


def finished(atlas: Atlas, Z: FloatArray, outside: FloatArray, w: FloatArray, tol: float) -> Fitted:
    """One target (1, r) from its weights (1, m + 1) to within tol of its nearest optimum, in nats.

    Each step takes a Cholesky factor and an inverse of r rows.
    """
    return _from(exact(atlas, Z[0], float(outside[0]), w[0]), atlas, Z, outside, tol)


def _from(at: Evidence | None, atlas: Atlas, Z: FloatArray, outside: FloatArray, tol: float) -> Fitted:
    """As `finished`, from what is known at the first weights; None where their V cannot be factored."""
    damping, floor = np.full(1, 1e-3), np.full(1, atlas.floor)
    if at is None:
        at = exact(atlas, Z[0], float(outside[0]), np.append(np.full(len(atlas.grams), 0.5 / len(atlas.grams)), 0.5))
    assert at is not None
    for _ in range(_STEPS):
        after, fall = step(at, damping, floor)
        if fall[0] <= 0.1 * tol / SAFETY:
            break
        trial = exact(atlas, Z[0], float(outside[0]), after[0])
        gain = -np.inf if trial is None else float(at.value[0] - trial.value[0])
        if trial is not None and gain > 0.1 * fall[0]:
            at, damping = trial, np.maximum(0.2 * damping, 1e-6)
        else:
            damping = np.minimum(10.0 * np.maximum(damping, 1e-3), 1e6)
    left = np.maximum(step(at, np.zeros(1), floor)[1], 0.0)
    return Fitted(at.w, at.reduced.solution, at.value, at.prices[:, -1], SAFETY * left)


def lost(atlas: Atlas, Z: FloatArray, outside: FloatArray, w: FloatArray, tol: float) -> float:
    """By how many nats one target (1, r) at its weights (1, m + 1) is above the optimum that is found from there."""
    at = exact(atlas, Z[0], float(outside[0]), w[0])
    return np.inf if at is None else float(at.value[0] - _from(at, atlas, Z, outside, tol).value[0])


def exact(atlas: Atlas, z: FloatArray, outside: float, w: FloatArray) -> Evidence | None:
    """The evidence of a target (r,) at weights (m + 1,); None where V cannot be factored."""
    factor = factored(Dense(np.tensordot(w[:-1], atlas.grams, axes=1)), float(w[-1]), keep=False)
    if factor is None:
        return None
    noise, more = w[-1], atlas.n - len(z)
    log_determinant = factor.log_determinant + more * np.log(noise)
    v = factor.solve(z)
    images = np.column_stack([*(gram @ v for gram in atlas.grams), v])
    information = images.T @ factor.solve(images)
    inverse = factor.inverse(single=True, last=True).dense()
    traces = [np.vdot(inverse, gram) for gram in atlas.grams]
    values, prices = images.T @ v, np.array([*traces, float(np.trace(inverse)) + more / noise])
    values[-1] += outside / noise**2
    information[-1, -1] += outside / noise**3
    quadratic = float(z @ v) + outside / noise
    reduced = Reduced(v[None], np.array([quadratic]), values[None], information[None])
    value = np.array([0.5 * (quadratic + log_determinant)])
    return Evidence(w[None], value, 0.5 * (prices - values)[None], prices[None], reduced)


def joined(found: Fitted, places: IntArray, better: list[Fitted]) -> Fitted:
    """With others in the places (k,)."""
    changed = {}
    for name in ("w", "solution", "value", "trace", "bound"):
        values = getattr(found, name).copy()
        values[places] = np.concatenate([getattr(one, name) for one in better])
        changed[name] = values
    return attrs.evolve(found, **changed)
