"""How a law says that it does not apply: as the standard library does, which pytest shows as a skipped test."""

import sys
from typing import NoReturn
from unittest import SkipTest


def skip(reason: str) -> NoReturn:
    """End a law that does not apply.

    Raises:
        SkipTest: in any case.
    """
    raise SkipTest(reason)


def skips() -> tuple[type[BaseException], ...]:
    """What ends a law that does not apply; laws that authors add may skip by pytest, where it is there."""
    pytest = sys.modules.get("pytest")
    return (SkipTest,) if pytest is None else (SkipTest, pytest.skip.Exception)


def failures() -> tuple[type[BaseException], ...]:
    """What ends a law that an author lets fail by pytest, where it is there."""
    pytest = sys.modules.get("pytest")
    return (Exception,) if pytest is None else (Exception, pytest.fail.Exception)
