"""The file of what was measured: a line of JSON for each solve, only ever appended to, so that a run can go on.

A line that was cut off when its process was killed is no line: what it would have told is measured again.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from kernelopt._base._errors import InvalidOption

Line = Mapping[str, Any]


def digest(settings: Any) -> str:
    """A name for settings: with others, what was measured does not count."""
    text = json.dumps(settings, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@attrs.frozen(eq=False)
class Ledger:
    """What is in the file, and what is appended to it.

    Attributes:
        path: the file.
        held: the lines by what they are of: the name of the settings, what was done, and the number of the split.
    """

    path: Path
    held: dict[tuple[str, str, int], Line]

    @classmethod
    def at(cls, path: Path) -> "Ledger":
        """The file's lines; a file that is not there has none, and is begun.

        Raises:
            InvalidOption: it cannot be read or written, or it is another kind of file.
        """
        try:
            path.open("ab").close()
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise InvalidOption(f"--out: {path} cannot be written ({error.strerror}); name another file") from None
        lines = list(_lines(text))
        if text.strip() and not lines:
            raise InvalidOption(f"--out: {path} holds no results of this command; name another file")
        return cls(path, {_key(line): line for line in lines})

    def find(self, settings: str, kind: str, split: int) -> Line | None:
        """The line of this solve, or None."""
        return self.held.get((settings, kind, split))

    def append(self, line: Line) -> None:
        """Write a line, at once and whole.

        Raises:
            InvalidOption: the disk is full, or the file cannot be written any more.
        """
        try:
            with self.path.open("ab+") as file:
                begun = file.tell() > 0 and _last(file) != b"\n"
                file.write((b"\n" if begun else b"") + json.dumps(line).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise InvalidOption(f"--out: {self.path} cannot be written ({error.strerror})") from None
        self.held[_key(line)] = line


def _last(file: Any) -> bytes:
    file.seek(-1, os.SEEK_END)
    byte: bytes = file.read(1)
    return byte


def _lines(text: str) -> Iterator[Line]:
    for written in text.splitlines():
        try:
            line = json.loads(written)
        except json.JSONDecodeError:
            continue
        if isinstance(line, dict) and {"settings", "kind", "split"} <= line.keys():
            yield line


def _key(line: Line) -> tuple[str, str, int]:
    return line["settings"], line["kind"], line["split"]
