"""Indicators of many categories: what kernels compute from codes is what they compute from columns."""

import attrs
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelopt
from kernelopt._device._arrays import Arrays
from kernelopt._families._device_kernel import DeviceKernel
from kernelopt._families.dictionary import _category_groups
from kernelopt._families.dictionary._average_gradients import outer_product
from kernelopt._families.dictionary._base_kernels import ColumnKernel, PlacedKernel
from kernelopt._families.dictionary._blocks import Blocks, added
from kernelopt._families.dictionary._category_groups import APART, UNKNOWN, Groups, Same
from kernelopt._families.dictionary._coded_columns import Coded, Span
from kernelopt._families.dictionary._places import Some

SIZES, NUMBERS = (20, 1, 40), 2
GROUPS = Groups(NUMBERS, SIZES, (True, False, True))
SPANS = GROUPS.coded(NUMBERS)
BESIDE = (*GROUPS.places(NUMBERS)[2], *GROUPS.places(NUMBERS)[0])
KERNELS = (
    ("rbf", {"gamma": 0.1}),
    ("exponential", {"gamma": 0.2}),
    ("laplacian", {"gamma": 0.05}),
    ("linear", {}),
    ("poly", {"degree": 2, "gamma": 0.3, "coef0": 1.0}),
    PlacedKernel(("laplacian", {"gamma": 0.1}), Some((1, *BESIDE))),
    PlacedKernel(("rbf", {"gamma": 0.1}), Some((0, 1, *BESIDE[:-1]))),
    PlacedKernel(("linear", {}), Same(GROUPS.places(NUMBERS)[0])),
    PlacedKernel(("laplacian", {"gamma": 0.3}), Some(BESIDE)),
    PlacedKernel(("rbf", {"gamma": 0.1}), Some(BESIDE)),
    PlacedKernel(("poly", {"degree": 3, "gamma": 0.1, "coef0": 0.5}), Some(BESIDE)),
    PlacedKernel(("exponential", {"gamma": 0.1}), Some((1, *BESIDE))),
    ColumnKernel(("rbf", {"gamma": 1.0}), 0),
)


def rows(n, seed):
    """Rows as kernels see them: numbers, and indicators, of which a row has one in each group, or a new category."""
    rng = np.random.default_rng(seed)
    X = np.zeros((n, NUMBERS + sum(SIZES)))
    X[:, :NUMBERS] = rng.normal(size=(n, NUMBERS))
    first = NUMBERS
    for size in SIZES:
        some = np.flatnonzero(rng.uniform(size=n) < 0.9)
        X[some, first + rng.integers(0, size, len(some))] = 1.0
        first += size
    return GROUPS.behind(X[:, :NUMBERS], X)


def blocks(spans=SPANS, numbers=tuple(range(13))):
    return Blocks.of(KERNELS, None, False, numbers, spans=spans)


def test_many_categories_are_coded_and_few_are_not():
    assert list(SPANS) == [Span(2, 23, APART), Span(25, 66, APART)]
    views = blocks().seen(rows(5, 0)).views
    coded, plain = [view for view in views if isinstance(view, Coded)], views[-1]
    assert sorted(view.shape[1] for view in coded) == [21, 62, 63, 63, 66]
    assert all(view.codes.dtype == np.int32 for view in coded)
    assert isinstance(plain, np.ndarray)
    assert plain.shape == (5, 1)


@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 40))
@settings(deadline=None, max_examples=30)
def test_kernels_of_codes_are_those_of_columns(seed, m, n):
    Z, X = rows(m, seed), rows(n, seed + 1)
    coded, plain = blocks(), blocks(())
    pairs = zip(coded.between(coded.seen(Z), coded.seen(X)), plain.between(plain.seen(Z), plain.seen(X)), strict=True)
    for (a, block), (b, wanted) in pairs:
        assert a == b
        np.testing.assert_allclose(block, wanted, rtol=1e-12, atol=1e-12, err_msg=str(KERNELS[a]))
    w = dict.fromkeys(coded.numbers, 0.5)
    some = np.arange(0, n, 2)
    found = added(coded, w, coded.seen(Z), coded.seen(X)[some])
    np.testing.assert_allclose(found, added(plain, w, plain.seen(Z), plain.seen(X[some])), rtol=1e-11)


@pytest.mark.parametrize("number", range(13))
def test_each_kernel_alone_is_that_of_columns(number):
    Z, X = rows(4, 0), rows(7, 1)
    coded, plain = blocks(numbers=(number,)), blocks((), numbers=(number,))
    ((_, found),) = ((a, block.copy()) for a, block in coded.between(coded.seen(Z), coded.seen(X)))
    ((_, wanted),) = ((a, block.copy()) for a, block in plain.between(plain.seen(Z), plain.seen(X)))
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


def test_compiled_comparisons_are_those_of_numpy(monkeypatch):
    X = rows(60, 3)
    quick = blocks()
    wanted = quick.summed(dict.fromkeys(quick.numbers, 1.0), quick.seen(X), quick.seen(X))
    monkeypatch.setattr("kernelopt._families.dictionary._coded_columns._FEW", 0)
    found = quick.summed(dict.fromkeys(quick.numbers, 1.0), quick.seen(X), quick.seen(X))
    np.testing.assert_allclose(found, wanted, rtol=1e-13)


@pytest.mark.parametrize("change", [0.5, -1.0, np.nan])
def test_rows_that_have_no_single_category_are_seen_as_columns(change):
    Z, X = rows(6, 0), rows(9, 1)
    Z[2, 10] = change
    coded, plain = blocks(numbers=(0, 2, 4)), blocks((), numbers=(0, 2, 4))
    w = dict.fromkeys((0, 2, 4), 1.0)
    seen = coded.seen(Z)
    assert not any(isinstance(view, Coded) and len(view.spans) == 2 for view in seen.views)
    with np.errstate(invalid="ignore"):
        if np.isnan(change):
            with pytest.raises(kernelopt.InvalidData, match="NaN"):
                coded.summed(w, seen, coded.seen(X))
            return
        found = coded.summed(w, seen, coded.seen(X))
    np.testing.assert_allclose(found, plain.summed(w, plain.seen(Z), plain.seen(X)), rtol=1e-12)


@given(st.integers(0, 10**6), st.sampled_from([1, 3]))
@settings(deadline=None, max_examples=15)
def test_average_gradients_by_codes_are_those_of_columns(seed, c):
    X, V = rows(30, seed), np.random.default_rng(seed).normal(size=(30, c))
    members = [(kernel, 1.0) for kernel in KERNELS]
    found, wanted = outer_product(members, X, V, SPANS), outer_product(members, X, V)
    G, H = ((one.vectors * one.values) @ one.vectors.T for one in (found, wanted))
    np.testing.assert_allclose(G, H, atol=1e-8 * np.abs(H).max())
    np.testing.assert_allclose(found.diagonal, wanted.diagonal, rtol=1e-9)


@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=15)
def test_groups_of_any_numbers_stand_behind_others(seed):
    """Laws of families ask for rows of any numbers."""
    X = np.random.default_rng(seed).normal(size=(5, NUMBERS + sum(SIZES)))
    found = GROUPS.behind(X[:, :NUMBERS], X)
    first = NUMBERS
    for places, size, scale in zip(GROUPS.places(NUMBERS), SIZES, (APART, UNKNOWN, APART), strict=True):
        part = X[:, first : first + size]
        np.testing.assert_allclose(found[:, places[:-1]], scale * part)
        np.testing.assert_allclose(found[:, places[-1]], scale * (1.0 - part.sum(axis=1)))
        first += size


@pytest.fixture(scope="module")
def table():
    """What a row is worth depends on one of 60 shops, and on the distance."""
    rng = np.random.default_rng(0)
    shop, far = rng.integers(0, 60, 400), rng.normal(size=400)
    y = rng.normal(size=60)[shop] + np.sin(far) + 0.1 * rng.normal(size=400)
    return pd.DataFrame({"shop": [f"shop {k}" for k in shop], "far": far}), y


@pytest.mark.parametrize("classes", [False, True])
def test_a_solution_is_the_same_with_codes_and_columns(table, monkeypatch, classes):
    X, y = table
    y = np.where(y > 0.0, "good", "bad") if classes else y
    coded = kernelopt.solve(X[:200], y[:200])
    monkeypatch.setattr(_category_groups, "_MANY", 1000)
    plain = kernelopt.solve(X[:200], y[:200])
    assert coded.certificate.upper == pytest.approx(plain.certificate.upper, rel=1e-6)
    np.testing.assert_allclose(coded.decision_function(X[200:]), plain.decision_function(X[200:]), rtol=1e-4, atol=1e-4)


def test_in_memory_many_categories_take_no_closed_form(table):
    X, y = table
    s = kernelopt.solve(X, y)
    family = next(leaf.family for leaf in s.kernel.leaves if leaf.family.name == "dictionary")
    assert family.codes_rows
    strict = Arrays("array_api_strict")
    assert [DeviceKernel.of(arrays, family, family.center()).closed is None for arrays in (Arrays(), strict)] == [
        True,
        False,
    ]
    one = attrs.evolve(family, kernels=family.listed[-1:], _size=None)
    assert one.codes_rows == isinstance(family.listed[-1].place, Same)


def test_sizes_and_diagonals_do_not_depend_on_how_many_rows_are_seen_at_once(table, monkeypatch):
    X, y = table
    whole = kernelopt.solve(X, y, max_steps=1)
    rows = whole.kernel.rows(X)
    squares = whole.kernel.squares(rows)
    monkeypatch.setattr("kernelopt._families.dictionary._dictionary.ROW_BLOCK", 64)
    parts = kernelopt.solve(X, y, max_steps=1)
    first, second = (next(one for one in s.kernel.leaves if one.family.name == "dictionary") for s in (whole, parts))
    assert [str(kernel) for kernel in first.family.listed] == [str(kernel) for kernel in second.family.listed]
    np.testing.assert_allclose(first.family._size, second.family._size, rtol=1e-12)
    np.testing.assert_allclose(whole.kernel.squares(rows), squares, rtol=1e-12)
