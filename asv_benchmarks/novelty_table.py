"""Novelty without tuning: how well a machine that learned from one class tells the others from it.

The largest class is the usual. The machine learns from 70 % of it, of 1000 rows at most, alone and with rows of other
classes among them, a twentieth of all; it scores the rest of the class and the other classes, of 1000 rows at most
each. Areas under the curve of these scores in %, over so many choices of rows. One line for each set and method,
appended to a file: a run that is stopped goes on where it was.

    KERNELOPT_DATA=... python asv_benchmarks/novelty_table.py FILE [--sets heart liver ...] [--methods ours lof ...]
        [--rows 1000] [--splits 3]
    python asv_benchmarks/novelty_table.py FILE --summary [--means] [--methods ours lof ...]
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from scipy.stats import rankdata
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

import kernelopt
from kernelopt import datasets
from kernelopt._families.dictionary.columns._further_columns import Further
from kernelopt._families.dictionary.growth._rows_width import LOOKED_AT, rows_width

SETS = (
    "heart", "liver", "new_thyroid", "sonar", "ionosphere", "transfusion", "pima", "wdbc", "breast_wisconsin",
    "australian", "german_numer", "credit_crx", "fourclass", "hill_valley", "raetsch_titanic", "raetsch_image",
    "raetsch_splice", "raetsch_banana", "raetsch_ringnorm", "raetsch_twonorm", "adult_a9a", "usps", "mnist",
    "ann_thyroid", "churn", "clean1", "magic", "mfeat_fourier", "mfeat_morphological", "saheart", "satimage", "shuttle",
    "soybean", "texture", "nursery",
)  # fmt: skip
SHARES = (0.0, 0.05)
"""Of other classes among the training rows."""
FACTORS = 2.0 ** np.arange(-10.0, 5.0)
"""Widths in units of the median distance, among which a rule chooses."""
Norm = Literal["sqeuclidean", "cityblock"]
Score = Callable[[np.ndarray], np.ndarray]
Fit = Callable[[np.ndarray], Score]


def ours(X: np.ndarray) -> Score:
    """What `kernelopt.solve` takes where nothing is said."""
    return kernelopt.solve(X).decision_function


def fixed(X: np.ndarray) -> Score:
    """One Gaussian with gamma = 1/d on the columns as they are."""
    return kernelopt.solve(X, family=kernelopt.fixed("rbf")).decision_function


def changed(options: dict[str, Any], X: np.ndarray) -> Score:
    """The same as `ours`, with rows more or less alike, or other numbers of rows looked at."""
    width, *_ = rows_width(StandardScaler().fit_transform(X), np.ones(len(X)), **options)
    return machine(X, "sqeuclidean", lambda D, d: np.exp(-D / width))  # noqa: ARG005


def machine(X: np.ndarray, norm: Norm, kernel: Callable[..., np.ndarray], columns: Score | None = None) -> Score:
    """A one-class machine with a function of distances (n', n) between rows of d standardised columns."""
    see = StandardScaler().fit(X).transform if columns is None else columns
    seen = see(X)
    fitted = OneClassSVM(kernel="precomputed").fit(kernel(cdist(seen, seen, norm), seen.shape[1]))
    return lambda Z: fitted.score_samples(kernel(cdist(see(Z), seen, norm), seen.shape[1]))


def ruled(norm: Norm, rule: Callable[[np.ndarray, int], float], X: np.ndarray) -> Score:
    """A Gaussian or a Laplacian, of a width that a rule takes from the distances."""
    Z = StandardScaler().fit_transform(X)
    width = rule(cdist(Z, Z, norm), Z.shape[1])
    return machine(X, norm, lambda D, d: np.exp(-D / width))  # noqa: ARG005


def apart(distances: np.ndarray) -> np.ndarray:
    """Distances (n, n) in which a row's to itself and to its copies are infinite."""
    return np.where(distances > 1e-10 * distances.max(), distances, np.inf)


def middle(D: np.ndarray, d: int) -> float:  # noqa: ARG001
    """The median distance of two different rows."""
    distances = apart(D)
    return float(np.median(distances[np.isfinite(distances)]))


def nearest(D: np.ndarray, d: int) -> float:  # noqa: ARG001
    """The median distance from a row to the nearest, of as many rows as the library looks at."""
    chosen = np.linspace(0, len(D) - 1, min(len(D), LOOKED_AT)).round().astype(int)
    return float(np.median(apart(D[np.ix_(chosen, chosen)]).min(axis=1)))


def varied(D: np.ndarray, d: int) -> float:
    """The width at which the Gram's entries off the diagonal have the largest variance."""
    off = D[~np.eye(len(D), dtype=bool)]
    return float(max(middle(D, d) * FACTORS, key=lambda width: float(np.exp(-off / width).var())))


def likely(norm: Norm, D: np.ndarray, d: int) -> float:
    """The width at which the density estimate is the most likely, each row and its copies left out of their own."""
    return float(max(middle(D, d) * FACTORS, key=lambda width: float(densities(norm, D, d, width).mean())))


def densities(norm: Norm, D: np.ndarray, d: int, width: float) -> np.ndarray:
    """Logarithms of the estimated density at each row (n,), but for a constant, left out with its copies."""
    distances = apart(D)
    others = np.isfinite(distances).sum(axis=1)
    power = 0.5 * d if norm == "sqeuclidean" else d
    return np.asarray(logsumexp(-distances / width, axis=1) - np.log(others) - power * np.log(width))


def mixed(norm: Norm, X: np.ndarray) -> Score:
    """A mixture of widths whose density estimate is the most likely, by expectation maximisation."""
    Z = StandardScaler().fit_transform(X)
    D, d = cdist(Z, Z, norm), Z.shape[1]
    widths = middle(D, d) * FACTORS[::2]
    each = np.array([densities(norm, D, d, width) for width in widths])
    share = np.exp(each - each.max(axis=0))
    weights = np.full(len(widths), 1.0 / len(widths))
    for _ in range(200):
        weights = (weights[:, None] * share / (weights @ share)).mean(axis=1)
    return machine(
        X,
        norm,
        lambda D, d: sum(a * np.exp(-D / width) for a, width in zip(weights, widths, strict=True)),  # noqa: ARG005
    )


def ranked(X: np.ndarray) -> Score:
    """As `nearest`, with ranks in place of the columns that have heavy tails."""
    scaler = StandardScaler().fit(X)
    further = Further.of(X, scaler.transform(X), np.ones(len(X)))
    same = (np.zeros(X.shape[1]), np.ones(X.shape[1]))

    def see(Z: np.ndarray) -> np.ndarray:
        rows = scaler.transform(Z)
        return rows if further is None else further.behind(rows, same)[:, list(further.ranked(Z.shape[1]))]

    seen = see(X)
    width = nearest(cdist(seen, seen, "cityblock"), X.shape[1])
    return machine(X, "cityblock", lambda D, d: np.exp(-D / width), see)  # noqa: ARG005


RULES: dict[str, Fit] = {
    "alike1.5": partial(changed, {"alike": 1.5}),
    "alike2": partial(changed, {"alike": 2.0}),
    "alike4": partial(changed, {"alike": 4.0}),
    "among100": partial(changed, {"most": 100}),
    "among1000": partial(changed, {"most": 1000}),
    "nearest": partial(ruled, "cityblock", nearest),
    "ranks": ranked,
    "gauss-nearest": partial(ruled, "sqeuclidean", nearest),
    "gauss-median": partial(ruled, "sqeuclidean", middle),
    "median": partial(ruled, "cityblock", middle),
    "gauss-variance": partial(ruled, "sqeuclidean", varied),
    "variance": partial(ruled, "cityblock", varied),
    "gauss-likelihood": partial(ruled, "sqeuclidean", partial(likely, "sqeuclidean")),
    "likelihood": partial(ruled, "cityblock", partial(likely, "cityblock")),
    "gauss-mixture": partial(mixed, "sqeuclidean"),
    "mixture": partial(mixed, "cityblock"),
}
"""What else the kernel might be. As in the library, columns that are constant on the training rows are not seen."""


def varying(fit: Fit, X: np.ndarray) -> Score:
    """A method on the columns that are not constant on its training rows."""
    columns = X.max(axis=0) > X.min(axis=0)
    score = fit(X[:, columns])
    return lambda Z: score(Z[:, columns])


METHODS: dict[str, Fit] = {
    "ours": ours,
    "gauss1/d": fixed,
    "svm-raw": lambda X: OneClassSVM(gamma="scale").fit(X).score_samples,
    "svm": lambda X: make_pipeline(StandardScaler(), OneClassSVM(gamma="scale")).fit(X).score_samples,
    "forest": lambda X: IsolationForest(random_state=0).fit(X).score_samples,
    "lof-raw": lambda X: LocalOutlierFactor(novelty=True).fit(X).score_samples,
    "lof": lambda X: make_pipeline(StandardScaler(), LocalOutlierFactor(novelty=True)).fit(X).score_samples,
    **{name: partial(varying, fit) for name, fit in RULES.items()},
}


def main() -> None:
    """Append the lines that the file lacks, or sum it up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--means", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.summary:
        sys.stdout.write(summary(asked.file, asked.methods, asked.means))
        return
    done = {tuple(line.split()[:2]) for line in asked.file.read_text().splitlines()} if asked.file.exists() else set()
    for name in asked.sets:
        for method in asked.methods:
            if (name, method) not in done:
                line = measured(name, method, asked.rows, asked.splits)
                with asked.file.open("a") as file:
                    file.write(line)


def measured(name: str, method: str, rows: int, splits: int) -> str:
    """One line: the set, the method, mean areas of each share of other classes, CPU seconds of a fit."""
    held = datasets.load(name)
    areas, seconds = np.empty((len(SHARES), splits)), []
    for i, share in enumerate(SHARES):
        for k in range(splits):
            train, test, usual = data(held.X, held.y, rows, share, k)
            began = time.process_time()
            score = METHODS[method](train)
            seconds.append(time.process_time() - began)
            areas[i, k] = 100.0 * roc_auc_score(usual, score(test))
    words = " ".join(f"{area:.2f}" for area in areas.mean(axis=1))
    return f"{name} {method} {words} {np.median(seconds):.3f}\n"


def data(X: np.ndarray, y: np.ndarray, rows: int, share: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Training rows, rows to score, and whether these are of the usual class."""
    codes = np.unique(y, return_inverse=True)[1]
    largest = np.bincount(codes).argmax()
    rng = np.random.default_rng(seed)
    usual, others = (rng.permutation(np.flatnonzero(same)) for same in (codes == largest, codes != largest))
    n = min(int(0.7 * len(usual)), rows)
    strange = round(share * n / (1.0 - share))
    train = rng.permutation(np.concatenate([usual[:n], others[:strange]]))
    sides = usual[n : n + 1000], others[strange : strange + 1000]
    first, second = (np.asarray(X[part], dtype=float) for part in (train, np.concatenate(sides)))
    return first, second, np.repeat([1, 0], [len(side) for side in sides])


def summary(path: Path, methods: list[str], means: bool) -> str:
    """A table of Markdown: the areas of each set, or of each method the means over sets, its rank and its seconds."""
    cells = {tuple(line.split()[:2]): line.split()[2:] for line in path.read_text().splitlines()}
    sets = list(dict.fromkeys(name for name, _ in cells))
    methods = [method for method in methods if any((name, method) in cells for name in sets)]
    whole = [name for name in sets if all((name, method) in cells for method in methods)]
    values = np.array([[[float(word) for word in cells[name, method]] for method in methods] for name in whole])
    areas, seconds = values[:, :, : len(SHARES)], np.median(values[:, :, -1], axis=0)
    both, shares = areas.mean(axis=2), areas.mean(axis=0)
    if not means:
        rows = [_row(name, [f"{area:.1f}" for area in row]) for name, row in zip(whole, both, strict=True)]
        mean = _row(f"mean of {len(whole)} sets", [f"{area:.1f}" for area in both.mean(axis=0)])
        return "".join([*_head("", methods), *rows, mean])
    ranks = np.mean([rankdata(-row) for row in both], axis=0)
    titles = ["mean area", *(f"{100.0 * share:g} % of others" for share in SHARES), "mean rank", "seconds"]
    numbers = np.column_stack([both.mean(axis=0), shares, ranks, seconds])
    shapes = [*["{:.1f}"] * (1 + len(SHARES)), "{:.1f}", "{:.3f}"]
    rows = [
        _row(method, [shape.format(one) for shape, one in zip(shapes, row, strict=True)])
        for method, row in zip(methods, numbers, strict=True)
    ]
    return "".join([*_head(f"{len(whole)} sets", titles), *rows])


def _head(title: str, names: list[str]) -> list[str]:
    return [_row(title, names), "|---" * (len(names) + 1) + "|\n"]


def _row(title: str, words: list[str]) -> str:
    return f"| {title} | {' | '.join(words)} |\n"


if __name__ == "__main__":
    main()
