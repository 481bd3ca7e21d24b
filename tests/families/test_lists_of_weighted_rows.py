"""Rows with whole weights have the list of kernels of so many copies of each."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kernelopt
from kernelopt._families.dictionary.kernels._base_kernels import ColumnKernel


def prepared(X, weight):
    return kernelopt.Dictionary("auto").prepare(X, weight)


def kinds(n, rng, share=4):
    """A Gaussian column, one of heavy tails, one of categories, one of numbers that may be names, and fractions that
    repeat."""
    names = rng.normal(size=max(n // share, 1)).round(4)
    return np.column_stack(
        [
            rng.normal(size=n),
            rng.standard_t(1, size=n),
            rng.integers(5, size=n),
            rng.integers(max(n // share, 1), size=n),
            rng.choice(names, size=n),
        ]
    )


@given(n=st.integers(4, 160), most=st.integers(1, 9), share=st.integers(1, 6), seed=st.integers(0, 1000))
def test_the_list_is_that_of_copies(n, most, share, seed):
    rng = np.random.default_rng(seed)
    X, times = kinds(n, rng, share), rng.integers(1, most + 1, size=n)
    copies = np.repeat(X, times, axis=0)
    weighted, repeated = prepared(X, times.astype(float)), prepared(copies, np.ones(len(copies)))
    assert [str(kernel) for kernel in weighted.listed] == [str(kernel) for kernel in repeated.listed]


@pytest.mark.parametrize("times", [1, 3])
def test_kernels_that_compare_fractions_are_offered_as_to_copies(times):
    X = kinds(60, np.random.default_rng(0))[:, [0, 4]]
    copies = np.tile(X, (times, 1))
    weighted = prepared(X, np.full(60, float(times))).offered(X, np.full(60, float(times)))
    repeated = prepared(copies, np.ones(len(copies))).offered(copies, np.ones(len(copies)))
    assert (weighted is None) == (repeated is None)
    if weighted is not None:
        assert len(weighted.listed) == len(repeated.listed)


def test_weights_that_are_no_numbers_of_copies_leave_the_list_as_it_is():
    X = kinds(40, np.random.default_rng(1))
    plain = prepared(X, np.ones(40))
    trusted = prepared(X, np.linspace(20.1, 20.2, 40))
    assert len(trusted.listed) == len(plain.listed)


@pytest.mark.parametrize(("meaning", "wide"), [("copies", True), ("auto", True), ("relative", False)])
def test_weights_that_say_how_much_rows_are_trusted_count_no_rows(meaning, wide):
    rng = np.random.default_rng(2)
    X, weight = rng.normal(size=(40, 2)), rng.integers(1, 9, size=40).astype(float)
    assert weight.sum() >= 30 * X.shape[1] > len(X)
    criterion = kernelopt.Evidence(weights=meaning, effort="quick")
    found = kernelopt.solve(X, X[:, 0], family="auto", criterion=criterion, sample_weight=weight)
    listed = found.kernel.leaves[0].family.listed
    assert any(isinstance(kernel, ColumnKernel) for kernel in listed) == wide


def test_weights_are_told_as_the_criterion_takes_them():
    weight = np.array([1.0, 2.0, 3.0])
    assert (kernelopt.SVC().observed(weight) == weight).all()
    assert (kernelopt.Evidence().observed(weight) == weight).all()
    np.testing.assert_allclose(kernelopt.Evidence(weights="relative").observed(weight), weight / 2.0)
    np.testing.assert_allclose(kernelopt.Evidence().observed(weight / 4.0), weight / 2.0)
