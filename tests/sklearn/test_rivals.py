"""The machines beside the learned one learn with one thread where the rows are few, whatever the process has."""

import numpy as np
from threadpoolctl import ThreadpoolController, threadpool_limits

from kernelopt.sklearn import _beside, _rivals


class CountsThreads:
    """A machine that remembers how many threads of OpenMP it had while it learned."""

    def __init__(self):
        self.seen = []

    def fit(self, X, y):
        self.seen = openmp()
        return self

    def predict(self, X):
        return np.zeros(len(X))


def openmp():
    return [one["num_threads"] for one in ThreadpoolController().select(user_api="openmp").info()]


def test_a_rival_on_few_rows_has_one_thread_and_gives_the_others_back():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    machine = CountsThreads()
    with threadpool_limits(2, user_api="openmp"):
        before = openmp()
        assert before
        assert set(before) == {2}
        losses = _beside._rival(
            _rivals.Rival("counts", machine), X, y, (np.arange(30), np.arange(30, 40)), "regression"
        )
        assert losses is not None
        assert openmp() == before
    assert set(machine.seen) == {1}
