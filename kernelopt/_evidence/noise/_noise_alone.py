"""What noise around a level says of the targets by itself: what every learned kernel has to say better."""

import math

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._evidence._counting import noise_of, rows_of, weight_of
from kernelopt._evidence._noise_and_level import tells_rows_apart
from kernelopt._evidence.lists._list_likelihood import targets_of
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response


@attrs.frozen
class Gain:
    """What a kernel says of the targets beyond noise around a level.

    Attributes:
        nats: by so many it makes them more likely.
        weights: so many it takes besides those of noise and level.
        n: the number of rows, each as often as it counts.
        classes: whether the targets are classes.
    """

    nats: float
    weights: int
    n: float
    classes: bool

    @classmethod
    def of(cls, problem: Problem, response: Response) -> "Gain | None":
        """Of the kernel of this answer; None where the targets leave no more than the least noise."""
        alone = noise_alone(targets_of(problem), noise_of(problem), weight_of(problem))
        if alone is None:
            return None
        pairs = zip(problem.leaves, response.mixture.parts, strict=True)
        others = (part for leaf, part in pairs if tells_rows_apart(leaf))
        weights = sum(len(part.kept()) for part in others)
        classes = problem.criterion.task == "classification"
        return cls(alone - response.upper, weights, rows_of(problem), classes)

    @property
    def doubtful(self) -> bool:
        """Whether Schwarz (1978) would rather have noise alone: it wants 1/2 log n nats for a weight."""
        return self.nats < 0.5 * math.log(self.n) * max(self.weights, 1)

    @property
    def remark(self) -> str | None:
        """What a user should know where even Akaike (1974) would, who wants one nat for a weight."""
        if self.nats >= max(self.weights, 1):
            return None
        weights = f"{self.weights} weight{'' if self.weights == 1 else 's'}"
        found = (
            f"{weights} of kernels make{'s' if self.weights == 1 else ''} the targets only {max(self.nats, 0.0):.2g} "
            "nats more likely than noise around a level does, and each weight should bring at least one nat"
            if self.weights
            else "only weights of noise and level were learned"
        )
        advice = "the largest class: " if self.classes else "the mean of the targets: check y for outliers, and "
        return (
            f"evidence: to these kernels the targets look like noise: {found}; do not expect predictions better than "
            f'{advice}try kernels of other widths as well, such as family=["auto", "gaussian"] with '
            'criterion="evidence"'
        )


def noise_alone(Y: FloatArray, floor: float, weight: FloatArray) -> float | None:
    """The least objective of any level and noise, s 11' + t I, for targets (n, c) that count so often (n,); None where
    t would be at the floor.

    c/2 [(n - 1) log t + log l + n log 2 pi + S/t + L/l] with l = s n + t >= t, for c outputs, L = n mean(y)^2 and
    S = |y|^2 - L in their mean.
    """
    n = float(weight.sum())
    mean = weight @ Y / n
    return noise_of_sums(n, mean, weight @ (Y - mean) ** 2, floor)


def noise_of_sums(n: float, mean: FloatArray, around: FloatArray, floor: float) -> float | None:
    """The same for n rows with this mean (c,) and this sum of squares around it (c,)."""
    c = len(mean)
    along, across = n * float(np.sum(mean**2)) / c, float(np.sum(around)) / c
    t, level = across / (n - 1), along
    if level < t:
        t = level = (across + along) / n
    if t <= floor:
        return None
    terms = (n - 1) * math.log(t) + math.log(level) + n * math.log(2.0 * math.pi)
    return float(0.5 * c * (terms + across / t + along / level))
