"""The options of `kernelopt reproduce`."""

from pathlib import Path
from typing import Annotated

import typer

from kernelopt.cli import _options
from kernelopt.cli._completion import files
from kernelopt.cli._guard import INTERRUPTED, guarded, say

Table = Annotated[
    str | None,
    typer.Argument(help="A table's name, such as 003-3.", show_default="all names are listed", metavar="TABLE"),
]
Sets = Annotated[
    list[str] | None, typer.Option("--sets", help="A data set of the table; may be given again.", metavar="NAME")
]
Methods = Annotated[
    list[str] | None, typer.Option("--methods", help="A method of the table; may be given again.", metavar="NAME")
]
Splits = Annotated[int | None, typer.Option(help="How many splits.", show_default="the paper's", metavar="NUMBER")]
Folds = Annotated[
    int | None,
    typer.Option(
        help="How many folds the cross-validation has that chooses an option.",
        show_default="the paper's",
        metavar="NUMBER",
    ),
]
ChosenOn = Annotated[
    int | None,
    typer.Option(
        help="On how many splits an option is chosen for all of them.", show_default="as in the paper", metavar="NUMBER"
    ),
]
Minutes = Annotated[float, typer.Option(help="The most minutes for each line of the table.", metavar="NUMBER")]
Quick = Annotated[
    bool, typer.Option("--quick", help="A first look: two splits, three values of a grid, two folds to choose.")
]
Picture = Annotated[
    Path | None,
    typer.Option(
        help="Draw a figure into this file: .png, .pdf, .svg, ...",
        show_default=False,
        metavar="FILE",
        autocompletion=files,
    ),
]
Out = Annotated[Path, typer.Option(help="What was measured is appended here, and is not measured again.")]


def reproduce(
    table: Table = None,
    sets: Sets = None,
    methods: Methods = None,
    splits: Splits = None,
    folds: Folds = None,
    chosen_on: ChosenOn = None,
    minutes: Minutes = 10.0,
    quick: Quick = False,
    out: Out = Path("reproduced.jsonl"),
    picture: Picture = None,
    seed: _options.Seed = 0,
    config: _options.Config = None,
    no_progress: _options.NoProgress = False,
    json: _options.Json = False,
) -> None:
    """Run a table of the papers again, and print it beside the paper's numbers. Ctrl-C keeps what is there.

    The data sets are looked for in the folder that KERNELOPT_DATA names.
    """
    from kernelopt.cli import _json, _places
    from kernelopt.cli.papers import _picture, _reading, _reproduce, _show

    with guarded():
        if table is None:
            _show.show_names([_reading.load(name) for name in _reading.names()])
            return
        wanted = _reproduce.narrowed(_reading.load(table), sets or [], methods or [], folds, chosen_on, quick=quick)
        _places.require_apart({"--out": out, "--picture": picture}, {"--config": config})
        if picture is not None:
            _picture.check(wanted, picture)
        asked = _reproduce.asked(wanted, splits, minutes, seed, quick=quick)
        found, interrupted = _reproduce.collected(wanted, out, asked, watched=not no_progress)
        if picture is not None:
            _picture.draw(wanted, found, picture)
            say(f"wrote {picture}")
        if json:
            _json.show({**_show.as_mapping(wanted, found), "interrupted": interrupted})
        else:
            _show.show(wanted, found, seed)
        if interrupted:
            say(f"interrupted; the same command goes on where it was, from {out}")
            raise typer.Exit(INTERRUPTED)
