"""`kernelopt.solve`: from X, y and three names to a certified answer."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from kernelopt._api._choose import chosen
from kernelopt._api._guard import guarded
from kernelopt._api._learned import Call
from kernelopt._api._many_result import of_all_rows, solved
from kernelopt._api._many_rows import carried, many, summable
from kernelopt._api._outliers import believed
from kernelopt._api._progress import watched
from kernelopt._api._result import solution
from kernelopt._api._rows_in_time import in_time
from kernelopt._api._validate import Settings, unused, validated
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
    seed: int = 0,
    progress: bool = False,
    callback: Callable[[Record], object] | None = None,
    checkpoint: str | Path | None = None,
    client: Any = None,
    device: Any = None,
) -> Solution:
    """Learn the kernel and the machine together, with a certified duality gap.

        min over kernels  max over alpha      h(alpha) - 1/2 v'Kv + R(kernel),      v = E alpha

    Args:
        X: training rows, shape (n, d): numbers, none infinite, with NaN where one is missing; or a table of pandas or
            polars, an array or a list, with text and categories too. A table gives its columns' names to the solution.
            Several blocks of data on the same rows are `Views`, or a list or a mapping of them, each with kernels of
            its own. With neither X nor y: scikit-learn's breast cancer data. Rows that are not in memory: what
            `row_blocks` opens, which has its targets with it, a memory map of more than 10,000 rows, or a
            collection of dask, which the plugin kernelopt-dask reads.
        y: one target per row, shape (n,): two or more labels, or numbers; several numbers per row, shape (n, c), for
            regression with a shared kernel; None for novelty detection.
        family: a name ("tk"), an object, a mapping {"name": "tk", "degree": 2}, or a list of these: their union.
            Of views it is one of each, and `by_view` names others for some; "precomputed" says that X is a Gram of the
            training rows, or several. None, with the criterion open too or "evidence": the list "auto"; with another:
            tessellated kernels, and for views the ready list of `by_view`; without y, one Gaussian on
            standardised columns, so wide that its mean over pairs of m different rows is 3 / sqrt(m), 1/2 at most;
            pairs of 250 rows at most are looked at.
        solver: a name ("fw"), an object, a mapping, or "auto". It says how is learned, and never what.
        criterion: a name ("svc"), an object or a mapping {"name": "svc", "C": 10}. None: with the family open too, the
            evidence, as in `KernelClassifier()` and `KernelRegressor()`; else svc or svr, as y
            suggests, in its units; without y, "one-class".
        tol: the relative duality gap to reach, in (0, 1).
        atol: the absolute gap that also counts as reached. None: 1e-12 (|h| + 1/2 sum v_i^2 K_ii), which is rounding.
        scale: what is 1 for each family on the training rows: "unit", the mean diagonal of the centre kernel; "atom",
            the largest mean diagonal of an atom; "variance", the same after centring; "auto", "unit" for one member
            and "variance" for several, views among them, where all know it; or "paper" (the papers' units), or the
            factor itself.
        start: a solution or a mixture to go on from, of the same families on the same columns; or "means", with two
            classes or more: the kernel in whose feature space the means of the classes are furthest apart.
        max_steps: the solver's own limit where None.
        max_seconds: a time limit; none by default, so that results do not depend on the machine. Where it is too
            short for all rows, some are learned from, and a note says so: the evidence takes the kernel from these and
            the machine from all, as far as it gets, and other criteria take both from them.
        sample_weight: shape (n,), >= 0; a weight of k equals k copies of the row.
        class_weight: None, "balanced", or a mapping label -> weight.
        seed: of everything random.
        progress: show a live line.
        callback: gets a `Record` after each step; returning True stops the run, and so does Ctrl-C.
        checkpoint: a file that keeps the best so far, and from which an interrupted run goes on.
        client: the workers that read rows in blocks and sum them up, as a client of dask.distributed; by the plugin
            kernelopt-dask. None: this process, or for a collection of dask wherever dask computes it.
        device: where the evidence sums up rows when there are more than 10,000 of them: "cuda", "cuda:1" or "cpu", by
            torch (`kernelopt[torch]`). None: numpy, in this process. The answer is the same to rounding.

    Returns:
        The solution: status, certificate, learned kernel, prediction.

    Raises:
        InvalidData, InvalidOption, UnknownName, BrokenPlugin, Refused, NotEnoughMemory, MissingLibrary: each says what
            was got, what was wanted and what to do; all are `KerneloptError`.
        KeyboardInterrupt: Ctrl-C came before there was an answer. Nothing is left half-done, and the same call may
            be made again. Once there is an answer Ctrl-C ends the run with it, and its status says so.
    """
    with guarded() as gate:
        with gate.heeded():
            settings = Settings(tol, atol, scale, max_steps, max_seconds, seed, device)
        with watched(progress, callback, tol) as audience:
            with gate.heeded():
                request = validated(
                    X, y, family, criterion, sample_weight, class_weight, settings, audience.told, client
                )
                keeper = keeper_for(checkpoint)
                choice = chosen(request, family, solver)
            fewer = summable(request, choice) and start is None and checkpoint is None
            call = Call(audience, gate, start, checkpoint, keeper, fewer)
            with one_thread():
                if many(request, choice):
                    return of_all_rows(request, choice, call)
                if start is None and checkpoint is None:
                    with gate.heeded():
                        request = in_time(request, choice, gate)
                found = believed(request, choice, call)
                if len(found.request.training.X) < len(request.training.X):
                    return solved(request, carried(request, found, call), choice.solver, call)
        return solution(found, (*keeper.notes, *unused(request)), gate)
