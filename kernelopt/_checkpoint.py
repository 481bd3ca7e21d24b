"""The best so far on disk, so that a long run survives its machine: arrays only, nothing that can execute."""

import time
from pathlib import Path

from kernelopt._errors import InvalidData
from kernelopt._mixture import Mixture, Part
from kernelopt._problem import Problem, Response

FORMAT = "kernelopt checkpoint"


def write(path: Path, response: Response) -> None:
    """Write a mixture and its dual variables; a crash in the middle leaves the old file."""
    from kernelopt._files import Content
    from kernelopt._files import write as write_file

    arrays = {f"alpha{k}": dual.alpha for k, dual in enumerate(response.duals)}
    for k, part in enumerate(response.mixture.parts):
        arrays[f"atoms{k}"], arrays[f"weights{k}"] = part.atoms, part.weights
    write_file(path, Content({"format": FORMAT}, arrays))


def read(path: Path, problem: Problem) -> Response:
    """The response in a checkpoint, certified anew on this problem.

    Raises:
        ModelFileError: the file is no checkpoint.
        InvalidData: it is of another problem.
    """
    from kernelopt._files import read as read_file

    content = read_file(path)
    arrays = content.arrays
    try:
        parts = tuple(Part(arrays[f"atoms{k}"], arrays[f"weights{k}"]) for k in range(len(problem.leaves)))
        alphas = tuple(arrays[f"alpha{k}"] for k in range(len(problem.outputs)))
    except KeyError:
        parts, alphas = (), ()
    fits = len(alphas) == len(problem.outputs) and all(
        alpha.shape == (qp.size,) for alpha, qp in zip(alphas, problem.outputs, strict=True)
    )
    if content.words.get("format") != FORMAT or not fits or abs(sum(part.mass for part in parts) - 1.0) > 1e-6:
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
