"""Real data to start with: scikit-learn's bundled set, and the papers' sets by name."""

import os
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._errors import InvalidData
from kernelopt._typing import FloatArray


@attrs.frozen(eq=False)
class DataSet:
    """Rows X (n, d), targets y (n,), and what the set is called."""

    X: FloatArray
    y: npt.NDArray[Any]
    title: str


def bundled() -> DataSet:
    """The Wisconsin diagnostic breast cancer data (569 x 30) that comes with scikit-learn; labels are words."""
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    title = "Wisconsin breast cancer (569 x 30, bundled with scikit-learn)"
    return DataSet(data.data, data.target_names[data.target], title)


def load(name: str) -> DataSet:
    """A data set by name: from the folder in KERNELOPT_DATA where it is set, else from OpenML through scikit-learn.

    Raises:
        InvalidData: it is in neither.
    """
    folder = os.environ.get("KERNELOPT_DATA")
    if folder:
        path = Path(folder) / f"{name}.npz"
        if not path.exists():
            known = sorted(entry.stem for entry in Path(folder).glob("*.npz"))
            raise InvalidData(f"KERNELOPT_DATA has no data set {name!r}; it has {', '.join(known) or 'none'}")
        with np.load(path, allow_pickle=False) as file:
            return DataSet(file["X"].astype(np.float64), file["y"], name)
    from sklearn.datasets import fetch_openml

    try:
        found = fetch_openml(name=name, version=1, as_frame=False, parser="liac-arff")
    except Exception as error:
        raise InvalidData(f"the data set {name!r} could not be had from OpenML ({error})") from error
    return DataSet(np.asarray(found.data, dtype=np.float64), found.target, f"{name} (OpenML)")
