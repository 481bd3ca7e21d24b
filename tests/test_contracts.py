"""The contracts, proved: three kinds of leaves through Frank-Wolfe, an exchange and a naive interior point.

The interior point here is Newton's method on the log barrier of the saddle. It shares nothing with the library's, and
knows of a family only `couple`, and the two spellings of a kernel.
"""

import numpy as np
import pytest
import scipy.linalg

from kernelopt import SVC, Delta, Mixture, Part
from kernelopt._families._matrix import MatrixFamily
from kernelopt._plugins._registry import resolve
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._loop import run
from kernelopt._solvers._exchange import Exchange
from kernelopt.plugin import Query
from kernelopt.testing import Columns, Waves, default_examples, make_problem, two_classes

EXAMPLES = pytest.mark.parametrize("example", default_examples(), ids=lambda example: example.name)
OF_ONE_OUTPUT = pytest.mark.parametrize(
    "example", [one for one in default_examples() if one.y.shape[1] == 1], ids=lambda example: example.name
)


class Parameters:
    """One leaf's parameters as a positive definite matrix (diagonal for a list), in coordinates E_j."""

    def __init__(self, leaf, data):
        self.leaf, self.data = leaf, data
        self.full = isinstance(leaf.family, MatrixFamily)
        size = leaf.family.order if self.full else len(leaf.family.dictionary().atoms)
        pairs = zip(*np.triu_indices(size), strict=True) if self.full else zip(range(size), range(size), strict=True)
        self.units = np.array([np.where(np.eye(size)[[a]].T @ np.eye(size)[[b]] > 0, 1.0, 0.0) for a, b in pairs])
        self.units = np.maximum(self.units, self.units.transpose(0, 2, 1))

    def spelled(self, S):
        return S if self.full else np.diagonal(S)

    def part(self, S):
        return self.leaf.family.part(S) if self.full else Part(self.leaf.family.dictionary().atoms, np.diagonal(S))

    def couple(self, v):
        return self.leaf.family.couple(self.data, self.leaf.factor * v)


def naive_interior_point(problem, rounds=80):
    """Newton on h - 1/2 v'Kv + mu sum log(alpha) + mu sum log(C - alpha) - mu log det S, mu -> 0."""
    (qp,), y, n = problem.outputs, problem.outputs[0].sign, problem.n
    leaves = [Parameters(leaf, data) for leaf, data in zip(problem.leaves, problem.data, strict=True)]
    size = sum(leaf.units.shape[1] for leaf in leaves)
    S = [np.eye(leaf.units.shape[1]) / size for leaf in leaves]
    alpha, b, tau, mu = 0.5 * qp.upper, 0.0, 1.0, 1.0
    for _ in range(rounds):
        v, C = y * alpha, qp.upper
        couplings = [leaf.couple(v) for leaf in leaves]
        K = problem.gram(Mixture(tuple(leaf.part(s) for leaf, s in zip(leaves, S, strict=True)))).dense()
        columns, price, traces, blocks = [], [], [], []
        for leaf, coupling, s in zip(leaves, couplings, S, strict=True):
            D = coupling.adjoint(v) if leaf.full else np.diag(coupling.adjoint(v))
            columns += [coupling.apply(leaf.spelled(E)) for E in leaf.units]
            price += [np.vdot(-0.5 * D - mu * np.linalg.inv(s), E) for E in leaf.units]
            traces += [np.trace(E) for E in leaf.units]
            moved = np.linalg.solve(s, leaf.units) @ np.linalg.inv(s)
            blocks.append(mu * np.einsum("iab,jab->ij", moved, leaf.units))
        traces = np.array(traces)
        residual = np.concatenate(
            [
                1.0 - y * (K @ v) - b * y + mu / alpha - mu / (C - alpha),
                price + tau * traces,
                [-y @ alpha, sum(map(np.trace, S)) - 1.0],
            ]
        )
        bend = -K * np.outer(y, y) - np.diag(mu / alpha**2 + mu / (C - alpha) ** 2)
        cross = np.block([[-y[:, None] * np.column_stack(columns)]])
        border = np.block([[-y[:, None], np.zeros((n, 1))], [np.zeros((len(traces), 1)), traces[:, None]]])
        inner = np.block([[bend, cross], [cross.T, scipy.linalg.block_diag(*blocks)]])
        step = np.linalg.solve(np.block([[inner, border], [border.T, np.zeros((2, 2))]]), -residual)
        shift = np.split(step[n:-2], np.cumsum([len(leaf.units) for leaf in leaves])[:-1])
        dS = [np.tensordot(x, leaf.units, 1) for x, leaf in zip(shift, leaves, strict=True)]
        t = 1.0
        while not _inside(alpha + t * step[:n], C, [s + t * d for s, d in zip(S, dS, strict=True)]):
            t *= 0.7
        alpha, b, tau = alpha + t * step[:n], b + t * step[-2], tau + t * step[-1]
        S = [s + t * d for s, d in zip(S, dS, strict=True)]
        mu *= 0.4 if t == 1.0 else 1.0
        if mu < 1e-9:
            break
    return alpha, Mixture(tuple(leaf.part(s / sum(map(np.trace, S))) for leaf, s in zip(leaves, S, strict=True)))


def _inside(alpha, C, S):
    return (alpha > 0).all() and (alpha < C).all() and all(np.linalg.eigvalsh(s)[0] > 0 for s in S)


@OF_ONE_OUTPUT
def test_a_naive_interior_point_needs_no_more_than_couple(example):
    alpha, mixture = naive_interior_point(example.problem)
    upper = example.problem.assess(mixture, (alpha,)).upper
    lower = example.problem.ceiling(example.problem.points((alpha,))).lower
    assert lower == pytest.approx(example.optimum, rel=1e-5)
    assert upper == pytest.approx(example.optimum, rel=1e-5)


@EXAMPLES
@pytest.mark.parametrize(("name", "tol"), [("fw", 1e-6), ("ipm", 1e-6), ("plain-fw", 0.2)])
def test_every_solver_meets_it(example, name, tol):
    _meets(example, resolve("solver", name), tol)


@EXAMPLES
@pytest.mark.parametrize("name", ["ipm", "smo"])
def test_an_exchange_lifts_a_solver_of_lists(example, name):
    _meets(example, Exchange(resolve("solver", name)), 1e-4)


def _meets(example, solver, tol):
    problem = example.problem
    start = problem.respond(problem.center())
    certificate = run(problem, solver, start, Limits(tol, None, 200, None)).bounds.certificate
    assert certificate.relative_gap <= tol
    assert certificate.lower <= example.optimum * (1 + 1e-6)
    assert certificate.upper >= example.optimum * (1 - 1e-6)


@pytest.mark.parametrize("factor", [0.5, 3.0])
def test_a_union_has_the_largest_ceiling_of_its_members(factor):
    """An estimate makes the union's ceiling an estimate; the leaves' factors decide who is largest."""
    X, y = two_classes(np.random.default_rng(3), 20, 2)
    members = (Waves(), Columns(), Delta())
    problem = make_problem(members, X, y, SVC(2.0), factor)
    points = problem.points((np.random.default_rng(4).uniform(0.0, 2.0, size=20),))
    union = problem.ceiling(points, Query(above=0.1))
    alone = [make_problem((one,), X, y, SVC(2.0), factor).ceiling(points) for one in members]
    np.testing.assert_allclose(union.values, [one.values[0] for one in alone])
    plain = make_problem(members, X, y, SVC(2.0)).ceiling(points)
    np.testing.assert_allclose(union.values, factor * plain.values)
    assert union.lower == pytest.approx(min(one.lower for one in alone))
    assert union.values[union.best[0]] == union.values.max()
    assert [one.exact for one in alone] == [False, True, True]
    assert not union.exact
