"""Sums of Grams that are not formed: their entries, and the engine on the samples near the margin."""

from functools import partial

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt._linalg._gram_sum import Sum
from kernelopt.dual import maximise, maximise_near, method_for
from kernelopt.plugin import Dense, LowRank, Mixture
from kernelopt.testing import every_criterion, make_problem, small_task

CRITERIA = every_criterion()
LISTED = kernelopt.Dictionary([*(("rbf", {"gamma": g}) for g in (0.1, 0.5, 2.0)), "linear"], normalize="trace")


def task(name, n=150, weight=(0.5, 0.0, 0.2, 0.1, 0.2)):
    """A problem of a list and the identity, and a mixture of its kernels."""
    criterion = CRITERIA[name]
    X, y = small_task(criterion.task, n)
    target = np.ones(n) if y is None else y
    problem = make_problem((LISTED, kernelopt.Delta()), X, target[:, None], criterion)
    center = problem.center()
    parts, weights = center.parts, np.split(np.array(weight), [4])
    return problem, Mixture(tuple(type(part)(part.atoms, w) for part, w in zip(parts, weights, strict=True)))


@pytest.mark.parametrize("support", [0, 5, 40])
def test_a_sum_has_the_entries_of_what_it_adds_up(support):
    rng = np.random.default_rng(support)
    A, F = rng.normal(size=(40, 40)), rng.normal(size=(40, 3))
    terms = (Dense(A @ A.T), LowRank(F, 0.5), Dense(np.asfortranarray(F @ F.T)))
    gram, weights = Sum(terms, np.array([0.3, 2.0, 0.1])), (0.3, 2.0, 0.1)
    K = sum(w * term.dense() for w, term in zip(weights, terms, strict=True))
    V = np.zeros((40, 2))
    V[:support] = rng.normal(size=(support, 2))
    rows, columns = rng.integers(0, 40, 6), rng.integers(0, 40, 9)
    for got, wanted in (
        (gram.dense(), K),
        (gram.diag(), np.diagonal(K)),
        (gram.rows(rows), K[rows]),
        (gram.block(rows, columns), K[np.ix_(rows, columns)]),
        (gram.apply(V), K @ V),
        (gram.apply(V[:, 0]), K @ V[:, 0]),
        (gram.scaled(0.5).dense(), 0.5 * K),
    ):
        np.testing.assert_allclose(got, wanted, atol=1e-11)


def test_a_product_that_is_known_is_not_formed_again():
    rng = np.random.default_rng(0)
    A, V = rng.normal(size=(40, 40)), rng.normal(size=(40, 2))
    plain = Sum((Dense(A @ A.T),), np.array([0.3]))
    told = rng.normal(size=(40, 2))  # no product of this Gram: whoever is given it was not computing
    known = attrs.evolve(plain, known=(V, told))
    for c in range(2):
        np.testing.assert_array_equal(known.apply(V[:, c]), told[:, c])
        np.testing.assert_array_equal(known.scaled(0.5).apply(V[:, c]), 0.5 * told[:, c])
    other = V[:, 0] + 1.0
    np.testing.assert_array_equal(known.apply(other), plain.apply(other))
    np.testing.assert_array_equal(known.apply(V), plain.apply(V))
    known.apply(V[:, 0])[:] = 0.0
    np.testing.assert_array_equal(known.apply(V[:, 0]), told[:, 0])


@pytest.mark.parametrize("name", ["svc", "ridge"])
def test_a_ceiling_from_known_forms_is_the_one_that_the_families_give(name):
    problem, mixture = task(name)
    response = problem.respond(mixture)
    forms = [leaf.linear.form(data, response.V) for leaf, data in zip(problem.leaves, problem.data, strict=True)]
    asked, told = problem.ceiling(response.duals), problem.ceiling(response.duals, forms=forms)
    assert told.lower == pytest.approx(asked.lower, rel=1e-12)
    assert told.exact == asked.exact
    np.testing.assert_allclose(told.values, asked.values, rtol=1e-12)
    for mine, theirs in zip(told.atoms, asked.atoms, strict=True):
        np.testing.assert_array_equal(mine.atoms, theirs.atoms)
    assert problem.ceiling(response.duals, forms=[2.0 * form for form in forms]).lower < told.lower


def test_the_unformed_gram_of_a_mixture_is_its_gram_and_holds_what_the_family_holds():
    problem, mixture = task("svc")
    gram = problem.unformed(mixture)
    np.testing.assert_allclose(gram.dense(), problem.gram(mixture).dense(), atol=1e-12)
    stored = [term.matrix for term in gram.terms if isinstance(term, Dense)]
    assert stored
    assert all(np.shares_memory(K, problem.data[0]) for K in stored)


@pytest.mark.parametrize("name", list(CRITERIA))
@pytest.mark.parametrize("warm", ["cold", "near"])
def test_the_samples_near_the_margin_lead_to_the_optimum_of_the_whole(name, warm):
    problem, mixture = task(name)
    criterion, (qp,) = problem.criterion, problem.outputs
    dense, gram = problem.gram(mixture), problem.unformed(mixture)
    assert method_for(gram) is maximise_near
    whole = maximise(qp, dense, partial(criterion.primal, qp, dense), accuracy=1e-8)
    start = None if warm == "cold" else whole.alpha * np.random.default_rng(0).uniform(0.9, 1.0, size=qp.size)
    dual = maximise_near(qp, gram, partial(criterion.primal, qp, gram), start, accuracy=1e-6)
    size = abs(whole.h) + 0.5 * whole.quad
    assert dual.converged
    assert qp.violation(dual.alpha) <= 1e-9 * (1.0 + np.abs(dual.alpha).sum())
    assert dual.upper - dual.objective <= 1e-6 * max(abs(dual.upper), abs(dual.objective))
    assert dual.objective <= whole.upper + 1e-9 * size
    assert dual.upper >= whole.objective - 1e-9 * size
    assert dual.quad == pytest.approx(float(dual.v @ dense.apply(dual.v)), rel=1e-9)


def test_an_answer_from_a_dual_point_forms_the_block_near_the_margin_alone(monkeypatch):
    problem, mixture = task("svc", 600)
    response = problem.respond(mixture)
    sizes = []
    block = Sum.block
    monkeypatch.setattr(Sum, "block", lambda self, r, c: sizes.append((len(r), len(c))) or block(self, r, c))
    monkeypatch.setattr(Sum, "dense", None)
    after = mixture.parts[0].weights + np.array([0.02, 0.0, -0.02, 0.0])
    near = Mixture((type(mixture.parts[0])(mixture.parts[0].atoms, after), mixture.parts[1]))
    again = problem.respond_gram(near, problem.unformed(near), response.duals)
    assert again.converged
    assert sizes
    assert max(max(size) for size in sizes) < 600
    assert again.upper == pytest.approx(problem.respond(near).upper, rel=1e-5)
