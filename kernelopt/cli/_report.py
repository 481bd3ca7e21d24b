"""A solution for a reader, and for a program."""

from collections.abc import Mapping
from typing import Any

from rich import box
from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from kernelopt._families._description import heaviest, title, told_by
from kernelopt._families._weight_words import told
from kernelopt._model._solution import Solution
from kernelopt._saddle._certificate import Certificate
from kernelopt.cli._layout import Grid


def rows(solution: Solution) -> list[tuple[str, str]]:
    """What there is to say of a solution, as pairs of a title and a text."""
    return [
        ("status", f"{solution.status.name}: {solution.status.advice}"),
        *_bounds(solution.certificate),
        *(() if solution.gained is None else (("centre kernel", solution.gained),)),
        *(("kernel", text) for text in _members(solution)),
        (
            "support vectors",
            f"{len(solution.support)}" if len(solution.coefficients) else "none, it predicts by features",
        ),
        ("effort", f"{solution.steps} {'step' if solution.steps == 1 else 'steps'}, {solution.seconds:.2f} s"),
        *(("note", note) for note in solution.notes),
    ]


def _bounds(certificate: Certificate) -> list[tuple[str, str]]:
    """What is proved. A tangent optimum is that of the convex problem which touches the objective at this kernel."""
    if certificate.crossed:
        return [("bounds", str(certificate))]
    kind = "certified" if certificate.exact else "estimated"
    what = "tangent optimum" if certificate.tangent else "optimum"
    return [
        (what, f"between {certificate.lower:.8g} and {certificate.upper:.8g}"),
        ("duality gap", f"{certificate.gap:.1e}, relative {certificate.relative_gap:.1e} ({kind})"),
    ]


def _members(solution: Solution) -> list[str]:
    """Each family with weight: its name, its weight in a union, and the part in its own words."""
    kernel = solution.kernel
    words = []
    for leaf, part in heaviest(kernel.leaves, solution.mixture):
        share = f" (weight {told(part.mass)})" if len(kernel.leaves) > 1 else ""
        words.append(f"{title(leaf, kernel.d, kernel.names)}{share}: {told_by(leaf, part, kernel.names)}")
    return words


def show(solution: Solution, title: str, extra: Mapping[str, str], below: Grid | None = None) -> None:
    """Print a panel on stdout: the solution, further lines and a table below them."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, text in [*rows(solution), *extra.items()]:
        style = ("green" if solution.status.converged else "yellow") if name == "status" else ""
        grid.add_row(name, Text(text, style=style))
    body = grid if below is None else Group(grid, Text(), below)
    Console().print(Panel(body, title=Text(title), title_align="left", box=box.ROUNDED))


def as_mapping(solution: Solution) -> dict[str, Any]:
    """The same for a program: plain values that JSON can hold."""
    certificate = solution.certificate
    leaves, parts = solution.kernel.leaves, solution.mixture.parts
    return {
        "status": solution.status.name,
        "converged": solution.status.converged,
        "advice": solution.status.advice,
        "certificate": {
            "lower": certificate.lower,
            "upper": certificate.upper,
            "gap": certificate.gap,
            "relative_gap": certificate.relative_gap,
            "exact": certificate.exact,
            "tangent": certificate.tangent,
            "crossed": certificate.crossed,
        },
        "baseline": solution.baseline,
        "gain": solution.gain,
        "kernel": [
            {
                "family": leaf.family.name,
                "columns": leaf.columns.tolist(),
                "weight": part.mass,
                "atoms": len(part),
                "factor": leaf.factor,
                "description": told_by(leaf, part, solution.kernel.names) if len(part) else "",
            }
            for leaf, part in zip(leaves, parts, strict=True)
        ],
        "support_vectors": len(solution.support),
        "steps": solution.steps,
        "seconds": solution.seconds,
        "notes": list(solution.notes),
    }
