"""Collections of dask as rows, computed in this process: the same rows as in memory, wherever they are cut."""

import subprocess
import sys

import attrs
import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from kernelopt_dask import DaskRows, on_workers
from kernelopt_dask._chunks import chunks_of

import kernelopt
from kernelopt import Evidence, InvalidData, InvalidOption, KernelClassifier, KernelRegressor, row_blocks, sampled
from kernelopt._rows._contract import Here
from kernelopt._rows._survey import Surveying

RNG = np.random.default_rng(0)
N = 90
TABLE = pd.DataFrame(
    {
        "size": RNG.normal(size=N),
        "colour": RNG.choice(["red", "green", "blue"], N),
        "kind": pd.Categorical(RNG.choice(["u", "v"], N)),
        "gap": np.where(RNG.random(N) < 0.2, np.nan, RNG.integers(0, 9, N)),
    }
)
Y = RNG.normal(size=N)
W = RNG.integers(0, 3, N).astype(float)


def unknown(values, chunks):
    """An array of dask whose lengths nobody knows."""
    frame = dd.from_pandas(pd.DataFrame(values), chunksize=chunks, sort=False)
    return frame.to_dask_array()


def known(values, chunks):
    return da.from_array(values, chunks=(chunks, 2) if values.ndim == 2 else chunks)


NUMBERS = RNG.normal(size=(N, 5))
GIVEN = {
    "arrays cut otherwise": lambda: (known(NUMBERS, 20), known(Y, 33), known(W, 90)),
    "targets in memory": lambda: (known(NUMBERS, 20), Y, list(W)),
    "lengths unknown": lambda: (unknown(NUMBERS, 20), unknown(Y, 20)[:, 0], unknown(W, 20)[:, 0]),
    "lengths unknown, targets in memory": lambda: (unknown(NUMBERS, 20), pd.Series(Y), W),
    "some chunks empty": lambda: (da.concatenate([known(NUMBERS[:0], 20), known(NUMBERS, 20)]), Y, W),
}


@pytest.mark.parametrize("kind", GIVEN)
def test_arrays_are_the_rows_that_they_hold(kind):
    blocks = DaskRows().blocks(*GIVEN[kind]())
    wanted = row_blocks(NUMBERS, Y, sample_weight=W).total(Surveying(0, 20))[0]
    survey, pieces = blocks.total(Surveying(0, 20))
    assert pieces == len(blocks.pieces) > 1
    assert (survey.n, survey.dropped) == (wanted.n, wanted.dropped)
    assert survey.sums == pytest.approx(wanted.sums)
    assert survey.targets.sums == pytest.approx(wanted.targets.sums)
    assert blocks.total(_Rows())[0].values == sorted(NUMBERS[W > 0, 0].tolist())


class _Rows:
    """The first numbers of all rows that count."""

    def __init__(self, values=()):
        self.values = values

    def __call__(self, piece):
        given = piece.read()
        return _Rows(sorted(given.table.numbers[given.weight > 0, 0].tolist()))

    def plus(self, other):
        return _Rows(sorted([*self.values, *other.values]))


def test_tables_have_names_and_categories_as_in_pandas():
    frame = dd.from_pandas(TABLE.assign(y=Y), npartitions=4)
    survey = DaskRows().blocks(frame[list(TABLE)], frame["y"], None).total(Surveying(0, 20))[0]
    wanted = row_blocks(TABLE.to_numpy(dtype=object), Y).total(Surveying(0, 20))[0]
    assert survey.names == tuple(TABLE)
    assert [labels and set(labels) for labels in survey.encoding.labels] == [
        labels and set(labels) for labels in wanted.encoding.labels
    ]
    assert not survey.categories[2].text
    assert survey.gaps == wanted.gaps
    assert survey.encoding.centres == pytest.approx(wanted.encoding.centres)


def test_a_partition_can_be_read_by_itself():
    piece = chunks_of(known(NUMBERS, 20), known(Y, 20), None)[1]
    np.testing.assert_array_equal(piece.read().table.numbers, NUMBERS[20:40])


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: (known(NUMBERS, 20), known(Y[1:], 20), None), r"y has 89 rows, and X has 90"),
        (lambda: (known(NUMBERS, 20), Y[1:], None), r"y has 89 rows, and X has 90"),
        (lambda: (known(NUMBERS, 20), Y, W[1:]), r"sample_weight has 89 rows, and X has 90"),
        (lambda: (unknown(NUMBERS, 20), known(Y, 30), None), r"y has 3 partitions, and X has 5"),
        (lambda: (unknown(NUMBERS, 20), known(Y, 18), None), r"y has 18 rows in a partition, and X has 20"),
        (
            lambda: (known(Y, 20), known(Y, 20), None),
            r"X is a collection of dask \(Array\), wanted a dask array of two",
        ),
        (lambda: (dask.delayed(3), Y, None), r"X is a collection of dask \(Delayed\w*\), wanted"),
        (lambda: (known(NUMBERS, 20), dask.delayed(Y), None), r"y is a collection of dask \(Delayed\w*\), wanted"),
        (lambda: (known(NUMBERS, 20), None, None), r"y is missing: dask rows need a target"),
        (lambda: (da.from_array(np.zeros((0, 2))), np.zeros(0), None), r"X has no rows in the 1 of its 1 partitions"),
    ],
)
def test_what_does_not_belong_together_is_refused(call, told):
    X, y, weight = call()
    with pytest.raises(InvalidData, match=told):
        kernelopt.solve(X, y, sample_weight=weight)


def test_a_pass_tells_how_far_it_is_and_ends_when_asked():
    blocks = DaskRows().blocks(known(NUMBERS, 10), Y, None)
    heard = []
    whole, pieces = blocks.total(Surveying(0, 5), heard.append)
    assert (whole.n, pieces) == (N, 9)
    assert heard == sorted(heard)
    assert heard[-1] == 1.0
    some, pieces = blocks.total(Surveying(0, 5), heard.append, lambda: len(heard) >= 12)
    assert (some.n, pieces) == (30, 3)
    least, pieces = blocks.total(Surveying(0, 5), stop=lambda: True)
    assert (least.n, pieces) == (10, 1)


def test_many_pieces_are_summed_up_in_batches():
    blocks = DaskRows().blocks(da.from_array(np.ones((1000, 1)), chunks=(5, 1)), np.ones(1000), None)
    heard = []
    survey, pieces = blocks.total(Surveying(0, 5), heard.append)
    assert (survey.n, pieces) == (1000, 200)
    assert len(heard) == 50


MANY = RNG.normal(size=(10_500, 3))
CURVED = np.sin(MANY[:, 0]) + MANY[:, 1] ** 2 + 0.1 * RNG.normal(size=len(MANY))
FAMILY = sampled("cosine", 20)
FAR = {"family": FAMILY, "criterion": Evidence(targets="numbers", effort="quick")}


@pytest.fixture(scope="module")
def learned():
    X, y = da.from_array(MANY, chunks=(1200, 2)), da.from_array(CURVED, chunks=700)
    return kernelopt.solve(X, y, **FAR)


def test_the_answer_is_that_of_the_same_pieces_without_dask(learned):
    X, y = da.from_array(MANY, chunks=(1200, 3)), da.from_array(CURVED, chunks=1200)
    same = kernelopt.solve(attrs.evolve(DaskRows().blocks(X, y, None), passes=Here()), **FAR)
    np.testing.assert_allclose(learned.predict(MANY), same.predict(MANY), atol=1e-10)
    assert learned.certificate.upper == pytest.approx(same.certificate.upper, rel=1e-10)
    assert learned.notes[0].startswith("data: 10500 rows of a dask array of 9 partitions were read in blocks")


def test_predictions_of_collections_are_collections_with_the_same_chunks(learned):
    Z = da.from_array(MANY, chunks=(1000, 2))
    for lazy, wanted in (
        (learned.predict(Z), learned.predict(MANY)),
        (learned.decision_function(Z), learned.decision_function(MANY)),
        (learned.model.predict(Z), learned.predict(MANY)),
        (learned.predict(Z, return_std=True)[1], learned.predict(MANY, return_std=True)[1]),
    ):
        assert isinstance(lazy, da.Array)
        assert lazy.chunks == (Z.chunks[0],)
        assert lazy.dtype == wanted.dtype
        np.testing.assert_allclose(lazy.compute(), wanted, rtol=1e-12)
    frame = dd.from_pandas(pd.DataFrame(MANY, columns=list("abc")), npartitions=3)
    series = learned.predict(frame)
    assert isinstance(series, dd.Series)
    assert series.npartitions == 3
    computed = series.compute()
    assert computed.index.equals(frame.index.compute())
    np.testing.assert_allclose(computed, learned.predict(MANY), rtol=1e-12)


def test_nothing_is_computed_before_it_is_asked_for(learned):
    def fail(block):
        raise AssertionError

    Z = da.from_array(MANY, chunks=(1000, 3)).map_blocks(fail, dtype=float, meta=np.empty((0, 0)))
    learned.predict(Z)


def test_rows_to_predict_with_other_columns_are_refused_at_once(learned):
    with pytest.raises(InvalidData, match="Z has 2 columns, wanted 3 as in training"):
        learned.predict(da.from_array(MANY[:, :2]))
    with pytest.raises(InvalidData, match="Z has 1 dimensions"):
        learned.predict(da.from_array(MANY[:, 0]))
    with pytest.raises(InvalidData, match=r"Z has 'b' as column 0, wanted 'a'"):
        learned.named("abc").predict(dd.from_pandas(pd.DataFrame(MANY, columns=list("bac")), npartitions=2))
    with pytest.raises(InvalidOption, match="got a machine without probabilities"):
        learned.predict_proba(da.from_array(MANY))


def test_estimators_learn_from_collections_and_predict_them():
    frame = dd.from_pandas(pd.DataFrame(MANY, columns=list("abc")).assign(y=CURVED), npartitions=3)
    X, labels = frame[["a", "b", "c"]], (frame["y"] > 1.0).astype(int)
    one = KernelClassifier(FAMILY, criterion="evidence").fit(X, labels)
    assert one.classes_.tolist() == [0, 1]
    assert one.n_features_in_ == 3
    assert one.feature_names_in_.tolist() == ["a", "b", "c"]
    shares = one.predict_proba(X)
    assert shares.shape[1] == 2
    table = X.compute()
    np.testing.assert_allclose(shares.compute(), one.predict_proba(table), rtol=1e-12)
    np.testing.assert_array_equal(one.predict(X).compute(), one.predict(table))
    assert (one.predict(X).compute() == labels.compute()).mean() > 0.9
    with pytest.raises(InvalidOption, match="calibration: got 'sigmoid' with rows in blocks"):
        KernelClassifier(calibration="sigmoid").fit(X, labels)
    array = da.from_array(MANY, chunks=(4000, 3))
    other = KernelRegressor(FAMILY, criterion="evidence").fit(array, da.from_array(CURVED, chunks=4000))
    assert other.n_features_in_ == 3
    assert not hasattr(other, "feature_names_in_")
    assert other.predict(array).chunks == (array.chunks[0],)


def test_few_rows_are_learned_from_in_memory():
    X, y = known(NUMBERS, 20), known(Y, 20)
    far = KernelRegressor("tk").fit(X, y)
    near = KernelRegressor("tk").fit(NUMBERS, Y)
    np.testing.assert_allclose(far.predict(NUMBERS), near.predict(NUMBERS), atol=1e-6)


def test_rows_of_this_process_are_not_sent_to_workers():
    rows = row_blocks(np.ones((200_000, 2)), np.ones(200_000))
    with pytest.raises(InvalidData, match=r"client: got rows of this process \(ArrayPiece\)"):
        on_workers(rows).total(Surveying(0, 5))


def test_files_are_read_by_dask(tmp_path):
    TABLE.assign(y=Y).to_parquet(tmp_path / "rows.parquet", row_group_size=20)
    rows = row_blocks(tmp_path / "rows.parquet", target="y")
    there, here = on_workers(rows).total(Surveying(0, 20))[0], rows.total(Surveying(0, 20))[0]
    assert there.encoding.labels == here.encoding.labels
    assert there.sums == pytest.approx(here.sums, rel=1e-12)


def test_the_library_and_the_plugin_import_no_dask_before_there_is_a_collection():
    code = (
        "import sys, numpy, kernelopt; kernelopt.plugins(); "
        "kernelopt.solve(numpy.arange(20.).reshape(10, 2), numpy.arange(10) % 2, family='tk', tol=.1); "
        "import kernelopt_dask; assert 'dask' not in sys.modules and 'distributed' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
