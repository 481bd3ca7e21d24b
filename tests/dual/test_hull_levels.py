"""Rows that are many begin with some of them: the answer is the same, whatever walls were wrong on the way."""

from functools import partial

import numpy as np
import pytest

import kernelopt
from kernelopt._families.features import _row_lists
from kernelopt._linalg._gram import Dense
from kernelopt._linalg._tall import Held, Rowwise, Some, Weighed
from kernelopt.dual import _hull_levels, maximise, maximise_by_rows
from kernelopt.dual._hull import Hull
from kernelopt.dual._hull_levels import Round, advanced, begun
from kernelopt.dual._hull_point import central
from kernelopt.dual._hull_system import System
from kernelopt.testing import every_criterion

CRITERIA = every_criterion() | {"hard svc": kernelopt.SVC(C=100.0)}
del CRITERIA["alignment"]  # it needs a ridge
EVERY = pytest.mark.parametrize("name", list(CRITERIA))
WALLED = pytest.mark.parametrize("name", ["svc", "l2-svc", "nu-svc", "svr", "nu-svr", "one-class"])
N, R = 600, 6
OWNER = np.repeat([0, 1, 2], 2)


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch):
    monkeypatch.setattr(_hull_levels, "_PART", 3)
    monkeypatch.setattr(_hull_levels, "_ROWS_A_FEATURE", 20)
    monkeypatch.setattr(_hull_levels, "_MOST", 1.0)


def asked(name, outputs=1, seed=0):
    """Targets that the features tell, but for some noise."""
    rng = np.random.default_rng(seed)
    phi = np.cos(rng.normal(size=(N, 3)) @ rng.normal(size=(3, R)) + rng.uniform(0.0, 6.0, R)) / np.sqrt(R)
    numbers = 3.0 * phi @ rng.normal(size=(R, outputs)) + 0.4 * rng.normal(size=(N, outputs))
    criterion = CRITERIA[name]
    target = {"classification": np.sign(numbers), "regression": numbers}.get(criterion.task, np.ones((N, outputs)))
    return criterion, criterion.outputs(target, rng.uniform(0.5, 1.5, size=(N, outputs))), phi


def objective(stage):
    return stage.hull.objective(stage.alpha, stage.w, stage.image.c)


@EVERY
def test_it_is_the_maximum_over_the_matrix(name):
    criterion, (qp,), phi = asked(name)
    gram = Rowwise((Weighed(Held(phi, 4), np.linspace(0.5, 2.0, R)),))
    primal = partial(criterion.primal, qp, gram)
    whole = maximise(qp, Dense(gram.dense()), primal, accuracy=1e-9)
    dual = maximise_by_rows(qp, gram, primal, accuracy=1e-7)
    assert dual.converged
    assert dual.objective == pytest.approx(whole.objective, rel=2e-7)
    assert qp.violation(dual.alpha) <= 1e-12 * (1.0 + np.abs(dual.alpha).sum())


@WALLED
@pytest.mark.parametrize("outputs", [1, 2])
def test_what_is_held_stays_on_its_wall_and_the_sums_are_those_of_all_rows(name, outputs, monkeypatch):
    _, qps, phi = asked(name, outputs)
    hull = Hull.of(qps, Held(phi, 4), OWNER, 3)
    monkeypatch.setattr(_hull_levels, "_DOUBT", 0.1)
    stage = begun(hull)
    assert isinstance(stage, Round)
    assert stage.note == f"{stage.unknown.sum()} of {hull.qp.size} variables solved for"
    assert 0 < stage.unknown.sum() <= hull.qp.size
    for _ in range(3):
        still = stage.alpha[~stage.unknown]
        assert ((still == hull.qp.lower[~stage.unknown]) | (still == hull.qp.upper[~stage.unknown])).all()
        assert stage.image.c == pytest.approx(hull.sums(stage.alpha), rel=1e-9, abs=1e-9 * np.abs(stage.alpha).sum())
        assert stage.image.f == pytest.approx(hull.forth(hull.spread(stage.w) * stage.image.c))
        after = advanced(stage)
        assert (after.unknown >= stage.unknown).all()
        stage = after


@pytest.mark.parametrize("name", ["svc", "l2-svc", "nu-svc", "svr", "nu-svr"])
def test_a_wall_that_was_wrong_is_left_in_the_next_round(name, monkeypatch):
    _, qps, phi = asked(name)
    hull = Hull.of(qps, Held(phi, 4), OWNER, 3)
    monkeypatch.setattr(_hull_levels, "_DOUBT", 0.02)
    stage = begun(hull)
    assert isinstance(stage, Round)
    first = stage
    for _ in range(4):
        stage = advanced(stage)
    assert stage.unknown.sum() > first.unknown.sum() > 0
    best = objective(_hull_levels._closed(System.at(hull, central(hull)), 1e-7, bool))
    assert objective(stage) == pytest.approx(best, rel=1e-6)
    assert abs(objective(first) - best) > 1e-6 * abs(best)


def test_somebody_who_stops_gets_what_is_there():
    _, qps, phi = asked("svc")
    hull = Hull.of(qps, Held(phi, 4), OWNER, 3)
    stage = begun(hull, lambda: True)
    assert isinstance(stage, Round)
    assert np.isfinite(hull.objective(stage.alpha, stage.w, stage.image.c))


def test_where_most_walls_are_in_doubt_all_variables_are_unknowns(monkeypatch):
    _, qps, phi = asked("svc")
    monkeypatch.setattr(_hull_levels, "_MOST", 0.0)
    assert isinstance(begun(Hull.of(qps, Held(phi, 4), OWNER, 3)), System)


def test_a_sample_that_cannot_fulfil_the_equalities_stands_for_nothing():
    """Of the smaller class there are three rows, which ask for more than their boxes hold where they are missed."""
    y = np.where(np.arange(N) < 3, 1.0, -1.0)[:, None]
    qps = kernelopt.NuSVC(6.0 / N * 0.99).outputs(y, np.ones((N, 1)))
    _, _, phi = asked("svc")
    assert isinstance(begun(Hull.of(qps, Held(phi, 4), OWNER, 3)), System)


def test_some_rows_are_those_of_all():
    phi = np.random.default_rng(0).normal(size=(50, 3))
    rows = np.array([3, 7, 8, 40])
    some = Some(Held(phi, 5), rows)
    assert (some.n, some.width) == (4, 3)
    assert (some.at(slice(1, 3)) == phi[[7, 8]]).all()
    assert (_row_lists.held(some).at(np.arange(4)) == phi[rows]).all()
