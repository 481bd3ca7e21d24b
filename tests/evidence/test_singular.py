"""A kernel whose values drown the noise in rounding: the user is told where no likelihood was found, not elsewhere."""

import math

import attrs
import numpy as np

import kernelopt
from kernelopt._evidence._singular import singular


def test_one_sentence_says_that_no_likelihood_was_found_and_what_to_do(posed):
    problem = posed("list")
    response = problem.respond(problem.center())
    assert singular(problem, response) is None
    text = singular(problem, attrs.evolve(response, upper=math.inf))
    assert "the Gram of the kernel is singular to rounding: k(x, x) is " in text
    unbounded = attrs.evolve(response, upper=math.inf)
    rows, targets = np.arange(problem.n), np.zeros((problem.n, 1))
    assert problem.criterion.remarks(problem, unbounded, rows, targets, converged=False) == (text,)


def test_a_start_that_drowns_the_noise_is_told_and_what_is_advised_helps(data):
    X, y = data
    family = [kernelopt.Dictionary(["linear", ("poly", {"degree": 2})]), "delta"]
    plain = kernelopt.solve(X, y, family=family, criterion="evidence")
    listed, noise, *level = (part.scaled(1e25) for part in plain.mixture.parts)
    nothing = kernelopt.Part(noise.atoms[:0], noise.weights[:0])
    start = kernelopt.Mixture((listed, nothing, *level))
    s = kernelopt.solve(X, y, family=family, criterion="evidence", start=start, max_steps=1)
    assert [note for note in s.notes if note.endswith("and leave out scale= and start=")]
    assert plain.status.converged
