"""The kinds of families that random problems are drawn from: every installed one, lists, views, prices and unions."""

import kernelopt_sdp
import numpy as np

import kernelopt
from kernelopt.plugin import Norm, Square
from kernelopt.testing import Costly


def _few(rng, X):
    """Two to five kernels, some of them nearly constant, nearly the identity, or copies of each other."""
    spread = float(np.sum((X.max(axis=0) - X.min(axis=0)) ** 2)) or 1.0
    gammas = 10.0 ** rng.uniform(-3, 3, size=int(rng.integers(1, 4))) / spread
    kernels = [("rbf", {"gamma": float(gamma)}) for gamma in gammas]
    if rng.random() < 0.5:
        kernels.append("linear")
    if rng.random() < 0.3:
        kernels.append(("poly", {"degree": 2, "gamma": float(1.0 / spread), "coef0": 1.0}))
    if rng.random() < 0.2:
        kernels.append(kernels[0])
    return kernels


def _list(rng, X):
    return kernelopt.Dictionary(
        _few(rng, X),
        normalize=[None, "variance", "trace", "diagonal"][rng.integers(4)],
        rescale=[None, "standard"][rng.integers(2)],
    )


def _total(rng):
    return [None, 1.0, float(10.0 ** rng.uniform(-2, 2))][rng.integers(3)]


def _price(rng):
    return float(10.0 ** rng.uniform(-3, 2))


def _priced_list(rng, X):
    kernels = _few(rng, X)
    price = 10.0 ** rng.uniform(-3, 2, size=len(kernels)) if rng.random() < 0.5 else _price(rng)
    return kernelopt.priced(kernelopt.Dictionary(kernels, normalize="trace"), price, _total(rng))


def _costly(rule):
    def made(rng, X):
        return Costly(tuple(_few(rng, X)), normalize="trace", rule=rule, rho=_price(rng), sum=_total(rng))

    return made


def _tk(rng, X):
    few = X.shape[1] <= 3
    return {"name": "tk", "degree": int(rng.integers(2 if few else 1)), "basis": str(rng.choice(["x", "xz"]))}


def _gpk(rng, X):
    return {"name": "gpk", "degree": int(rng.integers(0, 3))}


def _cosine(rng, X):
    return {"name": "cosine", "starts": 64, "beta": float(10.0 ** rng.uniform(-2, 1)), "search": "starts"}


def _gaussian(rng, X):
    return {"name": "gaussian", "eta": float(10.0 ** rng.uniform(-3, 1))}


def _hyperkernel(rng, X):
    squared = bool(rng.integers(2))
    return {
        "name": "hyperkernel",
        "pivots": 20,
        "kind": str(rng.choice(["harmonic", "isotropic", "exp", "polynomial-gaussian"])),
        "lambda_q": float(rng.choice([0.0, 1e-2, 1.0, 100.0])),
        "penalty": "squared" if squared else "norm",
        "total": None if squared and rng.random() < 0.5 else 1.0,
    }


def _varying(X):
    return np.flatnonzero(X.max(axis=0) > X.min(axis=0)).tolist()


def _on(rng, X):
    return [kernelopt.on("gpk", [_varying(X)[0]] if _varying(X) else [0]), "delta"]


def _pairs(rng, X):
    return kernelopt.pairs("gpk") if len(_varying(X)) > 1 else kernelopt.each("gpk")


def _spelled(rng, X):
    """As a file of options has them."""
    return [
        {"name": "each", "family": "gaussians"},
        {"name": "sampled", "family": "tk", "k": 5, "seed": 1},
        {"name": "priced", "family": "gpk", "price": _price(rng), "total": 1.0},
        [{"name": "on", "family": "gaussians", "columns": _varying(X)[:1] or [0]}, {"name": "delta"}],
    ][rng.integers(4)]


def _metric(rng, X):
    kind = {"diagonal": True} if rng.integers(2) else {"rank": int(rng.integers(1, 4))}
    shape = str(rng.choice(["gaussian", "laplace", "matern"]))
    return {"name": "metric", "shape": shape, "eta": float(10.0 ** rng.uniform(-3, 0)), **kind}


def _signed(rng, X):
    normalize = ["trace", "diagonal"][rng.integers(2)]
    return kernelopt_sdp.Signed(_few(rng, X), normalize=normalize, rescale=[None, "standard"][rng.integers(2)])


FAMILIES = {
    "constant": lambda rng, X: ["constant", "delta"] if rng.integers(2) else "constant",
    "cosine": _cosine,
    "delta": lambda rng, X: "delta",
    "dictionary": lambda rng, X: "dictionary",
    "auto": lambda rng, X: "auto",
    "a list": _list,
    "gaussian": _gaussian,
    "gaussians": lambda rng, X: "gaussians",
    "gpk": _gpk,
    "hyperkernel": _hyperkernel,
    "tk": _tk,
    "list + delta": lambda rng, X: [_list(rng, X), "delta"],
    "tk + list": lambda rng, X: [_tk(rng, X), _list(rng, X)],
    "gpk + gaussian + delta": lambda rng, X: [_gpk(rng, X), _gaussian(rng, X), "delta"],
    "cosine + delta": lambda rng, X: [_cosine(rng, X), "delta"],
    "on": _on,
    "each": lambda rng, X: kernelopt.each("tk" if rng.integers(2) else _list(rng, X)),
    "pairs": _pairs,
    "sampled": lambda rng, X: kernelopt.sampled(["tk", "gpk", "gaussian", "cosine"][rng.integers(4)], 8),
    "spelled": _spelled,
    "priced list": _priced_list,
    "priced gpk": lambda rng, X: kernelopt.priced("gpk", _price(rng), _total(rng)),
    "priced tk + delta": lambda rng, X: [kernelopt.priced("tk", _price(rng)), kernelopt.priced("delta", _price(rng))],
    "norm": _costly(Norm),
    "square": _costly(Square),
}
"""Each kind: from a generator and the rows to what `family` is given."""
LATER = {
    "metric": _metric,
    "group": lambda rng, X: ["group", "delta"] if rng.integers(2) else "group",
    "signed": _signed,
}
"""Kinds that came later: each takes the place of one problem in so many as there were kinds, and all others
stay."""
