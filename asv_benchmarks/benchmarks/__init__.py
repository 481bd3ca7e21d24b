"""How long the steps of a run take; `make bench` runs each once, `asv run` measures.

What is loaded and compiled when it is first used is used here, once, before asv forks a process for each run.
"""

from sklearn.datasets import load_iris

import kernelopt

_X, _y = load_iris(return_X_y=True)
for _solver in ("fw", "ipm", "smo"):
    kernelopt.solve(_X[50:], _y[50:], family="tk", solver=_solver, tol=1e-1)
