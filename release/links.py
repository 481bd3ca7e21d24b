"""Make the links of a README whole, so that they work on the package index, where the other files are not."""

import re
import tomllib
from pathlib import Path, PurePosixPath
from posixpath import normpath

ROOT = Path(__file__).parents[1]
_LINK = re.compile(r'```.*?```|`[^`\n]*`|(?P<open>\]\(|<img\b[^>]*?\bsrc=")(?P<target>[^)"\s]+)', re.DOTALL)
"""A link or a picture; code is found as well, without a target, so that nothing in it is taken for one."""
_PICTURES = (".png", ".svg")
_WHOLE = re.compile(r"[a-z]+:|#")


def address() -> str:
    """Where the repository is, as the library's pyproject.toml states it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["urls"]["Repository"])


def _is_relative(link: re.Match[str]) -> bool:
    return link["target"] is not None and not _WHOLE.match(link["target"])


def relative(text: str) -> list[str]:
    """The targets of a page's links and pictures that are no whole addresses, in their order."""
    return [link["target"] for link in _LINK.finditer(text) if _is_relative(link)]


def whole(text: str, folder: str, version: str) -> str:
    """A page that lies in a folder of the repository, with every link to a file as it is at the tag of a version.

    `folder` is relative to the root, with `/`, and "." for the root itself. Links lead to the page that shows a file,
    pictures to the file itself.
    """

    def mended(link: re.Match[str]) -> str:
        if not _is_relative(link):
            return link[0]
        kind = "raw" if link["target"].endswith(_PICTURES) else "blob"
        path = normpath(PurePosixPath(folder) / link["target"])
        return f"{link['open']}{address()}/{kind}/v{version}/{path}"

    return _LINK.sub(mended, text)
