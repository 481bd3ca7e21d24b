"""Kernel learning with a certified duality gap.

kernelopt finds the best kernel for the data together with the machine that uses it, as one saddle problem: min over
kernels, max over dual variables. Any family of kernels works with any criterion and any solver, and every answer
carries an upper and a lower bound on the optimum.

    import kernelopt
    s = kernelopt.solve(family="tk", solver="fw")
    print(s)
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from kernelopt import datasets, plot, plugin, testing
    from kernelopt._certificate import Certificate
    from kernelopt._certify import certify
    from kernelopt._chain import Chain
    from kernelopt._criteria import (
        L2SVC,
        SVC,
        SVR,
        Alignment,
        LagrangianSVC,
        Margin,
        NuSVC,
        NuSVR,
        OneClass,
        Ridge,
    )
    from kernelopt._errors import (
        BrokenPlugin,
        InvalidData,
        InvalidOption,
        KerneloptError,
        KerneloptWarning,
        MissingLibrary,
        ModelFileError,
        NotEnoughMemory,
        OutsideBounds,
        Refused,
        UnknownName,
    )
    from kernelopt._evidence import Evidence, Reweighted, Scoring
    from kernelopt._families import (
        Constant,
        Delta,
        Dictionary,
        Precomputed,
        default_dictionary,
        each,
        fixed,
        on,
        pairs,
        sampled,
    )
    from kernelopt._files import load
    from kernelopt._listing import criteria, families, plugins, solvers
    from kernelopt._mixture import Mixture, Part
    from kernelopt._model import Model
    from kernelopt._solution import Solution
    from kernelopt._solve import solve
    from kernelopt._status import Status
    from kernelopt._trace import Record, Trace
    from kernelopt.sklearn import KernelClassifier, KernelOutlierDetector, KernelRegressor, LearnedKernel

_HOME = {
    "Alignment": "kernelopt._criteria",
    "BrokenPlugin": "kernelopt._errors",
    "Certificate": "kernelopt._certificate",
    "Chain": "kernelopt._chain",
    "Constant": "kernelopt._families",
    "Delta": "kernelopt._families",
    "Dictionary": "kernelopt._families",
    "Evidence": "kernelopt._evidence",
    "InvalidData": "kernelopt._errors",
    "InvalidOption": "kernelopt._errors",
    "KernelClassifier": "kernelopt.sklearn",
    "KernelOutlierDetector": "kernelopt.sklearn",
    "KernelRegressor": "kernelopt.sklearn",
    "KerneloptError": "kernelopt._errors",
    "KerneloptWarning": "kernelopt._errors",
    "L2SVC": "kernelopt._criteria",
    "LagrangianSVC": "kernelopt._criteria",
    "LearnedKernel": "kernelopt.sklearn",
    "Margin": "kernelopt._criteria",
    "MissingLibrary": "kernelopt._errors",
    "Mixture": "kernelopt._mixture",
    "Model": "kernelopt._model",
    "ModelFileError": "kernelopt._errors",
    "NotEnoughMemory": "kernelopt._errors",
    "NuSVC": "kernelopt._criteria",
    "NuSVR": "kernelopt._criteria",
    "OneClass": "kernelopt._criteria",
    "OutsideBounds": "kernelopt._errors",
    "Part": "kernelopt._mixture",
    "Precomputed": "kernelopt._families",
    "Record": "kernelopt._trace",
    "Refused": "kernelopt._errors",
    "Reweighted": "kernelopt._evidence",
    "Ridge": "kernelopt._criteria",
    "SVC": "kernelopt._criteria",
    "SVR": "kernelopt._criteria",
    "Scoring": "kernelopt._evidence",
    "Solution": "kernelopt._solution",
    "Status": "kernelopt._status",
    "Trace": "kernelopt._trace",
    "UnknownName": "kernelopt._errors",
    "certify": "kernelopt._certify",
    "compatibility": "kernelopt._compatibility",
    "criteria": "kernelopt._listing",
    "default_dictionary": "kernelopt._families",
    "each": "kernelopt._families",
    "families": "kernelopt._listing",
    "fixed": "kernelopt._families",
    "load": "kernelopt._files",
    "on": "kernelopt._families",
    "pairs": "kernelopt._families",
    "plugins": "kernelopt._listing",
    "priced": "kernelopt._families",
    "sampled": "kernelopt._families",
    "solve": "kernelopt._solve",
    "solvers": "kernelopt._listing",
}
_MODULES = ("datasets", "plot", "plugin", "testing")

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
    "Evidence",
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
    "NotEnoughMemory",
    "NuSVC",
    "NuSVR",
    "OneClass",
    "OutsideBounds",
    "Part",
    "Precomputed",
    "Record",
    "Refused",
    "Reweighted",
    "Ridge",
    "Scoring",
    "Solution",
    "Status",
    "Trace",
    "UnknownName",
    "__version__",
    "certify",
    "compatibility",
    "criteria",
    "datasets",
    "default_dictionary",
    "each",
    "families",
    "fixed",
    "load",
    "on",
    "pairs",
    "plot",
    "plugin",
    "plugins",
    "priced",
    "sampled",
    "solve",
    "solvers",
    "testing",
]


def __getattr__(name: str) -> Any:
    """Load what is used when it is used: importing kernelopt itself imports nothing heavy (PEP 562)."""
    from importlib import import_module

    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    elif name in _MODULES:
        value = import_module(f"kernelopt.{name}")
    else:
        raise AttributeError(f"module 'kernelopt' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
