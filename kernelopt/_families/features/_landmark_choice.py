"""Which rows a kernel is known by: drawn by what the ones before leave out, so that far and rare rows are seen too."""

import time
from collections.abc import Callable

import attrs
import numpy as np
from scipy.linalg import cholesky, solve_triangular

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._contract import KernelFamily
from kernelopt._families._mixture import Part
from kernelopt._families.features._landmarks import Spanned

_AT_ONCE = 64
"""Rows that are drawn together: products of so many rows run at full speed."""
_ROUNDING = 1e-10
"""Rows of which less is left, as a share of the largest k(x, x), are spanned by those before them, but for rounding."""


@attrs.frozen(eq=False)
class Choice:
    """Rows that were chosen.

    Attributes:
        places: theirs among the candidates, shape (r,).
        kernel: what they span.
        left: the mean over the candidates of k(x, x) - phi(x)'phi(x), over the mean of k(x, x).
        missing: the same, not over that mean.
        transposed: phi of the candidates, shape (r, n).
        stopped: whether it was to stop before there were enough.
    """

    places: IntArray
    kernel: Spanned
    left: float
    missing: float
    transposed: FloatArray
    stopped: bool = False


def unbounded(r: int, prepared: float) -> bool:  # noqa: ARG001
    """No number of landmarks is too large, however long the candidates were prepared."""
    return False


def hopeful(r: int, missing: float, prepared: float) -> bool:  # noqa: ARG001
    """Further landmarks are of use, whatever is missing, and however long the candidates were prepared."""
    return False


def chosen(
    family: KernelFamily,
    part: Part,
    X: FloatArray,
    most: int,
    enough: float,
    rng: np.random.Generator,
    stop: Callable[[int, float], bool] = unbounded,
    vain: Callable[[int, float, float], bool] = hopeful,
) -> Choice:
    """Rows of X (n, d) by Cholesky's factorisation with pivots that are drawn in proportion to what is left of k(x, x).

    Chen, Epperly, Tropp and Webber (2022), algorithm 2.1; several are drawn at once, and each is taken with the
    probability that it would have had after those before it (Epperly, Tropp and Webber 2024). O(n r^2).

    Args:
        family: prepared.
        part: the kernel.
        X: the candidates.
        most: of rows, > 0.
        enough: it ends where less than this is left of k(x, x) in the mean, in its units.
        rng: draws.
        stop: of so many that are chosen, > 0, and of the seconds for which candidates were prepared before the first
            was drawn, whether to end with them.
        vain: of so many, what they leave of k(x, x) in the mean, and these seconds, whether more would be of no use.
    """
    began = time.monotonic()
    left = family.diag(part, X).astype(np.float64)
    whole, least = float(left.mean()), _ROUNDING * float(left.max())
    kernel, every = family.among(part, X), slice(None)
    prepared = time.monotonic() - began
    F, places, stopped = np.empty((min(most, len(X)), len(X))), np.zeros(0, dtype=np.intp), False
    while len(places) < len(F) and left.mean() > enough and left.max() > least:
        stopped = len(places) > 0 and stop(len(places), prepared)
        if stopped or vain(len(places), float(left.mean()), prepared):
            break
        drawn = rng.choice(len(X), size=min(_AT_ONCE, len(F) - len(places)), p=left / left.sum())
        known = F[: len(places)]
        inner = kernel(drawn, drawn) - known[:, drawn].T @ known[:, drawn]
        taken = _accepted(inner, left[drawn], least, rng)
        new, H = drawn[taken], inner[np.ix_(taken, taken)]
        block = kernel(new, every) - known[:, new].T @ known
        block = solve_triangular(cholesky(H, lower=True), block, lower=True, overwrite_b=True, check_finite=False)
        F[len(places) : len(places) + len(new)] = block
        left = np.maximum(left - np.einsum("ij,ij->j", block, block), 0.0)
        left[new] = 0.0
        places = np.append(places, new)
    F = F[: len(places)]
    spanned = Spanned(family, part, X[places], np.tril(F[:, places].T))
    missing = float(left.mean())
    return Choice(places, spanned, missing / whole, missing, F, stopped)


def _accepted(inner: FloatArray, before: FloatArray, least: float, rng: np.random.Generator) -> IntArray:
    """The places of those that are taken, one after the other; the first always is.

    Args:
        inner: what is left of the kernel between the rows that were drawn, shape (k, k).
        before: its diagonal when they were drawn, shape (k,).
        least: rows of which less is left are not taken.
        rng: draws.
    """
    H, taken = inner.copy(), list[int]()
    for i, u in enumerate(rng.random(len(H))):
        if H[i, i] > least and (not taken or u * before[i] < H[i, i]):
            taken.append(i)
            H -= np.outer(H[:, i], H[i]) / H[i, i]
    return np.array(taken or [int(np.argmax(np.diagonal(inner)))], dtype=np.intp)
