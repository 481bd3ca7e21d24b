"""Widths of columns that the evidence fits: its derivatives, and the kernels that they make."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import kernelopt
from kernelopt._families.dictionary.columns._category_groups import Groups
from kernelopt._families.dictionary.columns._column_layout import Layout
from kernelopt._families.dictionary.columns._further_columns import Further, Ranked
from kernelopt._families.dictionary.growth import _column_widths, _width_kernels
from kernelopt._families.dictionary.growth._chosen_columns import _one_after_another, chosen_columns
from kernelopt._families.dictionary.growth._column_weights import sparse_slopes
from kernelopt._families.dictionary.growth._column_widths import Process, fitted_widths
from kernelopt._families.dictionary.growth._width_kernels import (
    chosen_width_kernels,
    correlated_kernels,
    crowded,
    sparse_kernels,
    width_kernels,
)
from kernelopt._families.dictionary.seen._coded_columns import Coded, Span
from kernelopt._families.dictionary.seen._places import Metric


def process(outputs=1, seed=0):
    """Four columns, of which two have one rate, and noise that is not the same for all rows."""
    rng = np.random.default_rng(seed)
    columns = np.array([0, 1, 1, 2])
    return Process(rng.normal(size=(30, 4)), columns, rng.normal(size=(30, outputs)), rng.uniform(0.5, 2.0, 30))


def direct(process, x):
    """The loss by a library, up to the same constant, from Grams that are written out."""
    members, level, noise = process.split(x)
    K = level + noise * np.diag(process.share)
    apart = (process.X[:, None] - process.X) ** 2
    for (name, _), (weight, rates) in zip(_column_widths.FORMS, members, strict=True):
        squares = apart @ rates[process.columns]
        K = K + weight * np.exp(-(squares if name == "rbf" else np.sqrt(squares)))
    constant = 0.5 * process.T.size * np.log(2.0 * np.pi)
    return -sum(multivariate_normal(cov=K).logpdf(t) for t in process.T.T) - constant


@pytest.mark.parametrize("outputs", [1, 3])
def test_the_loss_and_its_derivatives(outputs):
    one = process(outputs)
    x = one.start() + np.random.default_rng(1).normal(size=len(one.start()))
    value, slope = one.loss(x)
    assert one.value(x) == pytest.approx(value, rel=1e-12)
    assert value == pytest.approx(direct(one, x), rel=1e-9)
    h = 1e-5 * np.eye(len(x))
    wanted = [(one.loss(x + step)[0] - one.loss(x - step)[0]) / 2e-5 for step in h]
    np.testing.assert_allclose(slope, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("name", "form"), _column_widths.FORMS)
def test_a_form_falls_as_its_values_do_and_nowhere_between_copies(name, form):
    base = np.array([[0.3, 1.0, 7.0, 40.0]])

    def values(base):
        written = np.empty_like(base)
        form.written(base, 1, written)
        return written

    wanted = (values(base + 1e-6) - values(base - 1e-6)) / 2e-6
    np.testing.assert_allclose(form.falling(base, 1, values(base)), wanted, rtol=1e-6)
    np.testing.assert_array_equal(form.falling(base, 1, values(base)), form.slope(base, 1))
    copies = np.array([[0.0, 1e-300, 1.0]])
    steepest = form.falling(copies, 1, values(copies))
    np.testing.assert_array_equal(steepest[:, :2], 0.0 if name == "exponential" else -1.0)
    assert steepest[0, 2] < 0.0


def waves(n, seed=0):
    """The first column changes targets fast, the second slowly, the third not at all."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.sin(2.0 * X[:, :1]) * np.cos(0.5 * X[:, 1:2]) + 0.05 * rng.normal(size=(n, 1))


def test_columns_along_which_targets_change_fast_fall_fast():
    X, T = waves(200)
    first, second, third = fitted_widths(X, T, np.ones(200), np.arange(3))[0].rates
    assert first > 3.0 * second
    assert third < 0.05 * first


def test_narrow_kernels_are_searched_only_where_they_may_be_better(monkeypatch):
    """A search from there may end at a larger evidence that is bent to the rows."""
    starts = []
    searched = Process.searched

    def counted(process, start, **options):
        starts.append(start)
        return searched(process, start, **options)

    monkeypatch.setattr(Process, "searched", counted)
    X = np.random.default_rng(0).normal(size=(120, 2))
    columns, weight = np.arange(2), np.ones(120)
    fitted_widths(X, np.sin(X[:, :1]) + X[:, 1:], weight, columns)
    assert len(starts) == 1
    fitted_widths(X, np.sin(30.0 * X[:, :1]), weight, columns)
    assert len(starts) == 3


@pytest.mark.parametrize("ahead", [False, True])
def test_a_search_that_is_behind_another_one_after_ten_steps_goes_no_further(ahead):
    X = np.random.default_rng(0).normal(size=(120, 2))
    process = Process(X, np.arange(2), np.sin(2.0 * X[:, :1]) + X[:, 1:], np.ones(120))
    alone = process.searched(process.start())
    assert len(alone.steps) > 10
    assert alone.steps[-1] == alone.value == process.value(alone.x)
    other = [value + (1.0 if ahead else -6.0) for value in alone.steps]
    beside = process.searched(process.start(), other)
    assert beside.steps == (alone.steps if ahead else alone.steps[:10])
    assert beside.value == beside.steps[-1]
    ended = process.searched(process.start(), other[:1])  # the other search has ended at its first step
    assert len(ended.steps) == len(alone.steps)


@pytest.mark.parametrize(("rows", "parts"), [(499, [499]), (500, [400, 500])])
def test_many_rows_are_searched_from_where_a_part_of_them_leads(rows, parts, monkeypatch):
    seen = []
    searched = Process.searched

    def counted(process, start, **options):
        seen.append(len(process.X))
        return searched(process, start, **options)

    X, T = waves(rows)
    whole = Process(X, np.arange(3), T / T.std(), np.ones(rows))
    wanted = whole.least().value
    monkeypatch.setattr(Process, "searched", counted)
    found = whole.found()
    assert list(dict.fromkeys(seen)) == parts
    assert found.value < wanted + 0.01 * rows
    assert found.value == pytest.approx(whole.value(found.x))


def test_all_rows_improve_what_a_part_of_them_has_found():
    X, T = waves(500)
    whole = Process(X, np.arange(3), T / T.std(), np.ones(500))
    rough = whole.among(400).least()
    assert whole.found().value < whole.value(rough.x) - 0.01


def test_all_rows_are_searched_where_a_part_of_them_tells_nothing(monkeypatch):
    """Twenty rows take short waves for noise, and the kernels that they leave are too wide to become narrow."""
    X = np.random.default_rng(0).uniform(-1.7, 1.7, size=(250, 1))
    T = np.sin(40.0 * X) / np.std(np.sin(40.0 * X))
    process = Process(X, np.zeros(1, dtype=int), T, np.ones(250))
    wanted = process.found()
    monkeypatch.setattr(_column_widths, "_ROUGH", 20)
    np.testing.assert_array_equal(process.found().x, wanted.x)


@pytest.mark.parametrize("frequency", [3.0, 12.0, 40.0])
def test_waves_are_found_however_short_they_are(frequency):
    """The widest kernels take short waves for noise, and a search that begins with them ends there."""
    rng = np.random.default_rng(0)
    X, Z = rng.uniform(-1.7, 1.7, size=(250, 1)), np.linspace(-1.6, 1.6, 300)[:, None]
    T = np.sin(frequency * X) + 0.1 * rng.normal(size=X.shape)
    rate = fitted_widths(X, T, np.ones(len(X)), np.zeros(1, dtype=int))[0].rates[0]
    K, between = np.exp(-rate * (X - X.T) ** 2), np.exp(-rate * (Z - X.T) ** 2)
    predicted = between @ np.linalg.solve(K + 0.02 * np.eye(len(X)), T)
    assert np.mean((predicted - np.sin(frequency * Z)) ** 2) < 0.02


@pytest.mark.parametrize("unit", [1e-150, 3.0, 1e150])
def test_units_and_levels_of_targets_and_weights_do_not_count(unit):
    X, T = waves(60)
    wanted = fitted_widths(X, T, np.ones(60), np.arange(3))
    for found, other in zip(fitted_widths(X, unit * (T + 2.0), np.full(60, 7.0), np.arange(3)), wanted, strict=True):
        np.testing.assert_allclose(found.rates, other.rates, rtol=1e-3, atol=1e-6)


def test_targets_that_are_one_have_no_widths():
    X, _ = waves(40)
    assert not fitted_widths(X, np.full((40, 2), 3.0), np.ones(40), np.arange(3))


@pytest.mark.parametrize(("rows", "some"), [(12, True), (11, False)])
def test_there_are_kernels_where_there_are_rows_for_them(rows, some):
    X, T = waves(rows)
    assert bool(width_kernels(X, [(0,), (1,), (2,)], T, np.ones(rows))) == some


def test_columns_of_a_group_have_one_width_and_others_none():
    X, T = waves(100)
    kernels = width_kernels(X, [(0, 2)], T, np.ones(100))
    assert len(kernels) == 2 * len(_width_kernels._AROUND)
    for kernel in kernels:
        assert isinstance(kernel.place, Metric)
        assert kernel.place.root[0] == kernel.place.root[2] > 0.0 == kernel.place.root[1]


def test_codes_are_written_out_where_they_are_asked_for():
    X, T = waves(100)
    codes = np.random.default_rng(2).integers(0, 3, (100, 1))
    coded = Coded(X, np.arange(3), codes, np.full((100, 1), 1.5), (Span(3, 6),))
    groups = [(0,), (1,), (2,), (3, 4, 5)]
    first, second = (width_kernels(rows, groups, T, np.ones(100)) for rows in (coded, coded.dense))
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one.place.root, other.place.root)


def test_copies_of_rows_count_as_weights_do():
    X, T = waves(60)
    weight = 1.0 + np.arange(60) % 3
    every = np.repeat(np.arange(60), weight.astype(int))
    groups = [(0,), (1,), (2,)]
    first, second = width_kernels(X, groups, T, weight), width_kernels(X[every], groups, T[every], np.ones(len(every)))
    for one, other in zip(first, second, strict=True):
        np.testing.assert_allclose(one.place.root, other.place.root, rtol=1e-6, atol=1e-9)


def test_many_rows_are_looked_at_in_part(monkeypatch):
    X, T = waves(300)
    looked = []
    monkeypatch.setattr(_width_kernels, "_ROWS", 50)
    monkeypatch.setattr(_width_kernels, "fitted_widths", lambda rows, *_, **__: looked.append(len(rows)) or ())
    assert width_kernels(X, [(0,), (1,), (2,)], T, np.ones(300)) == ()
    assert looked == [50]


def test_categories_of_many_values_have_no_width():
    """They are held as codes, and have a kernel of their own."""
    few = Groups(2, (3, 40), (True, True))
    assert Layout(2, None, few).apart == ((0,), (1,), (2, 3, 4, 5))


def test_numbers_with_heavy_tails_are_ranks():
    rank = Ranked(1, np.arange(2.0), np.arange(2.0))
    assert Layout(2, Further((rank,), ()), None).apart == ((0,), (2,))


def function(n, seed):
    """It is smooth along two columns, and waves along a third as much as a fourth says."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, size=(n, 4))
    return X, 4.0 * X[:, 1] * X[:, 2] + np.sin(4.0 * X[:, 0]) * X[:, 3] + 0.05 * rng.normal(size=n)


def test_they_join_the_list_where_rows_that_were_held_out_gain(tmp_path):
    X, y = function(300, 0)
    Z, z = function(1000, 1)
    s = kernelopt.solve(X, y)
    assert any("a fitted width for each column joined the list" in note for note in s.notes)
    assert np.mean((s.predict(Z) - z) ** 2) < 1e-3 * np.var(z)
    s.save(tmp_path / "model")
    np.testing.assert_array_equal(kernelopt.load(tmp_path / "model").predict(Z), s.predict(Z))
    again = kernelopt.solve(X, y, start=s)
    assert again.trace[0].upper == pytest.approx(s.objective, rel=1e-9)


def crowd(n=60, d=120, seed=0):
    """Two of many columns say all, one by a line and one by a square."""
    X = np.random.default_rng(seed).normal(size=(n, d))
    return X, (2.0 * X[:, 3] + X[:, 70] ** 2)[:, None]


def alone(d):
    return tuple((j,) for j in range(d))


def test_of_many_columns_those_are_chosen_that_say_most():
    X, T = crowd(100)
    found = chosen_columns(X, T, np.ones(len(X)), alone(120), 12)
    assert len(found) == 12
    assert {(3,), (70,)} <= set(found)
    assert list(found) == sorted(found)


def test_each_chosen_column_says_most_beside_those_before_it():
    """A copy says nothing more, however much it says by itself; a column that is hidden by another one does."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 60))
    T = (5.0 * X[:, 40] + 0.5 * X[:, 41])[:, None]
    X[:, 2:20] = X[:, 40:41] + 1e-9 * rng.normal(size=(200, 18))
    first, second = (one for one, _ in zip(_one_after_another(X, T, np.ones(200), 9), range(2), strict=False))
    assert first in {40, *range(2, 20)}
    assert second == 41


def test_columns_of_a_group_are_chosen_together():
    X, T = crowd()
    groups = ((0,), (1, 2, 3), *((j,) for j in range(4, 120)))
    found = chosen_columns(X, T, np.ones(len(X)), groups, 8)
    assert (1, 2, 3) in found
    assert sum(map(len, found)) <= 8


def test_a_row_of_weight_three_is_three_rows_to_the_choice():
    X, T = crowd(40)
    times = np.random.default_rng(2).integers(1, 4, 40)
    one = chosen_columns(X, T, times.astype(float), alone(120), 10)
    other = chosen_columns(
        np.repeat(X, times, axis=0), np.repeat(T, times, axis=0), np.ones(times.sum()), alone(120), 10
    )
    assert len(set(one) & set(other)) >= 9  # a split counts rows of the mean weight against its shrinkage


def test_chosen_columns_have_widths_where_rows_are_too_few_for_all():
    X, T = crowd()
    weight = np.ones(len(X))
    assert width_kernels(X, alone(120), T, weight) == ()
    kernels = chosen_width_kernels(X, alone(120), T, weight)
    assert [kernel.kernel[0] for kernel in kernels] == ["rbf"] * 3 + ["exponential"] * 3 + ["linear"]
    roots = np.array([kernel.place.root for kernel in kernels])
    assert (np.count_nonzero(roots, axis=1) <= len(X) // 12).all()
    assert roots[0].argmax() in (3, 70)
    assert np.mean(np.sum((X * roots[-1]) ** 2, axis=1)) == pytest.approx(1.0)
    assert chosen_width_kernels(X[:3], alone(120), T[:3], weight[:3]) == ()


def test_columns_are_weighed_by_their_correlations_in_units_of_their_own():
    X, T = crowd()
    X[:, 0], X[:, 3] = 1.0, 5.0 * X[:, 3]
    kernels = correlated_kernels(X, alone(120), T, np.ones(len(X)))
    assert [kernel.kernel[0] for kernel in kernels] == ["poly", "rbf", "rbf"] * 3
    deviation = X.std(axis=0)
    r = [0.0, *(abs(np.corrcoef(x, T[:, 0])[0, 1]) for x in X.T[1:])]
    weights = r, np.square(r), np.maximum(np.subtract(r, 2.0 / 60.0**0.5), 0.0)
    for kernel, weight in zip(kernels[::3], weights, strict=True):
        root = kernel.place.root
        assert root * deviation == pytest.approx(weight / np.linalg.norm(weight))
        assert np.mean(np.sum(((X - X.mean(axis=0)) * root) ** 2, axis=1)) == pytest.approx(1.0)
    assert correlated_kernels(X, alone(120), np.zeros_like(T), np.ones(len(X))) == ()


def test_a_sparse_function_weighs_columns_that_hide_each_other():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 120))
    T = X[:, :4].sum(axis=1, keepdims=True)
    kernels = sparse_kernels(X, alone(120), T, np.ones(60))
    assert [kernel.kernel[0] for kernel in kernels] == ["poly", "rbf", "rbf"]
    assert np.sum(kernels[0].place.root[:4] ** 2) > 0.9 * np.sum(kernels[0].place.root ** 2)
    assert sparse_kernels(X[:19], alone(120), T[:19], np.ones(19)) == ()
    assert sparse_kernels(X, alone(120), np.repeat(T, 5, axis=1), np.ones(60)) == ()


def test_of_more_columns_than_rows_some_say_a_little_each():
    """No few of them say most, and with all alike those that say nothing drown them."""

    def drawn(seed, n):
        coin = np.random.default_rng(seed)
        kind = coin.integers(0, 2, size=n)
        rows = coin.normal(size=(n, 300))
        rows[:, :15] += 0.6 * (2 * kind - 1)[:, None]
        return rows, kind

    (X, y), (Z, z) = drawn(2, 60), drawn(3, 1000)
    learned = kernelopt.solve(X, y)
    assert any("weighed by their correlations" in note for note in learned.notes)
    assert learned.score(Z, z) > 0.93


def test_of_more_columns_than_rows_a_dozen_hide_each_other():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1100, 300))
    y = X[:, :12] @ np.linspace(1.0, 0.3, 12) + 0.5 * rng.normal(size=1100)
    learned = kernelopt.solve(X[:100], y[:100])
    assert any("sparse linear function" in note for note in learned.notes)
    assert learned.score(X[100:], y[100:]) > 0.8


def test_rows_are_crowded_where_they_are_fewer_than_four_for_each_column():
    """Each row once: copies say nothing of widths."""
    X, _ = crowd()
    weight = np.ones(len(X))
    assert crowded(X[:, :16], alone(16), weight)
    assert not crowded(X[:, :15], alone(15), weight)
    assert crowded(np.repeat(X, 2, axis=0)[:, :16], alone(16), np.repeat(weight, 2))
    assert not crowded(X, (), weight)


@pytest.mark.parametrize(("n", "d"), [(200, 48), (100, 22)])
def test_what_parts_gain_by_joins_all_rows(n, d):
    """Rows that are enough for all columns are, though the parts that are learned from have fewer."""
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(n, d)), rng.normal(size=(300, d))
    f, g = (rows[:, 0] + np.sin(2.0 * rows[:, 1]) + rows[:, 2] for rows in (X, Z))
    learned = kernelopt.solve(X, f + 0.1 * rng.normal(size=n), criterion=kernelopt.Evidence(targets="numbers"))
    assert not any("columns that say most" in note for note in learned.notes)
    assert learned.score(Z, g) > 0.93


@pytest.mark.parametrize("labels", [False, True], ids=["numbers", "classes"])
def test_few_of_many_columns_are_found(labels):
    """With more columns than rows kernels of all columns say little, and metrics fit anything."""
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(50, 80)), rng.normal(size=(500, 80))
    f, g = 3.0 * X[:, 0] - 2.0 * X[:, 1], 3.0 * Z[:, 0] - 2.0 * Z[:, 1]
    y, z = (np.where(f > 0, "a", "b"), np.where(g > 0, "a", "b")) if labels else (f + 0.3 * rng.normal(size=50), g)
    learned = kernelopt.solve(X, y)
    kinds = "columns that say most", "weighed by their correlations", "sparse linear function"
    assert any(kind in note for note in learned.notes for kind in kinds)
    assert learned.score(Z, z) > (0.85 if labels else 0.97)
    assert kernelopt.solve(X, y, criterion=kernelopt.Evidence(effort="quick")).score(Z, z) < 0.8


def test_rows_that_are_sorted_by_their_targets_have_a_sparse_function_too():
    """Parts of neighbouring rows would have one class each, and nothing would predict the class of another part."""
    rng = np.random.default_rng(0)
    T = np.sort(rng.integers(0, 2, size=60))[:, None].astype(float)
    X = rng.normal(size=(60, 100))
    X[:, :3] += 2.0 * T
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    slopes = sparse_slopes(X, T, np.ones(60))
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002
    assert set(np.argsort(slopes)[-3:]) == {0, 1, 2}
