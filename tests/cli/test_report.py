"""kernelopt report: one page from a file of data, of rows that were kept apart, and refusals before the work."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kernelopt as library
from kernelopt.cli import _page

Call = Callable[..., Any]
pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")
pytestmark = pytest.mark.usefixtures("rough_pictures")
LINEAR = ("--family", "dictionary:kernels=linear", "--criterion", "evidence", "--no-progress")
QUICK = ("--ignore", "place", *LINEAR)


def test_a_file_becomes_a_page(kernelopt: Call, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    shown = kernelopt("report", table, "--target", "kind", *QUICK, "--out", out, "--title", "Clouds & cats")
    assert shown.exit_code == 0, shown.stderr
    assert shown.stdout == f"{out}\n"
    assert "learning from 32 rows; the other 8 measure how well" in shown.stderr
    html = out.read_text(encoding="utf-8")
    assert "<h1>Clouds &amp; cats</h1>" in html
    assert "A machine learned from 32 rows to tell kind (cat, dog) from 2 columns." in html
    assert "8 rows were kept apart" in html


def test_rows_that_measure_are_not_learned_from(
    kernelopt: Call, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    write = _page.report
    monkeypatch.setattr(
        _page, "report", lambda s, X, y, **more: (asked.append((s, X, more)), write(s, X, y, **more))[1]
    )
    options = ("--target", "kind", *QUICK, "--held-out", 0.3, "--json")
    shown = kernelopt("report", table, *options, "--out", tmp_path / "a.html")
    told = json.loads(shown.stdout)
    assert (told["rows"], told["held_out"], told["out"]) == (28, 12, str(tmp_path / "a.html"))
    ((s, X, more),) = asked
    learned = {tuple(row) for row in s.support_vectors.tolist()}
    assert len(learned) == len(X) == 28
    assert not any(tuple(row) in learned for row in s.kernel.rows(more["test"][0]).tolist())


def test_without_a_target_there_is_a_page_of_novelty(kernelopt: Call, table: Path, tmp_path: Path) -> None:
    options = ("--criterion", "one-class", "--ignore", "kind", "--ignore", "place", "--no-progress")
    shown = kernelopt("report", table, *options, "--out", tmp_path / "a.html")
    assert shown.exit_code == 0, shown.stderr
    assert "nothing is held out" in shown.stderr
    assert "what usual rows are like" in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_too_few_rows_to_hold_any_out_are_all_learned_from(kernelopt: Call, write: Any, tmp_path: Path) -> None:
    data = write("a,y\n1,cat\n2,dog\n3,cow\n4,hen\n")
    shown = kernelopt("report", data, "--target", "y", *LINEAR, "--out", tmp_path / "a.html")
    assert shown.exit_code == 0, shown.stderr
    assert "nothing is held out, so no error is told" in shown.stderr
    assert "nobody knows how well" in (tmp_path / "a.html").read_text(encoding="utf-8")
    asked = kernelopt("report", data, "--target", "y", "--no-progress", "--out", tmp_path / "b.html", "--held-out", 0.5)
    assert asked.exit_code == 2
    assert not (tmp_path / "b.html").exists()


@pytest.mark.parametrize("options", [(), ("--held-out", 0.25)])
def test_a_class_of_one_row_is_learned_from_and_the_errors_are_told(
    kernelopt: Call, table: Path, tmp_path: Path, options: tuple[object, ...]
) -> None:
    text = table.read_text(encoding="utf-8")
    table.write_text(f"{text}1.5,1.5,north,Cat\n", encoding="utf-8")
    asked = ("--target", "kind", *QUICK, *options, "--json", "--out", tmp_path / "a.html")
    shown = kernelopt("report", table, *asked)
    assert shown.exit_code == 0, shown.stderr
    told = json.loads(shown.stdout)
    assert (told["rows"], told["held_out"]) == ((31, 10) if options else (33, 8))
    note = "held out: the class 'Cat' has only one row, which is always learned from"
    assert note in told["notes"]
    html = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "How well it predicts" in html
    assert "the class &#39;Cat&#39; has only one row" in html


def test_a_file_that_is_read_in_blocks_has_a_page(
    kernelopt: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kernelopt.cli.reading._blocks.MANY", 100)
    monkeypatch.setattr("kernelopt.cli._page.MOST_ROWS", 50)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    lines = [f"{a:.4f},{b:.4f},{a + 0.1 * rng.normal():.4f}" for a, b in X]
    (tmp_path / "many.csv").write_text("\n".join(["a,b,y", *lines]) + "\n", encoding="utf-8")
    options = ("--target", "y", *LINEAR, "--json", "--out", tmp_path / "a.html")
    shown = kernelopt("report", tmp_path / "many.csv", *options)
    assert shown.exit_code == 0, shown.stderr
    told = json.loads(shown.stdout)
    assert told["rows"] + told["held_out"] == 300
    assert 30 < told["held_out"] < 90
    html = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert f"A machine learned from {told['rows']} rows to predict y from 2 columns." in html


@pytest.mark.parametrize("library_name", ["jinja2", "matplotlib.pyplot"])
def test_what_cannot_be_written_is_refused_before_the_work(
    kernelopt: Call, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library_name: str
) -> None:
    monkeypatch.setattr(library, "solve", None)
    nowhere = kernelopt("report", table, "--target", "kind", *QUICK, "--out", tmp_path / "no" / "a.html")
    assert nowhere.exit_code == 2
    assert nowhere.stderr.startswith("error: --out: the folder of")
    monkeypatch.setitem(sys.modules, library_name, None)
    shown = kernelopt("report", table, "--target", "kind", *QUICK, "--out", tmp_path / "a.html")
    assert shown.exit_code == 2
    assert "pip install" in shown.stderr
