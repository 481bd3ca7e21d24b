"""The best so far on disk, so that a long run survives its machine: arrays only, nothing that can execute."""

import time
from pathlib import Path

import numpy as np

from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import FloatArray
from kernelopt._families._mixture import Mixture, Part
from kernelopt._io import _container
from kernelopt._io._container import Content
from kernelopt._saddle._mixture_checks import fault_of
from kernelopt._saddle._problem import Problem, Response

FORMAT = "kernelopt checkpoint"


def write(path: Path, response: Response) -> None:
    """Write a mixture and its dual variables; a crash in the middle leaves the old file."""
    arrays = {f"alpha{k}": dual.alpha for k, dual in enumerate(response.duals)}
    for k, part in enumerate(response.mixture.parts):
        arrays[f"atoms{k}"], arrays[f"weights{k}"] = part.atoms, part.weights
    _container.write(path, Content({"format": FORMAT}, arrays))


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


class Keeper:
    """Writes the best response every few seconds, and at the end."""

    def __init__(self, path: Path, seconds: float = 10.0) -> None:
        self._path, self._seconds, self._last = path, seconds, time.monotonic()

    def offer(self, response: Response, final: bool = False) -> None:
        """Take the best so far, and write it where that is due, or where it is the last."""
        if final or time.monotonic() - self._last > self._seconds:
            write(self._path, response)
            self._last = time.monotonic()
