"""An answer has as few support vectors as its kernel needs, however many rows there are, and proves no less for it."""

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt._saddle._polish import polished
from kernelopt.plugin import Budget
from kernelopt.testing import make_problem

RNG = np.random.default_rng(0)


def rows(n):
    X = RNG.normal(size=(n, 3))
    return X, np.where(X[:, 0] + X[:, 1] ** 2 > 0.7, 1.0, -1.0)


@pytest.mark.parametrize("criterion", [kernelopt.SVC(C=10.0), kernelopt.NuSVC(nu=0.2)], ids=["svc", "nu-svc"])
@pytest.mark.parametrize("n", [150, 600])
def test_variables_that_hover_near_a_bound_are_put_on_it(criterion, n):
    X, y = rows(n)
    problem = make_problem((kernelopt.fixed(("rbf", {"gamma": 0.5})),), X, y[:, None], criterion)
    sharp = attrs.evolve(problem, accuracy=1e-10)
    mixture = problem.center()
    best = sharp.respond(mixture)
    gram = problem.gram(mixture)
    qp = problem.outputs[0]
    # What an interior point leaves: every variable a little off both of its bounds.
    inner = np.clip(best.duals[0].alpha, qp.lower + 1e-7 * qp.upper, qp.upper - 1e-7 * qp.upper)
    hovering = problem.assess(mixture, (inner,), gram)
    assert len(hovering.support) == n
    assert best.support_size == len(best.support)
    assert abs(hovering.support_size - best.support_size) <= 2, "what hovers is told as what it is about to be"
    found = polished(problem, hovering, gram, Budget())
    assert len(found.support) <= len(best.support) + 2
    assert found.upper <= hovering.upper + 1e-6 * abs(hovering.upper)
