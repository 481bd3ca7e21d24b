"""Searched families in many columns: what adaptation and in-out separation are for."""

import os
from pathlib import Path

import numpy as np
import pytest
from kernelopt_cosine import Cosine
from kernelopt_fw import FrankWolfe
from kernelopt_ipm import InteriorPoint

import kernelopt
from kernelopt._solvers._exchange import Exchange

EXCHANGES = 20
ROWS = 80


def solved(X, y, beta, solver, **options):
    family = [Cosine(beta=beta, rescale=None), kernelopt.Delta()]
    return kernelopt.solve(X, y, family=family, criterion="margin", scale="paper", solver=solver, **options)


def rings():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 5))
    return X, np.where(np.sum(X * X, axis=1) > 4.3, 1, -1)


def asked_once(problem, alphas, anchor, query, near):
    return problem.ceiling(problem.points(alphas), query, near)


def test_frank_wolfe_takes_fewer_exchanges_with_both_than_with_neither(monkeypatch):
    X, y = rings()
    both = solved(X, y, 0.3, FrankWolfe())
    monkeypatch.setattr("kernelopt_fw._fully_corrective.asked", lambda *asked: (asked_once(*asked),))
    monkeypatch.setattr("kernelopt_fw._fully_corrective._FORESEEN", 0.0)
    neither = solved(X, y, 0.3, FrankWolfe(adapt=0))
    assert both.status.converged
    assert neither.status.converged
    assert both.steps <= neither.steps - 3
    assert both.certificate.lower <= neither.certificate.upper


def test_the_exchange_takes_fewer_rounds_with_both_than_with_neither(monkeypatch):
    X, y = rings()
    both = solved(X, y, 0.3, Exchange(InteriorPoint()))
    monkeypatch.setattr("kernelopt._solvers._exchange.in_out", asked_once)
    neither = solved(X, y, 0.3, Exchange(InteriorPoint(), adapt=0))
    assert both.status.converged
    assert exchanges(both) <= exchanges(neither) - 3


def exchanges(solution):
    return sum(record.note.startswith("exchange") for record in solution.trace)


@pytest.mark.skipif("KERNELOPT_DATA" not in os.environ, reason="KERNELOPT_DATA names no folder")
@pytest.mark.parametrize(("name", "beta"), [("banana", 0.03), ("heart", 0.3), ("twonorm", 3.0)])
def test_real_data_close_in_twenty_exchanges(name, beta):
    with np.load(Path(os.environ["KERNELOPT_DATA"]) / f"raetsch_{name}.npz") as data:
        rows = data["train_splits"][0][:ROWS]
        X, y = data["X"][rows], data["y"][rows]
    s = solved(X, y, beta, "fw", max_steps=EXCHANGES)
    assert s.status.converged
    assert s.certificate.relative_gap <= 1e-3
