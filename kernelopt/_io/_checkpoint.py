"""The best so far on disk, so that a long run survives its machine: arrays only, nothing that can execute."""

import time
from pathlib import Path

import numpy as np

from kernelopt._base._errors import InvalidData, InvalidOption, ModelFileError
from kernelopt._base._path import as_path
from kernelopt._base._typing import FloatArray
from kernelopt._families._mixture import Mixture, Part
from kernelopt._io import _container
from kernelopt._io._container import Content
from kernelopt._io._whole_file import try_place
from kernelopt._saddle._mixture_checks import fault_of
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response

FORMAT = "kernelopt checkpoint"


def write(path: Path, response: Response) -> None:
    """Write a mixture and its dual variables, whole or not at all.

    Raises:
        ModelFileError: the file cannot be written.
    """
    arrays = {f"alpha{k}": dual.alpha for k, dual in enumerate(response.duals)}
    for k, part in enumerate(response.mixture.parts):
        arrays[f"atoms{k}"], arrays[f"weights{k}"] = part.atoms, part.weights
    _container.write(path, Content({"format": FORMAT}, arrays))


def present(path: str | Path | None) -> Path | None:
    """The file to go on from; None where none was named, or it is not there yet."""
    return None if path is None or not Path(path).exists() else Path(path)


def read(path: Path, problem: Problem) -> Response:
    """The response in a checkpoint, certified anew on this problem.

    Raises:
        ModelFileError: the file is no checkpoint.
        InvalidData: it is of another problem.
    """
    content = _container.read(path)
    arrays = content.arrays
    try:
        parts = tuple(Part(arrays[f"atoms{k}"], arrays[f"weights{k}"]) for k in range(len(problem.leaves)))
        alphas = tuple(arrays[f"alpha{k}"] for k in range(len(problem.outputs)))
    except KeyError:
        parts, alphas = (), ()
    fault = "it is none" if content.words.get("format") != FORMAT else _misfit(alphas, problem)
    fault = fault_of(Mixture(parts), problem) if fault is None else fault
    if fault is not None:
        raise InvalidData(f"{path} is the checkpoint of another problem ({fault}); remove it, or name another file")
    return problem.assess(Mixture(parts), alphas)


def _misfit(alphas: tuple[FloatArray, ...], problem: Problem) -> str | None:
    """Why these are no dual variables of the problem; None where they may be."""
    shapes, wanted = [alpha.shape for alpha in alphas], [(qp.size,) for qp in problem.outputs]
    if shapes != wanted:
        return f"its dual variables have the shapes {shapes}, wanted {wanted}"
    if not all(np.isfinite(alpha).all() for alpha in alphas):
        return "its dual variables must be finite numbers"
    return None


class Unkept:
    """Keeps nothing."""

    notes: tuple[str, ...] = ()

    def offer(self, response: Response, final: bool = False) -> None:
        """Take the best so far, and forget it."""


def keeper_for(checkpoint: str | Path | None) -> "Keeper | Unkept":
    """Who keeps the best of a run: the file of this name, or nobody.

    Raises:
        InvalidOption: it names no file, or no file can be written there.
        ModelFileError: a file is there that is no checkpoint; it is said before a run begins, and is left as it is.
    """
    if checkpoint is None:
        return Unkept()
    path = as_path(checkpoint, "checkpoint")
    keeper, kept = Keeper(path), present(path)
    if kept is not None:
        try:
            _container.read(kept)
        except ModelFileError as error:
            raise ModelFileError(f"checkpoint: {error}; remove the file, or name another one") from None
    return keeper


class Keeper:
    """Writes the best response every few seconds, and at the end; what cannot be written stops no run.

    Raises:
        InvalidOption: no file can be written there.
    """

    def __init__(self, path: Path, seconds: float = 10.0) -> None:
        try:
            try_place(path)
        except OSError as error:
            raise InvalidOption(
                f"checkpoint: {path} cannot be written: {error.strerror}; name a file in a folder where you may write"
            ) from None
        self._path, self._seconds, self._last = path, seconds, time.monotonic()
        self._failed: str | None = None

    def offer(self, response: Response, final: bool = False) -> None:
        """Take the best so far, and write it where that is due, or where it is the last."""
        if not final and time.monotonic() - self._last <= self._seconds:
            return
        try:
            write(self._path, response)
        except (ModelFileError, MemoryError) as error:
            self._failed = str(error) or "there is too little memory"
        else:
            self._failed = None
        self._last = time.monotonic()

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know: that the last answer is not in the file."""
        if self._failed is None:
            return ()
        note = (
            f"checkpoint: {self._failed}; the file does not have this solution, and may have an earlier one: save "
            "the solution to another file, or continue from it with start="
        )
        return (note,)
