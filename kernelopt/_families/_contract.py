"""The contract of a kernel family: the convex hull of its atoms, seen through an oracle.

A family's author writes `prepare`, `gram`, `cross`, `diag`, `best_atoms` and `center`. A capability is a further
abstract base class: `MatrixFamily`, `FiniteFamily`, `ExplicitFamily`, `SmoothFamily`, `PenalizedFamily`; each supplies
what follows from it. Families compute in their own units; the scale of a leaf is the core's business.

Shapes: n samples, d features, m atoms, p numbers to an atom, c outputs.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Self

import numpy as np

from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._families._coupling import Coupling
from kernelopt._families._expansion import Expansion
from kernelopt._families._mixture import BestAtoms, Part, Query
from kernelopt._families._union import Addable
from kernelopt._linalg._gram import Gram, LowRank


class KernelFamily(Addable, ABC):
    """A family of kernels: the mixtures sum_a w_a k_a of its atoms, the basic kernels k_a, w >= 0, sum w = 1."""

    name: ClassVar[str]
    """What users type: `family="tk"`."""

    def seeing(self, columns: IntArray, width: int) -> "KernelFamily | None":  # noqa: ARG002
        """This family for rows without those of its columns that are constant; default None: it sees them all.

        Asked before `prepare`, where some are. What a user says of columns, in options or in functions, is said of all
        `width`: a family that gives some up cuts its options to those that are left.

        Args:
            columns: the places of those that are left, ascending, shape (d',), 0 < d' < width.
            width: how many columns of the user's X there are for the family.
        """
        return None

    def turned(self, width: int) -> "KernelFamily | None":  # noqa: ARG002
        """This family for rows that are coordinates in any orthonormal basis, as sparse rows are held; None, which is
        the default: its kernels look at single columns.

        Law: its kernels are functions of x'z, |x|^2 and |z|^2 alone, so that turning all rows changes none of them.
        Asked before `prepare`. A family that would rescale columns gives one that leaves them as they are.

        Args:
            width: how many columns the rows have that are held so.
        """
        return None

    def spread(self, layout: Expansion) -> "KernelFamily":  # noqa: ARG002
        """This family for rows whose categories and gaps became indicators; default: itself, which takes them as
        numbers like others.

        Asked before `prepare`, where there are some.

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
        """What is worth computing once for these rows, shape (n, d). Never saved."""
        return X

    def bind_once(self, X: FloatArray) -> Data:
        """What one question about many rows X (n, d) needs: by default `bind`. A family whose `bind` holds arrays of
        n x n may give here what computes their entries again, for `best_atoms`, `couple`, `form` and `apply`.
        """
        return self.bind(X)

    def bind_bytes(self, n: int, d: int) -> int:
        """How much memory `bind` will hold for n rows of d columns, in bytes: checked before any work is done."""
        return 8 * n * d

    @abstractmethod
    def gram(self, part: Part, data: Data) -> Gram:
        """The Gram of sum_a w_a k_a on bound rows, in an array that the caller may overwrite."""

    @abstractmethod
    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        """The kernel between new rows Z (n', d) and rows X (n, d), shape (n', n).

        Law: `gram(part, bind(X)) = cross(part, X, X)`: the training kernel and the prediction kernel are one.
        """

    def function(self, part: Part, X: FloatArray, V: FloatArray) -> Callable[[FloatArray], FloatArray]:
        """Z -> sum_i k(z, x_i) V_i at rows Z (n', d), shape (n', c), for rows X (n, d) and V (n, c).

        By default through `cross`. A family overrides it where the sum over the rows can be made once for all new ones.
        """
        return lambda Z: self.cross(part, Z, X) @ V

    @abstractmethod
    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        """k(x, x) of each row, shape (n,)."""

    def apply(self, part: Part, data: Data, V: FloatArray) -> FloatArray:
        """K V, shape (n, c), for V of shape (n, c)."""
        return self.gram(part, data).apply(V)

    @abstractmethod
    def best_atoms(self, data: Data, V: FloatArray, query: Query) -> BestAtoms:
        """The atoms with the largest sum_c V_c' K_a V_c, for V of shape (n, c)."""

    @abstractmethod
    def center(self) -> Part:
        """Where to start: deterministic, independent of the order of the rows, of total weight 1."""

    def stranger(self, atoms: FloatArray) -> str | None:  # noqa: ARG002
        """Why one of these atoms is none of the family's, in a few words; None where nobody sees that. After `prepare`.

        The core asks it of kernels from elsewhere: a bound on the best kernel of the family says nothing of others.

        Args:
            atoms: shape (m, p), finite.
        """
        return None

    def ridge(self, part: Part) -> float:  # noqa: ARG002
        """What `gram` has on its diagonal beyond `cross`: 0, but for the identity on samples."""
        return 0.0

    def caution(self, Z: FloatArray) -> str | None:  # noqa: ARG002
        """What a user should know of these rows to predict, in one sentence; None where nothing is special."""
        return None

    def restrained(self) -> "KernelFamily":
        """This prepared family without the kernels that rows which were held out must speak for: where a criterion asks
        such rows, learning begins with it, and `grown` gives the rest. Each of its parts is the same kernel in both.
        The default is the family itself.
        """
        return self

    @property
    def grows(self) -> bool:
        """Whether kernels may join this prepared family, by `grown`. The default never does."""
        return False

    def pruned(self, part: Part) -> tuple["KernelFamily", Part]:
        """This family without the kernels that joined it by `grown` and have no weight in a part, and the part of it
        that is the same kernel. The default is as it was.
        """
        return self, part

    def grown(self, part: Part, X: FloatArray, V: FloatArray) -> tuple["KernelFamily", Part] | None:  # noqa: ARG002
        """This prepared family with kernels that a function of its kernels asks for, and the part of it that is the
        same kernel as before; None where it has none to add. The default adds none.

        Args:
            part: the family's share of the kernel.
            X: rows, shape (n, d).
            V: f_c = sum_i V_ic k(., x_i), shape (n, c).
        """
        return None

    def remark(self, part: Part, V: FloatArray) -> str | None:  # noqa: ARG002
        """What a user should know of this optimum that its numbers do not show, in one sentence; None where nothing is.

        It is asked at the end of a run, and is for families whose optimum can be written down without learning.

        Args:
            part: the family's share of the best kernel found, of positive weight.
            V: v = E alpha of the answer to that kernel, one column for each output, shape (n, c).
        """
        return None

    def compact(self, part: Part) -> "tuple[KernelFamily, Part]":
        """A family and a part with the same `cross`, to the bit, that hold only what prediction needs: for model files.

        Asked after `prepare`, of a part with weight. Such a family need not know how to learn. An explicit family keeps
        the atoms that it has, with their `columns`.
        """
        return self, part

    def paper_scale(self) -> float:
        """The leaf's factor at `scale="paper"`, known after `prepare`: 1 unless the papers use another."""
        return 1.0

    def largest_atom(self, X: FloatArray, weight: FloatArray, *, centred: bool) -> float | None:  # noqa: ARG002
        """The largest mean diagonal sum_i s_i k_a(x_i, x_i) of an atom, s = weight / sum weight: for `scale="atom"`.

        Known after `prepare`; a bound, close to it, where it has no closed form; None where nobody knows.

        Args:
            X: the training rows, shape (n, d).
            weight: shape (n,), > 0.
            centred: less s'K_a s, which leaves the variance in feature space, for `scale="variance"`.
        """
        return None

    def draw(self, k: int, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002
        """Random atoms, no two alike, shape (k, p), or fewer where there are no more: for `sampled`. After `prepare`.

        Raises:
            InvalidOption: nobody knows how to draw from this family.
        """
        raise InvalidOption(f"{self.name}: random atoms of it cannot be drawn; `sampled` needs a family with `draw`")

    def describe(self, part: Part) -> str:
        """The part in a few words, for a reader."""
        return f"{len(part)} atoms"

    def coordinates(self, columns: tuple[str, ...]) -> tuple[str, ...] | None:  # noqa: ARG002
        """What the p numbers of an atom are called, for pictures; None where nobody says. After `prepare`.

        Args:
            columns: the names of the columns that the family sees.
        """
        return None

    def named(self, columns: tuple[str, ...]) -> "KernelFamily":  # noqa: ARG002
        """The same family, which speaks of columns by these names in `describe` and `label`; default: as it is.

        Args:
            columns: the names of the columns that the family sees.
        """
        return self

    def label(self, atom: FloatArray) -> str | None:  # noqa: ARG002
        """An atom (p,) in a few words, for pictures; None where its numbers say it. After `prepare`."""
        return None


class LinearFamily(KernelFamily):
    """A family whose Gram is linear in finitely many parameters: weights, or a matrix P."""

    @abstractmethod
    def couple(self, data: Data, v: FloatArray) -> Coupling:
        """The map from parameters to K v at this v, shape (n,)."""

    @abstractmethod
    def parameters(self, part: Part) -> FloatArray:
        """What a price is put on: the weights of a list's atoms in its order (m,), or P (q, q)."""

    @abstractmethod
    def form(self, data: Data, V: FloatArray) -> FloatArray:
        """D, in the shape of the parameters, with <D, S> = sum_c V_c' K(S) V_c."""

    @abstractmethod
    def traces(self, data: Data, omega: Gram) -> FloatArray:
        """D, in the shape of the parameters, with <D, S> = tr(Omega K(S)), for a positive definite Omega (n, n)."""

    @abstractmethod
    def leading(self, D: FloatArray, k: int) -> BestAtoms:
        """The k atoms with the largest <D, S>, for any D in the shape of the parameters (symmetric)."""


class ExplicitFamily(KernelFamily):
    """A family whose atoms have finitely many features: K_a = Phi_a Phi_a', so prediction needs no support vectors.

    The number that `ridge` returns is added to the diagonal of the training Gram matrix.
    """

    @abstractmethod
    def columns(self, atoms: FloatArray, X: FloatArray) -> tuple[FloatArray, IntArray]:
        """The features (n, r) of these atoms at rows X, and the atom (r,) that each column belongs to."""

    def gram(self, part: Part, data: Data) -> Gram:
        features, owner = self.columns(part.atoms, data)
        return LowRank(features * np.sqrt(part.weights[owner]), self.ridge(part))

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        features, owner = self.columns(part.atoms, Z)
        return (features * part.weights[owner]) @ self.columns(part.atoms, X)[0].T

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        features, owner = self.columns(part.atoms, X)
        squares: FloatArray = (features * features) @ part.weights[owner]
        return squares + self.ridge(part)

    def image(self, atoms: FloatArray, X: FloatArray, B: FloatArray) -> FloatArray:
        """The features of these atoms at rows X times B (r, c), shape (n, c); where that is quicker, without them."""
        product: FloatArray = self.columns(atoms, X)[0] @ B
        return product

    def missing(self, part: Part, X: FloatArray, features: FloatArray) -> FloatArray:  # noqa: ARG002
        """What features leave out of k(x, x) of each row, where they stand for a kernel of more, shape (n,): 0.

        It makes predictions less sure, and nothing else.

        Args:
            part: the kernel.
            X: rows, shape (n, d).
            features: those of the part's atoms there, shape (n, r), as `columns` gives them.
        """
        return np.zeros(len(X))
