"""Learned metrics and further columns in a list of kernels: places, gradients, proposals, ranks and categories."""

from itertools import combinations

import numpy as np
import pytest

import kernelopt
from kernelopt._families.dictionary.columns._further_columns import Further
from kernelopt._families.dictionary.growth import _average_gradients
from kernelopt._families.dictionary.growth._average_gradients import OuterProduct, outer_product
from kernelopt._families.dictionary.growth._level_differences import FewValues, Function, Pair, differences, levels_of
from kernelopt._families.dictionary.growth._metric_kernels import metric_kernels
from kernelopt._families.dictionary.kernels._base_kernels import ColumnKernel, PlacedKernel, label
from kernelopt._families.dictionary.lists._chosen_kernels import summed
from kernelopt._families.dictionary.seen._places import Column, Everywhere, Metric, Some
from kernelopt.plugin import InvalidData, Part


def directional(members, X, V, step=1e-4, *, rows=slice(None)):
    """The same matrix by differences of the function itself, at some rows."""
    at = X[rows]
    slopes = np.zeros((V.shape[1], *at.shape))
    for j, e in enumerate(np.eye(X.shape[1])):
        for sign in (1.0, -1.0):
            values = sum(w * values_of(kernel, at + sign * step * e, X) @ V for kernel, w in members)
            slopes[:, :, j] += sign * values.T / (2.0 * step)
    flat = slopes.reshape(-1, X.shape[1])
    return flat.T @ flat / len(at)


def values_of(kernel, Z, X):
    return kernelopt.fixed(kernel).prepare(X, np.ones(len(X))).cross(Part(np.zeros((1, 1)), np.ones(1)), Z, X)


@pytest.fixture(params=[0, 1 << 19], ids=["compiled", "by numpy"])
def few(request, monkeypatch):
    """Up to how many signs of differences numpy computes."""
    monkeypatch.setattr("kernelopt._families.dictionary.growth._average_gradients._FEW", request.param)


ROOT = np.random.default_rng(3).normal(size=(3, 2))
KERNELS = [
    ("rbf", {"gamma": 0.3}),
    ("laplacian", {"gamma": 0.2}),
    ("exponential", {"gamma": 0.7}),
    ("linear", {}),
    ("poly", {"degree": 2, "gamma": 0.5, "coef0": 0.3}),
    ColumnKernel(("rbf", {"gamma": 0.8}), 1),
    PlacedKernel(("exponential", {"gamma": 0.4}), Metric(ROOT)),
    PlacedKernel(("laplacian", {"gamma": 0.4}), Metric(np.array([0.5, 0.0, 2.0]))),
    PlacedKernel(("rbf", {"gamma": 0.4}), Some((2, 0), "two")),
]


def matrix(found):
    """What an outer product stands for; the diagonal apart is that of the same."""
    G = found.root @ found.root.T
    np.testing.assert_allclose(found.diagonal, np.diag(G), rtol=1e-9, atol=1e-7 * G.max(initial=0.0))
    return G


@pytest.mark.parametrize("kernel", KERNELS, ids=label)
@pytest.mark.parametrize(("n", "c"), [(20, 2), (1, 2), (2, 1)])
def test_average_gradients_are_those_of_the_function(kernel, n, c):
    """But for the kink of |x - z| at the rows themselves, which both sides cancel by symmetry. Two gradients are fewer
    than three columns."""
    rng = np.random.default_rng(0)
    X, V = rng.normal(size=(n, 3)), rng.normal(size=(n, c))
    found = matrix(outer_product([(kernel, 1.5)], X, V))
    np.testing.assert_allclose(found, directional([(kernel, 1.5)], X, V), rtol=1e-3, atol=1e-5 * found.max() + 1e-15)


@pytest.mark.usefixtures("few")
def test_average_gradients_of_a_sum_are_those_of_all():
    rng = np.random.default_rng(1)
    X, V = rng.normal(size=(300, 3)), rng.normal(size=(300, 1))  # more rows than one block of them
    members = [(kernel, 0.2 + 0.1 * i) for i, kernel in enumerate(KERNELS)]
    found = matrix(outer_product(members, X, V))
    np.testing.assert_allclose(found, directional(members, X, V), rtol=1e-3, atol=1e-3 * found.max())


def test_evenly_spaced_rows_stand_for_all_where_there_are_many_gradients_and_columns(monkeypatch):
    rng = np.random.default_rng(5)
    X, V = rng.normal(size=(20, 9)), rng.normal(size=(20, 2))
    members = [(("rbf", {"gamma": 0.02}), 1.0), (("poly", {"degree": 2, "gamma": 0.5, "coef0": 0.3}), 0.5)]
    monkeypatch.setattr(_average_gradients, "_MOST", 8)  # four rows of two outputs
    found = matrix(outer_product(members, X, V))
    wanted = directional(members, X, V, rows=[0, 6, 12, 19])
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-5 * wanted.max())


@pytest.mark.usefixtures("few")
def test_copies_have_no_slope_between_them():
    """Of a kink at a tie neither side is the steeper one: rounding must not choose."""
    rng = np.random.default_rng(2)
    X = np.repeat(rng.normal(size=(10, 2)), 2, axis=0)
    V = np.tile([[1.0], [-1.0]], (10, 1))  # each row against its copy: the function is 0
    for name in ("exponential", "laplacian"):
        assert outer_product([((name, {"gamma": 1.0}), 1.0)], X, V).diagonal.max() < 1e-20


@pytest.mark.parametrize("place", [Everywhere(), Column(1), Some((2, 0)), Metric(ROOT), Metric(np.array([1.0, 0, 2]))])
def test_gradients_are_pulled_back_from_what_is_seen(place):
    """f(x) = c'(what is seen of x) has that gradient everywhere."""
    X = np.random.default_rng(0).normal(size=(4, 3))
    seen = place.of(X)
    assert seen.shape == (4, place.width(3))
    c = np.arange(1.0, seen.shape[1] + 1.0)
    pulled = place.pulled(np.tile(c, (4, 1)), seen, 3)
    for j, e in enumerate(np.eye(3)):
        np.testing.assert_allclose(place.of(X + e) @ c - seen @ c, pulled[:, j], atol=1e-12)


def test_a_metric_of_other_columns_is_refused():
    with pytest.raises(InvalidData, match="has numbers for 3 columns, wanted numbers for 2"):
        Metric(ROOT).of(np.zeros((2, 2)))
    with pytest.raises(InvalidData, match="wanted finite numbers"):
        Metric(np.array([np.nan]))


def test_metric_kernels_have_the_diagonal_one_and_see_what_varies():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4))
    u = np.array([0.6, 0.0, 0.8, 0.0])
    kernels = metric_kernels(OuterProduct.of(np.outer(u, u)), X)
    whole = [kernel for kernel in kernels if kernel.place.root.ndim == 2]
    assert whole
    assert len(kernels) > len(whole)
    across = X + rng.normal(size=(50, 1)) * np.array([0.8, 0.0, -0.6, 0.0]) + rng.normal(size=(50, 4)) * [0, 1, 0, 1]
    for kernel in kernels:
        np.testing.assert_allclose(np.diagonal(kernel(X, X)), 1.0)
        assert kernel.place.words(("a", "b", "c", "d")) in ("c 64 %, a 36 %",)
    for kernel in whole:
        np.testing.assert_allclose(kernel(across, X), kernel(X, X), atol=1e-6)


def listed(X):
    """The list of "auto" on rows X, and what its kernels see of them."""
    family = kernelopt.Dictionary("auto").prepare(X, np.ones(len(X)))
    return family, family.seen(X)


def coded(rng, n=120):
    """A column of four categories, one of two values, and a plain one."""
    return np.column_stack([rng.integers(4, size=n), rng.choice([-1.0, 5.0], size=n), rng.normal(size=n)])


def test_values_of_a_column_are_as_far_apart_as_the_function_at_them():
    rng = np.random.default_rng(0)
    X, V = coded(rng), rng.normal(size=(120, 2))
    family, seen = listed(X)
    part = Part(np.arange(0.0, 12.0, 3.0)[:, None], rng.uniform(size=4))
    (used, w), levels = summed(part), levels_of(seen, 3, family._further)
    found = differences(Function(family._blocks().only(used), w, seen, V), levels, seen.shape[1])
    assert [type(one) for one in levels] == [FewValues, Pair]
    for column, values, R in zip((0, 1), ((0.0, 1.0, 2.0, 3.0), (-1.0, 5.0)), found.values(), strict=True):
        rows = [X.copy() for _ in values]
        for row, value in zip(rows, values, strict=True):
            row[:, column] = value
        images = [family.seen(row) @ R for row in rows]
        f = [family.cross(part, row, X) @ V for row in rows]
        for a, b in combinations(range(len(values)), 2):
            apart = np.linalg.norm(images[a] - images[b], axis=1)
            np.testing.assert_allclose(apart, np.sqrt(np.sum((f[a] - f[b]) ** 2) / len(X)), rtol=1e-2)


def test_codes_of_categories_may_be_exchanged():
    """The directions are those of the function, whatever the numbers of the categories are."""
    rng = np.random.default_rng(1)
    X, V = coded(rng), rng.normal(size=(120, 1))
    other = X.copy()
    other[:, 0] = np.array([2.0, 0.0, 3.0, 1.0])[X[:, 0].astype(int)]
    grams = []
    for rows in (X, other):
        family, seen = listed(rows)
        apart = [a for a, kernel in enumerate(family.listed) if getattr(kernel, "name", "") == "categories"]
        function = Function(family._blocks().only(apart), dict.fromkeys(apart, 0.3), seen, V)
        (R, *_) = differences(function, levels_of(seen, 3, family._further), seen.shape[1]).values()
        grams.append((seen @ R) @ (seen @ R).T)
    np.testing.assert_allclose(grams[0], grams[1], atol=1e-9 * np.abs(grams[0]).max())


def test_a_column_of_text_is_measured_as_its_codes_are():
    """What the function does between categories counts for columns of text too, and for one that a row lacks."""
    rng = np.random.default_rng(3)
    X = rng.integers(1, 5, size=(350, 6))
    y = (X == 1).sum(axis=1) == 2
    words = np.array(["", "one", "two", "three", "four"], dtype=object)[X]
    words[0, 0] = None
    found = kernelopt.solve(words, y, family="auto", criterion=kernelopt.Evidence(targets="labels"))
    assert any("of learned metrics joined the list" in note for note in found.notes)
    leaf = found.kernel.leaves[0]
    roots = [kernel.place.root for kernel in leaf.family.listed if isinstance(getattr(kernel, "place", None), Metric)]
    labels = leaf.expansion.groups[0].labels
    one, *others = (roots[-1][labels.index(word)] for word in ("one", "two", "three", "four"))
    nearest = min(np.linalg.norm(one - other) for other in others)
    assert nearest > 4.0 * max(np.linalg.norm(a - b) for a, b in combinations(others, 2))


def test_metric_kernels_see_the_values_of_a_column_by_its_directions():
    X = np.random.default_rng(2).normal(size=(30, 3))
    R = np.array([[0.0], [3.0], [-4.0]])
    *_, last = metric_kernels(OuterProduct.of(np.diag([1.0, 50.0, 50.0])), X, {(1, 2): R})
    np.testing.assert_allclose(last.place.root, np.array([[1.0, 0.0], [0.0, 3.0], [0.0, -4.0]]) * np.sqrt(3.0 / 26.0))
    assert last.place.words(("a", "values of b", "values of b")) == "values of b 96 %, a 4 %"


def test_two_of_six_columns_of_categories_are_found():
    """True where exactly two of six columns have one value: no slope tells that, the differences do."""
    rng = np.random.default_rng(3)
    X = rng.integers(1, 5, size=(700, 6)).astype(float)
    y = (X == 1.0).sum(axis=1) == 2
    criterion = kernelopt.Evidence(targets="labels")
    found = kernelopt.solve(X[:350], y[:350], family="auto", criterion=criterion)
    assert np.mean(found.predict(X[350:]) != y[350:]) < 0.02


@pytest.mark.parametrize("G", [np.zeros((2, 2)), np.full((2, 2), np.nan), np.full((2, 2), np.inf)])
def test_without_a_direction_there_are_no_metric_kernels(G):
    assert metric_kernels(OuterProduct.of(G), np.random.default_rng(0).normal(size=(5, 2))) == ()


def heavy(rng, n=300):
    return np.column_stack([np.exp(2.0 * rng.normal(size=n)), rng.integers(5, size=n), rng.normal(size=n)])


def test_further_columns_are_ranks_and_indicators():
    rng = np.random.default_rng(0)
    X = heavy(rng)
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    further = Further.of(X, standard, np.ones(len(X)))
    assert [one.column for one in further.ranks] == [0]
    assert [one.column for one in further.categories] == [1]
    whole = further.behind(standard, (np.zeros(3), np.ones(3)))
    assert whole.shape == (len(X), 3 + 1 + 5)
    np.testing.assert_array_equal(np.argsort(whole[:, 3]), np.argsort(X[:, 0]))
    assert abs(np.mean(whole[:, 3] ** 2) - 1.0) < 0.05
    same = whole[:, 4:] @ whole[:, 4:].T > 0.0
    np.testing.assert_array_equal(same, X[:, 1:2] == X[:, 1])
    assert further.named(("a", "b", "c")) == ("a", "b", "c", "rank of a", *["values of b"] * 5)


def test_a_new_category_is_like_none():
    X = heavy(np.random.default_rng(0))
    X[:, 1] *= 2.0
    family = kernelopt.Dictionary("auto").prepare(X, np.ones(len(X)))
    new = X[:1].copy()
    new[0, 1] = 3.0
    assert not family.seen(new)[0, 4:].any()


def test_ranks_do_not_feel_how_far_a_value_is():
    rng = np.random.default_rng(1)
    X = heavy(rng)
    ones = np.ones(len(X))
    first = kernelopt.Dictionary("auto").prepare(X, ones).seen(X)[:, 3]
    X[:, 0] = X[:, 0] ** 3
    np.testing.assert_allclose(kernelopt.Dictionary("auto").prepare(X, ones).seen(X)[:, 3], first, atol=1e-12)


def test_light_columns_of_many_values_have_nothing_further():
    X = np.random.default_rng(0).normal(size=(200, 3))
    X[:, 2] = X[:, 2] > 0.0
    assert Further.of(X, X, np.ones(200)) is None


def test_the_list_of_mixed_columns_describes_itself():
    X = heavy(np.random.default_rng(0))
    family = kernelopt.Dictionary("auto").prepare(X, np.ones(len(X))).named(("size", "kind", "age"))
    words = {family.label(np.array([float(a)])) for a in range(len(family.listed))}
    assert any(word.endswith("of ranks") for word in words)
    assert any(word.endswith("of categories") for word in words)
    assert "rbf(gamma=0.5) of age" in words
