"""The C-SVC records with tessellated kernels of a reference file, each found by two independent formulations.

Set KERNELOPT_REFERENCE to the folder that holds reference.json to run them.
"""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import kernelopt

FOLDER = os.environ.get("KERNELOPT_REFERENCE")


def records():
    if not FOLDER:
        return []
    found = json.loads((Path(FOLDER) / "reference.json").read_text())
    return [r for r in found if r["id"].startswith(("D/TK/csvc/", "D5/TKx/csvc/"))]


def family_of(parameters):
    return {
        "name": "tk",
        "degree": parameters["degree"],
        "basis": "x" if "only" in parameters["basis"] else "xz",
        "bounds": tuple(parameters["domain"]),
        "trace": parameters["trace"],
        "rescale": None,
    }


@pytest.mark.skipif(not FOLDER, reason="KERNELOPT_REFERENCE is not set")
@pytest.mark.parametrize("record", records(), ids=lambda record: record["id"])
def test_the_bounds_hold_the_reference_value(record):
    parameters = record["parameters"]
    with np.load(Path(FOLDER) / record["data_file"]) as data:
        X, y = data["X"], data["y"]
    s = kernelopt.solve(
        X,
        y,
        family=family_of(parameters),
        solver="fw",
        criterion={"name": "svc", "C": parameters["C"]},
        scale="paper",
        tol=1e-5,
    )
    value, second = record["value"], record["second_value"]
    slack = max(abs(value - second), 1e-6 * abs(value))
    assert s.certificate.lower <= value + slack
    assert value <= s.certificate.upper + slack
    assert s.certificate.upper <= value + 1e-4 * abs(value)
    assert s.certificate.lower >= value - 1e-4 * abs(value)
