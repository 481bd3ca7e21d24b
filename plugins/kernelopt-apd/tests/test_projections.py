"""Nearest points: against the definition of a projection, brute force, and the reference values."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st
from kernelopt_apd._dual_set import DualSet
from kernelopt_apd._parameter_sets import nearest_parameters, nearest_weights

import kernelopt
from kernelopt.interior._saddle import side_by_side

FOLDER = os.environ.get("KERNELOPT_REFERENCE")


def records():
    if not FOLDER:
        return []
    found = json.loads((Path(FOLDER) / "reference.json").read_text())
    return [record for record in found if record["id"].startswith("P/")]


def waves(size, scale):
    """(A + A') scale / 2, A_ij = sin(1 + 3i + 7j)."""
    i, j = np.indices((size, size))
    A = np.sin(1.0 + 3.0 * i + 7.0 * j)
    return scale / 2.0 * (A + A.T)


@pytest.mark.skipif(not FOLDER, reason="KERNELOPT_REFERENCE is not set")
@pytest.mark.parametrize("record", records(), ids=lambda record: record["id"])
def test_distance_to_the_spectraplex(record):
    parameters = record["parameters"]
    S = waves(parameters["Q"], float(record["id"].rpartition("=")[2]))
    (P,) = nearest_parameters((S,), parameters["trace"])
    assert np.sum((S - P) ** 2) == pytest.approx(record["value"], rel=1e-8)


def kernels(rng, sizes, lists, total):
    """Random parameters in the set, of matrices (q, q) and lists (m,)."""
    halves = [rng.normal(size=(q, rng.integers(1, q + 1))) for q in sizes]
    S = [half @ half.T for half in halves] + [rng.exponential(size=m) for m in lists]
    mass = sum(float(np.trace(s)) if s.ndim == 2 else float(s.sum()) for s in S)
    return tuple(s * (total / mass if total is not None else 1.0) for s in S)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**31),
    total=st.sampled_from([1.0, 0.3, 7.0, None]),
    size=st.sampled_from([1e-3, 1.0, 1e3, 1e20]),
)
def test_nearest_parameters_obey_the_law_of_a_projection(seed, total, size):
    """It is in the set, and the way to it makes no acute angle with the way on to any other point of the set."""
    rng = np.random.default_rng(seed)
    sizes, lists = rng.integers(1, 6, size=2), rng.integers(1, 6, size=1)
    start = tuple(size * (A + A.T) for A in (rng.normal(size=(q, q)) for q in sizes))
    start += tuple(size * rng.normal(size=m) for m in lists)
    size += 1.0
    nearest = nearest_parameters(start, total)
    mass = sum(float(np.trace(s)) if s.ndim == 2 else float(s.sum()) for s in nearest)
    assert min(np.linalg.eigvalsh(s).min() if s.ndim == 2 else s.min() for s in nearest) >= -1e-12 * size
    assert total is None or mass == pytest.approx(total, rel=1e-9)
    for _ in range(5):
        other = kernels(rng, sizes, lists, total)
        angle = sum(float(np.vdot(a - p, b - p)) for a, p, b in zip(start, nearest, other, strict=True))
        assert angle <= 1e-9 * size**2


def test_a_point_of_the_set_is_its_own_nearest():
    w = np.array([0.2, 0.0, 0.8])
    assert nearest_weights(w, 1.0) == pytest.approx(w, abs=1e-15)
    S = kernels(np.random.default_rng(0), (3, 4), (5,), 2.0)
    for p, s in zip(nearest_parameters(S, 2.0), S, strict=True):
        assert p == pytest.approx(s, abs=1e-13)


def dual_sets():
    rng = np.random.default_rng(5)
    y = np.where(np.arange(9)[:, None] % 2 == 0, 1.0, -1.0)
    values, weight = rng.normal(size=(9, 1)), rng.uniform(0.5, 2.0, size=(9, 1))
    for criterion in (
        kernelopt.SVC(C=0.7),
        kernelopt.L2SVC(),
        kernelopt.LagrangianSVC(),
        kernelopt.NuSVC(nu=0.5),
        kernelopt.Margin(C=0.4),
        kernelopt.Margin(),
        kernelopt.OneClass(nu=0.3),
    ):
        yield criterion.name, criterion.outputs(y, weight)
    for criterion in (kernelopt.SVR(C=0.7), kernelopt.NuSVR(nu=0.6), kernelopt.Ridge()):
        yield criterion.name, criterion.outputs(values, weight)
    yield "three outputs", kernelopt.SVC().outputs(np.hstack([y, -y, y]), np.hstack([weight] * 3))


SETS = [pytest.param(outputs, id=f"{k} {name}") for k, (name, outputs) in enumerate(dual_sets())]


@pytest.mark.parametrize("outputs", SETS)
@pytest.mark.parametrize("spread", [1e-3, 1.0, 1e3])
def test_nearest_dual_point_is_feasible_and_no_feasible_step_leads_nearer(outputs, spread):
    """The gradient at it is best met by itself: a linear program over the set finds nothing lower."""
    qp = side_by_side(outputs)
    rng = np.random.default_rng(int(10 * spread) + qp.size)
    z, weight = spread * rng.normal(size=qp.size), rng.uniform(0.3, 3.0, size=qp.size)
    alpha = DualSet.of(qp).nearest(z, weight)
    assert qp.violation(alpha) <= 1e-12 * (1.0 + np.abs(z).sum())
    slope = weight * (alpha - z)
    rows = (
        np.stack([np.where(qp.group == g, qp.coefficient, 0.0) for g in range(len(qp.target))])
        if len(qp.target)
        else None
    )
    reach = 10.0 * (1.0 + np.abs(z).max())
    bounds = list(zip(np.maximum(qp.lower, -reach), np.minimum(qp.upper, reach), strict=True))
    best = scipy.optimize.linprog(slope, A_eq=rows, b_eq=None if rows is None else qp.target, bounds=bounds)
    assert best.status == 0
    assert float(slope @ alpha) <= best.fun + 1e-8 * (1.0 + np.abs(slope) @ np.abs(alpha))


def test_a_dual_set_of_one_point():
    (qp,) = kernelopt.OneClass(nu=1.0).outputs(np.ones((4, 1)), np.ones((4, 1)))
    assert DualSet.of(qp).nearest(np.array([3.0, -2.0, 0.5, 0.0]), np.ones(4)) == pytest.approx(np.ones(4))


@pytest.mark.parametrize("size", [1e-20, 1.0, 1e20, 1e200])
def test_the_total_survives_large_numbers(size):
    x = size * np.array([1.0, 1.0, 0.25, -3.0])
    nearest = nearest_weights(x, 1.0)
    assert nearest.sum() == pytest.approx(1.0, rel=1e-12)
    assert nearest[0] == nearest[1]
