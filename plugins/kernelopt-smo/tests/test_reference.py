"""Records of a reference file: the regularised problem itself, and what smo makes of fixed lists of kernels.

Set KERNELOPT_REFERENCE to the folder that holds reference.json to run them.
"""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from kernelopt_smo import regularised

import kernelopt
from kernelopt.testing import make_problem

FOLDER = os.environ.get("KERNELOPT_REFERENCE")
pytestmark = pytest.mark.skipif(not FOLDER, reason="KERNELOPT_REFERENCE is not set")


def records(start):
    if not FOLDER:
        return []
    found = json.loads((Path(FOLDER) / "reference.json").read_text())
    return [record for record in found if record["id"].startswith(start)]


def data_of(record):
    with np.load(Path(FOLDER) / record["data_file"]) as data:
        return data["X"], data["y"]


def kernel_of(text):
    """The kernel that a record writes as factor*exp(-g|x-z|^2), factor*(1+x.z)^d or x.z, and its factor."""
    factor, text = (float(text.split("*")[0]), text.split("*")[1]) if "*" in text else (1.0, text)
    if text.startswith("exp(-"):
        return ("rbf", {"gamma": float(text[5 : text.index("|")])}), factor
    if text == "x.z":
        return "linear", factor
    return ("poly", {"degree": int(text[-1]), "gamma": 1.0, "coef0": 1.0}), factor


@pytest.mark.parametrize("record", records("R/"), ids=lambda record: record["id"])
def test_the_regularised_value(record):
    X, y = data_of(record)
    parameters = record["parameters"]
    family = kernelopt.Dictionary([kernel_of(text)[0] for text in parameters["kernels"]], normalize="diagonal")
    problem = make_problem((family,), X, y[:, None].astype(float), kernelopt.SVC(parameters["C"]))
    found = regularised(problem, parameters["a_j"], parameters["d_j"])
    slack = abs(record["value"] - record["second_value"])
    assert found.value == pytest.approx(record["value"], rel=1e-7, abs=2.0 * slack)
    assert found.eta == pytest.approx(record["extra"]["eta"], abs=1e-3)


@pytest.mark.parametrize("record", records("B2/"), ids=lambda record: record["id"])
def test_traces_that_differ(record):
    """The record's kernels are (c / tr K_j) K_j, and its eta_j our weight times c / tr K_j."""
    X, y = data_of(record)
    parameters = record["parameters"]
    named = [kernel_of(text)[0] for text in parameters["kernels"]]
    family = kernelopt.Dictionary(named, normalize="trace")  # tr K_j = n
    problem = make_problem((family,), X, y[:, None].astype(float), kernelopt.SVC(1.0))
    criterion = {"name": "svc", "C": parameters["C"]}
    scale = parameters["c"] / problem.n
    s = kernelopt.solve(X, y, family=family, criterion=criterion, solver="smo", scale=scale, tol=1e-6)
    assert s.status is kernelopt.Status.CONVERGED
    assert s.certificate.lower <= record["value"] * (1.0 + 1e-6)
    assert s.certificate.upper >= record["value"] * (1.0 - 1e-6)
    assert s.certificate.gap <= 1e-5 * abs(record["value"])
    weights = np.zeros(len(named))
    np.add.at(weights, s.mixture.parts[0].atoms[:, 0].astype(int), s.mixture.parts[0].weights)
    eta = weights * parameters["c"] / np.array(parameters["traces"])
    assert eta == pytest.approx(record["extra"]["eta"], abs=1e-2)
