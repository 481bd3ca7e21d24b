"""The seed of a command, refused before any work if no generator can begin with it."""

from kernelopt._base._errors import InvalidOption
from kernelopt.cli._guard import guarded

LARGEST = 2**32 - 1  # of the generators with which scikit-learn splits rows


def within_range(seed: int) -> int:
    """The seed itself; one outside of the range is a line of error."""
    with guarded():
        if not 0 <= seed <= LARGEST:
            raise InvalidOption(f"--seed: got {seed}, wanted a whole number from 0 to {LARGEST}")
    return seed
