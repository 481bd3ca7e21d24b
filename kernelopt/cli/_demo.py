"""`kernelopt demo`: the default on bundled data, beside the machines that anybody would try first."""

from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

import kernelopt
from kernelopt.cli import _check, _check_report, _json, _report, _trials
from kernelopt.cli._rivals import Rival, rivals
from kernelopt.cli._rows import Rows
from kernelopt.datasets import bundled

TEST_SHARE = 0.3
SEED = 0
FOLDS = 5
GRID = {"svc__C": [0.1, 1.0, 10.0, 100.0], "svc__gamma": [0.01, 0.1, 1.0, 10.0]}


def run(*, quick: bool, progress: bool, json: bool) -> None:
    """Learn, compare and print."""
    data = bundled()
    rows = Rows(data.table, data.y, data.names, None)
    parts = _trials.splits(rows, "classification", None, TEST_SHARE, SEED)
    train, _ = parts[0]
    solution = kernelopt.solve(rows.X[train], data.y[train], tol=1e-2 if quick else 1e-3, seed=SEED, progress=progress)
    plain = rivals(rows.X, data.y, "classification", SEED)
    beside = plain if quick else (plain[0], _grid(), *plain[1:])
    measured = _check.measured(solution, rows, parts[0], "classification", beside)
    check = _check.Check("classification", _check.Plan(len(rows.X), parts, SEED), (measured,))
    if json:
        _json.show({**_report.as_mapping(solution), "data": data.title, "check": _check_report.as_mapping(check)})
    else:
        _report.show(solution, data.title, _check_report.lines(check, kept=False), _check_report.table(check))


def _grid() -> Rival:
    """The best support vector machine of a grid, by folds of the training rows; columns are scaled to [0, 1]."""
    search = GridSearchCV(make_pipeline(MinMaxScaler(), SVC()), GRID, cv=FOLDS)
    return Rival(f"SVC, best of a grid by {FOLDS} folds", search)
