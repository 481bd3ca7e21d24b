"""Which reader a data file wants: its suffix says."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from kernelopt.cli import _arrays, _csv
from kernelopt.cli._tables import Table

NAMED = "dataset:"
READERS: Mapping[str, Callable[[Path], Table]] = MappingProxyType(
    {
        ".npz": _arrays.read_npz,
        ".parquet": _arrays.read_parquet,
        ".pq": _arrays.read_parquet,
        ".svm": _arrays.read_svmlight,
        ".svmlight": _arrays.read_svmlight,
        ".libsvm": _arrays.read_svmlight,
    }
)
"""The readers by suffix; every other file is read as CSV."""


def read(source: str) -> Table:
    """The table in a file, or the data set `dataset:name`.

    Raises:
        InvalidData: there is none, or it is broken.
    """
    if source.startswith(NAMED):
        return _arrays.read_named(source.removeprefix(NAMED))
    path = Path(source)
    return READERS.get(path.suffix.lower(), _csv.read)(path)
