"""The machine of the whole kernel, where landmarks leave out much of it and its Gram still fits."""

import time

import attrs
import numpy as np
from scipy.linalg import cholesky, solve_triangular

from kernelopt._api._many_fit import Fit, Follower, places_of
from kernelopt._api._many_rows import Begun, evidence_of
from kernelopt._api._validate import Request
from kernelopt._base._budget import Budget
from kernelopt._base._memory import available_bytes
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._evidence._whole_kernel import Spanned, WholeKernel, share_of
from kernelopt._families._delta import Delta
from kernelopt._families._feature_rows import HeldRows
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._posterior import Beside

_MOST = 25_000
"""Rows: half of their Gram takes 2.5 GB, and is formed in a minute."""
_WORTH = 0.1
"""Of the noise: where landmarks leave out more of k(x, x), the whole kernel is worth its time. A guard: the noise hides
what is less."""
_NOISE = 0.1
"""Of what landmarks leave out, at least: a rough kernel takes noise for its own where rows are few, and without any
conjugate gradients take long."""
_HELD_OUT = 1000
"""So many rows say what the landmarks' deviations are worth."""
_LANDMARK = 1e-3
"""Of what is left out in the mean: rows of which less is left out are landmarks, but for rounding."""
_AFTER = 1.5
"""What comes after the Gram takes about half as long again."""


@attrs.frozen(eq=False)
class WholeMachine:
    """What predicts with the whole kernel.

    Attributes:
        kernel: the whole one.
        V: v on all training rows, in their order, shape (n, c).
        posterior: how sure it is.
        note: what the user should know.
    """

    kernel: Kernel
    V: FloatArray
    posterior: Beside
    note: str


def whole_machine(request: Request, begun: Begun, fit: Fit, follower: Follower) -> WholeMachine | None:
    """The mean of all rows by the kernel of the sample; None where landmarks do, or there is no room or time."""
    own, rows = begun.own, fit.rows
    if own is None or not isinstance(rows, HeldRows) or rows.features.held is None or not _room_for(request, rows):
        return None
    training = request.training
    width, encoding = training.X.shape[1], training.encoding
    kernel = Kernel(own.leaves, own.mixture, width, names=training.names, encoding=encoding)
    thin = Kernel(begun.leaves, begun.at, width, names=training.names, encoding=encoding)
    spanned = _spanned(begun, fit, rows, kernel)
    missing = float(spanned.missing.mean())
    noise = max(own.noise, fit.noise)
    if missing <= _WORTH * noise:
        return None
    tau = max(noise, _NOISE * missing)
    follower.told("the whole kernel", 0.9)
    clock = _Clock(time.monotonic(), follower.budget)
    whole = WholeKernel.of(kernel, rows.features.X, rows.weight, tau, spanned, clock.stop)
    V = None if whole is None else whole.solved(rows.y, follower.budget.cancelled)
    if whole is None or V is None:
        return None
    places = np.concatenate(places_of(begun.leaves, begun.at, fit.map, rows.features.X))
    lower = _factor(spanned.inner[np.ix_(places, places)], noise)
    worth = _share(whole, rows, V, lower, places, noise, request.settings.seed, follower)
    ordered = np.zeros_like(V)
    ordered[rows.places] = V
    share = float(spanned.missing.sum() / kernel.diag(rows.features.X).sum())
    note = (
        f"machine: the landmarks leave out {share:.1%} of the kernel, much beside the noise, so the whole kernel "
        f"predicts in their place, on all {rows.n} rows and with the size and the noise that the sample has learned; "
        "the bounds are about the landmarks, and not about this machine"
    )
    return WholeMachine(kernel, ordered, Beside(noise, thin, lower, worth), note)


def _room_for(request: Request, rows: HeldRows) -> bool:
    """Whether numbers are learned, all rows were seen, their Gram fits, and nobody is in a hurry."""
    n, room = request.n, available_bytes()
    fits = n <= _MOST and (room is None or 8 * n * n < room // 2)
    return fits and rows.n == n and request.training.classes is None and evidence_of(request).effort != "quick"


def _spanned(begun: Begun, fit: Fit, rows: HeldRows, kernel: Kernel) -> Spanned:
    """What the landmarks know with the kernel of the sample."""
    owners, pieces = iter(fit.map.owner), [np.zeros(0)]
    for leaf, part in zip(begun.leaves, begun.at.parts, strict=True):
        if not isinstance(leaf.family, Delta):
            pieces.append(np.sqrt(leaf.parameters(part)[next(owners)]))
    root, features = np.concatenate(pieces), rows.features.held
    assert features is not None
    explained = np.einsum("ij,j,ij->i", features, root**2, features)
    missing = np.maximum(kernel.diag(rows.features.X) - explained, 0.0)
    return Spanned(features, root, root[:, None] * fit.sums.inner * root, missing)


def _factor(inner: FloatArray, noise: float) -> FloatArray:
    """L with L L' = inner + noise I."""
    raised = inner.copy()
    raised[np.diag_indices(len(raised))] += noise
    return np.asarray(cholesky(raised, lower=True, overwrite_a=True, check_finite=False))


def _share(
    whole: WholeKernel,
    rows: HeldRows,
    start: FloatArray,
    lower: FloatArray,
    places: IntArray,
    noise: float,
    seed: int,
    follower: Follower,
) -> float:
    """What the deviations by landmarks are worth, as rows say that were held out; all of it where there is no time."""
    missing = whole.spanned.missing
    others = np.flatnonzero(missing > _LANDMARK * missing.mean())  # landmarks know their own targets
    drawn = np.random.default_rng(seed).permutation(others)[: min(_HELD_OUT, rows.n // 5)]
    out, kept = np.sort(drawn), np.setdiff1d(np.arange(rows.n), drawn)
    V = whole.solved(rows.y, follower.budget.cancelled, kept, start)
    if V is None:
        return 1.0
    left = rows.y[out] - whole.between(out, V)
    return share_of(left, _unknown(whole.spanned, out, lower, places, noise), noise / rows.weight[out])


def _unknown(spanned: Spanned, rows: IntArray, lower: FloatArray, places: IntArray, tau: float) -> FloatArray:
    """The variance by landmarks, whose features stand in these places, at some rows (k,), shape (k,)."""
    features = spanned.features[np.ix_(rows, places)] * spanned.root[places]
    half = solve_triangular(lower, features.T, lower=True, check_finite=False)
    return np.asarray(tau * np.einsum("ij,ij->j", half, half) + spanned.missing[rows])


@attrs.frozen
class _Clock:
    """Says whether there is no time for the rest.

    Attributes:
        began: when.
        budget: of all.
    """

    began: float
    budget: Budget

    def stop(self, share: float) -> bool:
        """Whether to stop after this share of the Gram."""
        taken = time.monotonic() - self.began
        return not self.budget.allows(taken * (_AFTER / share - 1.0))
