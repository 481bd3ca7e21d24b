"""One solver until it is slow, then another from where it stood."""

from typing import ClassVar

import attrs
import numpy as np
import pytest
from sklearn.datasets import make_moons

import kernelopt
from kernelopt import Chain, Refused, Status
from kernelopt._plugins._registry import resolve
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._contract import Solver, State
from kernelopt._saddle._loop import run
from kernelopt._solvers._exchange import Exchange
from kernelopt.plugin import Budget, InvalidOption, UnknownName
from kernelopt.testing import CuttingPlanes, SolverSuite, Waves, default_examples

EXAMPLES = default_examples()


class TestChain(SolverSuite):
    tolerance = 1e-5

    def solver(self):
        return Chain(first="plain-fw", then="ipm", window=3)


class TestChainOfAnExchange(SolverSuite):
    def solver(self):
        return Chain(first=CuttingPlanes(), then="fw", window=2)


@attrs.frozen
class Idle(Solver):
    """Never moves, and remembers from what it started."""

    name: ClassVar[str] = "idle"
    stuck: bool = False

    def init(self, problem, start, seed, budget):
        return State(0, start, problem.ceiling(start.duals))

    def step(self, problem, state, budget):
        return attrs.evolve(state, step=state.step + 1, stalled=self.stuck)


@attrs.frozen
class Warm(Idle):
    """Takes over the dual point of the best lower bound too."""

    name: ClassVar[str] = "warm"

    def rebase(self, problem, state, kept, budget):
        assert kept is state.response.mixture
        return State(0, state.response, state.ceiling)


@attrs.frozen
class Picky(Idle):
    """Serves nobody, whatever is done for it."""

    name: ClassVar[str] = "picky"

    def refuses(self, leaves, criterion):
        return "it is Tuesday"


@attrs.frozen
class Lost(Idle):
    """One step of another solver, and from then on where it began."""

    name: ClassVar[str] = "lost"
    guide: Solver = attrs.field(factory=lambda: resolve("solver", "plain-fw"))

    def step(self, problem, state, budget):
        if state.step == 0:
            return self.guide.step(problem, state, budget)
        again = self.init(problem, problem.respond(problem.center(), None, budget), 0, budget)
        return attrs.evolve(again, step=state.step + 1)


def moons(n=50):
    return make_moons(n, noise=0.2, random_state=1)


def stepped(chain, problem, steps):
    states = [chain.init(problem, problem.respond(problem.center()), 0, Budget())]
    for _ in range(steps):
        states.append(chain.step(problem, states[-1], Budget()))
    return states


def test_names_joined_by_a_plus_are_a_chain():
    assert resolve("solver", "fw+ipm") == Chain(first="fw", then="ipm")
    assert resolve("solver", "plain-fw + fw+ipm") == Chain(first="plain-fw", then=Chain(first="fw", then="ipm"))
    mapping = {"name": "chain", "first": {"name": "plain-fw", "searches": 4}, "then": "ipm", "gap": 0.1}
    assert resolve("solver", mapping) == Chain(first=resolve("solver", mapping["first"]), then="ipm", gap=0.1)


@pytest.mark.parametrize("solver", ["plain-fw+apd", "fw+apd", {"name": "chain", "first": "plain-fw", "then": "ipm"}])
def test_a_chain_is_as_good_as_its_last_member(solver):
    X, y = moons()
    s = kernelopt.solve(X, y, family="tk", criterion={"name": "svc", "C": 10}, solver=solver, tol=1e-6)
    assert s.status is Status.CONVERGED
    theirs = kernelopt.solve(X, y, family="tk", criterion={"name": "svc", "C": 10}, solver="ipm", tol=1e-6)
    assert s.certificate.lower <= theirs.certificate.upper
    assert theirs.certificate.lower <= s.certificate.upper


@pytest.mark.parametrize(("first", "window", "after"), [(Idle(), 3, 3), (Idle(), 1, 1), (Idle(stuck=True), 50, 1)])
def test_the_first_hands_over_where_it_is_slow_or_stuck(first, window, after):
    states = stepped(Chain(first=first, then=Warm(), window=window), EXAMPLES[0].problem, after + 2)
    assert [state.handed for state in states] == [False] * (after + 1) + [True] * 2
    assert "idle hands over to warm" in states[after + 1].note


def upper_of(state):
    return state.response.upper


def lower_of(state):
    return state.ceiling.lower


def relative(response, ceiling):
    return (response.upper - ceiling.lower) / max(abs(response.upper), abs(ceiling.lower))


def test_the_first_hands_over_at_a_given_gap():
    chain = Chain(first="plain-fw", then=Idle(), gap=0.05, window=1000)
    states = stepped(chain, EXAMPLES[2].problem, 12)
    alone = [state for state in states if not state.handed]
    assert len(alone) < len(states)
    assert [relative(state.best, state.anchor) <= 0.05 for state in alone] == [False] * (len(alone) - 1) + [True]


def test_mixture_duals_and_best_bounds_are_handed_over():
    """The best of them, wherever the first member went afterwards."""
    states = stepped(Chain(first=Lost(), then=Warm(), window=3, rate=0.99), EXAMPLES[2].problem, 6)
    before = [state for state in states if not state.handed]
    handed = states[len(before)]
    uppers, lowers = ([one(state) for state in before] for one in (upper_of, lower_of))
    assert uppers[-1] > min(uppers)
    assert lowers[-1] < max(lowers)
    assert (upper_of(handed), lower_of(handed)) == (min(uppers), max(lowers))


def test_members_for_lists_are_lifted():
    X, y = moons(30)
    s = kernelopt.solve(X, y, family=Waves(), solver="fw+simplemkl", tol=1e-3)
    assert s.status.converged
    chain = Chain(first="fw", then="simplemkl", window=1, rate=1e-6)
    problem = EXAMPLES[2].problem
    state = stepped(chain, problem, 3)[-1]
    assert type(state.inner) is type(Exchange(chain.then).init(problem, problem.respond(problem.center()), 0, Budget()))


@pytest.mark.parametrize("chain", [Chain(first="fw", then=Picky()), Chain(first=Picky(), then="fw")])
def test_the_first_refusal_of_a_member_is_the_chains(chain):
    X, y = moons(20)
    with pytest.raises(Refused, match=r"chain cannot solve tk with svc: it is Tuesday"):
        kernelopt.solve(X, y, family="tk", solver=chain)


def test_limits_are_those_of_both():
    chain = Chain(first="plain-fw", then="ipm")
    assert chain.default_steps == chain.first.default_steps + chain.then.default_steps
    assert chain.gram_copies == max(chain.first.gram_copies, chain.then.gram_copies)


def test_the_loop_stops_with_the_second_member():
    problem = EXAMPLES[0].problem
    chain = Chain(first=Idle(), then=Idle(stuck=True), window=2)
    done = run(problem, chain, problem.respond(problem.center()), Limits(1e-12, None, 50, None))
    assert done.status is Status.STALLED
    assert done.trace[-1].step == 4


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: Chain(first="fw", then="working-set"), InvalidOption, "working-set cannot be a member"),
        (lambda: Chain(first="fw", then="ipm", window=0), InvalidOption, "window"),
        (lambda: Chain(first="fw", then="ipm", gap=2.0), InvalidOption, "gap"),
        (lambda: Chain(first="fw", then="ipm", rate=0.0), InvalidOption, "rate"),
        (lambda: resolve("solver", "fw+imp"), UnknownName, "did you mean 'ipm'"),
        (lambda: resolve("solver", "fw+"), UnknownName, "no solver is called ''"),
    ],
)
def test_options_are_checked(build, error, message):
    with pytest.raises(error, match=message):
        build()


def test_a_working_set_takes_a_chain():
    X, y = moons(120)
    s = kernelopt.solve(X, y, family="tk", solver={"name": "working-set", "solver": "plain-fw+ipm", "band": 60})
    assert s.status is Status.CONVERGED
    assert np.isfinite(s.certificate.upper)
