"""How many threads the linear algebra gets: one for the many small products, and for the few large factorisations as
many as there are idle cores, or as many as the user has asked for.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from pathlib import Path
from threading import Lock, get_ident
from typing import Any

LARGE = 2000
"""From this many rows on, a factorisation is worth waking the other threads for, on a machine that is idle.
Worth: `constants.py threads.LARGE`, in seconds of the wall, with as many threads as the machine has cores."""

_ASKED = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS",
)  # fmt: skip
"""Variables of the environment by which a user says how many threads he wants."""


class _Pool:
    """The BLAS libraries of the process, and who wants how many of their threads.

    BLAS has one number of threads for the whole process. It follows from who is there now, in whatever order they came
    and go: one thread while anybody solves, those of before, or fewer, while anybody who solves factorises, and those
    of before when the last one has gone. OpenMP counts for each thread by itself.
    """

    def __init__(self) -> None:
        self._modules = 0
        self._blas: Any = None
        self._openmp: Any = None
        self._before: dict[str, int] = {}
        self._single: dict[object, int] = {}
        self._wide: dict[object, int] = {}
        self._most = 1
        self._lock = Lock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    @contextmanager
    def single(self) -> Iterator[None]:
        """One thread inside, as it was when the last one leaves."""
        if get_ident() in self._single.values():  # this thread is inside already
            yield
            return
        openmp = self._found()
        with self._restored(openmp), self._among(self._single):
            for library in openmp:
                library.set_num_threads(1)
            yield

    def _found(self) -> list[Any]:
        """Find the libraries of the process, again where modules were imported since, and return those of OpenMP:
        scikit-learn brings one of its own, which is loaded when the first machine is that needs it. Another thread may
        find more of them meanwhile, so whoever limits some restores the same ones.
        """
        from threadpoolctl import ThreadpoolController

        with self._lock:
            modules = len(sys.modules)
            if modules != self._modules:
                whole = ThreadpoolController()
                self._blas, self._openmp = whole.select(user_api="blas"), whole.select(user_api="openmp")
                self._modules = modules
            return list(self._openmp.lib_controllers)

    @contextmanager
    def _restored(self, openmp: list[Any]) -> Iterator[None]:
        """These libraries as they were when this is left."""
        before = [(library, library.get_num_threads()) for library in openmp]
        try:
            yield
        finally:
            for library, number in before:
                library.set_num_threads(number)

    @contextmanager
    def wide(self) -> Iterator[None]:
        """Inside `single`, the threads that there were, or those for which there are idle cores."""
        self._most = self._useful()
        limits = {name: min(number, self._most) for name, number in self._before.items()}
        with self._openmp.limit(limits=limits), self._among(self._wide):
            yield

    def _useful(self) -> int:
        """How many threads a factorisation should have: as many as were asked for, or as there are idle cores."""
        most = max(self._before.values(), default=1)
        return most if any(name in os.environ for name in _ASKED) or most < _cores() else min(most, idle_cores())

    @contextmanager
    def _among(self, those: dict[object, int]) -> Iterator[None]:
        me = object()
        try:
            with self._lock:
                if not self._before and those is self._single:
                    self._before = {one.filepath: one.get_num_threads() for one in self._all()}
                those[me] = get_ident()
                self._set()
            yield
        finally:
            with self._lock:
                those.pop(me, None)
                self._set()

    def _all(self) -> list[Any]:
        return [*self._blas.lib_controllers, *self._openmp.lib_controllers]

    def _set(self) -> None:
        """Give BLAS the threads that follow from who is there; nobody's business is nobody's, once all have gone."""
        for library in self._blas.lib_controllers if self._before else ():
            if library.filepath in self._before:  # it was loaded when the first one came
                _put(library, self._wanted(self._before[library.filepath]))
        if not self._single:
            self._wide.clear()
            self._before = {}

    def _wanted(self, before: int) -> int:
        """The threads of a library that had so many."""
        if not self._single:
            return before
        return min(before, self._most) if self._wide else 1

    def _forked(self) -> None:
        """In a child of the process only the thread that forked is still there."""
        self._lock = Lock()
        for those in (self._single, self._wide):
            for me in [me for me, thread in those.items() if thread != get_ident()]:
                del those[me]
        self._set()


def _put(library: Any, number: int) -> None:
    """Give a BLAS library so many threads, and leave it to any thread of the process to change that.

    threadpoolctl remembers which thread has set the number, and ignores all others without a word while that one lives
    and has not given it up: a solve beside a thread that is inside of `threadpool_limits` would keep all its threads.
    """
    release = getattr(library, "clear_controlling_thread", None)
    if release is not None:
        release(force=True)
    library.set_num_threads(number)
    if release is not None:
        release(force=True)


@cache
def _pool() -> _Pool:
    return _Pool()


def _cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def idle_cores() -> int:
    """How many cores nobody but this thread uses now, its own among them.

    Linux counts who wants to run at this moment. Elsewhere the mean of the last minute has to do, and where there is
    none all cores count as idle.
    """
    try:
        wanting = int(Path("/proc/loadavg").read_text().split()[3].partition("/")[0])
    except (OSError, ValueError, IndexError):
        wanting = round(os.getloadavg()[0]) if hasattr(os, "getloadavg") else 1
    return max(_cores() - max(wanting - 1, 0), 1)


def one_thread() -> AbstractContextManager[None]:
    """One BLAS thread inside, as it was afterwards, however many solves run side by side.

    A solve consists of thousands of small products. Threads cost each of them more than they bring, and on a busy
    machine, where they wait for one another, ten times the whole.
    """
    return _pool().single()


def all_threads(n: int) -> AbstractContextManager[None]:
    """Inside `one_thread`, if n rows are worth it, the threads that the process had, where the user has asked for so
    many or so many cores are idle; on a busy machine threads wait for one another.
    """
    return nullcontext() if n < LARGE else _pool().wide()
