"""Draw the picture of the README: a run, and the machine that it found.

python docs/readme_picture.py docs/kernelopt.png
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

import kernelopt
from kernelopt import plot


def draw(path: Path) -> None:
    """Two moons: the bounds step by step, and the decision surface of the learned kernel."""
    X, y = make_moons(120, noise=0.2, random_state=0)
    criterion = {"name": "svc", "C": 10}
    solution = kernelopt.solve(X, y, family="tk", solver="ipm", criterion=criterion, tol=1e-6)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.4), layout="constrained")
    plot.BoundsDisplay.from_solution(solution, ax=left)
    plot.DecisionDisplay.from_solution(solution, X, y, ax=right)
    figure.savefig(path, dpi=80)


if __name__ == "__main__":
    plt.switch_backend("Agg")
    draw(Path(sys.argv[1]))
