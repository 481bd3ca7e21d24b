"""Real data by name: scikit-learn's bundled sets, the papers' sets in a folder, and OpenML."""

import difflib
import os
from pathlib import Path

from kernelopt._base._errors import InvalidData
from kernelopt._io._bundled import BUNDLED, DataSet, bundled, load_bundled
from kernelopt._io._folder_sets import load_from_file
from kernelopt._io._openml import OPENML, fetch

__all__ = ["BUNDLED", "DataSet", "bundled", "load", "names"]


def names() -> tuple[str, ...]:
    """The names that `load` knows, sorted: sets of scikit-learn, sets in the folder KERNELOPT_DATA, sets on OpenML."""
    return tuple(sorted({*BUNDLED, *OPENML, *_in_folder()}))


def load(name: str) -> DataSet:
    """Load a data set by its name: from the folder KERNELOPT_DATA, from scikit-learn, or from OpenML, in this order.

    Args:
        name: one of `names()`, or the name of any other data set on OpenML, of which version 1 is taken.

    Raises:
        InvalidData: no source has the data set, there is no network, its columns are text where numbers are wanted, or
            OpenML has another data set under this name.
    """
    if name in _in_folder():
        return load_from_file(Path(os.environ["KERNELOPT_DATA"]) / f"{name}.npz", name)
    return load_bundled(name) if name in BUNDLED else _from_openml(name)


def _in_folder() -> tuple[str, ...]:
    folder = os.environ.get("KERNELOPT_DATA")
    return tuple(sorted(entry.stem for entry in Path(folder).glob("*.npz"))) if folder else ()


def _from_openml(name: str) -> DataSet:
    try:
        X, y, names = fetch(name)
    except InvalidData:
        raise
    except Exception as error:
        raise InvalidData(_not_there(name, error)) from error
    return DataSet(X, y, f"{name} (OpenML)", names=names)


def _not_there(name: str, error: Exception) -> str:
    close = difflib.get_close_matches(name, names(), n=1, cutoff=0.6)
    hint = f"did you mean {close[0]!r}? " if close and close[0] != name else ""
    folder = os.environ.get("KERNELOPT_DATA")
    where = f"the folder KERNELOPT_DATA ({folder}) does not have it" if folder else "KERNELOPT_DATA names no folder"
    return (
        f"no data set {name!r}: {hint}{where}, scikit-learn does not bundle it, and OpenML did not give it ({error}); "
        f"without a network there are {', '.join(sorted({*BUNDLED, *_in_folder()}))}"
    )
