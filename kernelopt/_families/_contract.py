"""The contract of a family of kernels.

A family is the set of all mixtures of some basic kernels, its atoms. The core asks a family for the atoms that help
most, and for Gram matrices of mixtures. The author of a family writes `prepare`, `gram`, `cross`, `diag`, `best_atoms`
and `center`. Families of a special kind derive from a further abstract class, `MatrixFamily`, `FiniteFamily`,
`ExplicitFamily`, `SmoothFamily` or `PenalizedFamily`, and this class already has the methods that follow from the kind.
A family need not care about the scale of its kernels: the core multiplies them by the scale of the leaf.

Letters in shapes: n rows, d columns, m atoms, p numbers for each atom, c outputs.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Self, TypeAlias

import numpy as np

from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._families._coupling import Coupling
from kernelopt._families._expansion import Expansion
from kernelopt._families._growing import Growing
from kernelopt._families._mixture import BestAtoms, Part, Query
from kernelopt._families._union import Addable
from kernelopt._linalg._gram import Gram

Among: TypeAlias = Callable[[slice | IntArray, slice | IntArray], FloatArray]
"""The kernel between some rows (n') and others (n'') of a set, by their numbers, shape (n', n'')."""


class KernelFamily(Growing["KernelFamily"], Addable, ABC):
    """A family of kernels: the mixtures sum_a w_a k_a of its atoms, the basic kernels k_a, w >= 0, sum w = 1."""

    name: ClassVar[str]
    """The name by which users ask for the family, as in `family="tk"`."""

    def seeing(self, columns: IntArray, width: int) -> "KernelFamily | None":  # noqa: ARG002
        """This family for rows without constant columns. The default, None, says that the family sees all columns.

        It is called before `prepare` if some columns are constant on the training rows. The numbers of columns in the
        options and functions of the user count all `width` columns, so a family that gives up columns cuts such options
        to the columns that remain.

        Args:
            columns: the numbers of the columns that remain, ascending, shape (d',), 0 < d' < width.
            width: the number of columns of the user's X for this family.
        """
        return None

    def turned(self, width: int) -> "KernelFamily | None":  # noqa: ARG002
        """This family for rows that are coordinates in any orthonormal basis; None, the default, if there is none.

        Sparse rows are held as such coordinates. Law: the kernels of the returned family are functions of x'z, |x|^2
        and |z|^2 only, so that a rotation of all rows does not change them. It is called before `prepare`. A family
        that would rescale columns returns one that does not.

        Args:
            width: the number of columns of the sparse rows.
        """
        return None

    @property
    def given(self) -> bool:
        """Whether the prepared family has kernels that are matrices of the caller's own; the default is False.

        Such matrices may have eigenvalues below 0 that are too small to be seen on some rows. The core then factors the
        learned kernel's Gram at the end of a run, on all rows, which takes n^3 / 3 steps.
        """
        return False

    @property
    def reads_codes(self) -> bool:
        """Whether the family wants one number for each column with categories or missing values in place of an
        indicator for each category: which of these a row has, from 0, or their number where it has none. The default is
        False. It is asked before `spread`; of thousands of categories the indicators of many rows take much memory.
        """
        return False

    def spread(self, layout: Expansion) -> "KernelFamily":  # noqa: ARG002
        """This family for rows whose categories and missing values became indicators; by default the family itself.

        The default takes indicators as ordinary numbers. It is called before `prepare` if there are indicators. Of a
        family that `reads_codes` the layout is `coded`.

        Args:
            layout: which columns are numbers, and which indicators stand behind them.
        """
        return self

    def prepare(self, X: FloatArray, weight: FloatArray) -> Self:  # noqa: ARG002
        """This family with its data-dependent constants fixed (ranges, widths, pivots).

        They are small and are saved with the model.

        Args:
            X: the leaf's columns of the training rows, shape (n, d).
            weight: sample weights, shape (n,); rows of zero weight do not count.
        """
        return self

    def bind(self, X: FloatArray) -> Data:
        """What the family computes once for rows X (n, d) and its other methods then get as `data`; it is never saved.

        The default is X itself.
        """
        return X

    def bind_once(self, X: FloatArray) -> Data:
        """Data for a single question about many rows X (n, d): by default the same as `bind`.

        A family whose `bind` holds n x n arrays may return data here from which `best_atoms`, `couple`, `form` and
        `apply` compute the entries again.
        """
        return self.bind(X)

    def bind_bytes(self, n: int, d: int) -> int:
        """The bytes of memory that `bind` will hold for n rows of d columns; checked before any work is done."""
        return 8 * n * d

    @abstractmethod
    def gram(self, part: Part, data: Data) -> Gram:
        """The Gram matrix of the kernel sum_a w_a k_a on bound rows, in an array that the caller may overwrite."""

    @abstractmethod
    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        """The kernel between new rows Z (n', d) and rows X (n, d), shape (n', n).

        Law: `gram(part, bind(X)) = cross(part, X, X)`, so that training and prediction use the same kernel; for few
        families `apart` is on the diagonal as well.
        """

    def among(self, part: Part, X: FloatArray) -> Among:
        """The kernel between some of the rows X (n, d) and others of them, as a function of both.

        The default computes `cross`. A family overrides it if what it needs of the rows can be computed once.
        """
        return lambda some, others: self.cross(part, X[some], X[others])

    def function(self, part: Part, X: FloatArray, V: FloatArray) -> Callable[[FloatArray], FloatArray]:
        """The function Z -> sum_i k(z, x_i) V_i for rows Z (n', d), shape (n', c), from rows X (n, d) and V (n, c).

        The default computes `cross`. A family overrides it if the sum over the rows X can be computed once for all new
        rows.
        """
        return lambda Z: self.cross(part, Z, X) @ V

    @abstractmethod
    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        """The values k(x, x) of the rows, shape (n,)."""

    def apply(self, part: Part, data: Data, V: FloatArray) -> FloatArray:
        """K V, shape (n, c), for V of shape (n, c)."""
        return self.gram(part, data).apply(V)

    @abstractmethod
    def best_atoms(self, data: Data, V: FloatArray, query: Query) -> BestAtoms:
        """The atoms with the largest sum_c V_c' K_a V_c, for V of shape (n, c)."""

    @abstractmethod
    def center(self) -> Part:
        """The mixture at which a run starts: deterministic, independent of the order of the rows, of total weight 1."""

    def stranger(self, atoms: FloatArray) -> str | None:  # noqa: ARG002
        """Why one of these atoms is not an atom of the family, in a few words; None if no reason is found.

        The core asks for it, after `prepare`, if a user gives a kernel: a bound on the best kernel of the family is no
        bound on kernels outside of the family.

        Args:
            atoms: the atoms, shape (m, p), finite.
        """
        return None

    def ridge(self, part: Part) -> float:  # noqa: ARG002
        """The number that `gram` has on its diagonal in addition to `cross`: 0, except for the identity on samples.

        The predictions of the evidence take it for noise, which is no part of the function.
        """
        return 0.0

    def apart(self, part: Part, X: FloatArray) -> FloatArray:
        """What `gram` and `diag` have for each row in addition to `cross` of the row with itself, shape (n,), >= 0.

        The default is `ridge` for each row. A family overrides it if rows differ in what they share with no other row.

        Args:
            part: the kernel.
            X: rows, shape (n, d).
        """
        return np.full(len(X), self.ridge(part))

    def boundless(self, part: Part) -> bool | None:  # noqa: ARG002
        """Whether k(x, x) of this mixture grows with the numbers of a row without end, as that of polynomials does.

        None: k(x, x) of new rows is not known.

        Predictions of numbers far from all training rows are held back where kernels grow.
        """
        return False

    def caution(self, Z: FloatArray) -> str | None:  # noqa: ARG002
        """What a user should know about these rows before a prediction, in one sentence, or None."""
        return None

    def remark(self, part: Part, V: FloatArray) -> str | None:  # noqa: ARG002
        """What a user should know about this optimum and cannot see from its numbers, in one sentence; None by default.

        It is called at the end of a run. It is for families whose optimum can be written down without learning.

        Args:
            part: the share of the family in the best kernel found, of positive weight.
            V: the coefficients v = E alpha of the answer to that kernel, one column for each output, shape (n, c).
        """
        return None

    def compact(self, part: Part) -> "tuple[KernelFamily, Part]":
        """A family and a part with the same `cross`, bit by bit, that hold only what prediction needs: for model files.

        It is called after `prepare`, for a part with weight. The returned family need not be able to learn. An explicit
        family keeps its atoms, with their `columns`.
        """
        return self, part

    def paper_scale(self) -> float:
        """The factor of the family at `scale="paper"`, known after `prepare`: 1, unless the papers use another."""
        return 1.0

    def largest_atom(self, X: FloatArray, weight: FloatArray, *, centred: bool) -> float | None:  # noqa: ARG002
        """The largest mean diagonal sum_i s_i k_a(x_i, x_i) of an atom, s = weight / sum weight: for `scale="atom"`.

        It is known after `prepare`. If there is no closed form, it may be a bound close to the largest mean diagonal.
        None, the default, says that it is not known.

        Args:
            X: the training rows, shape (n, d).
            weight: the weights of the rows, shape (n,), > 0.
            centred: whether s'K_a s is subtracted, which leaves the variance in feature space, for `scale="variance"`.
        """
        return None

    def draw(self, k: int, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002
        """Different random atoms, shape (k, p), or fewer if the family has fewer: for `sampled`. It is called after
        `prepare`.

        Raises:
            InvalidOption: the family has no method that draws its atoms, which is the default.
        """
        raise InvalidOption(f"{self.name}: random atoms of it cannot be drawn; `sampled` needs a family with `draw`")

    def describe(self, part: Part) -> str:
        """A description of the part in a few words, for a reader."""
        return f"{len(part)} atoms"

    def coordinates(self, columns: tuple[str, ...]) -> tuple[str, ...] | None:  # noqa: ARG002
        """The names of the p numbers of an atom, for pictures, known after `prepare`; None by default.

        Args:
            columns: the names of the columns that the family sees.
        """
        return None

    def named(self, columns: tuple[str, ...]) -> "KernelFamily":  # noqa: ARG002
        """The same family, whose `describe` and `label` call the columns by these names; by default the family itself.

        Args:
            columns: the names of the columns that the family sees.
        """
        return self

    def label(self, atom: FloatArray) -> str | None:  # noqa: ARG002
        """A description of a prepared family's atom (p,), for pictures; by default None: its numbers are enough."""
        return None


class LinearFamily(KernelFamily):
    """A family whose Gram matrix is linear in finitely many parameters: the weights of a list, or a matrix P."""

    @abstractmethod
    def couple(self, data: Data, v: FloatArray) -> Coupling:
        """The map from parameters to K v at this v, shape (n,)."""

    @abstractmethod
    def parameters(self, part: Part) -> FloatArray:
        """The parameters that a price depends on: the weights of a list's atoms in its order (m,), or P (q, q)."""

    @abstractmethod
    def form(self, data: Data, V: FloatArray) -> FloatArray:
        """The array D, in the shape of the parameters, with <D, S> = sum_c V_c' K(S) V_c."""

    @abstractmethod
    def traces(self, data: Data, omega: Gram) -> FloatArray:
        """The array D, shaped as the parameters, with <D, S> = tr(Omega K(S)), for positive definite Omega (n, n)."""

    @abstractmethod
    def leading(self, D: FloatArray, k: int) -> BestAtoms:
        """The k atoms with the largest <D, S>, for any D in the shape of the parameters (symmetric)."""
