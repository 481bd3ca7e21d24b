"""Names in tables may go on in the next line after an underscore, so that on a phone no word of them is broken."""

import re
from typing import Any

_CELL = re.compile(r"<td\b.*?</td>", re.DOTALL)
_CODE = re.compile(r"<code\b.*?</code>", re.DOTALL)
_UNDERSCORE = re.compile(r"(?<=[^\W_])_(?=[^\W_])(?![^<>]*>)")
"""Between two letters or digits of a text, and not inside of a tag."""


def breakable(html: str) -> str:
    """A page whose names in tables may be broken after each underscore inside of them."""
    return _CELL.sub(lambda cell: _CODE.sub(lambda code: _UNDERSCORE.sub("_<wbr>", code[0]), cell[0]), html)


def on_page_content(html: str, **_: Any) -> str:
    """What mkdocs calls for each page."""
    return breakable(html)
