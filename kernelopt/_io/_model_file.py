"""Models in files."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernelopt._base._errors import ModelFileError, UnknownName
from kernelopt._base._path import as_path
from kernelopt._base._version import __version__
from kernelopt._io._container import Content, read, write
from kernelopt._io._model_checks import check
from kernelopt._io._targets_checks import check_targets
from kernelopt._io._values import decoded, encoded
from kernelopt._model._model import Model
from kernelopt._targets._solution import TargetsSolution

Kept = Model | TargetsSolution
FORMAT, TARGETS = "kernelopt model", "kernelopt targets"
VERSION = "12"
"""Of the formats; `_as_now` reads the earlier ones."""
_READ = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", VERSION)


def save_model(model: Kept, path: Path) -> None:
    """Write a model, or many targets, into a file, after a look whether it can be read again.

    Raises:
        ModelFileError: the file cannot be written, or the model holds what no file can.
    """
    format_ = FORMAT if isinstance(model, Model) else TARGETS
    plain, arrays = encoded(model)
    try:
        _restored(format_, plain, arrays)
    except ModelFileError as error:
        raise ModelFileError(f"the model cannot be saved: its file {error}") from None
    words = {"format": format_, "version": VERSION, "kernelopt": __version__, "model": json.dumps(plain)}
    write(path, Content(words, arrays))


def load(path: str | Path) -> Any:
    """Read a model file that `save` wrote; the model predicts exactly what the saved one did.

    A file holds numbers and words and no code, so files from strangers can be loaded safely. The plugins of the
    model's families must be installed.

    Args:
        path: the file.

    Returns:
        a `Model`, or a `TargetsSolution` where that was saved.

    Raises:
        ModelFileError: the file cannot be read, is not a model file, is incomplete or was changed, was written by a
            later version, or needs a plugin that is not installed.
    """
    path = as_path(path, "load")
    content = read(path)
    words = content.words
    format_ = words.get("format")
    if format_ not in (FORMAT, TARGETS):
        raise ModelFileError(f"{path} is no model, but a {format_!r}")
    if words.get("version") not in _READ:
        raise ModelFileError(
            f"{path} has version {words.get('version')!r} of the format, this kernelopt reads {', '.join(_READ)}: "
            "upgrade it"
        )
    try:
        return _restored(format_, _as_now(json.loads(words["model"]), words["version"]), content.arrays)
    except ModelFileError as error:
        raise ModelFileError(f"{path} {error}") from None
    except UnknownName as error:
        raise ModelFileError(
            f"{path} needs a plugin that is not installed here; install the package that offers it: {error}"
        ) from error
    except Exception as error:  # the classes of plugins refuse what is none of theirs in their own ways
        raise ModelFileError(f"{path} holds no model that works here: {type(error).__name__}: {error}") from error


def load_machine(path: str | Path) -> Model:
    """The model in a file that holds one machine.

    Raises:
        ModelFileError: as `load`, or it holds many targets with weights of their own.
    """
    found = load(path)
    if not isinstance(found, Model):
        raise ModelFileError(
            f"{path} holds many targets with weights of their own, wanted a model of one machine; kernelopt.load reads "
            "it in Python"
        )
    return found


def _restored(format_: str, plain: Any, arrays: Mapping[str, Any]) -> Kept:
    """What these words and arrays say, checked."""
    if format_ == TARGETS:
        return check_targets(decoded(plain, arrays, TargetsSolution))
    return check(decoded(plain, arrays, Model))


def _as_now(plain: Any, version: str) -> Any:
    """The words of a model as this version writes them: version 1 had the names of the columns beside the kernel, and
    neither it nor version 2 knew of odds, which a model need not have; none before 4 knew of a scope, which a posterior
    need not have, none before 5 of codes, without which families see indicators of all categories, none before 6 of
    units, in which a posterior need not be, none before 7 of weights of classes, which a machine need not have,
    none before 8 of a damping of odds and an excess of noise, of which there need not be any, none before 9 of a noise
    of each target, none before 10 of weights of each target and of a noise of each row, none before 11 of dates, of
    marks and of a doubt of few rows, and none before 12 of a spread, which is 1 where there is none.
    """
    if version == "1":
        names = plain.pop("columns", [])
        plain["predictor"]["fields"]["kernel"]["fields"]["names"] = names
    return plain
