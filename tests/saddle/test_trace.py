"""The trace is a tuple of records and a table of them."""

import copy
import pickle
import sys

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt import Record, Trace


@pytest.fixture(scope="module")
def solution() -> kernelopt.Solution:
    X = np.random.default_rng(0).normal(size=(40, 3))
    return kernelopt.solve(X, np.arange(40) % 2, family="dictionary", solver="plain-fw", max_steps=60, tol=1e-9)


def made(steps: int) -> Trace:
    return Trace(Record(k, 0.5 * k, 2.0, 1.0, 0.5, k, 3, f"note {k}") for k in range(steps))


def test_it_stays_a_tuple(solution: kernelopt.Solution) -> None:
    trace = solution.trace
    assert isinstance(trace, tuple)
    assert trace == tuple(trace)
    assert trace[-1] is list(trace)[-1]
    assert [record.step for record in trace] == list(range(len(trace)))
    for twin in (pickle.loads(pickle.dumps(trace)), copy.deepcopy(trace)):
        assert type(twin) is Trace
        assert twin == trace


def test_columns_hold_every_field_of_every_record(solution: kernelopt.Solution) -> None:
    columns = solution.trace.columns()
    assert list(columns) == [field.name for field in attrs.fields(Record)]
    rows = zip(*columns.values(), strict=True)
    assert tuple(Record(*row) for row in rows) == solution.trace


def test_pandas_gets_the_columns(solution: kernelopt.Solution) -> None:
    pytest.importorskip("pandas")
    frame = solution.trace.to_pandas()
    assert frame.shape == (len(solution.trace), len(attrs.fields(Record)))
    assert frame["upper"].tolist() == solution.trace.columns()["upper"]
    assert frame["upper"].is_monotonic_decreasing
    assert frame["step"].dtype.kind == "i"


def test_without_pandas_one_sentence_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(kernelopt.MissingLibrary, match="pip install pandas; columns"):
        made(2).to_pandas()


@pytest.mark.parametrize("steps", [1, 5, 40])
def test_a_printed_trace_has_a_line_for_each_step(steps: int) -> None:
    head, *lines = str(made(steps)).splitlines()
    assert head.split() == [
        "step",
        "time",
        "lower",
        "upper",
        "relative",
        "gap",
        "atoms",
        "support",
        "vectors",
        "note",
    ]
    assert [int(line.split()[0]) for line in lines] == list(range(steps))
    assert [line.split()[-2:] for line in lines] == [["note", str(k)] for k in range(steps)]


def test_a_long_one_leaves_out_its_middle() -> None:
    lines = str(made(1000)).splitlines()
    assert len(lines) < 50
    assert sum(line.strip() == "..." for line in lines) == 1
    assert lines[1].split()[0] == "0"
    assert lines[-1].split()[0] == "999"


def test_an_empty_one_says_so() -> None:
    assert str(Trace()) == "no steps"
    assert Trace().columns()["step"] == []
