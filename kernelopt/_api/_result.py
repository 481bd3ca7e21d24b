"""The last step of a solve: what the user gets of a run, with what prediction needs."""

import time

import attrs

from kernelopt._api._choose import Choice
from kernelopt._api._start import Beginning
from kernelopt._api._validate import Request
from kernelopt._base._budget import Budget
from kernelopt._base._interrupts import Gate
from kernelopt._base._status import Status
from kernelopt._base._threads import one_thread
from kernelopt._base._typing import FloatArray
from kernelopt._families._binding import tightened
from kernelopt._model._solution import Solution
from kernelopt._prediction._predictor import Kernel, Predictor
from kernelopt._saddle._loop import Run
from kernelopt._saddle._problem import Problem


def solution(
    request: Request,
    choice: Choice,
    problem: Problem,
    begun: Beginning,
    done: Run,
    kept: tuple[str, ...],
    gate: Gate,
) -> Solution:
    """The answer of a certified run, with the machine that predicts; Ctrl-C costs it no more than a better machine.

    `kept` are the notes on the checkpoint.
    """
    training, objective, response = request.training, request.objective, done.bounds.response
    V, unfit = _predicting(request, problem, done, gate)
    leaves = tightened(problem.leaves)
    kernel = Kernel(leaves, response.mixture, training.X.shape[1], names=training.names, encoding=training.encoding)
    needed, support = objective.rows(response), response.support
    bias = training.level + [dual.multipliers[0] if len(dual.multipliers) else 0.0 for dual in response.duals]
    found = Solution(
        status=done.status,
        certificate=done.bounds.certificate,
        predictor=Predictor.of(kernel, training.X[needed], V[needed], bias, training.classes),
        support=training.rows[support],
        support_vectors=training.X[support],
        baseline=begun.baseline,
        trace=done.trace,
        seconds=time.monotonic() - request.began,
        notes=(
            *request.notes,
            *choice.notes,
            *done.notes,
            *kept,
            *unfit,
            *objective.remarks(problem, response, training.rows),
        ),
        response=response,
        coefficients=V,
        criterion=request.criterion,
        posterior=objective.posterior(problem, response.mixture, kernel, training.X),
    )
    return attrs.evolve(found, status=Status.INTERRUPTED) if gate.asked and done.status.proved else found


def _predicting(request: Request, problem: Problem, done: Run, gate: Gate) -> tuple[FloatArray, tuple[str, ...]]:
    """v of the machine that predicts, on all rows; a note where there was no time for another than the certified."""
    response = done.bounds.response
    if not done.certified:
        return response.V, ()
    try:
        with one_thread(), gate.opened():
            found = request.objective.coefficients(problem, response, Budget(request.deadline), request.settings.seed)
    except KeyboardInterrupt:
        found = None
    if found is not None:
        return found, ()
    return response.V, (
        "predict: no time was left to fit what predicts with the kernel, so the certified machine does",
    )
