"""The kernel and its certificate in plain sentences, for who knows neither."""

from collections.abc import Sequence

import attrs
from numpy import format_float_positional

from kernelopt._base._plain_numbers import plain
from kernelopt._base._status import Status
from kernelopt._base._svg import in_digits
from kernelopt._families._description import heaviest, title, told_by
from kernelopt._prediction._kernel import Kernel
from kernelopt._saddle._certificate import Certificate

_GLOSSARY = (
    ("dictionary", "dictionary", "a list of kernels, which are added up; the number before each is its weight"),
    (
        "dictionary",
        "rbf",
        "two rows are similar if their columns differ little; the larger gamma, the less they may",
    ),
    ("dictionary", "laplacian", "the same, for predictions that have kinks or steps"),
    ("dictionary", "linear", "predictions rise or fall evenly with the columns"),
    ("dictionary", "poly", "squares and products of columns count, too; with degree=1 it is linear around a level"),
    ("dictionary", "of ranks", "each value stands for its place in the order of all values"),
    (
        "dictionary",
        "of the values of",
        "two rows are similar if they have the same value in this column; each value has its own level, and no order",
    ),
    ("dictionary", "of categories", "whole numbers are similar only if they are equal, as names are"),
    ("dictionary", "of the leaves of", "two rows are similar if decision trees put them into the same groups"),
    (
        "dictionary",
        "the time of the",
        "two rows are similar if they are of one time of the year, of the week or of the day, in whatever year",
    ),
    ("constant", "constant", "the common level of all predictions"),
    ("delta", "delta", "noise: what no column explains"),
)
"""Families, words that they use of themselves, and what these mean."""


@attrs.frozen
class Member:
    """A part of the kernel.

    Attributes:
        name: the family, and the columns where it sees few.
        weight: in the kernel.
        words: what it says of itself.
    """

    name: str
    weight: str
    words: str


def members_of(kernel: Kernel) -> tuple[Member, ...]:
    """The families that have weight, the heaviest first."""
    return tuple(
        Member(title(leaf, kernel.d, kernel.names), in_digits(part.mass), told_by(leaf, part, kernel.names))
        for leaf, part in heaviest(kernel.leaves, kernel.mixture)
    )


def glossary_of(members: Sequence[Member]) -> tuple[tuple[str, str], ...]:
    """The words of the parts that a reader may not know, each with its meaning."""
    families = {member.name.split()[0] for member in members}
    return tuple((word, meaning) for family, word, meaning in _GLOSSARY if family in families)


def meaning_of(certificate: Certificate, status: Status) -> tuple[str, ...]:
    """What the two bounds say, and what they do not."""
    if certificate.crossed or not status.proved:
        return ("Nothing is proved about this solution. " + status.value,)
    gap = f"{format_float_positional(100.0 * certificate.relative_gap, precision=2, fractional=False, trim='-')} %"
    first = (
        "Learning looks for the kernel whose objective is the lowest. The learned kernel reaches "
        f"{plain(certificate.upper, 6)}."
    )
    if certificate.tangent:
        second = (
            f"No kernel near the learned one is better by more than {gap}: a convex problem that touches the objective "
            f"at the learned kernel has no value below {plain(certificate.lower, 6)}. A kernel that is very different "
            "may still be better."
        )
    else:
        second = f"No kernel of the families has an objective below {plain(certificate.lower, 6)}, which is {gap} less."
    proof = (
        "Both numbers were computed again at the end, independently of the algorithm that found the kernel."
        if certificate.exact
        else "The lower number is an estimate, because it comes from a search that may have missed a better kernel."
    )
    last = "These numbers are about the training rows. How well new rows are predicted is measured on held-out rows."
    advice = () if status.converged else (status.value,)
    return (first + " " + second, proof, *advice, last)
