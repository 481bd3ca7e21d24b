"""How much memory there is, and a refusal before the work where it is not enough."""

import os
from pathlib import Path

from kernelopt._base._errors import NotEnoughMemory

_CGROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


def available_bytes() -> int | None:
    """Bytes that this process may still take; None where the system does not say."""
    found = [value for value in (_from_meminfo(), *(_from_cgroup(*pair) for pair in _CGROUPS)) if value is not None]
    if found:
        return min(found)
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


def require(need: int, what: str, instead: str = "") -> None:
    """Raise `NotEnoughMemory` where `need` bytes are more than there are, with what else could be done."""
    have = available_bytes()
    if have is not None and need > have:
        raise NotEnoughMemory(
            f"{what} would take {need / 2**30:.1f} GiB, there are {have / 2**30:.1f} GiB; "
            f"solve on fewer rows (a sample of them), or on a machine with more memory{instead and f'; or {instead}'}"
        )
