"""What learns without tuning, and what is tuned, each as a function from training rows to predictions of new rows."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from recursive_feature_machine import tuned
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

import kernelopt
from kernelopt._families.dictionary.lists._auto import ROWS_FOR_COLUMN, automatic

AVERAGED = 13
"""Kernels of a plain average."""
Fit = Callable[[np.ndarray, np.ndarray], Callable[[np.ndarray], np.ndarray]]


def evidence(family: Any) -> Callable[[bool], Fit]:
    """The evidence over a family, with nothing to choose."""

    def make(classes: bool) -> Fit:
        criterion = kernelopt.Evidence(targets="labels" if classes else "numbers")
        return lambda X, y: kernelopt.solve(X, y, family=family(X), criterion=criterion).predict

    return make


def standardised(classes: bool) -> Fit:
    """The default, on columns that were brought to deviation 1 beforehand, so that nothing is left of their units."""

    def fit(X: np.ndarray, y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        scaler = StandardScaler().fit(X)
        solution = METHODS["auto"](classes)(scaler.transform(X), y)
        return lambda Z: solution(scaler.transform(Z))

    return fit


def predicted(finish: Literal["logistic", "numbers"]) -> Callable[[bool], Fit]:
    """The evidence over "auto", where this predicts classes."""

    def make(classes: bool) -> Fit:
        criterion = kernelopt.Evidence(targets="labels" if classes else "numbers", finish=finish)
        return lambda X, y: kernelopt.solve(X, y, family="auto", criterion=criterion).predict

    return make


def columns(X: np.ndarray) -> Any:
    """The list of "auto" with Gaussians on each column, however few rows there are."""
    kernels = automatic(ROWS_FOR_COLUMN * X.shape[1], X.shape[1])
    return kernelopt.Dictionary(kernels, normalize="trace", rescale="standard")


def narrower(X: np.ndarray) -> Any:
    """The list of "auto" with two narrower Gaussians on all columns."""
    n, d = X.shape
    kernels = (*automatic(n, d), *(("rbf", {"gamma": gamma / d}) for gamma in (30.0, 100.0)))
    return kernelopt.Dictionary(kernels, normalize="trace", rescale="standard")


def finished(classes: bool) -> Fit:
    """A support vector machine on the kernel of the evidence; C from five values, by 3-fold cross-validation."""

    def fit(X: np.ndarray, y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        kernel = kernelopt.solve(X, y, family="auto", criterion="evidence").kernel
        K = kernel(X)
        machine = (SVC if classes else SVR)(kernel="precomputed")
        costs = 10.0 ** np.arange(-1.0, 4.0) / np.mean(np.diagonal(K))
        search = GridSearchCV(machine, {"C": costs}, cv=3).fit(K, y)
        return lambda Z: search.predict(kernel(Z, X))

    return fit


def untuned(classes: bool) -> Fit:  # noqa: ARG001
    """What `kernelopt.solve` takes where nothing but the family is said: C = 1, or 10 deviations of y."""
    return lambda X, y: kernelopt.solve(X, y, family="tk").predict


def grid(classes: bool) -> Fit:
    """A Gaussian machine of scikit-learn; C and width from a grid of 4 x 5, by 3-fold cross-validation."""

    def fit(X: np.ndarray, y: np.ndarray) -> Any:
        name, machine = ("svc", SVC()) if classes else ("svr", SVR())
        widths = 10.0 ** np.arange(-2.0, 3.0) / X.shape[1]
        options = {f"{name}__C": 10.0 ** np.arange(-1.0, 3.0), f"{name}__gamma": widths / 3.0}
        return GridSearchCV(make_pipeline(StandardScaler(), machine), options, cv=3).fit(X, y).predict

    return fit


def average(classes: bool) -> Fit:
    """A machine for the plain average of thirteen kernels; C from four values, by 3-fold cross-validation."""

    def fit(X: np.ndarray, y: np.ndarray) -> Any:
        varying = X.max(axis=0) > X.min(axis=0)
        X = X[:, varying]
        listed = kernelopt.default_dictionary(X)
        first = kernelopt.Dictionary((listed.prepare(X, np.ones(len(X))).listed)[:AVERAGED], rescale="standard")
        prepared = first.prepare(X, np.ones(len(X)))
        part = prepared.dictionary()
        machine = (SVC if classes else SVR)(kernel=lambda A, B: prepared.cross(part, A, B))
        search = GridSearchCV(machine, {"C": 10.0 ** np.arange(-1.0, 3.0)}, cv=3).fit(X, y)
        return lambda Z: search.predict(Z[:, varying])

    return fit


def forest(classes: bool) -> Fit:
    """A random forest with scikit-learn's defaults."""
    kind = RandomForestClassifier if classes else RandomForestRegressor
    return lambda X, y: kind(random_state=0).fit(X, y).predict


def process(classes: bool) -> Fit:
    """scikit-learn's Gaussian process with one Gaussian and white noise, at the largest likelihood."""

    def fit(X: np.ndarray, y: np.ndarray) -> Any:
        kernel = ConstantKernel() * RBF(np.sqrt(X.shape[1]), (1e-2, 1e3))
        noisy = kernel + WhiteKernel(0.1, (1e-6, 1e2))
        machine = GaussianProcessClassifier(kernel) if classes else GaussianProcessRegressor(noisy, normalize_y=True)
        return make_pipeline(StandardScaler(), machine).fit(X, y).predict

    return fit


def boosting(classes: bool) -> Fit:
    """Gradient boosting of trees with scikit-learn's defaults."""
    kind = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    return lambda X, y: kind(random_state=0).fit(X, y).predict


def xgboost(classes: bool) -> Fit:
    """Gradient boosting of trees with XGBoost's defaults."""
    from xgboost import XGBClassifier, XGBRegressor

    def fit(X: np.ndarray, y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        if not classes:
            predict: Callable[[np.ndarray], np.ndarray] = XGBRegressor(random_state=0, n_jobs=1).fit(X, y).predict
            return predict
        labels, codes = np.unique(y, return_inverse=True)
        machine = XGBClassifier(random_state=0, n_jobs=1).fit(X, codes)
        return lambda Z: labels[machine.predict(Z)]

    return fit


def recursive(classes: bool) -> Fit:
    """A recursive feature machine; bandwidth, ridge and rounds by validation."""

    def fit(X: np.ndarray, y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        scaler, labels = StandardScaler().fit(X), np.unique(y)
        Y = (y[:, None] == labels).astype(float) if classes else np.asarray(y, dtype=float)[:, None]
        machine = tuned(scaler.transform(X), Y, classes=classes)

        def predict(Z: np.ndarray) -> np.ndarray:
            values = machine(scaler.transform(Z))
            return labels[values.argmax(axis=1)] if classes else values[:, 0]

        return predict

    return fit


METHODS: dict[str, Callable[[bool], Fit]] = {
    "auto": evidence(lambda _: "auto"),
    "standardised": standardised,
    "auto+tk": evidence(lambda _: ["auto", "tk"]),
    "auto+svm": finished,
    "numbers": predicted("numbers"),
    "odds": predicted("logistic"),
    "columns": evidence(columns),
    "narrower": evidence(narrower),
    "untuned": untuned,
    "grid": grid,
    "average": average,
    "forest": forest,
    "boosting": boosting,
    "xgboost": xgboost,
    "recursive": recursive,
    "process": process,
}
MOST = {"auto+tk": 1000}
"""Rows beyond which a method takes too long for a table."""
