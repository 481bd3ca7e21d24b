"""Linear families on some rows, and on one more: a sum of many others with fixed coefficients, as one row.

With s = sum_j v_j phi_S(x_j) over rows that are held, the kernel of S has k_S(x, s) = (K(S) v)(x) and k_S(s, s) =
v'K(S)v. Both are linear in S, so two things are enough for all S: a coupling, and one D with <D, S> = k_S(s, s).
"""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._typing import Data, FloatArray
from kernelopt._families._contract import KernelFamily, LinearFamily
from kernelopt._families._coupling import Coupling
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._joined_couplings import Bordered
from kernelopt._families._leaf import Leaf
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families._mixture import Part
from kernelopt._linalg._gram import Dense, Gram


@attrs.frozen(eq=False)
class Beside:
    """What is bound of k rows and of the sum of the others, which is row k.

    Attributes:
        rows: what the family binds of the k rows.
        pull: S -> k_S(x_i, s), its image of shape (k,).
        square: D with <D, S> = k_S(s, s), in the shape of the parameters.
    """

    rows: Data
    pull: Coupling
    square: FloatArray

    def bordered(self, gram: Gram, S: FloatArray) -> Dense:
        """The Gram of S (k, k) with the row and the column of the sum."""
        k = gram.n
        matrix = np.empty((k + 1, k + 1))
        matrix[:k, :k] = gram.dense()
        matrix[:k, k] = matrix[k, :k] = self.pull.apply(S)
        matrix[k, k] = float(np.vdot(self.square, S))
        return Dense(matrix)

    def image(self, inside: FloatArray, S: FloatArray, V: FloatArray) -> FloatArray:
        """K(S) V (k + 1, c), where that of the k rows alone is K V[:k] = `inside`."""
        pull = self.pull.apply(S)
        last = pull @ V[:-1] + float(np.vdot(self.square, S)) * V[-1]
        return np.vstack([inside + np.outer(pull, V[-1]), last])

    def form(self, inside: FloatArray, V: FloatArray) -> FloatArray:
        """D with <D, S> = sum_c V_c'K(S)V_c, where that of the k rows alone is `inside`."""
        total = inside + float(V[-1] @ V[-1]) * self.square
        for column in V.T:
            if column[-1] != 0.0:
                total = total + 2.0 * column[-1] * self.pull.adjoint(column[:-1])
        return np.asarray(total)

    def couple(self, inside: Coupling, v: FloatArray) -> Coupling:
        """The coupling at v (k + 1,), where that of the k rows alone is `inside`."""
        body = inside if v[-1] == 0.0 else inside.plus(self.pull.scaled(float(v[-1])))
        return Bordered(body, self.pull.adjoint(v[:-1]) + v[-1] * self.square)


@attrs.frozen(eq=False)
class MergedMatrix(MatrixFamily):
    """A matrix family whose data are `Beside`.

    Attributes:
        family: prepared.
    """

    name: ClassVar[str] = "merged"

    family: MatrixFamily

    @property
    def order(self) -> int:
        return self.family.order

    def blend(self, P: FloatArray, Z: FloatArray, X: FloatArray) -> FloatArray:
        return self.family.blend(P, Z, X)

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        return self.family.diag(part, X)

    def adjoint(self, data: Beside, V: FloatArray) -> FloatArray:
        return data.form(self.family.adjoint(data.rows, V[:-1]), V)

    def gram_of(self, P: FloatArray, data: Beside) -> Gram:
        return data.bordered(self.family.gram_of(P, data.rows), P)

    def image_of(self, P: FloatArray, data: Beside, V: FloatArray) -> FloatArray:
        return data.image(self.family.image_of(P, data.rows, V[:-1]), P, V)

    def gram(self, part: Part, data: Beside) -> Gram:
        return data.bordered(self.family.gram(part, data.rows), self.matrix(part))

    def apply(self, part: Part, data: Beside, V: FloatArray) -> FloatArray:
        return data.image(self.family.apply(part, data.rows, V[:-1]), self.matrix(part), V)

    def couple(self, data: Beside, v: FloatArray) -> Coupling:
        return data.couple(self.family.couple(data.rows, v[:-1]), v)


@attrs.frozen(eq=False)
class MergedList(FiniteFamily):
    """A finite list whose data are `Beside`.

    Attributes:
        family: prepared.
    """

    name: ClassVar[str] = "merged"

    family: FiniteFamily

    def dictionary(self) -> Part:
        return self.family.dictionary()

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        return self.family.cross(part, Z, X)

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        return self.family.diag(part, X)

    def gram(self, part: Part, data: Beside) -> Gram:
        return data.bordered(self.family.gram(part, data.rows), self.parameters(part))

    def apply(self, part: Part, data: Beside, V: FloatArray) -> FloatArray:
        return data.image(self.family.apply(part, data.rows, V[:-1]), self.parameters(part), V)

    def columns_of(self, data: Beside, V: FloatArray) -> FloatArray:
        inside = self.family.columns_of(data.rows, V[:-1])
        units = np.eye(len(inside))
        return np.stack([data.image(one, unit, V) for one, unit in zip(inside, units, strict=True)])

    def values_of(self, data: Beside, V: FloatArray) -> FloatArray:
        return data.form(self.family.values_of(data.rows, V[:-1]), V)

    def couple(self, data: Beside, v: FloatArray) -> Coupling:
        return data.couple(self.family.couple(data.rows, v[:-1]), v)


def merges(family: KernelFamily) -> bool:
    """Whether rows of this family can be held as one."""
    return isinstance(family, MatrixFamily | FiniteFamily)


def merged(leaf: Leaf, looked: LinearFamily, X: FloatArray, moving: FloatArray, v: FloatArray) -> tuple[Leaf, Beside]:
    """The leaf on the rows that move, and on the sum v'phi(X) of those that are held, with what it binds of both.

    Args:
        leaf: its family `merges`, and binds all its rows.
        looked: the same family in a form that holds nothing n x n of rows it is asked about once.
        X: the rows that move first, then those that are held, shape (k + h, d).
        moving: the first k of them.
        v: the coefficients of all, 0 for those that move, shape (k + h,).
    """
    coupling = looked.couple(looked.bind_once(X), v)
    family = leaf.family
    if isinstance(family, MatrixFamily):
        whole: LinearFamily = MergedMatrix(family)
    else:
        assert isinstance(family, FiniteFamily)
        whole = MergedList(family)
    data = Beside(family.bind(moving), coupling.take(np.arange(len(moving))), coupling.adjoint(v))
    return attrs.evolve(leaf, family=whole), data
