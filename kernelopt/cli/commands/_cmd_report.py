"""The options of `kernelopt report`."""

from pathlib import Path
from typing import Annotated

import typer

from kernelopt.cli import _options
from kernelopt.cli._guard import INTERRUPTED, guarded, say

Out = Annotated[
    Path,
    typer.Option(help="The file that the page is written to, such as report.html.", show_default=False, metavar="FILE"),
]
Title = Annotated[str | None, typer.Option(help="The headline of the page.", show_default="the name of the data")]
HeldOut = Annotated[
    float | None,
    typer.Option(
        help="The share of the rows that is held out to measure errors with.",
        show_default="a fifth",
        metavar="SHARE",
    ),
]


def report(
    data: _options.Source,
    out: Out,
    target: _options.Target = None,
    title: Title = None,
    held_out: HeldOut = None,
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
    """Learn a kernel from a data file, and write one page of HTML on it, to be mailed. Needs jinja2 and matplotlib."""
    from kernelopt._report._report import require_libraries
    from kernelopt.cli import _job, _json, _page, _places, _report, _specs
    from kernelopt.cli.reading._read import called

    with guarded():
        _places.require_places({"--out": out}, {"DATA": data, "--config": config})
        require_libraries()
        limits = _specs.limits(tol=tol, scale=scale, max_seconds=max_seconds, max_steps=max_steps, seed=seed)
        asked = {**_specs.parsed(family, solver, criterion), **limits, "progress": not no_progress}
        job = _job.read_job(data, target, ignore or [], criterion=asked["criterion"], family=family)
        parts = _page.parts_of(job, held_out, seed)
        solution = _page.learned(parts, **asked)
        _page.written(parts, solution, called(data) if title is None else title, seed).save(out)
        say(f"report written to {out}")
        if json:
            held = 0 if parts.new is None else len(parts.new[0])
            _json.show({**_report.as_mapping(solution), "out": str(out), "rows": parts.rows, "held_out": held})
        else:
            typer.echo(str(out))
        if solution.status.name == "INTERRUPTED":
            raise typer.Exit(INTERRUPTED)
