"""The options of the commands that only show something: `demo`, `plugins` and `compatibility`."""

from typing import Annotated

import typer

import kernelopt
from kernelopt.cli import _options
from kernelopt.cli._completion import plugins as offered
from kernelopt.cli._guard import FAILURE, guarded

Check = Annotated[
    str | None,
    typer.Option(
        help="Judge a plugin, or a family, a criterion or a solver by its name, or an object as module:attribute, by "
        "every law of the conformance kit.",
        metavar="NAME",
        autocompletion=offered,
    ),
]
Quick = Annotated[bool, typer.Option("--quick", help="A looser tolerance; no grid search for a rival.")]


def demo(quick: Quick = False, no_progress: _options.NoProgress = False, json: _options.Json = False) -> None:
    """Learn the default on a part of the Wisconsin breast cancer data; predict the rest, beside an SVM and boosting.

    Nothing is chosen and nothing is tuned.
    """
    from kernelopt.cli import _demo

    with guarded():
        _demo.run(quick=quick, progress=not no_progress, json=json)


def plugins(check: Check = None, no_progress: _options.NoProgress = False, json: _options.Json = False) -> None:
    """List the installed plugins: what each offers, or why it cannot be used.

    With --check the conformance kit judges one of them; the exit code is 1 where a law is broken.
    """
    from kernelopt.cli import _json, _plugins

    with guarded():
        if check is not None:
            _judge(check, progress=not no_progress, json=json)
        elif json:
            _json.show(_plugins.as_mapping(kernelopt.plugins()))
        else:
            _plugins.show(kernelopt.plugins())


def _judge(name: str, *, progress: bool, json: bool) -> None:
    from kernelopt.cli import _conformance, _json, _judgements

    subjects = _conformance.subjects(name)
    with _judgements.watching(_conformance.laws_to_judge(subjects), wanted=progress) as told:
        found = _conformance.judged(subjects, told)
    if json:
        _json.show(_judgements.as_mapping(found))
    else:
        _judgements.show(found)
    if any(one.failed for one in found):
        raise typer.Exit(FAILURE)


def compatibility(
    family: _options.Families = None,
    solver: _options.Solvers = None,
    criterion: _options.Criteria = None,
    json: _options.Json = False,
) -> None:
    """Which solver solves which family with which criterion, and why where it does not: of all, or of those named.

    Nothing is solved.
    """
    from kernelopt.cli import _compatibility, _json, _specs

    with guarded():
        families = None if not family else [_specs.parse_family(one) for one in family]
        table = kernelopt.compatibility(families, solver or None, criterion or None)
        if json:
            _json.show(_compatibility.as_mapping(table))
        else:
            _compatibility.show(table)
