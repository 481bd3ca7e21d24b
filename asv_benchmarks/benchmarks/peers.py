"""Others at the same work: libsvm, as scikit-learn wraps it, on one Gram matrix; a semidefinite program on all."""

import numpy as np
from sklearn.svm import SVC

from . import _problems, _qcqp, _sdp


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


class Sdp:
    """The whole answer beside the semidefinite program of Colbert and Peet (2020), equation (24), where cvxpy is."""

    params = _sdp.ROWS
    param_names = ("rows",)
    timeout = 600
    number, repeat, warmup_time = 1, 1, 0.0

    def setup(self, _: int) -> None:
        if not _sdp.installed():
            raise NotImplementedError("cvxpy and Clarabel are not installed")

    def time_saddle(self, rows: int) -> None:
        _sdp.saddle(rows)

    def track_program_seconds(self, rows: int) -> float:
        return _sdp.program(rows).seconds

    def track_difference(self, rows: int) -> float:
        ours, theirs = _sdp.saddle(rows), _sdp.program(rows)
        return abs(ours.value - theirs.value) / abs(theirs.value)


class Qcqp:
    """A finite list beside its quadratically constrained program as it is written down, where cvxpy is."""

    timeout = 600
    number, repeat, warmup_time = 1, 1, 0.0

    def setup(self) -> None:
        if not _qcqp.installed():
            raise NotImplementedError("cvxpy is not installed")

    def time_cone(self) -> None:
        _qcqp.cone(_qcqp.ROWS, _qcqp.ATOMS)

    def track_written_seconds(self) -> float:
        return _qcqp.written(_qcqp.ROWS, _qcqp.ATOMS).seconds

    def track_difference(self) -> float:
        ours, theirs = _qcqp.cone(_qcqp.ROWS, _qcqp.ATOMS), _qcqp.written(_qcqp.ROWS, _qcqp.ATOMS)
        return abs(ours.value - theirs.value) / abs(theirs.value)
