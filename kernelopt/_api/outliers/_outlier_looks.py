"""Rough looks at rows that lie far out: a kernel is learned with the weights that they have so far, and weighs them.

Of many rows some are looked at, for a fraction of the time: what the kernel of the answer says of all of them is asked
when that has been learned.
"""

from collections.abc import Iterator

import attrs
import numpy as np

from kernelopt._api._choose import Choice
from kernelopt._api._learned import Call, Learned
from kernelopt._api._learned_kernel import learned_kernel
from kernelopt._api._validate import Request
from kernelopt._api.data._training import level_of
from kernelopt._api.growth._fits import Ended, Fitted, Learner
from kernelopt._api.growth._grown import restrained
from kernelopt._api.growth._kernels import Kernels
from kernelopt._api.outliers._outlier_signs import bent, doubtful, loses, own_weights
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._evidence._criterion import Evidence
from kernelopt._evidence.noise._noise_alone import Gain
from kernelopt._evidence.noise._student import Residuals, residuals_of, tails_of
from kernelopt._families._binding import tightened
from kernelopt._prediction._tails import Tails

_LOOKS = 3
"""So often, at most, rows are weighed by the kernel that Gaussian noise has learned: what the weights do shows by then.
"""
_FIRST = 3
"""So often, at most, rows are weighed by the families as they begin: a guard, for their weights are a start."""
_FEW = 1500
"""Of more than twice as many rows, so many are looked at. Worth: `outliers_table.py`."""


def telling(gaussian: Learned, residuals: Residuals, call: Call) -> bool:
    """Whether, from the kernel that was learned on, rows are predicted worse where those far out are believed less.

    Where noise alone was learned, or the kernel has bent to rows that are far out, looks say nothing.
    """
    request, done = gaussian.request, gaussian.done
    found = Gain.of(gaussian.problem, done.bounds.response)
    if found is None or found.doubtful or bent(residuals, request):
        return False
    kernels, rows = Kernels(tightened(gaussian.problem.leaves), done.bounds.response.mixture), _looked_at(request)
    if len(rows) == len(request.training.X):
        return _looks_lose(request, gaussian.choice, kernels, residuals, call)
    few = _of_these(request, rows)
    plain = next(_looks(few, gaussian.choice, kernels, None, call, 1), None)
    if plain is None or not doubtful(plain.left, few):
        return False
    return _looks_lose(few, gaussian.choice, kernels, plain.left, call)


def first_weighed(request: Request, choice: Choice, tails: Tails, call: Call) -> Tails:
    """How far rows are believed by what the families as they begin learn of them, each row by others.

    Args:
        request: what was asked for.
        choice: the families before they grow, and the solver.
        tails: how far rows are believed by their targets alone.
        call: what else a run gets.
    """
    rows = _looked_at(request)
    few, known = _of_these(request, rows), attrs.evolve(tails, weight=tails.weight[rows])
    looks = list(_looks(few, choice, Kernels(restrained(choice.leaves)), known, call, _FIRST))
    if not looks:
        return tails
    tails = tails_of(_squares(request, rows, looks[-1]), tails.outputs)[0]
    return tails if few is request else _by_all(request, choice, looks[-1], tails, call)


def believing(request: Request, tails: Tails) -> Request:
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


@attrs.frozen(eq=False)
class _Look:
    """What a rough fit says of rows.

    Attributes:
        fit: to them.
        level: that was taken out of the targets, shape (c,).
        left: what the fit leaves of the targets.
    """

    fit: Fitted
    level: FloatArray
    left: Residuals


def _looked_at(request: Request) -> IntArray:
    """The rows of which looks are taken, in their order."""
    n = len(request.training.X)
    if n <= 2 * _FEW:
        return np.arange(n)
    return np.sort(np.random.default_rng(request.settings.seed).permutation(n)[:_FEW])


def _of_these(request: Request, rows: IntArray) -> Request:
    """The request with some of the rows."""
    if len(rows) == len(request.training.X):
        return request
    return attrs.evolve(request, training=request.training.some(rows))


def _looks_lose(request: Request, choice: Choice, kernels: Kernels, residuals: Residuals, call: Call) -> bool:
    """Whether a look that believes rows far out less predicts rows worse than what Gaussian noise leaves of them."""
    tails = tails_of(residuals.left, residuals.away.shape[1])[0]
    looks = _looks(request, choice, kernels, tails, call, _LOOKS)
    return any(loses(look.left, residuals, request) for look in looks)


def _looks(
    request: Request, choice: Choice, kernels: Kernels, tails: Tails | None, call: Call, most: int
) -> Iterator[_Look]:
    """What rough fits leave of the targets, each with the weights that the one before gave rows; the first with
    Gaussian noise where there are none.
    """
    every = np.arange(len(request.training.X))
    for done in range(most):
        weighted = request if tails is None else believing(request, tails)
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
        yield _Look(fit, weighted.training.level, found)


def _by_all(request: Request, choice: Choice, look: _Look, tails: Tails, call: Call) -> Tails:
    """How far rows are believed by all others with the kernel of a look at some of them; as before where there is no
    time to ask all.
    """
    every, kernels = np.arange(len(request.training.X)), Kernels(restrained(choice.leaves))
    learner = Learner(believing(request, tails), choice.solver, call.gate, call.audience.told)
    if learner.budget.cancelled():
        return tails
    with call.gate.heeded():
        problem = learner.problem(kernels, every)
        found = residuals_of(problem, problem.respond(look.fit.response.mixture), own_weights(request))
    return tails if found is None else tails_of(found.left, tails.outputs)[0]


def _squares(request: Request, rows: IntArray, look: _Look) -> FloatArray:
    """What others leave of the target of each row, by a look at some of them, shape (n,): of the rest the squares of
    errors, without how unsure the function is there.
    """
    training, own = request.training, own_weights(request)
    squares = np.empty(len(training.X))
    squares[rows] = look.left.left
    rest = np.setdiff1d(np.arange(len(squares)), rows)
    if len(rest):
        few = training.some(rows)
        kernel = learned_kernel(look.fit.leaves, look.fit.response.mixture, few)
        values = kernel.between(training.X[rest], few.X) @ look.fit.response.V
        squares[rest] = own[rest] * np.sum((training.encoded[rest] - look.level - values) ** 2, axis=1)
    return squares
