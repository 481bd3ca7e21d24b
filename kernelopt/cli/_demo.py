"""`kernelopt demo`: a learned kernel beside support vector machines with an RBF kernel, on bundled data."""

from typing import Any

import attrs
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

import kernelopt
from kernelopt._model._solution import Solution
from kernelopt.cli import _json, _report
from kernelopt.datasets import bundled

C = 1.0
TEST_SHARE = 0.3
SEED = 0
FOLDS = 5
GRID = {"svc__C": [0.1, 1.0, 10.0, 100.0], "svc__gamma": [0.01, 0.1, 1.0, 10.0]}


@attrs.frozen(eq=False)
class Split:
    """Training and test rows with their labels."""

    X: Any
    Z: Any
    y: Any
    z: Any

    @classmethod
    def of(cls, X: Any, y: Any) -> "Split":
        """A stratified split with a fixed seed."""
        return cls(*train_test_split(X, y, test_size=TEST_SHARE, stratify=y, random_state=SEED))


def run(*, quick: bool, progress: bool, json: bool) -> None:
    """Learn, compare and print."""
    data = bundled()
    split = Split.of(data.X, data.y)
    solution = kernelopt.solve(
        split.X,
        split.y,
        family="tk",
        solver="fw",
        criterion={"name": "svc", "C": C},
        tol=1e-2 if quick else 1e-3,
        seed=SEED,
        progress=progress,
    )
    sizes = f"{len(split.X)} rows to learn from, {len(split.Z)} to test on (stratified, seed {SEED})"
    found = scores(solution, split, grid=not quick)
    if json:
        machines = [{"machine": name, "accuracy": a, "support_vectors": count} for name, (a, count) in found.items()]
        _json.show({**_report.as_mapping(solution), "data": data.title, "split": sizes, "machines": machines})
    else:
        _report.show(solution, data.title, {"split": sizes}, _report.comparison(found))


def scores(solution: Solution, split: Split, *, grid: bool) -> dict[str, tuple[float, int]]:
    """Test accuracy and support vectors of the solution and its rivals, whose columns are scaled to [0, 1] too."""
    found = {f"learned kernel, C = {C:g}": (solution.score(split.Z, split.z), len(solution.support))}
    plain = _rbf().fit(split.X, split.y)
    found[f"RBF kernel, gamma = 'scale', C = {C:g}"] = _measured(plain, split)
    if grid:
        search = GridSearchCV(_rbf(), GRID, cv=FOLDS).fit(split.X, split.y)
        best = search.best_params_
        name = f"RBF kernel, gamma = {best['svc__gamma']:g}, C = {best['svc__C']:g} (best of a grid, {FOLDS} folds)"
        found[name] = _measured(search.best_estimator_, split)
    return found


def _rbf() -> Pipeline:
    return make_pipeline(MinMaxScaler(), SVC(C=C))


def _measured(machine: Pipeline, split: Split) -> tuple[float, int]:
    return float(machine.score(split.Z, split.z)), int(machine[-1].n_support_.sum())
