"""The options of `kernelopt plot`."""

from pathlib import Path
from typing import Annotated

import typer

from kernelopt._base._errors import InvalidOption
from kernelopt.cli import _options
from kernelopt.cli._completion import files, tables, words
from kernelopt.cli._guard import INTERRUPTED, guarded, say, tell

PICTURES = (
    "overview",
    "convergence",
    "weights",
    "atoms",
    "features",
    "directions",
    "decision",
    "regression",
    "grams",
    "calibration",
    "residuals",
)
Out = Annotated[
    Path,
    typer.Option(
        help="The file that the picture is written to: .png, .pdf, .svg, ...",
        show_default=False,
        metavar="FILE",
        autocompletion=files,
    ),
]
Picture = Annotated[
    str,
    typer.Option(
        help=f"{', '.join(PICTURES[:-1])} or {PICTURES[-1]}.", metavar="PICTURE", autocompletion=words(*PICTURES)
    ),
]
Data = Annotated[
    str,
    typer.Argument(
        help=f"{_options.SOURCE} Or a saved model.", show_default=False, metavar="DATA", autocompletion=tables
    ),
]
Rows = Annotated[
    str | None,
    typer.Option(help="A file of rows to draw a saved model over.", metavar="DATA", autocompletion=tables),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(help="A column that varies, for decision and regression; may be given again.", metavar="COLUMN"),
]


def plot(
    context: typer.Context,
    data: Data,
    out: Out,
    picture: Picture = "overview",
    column: Columns = None,
    rows: Rows = None,
    target: _options.Target = None,
    family: _options.Family = None,
    solver: _options.Solver = "auto",
    criterion: _options.Criterion = "auto",
    tol: _options.Tolerance = 1e-3,
    scale: _options.Scale = "auto",
    max_seconds: _options.MaxSeconds = None,
    max_steps: _options.MaxSteps = None,
    seed: _options.Seed = 0,
    ignore: _options.Ignore = None,
    config: _options.Config = None,
    no_progress: _options.NoProgress = False,
    json: _options.Json = False,
) -> None:
    """Learn a kernel from a data file, or take a saved model, and draw it. Needs matplotlib.

    Ctrl-C draws the best answer so far.
    """
    from kernelopt.cli import _job, _json, _places, _plot, _report, _solve, _specs
    from kernelopt.cli.reading import _blocks

    with guarded():
        sources = {"DATA": data, "--rows": rows, "--config": config}
        _places.require_places({"--out": out}, sources, streams=["--out"])
        if _plot.is_model(data):
            _draw_model(context, data, out, picture, column or [], rows, target, json)
            return
        if rows is not None:
            raise InvalidOption(
                "--rows: is for a saved model only; a kernel learned from a table is drawn over the rows of the table"
            )
        limits = _specs.limits(tol=tol, scale=scale, max_seconds=max_seconds, max_steps=max_steps, seed=seed)
        asked = {**_specs.parsed(family, solver, criterion), **limits, "progress": not no_progress}
        job = _job.read_job(data, target, ignore or [], criterion=asked["criterion"], family=family)
        tell(job.rows.notes)
        columns = _plot.check(picture, out, column or [], job.rows.names)
        job, drawn = _plot.parted(job, picture, seed, evidence=_blocks.by_evidence(asked["criterion"], family))
        solution = _solve.run(job, checkpoint=None, **asked)
        subject = _plot.Subject(solution, drawn.X, drawn.y, drawn.target or "target")
        _plot.draw(picture, out, subject, columns)
        say(f"{picture} drawn into {out}")
        if json:
            _json.show({**_report.as_mapping(solution), "picture": picture, "out": str(out)})
        else:
            typer.echo(str(out))
        if solution.status.name == "INTERRUPTED":
            raise typer.Exit(INTERRUPTED)


def _draw_model(
    context: typer.Context,
    model: str,
    out: Path,
    picture: str,
    columns: list[str],
    rows: str | None,
    target: str | None,
    json: bool,
) -> None:
    from kernelopt.cli import _json, _plot

    subject = _plot.from_model(model, rows, target, context)
    numbers = _plot.check(picture, out, columns, _plot.names_of(subject))
    _plot.check_model(picture, subject)
    _plot.draw(picture, out, subject, numbers)
    say(f"{picture} drawn into {out}")
    if json:
        _json.show({"model": model, "picture": picture, "out": str(out)})
    else:
        typer.echo(str(out))
