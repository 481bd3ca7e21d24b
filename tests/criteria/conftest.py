from functools import partial

import numpy as np
import pytest

from kernelopt.dual import maximise
from kernelopt.plugin import Dense


def answer(criterion, K, y, weight=None, accuracy=1e-12):
    """The core's answer to a Gram matrix for one column of targets."""
    (qp,) = criterion.outputs(y[:, None], np.ones((len(y), 1)) if weight is None else weight[:, None])
    gram = Dense(K)
    dual = maximise(qp, gram, partial(criterion.primal, qp, gram), accuracy=accuracy)
    assert dual.converged
    return dual


def decision(dual, K):
    """F + b on the training rows."""
    return K @ dual.v + (dual.multipliers[0] if len(dual.multipliers) else 0.0)


@pytest.fixture(name="answer")
def _answer():
    return answer


@pytest.fixture(name="decision")
def _decision():
    return decision


@pytest.fixture(params=range(4))
def data(request):
    """A Gram matrix (60, 60), two classes of different size, and a regression target with noise."""
    rng = np.random.default_rng(request.param)
    X = rng.normal(size=(60, 3))
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(-1)) + 0.2 * np.eye(60)
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=60) > 0.3, 1.0, -1.0)
    target = 2.0 + np.sin(2.0 * X[:, 0]) + 0.2 * rng.normal(size=60)
    return K, y, target, rng
