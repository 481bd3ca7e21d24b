"""A finite list of kernels."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

import attrs
import numpy as np

from kernelopt._base._errors import InvalidOption
from kernelopt._base._memory import require
from kernelopt._base._options import one_of
from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._device._kernels import Kernels
from kernelopt._families._closed_forms import ClosedFormFamily
from kernelopt._families._contract import Among, KernelFamily
from kernelopt._families._expansion import Expansion
from kernelopt._families._finite import StoredFamily
from kernelopt._families._mixture import Part
from kernelopt._families._weight_words import ATOM, told
from kernelopt._families.dictionary._auto import ROWS_FOR_COLUMN, automatic, of_turned_rows
from kernelopt._families.dictionary._average_gradients import outer_product
from kernelopt._families.dictionary._base_kernels import (
    ColumnKernel,
    Kernel,
    PlacedKernel,
    always_one,
    boundless,
    called,
    diagonal,
    function_of,
    in_any_basis,
    label,
    opaque,
)
from kernelopt._families.dictionary._blocks import Blocks, added
from kernelopt._families.dictionary._category_groups import Groups
from kernelopt._families.dictionary._chosen_kernels import chosen, joined, summed, worthwhile
from kernelopt._families.dictionary._coded_columns import Span, View, column_wise, written_out
from kernelopt._families.dictionary._column_layout import Layout
from kernelopt._families.dictionary._default_list import default_kernels
from kernelopt._families.dictionary._further_columns import Further, Numbered
from kernelopt._families.dictionary._gram_parts import heights, tiled_bytes
from kernelopt._families.dictionary._hybrid_storage import Split
from kernelopt._families.dictionary._kernel_sizes import measured, proper
from kernelopt._families.dictionary._level_differences import Function, differences, levels_of
from kernelopt._families.dictionary._matched_kernels import matched
from kernelopt._families.dictionary._metric_kernels import metric_kernels
from kernelopt._families.dictionary._numbered_columns import (
    narrowed,
    widened,
    with_numbered,
    without_numbered,
)
from kernelopt._families.dictionary._offered_columns import offer
from kernelopt._families.dictionary._pairwise import middle
from kernelopt._families.dictionary._short_forms import ListFunction
from kernelopt._families.dictionary._standard_columns import Frame, rescaled, standard
from kernelopt._families.dictionary._tiles import Computed
from kernelopt._families.dictionary._tree_kernels import tree_kernels
from kernelopt._families.dictionary._width_kernels import (
    chosen_width_kernels,
    correlated_kernels,
    crowded,
    sparse_kernels,
    width_kernels,
)
from kernelopt._linalg._gram import ROW_BLOCK, Dense, Gram
from kernelopt._linalg._stacked_grams import forms, images, weighted_sum

_CACHED = 1 << 16
"""Entries of a Gram that are added up over the whole list in the cache."""
_LITTLE = 1 << 31
"""Bytes of features for a single question, at most."""
_FEW = 128
"""A kernel that more features span is better looked at in tiles. Worth: `constants.py dictionary.few`."""


def _as_tuple(kernels: Any) -> tuple[Kernel, ...] | Literal["auto"] | None:
    if kernels is None or kernels == "auto":
        return kernels  # type: ignore[no-any-return]
    listed = (kernels,) if isinstance(kernels, str) or callable(kernels) else kernels
    return tuple(tuple(one) if isinstance(one, list) else one for one in listed)  # files have lists for pairs


@attrs.frozen(eq=False)
class Dictionary(StoredFamily, ClosedFormFamily):
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
            column of two values. Further kernels see the columns in their own units, in case they share one, the
            columns with heavy tails as ranks, and the columns of few whole numbers as categories, and compare whether
            two rows have the same whole number. Each kernel of "auto" has trace 1 on columns that are brought to mean 0
            and standard deviation 1, and under the evidence kernels of few columns, of learned metrics, with a fitted
            width for each column, and of trees may join the list.
        normalize: the quantity that is made 1 for each kernel on the training rows. "variance" (the default): tr K/n -
            1'K1/n^2, the variance in feature space; with the diagonal made 1 instead, the largest margin would be that
            of the narrowest Gaussian. "trace": tr K/n. "diagonal": every k(x, x) that is not 0; a row with k(x, x) = 0
            keeps this 0. None: no quantity, so that the kernels remain as they are.
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

        A list that is chosen by `prepare` has such kernels; None if some kernel is not of this kind.
        """
        if self.kernels is None or isinstance(self.kernels, str):
            return attrs.evolve(self, _turned=True)
        found = tuple(in_any_basis(kernel, width) for kernel in self.kernels)
        return None if self.rescale is not None or None in found else attrs.evolve(self, kernels=found)

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
        chosen = self._listed(X, weight)
        counts = weight > 0.0
        counted, share = (X, weight) if counts.all() else (X[counts], weight[counts])
        frame = standard(self._numbers(counted), share) if chosen.rescale else None  # the one that chose the columns
        plain = attrs.evolve(chosen, normalize=None, _size=None, _frame=None, _further=None)
        framed = attrs.evolve(chosen, _size=None, _frame=frame)
        if chosen._grows:  # noqa: SLF001
            return attrs.evolve(framed, _size=framed._traces(counted, share / share.sum()))  # noqa: SLF001
        seen, how = framed.seen(counted), chosen.normalize
        sizes = [measured(plain, one, a, counted, seen, share, how) for a, one in enumerate(chosen.listed)]
        return attrs.evolve(framed, _size=np.array(sizes))

    def _traces(self, X: FloatArray, share: FloatArray) -> FloatArray:
        """The mean of k(x, x) for each kernel, of rows X (n, d) with shares (n,), shape (m,).

        A block of rows at a time is looked at, for each is seen once more with what stands behind its columns.
        """
        total = np.zeros(len(self.listed))
        for rows in _parts(len(X)):
            seen = self._rows(X[rows])
            total += [float(share[rows] @ diagonal(kernel, seen)) for kernel in self.listed]
        pairs = zip(self.listed, total.tolist(), strict=True)
        return np.array([proper(kernel, size, 0.0, "trace") for kernel, size in pairs])

    def _listed(self, X: FloatArray, weight: FloatArray) -> "Dictionary":
        """This dictionary with the list that suits rows X (n, d) of weights (n,)."""
        if self._turned and (self.kernels is None or isinstance(self.kernels, str)):
            return attrs.evolve(self, kernels=of_turned_rows(X, weight), rescale=None)
        if self.kernels == "auto":
            return self._automatic(X, weight)
        if self.kernels is not None:
            return self
        return attrs.evolve(self, kernels=default_kernels(range(X.shape[1])), rescale="standard")

    def _automatic(self, X: FloatArray, weight: FloatArray) -> "Dictionary":
        """The default list of kernels, for rows with a weight above 0."""
        X, weight = self._numbers(X)[weight > 0.0], weight[weight > 0.0]
        pairs = {j for j, column in enumerate(X.T) if ((column == column.min()) | (column == column.max())).all()}
        frame = standard(X, weight)
        further = Further.of(X, rescaled(X, frame), weight)
        deviation = np.where(X.max(axis=0) > X.min(axis=0), frame[1], 0.0)
        kernels = automatic(len(X), X.shape[1], pairs, further, self._groups, deviation)
        return attrs.evolve(self, kernels=kernels, rescale="standard", normalize="trace", _further=further, _grows=True)

    @property
    def listed(self) -> tuple[Kernel, ...]:
        """The kernels of the list, which are known after `prepare`."""
        if self.kernels is None or isinstance(self.kernels, str):
            raise InvalidOption("Dictionary: the family has not seen any data; call prepare(X, weight) first")
        return self.kernels

    def seen(self, X: FloatArray) -> FloatArray:
        """The rows after rescaling, as the kernels get them, with all indicators written out."""
        return written_out(self._rows(X))

    def _rows(self, X: FloatArray) -> View:
        """The same, without the indicators of many categories."""
        if self._frame is None:
            return X
        numbers = self._numbers(X)
        own = rescaled(numbers, self._frame) if self._further is None else self._further.behind(numbers, self._frame)
        rows = own if self._groups is None else self._groups.behind(own, X)
        return with_numbered(rows, numbers, self._numbered)

    @property
    def _numbered(self) -> tuple[Numbered, ...]:
        return () if self._further is None else self._further.numbered

    def _layout(self, numbers: int) -> Layout:
        """Where the kernels see so many numbers and what stands behind them."""
        return Layout(numbers, self._further, self._groups)

    def _numbers(self, X: FloatArray) -> FloatArray:
        """The columns of rows X (n, d) that hold numbers, shape (n, p)."""
        return X if self._groups is None else X[:, : self._groups.numbers]

    @property
    def _sizes(self) -> FloatArray:
        """The numbers that the kernels are divided by, shape (m,)."""
        return np.ones(len(self.listed)) if self._size is None else self._size

    @property
    def grows(self) -> bool:
        return self._grows

    def grown(self, part: Part, X: FloatArray, V: FloatArray) -> "tuple[Dictionary, Part] | None":
        """The list with more kernels, for the directions along which the learned function varies.

        Kernels that were added earlier stay if they have weight.
        """
        (used, w), rows, layout = summed(part), self._rows(X), self._layout(self._numbers(X).shape[1])
        seen, D = without_numbered(rows, self._numbered), layout.numbered
        others = [a for a in used if not _is_of(self.listed[a], layout.number_spans)]
        narrow = narrowed([self.listed[a] for a in others], D)
        members = [(kernel, w[a] / self._sizes[a]) for kernel, a in zip(narrow, others, strict=True)]
        levels = levels_of(seen, layout.numbers, self._further, self._groups)
        directions = differences(Function(self._blocks(used), w, rows, V), levels, D)
        new = metric_kernels(outer_product(members, seen, V), seen, directions)
        family, same = self.pruned(part)
        return (family._with(new, rows.shape[1]), same) if new else None  # noqa: SLF001

    def offered(self, X: FloatArray, weight: FloatArray) -> "Dictionary | None":
        """The list with kernels that compare the numbers of columns which may be names."""
        numbers = self._numbers(X)[weight > 0.0]
        layout = self._layout(numbers.shape[1])
        often = len(numbers) >= ROWS_FOR_COLUMN * layout.columns
        found = offer(numbers, self.listed, layout) if self._grows and often else None
        if found is None:
            return None
        sizes = np.append(self._sizes, found.sizes)
        return attrs.evolve(self, kernels=found.kernels, _further=found.further, _size=sizes)

    def crowded(self, X: FloatArray, weight: FloatArray) -> bool:
        return self._grows and crowded(self._rows(X), self._layout(self._numbers(X).shape[1]).apart, weight)

    def selected(self, X: FloatArray, T: FloatArray, weight: FloatArray) -> "Dictionary | None":
        """The list with kernels of the few columns that say most of the targets."""
        rows, layout = self._rows(X), self._layout(self._numbers(X).shape[1])
        new = chosen_width_kernels(rows, layout.apart, T, weight) if self._grows else ()
        return self._with(new, rows.shape[1]) if new else None

    def correlated(self, X: FloatArray, T: FloatArray, weight: FloatArray) -> "Dictionary | None":
        """The list with kernels of all columns, each weighed by its correlation with the targets."""
        rows, layout = self._rows(X), self._layout(self._numbers(X).shape[1])
        new = correlated_kernels(rows, layout.apart, T, weight) if self._grows else ()
        return self._with(new, rows.shape[1]) if new else None

    def sparse(self, X: FloatArray, T: FloatArray, weight: FloatArray) -> "Dictionary | None":
        """The list with kernels of all columns, each weighed by its slope in a sparse linear function."""
        rows, layout = self._rows(X), self._layout(self._numbers(X).shape[1])
        new = sparse_kernels(rows, layout.apart, T, weight) if self._grows else ()
        return self._with(new, rows.shape[1]) if new else None

    def adapted(self, X: FloatArray, T: FloatArray, weight: FloatArray) -> "Dictionary | None":
        """The list with kernels that have a width for each column."""
        rows, layout = self._rows(X), self._layout(self._numbers(X).shape[1])
        new = width_kernels(rows, layout.apart, T, weight) if self._grows else ()
        return self._with(new, rows.shape[1]) if new else None

    def parted(self, X: FloatArray, T: FloatArray, weight: FloatArray) -> "Dictionary | None":
        """The list with kernels of the leaves of trees."""
        rows = self._rows(X)
        seen = written_out(without_numbered(rows, self._numbered))
        new = tree_kernels(seen, T, weight) if self._grows else ()
        return self._with(new, rows.shape[1]) if new else None

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

    def _with(self, kernels: tuple[PlacedKernel, ...], D: int) -> "Dictionary":
        """This family with more kernels at the end of the list, which have k(x, x) = 1, for rows seen as D numbers."""
        sizes = np.append(self._sizes, np.ones(len(kernels)))
        return attrs.evolve(self, kernels=(*self.listed, *widened(kernels, D)), _size=sizes)

    def pruned(self, part: Part) -> "tuple[Dictionary, Part]":
        part = part.kept()
        used = part.atoms[:, 0].astype(np.intp)
        weighty = set(used.tolist())
        kept = [a for a, kernel in enumerate(self.listed) if a in weighty or not joined(kernel)]
        fewer = attrs.evolve(self, kernels=tuple(self.listed[a] for a in kept), _size=self._sizes[kept])
        return fewer, Part(np.searchsorted(kept, used)[:, None].astype(float), part.weights)

    def bind(self, X: FloatArray) -> Data:
        grams = np.empty((len(self.listed), len(X), len(X)))
        blocks = self._blocks(range(len(grams)), X)
        seen = blocks.seen(self._rows(X))
        for rows in heights(len(X), len(X), seen.deep):
            for a, block in blocks.between(seen[rows], seen):
                grams[a, rows] = block
        return grams

    def bind_bytes(self, n: int, d: int) -> int:  # noqa: ARG002
        return 8 * n * n * len(self.listed)

    def sums(self, X: FloatArray) -> Split:
        """The Grams on rows X (n, d): thin ones as features, the others computed when their entries are needed."""
        tiles, thin = self._parted(X, _most(len(X)))
        require(tiles.m * tiled_bytes(len(X)), f"the Grams of {tiles.m} kernels on {len(X)} rows")
        return Split.of(tiles, thin)

    def passing(self, X: FloatArray) -> Split:
        """The same for a single question about many rows, with features only where they take little memory."""
        most = _most(len(X))
        return Split.of(*self._parted(X, most if 8 * len(X) * most * len(self.listed) <= _LITTLE else 0))

    def _parted(self, X: FloatArray, most: int) -> tuple[Computed, dict[int, FloatArray]]:
        """The kernels that no `most` features span on rows X (n, d), and the features of the others."""
        seen, numbers = column_wise(self._rows(X)), range(len(self.listed))
        thin = self._blocks(numbers).spanned(seen, most) if most else {}
        rest = tuple(a for a in numbers if a not in thin)
        return Computed.of(self._blocks(rest, X), rest, seen), thin

    def sums_bytes(self, n: int, d: int) -> int:
        """The bytes that `sums` holds for n rows of d columns, if all kernels have weight."""
        layout = self._layout(d if self._groups is None else self._groups.numbers)
        return self._blocks(range(len(self.listed))).bytes_of(n, layout.width, _most(n))

    def _blocks(self, numbers: Sequence[int], X: FloatArray | None = None) -> Blocks:
        """The kernels of these numbers; of rows X (n, d) that are as they came distances are measured among them."""
        centre = None if X is None or self._frame is not None else middle(X)
        return Blocks.of(self.listed, self._size, self.normalize == "diagonal", numbers, centre)

    def dictionary(self) -> Part:
        m = len(self.listed)
        return Part(np.arange(m, dtype=float)[:, None], np.full(m, 1.0 / m))

    def gram(self, part: Part, data: Data) -> Gram:
        used = part.weights != 0.0
        if used.sum() == 1:
            return Dense(data[int(part.atoms[used, 0][0])] * part.weights[used][0])
        return Dense(weighted_sum(data, part.atoms[used, 0].astype(int), part.weights[used]))

    def stored(self, data: Data, atom: FloatArray) -> FloatArray:
        gram: FloatArray = data[int(atom[0])]
        return gram

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        blocks, w = self._weighted(part, X)
        return added(blocks, w, blocks.seen(self._rows(Z)), blocks.seen(self._rows(X)))

    def among(self, part: Part, X: FloatArray) -> Among:
        """What the kernels see of the rows is computed once."""
        blocks, w = self._weighted(part, X)
        seen = blocks.seen(self._rows(X))
        return lambda some, others: added(blocks, w, seen[some], seen[others])

    def _weighted(self, part: Part, X: FloatArray) -> tuple[Blocks, dict[int, float]]:
        """The kernels of a part, between some rows and X (n, d), and what each is multiplied by."""
        used, w = summed(part)
        blocks = attrs.evolve(self._blocks(used, X), size=None)  # sizes are in the weights
        return blocks, {a: w[a] / self._sizes[a] for a in used}

    def function(self, part: Part, X: FloatArray, V: FloatArray) -> Callable[[FloatArray], FloatArray]:
        """The function of new rows; for Gaussians of one column, the sum over all rows is computed only once."""
        used = worthwhile(part, lambda one: float(self.diag(one, X).mean()))
        w = {a: weight / self._sizes[a] for a, weight in summed(part)[1].items()}
        blocks = attrs.evolve(self._blocks(used, X), size=None)  # sizes are in the weights
        known = ListFunction.of(blocks, w, self._rows(X), V)
        return lambda Z: known.at(self._rows(Z))

    def closed(self, part: Part) -> Kernels | None:
        """The closed form of each kernel; None too if k(x, x) is scaled to 1, which depends on more than a distance."""
        used, w = summed(part)
        blocks = self._blocks(used)
        if blocks.others or blocks.unit:
            return None
        groups = ((place, tuple((float(w[a] / self._sizes[a]), form) for a, form in of)) for place, of in blocks.groups)
        return Kernels(tuple(groups))

    @property
    def codes_rows(self) -> bool:
        return self._frame is not None and bool(self._layout(len(self._frame[0])).coded)

    def boundless(self, part: Part) -> bool | None:
        grow = {boundless(self.listed[a]) for a, _ in chosen(part)}
        return None if None in grow else True in grow and self.normalize != "diagonal"

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        kernels = chosen(part)
        if all(always_one(self.listed[a]) for a, _ in kernels):
            return np.full(len(X), sum(weight / self._sizes[a] for a, weight in kernels))
        total = np.zeros(len(X))
        for rows in _parts(len(X)):
            seen = self._rows(X[rows])
            for a, weight in kernels:
                squares = diagonal(self.listed[a], seen)
                if self.normalize == "diagonal":
                    total[rows] += weight * (squares > 0.0)
                else:
                    total[rows] += weight / (1.0 if self._size is None else self._size[a]) * squares
        return total

    def apply(self, part: Part, data: Data, V: FloatArray) -> FloatArray:
        product = np.zeros_like(V)
        for a, weight in chosen(part):
            product += weight * Dense(data[a]).apply(V)
        return product

    def columns_of(self, data: Data, V: FloatArray) -> FloatArray:
        return images(data, V)

    def values_of(self, data: Data, V: FloatArray) -> FloatArray:
        return forms(data, V)

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
        if self._frame is None or self._further is None or not self._numbered:
            return self
        layout = self._layout(len(self._frame[0]))
        if any(_is_of(kernel, layout.number_spans) for kernel in self.listed):
            return self
        kernels = narrowed(self.listed, layout.numbered)
        return attrs.evolve(self, kernels=kernels, _further=attrs.evolve(self._further, numbered=()))

    def traces(self, data: Data, omega: Gram) -> FloatArray:
        n = data.shape[1]
        total = np.zeros(len(data))
        height = max(_CACHED // n, 1)
        for i in range(0, n, height):
            rows = omega.rows(np.arange(i, min(i + height, n)))
            total += [float(np.vdot(K[i : i + height], rows)) for K in data]
        return total

    def named(self, columns: tuple[str, ...]) -> "Dictionary":
        names = self._layout(len(columns) if self._groups is None else self._groups.numbers).named(columns)
        return attrs.evolve(self, kernels=tuple(called(kernel, names) for kernel in self.listed))

    def describe(self, part: Part) -> str:
        weights = np.bincount(part.atoms[:, 0].astype(int), weights=part.weights, minlength=len(self.listed))
        least = ATOM * weights.sum()
        order = [a for a in np.argsort(-weights, kind="stable") if weights[a] > least]
        words = [f"{told(weights[a])} {label(self.listed[a])}" for a in order[:5]]
        return " + ".join(words) + (" + ..." if len(order) > 5 else "")

    def label(self, atom: FloatArray) -> str:
        return label(self.listed[int(atom[0])])


def _is_of(kernel: Kernel, spans: Sequence[Span]) -> bool:
    """Whether a kernel sees nothing but one of these."""
    numbers = getattr(getattr(kernel, "place", None), "numbers", ())
    return any(numbers == tuple(range(span.start, span.stop)) for span in spans)


def _most(n: int) -> int:
    """The number of features by which a kernel on n rows is held."""
    return min(_FEW, n // 4)


def _parts(n: int) -> list[slice]:
    """The rows 0 to n, so many at a time as are seen at once."""
    return [slice(i, min(i + ROW_BLOCK, n)) for i in range(0, n, ROW_BLOCK)]
