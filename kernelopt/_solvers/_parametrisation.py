"""One leaf's share of a mixture as free numbers: what a descent over kernels moves."""

from abc import ABC, abstractmethod

import attrs
import numpy as np

from kernelopt._base._typing import Data, FloatArray
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families._mixture import Part
from kernelopt._families._smooth import SmoothFamily
from kernelopt._saddle._problem import Problem

_LIGHTEST = 0.1
"""An atom's unit is that of this share of the mean weight at least: a light atom may soon be heavy.
Worth: `constants.py descent.lightest`."""
_PROBE = 1e-3
"""A curvature is looked at on steps of this share of the atoms' size: short beside them, and far above rounding."""


class Coordinates(ABC):
    """A leaf's part in coordinates x; the weights w of all leaves together are divided by their sum T afterwards."""

    @abstractmethod
    def pack(self, part: Part) -> FloatArray:
        """The coordinates of a part."""

    @abstractmethod
    def part(self, x: FloatArray) -> Part:
        """The part at x, its weights not yet divided by T."""

    @abstractmethod
    def gradient(self, problem: Problem, k: int, x: FloatArray, total: float, V: FloatArray, mean: float) -> FloatArray:
        """The gradient of the saddle's value in x.

        Args:
            problem: of leaf number k.
            k: the leaf.
            x: where.
            total: T.
            V: v = E alpha of the outputs at the divided weights, shape (n, c).
            mean: sum_c V_c' K V_c of the whole mixture.
        """

    def bounds(self, size: int) -> tuple[FloatArray, FloatArray]:
        """Lower and upper bounds on x, which has `size` numbers."""
        return np.full(size, -np.inf), np.full(size, np.inf)


@attrs.frozen(eq=False)
class Roots(Coordinates):
    """Fixed atoms with weights rho^2: x = rho."""

    atoms: FloatArray

    def pack(self, part: Part) -> FloatArray:
        return np.sqrt(part.weights)

    def part(self, x: FloatArray) -> Part:
        return Part(self.atoms, x * x)

    def gradient(self, problem: Problem, k: int, x: FloatArray, total: float, V: FloatArray, mean: float) -> FloatArray:
        return -x * (problem.value_of(k, self.atoms, V) - mean) / total


@attrs.frozen(eq=False)
class Share(Coordinates):
    """A part of fixed proportions that only grows and shrinks: x = (rho,), its weights are rho^2 times those given."""

    fixed: Part

    def pack(self, part: Part) -> FloatArray:  # noqa: ARG002
        return np.ones(1)

    def part(self, x: FloatArray) -> Part:
        return self.fixed.scaled(float(x[0]) ** 2)

    def gradient(self, problem: Problem, k: int, x: FloatArray, total: float, V: FloatArray, mean: float) -> FloatArray:
        leaf, data = problem.leaves[k], problem.data[k]
        value = leaf.factor * float(np.vdot(V, leaf.family.apply(self.fixed, data, V))) if len(self.fixed) else 0.0
        return -x * (value - mean * self.fixed.mass) / total


@attrs.frozen(eq=False)
class Moving(Coordinates):
    """Atoms of a smooth family that move with their weights rho^2: x = rho and the atoms, each in a unit of its own.

    The objective bends in an atom as its weight does: in units of 1 / (rho length) all coordinates bend alike, and a
    descent needs a fraction of the steps.

    Ghiasi-Shirazi, Safabakhsh and Shamsi (2010), section 5.4.

    Attributes:
        family: of the atoms.
        shape: (m, p).
        units: x over atom, for each atom, shape (m, 1).
    """

    family: SmoothFamily
    shape: tuple[int, int]
    units: FloatArray

    @classmethod
    def of(cls, family: SmoothFamily, part: Part, data: Data, V: FloatArray) -> "Moving":
        """The coordinates around a part, at v = E alpha of the outputs, shape (n, c)."""
        rho = np.sqrt(part.weights + _LIGHTEST * part.mass / max(len(part), 1))
        return cls(family, part.atoms.shape, (_length(family, part, data, V) * rho)[:, None])

    def pack(self, part: Part) -> FloatArray:
        return np.concatenate([np.sqrt(part.weights), np.ravel(part.atoms * self.units)])

    def part(self, x: FloatArray) -> Part:
        rho, atoms = np.split(x, [self.shape[0]])
        low, high = self.family.atom_bounds()
        # Bounds on x are rounded: (high units) / units may be above high, where the family has no kernel.
        return Part(np.clip(atoms.reshape(self.shape) / self.units, low, high), rho * rho)

    def gradient(self, problem: Problem, k: int, x: FloatArray, total: float, V: FloatArray, mean: float) -> FloatArray:
        factor, raw = problem.leaves[k].factor, self.part(x)
        pulled = self.family.pullback(raw.scaled(1.0 / total), problem.data[k], V)
        rho = -x[: self.shape[0]] * (factor * pulled.weights - mean) / total
        return np.concatenate([rho, np.ravel(-0.5 * factor * pulled.atoms / self.units)])

    def bounds(self, size: int) -> tuple[FloatArray, FloatArray]:
        least, most = super().bounds(size)
        low, high = self.family.atom_bounds()
        least[self.shape[0] :], most[self.shape[0] :] = np.ravel(low * self.units), np.ravel(high * self.units)
        return least, most


@attrs.frozen(eq=False)
class Factored(Coordinates):
    """P = L L' of a matrix family: x = L, one row of q numbers for each atom."""

    family: MatrixFamily

    def pack(self, part: Part) -> FloatArray:
        return np.ravel(part.atoms * np.sqrt(part.weights)[:, None])

    def part(self, x: FloatArray) -> Part:
        rows = x.reshape(-1, self.family.order)
        length = np.linalg.norm(rows, axis=1)
        keep = length > 0.0
        return Part(rows[keep] / length[keep, None], length[keep] ** 2)

    def gradient(self, problem: Problem, k: int, x: FloatArray, total: float, V: FloatArray, mean: float) -> FloatArray:
        D = problem.leaves[k].factor * self.family.adjoint(problem.data[k], V)
        rows = x.reshape(-1, self.family.order)
        return np.ravel(-(rows @ D - mean * rows) / total)


def _length(family: SmoothFamily, part: Part, data: Data, V: FloatArray) -> float:
    """The root of the trace of an atom's Hessian over its value: what a step of an atom is to be multiplied by.

    By Hutchinson's estimate, the Hessian times random signs by a difference of two gradients.
    """
    if not len(part):
        return 1.0
    one = Part(part.atoms, np.ones(len(part)))
    low, high = family.atom_bounds()
    size = _PROBE * (float(np.abs(part.atoms).mean()) if part.atoms.any() else 1.0)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=part.atoms.shape)
    moved = Part(np.clip(part.atoms + size * signs, low, high), one.weights)
    here, there = family.pullback(one, data, V), family.pullback(moved, data, V)
    step = moved.atoms - part.atoms
    bends = np.abs(np.sum((there.atoms - here.atoms) * step, axis=1)).sum()
    values = float(np.abs(here.weights) @ np.sum(step * step, axis=1))
    length = np.sqrt(part.atoms.shape[1] * bends / values) if values > 0.0 else 1.0
    return float(length) if np.isfinite(length) and length > 0.0 else 1.0


def coordinates(problem: Problem, k: int, part: Part, V: FloatArray, *, matrices: bool) -> Coordinates:
    """The coordinates in which leaf k moves most freely around a part, at v = E alpha of the outputs, shape (n, c).

    Matrix families keep their proportions unless `matrices`.
    """
    family = problem.leaves[k].family
    if isinstance(family, SmoothFamily):
        return Moving.of(family, part, problem.data[k], V)
    if isinstance(family, MatrixFamily):
        return Factored(family) if matrices else Share(part)
    return Roots(part.atoms)
