"""Cones by solvers of one total: a search for the total, against optima that are known without it."""

from functools import cache
from types import SimpleNamespace

import attrs
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import kernelopt
from kernelopt import Alignment, Dictionary, Refused, Status, priced
from kernelopt._api._build import make_problem
from kernelopt._api._choose import leaves_for
from kernelopt._api.data._training import admit
from kernelopt._linalg._log_root import Root
from kernelopt._saddle._remarks import endless
from kernelopt._solvers._total_search import worth
from kernelopt.testing import every_price, meet, small_task

SOLVERS = {"smo": 1e-4, "simplemkl": 1e-4, "plain-fw": 0.1}
"""The gap that each is asked for."""
REFUSED = {
    ("norm, total None", "smo"): "smo takes only kernels without a price",
    ("square, total None", "smo"): "smo takes only kernels without a price",
    ("a cone of a union", "smo"): "tk is not a finite list of atoms",
    ("a cone of a union", "simplemkl"): "tk is not a finite list of atoms",
}


def cones():
    return {name: family for name, family in every_price("tk", [None]).items() if "cone" in name or "None" in name}


@pytest.mark.parametrize("solver", sorted(SOLVERS))
@settings(max_examples=15)
@given(exponent=st.floats(-4.0, 4.0), noise=st.sampled_from([1e-3, 0.1, 1.0]))
def test_the_size_of_one_kernel_is_that_of_the_closed_form(solver, exponent, noise):
    """1/2 |y|^2 / (t + noise) + p t is least at t = |y| / (2p)^1/2 - noise, or at 0."""
    y, price = np.linspace(-1.0, 2.0, 12), 10.0**exponent
    s = kernelopt.solve(
        np.arange(12.0)[:, None],
        y,
        family=priced("delta", price, None),
        solver=solver,
        criterion=kernelopt.Ridge(lam=noise / len(y)),
        tol=1e-6,
        scale="paper",
    )
    t = max(np.sqrt(y @ y / (2.0 * price)) - noise, 0.0)
    value = 0.5 * y @ y / (t + noise) + price * t
    assert s.status is Status.CONVERGED, s
    assert s.certificate.lower <= value * (1.0 + 1e-9)
    assert value <= s.certificate.upper * (1.0 + 1e-9)


def of_cone(name, criterion, **options):
    X, y = small_task("classification" if criterion.endswith("svc") else "regression")
    return kernelopt.solve(X, y, family=cones()[name], criterion=criterion, scale="paper", **options)


@pytest.fixture(scope="module")
def inside():
    """From a cone and a criterion to the certificate of the interior point, which each solver is held against."""
    return cache(lambda name, criterion: of_cone(name, criterion, solver="ipm", tol=1e-6).certificate)


@pytest.mark.parametrize("solver", sorted(SOLVERS))
@pytest.mark.parametrize("criterion", ["svc", "ridge", "svr", "l2-svc"])
@pytest.mark.parametrize("name", sorted(cones()))
def test_every_cone_ends_where_the_interior_point_ends(name, criterion, solver, inside):
    if (name, solver) in REFUSED:
        with pytest.raises(Refused, match=REFUSED[name, solver]):
            of_cone(name, criterion, solver=solver)
        return
    ours = of_cone(name, criterion, solver=solver, tol=SOLVERS[solver])
    assert ours.status is Status.CONVERGED, ours
    assert meet(ours.certificate, inside(name, criterion))
    assert any("a search finds the best total" in note for note in ours.notes)


def test_a_kernel_that_costs_nothing_is_refused():
    X, y = small_task("classification")
    family = priced(Dictionary(["rbf", "linear"]), [1.0, 0.0], None)
    with pytest.raises(Refused, match=r"a price of 0, so that larger is always better; take prices above 0"):
        kernelopt.solve(X, y, family=family, solver="smo")


@pytest.mark.parametrize("solver", sorted(SOLVERS))
def test_a_start_without_any_kernel_is_none(solver):
    X, y = small_task("regression")
    options = {"family": priced("delta", 0.1, None), "criterion": "ridge", "solver": solver, "scale": "paper"}
    found = kernelopt.solve(X, y, **options)
    nothing = kernelopt.Mixture(tuple(part.scaled(0.0) for part in found.mixture.parts))
    again = kernelopt.solve(X, y, start=nothing, **options)
    assert again.status is Status.CONVERGED
    assert meet(again.certificate, found.certificate)


@pytest.mark.parametrize("solver", sorted(SOLVERS))
def test_a_kernel_that_is_nothing_costs_nothing_under_the_evidence(solver):
    X, y = small_task("regression")
    family = Dictionary([lambda X, Z: np.zeros((len(X), len(Z))), "rbf"], normalize=None)
    s = kernelopt.solve(X, y, family=family, criterion="evidence", solver=solver)
    assert s.status is Status.STATIONARY


@settings(max_examples=300)
@given(
    corner=st.floats(-3.0, 3.0),
    height=st.floats(0.05, 20.0),
    powers=st.tuples(st.floats(0.0, 60.0), st.floats(0.01, 60.0)).flatmap(st.permutations),
    start=st.floats(-6.0, 6.0),
    noise=st.floats(0.0, 0.5),
)
@example(corner=1.0, height=0.9921875, powers=(8.0, 0.01), start=0.0, noise=0.0)
@example(corner=0.0, height=0.98, powers=(1.0, 0.0), start=0.0, noise=0.5)
@example(corner=0.0, height=1.5, powers=(0.01, 60.0), start=-1.0, noise=0.0)
def test_the_root_of_any_falling_ratio_is_found(corner, height, powers, start, noise):
    """Flat and then steep, or the other way; and where the first ratios are not exact."""

    def ratio(log):
        slope = powers[0] if log < corner else powers[1]
        return float(np.exp(np.clip(np.log(height) - slope * (log - corner), -600.0, 600.0)))

    root, step = Root(float(np.exp(start))), 0
    while abs(ratio(np.log(root.size)) - 1.0) > 1e-3 and step < 80:
        root = root.moved(ratio(np.log(root.size)) * (1.0 + (noise if step < 5 else 0.0)))
        step += 1
    unreached = powers[0 if height < 1.0 else 1] < 0.2
    assert unreached or step < 80


def test_a_kernel_that_rounding_took_below_zero_is_worth_nothing():
    """v'Kv is a small difference of large numbers where hardly any kernel is left, and a worth has a logarithm."""
    leaf = SimpleNamespace(penalty=SimpleNamespace(gradient=np.ones_like), parameters=lambda part: part)
    problem = SimpleNamespace(leaves=(leaf,))
    response = SimpleNamespace(mixture=SimpleNamespace(parts=(np.ones(3),)), duals=(SimpleNamespace(quad=-1e-17),))
    assert worth(problem, response) == 0.0


@pytest.mark.parametrize("total", [1.0, None])
@pytest.mark.parametrize("solver", ["plain-fw", "simplemkl"])
def test_a_kernel_without_a_largest_dual_objective_is_told_of_and_what_is_advised_helps(solver, total):
    """The size of such a kernel does not matter: the search for it ends where it begins."""
    rng = np.random.default_rng(0)
    X, y = 1e-3 * rng.normal(size=(14, 1)), 2.7e6 + 1e4 * rng.normal(size=14)
    options = {"criterion": "alignment", "solver": solver}
    s = kernelopt.solve(X, y, family=priced(Dictionary(["linear"]), 1e-3, total), **options)
    assert s.status is Status.STALLED
    assert s.certificate.lower < s.certificate.upper == np.inf
    assert s.steps < 20
    assert [note for note in s.notes if note.startswith("certificate: there is no upper bound")]
    advised = kernelopt.solve(
        X, y, family=[priced(Dictionary(["linear"]), 1e-3, total), "delta"], criterion="alignment"
    )
    other = kernelopt.solve(X, y, family=priced(Dictionary(["linear"]), 1e-3, total), criterion="ridge", solver=solver)
    assert advised.status.converged
    assert other.status.converged


def test_an_upper_bound_that_is_missing_for_another_reason_is_not_told_of():
    """A kernel whose Gram is regular has a largest dual objective: who stopped before it was found knows why."""
    rng = np.random.default_rng(0)
    training = admit(rng.normal(size=(30, 2)), rng.normal(size=30), Alignment(), None, None)
    for kernel, regular in ((("rbf", {"gamma": 50.0}), True), ("linear", False)):
        leaves, _ = leaves_for(Dictionary([kernel]), training, "unit", Alignment())
        problem = make_problem(leaves, training, Alignment(), accuracy=1e-8, grams=2)
        found = attrs.evolve(problem.respond(problem.center()), upper=np.inf)
        assert (endless(problem, found) is None) == regular
