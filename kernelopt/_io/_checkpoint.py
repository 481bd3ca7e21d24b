"""The best so far on disk, so that a long run survives its machine: arrays only, nothing that can execute."""

import time
from pathlib import Path

from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import FloatArray
from kernelopt._families._mixture import Mixture, Part
from kernelopt._io import _container
from kernelopt._io._container import Content
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
    if content.words.get("format") != FORMAT or not _fits(Mixture(parts), alphas, problem):
        raise InvalidData(f"{path} is the checkpoint of another problem; remove it, or name another file")
    return problem.assess(Mixture(parts), alphas)


def _fits(mixture: Mixture, alphas: tuple[FloatArray, ...], problem: Problem) -> bool:
    """Whether these have the shapes of the problem's dual variables and atoms, and the weights their sum."""
    center = problem.center().parts
    if len(alphas) != len(problem.outputs) or len(mixture.parts) != len(center):
        return False
    atoms = all(
        part.atoms.shape == (len(part), like.atoms.shape[1]) and part.weights.ndim == 1
        for part, like in zip(mixture.parts, center, strict=True)
    )
    total = problem.total
    whole = total is None or abs(mixture.mass - total) <= 1e-6 * total
    return atoms and whole and all(a.shape == (qp.size,) for a, qp in zip(alphas, problem.outputs, strict=True))


class Keeper:
    """Writes the best response every few seconds, and at the end."""

    def __init__(self, path: Path, seconds: float = 10.0) -> None:
        self._path, self._seconds, self._last = path, seconds, time.monotonic()

    def offer(self, response: Response, final: bool = False) -> None:
        """Take the best so far, and write it where that is due, or where it is the last."""
        if final or time.monotonic() - self._last > self._seconds:
            write(self._path, response)
            self._last = time.monotonic()
