"""What the README promises: its numbers are those of the guides, and its addresses those of the packages."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EVIDENCE = (ROOT / "docs" / "evidence.md").read_text(encoding="utf-8")
MANY_ROWS = (ROOT / "docs" / "many-rows.md").read_text(encoding="utf-8")
BENEFIT = README[README.index("## What it brings") : README.index("## Try it")]
_ROW = re.compile(r"^\| (?P<what>[^|]+) \|(?P<numbers>[ \d.|]+)\|$", re.MULTILINE)


def cells(text: str) -> list[str]:
    return [cell.strip() for cell in text.split("|") if cell.strip()]


def test_the_benefit_is_a_table_of_the_guide() -> None:
    """In the same columns, of which the README leaves out none but the last."""
    rows = {row["what"]: cells(row["numbers"]) for row in _ROW.finditer(BENEFIT)}
    assert len(rows) == 4
    section = EVIDENCE[EVIDENCE.index("## Beside other machines") : EVIDENCE.index("## On tables that nobody chose")]
    told = {row["what"]: cells(row["numbers"]) for row in _ROW.finditer(section)}
    assert rows == {what: told[what] for what in rows}
    heads = [cells(re.search(r"^\| \| .*$", text, re.MULTILINE)[0]) for text in (BENEFIT, section)]  # type: ignore[index]
    assert heads[0][1:] == heads[1][1 : len(heads[0])]


def test_the_lines_of_the_guide_are_those_that_its_command_prints() -> None:
    done = subprocess.run(
        [sys.executable, "asv_benchmarks/evidence_table.py", "docs/evidence.md", "--summary"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    printed = {row["what"]: cells(row["numbers"]) for row in _ROW.finditer(done.stdout)}
    section = EVIDENCE[EVIDENCE.index("## Beside other machines") : EVIDENCE.index("## On tables that nobody chose")]
    told = {row["what"]: cells(row["numbers"]) for row in _ROW.finditer(section)}
    together = [what for what in printed if what.startswith(("mean rank", "error beside", "sets where"))]
    assert len(together) == 3
    assert all(told[what] == printed[what] for what in together)


def beside_the_best(guide: str) -> tuple[list[list[float]], list[int]]:
    """The errors beside the best in tables of numbers and of classes, and how many tables of data each is of."""
    ratios = re.findall(r"^\| error beside the best, geometric mean \|([ \d.|]+)\|$", guide, re.MULTILINE)
    counts = re.findall(r"mean rank, (\d+) tables", guide)
    return [[float(cell) for cell in cells(row)] for row in ratios], [int(count) for count in counts]


def on_other_tables(guide: str, others: tuple[str, ...]) -> str:
    """The cells of the README for a guide: kernelopt and the best of the other methods, for numbers and for classes."""
    errors, _ = beside_the_best(guide)
    found = []
    for own, *rest in errors:
        best = min(zip(rest, others, strict=False))
        found += [f"{own:g}", f"{best[0]:g} ({best[1]})"]
    return " | ".join(found)


def test_the_numbers_on_tables_of_r_are_those_of_the_guide() -> None:
    guide = EVIDENCE[EVIDENCE.index("## On tables that nobody chose") : EVIDENCE.index("## On published splits")]
    _, counts = beside_the_best(guide)
    told = " ".join(BENEFIT.split())
    numbers = on_other_tables(guide, ("boosting", "a forest", "a grid", "a linear model"))
    assert f"{sum(counts)} tables of R's packages" in told
    assert re.search(rf"\| \[{sum(counts)} tables\]\([^|]* \| {re.escape(numbers)} \|", told)


def test_the_numbers_on_tables_of_many_rows_are_those_of_the_guide() -> None:
    start, larger = MANY_ROWS.index("**On tables that nobody chose.**"), MANY_ROWS.index("**On larger tables that")
    guide, others = MANY_ROWS[start:larger], ("boosting", "a linear model")
    counts = [sum(beside_the_best(text)[1]) for text in (guide, MANY_ROWS[larger:])]
    told = " ".join(BENEFIT.split())
    assert re.search(rf"\[{counts[0]} tables of [^|]* \| {re.escape(on_other_tables(guide, others))} \|", told)
    numbers = on_other_tables(MANY_ROWS[larger:], others)
    assert re.search(rf"\[{counts[1]} larger tables\][^|]* \| {re.escape(numbers)} \|", told)
    seconds = [float(one) for one in re.findall(r"^\| median of CPU seconds \| ([\d.]+) \|", guide, re.MULTILINE)]
    wanted = "on the {} tables {:.0f} CPU seconds for numbers and {:.0f} for classes".format(counts[0], *seconds)
    assert wanted in told


def test_the_commands_of_the_table_are_those_of_the_guide() -> None:
    commands = re.findall(r"`(python asv_benchmarks/evidence_table\.py [^`]*)`", " ".join(BENEFIT.split()))
    assert len(commands) == 2
    assert all(f"`{command}`" in " ".join(EVIDENCE.split()) for command in commands)


def test_probabilities_and_intervals_are_as_in_the_guide() -> None:
    guide, told = " ".join(EVIDENCE.split()), " ".join(BENEFIT.split())
    measured = re.search(r"off by ([\d.]+) % on average, and those of boosting, which come next, by ([\d.]+) %", guide)
    assert measured is not None
    assert f"by {measured[1]} % on average over 33 sets of classes, and those of boosting by {measured[2]} %" in told
    assert "mean rank of the loss, 33 sets" in guide
    intervals = re.search(r"intervals meant to hold 95 % of the targets held (.*?) \(`python", guide)
    assert intervals is not None
    shares = sorted(int(share) for share in re.findall(r"(\d+) % on", intervals[1]))
    assert len(shares) == 6
    assert f"held {shares[0]} % to {shares[-1]} % on six sets" in told


def test_scripts_that_printed_numbers_are_there() -> None:
    scripts = re.findall(r"asv_benchmarks/\w+\.py", BENEFIT)
    assert len(set(scripts)) == 4
    assert all((ROOT / script).is_file() for script in scripts)


@pytest.mark.parametrize("name", ["pyproject.toml", ".github/ISSUE_TEMPLATE/config.yml"])
def test_there_is_one_address_of_the_repository(name: str) -> None:
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    owner = tables["project"]["urls"]["Repository"]
    text = (ROOT / name).read_text(encoding="utf-8")
    found = re.findall(r"https://github\.com/[\w-]+/[\w-]+", text)
    assert found
    assert set(found) == {owner}
