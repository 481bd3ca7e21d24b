"""The third step of a solve: a problem whose arrays fit into memory, and when its run may stop."""

import attrs
import numpy as np

from kernelopt._api._choose import Choice
from kernelopt._api._validate import Request
from kernelopt._api.data._training import Training
from kernelopt._base._errors import BrokenPlugin
from kernelopt._base._finite import finite_in_training
from kernelopt._base._memory import Shortage, require, shortage
from kernelopt._base._typing import Data, FloatArray
from kernelopt._base.tables._view_layout import absent
from kernelopt._criteria._contract import Criterion
from kernelopt._criteria._declared import undeclared
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._families._binding import loosened
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._features import Features
from kernelopt._families._leaf import Leaf
from kernelopt._families.variances._delta import Counts
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._saddle_objective import objective_of

ACCURACY_SHARE = 1e-2
"""The inner problem is solved to this share of the outer tolerance, so that its error does not show in the gap. It is a
guard: a whole tolerance costs no more time, and fills the gap."""


def built(request: Request, choice: Choice) -> tuple[Problem, Limits]:
    """The problem on the training rows, bound as the solver wants it, and the limits of its run.

    Raises:
        NotEnoughMemory: its arrays do not fit.
        BrokenPlugin: the criterion's dual problem is not what it declares.
    """
    problem, limits = admitted(request, choice)
    return filled(problem, request.training), limits


def reweighted(known: Problem, request: Request, choice: Choice) -> tuple[Problem, Limits]:
    """The problem on the same rows with other weights, for which no family binds anything again, and its limits.

    Args:
        known: a problem that was built from these rows and this choice.
        request: with the weights.
        choice: the families and the solver.
    """
    problem, limits = outlined(request, choice)
    pairs, training = zip(known.leaves, known.data, strict=True), request.training
    data = tuple(_bound(leaf, training.X) if isinstance(one, Counts) else one for leaf, one in pairs)
    data = objective_of(problem.criterion).bound(problem.leaves, data, training.weight)
    return attrs.evolve(problem, data=data), limits


def admitted(request: Request, choice: Choice) -> tuple[Problem, Limits]:
    """As `outlined`, where memory has room for all that the families bind.

    Raises:
        NotEnoughMemory, BrokenPlugin: as above.
    """
    require_room(bound_by(choice, request), len(request.training.X), choice.solver.gram_copies)
    return outlined(request, choice)


def outlined(request: Request, choice: Choice) -> tuple[Problem, Limits]:
    """The problem before any family has bound a row, whatever memory there is, and the limits of its run.

    Raises:
        BrokenPlugin: as above.
    """
    training, settings = request.training, request.settings
    accuracy = ACCURACY_SHARE * settings.tol
    problem = outline(bound_by(choice, request), training, request.criterion, accuracy=accuracy)
    tol, atol = request.objective.tolerances(problem, settings.tol, settings.atol)
    steps = choice.solver.default_steps if settings.max_steps is None else settings.max_steps
    exact = request.objective.accuracy(problem, settings.tol, settings.atol)
    deadline = None if request.deadline is None else request.deadline - request.reserve
    return attrs.evolve(problem, accuracy=exact), Limits(tol, atol, steps, deadline)


def bound_by(choice: Choice, request: Request) -> tuple[Leaf, ...]:
    """The families as the solver has them bind the rows."""
    solver = choice.solver
    return loosened(choice.leaves) if solver.loose else solver.bound(choice.leaves, len(request.training.X))


def make_problem(
    leaves: tuple[Leaf, ...], training: Training, criterion: Criterion, *, accuracy: float, grams: int
) -> Problem:
    """The problem on the training rows, as `outline` has it, with what its families bind."""
    require_room(leaves, len(training.X), grams)
    return filled(outline(leaves, training, criterion, accuracy=accuracy), training)


def filled(problem: Problem, training: Training) -> Problem:
    """An outline with what its families bind of the training rows."""
    data = tuple(_bound(leaf, training.X) for leaf in problem.leaves)
    data = objective_of(problem.criterion).bound(problem.leaves, data, training.weight)
    return attrs.evolve(problem, data=data)


def outline(leaves: tuple[Leaf, ...], training: Training, criterion: Criterion, *, accuracy: float) -> Problem:
    """The problem on the training rows before any family has bound one.

    Args:
        leaves: from `make_leaves`.
        training: the checked data.
        criterion: what is learned.
        accuracy: the relative gap of the inner problem.
    """
    outputs = _as_declared(criterion, criterion.outputs(training.y, training.weight), training.y.shape[1])
    data = objective_of(criterion).bound(leaves, tuple(None for _ in leaves), training.weight)
    return Problem(leaves, data, criterion, outputs, accuracy)


def short_of_memory(leaves: tuple[Leaf, ...], n: int, grams: int) -> Shortage | None:
    """What the arrays of n rows take where they do not fit into memory, among them so many n x n arrays that the solver
    holds; None where they do.
    """
    return shortage(bytes_of(leaves, n, grams))


def require_room(leaves: tuple[Leaf, ...], n: int, grams: int) -> None:
    """Raise `NotEnoughMemory` where these arrays do not fit into memory."""
    require(bytes_of(leaves, n, grams), f"{n} rows")


def bytes_of(leaves: tuple[Leaf, ...], n: int, grams: int) -> int:
    """What n rows take in memory: what the families bind of them, and so many Grams, if any family needs one."""
    grams = 0 if all(isinstance(leaf.family, ExplicitFamily) for leaf in leaves) else grams
    return sum(leaf.family.bind_bytes(n, leaf.width) for leaf in leaves) + 8 * n * n * grams


@np.errstate(over="ignore", invalid="ignore")  # judged by the values
def _bound(leaf: Leaf, X: FloatArray) -> Data:
    """What the leaf's family binds; where that is an array, or features, they are finite numbers.

    Raises:
        InvalidData: they are not.
    """
    rows = np.ascontiguousarray(leaf.view(X))
    data = leaf.family.bind(rows)
    values = data.values if isinstance(data, Features) else data
    if values is rows and leaf.expansion is not None and leaf.expansion.lacking:
        values = rows[~absent(rows)]  # features of landmarks: a row that lacks the view has those of a mean
    if isinstance(values, np.ndarray):
        finite_in_training(values, leaf.family.name)
    return data


def _as_declared(criterion: Criterion, outputs: tuple[DualQP, ...], columns: int) -> tuple[DualQP, ...]:
    """The dual problems, one for each column of targets, with the bounds and the targets that the criterion declares.

    Raises:
        BrokenPlugin: they are not; solvers were chosen by what it declares.
    """
    count = f"its outputs are {len(outputs)} dual problems, and the targets have {columns} columns"
    fault = undeclared(criterion, outputs) if len(outputs) == columns else count
    if fault is not None:
        raise BrokenPlugin(f"{criterion.name}: {fault}; the author of the criterion should make the two agree")
    return outputs
