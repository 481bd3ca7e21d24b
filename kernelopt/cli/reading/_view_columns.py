"""What `--view name=columns` means: kernels of each group of columns of a table, or of the columns of a file."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

from kernelopt._api._family_specs import by_view
from kernelopt._base._errors import InvalidOption
from kernelopt._rows._columns import shortened
from kernelopt.cli.reading._joined import in_files

Columns = tuple[tuple[str, tuple[int, ...]], ...]
"""The name of each view with the numbers of its columns."""


def view_columns(given: Sequence[str], names: Sequence[str]) -> Columns:
    """The columns of each view, in the order of the table.

    Args:
        given: what was typed, such as `mri=mri_*`, `person=age,income` or `mri=mri.csv`.
        names: the columns that are learned from.

    Raises:
        InvalidOption: a view has no name or two, or a column is not there.
    """
    found: dict[str, tuple[int, ...]] = {}
    files = in_files(given)
    for text in given:
        name, equals, rest = (piece.strip() for piece in text.partition("="))
        if files.get(name) == rest:
            found[name] = _of_file(name, rest, names)
            continue
        patterns = [piece.strip() for piece in rest.split(",") if piece.strip()]
        if not (name and equals and patterns):
            raise InvalidOption(
                f"--view: got {text!r}, wanted name=column,column such as person=age,income or mri=mri_*"
            )
        if name in found:
            raise InvalidOption(f"--view: the view {name!r} is given twice; list all of its columns once")
        found[name] = _matching(name, patterns, names)
    return tuple(found.items())


def _of_file(view: str, file: str, names: Sequence[str]) -> tuple[int, ...]:
    """The places of the columns that were read from the file of a view."""
    found = tuple(place for place, name in enumerate(names) if name.startswith(f"{view}."))
    if not found:
        raise InvalidOption(f"--view: {file} has no column that the view {view!r} could learn from")
    return found


def _matching(view: str, patterns: Sequence[str], names: Sequence[str]) -> tuple[int, ...]:
    """The places of names that one of the patterns is or matches."""
    chosen = set()
    for pattern in patterns:
        hits = {pattern} if pattern in names else {name for name in names if fnmatchcase(name, pattern)}
        if not hits:
            raise InvalidOption(
                f"--view: the view {view!r} has the column {pattern!r}, and the columns to learn from are "
                f"{shortened(tuple(names))}"
            )
        chosen |= hits
    return tuple(place for place, name in enumerate(names) if name in chosen)


def on_views(views: Columns, family: Any) -> Any:
    """The family on each view, where there are views; otherwise the family as it is."""
    return by_view(dict(views), family) if views else family


def in_views(given: Sequence[str], names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns of a table that are in a view, and a note on the others; all of them where there are no views.

    Args:
        given: what was typed as views.
        names: the columns that could be learned from.

    Raises:
        InvalidOption: as `view_columns`.
    """
    if not given:
        return tuple(names), ()
    used = {place for _, places in view_columns(given, names) for place in places}
    kept = tuple(name for place, name in enumerate(names) if place in used)
    missing = tuple(name for place, name in enumerate(names) if place not in used)
    if not missing:
        return kept, ()
    note = (
        f"views: {len(missing)} of {len(names)} columns are in no view and are not learned from: {shortened(missing)}"
    )
    return kept, (note,)
