"""The gate: when Ctrl-C raises, when it is held back, and whose it is afterwards."""

import signal
import subprocess
import sys
import threading
import time

import pytest

from kernelopt._base import _interrupts
from kernelopt._base._interrupts import Gate, undisturbed


def press():
    signal.raise_signal(signal.SIGINT)


@pytest.fixture(autouse=True)
def _as_before():
    before = signal.getsignal(signal.SIGINT)
    yield
    assert signal.getsignal(signal.SIGINT) is before


def test_a_shut_gate_holds_back_and_remembers():
    with Gate() as gate:
        assert not gate.asked
        press()
        press()
        assert gate.asked
        assert gate.held
    with pytest.raises(KeyboardInterrupt):
        gate.heed()
    gate.heed()  # once


def test_an_open_gate_raises_and_is_shut_while_that_is_caught():
    with Gate() as gate:
        with pytest.raises(KeyboardInterrupt), gate.opened():
            press()
        press()
        assert gate.asked
        assert gate.held


def test_it_is_open_or_shut_as_before_when_the_inner_one_ends():
    with Gate() as gate, gate.opened():
        with gate.shut():
            press()
        with pytest.raises(KeyboardInterrupt):
            press()


def idle():
    """A minute in short waits: a single one would not hear of the timer before it is over."""
    for _ in range(60_000):
        time.sleep(0.001)


def test_what_follows_an_interruption_ends_by_itself(monkeypatch):
    monkeypatch.setattr(_interrupts, "_PATIENCE", 0.01)
    with Gate() as gate:
        press()
        with pytest.raises(KeyboardInterrupt), gate.finishing():
            idle()  # nobody presses Ctrl-C but the gate
        with gate.finishing():
            pass
        assert not gate._open


def test_a_second_that_is_over_at_once_ends_what_follows_too(monkeypatch):
    """As on a computer that has other things to do."""
    monkeypatch.setattr(threading.Timer, "start", lambda timer: timer.function())
    with Gate() as gate:
        press()
        with pytest.raises(KeyboardInterrupt), gate.finishing():
            idle()


def test_what_nobody_waits_for_has_all_its_time(monkeypatch):
    started = []
    monkeypatch.setattr(threading.Timer, "start", lambda timer: started.append(timer))
    with Gate() as gate:
        with gate.finishing():
            assert not started
        press()
        with gate.finishing():
            assert len(started) == 1


def test_the_end_of_the_time_that_comes_too_late_is_no_ctrl_c():
    with Gate() as gate:
        gate._ring()
        assert not gate.asked
        assert not gate.held
        press()
        assert gate.held


def test_whoever_has_a_handler_of_his_own_keeps_it():
    pressed = []
    before = signal.signal(signal.SIGINT, lambda *_: pressed.append(1))
    try:
        with Gate() as gate:
            press()
        assert pressed == [1]
        assert not gate.asked
    finally:
        signal.signal(signal.SIGINT, before)


def test_another_thread_leaves_the_handler_alone():
    seen = []

    def inside():
        with Gate():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


def test_a_gate_within_a_gate_has_the_signal_until_it_ends():
    with Gate() as outer:
        with Gate() as inner:
            press()
        assert inner.asked
        assert not outer.asked
        press()
        with Gate() as later:
            assert later.held
    assert outer.asked


def test_undisturbed_work_is_done_and_then_interrupted():
    done = []

    def work():
        press()
        done.append(1)

    with pytest.raises(KeyboardInterrupt), undisturbed():
        work()
    assert done == [1]
    with Gate() as outer, undisturbed():
        press()
    assert outer.held


def test_the_tests_of_ctrl_c_hold_in_the_background_of_a_shell_too():
    ignoring = (
        "import signal, sys, pytest; signal.signal(signal.SIGINT, signal.SIG_IGN); "
        "sys.exit(pytest.main(['-p', 'no:cacheprovider', *sys.argv[1:]]))"
    )
    asked = f"{__file__}::{test_an_open_gate_raises_and_is_shut_while_that_is_caught.__name__}"
    done = subprocess.run([sys.executable, "-c", ignoring, asked], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
