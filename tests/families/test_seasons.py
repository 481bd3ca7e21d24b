"""Seasons of dates: rows of one time of the year, of the week or of the day are alike, and rows that were held out
decide.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kernelopt
from kernelopt._device._arrays import Arrays
from kernelopt._families.dictionary.growth._average_gradients import outer_product
from kernelopt._families.dictionary.kernels._base_kernels import PlacedKernel
from kernelopt._families.dictionary.seen._coded_columns import Coded, Span, seen_from, written_out
from kernelopt._families.dictionary.seen._seasons import PERIODS, Seasons, Wave

YEAR, WEEK, DAY = PERIODS
FLOATS = st.floats(-1e4, 1e4)


def dates(n, seed=0, years=6.0):
    """Days of some years, in random order."""
    return 16436.0 + np.random.default_rng(seed).uniform(0.0, 365.2425 * years, n)


@given(one=FLOATS, other=FLOATS, middle=FLOATS, deviation=st.floats(0.1, 1e3), period=st.sampled_from(PERIODS))
def test_distances_are_those_on_a_circle(one, other, middle, deviation, period):
    place = Seasons((Wave.of_frame(0, period, middle, deviation),))
    seen = place.of((np.array([[one], [other]]) - middle) / deviation)
    wanted = 4.0 * np.sin(np.pi * (one - other) / period) ** 2
    assert np.sum((seen[0] - seen[1]) ** 2) == pytest.approx(wanted, abs=1e-6)
    assert seen.shape == (2, place.width(1))


def rows(n=9):
    """Rows of two columns of dates and one of numbers, as they are and with five categories behind them, coded too."""
    rng = np.random.default_rng(1)
    numbers, codes = rng.normal(size=(n, 3)), rng.integers(0, 5, (n, 1)).astype(np.int32)
    held = Coded(numbers, np.arange(3), codes, np.full((n, 1), 0.7), (Span(3, 8),))
    return held, held.dense


PLACES = {
    "alone": Seasons((Wave.of_frame(1, YEAR, 200.0, 150.0),)),
    "with others": Seasons(
        (Wave.of_frame(0, WEEK, 3.0, 2.0), Wave.of_frame(1, YEAR, 200.0, 150.0), Wave.of_frame(1, DAY, 1.0, 0.4)),
        (0, 1, 2, 3, 4, 5, 6, 7),
    ),
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_codes_and_devices_see_the_same(place):
    held, dense = rows()
    wanted = place.of(dense)
    seen = seen_from(place, held)
    assert isinstance(seen, Coded) == bool(place.beside)
    np.testing.assert_allclose(written_out(seen), wanted, atol=1e-15)
    there = Arrays("array_api_compat.numpy")
    np.testing.assert_allclose(there.back(place.there(there, there.put(dense))), wanted, atol=1e-12)


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_slopes_are_pulled_back_from_circles(place):
    _, X = rows()
    G, small = np.random.default_rng(2).normal(size=(len(X), place.width(8))), 1e-6
    found = place.pulled(G, place.of(X), 8)
    for j in range(8):
        step = np.where(np.arange(8) == j, small, 0.0)
        wanted = np.sum(G * (place.of(X + step) - place.of(X - step)), axis=1) / (2.0 * small)
        np.testing.assert_allclose(found[:, j], wanted, rtol=1e-6, atol=1e-7)


def test_slopes_of_kernels_are_those_of_their_values():
    held, dense = rows(12)
    kernels = [(PlacedKernel(("rbf", {"gamma": 0.4}), place), 1.5) for place in PLACES.values()]
    V, small = np.random.default_rng(3).normal(size=(12, 1)), 1e-6

    def value(Z):
        return sum(w * kernel(Z, dense) for kernel, w in kernels) @ V[:, 0]

    steps = small * np.eye(8)
    slopes = np.column_stack([(value(dense + step) - value(dense - step)) / (2.0 * small) for step in steps])
    wanted = slopes.T @ slopes / 12.0
    for X in (held, dense):
        found = outer_product(kernels, X, V, first=8)
        np.testing.assert_allclose(found.root @ found.root.T, wanted, rtol=1e-5, atol=1e-6)


def seasons_of(days, **options):
    X = np.column_stack([days, np.arange(len(days)) % 7])
    family = kernelopt.Dictionary("auto").prepare(X, np.ones(len(X)))
    larger = family.seasonal(X, np.ones(len(X)), np.array([0]), **options)
    new = () if larger is None else larger.listed[len(family.listed) :]
    return {wave.period for kernel in new for wave in kernel.place.waves}


@pytest.mark.parametrize(
    ("days", "wanted"),
    [
        (dates(100), {YEAR, WEEK, DAY}),
        (np.floor(dates(100)), {YEAR, WEEK}),
        (np.floor(dates(100, years=1.5)), {WEEK}),
        (7.0 * np.arange(300.0), {YEAR}),  # one weekday
        (np.round(YEAR * np.arange(40.0)), {WEEK}),  # one time of the year
        (np.linspace(0.0, 13.0, 100), {DAY}),
        (np.linspace(0.0, 14.1, 100), {WEEK, DAY}),
        (np.linspace(0.0, 1.9, 100), set()),
        (np.linspace(0.0, 0.99, 100), {DAY}),  # times without a date
        (np.linspace(-0.5, 0.49, 100), set()),
    ],
)
def test_seasons_are_those_that_came_back_and_of_which_there_are_several_times(days, wanted):
    assert seasons_of(days) == wanted


def test_waves_say_the_time_since_1970():
    X, weight = dates(60)[:, None], np.ones(60)
    larger = kernelopt.Dictionary("auto").prepare(X, weight).seasonal(X, weight, np.array([0]))
    every = (kernel.place for kernel in larger.listed if isinstance(kernel, PlacedKernel))
    places = {place for place in every if isinstance(place, Seasons) and not place.beside}
    assert len(places) == 3
    for place in places:
        turns = 2.0 * np.pi * X / place.waves[0].period
        seen = place.of((X - X.mean()) / X.std())
        np.testing.assert_allclose(seen, np.hstack([np.sin(turns), np.cos(turns)]), atol=1e-6)


def test_seasons_without_a_weight_are_pruned():
    X, weight = dates(60)[:, None], np.ones(60)
    family = kernelopt.Dictionary("auto").prepare(X, weight)
    larger = family.seasonal(X, weight, np.array([0]))
    assert len(larger.listed) > len(family.listed)
    assert len(larger.pruned(family.center())[0].listed) == len(family.listed)


def test_a_list_that_was_chosen_has_no_seasons():
    X = dates(50)[:, None]
    family = kernelopt.Dictionary([("rbf", {"gamma": 1.0})]).prepare(X, np.ones(50))
    assert family.seasonal(X, np.ones(50), np.array([0])) is None


def shops(n, seed, first="2012-01-01", years=6.0):
    """Sales that grow, and that differ in the year and in the week, in three shops."""
    rng = np.random.default_rng(seed)
    when = pd.Timestamp(first) + pd.to_timedelta(np.floor(rng.uniform(0.0, 365.2425 * years, n)), unit="D")
    shop = rng.choice(["north", "south", "west"], n)
    weekend = np.asarray(when.day_of_week >= 5)
    season = np.cos(2.0 * np.pi * (np.asarray(when.day_of_year) - 20.0) / 365.25) * np.where(shop == "north", 1.5, 0.5)
    sales = 0.1 * (np.asarray(when.year) - 2012) + season + 0.8 * weekend
    return pd.DataFrame({"day": when.strftime("%Y-%m-%d"), "shop": shop}), sales + 0.1 * rng.normal(size=n)


def seasons_in(solution):
    """The places of the kernels of seasons in the list that was learned."""
    places = (getattr(kernel, "place", None) for kernel in solution.kernel.leaves[0].family.listed)
    return [place for place in places if isinstance(place, Seasons)]


def test_the_default_learns_seasons(tmp_path):
    X, y = shops(180, 0)
    Z, new = shops(500, 1)
    learned = kernelopt.solve(X, y)
    numbers = pd.to_datetime(X["day"]), pd.to_datetime(Z["day"])
    days = [(t - pd.Timestamp(0)).dt.days.astype(str) for t in numbers]
    plain = [T.assign(day=t + " kg") for T, t in zip((X, Z), days, strict=True)]  # numbers with a unit are no dates
    blind = kernelopt.solve(plain[0], y)
    note = "family: kernels of the time of the year, of the week or of the day joined the list"
    assert any(one.startswith(note) for one in learned.notes)
    assert not any(one.startswith(note) for one in blind.notes)
    error = np.mean((learned.predict(Z) - new) ** 2)
    assert error < 0.03
    assert error < 0.3 * np.mean((blind.predict(plain[1]) - new) ** 2)
    assert "time of the" in learned.kernel.describe()
    places = seasons_in(learned)
    assert {len(place.beside) for place in places} == {0, 5}  # the days, three shops, and those that are new
    learned.save(tmp_path / "model")
    assert np.array_equal(kernelopt.load(tmp_path / "model").predict(Z), learned.predict(Z))
    for n, most in ((300, 0.03), (10500, 0.015)):  # landmarks stand for the kernel of so many rows
        again = kernelopt.solve(*shops(n, 2), start=learned)
        assert n > 300 or "time of the" in again.kernel.describe()
        assert np.mean((again.predict(Z) - new) ** 2) < most


def test_seasons_do_not_join_where_there_are_none():
    noise = np.random.default_rng(5).normal(size=300)
    learned = kernelopt.solve(shops(300, 0)[0], 0.002 * np.arange(300) + 0.1 * noise)
    assert not any("time of the year" in note for note in learned.notes)
    assert not seasons_in(learned)


def test_columns_before_dates_and_missing_dates_make_no_other_seasons():
    X, y = shops(300, 0)
    turned = X[["shop", "day"]].assign(day=X["day"].where(np.arange(300) % 10 > 0))
    found = seasons_in(kernelopt.solve(turned, y))
    assert {wave.period for place in found for wave in place.waves} == {YEAR, WEEK}
