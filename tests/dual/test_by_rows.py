"""The engine that goes over features in blocks, against the same matrix, and its system against the equations."""

from functools import partial

import numpy as np
import pytest

import kernelopt
from kernelopt._linalg._gram import Dense
from kernelopt._linalg._tall import Held, Rowwise, Weighed
from kernelopt.dual import maximise, maximise_by_rows, method_for
from kernelopt.dual._hull import Hull
from kernelopt.dual._hull_point import central
from kernelopt.dual._hull_step import advance
from kernelopt.dual._hull_system import System
from kernelopt.testing import every_criterion, two_classes

CRITERIA = every_criterion() | {"hard svc": kernelopt.SVC(C=100.0)}
del CRITERIA["alignment"]  # it needs a ridge
EVERY = pytest.mark.parametrize("name", list(CRITERIA))
N, R = 90, 14
OWNER = np.repeat([0, 1, 2], [5, 6, 3])
MU = 0.03


def asked(name, outputs=1, seed=0):
    rng = np.random.default_rng(seed)
    X, y = two_classes(rng, N, 3)
    criterion = CRITERIA[name]
    sides = np.hstack([y, *(np.where(rng.random((N, 1)) < 0.7, y, -y) for _ in range(outputs - 1))])
    numbers = np.sin(X[:, :1]) + 0.2 * rng.normal(size=(N, outputs))
    target = {"classification": sides, "regression": numbers}.get(criterion.task, np.ones((N, outputs)))
    qps = criterion.outputs(target, rng.uniform(0.5, 1.5, size=(N, outputs)))
    return criterion, qps, np.cos(X @ rng.normal(size=(3, R)) + rng.uniform(0.0, 6.0, R)) / np.sqrt(R)


@EVERY
def test_it_is_the_maximum_over_the_matrix(name):
    criterion, (qp,), phi = asked(name)
    gram = Rowwise((Weighed(Held(phi, 4), np.linspace(0.5, 2.0, R)),))
    assert method_for(gram) is maximise_by_rows
    primal = partial(criterion.primal, qp, gram)
    whole = maximise(qp, Dense(gram.dense()), primal, accuracy=1e-9)
    dual = maximise_by_rows(qp, gram, primal, accuracy=1e-7)
    assert dual.converged
    assert dual.objective == pytest.approx(whole.objective, rel=2e-7)
    assert dual.upper == pytest.approx(whole.upper, rel=2e-7)
    assert qp.violation(dual.alpha) <= 1e-12 * (1.0 + np.abs(dual.alpha).sum())


@EVERY
@pytest.mark.parametrize("outputs", [1, 2])
def test_the_direction_solves_the_linearised_equations(name, outputs):
    """Of all unknowns, with every Gram formed: nothing is shared with the elimination but the point."""
    _, qps, phi = asked(name, outputs)
    hull = Hull.of(qps, Held(phi, 4), OWNER, 3)
    system = advance(advance(System.at(hull, central(hull))))
    p, d, qp = system.point, system.direction(MU, system.none()), hull.qp
    cost = qps[0].bias_cost
    kernels = [phi[:, a == OWNER] @ phi[:, a == OWNER].T for a in range(3)]
    K = sum(w * one for w, one in zip(p.w, kernels, strict=True)) + cost
    v, dv = (qp.embed(one).reshape(outputs, -1) for one in (p.alpha, d.alpha))
    f, df = v @ K, dv @ K + sum(dw * (v @ one) for dw, one in zip(d.w, kernels, strict=True))
    A = np.array([np.where(qp.group == g, qp.coefficient, 0.0) for g in range(len(qp.target))]).reshape(-1, qp.size)
    slope = qp.gradient(p.alpha + d.alpha) - qp.sign * (f + df).ravel()[qp.sample] - (p.b + d.b) @ A
    size = np.abs(qp.gradient(p.alpha)).max() + np.abs(f).max()
    assert np.abs(slope + p.z + d.z - p.u - d.u).max() <= 1e-8 * size
    assert A @ (p.alpha + d.alpha) == pytest.approx(qp.target, abs=1e-9 * (1.0 + np.abs(p.alpha).sum()))
    assert (p.w + d.w).sum() == pytest.approx(1.0)
    half = [0.5 * np.sum((v @ one) * v) + np.sum((v @ one) * dv) for one in kernels]
    assert pytest.approx(p.tau + d.tau - np.array(half), rel=1e-7, abs=1e-7 * abs(p.tau)) == p.Z + d.Z
    assert p.w * p.Z + d.w * p.Z + p.w * d.Z == pytest.approx(np.full(3, MU))
    for bound, slack, move, change in ((qp.lower, p.z, d.z, d.alpha), (qp.upper, p.u, d.u, -d.alpha)):
        there = np.isfinite(bound)
        room = np.abs(p.alpha - bound)
        products = room[there] * (slack + move)[there] + slack[there] * change[there]
        assert products == pytest.approx(np.full(there.sum(), MU), rel=1e-6)
    assert d.c == pytest.approx(dv @ np.column_stack([phi, np.full((N, 1 if cost else 0), np.sqrt(cost))]), abs=1e-8)


@EVERY
def test_steps_close_the_gap_of_the_saddle(name):
    _, qps, phi = asked(name)
    system = System.at(*(lambda hull: (hull, central(hull)))(Hull.of(qps, Held(phi, 3), OWNER, 3)))
    first = system.point.complementarity(system.hull.qp)
    for _ in range(25):
        system = advance(system)
        if system.point.complementarity(system.hull.qp) < 1e-6 * first:
            return
    pytest.fail(f"{system.point.complementarity(system.hull.qp)} is left of {first}")
