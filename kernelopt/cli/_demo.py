"""`kernelopt demo`: the default on bundled data, beside the machines that are usually tried first."""

import kernelopt
from kernelopt.cli import _json, _report
from kernelopt.cli.judging import _check, _check_report, _measure, _trials
from kernelopt.cli.judging._check_plan import Plan
from kernelopt.cli.reading._rows import Rows
from kernelopt.datasets import bundled
from kernelopt.sklearn._rivals import rivals

TEST_SHARE = 0.3
SEED = 0


def run(*, quick: bool, progress: bool, json: bool) -> None:
    """Learn, compare and print."""
    data = bundled()
    rows = Rows(data.table, data.y, data.names, None)
    parts = _trials.splits(rows, "classification", None, TEST_SHARE, SEED)
    train, _ = parts[0]
    solution = kernelopt.solve(rows.X[train], data.y[train], tol=1e-2 if quick else 1e-3, seed=SEED, progress=progress)
    beside = rivals(rows.X, data.y, "classification", SEED, tuned=not quick)
    measured = _measure.measured(solution, rows, parts[0], "classification", beside)
    check = _check.Check("classification", Plan(len(rows.X), parts, SEED, stratified=True), (measured,))
    if json:
        _json.show({**_report.as_mapping(solution), "data": data.title, "check": _check_report.as_mapping(check)})
    else:
        _report.show(solution, data.title, _check_report.lines(check, kept=False), _check_report.table(check))
