"""Dual sets in which some variables are held: which move, and what a sample stands for."""

import numpy as np
import pytest
from kernelopt_cosine import Cosine

import kernelopt
from kernelopt._families._coupling import TensorCoupling, WeightCoupling
from kernelopt._families._leaf import Leaf
from kernelopt._saddle._problem import Problem
from kernelopt.interior import cheaper_by_parameters, narrowed, thinned
from kernelopt.testing import Affine


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.argmax(np.column_stack([X, 0.3 * rng.normal(size=120)]), axis=1)
    criterion = kernelopt.SVC(C=1.0)
    outputs = criterion.outputs(np.where(y[:, None] == np.arange(3), 1.0, -1.0), np.ones((120, 3)))
    leaf = Leaf(Affine().prepare(X, np.ones(120)), np.arange(2))
    return Problem((leaf,), (leaf.family.bind(X),), criterion, outputs, accuracy=1e-8)


def test_the_answer_is_one_of_the_narrowed_dual_sets_too(problem):
    """No free variable is held, and every held one stands where the answer has it: the same kernel, the same value."""
    response = problem.respond(problem.center())
    gram = problem.gram(response.mixture)
    held = narrowed(problem, response, gram, 10)
    assert held.chosen is None
    assert sum(np.count_nonzero(qp.lower < qp.upper) for qp in held.problem.outputs) < 0.5 * 360
    assert value(held.problem.respond(problem.center())) == pytest.approx(value(response), rel=1e-6)
    assert narrowed(problem, response, gram, 120).problem.outputs == problem.outputs


@pytest.mark.parametrize("criterion", [kernelopt.SVC(C=1.0), kernelopt.Margin()], ids=["svc", "margin"])
def test_rows_leave_where_families_bind_nothing_else(criterion):
    """The problem on the rows that matter has the same value, and its alpha is that of all rows."""
    problem = separable(criterion)
    response = problem.respond(problem.center())
    held = narrowed(problem, response, problem.gram(response.mixture), 10)
    few = held.problem
    assert len(few.data[0]) == few.n == len(held.chosen.rows) < 0.5 * problem.n
    assert value(few.respond(few.center())) == pytest.approx(value(response), rel=1e-6)
    alphas = held.spread(problem, held.taken(response.duals))
    assert np.abs(alphas[0] - response.duals[0].alpha).max() < 1e-4
    assert narrowed(problem, response, problem.gram(response.mixture), problem.n).problem is problem


def test_a_sample_is_a_problem_of_its_own_where_families_bind_rows():
    problem = separable(kernelopt.SVC(C=0.02))
    small = thinned(problem, 40, 0)
    assert len(small.data[0]) == small.n == 40
    assert small.outputs[0].upper == pytest.approx(5.0 * problem.outputs[0].upper[:40])
    assert small.respond(small.center()).converged


def value(response):
    return sum(dual.objective for dual in response.duals)


def separable(criterion):
    """Two classes with a gap between them, for features and a ridge."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = np.sign(X[:, :1])
    X[:, :1] += 0.5 * y
    families = (Cosine(rescale=None).prepare(X, np.ones(200)), kernelopt.Delta())
    leaves = tuple(Leaf(family, np.arange(2)) for family in families)
    outputs = criterion.outputs(y, np.ones((200, 1)))
    return Problem(leaves, (X, X), criterion, outputs, accuracy=1e-8)


def test_a_sample_on_the_same_rows_stands_for_all(problem):
    small = thinned(problem, 40, 0)
    for qp, whole in zip(small.outputs, problem.outputs, strict=True):
        drawn = qp.upper > qp.lower
        assert np.count_nonzero(drawn) == 40
        assert qp.upper[drawn] == pytest.approx(3.0 * whole.upper[drawn])
        assert not qp.upper[~drawn].any()
        assert np.mean(qp.coefficient[drawn] > 0.0) == pytest.approx(np.mean(whole.coefficient > 0.0), abs=0.03)
    drawn = [qp.upper > qp.lower for qp in small.outputs]
    assert (drawn[0] == drawn[1]).all()
    assert (drawn[0] == drawn[2]).all()
    assert small.respond(small.center()).converged


def test_tensors_make_the_whole_matrix_dearer():
    rows, sizes = (200,) * 10, ((56, 56),)
    assert not cheaper_by_parameters(rows, sizes, (WeightCoupling(np.zeros((2000, 3))),))
    assert cheaper_by_parameters(rows, sizes, (TensorCoupling(np.zeros((2, 56, 56))),))
    assert not cheaper_by_parameters((2000,), sizes)
