"""Sparse rows: the time and the memory that learning takes, and errors beside scikit-learn's machines.

    python asv_benchmarks/sparse_text.py --rows 5000 --columns 100000 --share 0.001

Rows are drawn as texts are: each has a topic, whose words are likelier in it than others, and words are the rarer the
larger their number is. Columns are tf-idf weights of length 1 for each row. The targets are the topics, or with
`--numbers` a number that depends on the words. A fifth of the rows is held out. Memory is what Python's tracemalloc and
the system say of this process at most, in MB: `tracemalloc` is the peak of what the fit and the prediction allocate
through numpy, and `resident` the largest size of the process, which the libraries themselves are part of.
`--machine NAME` takes one machine alone, so that each can be run in a process of its own.
"""

import argparse
import resource
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.svm import SVC, LinearSVC

import kernelopt

TOPICS = 4


def texts(rows: int, columns: int, share: float, seed: int) -> tuple[Any, np.ndarray, np.ndarray]:
    """Tf-idf weights (n, d) as a CSR matrix, the topics (n,), and numbers (n,)."""
    rng = np.random.default_rng(seed)
    length = max(round(share * columns), 1)
    topic = rng.integers(TOPICS, size=rows)
    places = np.minimum(rng.pareto(0.6, size=(rows, length)) * 20, columns - 1).astype(np.intp)
    own = rng.random((rows, length)) < 0.1
    places = np.where(own, (places * TOPICS + topic[:, None]) % columns, places)
    counts = sparse.csr_matrix(
        (np.ones(rows * length), (np.repeat(np.arange(rows), length), places.ravel())), shape=(rows, columns)
    )
    X = TfidfTransformer().fit_transform(counts)
    worth = rng.normal(size=columns)
    return X, topic, X @ worth + 0.1 * rng.normal(size=rows)


def machines(numbers: bool) -> dict[str, Callable[[], Any]]:
    """What is compared, by name."""
    if numbers:
        return {
            "kernelopt": kernelopt.KernelRegressor,
            "kernelopt, ridge": lambda: kernelopt.KernelRegressor(criterion="ridge"),
            "ridge": lambda: RidgeCV(np.logspace(-3, 3, 13)),
        }
    return {
        "kernelopt": kernelopt.KernelClassifier,
        "kernelopt, svc": lambda: kernelopt.KernelClassifier(criterion="svc"),
        "svc": SVC,
        "linear svc": LinearSVC,
        "logistic": lambda: LogisticRegression(max_iter=1000),
    }


def measured(make: Callable[[], Any], X: Any, y: np.ndarray, held: int) -> tuple[float, float, float, float]:
    """The score on held-out rows, CPU seconds of the fit and of the prediction, and the peak of tracemalloc in MB."""
    tracemalloc.start()
    start = time.process_time()
    machine = make().fit(X[held:], y[held:])
    fitted = time.process_time()
    score = machine.score(X[:held], y[:held])
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return score, fitted - start, time.process_time() - fitted, peak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--columns", type=int, default=100_000)
    parser.add_argument("--share", type=float, default=0.001)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--numbers", action="store_true")
    parser.add_argument("--machine")
    asked = parser.parse_args()
    X, topic, values = texts(asked.rows, asked.columns, asked.share, asked.seed)
    dense = 8 * X.shape[0] * X.shape[1] / 1e6
    say(f"{X.shape[0]} rows, {X.shape[1]} columns, {X.nnz} values; a dense array of them would take {dense:.0f} MB")
    say("| machine | score on new rows | fit, CPU s | prediction, CPU s | tracemalloc, MB | resident, MB |")
    say("|---|---|---|---|---|---|")
    for name, make in machines(asked.numbers).items():
        if asked.machine in (None, name):
            score, fit, predict, peak = measured(make, X, values if asked.numbers else topic, len(topic) // 5)
            size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
            say(f"| {name} | {score:.3f} | {fit:.1f} | {predict:.1f} | {peak:.0f} | {size:.0f} |")


def say(text: str) -> None:
    """A line, at once."""
    print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
