"""exp(-rate x) of arrays of distances."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.spatial.distance import cdist

import kernelopt
from kernelopt._linalg._absolute_distances import absolute_distances
from kernelopt._linalg._decay import Decay, add_column_decays, add_decayed, decayed

MANY = 20_000


@pytest.mark.parametrize("rooted", [False, True])
@pytest.mark.parametrize("size", [10, MANY])
@pytest.mark.parametrize("rate", [0.0, 1e-8, 1.0, 30.0])
def test_it_is_the_exponential_to_rounding(size, rate, rooted):
    x = np.random.default_rng(0).exponential(size=size) * np.logspace(-12, 2, size)
    wanted = np.exp(-rate * (np.sqrt(x) if rooted else x))
    found = decayed(x, rate, np.empty_like(x), rooted)
    normal = wanted > 1e-306
    np.testing.assert_allclose(found[normal], wanted[normal], rtol=5e-16)
    assert found[~normal].max(initial=0.0) < 1e-300


@given(arrays.arrays(np.float64, 8, elements=st.floats(0.0, 1e300)))
def test_one_number_does_not_depend_on_how_many_there_are(few):
    """Of few numbers the exponential is numpy's, of many the compiled one."""
    many = np.tile(few, MANY // len(few))
    np.testing.assert_allclose(
        decayed(many, 1.0, np.empty_like(many))[:8], decayed(few, 1.0, np.empty_like(few)), rtol=5e-16, atol=1e-306
    )


@pytest.mark.parametrize("size", [7, MANY])
def test_numbers_at_the_ends(size):
    x = np.zeros(size)
    x[:6] = 0.0, 1e-310, 708.5, 1e4, np.inf, np.nan
    x[6] = np.uint64(0x7FF8000000000FFF).view(np.float64)  # a NaN whose lowest bits are not 0 either
    found = decayed(x, 1.0, x)
    assert found is x
    np.testing.assert_array_equal(found[:2], 1.0)
    assert found[2] < 1e-307
    np.testing.assert_array_equal(found[3:7], [0.0, 0.0, np.nan, np.nan])


def test_arrays_of_any_shape_and_order():
    x = np.random.default_rng(1).exponential(size=(200, 300))
    for rooted, wanted in ((False, np.exp(-0.5 * x)), (True, np.exp(-0.5 * np.sqrt(x)))):
        for out in (np.empty_like(x), np.empty((300, 200)).T, np.empty((200, 600))[:, ::2], x.copy()):
            given = out if np.array_equal(out, x) else x
            assert decayed(given, 0.5, out, rooted) is out
            np.testing.assert_allclose(out, wanted, rtol=5e-16)
        np.testing.assert_array_equal(decayed(np.asfortranarray(x), 0.5, np.empty_like(x), rooted), out)


@pytest.mark.parametrize("whole", [51, 1 << 30])
@pytest.mark.parametrize(("kind", "off"), [(np.float64, 2e-15), (np.float32, 1e-6)])
@given(
    arrays.arrays(np.float32, (3, 17), elements=st.floats(0.0, 2.0**20, width=32)),
    st.lists(
        st.tuples(st.floats(0.0, 2.0), st.builds(Decay, st.floats(0.0, 50.0, width=32), st.booleans())), max_size=4
    ),
)
def test_a_sum_of_decays_is_that_of_its_parts(whole, kind, off, x, decays):
    x = x.astype(kind)
    total = np.ones_like(x)
    add_decayed(x, decays, total, whole=whole)
    assert total.dtype == kind
    wanted, steep = np.ones(x.shape), np.ones(x.shape)
    for weight, decay in decays:
        exponent = decay.rate * np.sqrt(x.astype(np.float64)) if decay.rooted else decay.rate * x.astype(np.float64)
        wanted += weight * np.exp(-exponent)
        steep += weight * np.exp(-exponent) * (1.0 + exponent)  # an exponent is wrong by a share of itself
    assert (np.abs(total - wanted) <= off * steep).all()


@pytest.mark.parametrize("whole", [4, 1 << 30])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_a_sum_of_decays_at_the_ends(kind, whole):
    x = np.array([[0.0, 1e30, np.inf, np.nan]], dtype=kind)
    total = np.zeros_like(x)
    add_decayed(x, [(1.0, Decay(1.0)), (2.0, Decay(1.0, rooted=True))], total, whole=whole)
    np.testing.assert_array_equal(total, [[3.0, 0.0, 0.0, np.nan]])


@pytest.mark.parametrize(("kind", "off"), [(np.float64, 1e-14), (np.float32, 1e-5)])
def test_absolute_distances_keep_their_precision(kind, off):
    rng = np.random.default_rng(0)
    Z, X = rng.normal(size=(5, 3)).astype(kind), rng.normal(size=(8, 3)).astype(kind)
    found = absolute_distances(Z, X)
    assert found.dtype == kind
    np.testing.assert_allclose(found, cdist(Z, X, "cityblock"), rtol=off)


@pytest.mark.parametrize("far", [0.0, 1e4])
def test_exponentials_of_one_column_need_no_array_of_squares(far):
    rng = np.random.default_rng(4)
    z, x = far + rng.normal(size=9), far + rng.normal(size=1100)
    decays = [(2.0, Decay(0.05)), (0.5, Decay(5.0))]
    total = np.ones((9, 1100), dtype=np.float32)
    add_column_decays(z, x, decays, total)
    squares = (z[:, None] - x) ** 2
    wanted = 1.0 + sum(weight * np.exp(-decay.rate * squares) for weight, decay in decays)
    np.testing.assert_allclose(total, wanted, rtol=2e-6)


def test_a_model_that_predicts_some_hundred_rows_imports_no_numba(monkeypatch, tmp_path):
    """To import numba takes longer than all else that such a process does."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    kernels = [("rbf", {"gamma": 0.1}), ("rbf", {"gamma": 1.0}), ("laplacian", {"gamma": 0.3})]
    family = [kernelopt.Dictionary(kernels), kernelopt.on(kernelopt.Dictionary(kernels[:2]), [0])]
    learned = kernelopt.solve(X, np.sin(3.0 * X[:, 0]) + X[:, 1], family=family, criterion="evidence", max_steps=1)
    learned.save(tmp_path / "model.kernelopt")
    monkeypatch.setitem(sys.modules, "kernelopt._linalg._compiled_exponential", None)
    values, deviations = kernelopt.load(tmp_path / "model.kernelopt").predict(X, return_std=True)
    np.testing.assert_allclose(values, learned.predict(X), rtol=1e-9)
    assert (deviations > 0.0).all()
