"""The union: what `+` between families, views and unions makes. It is a value that does not know what it joins."""

from collections.abc import Mapping
from typing import Any

import attrs


class Addable:
    """What can be a member of a union."""

    def __add__(self, other: Any) -> "Union":
        """The union with another family, view or union; a name, a mapping or a list, as in `solve`, will do."""
        if not isinstance(other, Addable | str | Mapping | list | tuple):
            return NotImplemented
        return Union((self, other))


@attrs.frozen
class Union(Addable):
    """The hull of several families' atoms: one weight vector over all of them, summing to 1.

    Attributes:
        members: whatever `solve` takes as a family, unions too, in order.
    """

    members: tuple[Any, ...]
