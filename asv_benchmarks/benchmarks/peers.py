"""The inner problem beside libsvm, as scikit-learn wraps it, on one Gram matrix of a learned family."""

import numpy as np
from sklearn.svm import SVC

from . import _problems


class Peers:
    params = (_problems.SIZES, (1.0, 100.0))
    param_names = ("size", "C")

    def setup(self, size: tuple[int, int], C: float) -> None:
        self.problem = _problems.problem("tk", size, C)
        self.center = self.problem.center()
        self.K = np.ascontiguousarray(self.problem.gram(self.center).dense())
        self.y = _problems.rows(size)[1]
        self.problem.respond(self.center)

    def time_kernelopt(self, *_: object) -> None:
        self.problem.respond(self.center)

    def time_libsvm(self, _: object, C: float) -> None:
        SVC(C=C, kernel="precomputed", tol=1e-5).fit(self.K, self.y)
