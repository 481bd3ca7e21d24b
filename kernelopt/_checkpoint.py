"""The best so far on disk, so that a long run survives its machine: arrays only, nothing that can execute."""

import time
import zipfile
from pathlib import Path

import numpy as np

from kernelopt._errors import InvalidData
from kernelopt._mixture import Mixture, Part
from kernelopt._problem import Problem, Response


def write(path: Path, response: Response) -> None:
    """Write a mixture and its dual variables; a crash in the middle leaves the old file."""
    arrays = {f"alpha{k}": dual.alpha for k, dual in enumerate(response.duals)}
    for k, part in enumerate(response.mixture.parts):
        arrays[f"atoms{k}"], arrays[f"weights{k}"] = part.atoms, part.weights
    temporary = path.with_name(path.name + ".part")
    with temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
    temporary.replace(path)


def read(path: Path, problem: Problem) -> Response:
    """The response in a checkpoint, certified anew on this problem.

    Raises:
        InvalidData: the file is no checkpoint, or is of another problem.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            parts = tuple(Part(file[f"atoms{k}"], file[f"weights{k}"]) for k in range(len(problem.leaves)))
            alphas = tuple(file[f"alpha{k}"] for k in range(len(problem.outputs)))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile, EOFError) as error:
        raise InvalidData(f"{path} is no checkpoint of this problem ({error}): remove it or name another") from None
    fits = all(alpha.shape == (qp.size,) for alpha, qp in zip(alphas, problem.outputs, strict=True))
    if not fits or abs(sum(part.mass for part in parts) - 1.0) > 1e-6:
        raise InvalidData(f"{path} is the checkpoint of another problem; remove it, or name another file")
    return problem.assess(Mixture(parts), alphas)


class Keeper:
    """Writes the best response every few seconds, and at the end."""

    def __init__(self, path: Path, seconds: float = 10.0) -> None:
        self._path, self._seconds, self._last = path, seconds, time.monotonic()

    def offer(self, response: Response, *, final: bool = False) -> None:
        if final or time.monotonic() - self._last > self._seconds:
            write(self._path, response)
            self._last = time.monotonic()
