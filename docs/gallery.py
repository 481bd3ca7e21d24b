"""A hook of the documentation's build: the pictures of a page are drawn by the code that stands above them.

A page says `![what is seen](pictures/name.png)` below a block of Python. The blocks of such a page run from top to
bottom; the figure that is open where a picture stands becomes that picture. Only the site has the files. Each picture
is drawn twice, by the same code in matplotlib's light and in its dark style, and shown where the page is so; and it has
two dots for one of the page, so that sharp screens have a sharp picture.

    python docs/gallery.py folder          draw the pictures of every page into a folder, for looking at them
"""

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
DPI = 220
DOTS = 2
"""Dots of a file for one of the page."""
DARK = "#1e2129"
"""The ground of the theme's dark pages."""
_BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```$|\]\((?P<picture>[\w./-]*pictures/[\w-]+\.png)\)", re.M | re.S)

_PICTURE = re.compile(r"!\[(?P<seen>[^\]]*)\]\((?P<path>[\w./-]*pictures/[\w-]+\.png)\)")


def steps(text: str) -> Iterator[tuple[str, str]]:
    """What a page does, in its order: ("code", a block of Python) and ("picture", the path of a file)."""
    for found in _BLOCK.finditer(text):
        kind = "code" if found["picture"] is None else "picture"
        yield kind, found[kind]


def draw(page: Path, folder: Path, root: Path = DOCS) -> list[Path]:
    """Run a page's code and save its pictures under a folder, as they lie under the root of the documentation."""
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    grounds = dict.fromkeys(("axes.facecolor", "figure.facecolor", "savefig.facecolor"), DARK)
    drawn = _drawn(page, folder, root, "")
    with plt.rc_context({**plt.style.library["dark_background"], **grounds}):
        return drawn + _drawn(page, folder, root, "-dark")


def _drawn(page: Path, folder: Path, root: Path, suffix: str) -> list[Path]:
    """The pictures of a page in the style of the moment, with something at the end of their names."""
    import matplotlib.pyplot as plt

    scope: dict[str, Any] = {"__name__": "documentation"}
    drawn = []
    for kind, content in steps(page.read_text(encoding="utf-8")):
        if kind == "code":
            plt.close("all")
            with redirect_stdout(StringIO()):
                exec(compile(content, str(page), "exec"), scope)
            continue
        path = Path(os.path.normpath(page.parent.relative_to(root) / content))
        path = path.with_stem(path.stem + suffix)
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        plt.gcf().savefig(folder / path, dpi=DPI)
        drawn.append(path)
    plt.close("all")
    return drawn


def with_pictures() -> list[Path]:
    """The pages that have any."""
    pages = sorted(DOCS.rglob("*.md"))
    return [page for page in pages if any(kind == "picture" for kind, _ in steps(page.read_text(encoding="utf-8")))]


def on_files(files: Any, config: Any) -> Any:
    """Draw every picture and hand it to mkdocs."""
    from mkdocs.structure.files import File

    with tempfile.TemporaryDirectory() as folder:
        for page in with_pictures():
            for path in draw(page, Path(folder)):
                files.append(File.generated(config, path.as_posix(), content=(folder / path).read_bytes()))
    return files


def on_page_markdown(markdown: str, page: Any, files: Any, **_: Any) -> str:
    """Each picture of a page as two, the light one and the dark one, in half the width of their files."""
    at = Path(page.file.src_uri).parent

    def both(found: re.Match[str]) -> str:
        path = Path(found["path"])
        file = files.get_file_from_path(os.path.normpath(at / path))
        dots = f'{{ width="{width_of(file.content_bytes) // DOTS}" }}'
        dark = path.with_stem(f"{path.stem}-dark").as_posix()
        return f"![{found['seen']}]({path.as_posix()}#only-light){dots}![{found['seen']}]({dark}#only-dark){dots}"

    return _PICTURE.sub(both, markdown)


def width_of(picture: bytes) -> int:
    """Of a picture of the format PNG, in dots."""
    return int.from_bytes(picture[16:20])


if __name__ == "__main__":
    for one in with_pictures():
        draw(one, Path(sys.argv[1]))
