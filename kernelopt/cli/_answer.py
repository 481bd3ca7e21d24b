"""What `kernelopt solve` tells of its answer: one JSON object, or a report."""

from kernelopt._model._solution import Solution
from kernelopt.cli import _json, _outcome, _report, _solve
from kernelopt.cli._job import Job
from kernelopt.cli.judging import _check_report
from kernelopt.cli.judging._check import Check


def tell(job: Job, solution: Solution, scores: dict[str, float], measured: Check, *, json: bool) -> None:
    """Print the solution with its accuracies and what held-out rows say."""
    if json:
        about = {"folds": _solve.of_folds(measured), "check": _check_report.as_mapping(measured)}
        _json.show({**_report.as_mapping(solution), "scores": scores, **about, **_solve.of_views(job, solution)})
        return
    words = {**_solve.shares(job, solution), **_outcome.in_words(scores), **_check_report.lines(measured)}
    _report.show(solution, job.source, words, _check_report.table(measured))
