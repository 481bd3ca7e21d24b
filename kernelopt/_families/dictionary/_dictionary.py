"""A finite list of kernels."""

from collections.abc import Callable
from typing import Any, ClassVar, Literal, Self

import attrs
import numpy as np

from kernelopt._base._errors import InvalidOption
from kernelopt._base._options import one_of
from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._device._kernels import Kernels
from kernelopt._families._closed_forms import ClosedFormFamily
from kernelopt._families._contract import Among, KernelFamily
from kernelopt._families._expansion import Expansion
from kernelopt._families._mixture import Part
from kernelopt._families._weight_words import ATOM, told
from kernelopt._families.dictionary.columns._category_groups import Groups
from kernelopt._families.dictionary.columns._further_columns import Further
from kernelopt._families.dictionary.columns._numbered_columns import narrowed, tells_apart
from kernelopt._families.dictionary.columns._preprocessing import Preprocessing
from kernelopt._families.dictionary.columns._standard_columns import Frame, standard
from kernelopt._families.dictionary.grams._blocks import Blocks, grams
from kernelopt._families.dictionary.grams._combined_kernel import CombinedKernel
from kernelopt._families.dictionary.grams._hybrid_storage import Split, passing, split, split_bytes
from kernelopt._families.dictionary.grams._kernel_sizes import mean_diagonals, sizes_of
from kernelopt._families.dictionary.growth._growing_list import GrowingList
from kernelopt._families.dictionary.kernels._base_kernels import (
    ColumnKernel,
    Kernel,
    at_hand,
    called,
    function_of,
    in_any_basis,
    label,
    opaque,
)
from kernelopt._families.dictionary.lists._auto import of_turned_rows, suited
from kernelopt._families.dictionary.lists._chosen_kernels import joined, summed
from kernelopt._families.dictionary.lists._default_list import default_kernels
from kernelopt._families.dictionary.lists._matched_kernels import matched
from kernelopt._families.dictionary.seen._coded_columns import written_out


def _as_tuple(kernels: Any) -> tuple[Kernel, ...] | Literal["auto"] | None:
    if kernels is None or kernels == "auto":
        return kernels  # type: ignore[no-any-return]
    listed = (kernels,) if isinstance(kernels, str) or callable(kernels) else kernels
    return tuple(tuple(one) if isinstance(one, list) else one for one in listed)  # files have lists for pairs


@attrs.frozen(eq=False)
class Dictionary(GrowingList, ClosedFormFamily):
    """The mixtures of the kernels in a finite list, where each kernel has the same size on the training rows.

    For example, `Dictionary(["linear", ("rbf", {"gamma": 0.5})])` has the mixtures of two kernels.

    Attributes:
        kernels: the list. An entry is the name of one of scikit-learn's pairwise kernels ("rbf", "linear", "poly"...),
            or "exponential", which is exp(-gamma |x - z|); a pair of a name and options, such as ("rbf", {"gamma":
            0.5}); a callable k(X (n, d), Z (n', d)) -> (n, n') whose Gram matrices are positive semidefinite; or a
            `Precomputed` matrix. If there is a callable, the list sees every column of X; otherwise it sees the columns
            that are not constant on the training rows. None: the list of `default_dictionary`, on columns that are
            always brought to mean 0 and standard deviation 1. "auto", which is the same as `family="auto"`, is a list
            for the evidence. It has six Gaussians, five Laplacians, the linear and the quadratic kernel on all columns,
            and, if there are at least 30 rows for each column, three Gaussians on each column, or one Gaussian on a
            column of two values. If numbers are learned less their mean, the linear kernel of half as many columns as
            rows, or more, is x'z / d + 1 / n. Further kernels see the columns in their own units, in case they share
            one, the columns with heavy tails as ranks, and the columns of few whole numbers as categories, and compare
            whether two rows have the same whole number. Each kernel of "auto" has trace 1 on columns that are brought
            to mean 0 and standard deviation 1, and under the evidence kernels of the seasons of dates, of few columns,
            of learned metrics, with a fitted width for each column, and of trees may join the list.
        normalize: the quantity that is made 1 for each kernel on the training rows. "variance" (the default): tr K/n -
            1'K1/n^2, the variance in feature space; with the diagonal made 1 instead, the largest margin would be that
            of the narrowest Gaussian. "trace": tr K/n. "diagonal": every k(x, x) that is not 0; a row with k(x, x) = 0
            keeps this 0. None: no quantity, so that the kernels remain as they are. With more than 2000 rows, or more
            than 500 kernels and rows, 1'K1 is estimated from some of the rows, to a few percent.
        rescale: "standard" brings each training column to mean 0 and standard deviation 1, and applies the same map to
            all other rows. None leaves the columns as they are.

    Raises:
        InvalidOption: the list is empty, a name is unknown, or an entry is of another kind.
        InvalidData: in `prepare`: the quantity to normalise is 0 for a kernel on the training rows, or a precomputed
            kernel is not positive semidefinite on them.
    """

    name: ClassVar[str] = "dictionary"

    kernels: tuple[Kernel, ...] | Literal["auto"] | None = attrs.field(default=None, converter=_as_tuple)
    normalize: Literal["variance", "trace", "diagonal"] | None = attrs.field(
        default="variance", validator=one_of("variance", "trace", "diagonal", None)
    )
    rescale: Literal["standard"] | None = attrs.field(default=None, validator=one_of("standard", None))
    _size: FloatArray | None = attrs.field(default=None, alias="_size", repr=False)
    _frame: Frame | None = attrs.field(default=None, alias="_frame", repr=False)
    _further: Further | None = attrs.field(default=None, alias="_further", repr=False)
    _groups: Groups | None = attrs.field(default=None, alias="_groups", repr=False)
    _grows: bool = attrs.field(default=False, alias="_grows", repr=False)
    _turned: bool = attrs.field(default=False, alias="_turned", repr=False)
    _about_mean: bool = attrs.field(default=False, alias="_about_mean", repr=False)

    @kernels.validator
    def _check_kernels(self, _: Any, value: tuple[Kernel, ...] | Literal["auto"] | None) -> None:
        if value == "auto":
            return
        if value is not None and not value:
            raise InvalidOption("Dictionary: the list of kernels is empty, wanted at least one")
        for kernel in value or ():
            function_of(kernel)

    def seeing(self, columns: IntArray, width: int) -> "Dictionary | None":
        """The list without constant columns; None if it has a function of the user, which may look at any column."""
        if self.kernels is None or isinstance(self.kernels, str):
            return self
        if any(opaque(kernel) for kernel in self.kernels):
            return None
        placed = (one.among(columns, width) if isinstance(one, ColumnKernel) else one for one in self.kernels)
        return attrs.evolve(self, kernels=tuple(placed))

    def turned(self, width: int) -> "Dictionary | None":
        """The list, if its kernels are functions of inner products and distances of rows that are not rescaled.

        A list that is chosen by `prepare` has such kernels, and so has one that was made for such rows; None if some
        kernel is not of this kind.
        """
        if self._turned or self.kernels is None or isinstance(self.kernels, str):
            return attrs.evolve(self, _turned=True)
        found = tuple(in_any_basis(kernel, width) for kernel in self.kernels)
        return None if self.rescale is not None or None in found else attrs.evolve(self, kernels=found)

    @property
    def given(self) -> bool:
        return any(at_hand(kernel) for kernel in self.listed)

    @property
    def reads_codes(self) -> bool:
        return self.kernels == "auto"

    def spread(self, layout: Expansion) -> "Dictionary":
        if self.kernels == "auto":
            return attrs.evolve(self, _groups=Groups.of(layout))
        if self.kernels is None or any(opaque(kernel) for kernel in self.kernels):
            return self
        placed = (one.spread(layout) if isinstance(one, ColumnKernel) else one for one in self.kernels)
        return attrs.evolve(self, kernels=tuple(placed))

    def prepare(self, X: FloatArray, weight: FloatArray) -> "Dictionary":
        counts = weight > 0.0
        counted, share = (X, weight) if counts.all() else (X[counts], weight[counts])
        chosen = self._listed(counted, share)
        if chosen.rescale and chosen._frame is None:  # noqa: SLF001
            chosen = attrs.evolve(chosen, _frame=standard(self._preprocessing.numbers(counted), share))
        return chosen._sized(counted, share)  # noqa: SLF001

    def _sized(self, X: FloatArray, weight: FloatArray) -> "Dictionary":
        """This list with what each kernel is divided by, so that it has the same size on rows X (n, d) of weights
        (n,) > 0.
        """
        if self._grows:  # then the size is a trace, for which no list of all kernels sees all rows at once
            return attrs.evolve(self, _size=mean_diagonals(self.listed, self._preprocessing, X, weight))
        plain = attrs.evolve(self, normalize=None, _frame=None, _further=None)
        seen = self.seen(X)
        sizes = sizes_of(plain, plain._blocks(seen), X, seen, weight, self.normalize)  # noqa: SLF001
        return attrs.evolve(self, _size=sizes)

    def _listed(self, X: FloatArray, weight: FloatArray) -> "Dictionary":
        """This dictionary with the list that suits rows X (n, d) of weights (n,) > 0; only the default has a frame."""
        seen = self._size is not None or self._frame is not None
        plain = attrs.evolve(self, _size=None, _frame=None) if seen else self
        if self._turned and (self.kernels is None or isinstance(self.kernels, str)):
            return attrs.evolve(plain, kernels=of_turned_rows(X, weight), rescale=None)
        if self.kernels == "auto":
            return plain._automatic(X, weight)  # noqa: SLF001
        if self.kernels is not None:
            return plain
        return attrs.evolve(plain, kernels=default_kernels(range(X.shape[1])), rescale="standard")

    def _automatic(self, X: FloatArray, weight: FloatArray) -> "Dictionary":
        """The default list of kernels, with its frame: by another, last bits apart, no category would be told."""
        numbers = self._preprocessing.numbers(X)
        frame = standard(numbers, weight)
        kernels, further = suited(numbers, weight, self._groups, frame, about_mean=self._about_mean)
        return attrs.evolve(
            self,
            kernels=kernels,
            rescale="standard",
            normalize="trace",
            _frame=frame,
            _further=further,
            _grows=True,
        )

    @property
    def listed(self) -> tuple[Kernel, ...]:
        """The kernels of the list, which are known after `prepare`."""
        if self.kernels is None or isinstance(self.kernels, str):
            raise InvalidOption("Dictionary: the family has not seen any data; call prepare(X, weight) first")
        return self.kernels

    @property
    def many(self) -> int:
        return len(self.listed)

    def seen(self, X: FloatArray) -> FloatArray:
        """The rows after rescaling, as the kernels get them, with all indicators written out."""
        return written_out(self._preprocessing.rows(X))

    @property
    def _preprocessing(self) -> Preprocessing:
        return Preprocessing(self._frame, self._further, self._groups)

    @property
    def _unit(self) -> bool:
        """Whether each kernel is brought to k(x, x) = 1."""
        return self.normalize == "diagonal"

    @property
    def _sizes(self) -> FloatArray:
        """The numbers that the kernels are divided by, shape (m,)."""
        return np.ones(len(self.listed)) if self._size is None else self._size

    def resumed(self, other: KernelFamily, part: Part) -> "tuple[Dictionary, Part] | None":
        """This list if it has the kernels of the part, and otherwise the other one, if both were chosen from rows.

        The other list keeps how it sees columns: the splits of trees are numbers in these units.
        """
        if not isinstance(other, Dictionary):
            return None
        used, w = summed(part)
        places = matched(self.listed, other.listed, used)
        if len(places) == len(used):
            atoms = np.array([places[a] for a in used], dtype=float)[:, None]
            return self, Part(atoms, np.array([w[a] for a in used]))
        chosen_from_rows = self._grows and other._grows  # noqa: SLF001
        return other.pruned(part) if chosen_from_rows and self._groups == other._groups else None  # noqa: SLF001

    @property
    def grows(self) -> bool:
        return self._grows

    def _longer(self, kernels: tuple[Kernel, ...], sizes: FloatArray, **seen: Any) -> Self:
        return attrs.evolve(self, kernels=kernels, _size=np.append(self._sizes, sizes), **seen)

    def pruned(self, part: Part) -> tuple[Self, Part]:
        part = part.kept()
        used = part.atoms[:, 0].astype(np.intp)
        weighty = set(used.tolist())
        kept = [a for a, kernel in enumerate(self.listed) if a in weighty or not joined(kernel)]
        fewer = attrs.evolve(self, kernels=tuple(self.listed[a] for a in kept), _size=self._sizes[kept])
        return fewer, Part(np.searchsorted(kept, used)[:, None].astype(float), part.weights)

    def bind(self, X: FloatArray) -> Data:
        return grams(self._blocks(X), self._preprocessing.rows(X))

    def bind_bytes(self, n: int, d: int) -> int:  # noqa: ARG002
        return 8 * n * n * self.many

    def sums(self, X: FloatArray) -> Split:
        """The Grams on rows X (n, d): thin ones as features, the others computed when their entries are needed."""
        return split(self._blocks(X), self._preprocessing.rows(X))

    def passing(self, X: FloatArray) -> Split:
        """The same for a single question about many rows, with features only where they take little memory."""
        return passing(self._blocks(X), self._preprocessing.rows(X))

    def sums_bytes(self, n: int, d: int) -> int:
        """The bytes that `sums` holds for n rows of d columns, if all kernels have weight."""
        return split_bytes(self._blocks(), n, self._preprocessing.layout(d).width)

    def _blocks(self, X: FloatArray | None = None) -> Blocks:
        """All kernels; of rows X (n, d) that are as they came distances are measured among them."""
        centre = self._preprocessing.centre(X)
        return Blocks.of(self.listed, self._size, self._unit, range(self.many), centre)

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        return self._combined(part).cross(Z, X)

    def among(self, part: Part, X: FloatArray) -> Among:
        return self._combined(part).among(X)

    def function(self, part: Part, X: FloatArray, V: FloatArray) -> Callable[[FloatArray], FloatArray]:
        return self._combined(part).function(X, V)

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        return self._combined(part).diag(X)

    def closed(self, part: Part) -> Kernels | None:
        return self._combined(part).closed

    def boundless(self, part: Part) -> bool | None:
        return self._combined(part).boundless

    def _combined(self, part: Part) -> CombinedKernel:
        return CombinedKernel(self.listed, self._size, self._unit, self._preprocessing, summed(part)[1])

    @property
    def codes_rows(self) -> bool:
        layout = self._preprocessing.framed
        return layout is not None and bool(layout.coded)

    def compact(self, part: Part) -> tuple[KernelFamily, Part]:
        """The family with the kernels that have weight, in their order."""
        used = np.unique(part.kept().atoms[:, 0].astype(int))
        kernels = tuple(self.listed[a] for a in used)
        size = None if self._size is None else self._size[used]
        place = np.searchsorted(used, part.kept().atoms[:, 0])
        fewer = attrs.evolve(self, kernels=kernels, _size=size)._without_names()  # noqa: SLF001
        return fewer, Part(place[:, None].astype(float), part.kept().weights)

    def _without_names(self) -> "Dictionary":
        """The list without the indicators of numbers where no kernel compares these."""
        layout = self._preprocessing.framed
        if layout is None or self._further is None or not self._further.numbered:
            return self
        if any(tells_apart(kernel, layout.numbered) for kernel in self.listed):
            return self
        kernels = narrowed(self.listed, layout.numbered)
        return attrs.evolve(self, kernels=kernels, _further=attrs.evolve(self._further, numbered=()))

    def named(self, columns: tuple[str, ...]) -> "Dictionary":
        names = self._preprocessing.layout(len(columns)).named(columns)
        return attrs.evolve(self, kernels=tuple(called(kernel, names) for kernel in self.listed))

    def describe(self, part: Part) -> str:
        weights = np.bincount(part.atoms[:, 0].astype(int), weights=part.weights, minlength=len(self.listed))
        least = ATOM * weights.sum()
        order = [a for a in np.argsort(-weights, kind="stable") if weights[a] > least]
        words = [f"{told(weights[a])} {label(self.listed[a])}" for a in order[:5]]
        return " + ".join(words) + (" + ..." if len(order) > 5 else "")

    def label(self, atom: FloatArray) -> str:
        return label(self.listed[int(atom[0])])
