"""Fixed kernels of a reference file, each value from two independent formulations.

Set KERNELOPT_REFERENCE to the folder that holds reference.json to run them.
"""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from kernelopt import L2SVC, SVC, SVR, NuSVC, NuSVR, OneClass

FOLDER = os.environ.get("KERNELOPT_REFERENCE")
ACCURACY = 1e-7


def records():
    if not FOLDER:
        return []
    found = json.loads((Path(FOLDER) / "reference.json").read_text())
    return [record for record in found if record["id"].startswith("A/")]


def criterion_of(p, n):
    """The criterion of a record, and what its value is multiplied by there."""
    match p["criterion"]:
        case "csvc":
            return SVC(p["C"]), 1.0
        case "l2svc":
            return L2SVC(p["C"]), 1.0
        case "nusvc":
            return NuSVC(p["nu"]), 1.0
        case "epssvr":
            return SVR(p["C"], p["eps"]), 1.0
        case "nusvr":
            return NuSVR(p["C"] / n, p["nu"]), 1.0
        case "oneclass":
            return OneClass(p["nu"]), 1.0 / (p["nu"] * n) ** 2
    raise AssertionError(p["criterion"])


@pytest.mark.skipif(not FOLDER, reason="KERNELOPT_REFERENCE is not set")
@pytest.mark.parametrize("record", records(), ids=lambda record: record["id"])
def test_both_bounds_meet_the_reference_value(record, answer):
    p = record["parameters"]
    with np.load(Path(FOLDER) / record["data_file"]) as data:
        X, y = data["X"], np.asarray(data["y"], dtype=float)
    assert p["kernel"] == "exp(-g*|x-z|^2)"
    K = np.exp(-p["g"] * ((X[:, None] - X) ** 2).sum(-1))
    criterion, factor = criterion_of(p, len(y))
    dual = answer(criterion, K, y, accuracy=1e-10)
    value = record["value"]
    slack = max(ACCURACY * abs(value), 2.0 * abs(value - record["second_value"]))
    assert factor * dual.objective == pytest.approx(value, rel=0.0, abs=slack)
    assert factor * dual.upper == pytest.approx(value, rel=0.0, abs=slack)
