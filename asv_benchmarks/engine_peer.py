"""The dual engine beside libsvm on the same dense RBF Grams: python asv_benchmarks/engine_peer.py [largest n].

Prints, for each criterion, size, C and tolerance, both medians, their ratio, and how much of a cold solve a warm one
takes after a change of the kernel's width by 5 %; at the end the geometric means. Both meet the same KKT tolerance:
libsvm stops at it; ours, which stops at a certified relative gap, is asked for the loosest power of ten that meets it.
"""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from _pair import Pair
from sklearn import svm
from sklearn.metrics.pairwise import rbf_kernel
from threadpoolctl import threadpool_limits

import kernelopt
from kernelopt.dual import maximise
from kernelopt.plugin import Criterion, Dense, Dual, DualQP, FloatArray

TOLERANCES = (1e-3, 1e-6)


def machines(C: float, tol: float) -> list[tuple[str, Criterion, Any]]:
    """Each criterion with libsvm's machine for it."""
    options = {"kernel": "precomputed", "tol": tol}
    return [
        ("svc", kernelopt.SVC(C=C), svm.SVC(C=C, **options)),
        ("svr", kernelopt.SVR(C=C, epsilon=0.1), svm.SVR(C=C, epsilon=0.1, **options)),
        ("nu-svc", kernelopt.NuSVC(nu=0.4), svm.NuSVC(nu=0.4, **options)),
        ("one-class", kernelopt.OneClass(nu=0.3), svm.OneClassSVM(nu=0.3, **options)),
    ]


def medians(*calls: Callable[[], object], repeats: int) -> FloatArray:
    """The median of the seconds that each call takes, the calls in turn."""
    seconds = np.empty((repeats, len(calls)))
    for i in range(repeats):
        for j, call in enumerate(calls):
            began = perf_counter()
            call()
            seconds[i, j] = perf_counter() - began
    return np.median(seconds, axis=0)


def answer(criterion: Criterion, qp: DualQP, K: FloatArray, accuracy: float, warm: FloatArray | None = None) -> Dual:
    """The engine's answer to a Gram."""
    gram = Dense(K)
    return maximise(qp, gram, partial(criterion.primal, qp, gram), warm, accuracy=accuracy)


def pairs(quick: bool) -> Iterator[Pair]:
    """Each criterion on a narrow, a usual and a wide kernel, to libsvm's default tolerance."""
    n = 500 if quick else 1000
    X = np.random.default_rng(0).normal(size=(n, 5))
    y = np.sign(np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2])
    for width, gamma in {"narrow": 5.0, "usual": 0.2, "wide": 0.002}.items():
        K = rbf_kernel(X, gamma=gamma)
        for name, criterion, theirs in machines(1.0, TOLERANCES[0]):
            target = np.ones(n) if criterion.task == "novelty" else y
            (qp,) = criterion.outputs(target[:, None], np.ones((n, 1)))
            accuracy = sufficient(criterion, qp, K, TOLERANCES[0])
            ours, peer = medians(partial(answer, criterion, qp, K, accuracy), partial(theirs.fit, K, target), repeats=9)
            yield Pair(f"n = {n}, {name} on a {width} kernel; libsvm", ours, peer, 1.0)


def violation(qp: DualQP, K: FloatArray, alpha: FloatArray) -> float:
    """How far alpha is from optimality as libsvm measures it: in each equality, the best ascent of a pair."""
    slope = qp.gradient(alpha) - qp.sign * (K @ qp.embed(alpha))[qp.sample]
    worst = 0.0
    for g in range(len(qp.target)):
        forward = qp.coefficient > 0.0
        rises = (qp.group == g) & np.where(forward, alpha < qp.upper, alpha > qp.lower)
        falls = (qp.group == g) & np.where(forward, alpha > qp.lower, alpha < qp.upper)
        value = qp.coefficient * slope
        worst = max(worst, value[rises].max(initial=-np.inf) - value[falls].min(initial=np.inf))
    return worst


def sufficient(criterion: Criterion, qp: DualQP, K: FloatArray, tol: float) -> float:
    """The loosest accuracy, a power of ten, at which our answer meets a KKT tolerance."""
    for digits in range(3, 12):
        if violation(qp, K, answer(criterion, qp, K, 10.0**-digits).alpha) <= tol:
            return 10.0**-digits
    raise ValueError(f"{criterion.name}: no accuracy down to 1e-11 meets the KKT tolerance {tol:g}")


def compare(n: int) -> tuple[list[float], list[float]]:
    """Ratios to libsvm, and of warm to cold at the looser tolerance, printed line by line."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5))
    numbers = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)
    K, other = rbf_kernel(X, gamma=0.2), rbf_kernel(X, gamma=0.21)
    cold_ratios, warm_ratios = [], []
    for C in (1.0, 10.0):
        for tol in TOLERANCES:
            for name, criterion, theirs in machines(C, tol):
                target = {"regression": numbers, "novelty": np.ones(n)}.get(criterion.task, np.sign(numbers))
                (qp,) = criterion.outputs(target[:, None], np.ones((n, 1)))
                accuracy = sufficient(criterion, qp, K, tol)
                start = answer(criterion, qp, K, accuracy).alpha
                ours, peer, cold, warm = medians(
                    partial(answer, criterion, qp, K, accuracy),
                    partial(theirs.fit, K, target),
                    partial(answer, criterion, qp, other, accuracy),
                    partial(answer, criterion, qp, other, accuracy, start),
                    repeats=15 if n <= 1000 else 5,
                )
                cold_ratios.append(ours / peer)
                warm_ratios += [warm / cold] if tol == TOLERANCES[0] else []
                sys.stdout.write(f"{name:9} n = {n:4} C = {C:4g} tol {tol:.0e}: gap {accuracy:.0e}, ")
                sys.stdout.write(f"ours {1e3 * ours:7.1f} ms, libsvm {1e3 * peer:7.1f} ms, ratio {ours / peer:.2f}, ")
                sys.stdout.write(f"warm {warm / cold:.2f} of cold\n")
    return cold_ratios, warm_ratios


def main(largest: int = 3000) -> None:
    """All sizes up to the largest, and the geometric means."""
    with threadpool_limits(1):  # as in `kernelopt.solve`
        pairs = [compare(n) for n in (500, 1000, 3000) if n <= largest]
    cold, warm = (np.exp(np.mean(np.log(np.concatenate(column)))) for column in zip(*pairs, strict=True))
    sys.stdout.write(f"geometric means: {cold:.2f} of libsvm cold, warm {warm:.2f} of cold\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
