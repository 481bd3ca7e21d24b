"""Grams beside writing n x n numbers, and lists of kernels beside each other: python asv_benchmarks/gram_peer.py.

Each line gives two medians of CPU seconds, taken in turn, their ratio and its goal, and "behind" where it is above. A
Gram is formed at the centre from bound rows, beside numpy's writing of an n x n array; a line "least work" times what
no Gram of its kind can do without, so where that is above the goal, every Gram is. Grams that are at hand are prepared
and bound beside the same kernels computed from rows, and a list of two functions is bound with each k(x, x) brought to
1, beside the same list with its trace brought to 1. The first line is about the exponential function that Gaussians and
Laplacians are computed with, beside numpy's. The last lines count the calls of such a function at doubled n, beside the
blocks that there are.
"""

import sys
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from _pair import medians
from sklearn.metrics.pairwise import rbf_kernel
from threadpoolctl import threadpool_limits

import kernelopt
from kernelopt._families.dictionary.grams._gram_parts import heights
from kernelopt._plugins._registry import resolve
from kernelopt.plugin import FloatArray, KernelFamily, decayed

Row = tuple[str, float, float, float]
WRITTEN, LISTED, READY, UNIT, EXPONENTIAL = 3.0, 6.0, 1.0, 1.2, 1.0
"""Goals: of one family's Gram, and a list's, of writing n x n; of Grams at hand; of a unit diagonal; and of exp."""
REPEATS = 5
WIDTHS = (0.02, 0.05, 0.1, 0.2, 0.5)


def rows(n: int = 1000, d: int = 10) -> Iterator[Row]:
    """Name, our seconds, the peer's, and the goal of their ratio."""
    X = np.random.default_rng(0).normal(size=(n, d))
    yield exponential(n)
    yield from grams(X)
    yield ready(X)
    yield unit(X)


def exponential(n: int) -> Row:
    """exp(-x) of n x n distances, beside numpy's."""
    x, out = np.random.default_rng(0).exponential(size=(n, n)), np.empty((n, n))
    ours, numpys = medians(
        partial(decayed, x, 1.0, out), lambda: np.exp(np.negative(x, out=out), out=out), repeats=REPEATS
    )
    return f"exp(-x) of n x n numbers, of numpy's, n = {n}", ours, numpys, EXPONENTIAL


def grams(X: FloatArray) -> Iterator[Row]:
    """A Gram at the centre, from bound rows."""
    n, d = X.shape
    gaussians = [("rbf", {"gamma": gamma / d}) for gamma in np.geomspace(0.01, 5.0, 12)]
    powers = [("poly", {"degree": k, "gamma": 1.0 / d, "coef0": 1.0}) for k in (1, 2, 3, 4)]
    families: list[tuple[str, KernelFamily, float]] = [
        ("fixed rbf", kernelopt.fixed(gaussians[6]), WRITTEN),
        ("tk", resolve("family", "tk"), WRITTEN),
        ("list of 16", kernelopt.Dictionary([*gaussians, *powers]), LISTED),
    ]
    works, write = least(X), partial(np.ones, (n, n))
    for name, family, goal in families:
        prepared = family.prepare(X, np.ones(n))
        whole = partial(prepared.gram, prepared.center(), prepared.bind(X))
        ours, needed, written = medians(whole, works.get(name, whole), write, repeats=REPEATS)
        yield f"Gram of {name}, of writing, n = {n}, d = {d}", ours, written, goal
        if name in works:
            yield f"least work of {name}, of writing, n = {n}, d = {d}", needed, written, goal


def least(X: FloatArray) -> dict[str, Callable[[], object]]:
    """What a tessellated Gram and a list's cannot do without, each for half of all pairs of rows.

    A tessellated kernel of degree 1 on d columns is, for each pair, a product of d + 1 numbers, times a volume that is
    read, and a product of 2 (d + 1) numbers. A list of sixteen is the weighted sum of as many numbers that are read.
    """
    n, d = X.shape
    h, rng = n // 2, np.random.default_rng(1)
    first, second = rng.normal(size=(n, d + 1)), rng.normal(size=(n, 2 * (d + 1)))
    volumes, out, more = rng.uniform(size=(h, n)), np.empty((h, n)), np.empty((h, n))
    weights, grams = np.full(16, 1.0 / 16.0), rng.uniform(size=(16, h * n))

    def products() -> None:
        np.matmul(first[:h], first.T, out=out)
        np.multiply(out, volumes, out=out)
        np.matmul(second[:h], second.T, out=more)

    return {"tk": products, "list of 16": lambda: weights @ grams}


def ready(X: FloatArray) -> Row:
    """Five Gaussians as Grams at hand, beside the same by name; of both the sizes are measured and the rows bound."""
    named = kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in WIDTHS])
    held = kernelopt.Dictionary([kernelopt.Precomputed(rbf_kernel(X, gamma=gamma)) for gamma in WIDTHS])
    numbers = np.arange(len(X), dtype=np.float64)[:, None]
    ours, theirs = medians(partial(bound, held, numbers), partial(bound, named, X), repeats=REPEATS)
    return f"Grams at hand, of named kernels, n = {len(X)}", ours, theirs, READY


def unit(X: FloatArray) -> Row:
    """Two functions of the user's own with a unit diagonal, beside the same with a unit trace."""
    ours, theirs = (kernelopt.Dictionary([linear, square], normalize=how) for how in ("diagonal", "trace"))
    taken = medians(partial(bound, ours, X), partial(bound, theirs, X), repeats=REPEATS)
    return f"unit diagonals, of unit traces, n = {len(X)}", float(taken[0]), float(taken[1]), UNIT


def bound(family: KernelFamily, X: FloatArray) -> object:
    """The Grams of a list, from nothing."""
    return family.prepare(X, np.ones(len(X))).bind(X)


def linear(X: FloatArray, Z: FloatArray) -> FloatArray:
    """x'z + 1/10."""
    return np.asarray(X @ Z.T + 0.1)


def square(X: FloatArray, Z: FloatArray) -> FloatArray:
    """(x'z + 1)^2."""
    return np.asarray((X @ Z.T + 1.0) ** 2)


def counted(n: int) -> int:
    """How often a list of one function calls it to bind n rows with unit diagonals."""
    calls = 0

    def function(X: FloatArray, Z: FloatArray) -> FloatArray:
        nonlocal calls
        calls += 1
        return linear(X, Z)

    X = np.random.default_rng(0).normal(size=(n, 10))
    family = kernelopt.Dictionary([function], normalize="diagonal").prepare(X, np.ones(n))
    calls = 0
    family.bind(X)
    return calls


def main() -> None:
    """Every row, and the counts."""
    with threadpool_limits(1):  # as in `kernelopt.solve`
        for name, ours, peer, goal in rows():
            mark = "behind" if ours > goal * peer else ""
            sys.stdout.write(
                f"{name:50} {1e3 * ours:8.1f} of {1e3 * peer:8.1f} ms: {ours / peer:5.2f}, goal {goal:g} {mark}\n"
            )
        for n in (500, 1000, 2000):
            sys.stdout.write(f"n = {n}: {counted(n)} calls for {len(heights(n, n))} blocks of a Gram\n")


if __name__ == "__main__":
    main()
