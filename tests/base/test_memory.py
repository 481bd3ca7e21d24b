"""Where memory ends there is one error, before the work where that can be known: what was wanted, what there is."""

import re
import subprocess
import sys

import numpy as np
import pytest

import kernelopt
from kernelopt._base import _memory
from kernelopt._base._memory import explained, require
from kernelopt.plugin import NotEnoughMemory

resource = pytest.importorskip("resource")


def test_sizes_are_told_in_a_unit_that_shows_them(monkeypatch):
    monkeypatch.setattr(_memory, "available_bytes", lambda: 3 * 2**20)
    with pytest.raises(
        NotEnoughMemory, match=re.escape("12 rows would take 2.5 GiB, and 3.0 MiB are available; solve on")
    ):
        require(5 * 2**29, "12 rows")


def test_what_numpy_says_of_the_array_is_told():
    words = r"^there was not enough memory while it was tried: Unable to allocate .* PiB"
    with pytest.raises(NotEnoughMemory, match=words) as caught, explained("it was tried"):
        np.empty((2**35, 2**20))
    assert "are available" in str(caught.value)
    assert "take fewer rows" in str(caught.value)
    assert isinstance(caught.value.__cause__, MemoryError)


def test_an_error_without_words_gets_some():
    words = "there was not enough memory while it was tried: the system gave no more"
    with pytest.raises(NotEnoughMemory, match=words), explained("it was tried"):
        raise MemoryError


def test_one_that_says_enough_passes_unchanged():
    error = NotEnoughMemory("12 rows would take 2.5 GiB")
    with pytest.raises(NotEnoughMemory) as caught, explained("it was tried"):
        raise error
    assert caught.value is error


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are those of Linux")
def test_a_limit_of_the_process_counts():
    """In a process of its own: a limit cannot be raised again."""
    code = (
        "import resource\n"
        "from kernelopt._base._memory import available_bytes, _from_limits\n"
        "assert _from_limits() == ()\n"
        "taken = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (taken + 2**26,) * 2)\n"
        "print(available_bytes())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert 0 <= int(done.stdout) <= 2**26


LIMITED = """
import resource
import numpy as np
import kernelopt
X = np.random.default_rng(0).normal(size=(1500, 3))
y = np.sign(X[:, 0] + X[:, 1] ** 2 - 0.5)
before = resource.getrlimit(resource.RLIMIT_AS)
for solver, more in (("fw", 10), ("ipm", 45)):
    kernelopt.solve(X[:30], y[:30], family="tk", solver=solver, max_steps=2)
    taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + more * 2**20, before[1]))
    try:
        kernelopt.solve(X, y, family="tk", solver=solver, max_steps=20)
    except kernelopt.NotEnoughMemory as error:
        print(error)
    resource.setrlimit(resource.RLIMIT_AS, before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are those of Linux")
def test_a_run_that_does_not_fit_ends_in_one_sentence():
    done = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True, timeout=100, check=True)
    told = r"(there was not enough memory while a kernel was learned: |1500 rows would take ).*are available"
    of_solvers = done.stdout.splitlines()
    assert len(of_solvers) == 2
    for one in of_solvers:
        assert re.match(told, one)


def test_what_was_kept_of_a_run_is_there_when_memory_ends(tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 2))
    path = tmp_path / "run.ckpt"

    def ends(record):
        if record.step == 2:
            raise MemoryError

    family = kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in (0.1, 1.0, 5.0)])
    options = {"family": family, "solver": "plain-fw", "tol": 1e-9, "max_steps": 2, "checkpoint": path}
    with pytest.raises(NotEnoughMemory, match="there was not enough memory while a kernel was learned"):
        kernelopt.solve(X, np.sign(X[:, 0]), callback=ends, **options)
    assert path.exists()
    assert kernelopt.solve(X, np.sign(X[:, 0]), **options).status is kernelopt.Status.MAX_STEPS


def test_prediction_says_it_too(monkeypatch):
    X = np.random.default_rng(0).normal(size=(30, 2))
    s = kernelopt.solve(X, np.sign(X[:, 0]), family=kernelopt.fixed("rbf"), solver="plain-fw")

    def ends(*_):
        raise MemoryError

    monkeypatch.setattr("kernelopt._families.dictionary._dictionary.Dictionary.cross", ends)
    monkeypatch.setattr("kernelopt._families.dictionary._dictionary.Dictionary.function", ends)
    with pytest.raises(NotEnoughMemory, match="there was not enough memory while rows were predicted"):
        s.predict(X)
    with pytest.raises(NotEnoughMemory, match="there was not enough memory while a kernel was computed"):
        s.kernel(X)
