import attrs
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize
from sklearn.svm import SVC

import kernelopt
from kernelopt._criteria._contract import Primal
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._linalg._compiled_rows import add_block, add_rows, add_up, form, square, write_block
from kernelopt._linalg._gram import Dense, LowRank
from kernelopt.dual import Engine, maximise
from kernelopt.dual._interior import interior
from kernelopt.dual._newton import newton
from kernelopt.dual._request import Asked
from kernelopt.dual._table import tabulate

METHODS = pytest.mark.parametrize("options", [Engine(), Engine(interior_steps=0), Engine(patience=0.0)])


def svc(y, C, s=None):
    n = len(y)
    s = np.ones(n) if s is None else s
    return DualQP(
        n=n,
        linear=np.ones(n),
        curvature=np.zeros(n),
        lower=np.zeros(n),
        upper=C * s,
        sample=np.arange(n),
        sign=y.copy(),
        group=np.zeros(n, dtype=np.int64),
        coefficient=y.copy(),
        target=np.zeros(1),
    )


def svc_primal(y, C, s=None):
    """U = Q/2 + C sum s max(0, 1 - y(f+b)), b the weighted quantile of y - f."""
    s = np.ones(len(y)) if s is None else s

    def at(v, f):
        order = np.argsort(y - f)
        reached = np.searchsorted(np.cumsum(s[order]), s[y > 0].sum() * (1.0 - 1e-12))
        b = (y - f)[order[min(reached, len(y) - 1)]]
        return Primal(0.5 * float(v @ f) + C * float(s @ np.maximum(0.0, 1.0 - y * (f + b))), np.array([b]))

    return at


def solve(K, y, C, s=None, warm=None, **options):
    dual = maximise(svc(y, C, s), Dense(K), svc_primal(y, C, s), warm, **options)
    qp = svc(y, C, s)
    assert (dual.alpha >= 0.0).all()
    assert (dual.alpha <= qp.upper).all()
    assert qp.violation(dual.alpha) <= 1e-13 * dual.alpha.sum()
    np.testing.assert_array_equal(dual.v, qp.embed(dual.alpha))
    cancelling = np.abs(dual.v) @ np.abs(K) @ np.abs(dual.v)
    assert dual.quad == pytest.approx(dual.v @ K @ dual.v, rel=0.0, abs=1e-13 * cancelling)
    assert dual.upper >= dual.objective - 1e-10 * (abs(dual.upper) + abs(dual.h))
    return dual


def assert_solved(dual, accuracy=1e-6):
    assert dual.converged
    scale = max(abs(dual.upper), abs(dual.objective))
    assert dual.upper - dual.objective <= accuracy * scale + 1e-11 * abs(dual.h)


def sample(seed, n, width=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=n) > 0.0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(-1) / width)
    return K, y, rng


@given(
    st.integers(0, 10**6), st.integers(2, 70), st.sampled_from([0.01, 1.0, 100.0]), st.sampled_from([0.3, 3.0, 300.0])
)
@settings(max_examples=40)
def test_agrees_with_libsvm(seed, n, C, width):
    K, y, rng = sample(seed, n, width)
    s = rng.uniform(0.2, 3.0, n)
    oracle = SVC(C=C, kernel="precomputed", tol=1e-10, max_iter=2_000_000).fit(K, y, sample_weight=s)
    v = np.zeros(n)
    v[oracle.support_] = oracle.dual_coef_[0]
    expected = np.abs(v).sum() - 0.5 * v @ K @ v
    dual = solve(K, y, C, s, accuracy=1e-8)
    assert_solved(dual, 1e-8)
    assert dual.objective == pytest.approx(expected, rel=1e-6)


@METHODS
@pytest.mark.parametrize("C", [1.0, 50.0])
def test_each_method_alone(options, C):
    K, y, _ = sample(1, 90)
    dual = solve(K, y, C, options=options)
    assert_solved(dual)
    assert dual.objective == pytest.approx(solve(K, y, C, accuracy=1e-9).objective, rel=2e-6)


@given(st.integers(0, 10**6), st.sampled_from([1.0, 30.0]))
@settings(max_examples=20)
def test_warm_start_changes_the_way_and_not_the_value(seed, C):
    K, y, rng = sample(seed, 40)
    cold = solve(K, y, C, accuracy=1e-8)
    for warm in (cold.alpha, cold.alpha + 0.1 * rng.normal(size=40), 10.0 * C * rng.normal(size=40)):
        assert solve(K, y, C, warm=warm, accuracy=1e-8).objective == pytest.approx(cold.objective, rel=3e-8)
    np.testing.assert_array_equal(solve(K, y, C, warm=cold.alpha, accuracy=1e-8).alpha, cold.alpha)


@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_order_of_the_samples_does_not_matter(seed):
    K, y, rng = sample(seed, 50)
    p = rng.permutation(50)
    value = solve(K, y, 10.0, accuracy=1e-8).objective
    assert solve(K[np.ix_(p, p)].copy(), y[p], 10.0, accuracy=1e-8).objective == pytest.approx(value, rel=2e-8)


@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_two_copies_are_twice_the_weight(seed):
    K, y, rng = sample(seed, 30)
    copies = rng.integers(1, 4, 30)
    index = np.repeat(np.arange(30), copies)
    weighted = solve(K, y, 5.0, copies.astype(float), accuracy=1e-8).objective
    assert solve(K[np.ix_(index, index)].copy(), y[index], 5.0, accuracy=1e-8).objective == pytest.approx(
        weighted, rel=2e-8
    )


@METHODS
def test_zero_kernel(options):
    y = np.array([1.0, 1.0, 1.0, -1.0])
    dual = solve(np.zeros((4, 4)), y, 2.0, options=options)
    assert_solved(dual)
    assert dual.objective == pytest.approx(4.0, rel=1e-6)


@METHODS
@pytest.mark.parametrize("scale", [1e-10, 1.0, 1e10])
def test_rank_one_at_any_scale(options, scale):
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    y = np.where(x + 0.5 * rng.normal(size=60) > 0.0, 1.0, -1.0)
    dual = solve(scale * np.outer(x, x), y, 10.0 / scale, options=options)
    assert_solved(dual)
    unit = solve(np.outer(x, x), y, 10.0, accuracy=1e-9)
    assert dual.objective * scale == pytest.approx(unit.objective, rel=2e-6)


def test_indefinite_by_rounding():
    rng = np.random.default_rng(3)
    F = rng.normal(size=(80, 2))
    noise = 1e-15 * rng.normal(size=(80, 80))
    y = np.where(F[:, 0] + rng.normal(size=80) > 0.0, 1.0, -1.0)
    K = F @ F.T + noise + noise.T
    assert np.linalg.eigvalsh(K)[0] < 0.0
    assert_solved(solve(K, y, 100.0))
    assert_solved(solve(K, y, 100.0, options=Engine(patience=0.0)))


def test_two_samples_have_a_closed_form():
    K, y = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([1.0, -1.0])
    assert solve(K, y, 100.0).alpha == pytest.approx([1.0, 1.0], rel=1e-4)
    assert solve(K, y, 0.25).alpha == pytest.approx([0.25, 0.25])


def test_nearly_rank_one_at_large_cost_ends():
    rng = np.random.default_rng(5)
    n = 150
    x, F = rng.normal(size=n), rng.normal(size=(n, n))
    K = np.outer(x, x) + 1e-7 * F @ F.T / n
    y = np.where(rng.random(n) < 0.4, 1.0, -1.0)
    dual = solve(K, y, 1e4)
    assert_solved(dual)
    assert not solve(K, y, 1e4, accuracy=1e-14, options=Engine(patience=0.01, interior_steps=1)).converged


def test_a_low_rank_gram_gives_the_same():
    rng = np.random.default_rng(2)
    F = rng.normal(size=(40, 3))
    y = np.where(F[:, 0] > 0.3 * rng.normal(size=40), 1.0, -1.0)
    gram = LowRank(F, 0.1)
    low = maximise(svc(y, 1.0), gram, svc_primal(y, 1.0))
    assert low.objective == pytest.approx(solve(gram.dense(), y, 1.0).objective, rel=2e-6)


def test_deadline_and_cancellation_leave_true_bounds():
    K, y, _ = sample(4, 60)
    best = solve(K, y, 100.0, accuracy=1e-9).objective
    for options in ({"max_seconds": 0.0}, {"cancelled": lambda: True}):
        dual = solve(K, y, 100.0, **options)
        assert not dual.converged
        assert dual.objective <= best <= dual.upper * (1.0 + 1e-12)


def test_the_kernel_is_not_written_to():
    K, y, _ = sample(6, 40)
    before = K.copy()
    solve(K, y, 10.0)
    solve(K, y, 10.0, options=Engine(patience=0.0))
    np.testing.assert_array_equal(K, before)


@given(st.integers(0, 10**6), st.sampled_from([0, 1, 7, 8, 21, 40]))
@settings(max_examples=20)
def test_the_compiled_work_on_rows_is_that_of_numpy(seed, k):
    K, _, rng = sample(seed, 40)
    rows, weights, total = rng.integers(0, 40, k), rng.normal(size=k), rng.normal(size=40)
    expected = total + weights @ K[rows]
    add_rows(K, rows, weights, total)
    np.testing.assert_allclose(total, expected, atol=1e-13)
    np.testing.assert_array_equal(square(K, rows), K[np.ix_(rows, rows)])
    columns = rng.integers(0, 40, 7)
    block = rng.normal(size=(k, 7))
    expected = block + 0.3 * K[np.ix_(rows, columns)]
    add_block(K, rows, columns, 0.3, block)
    np.testing.assert_allclose(block, expected, atol=1e-14)
    write_block(K, rows, columns, 0.3, block)
    np.testing.assert_allclose(block, 0.3 * K[np.ix_(rows, columns)], atol=1e-14)
    support = np.unique(rows)
    v = weights[: support.size]
    expected = v @ K[np.ix_(support, support)] @ v
    np.testing.assert_allclose(form(K, support, v, np.zeros(40)), expected, atol=1e-11)


@pytest.mark.parametrize("n", [1, 40, 64, 150])
@pytest.mark.parametrize("k", [0, 1, 4, 7])
def test_matrices_are_added_up_on_both_sides_of_the_diagonal(n, k):
    rng = np.random.default_rng(n + k)
    K = rng.normal(size=(5, n, n))
    K += K.transpose(0, 2, 1)
    index, weights, total = rng.integers(0, 5, k), rng.normal(size=k), K[0].copy()
    expected = total + np.einsum("k,kij->ij", weights, K[index])
    add_up(K, index, weights, total)
    np.testing.assert_allclose(total, expected, atol=1e-13)
    np.testing.assert_array_equal(total, total.T)


@given(st.integers(0, 10**6), st.sampled_from([1.0, 1e3]))
@settings(max_examples=20)
def test_the_certificate_of_an_answer_is_that_of_a_fresh_product(seed, C):
    K, y, rng = sample(seed, 60)
    qp, primal = svc(y, C), svc_primal(y, C)
    dual = maximise(qp, Dense(K), primal, 0.1 * C * rng.random(60), accuracy=1e-8)
    assert dual.converged
    asked = Asked(qp, Dense(K), np.diagonal(K).copy(), primal, 1e-8, lambda: False, K)
    fresh, f = asked.answer(dual.alpha)
    assert (dual.upper, dual.quad) == (fresh.upper, fresh.quad)
    start = 0.1 * C * rng.random(60)
    v = qp.embed(start)
    near, g = asked.answer_from(dual.alpha, v, K @ v)
    np.testing.assert_allclose(g, f, atol=1e-12 * np.abs(v).sum())
    assert near.objective == pytest.approx(dual.objective, rel=1e-9)


def brute(qp, K, start):
    """The optimum by a general solver (scipy's SLSQP), for a handful of variables."""
    A = np.array([np.where(qp.group == g, qp.coefficient, 0.0) for g in range(len(qp.target))])
    result = minimize(
        lambda a: 0.5 * qp.embed(a) @ K @ qp.embed(a) - qp.h(a),
        start,
        method="SLSQP",
        bounds=list(zip(qp.lower, qp.upper, strict=True)),
        constraints=LinearConstraint(A, qp.target, qp.target) if len(A) else (),
        options={"ftol": 1e-14, "maxiter": 2000},
    )
    return -result.fun


def general(kind, n, rng):
    """Dual sets of the other criteria: a feasible point is the last value."""
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    base = svc(y, 1.0, rng.uniform(0.5, 1.5, n))
    if kind == "nu-svc":
        qp = attrs.evolve(
            base, linear=np.zeros(n), group=(y < 0).astype(np.int64), coefficient=np.ones(n), target=np.full(2, 0.2 * n)
        )
        return qp, np.full(n, 0.4)
    if kind == "l2-svc":
        return attrs.evolve(base, upper=np.full(n, np.inf), curvature=rng.uniform(0.1, 1.0, n)), np.zeros(n)
    if kind == "lagrangian":
        nothing = np.full(n, -1, dtype=np.int64)
        qp = attrs.evolve(
            base, upper=np.full(n, np.inf), curvature=np.full(n, 0.3), group=nothing, target=np.zeros(0), bias_cost=1.0
        )
        return qp, np.zeros(n)
    target = rng.normal(size=n)
    groups = {"svr": np.zeros(2 * n, dtype=np.int64), "nu-svr": np.repeat([0, 1], n)}[kind]
    sign = np.repeat([1.0, -1.0], n)
    qp = DualQP(
        n=n,
        linear=sign * np.tile(target, 2) - (0.1 if kind == "svr" else 0.0),
        curvature=np.zeros(2 * n),
        lower=np.zeros(2 * n),
        upper=np.full(2 * n, 1.0),
        sample=np.tile(np.arange(n), 2),
        sign=sign,
        group=groups.astype(np.int64),
        coefficient=sign if kind == "svr" else np.ones(2 * n),
        target=np.zeros(1) if kind == "svr" else np.full(2, 0.2 * n),
    )
    return qp, np.zeros(2 * n) if kind == "svr" else np.full(2 * n, 0.2)


@pytest.mark.parametrize("options", [Engine(interior_steps=0), Engine(patience=0.0)])
@pytest.mark.parametrize("kind", ["nu-svc", "l2-svc", "lagrangian", "svr", "nu-svr"])
def test_the_other_dual_sets(kind, options):
    rng = np.random.default_rng(0)
    K, _, _ = sample(0, 10, 3.0)
    qp, start = general(kind, 10, rng)
    expected = brute(qp, K, start)
    # An oracle of the primal value: the inner optimum itself, a valid upper bound and a tight one.
    bound = expected + 1e-7 * abs(expected)
    dual = maximise(qp, Dense(K), lambda v, f: Primal(bound, np.zeros(1)), options=options)
    assert dual.converged
    assert qp.violation(dual.alpha) <= 1e-13 * np.abs(dual.alpha).sum()
    assert dual.objective == pytest.approx(expected, rel=2e-6)
    assert dual.h == pytest.approx(qp.h(dual.alpha))


@given(st.integers(0, 10**6), st.sampled_from(["nu-svc", "l2-svc", "lagrangian", "svr", "nu-svr"]))
@example(3010, "nu-svr")
@example(460, "nu-svr")
@settings(max_examples=60)
def test_a_newton_step_never_loses(seed, kind):
    K, _, rng = sample(seed, 10, 3.0)
    qp, start = general(kind, 10, rng)
    table = tabulate(qp)
    inside = start if start.any() else np.full(qp.size, 0.3)
    qp = attrs.evolve(
        qp, target=np.array([qp.coefficient[qp.group == g] @ inside[qp.group == g] for g in range(len(qp.target))])
    )
    u = table.load(qp, inside)
    np.testing.assert_array_equal(table.store(qp, u), inside)

    def value(a):
        return qp.h(a) - 0.5 * qp.embed(a) @ K @ qp.embed(a)

    after, _ = newton(table, K, u, table.gradient(u, K @ qp.embed(inside)))
    alpha = table.store(qp, after)
    assert qp.violation(alpha) <= 1e-12
    assert value(alpha) >= value(inside) - 1e-12

    # Without a bound in the way it ends at the optimum: the gradient is the same all over a group.
    wide = attrs.evolve(qp, lower=np.full(qp.size, -1e9), upper=np.full(qp.size, 1e9))
    wide = attrs.evolve(wide, curvature=wide.curvature + 0.1)
    table = tabulate(wide)
    after, whole = newton(table, K, u, table.gradient(u, K @ qp.embed(inside)))
    assert whole
    g = table.gradient(after, K @ qp.embed(table.store(qp, after)))
    for e in range(table.groups - 1):
        assert np.ptp(g[table.group == e]) <= 1e-8
    np.testing.assert_allclose(g[table.group == table.groups - 1], 0.0, atol=1e-8)


def test_what_few_columns_span_is_certified_on_the_whole_gram(monkeypatch):
    """The interior point sees thin factors that leave out a thousandth of the largest entry: they alone do not do."""
    rng = np.random.default_rng(0)
    F = rng.normal(size=(60, 4))
    K, y = F @ F.T, np.sign(rng.normal(size=60))
    K[np.diag_indices(60)] += 1e-3
    seen = []

    def watched(qp, gram, steps):
        seen.append(type(gram))
        return interior(qp, gram, steps)

    monkeypatch.setattr("kernelopt.dual._engine.interior", watched)
    monkeypatch.setattr("kernelopt.dual._engine._MANY", 1)
    monkeypatch.setattr("kernelopt.dual._engine._LEFT_OUT", 0.1)
    alone = Engine(patience=0.0)
    rough = solve(K, y, 10.0, accuracy=1e-2, options=alone)
    assert seen == [LowRank]
    monkeypatch.setattr("kernelopt.dual._engine._LEFT_OUT", 1e5)
    exact = solve(K, y, 10.0, accuracy=1e-8, options=alone)
    assert seen == [LowRank, LowRank, Dense]
    assert rough.converged
    assert exact.converged
    assert rough.objective <= exact.upper
    assert exact.objective <= rough.upper


@pytest.mark.parametrize("criterion", [kernelopt.SVR(), kernelopt.LagrangianSVC(), kernelopt.OneClass(nu=0.5)])
def test_the_image_of_a_table_is_what_its_gradient_came_from(criterion):
    rng = np.random.default_rng(0)
    (qp,) = criterion.outputs(np.sign(rng.normal(size=(9, 1))), np.ones((9, 1)))
    table, f = tabulate(qp), rng.normal(size=9)
    u = table.load(qp, rng.uniform(size=qp.size))
    np.testing.assert_allclose(table.image(u, table.gradient(u, f)), f, rtol=1e-12)
