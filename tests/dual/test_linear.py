"""Dual sets without bounds and equalities: one linear system."""

import attrs
import numpy as np
import pytest

from kernelopt import Alignment, Ridge
from kernelopt._criteria._contract import Primal
from kernelopt._linalg._gram import Dense, LowRank
from kernelopt.dual import _engine, maximise
from kernelopt.dual._linear import is_free, stationary


def problem(seed, n, lam):
    rng = np.random.default_rng(seed)
    (qp,) = Ridge(lam).outputs(rng.normal(size=(n, 1)), rng.uniform(0.3, 3.0, (n, 1)))
    return qp, rng


def ask(qp, gram, **options):
    return maximise(qp, gram, lambda v, f: Ridge().primal(qp, gram, v, f), **options)


@pytest.mark.parametrize("lam", [1e-10, 1e-3, 10.0])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e4])
def test_low_rank_solves_its_system_to_rounding(lam, scale):
    qp, rng = problem(0, 60, lam)
    low = LowRank(scale * rng.normal(size=(60, 5)) * np.logspace(0, -4, 5), 0.0)
    v = stationary(qp, low)
    A = low.dense() + np.diag(qp.curvature)
    residual = np.linalg.norm(A @ v - qp.linear)
    assert residual <= 1e-13 * (np.linalg.norm(A) * np.linalg.norm(v) + np.linalg.norm(qp.linear))
    dual = ask(qp, low, accuracy=1e-9)
    assert dual.converged
    # The same machine in the features: min over w of 1/2 |w|^2 + 1/2 |D^-1/2 (y - F w)|^2.
    root = np.sqrt(qp.curvature)
    stacked = np.vstack([low.factor / root[:, None], np.eye(5)])
    target = np.concatenate([qp.linear / root, np.zeros(5)])
    w = np.linalg.lstsq(stacked, target, rcond=None)[0]
    assert dual.objective == pytest.approx(0.5 * np.sum((stacked @ w - target) ** 2), rel=1e-6)


def test_low_rank_forms_no_square_matrix(monkeypatch):
    def never(self):
        raise AssertionError("the dense matrix was asked for")

    qp, rng = problem(1, 40, 0.1)
    low = LowRank(rng.normal(size=(40, 3)), 0.2)
    monkeypatch.setattr(LowRank, "dense", never)
    assert ask(qp, low).converged


def test_neither_a_start_nor_an_iteration_is_asked_for(monkeypatch):
    monkeypatch.setattr(_engine, "ascent", None)
    monkeypatch.setattr(_engine, "interior", None)
    qp, rng = problem(2, 30, 0.1)
    F = rng.normal(size=(30, 30))
    gram = Dense(F @ F.T)
    cold, warm = ask(qp, gram), ask(qp, gram, warm=rng.normal(size=30))
    np.testing.assert_array_equal(cold.alpha, warm.alpha)
    np.testing.assert_allclose(cold.alpha, np.linalg.solve(gram.matrix + np.diag(qp.curvature), qp.linear), rtol=1e-8)


@pytest.mark.parametrize("gram", [Dense, LowRank])
def test_any_signs_any_order_and_a_price_on_the_bias(gram):
    qp, rng = problem(3, 20, 0.1)
    order = rng.permutation(20)
    qp = attrs.evolve(qp, sign=rng.choice([-1.0, 1.0], 20), sample=order, bias_cost=0.7)
    F = rng.normal(size=(20, 4))
    K = F @ F.T
    alpha = stationary(qp, LowRank(F) if gram is LowRank else Dense(K))
    slope = qp.gradient(alpha) - qp.sign * (K @ qp.embed(alpha))[qp.sample]
    np.testing.assert_allclose(slope, 0.0, atol=1e-11)


def test_singular_kernel_without_curvature_is_not_called_solved():
    F = np.random.default_rng(4).normal(size=(12, 3))
    y = np.random.default_rng(5).normal(size=(12, 1))
    (qp,) = Alignment().outputs(y, np.ones((12, 1)))
    for gram in (Dense(F @ F.T), LowRank(F), Dense(np.zeros((12, 12)))):
        dual = maximise(qp, gram, lambda v, f, gram=gram: Alignment().primal(qp, gram, v, f))
        assert not dual.converged
        assert dual.upper == np.inf
        assert np.isfinite(dual.alpha).all()


def test_a_bound_an_equality_or_a_second_variable_is_not_free():
    qp, _ = problem(6, 5, 1.0)
    assert is_free(qp)
    assert not is_free(attrs.evolve(qp, lower=np.where(np.arange(5) == 2, 0.0, -np.inf)))
    assert not is_free(attrs.evolve(qp, upper=np.zeros(5)))
    assert not is_free(attrs.evolve(qp, target=np.zeros(1), group=np.zeros(5, dtype=np.int64)))
    assert not is_free(attrs.evolve(qp, n=4))


def test_a_loose_primal_objective_is_reported():
    qp, rng = problem(7, 10, 1.0)
    F = rng.normal(size=(10, 10))
    dual = maximise(qp, Dense(F @ F.T), lambda v, f: Primal(1e6, np.zeros(0)))
    assert not dual.converged
