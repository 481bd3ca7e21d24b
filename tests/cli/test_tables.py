"""The command line reads what pandas reads: one file, one problem."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kernelopt as library

Call = Callable[..., Any]
N = 40


def frame() -> pd.DataFrame:
    random = np.random.default_rng(2)
    colour = random.choice(["red", "blue", "green"], N)
    table = pd.DataFrame(
        {
            "colour": np.where(random.random(N) < 0.1, None, colour),
            "size": np.where(random.random(N) < 0.2, np.nan, random.normal(size=N).round(3)),
            "old": random.random(N) < 0.5,
        }
    )
    return table.assign(kind=np.where((colour == "red") | (table["size"] > 0.5), "in", "out"))


def decisions(text: str) -> list[float]:
    return [float(row["decision_function"]) for row in csv.DictReader(io.StringIO(text))]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_file_is_the_table_that_pandas_reads(kernelopt: Call, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"data.{suffix}"
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
        frame().to_parquet(path)
        read = pd.read_parquet(path)
    else:
        frame().to_csv(path, index=False)
        read = pd.read_csv(path)
    model, out = tmp_path / "model", tmp_path / "out.csv"
    options = ("--target", "kind", "--family", "gaussian", "--criterion", "svc", "--no-progress")
    shown = kernelopt("solve", path, *options, "--no-check", "--predict", path, "--out", out, "--save", model)
    assert shown.exit_code == 0, shown.output
    assert "categories in column 'colour' (3)" in " ".join(shown.output.replace("│", " ").split())
    X = read.drop(columns="kind")
    wanted = library.solve(X, read["kind"], family="gaussian", criterion="svc").decision_function(X)
    assert decisions(out.read_text()) == wanted.tolist()
    again = kernelopt("predict", model, path)
    assert again.exit_code == 0, again.output
    assert decisions(again.stdout) == wanted.tolist()


def test_a_file_to_predict_is_read_as_the_training_rows_were(kernelopt: Call, write: Callable[..., Path]) -> None:
    """A column of words, of which the new rows have those alone that look like numbers."""
    text = "\n".join(
        ["floor,x,kind", *(f"{f},{k % 7},{'low' if f == '1' else 'high'}" for k in range(10) for f in "123G")]
    )
    data, model = write(text, "data.csv"), write("", "model")
    options = ("--target", "kind", "--family", "gaussian", "--criterion", "svc:C=100", "--no-progress")
    assert kernelopt("solve", data, *options, "--no-check", "--save", model).exit_code == 0
    shown = kernelopt("predict", model, write("x,floor\n1,1\n2,2\n", "new.csv"))
    assert shown.exit_code == 0, shown.output
    assert [line.split(",")[0] for line in shown.stdout.splitlines()[1:]] == ["low", "high"]


def test_pictures_of_tables(kernelopt: Call, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "data.csv"
    frame().assign(weight=np.arange(N)).to_csv(path, index=False)
    options = ("--target", "kind", "--family", "gaussian", "--criterion", "svc", "--no-progress")
    for picture in ("decision", "directions", "features"):
        shown = kernelopt("plot", path, *options, "--picture", picture, "--out", tmp_path / f"{picture}.png")
        assert shown.exit_code == 0, shown.output
    shown = kernelopt(
        "plot",
        path,
        *options,
        "--picture",
        "decision",
        "--column",
        "colour",
        "--column",
        "size",
        "--out",
        tmp_path / "p.png",
    )
    assert shown.exit_code == 2
    assert "colour holds categories" in shown.output
