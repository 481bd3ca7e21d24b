"""A kernel whose values drown the noise in rounding: the user is told where no likelihood was found, not elsewhere."""

import math

import attrs
import numpy as np

from kernelopt._evidence._singular import singular


def test_one_sentence_says_that_no_likelihood_was_found_and_what_to_do(posed):
    problem = posed("list")
    response = problem.respond(problem.center())
    assert singular(problem, response) is None
    text = singular(problem, attrs.evolve(response, upper=math.inf))
    assert "the Gram of the kernel is singular to rounding: k(x, x) is " in text
    assert problem.criterion.remarks(problem, attrs.evolve(response, upper=math.inf), np.arange(problem.n)) == (text,)
