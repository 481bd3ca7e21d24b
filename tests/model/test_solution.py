"""What a solution says of itself, and the model that is kept of it."""

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt.testing import small_task


@pytest.fixture(name="solved", scope="module")
def _solved():
    X, y = small_task("classification")
    return X, y, kernelopt.solve(X, y, family=["dictionary", "delta"], criterion="svc", tol=1e-4)


def test_a_model_predicts_as_its_solution_to_the_bit(solved):
    X, y, s = solved
    assert np.array_equal(s.model.decision_function(X), s.decision_function(X))
    assert np.array_equal(s.model.predict(X), s.predict(X))
    assert s.model.score(X, y) == s.score(X, y) == np.mean(s.predict(X) == y)


def test_numbers_and_words_agree(solved):
    _, _, s = solved
    assert s.objective == s.certificate.upper
    assert s.gain == pytest.approx((s.baseline - s.objective) / s.baseline)
    assert f"{s.gain:.1%}" in s.gained
    assert "lowered" in s.gained
    assert s.gained in str(s)
    better = attrs.evolve(s, baseline=0.5 * s.objective)
    assert "raised this objective by 100.0%" in better.gained
    assert s.steps == s.trace[-1].step
    assert len(s.support) == len(s.support_vectors) == s.support_counts[0]
    assert np.array_equal(s.dual_coef, s.coefficients[s.response.support])


def test_the_core_says_why_it_stopped(solved):
    _, _, s = solved
    assert s.status.converged
    assert str(s).startswith(f"{s.status.name}: {s.status.advice}")
