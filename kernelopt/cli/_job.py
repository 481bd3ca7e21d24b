"""What `kernelopt solve` was asked, from the options and the files to rows and targets."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy.typing as npt

from kernelopt._base._errors import InvalidOption
from kernelopt._base.tables._tables import Table as Features
from kernelopt._criteria._contract import Task
from kernelopt._rows._contract import RowBlocks
from kernelopt._rows._stored import Stored
from kernelopt.cli._guard import tell
from kernelopt.cli._specs import Spec
from kernelopt.cli.judging._check_plan import Plan, planned
from kernelopt.cli.reading._blocks import rows_in_blocks
from kernelopt.cli.reading._joined import in_files, read_joined
from kernelopt.cli.reading._read import NAMED, called, found, read, read_file, require_one_stdin
from kernelopt.cli.reading._rows import Rows, rows_of, task_of
from kernelopt.cli.reading._tables import Table
from kernelopt.cli.reading._view_columns import Columns, view_columns


@attrs.frozen(eq=False)
class Job:
    """What `kernelopt solve` was asked, read and checked before any work begins.

    Attributes:
        rows: the training rows and their targets; of a file that is read in blocks, some of them.
        task: what the criterion learns.
        new: rows to predict, m of d columns, or None.
        new_y: their targets where the file has them.
        out: where the predictions go.
        plan: which rows are held out to measure with.
        blocks: all training rows of a file that is read in blocks, else None.
        views: the columns of each view, if there are any.
        source: what the user named to learn from.
    """

    rows: Rows
    task: Task
    new: Features | None
    new_y: npt.NDArray[Any] | None
    out: Path | None
    plan: Plan
    blocks: RowBlocks | None = None
    views: Columns = ()
    source: str = ""


def read_job(
    data: str | None,
    target: str | None = None,
    ignore: Sequence[str] = (),
    *,
    criterion: Spec | None = None,
    family: Any = None,
    groups: str | None = None,
    views: Sequence[str] = (),
    key: str | None = None,
    predict: str | None = None,
    out: Path | None = None,
    folds: int | None = None,
    held_out: float | None = None,
    check: bool = False,
    seed: int = 0,
) -> Job:
    """Read the training file and the file to predict; refuse what could only fail after the work.

    Raises:
        InvalidData: a file is wrong.
        InvalidOption: `predict` without `out`, or the other way round; rows are too few for what is to be held out.
    """
    if (predict is None) != (out is None):
        raise InvalidOption("--predict and --out belong together: rows to predict, and where the predictions go")
    require_one_stdin(data=data, **{"--predict": predict})
    if data is None or in_files(views) or key is not None:
        if predict is not None:
            raise InvalidOption(
                "--predict: got views in files of their own, wanted one file; save the model with --save, and pass the "
                "new files to kernelopt predict with the same --view"
            )
        source: Table | Stored = read_joined(data, views, key)
        origin = source.source
    else:
        source, origin = _named(data), called(data)
    if isinstance(source, Stored) and groups is None and not views:
        file = rows_in_blocks(source, target, ignore, criterion, family)
    else:
        file = None
    if file is not None:
        rows = file.first
    else:
        table = read_file(source) if isinstance(source, Stored) else source
        rows = rows_of(table, target, ignore, criterion, groups, views)
    columns = view_columns(views, rows.names)
    task, blocks = (task_of(rows, [criterion]), None) if file is None else (file.task, file.blocks)
    plan = planned(rows, task, folds=folds, held_out=held_out, check=check, seed=seed, blocks=blocks)
    if predict is None:
        return Job(rows, task, None, None, None, plan, blocks, columns, source=origin)
    fresh = read(predict).written_as(rows.marks)
    tell(fresh.notes(rows.names if rows.target not in fresh.names else (*rows.names, rows.target)))
    known = fresh.target(rows.target) if rows.target in fresh.names else None
    return Job(rows, task, fresh.rows(rows.names, rows.X.texts), known, out, plan, blocks, columns, source=origin)


def _named(data: str) -> Stored | Table:
    """A file, which is not read yet, or the table of a data set that comes with kernelopt."""
    return read(data) if data.startswith(NAMED) else found(data)
