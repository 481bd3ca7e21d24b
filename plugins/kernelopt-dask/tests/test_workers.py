"""Two worker processes: the answer is that of one process, to the bit, and a worker may be lost on the way."""

import os
import signal
from contextlib import contextmanager
from types import SimpleNamespace

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
from dask.sizeof import sizeof
from distributed import Client, KilledWorker, LocalCluster, wait
from kernelopt_dask import DaskRows, on_workers
from kernelopt_dask._engines import _sound

import kernelopt
from kernelopt import Evidence, InvalidData, InvalidOption, NotEnoughMemory, row_blocks, sampled
from kernelopt._api.data._surveyed import Surveyed
from kernelopt._rows._contract import Piece
from kernelopt._rows._survey import Surveying

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12_000, 3))
Y = np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.1 * RNG.normal(size=len(X))
OPTIONS = {"family": sampled("cosine", 20), "criterion": Evidence(targets="numbers", effort="quick")}


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "memory_limit": "1 GiB"}
    patience = {"distributed.comm.timeouts.connect": "180s", "distributed.comm.timeouts.tcp": "180s"}
    with (
        dask.config.set(patience),
        LocalCluster(dashboard_address=":0", silence_logs=50, **options) as cluster,
        Client(cluster, timeout="180s") as client,
    ):
        yield client


@pytest.fixture
def rows():
    """Rows in chunks that the workers make themselves."""
    return DaskRows().blocks(da.from_array(X, chunks=(1000, 3)), da.from_array(Y, chunks=1000), None)


@contextmanager
def in_threads():
    with dask.config.set(scheduler="threads"):
        yield


class Moments:
    """X'X, y'X, and how many rows: sums of which rounding shows in what order they were added."""

    def __init__(self, inner=0.0, along=0.0, rows=0):
        self.inner, self.along, self.rows = inner, along, rows

    def __call__(self, piece):
        given = piece.read()
        X = given.table.numbers
        return Moments(X.T @ X, given.targets @ X, len(X))

    def plus(self, other):
        return Moments(self.inner + other.inner, self.along + other.along, self.rows + other.rows)


def same(one, other):
    return one.rows == other.rows and (one.inner == other.inner).all() and (one.along == other.along).all()


def pids(client):
    return list(client.run(os.getpid).values())


def test_sums_are_those_of_one_process_to_the_bit_and_so_after_a_worker_was_killed(client, rows):
    with in_threads():
        wanted = rows.total(Moments())[0]
    assert same(rows.total(Moments())[0], wanted)
    heard, before = [], pids(client)

    def kill_once(share):
        if not heard:
            os.kill(before[0], signal.SIGKILL)
        heard.append(share)

    found, pieces = rows.total(Moments(), kill_once)
    assert pieces == len(rows.pieces)
    assert same(found, wanted)
    client.wait_for_workers(2)
    assert before[0] not in pids(client)


def test_the_answer_is_that_of_one_process_and_sums_alone_come_to_the_client(client, rows, monkeypatch):
    far, target = da.from_array(X, chunks=(1000, 3)), da.from_array(Y, chunks=1000)
    with in_threads():
        wanted = kernelopt.solve(far, target, **OPTIONS)
    gathered, gather = [], Client._gather

    async def counted(self, futures, *args, **kwargs):
        found = await gather(self, futures, *args, **kwargs)
        gathered.append(sizeof(found))
        return found

    monkeypatch.setattr(Client, "_gather", counted)
    found = kernelopt.solve(far, target, client=client, **OPTIONS)
    np.testing.assert_array_equal(found.predict(X), wanted.predict(X))
    assert found.certificate == wanted.certificate
    survey, sums = gathered  # one result a pass: 10,000 rows by chance, and r x r numbers
    assert survey < 2 * 10_000 * 8 * (3 + 1 + 1 + 1 + 2)
    assert sums < 2 * 8 * 20 * 20
    lazy = found.predict(far)
    np.testing.assert_array_equal(lazy.compute(), wanted.predict(X))


def test_files_are_read_by_the_workers(client, tmp_path):
    table = pd.DataFrame(X, columns=list("abc")).assign(y=Y)
    for part in range(4):
        table[part * 3000 : (part + 1) * 3000].to_parquet(tmp_path / f"{part}.parquet")
    files = row_blocks(tmp_path, target="y")
    monitored = on_workers(files, client).total(Pid())[0]
    assert monitored.found <= set(pids(client))
    found = kernelopt.solve(files, client=client, **OPTIONS)
    wanted = kernelopt.solve(files, **OPTIONS)
    np.testing.assert_allclose(found.predict(X), wanted.predict(X), atol=1e-8)  # terms are added in another order


class Pid:
    """Where pieces are read."""

    def __init__(self, found=frozenset()):
        self.found = found

    def __call__(self, piece):
        piece.read()
        return Pid(frozenset({os.getpid()}))

    def plus(self, other):
        return Pid(self.found | other.found)


def test_a_pass_that_is_stopped_gives_back_what_is_summed_up_and_leaves_nothing_behind(client, rows):
    heard = []
    found, pieces = rows.total(Moments(), heard.append, lambda: True)
    assert 1 <= pieces <= len(rows.pieces)
    assert found.rows == 1000 * pieces
    assert heard
    assert heard == sorted(heard)
    assert not client.futures


def test_ctrl_c_leaves_nothing_on_the_workers(client, rows):
    def press(share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rows.total(Moments(), press)
    assert not client.futures


def test_what_a_piece_says_is_heard_here(client):
    bad = X.copy()
    bad[7000, 1] = np.inf
    with pytest.raises(InvalidData, match="1 value that is infinite, the first in row 0, column 1"):
        DaskRows().blocks(da.from_array(bad, chunks=(1000, 3)), Y, None).total(Surveying(0, 5))


def test_rows_that_are_kept_by_the_workers_are_not_made_again(client):
    kept = da.from_array(X, chunks=(1000, 3)).persist()
    wait(kept)
    blocks = DaskRows().blocks(kept, da.from_array(Y, chunks=1000).persist(), None)
    del kept
    assert Surveyed.of(blocks, 0).survey.n == len(X)


def test_a_client_that_leads_nowhere_is_refused(client):
    with pytest.raises(InvalidOption, match=r"client: got str, wanted a client of dask\.distributed"):
        kernelopt.solve(da.from_array(X), Y, client="scheduler:8786")
    with pytest.raises(InvalidOption, match=r"client: got a client with rows in memory \(ndarray\)"):
        kernelopt.solve(X, Y, client=client)


@pytest.mark.parametrize(
    ("status", "raised", "error", "told"),
    [
        ("error", KilledWorker("task", SimpleNamespace(address="tcp://there"), 3), NotEnoughMemory, "ended several"),
        ("error", InvalidData("X is bad"), InvalidData, "X is bad"),
        ("cancelled", None, InvalidData, r"rows of dask are lost \(a sum was cancelled\)"),
    ],
)
def test_sums_that_fail_are_told_as_what_they_are(status, raised, error, told):
    with pytest.raises(error, match=told):
        _sound(SimpleNamespace(status=status, exception=lambda: raised))


def test_rows_that_nobody_can_make_again_are_told_to_be_lost(client):
    """As scattered data is that a worker takes with it."""
    parts = client.scatter([X[:6000], X[6000:]])
    far = da.concatenate([da.from_delayed(dask.delayed(part), (6000, 3), float) for part in parts])
    rows = DaskRows().blocks(far, Y, None)
    client.cancel(parts, force=True)
    with pytest.raises(InvalidData, match="rows of dask are lost"):
        rows.total(Moments())


def test_pieces_of_other_kinds_are_read_where_they_are_sent(client):
    found = on_workers(kernelopt.RowBlocks("some", tuple(Numbered(i) for i in range(5))), client).total(Moments())[0]
    assert found.rows == sum(10 + i for i in range(5))


class Numbered(Piece):
    """Some rows that are made where they are read."""

    def __init__(self, number):
        self.number = number

    def read(self):
        k = 10 + self.number
        return next(iter(row_blocks(np.full((k, 2), 1.0), np.zeros(k)).pieces)).read()
