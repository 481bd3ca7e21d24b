"""The dual engine beside libsvm on the same dense RBF Grams: python asv_benchmarks/engine_peer.py [n ...].

For each width of the kernel, criterion, size, C and tolerance: the medians of the CPU seconds of both, their ratio, and
how much of a cold solve a warm one takes after a change of the kernel's width by 5 %. "behind" stands where a ratio is
above its goal; at the end come the geometric means, the worst, and how many rows are behind. Both answers meet the same
KKT tolerance and the same certified gap: ours, which stops at a relative gap, is asked for the loosest power of ten,
1e-3 at most, that meets the KKT tolerance; libsvm, which stops at a KKT tolerance, for the loosest power of ten, the
given one at most, that meets our gap. The line says what each was asked for, and "unmatched" where none of the
tolerances that are tried brings libsvm to our gap: it then stops at the strictest of them, farther from the optimum.
"""

import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from _pair import Pair, medians
from sklearn import svm
from sklearn.metrics.pairwise import rbf_kernel
from threadpoolctl import threadpool_limits

import kernelopt
from kernelopt.dual import maximise
from kernelopt.plugin import Criterion, Dense, Dual, DualQP, FloatArray

TOLERANCES = (1e-3, 1e-6)
WIDTHS = {"narrow": 5.0, "usual": 0.2, "wide": 0.002}
"""Gamma in exp(-gamma |x - z|^2) on standard normal rows of five columns: almost the identity, and almost constant."""
SIZES = (500, 1000, 3000)
_STRICTER = 4
"""So many tolerances of libsvm's are tried, each a tenth of the one before."""
COLD, WARM = 1.0, 0.4
"""Goals: of libsvm's time, and of a cold solve's."""


def machines(C: float, tol: float) -> list[tuple[str, Criterion, Any]]:
    """Each criterion with libsvm's machine for it; those that have no C come with the first one."""
    options = {"kernel": "precomputed", "tol": tol}
    with_c = [
        ("svc", kernelopt.SVC(C=C), svm.SVC(C=C, **options)),
        ("svr", kernelopt.SVR(C=C, epsilon=0.1), svm.SVR(C=C, epsilon=0.1, **options)),
    ]
    without = [
        ("nu-svc", kernelopt.NuSVC(nu=0.4), svm.NuSVC(nu=0.4, **options)),
        ("one-class", kernelopt.OneClass(nu=0.3), svm.OneClassSVM(nu=0.3, **options)),
    ]
    return with_c + without if C == 1.0 else with_c


def answer(criterion: Criterion, qp: DualQP, K: FloatArray, accuracy: float, warm: FloatArray | None = None) -> Dual:
    """The engine's answer to a Gram."""
    gram = Dense(K)
    return maximise(qp, gram, partial(criterion.primal, qp, gram), warm, accuracy=accuracy)


def pairs(quick: bool) -> Iterator[Pair]:
    """Each criterion on a narrow, a usual and a wide kernel, to libsvm's default tolerance and one gap."""
    n = 500 if quick else 1000
    X = np.random.default_rng(0).normal(size=(n, 5))
    y = np.sign(np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2])
    for width, gamma in {"narrow": 5.0, "usual": 0.2, "wide": 0.002}.items():
        K = rbf_kernel(X, gamma=gamma)
        for name, criterion, theirs in machines(1.0, TOLERANCES[0]):
            target = np.ones(n) if criterion.task == "novelty" else y
            (qp,) = criterion.outputs(target[:, None], np.ones((n, 1)))
            accuracy = sufficient(criterion, qp, K, TOLERANCES[0])
            note = "" if matched(criterion, qp, K, target, theirs, accuracy) else ", unmatched"
            ours, peer = medians(partial(answer, criterion, qp, K, accuracy), partial(theirs.fit, K, target), repeats=9)
            yield Pair(f"n = {n}, {name} on a {width} kernel; libsvm{note}", ours, peer, 1.0)


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


def matched(criterion: Criterion, qp: DualQP, K: FloatArray, target: FloatArray, theirs: Any, accuracy: float) -> bool:
    """Whether a tolerance of libsvm's, at most the one it has, meets our relative gap; it has that one afterwards, or
    the strictest that was tried.
    """
    gram = Dense(K)
    for tol in theirs.tol * 0.1 ** np.arange(_STRICTER):
        theirs.set_params(tol=tol)
        fitted, v = theirs.fit(K, target), np.zeros(qp.n)
        v[fitted.support_] = fitted.dual_coef_[0]
        if qp.target.any():  # libsvm divides these duals by one number
            v *= np.abs(qp.target).sum() / np.abs(v).sum()
        alpha = np.concatenate([np.maximum(v, 0.0), np.maximum(-v, 0.0)]) if qp.size > qp.n else qp.sign * v
        f = K @ v
        upper, lower = criterion.primal(qp, gram, v, f).value, qp.h(alpha) - 0.5 * float(v @ f)
        if upper - lower <= accuracy * max(abs(upper), abs(lower)):
            return True
    return False


def rows(sizes: tuple[int, ...] = SIZES) -> Iterator[tuple[str, float, float, float]]:
    """Name, our seconds, the peer's, and the goal of their ratio; for warm starts the peer is a cold one of ours."""
    for n in sizes:
        for width, gamma in WIDTHS.items():
            for C in (1.0, 10.0):
                for tol in TOLERANCES:
                    yield from compared(n, width, gamma, C, tol)


def compared(n: int, width: str, gamma: float, C: float, tol: float) -> Iterator[tuple[str, float, float, float]]:
    """The rows of one Gram, C and tolerance."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5))
    numbers = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)
    K, other = rbf_kernel(X, gamma=gamma), rbf_kernel(X, gamma=1.05 * gamma)
    for name, criterion, theirs in machines(C, tol):
        target = {"regression": numbers, "novelty": np.ones(n)}.get(criterion.task, np.sign(numbers))
        (qp,) = criterion.outputs(target[:, None], np.ones((n, 1)))
        accuracy = sufficient(criterion, qp, K, tol)
        meets = matched(criterion, qp, K, target, theirs, accuracy)
        start = answer(criterion, qp, K, accuracy).alpha
        ours, peer, cold, warm = medians(
            partial(answer, criterion, qp, K, accuracy),
            partial(theirs.fit, K, target),
            partial(answer, criterion, qp, other, accuracy),
            partial(answer, criterion, qp, other, accuracy, start),
            repeats=9 if n <= 1000 else 3,
        )
        label = f"{name:9} {width:6} n = {n:4} C = {C:2g} KKT {theirs.tol:.0e} gap {accuracy:.0e}"
        yield label + ("" if meets else " unmatched"), ours, peer, COLD
        yield f"{label} warm", warm, cold, WARM


def main(*sizes: int) -> None:
    """Every row, and the summary of both goals."""
    ratios: dict[float, list[float]] = {COLD: [], WARM: []}
    with threadpool_limits(1):  # as in `kernelopt.solve`
        for name, ours, peer, goal in rows(sizes or SIZES):
            ratios[goal].append(ours / peer)
            mark = "behind" if ours > goal * peer else ""
            sys.stdout.write(
                f"{name:68} {1e3 * ours:8.1f} of {1e3 * peer:8.1f} ms: {ours / peer:5.2f}, goal {goal:g} {mark}\n"
            )
            sys.stdout.flush()
    for goal, words in ((COLD, "cold, of libsvm"), (WARM, "warm, of cold")):
        found = np.array(ratios[goal])
        sys.stdout.write(f"{words}: geometric mean {np.exp(np.log(found).mean()):.2f}, worst {found.max():.2f}, ")
        sys.stdout.write(f"{np.count_nonzero(found > goal)} of {found.size} behind the goal {goal:g}\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
