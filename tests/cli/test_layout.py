"""Tables break no word, however narrow the terminal is, and the help shows flags without a type."""

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

import kernelopt as library
from kernelopt.cli import _report
from kernelopt.cli._app import app
from kernelopt.cli._layout import Column, Grid, Row

Call = Callable[..., Any]
COMMANDS = [info.callback.__name__.replace("_", "-") for info in app.registered_commands if info.callback]
WORDS = st.text("abcdef-:_", min_size=1, max_size=14)
CELLS = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)


def printed(grid: Grid, width: int) -> str:
    file = io.StringIO()
    Console(width=width, file=file).print(grid)
    return file.getvalue()


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=4), st.integers(24, 90))
def test_no_word_is_broken_and_none_is_lost(rows: list[tuple[str, str, str]], width: int) -> None:
    columns = (Column("name", names=True), Column("text"), Column("value", number=True))
    shown = printed(Grid(columns, tuple(Row(tuple(map(Text, row))) for row in rows)), width)
    assert all(len(line) <= width for line in shown.splitlines())
    words = re.findall(r"[a-f:_-]+", shown)
    for row in rows:
        for cell in row:
            assert set(cell.split()) <= set(words)


def test_numbers_stay_in_one_line_in_a_grid() -> None:
    columns = (Column("name", names=True), Column("value", number=True))
    grid = Grid(columns, (Row((Text("a few words that may be wrapped"), Text("4.0% ± 1.5%"))),))
    for width in range(30, 60):
        assert "4.0% ± 1.5%" in printed(grid, width)


def test_a_word_longer_than_the_panel_is_parted_and_none_of_it_is_lost(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    code = "pandas.to_numeric(column.str.replace('kilometers','').str.replace(',','.'))"
    solution = library.solve([[0.0], [1.0]], [0, 1], family="dictionary", criterion="svc", max_steps=1)
    _report.show(solution, "data.csv", {"note": code})
    shown = capsys.readouterr().out
    assert "…" not in shown
    assert code in re.sub(r"[│\s]", "", shown)


@pytest.mark.parametrize("width", [80, 60])
def test_the_help_fits_and_its_flags_have_no_type(kernelopt: Call, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setattr("typer.rich_utils.MAX_WIDTH", width)  # typer reads TERMINAL_WIDTH once
    for command in ("", *COMMANDS):
        shown = kernelopt(*([command] if command else []), "--help").stdout
        assert "<bool>" not in shown
        assert "…" not in shown, (command, shown)
        assert max(map(len, shown.splitlines())) <= width, shown


@pytest.mark.parametrize("width", [80, 60])
def test_tables_of_the_commands_break_no_word(
    kernelopt: Call, table: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    learn = ("--target", "kind", "--no-progress", "--tol", 0.05)
    specs = ("dictionary:kernels=rbf|linear", "plain-fw:searches=4+apd", "l2-svc:C=10")
    long = ("--family", specs[0], "--solver", specs[1], "--criterion", specs[2], "--criterion", "svc")
    shown = {
        "plugins": (kernelopt("plugins").stdout, ["lagrangian-svc,", "kernelopt._api._builtin", "usable"]),
        "compare": (kernelopt("compare", table, *learn, *long, "--folds", 2).stdout, [*specs, "wrong", "CONVERGED"]),
        "compatibility": (kernelopt("compatibility").stdout, ["working-set", "hyperkernel", "reweighted"]),
        "solve": (kernelopt("solve", table, *learn, "--family", specs[0]).stdout, ["standard", "accuracy", "boosting"]),
    }
    shown["solve"][1].remove("standard")
    for command, (text, words) in shown.items():
        assert "…" not in text, text
        assert all(len(line) <= width for line in text.splitlines()), command
        for word in words:
            assert word in text, (command, word, text)
