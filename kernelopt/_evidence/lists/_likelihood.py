"""Which way to the evidence of lists suits them: by the features of all atoms, or by the Gram."""

from kernelopt._evidence._counting import noise_of
from kernelopt._evidence.lists._feature_likelihood import ByFactors
from kernelopt._evidence.lists._hyperprior import own_price
from kernelopt._evidence.lists._list_likelihood import ByGram, Lists, targets_of
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._saddle._problem import Problem

_ROUGH = 5e-6
"""An accuracy, relative to the number of targets, that prices in single precision do not harm.
Worth: `constants.py evidence.rough`."""


def lists_of(problem: Problem, *, single: bool = False) -> Lists:
    """The way that suits the lists: by factors where all have few features, else by the Gram.

    Then the entries of its inverse may have seven digits, if the accuracy allows that.
    """
    Y = targets_of(problem)
    noise = noise_of(problem)
    if all(isinstance(leaf.family, ExplicitFamily) for leaf in problem.leaves):
        found = ByFactors.of(problem, Y, noise)
        if found is not None:
            return found
    return ByGram(problem, Y, noise, own_price(problem), single and problem.accuracy >= _ROUGH)
