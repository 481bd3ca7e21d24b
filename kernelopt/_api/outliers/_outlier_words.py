"""What a user should know of noise of Student's t that was taken."""

import numpy as np

from kernelopt._api._learned import Learned
from kernelopt._base._typing import BoolArray, FloatArray, IntArray

_NAMED = 5
"""So many rows are named."""
_ERRORS = 3.0
"""Of rows that are as likely on either side, so many more on one side, in standard errors, are one time in 400: a
guard."""


def told(found: Learned, rows: IntArray, gain: float | None = None) -> tuple[str, ...]:
    """Notes on what was learned with weights of these rows (n,); where the evidence has chosen the noise, by how many
    nats.
    """
    tails = found.tails
    assert tails is not None
    doubted = tails.weight < 0.5
    least = np.sort(rows[np.argsort(tails.weight, kind="stable")[:_NAMED]])
    why = (
        ""
        if gain is None
        else f", for it makes the targets at least {gain:.3g} nats more likely than Gaussian noise does"
    )
    note = (
        f"noise: Student's t with {tails.degrees:g} degrees of freedom was taken{why}; {np.sum(doubted)} of "
        f"{len(rows)} rows weigh less than a half (least: {', '.join(str(row) for row in least)}), and the certificate "
        'is about the kernel at these weights; look at these rows, or take criterion=Evidence(noise="gaussian"), which '
        "trusts all rows equally"
    )
    return note, *_lopsided(found.done.bounds.response.V, doubted)


def _lopsided(V: FloatArray, doubted: BoolArray) -> tuple[str, ...]:
    """A note where the targets of nearly all of the doubted rows (n,) are larger, or smaller, than what is predicted.

    A target less what all other rows predict of it is the row's dual variable, an entry of V (n, c), divided by a
    positive number (Rasmussen and Williams 2006, equation 5.12), so both have one sign.
    """
    if V.shape[1] > 1:
        return ()
    larger, few = int(np.sum(V[doubted, 0] > 0.0)), int(np.sum(doubted))
    if abs(2 * larger - few) <= _ERRORS * np.sqrt(few):
        return ()
    if 2 * larger > few:
        note = (
            f"noise: of the rows that weigh less than a half, {larger} have targets above what other rows predict, and "
            f"{few - larger} below, so predictions are lower than the mean of such targets; if these targets are "
            "right, and all are positive, learn the logarithms of the targets, and multiply the exponentials of the "
            "predictions by one number that gives the training rows the mean of their targets"
        )
        return (note,)
    note = (
        f"noise: of the rows that weigh less than a half, {few - larger} have targets below what other rows predict, "
        f"and {larger} above, so predictions are higher than the mean of such targets"
    )
    return (note,)
