"""The name of a file that a user gives."""

import os
from pathlib import Path
from typing import Any

from kernelopt._base._errors import InvalidOption


def as_path(path: Any, what: str) -> Path:
    """The path of a file.

    Raises:
        InvalidOption: it names none.
    """
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise InvalidOption(f"{what}: got {path!r}, wanted the name of a file, such as 'model.kernelopt'")
    return Path(path)
