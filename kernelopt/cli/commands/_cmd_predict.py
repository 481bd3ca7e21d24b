"""The options of `kernelopt predict`."""

from pathlib import Path
from typing import Annotated

import typer

from kernelopt.cli import _options
from kernelopt.cli._completion import files
from kernelopt.cli._guard import guarded, say

File = Annotated[
    Path,
    typer.Argument(
        help="A model, from kernelopt solve --save or save().",
        show_default=False,
        metavar="MODEL",
        autocompletion=files,
    ),
]
Target = Annotated[
    str | None, typer.Option(help="The column with the right answers, if there is one.", metavar="COLUMN")
]
View = Annotated[
    list[str] | None,
    typer.Option(
        help="A view that has a file of its own, as when the model was learned: name=file, such as mri=mri.csv; may be "
        "given again.",
        metavar="NAME=FILE",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        help="The CSV file that the predictions are written to; - for standard output. [default: -]",
        metavar="FILE",
        autocompletion=files,
    ),
]
Interval = Annotated[
    float | None,
    typer.Option(
        help="Write the ends of an interval too, which holds the new target with this probability, such as 0.95; for "
        "models that learned numbers by the evidence.",
        metavar="SHARE",
        show_default=False,
    ),
]


def predict(
    model: File,
    data: _options.MaybeSource = None,
    target: Target = None,
    view: View = None,
    key: _options.Key = None,
    interval: Interval = None,
    out: Out = None,
    no_progress: _options.NoProgress = False,
    json: _options.Json = False,
) -> None:
    """Predict the rows of a data file with a saved model."""
    from kernelopt.cli import _json, _places, _predict, _predictions

    with guarded():
        if str(out) == "-":
            out = None
        _places.require_places({"--out": out}, {"MODEL": model, "DATA": data}, views=view or [], streams=["--out"])
        found = _predict.predict(model, data, target, view or [], key, interval=interval, progress=not no_progress)
        if out is not None:
            _predictions.save(out, found.columns)
        for name, error in found.errors.items():
            say(f"{name}: {error:.4g}")
        if json:
            _json.show({**found.columns, "errors": found.errors})
        elif out is None:
            _predict.show(found)
