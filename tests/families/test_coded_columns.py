"""Indicators of many categories: what kernels compute from codes is what they compute from columns."""

import itertools

import attrs
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelopt
from kernelopt._device._arrays import Arrays
from kernelopt._families.dictionary.columns import _category_groups
from kernelopt._families.dictionary.columns._category_groups import APART, UNKNOWN, Groups, Same
from kernelopt._families.dictionary.grams._blocks import Blocks, added
from kernelopt._families.dictionary.growth._average_gradients import outer_product
from kernelopt._families.dictionary.kernels._base_kernels import ColumnKernel, PlacedKernel
from kernelopt._families.dictionary.seen._coded_columns import (
    Coded,
    Span,
    column_sums,
    image,
    same,
    seen_from,
    squared_norms,
    with_values,
    written_out,
)
from kernelopt._families.dictionary.seen._leaves import Leaves
from kernelopt._families.dictionary.seen._places import Column, Everywhere, Metric, Some
from kernelopt._families.features._device_kernel import DeviceKernel
from kernelopt._linalg._code_matches import _add

SIZES, NUMBERS = (20, 1, 40), 2
GROUPS = Groups(NUMBERS, SIZES, (True, False, True))
SPANS = GROUPS.many(NUMBERS)
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


def indicators(n, seed):
    """Numbers, and indicators, of which a row has one in each group, or a new category."""
    rng = np.random.default_rng(seed)
    X = np.zeros((n, NUMBERS + sum(SIZES)))
    X[:, :NUMBERS] = rng.normal(size=(n, NUMBERS))
    first = NUMBERS
    for size in SIZES:
        some = np.flatnonzero(rng.uniform(size=n) < 0.9)
        X[some, first + rng.integers(0, size, len(some))] = 1.0
        first += size
    return X


def rows(n, seed):
    """Rows as kernels see them."""
    X = indicators(n, seed)
    return GROUPS.behind(X[:, :NUMBERS], X)


def blocks(numbers=tuple(range(13))):
    return Blocks.of(KERNELS, None, False, numbers)


def test_many_categories_are_coded_and_few_are_not():
    assert list(SPANS) == [Span(2, 23), Span(25, 66)]
    assert (rows(5, 0).sizes == APART).all()
    views = blocks().seen(rows(5, 0)).views
    coded, plain = [view for view in views if isinstance(view, Coded)], views[-1]
    assert sorted(view.shape[1] for view in coded) == [21, 62, 63, 63, 66]
    assert all(view.codes.dtype == np.int32 for view in coded)
    assert isinstance(plain, np.ndarray)
    assert plain.shape == (5, 1)


@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 40))
@settings(max_examples=30)
def test_kernels_of_codes_are_those_of_columns(seed, m, n):
    Z, X = rows(m, seed), rows(n, seed + 1)
    listed = blocks()
    z, x, plain_z, plain_x = (listed.seen(one) for one in (Z, X, Z.dense, X.dense))
    for (a, block), (b, wanted) in zip(listed.between(z, x), blocks().between(plain_z, plain_x), strict=True):
        assert a == b
        np.testing.assert_allclose(block, wanted, rtol=1e-12, atol=1e-12, err_msg=str(KERNELS[a]))
    w = dict.fromkeys(listed.numbers, 0.5)
    some = np.arange(0, n, 2)
    found = added(listed, w, z, x[some])
    np.testing.assert_allclose(found, added(listed, w, plain_z, plain_x[some]), rtol=1e-11)


@given(st.integers(0, 10**6))
@settings(max_examples=30)
def test_kernels_of_columns_with_factors_are_those_of_columns(seed):
    """A metric of each column apart: an indicator's value is another one for each category, and may be 0."""
    rng = np.random.default_rng(seed)
    Z, X = rows(5, seed), rows(7, seed + 1)
    metric = Metric(np.maximum(rng.normal(size=X.shape[1]), 0.0))
    kernels = tuple(PlacedKernel(kernel, metric) for kernel in KERNELS[:5])
    listed = Blocks.of(kernels, None, False, range(5))
    seen = [listed.seen(one) for one in (Z, X, Z.dense, X.dense)]
    assert isinstance(seen[0].views[0], Coded)
    for (a, block), (_, wanted) in zip(listed.between(*seen[:2]), listed.between(*seen[2:]), strict=True):
        off = 1e-7 if kernels[a].kernel[0] == "exponential" else 1e-11  # of the root of a distance that rounds to 0
        np.testing.assert_allclose(block, wanted, rtol=off, atol=off, err_msg=str(kernels[a]))
    V = rng.normal(size=(7, 2))
    members = [(kernel, 1.0) for kernel in kernels]
    found, wanted = outer_product(members, X, V), outer_product(members, X.dense, V)
    np.testing.assert_allclose(found.diagonal, wanted.diagonal, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("number", range(13))
def test_each_kernel_alone_is_that_of_columns(number):
    Z, X, alone = rows(4, 0), rows(7, 1), blocks((number,))
    ((_, found),) = ((a, block.copy()) for a, block in alone.between(alone.seen(Z), alone.seen(X)))
    ((_, wanted),) = ((a, block.copy()) for a, block in alone.between(alone.seen(Z.dense), alone.seen(X.dense)))
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


def test_compiled_comparisons_are_those_of_numpy(monkeypatch):
    X = rows(60, 3)
    quick = blocks()
    wanted = quick.summed(dict.fromkeys(quick.numbers, 1.0), quick.seen(X), quick.seen(X), 60 * 60)
    monkeypatch.setattr("kernelopt._families.dictionary.seen._matches._FEW", 0)
    found = quick.summed(dict.fromkeys(quick.numbers, 1.0), quick.seen(X), quick.seen(X), 60 * 60)
    np.testing.assert_allclose(found, wanted, rtol=1e-13)


def test_of_many_rows_small_blocks_too_are_compared_by_compiled_code(monkeypatch):
    X, quick = rows(60, 3), blocks((0, 2, 4))
    wanted = [block[3:5].copy() for _, block in quick.between(quick.seen(X), quick.seen(X))]
    monkeypatch.setattr("kernelopt._families.dictionary.seen._matches._FEW", 60 * 60)
    asked = []
    monkeypatch.setattr("kernelopt._linalg._code_matches._add", lambda *given: asked.append(given) or _add(*given))
    found = [block.copy() for _, block in quick.between(quick.seen(X)[3:5], quick.seen(X))]
    assert asked
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("change", [0.5, -1.0, np.nan])
def test_rows_that_have_no_single_category_are_seen_as_columns(change):
    own = indicators(6, 0)
    own[2, 10] = change
    Z, X, some = GROUPS.behind(own[:, :NUMBERS], own), rows(9, 1), blocks((0, 2, 4))
    assert len(Z.spans) == 1
    w = dict.fromkeys((0, 2, 4), 1.0)
    with np.errstate(invalid="ignore"):
        if np.isnan(change):
            with pytest.raises(kernelopt.InvalidData, match="NaN"):
                some.summed(w, some.seen(Z), some.seen(X), 6 * 9)
            return
        found = some.summed(w, some.seen(Z), some.seen(X), 6 * 9)
    wanted = some.summed(w, some.seen(Z.dense), some.seen(X.dense), 6 * 9)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@given(st.integers(0, 10**6), st.sampled_from([1, 3]))
@settings(max_examples=15)
def test_average_gradients_by_codes_are_those_of_columns(seed, c):
    X, V = rows(30, seed), np.random.default_rng(seed).normal(size=(30, c))
    members = [(kernel, 1.0) for kernel in KERNELS]
    found, wanted = outer_product(members, X, V), outer_product(members, X.dense, V)
    G, H = ((one.vectors * one.values) @ one.vectors.T for one in (found, wanted))
    np.testing.assert_allclose(G, H, atol=1e-8 * np.abs(H).max())
    np.testing.assert_allclose(found.diagonal, wanted.diagonal, rtol=1e-9)


@given(st.integers(0, 10**6), st.integers(0, 12))
@settings(max_examples=40)
def test_what_is_asked_of_codes_is_what_columns_say(seed, n):
    X, rng = rows(n, seed), np.random.default_rng(seed)
    D = X.shape[1]
    M, V = rng.normal(size=(D, 3)), rng.normal(size=(n, 2))
    np.testing.assert_allclose(image(X, M), X.dense @ M, atol=1e-12)
    np.testing.assert_allclose(column_sums(X, V), X.dense.T @ V, atol=1e-12)
    np.testing.assert_allclose(squared_norms(X), squared_norms(X.dense), rtol=1e-12)
    some = rng.permutation(D)[: rng.integers(1, D)]
    leaves = Leaves(some, rng.normal(size=len(some)), rng.integers(-1, 2, (len(some), 4)).astype(float), 1, np.zeros(D))
    places = [Some(tuple(some.tolist())), Some(BESIDE), Column(0), Column(30), Everywhere()]
    places += [Metric(M), Metric(M[:, 0]), Metric(np.append(0.0, M[1:, 0])), leaves]
    for place in places:
        np.testing.assert_allclose(written_out(seen_from(place, X)), place.of(X.dense), atol=1e-12)


@pytest.mark.parametrize("columns", [(1,), (0, 24), range(25, 66), (25,), (1, *range(2, 23))])
def test_rows_with_other_values_in_some_columns(columns):
    X, columns = rows(8, 0), np.array(columns)
    values = np.zeros(len(columns))
    values[0] = APART
    changed = with_values(X, columns, values)
    wanted = X.dense
    moved = (wanted[:, columns] != values).any(axis=1)
    wanted[:, columns] = values
    np.testing.assert_array_equal(written_out(changed), wanted)
    np.testing.assert_array_equal(~same(changed, X), moved)
    assert isinstance(changed, Coded) == (columns[-1] < 2 or columns[0] == 25 < columns[-1] or 24 in columns)


def test_rows_with_a_code_for_each_group_are_seen_as_those_with_indicators():
    X = indicators(50, 0)
    wanted = GROUPS.behind(X[:, :NUMBERS], X)
    ends = np.cumsum([NUMBERS, *SIZES])
    parts = [X[:, start:stop] for start, stop in itertools.pairwise(ends)]
    codes = [np.where(part.any(axis=1), part.argmax(axis=1), part.shape[1]) for part in parts]
    rows = np.column_stack([X[:, :NUMBERS], *codes])
    coded = attrs.evolve(GROUPS, coded=True)
    found = coded.behind(rows[:, :NUMBERS], rows)
    np.testing.assert_array_equal(found.dense, wanted.dense)
    np.testing.assert_array_equal(found.codes, wanted.codes)
    rows[:, NUMBERS] = [-1.0, 1e6] * 25
    outside = coded.behind(rows[:, :NUMBERS], rows).codes[:, 0]
    assert sorted(set(outside.tolist())) == [0, 20]


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_groups_of_any_numbers_stand_behind_others(seed):
    """Laws of families ask for rows of any numbers."""
    X = np.random.default_rng(seed).normal(size=(5, NUMBERS + sum(SIZES)))
    found = GROUPS.behind(X[:, :NUMBERS], X)
    assert not isinstance(found, Coded)
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
    coded = kernelopt.solve(X[:120], y[:120])
    monkeypatch.setattr(_category_groups, "_MANY", 1000)
    plain = kernelopt.solve(X[:120], y[:120])
    assert coded.certificate.upper == pytest.approx(plain.certificate.upper, rel=1e-6)
    np.testing.assert_allclose(coded.decision_function(X[120:]), plain.decision_function(X[120:]), rtol=1e-4, atol=1e-4)


def test_in_memory_many_categories_take_no_closed_form(table):
    X, y = table
    s = kernelopt.solve(X[:120], y[:120], criterion=kernelopt.Evidence(effort="quick"))
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
    X, y = table[0][:200], table[1][:200]
    whole = kernelopt.solve(X, y, max_steps=1)
    rows = whole.kernel.rows(X)
    squares = whole.kernel.squares(rows)
    monkeypatch.setattr("kernelopt._families.dictionary.grams._gram_parts.ROW_BLOCK", 64)
    parts = kernelopt.solve(X, y, max_steps=1)
    first, second = (next(one for one in s.kernel.leaves if one.family.name == "dictionary") for s in (whole, parts))
    assert [str(kernel) for kernel in first.family.listed] == [str(kernel) for kernel in second.family.listed]
    np.testing.assert_allclose(first.family._size, second.family._size, rtol=1e-12)
    np.testing.assert_allclose(whole.kernel.squares(rows), squares, rtol=1e-12)
