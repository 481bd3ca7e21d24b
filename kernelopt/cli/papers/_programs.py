"""What tables of the papers measure that is no solve: a criterion of one of these names says which."""

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

import attrs
import numpy as np
from sklearn.svm import SVC

import kernelopt
from kernelopt._base._errors import InvalidOption, MissingLibrary
from kernelopt._base._typing import FloatArray
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families._mixture import Mixture
from kernelopt._prediction._kernel import Kernel

Rows = tuple[FloatArray, Any]
"""X (n, d) and two classes (n,)."""


def nearest(rows: Rows, options: Mapping[str, Any], norm: str) -> dict[str, float]:
    """How near a family comes to the ideal kernel yy' of the labels y = 1 and -1, and the gap of both bounds.

    Colbert and Peet (2020), programs (20) and (21), with the K* of theorem 10 for classes of one size.

    Raises:
        MissingLibrary: the plugin kernelopt-sdp is not installed.
    """
    try:
        program = import_module("kernelopt_sdp").nearest_kernel
    except ImportError:
        raise MissingLibrary("the nearest kernel needs the plugin: python -m pip install kernelopt-sdp") from None
    X, y = rows
    signs = np.where(y == np.unique(y)[0], -1.0, 1.0)
    found = program(np.outer(signs, signs), X, family=options["family"], norm=norm)
    return {"distance": found.distance, "gap": (found.distance - found.lower) / max(found.distance, 1e-300)}


def libsvm(
    rows: Rows, options: Mapping[str, Any], rank: int, C: float = 1.0, *, learned: bool = False
) -> dict[str, float]:
    """The iterations of libsvm, at its own tolerance, with the kernel of a random P of this rank or of the learned P.

    P = V V' / |V|^2 with independent normal entries of V (order, rank): Talitckii, Colbert and Peet (2024), appendix C.
    Both have trace 1. The learned P does not depend on `rank`.

    Raises:
        InvalidOption: the family has no matrix.
    """
    X, y = rows
    wanted = {name: options[name] for name in ("family", "scale", "solver", "tol", "seed")}
    criterion = {"name": "svc", "C": C}
    found = kernelopt.solve(X, y, criterion=criterion, **wanted, max_steps=None if learned else 0)
    kernel = found.kernel if learned else _at_random(found.kernel, rank, options["seed"])
    machine = SVC(kernel="precomputed", C=C).fit(kernel(X), y)
    return {"iterations": float(machine.n_iter_.sum())}


def _at_random(kernel: Kernel, rank: int, seed: int) -> Kernel:
    """The kernel of a random P of trace 1, of the same family."""
    (leaf,) = kernel.leaves
    if not isinstance(leaf.family, MatrixFamily):
        raise InvalidOption(f"libsvm: {leaf.family.name} has no matrix P, wanted a family such as tk")
    V = np.random.default_rng(seed).normal(size=(leaf.family.order, int(rank)))
    return attrs.evolve(kernel, mixture=Mixture((leaf.family.part(V @ V.T / np.vdot(V, V)),)))


PROGRAMS: Mapping[str, Callable[..., dict[str, float]]] = MappingProxyType({"nearest": nearest, "libsvm": libsvm})
"""By the name of the criterion, whose options they take."""


def program_of(criterion: Any) -> str | None:
    """The program that a criterion of a table names; None where it is one of `kernelopt.solve`."""
    name = criterion.get("name") if isinstance(criterion, dict) else criterion
    return name if name in PROGRAMS else None


def measured(rows: Rows, options: Mapping[str, Any]) -> dict[str, float]:
    """What the program of these options measures, by the names of `QUANTITIES`."""
    criterion = dict(options["criterion"])
    return PROGRAMS[criterion.pop("name")](rows, options, **criterion)
