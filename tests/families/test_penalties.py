"""Kernels that cost something: bounds, both solvers, totals and cones, against minima that are found without them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.svm import SVC

import kernelopt
from kernelopt import Dictionary, InvalidOption, Refused, each, priced
from kernelopt._families.penalties._composite_penalty import Lifted, Together, tilted
from kernelopt._families.penalties._penalty_conjugate import dearest, steep, tangents
from kernelopt.plugin import Norm, Price, Square
from kernelopt.testing import Costly, every_price, meet

KERNELS = (("rbf", {"gamma": 0.05}), ("rbf", {"gamma": 0.4}), ("rbf", {"gamma": 3.0}), "linear")


def rows(n=40):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 2))
    signal = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.4 * rng.normal(size=n)
    return X, np.where(signal > 0.3, 1, -1), signal


def hyper(rng, m):
    A = rng.normal(size=(m, m))
    return A @ A.T / m + 0.1 * np.ones((m, m))


@settings(max_examples=20)
@given(st.integers(1, 12), st.integers(0, 10**6), st.sampled_from([Norm, Square]), st.sampled_from([0.3, 1.0, 7.0]))
def test_tangents_bound_the_best_kernel_and_attain_it(m, seed, rule, total):
    """total max (q - g) + offset is above q'w - R(w) for every w, and is the maximum."""
    rng = np.random.default_rng(seed)
    R, q, rest = rule(hyper(rng, m), 0.7), rng.exponential(size=m), float(rng.exponential())
    (tangent,) = tangents((R,), (q,), rest, total)
    bound = total * max(float((q - tangent.slope).max()), rest) + tangent.offset
    for _ in range(20):
        w = total * rng.dirichlet(np.full(m + 1, 0.5))
        assert q @ w[:m] - R.value(w[:m]) + rest * w[m] <= bound * (1 + 1e-9) + 1e-9
    grown = np.append(q, rest)

    def loss(x):
        w = total * x * x / (x @ x)
        return R.value(w[:m]) - grown @ w

    best = min(minimize(loss, rng.uniform(0.1, 1.0, size=m + 1), options={"gtol": 1e-10}).fun for _ in range(3))
    assert bound <= -best + 1e-5 * (1.0 + abs(bound))


@settings(max_examples=20)
@given(st.integers(1, 10), st.integers(0, 10**6))
def test_without_a_total_the_tangent_is_steep_enough(m, seed):
    rng = np.random.default_rng(seed)
    R, q = Square(np.abs(hyper(rng, m)) + np.eye(m), 0.7), rng.exponential(size=m)
    tangent = steep(R, q)
    assert (q <= tangent.slope).all()
    best = max(
        q @ w - R.value(w)
        for w in (rng.exponential(size=m) * rng.uniform(0, 2) * (rng.uniform(size=m) < 0.5) for _ in range(300))
    )
    assert best <= tangent.offset * (1 + 1e-9)
    found = minimize(lambda x: R.value(x * x) - q @ (x * x), np.full(m, 0.5))
    assert tangent.offset <= -found.fun + 1e-5 * (1.0 + tangent.offset)


@settings(max_examples=20)
@given(st.integers(1, 10), st.integers(0, 10**6), st.sampled_from([Norm, Price]))
def test_the_dearest_ratio_is_a_bound_and_is_attained(m, seed, rule):
    rng = np.random.default_rng(seed)
    R = Norm(hyper(rng, m), 0.7) if rule is Norm else Price(rng.uniform(0.1, 2.0, size=m))
    q = rng.exponential(size=m)
    ratio, tangent = dearest(R, q)
    assert (q <= ratio * tangent.slope * (1 + 1e-12)).all()
    found = [minimize(lambda x: -(q @ (x * x)) / R.value(x * x), rng.uniform(0.1, 1, size=m)).fun for _ in range(3)]
    assert abs(ratio + min(found)) <= 1e-4 * ratio


@settings(max_examples=20)
@given(st.integers(1, 10), st.integers(0, 10**6), st.sampled_from([Norm, Square]), st.sampled_from([1e-3, 1.0, 1e3]))
def test_a_price_with_a_linear_one_besides_is_bounded_as_closely(m, seed, rule, rho):
    """Where nothing is worth its linear price alone, everything, or some."""
    rng = np.random.default_rng(seed)
    c = rng.exponential(size=m) + 0.1
    R, q = tilted(rule(np.abs(hyper(rng, m)) + np.eye(m), rho), c), c * rng.uniform(0.3, 1.5, size=m)
    candidates = rng.exponential(size=(300, m)) * (rng.uniform(size=(300, m)) < 0.5) + 1e-9
    if rule is Norm:
        ratio, tangent = dearest(R, q)
        assert (q <= ratio * tangent.slope * (1 + 1e-12)).all()
        assert all(tangent.slope @ w <= R.value(w) * (1 + 1e-9) for w in candidates)
        assert max(q @ w / R.value(w) for w in candidates) <= ratio * (1 + 1e-9) <= float((q / c).max()) * (1 + 1e-8)
        return
    tangent = steep(R, q)
    assert (q <= tangent.slope).all()
    assert all(tangent.slope @ w - tangent.offset <= R.value(w) * (1 + 1e-9) for w in candidates)
    found = minimize(lambda x: R.value(x * x) - q @ (x * x), np.full(m, 0.5) / rho**0.5)
    assert tangent.offset <= -found.fun + 1e-5 * (1.0 + tangent.offset)


@pytest.mark.parametrize("kind", ["tilted norm", "tilted square", "lifted", "together"])
def test_prices_made_of_others_have_their_derivatives(kind):
    rng = np.random.default_rng(0)
    H, c = hyper(rng, 4), rng.uniform(size=4)
    R = {
        "tilted norm": tilted(Norm(H, 0.7), c),
        "tilted square": tilted(Square(H, 0.7), c),
        "lifted": Lifted.of(tilted(Norm(H[:3, :3], 0.7), c[:3])),
        "together": Together((tilted(Norm(H[:2, :2], 0.7), c[:2]), None, Price(c[:1])), (2, 3)),
    }[kind]
    w = rng.uniform(0.5, 1.5, size=4)
    steps = 1e-6 * np.eye(4)
    slopes = [(R.value(w + e) - R.value(w - e)) / 2e-6 for e in steps]
    np.testing.assert_allclose(R.gradient(w), slopes, rtol=1e-6, atol=1e-8)
    bends = np.stack([(R.gradient(w + e) - R.gradient(w - e)) / 2e-6 for e in steps])
    np.testing.assert_allclose(R.hessian(w), bends, atol=1e-6)
    assert not R.linear
    if "tilted" in kind:
        U = rng.uniform(size=(4, 2))
        assert R.restrict(U).value(w[:2]) == pytest.approx(R.value(U @ w[:2]))
        assert R.homogeneous == (R.value(3.0 * w) == pytest.approx(3.0 * R.value(w)))


def test_a_linear_price_and_another_are_one():
    assert isinstance(tilted(None, np.ones(2)), Price)
    np.testing.assert_array_equal(tilted(Price(np.eye(2)), 2.0 * np.eye(2)).c, 3.0 * np.eye(2))


def families():
    yield from every_price("tk").items()
    for total in (1.0, 2.5, None):
        yield f"gpk at a price, total {total}", priced("gpk", np.diag(np.linspace(0.1, 0.5, 6)), total)
        yield f"every column at a price, total {total}", priced(each("tk"), 0.4, total)
    yield "searched and penalised", ["gaussian", Costly(KERNELS)]


FAMILIES = dict(families())


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("criterion", ["svc", "ridge", "nu-svc", "three classes"])
def test_both_solvers_close_the_gap_and_agree(name, criterion):
    X, y, signal = rows()
    family = FAMILIES[name]
    target = {"ridge": signal, "three classes": np.digitize(signal, [-0.3, 0.8])}.get(criterion, y)
    if criterion == "three classes":
        criterion = {"name": "svc", "C": 3.0}
    free = "None" in name or "cone" in name
    if free and "square" not in name and criterion == "nu-svc":
        with pytest.raises(Refused, match="it fixes the size of its dual variables"):
            kernelopt.solve(X, target, family=family, criterion=criterion)
        return
    solutions = [
        kernelopt.solve(X, target, family=family, criterion=criterion, solver=solver, tol=1e-6, scale="paper")
        for solver in ("ipm", "fw")
    ]
    for solution in solutions:
        assert solution.status.converged, solution.status
    one, other = (solution.certificate for solution in solutions)
    assert meet(one, other, 1e-9)


@pytest.mark.parametrize("rule", [Norm, Square, Price])
@pytest.mark.parametrize("total", [1.0, None])
def test_the_optimum_is_that_of_a_plain_descent_over_libsvm(rule, total):
    """min over w of R(w) + libsvm's objective at K(w), by a method that shares nothing with ours."""
    X, y, _ = rows()
    few = KERNELS[:2]
    family = (
        priced(Dictionary(few, normalize=None), [0.5, 1.5], total)
        if rule is Price
        else Costly(few, normalize=None, rule=rule, rho=2.0, sum=total)
    )
    R = Price(np.array([0.5, 1.5])) if rule is Price else family.penalty
    D = ((X[:, None] - X) ** 2).sum(axis=2)
    grams = [np.exp(-0.05 * D), np.exp(-0.4 * D)]

    def objective(x):
        w = x * x / (x @ x) if total else x * x
        K = w[0] * grams[0] + w[1] * grams[1]
        machine = SVC(C=2.0, kernel="precomputed", tol=1e-9).fit(K, y)
        v = np.zeros(len(y))
        v[machine.support_] = machine.dual_coef_[0]
        return R.value(w) + np.abs(v).sum() - 0.5 * v @ K @ v

    found = min(
        minimize(objective, start, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-10}).fun
        for start in ([0.2, 1.0], [2.0, 0.3])
    )
    solution = kernelopt.solve(
        X, y, family=family, criterion={"name": "svc", "C": 2.0}, solver="ipm", tol=1e-7, scale="paper"
    )
    assert solution.status.converged
    assert solution.certificate.upper == pytest.approx(found, rel=1e-5)


def test_a_price_of_nothing_changes_nothing_and_a_high_one_chooses():
    X, y, _ = rows()
    free = kernelopt.solve(X, y, family=Dictionary(KERNELS), solver="ipm", tol=1e-7)
    nothing = kernelopt.solve(X, y, family=priced(Dictionary(KERNELS), 0.0, 1.0), solver="ipm", tol=1e-7)
    assert nothing.certificate.upper == pytest.approx(free.certificate.upper, rel=1e-6)
    dear = kernelopt.solve(X, y, family=priced(Dictionary(KERNELS), [0, 1e6, 1e6, 1e6], 1.0), solver="ipm", tol=1e-7)
    assert dear.mixture.parts[0].weights.max() == pytest.approx(1.0, abs=1e-6)


def test_the_price_of_a_cone_scales_with_the_kernel():
    """Kernels t times as large at t times the price are the same problem."""
    X, y, _ = rows()
    prices = np.array([0.5, 1.0, 0.2, 2.0])
    one, ten = (
        kernelopt.solve(X, y, family=priced(Dictionary(KERNELS), t * prices), solver="ipm", scale=t, tol=1e-7)
        for t in (1.0, 10.0)
    )
    assert ten.certificate.upper == pytest.approx(one.certificate.upper, rel=1e-6)


@pytest.mark.parametrize("price", [-1.0, 0.0, [1.0, 2.0, 0.0, 1.0]])
def test_kernels_that_cost_nothing_are_refused_without_a_total(price):
    X, y, _ = rows()
    with pytest.raises(kernelopt.Refused, match="so that larger is always better; take prices above 0"):
        kernelopt.solve(X, y, family=priced(Dictionary(KERNELS), price), criterion="svc")
    limited = kernelopt.solve(X, y, family=priced(Dictionary(KERNELS), price, total=1.0), criterion="svc")
    assert limited.certificate.lower > -np.inf


def test_certify_and_start_take_masses_other_than_one():
    X, y, _ = rows()
    family = Costly(KERNELS, sum=2.5)
    s = kernelopt.solve(X, y, family=family, solver="fw", tol=1e-6)
    assert s.mixture.mass == pytest.approx(2.5)
    again = kernelopt.certify(X, y, family=family, criterion="svc", mixture=s.mixture)
    assert again.relative_gap <= 1e-5
    warm = kernelopt.solve(X, y, family=family, solver="ipm", tol=1e-6, start=s)
    assert warm.status.converged


@pytest.mark.parametrize(
    ("family", "message"),
    [
        (lambda: priced("tk", np.eye(3)), "tk got a price of shape (3, 3), wanted a number or a symmetric"),
        (lambda: priced(Dictionary(KERNELS), [1.0, 2.0]), "wanted a number or one for each of the 4 atoms"),
        (lambda: priced("gaussian", 1.0), "neither a finite list nor a matrix family"),
        (lambda: priced(Costly(KERNELS), 1.0), "has a price of its own"),
        (lambda: priced(priced("tk", 1.0), 1.0), "without a price; apply priced"),
        (lambda: priced("tk", np.nan), "finite number"),
        (lambda: priced("tk", 1.0, -1.0), "positive number or None"),
    ],
)
def test_prices_that_make_no_sense_are_refused(family, message):
    X, y, _ = rows()
    with pytest.raises(InvalidOption) as error:
        kernelopt.solve(X, y, family=family())
    assert message in str(error.value)
