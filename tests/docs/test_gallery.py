"""The documentation's pictures are drawn by the code above them."""

import re
import runpy
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = """
# A page

```python
import matplotlib.pyplot as plt

plt.plot([1, 2])
print("no output of the build")
```

![A line](../pictures/line.png) and [another page](other.md)

```text
not code
```

```python
plt.plot([2, 1])
```

![Another](../pictures/other.png)
"""


@pytest.fixture(scope="module")
def gallery(script: Callable[[str], Any]) -> Any:
    return script("docs/gallery")


def test_a_page_is_code_and_pictures_in_turn(gallery: Any) -> None:
    assert [kind for kind, _ in gallery.steps(PAGE)] == ["code", "picture", "code", "picture"]


def test_pictures_lie_where_the_page_looks_for_them(gallery: Any, tmp_path: Path, capsys: Any) -> None:
    pytest.importorskip("matplotlib")
    page = tmp_path / "docs" / "tutorials" / "page.md"
    page.parent.mkdir(parents=True)
    page.write_text(PAGE, encoding="utf-8")
    drawn = gallery.draw(page, tmp_path / "site", tmp_path / "docs")
    names = ("line", "other", "line-dark", "other-dark")
    assert drawn == [Path(f"pictures/{name}.png") for name in names]
    files = [(tmp_path / "site" / path).read_bytes() for path in drawn]
    assert {file[:4] for file in files} == {b"\x89PNG"}
    assert len(set(files)) == len(files)
    assert capsys.readouterr().out == ""


def test_a_page_shows_the_light_or_the_dark_picture_with_two_dots_for_one(gallery: Any) -> None:
    """In the site's own addresses; sharp screens have sharp pictures."""
    line = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (1408).to_bytes(4) + (1056).to_bytes(4)
    asked = []
    files = SimpleNamespace(
        get_file_from_path=lambda path: (asked.append(path), SimpleNamespace(content_bytes=line))[1]
    )
    page = SimpleNamespace(file=SimpleNamespace(src_uri="tutorials/page.md"))
    text = gallery.on_page_markdown(PAGE, page=page, files=files, config=None)
    light = '![A line](../pictures/line.png#only-light){ width="704" }'
    dark = '![A line](../pictures/line-dark.png#only-dark){ width="704" }'
    assert light + dark in text
    assert asked == ["pictures/line.png", "pictures/other.png"]
    assert "[another page](other.md)" in text


def test_the_picture_of_the_readme_is_drawn_by_the_command_beside_it(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r'<img src="\S*?(docs/\S+\.png)" width="(\d+)".*>\n\n[^`]*`python (docs/\S+\.py) (\S+)`', text)
    assert found is not None
    assert found[1] == found[4]
    runpy.run_path(str(ROOT / found[3]))["draw"](tmp_path / "picture.png")
    drawn, kept = (path.read_bytes() for path in (tmp_path / "picture.png", ROOT / found[1]))
    assert drawn[:4] == kept[:4] == b"\x89PNG"
    width = 2 * int(found[2])
    assert {int.from_bytes(file[16:20]) for file in (drawn, kept)} == {width}, "sharp screens want two dots for one"
    assert len(kept) < 200_000


def test_no_two_pictures_have_one_name(gallery: Any) -> None:
    names = [
        content
        for page in gallery.with_pictures()
        for kind, content in gallery.steps(page.read_text(encoding="utf-8"))
        if kind == "picture"
    ]
    assert len({Path(name).name for name in names}) == len(names)
