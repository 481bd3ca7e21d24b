"""READMEs on the package index: every link is whole, and what it leads to is in the repository."""

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted(ROOT.glob("plugins/*/README.md")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_every_link_of_a_readme_is_made_whole_and_leads_to_a_file(links: Any, page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    folder = page.parent.relative_to(ROOT).as_posix()
    before, after = links.relative(text), links.whole(text, folder, "0.1.0")
    assert links.relative(after) == []
    for target in before:
        path = (page.parent / target.partition("#")[0]).resolve()
        assert path.exists(), target
        assert path.relative_to(ROOT.resolve()).as_posix() in after
    assert links.whole(after, folder, "0.1.0") == after


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_every_anchor_of_a_readme_is_a_heading(links: Any, page: Path) -> None:
    for target in links.relative(page.read_text(encoding="utf-8")):
        file, _, anchor = target.partition("#")
        if anchor:
            headings = re.findall(r"^#+ (.*)$", (page.parent / file).read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w\s-]", "", one).lower().replace(" ", "-") for one in headings}, target


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("[a page](docs/start.md#install)", "[a page]({}/blob/v0.2.0/plugins/p/docs/start.md#install)"),
        ("[up](../../docs/start.md)", "[up]({}/blob/v0.2.0/docs/start.md)"),
        ("![a picture](rates.png)", "![a picture]({}/raw/v0.2.0/plugins/p/rates.png)"),
        ('<img src="rates.png" width="700">', '<img src="{}/raw/v0.2.0/plugins/p/rates.png" width="700">'),
        ("[elsewhere](https://nobody.invalid/a.md)", "[elsewhere](https://nobody.invalid/a.md)"),
        ("[here](#install)", "[here](#install)"),
        ("[a `b`](x) and `y[0](z)`", "[a `b`]({}/blob/v0.2.0/plugins/p/x) and `y[0](z)`"),
        ("```\ny[0](z)\n```\n[a](x)", "```\ny[0](z)\n```\n[a]({}/blob/v0.2.0/plugins/p/x)"),
        ("[![a](b.svg)](x)", "[![a]({}/raw/v0.2.0/plugins/p/b.svg)]({}/blob/v0.2.0/plugins/p/x)"),
    ],
)
def test_links_lead_to_the_files_of_the_version(links: Any, text: str, end: str) -> None:
    assert links.whole(text, "plugins/p", "0.2.0") == end.replace("{}", links.address())
