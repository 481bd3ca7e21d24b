"""What the block work of many rows takes with numpy, and on a device by torch, on the same rows and landmarks.

A line for each piece of work and each place: seconds of the wall, CPU seconds, and how far the result is from that of
numpy, relative to its largest entry. Medians of so many repetitions, after one that does not count. The work:

* landmarks: the first pass over the rows, which is all for numbers: features of a sum of three kernels, and their sums;
* classes: one of Newton's further passes; numpy holds the features of the first, up to 2 GiB, a device computes them;
* thin: the first pass for a Gaussian of each column, by some 30 landmarks each;
* values: what the machine says of all rows.

With --kin40k it is kin40k instead, 36,000 rows to learn from and 4000 to judge by, exactly: landmarks as a
preconditioner, the Gram of all rows in single precision, and conjugate gradients, for one fixed kernel; and the mean
squared error of standardised targets. With numpy that takes minutes, and 8 GB of memory. With --answer it is
`kernelopt.solve` on the rows, from the beginning to the end, or with --kin40k on these.

    python asv_benchmarks/device_table.py [--device cuda] [--rows 100000] [--columns 10] [--landmarks 500]
    KERNELOPT_DATA=... python asv_benchmarks/device_table.py --kin40k [--device cuda] [--only-device] [--answer]
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable

import attrs
import numpy as np
from _sets import data
from sklearn.datasets import make_friedman1

import kernelopt
from kernelopt._base._typing import FloatArray
from kernelopt._device._arrays import Arrays, opened
from kernelopt._device._gram import DeviceGram
from kernelopt._evidence._whole_kernel import Equations, HalfGram, Spanned, WholeGram, WholeKernel
from kernelopt._evidence.classes._summed_classes import _Looking
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture
from kernelopt._families.dictionary.kernels._base_kernels import ColumnKernel
from kernelopt._families.features._device_kernel import DeviceSum
from kernelopt._families.features._feature_rows import FeatureMap, FeatureRows, HeldRows
from kernelopt._families.features._feature_sums import Summing
from kernelopt._families.features._landmark_choice import chosen
from kernelopt._families.features._landmark_lists import spanned
from kernelopt._families.features._landmarks import Landmarks
from kernelopt._linalg._feature_block import HeldBlock
from kernelopt._prediction._kernel import Kernel

CANDIDATES = 10_000
NOISE = 1e-3
"""Of kin40k, whose targets have the variance 1."""


@attrs.frozen
class Measured:
    """One line.

    Attributes:
        work: in a word.
        place: numpy, or the device.
        wall, cpu: seconds.
        result: what was found.
    """

    work: str
    place: str
    wall: float
    cpu: float
    result: FloatArray

    def line(self, first: FloatArray) -> str:
        """In a table, with how far it is from the first result."""
        apart = float(np.abs(self.result - first).max() / np.abs(first).max())
        return f"| {self.work} | {self.place} | {self.wall:.3g} | {self.cpu:.3g} | {apart:.0e} |\n"


def measured(work: str, arrays: Arrays | None, repeats: int, found: Callable[[], FloatArray]) -> Measured:
    """Medians of some repetitions, and one before that does not count where there are several."""
    walls, cpus, result = [], [], found() if repeats > 1 else np.zeros(0)
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        result = found()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    place = "numpy" if arrays is None else arrays.name
    return Measured(work, place, statistics.median(walls), statistics.median(cpus), result)


def dictionary(X: FloatArray, *gammas: float) -> kernelopt.Dictionary:
    """A Gaussian, a Laplacian and an exponential of all columns."""
    names = zip(("rbf", "laplacian", "exponential"), gammas, strict=True)
    kernels = [(name, {"gamma": gamma}) for name, gamma in names]
    return kernelopt.Dictionary(kernels, normalize="trace").prepare(X, np.ones(len(X)))


def landmarks(X: FloatArray, family: kernelopt.Dictionary, most: int) -> Leaf:
    """So many rows that stand for the mean of the kernels."""
    rng = np.random.default_rng(0)
    few = X[np.sort(rng.permutation(len(X))[:CANDIDATES])]
    kernel = chosen(family, family.dictionary(), few, most, 0.0, rng).kernel
    return Leaf(Landmarks((kernel,)), np.arange(X.shape[1]))


def thin(X: FloatArray) -> Leaf:
    """A Gaussian of each column, by the rows that span it."""
    kernels = tuple(ColumnKernel(("rbf", {"gamma": 0.5}), j) for j in range(X.shape[1]))
    family = kernelopt.Dictionary(kernels, normalize="trace")
    (found,) = spanned((Leaf(family.prepare(X, np.ones(len(X))), np.arange(X.shape[1])),), X)
    assert found is not None
    return found


def passes(X: FloatArray, y: FloatArray, asked: argparse.Namespace, arrays: Arrays | None) -> list[Measured]:
    """The lines of one place."""
    many, weight = landmarks(X, dictionary(X, 0.05, 0.05, 0.1), asked.landmarks), np.ones(len(X))

    def first(leaf: Leaf, target: FloatArray) -> tuple[FloatArray, HeldRows]:
        features = FeatureMap.of((leaf,), X, arrays)
        sums, seen = HeldRows.of(FeatureRows(features, X), target[:, None], weight).total(Summing(features))
        return sums.inner, seen

    _, seen = first(many, np.sign(y))
    b = np.linspace(-1.0, 1.0, seen.features.width)
    look = _Looking(seen.features.map, np.ones(len(b)), b, 0, curved=True)
    columns = thin(X)
    work: dict[str, Callable[[], FloatArray]] = {
        "landmarks": lambda: first(many, y)[0],
        "classes": lambda: seen.total(look)[0].curvature,
        "thin": lambda: first(columns, y)[0],
        "values": lambda: FeatureRows(FeatureMap.of((many,), X, arrays), X).image(b[:, None]),
    }
    return [measured(name, arrays, asked.repeats, found) for name, found in work.items()]


def exactly(X: FloatArray, y: FloatArray, asked: argparse.Namespace, arrays: Arrays | None) -> list[Measured]:
    """The lines of a whole kernel in one place; the result of the last is v, by which others are judged."""
    train = X[: -len(X) // 10]
    target = y[: len(train), None]
    family = dictionary(train, 0.05, 0.02, 0.1)
    few, everywhere = landmarks(train, family, asked.landmarks), Leaf(family, np.arange(X.shape[1]))
    kernel = Kernel((everywhere,), Mixture((family.dictionary(),)), X.shape[1])
    kept: dict[str, object] = {}

    def preconditioner() -> FloatArray:
        features = FeatureMap.of((few,), train, arrays)
        there = HeldBlock(features.at(train)) if features.device is None else features.device.whole(train)
        explained = there.squares(np.ones(features.width))
        kept["spanned"] = Spanned(there, np.ones(features.width), np.maximum(kernel.diag(train) - explained, 0.0))
        return explained

    def gram() -> FloatArray:
        kept["gram"] = whole_gram(kernel, train, arrays)
        return kept["gram"].image(target)  # type: ignore[attr-defined, no-any-return]

    def solution() -> FloatArray:
        whole = WholeKernel(kept["gram"], kept["spanned"])  # type: ignore[arg-type]
        found = Equations.of(whole, np.ones(len(train)), NOISE).solved(target, bool)
        assert found is not None
        return found

    steps = {"preconditioner": preconditioner, "gram": gram, "gradients": solution}
    lines = [measured(name, arrays, 1, found) for name, found in steps.items()]
    parts = np.array_split(X[len(train) :], 10)
    values = np.concatenate([kernel.between(part, train) @ lines[-1].result[:, 0] for part in parts])
    told(lines[-1].place, values - y[len(train) :])
    return lines


def told(place: str, left: FloatArray) -> None:
    """Print how wrong a machine is on rows that were left out."""
    sys.stdout.write(f"{place}: mean squared error {np.mean(left**2):.5f} on {len(left)} rows\n")


def never(_: float) -> bool:
    """There is time for all."""
    return False


def whole_gram(kernel: Kernel, X: FloatArray, arrays: Arrays | None) -> WholeGram:
    """K between all rows, in one place."""
    if arrays is None:
        found: WholeGram | None = HalfGram.of(len(X), lambda some, others: kernel.between(X[some], X[others]), never)
    else:
        found = DeviceGram.of(arrays, len(X), DeviceSum.of(arrays, kernel.leaves, kernel.mixture, X).between, never)
    assert found is not None
    return found


def answers(X: FloatArray, y: FloatArray, _: argparse.Namespace, arrays: Arrays | None) -> list[Measured]:
    """The line of the whole answer in one place; the result is what it says of the last tenth of the rows."""
    train = len(X) - len(X) // 10

    def found() -> FloatArray:
        s = kernelopt.solve(X[:train], y[:train], criterion=kernelopt.Evidence(targets="numbers"), device=arrays)
        return np.asarray(s.predict(X[train:]))

    line = measured("the whole answer", arrays, 1, found)
    told(line.place, line.result - y[train:])
    return [line]


def rows_of(asked: argparse.Namespace) -> tuple[FloatArray, FloatArray]:
    """The rows and their targets, of variance 1, in a random order."""
    if asked.kin40k:
        X, y = data("kin40k", asked.rows)
    else:
        X, y = make_friedman1(asked.rows, n_features=max(asked.columns, 5), noise=1.0, random_state=0)
    order = np.random.default_rng(0).permutation(len(X))
    X, y = (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()
    return np.ascontiguousarray(X[order]), y[order]


def main() -> None:
    """Print the lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--landmarks", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--kin40k", action="store_true")
    parser.add_argument("--answer", action="store_true")
    parser.add_argument("--only-device", action="store_true")
    asked = parser.parse_args()
    X, y = rows_of(asked)
    one = answers if asked.answer else exactly if asked.kin40k else passes
    places = ([] if asked.only_device else [None]) + ([] if asked.device is None else [opened(asked.device)])
    found = [one(X, y, asked, arrays) for arrays in places]
    sys.stdout.write("| work | place | wall s | CPU s | apart |\n|---|---|---|---|---|\n")
    for lines in zip(*found, strict=True):
        sys.stdout.write("".join(line.line(lines[0].result) for line in lines))


if __name__ == "__main__":
    main()
