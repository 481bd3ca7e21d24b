"""Laws of explicit, smooth and penalised families."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from kernelopt.plugin import (
    CurvedFamily,
    ExplicitFamily,
    FloatArray,
    LowRank,
    Part,
    PenalizedFamily,
    Penalty,
    SmoothFamily,
)
from kernelopt.testing._family_case import FamilyCase, Sample, gram_of, single, with_zero_rows
from kernelopt.testing._laws import demand, demand_close, untouched

_STEP = 1e-5
_FINITE_DIFFERENCE = 1e-5
_COARSE = 1e-3
"""Differences have fewer digits where a kernel bends fast in an atom, as some of many atoms have it."""
_FLAT = 1e-3
"""Where a kernel hardly changes with its atom, a slope is measured by so much of its value."""
_DRAWN = 40
"""So many random atoms are looked at one by one."""


class FurtherLaws(FamilyCase):
    """Laws of `ExplicitFamily`, `SmoothFamily`, `CurvedFamily`, `PenalizedFamily`; skipped where the family is none."""

    def test_explicit_features(self) -> None:
        """K_a = Phi_a Phi_a' + ridge_a I for every atom a, and each column of features belongs to an atom."""
        family, sample = self.capable(ExplicitFamily)
        atoms = self.random_atoms(family, sample.data, sample.rng, 9)
        features, owner = family.columns(atoms, sample.X)
        right = features.shape == (len(sample.X), len(owner)) and np.issubdtype(owner.dtype, np.integer)
        detail = f"columns must return features (n, r) and owners (r,) of integers, got {features.shape}"
        demand(right, "explicit-shape", detail)
        known = bool(np.all((owner >= 0) & (owner < len(atoms))))
        demand(known, "explicit-owner", f"an owner must be the number of an atom, 0 to {len(atoms) - 1}, got {owner}")
        for a, atom in enumerate(atoms):
            mine = features[:, owner == a]
            detail = "the features of an atom must have Phi_a Phi_a' + ridge_a I = K_a"
            wanted = gram_of(sample, single(atom))
            ridge = family.ridge(single(atom)) * np.eye(len(mine))
            demand_close(mine @ mine.T + ridge, wanted, "explicit-features", detail, tolerance=self.tolerance)

    def test_explicit_mixture(self) -> None:
        """The Gram of a part is Phi W Phi' of its features, held in low rank; so are cross and diag."""
        family, sample = self.capable(ExplicitFamily)
        part, Z = sample.part, self.new_rows(sample.rng, sample.X)
        features, owner = family.columns(part.atoms, sample.X)
        weighted = features * part.weights[owner]
        gram = family.gram(part, sample.data)
        low = isinstance(gram, LowRank) and gram.factor.shape[1] <= len(owner)
        detail = f"the Gram must be a LowRank with {len(owner)} columns at most, got a {type(gram).__name__}"
        demand(low, "explicit-low-rank", detail)
        detail = "the kernel of a part must be that of its weighted features"
        new, ridge = family.columns(part.atoms, Z)[0], family.ridge(part)
        for got, wanted in (
            (gram.dense(), weighted @ features.T + ridge * np.eye(len(features))),
            (family.cross(part, Z, sample.X), new @ weighted.T),
            (family.diag(part, Z), np.sum(new * new * part.weights[owner], axis=1) + ridge),
        ):
            demand_close(got, wanted, "explicit-mixture", detail, tolerance=self.tolerance)

    def test_smooth_pullback(self) -> None:
        """pullback is the gradient of sum_c V_c' K V_c in atoms and weights, as central differences give it."""
        family, sample = self.capable(SmoothFamily)
        low, high = family.atom_bounds()
        p = sample.part.atoms.shape[1]
        right = low.shape == high.shape == (p,) and bool(np.all(low <= high))
        demand(right, "smooth-bounds", f"atom_bounds must return two arrays of shape ({p},), the lower one first")
        vectors = (sample.V, sample.V[:, :1], *with_zero_rows(sample.V))
        atoms, weights = sample.part.atoms, sample.part.weights
        inside = (atoms - _STEP >= low) & (atoms + _STEP <= high)
        along = _differences(lambda x: _quads(sample, Part(x, weights), vectors), atoms)
        across = _differences(lambda w: _quads(sample, Part(atoms, w), vectors), weights)
        for V, in_atoms, in_weights in zip(vectors, along, across, strict=True):
            with untouched("inputs-untouched", "pullback", part=sample.part, data=sample.data, V=V):
                gradient = family.pullback(sample.part, sample.data, V)
            at = f"at V of shape {V.shape} of which {np.count_nonzero(V.any(axis=1))} rows are not 0"
            detail = f"pullback must give the gradient in the atoms, {at}"
            right = gradient.atoms.shape == atoms.shape
            demand(right, "smooth-atoms", f"{detail}, got shape {gradient.atoms.shape}")
            tolerance = _FINITE_DIFFERENCE
            demand_close(gradient.atoms[inside], in_atoms[inside], "smooth-atoms", detail, tolerance=tolerance)
            detail = f"pullback must give the gradient in the weights, {at}"
            demand_close(gradient.weights, in_weights, "smooth-weights", detail, tolerance=tolerance)

    def test_smooth_pullback_at_bounds(self) -> None:
        """pullback is finite where numbers of an atom are at a bound, and the gradient from the side within."""
        family, sample = self.capable(SmoothFamily)
        low, high = family.atom_bounds()
        atom = sample.part.atoms[0]
        for bound in (low, high):
            within = np.where(bound == low, 1.0, -1.0) * _STEP
            for j in np.flatnonzero(np.isfinite(bound) & (high - low > 4.0 * _STEP)):
                steps = [np.where(np.arange(len(atom)) == j, bound + k * within, atom) for k in range(3)]
                values = [_quads(sample, single(at), (sample.V,))[0] for at in steps]
                wanted = (4.0 * values[1] - 3.0 * values[0] - values[2]) / (2.0 * within[j])
                got = family.pullback(single(steps[0]), sample.data, sample.V).atoms[0, j]
                detail = (
                    f"where number {j} of an atom is at its bound {bound[j]:g}, pullback must be the gradient that "
                    "differences within the bounds give"
                )
                room = max(abs(float(wanted)), abs(values[0]))
                demand_close(got, wanted, "smooth-bound", detail, tolerance=_FINITE_DIFFERENCE, scale=room)

    def test_smooth_pullback_of_every_atom(self) -> None:
        """pullback of a part of many atoms, some of weight 0, is the gradient at each, as differences give it."""
        family, sample = self.capable(SmoothFamily)
        corners = np.stack(family.atom_bounds())
        drawn = self.random_atoms(family, sample.data, sample.rng, _DRAWN)
        atoms = np.vstack([drawn, corners[np.isfinite(corners).all(axis=1)]])
        weights = np.where(np.arange(len(atoms)) % 3 == 1, 0.0, sample.rng.uniform(0.5, 1.0, size=len(atoms)))
        V = sample.V[:, :1]
        gradient = family.pullback(Part(atoms, weights), sample.data, V)
        for atom, weight, in_atom, in_weight in zip(atoms, weights, gradient.atoms, gradient.weights, strict=True):
            value = float(_quads(sample, single(atom), (V,))[0])
            where = f"at the atom {atom.round(3).tolist()}, of weight {weight:.2g} among {len(atoms)} atoms,"
            detail = f"{where} pullback must give the gradient in the weights, which is that of the atom alone"
            demand_close(in_weight, value, "smooth-every", detail, tolerance=_FINITE_DIFFERENCE)
            slope = np.array([_slope_within(family, sample, atom, j, V) for j in range(len(atom))])
            detail = f"{where} pullback must give the gradient in the atoms, its weight times that of the atom alone"
            room = max(weight, 1e-3) * max(float(np.abs(slope).max()), _FLAT * abs(value))
            demand_close(in_atom, weight * slope, "smooth-every", detail, tolerance=_COARSE, scale=room)

    def test_curved_bend(self) -> None:
        """bend has the derivatives of K_a v and of v'K_a v in an atom, as central differences give them."""
        family, sample = self.capable(CurvedFamily)
        v, part = sample.V[:, 0], sample.part
        for atom in part.atoms:
            with untouched("inputs-untouched", "bend", atom=atom, data=sample.data, v=v):
                bend = family.bend(atom, sample.data, v)
            turn, hessian = _turned(family, sample, atom, v)
            shapes = bend.turn.shape == turn.shape and bend.hessian.shape == hessian.shape
            detail = f"bend must return arrays of shapes {turn.shape} and {hessian.shape}"
            demand(shapes, "curved-shapes", f"{detail}, got {bend.turn.shape} and {bend.hessian.shape}")
            detail = "bend must give the derivative of K_a v in the atom"
            demand_close(bend.turn, turn, "curved-turn", detail, tolerance=_FINITE_DIFFERENCE)
            detail = "bend must give the second derivative of v'K_a v in the atom"
            demand_close(bend.hessian, hessian, "curved-hessian", detail, tolerance=_FINITE_DIFFERENCE)

    def test_penalty_is_convex(self) -> None:
        """R((w + u)/2) <= (R(w) + R(u))/2; `total` is None or > 0; R is `linear` or `homogeneous` if it says so."""
        family, sample = self.capable(PenalizedFamily)
        R, total = family.penalty, family.total
        demand(total is None or total > 0.0, "penalty-total", f"total must be None or positive, got {total!r}")
        for _ in range(10):
            w, u = (_weights(family, sample) for _ in range(2))
            ends, middle = (R.value(w), R.value(u)), R.value(0.5 * (w + u))
            room = self.tolerance * (1.0 + max(map(abs, ends)))
            detail = f"the penalty must be convex: {middle:.10g} in the middle of {ends[0]:.10g} and {ends[1]:.10g}"
            demand(middle <= 0.5 * sum(ends) + room, "penalty-convex", detail)
            if R.homogeneous:
                detail = (
                    f"the penalty says it is homogeneous: R(3 w) = {R.value(3.0 * w):.10g}, 3 R(w) = {3 * ends[0]:.10g}"
                )
                demand(abs(R.value(3.0 * w) - 3.0 * ends[0]) <= 3.0 * room, "penalty-homogeneous", detail)
            if R.linear:
                detail = (
                    f"the penalty says it is linear: R(w + u) = {R.value(w + u):.10g}, R(w) + R(u) = {sum(ends):.10g}"
                )
                demand(abs(R.value(w + u) - sum(ends)) <= 3.0 * room, "penalty-linear", detail)

    def test_penalty_derivatives(self) -> None:
        """Gradient and Hessian of R are those of central differences; the Hessian is PSD, and None if R is linear."""
        family, sample = self.capable(PenalizedFamily)
        R, w = family.penalty, _weights(family, sample) + 0.1
        wanted, gradient, hessian = _differences(R.value, w), R.gradient(w), R.hessian(w)
        tolerance, size = _FINITE_DIFFERENCE, max(float(np.abs(wanted).max()), abs(R.value(w)))
        detail = "gradient must be the gradient of R in the weights"
        demand_close(gradient, wanted, "penalty-gradient", detail, tolerance=tolerance, scale=size)
        demand(
            (hessian is None) == R.linear, "penalty-hessian", "hessian must be None where R is linear, and only there"
        )
        if hessian is None:
            return
        columns = [_differences(partial(_slope, R, a), w) for a in range(len(w))]
        detail = "hessian must be the Hessian of R in the weights"
        size = max(float(np.abs(hessian).max()), size)
        demand_close(hessian, np.stack(columns), "penalty-hessian", detail, tolerance=tolerance, scale=size)
        floor = float(np.linalg.eigvalsh(0.5 * (hessian + hessian.T))[0])
        demand(floor >= -1e-9 * (1.0 + size), "penalty-hessian", f"the Hessian must be PSD, it has {floor:.3g}")

    def test_penalty_restricts(self) -> None:
        """restrict(U) is R at w = U u, with its gradient."""
        family, sample = self.capable(PenalizedFamily)
        R, m = family.penalty, len(family.dictionary())
        U = sample.rng.uniform(size=(m, 2))
        u = sample.rng.uniform(size=2)
        some, size = R.restrict(U), abs(R.value(U @ u)) + float(np.abs(R.gradient(U @ u)).max())
        got, wanted = np.append(some.gradient(u), some.value(u)), np.append(U.T @ R.gradient(U @ u), R.value(U @ u))
        demand_close(got, wanted, "penalty-restrict", "restrict(U) must be R at U u", tolerance=1e-9, scale=size)


def _turned(family: CurvedFamily, sample: Sample, atom: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The derivatives of K_a v, and of the gradient of v'K_a v, in the atom a (p,), by central differences."""

    def both(a: FloatArray) -> tuple[FloatArray, FloatArray]:
        image = family.apply(single(a), sample.data, v[:, None])[:, 0]
        return image, family.pullback(single(a), sample.data, v[:, None]).atoms[0]

    turn, hessian = [], []
    for step in _STEP * np.eye(len(atom)):
        (high, up), (low, down) = both(atom + step), both(atom - step)
        turn.append((high - low) / (2.0 * _STEP))
        hessian.append((up - down) / (2.0 * _STEP))
    return np.column_stack(turn), np.array(hessian)


def _slope_within(family: SmoothFamily, sample: Sample, atom: FloatArray, j: int, V: FloatArray) -> float:
    """The derivative of sum_c V_c' K_a V_c in number j of the atom, by differences that stay within its bounds."""
    low, high = (float(bound[j]) for bound in family.atom_bounds())
    if high - low <= 4.0 * _STEP:
        return float(family.pullback(single(atom), sample.data, V).atoms[0, j])
    inward = _STEP if atom[j] - low < high - atom[j] else -_STEP
    central = low + _STEP <= atom[j] <= high - _STEP
    moved = [np.where(np.arange(len(atom)) == j, atom[j] + (k - central) * inward, atom) for k in range(3)]
    first, second, third = (float(_quads(sample, single(one), (V,))[0]) for one in moved)
    return (third - first if central else 4.0 * second - 3.0 * first - third) / (2.0 * inward)


def _quads(sample: Sample, part: Part, vectors: Sequence[FloatArray]) -> FloatArray:
    """sum_c V_c' K V_c of each V."""
    K = gram_of(sample, part)
    return np.array([float(np.vdot(V, K @ V)) for V in vectors])


def _weights(family: PenalizedFamily, sample: Sample) -> FloatArray:
    """Random weights of the whole list with the family's sum, or with any."""
    weights = sample.rng.dirichlet(np.ones(len(family.dictionary())))
    return np.asarray(weights * (sample.rng.exponential() if family.total is None else family.total))


def _slope(R: Penalty, a: int, weights: FloatArray) -> float:
    """The derivative of R in weight a."""
    return float(R.gradient(weights)[a])


def _differences(function: Callable[[FloatArray], Any], point: FloatArray) -> FloatArray:
    """The gradient of a function by central differences, in the shape of the point; of several, one after the other."""
    gradient = np.zeros((*np.shape(function(point)), *point.shape))
    for index in np.ndindex(point.shape):
        step = np.zeros_like(point)
        step[index] = _STEP
        gradient[..., *index] = (function(point + step) - function(point - step)) / (2.0 * _STEP)
    return gradient
