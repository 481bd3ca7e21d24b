"""Landscapes to search: random rows and dual variables."""

import numpy as np
import pytest
from kernelopt_cosine._frequency_objective import Landscape
from kernelopt_cosine._frequency_penalty import Decay


@pytest.fixture
def make_landscape():
    def made(n=25, d=2, *, c=1, beta=0.05, norm="l2", seed=0):
        rng = np.random.default_rng(seed)
        V = rng.normal(size=(n, c))
        return Landscape.normalised(rng.normal(size=(n, d)), V - V.mean(axis=0), Decay(beta, norm))[0]

    return made
