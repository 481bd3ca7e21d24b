"""What a user asks of an answer: along which directions of the columns it varies."""

import warnings
from typing import Any

from kernelopt._base._errors import InvalidData, OutsideBounds
from kernelopt._base._typing import FloatArray
from kernelopt._model._machines import require_machine
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
        raise InvalidData(
            "X is missing: the model keeps no rows, because its families have features or its function is constant; "
            "pass some rows"
        )
    return rows


def directions(solution: Solution | Model, X: Any = None) -> Directions:
    """Which columns matter, and which combinations of them: the decision function's average gradient outer product.

    G = mean over rows of sum_c grad f_c(x) grad f_c(x)', on columns in units of their standard deviations over X. The
    share of column j is G_jj / tr G, and the directions are the eigenvectors of G, the strongest first.

    A gradient is a difference of decisions, when one column of a row is changed: by a tenth of a standard deviation to
    both sides, within the range of the column; in a column of at most 12 distinct values to the next larger and the
    next smaller value; in a column of categories to two other categories, drawn by their frequencies. Missing values
    stay missing. About 20,000 decisions are computed, so of many rows only some are used, evenly spaced. If there are
    several outputs, the size of their decisions decides how much each counts.

    Radhakrishnan, Beaglehole, Pandit and Belkin (2024).

    Args:
        solution: a solution or a model, of any family, criterion and task.
        X: the rows at which gradients are computed, shape (n, d); None: the support vectors.

    Returns:
        the shares of the columns and the directions; `print` shows them in a few words.

    Raises:
        InvalidData: X has other columns than the training rows; or X is None and the model keeps no rows.
        InvalidOption: `solution` is neither a solution nor a model, or rows are sparse.
    """
    require_machine(solution, "directions")
    solution.kernel.refuse_sparse("directions")
    rows = solution.kernel.rows(kept_rows(solution) if X is None else X, "X")
    solution.kernel.warn(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OutsideBounds)  # it was said of the rows, and no step leaves their range
        root = root_of_slopes(solution.predictor, rows)
    width = solution.kernel.d
    return Directions.of(root[:, :width], solution.kernel.own_names or tuple(f"x{j}" for j in range(width)))
