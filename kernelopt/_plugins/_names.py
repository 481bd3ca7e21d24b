"""Which names users can type: in a call, and in the options of the command."""

from typing import Any

_MARKS = "+:,=()[]{}"
"""What joins names and options, in `solver="fw+apd"` and in `--criterion svc:C=10`."""
_TAKEN = ("auto", "precomputed")
"""Words that stand for something else where a name may stand."""


def unusable(name: Any) -> str | None:
    """Why nobody could type this name of a family, a criterion or a solver; None if somebody can."""
    if not (isinstance(name, str) and name):
        return "has no name; set the class variable `name`"
    if name in _TAKEN:
        return f"has the name {name!r}, which users type for something else; take another one"
    if any(mark in _MARKS or mark.isspace() or not mark.isprintable() for mark in name):
        return f"has the name {name!r}, wanted a lower-case word without spaces and without any of {_MARKS}"
    return None
