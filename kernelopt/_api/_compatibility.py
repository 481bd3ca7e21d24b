"""Which solver solves which family with which criterion: asked of the contracts, never written down."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs
import numpy as np

from kernelopt._api._choose import leaves_for, solver_for
from kernelopt._api.data._training import Training, admit
from kernelopt._base import _html as html
from kernelopt._base._errors import Refused
from kernelopt._criteria._contract import Criterion
from kernelopt._families._leaf import Leaf
from kernelopt._plugins._blame import blamed
from kernelopt._plugins._registry import Kind, registry, required, resolve
from kernelopt._saddle._saddle_objective import objective_of
from kernelopt._solvers._exchange import Exchange

_ROWS, _COLUMNS = 12, 2
_YES, _SOME, _NONE = "rgba(0,114,178,0.30)", "rgba(230,159,0,0.25)", "rgba(128,128,128,0.15)"
"""What colour stands behind a pair that solves with every criterion, with some, with none: on light and dark pages."""


@attrs.frozen
class Cell:
    """One combination.

    Attributes:
        family, solver, criterion: their names.
        reason: None where it solves, else the sentence with which it is refused before any work is done.
        lifted: whether it is an exchange that brings the solver the family's atoms.
    """

    family: str
    solver: str
    criterion: str
    reason: str | None = None
    lifted: bool = False

    @property
    def solves(self) -> bool:
        """Whether the combination solves to its certified gap."""
        return self.reason is None


@attrs.frozen(repr=False)
class Compatibility:
    """All combinations of what is installed, or of what was asked for.

    Attributes:
        cells: every family with every solver and every criterion.
    """

    cells: tuple[Cell, ...]

    def __iter__(self) -> Iterator[Cell]:
        return iter(self.cells)

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def refused(self) -> tuple[Cell, ...]:
        """The combinations that are refused."""
        return tuple(cell for cell in self.cells if not cell.solves)

    def of(self, family: str, solver: str) -> tuple[Cell, ...]:
        """The cells of a family and a solver, one for each criterion."""
        return tuple(cell for cell in self.cells if (cell.family, cell.solver) == (family, solver))

    @property
    def solvers(self) -> tuple[str, ...]:
        """Their names, each once."""
        return tuple(dict.fromkeys(cell.solver for cell in self))

    @property
    def families(self) -> tuple[str, ...]:
        """Their names, each once."""
        return tuple(dict.fromkeys(cell.family for cell in self))

    def __repr__(self) -> str:
        return f"<Compatibility: {len(self) - len(self.refused)} of {len(self)} combinations solve>"

    def _repr_html_(self) -> str:
        rows = [
            [html.Cell(family), *(_cell(self.of(family, solver)) for solver in self.solvers)]
            for family in self.families
        ]
        table = html.grid("Which solver solves which family", ("", *self.solvers), rows)
        return table + html.folded("Why some are refused", tuple(_grouped(self.refused)))

    def __str__(self) -> str:
        """A table of families and solvers: how many criteria each pair solves, and the reasons where some are not."""
        solvers, families = self.solvers, self.families
        table = [(family, *(_summary(self.of(family, solver)) for solver in solvers)) for family in families]
        rows = [("", *solvers), *table]
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        lines = ["  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join([*lines, *(f"  {reason}" for reason in _grouped(self.refused))])


def _grouped(refused: Sequence[Cell]) -> Iterator[str]:
    """Each reason once, with what it refuses first, and how much more."""
    reasons: dict[str, list[str]] = {}
    for cell in refused:
        what, _, why = (cell.reason or "").partition(": ")
        reasons.setdefault(why, []).append(what)
    for why, whats in reasons.items():
        more = len(dict.fromkeys(whats)) - 1
        yield f"{whats[0]}{f', and {more} more' if more else ''}: {why}"


def _cell(cells: tuple[Cell, ...]) -> html.Cell:
    """A pair in colour, with the first of its reasons."""
    reason = next((cell.reason for cell in cells if cell.reason is not None), "")
    solved = sum(cell.solves for cell in cells)
    colour = _YES if solved == len(cells) else _SOME if solved else _NONE
    return html.Cell(_summary(cells), colour, reason)


def _summary(cells: tuple[Cell, ...]) -> str:
    """How many of these cells solve: "yes" for all, "exchange" for all, some of them by an exchange."""
    solved = [cell for cell in cells if cell.solves]
    if len(solved) < len(cells):
        return f"{len(solved)} of {len(cells)}"
    return "exchange" if any(cell.lifted for cell in cells) else "yes"


@blamed()
def compatibility(
    families: Sequence[Any] | None = None, solvers: Sequence[str] | None = None, criteria: Sequence[str] | None = None
) -> Compatibility:
    """Which solver solves which family with which criterion, each with its default options.

    A combination either can be solved, or is refused in one sentence before any work is done. To find out, each solver
    is asked whether it accepts the families and the criterion on a dozen rows; nothing is solved.

    Args:
        families: names, or anything else that `solve` accepts as a family; None: all that are installed and can be made
            without options.
        solvers: names; None: likewise.
        criteria: names; None: likewise.

    Returns:
        a table with one cell for each combination; `print` shows it.

    Raises:
        UnknownName, BrokenPlugin: as in `solve`.
    """
    cells: list[Cell] = []
    for spec in _installed("family") if families is None else families:
        for criterion in _installed("criterion") if criteria is None else criteria:
            machine = resolve("criterion", criterion)
            training = _training(machine)
            leaves, _ = leaves_for(spec, training, "unit", machine)
            family = spec if isinstance(spec, str) else " + ".join(leaf.family.name for leaf in leaves)
            asked = _named(machine) if solvers is None else solvers
            cells += _cells(family, leaves, machine, training, asked)
    return Compatibility(tuple(cells))


def _installed(kind: Kind) -> tuple[str, ...]:
    """The names of what can be made without options."""
    found = registry()
    return tuple(name for name in found.names(kind) if not required(found.find(kind, name)))


def _named(machine: Criterion) -> tuple[str, ...]:
    """The solvers that serve the objective, or are put to work on it."""
    found, objective = registry(), objective_of(machine)
    names = _installed("solver")
    return tuple(name for name in names if objective.adapter or objective.serves(found.find("solver", name)))


def _cells(
    family: str, leaves: tuple[Leaf, ...], machine: Criterion, training: Training, solvers: Iterable[str]
) -> Iterator[Cell]:
    for solver in solvers:
        try:
            method, _ = solver_for(solver, leaves, machine, training.y.shape)
        except Refused as refused:
            yield Cell(family, solver, machine.name, str(refused))
        else:
            yield Cell(family, solver, machine.name, lifted=isinstance(method, Exchange))


def _training(criterion: Criterion) -> Training:
    """A dozen rows, with targets that suit the criterion."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(_ROWS, _COLUMNS))
    y = np.where(np.arange(_ROWS) % 2 == 0, 1, -1) if criterion.task == "classification" else rng.normal(size=_ROWS)
    return admit(X, None if criterion.task == "novelty" else y, criterion, None, None)
