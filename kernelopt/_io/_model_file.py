"""Models in files."""

import json
from pathlib import Path
from typing import Any

from kernelopt._base._errors import ModelFileError
from kernelopt._base._input import as_path
from kernelopt._base._version import __version__
from kernelopt._io._container import Content, read, write
from kernelopt._io._model_checks import check
from kernelopt._io._values import decoded, encoded
from kernelopt._model._model import Model

FORMAT = "kernelopt model"
VERSION = "3"
"""Of the format; `_as_now` reads the earlier ones."""
_READ = ("1", "2", VERSION)


def save_model(model: Model, path: Path) -> None:
    """Write a model into a file, after a look whether it can be read again.

    Raises:
        ModelFileError: the file cannot be written, or the model holds what no file can.
    """
    plain, arrays = encoded(model)
    try:
        check(decoded(plain, arrays, Model))
    except ModelFileError as error:
        raise ModelFileError(f"the model cannot be saved: its file {error}") from None
    words = {"format": FORMAT, "version": VERSION, "kernelopt": __version__, "model": json.dumps(plain)}
    write(path, Content(words, arrays))


def load(path: str | Path) -> Model:
    """Read a model file that `Solution.save` or `Model.save` wrote; the model predicts exactly what the saved one did.

    A file holds numbers and words and no code, so files from strangers can be loaded safely. The plugins of the
    model's families must be installed.

    Args:
        path: the file.

    Raises:
        ModelFileError: the file cannot be read, is not a model file, is incomplete or was changed, was written by a
            later version, or needs a plugin that is not installed.
    """
    path = as_path(path, "load")
    content = read(path)
    words = content.words
    if words.get("format") != FORMAT:
        raise ModelFileError(f"{path} is no model, but a {words.get('format')!r}")
    if words.get("version") not in _READ:
        raise ModelFileError(
            f"{path} has version {words.get('version')!r} of the format, this kernelopt reads {', '.join(_READ)}: "
            "upgrade it"
        )
    try:
        return check(decoded(_as_now(json.loads(words["model"]), words["version"]), content.arrays, Model))
    except ModelFileError as error:
        raise ModelFileError(f"{path} {error}") from None
    except Exception as error:  # the classes of plugins refuse what is none of theirs in their own ways
        raise ModelFileError(f"{path} holds no model that works here: {type(error).__name__}: {error}") from error


def _as_now(plain: Any, version: str) -> Any:
    """The words of a model as this version writes them: version 1 had the names of the columns beside the kernel, and
    neither it nor version 2 knew of odds, which a model need not have.
    """
    if version == "1":
        names = plain.pop("columns", [])
        plain["predictor"]["fields"]["kernel"]["fields"]["names"] = names
    return plain
