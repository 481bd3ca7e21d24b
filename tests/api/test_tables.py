"""Tables as people have them: text, categories, truth values and gaps, in any spelling, are one problem."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, cross_val_score

import kernelopt
from kernelopt import InvalidData, NewMissingValues

RNG = np.random.default_rng(3)
N = 60
CODE = RNG.integers(0, 4, N)
COLOURS = np.array(["red", "blue", "green", "grey"])
SIZE = RNG.normal(size=N)
AGE = np.where(np.arange(N) % 7 == 3, np.nan, RNG.normal(40.0, 10.0, N))
OLD = RNG.random(N) < 0.5
Y = np.array([0.0, 1.0, 2.0, 0.5])[CODE] + np.sin(2.0 * SIZE) + np.where(np.isnan(AGE), 1.0, 0.0)
TABLE = pd.DataFrame({"colour": COLOURS[CODE], "size": SIZE, "age": AGE, "old": OLD})
EVIDENCE = kernelopt.Evidence(targets="numbers", effort="quick")


class Series:
    """A column in the manner of polars: an array, and a type with a name."""

    def __init__(self, values, dtype):
        self.values, self.dtype = values, dtype

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype=dtype)


class Frame:
    """A table in the manner of polars: columns by their places, and no iloc."""

    def __init__(self, frame, dtypes):
        self.columns, self.shape, self.dtypes = list(frame.columns), frame.shape, dtypes
        self._frame = frame

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self._frame, dtype=dtype)

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, place):
        rows, j = place
        assert rows == slice(None)
        return Series(np.asarray(self._frame.iloc[:, j]), self.dtypes[j])


def evident(X, y=Y):
    return kernelopt.solve(X, y, family="auto", criterion=EVIDENCE)


def machines(X, y=Y):
    """A default, and another family, which sees plain indicators."""
    yield evident(X, y)
    yield kernelopt.solve(X, y, family=kernelopt.fixed("rbf"), criterion=kernelopt.Ridge(0.1))


SPELLINGS = {
    "categories": TABLE.astype({"colour": "category"}),
    "categories in another order": TABLE.assign(
        colour=pd.Categorical(TABLE["colour"], ["grey", "none", "red", "green", "blue"])
    ),
    "pandas' own types": TABLE.convert_dtypes(),
    "objects": TABLE.astype(object),
    "None for NaN": TABLE.astype(object).where(TABLE.notna(), None),
    "a list of rows": TABLE.astype(object).to_numpy().tolist(),
    "polars' manner": Frame(TABLE.astype(object), ["String", "Float64", "Float64", "Boolean"]),
    "polars' categories": Frame(TABLE, ["Categorical", "Float64", "Float64", "Boolean"]),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_of_a_table_is_one_problem(spelling):
    for ours, theirs in zip(machines(TABLE), machines(SPELLINGS[spelling]), strict=True):
        assert np.array_equal(ours.decision_function(TABLE), theirs.decision_function(SPELLINGS[spelling]))
        assert ours.certificate == theirs.certificate


def test_polars_is_one_of_them():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({name: SPELLINGS["None for NaN"][name].tolist() for name in TABLE})
    for one in (frame, frame.with_columns(polars.col("colour").cast(polars.Categorical))):
        assert np.array_equal(evident(TABLE).decision_function(TABLE), evident(one).decision_function(one))


@pytest.mark.parametrize("names", [["w", "x", "y", "z"], ["z", "y", "x", "w"], [3, 1, 4, 2], [0.5, -1.0, 7.0, 2.0]])
def test_what_categories_are_called_changes_nothing(names):
    other = TABLE.assign(colour=pd.Categorical(np.array(names)[CODE]))
    for ours, theirs in zip(machines(TABLE), machines(other), strict=True):
        assert np.array_equal(ours.decision_function(TABLE), theirs.decision_function(other))
        assert ours.certificate == theirs.certificate


def test_a_column_of_text_equals_its_codes():
    s = evident(TABLE)
    codes = s.kernel.rows(TABLE)
    assert np.array_equal(s.kernel.rows(codes), codes, equal_nan=True)
    assert np.array_equal(s.decision_function(codes), s.decision_function(TABLE))
    declared = TABLE.assign(colour=pd.Categorical(CODE))
    assert np.array_equal(evident(declared).decision_function(declared), s.decision_function(TABLE))


def test_shuffled_rows_are_the_same_rows():
    order = RNG.permutation(N)
    for ours, theirs in zip(machines(TABLE), machines(TABLE.iloc[order], Y[order]), strict=True):
        np.testing.assert_allclose(ours.decision_function(TABLE), theirs.decision_function(TABLE), atol=2e-3)


def test_shuffled_columns_are_the_same_columns():
    other = TABLE[["old", "age", "colour", "size"]]
    np.testing.assert_allclose(
        evident(TABLE).decision_function(TABLE), evident(other).decision_function(other), atol=2e-3
    )


def test_a_weight_of_two_is_a_second_row():
    twice = np.concatenate([np.arange(N), np.arange(20)])
    weight = np.where(np.arange(N) < 20, 2.0, 1.0)
    options = {"family": "gaussian", "criterion": "ridge", "tol": 1e-6}
    ours = kernelopt.solve(TABLE, Y, sample_weight=weight, **options)
    theirs = kernelopt.solve(TABLE.iloc[twice], Y[twice], **options)
    np.testing.assert_allclose(ours.decision_function(TABLE), theirs.decision_function(TABLE), atol=1e-3)


def test_rows_of_no_weight_have_no_say_in_the_encoding():
    first = TABLE.iloc[:40].assign(colour="violet", age=np.nan)
    table = pd.concat([first, TABLE.iloc[40:]])
    weight = (np.arange(N) >= 40).astype(float)
    s = kernelopt.solve(table, Y, family="gaussian", criterion="ridge", sample_weight=weight)
    assert "violet" not in s.kernel.encoding.labels[0]
    alone = kernelopt.solve(TABLE.iloc[40:], Y[40:], family="gaussian", criterion="ridge")
    np.testing.assert_allclose(s.decision_function(TABLE), alone.decision_function(TABLE), rtol=1e-9)


def test_a_new_category_is_unlike_all_others_and_like_itself():
    s = evident(TABLE)
    new = TABLE.iloc[:1].assign(colour=["violet"])
    others = pd.concat([TABLE.iloc[:1].assign(colour=[colour]) for colour in COLOURS])
    k = s.kernel(others, new)[:, 0]
    among = s.kernel(others)
    np.testing.assert_allclose(k, among[0, 1], rtol=1e-12)
    np.testing.assert_allclose(s.kernel.diag(new), s.kernel.diag(others)[:1], rtol=1e-12)
    assert among[0, 0] > 1.01 * k[0]


def test_the_deviation_is_larger_at_a_new_category():
    s = evident(TABLE)
    _, known = s.predict(TABLE.iloc[:5], return_std=True)
    _, new = s.predict(TABLE.iloc[:5].assign(colour="violet"), return_std=True)
    assert (new > 1.5 * known).all()


def test_what_is_missing_tells():
    """The target of gaps is 1 larger, which nothing else says."""
    s = evident(TABLE)
    gap = TABLE.iloc[:1].assign(age=np.nan)
    mean = TABLE.iloc[:1].assign(age=np.nanmean(AGE))
    assert s.decision_function(gap)[0] - s.decision_function(mean)[0] > 0.5
    assert any("9 values are missing in column 'age'" in note for note in s.notes)


def test_gaps_in_arrays_are_those_of_tables():
    X = TABLE[["size", "age"]]
    assert np.array_equal(evident(X).decision_function(X), evident(X.to_numpy()).decision_function(X.to_numpy()))


def test_a_gap_where_training_rows_have_none_is_the_mean_and_is_told():
    s = evident(TABLE)
    gap = TABLE.iloc[:3].assign(size=np.nan)
    with pytest.warns(
        NewMissingValues, match=r"Z has 3 missing values in column 'size', where the training rows have none"
    ):
        got = s.predict(gap)
    np.testing.assert_allclose(got, s.predict(gap.assign(size=SIZE.mean())), rtol=1e-12)
    with pytest.warns(NewMissingValues, match="in columns 'colour', 'old'") as told:
        got = s.predict(TABLE.iloc[:3].assign(colour=None, old=None), return_std=True)[0]
    assert len(told) == 1
    np.testing.assert_allclose(got, s.predict(TABLE.iloc[:3].assign(colour="violet", old=OLD.mean())), rtol=1e-12)


def test_a_column_of_gaps_is_left_out():
    for empty in (np.nan, None):
        table = TABLE.assign(empty=empty)
        s = evident(table)
        assert np.array_equal(s.decision_function(table), evident(TABLE).decision_function(TABLE))
        assert any("1 of 5 columns are constant on the training rows, column 'empty':" in note for note in s.notes)
        assert np.array_equal(s.decision_function(table.assign(empty=3.0)), s.decision_function(table))


@pytest.mark.parametrize("dtype", ["string", object])
def test_text_that_is_missing_in_training_may_come_later(dtype):
    table = TABLE.assign(remark=pd.Series([None] * N, dtype=dtype))
    s = evident(table)
    assert np.array_equal(s.predict(table.assign(remark="leak")), s.predict(table))
    rare = TABLE.assign(remark=pd.Series([None] * (N - 1) + ["leak"], dtype=dtype))
    machine = kernelopt.KernelRegressor(family=kernelopt.fixed("rbf"), criterion=kernelopt.Ridge(0.1))
    assert np.isfinite(cross_val_score(machine, rare, Y, cv=KFold(3), error_score="raise")).all()


def test_a_column_of_one_number_and_gaps_tells_where_gaps_are():
    y = np.isnan(AGE).astype(float)
    s = evident(pd.DataFrame({"age": np.where(np.isnan(AGE), np.nan, 40.0), "size": SIZE}), y)
    assert np.abs(s.predict(pd.DataFrame({"age": [np.nan, 40.0], "size": 0.0})) - [1.0, 0.0]).max() < 0.1


def test_tables_of_text_alone():
    table = pd.DataFrame({"a": COLOURS[CODE], "b": np.where(OLD, "yes", "no")})
    y = np.array([0.0, 1.0, 2.0, 0.5])[CODE] + OLD
    for family, criterion in (("auto", EVIDENCE), (kernelopt.fixed("linear"), kernelopt.Ridge(0.01))):
        assert kernelopt.solve(table, y, family=family, criterion=criterion).score(table, y) > 0.9


def test_a_column_of_one_category_is_constant():
    table = TABLE.assign(one="same")
    assert np.array_equal(evident(table).decision_function(table), evident(TABLE).decision_function(TABLE))


def test_another_category_in_each_row_says_nothing():
    table = TABLE.assign(name=[f"name {k}" for k in range(N)])
    s = evident(table)
    assert np.array_equal(s.decision_function(table), evident(TABLE).decision_function(TABLE))
    assert any(
        "1 of 5 columns have a different category in every row and say nothing about other rows, column 'name':" in note
        for note in s.notes
    )
    assert not any("categories in" in note and "'name'" in note for note in s.notes)


def test_hundreds_of_categories():
    code = RNG.integers(0, 200, 700)
    level = RNG.normal(size=200)
    table = pd.DataFrame({"place": [f"p{c}" for c in code], "x": RNG.normal(size=700)})
    y = level[code] + 0.1 * table["x"].to_numpy()
    s = evident(table[:640], y[:640])
    assert s.score(table[640:], y[640:]) > 0.7


def test_numbers_written_as_text_are_told():
    table = TABLE.assign(size=SIZE.round(0).astype(int).astype(str))
    assert any("numbers written as text in column 'size'" in note for note in evident(table).notes)
    table.loc[3, "size"] = "about 2"
    assert any("'size', among words such as 'about 2'" in note for note in evident(table).notes)
    assert not any("as text" in note for note in evident(TABLE).notes)


@pytest.mark.parametrize(
    ("form", "unit"),
    [("{}%", "%"), ("\u20ac{}", "\u20ac"), ("{} kg", "kg"), ("{} km/h", "km/h")],
)
def test_numbers_with_a_unit_are_told(form, unit):
    cells = [form.format(k % 30) for k in range(N)]
    cells[3] = "unknown"
    s = evident(TABLE.assign(share=cells))
    assert any(
        note.startswith(f"X: numbers with a unit in column 'share', such as {cells[0]!r}, were taken as categories")
        and f"replace({unit!r}, '')" in note
        for note in s.notes
    )


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (
            ["1,234 kg", "1,567 kg"],
            "what stands before decimals and between thousands is not clear, such as in '1,234 kg'",
        ),
        (["13", "12 kg"], "some have no unit, such as '13'"),
        (["12A", "13A"], "they may be codes, or are not all written in one way"),
    ],
)
def test_why_numbers_with_a_unit_are_no_numbers_is_told(cells, why):
    s = evident(TABLE.assign(share=np.resize(cells, N)))
    assert any(
        "'share', such as '1" in note and f"which have no order, because {why}; write" in note for note in s.notes
    )


def test_numbers_with_a_unit_are_those_numbers(tmp_path):
    """Nothing but the note says that they were words, nor do new rows, and a file keeps how they are read."""
    shares = np.arange(N) % 30 / 2.0
    numbers = TABLE.assign(share=shares)
    words = TABLE.assign(share=[f"{share} %" for share in shares])
    one, two = evident(numbers), evident(words)
    two.save(tmp_path / "model")
    again = kernelopt.load(tmp_path / "model")
    assert np.array_equal(one.predict(numbers), two.predict(words))
    assert np.array_equal(one.predict(numbers), again.predict(words))
    assert any("X: words in column 'share' (%, decimal point) were taken as numbers" in note for note in two.notes)
    assert not any("words in column" in note for note in one.notes)


def test_dates_that_can_be_read_in_two_ways_or_stand_among_other_words_are_told():
    days = pd.Series(np.resize(pd.date_range("2023-01-01", periods=12), len(TABLE)))
    told = "dates written as text in column 'when'"
    iso = days.dt.strftime("%Y-%m-%d")
    columns = (
        (days.dt.strftime("%m/%d/%Y"), "they can be read in more than one way"),
        (days.dt.strftime("%d/%m/%Y 00:00"), "they can be read in more than one way"),
        (days.dt.strftime("%d/%m/%y"), "it is not clear which day or time some of them say, such as '01/01/23'"),
        (iso.where(TABLE.index != 5, "unknown"), "other words stand among them, such as 'unknown'"),
        (iso.where(TABLE.index % 2 == 0, days.dt.strftime("%d.%m.%Y")), "not all rows have dates that are written in "),
        (iso.where(TABLE.index != 5, "2023-02-30"), "it is not clear which day or time some .* such as '2023-02-30'"),
    )
    for column, why in columns:
        (note,) = (note for note in evident(TABLE.assign(when=column)).notes if told in note)
        assert re.search(f" because {why}", note)
        code, _, rest = note.rpartition("such as with ")[2].partition(")")
        assert "dayfirst=False if the month comes first" in rest or "dayfirst" not in code
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pandas says that it takes long
            advised = eval(f"{code})", {"pandas": pd, "column": column})
        assert any("X: dates in column 'when'" in note for note in evident(TABLE.assign(when=advised)).notes)
        assert advised.isna().any() == ("which makes missing values" in note and "01/01/23" not in note)
    codes = TABLE.assign(when=days.dt.strftime("%j-%Y-%m"))
    assert not any("dates" in note for note in evident(codes).notes)
    assert not any("dates" in note for note in evident(TABLE).notes)


def test_times_of_two_kinds_or_among_other_words_are_told():
    """What the note says to do makes the seconds, or the minutes and seconds, that the words say."""
    seconds = 60 * (1 + np.arange(len(TABLE)) % 90)
    hours = pd.Series([f"{s // 3600}:{s // 60 % 60:02}:{s % 60:02}" for s in seconds])
    told = "times written as text in column 'took'"
    columns = (
        (hours.where(seconds >= 3600, hours.str[2:]), seconds, "others may be minutes and seconds"),
        (hours.where(TABLE.index != 5, "late"), seconds, "other words stand among them, such as 'late'"),
        (hours.str[2:].where(TABLE.index != 5, "late"), 60 * (seconds % 3600), "other words .* such as 'late'"),
    )
    for column, wanted, why in columns:
        (note,) = (note for note in evident(TABLE.assign(took=column)).notes if told in note)
        assert re.search(f" because .*{why}", note)
        code = note.rpartition("such as with ")[2].partition(".total_seconds()")[0]
        advised = eval(f"{code}.total_seconds()", {"pandas": pd, "column": column})
        assert advised.isna().tolist() == (column == "late").tolist()
        assert advised.dropna().tolist() == wanted[column != "late"].tolist()
    assert any(
        "X: times in column 'took' (hours, minutes and seconds)" in n for n in evident(TABLE.assign(took=hours)).notes
    )


WEEKS = pd.Series(pd.date_range("2015-01-04", periods=120, freq="7D"))
TREND = np.sin(np.arange(120) / 15.0)
DATED = {
    "of pandas": WEEKS,
    "with a zone": WEEKS.dt.tz_localize("America/Lima"),
    "of Python": WEEKS.dt.date,
    "periods": WEEKS.dt.to_period("D"),
    "ISO 8601": WEEKS.dt.strftime("%Y-%m-%dT%H:%M:%SZ"),
    "month first": WEEKS.dt.strftime("%m/%d/%Y"),
    "day first": WEEKS.dt.strftime("%d.%m.%Y 07:30"),
    "named": WEEKS.dt.strftime("%d-%b-%Y"),
}


@pytest.mark.parametrize("when", DATED.values(), ids=DATED)
def test_the_order_of_dates_is_learned_from(when):
    table = pd.DataFrame({"when": when, "x": np.arange(120) % 7})
    learned = kernelopt.solve(table[::2], TREND[::2], criterion=kernelopt.Evidence(targets="numbers", effort="quick"))
    assert learned.score(table[1::2], TREND[1::2]) > 0.99
    assert any(note.startswith("X: dates in column 'when'") for note in learned.notes)
    assert learned.predict(table[:1]).shape == (1,)  # one row of 04/01/2015 alone can be read in two ways
    for wrong, held in (("soon", "'soon'"), (7.0, "7.0"), ("2015", "'2015'")):
        with pytest.raises(kernelopt.InvalidData, match=f"column 'when' holds {held}, wanted dates as in training"):
            learned.predict(table.assign(when=wrong))


def test_dates_are_wanted_only_where_training_rows_have_them():
    table = pd.DataFrame({"when": np.arange(120.0), "x": np.arange(120) % 7})
    learned = kernelopt.solve(table, TREND, family="dictionary", criterion="ridge")
    for when, held in ((WEEKS, "dates"), (WEEKS.astype(str), "'2015-01-04'")):
        with pytest.raises(kernelopt.InvalidData, match=f"column 'when' holds {held}, wanted numbers as in training"):
            learned.predict(table.assign(when=when))
    numbered = table.assign(when=(table["when"] // 30).astype("category"))
    learned = kernelopt.solve(numbered, TREND, family="dictionary", criterion="ridge")
    with pytest.raises(kernelopt.InvalidData, match="'when' holds dates, wanted categories that are numbers as in"):
        learned.predict(table.assign(when=WEEKS))
    declared = table.assign(when=WEEKS.astype(str).astype("category"))
    learned = kernelopt.solve(declared, TREND, family="dictionary", criterion="ridge")
    assert any("categories in column 'when' (120)" in note or "different category" in note for note in learned.notes)


def test_dates_are_seen_in_views_and_saved(tmp_path):
    table = pd.DataFrame({"when": WEEKS.astype(str), "x": np.arange(120) % 7})
    views = {"one": table, "two": table[["x"]]}
    learned = kernelopt.solve(views, TREND, family="dictionary", criterion="ridge")
    learned.save(tmp_path / "model")
    again = kernelopt.load(tmp_path / "model")
    assert np.array_equal(again.predict(views), learned.predict(views))
    typed = {"one": table.assign(when=WEEKS), "two": table[["x"]]}
    assert np.array_equal(again.predict(typed), learned.predict(views))
    with pytest.raises(kernelopt.InvalidData, match="column 'one: when' holds 'soon', wanted dates"):
        again.predict({"one": table.assign(when="soon"), "two": table[["x"]]})


@pytest.mark.parametrize("names", [[2019, 2020], pd.MultiIndex.from_tuples([("sales", 1), ("sales", 2)])])
def test_names_that_are_no_words_are_made_words(names):
    """What the page on tables says of them: another order is noticed, and notes have the names."""
    table = TABLE[["size", "colour"]].set_axis(names, axis=1)
    table.columns = table.columns.map(str)
    s = evident(table)
    assert any(f"column {table.columns[1]!r}" in note for note in s.notes)
    with pytest.raises(kernelopt.InvalidData, match=r"order|columns"):
        s.predict(table[table.columns[::-1]])


def test_the_notes_name_categories():
    note = "X: categories in column 'colour' (4): kernels compare whether two rows have the same"
    assert note in evident(TABLE).notes


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        ({"size": "tall"}, r"Z: column 'size' holds 'tall', wanted numbers as in training"),
        ({"colour": 3.0}, r"Z: column 'colour' holds 3.0, wanted categories that are words as in training"),
        ({"colour": pd.Categorical([3] * N)}, r"holds 3.0, wanted categories that are words"),
    ],
)
def test_another_kind_of_column_is_refused(spoil, message):
    with pytest.raises(InvalidData, match=message):
        evident(TABLE).predict(TABLE.assign(**spoil))


def test_names_and_their_order_are_those_of_training():
    with pytest.raises(InvalidData, match=r"Z has 'size' as column 0, wanted 'colour' as in training"):
        evident(TABLE).predict(TABLE[["size", "colour", "age", "old"]])


def test_names_are_in_the_words():
    level = np.array([0.0, 1.0, 2.0, 0.5])[CODE] + 0.01 * RNG.normal(size=N)
    s = evident(TABLE[["colour", "size"]], level)
    assert "of the values of colour" in s.kernel.describe()
    linear = kernelopt.solve(TABLE, Y, family=kernelopt.on("metric", [0, 2]), criterion="ridge", max_steps=3)
    assert "colour" in str(linear.kernel)


def test_views_are_of_the_users_columns():
    s = kernelopt.solve(TABLE, Y, family=kernelopt.each("gaussian"), criterion="ridge")
    assert set(s.kernel.views()) == {(0,), (1,), (2,), (3,)}
    other = TABLE.assign(size=RNG.normal(size=N), age=50.0, old=True)
    colour = kernelopt.solve(TABLE, Y, family=kernelopt.on("gaussian", [0]), criterion="ridge")
    assert np.array_equal(colour.decision_function(TABLE), colour.decision_function(other))


def test_a_kernel_of_a_column_sees_that_column():
    from kernelopt._families.dictionary.kernels._base_kernels import ColumnKernel

    family = kernelopt.Dictionary((ColumnKernel(("rbf", {"gamma": 1.0}), 2),), normalize=None)
    s = kernelopt.solve(TABLE, Y, family=family, criterion="ridge", scale=1.0)
    ages = TABLE["age"].iloc[:2].to_numpy()
    np.testing.assert_allclose(s.kernel(TABLE.iloc[:2])[0, 1], np.exp(-((ages[0] - ages[1]) ** 2)), rtol=1e-9)
    with pytest.raises(InvalidData, match="of x0 was listed, and that column holds categories"):
        kernelopt.solve(
            TABLE, Y, family=kernelopt.Dictionary((ColumnKernel(("rbf", {"gamma": 1.0}), 0),)), criterion="ridge"
        )


@pytest.mark.parametrize("family", ["tk", "gpk", "cosine", "gaussian", "metric", "hyperkernel", "dictionary", "delta"])
def test_every_family_takes_tables(family):
    few = TABLE.iloc[:30]
    s = kernelopt.solve(few, Y[:30] > 1.0, family=family, criterion="svc", max_steps=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kernelopt.OutsideBounds)
        assert np.isfinite(s.decision_function(TABLE)).all()
    assert not s.certificate.crossed


def test_options_for_each_column_are_told_of_indicators():
    with pytest.raises(
        kernelopt.InvalidOption, match=r"bounds have 4 entries for 8 columns; .* sees 8 numbers of the 4"
    ):
        kernelopt.solve(TABLE, Y, family={"name": "tk", "bounds": [-1, [2, 3, 4, 5]], "rescale": None})


def test_columns_without_names_are_told_by_their_numbers():
    notes = evident(TABLE.astype(object).to_numpy()).notes
    assert "X: categories in column 0 (4): kernels compare whether two rows have the same" in notes


def test_novelty_detection_takes_tables():
    s = kernelopt.solve(TABLE, criterion="one-class")
    strange = TABLE.iloc[:1].assign(size=50.0, colour="violet")
    assert s.predict(strange)[0] == -1


def test_a_family_for_which_there_are_too_many_categories_names_one_that_takes_them():
    words = pd.DataFrame({"word": [f"w{k % 1300}" for k in range(2600)]})
    with pytest.raises(kernelopt.InvalidOption, match=r"has an indicator; family='auto' compares categories"):
        kernelopt.solve(words, np.arange(2600) % 2, family="tk", criterion="svc", max_steps=0)
