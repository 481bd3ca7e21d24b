"""What a request with many rows holds: the evidence as its criterion, and rows that are drawn at random."""

import numpy as np

from kernelopt._api._validate import Request
from kernelopt._api.data._training import Training
from kernelopt._base._typing import IntArray
from kernelopt._evidence._criterion import Evidence

_AT_HAND = 10_000
"""The sample is drawn from so many rows."""


def evidence_of(request: Request) -> Evidence:
    """The criterion, where there are so many rows."""
    assert isinstance(request.criterion, Evidence)
    return request.criterion


def at_hand(request: Request) -> Training:
    """Some of the rows in memory, at random: from them the sample is drawn."""
    places = places_at_hand(request)
    return request.training if len(places) == len(request.training.X) else request.training.some(places)


def places_at_hand(request: Request) -> IntArray:
    """The numbers of the rows `at_hand` among the training rows in memory, ascending."""
    return at_random(request, _AT_HAND)


def at_random(request: Request, most: int) -> IntArray:
    """The numbers of at most so many of the rows in memory, ascending."""
    order = np.random.default_rng(request.settings.seed).permutation(len(request.training.X))
    return np.sort(order[:most])
