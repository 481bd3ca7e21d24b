"""How much memory there is, and a refusal before the work where it is not enough."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

from kernelopt._base._errors import NotEnoughMemory

_CGROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)

LITTLE = 16 << 20
"""So much there is: to ask the system takes as long as to solve a small problem."""


def available_bytes() -> int | None:
    """Bytes that this process may still take; None where the system does not say."""
    groups = (_from_cgroup(*pair) for pair in _CGROUPS)
    found = [value for value in (_from_meminfo(), *groups, *_from_limits()) if value is not None]
    if found:
        return max(min(found), 0)
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _from_meminfo() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    kilobytes = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return int(kilobytes[0]) * 1024 if kilobytes else None


def _from_cgroup(limit: str, used: str) -> int | None:
    try:
        return int(Path(limit).read_text()) - int(Path(used).read_text())
    except (OSError, ValueError):
        return None


def _from_limits() -> tuple[int, ...]:
    """What each limit of this process leaves, such as `ulimit -v` sets: of its address space, and of its data."""
    try:
        import resource

        lines = Path("/proc/self/status").read_text().splitlines()
    except (ImportError, OSError):
        return ()
    taken = {line.partition(":")[0]: line.split()[1] for line in lines if line.startswith(("VmSize:", "VmData:"))}
    pairs = ((resource.RLIMIT_AS, "VmSize"), (resource.RLIMIT_DATA, "VmData"))
    limits = ((resource.getrlimit(kind)[0], name) for kind, name in pairs)
    return tuple(
        limit - 1024 * int(taken[name]) for limit, name in limits if limit != resource.RLIM_INFINITY and name in taken
    )


def _amount(size: float) -> str:
    """So many bytes in a unit that shows them."""
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.1f} MiB"


@attrs.frozen
class Shortage:
    """More bytes are needed than there are.

    Attributes:
        wanted, left: the two, in a unit that shows them.
    """

    wanted: str
    left: str


def fits(need: float) -> bool:
    """Whether there are so many bytes; where the system does not say, there are."""
    return shortage(need) is None


def shortage(need: float) -> Shortage | None:
    """Where `need` bytes are more than the free memory: both; None where they are there, or the system does not say."""
    have = available_bytes() if need > LITTLE else None
    return None if have is None or need <= have else Shortage(_amount(need), _amount(have))


def require(need: int, what: str) -> None:
    """Raise `NotEnoughMemory` if `need` bytes are more than the free memory; the message says what could be done."""
    short = shortage(need)
    if short is not None:
        raise NotEnoughMemory(
            f"{what} would take {short.wanted}, and {short.left} are available; "
            "solve on fewer rows (a sample of them), or on a machine with more memory"
        )


@contextmanager
def explained(what: str) -> Iterator[None]:
    """Raise `NotEnoughMemory` where memory ends within, in the words of whoever asked for it.

    Args:
        what: was done when it ended, in a few words.

    Raises:
        NotEnoughMemory: a `MemoryError` was raised within.
    """
    try:
        yield
    except NotEnoughMemory:
        raise
    except MemoryError as error:
        have = available_bytes()
        left = "" if have is None else f" ({_amount(have)} are available)"
        raise NotEnoughMemory(
            f"there was not enough memory while {what}: {str(error) or 'the system gave no more'}{left}; take fewer "
            "rows (a sample of them), raise the limit of the process if it has one (ulimit -v), or take a machine with "
            "more memory"
        ) from error
