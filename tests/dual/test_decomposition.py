"""The engine by blocks against the engine itself, and the primal of any dual set against slow methods."""

from functools import partial

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelopt
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._linalg._wide import Term, Wide
from kernelopt.dual import _decomposition, generic_primal, maximise, maximise_wide, repair
from kernelopt.plugin import Dense, Part
from kernelopt.testing import Affine, every_criterion, two_classes
from kernelopt.testing._naive import naive_maximum

CRITERIA = every_criterion() | {"hard svc": kernelopt.SVC(C=100.0)}
del CRITERIA["alignment"]  # it refuses sample weights
EVERY = pytest.mark.parametrize("name", list(CRITERIA))


def asked(name, n, seed=0):
    """The dual problem, and one kernel as a Wide Gram and as a dense one: Gaussians and the identity."""
    rng = np.random.default_rng(seed)
    X, y = two_classes(rng, n, 3)
    criterion = CRITERIA[name]
    target = {"classification": y, "regression": np.sin(X[:, :1]) + 0.2 * rng.normal(size=(n, 1))}
    (qp,) = criterion.outputs(target.get(criterion.task, np.ones((n, 1))), rng.uniform(0.5, 1.5, size=(n, 1)))
    gaussian = kernelopt.Dictionary([("rbf", {"gamma": 0.5})], normalize=None).prepare(X, np.ones(n))
    delta = kernelopt.Delta()
    wide = Wide((Term(gaussian, gaussian.dictionary(), X, 0.9), Term(delta, delta.dictionary(), X, 0.1)))
    gamma = ((X[:, None] - X) ** 2).sum(-1)
    return criterion, qp, wide, Dense(0.9 * np.exp(-0.5 * gamma) + 0.1 * np.eye(n))


def certificate(criterion, qp, gram):
    return partial(criterion.primal, qp, gram)


@EVERY
@pytest.mark.parametrize("most", [60, 10**6])
def test_blocks_reach_the_optimum_of_the_whole(monkeypatch, name, most):
    monkeypatch.setattr(_decomposition, "_MOST", most)
    criterion, qp, wide, dense = asked(name, 120)
    whole = maximise(qp, dense, certificate(criterion, qp, dense), accuracy=1e-8)
    dual = maximise_wide(qp, wide, certificate(criterion, qp, wide), accuracy=1e-3)
    size = abs(whole.h) + 0.5 * whole.quad
    assert dual.converged
    assert qp.violation(dual.alpha) <= 1e-9 * (1.0 + np.abs(dual.alpha).sum())
    assert ((dual.alpha >= qp.lower) & (dual.alpha <= qp.upper)).all()
    assert dual.objective <= whole.upper + 1e-9 * size
    assert dual.upper >= whole.objective - 1e-9 * size
    assert dual.upper - dual.objective <= 1e-3 * max(abs(dual.upper), abs(dual.objective))


@pytest.mark.parametrize("name", ["svc", "svr", "nu-svc"])
def test_bounds_are_those_of_the_alpha_returned(name):
    """Whatever was updated on the way, v, h, v'Kv and the upper bound belong to this alpha."""
    criterion, qp, wide, dense = asked(name, 90)
    dual = maximise_wide(qp, wide, certificate(criterion, qp, wide), accuracy=1e-6)
    v = qp.embed(dual.alpha)
    f = dense.matrix @ v
    assert dual.v == pytest.approx(v)
    assert dual.quad == pytest.approx(v @ f, rel=1e-9)
    assert dual.h == pytest.approx(qp.h(dual.alpha))
    assert dual.upper == pytest.approx(criterion.primal(qp, dense, v, f).value, rel=1e-8)


def test_a_cancelled_run_keeps_what_it_has():
    criterion, qp, wide, dense = asked("svc", 90)
    dual = maximise_wide(qp, wide, certificate(criterion, qp, wide), cancelled=lambda: True)
    assert not dual.converged
    whole = maximise(qp, dense, certificate(criterion, qp, dense), accuracy=1e-8)
    assert dual.objective <= whole.upper
    assert whole.objective <= dual.upper


def test_a_start_at_the_optimum_stays_there(monkeypatch):
    criterion, qp, wide, dense = asked("svc", 90)
    whole = maximise(qp, dense, certificate(criterion, qp, dense), accuracy=1e-9)
    monkeypatch.setattr(_decomposition, "_improved", None)  # no block may be needed
    dual = maximise_wide(qp, wide, certificate(criterion, qp, wide), whole.alpha, accuracy=1e-6)
    assert dual.converged
    assert dual.alpha == pytest.approx(whole.alpha)


@pytest.mark.parametrize("name", ["svc", "svr", "nu-svr", "l2-svc", "lagrangian-svc", "nu-svc"])
def test_a_block_with_the_others_fixed_is_the_same_problem(name):
    """h - 1/2 v'Kv changes by as much as the block's own objective, whatever the block does."""
    _, qp, _, dense = asked(name, 30)
    rng = np.random.default_rng(1)
    alpha = repair(qp, rng.uniform(0.0, 1.0, size=qp.size))
    rows = np.sort(rng.permutation(30)[:11])
    part = np.flatnonzero(np.isin(qp.sample, rows))
    K = dense.matrix[np.ix_(rows, rows)] + qp.bias_cost
    inner = _decomposition.restricted(qp, rows, part, alpha, dense.apply(qp.embed(alpha)), K)

    def objective(one, a, gram):
        v = one.embed(a)
        return one.h(a) - 0.5 * v @ gram @ v

    moved = alpha.copy()
    moved[part] = repair(inner, rng.uniform(0.0, 1.0, size=len(part)))
    outer = objective(qp, moved, dense.matrix) - objective(qp, alpha, dense.matrix)
    assert qp.violation(moved) <= 1e-9 * np.abs(moved).sum()
    assert outer == pytest.approx(objective(inner, moved[part], K) - objective(inner, alpha[part], K), rel=1e-9)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", ["svc", "nu-svr", "nu-svc"])
def test_a_block_can_stay_where_it_is(name, seed):
    """Though the sums of the others are rounded, and though none of its variables may be inside its box."""
    _, qp, _, dense = asked(name, 24)
    rng = np.random.default_rng(seed)
    alpha = repair(qp, np.where(rng.uniform(size=qp.size) < 0.8, qp.lower, rng.uniform(size=qp.size)))
    rows = np.sort(rng.permutation(24)[:4])
    part = np.flatnonzero(np.isin(qp.sample, rows))
    K = dense.matrix[np.ix_(rows, rows)] + qp.bias_cost
    inner = _decomposition.restricted(qp, rows, part, alpha, dense.apply(qp.embed(alpha)), K)
    assert np.array_equal(repair(inner, alpha[part]), alpha[part])


def random_qp(seed, n, groups, curved):
    """A random bounded dual set, two variables a sample, disjoint equalities of both signs."""
    rng = np.random.default_rng(seed)
    N = 2 * n
    lower = rng.normal(size=N)
    qp = DualQP(
        n=n,
        linear=rng.normal(size=N),
        curvature=np.where(rng.uniform(size=N) < curved, rng.uniform(0.1, 2.0, size=N), 0.0),
        lower=lower,
        upper=lower + np.where(rng.uniform(size=N) < 0.2, 0.0, rng.uniform(0.1, 2.0, size=N)),
        sample=np.tile(np.arange(n), 2),
        sign=rng.choice([-1.0, 1.0], size=N),
        group=rng.permutation(np.arange(N) % (groups + 1)) - 1,
        coefficient=rng.choice([-1.0, 1.0], size=N),
        target=np.zeros(groups),
    )
    inside = qp.lower + rng.uniform(size=N) * (qp.upper - qp.lower)
    target = [qp.coefficient[qp.group == g] @ inside[qp.group == g] for g in range(groups)]
    return attrs.evolve(qp, target=np.array(target)), inside


@settings(max_examples=60, derandomize=True)
@given(
    seed=st.integers(0, 2**31),
    n=st.integers(2, 6),
    groups=st.integers(0, 2),
    curved=st.sampled_from([0.0, 0.5, 1.0]),
    size=st.sampled_from([0.0, 1.0, 100.0]),
)
def test_generic_primal_is_the_maximum_over_the_dual_set(seed, n, groups, curved, size):
    qp, inside = random_qp(seed, n, groups, curved)
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(n, n))
    K, v = F @ F.T, size * rng.normal(size=n)
    f = K @ v
    bound = generic_primal(qp, v, f)
    assert bound.multipliers.shape == (groups,)
    wanted = 0.5 * v @ f + naive_maximum(qp, np.zeros((n, n)), f, inside)
    scale = 0.5 * v @ f + np.abs(qp.linear).sum() + np.abs(f).sum() + np.abs(qp.lower).sum()
    assert bound.value == pytest.approx(wanted, abs=1e-6 * scale)
    for _ in range(10):
        alpha = repair(qp, qp.lower + rng.uniform(size=qp.size) * (qp.upper - qp.lower))
        lagrangian = 0.5 * v @ f + qp.h(alpha) - qp.embed(alpha) @ f
        w = qp.embed(alpha)
        assert bound.value >= lagrangian - 1e-9 * scale
        assert bound.value >= qp.h(alpha) - 0.5 * w @ K @ w - 1e-9 * scale


@settings(max_examples=60, derandomize=True)
@given(seed=st.integers(0, 2**31), n=st.integers(2, 6), groups=st.integers(1, 2))
def test_a_box_without_an_end_is_as_one_whose_end_no_equality_can_reach(seed, n, groups):
    qp, inside = random_qp(seed, n, groups, 0.0)
    rng = np.random.default_rng(seed)
    opened = (qp.group >= 0) & (rng.uniform(size=qp.size) < 0.5)
    rising = opened & (qp.coefficient > 0.0)
    falling = opened & (qp.coefficient < 0.0)
    far = 10.0 + np.abs(np.concatenate([qp.lower, qp.upper, inside])).sum()
    f = rng.normal(size=n)
    bounds = [
        generic_primal(
            attrs.evolve(qp, upper=np.where(rising, end, qp.upper), lower=np.where(falling, -end, qp.lower)), f, f
        )
        for end in (far, np.inf)
    ]
    assert bounds[1].value == pytest.approx(bounds[0].value, rel=1e-12, abs=1e-12)
    assert np.array_equal(bounds[1].multipliers, bounds[0].multipliers)


@EVERY
def test_generic_primal_is_the_criterions_own(name):
    """It knows nothing of the loss, and may only be the looser where the criterion takes the best multiple of v."""
    criterion, qp, _, dense = asked(name, 40)
    if qp.bias_cost:
        return  # as below
    rng = np.random.default_rng(2)
    for v in (np.zeros(40), rng.normal(size=40), qp.embed(repair(qp, rng.uniform(size=qp.size)))):
        f = dense.apply(v)
        own, generic = criterion.primal(qp, dense, v, f).value, generic_primal(qp, v, f).value
        if qp.linear.any():
            assert generic == pytest.approx(own, rel=1e-9, abs=1e-9)
        else:
            assert generic >= own - 1e-9 * abs(own)


@EVERY
def test_generic_primal_with_a_cost_of_the_bias_is_the_optimum_at_the_optimum(name):
    """Anywhere else it is no less than the criterion's own."""
    criterion, qp, _, dense = asked(name, 40)
    if not qp.bias_cost:
        return
    best = maximise(qp, dense, lambda v, f: criterion.primal(qp, dense, v, f), accuracy=1e-10)
    v = qp.embed(best.alpha)
    at_best = generic_primal(qp, v, dense.apply(v))
    own = criterion.primal(qp, dense, v, dense.apply(v))
    assert at_best.value == pytest.approx(own.value, rel=1e-8)
    np.testing.assert_allclose(at_best.multipliers, own.multipliers, rtol=1e-4)
    rng = np.random.default_rng(2)
    for v in (np.zeros(40), rng.normal(size=40), qp.embed(repair(qp, rng.uniform(size=qp.size)))):
        f = dense.apply(v)
        assert generic_primal(qp, v, f).value >= criterion.primal(qp, dense, v, f).value * (1.0 - 1e-12)


def families(X):
    gaussians = kernelopt.Dictionary([("rbf", {"gamma": 0.5}), "linear"], normalize="trace").prepare(X, np.ones(len(X)))
    affine, delta = Affine().prepare(X, np.ones(len(X))), kernelopt.Delta()
    rng = np.random.default_rng(3)
    return (
        (gaussians, gaussians.dictionary(), 0.7),
        (affine, Part(rng.normal(size=(2, 4)), rng.uniform(size=2)), 1.3),
        (delta, delta.dictionary(), 0.4),
    )


@pytest.mark.parametrize("members", [(0,), (1,), (2,), (0, 2), (0, 1, 2)])
def test_wide_gram_is_the_dense_one(monkeypatch, members):
    monkeypatch.setattr("kernelopt._linalg._gram.ROW_BLOCK", 7)
    rng = np.random.default_rng(4)
    X = rng.normal(size=(23, 3))
    X[5] = X[3]  # equal rows are two samples
    chosen = [families(X)[k] for k in members]
    wide = Wide(tuple(Term(family, part, X, factor) for family, part, factor in chosen))
    K = sum(factor * np.array(family.gram(part, family.bind(X)).dense()) for family, part, factor in chosen)
    rows, columns = np.array([3, 5, 0, 22]), np.array([5, 1, 22])
    V = rng.normal(size=(23, 3))
    V[::2] = 0.0
    assert wide.n == 23
    assert wide.dense() == pytest.approx(K)
    assert wide.diag() == pytest.approx(np.diagonal(K))
    assert wide.rows(rows) == pytest.approx(K[rows])
    assert wide.block(rows, columns) == pytest.approx(K[np.ix_(rows, columns)], abs=1e-12)
    for vectors in (V, V[:, 0], np.zeros(23), np.zeros((23, 2))):
        product = wide.apply(vectors)
        assert product.shape == vectors.shape
        assert product == pytest.approx(K @ vectors, abs=1e-12)
    assert wide.scaled(2.5).dense() == pytest.approx(2.5 * K)
    assert wide.scaled(2.5).diag() == pytest.approx(2.5 * np.diagonal(K))


@pytest.mark.parametrize("changed", [0, 1, 40, 80])
def test_known_products_change_no_product(changed):
    """However near a vector is to a known one, and which of several: K v is the same, of one column and of more."""
    _, _, wide, dense = asked("svc", 80)
    rng = np.random.default_rng(changed)
    V = rng.normal(size=(80, 2))
    near = V.copy()
    near[rng.permutation(80)[:changed], 1] += 1.0
    knows = wide.knowing(V, dense.apply(V))
    for F in (near, near[:, 1], near[:, 1:]):
        assert knows.apply(F) == pytest.approx(dense.apply(F), rel=1e-12, abs=1e-12)


def test_known_products_save_work(monkeypatch):
    """Only the columns are computed in which a vector differs from a known one."""
    _, _, wide, dense = asked("svc", 80)
    V = np.ones((80, 1))
    seen = []
    block = Wide.block
    monkeypatch.setattr(
        Wide, "block", lambda self, rows, columns: seen.append(len(columns)) or block(self, rows, columns)
    )
    near = np.where(np.arange(80) < 3, 2.0, 1.0)
    wide.knowing(V, dense.apply(V)).apply(near)
    assert max(seen) == 3
