"""A hook of the documentation's build: the pages in docs/notebooks/ are run as Jupyter notebooks, with outputs.

Such a page is Markdown, and its blocks of Python are the cells. No output is kept beside them: nbclient runs the cells
from top to bottom, in a kernel of their own, whenever the site is built. A cell that raises or warns fails the build.
The site has what the cells printed, their tables and their pictures, and the notebook for readers to download. Comments
below a cell, each on a line of its own, say more of it:

    <!-- picture: what is seen -->      the cell draws a picture, and these are its words for the blind
    <!-- true: 0.9 < score < 1.0 -->    the text says so; the build fails where it is false

    python docs/notebooks.py folder     run every page, and write the notebooks into a folder
"""

import os
import posixpath
import re
import sys
import tempfile
import tomllib
from base64 import b64decode
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import attrs

DOCS = Path(__file__).parent
FOLDER = "notebooks"
INSTALL = '`pip install "kernelopt[all,testing]" jupyterlab`'
PATIENCE = 120
"""Seconds after which a cell counts as one that does not end."""
_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
_STARTED_WITH = ("--log-level=ERROR", "--InlineBackend.figure_formats={'retina'}")
"""Arguments of the kernel; pictures have two dots for one of the page."""
_CELL = re.compile(r"^```python\n(?P<code>.*?)^```$(?P<comments>(?:\s*<!-- (?:picture|true): .*? -->$)*)", re.M | re.S)
_COMMENT = re.compile(r"<!-- (?P<kind>picture|true): (?P<words>.*?) -->$", re.M | re.S)
_LINK = re.compile(r"\]\((?!\w+:)(?P<file>[^)#\s]*)(?P<anchor>#[^)\s]*)?\)")
_FORMULA = re.compile(r"^```math\n(.*?)^```$", re.M | re.S)
_PANDAS = re.compile(r'<style scoped>.*?</style>\n?| border="1" class="dataframe"', re.S)
"""The style that pandas gives its tables: on the site they look as all others."""
_WARNING = re.compile(r"^.*Warning: .*$", re.M)


@attrs.frozen
class Cell:
    """A block of Python of a page.

    Attributes:
        code: what it runs.
        pictures: the words of each picture that it draws.
        true: expressions that are true after it.
    """

    code: str
    pictures: tuple[str, ...] = ()
    true: tuple[str, ...] = ()


@attrs.frozen
class Notebook:
    """A page that was run.

    Attributes:
        page: its Markdown with the outputs, for the site.
        pictures: the files that the page shows, by their names.
        file: what readers download: the same in the format of Jupyter.
    """

    page: str
    pictures: dict[str, bytes]
    file: str


def parts(text: str) -> Iterator[str | Cell]:
    """What a page consists of, in its order: pieces of Markdown, and cells.

    Raises:
        ValueError: a comment that belongs to a cell stands below none.
    """
    end = 0
    for found in _CELL.finditer(text):
        yield from _words(text[end : found.start()])
        told = {"picture": list[str](), "true": list[str]()}
        for comment in _COMMENT.finditer(found["comments"]):
            told[comment["kind"]].append(" ".join(comment["words"].split()))
        yield Cell(found["code"].rstrip(), tuple(told["picture"]), tuple(told["true"]))
        end = found.end()
    yield from _words(text[end:])


def _words(text: str) -> Iterator[str]:
    alone = _COMMENT.search(text)
    if alone is not None:
        raise ValueError(f"a comment stands below no cell: {alone[0]}; write it right below a block of Python")
    if text.strip():
        yield text.strip()


def run(page: Path) -> Notebook:
    """Run a page's cells in a new folder, where they may write files.

    Raises:
        CellExecutionError: a cell raises, or what a comment calls true is false.
        ValueError: a cell warns, or draws more or fewer pictures than comments tell of.
    """
    from nbformat import v4, validate

    shown, pictures, cells = list[str](), dict[str, bytes](), list[Any]()
    try:
        whole = tuple(parts(page.read_text(encoding="utf-8")))
        ran = iter(_ran([part for part in whole if isinstance(part, Cell)]))
        for part in whole:
            if isinstance(part, str):
                shown.append(part)
                cells.append(v4.new_markdown_cell(_elsewhere(part)))
                continue
            cells.append(next(ran))
            shown.append(f"```python\n{part.code}\n```")
            shown += _shown(part, cells[-1].outputs, page.stem, pictures)
    except Exception as error:
        error.add_note(f"This happened in docs/{FOLDER}/{page.name}.")
        raise
    shown[0] = _below_title(shown[0], _offer(page))
    cells[0].source = _below_title(cells[0].source, f"This notebook needs what {INSTALL} installs.")
    file = v4.new_notebook(cells=cells, metadata={"kernelspec": _KERNEL})
    for k, cell in enumerate(cells):
        cell.id = f"cell-{k}"
    validate(file)
    return Notebook("\n\n".join(shown) + "\n", pictures, v4.writes(file))


def _ran(cells: list[Cell]) -> list[Any]:
    """The cells in the format of Jupyter, with their outputs."""
    from nbclient import NotebookClient
    from nbformat import v4
    from traitlets.config import Config

    asked = [(one, code) for one in cells for code in (one.code, *(f"assert {true}" for true in one.true))]
    whole = v4.new_notebook(cells=[v4.new_code_cell(code) for _, code in asked])
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as sockets:
        NotebookClient(
            whole,
            config=Config({"KernelManager": _talks(Path(sockets))}),
            kernel_name=_KERNEL["name"],
            extra_arguments=[*_STARTED_WITH],
            resources={"metadata": {"path": folder}},
            timeout=PATIENCE,
            coalesce_streams=True,
            record_timing=False,
        ).execute()
    ran = [cell for (one, code), cell in zip(asked, whole.cells, strict=True) if code == one.code]
    for number, cell in enumerate(ran, start=1):
        for counted in (cell, *(output for output in cell.outputs if output.output_type == "execute_result")):
            counted.execution_count = number
    return ran


def _talks(folder: Path) -> dict[str, str]:
    """How a kernel is spoken to: by files, which Windows does not have.

    A port that is free when it is chosen may be taken when the kernel starts, since several pages run side by side.
    """
    return {} if os.name == "nt" else {"transport": "ipc", "ip": str(folder / "kernel")}


def _shown(cell: Cell, outputs: list[Any], stem: str, pictures: dict[str, bytes]) -> Iterator[str]:
    """The outputs of a cell in Markdown; its pictures are put with the others of the page."""
    words = iter(cell.pictures)
    for output in outputs:
        data = output.get("data", {"text/plain": output.get("text", "")})
        if output.get("name") == "stderr":
            warning = _WARNING.search(output.text)
            if warning is not None:
                raise ValueError(f"a cell warns: {warning[0]}; the cell is {cell.code!r}")
        elif "image/png" in data:
            name = f"{stem}-{len(pictures) + 1}.png"
            pictures[name] = b64decode(data["image/png"])
            seen = next(words, None)
            if seen is None:
                raise ValueError(f"a picture has no words; write <!-- picture: what is seen --> below {cell.code!r}")
            width = output.metadata["image/png"]["width"]
            yield f'![{seen}]({name}){{ .drawn width="{width}" }}'
        elif "text/html" in data:
            yield f'<div class="answer">\n{_PANDAS.sub("", data["text/html"])}\n</div>'
        else:
            yield f"```text\n{data['text/plain'].rstrip()}\n```"
    for seen in words:
        raise ValueError(f"no picture is there for the words {seen!r}; the cell is {cell.code!r}")


def _below_title(text: str, sentence: str) -> str:
    title, _, words = text.partition("\n\n")
    return f"{title}\n\n{sentence}\n\n{words}"


def _offer(page: Path) -> str:
    return (
        "This page is a notebook, which was run when the page was built. "
        f"[Download it]({page.stem}.ipynb){{ download }} to run it in Jupyter; it needs what {INSTALL} installs."
    )


def _elsewhere(text: str) -> str:
    """Markdown of a page for a notebook that lies anywhere: links lead to the site, formulas are as in Jupyter."""
    site = _site()

    def address(found: re.Match[str]) -> str:
        file = posixpath.normpath(posixpath.join(FOLDER, found["file"]))
        return f"]({site}{file.removesuffix('.md')}.html{found['anchor'] or ''})"

    return _FORMULA.sub(r"$$\n\1$$", _LINK.sub(address, text))


def _site() -> str:
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return f"{project['urls']['Documentation']}/en/latest/"


def pages() -> list[Path]:
    """The pages that are notebooks."""
    return sorted((DOCS / FOLDER).glob("*.md"))


def started() -> dict[str, Future[Notebook]]:
    """Runs of all pages, by their names, as many at a time as there are cores."""
    pool = ThreadPoolExecutor(os.cpu_count())
    return {page.stem: pool.submit(run, page) for page in pages()}


def on_config(config: Any) -> Any:
    """Begin to run the pages, while the site's pictures are drawn."""
    config.extra[FOLDER] = started()
    return config


def on_files(files: Any, config: Any) -> Any:
    """Hand mkdocs what readers of the pages see and download."""
    from mkdocs.structure.files import File

    for name, ran in config.extra.pop(FOLDER).items():
        notebook = ran.result()
        made = {f"{name}.md": notebook.page, f"{name}.ipynb": notebook.file, **notebook.pictures}
        for path, content in made.items():
            address = f"{FOLDER}/{path}"
            if address in files.src_uris:
                files.remove(files.src_uris[address])
            files.append(File.generated(config, address, content=content))
    return files


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, ran in started().items():
        (folder / f"{name}.ipynb").write_text(ran.result().file, encoding="utf-8")
