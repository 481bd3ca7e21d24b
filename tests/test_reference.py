"""Records of a reference file, each found by two independent formulations, through the public interface.

Set KERNELOPT_REFERENCE to the folder that holds reference.json to run them.
"""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import kernelopt

FOLDER = os.environ.get("KERNELOPT_REFERENCE")
needs_reference = pytest.mark.skipif(not FOLDER, reason="KERNELOPT_REFERENCE is not set")


def records(*starts):
    if not FOLDER:
        return []
    found = json.loads((Path(FOLDER) / "reference.json").read_text())
    return [record for record in found if record["id"].startswith(starts)]


def data_of(record):
    with np.load(Path(FOLDER) / record["data_file"]) as data:
        return data["X"], data["y"]


def accuracy_of(record):
    return max(abs(record["value"] - record["second_value"]), 1e-6 * abs(record["value"]))


def tessellated(parameters):
    return {
        "name": "tk",
        "degree": parameters["degree"],
        "basis": "x" if "only" in parameters["basis"] else "xz",
        "bounds": tuple(parameters["domain"]),
        "trace": parameters["trace"],
        "rescale": None,
    }


def machine(parameters):
    if parameters["criterion"] == "csvc":
        return {"name": "svc", "C": parameters["C"]}
    return {"name": "svr", "C": parameters["C"], "epsilon": parameters["eps"]}


@needs_reference
@pytest.mark.parametrize(("solver", "tol", "reach"), [("fw", 1e-5, 1e-4), ("ipm", 1e-7, 1e-6)])
@pytest.mark.parametrize(
    "record",
    records("D/TK/csvc/", "D5/TKx/csvc/", "D/TK/epssvr/", "D5/TKx/epssvr/"),
    ids=lambda record: record["id"],
)
def test_tessellated_kernels(record, solver, tol, reach):
    X, y = data_of(record)
    parameters = record["parameters"]
    s = kernelopt.solve(
        X, y, family=tessellated(parameters), solver=solver, criterion=machine(parameters), scale="paper", tol=tol
    )
    value, accuracy = record["value"], accuracy_of(record)
    assert s.certificate.lower <= value + accuracy
    assert value <= s.certificate.upper + accuracy
    assert s.certificate.upper <= value + accuracy + reach * abs(value)
    assert s.certificate.lower >= value - accuracy - reach * abs(value)


def fixed_machine(parameters, n):
    """The criterion of a record of part A, and what our value is to be multiplied by to be the record's.

    The records' nu-SVR has the box C/n, and their one-class machine the box 1/(nu n) and the sum 1.
    """
    name = parameters["criterion"]
    if name in ("csvc", "l2svc"):
        return {"name": {"csvc": "svc", "l2svc": "l2-svc"}[name], "C": parameters["C"]}, 1.0
    if name == "nusvc":
        return {"name": "nu-svc", "nu": parameters["nu"]}, 1.0
    if name == "epssvr":
        return {"name": "svr", "C": parameters["C"], "epsilon": parameters["eps"]}, 1.0
    if name == "nusvr":
        return {"name": "nu-svr", "C": parameters["C"] / n, "nu": parameters["nu"]}, 1.0
    return {"name": "one-class", "nu": parameters["nu"]}, 1.0 / (parameters["nu"] * n) ** 2


@needs_reference
@pytest.mark.parametrize("record", records("A/"), ids=lambda record: record["id"])
def test_every_criterion_with_a_fixed_kernel(record):
    X, y = data_of(record)
    g = record["parameters"]["g"]

    def gaussian(A, B):
        return np.exp(-g * ((A[:, None, :] - B) ** 2).sum(axis=2))

    criterion, factor = fixed_machine(record["parameters"], len(X))
    y = None if criterion["name"] == "one-class" else y
    s = kernelopt.solve(X, y, family=kernelopt.fixed(gaussian), criterion=criterion, scale="paper", tol=1e-7)
    slack = accuracy_of(record) + 1e-8
    assert s.certificate.lower * factor == pytest.approx(record["value"], rel=1e-5, abs=slack)
    assert s.certificate.upper * factor == pytest.approx(record["value"], rel=1e-5, abs=slack)


def kernel_of(text):
    """The kernel that a record writes as exp(-g|x-z|^2) or (1+x.z)^d."""
    if text.startswith("exp(-"):
        return ("rbf", {"gamma": float(text[5 : text.index("|")])})
    return ("poly", {"degree": int(text[-1]), "gamma": 1.0, "coef0": 1.0})


def dictionary_of(parameters):
    normalize = "diagonal" if parameters.get("normalisation", "unit").startswith("unit") else "trace"
    return kernelopt.Dictionary([kernel_of(text) for text in parameters["kernels"]], normalize=normalize)


def known_kernels(record):
    return all(
        text.startswith(("exp(-", "(1+x.z)^")) and text[-1] in "2)123" for text in record["parameters"]["kernels"]
    )


@needs_reference
@pytest.mark.parametrize(("solver", "tol", "reach"), [("fw", 1e-6, 1e-5), ("ipm", 1e-7, 1e-6), ("smo", 1e-7, 1e-6)])
@pytest.mark.parametrize(
    "record",
    [r for r in records("B/") if "/feat/" not in r["id"] and known_kernels(r)],
    ids=lambda record: record["id"],
)
def test_dictionaries(record, solver, tol, reach):
    X, y = data_of(record)
    criterion, factor = fixed_machine(record["parameters"], len(X))
    family = dictionary_of(record["parameters"])
    s = kernelopt.solve(X, y, family=family, solver=solver, criterion=criterion, scale="paper", tol=tol)
    value, accuracy = record["value"], accuracy_of(record)
    assert s.certificate.lower * factor <= value + accuracy
    assert value <= s.certificate.upper * factor + accuracy
    assert s.certificate.gap * factor <= 2 * accuracy + reach * abs(value)


@needs_reference
@pytest.mark.parametrize("record", records("F/B/"), ids=lambda record: record["id"])
def test_bounds_at_a_fixed_mixture_of_a_dictionary(record):
    X, y = data_of(record)
    parameters = record["parameters"]
    eta = np.array(parameters["eta"])
    mixture = kernelopt.Mixture((kernelopt.Part(np.arange(len(eta), dtype=float)[:, None], eta / eta.sum()),))
    criterion, factor = fixed_machine(parameters, len(X))
    options = {"family": dictionary_of(parameters), "criterion": criterion, "scale": "paper", "mixture": mixture}
    certificate = kernelopt.certify(X, y, **options)
    assert certificate.upper * factor == pytest.approx(record["value"], rel=1e-6, abs=accuracy_of(record))
    assert certificate.lower * factor <= record["value"]


@needs_reference
@pytest.mark.parametrize("record", records("F/D/"), ids=lambda record: record["id"])
def test_bounds_at_a_fixed_tessellated_kernel(record):
    X, y = data_of(record)
    parameters = record["parameters"]
    order = 2 * len(parameters["exponents_x_then_z"])
    if parameters["P"] == "I/Q":
        P = np.eye(order) / order
    else:
        i, j = np.ogrid[:order, :order]
        A = np.sin(1 + 3 * i + 7 * j)
        P = A @ A.T / np.trace(A @ A.T)
    weights, vectors = np.linalg.eigh(P)
    part = kernelopt.Part(vectors.T, np.maximum(weights, 0.0) / np.maximum(weights, 0.0).sum())
    family = tessellated({"basis": "(z,x)", "trace": 1.0} | parameters)
    certificate = kernelopt.certify(
        X, y, family=family, criterion=machine(parameters), scale="paper", mixture=kernelopt.Mixture((part,))
    )
    assert certificate.upper == pytest.approx(record["value"], rel=1e-6)
    assert certificate.lower <= record["value"] + accuracy_of(record)


@needs_reference
@pytest.mark.parametrize("record", records("V/"), ids=lambda record: record["id"])
def test_decision_values(record):
    X, y = data_of(record)
    parameters = record["parameters"]
    if "kernels" in parameters:
        family, criterion = dictionary_of(parameters), {"name": "svc", "C": parameters["C"]}
    else:
        family, criterion = tessellated({"basis": "(z,x)"} | parameters), machine(parameters)
    s = kernelopt.solve(X, y, family=family, solver="ipm", criterion=criterion, scale="paper", tol=1e-9)
    values = s.decision_function(np.array(parameters.get("points", X)))
    slack = abs(record["value"] - record["second_value"])
    assert np.linalg.norm(values) == pytest.approx(record["value"], rel=1e-4, abs=10 * slack)


def searched(parameters, **options):
    """The union of a record of part C; its kernels are damped in the units of the columns."""
    kinds = {"cos": ("cosine", "beta"), "gauss": ("gaussian", "eta")}
    union = []
    for family in parameters["families"]:
        name, price = kinds[family["kind"]]
        union.append({"name": name, price: family[price], "rescale": None} | options)
    return [*union, "delta"] if parameters["delta"] else union


def paper_bounds(certificate):
    """Bounds on the value of part C, the squared distance of the hulls: -2 times ours."""
    return -2.0 * certificate.upper, -2.0 * certificate.lower


@needs_reference
@pytest.mark.parametrize("solver", ["fw", "ipm"])
@pytest.mark.parametrize("record", records("C/"), ids=lambda record: record["id"])
def test_searched_families(record, solver):
    X, y = data_of(record)
    criterion = {"name": "margin", "C": record["parameters"]["C"]}
    family = searched(record["parameters"])
    s = kernelopt.solve(X, y, family=family, solver=solver, criterion=criterion, scale="paper", tol=8e-6)
    assert s.status is kernelopt.Status.CONVERGED
    assert s.certificate.exact
    lower, upper = paper_bounds(s.certificate)
    value, accuracy = record["value"], accuracy_of(record)
    assert lower <= value + accuracy
    assert value <= upper + accuracy
    assert lower == pytest.approx(value, rel=1e-5)
    assert upper == pytest.approx(value, rel=1e-5)


@needs_reference
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("record", records("C/cos beta=0.002/circ40x2/C=2"), ids=lambda record: record["id"])
def test_searches_without_a_proof_end_at_the_optimum_from_any_seed(record, seed):
    X, y = data_of(record)
    criterion = {"name": "margin", "C": record["parameters"]["C"]}
    family = searched(record["parameters"], search="starts")
    s = kernelopt.solve(X, y, family=family, solver="fw", criterion=criterion, scale="paper", tol=8e-6, seed=seed)
    assert s.status is kernelopt.Status.CONVERGED_ESTIMATED
    assert paper_bounds(s.certificate) == pytest.approx((record["value"], record["value"]), rel=1e-5)


@needs_reference
@pytest.mark.parametrize("record", records("F/C/"), ids=lambda record: record["id"])
def test_bounds_at_a_fixed_mixture_of_cosines(record):
    X, y = data_of(record)
    parameters = record["parameters"]
    cosines = kernelopt.Part(np.array(parameters["gammas"]), np.array(parameters["mu"]))
    delta = kernelopt.Part(np.zeros((1, 0)), np.array([parameters["tau"]]))
    family = [{"name": "cosine", "beta": parameters["beta"], "rescale": None}, "delta"]
    criterion = {"name": "margin", "C": parameters["C"]}
    mixture = kernelopt.Mixture((cosines, delta))
    certificate = kernelopt.certify(X, y, family=family, criterion=criterion, scale="paper", mixture=mixture)
    lower, upper = paper_bounds(certificate)
    assert lower == pytest.approx(record["value"], rel=1e-6)
    assert record["value"] <= upper
