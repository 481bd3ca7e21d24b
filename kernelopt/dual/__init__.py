"""The inner quadratic programme: the best dual variables for a given kernel, with a certified gap."""

from kernelopt.dual._engine import Engine, maximise
from kernelopt.dual._repair import repair

__all__ = ["Engine", "maximise", "repair"]
