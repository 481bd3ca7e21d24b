"""Where results go: files that can be written, none of which the command reads, or writes something else into."""

import os
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from kernelopt._base._errors import InvalidOption
from kernelopt._io._whole_file import try_place
from kernelopt._rows._open import PARQUET
from kernelopt.cli.reading._joined import in_files
from kernelopt.cli.reading._read import NAMED, STDIN


def require_places(
    written: Mapping[str, Path | None],
    read: Mapping[str, str | Path | None],
    *,
    views: Sequence[str] = (),
    streams: Sequence[str] = (),
) -> None:
    """Refuse before the work files that cannot be written, and those that would take the place of another one.

    Args:
        written: the files that results go into, by their options.
        read: what is read, by its options: files, folders, data sets or standard input.
        views: what was typed as views; some may be files, which are read.
        streams: the options whose file may also be a pipe or a terminal.

    Raises:
        InvalidOption: a file cannot be written, or is read by the command, or is written twice.
    """
    require_apart(written, read, views=views)
    for option, path in written.items():
        require_place(option, path, stream=option in streams)


def require_apart(
    written: Mapping[str, Path | None], read: Mapping[str, str | Path | None], *, views: Sequence[str] = ()
) -> None:
    """Refuse files that would take the place of another one; the arguments are those of `require_places`.

    Raises:
        InvalidOption: a file is read by the command, or is written twice.
    """
    places = [(option, path) for option, path in written.items() if path is not None]
    sources = {option: str(source) for option, source in read.items() if source is not None}
    sources |= {f"--view {name}": file for name, file in in_files(views).items()}
    for k, (option, path) in enumerate(places):
        reader = next((other for other, source in sources.items() if _reads(source, path)), None)
        if reader is not None:
            raise InvalidOption(f"{option}: {path} is the file that {reader} reads; give another name")
        writer = next((other for other, before in places[:k] if _one_place(path, before)), None)
        if writer is not None:
            raise InvalidOption(f"{option}: {path} is the file that {writer} writes; give another name")


def require_place(option: str, path: Path | None, *, stream: bool = False) -> None:
    """Refuse a file that cannot be written, before the work: its folder does not exist, or nobody may write there.

    Args:
        option: of the command line.
        path: the file, or None.
        stream: whether it may also be a pipe or a terminal, which are tried when they are written.
    """
    if path is None:
        return
    if str(path) == STDIN:
        raise InvalidOption(
            f"{option}: got '-', wanted the name of a file; only kernelopt predict writes to standard output"
        )
    if not path.resolve().parent.is_dir():
        raise InvalidOption(f"{option}: the folder of {path} does not exist")
    try:
        if not (stream and (path.is_fifo() or path.is_char_device())):
            try_place(path)
    except OSError as error:
        raise InvalidOption(
            f"{option}: {path} cannot be written: {error.strerror}; name a file in a folder where you may write"
        ) from None


def _one_place(path: Path, other: Path) -> bool:
    """Whether two results would be in one file, which need not be there yet."""
    new = _status(path) is None and _place(path) == _place(other)
    return new or _same(path, _status(other))


def _reads(source: str, path: Path) -> bool:
    """Whether what is read is this file, by any name or link; the Parquet files of a folder are read, too."""
    if source.startswith(NAMED):
        return False
    return any(_same(path, status) for status in _read_from(source))


def _read_from(source: str) -> Iterator[os.stat_result | None]:
    """The file that is read; it may be what the shell connects with standard input."""
    if source == STDIN:
        with suppress(OSError, ValueError, AttributeError):  # there may be none, or one that is no file
            yield os.fstat(sys.stdin.fileno())
        return
    yield _status(Path(source))
    with suppress(OSError):
        yield from (_status(file) for file in Path(source).iterdir() if file.suffix.lower() in PARQUET)


def _same(path: Path, other: os.stat_result | None) -> bool:
    """Whether this is a regular file, and the other is the same; pipes and terminals may be read and written."""
    mine = _status(path)
    return mine is not None and other is not None and stat.S_ISREG(mine.st_mode) and os.path.samestat(mine, other)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (OSError, ValueError):
        return None


def _place(path: Path) -> str:
    """Where the file is or will be, behind all links."""
    return os.path.normcase(os.path.realpath(path))
