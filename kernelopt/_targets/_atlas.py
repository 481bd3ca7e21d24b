"""What all targets share: rays, the determinant between them, and the preconditioner; made where targets lie."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np
from scipy.linalg import eigvalsh

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._targets._determinant import WIDTHS, Interpolation, known
from kernelopt._targets._laws import Laws
from kernelopt._targets._rays import Along, Ray, first_directions
from kernelopt._targets._thin import NONE, Thin, factors

_WIDE = (1e-3, 1e3)
"""The noises of the first look, as shares of all weights."""
_BEYOND = 3.0
"""Noises are known so many times below and above those that targets have."""
_RARE = 0.02
"""This share of the targets may have noises below, and as many above."""
INTERPOLATED = 3600
"""So many values and slopes are interpolated at most: their Gram matrix is factored."""
_SPACING = 0.9
"""Noises lie so far apart at least, in logarithms."""
_SPARSE = 2.0
"""And where only few targets lie."""
_HELD = 2 << 30
"""The eigenvectors of all rays take so many bytes at most."""


@attrs.frozen(eq=False)
class Atlas:
    """The kernels between rows, and what is known of their sums.

    Attributes:
        grams: shape (m, r, r), none of them 0.
        n: how many rows there are with all copies, of which n - r are noise alone.
        rays: the first ones begin, all precondition that have their vectors.
        begin: so many rays begin.
        levels: the noises at which rays are known, increasing.
        determinant: between the rays.
        floor: the least noise, targets having the mean square 1.
        single: the kernels in single precision, for the quick way: rays are few, and know traces as well as these;
            None for the other way.
        thin: the factors of kernels of low rank, likewise.
    """

    grams: FloatArray
    n: float
    rays: tuple[Ray, ...]
    begin: int
    levels: FloatArray
    determinant: Interpolation
    floor: float
    single: FloatArray | None = None
    thin: Thin = NONE

    @classmethod
    def first(
        cls,
        grams: FloatArray,
        n: float,
        floor: float,
        rays: int,
        seed: int,
        check: Callable[[], None],
        *,
        rough: bool = False,
    ) -> "Atlas":
        """With rays in a few directions; `check` is called before each."""
        m = len(grams)
        begin, count = _beginning(m, rays, rough=rough), first_rays(m, rays, rough=rough)
        single: Any = grams.astype(np.float32) if rough else None
        thin = factors(grams) if rough else NONE
        directions = first_directions(m, count, seed)
        found = list[Ray]()
        for beta in directions:
            check()
            found.append(Ray.of(grams, beta, keep=True, single=single, thin=thin))
        levels = _levels(*_WIDE, len(found), m)
        determinant = Interpolation.of(found, levels, Laws.of(_spectra(grams, found)), check)
        return cls(grams, n, tuple(found), begin, levels, determinant, floor, single, thin)

    @property
    def largest(self) -> FloatArray:
        """The largest eigenvalues, shape (m,)."""
        return self.determinant.laws.largest

    def grown(self, w: FloatArray, count: int, check: Callable[[], None]) -> "Atlas":
        """With more rays, through the weights (t, m + 1) farthest from what is known, and noises like theirs; `check`
        is called before each.
        """
        m = len(self.grams)
        total = w[:, :m].sum(axis=1)
        seen = total > 1e-6 * w[:, m]
        if not seen.any() or m == 1:
            count = 0
        w, total = w[seen], total[seen]
        low, high = np.quantile(w[:, m] / total, [_RARE, 1.0 - _RARE]) if len(w) else (1.0, 1.0)
        low = max(low / _BEYOND, 1e-7)
        high = max(min(high * _BEYOND, float(self.largest.max())), 1.0, low)
        levels = _levels(low, high, len(self.rays) + count, m)
        if self.single is not None:  # nobody is finished alone where little is known
            levels = np.union1d(_below(self.floor, low), levels)
        rays = list(self.rays)
        x = self.determinant.coordinates(w[:, :m] / w[:, m:])
        gap = _gaps(x, known(rays, levels, self.largest)[0])
        room = max(int(_HELD / (4.0 * self.grams.shape[1] ** 2)), len(rays))
        for _ in range(min(count, len(x))):
            check()
            far = int(np.argmax(gap))
            keep, direction = len(rays) < room, w[far, :m] / total[far]
            ray = Ray.of(self.grams, direction, keep=keep, single=self.single, thin=self.thin)
            rays.append(ray)
            gap = np.minimum(gap, _gaps(x, known([ray], levels, self.largest)[0]))
        width = self.determinant.width
        widths = [width, *WIDTHS[: 1 + WIDTHS.index(width)][-2:-1]]
        found = Interpolation.of(rays, levels, self.determinant.laws, check, widths)
        return attrs.evolve(self, rays=tuple(rays), levels=levels, determinant=found)

    def begun(self, Z: FloatArray, outside: FloatArray) -> FloatArray:
        """The best weights (t, m + 1) on the first rays at any of the wide noises."""
        levels = np.exp(np.linspace(math.log(_WIDE[0]), math.log(_WIDE[1]), 14))
        best, w = np.full(len(Z), np.inf), np.zeros((len(Z), len(self.grams) + 1))
        squares = np.einsum("tr,tr->t", Z, Z)
        for ray in self.rays[: self.begin]:
            value, sizes = ray.profile(Along(ray.coordinates(Z), squares, outside), self.n, levels, self.floor)
            level = value.argmin(axis=1)
            value = np.take_along_axis(value, level[:, None], axis=1)[:, 0]
            better = np.flatnonzero(value < best)
            if len(better):
                tau = sizes[better, level[better]]
                best[better] = value[better]
                w[better] = tau[:, None] * np.column_stack(
                    [np.tile(ray.direction, (len(better), 1)), levels[level[better]]]
                )
        return w

    def preconditioned(self, w: FloatArray, R: FloatArray) -> FloatArray:
        """About V^-1 R for rows R (t, r), each with weights of its own (t, m + 1): by the nearest ray."""
        m = len(self.grams)
        total = np.maximum(w[:, :m].sum(axis=1), 1e-9 * w[:, m])
        level = w[:, m] / total
        x = self.determinant.coordinates(w[:, :m] / w[:, m:])
        usable = [ray for ray in self.rays if ray.vectors is not None]
        there = [self.determinant.coordinates(ray.direction / level[:, None]) for ray in usable]
        nearest = np.stack([((one - x) ** 2).sum(axis=1) for one in there], axis=1).argmin(axis=1)
        found = np.empty_like(R)
        for k in np.unique(nearest):
            some = nearest == k
            found[some] = usable[k].solved(R[some], level[some]) / total[some, None]
        return found


def _beginning(m: int, most: int, *, rough: bool) -> int:
    """On so many rays targets begin, where there are m kernels and so many rays at most."""
    begin = min(2 + m + m * (m - 1) // 2, 2 + 2 * m, most) if m > 1 else 1
    return min(begin, 1 + m) if rough else begin


def first_rays(m: int, most: int, *, rough: bool) -> int:
    """How many sums of m kernels are decomposed before any target is looked at, and so many at most in all."""
    begin = _beginning(m, most, rough=rough)
    return 1 if m == 1 else begin if rough else min(max(begin, 5 * m), most)


def _spectra(grams: FloatArray, rays: Sequence[Ray]) -> FloatArray:
    """The eigenvalues of each kernel, >= 0, shape (m, r): rays along one kernel alone know them."""
    alone = {int(np.argmax(ray.direction)): ray.values for ray in rays if ray.direction.max() == 1.0}
    rest = [a for a in range(len(grams)) if a not in alone]
    alone.update((a, np.maximum(eigvalsh(grams[a], check_finite=False), 0.0)) for a in rest)
    return np.stack([alone[a] for a in range(len(grams))])


def _levels(low: float, high: float, rays: int, m: int) -> FloatArray:
    """Noises between two, as many as there is room for."""
    span = np.log(high) - np.log(low)
    room = max(INTERPOLATED // ((1 + m) * rays), 4)
    return np.asarray(np.exp(np.linspace(np.log(low), np.log(high), int(min(np.ceil(span / _SPACING) + 1, room)))))


def _below(floor: float, low: float) -> FloatArray:
    """Few noises from the least one up to where they are close."""
    count = int(max(np.ceil(np.log(low / floor) / _SPARSE), 0.0))
    return np.asarray(floor * (low / floor) ** (np.arange(count) / max(count, 1)))


def _gaps(x: FloatArray, points: FloatArray) -> FloatArray:
    """The square of the distance of each row to the nearest point."""
    squares = (x**2).sum(axis=1)[:, None] - 2.0 * x @ points.T + (points**2).sum(axis=1)
    return np.asarray(squares.min(axis=1))


def atlas_for(
    first: Atlas,
    Z: FloatArray,
    outside: FloatArray,
    rays: int,
    fit: Callable[[Atlas, FloatArray, FloatArray], FloatArray],
    check: Callable[[], None],
) -> Atlas:
    """Grown where a few targets (t, r) have their weights, as `fit` finds these: in two rounds, or in one if rough."""
    atlas = first
    for share in (1.0,) if first.single is not None else (0.5, 1.0):
        w = fit(atlas, Z, outside)
        more = int(share * max(rays - len(atlas.rays), 0))
        atlas = atlas.grown(w, more, check)
    return atlas


def pilots(Y: FloatArray, mean: FloatArray, sizes: FloatArray, places: IntArray, most: int) -> IntArray:
    """Which of the targets (n, t) in some places stand for these, whatever their order: evenly by a projection."""
    direction = np.random.default_rng(0).normal(size=len(Y))
    along = (direction @ Y - direction.sum() * mean)[places] / sizes[places]
    order = np.argsort(along, kind="stable")
    return np.asarray(order[np.unique(np.linspace(0, len(order) - 1, min(most, len(order))).astype(np.intp))])
