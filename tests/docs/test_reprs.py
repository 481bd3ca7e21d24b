"""What notebooks show of answers can be read to its end on a phone: what is wider than the screen is scrolled."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kernelopt

LONG = tuple(f"a_column_whose_name_is_long_and_has_no_space_{k}" for k in range(6))


@pytest.fixture(scope="module")
def solution() -> kernelopt.Solution:
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 6))
    return kernelopt.solve(X, X[:, 0] > 0, family="dictionary", criterion="svc", max_steps=5).named(LONG)


def shown(solution: kernelopt.Solution, what: str) -> Any:
    if what == "compatibility":
        return kernelopt.compatibility()
    if what == "variance components":
        G = np.eye(30)[:, :20] @ np.eye(20, 30) + np.ones((30, 30))
        return kernelopt.variance_components({LONG[0]: G}, np.arange(30.0))
    return solution if what == "solution" else getattr(solution, what)


@pytest.mark.parametrize(
    "what", ["solution", "certificate", "kernel", "trace", "model", "compatibility", "variance components"]
)
def test_nothing_is_cut_off_on_a_phone(
    solution: kernelopt.Solution, what: str, look: Any, eyes: Any, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><meta charset=utf-8><body>{shown(solution, what)._repr_html_()}", encoding="utf-8")
    eyes.open(page.as_uri(), look.PHONE)
    assert [fault for fault in eyes.run(look.QUESTION)["faults"] if fault.startswith("wider")] == []
    assert eyes.run("[...document.querySelectorAll('table')].every((table) => table.getBoundingClientRect().left >= 0)")
