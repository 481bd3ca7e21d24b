"""Rows that Gaussian noise cannot explain: where they make up most of what a kernel leaves of the targets, and the
evidence is better by noise of Student's t, the kernel is learned with that.

    learn with Gaussian noise; done, unless rows that lie too far from what others say make up most of the squares
    weights of rows by their targets alone; then, on the families as they begin, learn and weigh the rows anew
    families grow and learn with these weights; weigh the rows and learn again while the bound on the evidence rises
    the likelier of the two is the answer, but Gaussian noise where others predict a row better with it, and where
    Student's t leaves no noise and the rows that it does not believe are no surprise to Gaussian noise

The weights come from the targets first, and not from what Gaussian noise has learned: a kernel may have gone far for
one row, or may have taken all others for noise. Heavy tails alone are no reason: Student's t predicts where most
targets are, and where rare ones are far on one side, which is not their mean, squared errors grow.
"""

import math
import time
from collections.abc import Iterator

import attrs
import numpy as np

from kernelopt._api._choose import Choice
from kernelopt._api._growth import restrained
from kernelopt._api._growth_fits import Ended, Kernels, Learner
from kernelopt._api._learned import Call, Learned, again, learned
from kernelopt._api._outlier_signs import bent, doubtful, even, loses, noiseless, own_weights, surprising
from kernelopt._api._start import some
from kernelopt._api._training import level_of
from kernelopt._api._validate import Request
from kernelopt._base._budget import Budget
from kernelopt._base._status import Status
from kernelopt._base._typing import IntArray
from kernelopt._evidence._counting import counted
from kernelopt._evidence._criterion import Evidence
from kernelopt._evidence._noise_alone import Gain
from kernelopt._evidence._student import (
    Residuals,
    around_median,
    evidence_of,
    least_of,
    residuals_of,
    tails_of,
    term,
)
from kernelopt._families._binding import tightened
from kernelopt._prediction._tails import Tails

_LOOKS = 3
"""So often, at most, rows are weighed by the kernel that Gaussian noise has learned: what the weights do shows by then.
"""
_FIRST = 3
"""So often, at most, rows are weighed by the families as they begin: a guard, for their weights are a start."""
_MOST = 10
"""So often, at most, they are weighed by those that have grown: a guard, for the bound stops rising before."""
_FEW = 1500
"""Of more than twice as many rows, so many are asked first whether they are told of by others: what they say so clearly
that their number does not hide it, all others say too."""
_NAMED = 5
"""So many rows are named."""
_AGAIN = 2.0
"""Learning with noise of Student's t takes so many times as long as with Gaussian noise, at least."""
_UNPROVED = (Status.INTERRUPTED, Status.MAX_SECONDS, Status.MAX_STEPS, Status.CONTRADICTION, Status.INDEFINITE)
"""A run that ended so is the answer as it is."""


def believed(request: Request, choice: Choice, call: Call) -> Learned:
    """What is learned with the noise that the criterion asks for, or that the evidence chooses.

    Args:
        request: what was asked for.
        choice: the families before they grow, and the solver.
        call: what else a run gets.

    Raises:
        KeyboardInterrupt: Ctrl-C came before there was an answer.
    """
    criterion = request.criterion
    if not isinstance(criterion, Evidence) or criterion.task != "regression" or criterion.noise == "gaussian":
        return learned(request, choice, call)
    if _copied(request, criterion):
        note = (
            "noise: weights that count copies of rows need Gaussian noise; for Student's t take relative weights, "
            'criterion=Evidence(weights="relative")'
        )
        return attrs.evolve(learned(request, choice, call), notes=(note,) if criterion.noise == "student" else ())
    if criterion.noise == "student":
        found = _student(request, choice, attrs.evolve(call, fewer=False))
        return found if found.tails is None else attrs.evolve(found, notes=(_told(found.tails, request.training.rows),))
    return _better(learned(request, choice, call), choice, call)


def _copied(request: Request, criterion: Evidence) -> bool:
    """Whether rows are so many copies, of which each would have a factor of its own."""
    s = counted(request.training.weight, criterion.weights)
    return criterion.weights == "copies" and float(s.sum()) > len(s)


def _better(gaussian: Learned, choice: Choice, call: Call) -> Learned:
    """What was learned with Gaussian noise, or with Student's t where that is likelier by 1/2 log n nats.

    So many Schwarz (1978) wants for a number that is learned, and the degrees of freedom are one.
    """
    request, problem = gaussian.request, gaussian.problem
    margin = 0.5 * math.log(problem.n)
    if gaussian.done.status in _UNPROVED:
        return gaussian
    budget = Budget(request.deadline)
    if not budget.allows(gaussian.done.pace):
        return _unasked(gaussian)
    residuals = residuals_of(problem, gaussian.done.bounds.response, own_weights(request))
    if residuals is None or not doubtful(residuals, request):
        return gaussian
    if not budget.allows(_AGAIN * (time.monotonic() - request.began)):
        return _unasked(gaussian)
    try:
        if _telling(gaussian, residuals, call):
            return gaussian
        student = _student(_hurried(request), choice, call.anew)
    except (KeyboardInterrupt, MemoryError):
        return gaussian
    if student.tails is None or student.done.status in _UNPROVED:
        return gaussian
    gain = _bound(student) - evidence_of(problem, gaussian.done.bounds.response)
    after = residuals_of(student.problem, student.done.bounds.response, own_weights(request))
    if gain <= margin or after is None or loses(after, residuals, request):
        return gaussian
    if noiseless(student) and even(request) and not surprising(residuals, student.tails):
        return gaussian
    kept = attrs.evolve(student.request, began=request.began, since=request.since, settings=request.settings)
    return attrs.evolve(student, request=kept, notes=(_told(student.tails, request.training.rows, gain),))


def _unasked(gaussian: Learned) -> Learned:
    """What was learned, with a note: the same with Student's t takes at least as long again."""
    note = (
        "noise: no time was left to try Student's t noise, which suits outliers better, so the noise is Gaussian; "
        "raise max_seconds"
    )
    return attrs.evolve(gaussian, notes=(*gaussian.notes, note))


def _telling(gaussian: Learned, residuals: Residuals, call: Call) -> bool:
    """Whether, from the kernel that was learned on, rows are predicted worse where those far out are believed less.

    Some rough looks, for a fraction of what learning anew takes; where noise alone was learned, or the kernel has bent
    to rows that are far out, they say nothing.
    """
    request, done = gaussian.request, gaussian.done
    found = Gain.of(gaussian.problem, done.bounds.response)
    if found is None or found.doubtful or bent(residuals, request):
        return False
    kernels = Kernels(tightened(gaussian.problem.leaves), done.bounds.response.mixture)
    if len(residuals.left) > 2 * _FEW and _telling_of_some(request, gaussian.choice, kernels, call):
        return True
    return _looks_lose(request, gaussian.choice, kernels, residuals, call)


def _telling_of_some(request: Request, choice: Choice, kernels: Kernels, call: Call) -> bool:
    """The same by some of the rows, for a fraction of the time: where these say so, all need not be asked."""
    rows = np.random.default_rng(request.settings.seed).permutation(len(request.training.X))[:_FEW]
    few = attrs.evolve(request, training=some(request.training, np.sort(rows)))
    plain = next(_believing_less(few, choice, kernels, None, call, 1), None)
    return plain is not None and doubtful(plain, few) and _looks_lose(few, choice, kernels, plain, call)


def _looks_lose(request: Request, choice: Choice, kernels: Kernels, residuals: Residuals, call: Call) -> bool:
    """Whether a look that believes rows far out less predicts rows worse than what Gaussian noise leaves of them."""
    tails = tails_of(residuals.left, residuals.away.shape[1])[0]
    looks = _believing_less(request, choice, kernels, tails, call, _LOOKS)
    return any(loses(after, residuals, request) for after in looks)


def _believing_less(
    request: Request, choice: Choice, kernels: Kernels, tails: Tails | None, call: Call, most: int
) -> Iterator[Residuals]:
    """What is left of the targets by rough fits, each with the weights that the one before gave rows; the first with
    Gaussian noise where there are none.
    """
    every = np.arange(len(request.training.X))
    for done in range(most):
        weighted = request if tails is None else _with(request, tails)
        learner = Learner(weighted, choice.solver, call.gate, call.audience.told)
        learner.told("how far rows are believed", done / most)
        try:
            with call.gate.heeded():
                fit, problem = learner.fitted(kernels, every)
                found = residuals_of(problem, fit.response, own_weights(request))
        except Ended as end:
            if end.interrupted:
                raise KeyboardInterrupt from None
            return
        if found is None:
            return
        kernels = attrs.evolve(kernels, at=fit.response.mixture)
        tails = tails_of(found.left, found.away.shape[1])[0]
        yield found


def _hurried(request: Request) -> Request:
    """The request with the time that is left, for a second run."""
    if request.deadline is None:
        return request
    now = time.monotonic()
    left = max(request.deadline - now, 1e-3)
    return attrs.evolve(request, began=now, settings=attrs.evolve(request.settings, max_seconds=left))


def _student(request: Request, choice: Choice, call: Call) -> Learned:
    """What is learned with noise of Student's t; with Gaussian noise where all targets are the same."""
    Y = request.training.encoded
    squares = around_median(Y, own_weights(request))
    if not squares.any():
        return learned(request, choice, call)
    first = tails_of(np.maximum(squares, least_of(squares)), Y.shape[1])[0]
    tails = _weighed(request, choice, first, call)
    began = time.monotonic()
    found = learned(_with(request, tails), choice, call)
    best = attrs.evolve(found, tails=tails, asked=request.criterion, own=request.training.weight[:, 0])
    return _risen(request, best, call, time.monotonic() - began)


def _weighed(request: Request, choice: Choice, tails: Tails, call: Call) -> Tails:
    """How far rows are believed by what the families as they begin learn of them, each row by all others."""
    for found in _believing_less(request, choice, Kernels(restrained(choice.leaves)), tails, call, _FIRST):
        tails = tails_of(found.left, tails.outputs)[0]
    return tails


def _risen(request: Request, best: Learned, call: Call, took: float) -> Learned:
    """Weighed and learned again while the bound on the evidence rises by more than what counts as the same, and there
    is time for as long as it took before.
    """
    own = own_weights(request)
    for _ in range(_MOST):
        if best.done.status in _UNPROVED or best.tails is None or not Budget(request.deadline).allows(took):
            break
        began = time.monotonic()
        residuals = residuals_of(best.problem, best.done.bounds.response, own)
        if residuals is None:
            break
        tails = tails_of(residuals.here, best.tails.outputs)[0]
        try:
            found = attrs.evolve(again(best, _with(request, tails), call), tails=tails)
        except KeyboardInterrupt:
            break
        took = time.monotonic() - began
        rise = _bound(found) - _bound(best)
        best = found if rise > 0.0 and found.done.status not in _UNPROVED else best
        if best is not found or rise <= best.done.atol:
            break
    return best


def _bound(found: Learned) -> float:
    """The lower bound on the logarithm of the targets' density with noise of Student's t, by a run with weights."""
    assert found.tails is not None
    return evidence_of(found.problem, found.done.bounds.response) + term(found.tails)


def _with(request: Request, tails: Tails) -> Request:
    """The request with rows that are believed so far: what is learned is what relative weights ask for."""
    training, criterion = request.training, request.criterion
    assert isinstance(criterion, Evidence)
    weight = training.weight * tails.weight[:, None]
    level = level_of(training.encoded, weight, criterion)
    return attrs.evolve(
        request,
        training=attrs.evolve(training, level=level, weight=weight),
        criterion=attrs.evolve(criterion, weights="relative", noise="student"),
    )


def _told(tails: Tails, rows: IntArray, gain: float | None = None) -> str:
    """What a user should know; where the evidence has chosen, by how many nats."""
    least = np.sort(rows[np.argsort(tails.weight, kind="stable")[:_NAMED]])
    why = (
        ""
        if gain is None
        else f", for it makes the targets at least {gain:.3g} nats more likely than Gaussian noise does"
    )
    return (
        f"noise: Student's t with {tails.degrees:g} degrees of freedom was taken{why}; {np.sum(tails.weight < 0.5)} of "
        f"{len(rows)} rows weigh less than a half (least: {', '.join(str(row) for row in least)}), and the certificate "
        'is about the kernel at these weights; look at these rows, or take criterion=Evidence(noise="gaussian"), which '
        "trusts all rows equally"
    )
