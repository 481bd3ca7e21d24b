"""What the corrective solver remembers of each leaf: directions of P for a matrix family, atoms for any other."""

import attrs
import numpy as np

from kernelopt.interior import Block, matrix_block, on_atoms
from kernelopt.plugin import Data, FloatArray, Leaf, MatrixFamily, Mixture, Part, Problem

LIGHT = 1e-5
"""An atom with less weight does not take part in a descent, and may be forgotten: without that, memory would grow."""
_NEW = 1e-6
"""A direction counts as new where at least this share of it is outside the span of those remembered."""


@attrs.frozen(eq=False)
class WorkingSet:
    """One leaf's share of the master problem.

    Attributes:
        atoms: rows: an orthonormal basis of the subspace for P (k, q), or the atoms in play (k, p).
        S: where the last master left its parameters: (k, k) or (k,); None before the first.
    """

    atoms: FloatArray
    S: FloatArray | None = None

    def block(self, leaf: Leaf, data: Data) -> Block:
        """The parameters of the master: P = U S U' on the subspace, or weights on the atoms."""
        if isinstance(leaf.family, MatrixFamily):
            return matrix_block(leaf, data, np.ascontiguousarray(self.atoms.T))
        return on_atoms(leaf, data, self.atoms)

    def grown(self, leaf: Leaf, new: FloatArray, memory: int) -> "WorkingSet":
        """The leading `memory` directions or atoms, and those that the oracle found (k', p).

        Directions without weight are kept while there is room: the master takes them up again when the optimum
        turns, and forgetting them makes it turn in circles.
        """
        matrix = isinstance(leaf.family, MatrixFamily)
        kept = self._leading_directions(memory) if matrix else self._leading_atoms(memory)
        atoms = _span(kept.atoms, new) if matrix else listed(kept.atoms, new)
        return WorkingSet(atoms, None if kept.S is None else _padded(kept.S, len(atoms)))

    def _leading_directions(self, memory: int) -> "WorkingSet":
        """The basis turned to the eigenvectors of S, the largest eigenvalues first."""
        if self.S is None:
            return self
        values, vectors = np.linalg.eigh(self.S)
        values, vectors = values[::-1][:memory], vectors[:, ::-1][:, :memory]
        return WorkingSet(vectors.T @ self.atoms, np.diag(np.maximum(values, 0.0)))

    def _leading_atoms(self, memory: int) -> "WorkingSet":
        if self.S is None:
            return self
        order = np.argsort(-self.S, kind="stable")[: memory + int((self.S > LIGHT).sum())]
        return WorkingSet(self.atoms[order], self.S[order])

    def moved(self, leaf: Leaf, part: Part, mass: float) -> "WorkingSet":
        """The set after a descent that took the leaf's share, of this mass, to `part`.

        The P of a matrix family only grew or shrank. Atoms that did not take part stay, without weight.
        """
        assert self.S is not None
        if isinstance(leaf.family, MatrixFamily):
            return self if mass == 0.0 else WorkingSet(self.atoms, self.S * (part.mass / mass))
        idle = self.atoms[LIGHT >= self.S]
        atoms = listed(part.atoms, idle)
        return WorkingSet(atoms, _padded(part.weights, len(atoms)))


def _padded(S: FloatArray, size: int) -> FloatArray:
    """S with zeros for the newcomers."""
    return np.pad(S, [(0, size - len(S))] * S.ndim)


def listed(atoms: FloatArray, new: FloatArray) -> FloatArray:
    """The atoms and those of the new ones that are not among them."""
    known = {atom.tobytes() for atom in atoms}
    fresh = [atom[None] for atom in {atom.tobytes(): atom for atom in new}.values() if atom.tobytes() not in known]
    return np.vstack([atoms, *fresh])


def _span(basis: FloatArray, new: FloatArray) -> FloatArray:
    """An orthonormal basis of both, its first rows those of `basis`, shape (k, q)."""
    for _ in range(2):  # twice is enough (Kahan)
        new = new - (new @ basis.T) @ basis
    _, size, directions = np.linalg.svd(new, full_matrices=False)
    both = np.vstack([basis, directions[size > _NEW]])
    orthonormal, triangle = np.linalg.qr(both.T)
    return np.ascontiguousarray((orthonormal * np.sign(np.diagonal(triangle))).T)


def started(problem: Problem, mixture: Mixture, memory: int) -> tuple[WorkingSet, ...]:
    """The working sets of a start: its atoms, but for a centre of many and a full P, which say nothing of them."""
    center = problem.is_center(mixture)
    sets = []
    for leaf, part in zip(problem.leaves, mixture.parts, strict=True):
        atoms = part.kept().atoms
        matrix = isinstance(leaf.family, MatrixFamily)
        nothing = atoms[:0]
        if (len(atoms) > memory and (center or matrix)) or (matrix and len(atoms) >= atoms.shape[1]):
            atoms = nothing
        sets.append(WorkingSet(_span(nothing, atoms) if matrix and len(atoms) else atoms))
    return tuple(sets)
