"""What several rooms need: problems near a margin, scripts, a browser, arrays of each kind; no picture stays open."""

import gc
import importlib
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import attrs
import numpy as np
import pytest
from hypothesis import settings

import kernelopt
from kernelopt._device._arrays import Arrays
from kernelopt._families._binding import loosened
from kernelopt.sklearn import _rivals
from kernelopt.testing import make_problem

settings.register_profile("kernelopt", deadline=None)  # an example may wait for the compiler, or for a busy machine
settings.load_profile("kernelopt")

ROOT = Path(__file__).parents[1]
N = 360
BAND = 80
CRITERIA = {
    "svc": kernelopt.SVC(C=1.0),
    "l2-svc": kernelopt.L2SVC(C=1.0),
    "svr": kernelopt.SVR(C=1.0, epsilon=0.3),
}


def rows(noise, n=N, seed=0):
    """Rows, labels that a curve parts, and a value: with little noise few samples are near the margin or the tube."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, size=(n, 2))
    side = X[:, 1] - np.sin(3.0 * X[:, 0]) / 2.0
    labels = np.where(side + noise * rng.normal(size=n) > 0.0, 1.0, -1.0)
    return X, labels, side + noise * rng.normal(size=n)


def target(criterion, labels, values):
    return values if criterion.task == "regression" else labels


def gaussians():
    return kernelopt.Dictionary([("rbf", {"gamma": g}) for g in (0.3, 1.0, 3.0)], normalize="trace")


def make_pair(name, families, noise=0.1, n=N):
    """A problem with every row bound, and the same one with none."""
    criterion = CRITERIA[name]
    X, labels, values = rows(noise, n)
    tight = make_problem(families, X, target(criterion, labels, values)[:, None], criterion)
    loose = loosened(tight.leaves)
    return tight, attrs.evolve(tight, leaves=loose, data=tuple(leaf.family.bind(X) for leaf in loose))


@pytest.fixture(scope="session")
def near_margin():
    """Rows that a curve parts, targets for a criterion, Gaussians, and a problem with its rows bound and unbound."""
    return SimpleNamespace(rows=rows, target=target, gaussians=gaussians, make_pair=make_pair, criteria=CRITERIA)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Tests that are collected stay: to look for garbage among them, again and again, takes a third of that time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c_interrupts():
    """As in a terminal: what a shell runs in the background, and whatever that starts, would ignore the signal."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


LEARNED = """
import sys, numpy, kernelopt, kernelopt.plugin
X = numpy.random.default_rng(0).normal(size=(20, 2))
s = kernelopt.solve(X, numpy.sign(X[:, 0]), family="tk", criterion="svc", tol=1e-2)
assert s._repr_html_().count("<svg") == 2
kernelopt.plot.overview
print(*sys.modules)
"""


@pytest.fixture(scope="session")
def loaded():
    """The modules of a process that learned a kernel, showed it as a notebook does, and drew nothing."""
    done = subprocess.run([sys.executable, "-c", LEARNED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.fixture(autouse=True)
def _no_picture_stays_open():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(scope="session")
def script():
    """A script of the repository as a module, such as script("docs/look"); those of a folder import each other."""

    def loaded(name):
        folder = str((ROOT / name).parent)
        sys.path.insert(0, folder)
        try:
            return importlib.import_module(Path(name).name)
        finally:
            sys.path.remove(folder)

    return loaded


@pytest.fixture(scope="session")
def look(script):
    """The look at pages in a browser."""
    return script("docs/look")


@pytest.fixture(scope="session")
def eyes(look):
    """A browser, where the machine has one."""
    program = look.found()
    if program is None:
        pytest.skip("there is no Chromium or Chrome on this machine")
    with look.browser(program) as one:
        yield one


@pytest.fixture
def small_grid(monkeypatch):
    """Beside a learned kernel stand the best of two machines and five trees, where no test reads what these score."""
    monkeypatch.setattr(_rivals, "GRID", {"C": [1.0], "gamma": ["scale", 0.1]})
    for name in ("HistGradientBoostingClassifier", "HistGradientBoostingRegressor"):
        monkeypatch.setattr(_rivals, name, partial(getattr(_rivals, name), max_iter=5))


@pytest.fixture
def rough_pictures(monkeypatch):
    """The pictures of a report have few dots and are drawn once, not light and dark, where no test looks at them."""
    from kernelopt._report import _pictures

    drawn = _pictures._drawn
    monkeypatch.setattr(_pictures, "DOTS", 0.25)
    monkeypatch.setattr(_pictures, "_drawn", lambda display, *, dark: "" if dark else drawn(display, dark=dark))


@pytest.fixture(name="make_pair")
def _make_pair():
    return make_pair


@pytest.fixture(params=["numpy", "array_api_strict", "array_api_compat.torch"])
def arrays(request):
    """The arrays of each library that is installed; array_api_strict refuses whatever the standard does not name."""
    if request.param.endswith("torch"):
        pytest.importorskip("torch", exc_type=ImportError)
    pytest.importorskip(request.param)
    return Arrays(request.param)
