"""A budget of time, and somebody who may ask to stop."""

import time

from kernelopt._base._budget import Budget


def test_without_a_limit_nothing_runs_out():
    assert Budget().remaining() is None
    assert not Budget().cancelled()


def test_what_is_left_falls_to_nothing_and_no_further():
    now = time.monotonic()
    assert 0.0 < Budget(now + 100.0).remaining() <= 100.0
    assert Budget(now - 1.0).remaining() == 0.0
    assert not Budget(now + 100.0).cancelled()
    assert Budget(now - 1.0).cancelled()


def test_who_asks_to_stop_is_heard_whatever_the_time():
    assert Budget(stop=lambda: True).cancelled()
    assert Budget(time.monotonic() + 100.0, lambda: True).cancelled()


def test_what_takes_longer_than_is_left_is_not_allowed():
    now = time.monotonic()
    assert Budget().allows(1e9)
    assert Budget(now + 100.0).allows(50.0)
    assert not Budget(now + 100.0).allows(150.0)
    assert not Budget(now - 1.0).allows(0.0)
    assert not Budget(stop=lambda: True).allows(0.0)
