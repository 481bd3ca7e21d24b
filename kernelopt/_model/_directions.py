"""What a user asks of an answer: along which directions of the columns it varies."""

import warnings
from typing import Any

from kernelopt._base._errors import InvalidData, InvalidOption, OutsideBounds
from kernelopt._base._typing import FloatArray
from kernelopt._model._model import Model
from kernelopt._model._solution import Solution
from kernelopt._prediction._directions import Directions
from kernelopt._prediction._slopes import root_of_slopes


def kept_rows(machine: Solution | Model) -> FloatArray:
    """The support vectors, shape (s, d), s > 0.

    Raises:
        InvalidData: none are kept.
    """
    kept = machine.predictor
    rows = machine.support_vectors if isinstance(machine, Solution) else kept.kernel.shown(kept.support_vectors)
    if not len(rows):
        raise InvalidData("X is missing: the model keeps no rows, because its families have features; pass some rows")
    return rows


def directions(solution: Solution | Model, X: Any = None) -> Directions:
    """Which columns matter, and which combinations of them: the decision function's average gradient outer product.

    G = mean over rows of sum_c grad f_c(x) grad f_c(x)', on columns in units of their standard deviations over X. The
    share of column j is G_jj / tr G, and the directions are the eigenvectors of G, the strongest first.

    Gradients are differences of decisions, some 20,000 of them: to a tenth of a deviation on both sides, within the
    range of the column; in a column of at most 12 distinct values to the next one, up or down, as moving to a value
    that no row has makes no sense for numbers that stand for something; in a column of categories to two others, drawn
    by how frequent they are. What is missing stays so. Of many rows some are taken, evenly. Several outputs count by
    the size of their decisions.

    Radhakrishnan, Beaglehole, Pandit and Belkin (2024).

    Args:
        solution: or a model, of any family, criterion and task.
        X: rows, shape (n, d); None: the support vectors.

    Returns:
        shares of the columns, and directions; print it for a few words.

    Raises:
        InvalidData: X is not of the columns of training; or it is None, and the model keeps no rows.
        InvalidOption: it is neither a solution nor a model.
    """
    if not isinstance(solution, Solution | Model):
        raise InvalidOption(
            f"directions: got {type(solution).__name__}, wanted a solution or a model; a fitted estimator has its "
            "solution in solution_"
        )
    rows = solution.kernel.rows(kept_rows(solution) if X is None else X, "X")
    solution.kernel.warn(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OutsideBounds)  # it was said of the rows, and no step leaves their range
        root = root_of_slopes(solution.predictor, rows)
    width = solution.kernel.d
    return Directions.of(root[:width], solution.kernel.own_names or tuple(f"x{j}" for j in range(width)))
