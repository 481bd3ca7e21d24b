"""Every message of the library is on its page, below some words on it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "messages.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"<!-- messages: ([^>]+) -->\n\n((?:\|.*\n)+)")


@pytest.fixture(scope="module", name="messages")
def _messages(script: Callable[[str], Any]) -> Any:
    return script("docs/messages").messages()


BLOCKS = {prefix: block[2] for block in _BLOCK.finditer(PAGE) for prefix in block[1].split()}


def test_every_message_is_in_one_table(messages: Any) -> None:
    for message in messages:
        file = message.file
        tables = [table for prefix, table in BLOCKS.items() if file.startswith(prefix)]
        assert len(tables) == 1, f"docs/messages.md wants a section for {file}: a comment <!-- messages: {file} -->"
        assert f"{message.row}\n" in tables[0], f"{message}: run python docs/refresh.py messages.md"


def test_no_message_is_told_that_nobody_says(messages: Any) -> None:
    rows = {message.row for message in messages}
    for table in BLOCKS.values():
        assert set(table.splitlines()[2:]) <= rows, "run: python docs/refresh.py messages.md"


def test_every_table_is_explained() -> None:
    for section in re.split(r"^#+ ", PAGE, flags=re.MULTILINE):
        if "<!-- messages" in section:
            words = _BLOCK.sub("", section.partition("\n")[2]).split()
            assert len(words) >= 8, section.partition("\n")[0]


def test_every_error_and_warning_has_a_word(script: Callable[[str], Any]) -> None:
    assert [name for name in script("docs/messages").ERRORS if f"`{name}`" not in PAGE] == []


def test_messages_are_found_where_they_are_said(messages: Any) -> None:
    said = {(message.file, message.kind): message.text for message in messages}
    assert said["kernelopt/_base/_memory.py", "`NotEnoughMemory`"].startswith("there was not enough memory while ...")
    assert said["plugins/kernelopt-tk/kernelopt_tk/_tk.py", "`OutsideBounds`"].startswith("... of ... rows lie outside")
    texts = {message.text for message in messages}
    assert "solver: auto took ..." in texts
    assert "solver: auto took " not in texts


def test_the_words_behind_a_number_are_not_lost(messages: Any) -> None:
    texts = {message.text for message in messages}
    assert "y has ... values that are NaN or infinite; ..." in texts
    assert any(
        text.endswith(
            " values, the header has ... columns; close the quotation mark that is open in one of these lines"
        )
        for text in texts
    )
