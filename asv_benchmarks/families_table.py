"""Test errors of the families beside a Gaussian SVM whose C and width are searched: what each class is good for.

Five 80/20 splits; C and the family's own parameter by 3-fold cross-validation inside the training part, for all alike.

    KERNELOPT_DATA=... python asv_benchmarks/families_table.py [--sets heart liver ...] [--families T E ...]
        [--scales unit atom variance] [--longest SECONDS]
"""

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from kernelopt_cosine import Cosine
from kernelopt_gaussian import Gaussian
from sklearn.model_selection import GridSearchCV, StratifiedKFold, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import kernelopt

SETS = ("heart", "liver", "sonar", "ionosphere", "transfusion", "new_thyroid", "wdbc", "pima")
COSTS = (0.3, 3.0, 30.0)
SCALES = ("unit", "atom", "variance")
PRICES = (2.0, 0.5, 0.1)
_NONE: tuple[float, ...] = (0.0,)


def everything(price: float, *, pairs: bool) -> list[Any]:
    """Every class at once."""
    views = [kernelopt.each("tk"), *([kernelopt.pairs("tk")] if pairs else [])]
    return ["tk", *views, kernelopt.Dictionary(), Cosine(beta=price), Gaussian(eta=price), "delta"]


FAMILIES: dict[str, tuple[Callable[[float], Any], tuple[float, ...]]] = {
    "T": (lambda _: "tk", _NONE),
    "E": (lambda _: kernelopt.each("tk"), _NONE),
    "P": (lambda _: kernelopt.pairs("tk"), _NONE),
    "C": (lambda beta: [Cosine(beta=beta), "delta"], PRICES),
    "G": (lambda eta: [Gaussian(eta=eta), "delta"], PRICES),
    "C-": (lambda beta: Cosine(beta=beta), PRICES),
    "G-": (lambda eta: Gaussian(eta=eta), PRICES),
    "D": (lambda _: kernelopt.Dictionary(), _NONE),
    "TED": (lambda _: ["tk", kernelopt.each("tk"), kernelopt.Dictionary()], _NONE),
    "TEDd": (lambda _: ["tk", kernelopt.each("tk"), kernelopt.Dictionary(), "delta"], _NONE),
    "all": (lambda price: everything(price, pairs=False), PRICES),
    "all+P": (lambda price: everything(price, pairs=True), PRICES),
}
"""T: tessellated kernels; E, P: on every column, on every pair; C, G: cosine and Gaussian mixtures with delta, C-, G-
without; D: the usual list of Gaussians and polynomials; TED: these three in one union, TEDd with delta; all: T, E,
D, C- and G- (with one price for both) and delta in one union, all+P with the pairs."""
GREEDY = ("all", "all+P")
"""Their own parameter is searched first, at one C, and then C: a solve takes seconds."""
GREEDY_COST = 3.0
WIDEST_PAIRS = 13


def main() -> None:
    """Print one line for each set, family and scale: mean and standard deviation of the error in %, seconds a fit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--families", nargs="+", default=[*FAMILIES, "grid"])
    parser.add_argument("--scales", nargs="+", default=SCALES)
    parser.add_argument("--longest", type=float, default=120.0, help="seconds for one solve; its best kernel is taken")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in asked.sets:
        X, y = data(name)
        for title, fit in methods(asked, X.shape[1]):
            errors, seconds = [], []
            for train, test in StratifiedShuffleSplit(5, test_size=0.2, random_state=0).split(X, y):
                began = time.process_time()
                predict = fit(X[train], y[train])
                seconds.append(time.process_time() - began)
                errors.append(100.0 * float(np.mean(predict(X[test]) != y[test])))
            line = f"{name:12} {title:14} {np.mean(errors):5.1f} +- {np.std(errors):3.1f}   {np.median(seconds):7.1f} s"
            sys.stdout.write(line + "\n")
            sys.stdout.flush()


def data(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows and labels of a set in the folder that KERNELOPT_DATA names."""
    held = np.load(Path(os.environ["KERNELOPT_DATA"]) / f"{name}.npz")
    return held["X"].astype(float), held["y"]


def methods(asked: argparse.Namespace, width: int) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Each method's title and its fit(X, y) -> predict."""
    for family in asked.families:
        if family == "grid":
            yield "grid", grid
        elif family not in ("P", "all+P") or width <= WIDEST_PAIRS:
            # Alone a scale is only another C.
            for scale in ("unit",) if family in ("T", "C-", "G-") else asked.scales:
                yield f"{family} {scale}", learned(family, scale, asked.longest)


def grid(X: np.ndarray, y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """The Gaussian SVM."""
    width = 1.0 / X.shape[1]
    search = GridSearchCV(
        make_pipeline(StandardScaler(), SVC()),
        {"svc__C": 10.0 ** np.arange(-1.0, 4.0), "svc__gamma": width * 10.0 ** np.arange(-2.0, 2.1, 0.5)},
        cv=StratifiedKFold(3, shuffle=True, random_state=0),
    )
    predict: Callable[[np.ndarray], np.ndarray] = search.fit(X, y).predict
    return predict


def learned(family: str, scale: str, longest: float) -> Callable[..., Any]:
    """Kernel learning with the same search over C and the family's own parameter."""
    make, values = FAMILIES[family]

    def solved(
        X: np.ndarray, y: np.ndarray, value: float, C: float, tol: float, start: kernelopt.Solution | None = None
    ) -> kernelopt.Solution:
        common: dict[str, Any] = {"criterion": kernelopt.SVC(C), "max_seconds": longest}
        return kernelopt.solve(X, y, family=make(value), scale=scale, tol=tol, start=start, **common)

    def fit(X: np.ndarray, y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
        last: dict[int, kernelopt.Solution] = {}

        def wrong(value: float, C: float) -> int:
            """Mistakes on all folds; each solve begins with the kernel of the fold's last one."""
            count = 0
            for k, (train, test) in enumerate(folds):
                last[k] = solved(X[train], y[train], value, C, 1e-2, last.get(k))
                count += int(np.sum(last[k].predict(X[test]) != y[test]))
            return count

        if family in GREEDY:
            value = min(values, key=lambda one: wrong(one, GREEDY_COST))
            C = min(COSTS, key=lambda one: wrong(value, one))
        else:
            value, C = min(product(values, COSTS), key=lambda choice: wrong(*choice))
        return solved(X, y, value, C, 1e-3).predict

    return fit


if __name__ == "__main__":
    main()
