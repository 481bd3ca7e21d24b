"""Numbers of new rows are read with the marks that training rows have, whichever of the rows stand in a file."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kernelopt as library
from kernelopt._base.tables._encoding import Encoding
from kernelopt._rows import _csv
from kernelopt.cli.reading import _blocks

Call = Callable[..., Any]
LINEAR = ("--family", "dictionary:kernels=linear|", "--criterion", "ridge", "--no-progress", "--no-check")
VALUES = np.array([12.345, 850.0, 12345.0, 850000.0, 1850000.0, 7.5, 999.999, 40.125] * 5)
STYLES = {
    ",.": (VALUES * 1000 // 1, lambda text: text.split(".")[0].replace(",", ".")),  # 1.850.000
    ".,": (VALUES * 1000 // 1, lambda text: text.split(".")[0]),  # 1,850,000
    ",. with decimals": (VALUES, lambda text: text.translate(str.maketrans(".,", ",."))),  # 1.850.000,000
    ",": (VALUES, lambda text: text.replace(",", "").replace(".", ",")),  # 1850000,000
}


def written(path: Path, values: Any, style: Any, mark: str = ";", target: bool = True) -> Path:
    """A file of numbers that are written so, and a target that is their logarithm."""
    rows = [[f'"{style(f"{value:,.3f}")}"', *([f"{np.log(value):.5f}"] if target else [])] for value in values]
    header = ["amount", *(["y"] if target else [])]
    path.write_text("\n".join(mark.join(row) for row in [header, *rows]), encoding="utf-8")
    return path


def predicted(kernelopt: Call, *arguments: Any) -> list[str]:
    """The lines of the predictions."""
    shown = kernelopt("predict", *arguments)
    assert shown.exit_code == 0, shown.stderr
    return shown.stdout.splitlines()[1:]


@pytest.mark.parametrize("mark", [";", "\t"])
@pytest.mark.parametrize("how", STYLES)
def test_a_row_has_the_same_prediction_alone_and_among_others(
    kernelopt: Call, tmp_path: Path, how: str, mark: str
) -> None:
    values, style = STYLES[how]
    table, model = written(tmp_path / "table.csv", values, style, mark), tmp_path / "m.kernelopt"
    learned = kernelopt("solve", table, "--target", "y", *LINEAR, "--save", model)
    assert learned.exit_code == 0, learned.stderr
    assert library.load(model).kernel.encoding.marks == ((0, how.split()[0]),)
    wanted = predicted(kernelopt, model, table)
    for i in range(8):
        alone = written(tmp_path / "alone.csv", values[[i]], style, mark, target=False)
        assert predicted(kernelopt, model, alone) == [wanted[i]]
    some = written(tmp_path / "some.csv", values[:2], style, mark, target=False)
    out = tmp_path / "out.csv"
    learned = kernelopt("solve", table, "--target", "y", *LINEAR, "--predict", some, "--out", out)
    assert learned.exit_code == 0, learned.stderr
    assert out.read_text(encoding="utf-8").splitlines()[1:] == wanted[:2]


def test_rows_that_are_written_otherwise_are_read_as_their_file_says_with_a_note(
    kernelopt: Call, tmp_path: Path
) -> None:
    values, style = STYLES[",."]
    model, plain = tmp_path / "m.kernelopt", tmp_path / "plain.csv"
    table = written(tmp_path / "table.csv", values, style)
    assert kernelopt("solve", table, "--target", "y", *LINEAR, "--save", model).exit_code == 0
    plain.write_text("amount\n12345\n850000.00\n", encoding="utf-8")
    shown = kernelopt("predict", model, plain)
    assert shown.stdout.splitlines()[1:] == predicted(kernelopt, model, table)[:2]
    assert "the numbers of 'amount' in" in shown.stderr
    assert "have other marks than those of the training rows" in shown.stderr
    plain.write_text("amount\n12345\n850000\n", encoding="utf-8")
    assert "marks" not in kernelopt("predict", model, plain).stderr


def dear(path: Path, rows: list[str]) -> Path:
    path.write_text("\n".join(["x;price", *rows]), encoding="utf-8")
    return path


@pytest.mark.parametrize("many", [False, True])
def test_targets_of_new_rows_are_read_with_those_marks_too(
    kernelopt: Call, tmp_path: Path, many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The price 812.345 is no 812 where prices such as 1.616.489 were learned."""
    if many:
        monkeypatch.setattr(_blocks, "MANY", 20)
    prices = [f"{800_000 + 30_000 * i:,}".replace(",", ".") for i in range(40)]
    table = dear(tmp_path / "table.csv", [f"{i};{price}" for i, price in enumerate(prices)])
    marked, plain = dear(tmp_path / "marked.csv", ["1;812.345"]), dear(tmp_path / "plain.csv", ["1;812345"])
    model, out = tmp_path / "m.kernelopt", tmp_path / "out.csv"
    asked = (table, "--target", "price", "--criterion", "evidence", "--no-progress", "--no-check", "--save", model)
    learned = kernelopt("solve", *asked, "--predict", marked, "--out", out)
    assert learned.exit_code == 0, learned.stderr
    assert library.load(model).kernel.encoding.target_marks == ",."
    shown = [kernelopt("predict", model, file, "--target", "price") for file in (marked, plain)]
    errors = [re.search(r"root mean squared error: (\S+)", one.stdout + one.stderr) for one in shown]
    assert errors[0] is not None
    assert errors[1] is not None
    assert errors[0][1] == errors[1][1]
    assert float(errors[0][1]) < 50_000.0
    told = re.search(r"root mean squared error on new rows\s+(\S+)", learned.stdout + learned.stderr)
    assert told is not None
    assert told[1] == errors[0][1]
    other = dear(tmp_path / "other.csv", ["1;812345,50"])
    assert "the numbers of 'price' in" in kernelopt("predict", model, other, "--target", "price").stderr


def test_in_the_file_of_a_view_too(kernelopt: Call, tmp_path: Path) -> None:
    values, style = STYLES[",."]
    view = written(tmp_path / "view.csv", values, style, target=False)
    table, model = tmp_path / "table.csv", tmp_path / "m.kernelopt"
    table.write_text("\n".join(["y", *(f"{np.log(value):.5f}" for value in values)]), encoding="utf-8")
    asked = (table, "--view", f"v={view}", "--target", "y", *LINEAR, "--save", model)
    learned = kernelopt("solve", *asked)
    assert learned.exit_code == 0, learned.stderr
    wanted = predicted(kernelopt, model, "--view", f"v={view}")
    written(view, values[:2], style, target=False)
    assert predicted(kernelopt, model, "--view", f"v={view}") == wanted[:2]


@pytest.mark.parametrize("how", STYLES)
def test_blocks_of_rows_have_the_marks_of_all(tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values, style = STYLES[how]
    table = written(tmp_path / "table.csv", values, style)
    monkeypatch.setattr(_csv, "_BYTES", 60)
    blocks = library.row_blocks(table, target="y")
    assert len(blocks.pieces) > 3
    assert Encoding.of(blocks.whole().table, np.ones(len(values))).marks == ((0, how.split()[0]),)
    learned = library.solve(blocks, family=library.Dictionary(["linear"]), max_steps=1)
    assert learned.kernel.encoding.marks == ((0, how.split()[0]),)


def test_a_forged_mark_is_refused(tmp_path: Path, kernelopt: Call) -> None:
    import attrs

    from kernelopt._io._model_checks import check

    values, style = STYLES[",."]
    model = tmp_path / "m.kernelopt"
    table = written(tmp_path / "table.csv", values, style)
    assert kernelopt("solve", table, "--target", "y", *LINEAR, "--save", model).exit_code == 0
    machine = library.load(model)
    for marks in [((0, "x"),), ((1, ","),), ((0, ""),)]:
        kernel = attrs.evolve(machine.kernel, encoding=attrs.evolve(machine.kernel.encoding, marks=marks))
        forged = attrs.evolve(machine, predictor=attrs.evolve(machine.predictor, kernel=kernel))
        with pytest.raises(library.ModelFileError, match="the marks in numbers"):
            check(forged)
    kernel = attrs.evolve(machine.kernel, encoding=attrs.evolve(machine.kernel.encoding, target_marks="x"))
    with pytest.raises(library.ModelFileError, match="the marks in numbers"):
        check(attrs.evolve(machine, predictor=attrs.evolve(machine.predictor, kernel=kernel)))
