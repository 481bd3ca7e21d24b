"""What matters: the members of a union by weight, and the columns of X."""

from typing import TYPE_CHECKING, Any, Self

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._families._contract import KernelFamily
from kernelopt._families._description import spoken, title
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families._mixture import Part
from kernelopt.plot._canvas import MOST, Display, Machine, names_of_columns
from kernelopt.plot._pictures import Bars, in_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@attrs.define(eq=False, on_setattr=attrs.setters.frozen)
class WeightsDisplay(Display):
    """The weight of every member of a union, of families and of views; or of every atom that has a name.

    Attributes:
        bars: the members or the atoms, the heaviest first.
    """

    bars: Bars

    @classmethod
    def from_solution(
        cls,
        solution: Machine,
        *,
        atoms: bool = False,
        names: Any = None,
        most: int = MOST,
        ax: "Axes | None" = None,
    ) -> Self:
        """The members of a solution's kernel.

        Args:
            solution: or a model, with one family or several.
            atoms: in the place of a list the entries that have weight, and of a searched family the atoms, where they
                have names; a family whose atoms have none stays one bar.
            names: of the columns of X; None: those that the solution knows, else x0, x1, ...
            most: bars at most; the last one then holds all others.
            ax: axes to draw into; None: new ones.
        """
        kernel = solution.kernel
        known = names_of_columns(names, kernel)
        pairs = zip(kernel.leaves, kernel.mixture.parts, strict=True)
        bars = [
            bar for leaf, part in pairs for bar in _bars(leaf, part, title(leaf, kernel.width, known), known, atoms)
        ]
        labels, weights = tuple(label for label, _ in bars), np.array([weight for _, weight in bars])
        return cls(Bars.heaviest(labels, weights, "weight", most)).plot(ax)

    def _draw(self, ax: Any) -> None:
        self.bars.draw(ax)


def _bars(leaf: Leaf, part: Part, heading: str, names: tuple[str, ...], atoms: bool) -> list[tuple[str, float]]:
    """The bars of one member: itself, or its atoms."""
    if not atoms:
        return [(heading, part.mass)]
    family, shown = spoken(leaf, names), part.visible
    words = [_word(family, atom) for atom in shown.atoms]
    if None in words:
        return [(heading, part.mass)]
    where = heading.removeprefix(family.name)
    return [(f"{word}{where}", float(weight)) for word, weight in zip(words, shown.weights, strict=True)]


def _word(family: KernelFamily, atom: FloatArray) -> str | None:
    """An atom (p,) in a few words, with its family's name where these are but its numbers; None where nobody says."""
    word = None if isinstance(family, MatrixFamily) else family.label(atom)
    if not len(atom):
        return family.name
    if isinstance(family, FiniteFamily):
        return word or f"{family.name} {in_numbers(atom)}"
    return word and f"{family.name}: {word}"


@attrs.define(eq=False, on_setattr=attrs.setters.frozen)
class FeaturesDisplay(Display):
    """The columns that matter: how much of the decision function's variance hangs on each.

    The total effect of column j is E (f(x) - f(x'))^2 / (2 Var f), x' being x with x_j from another row; columns that
    act together share their part, and where columns depend on each other the effects need not sum to 1 (Jansen, 1999).
    Of several outputs the mean.

    Attributes:
        bars: the columns, the largest effect first.
    """

    bars: Bars

    @classmethod
    def from_solution(
        cls,
        solution: Machine,
        X: Any,
        *,
        names: Any = None,
        most: int = MOST,
        repeats: int = 5,
        seed: int = 0,
        ax: "Axes | None" = None,
    ) -> Self:
        """The columns of rows X (n, d), at the price of n d repeats decisions.

        Args:
            solution: or a model, of any family.
            X: rows, shape (n, d).
            names: of the columns; None: those that the solution knows, else x0, x1, ...
            most: bars at most; the last one then holds all others.
            repeats: how often each column is shuffled.
            seed: of the shuffling.
            ax: axes to draw into; None: new ones.
        """
        rows = solution.kernel.rows(X, "X")
        effects = total_effects(solution, rows, repeats, np.random.default_rng(seed))
        known = names_of_columns(names, solution.kernel)
        return cls(Bars.heaviest(known, effects, "share of the decision's variance", most)).plot(ax)

    def _draw(self, ax: Any) -> None:
        self.bars.draw(ax)


def total_effects(solution: Machine, X: FloatArray, repeats: int, rng: np.random.Generator) -> FloatArray:
    """The total effect of every column on the decision function, shape (d,); 0 where it is constant."""
    values = _outputs(solution, X)
    variance = values.var(axis=0)
    effects = np.zeros(X.shape[1])
    for j in range(X.shape[1]):
        for _ in range(repeats):
            other = X.copy()
            other[:, j] = X[rng.permutation(len(X)), j]
            moved = np.mean((_outputs(solution, other) - values) ** 2, axis=0)
            effects[j] += np.mean(moved / (2.0 * np.where(variance > 0.0, variance, np.inf))) / repeats
    return effects


def _outputs(solution: Machine, X: FloatArray) -> FloatArray:
    """The decision function, shape (n, c)."""
    return solution.decision_function(X).reshape(len(X), -1)
