"""Standard output: data are UTF-8 on it whatever the locale says, and what it does not take is one line on stderr."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper

from kernelopt._base._errors import InvalidData


class Output(TextIOWrapper):
    """A stream that remembers why it could not be written, so that nobody takes a full disk for a bug.

    Attributes:
        fault: what the last write that failed said; None where all were done.
    """

    fault: OSError | None = None

    def write(self, text: str) -> int:
        """Write the text; what it raises is remembered."""
        with self._remembering():
            return super().write(text)

    def flush(self) -> None:
        """Write what is held back; what it raises is remembered."""
        with self._remembering():
            super().flush()

    @contextmanager
    def _remembering(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.fault = error
            raise


def put(text: str) -> None:
    """Write data for programs, in UTF-8: a locale that lacks a letter is no reason to lose it."""
    out = sys.stdout
    if not isinstance(out, TextIOWrapper):  # whoever calls the command line from Python may collect text
        out.write(text)
        return
    before = out.encoding
    out.reconfigure(encoding="utf-8")
    try:
        out.write(text)
    finally:
        with suppress(OSError):  # what is held back by now says so again when the command ends
            out.reconfigure(encoding=before)


@contextmanager
def delivered() -> Iterator[None]:
    """Around the command line: letters that the locale lacks are written as codes in what is for people.

    A full disk behind standard output raises one error; a pipe that is closed ends the command, as nobody reads on.

    Raises:
        InvalidData: standard output is closed from the beginning, or does not take what is written.
    """
    if sys.stdout is None:
        raise InvalidData("standard output is closed; connect it with a file, or with /dev/null")
    out = _watched()
    try:
        yield
    except (OSError, SystemExit):
        with suppress(OSError):
            out.flush()
        if out.fault is None:
            raise
        _mute(out)
        if out.fault.errno == errno.EPIPE:
            sys.exit(1)
        raise InvalidData(
            f"standard output cannot be written: {out.fault.strerror}; write it into a file where there is room"
        ) from None


def _watched() -> Output:
    """Standard output from now on."""
    before = sys.stdout
    assert isinstance(before, TextIOWrapper)
    encoding, lines, through = before.encoding, before.line_buffering, before.write_through
    sys.stdout = out = Output(
        before.detach(), encoding, "backslashreplace", line_buffering=lines, write_through=through
    )
    return out


def _mute(out: Output) -> None:
    """Lead what is still to be written into nothing, as Python writes it when it ends, and would complain again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
