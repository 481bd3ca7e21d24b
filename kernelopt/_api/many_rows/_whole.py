"""The machine of the whole kernel, where landmarks leave out much of it: on all rows whose Gram still fits."""

import math
import time

import attrs
import numpy as np
from scipy.special import expit

from kernelopt._api.many_rows import _remainder
from kernelopt._api.many_rows._deviation import beside
from kernelopt._api.many_rows._remainder import Known
from kernelopt._api.many_rows._rough import Rough
from kernelopt._base._budget import Budget
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._device._gram import DeviceGram
from kernelopt._evidence._whole_kernel import Equations, HalfGram, WholeGram, WholeKernel
from kernelopt._evidence.classes._laplace import Classes
from kernelopt._evidence.classes._shares import shares_from
from kernelopt._evidence.classes._summed_classes import Labelled, some_of
from kernelopt._evidence.classes._whole_classes import WholeClasses
from kernelopt._families.features._device_kernel import DeviceSum
from kernelopt._linalg._gram import Dense
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._odds import Logistic, Odds
from kernelopt._prediction._posterior import Posterior
from kernelopt._prediction._single import between

_LESS, _MORE = (0.5, 0.25, 0.125, 0.0625), (2.0, 4.0, 8.0, 16.0)
"""Shares of the noise that are tried, each where the one before brought something: more of it where less is worse."""
_CHOOSE, _JUDGE = slice(0, None, 2), slice(1, None, 2)
"""Of the rows that are held out: those that choose among these, and those that had no part in it, which say how sure
numbers are."""
_ROUNDED = 0.05
"""Of the noise: what the rounding of K may come to."""
_AFTER = 1.5
"""What comes after the Gram takes no more than half as long again."""
_TELLING = 0.005
"""So much of the Gram says how long all of it takes: a guard, for less may take as long as a look at the clock."""


@attrs.frozen(eq=False)
class WholeMachine:
    """What predicts with the whole kernel.

    Attributes:
        kernel: the whole one.
        places: the numbers of the training rows that it learned from, and of landmarks, ascending, shape (s,).
        V: v on them, shape (s, c).
        level: what is added to all values, shape (c,).
        note: what the user should know.
        posterior: how sure it is of numbers.
        odds: how probable classes are by its values.
    """

    kernel: Kernel
    places: IntArray
    V: FloatArray
    level: FloatArray
    note: str
    posterior: Posterior | None = None
    odds: Odds | None = None


@attrs.frozen(eq=False)
class ByLandmarks:
    """The landmarks' machine of all rows.

    Attributes:
        coefficients: of the features, shape (r, c).
        scales: of the kernel of each output that odds are learned of, shape (c,); None of numbers.
    """

    coefficients: FloatArray
    scales: FloatArray | None = None


@attrs.frozen(eq=False)
class _Task:
    """What the whole kernel learns.

    Attributes:
        rough: from which rows.
        known: what landmarks know of them beforehand: nothing, where these are all rows.
        whole: the kernel between them.
    """

    rough: Rough
    known: Known
    whole: WholeKernel

    @property
    def left(self) -> FloatArray:
        """What is left of the targets, shape (n, c)."""
        return np.asarray(self.rough.rows.y - self.known.values)

    @property
    def judging(self) -> FloatArray:
        """The same of the rows that are held out, by landmarks that have not seen these, shape (k, c)."""
        rough = self.rough
        return rough.by_landmarks if self.beforehand else rough.rows.y[rough.out]

    @property
    def beforehand(self) -> bool:
        """Whether landmarks are known beforehand."""
        return len(self.known.places) > 0

    @property
    def weight(self) -> FloatArray:
        """How often the rows count that are held out, shape (k,)."""
        return self.rough.rows.weight[self.rough.out]

    def error(self, values: FloatArray | None) -> float:
        """The mean squared error of the rows that choose, by values of all that are held out (k, c); inf without."""
        if values is None or not len(values):
            return math.inf
        squares = np.mean((self.judging - values)[_CHOOSE] ** 2, axis=1)
        return float(np.average(squares, weights=self.weight[_CHOOSE]))


def whole_machine(rough: Rough, landmarks: ByLandmarks | None) -> WholeMachine | str | None:
    """What the rows say by the kernel of the sample; a note for the user where there was no time, and None where
    landmarks say it as well or the equations do not settle.

    Args:
        rough: the rows.
        landmarks: what landmarks and all rows say, where there are more rows; else None.
    """
    if rough.follower.budget.cancelled():
        return rough.late
    known = None if landmarks is None else _remainder.known(rough, landmarks.coefficients)
    if known is None and landmarks is not None and rough.by_odds:
        return None
    rough.follower.told("the whole kernel", 0.9)
    gram = _gram(rough, _Clock(rough.follower.budget))
    if gram is None:
        return rough.late
    task = _Task(rough, known or _remainder.nothing(rough), WholeKernel(gram, rough.spanned))
    scales = None if landmarks is None else landmarks.scales
    found = _by_odds(task, scales) if rough.by_odds else _by_numbers(task)
    return rough.late if found is None and rough.follower.budget.cancelled() else found


def _by_numbers(task: _Task) -> WholeMachine | None:
    """The mean of numbers, or of -1 and 1; None where equations do not settle, or landmarks alone are better."""
    rough = task.rough
    scale = np.sqrt(rough.rows.weight)[:, None]
    for best in _best_first(task, Equations.of(task.whole, scale[:, 0], rough.tau)):
        if len(rough.out) and not task.error(best.values) < _by_landmarks(task):
            return None
        solution = best.equations.solved(scale * task.left, rough.follower.budget.cancelled, start=best.found)
        if solution is not None:
            return _of_numbers(task, best, scale * solution)
    return None


def _by_landmarks(task: _Task) -> float:
    """The mean squared error of landmarks and all rows on those that choose."""
    return task.error(task.judging - task.rough.by_landmarks)


def _of_numbers(task: _Task, best: "_Without", V: FloatArray) -> WholeMachine | None:
    """The machine of V on all rows (n, c), with what it predicted of the rows that were held out (k,)."""
    rough, values = task.rough, best.values
    machine = _machine(task, V, best.share)
    if rough.request.training.classes is None:
        left = None if values is None else (task.judging - values)[_JUDGE]
        noise = best.equations.tau if best.share > 1.0 else min(rough.noise, best.equations.tau)
        return attrs.evolve(machine, posterior=beside(rough, noise, rough.out[_JUDGE], left))
    if values is None:
        return None
    y = rough.rows.y[rough.out]
    return attrs.evolve(machine, odds=shares_from(y - task.judging + values, y, task.weight))


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


def _best_first(task: _Task, equations: Equations) -> list[_Without]:
    """With the noise that predicts held-out rows best, of numbers, and then with those that it is better than: with
    less noise the equations of all rows may not settle.

    With few rows a part of the function looks like noise, so the noise of the sample may be too large for all rows.
    """
    began = time.monotonic()
    found = [_without(task, 1.0, equations)]
    taken = time.monotonic() - began
    if found[0].values is None or task.rough.request.training.classes is not None:
        return found
    for shares in (_LESS, _MORE):
        for share in shares:
            if not task.rough.follower.budget.allows(2.0 * taken):  # and the machine of all rows after it
                return found
            other = _without(task, share, equations.noisy(share * equations.tau), found[0].found)
            if not task.error(other.values) < task.error(found[0].values):
                break
            found.insert(0, other)
        if len(found) > 1:
            break
    return found


def _without(task: _Task, share: float, equations: Equations, start: FloatArray | None = None) -> _Without:
    """Without the rows that are held out, with this share of the noise."""
    out, scale = task.rough.out, equations.scale[:, None]
    kept = np.setdiff1d(np.arange(task.rough.rows.n), out)
    found = equations.solved(scale * task.left, task.rough.follower.budget.cancelled, kept, start)
    if found is None:
        return _Without(share, equations)
    return _Without(share, equations, found, equations.whole.gram.between(out, scale * found))


def _by_odds(task: _Task, scales: FloatArray | None) -> WholeMachine | None:
    """The logistic mode of each output, with the scales of the landmarks' odds where these are known beforehand; None
    where one does not settle.
    """
    rough, found = task.rough, []
    for output in range(rough.rows.y.shape[1]):
        scale, start = (float(scales[output]), None) if scales is not None else _begun(rough, output)
        y, known = np.sign(rough.rows.y[:, output]), task.known.values[:, output]
        classes = WholeClasses(task.whole, y, rough.rows.weight, rough.follower.budget.cancelled, known)
        mode = classes.mode(scale, start)
        if not mode.settled:
            return None
        found.append(mode.scale * mode.a)
    return attrs.evolve(_machine(task, np.column_stack(found)), odds=Logistic())


def _begun(rough: Rough, output: int) -> tuple[float, FloatArray]:
    """The scale of an output by some rows, and a start for its mode by landmarks on these, shape (n,)."""
    rows, fit, root, stop = rough.rows, rough.fit, rough.spanned.root, rough.follower.budget.cancelled
    some = some_of(fit.few, rough.request.settings.seed)
    gram = Dense(rough.kernel.between(some.features.X, some.features.X))
    scale = Classes(gram, 0.0, np.sign(some.y[:, output]), some.weight, stop).scaled().scale
    b = Labelled(fit.few, fit.map, root, output, stop).mode(scale, np.zeros(len(root)))
    y = np.sign(rows.y[:, output])
    f = rough.spanned.features.times((math.sqrt(scale) * root * b)[:, None])[:, 0]
    return scale, rows.weight * y * expit(-y * f)


def _machine(task: _Task, V: FloatArray, share: float = 1.0) -> WholeMachine:
    """What predicts by V of the rows (n, c), learned with so much of the noise, and by what is known beforehand."""
    rough, known = task.rough, task.known
    places = np.union1d(rough.rows.places, known.places)
    every = np.zeros((len(places), V.shape[1]))
    every[np.searchsorted(places, rough.rows.places)] = V
    every[np.searchsorted(places, known.places)] += known.V
    level = rough.request.training.level + known.level
    return WholeMachine(rough.kernel, places, every, level, rough.note(share, task.beforehand))


def _gram(rough: Rough, clock: "_Clock") -> WholeGram | None:
    """K of the rows, in memory or on the device; None where there is no time."""
    rows, kernel = rough.rows, rough.kernel
    device, X = rows.features.map.device, rows.features.X
    if device is None:
        allowed = 0.5 * _ROUNDED * rough.tau  # a random matrix has twice the norm of its rows
        return HalfGram.of(rows.n, between(kernel, X, allowed), clock.stop)
    there = DeviceSum.of(device.arrays, kernel.leaves, kernel.mixture, X)
    return DeviceGram.of(device.arrays, rows.n, there.between, clock.stop)


@attrs.define
class _Clock:
    """Says whether there is no time for the rest.

    The first rows take what all rows have in common, such as the codes of their categories, so that a Gram of 40,000
    rows would seem to take a hundred times as long as it does: the rows after these say how long it takes.

    Attributes:
        budget: of all.
        first: when the first rows were done, and their share of the Gram; None before.
    """

    budget: Budget
    first: tuple[float, float] | None = None

    def stop(self, share: float) -> bool:
        """Whether to stop after this share of the Gram."""
        now = time.monotonic()
        if self.first is None:
            self.first = (now, share)
        began, before = self.first
        if share - before < _TELLING:
            return self.budget.cancelled()
        return not self.budget.allows((now - began) / (share - before) * (_AFTER - share))
