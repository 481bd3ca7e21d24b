"""A data set as a value, and those that come with scikit-learn."""

from typing import Any

import attrs
import numpy.typing as npt

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._base.tables._tables import Table, table_of

BUNDLED = ("breast_cancer", "diabetes", "digits", "iris", "wine")
"""The sets that come with scikit-learn; they need neither a folder nor a network."""


@attrs.frozen(eq=False, repr=False)
class DataSet:
    """A data set.

    Attributes:
        X: the rows, shape (n, d).
        y: the targets, shape (n,): labels or numbers.
        title: what the set is called, and where it comes from.
        splits: (training rows, test rows), row numbers, one pair for each split that the source of the set fixes;
            empty if it fixes none. Searches of scikit-learn accept them as `cv=`.
        names: the names of the columns, as `Solution.named` takes them; empty if the source gives none.
    """

    X: FloatArray
    y: npt.NDArray[Any]
    title: str
    splits: tuple[tuple[IntArray, IntArray], ...] = ()
    names: tuple[str, ...] = ()

    @property
    def table(self) -> Table:
        """The rows with the names of the columns, as `solve` takes them."""
        return attrs.evolve(table_of(self.X), names=self.names)

    def __repr__(self) -> str:
        return f"<DataSet {self.title}: X {self.X.shape}, y {self.y.shape}>"


def bundled() -> DataSet:
    """The Wisconsin diagnostic breast cancer data (569 x 30) that comes with scikit-learn; labels are words."""
    return load_bundled("breast_cancer")


def load_bundled(name: str) -> DataSet:
    """One of `BUNDLED`."""
    from sklearn import datasets

    data = getattr(datasets, f"load_{name}")()
    y = data.target_names[data.target] if name in ("breast_cancer", "iris", "wine") else data.target
    title = "Wisconsin breast cancer" if name == "breast_cancer" else name
    n, d = data.data.shape
    names = tuple(map(str, data.feature_names))
    return DataSet(data.data, y, f"{title} ({n} x {d}, bundled with scikit-learn)", names=names)
