"""Rows whose landmarks leave out so much of the kernel that the whole of it predicts, and what landmarks know there."""

import attrs
import numpy as np

from kernelopt._api._learned_kernel import learned_kernel
from kernelopt._api._validate import Request
from kernelopt._api.many_rows._asked import evidence_of
from kernelopt._api.many_rows._belief import weighed
from kernelopt._api.many_rows._fit import Fit, Follower, rows_in_memory, weight_of_copy
from kernelopt._api.many_rows._on_landmarks import Begun
from kernelopt._api.many_rows._roughness import NOISE, room_for, worth
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._evidence._whole_kernel import Spanned
from kernelopt._families.features._feature_rows import HeldRows, holdable
from kernelopt._linalg._feature_block import FeatureBlock, HeldBlock
from kernelopt._prediction._kernel import Kernel

_HELD_OUT = 1000
"""So many rows at most say how large errors are, which noise is best, and what the landmarks' deviations are worth."""


@attrs.frozen(eq=False)
class Rough:
    """Rows whose landmarks leave out much.

    Attributes:
        request: what was asked for.
        begun: the kernel of the sample.
        fit: what all rows say of it by landmarks.
        rows: all of them, or as many of those in memory as the whole kernel has room for.
        kernel: the whole one.
        spanned: what landmarks know of the rows.
        noise: of a row that counts once.
        out: the numbers among the rows of those that are held out, and are no landmarks, shape (k,).
        by_landmarks: the targets of these less what landmarks and all other rows say, shape (k, c).
        follower: of the call.
    """

    request: Request
    begun: Begun
    fit: Fit
    rows: HeldRows
    kernel: Kernel
    spanned: Spanned
    noise: float
    out: IntArray
    by_landmarks: FloatArray
    follower: Follower

    @property
    def partial(self) -> bool:
        """Whether there are more rows than the whole kernel has room for."""
        return self.rows.n < self.request.n

    @property
    def tau(self) -> float:
        """The noise with which equations are solved."""
        return max(self.noise, NOISE * float(self.spanned.missing.mean()))

    @property
    def by_odds(self) -> bool:
        """Whether classes are learned by the logarithms of their odds."""
        outputs = self.rows.y.shape[1]
        return self.request.training.classes is not None and evidence_of(self.request).by_odds(outputs)

    def note(self, share: float, known: bool) -> str:
        """What the user should know, by the share of the noise, and by whether landmarks were known beforehand."""
        times = f"{share:g} of " if share < 1.0 else f"{share:g} times " if share > 1.0 else ""
        learned = f"the size and {times}the noise"
        if known:
            return (
                f"machine: the landmarks leave out {self._much}, so the whole kernel learns what the landmarks' "
                f"machine leaves of the targets of {self._learned_from}, with {learned} learned from the sample, and "
                "both predict together; the bounds are about the landmarks' machine"
            )
        return (
            f"machine: the landmarks leave out {self._much}, so the whole kernel predicts, on {self._learned_from} and "
            f"with {learned} learned from the sample; the bounds are about the landmarks' machine"
        )

    @property
    def late(self) -> str:
        """What the user should know where there was no time for the whole kernel."""
        return (
            f"machine: the landmarks leave out {self._much}, so the whole kernel may predict better, but max_seconds, "
            f"or Ctrl-C, left no time for it to learn from {self._learned_from}, and the landmarks predict; give more "
            "seconds"
        )

    @property
    def _much(self) -> str:
        return "much of the kernel, compared with their error"

    @property
    def _learned_from(self) -> str:
        return f"{self.rows.n} of {self.request.n} rows" if self.partial else f"all {self.rows.n} rows"


def rough(request: Request, begun: Begun, fit: Fit, follower: Follower) -> Rough | None:
    """What the whole kernel has to do; None where landmarks are enough for it, or there is no room or time."""
    own, most = begun.own, room_for(request)
    if own is None or fit.rows.n != request.n or not most:
        return None
    every = fit.rows if isinstance(fit.rows, HeldRows) else weighed(rows_in_memory(request, fit.map), fit.belief)
    rows = _some(every, most, request.settings.seed)
    features = _features(rows)
    if features is None:
        return None
    kernel = learned_kernel(own.leaves, own.mixture, request.training)
    size = kernel.squares(rows.features.X)
    spanned, noise = _spanned(begun, fit, size, features), max(own.noise, fit.noise)
    out = _held_out(rows, begun.landmarks, request.settings.seed)
    held_out = rows.only(out)
    by_landmarks = fit.mean().left_out(held_out, weight_of_copy(request, held_out)) if len(out) else rows.y[:0]
    found = Rough(request, begun, fit, rows, kernel, spanned, noise, out, by_landmarks, follower)
    weight = rows.weight[out] if fit.belief is not None else np.ones(len(out))
    error = float(np.average(np.mean(by_landmarks**2, axis=1), weights=weight)) if len(out) else 0.0
    return None if float(spanned.missing.mean()) <= worth(request, max(noise, error)) else found


def _some(every: HeldRows, most: int, seed: int) -> HeldRows:
    """All rows, or at random so many of them."""
    if every.n <= most:
        return every
    return every.only(np.sort(np.random.default_rng(seed).permutation(every.n)[:most]))


def _features(rows: HeldRows) -> FeatureBlock | None:
    """Those of the rows, in memory or on the device; None where they take too much."""
    features = rows.features
    if features.held is not None:
        return HeldBlock(features.held)
    if not holdable(rows.n, features.width):
        return None
    device = features.map.device
    return HeldBlock(features.at(slice(None))) if device is None else device.whole(features.X)


def _spanned(begun: Begun, fit: Fit, size: FloatArray, features: FeatureBlock) -> Spanned:
    """What the landmarks know with the kernel of the sample, which is so large at the rows: k(x, x), shape (n,)."""
    root = begun.root(fit.map)
    missing = np.maximum(size - features.squares(root**2), 0.0)
    return Spanned(features, root, missing)


def _held_out(rows: HeldRows, landmarks: IntArray, seed: int) -> IntArray:
    """Rows that say how far the machine is right: landmarks know their own targets, and are none of them."""
    others = np.flatnonzero(~np.isin(rows.places, landmarks))
    drawn = np.random.default_rng(seed).permutation(others)
    return np.sort(drawn[: min(_HELD_OUT, rows.n // 5)])
