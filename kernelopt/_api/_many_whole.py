"""The machine of the whole kernel, where landmarks leave out much of it and its Gram still fits."""

import math
import time

import attrs
import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.special import expit

from kernelopt._api._learned_kernel import learned_kernel
from kernelopt._api._many_fit import Fit, Follower, places_of
from kernelopt._api._many_rows import Begun, evidence_of
from kernelopt._api._rough_kernels import NOISE, has_room, worth
from kernelopt._api._validate import Request
from kernelopt._base._budget import Budget
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._device._gram import DeviceGram
from kernelopt._evidence._laplace import Classes
from kernelopt._evidence._shares import shares_from
from kernelopt._evidence._summed_classes import Labelled, some_of
from kernelopt._evidence._whole_classes import WholeClasses
from kernelopt._evidence._whole_kernel import Equations, HalfGram, Spanned, WholeGram, WholeKernel, share_of
from kernelopt._families._delta import Delta
from kernelopt._families._device_kernel import DeviceSum
from kernelopt._families._feature_rows import HeldRows, holdable
from kernelopt._linalg._feature_block import FeatureBlock, HeldBlock
from kernelopt._linalg._gram import Dense
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._odds import Logistic, Odds
from kernelopt._prediction._posterior import Beside
from kernelopt._prediction._single import between

_HELD_OUT = 1000
"""So many rows say what the landmarks' deviations are worth."""
_LANDMARK = 1e-3
"""Of what is left out in the mean: rows of which less is left out are landmarks, but for rounding."""
_LESS = (0.5, 0.25)
"""Shares of the noise that are tried, the smaller one where the larger one brought something."""
_CHOOSE, _JUDGE = slice(0, None, 2), slice(1, None, 2)
"""Of the rows that are held out: those that choose among these, and those that had no part in it, which say how sure
numbers are."""
_ROUNDED = 0.05
"""Of the noise: what the rounding of K may come to."""
_AFTER = 1.5
"""What comes after the Gram takes no more than half as long again."""


@attrs.frozen(eq=False)
class WholeMachine:
    """What predicts with the whole kernel.

    Attributes:
        kernel: the whole one.
        V: v on all training rows, in their order, shape (n, c).
        note: what the user should know.
        posterior: how sure it is of numbers.
        odds: how probable classes are by its values.
    """

    kernel: Kernel
    V: FloatArray
    note: str
    posterior: Beside | None = None
    odds: Odds | None = None


@attrs.frozen(eq=False)
class _Task:
    """Rows whose landmarks leave out much.

    Attributes:
        request: what was asked for.
        begun: the kernel of the sample.
        fit: what all rows say of it by landmarks.
        rows: all of them.
        kernel: the whole one.
        spanned: what landmarks know.
        left_out: what they leave out of k(x, x), as a share.
        noise: of a row that counts once.
        follower: of the call.
    """

    request: Request
    begun: Begun
    fit: Fit
    rows: HeldRows
    kernel: Kernel
    spanned: Spanned
    left_out: float
    noise: float
    follower: Follower

    @property
    def tau(self) -> float:
        """The noise with which equations are solved."""
        return max(self.noise, NOISE * float(self.spanned.missing.mean()))

    def note(self, share: float = 1.0) -> str:
        """What the user should know, where so much of the noise was taken."""
        learned = "the size and the noise" if share == 1.0 else f"the size and {share:g} of the noise"
        return (
            f"machine: the landmarks leave out {100.0 * self.left_out:.2g}% of the kernel, which is much compared with "
            f"their error, so the whole kernel predicts, on all {self.rows.n} rows and with {learned} learned from the "
            "sample; the bounds are about the machine of the landmarks"
        )


def whole_machine(request: Request, begun: Begun, fit: Fit, follower: Follower) -> WholeMachine | None:
    """What all rows say by the kernel of the sample; None where landmarks do, or there is no room or time."""
    own, rows = begun.own, fit.rows
    if own is None or not isinstance(rows, HeldRows) or rows.n != request.n or not has_room(request):
        return None
    training, features = request.training, _features(rows)
    if features is None:
        return None
    kernel = learned_kernel(own.leaves, own.mixture, training)
    size = kernel.squares(rows.features.X)
    spanned, noise = _spanned(begun, fit, size, features), max(own.noise, fit.noise)
    left_out = float(spanned.missing.sum() / size.sum())
    task = _Task(request, begun, fit, rows, kernel, spanned, left_out, noise, follower)
    by_odds = training.classes is not None and evidence_of(request).by_odds(rows.y.shape[1])
    if float(spanned.missing.mean()) <= worth(request, max(noise, _error(task))):
        return None
    follower.told("the whole kernel", 0.9)
    clock = _Clock(time.monotonic(), follower.budget)
    gram = _gram(task, clock)
    if gram is None:
        return None
    whole = WholeKernel(gram, spanned)
    return _by_odds(task, whole) if by_odds else _by_numbers(task, whole)


def _by_numbers(task: _Task, whole: WholeKernel) -> WholeMachine | None:
    """The mean of numbers, or of -1 and 1; None where equations do not settle."""
    out, scale = _held_out(task), np.sqrt(task.rows.weight)[:, None]
    for best in _best_first(task, Equations.of(whole, scale[:, 0], task.tau), out):
        solution = best.equations.solved(scale * task.rows.y, task.follower.budget.cancelled, start=best.found)
        if solution is not None:
            return _of_numbers(task, best, scale * solution, out)
    return None


def _of_numbers(task: _Task, best: "_Without", V: FloatArray, out: IntArray) -> WholeMachine | None:
    """The machine of V on all rows (n, c), with what it predicted of the rows that were held out (k,)."""
    values = best.values
    machine = WholeMachine(task.kernel, _ordered(task, V), task.note(best.share))
    if task.request.training.classes is None:
        noise, judged = min(task.noise, best.equations.tau), None if values is None else values[_JUDGE]
        return attrs.evolve(machine, posterior=_beside(task, noise, out[_JUDGE], judged))
    if values is None:
        return None
    return attrs.evolve(machine, odds=shares_from(values, task.rows.y[out], task.rows.weight[out]))


def _best_first(task: _Task, equations: Equations, out: IntArray) -> list["_Without"]:
    """With the noise that predicts held-out rows best, of numbers, and then with those that it is better than: with
    less noise the equations of all rows may not settle.

    With few rows a part of the function looks like noise, so the noise of the sample may be too large for all rows.
    """
    began = time.monotonic()
    found = [_without(task, 1.0, equations, out)]
    taken = time.monotonic() - began
    if found[0].values is None or task.request.training.classes is not None:
        return found
    for share in _LESS:
        if not task.follower.budget.allows(2.0 * taken):  # and the machine of all rows after it
            break
        less = _without(task, share, equations.less_noisy(share * equations.tau), out, found[0].found)
        if not less.error(task, out) < found[0].error(task, out):
            break
        found.insert(0, less)
    return found


@attrs.frozen(eq=False)
class _Without:
    """What all other rows say of those that are held out, with one noise.

    Attributes:
        share: of the noise of the sample.
        equations: with it.
        found: their solution, 0 at the rows that are held out, shape (n, c); None where they do not settle.
        values: of the rows that are held out, shape (k, c); None as above.
    """

    share: float
    equations: Equations
    found: FloatArray | None = None
    values: FloatArray | None = None

    def error(self, task: _Task, out: IntArray) -> float:
        """The mean squared error of the rows that choose."""
        if self.values is None or not len(out):
            return math.inf
        squares = np.mean((task.rows.y[out] - self.values)[_CHOOSE] ** 2, axis=1)
        return float(np.average(squares, weights=task.rows.weight[out][_CHOOSE]))


def _without(
    task: _Task, share: float, equations: Equations, out: IntArray, start: FloatArray | None = None
) -> _Without:
    """Without the rows that are held out, with this share of the noise."""
    kept, scale = np.setdiff1d(np.arange(task.rows.n), out), equations.scale[:, None]
    found = equations.solved(scale * task.rows.y, task.follower.budget.cancelled, kept, start)
    if found is None:
        return _Without(share, equations)
    return _Without(share, equations, found, equations.whole.gram.between(out, scale * found))


def _by_odds(task: _Task, whole: WholeKernel) -> WholeMachine | None:
    """The logistic mode of each output, from that of the landmarks on some rows; None where one does not settle."""
    rows, root, stop = task.rows, task.spanned.root, task.follower.budget.cancelled
    some, found = some_of(task.fit.few, task.request.settings.seed), []
    gram = Dense(task.kernel.between(some.features.X, some.features.X))
    for output in range(rows.y.shape[1]):
        scale = Classes(gram, 0.0, np.sign(some.y[:, output]), some.weight, stop).scaled().scale
        b = Labelled(task.fit.few, task.fit.map, root, output, stop).mode(scale, np.zeros(len(root)))
        y = np.sign(rows.y[:, output])
        f = task.spanned.features.times((math.sqrt(scale) * root * b)[:, None])[:, 0]
        mode = WholeClasses(whole, y, rows.weight, stop).mode(scale, rows.weight * y * expit(-y * f))
        if not mode.settled:
            return None
        found.append(mode.scale * mode.a)
    return WholeMachine(task.kernel, _ordered(task, np.column_stack(found)), task.note(), odds=Logistic())


def _ordered(task: _Task, V: FloatArray) -> FloatArray:
    """V of the training rows, in their order."""
    ordered = np.zeros_like(V)
    ordered[task.rows.places] = V
    return ordered


def _features(rows: HeldRows) -> FeatureBlock | None:
    """Those of all rows, in memory or on the device; None where they take too much."""
    features = rows.features
    if features.held is not None:
        return HeldBlock(features.held)
    device = features.map.device
    return device.whole(features.X) if device is not None and holdable(rows.n, features.width) else None


def _gram(task: _Task, clock: "_Clock") -> WholeGram | None:
    """K of all rows, in memory or on the device; None where there is no time."""
    rows, kernel = task.rows, task.kernel
    device, X = rows.features.map.device, rows.features.X
    if device is None:
        allowed = 0.5 * _ROUNDED * task.tau  # a random matrix has twice the norm of its rows
        return HalfGram.of(rows.n, between(kernel, X, allowed), clock.stop)
    there = DeviceSum.of(device.arrays, kernel.leaves, kernel.mixture, X)
    return DeviceGram.of(device.arrays, rows.n, there.between, clock.stop)


def _spanned(begun: Begun, fit: Fit, size: FloatArray, features: FeatureBlock) -> Spanned:
    """What the landmarks know with the kernel of the sample, which is so large at all rows: k(x, x), shape (n,)."""
    owners, pieces = iter(fit.map.owner), [np.zeros(0)]
    for leaf, part in zip(begun.leaves, begun.at.parts, strict=True):
        if not isinstance(leaf.family, Delta):
            pieces.append(np.sqrt(leaf.parameters(part)[next(owners)]))
    root = np.concatenate(pieces)
    missing = np.maximum(size - features.squares(root**2), 0.0)
    return Spanned(features, root, missing)


def _factor(inner: FloatArray, noise: float) -> FloatArray:
    """L with L L' = inner + noise I."""
    raised = inner.copy()
    raised[np.diag_indices(len(raised))] += noise
    return np.asarray(cholesky(raised, lower=True, overwrite_a=True, check_finite=False))


def _held_out(task: _Task) -> IntArray:
    """Rows that say how far the machine is right: landmarks know their own targets, and are none of them."""
    missing = task.spanned.missing
    others = np.flatnonzero(missing > _LANDMARK * missing.mean())
    drawn = np.random.default_rng(task.request.settings.seed).permutation(others)
    return np.sort(drawn[: min(_HELD_OUT, task.rows.n // 5)])


def _error(task: _Task) -> float:
    """The mean squared error of the landmarks' machine on some rows, each left out in turn; 0 where all rows are
    landmarks.
    """
    out = _held_out(task)
    return float(np.mean(task.fit.mean().left_out(task.rows.only(out)) ** 2)) if len(out) else 0.0


def _beside(task: _Task, noise: float, out: IntArray, values: FloatArray | None) -> Beside:
    """How sure numbers are: as landmarks know it, times what rows say that were held out, all of it without these."""
    begun, rows = task.begun, task.rows
    thin = learned_kernel(begun.leaves, begun.at, task.request.training)
    places = np.concatenate(places_of(begun.leaves, begun.at, task.fit.map, rows.features.X))
    root = task.spanned.root[places]
    lower = _factor(root[:, None] * task.fit.sums.inner[np.ix_(places, places)] * root, noise)
    if values is None:
        return Beside(noise, thin, lower, 1.0)
    unknown = _unknown(task.spanned, out, lower, places, noise)
    return Beside(noise, thin, lower, share_of(rows.y[out] - values, unknown, noise / rows.weight[out]))


def _unknown(spanned: Spanned, rows: IntArray, lower: FloatArray, places: IntArray, tau: float) -> FloatArray:
    """The variance by landmarks, whose features stand in these places, at some rows (k,), shape (k,)."""
    features = spanned.features.rows(rows)[:, places] * spanned.root[places]
    half = solve_triangular(lower, features.T, lower=True, check_finite=False)
    return np.asarray(tau * np.einsum("ij,ij->j", half, half) + spanned.missing[rows])


@attrs.frozen
class _Clock:
    """Says whether there is no time for the rest.

    Attributes:
        began: when.
        budget: of all.
    """

    began: float
    budget: Budget

    def stop(self, share: float) -> bool:
        """Whether to stop after this share of the Gram."""
        taken = time.monotonic() - self.began
        return not self.budget.allows(taken * (_AFTER / share - 1.0))
