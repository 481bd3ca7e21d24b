"""What the numbers of an atom are: a matrix R, or its diagonal."""

import attrs
import numpy as np

from kernelopt.plugin import FloatArray, IntArray


@attrs.frozen
class Layout:
    """How an atom holds R (d, rank): row by row, or as the diagonal of a d x d one.

    Attributes:
        d: how many columns the rows have.
        rank: how many columns R has; d where it is diagonal.
        diagonal: whether R is diagonal.
    """

    d: int
    rank: int
    diagonal: bool

    @property
    def size(self) -> int:
        """How many numbers an atom has."""
        return self.d if self.diagonal else self.d * self.rank

    @property
    def directions(self) -> IntArray:
        """The column of R that each number of an atom is in, shape (p,)."""
        columns: IntArray = np.arange(self.rank)
        return columns if self.diagonal else np.tile(columns, self.d)

    def matrix(self, atom: FloatArray) -> FloatArray:
        """R of an atom (p,), shape (d, rank)."""
        return np.diag(atom) if self.diagonal else atom.reshape(self.d, self.rank)

    def projected(self, X: FloatArray, atom: FloatArray) -> FloatArray:
        """X R, shape (n, rank); of a diagonal R only the columns that it does not leave out, shape (n, at most d)."""
        if not self.diagonal:
            return np.asarray(X @ self.matrix(atom))
        kept = atom != 0.0
        return np.asarray(X[:, kept] * atom[kept])

    def pulled(self, X: FloatArray, B: FloatArray, atom: FloatArray) -> FloatArray:
        """X'B in the numbers of an atom, shape (p,), for B in the shape of `projected`."""
        if not self.diagonal:
            return np.asarray(X.T @ B).ravel()
        kept, whole = atom != 0.0, np.zeros(self.d)
        whole[kept] = np.sum(X[:, kept] * B, axis=0)
        return whole

    def lifted(self, B: FloatArray, atom: FloatArray) -> FloatArray:
        """B R', shape (n, d), for B in the shape of `projected`."""
        if not self.diagonal:
            return np.asarray(B @ self.matrix(atom).T)
        kept, whole = atom != 0.0, np.zeros((len(B), self.d))
        whole[:, kept] = B * atom[kept]
        return whole

    def diagonals(self, atoms: FloatArray) -> FloatArray:
        """The diagonal of M = R R' of each atom, shape (m, d)."""
        squares = np.square(atoms)
        return squares if self.diagonal else np.asarray(squares.reshape(len(atoms), self.d, self.rank).sum(axis=2))

    def overlaps(self, atoms: FloatArray, others: FloatArray) -> FloatArray:
        """<M_a, M_b> of every two atoms, shape (m, m'): the squared norm of R_a'R_b."""
        if self.diagonal:
            return np.asarray(np.square(atoms) @ np.square(others).T)
        cut = (self.d, self.rank)
        flat = others.reshape(-1, *cut).transpose(1, 0, 2).reshape(self.d, -1)
        rows = [np.sum((atom.reshape(cut).T @ flat) ** 2, axis=0).reshape(-1, self.rank).sum(axis=1) for atom in atoms]
        return np.array(rows).reshape(len(atoms), len(others))

    def norms(self, atoms: FloatArray) -> FloatArray:
        """|M|_F^2 of each atom, shape (m,)."""
        if self.diagonal:
            return np.asarray(np.square(np.square(atoms)).sum(axis=1))
        R = atoms.reshape(len(atoms), self.d, self.rank)
        return np.asarray(np.square(R.transpose(0, 2, 1) @ R).sum(axis=1).sum(axis=1))

    def cubed(self, atom: FloatArray) -> FloatArray:
        """R R'R in the numbers of an atom, shape (p,): a fourth of the gradient of |M|_F^2."""
        if self.diagonal:
            return np.asarray(atom**3)
        R = self.matrix(atom)
        return np.asarray(R @ (R.T @ R)).ravel()
