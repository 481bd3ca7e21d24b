"""Which kernels are too rough for landmarks, so that the whole kernel predicts where its Gram fits."""

from kernelopt._api._validate import Request
from kernelopt._api.many_rows._asked import evidence_of
from kernelopt._base._memory import available_bytes

_WORTH = 0.1
"""Of the mean squared error by landmarks: where they leave out more of k(x, x), the whole kernel is worth its time. A
guard: what they leave out adds no more than itself to the squared error."""
_SURE = 1e-3
"""A smaller mean squared error of the numbers -1 and 1 is none for classes: 0, where classes meet, is 30 times as far
from both as its root."""
_CLEARLY = 3.0
"""So many times that, by half of the landmarks: twice as many would leave out half as much at best. A guard."""
NOISE = 0.1
"""Of what landmarks leave out, at least: a rough kernel takes noise for its own where rows are few, and without any
conjugate gradients take long."""
_NOISIER = 3.0
"""So many times the noise of the sample is no other machine: held-out rows ask for less where that is better. Without
this guard the mean squared error on `kin40k`, which has hardly any noise, rose by 8 %."""


def room_for(request: Request) -> int:
    """Of how many rows in memory the Gram is formed: of all, or of as many as the effort allows and it has room for."""
    device, most = request.settings.device, evidence_of(request).whole
    room = available_bytes() if device is None or (free := device.free_bytes()) is None else free
    rows = (min(len(request.training.X), some) for some in (most, most // 2))
    return next((n for n in rows if room is None or 4 * n * n < room // 2), 0)


def worth(request: Request, error: float) -> float:
    """What landmarks have to leave out of k(x, x) in the mean for the whole kernel to be worth its time.

    Args:
        request: what is asked for.
        error: the mean squared error by the landmarks, or the noise if that is larger.
    """
    training, criterion = request.training, evidence_of(request)
    numbers = training.classes is not None and not criterion.by_odds(training.y.shape[1])
    return _WORTH * max(error, _SURE if numbers else 0.0)


def clearly_rough(request: Request, r: int, most: int, missing: float, error: float, noise: float) -> bool:
    """Whether further landmarks would be of no use: half of them leave out far too much, and the whole kernel of all
    rows has room.

    Then they are a preconditioner, and say how sure numbers are, for which half of them do.

    Args:
        request: what is asked for.
        r: so many landmarks are chosen.
        most: there are at most.
        missing: what they leave out of k(x, x) in the mean.
        error: the mean squared error that the whole kernel makes at least, or the noise.
        noise: of a row; where equations of numbers would be solved with much more, for their steps to be few, more
            landmarks are. The odds of classes depend little on it.
    """
    if request.training.classes is None and NOISE * missing > _NOISIER * noise:
        return False
    return 2 * r >= most and missing > _CLEARLY * worth(request, error) and room_for(request) == request.n
