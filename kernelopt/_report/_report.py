"""The one function of this room: what was learned, as a page of HTML."""

from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidData, MissingLibrary
from kernelopt._base._path import as_path
from kernelopt._base._version import __version__
from kernelopt._base.tables._tables import Table, table_of
from kernelopt._io._whole_file import whole
from kernelopt._model._machines import require_machine
from kernelopt._model._model import Model
from kernelopt._model._solution import Solution
from kernelopt._report._page import Page, Subject
from kernelopt.plot._canvas import pyplot


@attrs.frozen(eq=False, repr=False)
class Report:
    """A page of HTML in a single file: its pictures are part of the file, and it needs neither a network nor a script.

    Attributes:
        html: the text of the page.
        title: the headline of the page.
    """

    html: str
    title: str

    def save(self, path: str | Path) -> None:
        """Write the page into a file that any browser opens; an existing file of this name is replaced.

        Raises:
            InvalidData: the file cannot be written.
            InvalidOption: the path is not the name of a file.
        """
        place = as_path(path, "save")
        try:
            with whole(place) as file:
                file.write(self.html.encode())
        except OSError as error:
            raise InvalidData(f"{place} cannot be written: {error.strerror}") from None

    def __repr__(self) -> str:
        return f"<Report {self.title!r}: {len(self.html) / 1e6:.1f} MB of HTML; save(path) writes it>"

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self.html)}" style="width:100%;height:40em;border:0"></iframe>'


def report(
    machine: Solution | Model,
    X: Any,
    y: Any = None,
    *,
    test: tuple[Any, Any] | None = None,
    title: str = "What was learned",
    target: str = "the target",
    rows: int | None = None,
    seed: int = 0,
) -> Report:
    """Describe what was learned on one page of HTML, for readers who have never heard of kernels.

    The page describes the data, shows the errors on held-out rows beside those of machines of scikit-learn that learned
    from the same rows, says which columns matter, describes the kernel in words, and explains the certificate.

    Args:
        machine: a solution, or a model, whose page has no picture of the run.
        X: the rows that the machine learned from, shape (n, d), or some of them if they are very many.
        y: their targets, shape (n,) or (n, c); None for novelty detection.
        test: a pair of rows and targets from which the machine has not learned, to measure errors with; None: the page
            shows no errors.
        title: the headline.
        target: what the targets are called, with their unit.
        rows: how many rows the machine learned from, if X has only some of them; None: the number of rows of X.
        seed: the seed of the random numbers of the other machines.

    Returns:
        the page; `report(...).save("report.html")` writes it into a file.

    Raises:
        InvalidData: X or the test rows do not fit the machine, or the targets do not fit their rows.
        InvalidOption: `machine` is neither a solution nor a model.
        MissingLibrary: jinja2 or matplotlib is not installed.
    """
    require_machine(machine, "report")
    require_libraries()
    table, targets = _rows(machine, X, y, "X")
    new = None if test is None else _new(machine, test, targets)
    names = table.names or machine.kernel.own_names or tuple(f"x{j}" for j in range(machine.kernel.d))
    page = Page.of(
        Subject(machine, table, targets, names, target, title, new, len(table) if rows is None else rows, seed)
    )
    return Report(_template().render(page=page, version=__version__), title)


def _rows(machine: Solution | Model, X: Any, y: Any, name: str) -> tuple[Table, npt.NDArray[Any] | None]:
    """Rows that fit the machine, and their targets.

    Raises:
        InvalidData: they do not.
    """
    table = table_of(machine.kernel.in_one(X, name), name)
    machine.kernel.rows(table, name)
    if y is None:
        return table, None
    targets = np.asarray(y)
    if len(targets) != len(table):
        raise InvalidData(f"{name}: got {len(table)} rows and {len(targets)} targets, wanted one target for each row")
    return table, targets


def _new(machine: Solution | Model, test: tuple[Any, Any], y: Any) -> tuple[Table, npt.NDArray[Any]]:
    """The rows that were held out, with their targets.

    Raises:
        InvalidData: they do not fit, or there are no targets to compare with.
    """
    table, targets = _rows(machine, *test, "the test rows")
    if targets is None or y is None:
        raise InvalidData("test: got rows without targets, or no y; pass test=(Z, z), and y, or leave test out")
    return table, targets


def require_libraries() -> None:
    """Refuse before any work what could not be written after it.

    Raises:
        MissingLibrary: jinja2 or matplotlib is not installed.
    """
    try:
        import jinja2  # noqa: F401
    except ImportError:
        raise MissingLibrary(
            'reports need jinja2, which is not installed; install it with: python -m pip install "kernelopt[report]"'
        ) from None
    pyplot()


def _template() -> Any:
    """The page with its blanks."""
    from jinja2 import Environment, StrictUndefined

    text = files("kernelopt._report").joinpath("page.html").read_text(encoding="utf-8")
    blanks = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return blanks.from_string(text)
