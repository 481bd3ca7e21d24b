"""Records of a reference file, each found by two independent formulations, through the public interface.

Set KERNELOPT_REFERENCE to the folder that holds reference.json to run them. Every record is solved; where several
solvers could, the slow ones are asked for some of the records only, and for all with KERNELOPT_MATRIX=all (`make
test-matrix`).
"""

import json
import os
import re
from pathlib import Path
from typing import ClassVar

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt.plugin import FeatureFamily

FOLDER = os.environ.get("KERNELOPT_REFERENCE")
needs_reference = pytest.mark.skipif(not FOLDER, reason="KERNELOPT_REFERENCE is not set")


def records(*starts):
    if not FOLDER:
        return []
    found = json.loads((Path(FOLDER) / "reference.json").read_text())
    return [record for record in found if record["id"].startswith(starts)]


EVERY = os.environ.get("KERNELOPT_MATRIX") == "all"


def some(found, k):
    """Every k-th of the records, or all where they are asked for."""
    return found if EVERY else found[::k]


def named(value):
    return value["id"] if isinstance(value, dict) else None


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


def generalised(parameters):
    return {"name": "gpk", "degree": parameters["degree"], "trace": parameters["trace"], "rescale": None}


def machine(parameters):
    if parameters["criterion"] == "csvc":
        return {"name": "svc", "C": parameters["C"]}
    return {"name": "svr", "C": parameters["C"], "epsilon": parameters["eps"]}


FORMS = records("D/TK/csvc/", "D5/TKx/csvc/", "D/TK/epssvr/", "D5/TKx/epssvr/", "D/GPK/")


@needs_reference
@pytest.mark.parametrize(
    ("solver", "tol", "reach", "record"),
    [("ipm", 1e-7, 1e-6, record) for record in FORMS]
    + [("fw", 1e-5, 1e-4, record) for record in FORMS]
    + [("apd", 1e-5, 1e-4, record) for record in some(FORMS, 3)],
    ids=named,
)
def test_matrix_families(record, solver, tol, reach):
    X, y = data_of(record)
    parameters = record["parameters"]
    family = generalised(parameters) if parameters.get("family") == "GPK" else tessellated(parameters)
    s = kernelopt.solve(X, y, family=family, solver=solver, criterion=machine(parameters), scale="paper", tol=tol)
    value, accuracy = record["value"], accuracy_of(record)
    assert s.certificate.lower <= value + accuracy
    assert value <= s.certificate.upper + accuracy
    assert s.certificate.upper <= value + accuracy + reach * abs(value)
    assert s.certificate.lower >= value - accuracy - reach * abs(value)


@needs_reference
@pytest.mark.parametrize(
    "record",
    records("D/TK/csvc/wave24x1/d=2/[-0.5,1.5]/tr1/C=10")
    + records("D/TK/csvc/wave24x1/d=1", "D/TK/epssvr/diab", "D/TK/csvc/rough", "D5/TKx/csvc/circ")[::4],
    ids=lambda record: record["id"],
)
def test_tessellated_kernels_as_printed(record):
    """Colbert and Peet (2020), equation (24); the first record is one on which Clarabel needs other units."""
    X, y = data_of(record)
    parameters = record["parameters"]
    s = kernelopt.solve(
        X, y, family=tessellated(parameters), solver="sdp", criterion=machine(parameters), scale="paper", tol=1e-6
    )
    slack = accuracy_of(record)
    assert s.certificate.upper == pytest.approx(record["value"], rel=5e-6, abs=slack)
    assert s.certificate.lower == pytest.approx(record["value"], rel=5e-6, abs=slack)


DOUBLE = [record for record in records("D/TK/", "D5/TKx/") if "rough30x2" in record["id"] and "[0,1]" in record["id"]]


@needs_reference
@pytest.mark.parametrize("record", some(DOUBLE, 3), ids=named)
def test_a_chain_goes_on_where_plain_frank_wolfe_is_slow(record):
    """With a double top eigenvalue Frank-Wolfe's gap shrinks as 1/k."""
    X, y = data_of(record)
    parameters = record["parameters"]
    options = {"family": tessellated(parameters), "criterion": machine(parameters), "scale": "paper", "tol": 1e-8}
    s = kernelopt.solve(X, y, solver="plain-fw+apd", **options)
    assert s.status is kernelopt.Status.CONVERGED
    assert s.certificate.upper == pytest.approx(record["value"], abs=accuracy_of(record) + 1e-8 * abs(record["value"]))


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
    """The kernel that a record writes as exp(-g|x-z|^2), exp(-g (x_j-z_j)^2), (1+x.z)^d or x.z."""
    if text.startswith("x.z"):
        return "linear"
    if text.startswith("(1+x.z)^"):
        return ("poly", {"degree": int(text[8:]), "gamma": 1.0, "coef0": 1.0})
    one = re.fullmatch(r"exp\(-(\S+) \(x_(\d+)-z_\d+\)\^2\)", text)
    if one:
        gamma, column = float(one[1]), int(one[2])
        return lambda A, B: np.exp(-gamma * (A[:, column, None] - B[:, column]) ** 2)
    return ("rbf", {"gamma": float(re.fullmatch(r"exp\(-(\S+)\|x-z\|\^2\)", text)[1])})


def dictionary_of(parameters):
    """Of a list with one-column Gaussians only the linear kernel is not of unit diagonal already: its trace is n."""
    kernels = parameters["kernels"]
    unit = parameters.get("normalisation", "unit").startswith("unit") and "x.z scaled to trace n" not in kernels
    return kernelopt.Dictionary([kernel_of(text) for text in kernels], normalize="diagonal" if unit else "trace")


@needs_reference
@pytest.mark.parametrize(
    ("solver", "tol", "reach", "record"),
    [(solver, 1e-7, 1e-6, record) for solver in ("ipm", "qcqp", "smo") for record in records("B/")]
    + [("fw", 1e-6, 1e-5, record) for record in records("B/")]
    + [("apd", 1e-6, 1e-5, record) for record in some(records("B/"), 2)],
    ids=named,
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


def raw_kernel(text):
    """The kernel that a record of part B2 writes with its factor, as a callable."""
    factor, star, name = text.partition("*")
    if not star:
        factor, name = "1", text
    one = kernelopt.Dictionary([kernel_of(name)], normalize=None)
    return lambda A, B: float(factor) * one.cross(one.dictionary(), A, B)


@needs_reference
@pytest.mark.parametrize(
    ("solver", "tol", "reach"), [("fw", 1e-6, 1e-5), ("apd", 1e-6, 1e-5), ("ipm", 1e-7, 1e-6), ("qcqp", 1e-7, 1e-6)]
)
@pytest.mark.parametrize("record", records("B2/"), ids=lambda record: record["id"])
def test_dictionaries_of_kernels_of_any_size(record, solver, tol, reach):
    """The atoms are (c / tr K_j) K_j: paper 001's d_j = sqrt(tr K_j / c)."""
    X, y = data_of(record)
    parameters = record["parameters"]
    kernels = [raw_kernel(text) for text in parameters["kernels"]]
    traces = [float(np.trace(kernel(X, X))) for kernel in kernels]
    assert traces == pytest.approx(parameters["traces"])

    def of_one_trace(kernel, trace):
        return lambda A, B: parameters["c"] / trace * kernel(A, B)

    atoms = [of_one_trace(kernel, trace) for kernel, trace in zip(kernels, traces, strict=True)]
    criterion, _ = fixed_machine(parameters, len(X))
    family = kernelopt.Dictionary(atoms, normalize=None)
    s = kernelopt.solve(X, y, family=family, solver=solver, criterion=criterion, scale="paper", tol=tol)
    value, accuracy = record["value"], accuracy_of(record)
    assert s.certificate.lower <= value + accuracy
    assert value <= s.certificate.upper + accuracy
    assert s.certificate.gap <= 2 * accuracy + reach * abs(value)


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


def hyperkernel(parameters, penalty, n):
    """The family of a record of part E, on all pairs; lambda_Q is in the scale of alpha that our criterion has."""
    stated = parameters["hyperkernel"]
    kind = {"(14)": "harmonic", "(13)": "isotropic", "(16)": "polynomial-gaussian"}[stated["name"][:4]]
    shape = {key: stated[key] for key in ("lambda_h", "sigma", "c1", "c2", "b", "p") if key in stated}
    shape |= {"sigma": stated["sigma2"]} if "sigma2" in stated else {}
    grows = {28: n**2, 30: parameters.get("nu", 1.0) * n**2}.get(parameters["equation"], 1.0)
    options = {"lambda_q": grows * parameters["lambdaQ"], "penalty": penalty, "total": parameters["sum_beta"]}
    return {"name": "hyperkernel", "kind": kind, "pivots": "all"} | shape | options


def hyper_machine(parameters, n):
    """The criterion of a record of part E, and what our value is to be multiplied by to be the record's."""
    equation = parameters["equation"]
    if equation == 27:
        return {"name": "svc", "C": parameters["C"] / n}, 1.0
    if equation == 28:
        return {"name": "nu-svc", "nu": parameters["nu"]}, 1.0 / n**2
    if equation == 29:
        return {"name": "lagrangian-svc", "c": parameters["lam"] * n}, 1.0
    if equation == 30:
        return {"name": "one-class", "nu": parameters["nu"]}, 1.0 / (parameters["nu"] * n) ** 2
    return "alignment", 1.0


@needs_reference
@pytest.mark.parametrize(("solver", "tol", "reach"), [("fw", 5e-6, 1e-5), ("ipm", 1e-7, 1e-6)])
@pytest.mark.parametrize("record", records("E/"), ids=lambda record: record["id"])
def test_hyperkernels(record, solver, tol, reach):
    X, y = data_of(record)
    parameters = record["parameters"]
    family = hyperkernel(parameters, "norm" if "/norm/" in record["id"] else "squared", len(X))
    criterion, factor = hyper_machine(parameters, len(X))
    y = y if parameters["equation"] != 30 else None
    s = kernelopt.solve(X, y, family=family, solver=solver, criterion=criterion, scale="paper", tol=tol)
    assert s.status is kernelopt.Status.CONVERGED
    value, accuracy = record["value"], accuracy_of(record)
    assert factor * s.certificate.lower <= value + accuracy
    assert value <= factor * s.certificate.upper + accuracy
    assert factor * s.certificate.upper <= value + accuracy + reach * abs(value)
    assert factor * s.certificate.lower >= value - accuracy - reach * abs(value)


@needs_reference
@pytest.mark.parametrize("record", records("F/E/"), ids=lambda record: record["id"])
def test_bounds_at_a_fixed_mixture_of_pairs(record):
    X, y = data_of(record)
    parameters, n = record["parameters"], len(X)
    first, second = (index.ravel() for index in np.indices((n, n)))
    share = np.full(n * n, n**-2.0) if parameters["beta"].startswith("uniform") else (first == second) / n
    options = {"lambda_h": parameters["lambda_h"], "sigma": parameters["sigma"], "lambda_q": 0.0, "pivots": "all"}
    certificate = kernelopt.certify(
        X,
        y,
        family={"name": "hyperkernel"} | options,
        criterion={"name": "svc", "C": parameters["C_over_m"]},
        scale="paper",
        mixture=kernelopt.Mixture((kernelopt.Part(np.hstack([X[first], X[second]]), share),)),
    )
    assert certificate.upper == pytest.approx(record["value"], rel=1e-6)
    assert certificate.lower <= record["value"] + accuracy_of(record)


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


def turn(k):
    """Who solves record k where one solver is enough; neighbours differ in one option, so that both meet every kind."""
    return "fw" if k % 4 in (0, 3) else "ipm"


@needs_reference
@pytest.mark.parametrize(
    ("solver", "record"),
    [(solver, record) for k, record in enumerate(records("C/")) for solver in (("fw", "ipm") if EVERY else (turn(k),))]
    + [("qcqp", record) for record in some(records("C/")[::4], 2)],
    ids=named,
)
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


@attrs.frozen
class EveryKernel(FeatureFamily):
    """All positive semidefinite matrices on n samples, which are row numbers: one feature for each."""

    name: ClassVar[str] = "every-kernel"

    n: int

    @property
    def order(self):
        return self.n

    def features(self, X):
        return np.eye(self.n)[X[:, 0].astype(int)]


@needs_reference
@pytest.mark.parametrize(("solver", "tol"), [("ipm", 1e-7), ("fw", 1e-6), ("sdp", 1e-6)])
@pytest.mark.parametrize("record", records("T/"), ids=lambda record: record["id"])
def test_the_best_of_all_kernels(record, solver, tol):
    """Theorem 10 of paper 002; its values are twice ours."""
    _, y = data_of(record)
    n = len(y)
    rows = np.arange(n, dtype=float)[:, None]
    criterion = {"name": "svc", "C": record["parameters"]["C"]}
    s = kernelopt.solve(rows, y, family=EveryKernel(n), solver=solver, criterion=criterion, scale=float(n), tol=tol)
    assert 2.0 * s.certificate.upper == pytest.approx(record["value"], rel=1e-5)
    assert 2.0 * s.certificate.lower == pytest.approx(record["value"], rel=1e-5)
