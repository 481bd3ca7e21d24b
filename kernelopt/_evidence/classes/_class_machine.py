"""What predicts classes by the evidence, and how sure it is of them, by the rows that it learned from or by others."""

import attrs

from kernelopt._base._budget import Budget
from kernelopt._base._typing import FloatArray
from kernelopt._evidence._counting import least_of, weight_of, whole_noise
from kernelopt._evidence.classes._damped import damped_from
from kernelopt._evidence.classes._laplace import Modes, coefficients_of, modes
from kernelopt._evidence.classes._left_out_odds import MOST, as_left_out
from kernelopt._evidence.classes._shares import Counted, shares_from, shares_of, shares_of_some
from kernelopt._evidence.lists._list_likelihood import targets_of
from kernelopt._families._contract import KernelFamily
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._mixture import Mixture, Part
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._odds import Logistic, Odds
from kernelopt._saddle._objective import Machine
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response


def classifying(
    problem: Problem,
    response: Response,
    kernel: Kernel,
    X: FloatArray,
    budget: Budget,
    seed: int,
    *,
    by_odds: bool,
) -> Machine:
    """What predicts classes with a learned kernel.

    Args:
        problem: the problem.
        response: the answer.
        kernel: its kernel.
        X: the training rows, shape (n, d).
        budget: where it is cancelled the numbers that stand for classes predict them.
        seed: of the rows that are looked at.
        by_odds: whether values are logarithms of odds, and not these numbers.
    """
    found = modes_in_time(problem, response, budget, seed) if by_odds else None
    if found is None:
        return Machine(response.V, _by_numbers(problem, response, kernel, X, budget, seed), hurried=by_odds)
    machine = Machine(coefficients_of(found), Logistic())
    return as_sure(machine, _by_left_out(problem, response.mixture, found, X))


def modes_in_time(problem: Problem, response: Response, budget: Budget, seed: int) -> Modes | None:
    """The modes of all outputs; None where there is no time for them."""
    if budget.cancelled():
        return None
    found = modes(problem, response, budget.cancelled, seed)
    return None if budget.cancelled() else found


def _by_numbers(
    problem: Problem, response: Response, kernel: Kernel, X: FloatArray, budget: Budget, seed: int
) -> Odds | None:
    """The shares of classes by the numbers that stand for them, from leave-one-out predictions of the training rows
    X (n, d); of some of the rows where the budget has ended.
    """
    Y, noise = targets_of(problem), whole_noise(problem, response.mixture)
    counted = Counted.of(X, Y, weight_of(problem), noise)
    if budget.cancelled():
        return shares_of_some(kernel, X, Y, counted, seed)
    return shares_of(problem.gram(response.mixture), least_of(problem), Y, counted)


def _by_left_out(problem: Problem, mixture: Mixture, found: Modes, X: FloatArray) -> Logistic:
    """Logarithms of odds that are as sure as leave-one-out predictions of the training rows X (n, d) say, where no
    kernel has seen their classes.
    """
    if problem.n > MOST or not all(_unseeing(leaf.family) for leaf in problem.leaves):
        return Logistic()
    noise = whole_noise(problem, mixture)
    return as_left_out(found, Counted.of(X, targets_of(problem), weight_of(problem), noise))


def _unseeing(family: KernelFamily) -> bool:
    """Whether all kernels of a family were there before any class: it is a list, and no others joined it.

    Those of other families are searched with the classes of all rows.
    """
    if not isinstance(family, FiniteFamily):
        return False
    like = family.center()
    begun, _ = family.pruned(Part(like.atoms[:0], like.weights[:0]))
    return isinstance(begun, FiniteFamily) and len(begun.dictionary()) == len(family.dictionary())


def by_held_out(values: FloatArray, y: FloatArray, weight: FloatArray, share: float, *, by_odds: bool) -> Odds | None:
    """By values (n, c) at rows that were not learned from: logarithms of odds that are damped, or shares; the latter by
    all rows only, since those of fewer are less sure.
    """
    if by_odds:
        return damped_from(values, y, weight, share)
    return None if share < 1.0 else shares_from(values, y, weight)


def as_sure(machine: Machine, odds: Odds) -> Machine:
    """With logarithms of odds that are as sure as these, or with these shares; another kind of machine is as it is."""
    if machine.hurried or type(machine.odds) is not type(odds):
        return machine
    damping = 1.0
    if isinstance(odds, Logistic) and isinstance(machine.odds, Logistic):
        damping = odds.damping / machine.odds.damping
    return attrs.evolve(machine, coefficients=damping * machine.coefficients, odds=odds)
