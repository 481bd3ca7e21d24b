"""`kernelopt plot`: a picture of what was learned, in a file."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from kernelopt import plot
from kernelopt._errors import InvalidData, InvalidOption
from kernelopt._solution import Solution
from kernelopt.cli._rows import Rows
from kernelopt.plot._canvas import pyplot

DPI = 150
_PICTURES: Mapping[str, Callable[[Solution, Rows, Sequence[int] | None], Any]] = MappingProxyType(
    {
        "overview": lambda s, *_: plot.overview(s),
        "convergence": lambda s, *_: plot.convergence(s),
        "weights": lambda s, *_: plot.weights(s),
        "atoms": lambda s, *_: plot.atoms(s),
        "features": lambda s, rows, _: plot.features(s, rows.X),
        "decision": lambda s, rows, columns: plot.decision(
            s, rows.X, rows.y, columns=(0, 1) if columns is None else columns
        ),
        "regression": lambda s, rows, columns: plot.regression(s, rows.X, rows.y, columns=columns),
        "grams": lambda s, rows, _: plot.grams(s, rows.X, rows.y),
    }
)
_WITH_COLUMNS = ("decision", "regression")


def check(picture: str, out: Path, columns: Sequence[str], rows: Rows) -> list[int] | None:
    """Refuse before the work what could not be drawn after it; the numbers of the columns.

    Raises:
        MissingLibrary: matplotlib is not installed.
        InvalidOption: there is no such picture, matplotlib writes no such files, or the columns have no meaning.
    """
    if picture not in _PICTURES:
        raise InvalidOption(f"--picture: got {picture!r}, wanted one of {', '.join(_PICTURES)}")
    plt = pyplot()
    plt.switch_backend("Agg")
    formats = plt.figure().canvas.get_supported_filetypes()
    plt.close()
    if out.suffix.lower().removeprefix(".") not in formats:
        raise InvalidOption(f"--out: matplotlib writes no {out.suffix or 'file without a suffix'}; take .png or .pdf")
    if columns and picture not in _WITH_COLUMNS:
        raise InvalidOption(f"--column: {picture} shows all columns; it belongs to {' and '.join(_WITH_COLUMNS)}")
    unknown = next((name for name in columns if name not in rows.names), None)
    if unknown is not None:
        raise InvalidOption(f"--column: there is no column {unknown!r}; there are {', '.join(rows.names)}")
    return [rows.names.index(name) for name in columns] or None


def draw(picture: str, out: Path, solution: Solution, rows: Rows, columns: Sequence[int] | None) -> None:
    """Draw into the file.

    Raises:
        InvalidData: the file cannot be written.
    """
    plt = pyplot()
    try:
        _PICTURES[picture](solution, rows, columns)
        plt.savefig(out, dpi=DPI)
    except OSError as error:
        raise InvalidData(f"{out} cannot be written: {error.strerror}") from None
    finally:
        plt.close("all")
