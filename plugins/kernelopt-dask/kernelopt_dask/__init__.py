"""Collections of dask as rows, and its workers as the place where rows in blocks are summed up."""

from kernelopt.plugin import RowSource, hookimpl
from kernelopt_dask._passes import on_workers
from kernelopt_dask._source import DaskRows

__all__ = ["DaskRows", "kernelopt_rows", "on_workers"]

KERNELOPT_CONTRACT = 1


@hookimpl
def kernelopt_rows() -> list[type[RowSource]]:
    """The kinds of rows that this plugin brings."""
    return [DaskRows]
