"""The contract of a kernel family: the convex hull of its atoms, seen through an oracle.

A family's author writes `prepare`, `gram`, `cross`, `diag`, `best_atoms` and `center`. A capability is a further
abstract base class: `MatrixFamily`, `FiniteFamily`, `ExplicitFamily`, `SmoothFamily`, `PenalizedFamily`; each supplies
what follows from it. Families compute in their own units; the scale of a leaf is the core's business.

Shapes: n samples, d features, m atoms, p numbers to an atom, c outputs.
"""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Self

import attrs
import numpy as np
import scipy.linalg

from kernelopt._coupling import Coupling, TensorCoupling, WeightCoupling
from kernelopt._errors import InvalidOption
from kernelopt._gram import Dense, Gram, LowRank
from kernelopt._mixture import BestAtoms, Part, Query
from kernelopt._penalty import Penalty
from kernelopt._typing import Data, FloatArray, IntArray

if TYPE_CHECKING:
    from kernelopt._families._algebra import Union


class KernelFamily(ABC):
    """The hull of basic kernels k_a: every kernel sum_a w_a k_a with w >= 0 and sum w = 1."""

    name: ClassVar[str]
    """What users type: `family="tk"`."""

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

    def __add__(self, other: object) -> "Union":
        """The union of this family with another, a view or a union."""
        from kernelopt._families._algebra import Union, terms

        return Union(terms(self) + terms(other))

    def ridge(self, part: Part) -> float:  # noqa: ARG002
        """What `gram` has on its diagonal beyond `cross`: 0, but for the identity on samples."""
        return 0.0

    def caution(self, Z: FloatArray) -> str | None:  # noqa: ARG002
        """What a user should know of these rows to predict, in one sentence; None where nothing is special."""
        return None

    def remark(self, part: Part, V: FloatArray) -> str | None:  # noqa: ARG002
        """What a user should know of this optimum that its numbers do not show, in one sentence; None where nothing is.

        It is asked at the end of a run, and is for families whose optimum can be written down without learning.

        Args:
            part: the family's share of the best kernel found, of positive weight.
            V: v = E alpha of the answer to that kernel, one column for each output, shape (n, c).
        """
        return None

    def paper_scale(self) -> float:
        """The leaf's factor at `scale="paper"`, known after `prepare`: 1 unless the papers use another."""
        return 1.0

    def largest_atom(self, X: FloatArray, weight: FloatArray, *, centred: bool) -> float | None:  # noqa: ARG002
        """The largest mean diagonal sum_i s_i k_a(x_i, x_i) of an atom, s = weight / sum weight: for `scale="atom"`.

        Known after `prepare`; None where it has no closed form.

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
    def leading(self, D: FloatArray, k: int) -> BestAtoms:
        """The k atoms with the largest <D, S>, for any D in the shape of the parameters (symmetric)."""


class FiniteFamily(LinearFamily):
    """A finite list of atoms; the parameters are their weights."""

    @abstractmethod
    def dictionary(self) -> Part:
        """All atoms, with equal weights that sum to 1."""

    def index(self, atoms: FloatArray) -> IntArray:
        """The place of each of these atoms (k, p) in the list, shape (k,)."""
        place = {atom.tobytes(): a for a, atom in enumerate(self.dictionary().atoms)}
        return np.array([place[atom.tobytes()] for atom in atoms], dtype=np.intp)

    def columns_of(self, data: Data, V: FloatArray) -> FloatArray:
        """K_a V for every atom, shape (m, n, c)."""
        atoms = self.dictionary().atoms
        one = np.ones(1)
        return np.stack([self.apply(Part(atoms[a : a + 1], one), data, V) for a in range(len(atoms))])

    def values_of(self, data: Data, V: FloatArray) -> FloatArray:
        """sum_c V_c' K_a V_c for every atom, shape (m,)."""
        values: FloatArray = np.einsum("anc,nc->a", self.columns_of(data, V), V)
        return values

    def parameters(self, part: Part) -> FloatArray:
        weights = np.zeros(len(self.dictionary()))
        np.add.at(weights, self.index(part.atoms), part.weights)
        return weights

    def form(self, data: Data, V: FloatArray) -> FloatArray:
        return self.values_of(data, V)

    def leading(self, D: FloatArray, k: int) -> BestAtoms:
        order = np.argsort(-D, kind="stable")[:k]
        return BestAtoms(self.dictionary().atoms[order], D[order], float(D.max()), exact=True)

    def best_atoms(self, data: Data, V: FloatArray, query: Query) -> BestAtoms:
        return self.leading(self.values_of(data, V), query.k)

    def center(self) -> Part:
        return self.dictionary()

    def draw(self, k: int, rng: np.random.Generator) -> FloatArray:
        """Distinct entries of the list, in its order."""
        atoms = self.dictionary().atoms
        return atoms[np.sort(rng.choice(len(atoms), size=min(k, len(atoms)), replace=False))]

    def largest_atom(self, X: FloatArray, weight: FloatArray, *, centred: bool) -> float | None:
        from kernelopt._spread import largest_of_list

        return largest_of_list(self, X, weight, centred=centred)

    def couple(self, data: Data, v: FloatArray) -> Coupling:
        return WeightCoupling(self.columns_of(data, v[:, None])[:, :, 0].T)


class MatrixFamily(LinearFamily):
    """Kernels k_P that are linear in P, over P >= 0 with trace P = 1; an atom is a unit vector p with P = pp'.

    A part and the matrix P = sum_a w_a p_a p_a' are two spellings of one kernel. An author writes `order`, `blend`
    and `adjoint`.
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

    def gram_of(self, P: FloatArray, data: Data) -> Gram:
        """The Gram of any symmetric P on bound rows; a family that binds more than X overrides it."""
        return Dense(self.blend(P, data, data))

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
        return (part.atoms.T * part.weights) @ part.atoms

    def part(self, P: FloatArray) -> Part:
        """The part whose matrix is the positive semidefinite P: its eigenvectors, the largest eigenvalue first."""
        values, vectors = scipy.linalg.eigh(P)
        keep = values > len(values) * np.finfo(float).eps * max(values[-1], 0.0)
        return Part(oriented(vectors[:, keep].T[::-1]), values[keep][::-1].copy())

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

    def leading(self, D: FloatArray, k: int) -> BestAtoms:
        first = self.order - min(k, self.order)
        values, vectors = scipy.linalg.eigh(D, subset_by_index=(first, self.order - 1))
        return BestAtoms(oriented(vectors.T[::-1]), values[::-1].copy(), float(values[-1]), exact=True)

    def center(self) -> Part:
        return Part(np.eye(self.order), np.full(self.order, 1.0 / self.order))

    def draw(self, k: int, rng: np.random.Generator) -> FloatArray:
        """Unit vectors of uniform direction; of order 1 there is one."""
        vectors = rng.normal(size=(k if self.order > 1 else 1, self.order))
        return oriented(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))

    def largest_atom(self, X: FloatArray, weight: FloatArray, *, centred: bool) -> float | None:
        from kernelopt._spread import largest_of_matrix

        return largest_of_matrix(self, X, weight, centred=centred)

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
        spectrum = np.linalg.eigvalsh(self.matrix(part))[::-1]
        rank = int(np.sum(spectrum > 1e-6 * spectrum[0]))
        leading = ", ".join(f"{value:.2g}" for value in spectrum[: min(rank, 5)])
        return f"P is {self.order} x {self.order} of rank {rank}, eigenvalues {leading}{', ...' if rank > 5 else ''}"


class ExplicitFamily(KernelFamily):
    """Atoms with finitely many features: K_a = Phi_a Phi_a', so prediction needs no support vectors.

    What `ridge` says comes on top of the training Gram's diagonal.
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


@attrs.frozen(eq=False)
class Gradient:
    """The gradient of sum_c V_c' K V_c in a part's atoms (m, p) and weights (m,)."""

    atoms: FloatArray
    weights: FloatArray


class SmoothFamily(KernelFamily):
    """A family whose atoms can be moved along a gradient, for local adaptation."""

    @abstractmethod
    def pullback(self, part: Part, data: Data, V: FloatArray) -> Gradient:
        """The gradient of sum_c V_c' K_part V_c in the part's atoms and weights."""

    @abstractmethod
    def atom_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper bounds on the p numbers of an atom, each of shape (p,), infinite where there is none."""


class PenalizedFamily(FiniteFamily):
    """A finite list whose kernels have a convex price; its weights sum to `total`, or are free where it is None.

    The best kernel for given dual variables, and the bound on its value, are the core's to find.
    """

    @property
    @abstractmethod
    def total(self) -> float | None:
        """The sum of the weights: a positive number, or None for a cone."""

    @property
    @abstractmethod
    def penalty(self) -> Penalty:
        """R on the weights of `dictionary()`, in its order; known after `prepare`."""


def oriented(vectors: FloatArray) -> FloatArray:
    """Unit vectors (k, q) with the sign that makes each one's largest entry positive: p and -p are one atom."""
    largest = np.argmax(np.abs(vectors), axis=1)
    signs = np.sign(vectors[np.arange(len(vectors)), largest])
    return vectors * np.where(signs == 0.0, 1.0, signs)[:, None]
