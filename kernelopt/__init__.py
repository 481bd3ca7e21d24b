"""Kernel learning with a certified duality gap.

kernelopt finds the best kernel for the data together with the machine that uses it, as one saddle problem: min over
kernels, max over dual variables. Any family of kernels works with any criterion and any solver, and every answer
carries an upper and a lower bound on the optimum.

    import kernelopt
    s = kernelopt.solve(family="tk", solver="fw")
    print(s)
"""

from typing import TYPE_CHECKING, Any

from kernelopt._base._version import __version__

if TYPE_CHECKING:
    from kernelopt import datasets, plot, plugin, testing
    from kernelopt._api._certify import certify
    from kernelopt._api._compatibility import compatibility
    from kernelopt._api._family_specs import by_view, each, nonsquared, on, pairs, priced, sampled
    from kernelopt._api._solve import solve
    from kernelopt._api._solve_targets import solve_targets
    from kernelopt._base._errors import (
        BrokenPlugin,
        InvalidData,
        InvalidOption,
        KerneloptError,
        KerneloptWarning,
        MissingLibrary,
        ModelFileError,
        NewMissingValues,
        NotEnoughMemory,
        OutsideBounds,
        Refused,
        UnknownName,
    )
    from kernelopt._base._status import Status
    from kernelopt._base.tables._views import Views
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
    from kernelopt._evidence._criterion import Evidence
    from kernelopt._evidence._reweighted import Reweighted
    from kernelopt._evidence._scoring import Scoring
    from kernelopt._families._mixture import Mixture, Part
    from kernelopt._families.dictionary._dictionary import Dictionary
    from kernelopt._families.dictionary._ready_lists import default_dictionary, fixed
    from kernelopt._families.dictionary.kernels._forest_kernel import forest_kernel
    from kernelopt._families.dictionary.kernels._precomputed import Precomputed
    from kernelopt._families.variances._constant import Constant
    from kernelopt._families.variances._delta import Delta
    from kernelopt._families.variances._group import Group
    from kernelopt._io._model_file import load
    from kernelopt._model._directions import directions
    from kernelopt._model._model import Model
    from kernelopt._model._solution import Solution
    from kernelopt._plugins._listing import criteria, families, plugins, solvers
    from kernelopt._prediction._directions import Directions
    from kernelopt._report._report import Report, report
    from kernelopt._rows._contract import RowBlocks
    from kernelopt._rows._open import row_blocks
    from kernelopt._saddle._certificate import Certificate
    from kernelopt._saddle._trace import Record, Trace
    from kernelopt._solvers._chain import Chain
    from kernelopt._targets._solution import TargetsSolution
    from kernelopt._variance_components._fit import variance_components
    from kernelopt._variance_components._parts import FixedEffect, VarianceComponent
    from kernelopt._variance_components._result import VarianceComponents
    from kernelopt.sklearn import KernelClassifier, KernelOutlierDetector, KernelRegressor, LearnedKernel

_HOME = {
    "Alignment": "kernelopt._criteria._alignment",
    "BrokenPlugin": "kernelopt._base._errors",
    "Certificate": "kernelopt._saddle._certificate",
    "Chain": "kernelopt._solvers._chain",
    "Constant": "kernelopt._families.variances._constant",
    "Delta": "kernelopt._families.variances._delta",
    "Dictionary": "kernelopt._families.dictionary._dictionary",
    "Directions": "kernelopt._prediction._directions",
    "Evidence": "kernelopt._evidence._criterion",
    "Group": "kernelopt._families.variances._group",
    "InvalidData": "kernelopt._base._errors",
    "InvalidOption": "kernelopt._base._errors",
    "FixedEffect": "kernelopt._variance_components._parts",
    "KernelClassifier": "kernelopt.sklearn",
    "KernelOutlierDetector": "kernelopt.sklearn",
    "KernelRegressor": "kernelopt.sklearn",
    "KerneloptError": "kernelopt._base._errors",
    "KerneloptWarning": "kernelopt._base._errors",
    "L2SVC": "kernelopt._criteria._l2_svc",
    "LagrangianSVC": "kernelopt._criteria._lagrangian_svc",
    "LearnedKernel": "kernelopt.sklearn",
    "Margin": "kernelopt._criteria._margin",
    "MissingLibrary": "kernelopt._base._errors",
    "Mixture": "kernelopt._families._mixture",
    "Model": "kernelopt._model._model",
    "ModelFileError": "kernelopt._base._errors",
    "NotEnoughMemory": "kernelopt._base._errors",
    "NuSVC": "kernelopt._criteria._nu_svc",
    "NuSVR": "kernelopt._criteria._nu_svr",
    "OneClass": "kernelopt._criteria._one_class",
    "NewMissingValues": "kernelopt._base._errors",
    "OutsideBounds": "kernelopt._base._errors",
    "Part": "kernelopt._families._mixture",
    "Precomputed": "kernelopt._families.dictionary.kernels._precomputed",
    "Record": "kernelopt._saddle._trace",
    "Refused": "kernelopt._base._errors",
    "Report": "kernelopt._report._report",
    "Reweighted": "kernelopt._evidence._reweighted",
    "Ridge": "kernelopt._criteria._ridge",
    "RowBlocks": "kernelopt._rows._contract",
    "SVC": "kernelopt._criteria._svc",
    "SVR": "kernelopt._criteria._svr",
    "Scoring": "kernelopt._evidence._scoring",
    "Solution": "kernelopt._model._solution",
    "Status": "kernelopt._base._status",
    "TargetsSolution": "kernelopt._targets._solution",
    "Trace": "kernelopt._saddle._trace",
    "UnknownName": "kernelopt._base._errors",
    "VarianceComponent": "kernelopt._variance_components._parts",
    "VarianceComponents": "kernelopt._variance_components._result",
    "Views": "kernelopt._base.tables._views",
    "by_view": "kernelopt._api._family_specs",
    "certify": "kernelopt._api._certify",
    "compatibility": "kernelopt._api._compatibility",
    "criteria": "kernelopt._plugins._listing",
    "default_dictionary": "kernelopt._families.dictionary._ready_lists",
    "directions": "kernelopt._model._directions",
    "each": "kernelopt._api._family_specs",
    "families": "kernelopt._plugins._listing",
    "fixed": "kernelopt._families.dictionary._ready_lists",
    "forest_kernel": "kernelopt._families.dictionary.kernels._forest_kernel",
    "load": "kernelopt._io._model_file",
    "nonsquared": "kernelopt._api._family_specs",
    "on": "kernelopt._api._family_specs",
    "pairs": "kernelopt._api._family_specs",
    "plugins": "kernelopt._plugins._listing",
    "priced": "kernelopt._api._family_specs",
    "report": "kernelopt._report._report",
    "row_blocks": "kernelopt._rows._open",
    "sampled": "kernelopt._api._family_specs",
    "solve": "kernelopt._api._solve",
    "solve_targets": "kernelopt._api._solve_targets",
    "solvers": "kernelopt._plugins._listing",
    "variance_components": "kernelopt._variance_components._fit",
}
_MODULES = ("datasets", "dual", "interior", "plot", "plugin", "sklearn", "testing")

__all__ = [
    "L2SVC",
    "SVC",
    "SVR",
    "Alignment",
    "BrokenPlugin",
    "Certificate",
    "Chain",
    "Constant",
    "Delta",
    "Dictionary",
    "Directions",
    "Evidence",
    "FixedEffect",
    "Group",
    "InvalidData",
    "InvalidOption",
    "KernelClassifier",
    "KernelOutlierDetector",
    "KernelRegressor",
    "KerneloptError",
    "KerneloptWarning",
    "LagrangianSVC",
    "LearnedKernel",
    "Margin",
    "MissingLibrary",
    "Mixture",
    "Model",
    "ModelFileError",
    "NewMissingValues",
    "NotEnoughMemory",
    "NuSVC",
    "NuSVR",
    "OneClass",
    "OutsideBounds",
    "Part",
    "Precomputed",
    "Record",
    "Refused",
    "Report",
    "Reweighted",
    "Ridge",
    "RowBlocks",
    "Scoring",
    "Solution",
    "Status",
    "TargetsSolution",
    "Trace",
    "UnknownName",
    "VarianceComponent",
    "VarianceComponents",
    "Views",
    "__version__",
    "by_view",
    "certify",
    "compatibility",
    "criteria",
    "datasets",
    "default_dictionary",
    "directions",
    "each",
    "families",
    "fixed",
    "forest_kernel",
    "load",
    "nonsquared",
    "on",
    "pairs",
    "plot",
    "plugin",
    "plugins",
    "priced",
    "report",
    "row_blocks",
    "sampled",
    "solve",
    "solve_targets",
    "solvers",
    "testing",
    "variance_components",
]


def __getattr__(name: str) -> Any:
    """Load what is used when it is used: importing kernelopt itself imports nothing heavy (PEP 562)."""
    from contextlib import nullcontext
    from importlib import import_module
    from sys import modules

    from kernelopt._base._collector import uncollected
    from kernelopt._base._interrupts import undisturbed

    if name not in _HOME and name not in _MODULES:
        raise AttributeError(f"module 'kernelopt' has no attribute {name!r}")
    home = _HOME.get(name, f"kernelopt.{name}")
    quiet = nullcontext() if home in modules else uncollected()  # where nothing is loaded, nothing is made that stays
    with undisturbed(), quiet:  # an import that was broken off may fail the next time
        value = getattr(import_module(home), name) if name in _HOME else import_module(home)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
