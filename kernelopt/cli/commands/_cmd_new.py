"""The options of `kernelopt new-plugin`."""

from pathlib import Path
from typing import Annotated

import typer

from kernelopt.cli import _options
from kernelopt.cli._completion import files
from kernelopt.cli._guard import guarded

Name = Annotated[
    str,
    typer.Argument(
        help="The name of the plugin and of what it offers, such as periodic.", show_default=False, metavar="NAME"
    ),
]
Family = Annotated[bool, typer.Option("--family", help="Write a family of kernels.")]
Criterion = Annotated[bool, typer.Option("--criterion", help="Write a criterion: a task with its loss.")]
Solver = Annotated[bool, typer.Option("--solver", help="Write a solver: a method of optimisation.")]
Folder = Annotated[
    Path,
    typer.Option(help="The folder in which the folder of the plugin is made.", metavar="FOLDER", autocompletion=files),
]


def new_plugin(
    name: Name,
    family: Family = False,
    criterion: Criterion = False,
    solver: Solver = False,
    folder: Folder = Path(),
    json: _options.Json = False,
) -> None:
    """Write a plugin of your own: a module, its tests and its metadata, which pass the conformance kit as they are."""
    from kernelopt._base._errors import InvalidOption
    from kernelopt._plugins._registry import Kind
    from kernelopt.cli import _json, _scaffold

    with guarded():
        asked: dict[Kind, bool] = {"family": family, "criterion": criterion, "solver": solver}
        kinds = [kind for kind, wanted in asked.items() if wanted]
        if len(kinds) != 1:
            raise InvalidOption("say what the plugin offers: one of --family, --criterion and --solver")
        written = _scaffold.write(name, kinds[0], folder)
        if json:
            _json.show({"name": name, "kind": kinds[0], "files": [str(path) for path in written]})
            return
        root = folder / f"kernelopt-{name}"
        lines = (*map(str, written), "", "next:", f"  python -m pip install -e {root}", f"  python -m pytest {root}")
        typer.echo("\n".join((*lines, f"  kernelopt plugins --check {name}")))
