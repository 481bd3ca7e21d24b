"""Rows that Gaussian noise cannot explain: where they make up much of what a kernel leaves of the targets, and the
evidence is better by noise of Student's t, the kernel is learned with that.

    learn with Gaussian noise; done, with a noise of each row, where the noise is seen to differ between rows, unless
        even that noise expects few targets as far out as some are
    done, unless rows that lie too far from what others say make up much of the squares
    weights of rows by their targets alone; then, on the families as they begin, learn and weigh the rows anew
    families grow and learn with these weights; weigh the rows and learn again while the bound on the evidence rises
    the likelier of the two is the answer, but Gaussian noise where others predict a row better with it, and where
    Student's t leaves no noise and the rows that it does not believe are no surprise to Gaussian noise; a noise of each
    row, if there is one, stands for Gaussian noise then

The weights come from the targets first, and not from what Gaussian noise has learned: a kernel may have gone far for
one row, or may have taken all others for noise. Heavy tails alone are no reason: Student's t predicts where most
targets are, and where rare ones are far on one side, which is not their mean, squared errors grow.
"""

import math
import time

import attrs
import numpy as np

from kernelopt._api._build import reweighted
from kernelopt._api._choose import Choice
from kernelopt._api._learned import UNPROVED, Call, Learned, again, hurried, learned, prolonged
from kernelopt._api._validate import Request
from kernelopt._api.outliers._heavy_tails import tailed
from kernelopt._api.outliers._outlier_looks import believing, first_weighed, telling
from kernelopt._api.outliers._outlier_signs import doubtful, even, loses, noiseless, own_weights, surprising, unexpected
from kernelopt._api.outliers._outlier_words import told
from kernelopt._api.outliers._row_noise import by_row
from kernelopt._base._budget import Budget
from kernelopt._evidence._counting import counted
from kernelopt._evidence._criterion import Evidence
from kernelopt._evidence.noise._outliers import far_out
from kernelopt._evidence.noise._student import (
    Residuals,
    around_median,
    evidence_of,
    least_of,
    residuals_of,
    tails_of,
    term,
)
from kernelopt._model._solution import Solution
from kernelopt._prediction._tails import Tails

_MOST = 10
"""So often, at most, they are weighed by those that have grown: a guard, for the bound stops rising before."""
_SETTLED = 0.1
"""Weights are settled where the bound rises by less than this share of what counts as the same: a guard, for weighing
again takes a fraction of what learning does.
"""
_AGAIN = 2.0
"""Learning with noise of Student's t takes so many times as long as with Gaussian noise, at least."""
_CUT = (
    "noise: no time was left to weigh the rows again for Student's t noise until their weights stay as they are, so "
    "other weights and another kernel may make the targets more likely; raise max_seconds"
)


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
    taken = _taken(request, call)
    if criterion.noise == "student" or taken is not None:
        call = attrs.evolve(call, fewer=False)
        found, cut = _risen(request, *_first(request, choice, call, taken), call)
        if found.tails is None:
            return found
        return tailed(attrs.evolve(found, notes=(*told(found, request.training.rows), *cut)))
    return _better(learned(request, choice, call), choice, call, len(request.training.X))


def foreseen(request: Request) -> bool:
    """Whether the targets alone say that noise of Student's t will be tried after Gaussian noise."""
    criterion = request.criterion
    if not isinstance(criterion, Evidence) or criterion.task != "regression" or criterion.noise != "auto":
        return False
    return not _copied(request, criterion) and far_out(request.training.y).size > 0


def _taken(request: Request, call: Call) -> Tails | None:
    """How far rows are believed by the solution that the run goes on from, where it learned from as many rows with
    noise of Student's t: the run takes this noise, as it takes the kernels. None elsewhere.
    """
    tails = call.start.tails if isinstance(call.start, Solution) else None
    known = tails is not None and (len(tails.weight), tails.outputs) == request.training.encoded.shape
    return tails if known else None


def _copied(request: Request, criterion: Evidence) -> bool:
    """Whether rows are so many copies, of which each would have a factor of its own."""
    s = counted(request.training.weight, criterion.weights)
    return criterion.weights == "copies" and float(s.sum()) > len(s)


def _better(gaussian: Learned, choice: Choice, call: Call, n: int) -> Learned:
    """What was learned with Gaussian noise of one size, or with a noise of each row, or with Student's t.

    Args:
        gaussian: what was learned.
        choice: the families before they grow, and the solver.
        call: what else a run gets.
        n: the number of all rows: where time was too short to learn from all, their noise is of one size.
    """
    if gaussian.done.status in UNPROVED:
        return gaussian
    gaussian = attrs.evolve(gaussian, request=prolonged(gaussian.request))
    request, problem = gaussian.request, gaussian.problem
    if not Budget(request.deadline).allows(gaussian.done.pace):
        return _unasked(gaussian)
    residuals = residuals_of(problem, gaussian.done.bounds.response, own_weights(request))
    if residuals is None:
        return gaussian
    try:
        uneven = by_row(gaussian, residuals, choice, call) if problem.n == n else None
    except (KeyboardInterrupt, MemoryError):
        return gaussian
    if uneven is None:
        found = _heavier(gaussian, residuals, choice, call) if doubtful(residuals, request) else gaussian
        return tailed(found, residuals) if found.tails is None else found
    strange = uneven.uneven is not None and unexpected(uneven.uneven, request)
    return _heavier(uneven, residuals, choice, call) if strange and doubtful(residuals, request) else uneven


def _heavier(gaussian: Learned, residuals: Residuals, choice: Choice, call: Call) -> Learned:
    """What was learned with Gaussian noise, or with Student's t where that is likelier by 1/2 log n nats.

    So many Schwarz (1978) wants for a number that is learned, and the degrees of freedom are one.
    """
    request, problem = gaussian.request, gaussian.problem
    margin = 0.5 * math.log(problem.n)
    if not Budget(request.deadline).allows(_AGAIN * (time.monotonic() - request.began)):
        return _unasked(gaussian)
    try:
        if telling(gaussian, residuals, call):
            return gaussian
        quick = hurried(request)
        student, took = _first(quick, choice, call.anew)
        if _worse(student, residuals, request):
            return gaussian
        student, cut = _risen(quick, student, took, call.anew)
    except (KeyboardInterrupt, MemoryError):
        return gaussian
    if _worse(student, residuals, request):
        return gaussian
    gain = _bound(student) - evidence_of(problem, gaussian.done.bounds.response)
    if gain <= margin:
        return gaussian
    assert student.tails is not None
    if noiseless(student) and even(request) and not surprising(residuals, student.tails):
        return gaussian
    kept = attrs.evolve(student.request, began=request.began, since=request.since, settings=request.settings)
    notes = (*told(student, request.training.rows, gain), *cut)
    return tailed(attrs.evolve(student, request=kept, notes=notes))


def _worse(student: Learned, gaussian: Residuals, request: Request) -> bool:
    """Whether Student's t is no answer, or rows are predicted worse with it than with Gaussian noise."""
    if student.tails is None or student.done.status in UNPROVED:
        return True
    after = residuals_of(student.problem, student.done.bounds.response, own_weights(request))
    return after is None or loses(after, gaussian, request)


def _unasked(gaussian: Learned) -> Learned:
    """What was learned, with a note: the same with Student's t takes at least as long again."""
    note = "noise: no time was left to try Student's t noise, which suits outliers better; raise max_seconds"
    return attrs.evolve(gaussian, notes=(*gaussian.notes, note))


def _first(request: Request, choice: Choice, call: Call, taken: Tails | None = None) -> tuple[Learned, float]:
    """What is learned with the first weights, and the seconds that it took; with Gaussian noise where all targets are
    the same.

    Args:
        request: what was asked for.
        choice: the families before they grow, and the solver.
        call: what else a run gets.
        taken: the first weights, where they are known.
    """
    Y = request.training.encoded
    squares = around_median(Y, own_weights(request))
    if not squares.any():
        return learned(request, choice, call), 0.0
    tails = taken
    if tails is None:
        by_targets = tails_of(np.maximum(squares, least_of(squares)), Y.shape[1], anywhere=False)[0]
        tails = first_weighed(request, choice, by_targets, call)
    began = time.monotonic()
    found = learned(believing(request, tails), choice, call)
    found = attrs.evolve(found, tails=tails, asked=request.criterion, own=request.training.weight[:, 0])
    return found, time.monotonic() - began


def _risen(request: Request, best: Learned, took: float, call: Call) -> tuple[Learned, tuple[str, ...]]:
    """Weighed and learned again while learning lets the bound on the evidence rise by more than what counts as the
    same, and there is time for as long as it took before; with a note where there is none.
    """
    for _ in range(_MOST):
        if best.done.status in UNPROVED or best.tails is None:
            break
        if not Budget(request.deadline).allows(took):
            return best, (_CUT,)
        began = time.monotonic()
        try:
            tails, bound = _weighed(request, best, took, call)
            found = attrs.evolve(again(best, believing(request, tails), call), tails=tails)
        except KeyboardInterrupt:
            break
        took = time.monotonic() - began
        after = _bound(found)
        best = found if after > _bound(best) and found.done.status not in UNPROVED else best
        if best is not found or after - bound <= best.done.atol:
            break
    return best, ()


def _weighed(request: Request, found: Learned, took: float, call: Call) -> tuple[Tails, float]:
    """How far rows are believed by a kernel, weighed again while the bound on the evidence rises by more than what
    counts as the same, and that bound.

    One weighing takes a factorisation and an inverse, where learning again takes many. There is no further one where
    that would leave less time than learning took.
    """
    assert found.tails is not None
    problem, response = found.problem, found.done.bounds.response
    tails, bound = found.tails, _bound(found)
    for _ in range(_MOST):
        began = time.monotonic()
        residuals = residuals_of(problem, response, own_weights(request))
        if residuals is None:
            break
        later = tails_of(residuals.here, tails.outputs)[0]
        with call.gate.heeded():
            problem, _ = reweighted(problem, believing(request, later), found.choice)
            response = problem.respond(response.mixture)
        rise = evidence_of(problem, response) + term(later) - bound
        if rise > 0.0:
            tails, bound = later, bound + rise
        ahead = took + time.monotonic() - began
        if rise <= _SETTLED * found.done.atol or not Budget(request.deadline).allows(ahead):
            break
    return tails, bound


def _bound(found: Learned) -> float:
    """The lower bound on the logarithm of the targets' density with noise of Student's t, by a run with weights."""
    assert found.tails is not None
    return evidence_of(found.problem, found.done.bounds.response) + term(found.tails)
