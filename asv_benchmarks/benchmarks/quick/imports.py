"""What `import kernelopt` costs in a fresh interpreter, and what the first use of its parts adds."""

import resource
import subprocess
import sys

from benchmarks._timed import Timed


def children() -> float:
    """The CPU seconds of all interpreters that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def fresh(code: str) -> None:
    """Run a line in an interpreter of its own."""
    subprocess.run([sys.executable, "-c", code], check=True)


class Imports(Timed):
    timer = staticmethod(children)
    number = 1

    def time_import(self) -> None:
        fresh("import kernelopt")

    def time_plugins(self) -> None:
        fresh("import kernelopt; kernelopt.plugins()")

    def time_solve(self) -> None:
        fresh("from kernelopt import solve")
