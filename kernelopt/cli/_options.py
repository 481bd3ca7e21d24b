"""Options that several commands share, in one wording."""

from pathlib import Path
from typing import Annotated

import typer

from kernelopt.cli import _config, _seed
from kernelopt.cli._completion import criteria, families, files, solvers, tables, words

SOURCE = (
    "A file: CSV with a header, Parquet, svmlight or npz, which may be packed (.csv.gz) or a pipe; a folder of Parquet "
    "files; - for standard input; or dataset:NAME."
)
Source = Annotated[str, typer.Argument(help=SOURCE, show_default=False, metavar="DATA", autocompletion=tables)]
MaybeSource = Annotated[
    str | None,
    typer.Argument(
        help=f"{SOURCE} Not needed where views are in files of their own.",
        show_default=False,
        metavar="[DATA]",
        autocompletion=tables,
    ),
]
Target = Annotated[str | None, typer.Option(help="The column to learn. In svmlight and npz it is y.", metavar="COLUMN")]
Ignore = Annotated[list[str] | None, typer.Option(help="A column to leave out; may be given again.", metavar="COLUMN")]
Groups = Annotated[
    str | None,
    typer.Option(
        help="A column that says which rows belong together, such as the patient: these are held out together, and the "
        "evidence of numbers learns what they share.",
        metavar="COLUMN",
    ),
]
View = Annotated[
    list[str] | None,
    typer.Option(
        help="A group of columns that has kernels of its own: name=column,column or name=pattern, such as "
        "person=age,income or mri=mri_*; or name=file with the columns of a file, such as mri=mri.csv; may be given "
        "again. Other columns are not used.",
        metavar="NAME=COLUMNS",
    ),
]
Key = Annotated[
    str | None,
    typer.Option(
        help="The column in each file that says which rows belong together, where views are in files of their own.",
        show_default="rows are in the same order",
        metavar="COLUMN",
    ),
]
Family = Annotated[
    str | None,
    typer.Option(
        help="Kernels: name:key=value,...; a union with +, such as tk+delta; or JSON.",
        show_default="as the criterion asks",
        metavar="SPEC",
        autocompletion=families,
    ),
]
Solver = Annotated[
    str,
    typer.Option(
        help="Method: name:key=value,...; a chain with +, such as fw+apd; or JSON.",
        metavar="SPEC",
        autocompletion=solvers,
    ),
]
Criterion = Annotated[
    str,
    typer.Option(
        help="What is learned: name:key=value,...; or JSON; auto: as the target suggests.",
        metavar="SPEC",
        autocompletion=criteria,
    ),
]
Families = Annotated[
    list[str] | None,
    typer.Option(help="A family or a union of families; may be given again.", metavar="SPEC", autocompletion=families),
]
Solvers = Annotated[
    list[str] | None, typer.Option(help="A solver; may be given again.", metavar="SPEC", autocompletion=solvers)
]
Criteria = Annotated[
    list[str] | None, typer.Option(help="A criterion; may be given again.", metavar="SPEC", autocompletion=criteria)
]
Tolerance = Annotated[
    float,
    typer.Option(
        help="The relative duality gap to reach; with the evidence, of half the number of targets.", metavar="NUMBER"
    ),
]
Scale = Annotated[
    str,
    typer.Option(
        help="auto, unit, atom, variance, paper, or a positive number.",
        metavar="SCALE",
        autocompletion=words("auto", "unit", "atom", "variance", "paper"),
    ),
]
MaxSeconds = Annotated[
    float | None, typer.Option(help="Stop a solve after so many seconds, with the best so far.", metavar="NUMBER")
]
MaxSteps = Annotated[
    int | None, typer.Option(help="Stop a solve after this many steps, with the best so far.", metavar="NUMBER")
]
Seed = Annotated[
    int, typer.Option(help="The seed of all random numbers.", metavar="NUMBER", callback=_seed.within_range)
]
Config = Annotated[
    Path | None,
    typer.Option(
        help="A TOML file with any of these options.",
        is_eager=True,
        callback=_config.load,
        metavar="FILE",
        autocompletion=files,
    ),
]
NoProgress = Annotated[bool, typer.Option("--no-progress", help="Show no live line.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
