"""What users are told of learned targets."""

from collections.abc import Iterator, Sequence

import numpy as np

from kernelopt._targets._found import Found
from kernelopt._targets._options import Options
from kernelopt._targets._shared import Shared

_NAMED = 8
"""So many kernels are named in a note."""


def told_of(found: Found, options: Options) -> Iterator[str]:
    """Notes on what was reached, and how."""
    tol = options.tol
    missing, alone = int((~found.done).sum()), int(found.alone.sum())
    if missing:
        yield f"targets: {missing} of {len(found.done)} targets were not reached before the run ended, and are NaN"
    if alone and found.few:
        yield "targets: each target was learned by itself, which takes less time or memory here than what many share"
    elif alone:
        yield (
            f"targets: {alone} of {len(found.done)} targets were finished one by one, which takes longer, because what "
            f"all targets share left them more than {tol:.2g} nats from their optimum"
        )
    if options.quick and not found.few:
        yield from _lost(found)
        return
    left = int((found.bound > tol).sum())
    if left:
        yield (
            f"targets: {left} of {len(found.done)} targets may be more than {tol:.2g} nats from their optimum; the "
            "array gap of the result says which"
        )


def _lost(found: Found) -> Iterator[str]:
    """What the quick way cost a sample."""
    known = found.lost[~np.isnan(found.lost)]
    if len(known):
        yield (
            f"targets: {len(known)} of {len(found.done)} targets were also learned exactly, and the quick way's "
            f"evidence is {np.median(known):.2g} nats below the optimum (median), {known.max():.2g} at most; "
            'effort="normal" comes nearer and takes longer'
        )


def of_flat(names: Sequence[str], shared: Shared) -> Iterator[str]:
    """Which kernels do not vary between the training rows beyond rounding, so that their weights are 0."""
    flat = [names[a] for a in np.setdiff1d(np.arange(len(names)), shared.varied)]
    if flat:
        more = ", ..." * (len(flat) > _NAMED)
        yield (
            f"targets: {len(flat)} of {len(names)} kernels, {', '.join(flat[:_NAMED])}{more}, are constant on the "
            "training rows up to rounding, so they explain nothing; a linear or polynomial kernel is if the mean of a "
            "column is a million times its standard deviation: subtract the mean of each column, or use "
            'rescale="standard"'
        )
