"""How a solver serves what it does not serve itself: by an exchange, by a search for the total, by both."""

from collections.abc import Iterator

import attrs

from kernelopt._criteria._contract import Criterion
from kernelopt._families._leaf import Leaf, total_of
from kernelopt._saddle._contract import ConcaveSolver, Solver
from kernelopt._solvers._exchange import Exchange
from kernelopt._solvers._total_search import Sizing


def serving(solver: Solver, leaves: tuple[Leaf, ...], criterion: Criterion) -> Solver | None:
    """The solver, or the least around it with which it serves these leaves; None where nothing helps."""
    return next((one for one in _ways(solver) if one.refuses(leaves, criterion) is None), None)


def _ways(solver: Solver) -> Iterator[Solver]:
    """The solver with more and more around it."""
    yield solver
    yield solver.lifted(Exchange)
    yield Sizing(solver)
    yield Sizing(solver).lifted(Exchange)


def refusal(solver: Solver, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:
    """Why nothing helps, in one sentence: that the weights have no total is no reason any more."""
    free = total_of(leaves) is None and not isinstance(solver, ConcaveSolver)
    return (Sizing(solver) if free else solver).refuses(leaves, criterion)


def served(solver: Solver) -> tuple[str, ...]:
    """What a user should know of what stands around a solver."""
    if isinstance(solver, Exchange):
        name = _inner(solver).name
        return (
            *served(solver.solver),
            f"solver: {name} works on finite lists, so an exchange adds the best kernels to a list",
        )
    if isinstance(solver, Sizing):
        return (f"solver: {solver.solver.name} needs a given total of the weights, so a search finds the best total",)
    return ()


def remarks(solver: Solver) -> tuple[str, ...]:
    """What a solver, and those that it puts to work, say of how they work here; each sentence once."""
    cls = type(solver)
    held = (getattr(solver, field.name) for field in (attrs.fields(cls) if attrs.has(cls) else ()))
    inner = [one for one in held if isinstance(one, Solver)]
    said = (solver.remark(), *(text for one in inner for text in remarks(one)))
    return tuple(dict.fromkeys(text for text in said if text is not None))


def _inner(solver: Solver) -> Solver:
    """The solver itself, whatever stands around it."""
    return _inner(solver.solver) if isinstance(solver, Exchange | Sizing) else solver
