"""Pictures of solutions: one function for each, and the display classes behind them. They need matplotlib.

Users import from `kernelopt.plot`. Nothing here solves anything, and nothing below imports this room but
`_model/_doors`.
"""

from kernelopt.plot._atoms import AtomsDisplay
from kernelopt.plot._calibration import CalibrationDisplay
from kernelopt.plot._canvas import Display
from kernelopt.plot._convergence import BoundsDisplay, GapDisplay, SizesDisplay
from kernelopt.plot._decision import DecisionDisplay
from kernelopt.plot._directions import DirectionsDisplay
from kernelopt.plot._functions import (
    atoms,
    calibration,
    convergence,
    decision,
    directions,
    features,
    grams,
    overview,
    regression,
    residuals,
    views,
    weights,
)
from kernelopt.plot._gram import GramDisplay
from kernelopt.plot._regression import RegressionDisplay
from kernelopt.plot._residuals import ResidualsDisplay
from kernelopt.plot._weights import FeaturesDisplay, ViewsDisplay, WeightsDisplay

__all__ = [
    "AtomsDisplay",
    "BoundsDisplay",
    "CalibrationDisplay",
    "DecisionDisplay",
    "DirectionsDisplay",
    "Display",
    "FeaturesDisplay",
    "GapDisplay",
    "GramDisplay",
    "RegressionDisplay",
    "ResidualsDisplay",
    "SizesDisplay",
    "ViewsDisplay",
    "WeightsDisplay",
    "atoms",
    "calibration",
    "convergence",
    "decision",
    "directions",
    "features",
    "grams",
    "overview",
    "regression",
    "residuals",
    "views",
    "weights",
]
