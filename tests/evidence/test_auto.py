"""What family="auto" lists, and the start from some rows."""

import numpy as np
import pytest

import kernelopt
from kernelopt import Status
from kernelopt._families import _auto


@pytest.mark.parametrize(("n", "d", "wanted"), [(300, 4, 8 + 12), (100, 4, 8), (300, 1, 8)])
def test_columns_are_listed_where_there_are_rows_for_them(n, d, wanted):
    X = np.random.default_rng(0).normal(size=(n, d))
    assert len(kernelopt.Dictionary("auto").prepare(X, np.ones(n)).dictionary()) == wanted


def test_columns_are_listed_where_there_is_memory_for_them(monkeypatch):
    monkeypatch.setattr(_auto, "available_bytes", lambda: 8 * 300 * 300 * 20)
    assert len(_auto.automatic(300, 4)) == 8


def test_units_of_the_columns_do_not_matter(data):
    X, y = data
    first = kernelopt.solve(X, y, family="auto", criterion="evidence", tol=1e-5)
    second = kernelopt.solve(1e3 * X + 7.0, y, family="auto", criterion="evidence", tol=1e-5)
    assert second.objective == pytest.approx(first.objective, abs=1e-3)


def test_it_goes_into_unions_and_other_criteria(data):
    X, y = data
    assert kernelopt.solve(X, y, family=["auto", "delta"], criterion="ridge", tol=1e-2).status.converged
    assert kernelopt.solve(X, y > 2.0, family={"name": "dictionary", "kernels": "auto"}, tol=1e-2).status.converged


def test_some_rows_give_a_start_for_all(rows):
    X, y = rows(400)
    plain = kernelopt.solve(X, y, family="auto", criterion=kernelopt.Evidence(rough=400), tol=1e-4)
    begun = kernelopt.solve(X, y, family="auto", criterion=kernelopt.Evidence(rough=100), tol=1e-4)
    assert begun.status is Status.STATIONARY
    assert begun.trace[0].upper < plain.trace[0].upper
    assert begun.objective == pytest.approx(plain.objective, abs=0.1)
    assert begun.baseline == plain.baseline
