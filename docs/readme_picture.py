"""Draw the picture of the README: what was learned when nothing was said, and how near it is to the optimum.

python docs/readme_picture.py docs/kernelopt.png
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

import kernelopt
from kernelopt import plot

DPI = 160
"""Two dots of the file are one of the page, so that sharp screens have a sharp picture."""


def draw(path: Path) -> None:
    """Two moons: the decision surface of the learned kernel, and the bounds step by step."""
    X, y = make_moons(120, noise=0.2, random_state=0)
    solution = kernelopt.solve(X, y)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.4), layout="constrained")
    plot.DecisionDisplay.from_solution(solution, X, y, ax=left)
    plot.BoundsDisplay.from_solution(solution, ax=right)
    figure.savefig(path, dpi=DPI, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    plt.switch_backend("Agg")
    draw(Path(sys.argv[1]))
