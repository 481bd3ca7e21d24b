"""Names in tables of the documentation may be broken after underscores, and nowhere else."""

from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        ("<td><code>test_a_law</code></td>", "<td><code>test_<wbr>a_<wbr>law</code></td>"),
        ("<td>\n<code>__init__</code> a_b</td>", "<td>\n<code>__init__</code> a_b</td>"),
        ("<p><code>test_a_law</code></p>", "<p><code>test_a_law</code></p>"),
        ('<td><code><a href="a_b.html">a_b</a></code></td>', '<td><code><a href="a_b.html">a_<wbr>b</a></code></td>'),
    ],
)
def test_names_in_cells_break_after_underscores(script: Callable[[str], Any], html: str, wanted: str) -> None:
    assert script("docs/names").on_page_content(html) == wanted
