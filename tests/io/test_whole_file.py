"""A file is there whole or as it was, with its mode, whoever else writes it."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelopt._io._whole_file import try_place, whole

posix = pytest.mark.skipif(os.name != "posix", reason="modes of files are those of POSIX")


def put(path: Path, data: bytes) -> None:
    with whole(path) as file:
        file.write(data)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@posix
@given(kept=st.integers(0o400, 0o777), mask=st.sampled_from([0, 0o022, 0o077, 0o277]))
def test_a_file_keeps_its_mode_whatever_the_umask(tmp_path_factory: pytest.TempPathFactory, kept: int, mask: int):
    path = tmp_path_factory.mktemp("files") / "one"
    path.touch()
    path.chmod(kept)
    before = os.umask(mask)
    try:
        put(path, b"new")
    finally:
        os.umask(before)
    assert mode(path) == kept


@posix
@pytest.mark.parametrize("mask", [0o022, 0o027, 0o077, 0o277])
def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        put(tmp_path / "one", b"new")
    finally:
        os.umask(before)
    assert mode(tmp_path / "one") == 0o666 & ~mask


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt(), SystemExit()])
def test_what_ends_the_writing_early_leaves_what_was_there_and_nothing_else(tmp_path: Path, error: BaseException):
    path = tmp_path / "one"
    put(path, b"old")
    with pytest.raises(type(error)), whole(path) as file:  # noqa: PT012, the error is in the midst of the block
        file.write(b"half of the n")
        raise error
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_writers_of_one_file_do_not_meet(tmp_path: Path) -> None:
    path = tmp_path / "one"
    with whole(path) as first, whole(path) as second:
        first.write(b"first" * 1000)
        second.write(b"second")
    assert path.read_bytes() == b"first" * 1000
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link, path = tmp_path / "link", tmp_path / "there" / "one"
    path.touch()
    link.symlink_to(path)
    put(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"


def test_a_name_as_long_as_names_may_be_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    put(path, b"new")
    assert path.read_bytes() == b"new"


def impossible(tmp_path: Path) -> dict[str, Path]:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    return {
        "a folder": tmp_path / "folder",
        "in no folder": tmp_path / "nowhere" / "one",
        "below a file": tmp_path / "file" / "one",
        "too long": tmp_path / ("n" * 300),
        "a device": Path(os.devnull),
    }


@pytest.mark.parametrize("case", ["a folder", "in no folder", "below a file", "too long", "a device"])
def test_an_impossible_place_is_told_by_trying_as_by_writing(tmp_path: Path, case: str) -> None:
    path = impossible(tmp_path)[case]
    before = sorted(tmp_path.rglob("*"))
    for attempt in (try_place, lambda path: put(path, b"new")):
        with pytest.raises(OSError) as told:  # noqa: PT011, any of the system's
            attempt(path)
        assert told.value.strerror
    assert sorted(tmp_path.rglob("*")) == before


def test_trying_leaves_nothing(tmp_path: Path) -> None:
    try_place(tmp_path / "one")
    assert list(tmp_path.iterdir()) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from kernelopt._io._whole_file import whole
with whole(Path(sys.argv[1])) as file:
    file.write(b"half of the n")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@posix
def test_a_process_that_is_killed_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "one"
    put(path, b"old")
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False, timeout=60)
    assert done.returncode < 0
    assert path.read_bytes() == b"old"
    put(path, b"new")
    assert path.read_bytes() == b"new"
