"""A list of kernels whose weights may have any sign."""

from typing import Any, ClassVar, Literal, Self

import attrs
import numpy as np

import kernelopt
from kernelopt.plugin import (
    BestAtoms,
    Data,
    FloatArray,
    Gram,
    IntArray,
    InvalidOption,
    KernelFamily,
    Part,
    Query,
    Refused,
    one_of,
    within,
)
from kernelopt_sdp._positive_cone import Slice

KERNELS = (
    "linear",
    ("poly", {"degree": 2, "gamma": 1.0, "coef0": 1.0}),
    ("rbf", {"gamma": 0.1}),
    ("rbf", {"gamma": 1.0}),
    ("rbf", {"gamma": 10.0}),
)
"""The list where none is given, on columns of mean 0 and standard deviation 1."""
_STRANGE = 1e-6
"""By so much, of the trace, a kernel that a user gives may be negative on the training rows."""


def _as_tuple(kernels: Any) -> Any:
    return (kernels,) if isinstance(kernels, str) or callable(kernels) else tuple(kernels)


@attrs.frozen(eq=False)
class Signed(KernelFamily):
    """The sums of the kernels in a list, with weights of any sign, that are positive semidefinite on the training rows.

        k = sum_a mu_a k_a,    sum_a mu_a = 1,    |mu_a| <= largest,    K_ij = k(x_i, x_j) >= 0

    The kernels of the list have one size on the training rows, so that the sum of the weights is that of the kernel. As
    in `kernelopt.Dictionary`, but a kernel may be subtracted as long as the rest is a Gram matrix of the training rows.
    For other rows it need not be one, and a note of the solution says so where a weight is negative.

    Lanckriet, Cristianini, Bartlett, El Ghaoui and Jordan (2004), section 4; Colbert and Peet (2020), program (5).

    Attributes:
        kernels: the list, with entries as in `kernelopt.Dictionary`, two or more. The default has a linear and a
            quadratic kernel and three Gaussians.
        normalize: what is 1 for each kernel on the training rows: "trace" (the default) the mean of k(x, x),
            "diagonal" every k(x, x) that is not 0.
        rescale: "standard" (the default) brings each training column to mean 0 and standard deviation 1; None leaves
            the columns as they are.
        largest: no weight is larger in size, >= 2. With weights of any size rounding decides whether kernels that are
            nearly equal on the training rows make a Gram matrix.
        most: the training rows, at most: the time of a question to the oracle grows with their third power.

    Raises:
        InvalidOption: the list is empty, a name is unknown, or an option is out of its range.
        Refused: in `prepare`: there are more rows than `most`.
    """

    name: ClassVar[str] = "signed"

    kernels: Any = attrs.field(default=KERNELS, converter=_as_tuple)
    normalize: Literal["trace", "diagonal"] = attrs.field(default="trace", validator=one_of("trace", "diagonal"))
    rescale: Literal["standard"] | None = attrs.field(default="standard", validator=one_of("standard", None))
    largest: float = attrs.field(default=1000.0, validator=within(2.0, 1e6))
    most: int = attrs.field(default=1000, validator=within(2, 10**5, integer=True))
    _list: kernelopt.Dictionary = attrs.field(alias="_list", repr=False)
    _slice: Slice | None = attrs.field(default=None, alias="_slice", repr=False)

    @_list.default
    def _plain(self) -> kernelopt.Dictionary:
        return kernelopt.Dictionary(self.kernels, normalize=self.normalize, rescale=self.rescale)

    def _with(self, family: kernelopt.Dictionary | None) -> Self | None:
        return None if family is None else attrs.evolve(self, _list=family)

    def seeing(self, columns: IntArray, width: int) -> Self | None:
        return self._with(self._list.seeing(columns, width))

    def turned(self, width: int) -> Self | None:
        plain = attrs.evolve(self._list, rescale=None)
        return self._with(plain.turned(width))

    def spread(self, layout: Any) -> Self:
        return attrs.evolve(self, _list=self._list.spread(layout))

    def prepare(self, X: FloatArray, weight: FloatArray) -> Self:
        counted = X[weight > 0.0]
        if len(counted) > self.most:
            raise Refused(
                f"signed: a matrix inequality on {len(counted)} training rows would take minutes at every step, and "
                f"the limit is {self.most}; take family='dictionary', fewer rows, or raise the limit with `most`"
            )
        family = self._list.prepare(X, weight)
        return attrs.evolve(self, _list=family, _slice=Slice.of(family.bind(counted), self.largest))

    @property
    def _known(self) -> Slice:
        if self._slice is None:
            raise InvalidOption("Signed: the family has not seen any data; call prepare(X, weight) first")
        return self._slice

    def _summed(self, part: Part) -> Part:
        """The kernels of the list, with their weights of any sign."""
        return Part(self._list.dictionary().atoms, part.weights @ part.atoms)

    def bind(self, X: FloatArray) -> Data:
        return self._list.bind(X)

    def bind_bytes(self, n: int, d: int) -> int:
        return self._list.bind_bytes(n, d)

    def gram(self, part: Part, data: Data) -> Gram:
        return self._list.gram(self._summed(part), data)

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        return self._list.cross(self._summed(part), Z, X)

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        return self._list.diag(self._summed(part), X)

    def boundless(self, part: Part) -> bool | None:
        return self._list.boundless(self._summed(part))

    def best_atoms(self, data: Data, V: FloatArray, query: Query) -> BestAtoms:  # noqa: ARG002
        values = self._list.values_of(data, V)
        if not values.any():
            return BestAtoms(self.center().atoms, np.zeros(1), 0.0, exact=True)
        c, ceiling = self._known.best(values)
        return BestAtoms(c[None], np.array([values @ c]), ceiling, exact=True)

    def center(self) -> Part:
        m = len(self._list.dictionary())
        return Part(np.full((1, m), 1.0 / m), np.ones(1))

    def draw(self, k: int, rng: np.random.Generator) -> FloatArray:
        """Sums on the way from equal weights, in a random direction, to where the matrix becomes singular."""
        known = self._known
        if not known.basis.size:
            return self.center().atoms
        directions, shares = rng.normal(size=(k, known.basis.shape[1])), rng.uniform(size=k)
        return np.stack(
            [known.weights(y * share * known.reach(y)) for y, share in zip(directions, shares, strict=True)]
        )

    def stranger(self, atoms: FloatArray) -> str | None:
        for c in atoms:
            if abs(c.sum() - 1.0) > _STRANGE:
                return f"the weights of an atom sum to {c.sum():.6g}, wanted 1"
            lowest = self._known.lowest(c)
            if lowest < -_STRANGE:
                return f"an atom is no Gram matrix of the training rows, or has too large a weight: {lowest:.3g} < 0"
        return None

    def remark(self, part: Part, V: FloatArray) -> str | None:  # noqa: ARG002
        c = self._summed(part.kept()).weights
        if c.min() >= 0.0:
            return None
        return (
            f"{int((c < 0.0).sum())} of {len(c)} kernels have a negative weight: the kernel is positive semidefinite "
            "on the training rows, and need not be on others"
        )

    def compact(self, part: Part) -> tuple[KernelFamily, Part]:
        """Without the matrices on the training rows."""
        return attrs.evolve(self, _slice=None), part

    def largest_atom(self, X: FloatArray, weight: FloatArray, *, centred: bool) -> float | None:
        share, one = weight / weight.sum(), np.ones(1)
        parts = [Part(atom[None], one) for atom in self._list.dictionary().atoms]
        sizes = np.array([share @ self._list.diag(part, X) for part in parts])
        if centred:
            sizes -= [share @ self._list.cross(part, X, X) @ share for part in parts]
        return self._known.best(sizes)[1]

    def coordinates(self, columns: tuple[str, ...]) -> tuple[str, ...] | None:  # noqa: ARG002
        labels = [self._list.label(atom) for atom in self._list.dictionary().atoms]
        return tuple(f"weight {a + 1}: {label}" for a, label in enumerate(labels))

    def named(self, columns: tuple[str, ...]) -> Self:
        return attrs.evolve(self, _list=self._list.named(columns))

    def describe(self, part: Part) -> str:
        whole = self._summed(part.kept())
        order = np.argsort(-np.abs(whole.weights), kind="stable")[:5]
        form = "+.3f" if np.abs(whole.weights).max(initial=0.0) >= 0.1 else "+.3g"
        words = [f"{whole.weights[a]:{form}} {self._list.label(whole.atoms[a])}" for a in order]
        return ", ".join(words) + (", ..." if len(whole) > 5 else "")

    def label(self, atom: FloatArray) -> str | None:
        return self.describe(Part(atom[None], np.ones(1)))
