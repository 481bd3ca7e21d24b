"""SIGTERM, as `timeout` sends it, leaves no temporary copy of the data behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a process that is terminated is not asked")
def test_a_temporary_copy_is_removed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kernelopt", "solve", "-", "--target", "y", "--no-progress"]
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b"a,y\n1,2\n")
        process.stdin.flush()  # and the pipe stays open, so that the command waits for more rows
        end = time.monotonic() + 60.0
        while not list(tmp_path.glob("kernelopt-*")):
            assert time.monotonic() < end, "the rows are not copied"
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        out, said = process.communicate(timeout=60.0)
    assert (process.returncode, out, said) == (143, b"", b"")
    assert not list(tmp_path.iterdir())
