"""The end of a run: both bounds computed anew, and the status that they leave."""

import math

import attrs

from kernelopt._base._budget import Budget
from kernelopt._base._interrupts import Gate
from kernelopt._base._status import Status
from kernelopt._linalg._definiteness import defect_of
from kernelopt._linalg._gram import Gram
from kernelopt._saddle._bounds import Bounds, Limits
from kernelopt._saddle._contract import Solver
from kernelopt._saddle._loop import Run
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._saddle_objective import objective_of
from kernelopt._saddle._suspect import suspect


def certified(problem: Problem, solver: Solver, done: Run, limits: Limits, seed: int, gate: Gate) -> Run:
    """The run with both bounds computed anew, and its status corrected by them; after Ctrl-C as it was, with a note.

    Rounding may cost the tolerance, and the last polish may reach it. A kernel that is not positive semidefinite, and
    bounds that contradict each other, have a status of their own.
    """
    objective = objective_of(problem.criterion)
    try:
        with gate.finishing():
            gram = problem.gram(done.bounds.response.mixture)
            bounds = objective.recertified(problem, done.bounds, gram, seed, Budget(limits.deadline))
            bounds = objective.reconciled(problem, bounds) if bounds.past_each_other else bounds
            fault = _indefinite(problem, bounds, gram, limits.tol) or _contradiction(
                problem, solver, done.bounds, bounds, gram
            )
    except KeyboardInterrupt:
        note = "certificate: the final computation was interrupted, so both bounds are those of the last step"
        return attrs.evolve(done, status=Status.INTERRUPTED, notes=(*done.notes, note))
    if fault is not None:
        return attrs.evolve(
            done, status=fault.status, bounds=fault.bounds, notes=(*done.notes, fault.note), certified=True
        )
    status, notes = done.status, (*done.notes, *_few_digits(bounds, done.atol))
    if not bounds.certificate.within(limits.tol, done.atol):
        status = Status.STALLED if status.converged else status
    elif status is not Status.INTERRUPTED:
        status = objective.reached(bounds.certificate)
        notes = (*notes, *_nothing_left(bounds, limits, done.atol))
    return attrs.evolve(done, status=status, bounds=bounds, notes=notes, certified=True)


def _few_digits(bounds: Bounds, atol: float) -> tuple[str, ...]:
    """A sentence where what rounding may have moved the bounds by is more than the gap that is allowed, else none."""
    if not 2.0 * bounds.lost > atol:
        return ()
    text = (
        f"certificate: rounding may have moved each bound by {bounds.lost:.2g}, so the bounds were moved apart by as "
        f"much, and a gap of {atol:.2g} was asked for; the learned kernel is nearly singular beside so little noise: "
        "raise the option floor of the criterion, or loosen tol"
    )
    return (text,)


def _nothing_left(bounds: Bounds, limits: Limits, atol: float) -> tuple[str, ...]:
    """A sentence where the gap is closed by what rounding leaves of 0 alone, which nobody asked for, else none."""
    certificate = bounds.certificate
    if limits.atol is not None or certificate.within(limits.tol, 0.0):
        return ()
    text = (
        f"certificate: the relative gap is {certificate.relative_gap:.2g}, and the run counts as converged because the "
        f"gap, {certificate.gap:.2g}, is below {atol:.2g}, a trillionth of the numbers that were added up: beside "
        "these the optimum is 0, and whether another kernel is better cannot be told; where columns of X lie far from "
        "0, subtract their means, and atol=0 asks for the relative gap alone"
    )
    return (text,)


@attrs.frozen
class _Fault:
    """Why the bounds prove nothing: the status, the bounds with what is left of them, and a note."""

    status: Status
    bounds: Bounds
    note: str


def _indefinite(problem: Problem, bounds: Bounds, gram: Gram, tol: float) -> _Fault | None:
    """Whether the learned kernel is no kernel: then its machine has no largest dual objective, and no upper bound.

    With K >= -d I the largest dual objective exceeds the bound by d |v - alpha|^2 / 2 at most. Where that is less than
    the tolerance, as it is in kernels that are computed in single precision, the eigenvalue does not matter.
    """
    response = bounds.response
    norm = sum(float(dual.v @ dual.v) for dual in response.duals)
    room = 0.5 * tol * abs(response.upper) / norm if norm > 0.0 else 0.0
    found = defect_of(gram, room, whole=problem.given)
    if found is None:
        return None
    parts = zip(problem.leaves, bounds.response.mixture.parts, strict=True)
    names = " + ".join(dict.fromkeys(leaf.family.name for leaf, part in parts if len(part)))
    response = attrs.evolve(response, upper=math.inf)
    note = f"{names}: the learned kernel is not positive semidefinite on the training rows: {found}"
    return _Fault(Status.INDEFINITE, attrs.evolve(bounds, response=response), note)


def _contradiction(problem: Problem, solver: Solver, claimed: Bounds, anew: Bounds, gram: Gram) -> _Fault | None:
    """Whether the bounds contradict each other, those of the solver or those computed anew."""
    if not (claimed.certificate.crossed or anew.certificate.crossed):
        return None
    return _Fault(Status.CONTRADICTION, anew, suspect(problem, claimed, anew, gram, solver))
