"""Values of a user in a message: a cell of a file may hold a whole book."""

from typing import Any

from kernelopt._base._options import plain

_MOST = 80
"""So many characters are shown in full."""
_FIRST, _LAST = 50, 10
"""So many are shown of longer values, of their beginning and of their end."""


def shown(value: Any) -> str:
    """A value as Python writes it, the middle of a long one left out, with how many characters it has in all."""
    value = plain(value)
    text = repr(value)
    if len(text) <= _MOST:
        return text
    length = len(value) if isinstance(value, str | bytes) else len(text)
    return f"{text[:_FIRST]}...{text[-_LAST:]} ({length} characters)"
