"""What a run over many rows keeps between its passes, so that a run that was killed loses one pass at most."""

import json
import zlib
from pathlib import Path

import attrs
import numpy as np

from kernelopt._api._validate import Request
from kernelopt._api.many_rows._asked import at_hand
from kernelopt._api.many_rows._on_landmarks import Begun
from kernelopt._base._errors import InvalidData, ModelFileError
from kernelopt._evidence.classes._summed_classes import Mode
from kernelopt._families._leaf import Leaf
from kernelopt._families.features._feature_sums import Sums
from kernelopt._io import _container
from kernelopt._io._container import Content
from kernelopt._io._values import decoded, encoded

FORMAT = "kernelopt checkpoint of many rows"


@attrs.frozen(eq=False)
class Kept:
    """What is finished.

    Attributes:
        begun: the kernel.
        sums: over all rows.
        modes: of the outputs, in their order.
    """

    begun: Begun | None = None
    sums: Sums | None = None
    modes: tuple[Mode, ...] = ()


class ManyKeeper:
    """Reads what an earlier run of the same call has finished, and writes what this one finishes.

    Attributes:
        found: what is finished.
    """

    def __init__(self, path: Path | None, request: Request, leaves: tuple[Leaf, ...]) -> None:
        self._path = path
        self._failed: str | None = None
        self._asked = "" if path is None else _asked(request, leaves)
        self.found = Kept() if path is None or not path.exists() else _read(path, self._asked)

    def offer(self, found: Kept) -> None:
        """Take what is finished; what cannot be written stops no run."""
        self.found = found
        if self._path is None:
            return
        try:
            plain, arrays = encoded(found)
            words = {"format": FORMAT, "asked": self._asked, "kept": json.dumps(plain)}
            _container.write(self._path, Content(words, arrays))
        except (ModelFileError, MemoryError) as error:
            self._failed = str(error) or "there is too little memory"

    def mode(self, output: int) -> Mode | None:
        """Where the odds of an output are; None where they are not begun."""
        return self.found.modes[output] if output < len(self.found.modes) else None

    def moved(self, output: int, mode: Mode) -> None:
        """Take where the odds of an output are."""
        self.offer(attrs.evolve(self.found, modes=(*self.found.modes[:output], mode)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know: that the file does not hold what is finished."""
        if self._failed is None:
            return ()
        return (f"checkpoint: {self._failed}; the file lacks the latest progress; save the solution to another file",)


def _asked(request: Request, leaves: tuple[Leaf, ...]) -> str:
    """What tells one call from another: some of the rows, how many there are, and what is asked for."""
    few, rows = at_hand(request), np.array([request.n])
    told = zlib.crc32(b"".join(np.ascontiguousarray(part).tobytes() for part in (few.X, few.encoded, few.weight, rows)))
    families = ", ".join(map(_told, leaves))
    return f"{told:x}, {families}, {request.criterion!r}, seed {request.settings.seed}"


def _told(leaf: Leaf) -> str:
    """A family with its options, as far as a file has words for them."""
    try:
        plain, arrays = encoded(leaf)
    except ModelFileError:
        return leaf.family.name
    told = zlib.crc32(b"".join([json.dumps(plain).encode(), *(array.tobytes() for array in arrays.values())]))
    return f"{leaf.family.name} {told:x}"


def _read(path: Path, asked: str) -> Kept:
    """What a file holds.

    Raises:
        ModelFileError: it is no checkpoint.
        InvalidData: it is of another problem.
    """
    content = _container.read(path)
    if content.words.get("format") != FORMAT or content.words.get("asked") != asked:
        what = "other rows or options" if content.words.get("format") == FORMAT else "fewer rows, or it is none"
        raise InvalidData(f"{path} is the checkpoint of another problem ({what}); remove it, or name another file")
    try:
        return decoded(json.loads(content.words["kept"]), content.arrays, Kept)
    except ModelFileError as error:
        raise ModelFileError(f"{path} {error}") from None
    except Exception as error:  # the classes of plugins refuse what is none of theirs in their own ways
        raise ModelFileError(f"{path} holds no checkpoint that works here: {type(error).__name__}: {error}") from error
