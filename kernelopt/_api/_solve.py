"""`kernelopt.solve`: from X, y and three names to a certified answer."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from kernelopt._api._choose import chosen
from kernelopt._api._guard import guarded
from kernelopt._api._learned import Call
from kernelopt._api._prepared_in_time import preparable
from kernelopt._api._progress import watched
from kernelopt._api._result import solution
from kernelopt._api._resumed import hasty
from kernelopt._api._rows_in_time import in_time
from kernelopt._api._target_units import in_own_units
from kernelopt._api._validate import Settings, unused, validated
from kernelopt._api.many_rows._begun import carried, many, summable
from kernelopt._api.many_rows._result import of_all_rows, solved
from kernelopt._api.outliers._outliers import believed
from kernelopt._base._threads import one_thread
from kernelopt._families._mixture import Mixture
from kernelopt._io._checkpoint import keeper_for
from kernelopt._model._solution import Solution
from kernelopt._saddle._trace import Record


def solve(
    X: Any = None,
    y: Any = None,
    *,
    family: Any = None,
    solver: Any = "auto",
    criterion: Any = None,
    tol: float = 1e-3,
    atol: float | None = None,
    scale: str | float = "auto",
    start: Solution | Mixture | Literal["means"] | None = None,
    max_steps: int | None = None,
    max_seconds: float | None = None,
    sample_weight: Any = None,
    class_weight: Any = None,
    groups: Any = None,
    seed: int = 0,
    progress: bool = False,
    callback: Callable[[Record], object] | None = None,
    checkpoint: str | Path | None = None,
    client: Any = None,
    device: Any = None,
) -> Solution:
    """Learn a kernel together with the machine that uses it, and certify the result by a duality gap.

    For example, `solve(X, y).predict(Z)` predicts new rows Z. The problem that is solved is

        min over kernels  max over alpha      h(alpha) - 1/2 v'Kv + R(kernel),      v = E alpha

    where K is the Gram matrix of the kernel, alpha are the dual variables of the machine, the criterion gives h and E,
    and R is the price of the kernel, which most families do not have.

    Args:
        X: training rows, shape (n, d): an array or a list of finite numbers, with NaN for a missing value, or a table
            of pandas or polars, which may also hold text and categories and gives the names of its columns to the
            solution. A sparse matrix of scipy is not made dense: families of inner products and distances learn from
            it as it is. Several blocks of data on the same rows are passed as `Views`, or as a list or a mapping of
            blocks, and each block gets kernels of its own. Rows that are not in memory may be what `row_blocks` opens
            (the targets are then part of the rows), a memory map, or, with the plugin kernelopt-dask, a collection of
            dask. If neither X nor y is given, the breast cancer data of scikit-learn are taken.
        y: one target for each row, shape (n,): labels of two or more classes, or numbers. Several numbers for each
            row, shape (n, c), are a regression of several targets that share one kernel. None means novelty detection.
        family: the kernels to choose from: a name such as "tk", an object, a mapping such as {"name": "tk", "degree":
            2}, or a list of these, which means their union. For views, `by_view` gives each view a family of its own.
            "precomputed" says that X is a Gram matrix of the training rows, or several. None: if the criterion is the
            evidence or is not named either, the list "auto"; with another criterion tessellated kernels, or for views
            the ready list of `by_view`; without y a single Gaussian kernel on standardised columns. The width of this
            Gaussian is such that the kernel has the mean 3 / sqrt(m), but at most 1/2, over all pairs of m different
            rows; at most 250 rows are looked at for this.
        solver: the method of optimisation: a name such as "fw", an object, a mapping, or "auto". The solver changes how
            the optimum is found, and not which problem is solved.
        criterion: the task with its loss: a name such as "svc", an object, or a mapping such as {"name": "svc", "C":
            10}. None: if the family is not named either, the evidence, as in `KernelClassifier()` and
            `KernelRegressor()`; if a family is named, "svc" for labels and, for numbers, "svr" with options in the
            units of y; without y "one-class".
        tol: the relative duality gap at which the run ends, in (0, 1). The objective of the evidence may be 0, so under
            the evidence the run ends at a gap of tol times half the number of targets, in nats.
        atol: the absolute duality gap at which the run ends too, >= 0; under the evidence it replaces what tol says.
            None: 1e-12 (|h| + 1/2 sum v_i^2 K_ii), which is the size of rounding errors.
        scale: the quantity that is made 1 for each family on the training rows, so that families are comparable:
            "unit", the mean diagonal of the centre kernel; "atom", the largest mean diagonal of an atom; "variance",
            the same after centring. "auto" takes "unit" for a single family, and "variance" for several families or
            views if all of them can compute it. "paper" keeps the units of the papers, and a positive number is
            the factor itself.
        start: a solution or a mixture at which the run begins. It must be of the same families on the same columns. On
            the same rows the run does not end worse than it begins. If learned metrics or kernels of trees joined the
            families of the solution, they are taken, and no others are looked for, so that the run is short. Or
            "means", for support vector machines that learn classes: the kernel in whose feature space the means of the
            classes are furthest apart.
        max_steps: the largest number of steps, >= 0; 0 keeps the kernel that the run begins with. None: the solver's
            own limit.
        max_seconds: a time limit in seconds. None: no limit, so that results do not depend on the speed of the machine.
            If there is too little time for all rows, the kernel is learned from some of them, and a note says so; the
            evidence then fits the machine to as many rows as there is time for, and other criteria take the machine
            from the same rows as the kernel. Under the evidence, a run with a `start` takes the kernel of this solution
            if there is too little time for all rows at once, and represents it by landmarks.
        sample_weight: weights of the rows, shape (n,), >= 0. A weight of k means the same as k copies of the row. Under
            the evidence weights that are not all whole numbers say how much each row is trusted beside the others.
        class_weight: weights of the classes: None, "balanced", or a mapping from labels to weights. Under the evidence
            they multiply the probabilities of the classes, with other criteria the weights of the rows.
        groups: labels of groups of rows that belong together, shape (n,), such as the measurements of one patient or
            the copies of one row. The evidence then learns the variance of an effect that the rows of a group share,
            beside the noise of each row; without groups, the standard deviations of predictions are too small if the
            rows of a group are alike. New rows count as rows of unknown groups: the effect widens their deviations, and
            does not change their values.
        seed: the seed of all random numbers.
        progress: whether to show a live line.
        callback: a function that is called with a `Record` after each step. If it returns True, the run ends with the
            best solution so far, as it does after Ctrl-C.
        checkpoint: a file in which the best kernel so far is kept. If the run is interrupted, the same call continues
            from this file.
        client: a client of dask.distributed, whose workers read the blocks of rows and compute the sums over them; this
            needs the plugin kernelopt-dask. None: this process does so, or, for a collection of dask, its scheduler.
        device: where the evidence computes sums over many rows (more than 6000 by default): "cuda", "cuda:1" or "cpu",
            with torch (`kernelopt[torch]`). None: in this process with numpy. The results differ by rounding errors
            only.

    Returns:
        the solution, with its status, its certificate, the learned kernel, and methods that predict.

    Raises:
        InvalidData, InvalidOption, UnknownName, BrokenPlugin, Refused, NotEnoughMemory, MissingLibrary: the message
            says what was got, what was wanted and what to do. All of them are a `KerneloptError`.
        KeyboardInterrupt: Ctrl-C was pressed before there was a solution. Nothing is left half-done, and you can make
            the same call again. If there is a solution already, Ctrl-C ends the run with this solution, and its status
            says so.
    """
    with guarded() as gate:
        with gate.heeded():
            settings = Settings(tol, atol, scale, max_steps, max_seconds, seed, device)
        with watched(progress, callback, tol) as audience:
            with gate.heeded():
                request = validated(
                    X, y, family, criterion, sample_weight, class_weight, settings, audience.told, client, groups
                )
                keeper = keeper_for(checkpoint)
                request = in_own_units(request)
                if start is None and checkpoint is None:
                    request = preparable(request, family)
                choice = chosen(request, family, solver)
            fewer = summable(request, choice) and start is None and checkpoint is None
            call = Call(audience, gate, start, checkpoint, keeper, fewer)
            with one_thread():
                if many(request, choice, start) or (summable(request, choice) and hasty(start, request)):
                    return of_all_rows(request, choice, call)
                if start is None and checkpoint is None:
                    with gate.heeded():
                        request = in_time(request, choice, gate)
                found = believed(request, choice, call)
                if len(found.request.training.X) < len(request.training.X):
                    return solved(request, carried(request, found, call), choice.solver, call)
        return solution(found, (*keeper.notes, *unused(request)), gate)
