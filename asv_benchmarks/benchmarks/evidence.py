"""Kernel learning without tuning, and the search over a grid that it takes the place of."""

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import kernelopt

from . import _problems

COLUMNS = 10


class Auto:
    """`family="auto"`, whose Grams are held with 200 rows, and looked at in passing with more."""

    params = (200, 800, 2000)
    param_names = ("rows",)
    timeout = 300

    def setup(self, rows: int) -> None:
        self.X, self.y = _problems.rows((rows, COLUMNS))

    def _solved(self) -> kernelopt.Solution:
        return kernelopt.solve(self.X, self.y, family="auto", criterion="evidence")

    def time_to_a_thousandth(self, _: int) -> None:
        self._solved()

    def track_gap_in_nats(self, _: int) -> float:
        return self._solved().certificate.gap


class Grid:
    """A Gaussian machine of scikit-learn whose C and width are searched, on the same rows."""

    params = Auto.params[1:]
    param_names = ("rows",)
    timeout = 300

    def setup(self, rows: int) -> None:
        self.X, self.y = _problems.rows((rows, COLUMNS))
        options = {"svc__C": 10.0 ** np.arange(-1.0, 3.0), "svc__gamma": 10.0 ** np.arange(-2.0, 3.0) / (3.0 * COLUMNS)}
        self.search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), options, cv=3)

    def time_fit(self, _: int) -> None:
        self.search.fit(self.X, self.y)


class Features:
    """Random cosines on many rows: nothing n x n is formed."""

    rows, atoms = 10000, 100

    def setup(self) -> None:
        rng = np.random.default_rng(0)
        self.X = rng.normal(size=(self.rows, 4))
        self.y = np.sin(2.0 * self.X[:, 0]) + self.X[:, 1] * self.X[:, 2] + 0.3 * rng.normal(size=self.rows)

    def time_to_a_thousandth(self) -> None:
        kernelopt.solve(self.X, self.y, family=kernelopt.sampled("cosine", self.atoms), criterion="evidence")
