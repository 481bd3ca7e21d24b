"""scikit-learn's own machines with a learned kernel, fitted already: the same decisions, and no part of kernelopt in
them but the kernel.
"""

import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputRegressor
from sklearn.preprocessing import LabelBinarizer

from kernelopt._base._errors import Refused
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._ridge import Ridge
from kernelopt._model._solution import Solution

_MACHINES: Mapping[str, type[Any]] = MappingProxyType(
    {"svc": svm.SVC, "nu-svc": svm.NuSVC, "svr": svm.SVR, "nu-svr": svm.NuSVR, "one-class": svm.OneClassSVM}
)


def machine_for(solution: Solution) -> Any:
    """A fitted machine of scikit-learn with f(z) = sum_i k(z, x_i) v_i + b.

    Raises:
        Refused: scikit-learn has no such machine.
    """
    encoding = solution.kernel.encoding
    if encoding is not None and (encoding.dates or not encoding.plain):
        raise Refused(
            "scikit-learn's machines take finite numbers, and this kernel was learned from columns with categories, "
            "dates, units or missing values; use the solution itself, or an estimator of kernelopt"
        )
    layout = solution.kernel.layout
    if layout is not None and layout.bases:
        raise Refused(
            "scikit-learn's machines take the rows that they were fitted on, and sparse rows are held as coordinates "
            "here; use the solution itself, or an estimator of kernelopt"
        )
    criterion, rows, V = solution.criterion, solution.support_vectors, solution.dual_coef
    intercept, classes = solution.predictor.intercept, solution.classes
    if isinstance(criterion, Ridge):
        if layout is not None and not layout.single:
            raise Refused(
                "scikit-learn's KernelRidge takes one matrix of numbers, and this kernel was learned from views; use "
                "the solution itself, or an estimator of kernelopt"
            )
        return _ridge(KernelRidge(criterion.lam * len(solution.response.V), kernel=solution.kernel), rows, V)
    if criterion.name not in _MACHINES:
        known = ", ".join(("ridge", *_MACHINES))
        raise Refused(f"scikit-learn has no machine for {criterion.name}; it has one for {known}")
    options = attrs.asdict(criterion)  # type: ignore[arg-type]
    plain = _MACHINES[criterion.name](kernel=solution.kernel, **options)
    if len(intercept) == 1:
        return _installed(plain, rows, V[:, 0], float(intercept[0]), classes)
    labels = None if classes is None else np.array([0, 1])
    machines = [_installed(plain, rows, v, float(b), labels) for v, b in zip(V.T, intercept, strict=True)]
    several = MultiOutputRegressor(plain) if classes is None else OneVsRestClassifier(plain)
    several.estimators_, several.n_features_in_ = machines, rows.shape[1]
    if classes is not None:
        several.label_binarizer_ = LabelBinarizer(sparse_output=True).fit(classes)
        several.classes_ = classes
    return several


def _ridge(machine: KernelRidge, rows: FloatArray, V: FloatArray) -> KernelRidge:
    machine.X_fit_, machine.n_features_in_ = rows, rows.shape[1]
    machine.dual_coef_ = V[:, 0] if V.shape[1] == 1 else V
    return machine


def _installed(plain: Any, rows: FloatArray, v: FloatArray, intercept: float, classes: npt.NDArray[Any] | None) -> Any:
    """The machine with these coefficients (s,), in libsvm's order: the first class in front, zeros left out.

    A step of libsvm makes everything else that such a machine holds; the answer then takes the place of its own.
    """
    classifies = classes is not None and not isinstance(plain, svm.OneClassSVM)
    order = np.flatnonzero(v)
    order = order[np.argsort(v[order] > 0.0, kind="stable")] if classifies else order
    rows, v = np.ascontiguousarray(rows[order]), v[order][None]
    machine = type(plain)(**plain.get_params()).set_params(max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(rows, (v[0] > 0.0).astype(int) if classifies else np.zeros(len(rows)))
    state = machine.__getstate__()
    first = int(np.count_nonzero(v < 0.0)) if classifies else len(rows)
    sign = -1.0 if classifies else 1.0
    b = np.array([intercept])
    state |= {
        "support_": np.arange(len(rows), dtype=np.int32),
        "_n_support": np.array([first, len(rows) - first], dtype=np.int32),
        "dual_coef_": v,
        "intercept_": b,
        "_dual_coef_": sign * v,
        "_intercept_": sign * b,
        "max_iter": -1,
        "fit_status_": 0,
    }
    state |= {"classes_": classes} if classifies else {}
    state |= {"offset_": -b} if isinstance(plain, svm.OneClassSVM) else {}
    machine.__setstate__(state)
    return machine
