"""Targets in other units: the same kernel is learned, and predictions are in these units."""

import re

import numpy as np
import pytest

import kernelopt

UNITS = [2.0**-14, 2.0**14]
"""Powers of 2: what is multiplied by them is rounded as before."""


def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, np.sin(X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=60), rng.normal(size=(20, 3))


def test_the_default_learns_the_same_function():
    """It grows the same kernels in as many steps, from the same start."""
    X, y, Z = data()
    plain = kernelopt.solve(X, y)
    for unit in UNITS:
        other = kernelopt.solve(X, unit * y)
        assert other.steps == plain.steps
        np.testing.assert_allclose(other.predict(Z), unit * plain.predict(Z), rtol=1e-9)
        assert other.objective == pytest.approx(plain.objective + len(y) * np.log(unit), rel=1e-9)


@pytest.mark.parametrize("name", ["list", "features", "tk"])
def test_a_run_begins_at_the_same_kernel(name, family, posed_rows):
    X, y, _ = data()
    problem, other = posed_rows(family(name), X, y), posed_rows(family(name), X, 1e6 * y)
    gram = problem.gram(problem.center())
    size = problem.criterion.size(problem, gram)
    assert other.criterion.size(other, gram) == pytest.approx(1e12 * size, rel=1e-6)


@pytest.mark.parametrize("family", ["auto", "tk"])
def test_the_kernel_is_told_in_any_unit(family):
    """As many members with weights, none of them 0.000 or a long row of digits."""
    X, y, _ = data()
    criterion = kernelopt.Evidence(effort="quick")
    plain, *others = (
        str(kernelopt.solve(X, unit * y, family=family, criterion=criterion).kernel) for unit in (1.0, 1e-6, 1e6)
    )
    for words in others:
        assert words
        assert plain.count("weight") == words.count("weight")
        assert "0.000 " not in words
        assert max(map(len, re.findall(r"[\d.]+", words))) <= 9


@pytest.mark.parametrize("unit", [1e-4, 1e4])
def test_kernels_in_other_units_are_learned_as_well(unit):
    """Far from the size of the targets, and with no factor of a scale that brings them there."""
    X, y, _ = data()
    cubic = kernelopt.Dictionary([("poly", {"degree": 3})], normalize=None)
    s = kernelopt.solve(unit * X, y, family=cubic, criterion="evidence", scale=1.0, max_steps=20)
    assert np.isfinite([s.certificate.lower, s.certificate.upper]).all()
