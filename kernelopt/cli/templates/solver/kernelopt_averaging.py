"""Both players' averages for kernelopt: `kernelopt.solve(X, y, solver="averaging")`."""

from typing import ClassVar

import attrs

from kernelopt.plugin import (
    Budget,
    Criterion,
    FloatArray,
    Leaf,
    Mixture,
    Problem,
    Response,
    Solver,
    State,
    hookimpl,
    within,
)

KERNELOPT_CONTRACT = 1


@attrs.frozen
class Averaging(Solver):
    """Kernel and machine each answer the average of what the other has said: fictitious play (Brown 1951).

        s = 2 / (k + 2)
        K <- (1 - s) K + s K_a           with the oracle's best atom a for alpha
        alpha <- (1 - s) alpha + s respond(K)

    Attributes:
        delay: added to k, an integer >= 0: larger ones make the first steps shorter.
    """

    name: ClassVar[str] = "averaging"
    default_steps: ClassVar[int] = 2000
    patience: ClassVar[int] = 200

    delay: int = attrs.field(default=0, validator=within(0, float("inf"), integer=True))

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:  # noqa: ARG002
        for leaf in leaves:
            if leaf.penalty is not None and not leaf.penalty.linear:
                return f"{leaf.family.name} has a curved price of its kernels, for which no single atom is best"
        return None

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> State:  # noqa: ARG002
        return State(0, start, problem.ceiling(start.duals))

    def step(self, problem: Problem, state: State, budget: Budget) -> State:
        s = 2.0 / (state.step + 3.0 + self.delay)
        mixture = _towards(state.response.mixture, *state.ceiling.best, s)
        response = problem.respond(mixture, state.response, budget)
        pairs = zip(state.ceiling.duals, response.duals, strict=True)
        alphas = tuple((1.0 - s) * average.alpha + s * answer.alpha for average, answer in pairs)
        return State(state.step + 1, response, problem.ceiling(problem.points(alphas)), note=f"step length {s:.2g}")


def _towards(mixture: Mixture, leaf: int, atom: FloatArray, s: float) -> Mixture:
    """(1 - s) mixture + s k_atom."""
    parts = [part.scaled(1.0 - s) for part in mixture.parts]
    parts[leaf] = parts[leaf].with_atom(atom, s)
    return Mixture(tuple(part.kept() for part in parts))


@hookimpl
def kernelopt_solvers() -> list[type[Solver]]:
    """The solvers that this plugin offers."""
    return [Averaging]
