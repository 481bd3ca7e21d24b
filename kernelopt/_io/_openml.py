"""The papers' data sets on OpenML: by the number of each, which names one version for good, and by their size."""

import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import FloatArray


@attrs.frozen
class Listed:
    """A data set on OpenML.

    Attributes:
        number: its id there.
        called: its name there.
        rows, columns: the shape of X, as it is there: rows with missing values count.
        classes: how many, or None where the targets are numbers.
    """

    number: int
    called: str
    rows: int
    columns: int
    classes: int | None


OPENML: Mapping[str, Listed] = MappingProxyType(
    {
        "abalone": Listed(183, "abalone", 4177, 8, None),
        "australian": Listed(40981, "Australian", 690, 14, 2),
        "auto_mpg": Listed(196, "autoMpg", 398, 7, None),
        "boston": Listed(531, "boston", 506, 13, None),
        "breast_wisconsin": Listed(15, "breast-w", 699, 9, 2),
        "credit_crx": Listed(29, "credit-approval", 690, 15, 2),
        "heart": Listed(53, "heart-statlog", 270, 13, 2),
        "hill_valley": Listed(1479, "hill-valley", 1212, 100, 2),
        "ionosphere": Listed(59, "ionosphere", 351, 34, 2),
        "mnist": Listed(554, "mnist_784", 70000, 784, 10),
        "pima": Listed(37, "diabetes", 768, 8, 2),
        "sonar": Listed(40, "sonar", 208, 60, 2),
        "transfusion": Listed(1464, "blood-transfusion-service-center", 748, 4, 2),
        "usps": Listed(41082, "USPS", 9298, 256, 10),
        "wdbc": Listed(1510, "wdbc", 569, 30, 2),
    }
)
"""What the papers' sets are on OpenML, as far as they are there."""


def fetch(name: str) -> tuple[FloatArray, npt.NDArray[Any], tuple[str, ...]]:
    """Rows, targets and the columns' names of a set of the papers, or of version 1 of any other name on OpenML.

    Raises:
        InvalidData: it holds more than numbers, or it is another set than the one that the papers used.
        Exception: OpenML does not give it.
    """
    from sklearn.datasets import fetch_openml

    known = OPENML.get(name)
    asked = {"name": name, "version": 1} if known is None else {"data_id": known.number}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it tries twice: if both fail, the error says so
        found = fetch_openml(**asked, as_frame=False, parser="liac-arff", n_retries=1, delay=0.1)
    X, y = _numbers(name, found.data), np.asarray(found.target)
    return X, y if known is None else _checked(name, known, X, y), tuple(map(str, found.feature_names))


def _numbers(name: str, data: Any) -> FloatArray:
    try:
        return np.asarray(data.toarray() if hasattr(data, "toarray") else data, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidData(f"the data set {name!r} on OpenML holds more than numbers ({error}); encode it") from None


def _checked(name: str, known: Listed, X: FloatArray, y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The targets, numbers where they are numbers, of a set that has the size it should have."""
    classes = None if known.classes is None else len(np.unique(y))
    if (*X.shape, classes) != (known.rows, known.columns, known.classes):
        got, wanted = (
            f"{n} x {d}" + ("" if c is None else f" with {c} classes")
            for n, d, c in ((*X.shape, classes), (known.rows, known.columns, known.classes))
        )
        raise InvalidData(
            f"the data set {name!r} on OpenML (id {known.number}, {known.called}) is {got}, wanted {wanted}: it is "
            "another set than the papers used; load a file of yours through KERNELOPT_DATA"
        )
    return y.astype(np.float64) if known.classes is None else y
