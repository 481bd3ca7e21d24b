"""The inner quadratic programme: the best dual variables for a given kernel, with a certified gap."""

from kernelopt.dual._engine import Engine, maximise
from kernelopt.dual._repair import repair
from kernelopt.dual._wide import generic_primal, maximise_wide

__all__ = ["Engine", "generic_primal", "maximise", "maximise_wide", "repair"]
