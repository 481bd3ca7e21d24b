"""What the core asks of a plugin: hooks, each of which returns classes."""

import pluggy

from kernelopt._criteria._contract import Criterion
from kernelopt._families._contract import KernelFamily
from kernelopt._rows._source import RowSource
from kernelopt._saddle._contract import Solver

PROJECT = "kernelopt"
CONTRACT = 1
"""The version of the contracts. A plugin module states the one that it was written for as KERNELOPT_CONTRACT."""

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""The decorator of a plugin's hooks: `@hookimpl` above `def kernelopt_families()`."""


@hookspec
def kernelopt_families() -> list[type[KernelFamily]]:  # type: ignore[empty-body]
    """The kernel families that this plugin offers."""


@hookspec
def kernelopt_criteria() -> list[type[Criterion]]:  # type: ignore[empty-body]
    """The criteria that this plugin offers."""


@hookspec
def kernelopt_solvers() -> list[type[Solver]]:  # type: ignore[empty-body]
    """The solvers that this plugin offers."""


@hookspec
def kernelopt_rows() -> list[type[RowSource]]:  # type: ignore[empty-body]
    """The kinds of rows that this plugin brings."""
