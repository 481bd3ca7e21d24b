"""The kernel and its certificate in plain sentences, for who knows neither."""

import attrs
from numpy import format_float_positional

from kernelopt._base._status import Status
from kernelopt._base._svg import in_digits
from kernelopt._families._description import heaviest, spoken, title
from kernelopt._prediction._kernel import Kernel
from kernelopt._saddle._certificate import Certificate


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
        Member(title(leaf, kernel.width, kernel.names), in_digits(part.mass), spoken(leaf, kernel.names).describe(part))
        for leaf, part in heaviest(kernel.leaves, kernel.mixture)
    )


def meaning_of(certificate: Certificate, status: Status) -> tuple[str, ...]:
    """What the two bounds say, and what they do not."""
    if certificate.crossed or not status.proved:
        return ("Nothing is proved of this answer. " + status.value,)
    gap = f"{format_float_positional(100.0 * certificate.relative_gap, precision=2, fractional=False, trim='-')} %"
    first = (
        "Learning looks for the kernel whose objective is the lowest. The learned kernel reaches "
        f"{certificate.upper:.6g}."
    )
    if certificate.tangent:
        second = (
            f"Near it no kernel is better by more than {gap}: {certificate.lower:.6g} is the least that the convex "
            "problem has which touches the objective at this kernel. A kernel that is very different may still be "
            "better."
        )
    else:
        second = f"No kernel of those that were allowed goes below {certificate.lower:.6g}, which is {gap} away."
    proof = (
        "Both numbers were computed anew at the end, from the learned kernel alone."
        if certificate.exact
        else "The lower number is the best that a search has found, and no proof."
    )
    last = "None of this says how well new rows are predicted: that is what rows are held out for."
    advice = () if status.converged else (status.value,)
    return (first + " " + second, proof, *advice, last)
