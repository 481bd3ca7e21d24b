"""The engine on thin factors against the engine on the same matrix."""

from functools import partial

import numpy as np
import pytest

import kernelopt
from kernelopt._criteria._kkt import between_bounds
from kernelopt._linalg._gram import Dense, LowRank
from kernelopt.dual import _low_rank, maximise, maximise_thin, method_for, repair
from kernelopt.dual._decomposition import worst_block
from kernelopt.testing import every_criterion, two_classes

CRITERIA = every_criterion() | {"hard svc": kernelopt.SVC(C=100.0), "hulls": kernelopt.Margin()}
del CRITERIA["alignment"]  # it refuses sample weights
EVERY = pytest.mark.parametrize("name", list(CRITERIA))


def asked(name, n=120, ridge=1e-2, seed=0):
    rng = np.random.default_rng(seed)
    X, y = two_classes(rng, n, 3)
    criterion = CRITERIA[name]
    target = {"classification": y, "regression": np.sin(X[:, :1]) + 0.2 * rng.normal(size=(n, 1))}
    (qp,) = criterion.outputs(target.get(criterion.task, np.ones((n, 1))), rng.uniform(0.5, 1.5, size=(n, 1)))
    phase = X @ rng.normal(size=(3, 10))
    gram = LowRank(np.hstack([np.cos(phase), np.sin(phase)]) / np.sqrt(10.0), ridge)
    return qp, gram, partial(criterion.primal, qp, gram)


@EVERY
def test_it_is_the_maximum_over_the_matrix(name):
    qp, gram, primal = asked(name)
    whole = maximise(qp, Dense(gram.dense()), primal, accuracy=1e-9)
    dual = maximise_thin(qp, gram, primal, accuracy=1e-9)
    assert dual.converged
    assert dual.objective == pytest.approx(whole.objective, rel=1e-8)
    assert dual.upper == pytest.approx(whole.upper, rel=1e-8)
    assert qp.violation(dual.alpha) <= 1e-12 * (1.0 + np.abs(dual.alpha).sum())


@EVERY
def test_a_warm_start_leads_to_the_same(name):
    qp, gram, primal = asked(name)
    cold = maximise_thin(qp, gram, primal, accuracy=1e-9)
    nearby = LowRank(gram.factor * np.linspace(0.9, 1.1, gram.factor.shape[1]), gram.ridge)
    warm = maximise_thin(qp, nearby, partial(CRITERIA[name].primal, qp, nearby), cold.alpha, accuracy=1e-7)
    whole = maximise(qp, Dense(nearby.dense()), partial(CRITERIA[name].primal, qp, nearby), accuracy=1e-9)
    assert warm.converged
    assert warm.objective == pytest.approx(whole.objective, rel=1e-6)


@EVERY
@pytest.mark.parametrize("ridge", [0.0, 1e-2])
def test_nothing_square_is_formed(monkeypatch, name, ridge):
    def never(*args):
        raise AssertionError("an n x n array was asked for")

    qp, gram, primal = asked(name, ridge=ridge)
    monkeypatch.setattr(LowRank, "dense", never)
    monkeypatch.setattr(LowRank, "rows", never)
    assert method_for(gram) is maximise_thin
    dual = maximise_thin(qp, gram, primal, accuracy=1e-3)
    assert dual.upper >= dual.objective - 1e-9 * abs(dual.h)


def test_the_optimal_start_is_seen_at_once(monkeypatch):
    qp, gram, primal = asked("svc")
    done = maximise_thin(qp, gram, primal, accuracy=1e-8)
    monkeypatch.setattr("kernelopt.dual._low_rank.interior", None)
    monkeypatch.setattr("kernelopt.dual._low_rank.by_blocks", None)
    again = maximise_thin(qp, gram, primal, done.alpha, accuracy=1e-7)
    np.testing.assert_array_equal(again.alpha, done.alpha)


def test_blocks_are_as_large_as_what_is_free_asks_for(monkeypatch):
    """At most a quarter of the samples; where more variables are free than that, no block is tried."""
    qp, gram, primal = asked("svc", n=400)
    done = maximise_thin(qp, gram, primal, accuracy=1e-9)
    free = int(np.count_nonzero(between_bounds(qp, done.alpha)))
    assert free <= 40
    sizes = []

    def counted(qp, alpha, f, most):
        sizes.append(most)
        return worst_block(qp, alpha, f, most)

    monkeypatch.setattr(_low_rank, "_LEAST", 5)
    monkeypatch.setattr(_low_rank, "worst_block", counted)
    nearby = LowRank(gram.factor * np.linspace(0.99, 1.01, gram.factor.shape[1]), gram.ridge)
    near = partial(CRITERIA["svc"].primal, qp, nearby)
    wanted = maximise_thin(qp, nearby, near, accuracy=1e-9)
    assert not sizes
    warm = maximise_thin(qp, nearby, near, done.alpha, accuracy=1e-9)
    assert sizes[0] == 2 * free
    assert max(sizes) <= 100
    assert warm.objective == pytest.approx(wanted.objective, rel=1e-8)
    sizes.clear()
    everywhere = maximise_thin(qp, nearby, near, repair(qp, np.full(qp.size, 0.3)), accuracy=1e-9)
    assert not sizes
    assert everywhere.objective == pytest.approx(wanted.objective, rel=1e-8)


def test_it_can_be_cancelled():
    qp, gram, primal = asked("svc")
    dual = maximise_thin(qp, gram, primal, cancelled=lambda: True)
    assert not dual.converged
    assert dual.upper >= dual.objective
