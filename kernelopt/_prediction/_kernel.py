"""The learned kernel: a callable on rows of the user's, and what it says of itself."""

from collections.abc import Iterable, Iterator
from typing import Any

import attrs
import numpy as np

from kernelopt._base._caller import warn_caller
from kernelopt._base._errors import InvalidData, InvalidOption, OutsideBounds, Refused
from kernelopt._base._finite import finite_at
from kernelopt._base._memory import explained
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._base.tables._encoding import Encoding
from kernelopt._base.tables._input import check_matrix, names_of_table
from kernelopt._base.tables._tables import table_of
from kernelopt._base.tables._view_layout import Layout
from kernelopt._base.tables._views import as_views
from kernelopt._families._contract import Among
from kernelopt._families._description import names_for, shares_of_groups, weights_of_views
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._leaf import Leaf, center_of
from kernelopt._families._mixture import Mixture, Part
from kernelopt._prediction._kernel_words import KernelWords

_KERNEL = "the learned kernel"


@attrs.frozen(eq=False, repr=False)
class Kernel:
    """A learned kernel: a callable k(Z1, Z2) -> (n1, n2), as scikit-learn's kernel machines accept it.

    Attributes:
        leaves: the families, prepared.
        mixture: their atoms and weights.
        width: the number of columns of X.
        whole: whether the families are those that were learned from, and not only what prediction needs of them.
        names: of the columns, in their order, or none where they are not known.
        encoding: how rows become codes; None where nothing is known but numbers.
        layout: where views lie among the columns; None where X was one matrix or table.
    """

    leaves: tuple[Leaf, ...]
    mixture: Mixture
    width: int
    whole: bool = True
    names: tuple[str, ...] = ()
    encoding: Encoding | None = None
    layout: Layout | None = None

    @property
    def d(self) -> int:
        """The number of columns as the user knows them: without that of groups."""
        return self.width - (self.layout is not None and self.layout.grouped)

    @property
    def own_names(self) -> tuple[str, ...]:
        """Their names, or none where they are not known."""
        return self.names[: self.d]

    def named(self, names: Iterable[str]) -> "Kernel":
        """The same kernel with names for the columns, by which it describes itself.

        Raises:
            InvalidOption: they are not as many as the columns, or rows are sparse.
        """
        self.refuse_sparse("named")
        return attrs.evolve(self, names=(*names_for(names, self.d), *self.names[self.d :]))

    @property
    def sparse(self) -> bool:
        """Whether families see coordinates of rows in the place of single columns, of all columns or of a view's."""
        return self.layout is not None and bool(self.layout.bases)

    def refuse_sparse(self, what: str) -> None:
        """Refuse what is about single columns, where some are sparse: families see coordinates in their place.

        Raises:
            InvalidOption: some are.
        """
        if self.sparse:
            raise InvalidOption(
                f"{what}: the kernel was learned from sparse rows, which are held as coordinates, so that their "
                "columns cannot be told apart; pass dense rows to solve, such as X.toarray(), if they fit into memory"
            )

    def __call__(self, Z1: Any, Z2: Any = None) -> FloatArray:
        """The kernel between rows Z1, shape (n1, d), and rows Z2, shape (n2, d) (default: Z1 again).

        Without Z2 the diagonal has k(z, z) of each row with itself, which is larger than that of two rows with equal
        values where rows lack a view.

        Two single rows of shape (d,) give one value of shape (), as scikit-learn's pairwise kernels ask for it.
        """
        if Z2 is not None and _is_single(Z1) and _is_single(Z2):
            return np.asarray(self([Z1], [Z2])[0, 0])
        first = self.rows(Z1, "Z1")
        second = first if Z2 is None else self.rows(Z2, "Z2")
        self.warn(first)
        if second is not first:
            self.warn(second)
        with explained("a kernel was computed"), np.errstate(over="ignore", invalid="ignore"):  # judged by the values
            values = self.gram(first) if Z2 is None else self.between(first, second)
        finite_at(values.T, second, _KERNEL)
        return finite_at(values, first, _KERNEL)

    def rows(self, Z: Any, name: str = "Z") -> FloatArray:
        """Rows as an array of codes, shape (n, d): numbers themselves, and NaN for a missing value.

        Raises:
            InvalidData: they are no numbers or categories in d columns as in training, or those of a table whose
                columns have other names, or stand in another order.
        """
        if self.encoding is None:
            array = check_matrix(Z, name, self.width)
            self._check_names(names_of_table(Z), name)
            return array
        read = table_of(self.in_one(Z, name), name)
        if read.shape[1] == self.width:
            self._check_names(read.names, name)
        return self.encoding.encode(read, name)

    def training_rows(self, X: Any) -> FloatArray:
        """All rows of training, as they were given, as an array of codes (n, d): in Grams they have their numbers, so
        that the kernel between new rows and them is known.

        Raises:
            InvalidData: as of `rows`.
        """
        views = None if self.layout is None else self.layout.given(X, "X")
        return self.rows(X if views is None else views[np.arange(len(views))], "X")

    def in_one(self, Z: Any, name: str) -> Any:
        """Rows in one table, where they come in views.

        Raises:
            InvalidData: they do, and came in one matrix or table in training, or they are other views than in training.
        """
        views = as_views(Z) if self.layout is None else self.layout.given(Z, name)
        if views is None:
            return Z
        if self.layout is None:
            raise InvalidData(
                f"{name} comes in views ({', '.join(views.names)}), wanted one matrix or table of {self.width} columns "
                "as in training"
            )
        return self.layout.read(views, name)

    def shown(self, rows: FloatArray) -> FloatArray:
        """Rows of training (n, d) as the user passed them: without the number of their group, where that was beside."""
        return rows if self.layout is None else self.layout.shown(rows)

    def refuse_other(self, width: int, names: tuple[str, ...], name: str) -> None:
        """Refuse rows with so many columns of these names, or of none, before they are read.

        Raises:
            InvalidData: they are other columns than those in training.
        """
        if width != self.width:
            raise InvalidData(f"{name} has {width} columns, wanted {self.width} as in training")
        self._check_names(names, name)

    def _check_names(self, names: tuple[str, ...], name: str) -> None:
        for j, (got, wanted) in enumerate(zip(names, self.names, strict=False)):
            if got != wanted:
                raise InvalidData(
                    f"{name} has {got!r} as column {j}, wanted {wanted!r} as in training; select the columns by their "
                    "names, or pass an array"
                )

    def warn(self, Z: FloatArray) -> None:
        """One warning for each leaf that has something to say of these rows."""
        for leaf, part in zip(self.leaves, self.mixture.parts, strict=True):
            message = leaf.family.caution(leaf.view(Z)) if len(part) else None
            if message is not None:
                warn_caller(message, OutsideBounds)

    def between(self, Z: FloatArray, X: FloatArray) -> FloatArray:
        """The kernel between checked rows."""
        total = np.zeros((len(Z), len(X)))
        for leaf, part in zip(self.leaves, self.mixture.parts, strict=True):
            if len(part):
                total += leaf.factor * leaf.family.cross(part, leaf.view(Z), leaf.view(X))
        return total

    def gram(self, X: FloatArray) -> FloatArray:
        """The kernel of checked rows (n, d) with each other and with themselves, without the noise, shape (n, n)."""
        total = self.between(X, X)
        for leaf, part in self._members():
            apart = leaf.family.apart(part, leaf.view(X)) - leaf.family.ridge(part)
            total[np.diag_indices(len(X))] += leaf.factor * apart
        return total

    def among(self, X: FloatArray) -> Among:
        """The kernel between some of the checked rows X (n, d) and others of them, as a function of both."""
        pairs = zip(self.leaves, self.mixture.parts, strict=True)
        members = [(leaf.factor, leaf.family.among(part, leaf.view(X))) for leaf, part in pairs if len(part)]

        def kernel(some: slice | IntArray, others: slice | IntArray) -> FloatArray:
            total = np.zeros((len(X[some]), len(X[others])))
            for factor, one in members:
                total += factor * one(some, others)
            return total

        return kernel

    def diag(self, Z: Any) -> FloatArray:
        """k(z, z) of each row as a new one, shape (n,): the identity on samples has no share in it."""
        return self.squares(self.rows(Z))

    def squares(self, rows: FloatArray) -> FloatArray:
        """k(x, x) of checked rows X (n, d), shape (n,), as for a new row."""
        total = np.zeros(len(rows))
        with np.errstate(over="ignore", invalid="ignore"):  # judged by the values
            for leaf, part in zip(self.leaves, self.mixture.parts, strict=True):
                if len(part):
                    total += leaf.factor * (leaf.family.diag(part, leaf.view(rows)) - leaf.family.ridge(part))
        return finite_at(total, rows, _KERNEL)

    @property
    def explicit(self) -> bool:
        """Whether the kernel has finitely many features: every family with weight has."""
        return all(isinstance(leaf.family, ExplicitFamily) for leaf, _ in self._members())

    def features(self, Z: Any) -> FloatArray:
        """Phi(z) of each row, shape (n, r), with k(x, z) = phi(x)'phi(z); the identity on samples has no share in it.

        Raises:
            Refused: a family with weight has no finite features.
        """
        return self.featured(self.rows(Z))[0]

    def featured(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Phi of checked rows Z (n, d), shape (n, r), and what features leave out of k(z, z), shape (n,).

        Raises:
            Refused: a family with weight has no finite features.
        """
        columns, missing = [np.zeros((len(rows), 0))], np.zeros(len(rows))
        for leaf, part in self._members():
            if not isinstance(leaf.family, ExplicitFamily):
                raise Refused(f"{leaf.family.name} has no finite features; use the kernel itself")
            seen = leaf.view(rows)
            with np.errstate(over="ignore", invalid="ignore"):  # judged by the values
                phi, owner = leaf.family.columns(part.atoms, seen)
                missing += leaf.factor * leaf.family.missing(part, seen, phi)
                columns.append(phi * np.sqrt(leaf.factor * part.weights[owner]))
        return finite_at(np.hstack(columns), rows, _KERNEL), missing

    def _members(self) -> Iterator[tuple[Leaf, Part]]:
        """The families that have weight."""
        pairs = zip(self.leaves, self.mixture.parts, strict=True)
        return ((leaf, part) for leaf, part in pairs if part.mass > 0.0)

    def views(self) -> dict[tuple[int, ...], float]:
        """Which columns matter: the weight of every set of columns that a family sees, the heaviest first.

        The weights of all sets sum to 1. With `scale="unit"` a weight is the share of its kernel in the mean diagonal,
        as long as the kernels are near the centres of their families.
        """
        return weights_of_views(self.leaves, self.mixture)

    def shares(self) -> dict[str, float]:
        """The share of every view that has a name in the kernel: the weight of its kernels, by that of all views.

        Raises:
            InvalidOption: no view has a name.
        """
        found = shares_of_groups(self.leaves, self.mixture)
        if not found and self.layout is not None and not self.layout.single:
            raise InvalidOption(
                "views: the families see single columns or sets of them, which belong to no view by name; name the "
                "kernels of each view with family=kernelopt.by_view(kernels=...), or take kernel.views() for the "
                "weight of each set of columns"
            )
        if not found:
            raise InvalidOption(
                "views: the kernel was learned from one matrix without views; pass X as a list or a mapping of blocks, "
                'or name groups of columns with family=kernelopt.by_view({"left": slice(0, 3), "right": [3, 4]})'
            )
        return found

    def center(self) -> "Kernel":
        """The kernel of the same families before anything was learned: the one that `Solution.baseline` is about.

        Raises:
            Refused: the kernel comes from a model, which keeps only what prediction needs of its families.
        """
        if not self.whole:
            raise Refused(
                "a model keeps only what prediction needs, and not the centre kernel; call center() of the solution"
            )
        return attrs.evolve(self, mixture=center_of(self.leaves))

    def for_gaussian_process(self) -> Any:
        """This kernel as an object of scikit-learn's `gaussian_process.kernels`, with nothing left to tune."""
        from kernelopt._prediction._gaussian_process import GaussianProcessKernel

        return GaussianProcessKernel(self)

    def describe(self) -> str:
        """The mixture in words and numbers, one line for each family that has weight, in their order."""
        return self._words.lines

    def __str__(self) -> str:
        return self._words.short

    def __repr__(self) -> str:
        return f"<learned kernel: {self}>"

    def _repr_html_(self) -> str:
        return self._words.html

    @property
    def picture(self) -> str:
        """Its weights, or P of a matrix family that is alone, as a picture of HTML; "" of a single kernel."""
        return self._words.picture

    @property
    def _words(self) -> KernelWords:
        return KernelWords(self.leaves, self.mixture, self.d, self.width, self.names, self.layout)


def _is_single(Z: Any) -> bool:
    """Whether this is one row, shape (d,), and no views, of which numpy makes no array."""
    return as_views(Z) is None and np.ndim(Z) == 1
