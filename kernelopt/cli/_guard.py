"""Around every command: an error becomes one line, a warning too, and an interruption says so."""

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import typer

from kernelopt._base._errors import BrokenPlugin, KerneloptError, KerneloptWarning, NotEnoughMemory
from kernelopt._base._interrupts import Gate
from kernelopt._base._memory import explained

MISTAKE = 2
"""The exit code of what the user can put right: the data, an option, a name."""
FAILURE = 1
"""The exit code of what the user cannot: a broken plugin, too little memory."""
INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells expect it."""


@contextmanager
def guarded() -> Iterator[Gate]:
    """Turn every `KerneloptError` into one line on stderr and an exit code; anything else is a bug and stays.

    Ctrl-C is one line as well. A command shuts the gate that it is given around what has an answer to lose.
    """
    gate = Gate()
    try:
        with (
            warnings.catch_warnings(record=True) as caught,
            explained("the command was carried out"),
            gate,
            gate.opened(),
        ):
            gate.heed()
            warnings.simplefilter("always", KerneloptWarning)
            yield gate
    except KerneloptError as error:
        say(f"error: {error}")
        raise typer.Exit(FAILURE if isinstance(error, BrokenPlugin | NotEnoughMemory) else MISTAKE) from None
    except KeyboardInterrupt:
        say("interrupted before there was an answer")
        raise typer.Exit(INTERRUPTED) from None
    finally:
        for text in dict.fromkeys(str(warning.message) for warning in caught):
            say(f"warning: {text}")


def say(text: str) -> None:
    """One line on stderr, whatever line breaks the text holds."""
    sys.stderr.write(" ".join(text.split()) + "\n")


def tell(notes: Iterable[str]) -> None:
    """Notes on stderr, a line for each."""
    for note in notes:
        say(f"note: {note}")
