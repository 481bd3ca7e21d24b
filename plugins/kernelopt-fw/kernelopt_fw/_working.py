"""What the corrective solver remembers of each leaf: directions of P for a matrix family, atoms for any other."""

import attrs
import numpy as np

from kernelopt.interior import Block, MatrixBlock, WeightBlock
from kernelopt.plugin import Data, FloatArray, Leaf, MatrixFamily, Part, Problem

_NEW = 1e-6
"""A direction counts as new where at least this share of it is outside the span of those remembered."""


@attrs.frozen(eq=False)
class WorkingSet:
    """One leaf's share of the master problem.

    Attributes:
        atoms: rows: an orthonormal basis of the subspace for P (k, q), or the atoms in play (k, p).
    """

    atoms: FloatArray

    def block(self, leaf: Leaf, data: Data) -> Block:
        """The parameters of the master: P = U S U' on the subspace, or weights on the atoms."""
        if isinstance(leaf.family, MatrixFamily):
            return MatrixBlock(leaf, data, np.ascontiguousarray(self.atoms.T))
        return WeightBlock.of(leaf, data, self.atoms)

    def grown(self, leaf: Leaf, S: FloatArray | None, found: list[FloatArray], memory: int) -> "WorkingSet":
        """The leading `memory` directions or atoms under the master's S, and those that the oracle found.

        Directions without weight are kept too while there is room: the master takes them up again when the optimum
        turns, and forgetting them makes it turn in circles.
        """
        new = np.vstack([self.atoms[:0], *found])
        if isinstance(leaf.family, MatrixFamily):
            return WorkingSet(_span(_leading(self.atoms, S, memory), new))
        kept = self.atoms if S is None else self.atoms[np.argsort(-S, kind="stable")[:memory]]
        known = {atom.tobytes() for atom in kept}
        fresh = [atom for atom in {atom.tobytes(): atom for atom in new}.values() if atom.tobytes() not in known]
        return WorkingSet(np.vstack([kept, *(atom[None] for atom in fresh)]))


def _leading(basis: FloatArray, S: FloatArray | None, memory: int) -> FloatArray:
    """The basis turned to the eigenvectors of S, the largest eigenvalues first, at most `memory` of them."""
    if S is None:
        return basis
    _, vectors = np.linalg.eigh(S)
    return vectors[:, ::-1][:, :memory].T @ basis


def _span(basis: FloatArray, new: FloatArray) -> FloatArray:
    """An orthonormal basis of both, its first rows those of `basis`."""
    for _ in range(2):  # twice is enough (Kahan)
        new = new - (new @ basis.T) @ basis
    _, size, directions = np.linalg.svd(new, full_matrices=False)
    both = np.vstack([basis, directions[size > _NEW]])
    orthonormal, triangle = np.linalg.qr(both.T)
    return np.ascontiguousarray((orthonormal * np.sign(np.diagonal(triangle))).T)


def first(problem: Problem, parts: tuple[Part, ...], memory: int) -> tuple[WorkingSet, ...]:
    """The working sets of a start: its atoms where they are few, else nothing (the centre says nothing of them)."""
    sets = []
    for leaf, part in zip(problem.leaves, parts, strict=True):
        width = part.atoms.shape[1]
        few = part.kept().atoms if len(part.kept()) <= memory else np.zeros((0, width))
        if isinstance(leaf.family, MatrixFamily):
            few = _span(np.zeros((0, width)), few) if 0 < len(few) < width else np.zeros((0, width))
        sets.append(WorkingSet(few))
    return tuple(sets)
