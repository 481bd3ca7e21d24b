"""What renews the pages loses no output: where it cannot be made again, the page is left as it was."""

from typing import Any

import pytest

import kernelopt


@pytest.fixture
def refresh(script: Any) -> Any:
    return script("docs/refresh")


def fenced(*blocks: str) -> str:
    return "\n\nWords.\n\n".join(blocks)


def block(language: str, content: str) -> str:
    return f"```{language}\n{content}\n```"


def test_outputs_right_below_python_are_renewed_and_other_text_is_kept(refresh: Any) -> None:
    page = fenced(block("python", "print(1 + 1)") + "\n\n{}", block("text", "a table of long ago"), "The end.")
    assert refresh.executed(page.format(block("text", "3"))) == page.format(block("text", "2"))


def test_an_output_that_would_be_empty_is_refused(refresh: Any) -> None:
    with pytest.raises(refresh.Stale, match=r"prints nothing.*begins 'a result'"):
        refresh.executed(block("python", "x = 1") + "\n\n" + block("text", "a result"))


def test_an_example_that_fails_is_refused_with_its_last_line(refresh: Any) -> None:
    with pytest.raises(refresh.Stale, match=r"status 1.*ZeroDivisionError"):
        refresh.executed(block("python", "print(1 / 0)") + "\n\n" + block("text", "1"))


def test_a_table_of_a_paper_is_not_renewed_without_data(refresh: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KERNELOPT_DATA", raising=False)
    with pytest.raises(refresh.Stale, match="name their folder in the environment variable KERNELOPT_DATA"):
        refresh.executed(block("console", "$ kernelopt reproduce 003-3\n a table"))
    assert refresh._arguments("$ kernelopt reproduce") == ["-m", "kernelopt", "reproduce"]
    assert f"\nkernelopt {kernelopt.__version__}" in refresh.executed(block("console", "$ kernelopt --version\n0"))


def test_a_page_that_cannot_be_renewed_is_left_as_it_was(
    refresh: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page, text = tmp_path / "page.md", block("python", "raise SystemExit(3)") + "\n\n" + block("text", "kept")
    page.write_text(text, encoding="utf-8")
    for name, value in (("ROOT", tmp_path), ("PAGES", (page,)), ("COPIED", ())):
        monkeypatch.setattr(refresh, name, value)
    monkeypatch.setattr("sys.argv", ["refresh.py"])
    assert refresh.main() == 1
    assert page.read_text(encoding="utf-8") == text
    assert capsys.readouterr().err.startswith("page.md is left as it was: an example ends with status 3")


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["choose.md"], ["docs/choose.md"]),
        (["papers/reproduced.md", "README.md"], ["README.md", "docs/papers/reproduced.md"]),
        (["docs/choose.md"], ["docs/choose.md"]),
    ],
    ids=str,
)
def test_pages_are_named_by_the_end_of_their_path(refresh: Any, names: list[str], found: list[str]) -> None:
    assert [str(page.relative_to(refresh.ROOT)) for page in refresh.asked(names)] == found
    assert refresh.asked([]) == list(refresh.PAGES)


@pytest.mark.parametrize("name", ["reproduce.md", "d.md", ""])
def test_a_name_of_no_page_is_refused(refresh: Any, name: str) -> None:
    with pytest.raises(SystemExit, match=f"there is no page {name}; wanted the name of a page"):
        refresh.asked(["choose.md", name])


def test_an_output_is_that_of_the_block_right_above_it(refresh: Any) -> None:
    code = "print('unseen')", "x = 2", "print(x)", "print(x + 1)"
    silent = fenced(*(block("python", line) for line in code[:2]))
    shown = "\n\n".join(block("python", line) + "\n\n" + block("text", "{}") for line in code[2:])
    page = fenced(silent, shown)
    assert refresh.executed(page.format("?", "?")) == page.format(2, 3)
