"""What matters: the members of a union by weight, and the columns of X."""

from typing import TYPE_CHECKING, Any, Self

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._families._named_weights import named_weights
from kernelopt._model._machines import Machine, require_machine
from kernelopt.plot._canvas import MOST, Display, names_of_columns
from kernelopt.plot._pictures import Bars

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
        """Draw the weights of the members of a solution's kernel.

        Args:
            solution: a solution or a model, with one family or several.
            atoms: whether to draw atoms in place of members: of a list the kernels that have weight, and of a searched
                family the atoms, if they have names. A family whose atoms have no names stays one bar.
            names: the names of the columns of X. None: the names that the solution knows, otherwise x0, x1, ...
            most: the largest number of bars; the last bar then stands for all remaining members or atoms.
            ax: the axes to draw into. None: new axes.
        """
        require_machine(solution, cls.__name__)
        kernel = solution.kernel
        known = names_of_columns(names, kernel)
        labels, weights = named_weights(kernel.leaves, kernel.mixture, kernel.d, known, atoms=atoms)
        return cls(Bars.heaviest(labels, weights, "weight", most)).plot(ax)

    def _draw(self, ax: Any) -> None:
        self.bars.draw(ax)


@attrs.define(eq=False, on_setattr=attrs.setters.frozen)
class ViewsDisplay(Display):
    """The share of every view in the learned kernel.

    Attributes:
        bars: the views, the largest share first.
    """

    bars: Bars

    @classmethod
    def from_solution(cls, solution: Machine, *, most: int = MOST, ax: "Axes | None" = None) -> Self:
        """Draw the shares of the views in a solution's kernel.

        Args:
            solution: a solution or a model that was learned from views.
            most: the largest number of bars; the last bar then stands for all remaining views.
            ax: the axes to draw into. None: new axes.

        Raises:
            InvalidOption: the solution was learned from one matrix without views.
        """
        require_machine(solution, cls.__name__)
        shares = solution.views()
        return cls(Bars.heaviest(tuple(shares), np.array(list(shares.values())), "share of the kernel", most)).plot(ax)

    def _draw(self, ax: Any) -> None:
        self.bars.draw(ax)


@attrs.define(eq=False, on_setattr=attrs.setters.frozen)
class FeaturesDisplay(Display):
    """The columns that matter: the share of the decision function's variance that depends on each column.

    The total effect of column j is E (f(x) - f(x'))^2 / (2 Var f), where x' is x with x_j from another row. Columns
    that act together each have the part that they share, and if the columns depend on each other the effects need not
    sum to 1 (Jansen, 1999). For several outputs, the picture shows the mean effect.

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
        """Draw the effects of the columns, which takes n d repeats values of the decision function.

        Args:
            solution: a solution or a model, of any family.
            X: the rows, shape (n, d).
            names: the names of the columns. None: the names that the solution knows, otherwise x0, x1, ...
            most: the largest number of bars; the last bar then stands for all remaining columns.
            repeats: the number of times that each column is shuffled.
            seed: the seed of the shuffling.
            ax: the axes to draw into. None: new axes.
        """
        require_machine(solution, cls.__name__)
        solution.kernel.refuse_sparse("plot.features")
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
