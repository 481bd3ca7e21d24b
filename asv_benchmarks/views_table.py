"""Five views of handwritten digits: machines that know of views, beside machines on all columns.

The rows of mfeat are 2000 digits, with five sets of features: profile correlations, Fourier and Karhunen-Loeve
coefficients, morphological features and Zernike moments. Errors on new rows in %, means over splits of 80 % and 20 %,
with their standard deviation, and CPU seconds of a fit, the median. With `--lacking 0.3` each row lacks each view with
this probability, but never all; a machine on all columns then has the mean of each column there.

    KERNELOPT_DATA=... python asv_benchmarks/views_table.py [--splits 5] [--lacking 0.0] [--methods views-svc svc ...]
"""

import argparse
import sys
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kernelopt import KernelClassifier, Views, by_view
from kernelopt.datasets import load

NAMES = ("factors", "fourier", "karhunen", "morphological", "zernike")
GRID = MappingProxyType({"svc__C": [1.0, 10.0, 100.0], "svc__gamma": [1e-4, 1e-3, 1e-2, 1e-1]})


def digits() -> tuple[dict[str, np.ndarray], np.ndarray]:
    """The views, and which digit each row is."""
    sets = {name: load(f"mfeat_{name}") for name in NAMES}
    return {name: np.asarray(one.X, dtype=float) for name, one in sets.items()}, np.asarray(sets["factors"].y)


def lacking(blocks: Mapping[str, np.ndarray], share: float, seed: int) -> dict[str, np.ndarray]:
    """The views of which each row lacks some, but not all."""
    rng = np.random.default_rng(seed)
    gone = rng.random((len(blocks["factors"]), len(blocks))) < share
    gone[gone.all(axis=1), 0] = False
    return {name: np.where(gone[:, k, None], np.nan, X) for k, (name, X) in enumerate(blocks.items())}


def side_by_side(views: Views) -> np.ndarray:
    """All columns."""
    return np.hstack(list(views.blocks.values()))


def svc() -> Any:
    """Of all columns, with the mean where something is missing."""
    return make_pipeline(SimpleImputer(), StandardScaler(), SVC())


METHODS: Mapping[str, tuple[Callable[[], Any], bool]] = MappingProxyType(
    {
        "views-svc": (lambda: KernelClassifier(by_view(), criterion={"name": "svc", "C": 10.0}), True),
        "views-evidence": (KernelClassifier, True),
        "evidence": (KernelClassifier, False),
        "svc": (svc, False),
        "svc-grid": (lambda: GridSearchCV(svc(), dict(GRID), cv=5), False),
        "boosting": (lambda: HistGradientBoostingClassifier(random_state=0), False),
    }
)
"""A machine, and whether it is given views."""


def measured(method: str, views: Views, y: np.ndarray, seed: int) -> tuple[float, float, Any]:
    """The error on new rows, the CPU seconds of the fit, and the machine."""
    make, several = METHODS[method]
    old, new = train_test_split(np.arange(len(y)), test_size=0.2, stratify=y, random_state=seed)
    began = time.process_time()
    X, Z = (views[rows] if several else side_by_side(views[rows]) for rows in (old, new))
    machine = make().fit(X, y[old])
    return 1.0 - machine.score(Z, y[new]), time.process_time() - began, machine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--lacking", type=float, default=0.0)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    options = parser.parse_args()
    blocks, y = digits()
    sys.stdout.write(f"{'method':15} {'error':>7} {'deviation':>9} {'seconds':>8}  shares of the views\n")
    for method in options.methods:
        found = [
            measured(method, Views(lacking(blocks, options.lacking, seed)), y, seed) for seed in range(options.splits)
        ]
        errors, seconds = (np.array([one[k] for one in found]) for k in (0, 1))
        shares = found[0][2].views() if METHODS[method][1] else {}
        words = ", ".join(f"{name} {share:.2f}" for name, share in shares.items())
        sys.stdout.write(
            f"{method:15} {100 * errors.mean():6.2f}% {100 * errors.std():8.2f}% {np.median(seconds):8.1f}  {words}\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
