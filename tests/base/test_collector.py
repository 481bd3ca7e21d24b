"""The collector of cyclic garbage waits while many objects are made that stay, and is afterwards as it was before."""

import gc
import subprocess
import sys

import pytest
from numba.core import event
from numba.core.errors import TypingError

import kernelopt
from kernelopt._base._collector import uncollected
from kernelopt._base._jit import compiled


@pytest.fixture(params=[True, False], ids=["on", "off"])
def collects(request):
    """Whether the user has the collector switched on; it is on again at the end."""
    if not request.param:
        gc.disable()
    yield request.param
    gc.enable()


def test_the_collector_waits_inside_and_is_as_before_afterwards(collects):
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled() == collects


def test_an_error_inside_leaves_the_collector_as_it_was(collects):
    with pytest.raises(ZeroDivisionError), uncollected():
        assert 1 / 0
    assert gc.isenabled() == collects


@pytest.fixture
def thawed():
    """Nothing is frozen, as in a process of a user; what the tests have frozen is frozen again at the end."""
    gc.unfreeze()
    yield
    gc.freeze()


@pytest.mark.usefixtures("thawed")
def test_what_was_made_inside_is_not_looked_through_afterwards():
    runs = collections()
    with uncollected():
        made = [[] for _ in range(10_000)]
    made.append([])  # a new object, at which the collector would begin
    assert collections() == runs


def test_a_name_whose_module_is_loaded_is_given_without_a_look_at_every_object(monkeypatch):
    """How many objects are frozen is found by a walk along all of them."""
    wanted = kernelopt.SVC
    monkeypatch.delattr(kernelopt, "SVC")
    monkeypatch.setattr(gc, "get_freeze_count", lambda: pytest.fail("every frozen object was counted"))
    assert kernelopt.SVC is wanted


def collections():
    """How many times the collector has begun in this process."""
    return sum(generation["collections"] for generation in gc.get_stats())


@pytest.mark.usefixtures("thawed")
def test_what_somebody_has_frozen_stays_frozen():
    gc.freeze()
    frozen = gc.get_freeze_count()
    with uncollected():
        made = [[] for _ in range(10_000)]
    assert 0.9 * frozen < gc.get_freeze_count() <= frozen
    assert made


def test_the_collector_waits_while_numba_compiles(collects):
    def twice(x):
        return 2.0 * x

    def broken(x):
        return x.no_such_attribute

    seen = []
    with event.install_listener("numba:run_pass", Seen(seen)):
        assert compiled(twice)(3.0) == 6.0
        assert gc.isenabled() == collects
        with pytest.raises(TypingError):
            compiled(broken)(3.0)
    assert seen
    assert not any(seen)
    assert gc.isenabled() == collects


class Seen(event.Listener):
    """Writes down whether the collector is on whenever numba begins a pass."""

    def __init__(self, seen):
        self.seen = seen

    def on_start(self, _):
        self.seen.append(gc.isenabled())

    def on_end(self, _):
        pass


def test_the_collector_waits_while_kernelopt_is_imported():
    code = """
import gc
import kernelopt
full = gc.get_stats()[2]["collections"]
gc.set_threshold(10, 1, 1)
kernelopt.solve
assert gc.isenabled()
print(gc.get_stats()[2]["collections"] - full)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 5
