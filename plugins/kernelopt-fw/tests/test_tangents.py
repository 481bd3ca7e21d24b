"""What the tangents foresee of the oracle's best atoms: their place and their value, to second order."""

import numpy as np
import pytest
from kernelopt_cosine import Cosine
from kernelopt_fw._fully_corrective import FrankWolfe
from kernelopt_fw._tangents import Tangents

import kernelopt
from kernelopt.plugin import Query

rng = np.random.default_rng(3)
X = rng.normal(size=(40, 3))
FAMILY = Cosine(beta=0.5).prepare(X, np.ones(40))
V0 = np.sign(X[:, 0] * X[:, 1]) / 40.0
TOWARDS = np.sign(X[:, 2]) / 40.0


def peaks(v, near=None):
    """Local maxima at v, those near the given ones first found."""
    return FAMILY.best_atoms(X, v[:, None], Query(k=30, near=near))


def foreseen(step, damping=1.0):
    """For some peaks: where one is foreseen and where it is; its value that is foreseen, and its value."""
    best = peaks(V0)
    atoms, values = best.atoms[:4], best.values[:4]
    tangents = Tangents.at(FAMILY, X, atoms, values, V0)
    v = V0 + step * TOWARDS
    after = peaks(v, tangents.moved(v))
    rows = []
    for atom, columns, old in zip(tangents.moved(v), tangents.damped(damping), atoms, strict=True):
        distance = np.minimum(np.linalg.norm(after.atoms - atom, axis=1), np.linalg.norm(after.atoms + atom, axis=1))
        plain = FAMILY.columns(old[None], X)[0]
        value = np.sum((plain.T @ v) ** 2) + np.sum((columns.T @ v) ** 2)
        rows.append((distance.min(), value - after.values[np.argmin(distance)]))
    return np.abs(rows).max(axis=0)


def test_a_tangent_foresees_place_and_value():
    place, value = foreseen(0.02)
    finer, sharper = foreseen(0.005)
    assert finer < place / 10.0  # of second order in the step
    assert sharper < value / 30.0  # of third order
    assert sharper < 1e-6


def test_atoms_that_stand_still_are_not_best():
    best = peaks(V0)
    v = V0 + 0.005 * TOWARDS
    tangents = Tangents.at(FAMILY, X, best.atoms[:4], best.values[:4], V0)
    moved = tangents.moved(v)
    still = [float(np.sum((FAMILY.columns(a[None], X)[0].T @ v) ** 2)) for a in best.atoms[:4]]
    there = [float(np.sum((FAMILY.columns(a[None], X)[0].T @ v) ** 2)) for a in moved]
    assert all(after >= before * (1.0 - 1e-14) for before, after in zip(still, there, strict=True))
    assert there[0] > still[0]  # the frequency 0 has no other place to go


def test_damping_adds_to_the_kernel():
    best = peaks(V0)
    tangents = Tangents.at(FAMILY, X, best.atoms[:2], best.values[:2], V0)
    for plain, damped in zip(tangents.damped(1.0), tangents.damped(4.0), strict=True):
        np.testing.assert_allclose(damped @ damped.T, 4.0 * plain @ plain.T)


def test_a_step_is_no_longer_than_the_value_says():
    best = peaks(V0)
    tangents = Tangents.at(FAMILY, X, best.atoms[:2], best.values[:2], V0)
    near, far = tangents.moved(V0 + 1e3 * TOWARDS), tangents.moved(V0 + 1e6 * TOWARDS)
    np.testing.assert_allclose(near, far, rtol=1e-3)


FAMILIES = {
    "alone": "cosine",
    "delta": ["cosine", "delta"],
    "matrices": ["tk", {"name": "cosine", "beta": 0.2}],
    "l1": {"name": "cosine", "norm": "l1", "beta": 0.2},
}


def solved(family, seed):
    rows = np.random.default_rng(seed).normal(size=(28, 4))
    y = np.where(rows[:, 0] * rows[:, 1] + np.sin(2.0 * rows[:, 2]) > 0.0, 1, -1)
    return kernelopt.solve(rows, y, family=family, criterion="svc", solver=FrankWolfe(), tol=1e-4)


@pytest.mark.parametrize(("name", "seeds"), [("alone", 3), ("delta", 1), ("matrices", 2), ("l1", 3)])
def test_foreseeing_takes_fewer_steps_to_the_same_optimum(name, seeds, monkeypatch):
    """Fewer by a sixth, over all seeds; beside delta there are few steps to save."""
    family = FAMILIES[name]
    foreseeing = [solved(family, seed) for seed in range(seeds)]
    monkeypatch.setattr("kernelopt_fw._fully_corrective._FORESEEN", 0.0)
    plain = [solved(family, seed) for seed in range(seeds)]
    for one, other in zip(foreseeing, plain, strict=True):
        assert one.status.converged
        assert one.certificate.upper == pytest.approx(other.certificate.upper, rel=3e-4)
        assert any("foreseen" in record.note for record in one.trace)
    steps = [sum(one.trace[-1].step for one in runs) for runs in (foreseeing, plain)]
    assert name == "delta" or steps[0] <= steps[1] * 5.0 / 6.0, steps
