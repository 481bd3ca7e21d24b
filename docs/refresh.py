"""Bring what the pages quote up to date: files, the kit's laws, and the output of examples and commands.

    python docs/refresh.py                 every page
    python docs/refresh.py choose.md       this page

The template of a family in the command line is a copy of plugins/kernelopt-minimal, and is renewed first. A comment
above a block says what it holds: `<!-- file: path -->`, `<!-- laws: Suite -->`, `<!-- messages: path ... -->`, or
`<!-- statuses -->`. Outputs are the `text` blocks right below Python, and what follows the first line of a `console`
block. The command of interior-point.md needs cvxpy and Clarabel.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from messages import statuses, table

from kernelopt import testing

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
MINIMAL = ROOT / "plugins" / "kernelopt-minimal"
COPY = ROOT / "kernelopt" / "cli" / "templates" / "family"
COPIED = ("README.md", "kernelopt_minimal.py", "pyproject.toml", "tests/test_gaussians.py")
WIDTH = "100"

_FILE = re.compile(r"(<!-- file: (\S+) -->\n\n```\w+\n).*?(^```$)", re.MULTILINE | re.DOTALL)
_LAWS = re.compile(r"(<!-- laws: (\w+) -->\n\n)(?:\|.*\n)*")
_MESSAGES = re.compile(r"(<!-- messages: ([^>]+) -->\n\n)(?:\|.*\n)*")
_STATUSES = re.compile(r"(<!-- statuses -->\n\n)(?:\|.*\n)*")
_CODE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def quoted(text: str) -> str:
    """The page with its quotes of files, laws, messages and statuses as they are now."""
    text = _FILE.sub(
        lambda found: found[1] + (ROOT / found[2]).read_text(encoding="utf-8").strip() + "\n" + found[3], text
    )
    text = _MESSAGES.sub(lambda found: found[1] + table(found[2].split()), text)
    text = _STATUSES.sub(lambda found: found[1] + statuses(), text)
    return _LAWS.sub(lambda found: found[1] + laws(getattr(testing, found[2])), text)


def laws(suite: type) -> str:
    """A table of a suite's laws, in the order of their files."""
    rows = [f"| `{name}` | {sentence} |" for name, sentence in testing.laws_of(suite).items()]
    return "\n".join(["| Law | What it says |", "|---|---|", *rows]) + "\n"


def executed(text: str) -> str:
    """The page with the outputs of its examples and commands as they are now."""
    pieces, end, code, shown = [], 0, "", 0
    for block in _CODE.finditer(text):
        if block[1] == "python":
            code += block[2]
        elif block[1] == "text" and code:
            whole = _output([sys.executable, "-c", code])
            pieces += [text[end : block.start(2)], whole[shown:]]
            end, shown = block.end(2), len(whole)
        elif block[1] == "console":
            line = block[2].partition("\n")[0]
            program, *arguments = shlex.split(line.removeprefix("$ "))
            command = ["-m", "kernelopt", *arguments] if program == "kernelopt" else arguments
            pieces += [text[end : block.start(2)], f"{line}\n", _output([sys.executable, *command])]
            end = block.end(2)
    return "".join([*pieces, text[end:]])


def _output(command: list[str]) -> str:
    environment = {"OMP_NUM_THREADS": "1", **os.environ, "COLUMNS": WIDTH}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=ROOT)
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())


def main() -> None:
    """Rewrite the pages that are named, or all, in place."""
    for path in COPIED:
        (COPY / path).write_text((MINIMAL / path).read_text(encoding="utf-8"), encoding="utf-8")
    for page in PAGES:
        if sys.argv[1:] and page.name not in sys.argv[1:]:
            continue
        page.write_text(executed(quoted(page.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main()
