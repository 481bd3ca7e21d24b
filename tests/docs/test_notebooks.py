"""The notebooks of the documentation run, what their text says is true, and what runs them finds every fault."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "notebooks").glob("*.md"))
WIDEST = 88
"""Letters of a line of code that the site shows without scrolling."""
PAGE = r"""# A page

It has words and a [link](../pictures.md#directions).

```python
import pandas

pandas.DataFrame({"column": [1]})
```

<!-- true: pandas is not None -->

Formulas:

```math
x^2
```

```python
print("printed")
import matplotlib.pyplot as plt

lines = plt.plot([1, 2])
```

<!-- picture: A
line -->
<!-- true: len(lines) == 1 -->
"""


@pytest.fixture(scope="module")
def notebooks(script: Callable[[str], Any]) -> Any:
    return script("docs/notebooks")


@pytest.fixture
def jupyter() -> None:
    for library in ("nbclient", "ipykernel"):
        pytest.importorskip(library, reason="notebooks need nbclient and ipykernel: make docs installs them")


def written(folder: Path, text: str) -> Path:
    (folder / "page.md").write_text(text, encoding="utf-8")
    return folder / "page.md"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_notebook_runs_and_what_it_says_is_true(
    notebooks: Any, page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    pytest.importorskip("pandas")
    module = ModuleType("documentation")  # where the page's classes live, so that they can be pickled
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.chdir(tmp_path)
    cells = [part for part in notebooks.parts(page.read_text(encoding="utf-8")) if not isinstance(part, str)]
    assert sum(len(cell.true) for cell in cells) >= 3
    for cell in cells:
        exec(compile(cell.code, str(page), "exec"), module.__dict__)
        assert len(plt.get_fignums()) == len(cell.pictures), cell.code
        plt.close("all")
        for claim in cell.true:
            assert eval(claim, module.__dict__), claim


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_notebook_is_in_the_navigation_and_its_code_fits_beside_it(notebooks: Any, page: Path) -> None:
    assert f"notebooks/{page.name}\n" in (ROOT / "docs" / "mkdocs.yml").read_text(encoding="utf-8")
    text = page.read_text(encoding="utf-8")
    for part in notebooks.parts(text):
        if not isinstance(part, str):
            assert max(map(len, part.code.splitlines())) <= WIDEST
    assert "```text" not in text, "outputs come from the run"


def test_a_page_is_text_and_cells_with_what_is_said_of_them(notebooks: Any) -> None:
    title, table, formula, picture = notebooks.parts(PAGE)
    assert title.startswith("# A page")
    assert formula.endswith("```")
    assert (table.pictures, table.true) == ((), ("pandas is not None",))
    assert (picture.pictures, picture.true) == (("A line",), ("len(lines) == 1",))


@pytest.mark.usefixtures("jupyter")
def test_a_page_gets_its_outputs_and_a_notebook_to_download(notebooks: Any, tmp_path: Path) -> None:
    made = notebooks.run(written(tmp_path, PAGE))
    assert "[Download it](page.ipynb){ download }" in made.page
    assert '<div class="answer">' in made.page
    assert "<table>" in made.page
    assert "```text\nprinted\n```" in made.page
    assert "(../pictures.md#directions)" in made.page
    assert "true:" not in made.page
    ((name, picture),) = made.pictures.items()
    shown = re.search(rf"!\[A line\]\({name}\){{ \.drawn width=\"(\d+)\" }}", made.page)
    assert shown is not None
    assert picture[:4] == b"\x89PNG"
    assert abs(int.from_bytes(picture[16:20]) - 2 * int(shown[1])) <= 2, "sharp screens want two dots for one"
    cells = json.loads(made.file)["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code", "markdown", "code"]
    assert [cell["execution_count"] for cell in cells if "outputs" in cell] == [1, 2]
    words = "".join(line for cell in cells for line in cell["source"])
    assert re.search(r"\]\(https://\S+/pictures\.html#directions\)", words)
    assert re.match(r"# A page\n\nThis notebook needs what `pip install [^`]+` installs\.\n\nIt has", words)
    assert "$$\nx^2\n$$" in words
    assert "<!--" not in words
    assert "assert" not in words


@pytest.mark.usefixtures("jupyter")
@pytest.mark.parametrize(
    ("cell", "fault"),
    [
        ("```python\n1 / 0\n```", "ZeroDivisionError"),
        ("```python\nx = 1\n```\n\n<!-- true: x == 2 -->", "AssertionError"),
        ("```python\nimport warnings\nwarnings.warn('look out')\n```", "UserWarning: look out"),
        ("```python\nimport matplotlib.pyplot as plt\nl = plt.plot([1])\n```", "a picture has no words"),
        ("```python\nx = 1\n```\n\n<!-- picture: nothing -->", "no picture is there for the words 'nothing'"),
        ("```python\nx = 1\n```\n\nWords.\n\n<!-- true: x == 1 -->", "a comment stands below no cell"),
    ],
)
def test_a_fault_of_a_notebook_fails_the_build(notebooks: Any, tmp_path: Path, cell: str, fault: str) -> None:
    with pytest.raises(Exception, match=re.escape(fault)) as told:
        notebooks.run(written(tmp_path, f"# A page\n\nWords.\n\n{cell}\n"))
    assert told.value.__notes__ == ["This happened in docs/notebooks/page.md."]
