"""Look at every page of the built site in a browser, and fail where a reader would see a fault.

    python docs/look.py .cache/site             look at the site that was built into this folder
    python docs/look.py .cache/site pictures    save as well what each page looks like: light, dark, and on a phone

Faults are errors of scripts, anything that is fetched from the network, links and anchors that lead nowhere, tables
without style, formulas that are not drawn, what is wider than the screen of a phone, and a search that finds nothing.
Where there is no Chromium or Chrome nothing is looked at, and a line says so.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urlsplit

import attrs
from browser import DESK, PHONE, Browser, browser, found

QUESTION = (Path(__file__).parent / "look.js").read_text(encoding="utf-8")
PATIENCE = 10_000
"""Milliseconds after which a search counts as one that finds nothing."""
_DRAWN = "document.fonts.ready.then(() => new Promise((resolve) => setTimeout(resolve, 50)))"
_DARK = "getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).slice(0, 3).every((part) => part < 100)"
_SEARCH = """
new Promise((resolve) => {
  const field = document.querySelector(".md-search__input");
  field.focus();
  field.value = "kernel";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.dispatchEvent(new Event("keyup", { bubbles: true }));
  const began = Date.now();
  const wait = setInterval(() => {
    const hits = document.querySelectorAll(".md-search-result__item").length;
    if (hits || Date.now() - began > PATIENCE) { clearInterval(wait); resolve(hits); }
  }, 50);
})
"""


@attrs.frozen
class Seen:
    """What was seen of a page: its faults, where its links lead, and the anchors that links may lead to."""

    faults: tuple[str, ...]
    links: tuple[str, ...]
    anchors: frozenset[str]


def pages(site: Path) -> list[Path]:
    """The pages of a site; its page for addresses that are not there is made for a server alone."""
    return sorted(path for path in site.rglob("*.html") if path.name != "404.html")


def seen(eyes: Browser, page: Path) -> Seen:
    """Look at a page as wide as a desk and as narrow as a phone."""
    eyes.open(page.as_uri(), DESK)
    eyes.run(_DRAWN)
    told = [eyes.run(QUESTION)]
    eyes.resize(PHONE)
    told.append(eyes.run(QUESTION))
    faults = [fault for answer in told for fault in answer["faults"]] + list(_troubles(eyes.events))
    return Seen(tuple(dict.fromkeys(faults)), tuple(told[0]["links"]), frozenset(told[0]["anchors"]))


def _troubles(events: list[dict[str, Any]]) -> Iterator[str]:
    """Errors of scripts, and requests that leave the folder, among the events of a page."""
    for event in events:
        method, params = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            yield f"a script fails: {details.get('exception', {}).get('description', details['text'])}"
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            yield f"the browser complains: {params['entry']['text']} {params['entry'].get('url', '')}"
        elif method == "Runtime.consoleAPICalled" and params["type"] == "error":
            yield f"a script complains: {[part.get('value') for part in params['args']]}"
        elif method == "Network.requestWillBeSent" and urlsplit(params["request"]["url"]).scheme in ("http", "https"):
            yield f"fetched from the network: {params['request']['url']}"


def lost(links: tuple[str, ...], anchors: dict[Path, frozenset[str]]) -> Iterator[str]:
    """The links that lead to files or anchors of the site that are not there; links to elsewhere are not followed."""
    for link in links:
        address, anchor = urldefrag(link)
        if urlsplit(address).scheme != "file":
            continue
        target = Path(unquote(urlsplit(address).path))
        if not target.is_file():
            yield f"a link leads to {target}, which is not there"
        elif anchor and target in anchors and unquote(anchor) not in anchors[target]:
            yield f"a link leads to {target.name}#{anchor}, and the page has no such anchor"


def at_work(eyes: Browser, page: Path) -> Iterator[str]:
    """What fails when a reader searches, or reads in the dark, on the first page."""
    eyes.open(page.as_uri(), DESK, dark=True)
    if not eyes.run(_DARK):
        yield "the page is not dark where the system is"
    if not eyes.run(_SEARCH.replace("PATIENCE", str(PATIENCE))):
        yield "the search finds no kernel"
    yield from _troubles(eyes.events)


def faults(site: Path, eyes: Browser) -> dict[Path, list[str]]:
    """What is wrong with the pages of a site, for each page that has a fault."""
    views = {page: seen(eyes, page) for page in pages(site)}
    anchors = {page: view.anchors for page, view in views.items()}
    found = {page: [*view.faults, *lost(view.links, anchors)] for page, view in views.items()}
    found.setdefault(site / "index.html", []).extend(at_work(eyes, site / "index.html"))
    return {page: told for page, told in found.items() if told}


def portraits(site: Path, eyes: Browser, folder: Path) -> None:
    """Save what each page looks like, for a person to look at."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in pages(site):
        for name, width, dark in (("light", DESK, False), ("dark", DESK, True), ("phone", PHONE, False)):
            eyes.open(page.as_uri(), width, dark=dark)
            eyes.run(_DRAWN)
            path = "-".join(page.relative_to(site).with_suffix("").parts)
            eyes.picture(folder / f"{path}-{name}.png")


def main() -> int:
    """Look at the site that is named, and say what is wrong."""
    site, program = Path(sys.argv[1]).resolve(), found()
    if program is None:
        sys.stdout.write("there is no Chromium or Chrome here, so nobody has looked at the pages\n")
        return 0
    with browser(program) as eyes:
        told = faults(site, eyes)
        for folder in sys.argv[2:]:
            portraits(site, eyes, Path(folder))
    for page, lines in told.items():
        sys.stdout.writelines(f"{page.relative_to(site)}: {line}\n" for line in lines)
    sys.stdout.write(f"{len(pages(site))} pages were looked at, {len(told)} of them with faults\n")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
