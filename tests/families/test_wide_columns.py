"""Columns of very different sizes side by side: near rows keep the distance that the small ones say."""

import numpy as np
import pytest

import kernelopt
from kernelopt._families.dictionary.kernels._base_kernels import PlacedKernel
from kernelopt._families.dictionary.kernels._closed_form import evaluated, form_of
from kernelopt._families.dictionary.seen._places import Metric, Some
from kernelopt.plugin import Part

ALONE = Part(np.zeros((1, 1)), np.ones(1))
STEEP = [("rbf", {"gamma": 1e7}), ("exponential", {"gamma": 3e3})]


def rows(n, *, far=0.0):
    """A column of few values around 1e5, and two small ones."""
    rng = np.random.default_rng(0)
    return np.column_stack([1e5 * rng.integers(3, size=n), 3e-4 * rng.normal(size=(n, 2))]) + far


def wanted(kernel, X, metric=1.0):
    """By differences in extended precision."""
    name, options = kernel
    apart = np.sum(((X[:, None].astype(np.longdouble) - X) * metric) ** 2, axis=2)
    return np.exp(-options["gamma"] * (apart if name == "rbf" else np.sqrt(apart))).astype(float)


@pytest.mark.parametrize("kernel", STEEP, ids=lambda kernel: kernel[0])
@pytest.mark.parametrize("n", [40, 700])
def test_a_small_column_tells_rows_apart_that_agree_in_a_large_one(kernel, n):
    X, metric = rows(n), np.array([3.0, 2.0, 1.0])
    some, image = PlacedKernel(kernel, Some((2, 0), "two")), PlacedKernel(kernel, Metric(metric))
    for listed, exact in (
        (kernel, wanted(kernel, X)),
        (some, wanted(kernel, X[:, [2, 0]])),
        (image, wanted(kernel, X, metric)),
    ):
        family = kernelopt.Dictionary([listed], normalize=None, rescale=None).prepare(X, np.ones(n))
        np.testing.assert_allclose(family.cross(ALONE, X, X), exact, atol=1e-7)
        np.testing.assert_allclose(family.gram(ALONE, family.bind(X)).dense(), exact, atol=1e-7)


@pytest.mark.parametrize("kernel", STEEP, ids=lambda kernel: kernel[0])
def test_so_do_rows_far_from_0(kernel):
    X = rows(40)
    near = 2.0**-12 * np.round(2.0**12 * X) + 2.0**20  # exactly
    assert evaluated(form_of(*kernel), near, near) == pytest.approx(wanted(kernel, near), abs=1e-7)


def test_a_kernel_that_falls_far_away_takes_products(monkeypatch):
    """Differences would take longer, and no digit would be another."""
    monkeypatch.setattr("kernelopt._families.dictionary.kernels._pairwise._add_differences", None)
    X, kernel = rows(40), ("rbf", {"gamma": 1e-9})
    assert evaluated(form_of(*kernel), X, X) == pytest.approx(wanted(kernel, X), abs=1e-9)
