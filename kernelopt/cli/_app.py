"""The command line: every command under its name; the options of each are in the module beside this one."""

from typing import Annotated

import typer

import kernelopt
from kernelopt.cli._command import Command, Group
from kernelopt.cli.commands._cmd_compare import compare
from kernelopt.cli.commands._cmd_new import new_plugin
from kernelopt.cli.commands._cmd_plot import plot
from kernelopt.cli.commands._cmd_predict import predict
from kernelopt.cli.commands._cmd_report import report
from kernelopt.cli.commands._cmd_reproduce import reproduce
from kernelopt.cli.commands._cmd_show import compatibility, demo, plugins
from kernelopt.cli.commands._cmd_solve import solve

app = typer.Typer(
    help="Learn to predict a column of a table, with the kernel that suits the data, and say how good the answer is.",
    no_args_is_help=True,
    cls=Group,
    pretty_exceptions_enable=False,
)


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
    """Learn to predict a column of a table, with the kernel that suits the data, and say how good the answer is."""


for command in (demo, solve, predict, plot, report, compare, reproduce, compatibility, plugins, new_plugin):
    app.command(cls=Command)(command)
