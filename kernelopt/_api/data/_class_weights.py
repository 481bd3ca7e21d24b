"""What `class_weight` says: a weight for each class, of its rows or of its probability."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidOption
from kernelopt._base._options import is_number, plain
from kernelopt._base._shown import shown
from kernelopt._base._typing import FloatArray
from kernelopt._base._weights import HEAVIEST, LIGHTEST
from kernelopt._criteria._contract import Criterion
from kernelopt._evidence._criterion import Evidence


def weighs_odds(criterion: Criterion) -> bool:
    """Whether weights of classes change the probabilities that it learns, and weigh no row.

    As weights of rows they would say that rare classes were met more often than they were, and a kernel would fit their
    few rows without noise.
    """
    return isinstance(criterion, Evidence)


def class_factors(
    class_weight: Any, criterion: Criterion, classes: npt.NDArray[Any] | None, weight: FloatArray
) -> FloatArray | None:
    """The weight that each class gives its rows, shape (classes,); None where there is none.

    Args:
        class_weight: as in `solve`; "balanced" is W / (number of classes * weight of the class).
        criterion: what is learned.
        classes: ascending.
        weight: of all rows of each class, shape (classes,).

    Raises:
        InvalidOption: it is of no known form, or of no task with classes.
    """
    if class_weight is None:
        return None
    if criterion.task != "classification" or classes is None:
        raise InvalidOption("class_weight is for classification only; leave it out, or pass sample_weight")
    if isinstance(class_weight, str) and class_weight == "balanced":
        return np.asarray(weight.sum() / (len(classes) * weight))
    if not isinstance(class_weight, Mapping):
        raise InvalidOption(f'class_weight must be None, "balanced" or a mapping label -> weight, got {class_weight!r}')
    factors = np.ones(len(classes))
    for label, value in ((plain(label), plain(value)) for label, value in class_weight.items()):
        if label not in classes:
            raise InvalidOption(
                f"class_weight names {shown(label)}, which is no class of y; those are {shown(classes.tolist())}"
            )
        if not (is_number(value) and value > 0):
            raise InvalidOption(f"class_weight[{label!r}] must be a positive finite number, got {value!r}")
        if not LIGHTEST <= value <= HEAVIEST:
            raise InvalidOption(
                f"class_weight[{label!r}] must be a number from {LIGHTEST:g} to {HEAVIEST:g}, got {value!r}; divide "
                "all weights of classes by the largest, and leave out a class that counts for nothing"
            )
        factors[classes == label] = value
    return factors


def class_weights(
    class_weight: Any,
    criterion: Criterion,
    classes: npt.NDArray[Any] | None,
    labels: npt.NDArray[Any],
    weight: FloatArray,
) -> tuple[FloatArray | None, FloatArray | None]:
    """The weight of each class, shape (classes,), and that of the class of each row, shape (n,); None where there are
    none.
    """
    if classes is None:
        return class_factors(class_weight, criterion, None, weight), None
    code = np.searchsorted(classes, labels)
    weights = np.bincount(code, weight, len(classes)).astype(np.float64)
    factors = class_factors(class_weight, criterion, classes, weights)
    return factors, None if factors is None else factors[code]
