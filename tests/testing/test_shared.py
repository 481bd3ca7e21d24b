"""What all of a program shares is as it was after a law has looked at it, whatever a plugin did to it."""

import gc
import locale
import logging
import os
import random
import signal
import sys
import warnings

import numpy as np
import pytest

from kernelopt.testing import LawBroken
from kernelopt.testing._shared import _shared, shared_untouched

CHANGES = {
    "random": random.random,
    "numpy": np.random.random,
    "warnings": lambda: warnings.simplefilter("error"),
    "prints": lambda: np.set_printoptions(precision=3),
    "reports": lambda: np.seterr(all="raise"),
    "environment": lambda: os.environ.update(KERNELOPT_OF_NOBODY="1"),
    "folder": lambda: os.chdir("/"),
    "modules": lambda: sys.path.append("/nowhere"),
    "logs": lambda: logging.basicConfig(),
    "levels": lambda: logging.getLogger().setLevel("DEBUG"),
    "garbage": gc.disable,
    "depth": lambda: sys.setrecursionlimit(5000),
    "interrupt": lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    "locale": lambda: locale.setlocale(locale.LC_NUMERIC, "C.UTF-8"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_it_is_told_and_set_back(change):
    before = _shared()
    with pytest.raises(LawBroken, match="change what all of a program shares"), shared_untouched("shared"):
        CHANGES[change]()
    assert _shared() == before


def test_it_is_set_back_where_nothing_changed_it():
    before = _shared()
    with shared_untouched("shared"):
        pass
    assert _shared() == before
