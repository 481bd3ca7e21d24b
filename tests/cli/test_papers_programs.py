"""What tables of the papers measure that is no solve, and the pictures of their figures."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.svm import SVC

import kernelopt as library
from kernelopt._base._errors import InvalidOption
from kernelopt.cli.papers import _made, _programs, _reading

Call = Callable[..., Any]
FIGURE = """
title = "Figure 0: flowers"
source = "nobody"
reading = "nothing is misprinted"
show = ["gap", "error"]

[protocol]
splits = 1
test = 0.0

[axis]
option = "max_steps"
title = "steps"
values = [1, 20]

[[methods]]
name = "list"
family = { name = "dictionary", kernels = ["linear", "rbf"] }
criterion = "svc"

[[sets]]
name = "Iris"
data = "iris"
plus = ["versicolor"]
minus = ["virginica"]
paper.list.gap = [0.5, nan]
"""
OPTIONS: dict[str, Any] = {"family": "tk", "scale": "auto", "solver": "auto", "tol": 1e-3, "seed": 3}


@pytest.fixture
def figure(monkeypatch: pytest.MonkeyPatch) -> None:
    """A figure of two places, of a set that is bundled."""
    monkeypatch.setattr(_reading, "names", lambda: ("figure",))
    monkeypatch.setattr(_reading, "load", lambda key: _reading.table_of(key, FIGURE))


def rows() -> tuple[Any, Any]:
    made = _made.made("made:spiral-20")
    return made.X, made.y


def test_the_distance_to_the_ideal_kernel_is_that_of_the_nearest_kernel(kernelopt: Call, tmp_path: Path) -> None:
    sdp = pytest.importorskip("kernelopt_sdp")
    options = ("--methods", "GPK, (21)", "--out", tmp_path / "f", "--no-progress", "--json", "--quick")
    lines = json.loads(kernelopt("reproduce", "002-f2", *options).stdout)["lines"]
    X, y = rows()
    for line in lines[:2]:
        family = {"name": "gpk", "degree": line["place"]}
        told = line["splits"][0]
        assert told["distance"] == pytest.approx(
            sdp.nearest_kernel(np.outer(y, y), X, family=family, norm="max").distance
        )
        assert told["gap"] < 1e-3
    assert lines[0]["splits"][0]["distance"] >= lines[1]["splits"][0]["distance"] - 1e-6


def test_libsvm_is_counted_with_the_kernel_of_a_random_p_and_of_the_learned_one() -> None:
    X, y = rows()
    learned = library.solve(X, y, criterion={"name": "svc", "C": 10.0}, **OPTIONS)
    steps = SVC(kernel="precomputed", C=10.0).fit(learned.kernel(X), y).n_iter_.sum()
    for rank in (1, 3):
        assert _programs.libsvm((X, y), OPTIONS, rank, 10.0, learned=True) == {"iterations": steps}
    kernel = _programs._at_random(learned.kernel, 2, 5)
    (part,) = kernel.mixture.parts
    assert part.mass == pytest.approx(1.0)
    assert np.linalg.matrix_rank(_matrix(kernel, part), tol=1e-9) == 2
    with pytest.raises(InvalidOption, match="gaussian has no matrix P"):
        _programs.libsvm((X, y), {**OPTIONS, "family": "gaussian"}, 1)


def _matrix(kernel: Any, part: Any) -> Any:
    return kernel.leaves[0].family.matrix(part)


def test_gaussians_are_as_many_as_the_matrix_has_entries() -> None:
    family = _made.made_family({"name": "gaussians-of-widths", "degree": 1}, 2)
    assert len(family.listed) == 21
    assert _made.made_family("tk", 2) == "tk"
    with pytest.raises(InvalidOption, match="'made:helix' is not made here"):
        _made.made("made:helix")


def test_a_figure_is_drawn_with_what_was_measured_and_what_the_paper_prints(
    kernelopt: Call, figure: None, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    shown = kernelopt("reproduce", "figure", "--out", tmp_path / "f", "--no-progress", "--picture", tmp_path / "f.svg")
    assert shown.exit_code == 0, shown.stderr
    drawn = (tmp_path / "f.svg").read_text(encoding="utf-8")
    for words in ("Iris", "steps", "gap", "list, paper"):
        assert f"<!-- {words} -->" in drawn
    assert "f.svg" in shown.stderr


def test_a_picture_that_cannot_be_drawn_is_refused_before_anything_is_measured(kernelopt: Call, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for table, name, message in (("003-3", "f.svg", "no axis along which"), ("004-f1", "f.odd", "writes no .odd")):
        shown = kernelopt("reproduce", table, "--out", tmp_path / "f", "--picture", tmp_path / name)
        assert shown.exit_code == 2
        assert message in shown.stderr
        assert not (tmp_path / "f").exists()
