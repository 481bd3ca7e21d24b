"""Features by Cholesky's factorisation with pivots span the kernels of which few are enough, and say no of others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import pairwise_kernels

from kernelopt._families.dictionary._dictionary import Dictionary
from kernelopt._families.dictionary.grams._pivoted_cholesky import spanned
from kernelopt._families.dictionary.kernels._closed_form import Power, form_of

COLUMNS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "heavy tails": lambda rng, n: rng.standard_t(2, size=n),
    "few values": lambda rng, n: rng.integers(0, 5, size=n).astype(float),
    "one value": lambda _, n: np.ones(n),
    "far away": lambda rng, n: 1e3 + rng.uniform(size=n),
}


def features(name, options, X, most):
    form = form_of(name, options)
    return spanned(form, X, np.diagonal(pairwise_kernels(X, metric=name, **options)), most)


@pytest.mark.parametrize("column", COLUMNS)
@given(st.floats(-2.0, 1.0), st.integers(2, 300), st.integers(0, 2**31))
def test_features_of_a_column_are_its_gaussian(column, log_gamma, n, seed):
    X, options = COLUMNS[column](np.random.default_rng(seed), n)[:, None], {"gamma": 10.0**log_gamma}
    F = features("rbf", options, X, n)
    assert F is not None
    assert F.shape[1] <= len(np.unique(X))
    np.testing.assert_allclose(F @ F.T, np.exp(-options["gamma"] * (X - X.T) ** 2), atol=2e-14)


@pytest.mark.parametrize(
    ("name", "options", "rank"),
    [("linear", {}, 4), ("poly", {"degree": 2, "gamma": 0.25, "coef0": 0.0}, 10), ("poly", {"degree": 2}, 15)],
)
def test_features_of_polynomials_are_their_monomials(name, options, rank):
    X = np.random.default_rng(0).normal(size=(80, 4))
    F = features(name, options, X, 80)
    assert F.shape == (80, rank)
    wanted = pairwise_kernels(X, metric=name, **options)
    np.testing.assert_allclose(F @ F.T, wanted, atol=1e-12 * np.abs(wanted).max())
    assert features(name, options, X, rank - 1) is None


def test_a_gaussian_of_a_column_needs_no_more_features_for_more_rows():
    ranks = [features("rbf", {"gamma": 5.0}, np.linspace(-3.0, 3.0, n)[:, None], n).shape[1] for n in (200, 2000)]
    assert ranks[0] <= ranks[1] <= 60


@pytest.mark.parametrize(
    ("name", "options", "width", "few"),
    [
        ("rbf", {"gamma": 0.5}, 1, True),
        ("rbf", {"gamma": 0.5}, 2, False),
        ("rbf", {"gamma": -0.5}, 1, False),
        ("linear", {}, 7, True),
        ("poly", {"degree": 2}, 7, True),
        ("poly", {"degree": 9}, 7, False),
        ("poly", {"degree": 2, "coef0": -1.0}, 2, False),
        ("poly", {"degree": 2, "gamma": -1.0}, 2, False),
        ("poly", {"degree": 1.5}, 2, False),
        ("poly", {"degree": float("inf")}, 2, False),
    ],
)
def test_only_kernels_that_are_known_to_be_semidefinite_are_tried(name, options, width, few):
    assert (form_of(name, options).few(width) <= 128) is few


def test_the_sums_of_a_list_tell_features_from_tiles():
    X = np.random.default_rng(3).normal(size=(400, 3))
    family = Dictionary("auto").prepare(X, np.ones(400))
    data = family.sums(X)
    rest = [number for number in range(len(family.listed)) if number in data.tiles.numbers]
    assert rest == list(range(11)), "the Gaussians and the Laplacians of all columns"
    assert data.m == len(family.listed) == len(rest) + len(data.factors.ridges)


@pytest.mark.parametrize("degree", [1, 2, 3, 4, 7, 16, 17, 2.5])
def test_powers_by_products_are_powers(degree):
    base = np.random.default_rng(0).uniform(0.1, 3.0, size=(5, 4))
    out = np.empty_like(base)
    Power(degree=degree, gamma=0.5, coef0=1.0).written(base, 2, out)
    np.testing.assert_allclose(out, (0.5 * base + 1.0) ** degree, rtol=1e-14)
