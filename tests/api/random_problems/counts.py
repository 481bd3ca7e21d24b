"""What became of many problems, as tables in markdown."""

import re
from collections import Counter

from random_problems.drawn import CRITERIA
from random_problems.kernels import FAMILIES

ALL = "all"
_TABLES = re.compile(r"(<!-- random problems -->\n)(?:\n?\|.*\n)*")


def kind(verdict):
    """0 where the gap was reached, 1 where a limit came first or the run failed, 2 where it was refused."""
    if verdict.status == "REFUSED":
        return 2
    return 0 if verdict.status.startswith(("CONVERGED", "STATIONARY")) else 1


def tables(verdicts):
    """Families and criteria, with three counts in a cell; then how many problems ended with which status."""
    return f"{_cells(verdicts)}\n{_statuses(verdicts)}"


def _cells(verdicts):
    counts, faults = Counter(), Counter()
    for one in verdicts:
        for family in (one.family, ALL):
            faults[family] += bool(one.faults)
            for criterion in (one.criterion, ALL):
                counts[family, criterion, kind(one)] += 1
    columns = (*CRITERIA, ALL)
    rows = []
    for family in (*FAMILIES, ALL):
        cells = ("/".join(str(counts[family, criterion, k]) for k in range(3)) for criterion in columns)
        rows.append(f"| {family} | {' | '.join(cells)} | {faults[family]} |")
    head = " | ".join((*(f"`{name}`" for name in CRITERIA), ALL, "faults"))
    return "\n".join([f"| | {head} |", "|---" * (len(columns) + 2) + "|", *rows]) + "\n"


def _statuses(verdicts):
    counts = Counter(one.status for one in verdicts)
    rows = [f"| `{name}` | {count} |" for name, count in counts.most_common()]
    return "\n".join(["| Status | Problems |", "|---|---|", *rows]) + "\n"


def paged(text, verdicts):
    """A page with the tables of these verdicts below its mark."""
    return _TABLES.sub(lambda found: f"{found[1]}\n{tables(verdicts)}", text)
