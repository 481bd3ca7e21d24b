"""The threads of BLAS are as they were when every solve has gone, in whatever order they came and went."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from threadpoolctl import ThreadpoolController, threadpool_limits

import kernelopt
from kernelopt._base import _threads
from kernelopt._base._threads import LARGE, all_threads, one_thread
from kernelopt.testing import two_classes

BLAS = ThreadpoolController().select(user_api="blas")


@pytest.fixture(autouse=True)
def asked(monkeypatch):
    """As many threads as somebody asks for, whatever the machine is doing."""
    monkeypatch.setenv("OMP_NUM_THREADS", "2")


def threads():
    """Of the libraries that can have several; one that was built without threads has one whatever it is told."""
    return {one["filepath"]: one["num_threads"] for one in BLAS.info() if one.get("threading_layer") != "disabled"}


@contextmanager
def given(number):
    """So many threads for BLAS, and no thread that keeps others from setting the number."""
    kept = threads()
    _put(dict.fromkeys(kept, number))
    try:
        yield
    finally:
        _put(kept)


def _put(numbers):
    for library in BLAS.lib_controllers:
        if library.filepath not in numbers:
            continue
        library.set_num_threads(numbers[library.filepath])
        getattr(library, "clear_controlling_thread", bool)()


def openmp():
    return [one["num_threads"] for one in ThreadpoolController().select(user_api="openmp").info()]


class Visitor(threading.Thread):
    """A thread that enters and leaves when it is told."""

    def __init__(self, how):
        super().__init__(daemon=True)
        self.how, self.orders, self.done = how, [threading.Event() for _ in range(2)], [threading.Event() for _ in "ab"]
        self.before = self.after = None

    def run(self):
        self.before = openmp()
        self.orders[0].wait(10.0)
        with one_thread() if self.how == "solves" else all_threads(LARGE):
            self.done[0].set()
            self.orders[1].wait(10.0)
        self.after = openmp()
        self.done[1].set()

    def go(self, step):
        self.orders[step].set()
        assert self.done[step].wait(10.0)


@settings(max_examples=30)
@drawn(
    hows=st.lists(st.sampled_from(["solves", "factorises"]), min_size=1, max_size=4),
    order=st.randoms(use_true_random=False),
    number=st.integers(2, 4),
)
def test_the_number_follows_from_who_is_there(hows, order, number):
    with given(number):
        before = threads()
        visitors = [Visitor(how) for how in hows]
        turns = [k for k in range(len(hows)) for _ in range(2)]
        order.shuffle(turns)
        for visitor in visitors:
            visitor.start()
        steps = [0] * len(hows)
        inside = set()
        for k in turns:
            visitors[k].go(steps[k])
            inside ^= {k}
            steps[k] += 1
            if not any(hows[one] == "solves" for one in inside):
                assert threads() == before
            elif not any(hows[one] == "factorises" for one in inside):
                assert set(threads().values()) == {1}
        assert threads() == before
        assert all(visitor.after == visitor.before for visitor in visitors)


def test_a_solve_beside_a_thread_that_has_set_the_number_has_one():
    """threadpoolctl lets the thread that came first have its way, and ignores the others."""
    with given(2), threadpool_limits(3, user_api="blas"):
        before = threads()
        visitor = Visitor("solves")
        visitor.start()
        visitor.go(0)
        assert set(threads().values()) == {1}
        visitor.go(1)
        assert threads() == before


_LATE = """
from threadpoolctl import ThreadpoolController
from kernelopt._base._threads import one_thread

def openmp():
    return {one["filepath"]: one["num_threads"] for one in ThreadpoolController().select(user_api="openmp").info()}

with one_thread():
    pass
import sklearn.utils._openmp_helpers
before = openmp()
assert set(before.values()) == {2}, before
with one_thread():
    assert set(openmp().values()) == {1}, openmp()
assert openmp() == before
"""


def test_a_library_that_is_loaded_after_the_first_solve_has_one_thread_in_the_second():
    subprocess.run([sys.executable, "-c", _LATE], check=True)


def test_inside_a_solve_a_large_factorisation_has_the_threads_that_there_were():
    with given(2), one_thread():
        with all_threads(LARGE):
            assert set(threads().values()) == {2}
        with all_threads(LARGE - 1):
            assert set(threads().values()) == {1}


@pytest.mark.parametrize(("idle", "wanted"), [(1, 1), (3, 3), (16, 4)])
def test_threads_nobody_asked_for_are_those_of_idle_cores(monkeypatch, idle, wanted):
    for name in _threads._ASKED:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(_threads, "_cores", lambda: 4)
    monkeypatch.setattr(_threads, "idle_cores", lambda: idle)
    with given(4), one_thread():
        with all_threads(LARGE):
            assert set(threads().values()) == {wanted}
        assert set(threads().values()) == {1}
    with given(2), one_thread(), all_threads(LARGE):  # fewer than there are cores were asked for
        assert set(threads().values()) == {2}


@pytest.mark.parametrize(("text", "wanted"), [("0.1 0.2 0.3 1/200 7", 8), ("9 9 9 5/200 7", 4), ("9 9 9 40/200 7", 1)])
def test_idle_cores_are_those_that_nobody_else_wants(monkeypatch, text, wanted):
    monkeypatch.setattr(_threads, "_cores", lambda: 8)
    monkeypatch.setattr(_threads.Path, "read_text", lambda _: text)
    assert _threads.idle_cores() == wanted


def test_where_nothing_says_who_wants_to_run_the_mean_of_a_minute_does(monkeypatch):
    def missing(_):
        raise FileNotFoundError

    monkeypatch.setattr(_threads, "_cores", lambda: 8)
    monkeypatch.setattr(_threads.Path, "read_text", missing)
    monkeypatch.setattr(os, "getloadavg", lambda: (3.2, 0.0, 0.0), raising=False)
    assert _threads.idle_cores() == 6
    monkeypatch.delattr(os, "getloadavg")
    assert _threads.idle_cores() == 8


def test_what_is_changed_between_two_solves_is_kept():
    for number in (2, 3):
        with given(number):
            before = threads()
            with one_thread():
                assert set(threads().values()) == {1}
            assert threads() == before


def test_an_error_inside_gives_the_threads_back():
    with given(2):
        before = threads()
        with pytest.raises(KeyboardInterrupt), one_thread(), all_threads(LARGE):
            raise KeyboardInterrupt
        assert threads() == before


def test_solves_side_by_side_leave_the_threads_as_they_were():
    X, Y = two_classes(np.random.default_rng(0), 30, 2)

    def solved(seconds):
        def late(record):
            threading.Event().wait(seconds)

        return kernelopt.solve(X, Y[:, 0], family=kernelopt.fixed("rbf"), solver="plain-fw", callback=late)

    with given(3), ThreadPoolExecutor(4) as pool:
        before = threads()
        answers = list(pool.map(solved, [0.2, 0.0, 0.1, 0.05]))
        assert threads() == before
    assert len({answer.certificate for answer in answers}) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.parametrize("where", ["beside", "inside"])
def test_a_child_that_is_forked_during_a_solve_has_its_threads(where):
    """Of another thread, which the child does not have, or of the one that forks, whose solve ends in the child too."""
    with given(2), ExitStack() as stack:
        before = threads()
        if where == "beside":
            visitor = Visitor("solves")
            visitor.start()
            visitor.go(0)
        else:
            stack.enter_context(one_thread())
        child = os.fork()
        if not child:
            good = set(threads().values()) == {1} if where == "inside" else threads() == before
            stack.close()
            os._exit(0 if good and threads() == before else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        if where == "beside":
            visitor.go(1)
        stack.close()
        assert threads() == before
