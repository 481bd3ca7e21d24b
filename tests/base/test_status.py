"""What is said of the end of a run."""

from kernelopt._base._status import Status


def test_a_tolerance_is_loosened_only_where_there_is_a_gap():
    """A run may stall before it has an upper bound."""
    assert "if both bounds are finite, loosen tol" in Status.STALLED.advice
