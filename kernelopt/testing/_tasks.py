"""Every criterion on small data, and whether two certified answers can be those of one problem."""

import numpy as np
from sklearn.datasets import load_iris

from kernelopt._criteria._alignment import Alignment
from kernelopt._criteria._l2_svc import L2SVC
from kernelopt._criteria._lagrangian_svc import LagrangianSVC
from kernelopt._criteria._margin import Margin
from kernelopt._criteria._nu_svc import NuSVC
from kernelopt._criteria._nu_svr import NuSVR
from kernelopt._criteria._one_class import OneClass
from kernelopt._criteria._ridge import Ridge
from kernelopt._criteria._svc import SVC
from kernelopt._criteria._svr import SVR
from kernelopt._saddle._certificate import Certificate
from kernelopt.plugin import Criterion, FloatArray


def every_criterion() -> dict[str, Criterion]:
    """The ten criteria of the core by name, with options that suit `small_task` and its 40 rows."""
    criteria: tuple[Criterion, ...] = (
        SVC(C=2.0),
        L2SVC(C=1.0),
        LagrangianSVC(c=0.5),
        NuSVC(nu=0.4),
        Margin(C=0.1),
        SVR(C=1.0, epsilon=0.1),
        NuSVR(C=1.0, nu=0.4),
        OneClass(nu=0.4),
        Alignment(),
        Ridge(lam=0.02),
    )
    return {criterion.name: criterion for criterion in criteria}


def small_task(task: str, n: int = 40) -> tuple[FloatArray, FloatArray | None]:
    """Rows X (n, 2) and targets y (n,) for a criterion's `task`, for `kernelopt.solve`; no y for "novelty".

    The classes are those of two opposite quadrants, and the numbers are a sine; both are noisy.
    """
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n, 2))
    if task == "regression":
        return X, np.sin(2.0 * X[:, 0]) + 0.3 * rng.normal(size=n)
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n) > 0.0, 1.0, -1.0)
    return X, None if task == "novelty" else y


def three_classes(step: int = 2) -> tuple[FloatArray, FloatArray]:
    """Every `step`-th row of iris in the unit box, X (n, 4), and each class against the rest, Y (n, 3) of 1 and -1."""
    X, label = load_iris(return_X_y=True)
    X, label = X[::step], label[::step]
    X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    return X, np.where(label[:, None] == np.arange(3), 1.0, -1.0)


def meet(first: Certificate, second: Certificate, room: float = 1e-12) -> bool:
    """Whether two intervals between bounds have a point in common, up to the relative room `room`.

    The bounds of two solvers of the same problem must do so, because both intervals contain the optimum.
    """
    slack = room * max(abs(first.upper), abs(second.upper))
    return first.lower <= second.upper + slack and second.lower <= first.upper + slack
