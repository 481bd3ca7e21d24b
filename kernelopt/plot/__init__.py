"""Pictures of solutions: a function for each picture, and the display class behind it. Pictures need matplotlib.

Users import from `kernelopt.plot`. Nothing here solves a problem, and of the rooms below only `_model/_doors` imports
this room.
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
