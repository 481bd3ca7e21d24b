"""The commands and their options; what they do is in the modules beside this one."""

from pathlib import Path
from typing import Annotated

import typer

import kernelopt
from kernelopt.cli._guard import INTERRUPTED, guarded

app = typer.Typer(
    help="Find the best kernel for the data, together with the classifier, with a certified duality gap.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

NoProgress = Annotated[bool, typer.Option("--no-progress", help="No live line on stderr.")]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"kernelopt {kernelopt.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Find the best kernel for the data, together with the classifier, with a certified duality gap."""


@app.command()
def demo(
    quick: Annotated[bool, typer.Option("--quick", help="A looser tolerance; no grid search for the rival.")] = False,
    no_progress: NoProgress = False,
) -> None:
    """Learn a tessellated kernel on the Wisconsin breast cancer data, beside an RBF support vector machine."""
    from kernelopt.cli import _demo

    with guarded():
        _demo.run(quick=quick, progress=not no_progress)


@app.command()
def plugins() -> None:
    """List the installed plugins: what each offers, or why it cannot be used."""
    from rich.console import Console

    from kernelopt.cli._report import plugin_table

    with guarded():
        Console().print(plugin_table(kernelopt.plugins()))


@app.command()
def solve(
    data: Annotated[Path, typer.Argument(help="A CSV file with a header line.", show_default=False)],
    target: Annotated[str, typer.Option(help="The column to learn.", show_default=False)],
    family: Annotated[str, typer.Option(help="Kernels: name:key=value,...; a union with +, such as tk+delta.")] = "tk",
    solver: Annotated[str, typer.Option(help="Method: name:key=value,...; a chain with +, such as fw+apd.")] = "auto",
    criterion: Annotated[str, typer.Option(help="What is learned: name:key=value,...; auto: as y suggests.")] = "auto",
    tol: Annotated[float, typer.Option(help="The relative duality gap to reach.")] = 1e-3,
    scale: Annotated[str, typer.Option(help="unit, atom, variance, paper, or a positive number.")] = "unit",
    max_seconds: Annotated[float | None, typer.Option(help="Stop after this time, with the best so far.")] = None,
    max_steps: Annotated[int | None, typer.Option(help="Stop after this many steps, with the best so far.")] = None,
    seed: Annotated[int, typer.Option(help="Of everything random.")] = 0,
    ignore: Annotated[list[str] | None, typer.Option(help="A column to leave out; may be given again.")] = None,
    predict: Annotated[Path | None, typer.Option(help="A CSV file of rows to predict.")] = None,
    out: Annotated[Path | None, typer.Option(help="Where the predictions go, as CSV.")] = None,
    checkpoint: Annotated[Path | None, typer.Option(help="Keeps the best so far; a later run goes on from it.")] = None,
    no_progress: NoProgress = False,
    json: Annotated[bool, typer.Option("--json", help="The result as JSON.")] = False,
) -> None:
    """Learn a kernel from a CSV file. Ctrl-C ends the run with the best answer so far."""
    from kernelopt.cli import _report, _solve, _specs

    with guarded():
        job = _solve.read_job(data, target, ignore or [], predict, out)
        solution = _solve.run(
            job,
            family=_specs.parse_family(family),
            solver=_specs.parse_solver(solver),
            criterion=None if criterion == "auto" else _specs.parse_spec(criterion, "--criterion"),
            checkpoint=checkpoint,
            tol=tol,
            scale=_specs.parse_value(scale),
            max_seconds=max_seconds,
            max_steps=max_steps,
            seed=seed,
            progress=not no_progress,
        )
        scores, columns = _solve.outcome(job, solution)
        if json:
            _solve.print_json({**_report.as_mapping(solution), "scores": scores})
        else:
            _report.show(solution, str(data), {name: f"{score:.1%}" for name, score in scores.items()})
        if job.out is not None and columns is not None:
            _solve.save(job.out, columns)
        if solution.status.name == "INTERRUPTED":
            raise typer.Exit(INTERRUPTED)
