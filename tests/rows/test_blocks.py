"""Rows in blocks: whatever they are read from, and wherever they are cut, they are the same rows."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelopt import InvalidData, InvalidOption, row_blocks, solve
from kernelopt._base.tables._dates import MINUTES
from kernelopt._base.tables._encoding import Encoding
from kernelopt._base.tables._tables import table_of
from kernelopt._rows import _arrays, _csv
from kernelopt._rows._coded import Coding, ReadRows
from kernelopt._rows._contract import Here, RowBlocks, _spread
from kernelopt._rows._parts import parted
from kernelopt._rows._survey import Surveying
from kernelopt.cli.reading._read import read

pd = pytest.importorskip("pandas")
RNG = np.random.default_rng(0)
N = 200
TABLE = pd.DataFrame(
    {
        "size": RNG.normal(size=N),
        "colour": RNG.choice(["red", "green", "blue", None], N),
        "truth": RNG.random(N) < 0.5,
        "gap": np.where(RNG.random(N) < 0.2, np.nan, RNG.integers(0, 9, N)),
        "price": RNG.normal(size=N).round(3),
        "times": RNG.integers(0, 3, N),
    }
)
SMALL = 512


def given_rows(blocks):
    return [piece.read() for piece in blocks.pieces]


@pytest.fixture
def files(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(_csv, "_BYTES", SMALL)
    TABLE.to_csv(tmp_path / "rows.csv", index=False)
    TABLE.to_parquet(tmp_path / "rows.parquet", row_group_size=33)
    (tmp_path / "folder").mkdir()
    TABLE[:90].to_parquet(tmp_path / "folder" / "a.parquet")
    TABLE[90:].to_parquet(tmp_path / "folder" / "b.parquet")
    return tmp_path


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ([1.0, 2.0, -1.0], "is -1.0"),
        ([1.0, 2.0, None], "is missing"),
        (["1", "2", "two"], "is 'two'"),
        (["1", "2", "-3"], "is "),
    ],
)
def test_weights_of_a_file_that_are_none_are_told_with_their_column_and_place(tmp_path, weights, told):
    pytest.importorskip("pyarrow")
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0], "price": [1.0, 2.0, 3.0], "times": weights})
    table.to_csv(tmp_path / "rows.csv", index=False)
    table.to_parquet(tmp_path / "rows.parquet")
    for name, place in (("rows.csv", r"rows.csv, line \d"), ("rows.parquet", r"rows.parquet, row group 0, row \d")):
        with pytest.raises(InvalidData, match=f"{place}: the weight 'times' {told}.*, wanted a finite number >= 0"):
            given_rows(row_blocks(tmp_path / name, target="price", weight="times"))


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet", "folder"])
def test_files_give_the_rows_that_they_hold(files, name):
    blocks = row_blocks(files / name, target="price", weight="times", ignore=["truth"])
    assert len(blocks.pieces) > 1
    pieces = given_rows(blocks)
    assert sum(map(len, pieces)) == N
    assert np.concatenate([one.targets for one in pieces]).tolist() == TABLE["price"].tolist()
    assert np.concatenate([one.weight for one in pieces]).tolist() == TABLE["times"].tolist()
    numbers = np.vstack([one.table.numbers for one in pieces])
    np.testing.assert_array_equal(numbers[:, 0], TABLE["size"])
    np.testing.assert_array_equal(numbers[:, 2], TABLE["gap"])
    words = [word for one in pieces for word in one.table.labels[1].values]
    assert words == [
        None if missing else word for word, missing in zip(TABLE["colour"], TABLE["colour"].isna(), strict=True)
    ]
    assert pieces[0].table.names == ("size", "colour", "gap")


CELLS = st.one_of(
    st.sampled_from(
        ["", "NA", "true", "False", "007", "1.5", "-3", "1e3", "word", 'a "quoted"\nline', "semi;colon", " x "]
    ),
    st.integers(-5, 5).map(str),
)


@settings(max_examples=60)
@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=30), st.sampled_from(",;"), st.integers(1, 80))
def test_a_csv_file_in_pieces_is_the_file_as_a_whole(tmp_path_factory, rows, delimiter, size):
    path = tmp_path_factory.mktemp("csv") / "rows.csv"
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(["a", "b", "c", "y"])
    writer.writerows([*row, str(i)] for i, row in enumerate(rows))
    path.write_bytes(text.getvalue().encode("utf-8-sig"))
    whole = read(str(path))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_csv, "_BYTES", size)
        pieces = given_rows(row_blocks(path, target="y"))
    assert np.concatenate([one.targets for one in pieces]).tolist() == list(range(len(rows)))
    expected = whole.rows(("a", "b", "c"))
    np.testing.assert_array_equal(np.vstack([one.table.numbers for one in pieces]), expected.numbers)
    for j, column in expected.labels.items():
        read_words = (one.table.labels[j].values if j in one.table.labels else (None,) * len(one) for one in pieces)
        assert sum(read_words, ()) == column.values


@pytest.mark.parametrize("size", [1, 60, 10**6])
def test_a_survey_does_not_depend_on_where_rows_are_cut(size, monkeypatch):
    table, weight = table_of(TABLE.drop(columns=["price", "times"])), np.ones(N)
    monkeypatch.setattr(_arrays, "_BYTES", 8 * 4 * size)
    X = TABLE.drop(columns=["price", "times"]).to_numpy(dtype=object)
    survey = row_blocks(X, TABLE["price"].to_numpy(), sample_weight=weight).total(Surveying(0, 50))[0]
    wanted = Encoding.of(table, weight)
    assert survey.n == N
    assert survey.encoding.centres == pytest.approx(wanted.centres)
    assert survey.encoding.gaps.tolist() == wanted.gaps.tolist()
    assert [labels and set(labels) for labels in survey.encoding.labels] == [
        labels and set(labels) for labels in wanted.labels
    ]
    assert survey.targets.sums == pytest.approx(TABLE["price"].sum())
    assert len(survey.chosen.rows) == 50
    assert survey.varying.tolist() == wanted.varying(wanted.encode(table), weight).tolist()
    assert survey.gaps == int(TABLE[["size", "colour", "truth", "gap"]].isna().sum().sum())


def test_rows_are_chosen_from_everywhere_and_none_twice(monkeypatch):
    monkeypatch.setattr(_arrays, "_BYTES", 8 * 100)
    X = np.arange(20_000.0)[:, None]
    survey = row_blocks(X, X[:, 0]).total(Surveying(0, 1000))[0]
    chosen = survey.chosen.rows.targets
    assert len(set(chosen.tolist())) == 1000
    counts = np.histogram(chosen, bins=10, range=(0, 20_000))[0]
    assert counts.min() > 60
    other = row_blocks(X, X[:, 0]).total(Surveying(1, 1000))[0].chosen.rows.targets
    assert set(chosen.tolist()) != set(other.tolist())


@pytest.mark.parametrize("m", [1, 2, 7, 64, 100])
def test_every_beginning_of_a_pass_comes_from_everywhere(m):
    order = _spread(m)
    assert sorted(order) == list(range(m))
    assert m < 4 or (min(order[: m // 2]) < m / 4 and max(order[: m // 2]) > m / 2)


def test_a_pass_that_is_stopped_says_over_how_many_pieces(monkeypatch):
    monkeypatch.setattr(_arrays, "_BYTES", 8 * 10)
    blocks = row_blocks(np.arange(100.0)[:, None], np.arange(100.0))
    heard = []
    survey, pieces = blocks.total(Surveying(0, 5), heard.append, lambda: len(heard) >= 3)
    assert pieces == 3
    assert survey.n == 30
    assert heard == sorted(heard)


def test_coded_rows_are_those_of_the_encoding_with_their_classes_and_weights(monkeypatch):
    monkeypatch.setattr(_arrays, "_BYTES", 8 * 30)
    X, y, weight = RNG.normal(size=(90, 3)), RNG.choice(["a", "b", "c"], 90), RNG.integers(0, 3, 90).astype(float)
    blocks = row_blocks(X, y, sample_weight=weight)
    encoding = blocks.total(Surveying(0, 5))[0].encoding
    coding = Coding(encoding, np.array(["a", "b", "c"]), np.zeros(3), np.array([1.0, 2.0, 3.0]), times=0.5)
    rows = ReadRows(blocks, coding, int((weight > 0).sum()))
    found, seen = rows.total(_Collecting())
    assert seen.n == int((weight > 0).sum())
    order = np.lexsort(found.X.T)
    kept = np.flatnonzero(weight > 0)
    wanted = kept[np.lexsort(X[kept].T)]
    np.testing.assert_array_equal(found.X[order], X[wanted])
    assert np.array(["a", "b", "c"])[found.y[order].argmax(axis=1)].tolist() == y[wanted].tolist()
    factor = np.array([0.5, 1.0, 1.5])[found.y[order].argmax(axis=1)]
    assert found.weight[order] == pytest.approx(factor * weight[wanted])


@pytest.mark.parametrize("kind", ["numbers", "several numbers", "truth values", "words"])
def test_blocks_of_which_no_row_has_a_weight_are_as_if_they_were_not_there(monkeypatch, kind):
    monkeypatch.setattr(_arrays, "_BYTES", 8 * 30)
    X, numbers = RNG.normal(size=(90, 3)), RNG.normal(size=(90, 2))
    y = {"several numbers": numbers, "truth values": numbers[:, 0] > 0.0, "words": RNG.choice(["a", "b"], 90)}.get(
        kind, numbers[:, 0]
    )
    weight = np.repeat([0.0, 1.0, 0.0], [40, 30, 20])
    blocks, kept = row_blocks(X, y, sample_weight=weight), weight > 0.0
    survey, wanted = (rows.total(Surveying(0, 50))[0] for rows in (blocks, row_blocks(X[kept], y[kept])))
    assert (survey.n, survey.dropped) == (30, 60)
    np.testing.assert_allclose(survey.encoding.centres, wanted.encoding.centres)
    assert survey.targets.values == wanted.targets.values
    np.testing.assert_allclose(survey.targets.sums, wanted.targets.sums)
    classes = np.unique(y) if kind in ("truth values", "words") else None
    found, seen = ReadRows(blocks, Coding(survey.encoding, classes, np.zeros(1)), 30).total(_Collecting())
    assert seen.n == 30
    np.testing.assert_array_equal(found.X[np.lexsort(found.X.T)], X[kept][np.lexsort(X[kept].T)])


class _Collecting:
    at_once = 7

    def __call__(self, block):
        assert len(block) <= self.at_once
        return _Collected(block.X, block.y, block.weight)


class _Collected:
    def __init__(self, X, y, weight):
        self.X, self.y, self.weight = X, y, weight

    def plus(self, other):
        return _Collected(
            *(np.concatenate(pair) for pair in zip(vars(self).values(), vars(other).values(), strict=True))
        )


def test_a_file_that_is_written_to_is_noticed(files):
    blocks = row_blocks(files / "rows.csv", target="price")
    blocks.total(Surveying(0, 5))
    with (files / "rows.csv").open("a") as file:
        file.write("1,red,True,1,2.0,1\n")
    with pytest.raises(InvalidData, match=r"has been written to since it was opened"):
        blocks.total(Surveying(0, 5))
    (files / "rows.csv").unlink()
    with pytest.raises(InvalidData, match=r"there is no such file"):
        blocks.total(Surveying(0, 5))


def test_memory_maps_stay_on_disk_and_are_watched(tmp_path):
    X = RNG.normal(size=(50, 2))
    np.save(tmp_path / "X.npy", X)
    blocks = row_blocks(np.load(tmp_path / "X.npy", mmap_mode="r"), X[:, 0])
    assert isinstance(blocks.pieces[0].X, np.memmap)
    assert blocks.total(Surveying(0, 5))[0].sums == pytest.approx(X.sum(axis=0))
    np.save(tmp_path / "X.npy", np.vstack([X, X]))
    with pytest.raises(InvalidData, match=r"X\.npy has been written to"):
        blocks.total(Surveying(0, 5))


def frame(**columns):
    return pd.DataFrame(columns)


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (frame(a=[1.0, 2.0], y=[0, 1]), frame(a=["x", "y"], y=[0, 1]), "numbers in some rows and categories in others"),
        (
            frame(a=[1.0, 2.0], y=[0, 1]),
            frame(a=["2020-01-01", "2020-01-02"], y=[0, 1]),
            "column 'a' holds numbers in some rows and dates in others",
        ),
        (
            frame(a=pd.to_datetime(["2020-01-01", "2020-01-02"]), y=[0, 1]),
            frame(a=[2020, 2021], y=[0, 1]),
            "column 'a' holds numbers in some rows and dates in others",
        ),
        (frame(a=[1.0, 2.0], y=[0, 1]), frame(a=[1.0, 2.0], y=["u", "v"]), "words in some rows"),
        (frame(a=[1.0], y=[0]), frame(b=[1.0], y=[0]), "has no column 'a'"),
        (frame(a=[np.inf], y=[0]), frame(a=[1.0], y=[0]), "infinite"),
        (frame(a=[1.0], y=[None]), frame(a=[1.0], y=[1.0]), "the target 'y' is missing"),
    ],
)
def test_files_that_do_not_belong_together_are_refused(first, second, told, tmp_path):
    pytest.importorskip("pyarrow")
    first.to_parquet(tmp_path / "a.parquet")
    second.to_parquet(tmp_path / "b.parquet")
    with pytest.raises(InvalidData, match=told):
        row_blocks(tmp_path, target="y").total(Surveying(0, 5))


@pytest.mark.parametrize(
    ("call", "error", "told"),
    [
        (lambda p: row_blocks(p / "none.csv", target="y"), InvalidData, "there is no such file"),
        (lambda p: row_blocks(p, target="y"), InvalidData, "a folder without Parquet files"),
        (lambda p: row_blocks(p / "rows.csv"), InvalidOption, "name the column to learn; .* has a, y"),
        (lambda p: row_blocks(p / "rows.csv", target="Y"), InvalidData, "did you mean 'y'"),
        (lambda p: row_blocks(p / "rows.csv", np.ones(3)), InvalidData, "y is given beside the file"),
        (lambda p: row_blocks(np.ones((3, 2))), InvalidData, "y is missing"),
        (lambda p: row_blocks(np.ones((3, 2)), np.ones(4)), InvalidData, r"y has shape \(4,\) and X has 3 rows"),
        (lambda p: row_blocks(np.ones((3, 2)), np.ones(3), target="y"), InvalidOption, "target: got 'y' with an array"),
    ],
)
def test_bad_input_is_told_in_one_sentence(call, error, told, tmp_path):
    (tmp_path / "rows.csv").write_text("a,y\n1,2\n")
    with pytest.raises(error, match=told):
        call(tmp_path)


def test_a_column_without_any_value_in_some_pieces_is_what_it_is_in_others():
    one = row_blocks(np.array([[None], [None]], dtype=object), np.zeros(2)).pieces
    two = row_blocks(np.array([["u"], ["v"]], dtype=object), np.zeros(2)).pieces
    for pieces in ((*one, *two), (*two, *one)):
        survey = RowBlocks("both", pieces, Here()).total(Surveying(0, 5))[0]
        assert set(survey.encoding.labels[0]) == {"u", "v"}
        assert survey.encoding.gaps.tolist() == [True]
        assert survey.gaps == 2
    numbers = row_blocks(np.array([[1.0], [2.0]], dtype=object), np.zeros(2)).pieces
    for pieces in ((*one, *numbers), (*numbers, *one), (*one, *numbers, *one)):
        blocks = RowBlocks("both", pieces, Here())
        survey = blocks.total(Surveying(0, 6))[0]
        assert survey.encoding.labels == (None,)
        assert survey.encoding.centres.tolist() == [1.5]
        assert survey.gaps == len(survey.chosen.rows) - 2
        assert not survey.chosen.rows.table.labels
        assert not blocks.whole().table.labels


@pytest.mark.parametrize("share", [0.01, 0.2, 0.9])
def test_parts_are_all_rows_and_none_twice_and_the_same_whenever_they_are_read(files, share):
    blocks = row_blocks(files / "rows.csv", target="price")
    assert blocks.rows == N
    left, held = parted(blocks, share, 3)
    for _ in range(2):
        counts = [[len(piece.read()) for piece in side.pieces] for side in (left, held)]
        assert min(counts[0]) > 0
        both = [given.targets.tolist() for given in (left.whole(), held.whole())]
        assert sorted(both[0] + both[1]) == sorted(TABLE["price"].tolist())
        if share == 0.2:
            assert 0.1 * N < len(both[1]) < 0.3 * N
    assert parted(blocks, share, 3)[1].whole().targets.tolist() == both[1]


def test_many_rows_of_parquet_are_counted_without_reading_them(files):
    assert row_blocks(files / "folder", target="price").rows == N
    assert row_blocks(files / "rows.parquet", target="price").rows == N
    assert row_blocks(np.zeros((7, 2)), np.zeros(7)).rows == 7


def of_words(*words):
    return row_blocks(np.array(words, dtype=object)[:, None], np.zeros(len(words))).pieces


@pytest.mark.parametrize(
    ("first", "other", "order"), [("%m/%d/%Y", "%d/%m/%Y", "month first"), ("%d/%m/%Y", "%m/%d/%Y", "day first")]
)
def test_the_order_of_dates_is_that_of_all_pieces(first, other, order):
    days = pd.date_range("2020-01-01", periods=24)
    clear, unclear = (of_words(*part.strftime(first)) for part in (days[12:], days[:12]))
    for pieces in ((*clear, *unclear), (*unclear, *clear), (*unclear, *of_words(None, None), *clear)):
        blocks = RowBlocks("all", pieces, Here())
        survey = blocks.total(Surveying(0, 50))[0]
        assert survey.ordered == {0: order}
        survey = blocks.total(Surveying(0, 50, survey.ordered))[0]
        whole = Encoding.of(blocks.whole().table, np.ones(survey.n))
        assert survey.encoding.dates == whole.dates == ((0, order),)
        assert survey.encoding.centres == pytest.approx(whole.centres)
        assert survey.varying.tolist() == [True]
        assert not survey.ordered
    strange = of_words(*days[12:].strftime(other)), of_words("red"), of_words("14/14/2020"), of_words("2020-01-31")
    for others in (unclear, *strange):
        pieces = (*(unclear if others is unclear else clear), *unclear, *others)
        survey = RowBlocks("all", pieces, Here()).total(Surveying(0, 50))[0]
        assert not survey.ordered
        assert not survey.encoding.dates


def test_times_of_all_pieces_have_seconds_or_none_have():
    minutes, seconds = of_words("7:30", "23:05"), of_words("7:30:00", "23:05:10")
    for pieces, dates in (((*minutes, *minutes), ((0, MINUTES),)), ((*minutes, *seconds), ())):
        blocks = RowBlocks("all", pieces, Here())
        survey = blocks.total(Surveying(0, 50))[0]
        assert survey.encoding.dates == Encoding.of(blocks.whole().table, np.ones(survey.n)).dates == dates
        assert not survey.ordered


def test_dates_of_which_only_some_pieces_show_the_order_are_learned_from():
    days, n = pd.date_range("2020-01-01", periods=600, freq="h").strftime("%m/%d/%Y %H:00"), 600
    X, y = np.column_stack([np.array(days, dtype=object), np.arange(n) % 7]), np.sin(np.arange(n) / 60.0)
    blocks = row_blocks(X, y)
    pieces = [piece for i in range(0, n, 100) for piece in row_blocks(X[i : i + 100], y[i : i + 100]).pieces]
    found = solve(RowBlocks("all", tuple(pieces), Here()), criterion="ridge")
    assert found.score(X, y) == solve(blocks, criterion="ridge").score(X, y) > 0.5


@pytest.mark.parametrize("bytes_of_a_piece", [4, 10_000])
def test_a_file_of_one_column_keeps_missing_values_and_tells_of_blank_lines(tmp_path, monkeypatch, bytes_of_a_piece):
    """pandas writes a missing value of a single column as an empty cell in quotation marks."""
    monkeypatch.setattr(_csv, "_BYTES", bytes_of_a_piece)
    path = tmp_path / "one.csv"
    path.write_text('x\n\n1.0\n""\n\n-1.0\n""\n\n\n')
    whole = read(str(path))
    assert list(whole.column("x")) == pytest.approx([1.0, np.nan, -1.0, np.nan], nan_ok=True)
    assert any("2 rows of" in note and "hold no value" in note for note in whole.notes(["x"]))


def test_rows_are_held_out_whatever_a_generator_of_the_same_seed_has_drawn():
    """The first numbers of default_rng(0) make the rows, and those of the seed 0 hold some of them out."""
    x = np.random.default_rng(0).uniform(size=2000)
    _, held = parted(row_blocks(x[:, None], x), 0.2, 0)
    targets = np.concatenate([rows.targets for rows in given_rows(held)])
    assert targets.mean() == pytest.approx(0.5, abs=0.05)


def test_parquet_columns_of_one_name_are_refused(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = [pa.array([1.0, 2.0])] * 3
    parquet.write_table(pa.table(columns, names=["c", "c", "y"]), tmp_path / "twins.parquet")
    for open_ in (lambda path: row_blocks(path, target="y"), lambda path: read(str(path))):
        with pytest.raises(InvalidData, match="two columns are called 'c'; rename one"):
            open_(tmp_path / "twins.parquet")
