"""Distances and kernels between two blocks of rows: those of numpy, in every library of arrays."""

import attrs
import numpy as np
import pytest
from scipy.spatial.distance import cdist

from kernelopt._device._distances import between
from kernelopt._device._kernels import Kernels
from kernelopt._families.dictionary.kernels._closed_form import evaluated, form_of
from kernelopt._families.dictionary.seen._places import Column, Everywhere, Metric, Some

RNG = np.random.default_rng(0)
ROOT = RNG.normal(size=(4, 3))
FORMS = [
    ("rbf", {"gamma": 0.3}),
    ("rbf", {}),
    ("laplacian", {"gamma": 0.2}),
    ("exponential", {"gamma": np.float64(0.5)}),
    ("linear", {}),
    ("poly", {"degree": 2, "coef0": 0.5}),
]
PLACES = [Everywhere(), Column(2), Some((0, 3)), Metric(ROOT), Metric(np.abs(ROOT[:, 0]))]


@pytest.mark.parametrize("far", [0.0, 1e5], ids=["near", "far"])
@pytest.mark.parametrize("width", [1, 4])
def test_distances_are_those_of_scipy_also_far_from_0(arrays, width, far):
    Z, X = far + RNG.normal(size=(7, width)), far + RNG.normal(size=(5, width))
    wanted = {"products": Z @ X.T, "squares": cdist(Z, X, "sqeuclidean"), "absolutes": cdist(Z, X, "cityblock")}
    for base, values in wanted.items():
        found = arrays.back(between(arrays, base, arrays.put(Z), arrays.put(X)))
        assert found == pytest.approx(values, rel=1e-9, abs=1e-9)


def test_near_rows_keep_their_distance_beside_a_wide_column(arrays):
    X = np.column_stack([1e5 * RNG.integers(3, size=20), 1e-4 * RNG.normal(size=(20, 2))])
    found = arrays.back(between(arrays, "squares", arrays.put(X), arrays.put(X), 1e8))
    assert found == pytest.approx(cdist(X, X, "sqeuclidean"), rel=1e-5)
    kernels = Kernels(((Everywhere(), ((1.0, form_of("rbf", {"gamma": 1e8})),)),))
    found = arrays.back(kernels.between(arrays, arrays.put(X), arrays.put(X)))
    assert found == pytest.approx(np.exp(-1e8 * cdist(X, X, "sqeuclidean")), abs=1e-5)


def test_no_square_is_negative(arrays):
    X = 1e3 + RNG.normal(size=(50, 3))
    assert arrays.back(between(arrays, "squares", arrays.put(X), arrays.put(X))).min() >= 0.0


@pytest.mark.parametrize("place", PLACES, ids=lambda place: type(place).__name__)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form[0])
def test_a_kernel_is_that_of_numpy_from_every_view(arrays, place, form):
    Z, X = RNG.normal(size=(7, 4)), RNG.normal(size=(5, 4))
    kernels = Kernels(((place, ((0.7, form_of(*form)),)),))
    found = arrays.back(kernels.between(arrays, arrays.put(Z), arrays.put(X)))
    assert found == pytest.approx(0.7 * evaluated(form_of(*form), place.of(Z), place.of(X)), rel=1e-10)


def test_kernels_add_and_share_their_distances(arrays):
    Z, X = RNG.normal(size=(7, 4)), RNG.normal(size=(5, 4))
    groups = [(place, tuple((0.1 * i, form_of(*form)) for i, form in enumerate(FORMS, 1))) for place in PLACES]
    wanted = sum(w * evaluated(form, place.of(Z), place.of(X)) for place, members in groups for w, form in members)
    found = Kernels(tuple(groups)).between(arrays, arrays.put(Z), arrays.put(X))
    assert arrays.back(found) == pytest.approx(wanted, rel=1e-10)


def test_single_precision_stays_single_and_is_right_to_its_digits(arrays):
    single = attrs.evolve(arrays, single=True)
    Z, X = RNG.normal(size=(7, 4)), RNG.normal(size=(5, 4))
    for place in PLACES:
        groups = ((place, tuple((0.5, form_of(*form)) for form in FORMS)),)
        found = Kernels(groups).between(single, single.put(Z), single.put(X))
        assert found.dtype == single.dtype
        wanted = sum(0.5 * evaluated(form_of(*form), place.of(Z), place.of(X)) for form in FORMS)
        assert single.back(found) == pytest.approx(wanted, rel=1e-4, abs=1e-4)
