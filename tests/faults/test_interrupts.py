"""Ctrl-C at any line of a solve: an answer that was found is given, and before there is one nothing is left half-done.

KERNELOPT_FAULTS says how many lines are tried of each solve, in place of the few of every run of the tests.
"""

import os
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import attrs
import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

import kernelopt
from kernelopt import Status
from kernelopt.testing import two_classes

TRIALS = int(os.environ.get("KERNELOPT_FAULTS", "6"))
LIBRARY = str(Path(kernelopt.__file__).parent)
X, Y = two_classes(np.random.default_rng(0), 30, 2)
RBF = kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in (0.1, 1.0, 5.0)])
SOLVES = {
    "a list": {"family": RBF, "solver": "fw", "criterion": "svc"},
    "an interior point": {"family": "tk", "solver": "ipm", "criterion": "svc"},
    "the evidence": {"family": RBF, "criterion": "evidence"},
    "evidence of classes": {"family": RBF, "criterion": {"name": "evidence", "finish": "logistic"}},
}

pytestmark = pytest.mark.skipif(sys.gettrace() is not None, reason="something else traces the lines")


@attrs.define
class Pressing:
    """Sends Ctrl-C when the library reaches its line number `at`, counted from the beginning of what is done inside.

    Attributes:
        at: when; 0 for never.
        lines: how many lines were reached.
        where: the file and line where it was sent.
    """

    at: int = 0
    lines: int = 0
    where: str = ""
    records: int = 0
    seen: int = 0

    @property
    def leaving(self):
        """Whether all was done, and nothing left but to give the signal back to who had it before."""
        return self.where.endswith((" solve", " __exit__"))

    def __enter__(self):
        sys.settrace(self.trace)
        return self

    def __exit__(self, *_):
        sys.settrace(None)

    def record(self, _):
        self.records += 1

    def trace(self, frame, event, arg):
        if not frame.f_code.co_filename.startswith(LIBRARY):
            return None
        if event == "line":
            self.lines += 1
            if self.lines == self.at:
                self.where = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} {frame.f_code.co_name}"
                self.seen = self.records
                signal.raise_signal(signal.SIGINT)
        return self.trace


def solve(name, pressing, **options):
    with pressing:
        return kernelopt.solve(X, Y[:, 0], tol=1e-4, max_steps=6, callback=pressing.record, **SOLVES[name], **options)


def state():
    """What a solve has to leave as it was."""
    threads = tuple(one["num_threads"] for one in ThreadpoolController().info())
    return signal.getsignal(signal.SIGINT), threads, threading.active_count(), warnings.filters[:]


@pytest.fixture(name="lines", scope="module")
def _lines():
    """How many lines each solve has, once all is imported and compiled, and its answer."""
    found = {}
    for name in SOLVES:
        for _ in range(2):
            pressing = Pressing()
            found[name] = (pressing, solve(name, pressing))
    return found


def attempt(name, pressing, path):
    """The solution, or the interruption that came before there was one."""
    try:
        return solve(name, pressing, checkpoint=path)
    except KeyboardInterrupt as error:
        return error


@pytest.mark.parametrize("name", SOLVES)
def test_at_any_line_nothing_finished_is_lost(name, lines, tmp_path, capfd):
    whole, wanted = lines[name]
    path = tmp_path / "run.ckpt"
    before = state()
    rng = np.random.default_rng(7)
    ends = whole.lines - rng.integers(1, whole.lines // 20, size=TRIALS // 2)  # what comes after the loop is short
    for at in (*rng.integers(2, whole.lines, size=TRIALS - len(ends)), *ends):
        path.unlink(missing_ok=True)
        pressing = Pressing(at=int(at))
        found = attempt(name, pressing, path)
        if isinstance(found, KeyboardInterrupt):
            assert pressing.seen == 0, f"an answer was lost at {pressing.where}"
            assert str(found) == "solve was interrupted before there was an answer"
            assert found.__suppress_context__
        else:
            assert found.status is Status.INTERRUPTED or pressing.leaving, pressing.where
            assert np.isfinite(found.predict(X)).all()
            assert found.certificate.lower <= found.certificate.upper * (1.0 + 1e-9)
        assert state() == before, pressing.where
        assert [one.name for one in tmp_path.iterdir()] in ([], ["run.ckpt"]), pressing.where
    again = solve(name, Pressing())
    assert again.certificate == wanted.certificate
    assert capfd.readouterr() == ("", "")


HELD = ("kernelopt._api._result.Solution", "kernelopt._api._solve.solution", "kernelopt._io._checkpoint.write")


@pytest.mark.parametrize("place", HELD)
def test_ctrl_c_after_the_loop_is_told_by_the_status_alone(place, monkeypatch, tmp_path):
    module, _, name = place.rpartition(".")
    honest = getattr(sys.modules[module], name)

    def pressed(*arguments, **options):
        signal.raise_signal(signal.SIGINT)
        return honest(*arguments, **options)

    wanted = solve("a list", Pressing())
    monkeypatch.setattr(place, pressed)
    s = solve("a list", Pressing(), checkpoint=tmp_path / "run.ckpt")
    assert s.status is Status.INTERRUPTED
    assert s.certificate == wanted.certificate
    assert (s.predict(X) == wanted.predict(X)).all()
    assert (tmp_path / "run.ckpt").exists()


IMPORTING = """
import signal, sys, warnings
import numpy as np
import kernelopt

class Pressing:
    def find_spec(self, name, *_):
        if name in places:
            places.remove(name)
            signal.raise_signal(signal.SIGINT)

X = np.random.default_rng(0).normal(size=(20, 2))
places = set(sys.argv[1:])
sys.meta_path.insert(0, Pressing())
for k in range(1 + len(places)):
    try:
        s = kernelopt.solve(X, np.sign(X[:, 0]), family=kernelopt.fixed("rbf"), solver="plain-fw")
    except KeyboardInterrupt:
        print("interrupted", len(places))
    else:
        print(s.status.name)
"""


def test_an_import_is_not_broken_off():
    """The next call finds it whole, and is interrupted in another."""
    places = ["scipy.linalg.lapack", "numba.core.types", "kernelopt_tk._tk"]
    done = subprocess.run([sys.executable, "-c", IMPORTING, *places], capture_output=True, text=True, timeout=100)
    told = ["interrupted 2", "interrupted 1", "interrupted 0", "CONVERGED"]
    assert done.stdout.splitlines() == told, done.stderr
