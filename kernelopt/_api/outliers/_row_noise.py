"""Noise that differs between rows: where what a kernel leaves of the targets shows it, a function of rows says how
large the noise is, and the machine is trained again with that.

    predict each row by all others; done, unless the squares of the errors depend on the rows
    learn their logarithms, with the families as they begin, from a sample where rows are many
    rows must be more likely, as all others predict them and their noise, by three standard errors
    learn the kernel with the noise of each row, and that noise beside this kernel, in the same way
    where rows are more likely once more, by three standard errors, the kernel and the certificate are these, with the
        noise of each row as it was found first; else they stay those of noise of one size
    the machine with the noise of each row predicts
"""

import math
import time
from typing import Any

import attrs
import numpy as np

from kernelopt._api._choose import Choice
from kernelopt._api._learned import UNPROVED, Call, Learned, UnevenFit, hurried, learned
from kernelopt._api._learned_kernel import learned_kernel
from kernelopt._api._progress import Audience
from kernelopt._api._validate import Request
from kernelopt._api.outliers._heavy_tails import widened_by
from kernelopt._api.outliers._outlier_signs import noiseless, own_weights
from kernelopt._base._budget import Budget
from kernelopt._base._copies import sets_of_copies
from kernelopt._base._status import Status
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._evidence._counting import weight_of, whole_noise
from kernelopt._evidence.noise._own_noise import Likelihood, likelihood_of
from kernelopt._evidence.noise._row_noise import Shape, depends, logarithms, shaped
from kernelopt._evidence.noise._student import Residuals, residuals_of
from kernelopt._families._binding import tightened
from kernelopt._prediction._predictor import Predictor
from kernelopt._prediction._row_noise import RowNoise, at_rows

_FEWEST = 40
"""Fewer rows hardly say that noise differs between them: a guard, for the tests want many."""
_AGAIN = 2.0
"""Learning the kernel again takes so many times as long as a step, at least: a guard, for there is a limit on time."""
_ENDS = (10.0, 90.0)
"""The percentiles of the noise that a note tells."""
_UNASKED = (
    "noise: it seems to differ between rows, and no time was left to learn a noise of each row, so the noise has one "
    "size; raise max_seconds"
)


@attrs.frozen(eq=False)
class Spread:
    """What was learned of log q, whose mean at a row is the size of its noise.

    Attributes:
        logs: log q of each row, shape (n,).
        rows: the numbers of the rows from which it was learned, in order, shape (k,).
        learned: the kernel of these rows, and the machine.
    """

    logs: FloatArray
    rows: IntArray
    learned: Learned


def by_row(gaussian: Learned, residuals: Residuals, choice: Choice, call: Call) -> Learned | None:
    """The same with a noise of each row, or with a note where there is no time to learn it; None where nothing shows
    that it differs.

    Args:
        gaussian: what was learned with noise of one size.
        residuals: what it leaves of the targets.
        choice: the families before they grow, and the solver.
        call: what else a run gets.

    Raises:
        KeyboardInterrupt: Ctrl-C came before there was an answer.
    """
    request, whole = gaussian.request, _likelihood(gaussian)
    logs = None if whole is None else logarithms(residuals)
    if whole is None or logs is None or not depends(logs, _columns(gaussian.request, whole, residuals), whole.gram):
        return None
    if not Budget(request.deadline).allows(time.monotonic() - request.began):
        return _noted(gaussian, _UNASKED)
    spread = _logarithms_learned(logs, request, choice, call)
    if spread.learned.done.status is Status.MAX_SECONDS:
        return _noted(gaussian, _UNASKED)
    shape = None if spread.learned.done.status in UNPROVED else _shaped(gaussian, whole, residuals, spread)
    if shape is None or not shape.believed:
        return None
    first = _uneven(gaussian, gaussian, shape, spread)
    try:
        return _again(gaussian, shape, choice, call) or first
    except (KeyboardInterrupt, MemoryError):
        return first


def _uneven(gaussian: Learned, kernel: Learned, shape: Shape, spread: Spread) -> Learned:
    """What was learned with noise of one size, where this kernel and the noise of each row predict."""
    widened = widened_by(gaussian)
    # the largest g of a training row
    most = math.log((float(shape.ratio.max()) - shape.least) / shape.factor)
    rows = RowNoise(_predictor(spread.learned), most, widened * shape.factor, widened * shape.least, shape.degrees)
    found = UnevenFit(shape.V, weight_of(gaussian.problem) / shape.ratio, rows, shape.standard)
    told = _noted(gaussian, _told(shape))
    told = attrs.evolve(told, problem=kernel.problem, limits=kernel.limits, begun=kernel.begun, done=kernel.done)
    return attrs.evolve(told, uneven=found)


def _again(gaussian: Learned, shape: Shape, choice: Choice, call: Call) -> Learned | None:
    """The same with the kernel that is learned with the noise of each row, and the noise that this kernel leaves; None
    where rows are not much more likely by others with it, or there is no time for it.

    A kernel that was learned with noise of one size may take noise that is much larger in some rows for the function.
    """
    request = gaussian.request
    if not Budget(request.deadline).allows(_AGAIN * gaussian.done.pace):
        return None
    own = weight_of(gaussian.problem)
    second = _weighed(gaussian, own / shape.ratio, call)
    if second.done.status in UNPROVED or second.problem.n != gaussian.problem.n:
        return None
    response = second.done.bounds.response
    whole = likelihood_of(second.problem, response.mixture)
    left = residuals_of(second.problem, response, own_weights(request))
    if whole is None or left is None:
        return None
    D = whole_noise(second.problem, response.mixture) / own
    variance = np.maximum(left.variance - whole.D, 0.0) + D
    left = attrs.evolve(left, variance=variance, standard=left.away / np.sqrt(variance)[:, None])
    logs = logarithms(left)
    if logs is None:
        return None
    spread = _logarithms_learned(logs, request, choice, call)
    if spread.learned.done.status in UNPROVED:
        return None
    found = _shaped(gaussian, attrs.evolve(whole, D=D), left, spread)
    return _uneven(gaussian, second, found, spread) if found is not None and found.likelier(shape) else None


def _weighed(gaussian: Learned, weight: FloatArray, call: Call) -> Learned:
    """What the same families learn where each row has a noise of its own, the larger the smaller its weight (n,) is."""
    training = attrs.evolve(gaussian.request.training, weight=weight[:, None])
    evidence: Any = gaussian.request.criterion
    criterion = attrs.evolve(evidence, effort="quick", noise="gaussian", weights="relative")
    asked = attrs.evolve(hurried(gaussian.request), training=training, criterion=criterion, notes=())
    return learned(asked, gaussian.choice, Call(Audience(), call.gate, asked=False))


def _shaped(gaussian: Learned, whole: Likelihood, residuals: Residuals, spread: Spread) -> Shape | None:
    """How the noise differs between rows by what was learned of log q."""
    known = _at_rows(spread, gaussian.request)
    if known is None:
        return None
    own, alike = own_weights(gaussian.request), sets_of_copies(gaussian.request.training.told_apart)
    return shaped(whole, residuals, *known, widened_by(gaussian), own, alike)


def _at_rows(spread: Spread, request: Request) -> tuple[FloatArray, FloatArray] | None:
    """g at each row, and as all other rows have it, shape (n,) each: it is the same where g was not learned from a row;
    None where rounding leaves nothing positive of the kernel.
    """
    problem, response, n = spread.learned.problem, spread.learned.done.bounds.response, len(spread.logs)
    logs = spread.logs[spread.rows]
    away = residuals_of(problem, response, np.ones(len(logs)))
    if away is None:
        return None
    others = np.setdiff1d(np.arange(n), spread.rows)
    here = np.empty(n)
    here[others] = at_rows(_predictor(spread.learned), request.training.X[others])
    here[spread.rows] = logs - whole_noise(problem, response.mixture) * response.V[:, 0]
    left = here.copy()
    left[spread.rows] = logs - away.away[:, 0]
    return here, left


def _likelihood(gaussian: Learned) -> Likelihood | None:
    """The targets under the learned kernel; None where a noise of each row is not asked for: it is that of one target,
    of rows that are no groups, with noise above its floor.
    """
    request, problem = gaussian.request, gaussian.problem
    alone = request.training.encoded.shape[1] == 1 and not request.training.grouped
    if not alone or problem.n < _FEWEST or noiseless(gaussian):
        return None
    return likelihood_of(problem, gaussian.done.bounds.response.mixture)


def _columns(request: Request, whole: Likelihood, residuals: Residuals) -> FloatArray:
    """What noise may depend on: the codes of rows, and what is predicted of them, shape (n, d + 1)."""
    training = request.training
    predicted = whole.Y[:, 0] - whole.D * residuals.away[:, 0] / residuals.variance
    return np.column_stack([training.X[:, training.varying], predicted])


def _logarithms_learned(logs: FloatArray, request: Request, choice: Choice, call: Call) -> Spread:
    """What the families, as they begin, learn of log q (n,), from a sample where rows are many."""
    evidence: Any = request.criterion
    rows = np.sort(request.training.at_random(evidence.sample(1), request.settings.seed))
    some = logs[rows]
    training = attrs.evolve(
        request.training.some(rows),
        encoded=some[:, None],
        level=np.array([some.mean()]),
        weight=np.ones((len(some), 1)),
        sample_weight=np.ones(len(some)),
        frame=None,
    )
    criterion = attrs.evolve(evidence, effort="quick", noise="gaussian", weights="auto")
    asked = attrs.evolve(hurried(request), training=training, criterion=criterion, notes=())
    return Spread(logs, rows, learned(asked, choice, Call(Audience(), call.gate, asked=False)))


def _predictor(spread: Learned) -> Predictor:
    """g at new rows."""
    training, response = spread.request.training, spread.done.bounds.response
    kernel = learned_kernel(tightened(spread.problem.leaves), response.mixture, training)
    return Predictor.of(kernel, training.X, response.V, training.level, None).compact()


def _noted(found: Learned, note: str) -> Learned:
    return attrs.evolve(found, notes=(*found.notes, note))


def _told(shape: Shape) -> str:
    """What a user should know of it."""
    low, high = np.sqrt(np.percentile(shape.ratio, _ENDS))
    tails = "" if shape.degrees is None else f" with Student's t distribution of {shape.degrees:g} degrees of freedom"
    return (
        f"noise: it differs between rows, so a noise of each row was learned from the columns{tails}; its standard "
        f"deviation is less than {low:.2g} times that of noise of one size in a tenth of the rows, and more than "
        f"{high:.2g} times in another tenth, and a row that is predicted from all others is {shape.gain:.2g} nats more "
        'likely in the mean; take criterion=Evidence(noise="gaussian") for noise of one size'
    )
