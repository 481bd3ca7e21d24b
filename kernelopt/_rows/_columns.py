"""Which columns of a file are learned from, which one is the target, and which one weighs the rows."""

import difflib
import re
from collections import Counter
from collections.abc import Sequence

import attrs

from kernelopt._base._errors import InvalidData, InvalidOption


def place_of(source: str, names: Sequence[str], name: str) -> int:
    """The number of the column of this name.

    Raises:
        InvalidData: there is none; the nearest name is suggested.
    """
    require_columns(source, names, [name])
    return names.index(name)


def require_columns(source: str, names: Sequence[str], wanted: Sequence[str]) -> None:
    """Refuse columns that are not there, all of them in one sentence.

    Raises:
        InvalidData: some are not there; the nearest names are suggested.
    """
    lacking = [name for name in dict.fromkeys(wanted) if name not in names]
    if not lacking:
        return
    found = {name: _nearest(names, name) for name in lacking}
    if len(lacking) == 1:
        hint = f"did you mean {found[lacking[0]]!r}? " if found[lacking[0]] else ""
        if len(names) == 1 and re.search(rf"(^|[^\w]){re.escape(lacking[0])}([^\w]|$)", names[0]):
            raise InvalidData(
                f"{source} has no column {lacking[0]!r}; it has {names[0]} as a single column, wanted commas, "
                "semicolons or tabs between the names and cells; write one of these there, or, if another mark such as "
                "| stands there, the line sep=| above the header"
            )
        raise InvalidData(f"{source} has no column {lacking[0]!r}; {hint}it has {shortened(names)}")
    told = [repr(name) + (f" (did you mean {close!r}?)" if close else "") for name, close in found.items()]
    raise InvalidData(f"{source} lacks {len(lacking)} columns: {shortened(told)}; it has {shortened(names)}")


def _nearest(names: Sequence[str], name: str) -> str | None:
    lower = {known.lower(): known for known in names}
    close = difflib.get_close_matches(name.lower(), lower, n=1, cutoff=0.5)
    return lower[close[0]] if close else None


def others(source: str, names: Sequence[str], dropped: Sequence[str]) -> tuple[str, ...]:
    """The columns besides these, all of which must be there, and at least one other.

    Raises:
        InvalidData: some are not there, or none is left.
    """
    require_columns(source, names, dropped)
    left = tuple(name for name in names if name not in dropped)
    if not left:
        raise InvalidData(f"{source}: no column is left to learn from")
    return left


def shortened(names: Sequence[str], most: int = 8) -> str:
    """The first few names."""
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


@attrs.frozen
class Columns:
    """The columns of a file by what they are for.

    Attributes:
        features: the rows' own.
        target: what is learned.
        weight: how much each row counts, or None.
    """

    features: tuple[str, ...]
    target: str
    weight: str | None = None

    @classmethod
    def of(
        cls, source: str, names: Sequence[str], target: str | None, weight: str | None, ignore: Sequence[str]
    ) -> "Columns":
        """Those of a file with these columns.

        Raises:
            InvalidOption: no target is named.
            InvalidData: a column is not there.
        """
        if target is None:
            raise InvalidOption(f"target: name the column to learn; {source} has {shortened(names)}")
        used = [target, *([] if weight is None else [weight])]
        return cls(others(source, names, [*used, *ignore]), target, weight)

    @property
    def all(self) -> tuple[str, ...]:
        """All that are read."""
        return (*self.features, self.target, *(() if self.weight is None else (self.weight,)))


def refuse_twins(source: str, names: Sequence[str]) -> None:
    """Refuse columns with the same name.

    Raises:
        InvalidData: there are some.
    """
    counts = Counter(names)
    twice = [repr(name) for name, count in counts.items() if count > 1]
    if len(twice) == 1:
        raise InvalidData(f"{source}: two columns are called {twice[0]}; rename one")
    if twice:
        raise InvalidData(f"{source}: several columns are called {shortened(twice)}; give each a name of its own")
