"""Kernels that are linear in a positive semidefinite P of unit trace."""

from abc import abstractmethod
from typing import ClassVar, Self

import numpy as np

from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._families._contract import LinearFamily
from kernelopt._families._coupling import Coupling, TensorCoupling
from kernelopt._families._kernel_size import largest_of_matrix
from kernelopt._families._mixture import BestAtoms, Part, Query
from kernelopt._linalg._extreme_eigenvalues import leading_eigenpairs
from kernelopt._linalg._gram import Dense, Gram
from kernelopt._linalg._lapack import eigenpairs

_UNIT = 1e-6
"""By so much the length of a unit vector may be off, which files and other programs round."""


class MatrixFamily(LinearFamily):
    """Kernels k_P that are linear in P, over P >= 0 with trace P = 1; an atom is a unit vector p, which stands for P =
    pp'.

    A part, and the matrix P = sum_a w_a p_a p_a', describe the same kernel. An author writes `order`, `blend` and
    `adjoint`.
    """

    max_order: ClassVar[int] = 4096

    @property
    @abstractmethod
    def order(self) -> int:
        """The dimension of P, known after `prepare`."""

    @abstractmethod
    def blend(self, P: FloatArray, Z: FloatArray, X: FloatArray) -> FloatArray:
        """The kernel of any symmetric P, shape (order, order), between rows Z and X, shape (n', n)."""

    @abstractmethod
    def adjoint(self, data: Data, V: FloatArray) -> FloatArray:
        """D, symmetric (order, order), with p'Dp = sum_c V_c' K_{pp'} V_c; V has shape (n, c)."""

    def reading_order(self) -> IntArray:
        """The order in which a picture shows the rows and columns of P, shape (order,). After `prepare`."""
        return np.arange(self.order)

    def gram_of(self, P: FloatArray, data: Data) -> Gram:
        """The Gram of any symmetric P on bound rows; a family that binds more than X overrides it."""
        return Dense(self.blend(P, data, data))

    def image_of(self, P: FloatArray, data: Data, V: FloatArray) -> FloatArray:
        """K_P V for any symmetric P and V (n, c); a family that needs no n x n array for it overrides it."""
        return self.gram_of(P, data).apply(V)

    def check_order(self) -> Self:
        """This family, or a refusal where P would be too large to decompose."""
        if self.order > self.max_order:
            raise InvalidOption(
                f"{self.name}: P would be {self.order} x {self.order}, at most {self.max_order} is supported; "
                "use a lower degree, fewer columns, or a basis with fewer monomials"
            )
        return self

    def matrix(self, part: Part) -> FloatArray:
        """P = sum_a w_a p_a p_a'."""
        if len(part) > 1 and (np.count_nonzero(part.atoms, axis=1) <= 1).all():
            return np.diag(part.weights @ part.atoms**2)  # such as that of the centre
        return (part.atoms.T * part.weights) @ part.atoms

    def part(self, P: FloatArray) -> Part:
        """The part whose matrix is the positive semidefinite P: its eigenvectors, the largest eigenvalue first."""
        values, vectors = eigenpairs(P, 0, len(P) - 1)
        keep = values > len(values) * np.finfo(float).eps * max(values[-1], 0.0)
        return Part(oriented(vectors[:, keep].T[::-1]), values[keep][::-1].copy())

    def stranger(self, atoms: FloatArray) -> str | None:
        lengths = np.linalg.norm(atoms, axis=1)
        worst = int(np.argmax(np.abs(lengths - 1.0)))
        if abs(lengths[worst] - 1.0) <= _UNIT:
            return None
        return f"an atom is a vector of length {lengths[worst]:.6g}, wanted length 1"

    def gram(self, part: Part, data: Data) -> Gram:
        return self.gram_of(self.matrix(part), data)

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        return self.blend(self.matrix(part), Z, X)

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        P = self.matrix(part)
        return np.concatenate([np.diagonal(self.blend(P, x, x)) for x in np.array_split(X, len(X) // 64 + 1)])

    def best_atoms(self, data: Data, V: FloatArray, query: Query) -> BestAtoms:
        return self.leading(self.adjoint(data, V), query.k)

    def parameters(self, part: Part) -> FloatArray:
        return self.matrix(part)

    def form(self, data: Data, V: FloatArray) -> FloatArray:
        return self.adjoint(data, V)

    def traces(self, data: Data, omega: Gram) -> FloatArray:
        root: FloatArray = np.asarray(np.linalg.cholesky(omega.dense()), dtype=np.float64)
        return self.adjoint(data, root)

    def leading(self, D: FloatArray, k: int) -> BestAtoms:
        values, vectors = leading_eigenpairs(D, k)
        return BestAtoms(oriented(vectors.T[::-1]), values[::-1].copy(), float(values[-1]), exact=True)

    def center(self) -> Part:
        return Part(np.eye(self.order), np.full(self.order, 1.0 / self.order))

    def draw(self, k: int, rng: np.random.Generator) -> FloatArray:
        """Unit vectors of uniform direction; of order 1 there is one."""
        vectors = rng.normal(size=(k if self.order > 1 else 1, self.order))
        return oriented(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))

    def largest_atom(self, X: FloatArray, weight: FloatArray, *, centred: bool) -> float | None:
        return largest_of_matrix(
            self.order, lambda rows, V: self.adjoint(self.bind(rows), V), X, weight, centred=centred
        )

    def couple(self, data: Data, v: FloatArray) -> Coupling:
        q = self.order
        tensor = np.empty((len(v), q, q))
        for a in range(q):
            for b in range(a + 1):
                S = np.zeros((q, q))
                S[a, b] = S[b, a] = 1.0 if a == b else 0.5
                tensor[:, a, b] = tensor[:, b, a] = self.gram_of(S, data).apply(v)
        return TensorCoupling(tensor)

    def describe(self, part: Part) -> str:
        spectrum = spectrum_of(part)
        rank = int(np.sum(spectrum > 1e-6 * spectrum[0]))
        leading = ", ".join(f"{value:.2g}" for value in spectrum[: min(rank, 5)])
        return f"P is {self.order} x {self.order} of rank {rank}, eigenvalues {leading}{', ...' if rank > 5 else ''}"


def rows_to_show(family: MatrixFamily, P: FloatArray, most: int) -> IntArray:
    """The rows of P in their reading order, at most so many, those with the largest diagonal entries, and none of 0."""
    order, diagonal = family.reading_order(), np.diagonal(P)
    visible = np.flatnonzero(Part(np.eye(len(P)), diagonal).visible.atoms.any(axis=0))
    largest = visible[np.argsort(-diagonal[visible], kind="stable")[:most]]
    return order[np.isin(order, largest)]


def spectrum_of(part: Part) -> FloatArray:
    """The eigenvalues of P = A'WA, the largest first, but for zeros: of whichever of P and its Gram is the smaller."""
    half = part.atoms * np.sqrt(part.weights)[:, None]
    m, q = half.shape
    return np.asarray(np.linalg.eigvalsh(half @ half.T if m < q else half.T @ half)[::-1], dtype=np.float64)


def oriented(vectors: FloatArray) -> FloatArray:
    """Unit vectors (k, q) with the sign that makes each one's largest entry positive: p and -p are one atom."""
    largest = vectors[np.arange(len(vectors)), np.abs(vectors).argmax(axis=1)]
    turned: FloatArray = vectors * np.copysign(1.0, largest)[:, None]
    return turned
