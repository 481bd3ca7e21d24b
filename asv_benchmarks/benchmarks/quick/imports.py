"""What `import kernelopt` costs in a fresh interpreter, and what the first use of its parts adds."""

from benchmarks._timed import Timed


class Imports(Timed):
    def timeraw_import(self) -> str:
        return "import kernelopt"

    def timeraw_plugins(self) -> str:
        return "import kernelopt; kernelopt.plugins()"

    def timeraw_solve(self) -> str:
        return "from kernelopt import solve"
