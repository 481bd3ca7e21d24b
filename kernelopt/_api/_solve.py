"""`kernelopt.solve`: from X, y and three names to a certified answer."""

import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from kernelopt._api._build import check_scale, make_problem
from kernelopt._api._defaults import criterion_for, family_for, leaves_for, solver_for
from kernelopt._api._progress import Bar
from kernelopt._api._start import begun
from kernelopt._api._training import Training, admit
from kernelopt._base._errors import InvalidData, InvalidOption
from kernelopt._base._status import Status
from kernelopt._base._threads import one_thread
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import ConcaveCriterion
from kernelopt._families._mixture import Mixture
from kernelopt._io import _checkpoint
from kernelopt._model._remarks import remarks
from kernelopt._model._solution import Solution
from kernelopt._prediction._predictor import Kernel, Predictor
from kernelopt._saddle._certificate import Certificate
from kernelopt._saddle._contract import Budget
from kernelopt._saddle._loop import Limits, Observer, Run, reached, recertify, run
from kernelopt._saddle._problem import Problem, Response
from kernelopt._saddle._row_subset import loosened, tightened
from kernelopt._saddle._trace import Record

ACCURACY_SHARE = 1e-2
"""The inner problem is solved to this share of the outer tolerance, so that its error does not show in the gap."""
_EXACTEST = 1e-14
"""No inner problem is solved to less."""


def solve(
    X: Any = None,
    y: Any = None,
    *,
    family: Any = None,
    solver: Any = "auto",
    criterion: Any = None,
    tol: float = 1e-3,
    atol: float | None = None,
    scale: str | float = "auto",
    start: Solution | Mixture | None = None,
    max_steps: int | None = None,
    max_seconds: float | None = None,
    sample_weight: Any = None,
    class_weight: Any = None,
    seed: int = 0,
    progress: bool = False,
    callback: Callable[[Record], object] | None = None,
    checkpoint: str | Path | None = None,
) -> Solution:
    """Learn the kernel and the machine together, with a certified duality gap.

        min over kernels  max over alpha      h(alpha) - 1/2 v'Kv + R(kernel),      v = E alpha

    Args:
        X: training rows, shape (n, d), finite. A table of pandas or polars gives its columns' names to the solution.
            With neither X nor y: scikit-learn's breast cancer data.
        y: one target per row, shape (n,): two or more labels, or numbers; several numbers per row, shape (n, c), for
            regression with a shared kernel; None for novelty detection.
        family: a name ("tk"), an object, a mapping {"name": "tk", "degree": 2}, or a list of these: their union.
            None: tessellated kernels; without y, one fixed Gaussian.
        solver: a name ("fw"), an object, a mapping, or "auto".
        criterion: a name ("svc"), an object or a mapping {"name": "svc", "C": 10}. None: what y suggests.
        tol: the relative duality gap to reach, in (0, 1).
        atol: the absolute gap that also counts as reached. None: 1e-12 (|h| + 1/2 sum v_i^2 K_ii), which is rounding.
        scale: what is 1 for each family on the training rows: "unit", the mean diagonal of the centre kernel; "atom",
            the largest mean diagonal of an atom; "variance", the same after centring; "auto", "unit" for one member
            and "variance" for several, views among them, where all know it; or "paper" (the papers' units), or the
            factor itself.
        start: a solution or a mixture to go on from, of the same families on the same columns.
        max_steps: the solver's own limit where None.
        max_seconds: a time limit; none by default, so that results do not depend on the machine.
        sample_weight: shape (n,), >= 0; a weight of k equals k copies of the row.
        class_weight: None, "balanced", or a mapping label -> weight.
        seed: of everything random.
        progress: show a live line.
        callback: gets a `Record` after each step; returning True stops the run.
        checkpoint: a file that keeps the best so far, and from which an interrupted run goes on.

    Returns:
        The solution: status, certificate, learned kernel, prediction.

    Raises:
        InvalidData, InvalidOption, UnknownName, BrokenPlugin, Refused, NotEnoughMemory: each says what was got, what
            was wanted and what to do; all are `KerneloptError`.
    """
    began = time.monotonic()
    _check_numbers(tol, atol, max_steps, max_seconds)
    X, y, notes = _bundled(X, y)
    chosen, note = criterion_for(criterion, y, sample_weight)
    training = admit(X, y, chosen, sample_weight, class_weight)
    spec, default = family_for(family, chosen)
    leaves, more = leaves_for(spec, training, check_scale(scale), chosen)
    method, why = solver_for(solver, leaves, chosen, chosen.outputs(training.y, training.weight), tol)
    leaves = loosened(leaves) if method.loose else method.bound(leaves, len(training.X))
    problem = make_problem(leaves, training, chosen, accuracy=ACCURACY_SHARE * tol, grams=method.gram_copies)
    deadline = None if max_seconds is None else began + max_seconds
    limits = _limits(problem, tol, atol, method.default_steps if max_steps is None else max_steps, deadline)
    problem = _as_exact(problem, tol, limits)
    keeper = None if checkpoint is None else _checkpoint.Keeper(Path(checkpoint))
    with _bar(progress, tol) as bar, one_thread():
        begin = begun(problem, training, method, limits, seed, start, checkpoint)
        done = run(
            problem,
            method,
            begin.at,
            limits,
            seed=seed,
            observers=_observers(bar, callback),
            keep=None if keeper is None else keeper.offer,
            began=began,
            interrupted=begin.interrupted,
        )
        if keeper is not None:
            keeper.offer(done.bounds.response, final=True)
        done, hurried = _certified(problem, done, limits.tol, seed, Budget(deadline))
        response = done.bounds.response
        V, unfit = (response.V, ()) if hurried else _predicting(problem, response, Budget(deadline), seed)
    notes = (*notes, *training.notes, *note, *default, *more, *why, *hurried, *unfit)
    return _solution(problem, training, done, V, begin.baseline, began, notes)


def _limits(problem: Problem, tol: float, atol: float | None, steps: int, deadline: float | None) -> Limits:
    """When to stop; where the objective has a concave term its size means nothing, and the gap is measured in nats."""
    if isinstance(problem.criterion, ConcaveCriterion):
        return Limits(0.0, problem.criterion.allowed(problem, tol) if atol is None else atol, steps, deadline)
    return Limits(tol, atol, steps, deadline)


def _as_exact(problem: Problem, tol: float, limits: Limits) -> Problem:
    """The problem as exact as a gap needs that is measured in nats alone, where that is smaller than tol's."""
    if not isinstance(problem.criterion, ConcaveCriterion) or limits.atol is None:
        return problem
    share = limits.atol / problem.criterion.allowed(problem, tol)
    return attrs.evolve(problem, accuracy=max(min(share, 1.0) * problem.accuracy, _EXACTEST))


def _certified(problem: Problem, done: Run, tol: float, seed: int, budget: Budget) -> tuple[Run, tuple[str, ...]]:
    """The run with both bounds computed anew, and the status that they leave; as it was, with a note, after Ctrl-C."""
    try:
        bounds = recertify(problem, done.bounds, seed, budget)
    except KeyboardInterrupt:
        note = "certificate: the final look was interrupted, so both bounds are those of the last step"
        return attrs.evolve(done, status=Status.INTERRUPTED), (note,)
    status = _final(problem, done.status, bounds.certificate, tol, done.atol)
    return attrs.evolve(done, status=status, bounds=bounds), ()


def _final(problem: Problem, status: Status, certificate: Certificate, tol: float, atol: float) -> Status:
    """The status, corrected by the final bounds: rounding may cost the tolerance, the last polish may reach it."""
    if not certificate.within(tol, atol):
        return Status.STALLED if status.converged else status
    if status is Status.INTERRUPTED:
        return status
    return reached(problem, certificate)


def _observers(*candidates: Observer | None) -> tuple[Observer, ...]:
    return tuple(observer for observer in candidates if observer is not None)


def _bar(progress: bool, tol: float) -> AbstractContextManager[Bar | None]:
    return Bar(tol) if progress else nullcontext()


def _check_numbers(tol: Any, atol: Any, max_steps: Any, max_seconds: Any) -> None:
    if not (_number(tol) and 0.0 < tol < 1.0):
        raise InvalidOption(f"tol must be a number between 0 and 1, got {tol!r}; 1e-3 is usual")
    if atol is not None and not (_number(atol) and atol >= 0.0):
        raise InvalidOption(f"atol must be None or a number >= 0, got {atol!r}")
    if max_steps is not None and not (isinstance(max_steps, int) and max_steps >= 0):
        raise InvalidOption(f"max_steps must be None or an integer >= 0, got {max_steps!r}")
    if max_seconds is not None and not (_number(max_seconds) and max_seconds > 0.0):
        raise InvalidOption(f"max_seconds must be None or a positive number, got {max_seconds!r}")


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)


def _bundled(X: Any, y: Any) -> tuple[Any, Any, tuple[str, ...]]:
    """The data, or scikit-learn's breast cancer set where neither X nor y is given."""
    if X is not None:
        return X, y, ()
    if y is not None:
        raise InvalidData("y is given without X; pass both, or neither to solve the bundled data")
    from kernelopt.datasets import bundled

    data = bundled()
    return data.X, data.y, (f"data: {data.title}, as no X and y were given",)


def _predicting(problem: Problem, response: Response, budget: Budget, seed: int) -> tuple[FloatArray, tuple[str, ...]]:
    """v of the machine that predicts, on all rows; a note where there was no time for another than the certified."""
    if not isinstance(problem.criterion, ConcaveCriterion):
        return response.V, ()
    try:
        found = problem.criterion.coefficients(problem, response, budget, seed)
    except KeyboardInterrupt:
        found = None
    if found is not None:
        return found, ()
    return response.V, (
        "predict: no time was left to fit what predicts with the kernel, so the certified machine does",
    )


def _solution(
    problem: Problem,
    training: Training,
    done: Run,
    V: FloatArray,
    baseline: float | None,
    began: float,
    notes: tuple[str, ...],
) -> Solution:
    """What the user gets of a run, with what prediction needs."""
    response = done.bounds.response
    support = response.support
    leaves = tightened(problem.leaves)
    kernel = Kernel(leaves, response.mixture, training.X.shape[1], names=training.names)
    criterion, posterior, needed = problem.criterion, None, support
    if isinstance(criterion, ConcaveCriterion):
        posterior = criterion.posterior(problem, response.mixture, kernel, training.X)
        needed = np.arange(problem.n)  # the variance needs rows that the mean does not
    else:
        notes = (*notes, *remarks(leaves, response))
    predictor = Predictor.of(
        kernel,
        training.X[needed],
        V[needed],
        np.array([dual.multipliers[0] if len(dual.multipliers) else 0.0 for dual in response.duals]),
        training.classes,
    )
    return Solution(
        status=done.status,
        certificate=done.bounds.certificate,
        predictor=predictor,
        support=training.rows[support],
        support_vectors=training.X[support],
        baseline=baseline,
        trace=done.trace,
        seconds=time.monotonic() - began,
        notes=notes,
        response=response,
        coefficients=V,
        criterion=criterion,
        posterior=posterior,
    )
