"""Dual sets in which some variables are held: which move, and what a sample stands for."""

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt._coupling import TensorCoupling, WeightCoupling
from kernelopt._leaf import Leaf
from kernelopt._problem import Problem
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
    outputs = narrowed(problem, response, gram, 10)
    assert sum(np.count_nonzero(qp.lower < qp.upper) for qp in outputs) < 0.5 * 360
    again = attrs.evolve(problem, outputs=outputs).respond(problem.center())
    value = sum(dual.objective for dual in response.duals)
    assert sum(dual.objective for dual in again.duals) == pytest.approx(value, rel=1e-6)
    assert narrowed(problem, response, gram, 120) == problem.outputs


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
