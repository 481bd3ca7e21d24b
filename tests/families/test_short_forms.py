"""Sums over rows in their short forms are the sums over rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelopt
from kernelopt._families._mixture import Part
from kernelopt._families.dictionary.grams._short_forms import ColumnFunction, QuadraticFunction, Widths
from kernelopt._families.dictionary.kernels._base_kernels import ColumnKernel
from kernelopt._families.dictionary.kernels._closed_form import Power
from kernelopt._families.dictionary.seen._coded_columns import Coded, Span

ROUNDING = 2e-12
"""Of a sum, as a share of what it would be without signs."""


@settings(max_examples=25, derandomize=True)
@given(
    seed=st.integers(0, 2**31),
    gammas=st.lists(st.floats(1e-4, 1e2), min_size=1, max_size=4),
    size=st.floats(1e-3, 1e3),
    whole=st.booleans(),
)
def test_gaussians_of_one_column_are_a_function_of_it(seed, gammas, size, whole):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=40) if not whole else rng.integers(-3, 4, size=40).astype(float)
    V, z = rng.normal(size=(40, 2)), np.append(rng.uniform(-4.0, 4.0, size=50), [1e6, -1e6])
    x, z = size * x, size * z
    widths = Widths(np.array(gammas), rng.uniform(0.1, 1.0, size=len(gammas)))
    function = ColumnFunction.of(widths, x, V)
    if function is None:
        assert size * size * max(gammas) > 100.0
        return
    scale = widths.weights.sum() * np.abs(V).sum(axis=0)
    assert np.abs(function.at(z[:, None]) - widths.summed(z, x, V)).max() <= ROUNDING * scale.max()


@pytest.mark.parametrize("normalize", ["trace", "variance", "diagonal", None])
def test_a_list_predicts_as_its_kernels_do(normalize):
    rng = np.random.default_rng(0)
    X, Z, V = rng.normal(size=(60, 3)), 2.0 * rng.normal(size=(30, 3)), rng.normal(size=(60, 2))
    names = ["linear", ("poly", {"degree": 2}), ("poly", {"degree": 3}), ("rbf", {"gamma": 0.3}), "laplacian"]
    alone = [ColumnKernel(("rbf", {"gamma": gamma}), 1) for gamma in (0.1, 3.0)]
    family = kernelopt.Dictionary([*names, *alone], normalize=normalize, rescale="standard").prepare(X, np.ones(60))
    part = Part(np.arange(7.0)[:, None], rng.uniform(0.1, 1.0, size=7))
    sizes = family.cross(part, Z, X) @ np.abs(V)
    assert family.function(part, X, V)(Z) == pytest.approx(family.cross(part, Z, X) @ V, abs=1e-11 * sizes.max())


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6, 1e12])
@pytest.mark.parametrize("normalize", ["trace", "variance", None])
def test_a_list_predicts_as_its_kernels_do_in_any_unit(normalize, unit):
    """A linear kernel of columns in small units has large values, and counts with a small weight."""
    rng = np.random.default_rng(0)
    X, Z, V = unit * rng.normal(size=(60, 3)), unit * rng.normal(size=(30, 3)), rng.normal(size=(60, 2))
    wide = ("rbf", {"gamma": 0.3 / unit**2})
    family = kernelopt.Dictionary([wide, "linear"], normalize=normalize, rescale=None).prepare(X, np.ones(60))
    weights = [1.0, 1.0 if normalize else unit**-2]
    part = Part(np.arange(2.0)[:, None], np.array(weights))
    right = family.cross(part, Z, X) @ V
    assert family.function(part, X, V)(Z) == pytest.approx(right, rel=1e-9, abs=1e-9 * np.abs(right).max())


@pytest.mark.parametrize("unit", [1.0, 1e6])
def test_an_answer_is_as_good_in_any_unit(unit):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + 0.1 * rng.normal(size=40)
    family = kernelopt.Dictionary([("rbf", {"gamma": 1.0 / unit**2}), "linear"])
    solution = kernelopt.solve(unit * X, y, family=family, criterion="svr")
    values = solution.kernel(unit * X, solution.support_vectors) @ solution.dual_coef
    difference = solution.predict(unit * X) - values[:, 0]
    assert np.ptp(difference) <= 1e-9
    assert solution.score(unit * X, y) > 0.9


@pytest.mark.parametrize(("words", "outputs", "short"), [(3, 1, True), (15, 4, False), (200, 1, False)])
def test_a_quadratic_form_is_taken_where_it_is_less_work(words, outputs, short):
    """Of each row of indicators a kernel looks at one number, and a form of all columns at their square."""
    n = 300
    codes = np.random.default_rng(0).integers(0, words, size=(n, 1)).astype(np.int32)
    rows = Coded(np.zeros((n, 1)), np.array([0]), codes, np.ones((n, 1)), (Span(1, 1 + words),))
    V = np.random.default_rng(1).normal(size=(n, outputs))
    found = QuadraticFunction.of(Power(degree=2), 1.0, rows, V)
    assert (found is not None) == short
    assert QuadraticFunction.of(Power(degree=3), 1.0, rows, V) is None
    if found is not None:
        X = rows.dense
        np.testing.assert_allclose(found.at(X), (X @ X.T / X.shape[1] + 1.0) ** 2 @ V, rtol=1e-10, atol=1e-10)


def test_a_kernel_without_weight_is_left_out():
    rng = np.random.default_rng(1)
    X, Z = rng.normal(size=(20, 2)), rng.normal(size=(7, 2))
    seen = []

    def ones(rows, others):
        seen.append(len(rows))
        return np.ones((len(rows), len(others)))

    family = kernelopt.Dictionary(["linear", ones], normalize=None)
    for weight, asked in ((1e-12, False), (1.0, True)):
        part = Part(np.array([[0.0], [1.0]]), np.array([1.0, weight]))
        family.function(part, X, np.ones((20, 1)))(Z)
        assert (len(Z) in seen) == asked
