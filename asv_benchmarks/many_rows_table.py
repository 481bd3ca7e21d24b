"""The default on more rows than Grams can have, beside boosting, and beside kernel machines on random landmarks.

One 80/20 split of each set, of its rows or of so many chosen at random; "friedman-N" are N rows of Friedman's first
function of five columns among ten, with noise of deviation 1. Errors in %, or mean squared errors of standardised
targets; the mean of minus the logarithm of the probability of the true class, or of the density of the target, in
nats; CPU seconds of the fit, of a prediction of 1000 rows, and the largest memory of the process, in GB. Each fit has a
process of its own. One line for each set and method, appended to a file: a run that is stopped goes on where it was.

    KERNELOPT_DATA=... python asv_benchmarks/many_rows_table.py FILE [--sets kin40k ...] [--methods auto boosting ...]
        [--rows 25000]
    python asv_benchmarks/many_rows_table.py FILE --summary
"""

import argparse
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from _sets import NUMBERS, data
from sklearn.datasets import make_friedman1
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import RidgeClassifierCV, RidgeCV
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernelopt

SETS = ("magic", "ca_housing", "house_16H", "gas_turbine", "kin40k", "fried", "keggdirected", "tamielectric",
        "adult_a9a", "shuttle", "sleep", "mnist")  # fmt: skip
LEAST = 1e-4
"""No probability counts as less."""
LANDMARKS = 1000
"""Of the rival with random landmarks."""
SYNTHETIC = "friedman-"


@attrs.frozen
class Fitted:
    """A machine.

    Attributes:
        predict: labels or values of rows.
        sure: of rows and their targets the logarithm of what was predicted for these, where there is such a thing.
    """

    predict: Callable[[np.ndarray], np.ndarray]
    sure: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None


def auto(X: np.ndarray, y: np.ndarray, classes: bool, effort: Any = "normal") -> Fitted:
    """What the library gives."""
    criterion = kernelopt.Evidence(targets="labels" if classes else "numbers", effort=effort)
    s = kernelopt.solve(X, y, criterion=criterion)

    def density(Z: np.ndarray, z: np.ndarray) -> np.ndarray:
        mean, deviation = s.predict(Z, return_std=True)
        found: np.ndarray = -0.5 * ((z - mean) / deviation) ** 2 - np.log(deviation) - 0.5 * np.log(2.0 * np.pi)
        return found

    labels = s.classes
    return Fitted(s.predict, density if labels is None else of_classes(s.predict_proba, labels))


def thorough(X: np.ndarray, y: np.ndarray, classes: bool) -> Fitted:
    """The same with more effort."""
    return auto(X, y, classes, "thorough")


def of_classes(probabilities: Callable[[np.ndarray], np.ndarray], labels: np.ndarray) -> Callable[..., np.ndarray]:
    """The logarithm of the probability of the true class."""

    def sure(Z: np.ndarray, z: np.ndarray) -> np.ndarray:
        found: np.ndarray = np.log(np.maximum(probabilities(Z)[np.arange(len(Z)), np.searchsorted(labels, z)], LEAST))
        return found

    return sure


def boosting(X: np.ndarray, y: np.ndarray, classes: bool) -> Fitted:
    """Gradient boosting of trees with scikit-learn's defaults."""
    if classes:
        machine = HistGradientBoostingClassifier(random_state=0).fit(X, y)
        return Fitted(machine.predict, of_classes(machine.predict_proba, machine.classes_))
    return Fitted(HistGradientBoostingRegressor(random_state=0).fit(X, y).predict)


def nystroem(X: np.ndarray, y: np.ndarray, classes: bool) -> Fitted:
    """Ridge regression, of classes too, on the features of random landmarks of a Gaussian; width and ridge by
    validation.
    """
    widths = {"nystroem__gamma": np.array([0.1, 0.3, 1.0, 3.0]) / X.shape[1]}
    features = Nystroem(n_components=LANDMARKS, random_state=0)
    ridge = (RidgeClassifierCV if classes else RidgeCV)(10.0 ** np.arange(-6.0, 2.0))
    machine = make_pipeline(StandardScaler(), features, ridge)
    return Fitted(GridSearchCV(machine, widths, cv=3).fit(X, y).predict)


METHODS: dict[str, Callable[[np.ndarray, np.ndarray, bool], Fitted]] = {
    "auto": auto,
    "thorough": thorough,
    "boosting": boosting,
    "nystroem": nystroem,
}


def main() -> None:
    """Append the lines that the file lacks, or sum it up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--methods", nargs="+", default=["auto", "boosting", "nystroem"])
    parser.add_argument("--rows", type=int, default=25000)
    parser.add_argument("--one", nargs=2)
    parser.add_argument("--summary", action="store_true")
    asked = parser.parse_args()
    if asked.one is not None:
        name, method = asked.one
        sys.stdout.write(measured(name, method, asked.rows))
        return
    if asked.summary:
        sys.stdout.write(summary(asked.file))
        return
    done = {tuple(line.split()[:3]) for line in asked.file.read_text().splitlines()} if asked.file.exists() else set()
    for name in asked.sets:
        for method in asked.methods:
            if (name, method, str(asked.rows)) not in done:
                command = [sys.executable, __file__, "--one", name, method, "--rows", str(asked.rows)]
                line = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                with asked.file.open("a") as file:
                    file.write(line)


def rows_of(name: str, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and targets of a set."""
    if not name.startswith(SYNTHETIC):
        return data(name, rows)
    X, y = make_friedman1(int(name.removeprefix(SYNTHETIC)), noise=1.0, random_state=0)
    return X, (y - y.mean()) / y.std()


def measured(name: str, method: str, rows: int) -> str:
    """One line."""
    warnings.simplefilter("ignore")
    X, y = rows_of(name, rows)
    classes = not (name in NUMBERS or name.startswith(SYNTHETIC))
    A, Z, a, z = train_test_split(X, y, test_size=0.2, random_state=0, stratify=y if classes else None)
    began = time.process_time()
    machine = METHODS[method](A, a, classes)
    fit = time.process_time() - began
    began = time.process_time()
    predicted = machine.predict(Z)
    each = 1000.0 * (time.process_time() - began) / len(Z)
    error = 100.0 * np.mean(predicted != z) if classes else np.mean((predicted - z) ** 2)
    loss = float("nan") if machine.sure is None else -float(np.mean(machine.sure(Z, z)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return f"{name} {method} {rows} {len(A)} {error:.4g} {loss:.4g} {fit:.1f} {each:.3g} {peak:.2g}\n"


def summary(path: Path) -> str:
    """A table of Markdown."""
    cells: dict[tuple[str, str], dict[str, list[str]]] = {}
    for line in path.read_text().splitlines():
        name, method, _, n, *numbers = line.split()
        cells.setdefault((name, n), {})[method] = numbers
    methods = list(dict.fromkeys(method for row in cells.values() for method in row))
    lines = [f"| | rows | {' | '.join(methods)} |", "|---" * (len(methods) + 2) + "|"]
    for (name, n), row in cells.items():
        words = [in_words(row[method]) if method in row else "" for method in methods]
        lines.append(f"| {name} | {n} | {' | '.join(words)} |")
    return "\n".join(lines) + "\n"


def in_words(numbers: list[str]) -> str:
    """Error, loss, seconds, memory."""
    error, loss, fit, _, peak = numbers
    return f"{error}{'' if loss == 'nan' else f', {loss}'} ({fit} s, {peak} GB)"


if __name__ == "__main__":
    main()
