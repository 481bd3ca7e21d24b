"""What is compiled is kept where it can be, and where it cannot everything works all the same."""

import errno
import signal
import warnings
from functools import cache

import pytest
from numba import float64
from numba.core import caching, event

import kernelopt
from kernelopt._base import _jit, _working_time
from kernelopt._base._jit import compiled

SOURCE = "def twice(x):\n    return 2.0 * x\n\n\ndef thrice(x):\n    return 3.0 * x\n"


@pytest.fixture(autouse=True)
def _silent():
    """What was told already is forgotten, before and after."""
    _jit._tell.cache_clear()
    yield
    _jit._tell.cache_clear()


@pytest.fixture
def functions(tmp_path, monkeypatch):
    """Two functions of a module in a folder of its own, which numba keeps compiled in another."""
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path / "kept"))
    path = tmp_path / "module.py"
    path.write_text(SOURCE)

    def fresh():
        names = {"__name__": "module", "__file__": str(path)}
        exec(compile(SOURCE, str(path), "exec"), names)
        return names["twice"], names["thrice"]

    return fresh


def files(tmp_path):
    return sorted(path for path in (tmp_path / "kept").rglob("*") if path.is_file())


def test_what_is_compiled_is_kept_and_found_again(functions, tmp_path):
    first = compiled(functions()[0])  # while it lives, numba finds its module, which nobody can import
    assert first(3.0) == 6.0
    assert files(tmp_path)
    again = compiled(functions()[0])
    assert again(3.0) == 6.0
    assert sum(again.stats.cache_hits.values()) == 1


@pytest.mark.parametrize(
    ("one", "other"), [({"wrapped": False}, {}), ({"bounded": True}, {"exact": True}), ({}, {"bounded": True})], ids=str
)
def test_what_was_compiled_with_other_options_is_not_taken(functions, one, other):
    """To call what has no wrapper for Python from Python would end this process."""
    first = compiled(functions()[0], **one)
    first.compile((float64,))
    again = compiled(functions()[0], **other)
    again.compile((float64,))
    assert sum(again.stats.cache_hits.values()) == 0
    assert again(3.0) == 6.0


def test_without_a_folder_everything_works_with_one_warning(functions, monkeypatch):
    def read_only(_):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(caching._CacheLocator, "ensure_cache_path", read_only)
    with pytest.warns(kernelopt.KerneloptWarning, match="set the environment variable NUMBA_CACHE_DIR") as told:
        results = [compiled(function)(3.0) for function in functions()]
    assert results == [6.0, 9.0]
    assert len(told) == 1


def test_a_disk_that_is_full_costs_one_warning_and_no_answer(functions, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(caching.IndexDataCacheFile, "save", full)
    with pytest.warns(kernelopt.KerneloptWarning, match=r"\(No space left on device\)") as told:
        results = [compiled(function)(3.0) for function in functions()]
    assert results == [6.0, 9.0]
    assert len(told) == 1


@pytest.mark.parametrize("left", [0, 10])
def test_files_that_were_cut_short_are_compiled_anew(functions, tmp_path, left):
    assert compiled(functions()[0])(3.0) == 6.0
    for path in files(tmp_path):
        path.write_bytes(path.read_bytes()[:left])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert compiled(functions()[0])(3.0) == 6.0


def test_a_clock_stands_still_while_numba_compiles(functions, monkeypatch):
    now = iter(range(0, 100, 10))
    monkeypatch.setattr(_working_time.time, "monotonic", lambda: next(now))
    monkeypatch.setattr(_working_time, "compiling", cache(_working_time.Compiling))
    monkeypatch.setattr(_jit, "compiling", _working_time.compiling)
    assert _working_time.working() == 0.0
    twice, thrice = map(compiled, functions())
    assert twice(1.0) == 2.0  # from 10 to 20
    assert thrice(1.0) == 3.0  # from 30 to 40
    assert twice(2.0) == 4.0  # it was compiled before
    assert _working_time.compiling().seconds == 20.0
    assert _working_time.working() == 30.0  # of 50


class Pressing(event.Listener):
    """Presses Ctrl-C while a function is compiled, once."""

    pressed = False

    def on_start(self, _):
        if not self.pressed:
            self.pressed = True
            signal.raise_signal(signal.SIGINT)

    def on_end(self, _):
        pass


def test_ctrl_c_comes_when_a_function_is_compiled(functions):
    """Where it came before, numba found no compiled object, and the user an error of the library."""
    twice, pressing = compiled(functions()[0]), Pressing()
    with pytest.raises(KeyboardInterrupt), event.install_listener("numba:run_pass", pressing):
        twice(3.0)
    assert pressing.pressed
    assert len(twice.signatures) == 1
    assert twice(3.0) == 6.0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_comes_when_a_file_is_kept(functions, monkeypatch):
    def pressing(self, *known):
        signal.raise_signal(signal.SIGINT)
        save(self, *known)

    twice, save = compiled(functions()[0]), caching.Cache.save_overload
    monkeypatch.setattr(caching.Cache, "save_overload", pressing)
    with pytest.raises(KeyboardInterrupt):
        twice(3.0)
    again = compiled(functions()[0])
    assert again(3.0) == 6.0
    assert sum(again.stats.cache_hits.values()) == 1


def test_what_is_compiled_for_another_function_counts_once(monkeypatch):
    now = iter([0.0, 7.0])
    monkeypatch.setattr(_working_time.time, "monotonic", lambda: next(now))
    clock = _working_time.Compiling()
    clock.begin()
    clock.begin()
    clock.end()
    clock.end()
    assert clock.seconds == 7.0
