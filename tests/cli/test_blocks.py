"""Files of many rows: read in blocks, whatever the format, and measured on the rows of another file."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernelopt._api import _choose
from kernelopt._api.data import _surveyed
from kernelopt._api.many_rows import _begun
from kernelopt.cli import _job
from kernelopt.cli.reading import _blocks

Call = Callable[..., Any]
LEARN = ("--target", "y", "--criterion", "evidence:effort=quick", "--no-progress", "--json")
N = 700


@pytest.fixture
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (_begun, _choose, _surveyed, _blocks):
        monkeypatch.setattr(module, "MANY", 400)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    random = np.random.default_rng(0)
    X = random.normal(size=(N, 3))
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.1 * random.normal(size=N)
    np.savetxt(tmp_path / "rows.csv", np.column_stack([X, y])[:600], delimiter=",", header="a,b,c,y", comments="")
    np.savetxt(tmp_path / "new.csv", np.column_stack([X, y])[600:], delimiter=",", header="a,b,c,y", comments="")
    return tmp_path / "rows.csv"


def in_parquet(file: Path) -> Path:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pandas.read_csv(file).to_parquet(file.with_suffix(".parquet"), row_group_size=100)
    return file.with_suffix(".parquet")


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("parquet", [False, True], ids=["csv", "parquet"])
def test_a_file_of_many_rows_is_read_in_blocks(parquet: bool, kernelopt: Call, file: Path) -> None:
    source, out = in_parquet(file) if parquet else file, file.parent / "out.csv"
    shown = kernelopt("solve", source, *LEARN, "--predict", file.parent / "new.csv", "--out", out)
    assert shown.exit_code == 0, shown.stderr
    found = json.loads(shown.stdout)
    assert f"600 rows of {source} were read in blocks" in " ".join(found["notes"])
    assert found["scores"]["R2 on new rows"] > 0.9
    assert found["scores"]["root mean squared error on new rows"] < 0.3
    assert found["check"]["reason"] is None
    ours, vectors, boosting, mean = found["check"]["machines"]
    assert 90 < found["check"]["held_out"][0] < 150
    assert ours["r2"] > 0.9 > mean["r2"]
    assert vectors["machine"].startswith("SVR")
    assert boosting["r2"] > 0.5
    assert len(out.read_text().splitlines()) == 101


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("kept", [600, 300])
def test_a_folder_of_many_rows_is_read_in_blocks_and_one_of_few_whole(kept: int, kernelopt: Call, file: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    folder = file.parent / "parts"
    folder.mkdir()
    frame = pandas.read_csv(file)[:kept]
    for k in range(2):
        frame[k::2].to_parquet(folder / f"{k}.parquet")
    shown = kernelopt("solve", folder, *LEARN, "--folds", 2)
    if kept == 600:
        assert shown.exit_code == 2
        assert "--folds: the file is read in blocks" in shown.stderr
    else:
        assert shown.exit_code == 0, shown.stderr
        assert len(json.loads(shown.stdout)["check"]["held_out"]) == 2


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize(("values", "task"), [(40, "regression"), (20, "classification"), (1100, "regression")])
def test_all_rows_say_what_is_learned_where_the_first_hold_few_integers(values: int, task: str, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    y = np.sort(np.arange(1200) % values)
    path = tmp_path / "sorted.parquet"
    pandas.DataFrame({"a": np.arange(1200.0), "y": y}).to_parquet(path, row_group_size=12)
    assert _job.read_job(str(path), "y").task == task
    assert _job.read_job(str(path), "y", criterion={"name": "evidence", "targets": "numbers"}).task == "regression"


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize(("more", "blocks"), [((), True), (("--family", "gpk"), False)])
def test_plot_reads_in_blocks_what_solve_does(
    more: tuple[str, ...], blocks: bool, kernelopt: Call, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    seen: list[bool] = []
    read = _job.read_job
    monkeypatch.setattr(_job, "read_job", lambda *a, **k: seen.append((job := read(*a, **k)).blocks is not None) or job)
    options = ("--target", "y", "--no-progress", "--max-steps", 2, "--out", file.with_suffix(".png"))
    shown = kernelopt("plot", file, *options, *more)
    assert shown.exit_code == 0, shown.stderr
    assert seen == [blocks]


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("more", [("--criterion", "ridge"), ("--family", "gpk")])
def test_other_criteria_and_families_read_the_file_whole(more: tuple[str, str], kernelopt: Call, file: Path) -> None:
    shown = kernelopt("solve", file, "--target", "y", *more, "--no-progress", "--no-check", "--json", "--tol", 0.3)
    assert shown.exit_code == 0, shown.stderr
    assert "blocks" not in " ".join(json.loads(shown.stdout)["notes"])


def test_few_rows_are_read_whole(kernelopt: Call, file: Path) -> None:
    shown = kernelopt("solve", file, *LEARN, "--no-check")
    assert shown.exit_code == 0, shown.stderr
    assert "blocks" not in " ".join(json.loads(shown.stdout)["notes"])


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--target", "y", "--folds", "3"), "--folds: the file is read in blocks"),
        (("--target", "y", "--held-out", "0.3"), "--held-out: the file is read in blocks"),
        ((), "--target: name the column to learn"),
        (("--target", "z"), "has no column 'z'"),
    ],
)
def test_what_cannot_be_done_in_blocks_is_refused_before_any_work(
    more: tuple[str, ...], told: str, kernelopt: Call, file: Path
) -> None:
    shown = kernelopt("solve", file, *more)
    assert shown.exit_code == 2
    assert told in shown.stderr.replace("\n", " ")
