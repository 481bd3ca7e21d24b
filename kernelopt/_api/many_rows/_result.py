"""The answer where rows were summed up over features: the machine of all rows, and what the user gets of it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import attrs
import numpy as np
from scipy.special import expit

from kernelopt._api._choose import Choice
from kernelopt._api._learned import Call
from kernelopt._api._learned_kernel import learned_kernel
from kernelopt._api._validate import Request
from kernelopt._api.many_rows._asked import evidence_of
from kernelopt._api.many_rows._begun import begun
from kernelopt._api.many_rows._fit import Fit, Follower, fitted, places_of, weight_of_copy
from kernelopt._api.many_rows._kept import Kept, ManyKeeper
from kernelopt._api.many_rows._on_landmarks import Begun
from kernelopt._api.many_rows._own_noise import means_of, posterior_by, thin
from kernelopt._api.many_rows._rough import rough
from kernelopt._api.many_rows._sample_noise import levelled
from kernelopt._api.many_rows._tails import tailed_by_landmarks
from kernelopt._api.many_rows._whole import ByLandmarks, WholeMachine, whole_machine
from kernelopt._base._budget import Budget
from kernelopt._base._status import Status
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._base._working_time import working
from kernelopt._criteria._dual_qp import Dual
from kernelopt._evidence.classes._summed_classes import Labelled, Mode, forgotten, logistic, shares
from kernelopt._evidence.noise._noise_alone import Gain, noise_of_sums
from kernelopt._evidence.noise._outliers import outlying
from kernelopt._families.features._feature_rows import HeldRows
from kernelopt._families.features._landmarks import Landmarks
from kernelopt._model._solution import Solution
from kernelopt._prediction._class_weights import unweighed, weighed
from kernelopt._prediction._odds import Logistic, Odds
from kernelopt._prediction._own_noise import OwnNoise
from kernelopt._prediction._posterior import Posterior
from kernelopt._prediction._posterior_of import scoped
from kernelopt._prediction._predictor import Predictor
from kernelopt._saddle._contract import Solver
from kernelopt._saddle._response import Response


def of_all_rows(request: Request, choice: Choice, call: Call) -> Solution:
    """The answer for many rows: their kernel, and what all of them say of it, but for what an earlier run has finished.

    Raises:
        InvalidData: the checkpoint is of another problem.
    """
    keeper = ManyKeeper(None if call.checkpoint is None else Path(call.checkpoint), request, choice.leaves)
    kernel = keeper.found.begun
    if kernel is None:
        kernel = begun(request, choice, call)
        if not Budget(request.deadline, lambda: call.gate.asked).cancelled():
            keeper.offer(Kept(attrs.evolve(kernel, features=None)))
    return solved(request, kernel, choice.solver, call, keeper)


def solved(request: Request, kernel: Begun, solver: Solver, call: Call, keeper: ManyKeeper | None = None) -> Solution:
    """The answer of all rows, with a kernel of some. Ctrl-C and a time limit end it with what is found."""
    keeper = ManyKeeper(None, request, ()) if keeper is None else keeper
    request = levelled(request, kernel.noise)
    budget = Budget(request.deadline, lambda: call.gate.asked)
    follower = Follower(call.gate, call.audience.told, call.audience.observers, budget)
    fit = fitted(request, kernel, solver, follower, keeper)
    follower.machine()
    return _solution(request, fit, kernel, follower, keeper)


_HURRIED = (
    "evidence: max_seconds left time for too few rows to learn a kernel that predicts better than the mean of the "
    'targets; give more seconds, or take effort="quick", which needs less time'
)


@attrs.frozen(eq=False)
class _Machine:
    """What predicts.

    Attributes:
        coefficients: of the features, shape (r, c).
        V: v on all training rows, shape (n, c), with coefficients = diag(w) Phi'v; on none where rows are not held.
        odds: how probable classes are by its values; None where it predicts numbers.
        scales: of the kernel of each output whose odds are learned, shape (c,); None of numbers.
        own: how large the noise and the function of each of several numbers are.
    """

    coefficients: FloatArray
    V: FloatArray
    odds: Odds | None = None
    scales: FloatArray | None = None
    own: OwnNoise | None = None


def _solution(request: Request, fit: Fit, begun: Begun, follower: Follower, keeper: ManyKeeper) -> Solution:
    """What the user gets."""
    training, done = request.training, fit.done
    machine = _predicting(request, fit, begun, follower, keeper)
    mixture, V = machine.predictor.kernel.mixture, machine.V
    rows = fit.rows if isinstance(fit.rows, HeldRows) else fit.few
    posterior = scoped(
        machine.posterior, machine.predictor.kernel, rows.features.X, rows.y, rows.weight, training.frame
    )
    predictor, odds = weighed(machine.predictor, machine.odds, training.class_weights)
    noted = (*request.notes, *begun.notes, *fit.map.notes, *machine.notes, *_ended(fit, request.n), *done.notes)
    found = Solution(
        status=done.status,
        certificate=done.bounds.certificate,
        predictor=predictor,
        support=training.rows[machine.places],
        support_vectors=_only(training.X, machine.places),
        baseline=None,
        trace=done.trace,
        seconds=working() - request.since,
        notes=(*noted, *unweighed(odds, training.class_weights), *_remarks(request, fit, begun), *keeper.notes),
        response=attrs.evolve(
            done.bounds.response, mixture=mixture, duals=_duals(done.bounds.response, training.learned(V))
        ),
        coefficients=V,
        criterion=request.criterion,
        posterior=posterior,
        odds=odds,
    )
    return attrs.evolve(found, status=Status.INTERRUPTED) if follower.gate.asked and done.status.proved else found


@attrs.frozen(eq=False)
class _Predicting:
    """What predicts, and how sure it is.

    Attributes:
        predictor: the function.
        places: the numbers of the training rows that it is a sum over, shape (s,): all, but where rows are not held, or
            there are too many for the whole kernel.
        V: v on them, shape (s, c).
        posterior: of numbers.
        odds: of classes.
        notes: what the user should know.
    """

    predictor: Predictor
    places: IntArray
    V: FloatArray
    posterior: Posterior | None
    odds: Odds | None = None
    notes: tuple[str, ...] = ()


def _predicting(request: Request, fit: Fit, begun: Begun, follower: Follower, keeper: ManyKeeper) -> _Predicting:
    """By the whole kernel, where landmarks leave out much of it and it has room and time, else by landmarks; by both,
    where there are more rows than the whole kernel has room for.
    """
    task = rough(request, begun, fit, follower)
    beforehand = _machine(request, fit, follower, keeper) if task is None or task.partial else None
    known = None if beforehand is None else ByLandmarks(beforehand.coefficients, beforehand.scales)
    whole = None if task is None else whole_machine(task, known)
    if isinstance(whole, WholeMachine):
        return _of_rows(request, whole)
    machine = _machine(request, fit, follower, keeper) if beforehand is None else beforehand
    return attrs.evolve(_of_features(request, fit, machine), notes=() if whole is None else (whole,))


def _of_rows(request: Request, whole: WholeMachine) -> _Predicting:
    """By the whole kernel and the rows that it learned from."""
    training, places = request.training, whole.places
    X = _only(training.X, places)
    V, level = training.as_given(whole.V), training.levels_as_given(whole.level)
    predictor = Predictor.of(whole.kernel, X, V, level, training.classes)
    return _Predicting(predictor, places, V, whole.posterior, whole.odds, (whole.note,))


def _only(X: FloatArray, places: IntArray) -> FloatArray:
    """These rows of X (n, d), ascending, shape (s, d): X itself where they are all."""
    return X if len(places) == len(X) else X[places]


def _of_features(request: Request, fit: Fit, machine: _Machine) -> _Predicting:
    """By the features of landmarks."""
    training, mixture = request.training, fit.mixture
    kernel = learned_kernel(fit.leaves, mixture, training)
    places = places_of(fit.leaves, mixture, fit.map, fit.few.features.X)
    pairs = zip(fit.leaves, places, strict=True)
    coefficients, V = training.as_given(machine.coefficients), training.as_given(machine.V)
    features = tuple(np.sqrt(leaf.factor) * coefficients[place] for leaf, place in pairs)
    level = training.levels_as_given(training.level).copy()
    predictor = Predictor(kernel, training.X[:0], V[:0], features, level, training.classes)
    posterior = None
    if training.classes is None:
        posterior = _sure(request, fit, np.concatenate(places), machine.own, predictor)
    return _Predicting(predictor, np.arange(len(V)), V, posterior, machine.odds)


def _sure(request: Request, fit: Fit, places: IntArray, own: OwnNoise | None, predictor: Predictor) -> Posterior:
    """How sure numbers are that the features in these places predict; of one number, with the tails that rows tell."""
    if own is not None:
        return posterior_by(fit, places, own)
    one = thin(fit, places)
    return one if fit.sums.along.shape[1] > 1 else tailed_by_landmarks(request, fit, one, predictor)


def _machine(request: Request, fit: Fit, follower: Follower, keeper: ManyKeeper) -> _Machine:
    """The numbers' mean or, where the criterion predicts so and there is time, the logarithm of the odds."""
    training, seed = request.training, request.settings.seed
    by_odds = training.classes is not None and evidence_of(request).by_odds(training.y.shape[1])
    if by_odds and not follower.budget.cancelled():
        found = _by_odds(request, fit, follower.budget.cancelled, keeper)
        if not follower.budget.cancelled():
            return found
    if training.classes is None:
        return _of_numbers(request, fit, follower)
    mean = fit.mean()
    V = _on_rows(request, fit, mean.coefficients, lambda y, f: (y - f) / fit.tau)
    return _Machine(mean.coefficients, V, shares(fit.few, mean, weight_of_copy(request, fit.few), seed))


def _of_numbers(request: Request, fit: Fit, follower: Follower) -> _Machine:
    """The mean of each target."""
    means = means_of(fit, request.settings.seed, follower.budget.cancelled)
    V = _on_rows(request, fit, means.coefficients, lambda y, f: (y - f) / (means.ratio * fit.tau))
    return _Machine(means.coefficients, V, own=means.own)


def _by_odds(request: Request, fit: Fit, stop: Callable[[], bool], keeper: ManyKeeper) -> _Machine:
    """The logistic mode of each output."""
    modes: list[Mode] = []
    for output in range(fit.sums.along.shape[1]):
        labelled = Labelled(fit.rows, fit.map, fit.root, output, stop)
        moved = partial(keeper.moved, output) if fit.rows.n == request.n else forgotten
        modes.append(logistic(labelled, fit.few, request.settings.seed, keeper.mode(output), moved))
    scales = np.array([mode.scale for mode in modes])
    coefficients = np.sqrt(scales) * fit.root[:, None] * np.column_stack([mode.b for mode in modes])
    V = _on_rows(request, fit, coefficients, lambda y, f: scales * np.sign(y) * expit(-np.sign(y) * f))
    return _Machine(coefficients, V, Logistic(), scales)


def _on_rows(
    request: Request, fit: Fit, coefficients: FloatArray, one: Callable[[FloatArray, FloatArray], FloatArray]
) -> FloatArray:
    """v of all training rows, shape (n, c), by the targets and values of rows that count once, and 0 of rows that were
    not seen; of none where rows are not held.
    """
    c, rows = coefficients.shape[1], fit.rows
    if not isinstance(rows, HeldRows):
        return np.zeros((0, c))
    V = np.zeros((len(request.training.X), c))
    V[rows.places] = rows.weight[:, None] * one(rows.y, rows.features.image(coefficients))
    return V


def _duals(response: Response, V: FloatArray) -> tuple[Dual, ...]:
    """Those of the sums, with v of all rows."""
    pairs = zip(response.duals, V.T, strict=True)
    return tuple(attrs.evolve(dual, alpha=v.copy(), v=v.copy()) for dual, v in pairs)


def _ended(fit: Fit, n: int) -> tuple[str, ...]:
    """A note where not all of n rows were seen."""
    k = fit.rows.n
    return (
        f"data: max_seconds, or Ctrl-C, ended the run after {k} of {n} rows; the machine learned from these rows",
    ) * (k < n)


def _remarks(request: Request, fit: Fit, begun: Begun) -> tuple[str, ...]:
    """What a user should know of the optimum that its numbers do not show."""
    training, sums = request.training, fit.sums
    mean = sums.total / sums.rows
    around = np.diagonal(sums.squares) - sums.rows * mean**2
    alone = noise_of_sums(sums.rows, mean, around, fit.noise) if fit.rows.n == request.n else None
    pairs = zip(fit.leaves, fit.mixture.parts, strict=True)
    weights = sum(len(part) for leaf, part in pairs if isinstance(leaf.family, Landmarks))
    classes = training.classes is not None
    gain = None if alone is None else Gain(alone - fit.done.bounds.response.upper, weights, fit.sums.rows, classes)
    far = None if classes else outlying(training.encoded, training.rows)
    noise = None if gain is None else gain.remark
    return tuple(text for text in (_HURRIED if noise and begun.hurried else noise, far) if text is not None)
