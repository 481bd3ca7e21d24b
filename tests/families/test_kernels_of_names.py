"""Numbers that are names: where rows say so, kernels of all columns see them as categories."""

import attrs
import numpy as np
import pytest

import kernelopt
import kernelopt.plugin
from kernelopt._base._copies import sets_of_copies, without_copies
from kernelopt._families.dictionary.growth._average_gradients import outer_product
from kernelopt._families.dictionary.growth._numbers_that_are_names import names_among
from kernelopt._families.dictionary.lists._kernels_of_names import WithNames
from kernelopt._families.dictionary.seen._coded_columns import written_out

SLOPES = np.random.default_rng(99).normal(size=25)
"""Of prices, in 25 shops."""


def shops(n, seed=0, slopes=SLOPES):
    """A shop's number, an age, a price and another number: what a price is worth has to do with the shop."""
    rng = np.random.default_rng(seed)
    shop, age = rng.integers(0, 25, n), rng.integers(20, 60, n)
    price, other, noise = rng.normal(size=(3, n))
    X = np.column_stack([shop, age, price, other]).astype(float)
    return X, slopes[shop] * price + np.sin(age / 8.0) + 0.2 * noise


def prepared(X, weight=None):
    return kernelopt.Dictionary("auto").prepare(X, np.ones(len(X)) if weight is None else weight)


def with_names(X, y, weight=None):
    weight = np.ones(len(X)) if weight is None else weight
    return prepared(X, weight).categorised(X, y[:, None], weight)


def new(family):
    return [a for a, kernel in enumerate(family.listed) if isinstance(getattr(kernel, "place", None), WithNames)]


def of_new(family):
    """All kernels that joined, together."""
    numbers = new(family)
    return kernelopt.plugin.Part(np.array(numbers, dtype=float)[:, None], np.ones(len(numbers)))


def found(X, y, weight=None, missing=False):
    weight = np.ones(len(X)) if weight is None else weight
    columns = {0: np.broadcast_to(missing, len(X)), 1: np.zeros(len(X), dtype=bool)}
    return names_among(X, [(j,) for j in range(X.shape[1])], columns, y.reshape(len(y), -1), weight)


def test_they_are_learned_and_kept(tmp_path):
    X, y = shops(300)
    Z, z = shops(500, 1)
    quick = kernelopt.solve(X, y, criterion=kernelopt.Evidence(targets="numbers", effort="quick"))
    s = kernelopt.solve(X, y)
    assert any("in which some numbers are names joined the list" in note for note in s.notes)
    assert "of all columns, x0 as a name" in s.kernel.describe()
    assert np.mean((s.predict(Z) - z) ** 2) < 0.5 * np.mean((quick.predict(Z) - z) ** 2)
    s.save(tmp_path / "model")
    np.testing.assert_array_equal(kernelopt.load(tmp_path / "model").predict(X), s.predict(X))
    again = kernelopt.solve(X, y, start=s)
    assert "x0 as a name" in again.kernel.describe()
    assert "shop as a name" in s.named(("shop", "age", "price", "other")).kernel.describe()


def test_classes_are_learned_so_too():
    X, y = shops(800)
    Z, z = shops(500, 1)
    s = kernelopt.solve(X, y > 0.5)
    assert any("in which some numbers are names joined the list" in note for note in s.notes)
    assert np.mean(s.predict(Z) != (z > 0.5)) < 0.18


def test_ages_are_no_names():
    """Their slope rises with them: neighbouring numbers say of each other what rows with one number say."""
    X, y = shops(300, slopes=np.linspace(-1.5, 1.5, 25))
    assert with_names(X, y) is None
    s = kernelopt.solve(X, y)
    assert not any("are names" in note for note in s.notes)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n", [300, 1000])
def test_shops_are_told_from_ages(seed, n):
    assert found(*shops(n, seed)) == (0,)


def test_noise_names_hardly_any_column():
    rng = np.random.default_rng(0)
    named = sum(bool(found(shops(300, seed)[0], rng.normal(size=300))) for seed in range(50))
    assert named <= 12, "two columns and three ways to be alike, each of which chance passes in 2 % of all cases"


def test_order_units_copies_and_weights_do_not_matter():
    X, y = shops(200)
    rng = np.random.default_rng(1)
    weight = rng.integers(1, 4, 200)
    order = rng.permutation(200)
    for columns, targets, weights in (
        (X[order], y[order], weight[order].astype(float)),
        (np.repeat(X, weight, axis=0), np.repeat(y, weight), None),
        (X * [2.0, 3.0, -0.1, 7.0] + 5.0, 3.0 - 10.0 * y, 0.5 * weight),
    ):
        assert found(columns, targets, weights) == found(X, y, weight.astype(float)) == (0,)


def test_missing_numbers_are_no_name():
    """Their rows have nothing in common but the mean that stands there."""
    X, y = shops(600)
    missing = np.arange(600) % 2 == 0
    X[missing, 0] = X[~missing, 0].mean()
    assert found(X, y, missing=missing) == found(X[~missing], y[~missing]) == (0,)
    named = with_names(X, y)
    assert {named.listed[a].place.names for a in new(named)} == {(0,)}


def test_any_of_several_targets_says_so():
    X, y = shops(300)
    noise = np.random.default_rng(0).normal(size=300)
    assert found(X, np.column_stack([noise, y])) == (0,)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (shops(300)[0], np.zeros(300)),
        (np.column_stack([shops(300)[0][:, :2], np.ones((300, 2))]), shops(300)[1]),
        (shops(15)[0], shops(15)[1]),  # fewer than four rows for a column
    ],
)
def test_what_says_nothing_names_nothing(X, y):
    assert found(X, y) == ()


def test_a_column_of_one_number_in_the_rows_that_are_looked_at_is_none():
    """As of counts that are 0 nearly everywhere, where few of many rows are looked at."""
    rows = np.arange(900)
    X = np.column_stack([np.where(rows < 15, rows, 0), np.sin(rows)])
    family = prepared(X)
    assert family.categorised(X[100:], X[100:, 1:], np.ones(800)) is None


def test_kernels_of_the_list_stay_and_the_new_ones_know_no_order_of_names():
    X, y = shops(300)
    family, Z = prepared(X), shops(7, 2)[0]
    larger = with_names(X, y)
    assert {larger.listed[a].place.names for a in new(larger)} == {(0,)}
    wanted = family.cross(family.center(), Z, X)
    np.testing.assert_allclose(larger.cross(family.center(), Z, X), wanted, rtol=1e-12)
    names = np.random.default_rng(0).permutation(25)

    def renamed(rows):
        return np.column_stack([names[rows[:, 0].astype(int)], rows[:, 1:]])

    other = with_names(renamed(X), y)
    part = of_new(larger)
    np.testing.assert_allclose(other.cross(of_new(other), renamed(Z), renamed(X)), larger.cross(part, Z, X), rtol=1e-10)
    np.testing.assert_allclose(larger.diag(part, X).mean(), len(new(larger)), rtol=1e-10)


def test_a_new_name_is_as_far_from_one_as_from_another():
    X, y = shops(300)
    family = with_names(X, y)
    rows = np.repeat(X[:1], 25, axis=0)
    rows[:, 0] = np.arange(25)
    fresh = X[:1].copy()
    for number in (-3.0, 11.5, 1000.0):
        fresh[0, 0] = number
        values = family.cross(of_new(family), fresh, rows)
        np.testing.assert_allclose(values, values[0, 0], rtol=1e-12)


def test_slopes_of_the_new_kernels_are_those_in_the_other_columns():
    X, y = shops(200)
    family, V = with_names(X, y), np.random.default_rng(0).normal(size=(200, 2))
    rows, D = family._preprocessing.rows(X), family._preprocessing.layout(4).numbered
    members = [(family.listed[a], 1.0) for a in new(family)]
    G = outer_product(members, rows, V, D).diagonal
    dense = outer_product(members, written_out(rows), V).diagonal
    np.testing.assert_allclose(G, dense[:D], rtol=1e-9)
    assert G[2] > 0.0
    assert G[0] == 0.0, "the number itself is not seen"


def test_what_grows_after_them_begins_with_them():
    """And what predicts holds the names only where a kernel sees them."""
    X, y = shops(300)
    family, V = with_names(X, y), np.random.default_rng(0).normal(size=(300, 1))
    grown, part = family.grown(of_new(family), X, V)
    np.testing.assert_allclose(
        grown.cross(part, X[:5], X), family.cross(of_new(family), X[:5], X), rtol=1e-10, atol=1e-12
    )
    whole, atoms = grown.dictionary(), np.arange(len(grown.listed))
    for weights, held in ((np.isin(atoms, new(grown)), True), (~np.isin(atoms, new(grown)), False)):
        plain = [getattr(getattr(one, "place", None), "numbers", (0,)) for one in grown.listed]
        compared = np.array([min(numbers) >= grown._preprocessing.layout(4).numbered for numbers in plain])
        part = attrs.evolve(whole, weights=np.where(compared, 0.0, weights.astype(float)))
        fewer, own = grown.compact(part)
        assert bool(fewer._further.numbered) == held
        np.testing.assert_allclose(fewer.cross(own, X[:5], X), grown.cross(part, X[:5], X), rtol=1e-10)


def test_those_without_weight_leave():
    X, y = shops(300)
    family = with_names(X, y)
    part = prepared(X).center()
    fewer, own = family.pruned(part)
    assert not new(fewer)
    np.testing.assert_allclose(fewer.cross(own, X[:3], X), family.cross(part, X[:3], X), rtol=1e-12)


def test_a_list_that_nothing_may_join_is_joined_by_none():
    X, y = shops(300)
    family = kernelopt.Dictionary(["linear"]).prepare(X, np.ones(300))
    assert family.categorised(X, y[:, None], np.ones(300)) is None


def test_rows_without_copies_have_the_means_of_their_targets():
    rng = np.random.default_rng(0)
    X, T, weight = rng.integers(0, 3, (40, 2)).astype(float), rng.normal(size=(40, 2)), rng.uniform(0.5, 2.0, 40)
    rows, means, total = without_copies(X, T, weight)
    assert len(rows) == len(set(sets_of_copies(X)))
    for row, mean, mass in zip(rows, means, total, strict=True):
        same = (row == X).all(axis=1)
        np.testing.assert_allclose(mean, np.average(T[same], axis=0, weights=weight[same]))
        np.testing.assert_allclose(mass, weight[same].sum())
