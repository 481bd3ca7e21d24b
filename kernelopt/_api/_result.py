"""The last step of a solve: what the user gets of a run, with what prediction needs."""

from functools import partial

import attrs

from kernelopt._api._learned import Learned
from kernelopt._api._learned_kernel import learned_kernel
from kernelopt._api._target_units import of_own_weights
from kernelopt._base._budget import Budget
from kernelopt._base._interrupts import Gate
from kernelopt._base._status import Status
from kernelopt._base._working_time import working
from kernelopt._evidence._counting import rows_of, whole_noise
from kernelopt._evidence.noise._student import heavy_posterior
from kernelopt._families._binding import tightened
from kernelopt._model._solution import Solution
from kernelopt._prediction._class_weights import unweighed, weighed
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._own_noise import OwnNoise
from kernelopt._prediction._posterior import Posterior
from kernelopt._prediction._posterior_of import doubted, posterior_of, scoped, widened, with_tail
from kernelopt._prediction._predictor import Predictor
from kernelopt._prediction._uneven import Uneven
from kernelopt._saddle._objective import Machine

_PAST = 0.0
"""A deadline that is over."""
_HURRIED = "predict: no time was left to train the machine that usually predicts, so the certified machine predicts"


def solution(learned: Learned, kept: tuple[str, ...], gate: Gate) -> Solution:
    """The answer of a certified run, with the machine that predicts; Ctrl-C costs it no more than a better machine.

    `kept` are the notes on the checkpoint.
    """
    request, problem, done = learned.request, learned.problem, learned.done
    training, objective, response = request.training, request.objective, done.bounds.response
    leaves = tightened(problem.leaves)
    kernel = learned_kernel(leaves, response.mixture, training)
    machine = _predicting(learned, kernel, gate)
    unseen = learned.unseen
    machine = machine if unseen.odds is None else objective.judged(machine, unseen.odds)
    V = training.as_given(machine.coefficients)
    needed, support = objective.rows(response), response.support
    bias = training.level + [dual.multipliers[0] if len(dual.multipliers) else 0.0 for dual in response.duals]
    multiples = None if machine.own is None else machine.own.multiples_as_given(training.frame)
    levels = training.levels_as_given(bias)
    predictor = Predictor.of(kernel, training.X[needed], V[needed], levels, training.classes, multiples)
    predictor, odds = weighed(predictor, machine.odds, training.class_weights)
    found = Solution(
        status=done.status,
        certificate=done.bounds.certificate,
        predictor=predictor,
        support=training.rows[support],
        support_vectors=kernel.shown(training.X[support]),
        baseline=learned.begun.baseline,
        trace=done.trace,
        seconds=working() - request.since,
        notes=(
            *request.notes,
            *learned.choice.notes,
            *done.notes,
            *kept,
            *((_HURRIED,) if machine.hurried and done.certified else ()),
            *of_own_weights(machine.own, training.frame),
            *unweighed(odds, training.class_weights),
            *objective.remarks(problem, response, training.rows, training.encoded, converged=done.status.converged),
            *learned.notes,
        ),
        response=attrs.evolve(response, settled=None),  # which knows the problem and its arrays
        coefficients=V,
        criterion=learned.asked,
        posterior=_posterior(learned, kernel, machine.own),
        odds=odds,
        tails=learned.tails,
        unseen=unseen,
    )
    return attrs.evolve(found, status=Status.INTERRUPTED) if gate.asked and done.status.proved else found


def _posterior(learned: Learned, kernel: Kernel, own: OwnNoise | None) -> Posterior | None:
    """How sure the answer is of what it predicts, with the noise that was learned or, beside kernels that have seen the
    targets, the noise that held-out rows ask for.
    """
    request, problem, training = learned.request, learned.problem, learned.request.training
    mixture, noise = learned.done.bounds.response.mixture, learned.unseen.noise
    if learned.uneven is not None:
        function = posterior_of(kernel, training.X, whole_noise(problem, mixture), learned.uneven.weight)
        posterior: Posterior | None = Uneven.of(function, learned.uneven.rows)
    elif learned.tails is None:
        posterior = widened(request.objective.posterior(problem, mixture, kernel, training.X, own), noise)
        posterior = with_tail(posterior, learned.tail.degrees, learned.tail.times, learned.tail.spread)
    else:
        heavy = heavy_posterior(problem, mixture, kernel, training.X, learned.tails, learned.own, own)
        posterior = with_tail(widened(heavy, noise), learned.tail.degrees, learned.tail.times, learned.tail.spread)
    posterior = doubted(posterior, rows_of(problem))
    return scoped(posterior, kernel, training.X, training.y, training.weight, training.frame)


def _predicting(learned: Learned, kernel: Kernel, gate: Gate) -> Machine:
    """The machine that predicts; the certified one where the run, or whoever waits, has no time for another."""
    if learned.uneven is not None:
        return Machine(learned.uneven.coefficients)
    request, done = learned.request, learned.done
    fitted = partial(request.objective.machine, learned.problem, done.bounds.response, kernel, request.training.X)
    if done.certified:
        try:
            with gate.finishing():
                return fitted(Budget(request.deadline), request.settings.seed)
        except KeyboardInterrupt:
            pass
    return fitted(Budget(_PAST), request.settings.seed)
