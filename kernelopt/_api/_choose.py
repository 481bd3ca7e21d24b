"""The second step of a solve: the families and the solver, the user's or the defaults, with notes."""

from typing import Any

import attrs

from kernelopt._api._by_view import without_kernels
from kernelopt._api._family_specs import by_view
from kernelopt._api._leaves import expanded, make_leaves
from kernelopt._api._novelty_choice import unlabelled
from kernelopt._api._scale import Scale
from kernelopt._api._solver_choice import automatic
from kernelopt._api._validate import Request
from kernelopt._api.data._contradicting_copies import refuse_contradicting_copies
from kernelopt._api.data._training import Training
from kernelopt._base._errors import Refused
from kernelopt._base.tables._view_layout import absent
from kernelopt._criteria._contract import Criterion
from kernelopt._families._leaf import Leaf
from kernelopt._families.features._landmark_lists import MANY, spanned
from kernelopt._families.variances._lacking import of_lacking
from kernelopt._plugins._registry import resolve
from kernelopt._rows._coded import ReadRows
from kernelopt._saddle._contract import Solver
from kernelopt._saddle._saddle_objective import objective_of
from kernelopt._solvers._adapters import refusal, remarks, served, serving
from kernelopt._solvers._chain import Chain

AUTO = "auto"


@attrs.frozen(eq=False)
class Choice:
    """What is solved, and how.

    Attributes:
        leaves: the families, prepared, with their scales and prices.
        solver: with what it needs around it to serve them.
        notes: what was taken where the user left something open, and what stands around the solver.
    """

    leaves: tuple[Leaf, ...]
    solver: Solver
    notes: tuple[str, ...]


def chosen(request: Request, family: Any, solver: Any) -> Choice:
    """The families and the solver of two specs; None and "auto" leave the choice to the core.

    Raises:
        InvalidData, InvalidOption, UnknownName, BrokenPlugin, Refused: as in `solve`.
    """
    training, criterion = request.training, request.criterion
    spec, default = family_for(family, training, criterion)
    leaves, added = leaves_for(spec, training, request.settings.scale, criterion, request.rows)
    refuse_contradicting_copies(leaves, criterion, training)
    method, taken = solver_for(solver, leaves, criterion, training.y.shape, request.settings.tol)
    return Choice(leaves, method, (*default, *added, *taken))


def _thinned(
    leaves: tuple[Leaf, ...], training: Training, rows: ReadRows | None
) -> tuple[tuple[Leaf, ...], tuple[str, ...]]:
    """With many rows, lists of kernels that few rows span as lists of features, with notes on them."""
    n = _count(training, rows)
    if n <= MANY:
        return leaves, ()
    found = spanned(leaves, training.X, rows)
    notes = tuple(
        f"family: {leaf.family.name} is represented by features: on all {n} rows each of its kernels is, up to "
        "rounding, a combination of few rows"
        for leaf, thin in zip(leaves, found, strict=True)
        if thin is not None
    )
    return tuple(thin or leaf for leaf, thin in zip(leaves, found, strict=True)), notes


def family_for(spec: Any, training: Training, criterion: Criterion) -> tuple[Any, tuple[str, ...]]:
    """The family's spec, or the default: that of the objective, and for novelty one kernel that the rows choose."""
    if criterion.task == "novelty":
        views = without_kernels(spec, training)
        return unlabelled(training, views) if spec is None or views else (spec, ())
    if spec is not None:
        return spec, ()
    if training.sparse_among(range(training.width)) and not training.in_views:
        note = (
            "family: X is sparse and no family was named, so the list for sparse rows was taken: Gaussians, the "
            "linear, the quadratic and the cosine kernel on all columns as they are"
        )
        return AUTO, (note,)
    if training.in_views:
        return by_view(), ("family: X comes in views and none was named, so each view has a ready list of kernels",)
    return objective_of(criterion).default_family()


def leaves_for(
    spec: Any, training: Training, scale: Scale, criterion: Criterion, rows: ReadRows | None = None
) -> tuple[tuple[Leaf, ...], tuple[str, ...]]:
    """The leaves of a family's spec, as the objective needs them, with notes on what it added.

    Where rows are read in blocks, the training rows are some of them.
    """
    objective = objective_of(criterion)
    default = AUTO if objective.default_family()[0] == AUTO else None
    made = make_leaves(spec, training, scale, default)
    alone = _of_lacking(made, training, rows) if objective.apart else ()
    leaves, notes = objective.union((*made, *alone), training.width)
    leaves, thin = _thinned(tuple(expanded(leaf, training) for leaf in leaves), training, rows)
    return leaves, (*_lacking(made, training), *_apart(made, alone, asked=objective.apart), *notes, *thin)


def _of_lacking(leaves: tuple[Leaf, ...], training: Training, rows: ReadRows | None) -> tuple[Leaf, ...]:
    """What rows that lack a view have to themselves, one leaf for each such view; many rows are summed up without."""
    return of_lacking(leaves) if _count(training, rows) <= MANY else ()


def _count(training: Training, rows: ReadRows | None) -> int:
    """How many rows there are, of which the training rows are some where they are read in blocks."""
    return len(training.X) if rows is None else rows.n


def _lacking(leaves: tuple[Leaf, ...], training: Training) -> tuple[str, ...]:
    """Notes on views that some rows lack."""
    lacking = {leaf.group: leaf for leaf in leaves if leaf.expansion is not None and leaf.expansion.lacking}
    counts = {name: int(absent(training.X[:, leaf.columns]).sum()) for name, leaf in lacking.items()}
    return tuple(
        f"family: {count} of {len(training.X)} rows lack the view {name!r}: the mean of the others in feature space "
        "stands for it there"
        for name, count in counts.items()
    )


def _apart(leaves: tuple[Leaf, ...], alone: tuple[Leaf, ...], *, asked: bool) -> tuple[str, ...]:
    """Notes on what rows that lack a view have to themselves, where that is asked for: it joined, or is not learned."""
    if alone:
        note = (
            "family: lacking joined the union for each view that rows lack: the evidence learns the variance of what "
            "the view would have told of them"
        )
        return (note,)
    if asked and of_lacking(leaves):
        note = (
            f"family: with more than {MANY} rows all rows have the same noise, whether they lack a view or not, so "
            "standard deviations are too small for rows that lack one, and too large for the others"
        )
        return (note,)
    return ()


def solver_for(
    spec: Any, leaves: tuple[Leaf, ...], criterion: Criterion, shape: tuple[int, ...], tol: float = 0.0
) -> tuple[Solver, tuple[str, ...]]:
    """The solver of a spec, with what it needs around it to serve these leaves.

    `auto` asks how many rows and outputs the encoded targets have, which is their shape, and for the tolerance.

    Raises:
        Refused: it cannot serve these leaves with this criterion, with the reason.
    """
    posed(leaves, criterion)
    objective, open_ = objective_of(criterion), isinstance(spec, str) and spec == "auto"
    name = (objective.default_solver or automatic(leaves, criterion, shape, tol)) if open_ else spec
    solver: Solver = resolve("solver", name)
    if objective.adapter is not None and not objective.serves(type(solver)):
        solver = resolve("solver", {"name": objective.adapter, "solver": solver})
    notes = (f"solver: auto took {_words(solver)}",) if open_ else ()
    able = serving(solver, leaves, criterion)
    if able is not None:
        return able, (*notes, *served(able), *remarks(able))
    names = " + ".join(leaf.family.name for leaf in leaves)
    raise Refused(f"{solver.name} cannot solve {names} with {criterion.name}: {refusal(solver, leaves, criterion)}")


def posed(leaves: tuple[Leaf, ...], criterion: Criterion) -> None:
    """Refuse a problem that has no optimum, or none that could be certified, whatever the solver."""
    reason = criterion.refuses(tuple(leaf.family for leaf in leaves))
    reason = objective_of(criterion).unbounded(leaves, criterion) if reason is None else reason
    if reason is not None:
        names = " + ".join(leaf.family.name for leaf in leaves)
        raise Refused(f"{criterion.name} has no answer for {names}: {reason}")


def _words(solver: Solver) -> str:
    """What a user types for it, but for its options."""
    return f"{_words(solver.first)}+{_words(solver.then)}" if isinstance(solver, Chain) else solver.name
