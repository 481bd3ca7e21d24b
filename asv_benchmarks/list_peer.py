"""Weights of listed kernels by every solver, in one process: python asv_benchmarks/list_peer.py [tol].

First thirteen kernels (Gaussians of widths 0.5 to 10, polynomials of degree 1 to 3) at C = 10 on seven data sets; then
the growth with rows and with kernels on nested parts of adult, Gaussians on random columns, C = 1, as in section 5 of
Bach, Lanckriet and Jordan (2004). Grams are formed before the clock starts. Needs KERNELOPT_DATA. Each line gives the
medians of the CPU seconds of the solvers, taken in turn, and the last two the exponents of a fit in logarithms.
"""

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from time import process_time

import numpy as np
from _pair import Pair
from benchmarks import _problems
from threadpoolctl import threadpool_limits

import kernelopt
from kernelopt._plugins._registry import resolve
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._loop import run
from kernelopt.plugin import FloatArray, IntArray, Problem

SOLVERS = ("smo", "ipm", "fw")
SETS = ("raetsch_banana", "heart", "liver", "ionosphere", "pima", "german_numer", "wdbc")
MOST = 1000
WIDTHS = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0)
ROWS = (450, 800, 1605, 3185, 6414)
KERNELS = (6, 12, 24, 48, 96, 192)
MIDDLE = (1605, 24)
"""Rows where kernels vary, and kernels where rows do."""


def data_of(name: str) -> tuple[FloatArray, FloatArray]:
    """Standardised rows, `MOST` at most, and labels -1 and 1."""
    data = kernelopt.datasets.load(name)
    y = np.where(data.y == np.unique(data.y)[-1], 1.0, -1.0)[:MOST]
    X = data.X[:MOST]
    X = X[:, X.std(axis=0) > 0.0]
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def thirteen() -> kernelopt.Dictionary:
    """The thirteen kernels."""
    gaussians = [("rbf", {"gamma": 0.5 / width**2}) for width in WIDTHS]
    polynomials = [("poly", {"degree": degree, "gamma": 1.0, "coef0": 1.0}) for degree in (1, 2, 3)]
    return kernelopt.Dictionary([*gaussians, *polynomials], normalize="trace")


def gaussian(columns: IntArray, gamma: float, A: FloatArray, B: FloatArray) -> FloatArray:
    """exp(-gamma |x - z|^2) on some columns."""
    A, B = A[:, columns], B[:, columns]
    squared: FloatArray = np.sum(A * A, axis=1)[:, None] + np.sum(B * B, axis=1) - 2.0 * A @ B.T
    return np.exp(np.multiply(squared, -gamma, out=squared), out=squared)


def on_random_columns(m: int, d: int) -> kernelopt.Dictionary:
    """m Gaussians on random halves of d columns or less, of random widths."""
    rng = np.random.default_rng(0)
    kernels: list[Callable[[FloatArray, FloatArray], FloatArray]] = []
    for _ in range(m):
        columns = np.sort(rng.choice(d, int(rng.integers(d // 12, d // 2)), replace=False))
        kernels.append(partial(gaussian, columns, 5.0 * 10.0 ** rng.uniform(-1.4, 1.0) / len(columns)))
    return kernelopt.Dictionary(kernels, normalize="trace")


def seconds(problem: Problem, name: str, tol: float) -> float:
    """From the answer at the centre to the tolerance."""
    solver = resolve("solver", name)
    began = process_time()
    start = problem.respond(problem.center())
    done = run(problem, solver, start, Limits(tol, None, solver.default_steps, None))
    taken = process_time() - began
    assert done.bounds.certificate.relative_gap <= tol, (name, done)
    return taken


def medians(problem: Problem, names: tuple[str, ...], tol: float, repeats: int) -> FloatArray:
    """The median of each solver's seconds, the solvers in turn."""
    return np.median([[seconds(problem, name, tol) for name in names] for _ in range(repeats)], axis=0)


def pairs(quick: bool) -> Iterator[Pair]:
    """Thirteen kernels: the fastest of our solvers beside the plugin that follows SimpleMKL (Rakotomamonjy, 2008).

    That plugin trains its machines by the same engine.
    """
    bundled = kernelopt.datasets.bundled()
    y = np.where(bundled.y == np.unique(bundled.y)[-1], 1.0, -1.0)
    sets = {"breast cancer": ((bundled.X - bundled.X.mean(axis=0)) / bundled.X.std(axis=0), y)}
    if not quick and "KERNELOPT_DATA" in os.environ:
        sets |= {name: data_of(name) for name in SETS}
    for name, (X, labels) in sets.items():
        problem = _problems.bound(thirteen(), X, labels, kernelopt.SVC(10.0))
        *ours, theirs = medians(problem, (*SOLVERS, "simplemkl"), 1e-3, 1 if quick else 3)
        yield Pair(f"{name}, 13 kernels, the best of {len(ours)}; simplemkl", min(ours), theirs, 1.0)


def grow(sizes: list[tuple[int, int]], tol: float) -> FloatArray:
    """Seconds of smo by rows and kernels, printed."""
    data = kernelopt.datasets.load("adult_a9a")
    y = np.where(data.y == np.unique(data.y)[-1], 1.0, -1.0)
    found = []
    for n, m in sizes:
        family = on_random_columns(m, data.X.shape[1])
        problem = _problems.bound(family, data.X[:n], y[:n], kernelopt.SVC(1.0))
        found.append(float(medians(problem, ("smo",), tol, 3)[0]))
        sys.stdout.write(f"adult n = {n}, m = {m}: {found[-1]:.3f} s\n")
        del problem
    return np.array(found)


def slope(sizes: list[int], found: FloatArray) -> float:
    """The exponent of the growth."""
    return float(np.polyfit(np.log(sizes), np.log(found), 1)[0])


def main(tol: float = 1e-3) -> None:
    """Both parts."""
    with threadpool_limits(1):  # as in `kernelopt.solve`
        warm = _problems.bound(thirteen(), *data_of("heart"), kernelopt.SVC(10.0))
        medians(warm, SOLVERS, tol, 1)
        for name in SETS:
            X, y = data_of(name)
            found = medians(_problems.bound(thirteen(), X, y, kernelopt.SVC(10.0)), SOLVERS, tol, 5)
            words = ", ".join(f"{solver} {taken:.3f}" for solver, taken in zip(SOLVERS, found, strict=True))
            sys.stdout.write(f"{name} {len(X)} x {X.shape[1]}: {words} s\n")
        n, m = MIDDLE
        by_kernels = slope(list(KERNELS), grow([(n, k) for k in KERNELS], tol))
        by_rows = slope(list(ROWS), grow([(k, m) for k in ROWS], tol))
    sys.stdout.write(f"seconds grow as kernels^{by_kernels:.2f}\n")
    sys.stdout.write(f"seconds grow as rows^{by_rows:.2f}\n")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]))
