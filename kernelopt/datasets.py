"""Real data by name: scikit-learn's bundled sets, the papers' sets in a folder, and OpenML."""

import difflib
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kernelopt._base import _npz
from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import IntArray
from kernelopt._io._bundled import BUNDLED, DataSet, bundled, load_bundled
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
        return _from_folder(Path(os.environ["KERNELOPT_DATA"]) / f"{name}.npz", name)
    return load_bundled(name) if name in BUNDLED else _from_openml(name)


def _in_folder() -> tuple[str, ...]:
    folder = os.environ.get("KERNELOPT_DATA")
    return tuple(sorted(entry.stem for entry in Path(folder).glob("*.npz"))) if folder else ()


def _from_folder(path: Path, name: str) -> DataSet:
    held = _npz.arrays(path)
    if not {"X", "y"} <= held.keys():
        raise InvalidData(f"{path} holds {', '.join(held) or 'nothing'}, a data set holds the arrays X and y")
    return DataSet(held["X"].astype(np.float64), held["y"], name, _splits(held), _npz.names_of(held, path))


def _splits(held: dict[str, npt.NDArray[Any]]) -> tuple[tuple[IntArray, IntArray], ...]:
    """The source's own splits: as row numbers, or as the number of the test fold of each row."""
    if "train_splits" in held:
        return tuple(zip(held["train_splits"], held["test_splits"], strict=True))
    fold = held.get("fold", np.zeros(0))
    return tuple((np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in np.unique(fold))


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
