"""Where a table is read from, and which reader it wants: its suffix says, or what it begins with."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from kernelopt._base._errors import InvalidData, InvalidOption
from kernelopt._rows._stored import Stored, from_stream, stored
from kernelopt.cli._guard import say
from kernelopt.cli.reading import _arrays, _csv
from kernelopt.cli.reading._tables import Table

NAMED = "dataset:"
FOREIGN: Mapping[str, str] = MappingProxyType(
    {
        ".xlsx": "read_excel",
        ".xls": "read_excel",
        ".ods": "read_excel",
        ".json": "read_json",
        ".jsonl": "read_json, with lines=True,",
        ".ndjson": "read_json, with lines=True,",
        ".feather": "read_feather",
        ".arrow": "read_feather",
        ".dta": "read_stata",
        ".sav": "read_spss",
        ".pkl": "read_pickle",
        ".h5": "read_hdf",
    }
)
"""Tables of other programs by suffix, and the function of pandas that reads them."""
STDIN = "-"
"""What stands for standard input."""
READERS: Mapping[str, Callable[[Stored], Table]] = MappingProxyType(
    {
        ".npz": _arrays.read_npz,
        ".parquet": _arrays.read_parquet,
        ".pq": _arrays.read_parquet,
        ".svm": _arrays.read_svmlight,
        ".svmlight": _arrays.read_svmlight,
        ".libsvm": _arrays.read_svmlight,
    }
)
"""The readers by suffix; every other file is read as CSV."""


def read(source: str) -> Table:
    """The table in a file or a pipe, on standard input (`-`), or the data set `dataset:name`.

    Raises:
        InvalidData: there is none, or it is broken.
    """
    return _arrays.read_named(source.removeprefix(NAMED)) if source.startswith(NAMED) else read_file(found(source))


def called(source: str) -> str:
    """What the user named, in words."""
    return "standard input" if source == STDIN else source


def found(source: str) -> Stored:
    """The file of this name, or a temporary one of what can be read once only.

    Raises:
        InvalidData: there is none, or it cannot be read, or it is a table of another program.
    """
    if source != STDIN:
        return _readable(stored(Path(source)))
    if sys.stdin is None:
        raise InvalidData(
            "standard input is closed, wanted a table there; name a file, or pipe a table into the command"
        )
    if sys.stdin.isatty():
        say("reading a table from standard input; it ends with Ctrl-D")
    return from_stream(sys.stdin.buffer, called(source))


def _readable(file: Stored) -> Stored:
    """The file, unless it is the table of another program."""
    if file.suffix in FOREIGN:
        raise InvalidData(
            f"{file.source}: got a {file.suffix} file, wanted CSV, Parquet, svmlight or npz; "
            f"pandas.{FOREIGN[file.suffix]} reads it, and to_csv writes it as CSV"
        )
    return file


def read_file(file: Stored) -> Table:
    """The table in a file, or in a folder of Parquet files.

    Raises:
        InvalidData: it is broken.
    """
    if file.path.is_dir():
        return _arrays.read_folder(file)
    return READERS.get(file.suffix, _csv.read)(file)


def require_one_stdin(**sources: str | None) -> None:
    """Refuse two tables from standard input, which can be read once only.

    Raises:
        InvalidOption: there are two.
    """
    taken = [name for name, source in sources.items() if source == STDIN]
    if len(taken) > 1:
        raise InvalidOption(
            f"{' and '.join(taken)}: both are '-', and standard input holds one table; write the other into a file"
        )
