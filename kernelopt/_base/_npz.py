"""Arrays in an npz file; nothing in it is executed, and whatever is wrong with it is said."""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidData
from kernelopt._base._shown import shown


def arrays(path: Path) -> dict[str, npt.NDArray[Any]]:
    """All arrays of the file by name.

    Raises:
        InvalidData: there is no such file, or it is no npz file of plain arrays.
    """
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except FileNotFoundError:
        raise InvalidData(f"{path}: there is no such file") from None
    except (OSError, ValueError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        raise InvalidData(f"{path} is no npz file of arrays ({error})") from None


def names_of(held: Mapping[str, npt.NDArray[Any]], source: object) -> tuple[str, ...]:
    """The names of the columns of X, from the array `names`; none where there is none.

    Args:
        held: the arrays.
        source: the file, for messages.

    Raises:
        InvalidData: they are not as many as the columns, or two are the same.
    """
    names = tuple(map(str, held.get("names", ())))
    if names and len(names) != held["X"].shape[-1]:
        raise InvalidData(f"{source}: names holds {len(names)} names, X has {held['X'].shape[-1]} columns")
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise InvalidData(f"{source}: names holds {shown(twice[0])} more than once; give each column a name of its own")
    return names
