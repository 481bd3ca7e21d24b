"""The dual engine beside libsvm on the same dense RBF Grams: python asv_benchmarks/engine_peer.py [largest n].

Prints, for each criterion, size, C and tolerance, both medians, their ratio, and how much of a cold solve a warm one
takes after a change of the kernel's width by 5 %; at the end the geometric means. Ours stops at a certified relative
gap, libsvm at its KKT tolerance.
"""

import sys
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from sklearn import svm
from sklearn.metrics.pairwise import rbf_kernel

import kernelopt
from kernelopt.dual import maximise
from kernelopt.plugin import Criterion, Dense, Dual, DualQP, FloatArray

TOLERANCES = ((1e-3, 1e-4), (1e-6, 1e-7))


def machines(C: float, tol: float) -> list[tuple[str, Criterion, Any]]:
    """Each criterion with libsvm's machine for it."""
    options = {"kernel": "precomputed", "tol": tol}
    return [
        ("svc", kernelopt.SVC(C=C), svm.SVC(C=C, **options)),
        ("svr", kernelopt.SVR(C=C, epsilon=0.1), svm.SVR(C=C, epsilon=0.1, **options)),
        ("nu-svc", kernelopt.NuSVC(nu=0.4), svm.NuSVC(nu=0.4, **options)),
        ("one-class", kernelopt.OneClass(nu=0.3), svm.OneClassSVM(nu=0.3, **options)),
    ]


def median(call: Callable[[], object], repeats: int) -> float:
    """The median of the seconds that some calls take."""
    seconds = []
    for _ in range(repeats):
        began = perf_counter()
        call()
        seconds.append(perf_counter() - began)
    return float(np.median(seconds))


def answer(criterion: Criterion, qp: DualQP, K: FloatArray, accuracy: float, warm: FloatArray | None = None) -> Dual:
    """The engine's answer to a Gram."""
    gram = Dense(K)
    return maximise(qp, gram, partial(criterion.primal, qp, gram), warm, accuracy=accuracy)


def compare(n: int) -> tuple[list[float], list[float]]:
    """Ratios to libsvm, and of warm to cold at the looser tolerance, printed line by line."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5))
    numbers = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)
    K, other = rbf_kernel(X, gamma=0.2), rbf_kernel(X, gamma=0.21)
    cold_ratios, warm_ratios = [], []
    for C in (1.0, 10.0):
        for tol, accuracy in TOLERANCES:
            for name, criterion, theirs in machines(C, tol):
                target = {"regression": numbers, "novelty": np.ones(n)}.get(criterion.task, np.sign(numbers))
                (qp,) = criterion.outputs(target[:, None], np.ones((n, 1)))
                start = answer(criterion, qp, K, accuracy).alpha
                repeats = 5 if n <= 1000 else 3
                ours = median(partial(answer, criterion, qp, K, accuracy), repeats)
                peer = median(partial(theirs.fit, K, target), repeats)
                cold = median(partial(answer, criterion, qp, other, accuracy), repeats)
                warm = median(partial(answer, criterion, qp, other, accuracy, start), repeats)
                cold_ratios.append(ours / peer)
                warm_ratios += [warm / cold] if tol == TOLERANCES[0][0] else []
                sys.stdout.write(f"{name:9} n = {n:4} C = {C:4g} tol {tol:.0e}: ours {1e3 * ours:7.1f} ms, ")
                sys.stdout.write(
                    f"libsvm {1e3 * peer:7.1f} ms, ratio {ours / peer:.2f}, warm {warm / cold:.2f} of cold\n"
                )
    return cold_ratios, warm_ratios


def main(largest: int = 3000) -> None:
    """All sizes up to the largest, and the geometric means."""
    pairs = [compare(n) for n in (500, 1000, 3000) if n <= largest]
    cold, warm = (np.exp(np.mean(np.log(np.concatenate(column)))) for column in zip(*pairs, strict=True))
    sys.stdout.write(f"geometric means: {cold:.2f} of libsvm cold, warm {warm:.2f} of cold\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
