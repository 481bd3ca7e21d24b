"""kernelopt plot: every picture gets into its file, and what cannot be drawn is refused before the work."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kernelopt as library
from kernelopt.cli import _plot

Call = Callable[..., Any]
QUICK = ("--family", "dictionary:kernels=rbf|linear", "--tol", "0.05", "--no-progress")
MAGIC = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}


@pytest.fixture(autouse=True)
def matplotlib() -> None:
    pytest.importorskip("matplotlib")


@pytest.mark.parametrize(
    "picture", [name for name in _plot._PICTURES if name not in ("regression", *_plot._OF_NEW_ROWS)]
)
def test_every_picture_of_a_classifier_is_drawn(kernelopt: Call, table: Path, tmp_path: Path, picture: str) -> None:
    out = tmp_path / "picture.png"
    options = ("--target", "kind", "--ignore", "place", *QUICK, "--picture", picture)
    shown = kernelopt("plot", table, *options, "--out", out)
    assert shown.exit_code == 0, shown.stderr
    assert shown.stdout == f"{out}\n"
    assert out.read_bytes().startswith(MAGIC[".png"])
    assert out.stat().st_size > 5000


@pytest.mark.parametrize(("picture", "target"), [("calibration", "kind"), ("residuals", "height")])
def test_how_good_predictions_are_is_drawn_over_rows_that_were_not_learned_from(
    kernelopt: Call, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, picture: str, target: str
) -> None:
    drawn = []
    draw = getattr(library.plot, picture)
    monkeypatch.setattr(library.plot, picture, lambda s, X, y, **more: (drawn.append((s, X, y)), draw(s, X, y, **more)))
    options = ("--target", target, "--ignore", "place", "--picture", picture, "--no-progress")
    shown = kernelopt("plot", table, *options, "--out", tmp_path / "a.png")
    assert shown.exit_code == 0, shown.stderr
    assert f"learning from 32 rows; {picture} is drawn over the other 8" in shown.stderr
    ((solution, X, y),) = drawn
    assert (len(solution.support), len(X), len(y)) == (32, 8, 8)
    seen = {tuple(row) for row in solution.support_vectors.tolist()}
    assert not any(tuple(row) in seen for row in solution.kernel.rows(X).tolist())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--target", "kind", "--picture", "residuals"), "--picture: residuals belongs to regression, and this is cl"),
        (
            ("--target", "height", "--picture", "decision"),
            "--picture: decision belongs to classification, and this is regression, which has regression and residuals",
        ),
        (
            ("--target", "kind", "--picture", "regression"),
            "--picture: regression belongs to regression and novelty, and this is classification, which has decision",
        ),
        (("--target", "height", "--picture", "calibration"), "--picture: calibration belongs to classification"),
        (("--target", "kind", "--picture", "calibration", "--family", "tk"), "--picture: calibration is of probabil"),
    ],
)
def test_what_says_nothing_of_what_is_learned_is_refused_before_the_work(
    kernelopt: Call, table: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], message: str
) -> None:
    monkeypatch.setattr(library, "solve", None)
    shown = kernelopt("plot", table, "--ignore", "place", "--out", "a.png", "--no-progress", *options)
    assert shown.exit_code == 2
    assert shown.stderr.startswith(f"error: {message}")


@pytest.mark.parametrize("suffix", MAGIC)
def test_the_suffix_says_the_format(kernelopt: Call, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"surface{suffix}"
    options = ("--criterion", "ridge", "--max-steps", 1, "--picture", "regression", "--column", "bmi", "--json")
    shown = kernelopt("plot", "dataset:diabetes", *QUICK, *options, "--out", out)
    assert shown.exit_code == 0, shown.stderr
    assert json.loads(shown.stdout)["out"] == str(out)
    assert out.read_bytes().startswith(MAGIC[suffix])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--out", "a.png", "--picture", "landscape"), "--picture: got 'landscape', wanted one of overview"),
        (("--out", "a.doc"), "--out: matplotlib writes no .doc"),
        (("--out", "a"), "--out: matplotlib writes no file without a suffix"),
        (("--out", "a.png", "--column", "width"), "--column: overview shows all columns"),
        (("--out", "a.png", "--picture", "decision", "--column", "depth"), "--column: there is no column 'depth'"),
        (("--out", "nowhere/a.png"), "--out: the folder of nowhere/a.png does not exist"),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_the_work(
    kernelopt: Call, table: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], message: str
) -> None:
    monkeypatch.setattr(library, "solve", None)
    shown = kernelopt("plot", table, "--target", "kind", "--ignore", "place", *QUICK, *options)
    assert shown.exit_code == 2
    assert shown.stderr.startswith(f"error: {message}")
    assert shown.stderr.count("\n") == 1


def test_without_matplotlib_one_line_says_how_to_get_it(
    kernelopt: Call, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    shown = kernelopt("plot", table, "--target", "kind", "--ignore", "place", *QUICK, "--out", "a.png")
    assert shown.exit_code == 2
    assert "pip install matplotlib" in shown.stderr


def test_columns_are_drawn_by_name(
    kernelopt: Call, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(library.plot, "decision", lambda s, *_, **options: asked.append((s.kernel.names, options)))
    columns = ("--picture", "decision", "--column", "height", "--column", "width")
    options = ("--target", "kind", "--ignore", "place", *QUICK, *columns, "--out", tmp_path / "a.png")
    assert kernelopt("plot", table, *options).exit_code == 0
    assert asked == [(("width", "height"), {"columns": [1, 0]})]


@pytest.mark.parametrize("picture", ["overview", "weights", "atoms", "directions", "decision"])
def test_a_saved_model_is_drawn(kernelopt: Call, model: Path, tmp_path: Path, picture: str) -> None:
    out = tmp_path / "picture.png"
    shown = kernelopt("plot", model, "--out", out, "--picture", picture, "--json")
    assert shown.exit_code == 0, shown.stderr
    assert json.loads(shown.stdout) == {"model": str(model), "picture": picture, "out": str(out)}
    assert out.read_bytes().startswith(MAGIC[".png"])


@pytest.mark.parametrize("picture", ["features", "directions", "decision"])
def test_a_saved_model_is_drawn_over_rows(
    kernelopt: Call, model: Path, table: Path, tmp_path: Path, picture: str
) -> None:
    options = ("--rows", table, "--target", "kind", "--picture", picture, "--out", tmp_path / "a.png")
    assert kernelopt("plot", model, *options).exit_code == 0
    column = ("--column", "width", "--column", "height") if picture == "decision" else ()
    assert kernelopt("plot", model, *options, *column).exit_code == 0


def test_a_model_is_known_by_what_it_holds_and_not_by_its_suffix(kernelopt: Call, model: Path, tmp_path: Path) -> None:
    other = model.rename(tmp_path / "clouds.bin")
    assert kernelopt("plot", other, "--out", tmp_path / "a.png").exit_code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--picture", "convergence"),
            "a model keeps no trace of its run; pass the solution, or in place of the model the data",
        ),
        (("--picture", "grams"), "a model keeps no centre kernel"),
        (("--picture", "features"), "--picture: features of a model needs rows"),
        (("--picture", "calibration"), "--picture: calibration of a model needs rows"),
        (("--picture", "regression"), "--picture: regression belongs to regression and novelty, and this is classifi"),
        (("--family", "tk"), "--family: MODEL is a model, which is learned already; leave --family out"),
        (("--max-steps", "3"), "--max-steps: MODEL is a model"),
        (("--picture", "decision", "--column", "depth"), "--column: there is no column 'depth'; there are width, hei"),
    ],
)
def test_what_a_model_has_not_is_refused(
    kernelopt: Call, model: Path, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    shown = kernelopt("plot", model, "--out", tmp_path / "a.png", *options)
    assert shown.exit_code == 2
    assert shown.stderr.startswith(f"error: {message.replace('MODEL', str(model))}")
    assert not (tmp_path / "a.png").exists()


def test_rows_belong_to_a_model(kernelopt: Call, table: Path, tmp_path: Path) -> None:
    shown = kernelopt("plot", table, "--target", "kind", "--rows", table, "--out", tmp_path / "a.png")
    assert shown.exit_code == 2
    assert shown.stderr.startswith("error: --rows: is for a saved model only")
