"""Rows that are read in blocks: what the evidence takes for them, in CPU seconds and memory, wherever they come from.

Eight columns of which three matter, in a folder that is made once: as a memory map, as Parquet in row groups of 100,000
rows, and as CSV. The family is a list of a Gaussian of each column ("thin": exact, with the certificate of all rows) or
the default ("auto"). A line for each source: rows, family, what is learned, status, the relative gap, features in all,
R2 or the share of right answers on 20,000 new rows, CPU seconds of the solve, and the largest memory of its process in
GB beyond what it takes to import the library. With --agree it is 20,000 rows, in memory and in blocks, with one kernel:
how far apart the bounds are, relative to them.

    python asv_benchmarks/blocks_table.py FOLDER [--rows 2000000] [--sources map parquet csv] [--family thin]
        [--targets numbers] [--gamma 2.0]
    python asv_benchmarks/blocks_table.py FOLDER --agree
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np

import kernelopt
from kernelopt._families.features._landmarks import Landmarks

COLUMNS, NEW, AT_ONCE = 8, 20_000, 100_000
SOURCES = ("map", "parquet", "csv")
Targets = Literal["numbers", "labels"]


def drawn(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and their numbers."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, COLUMNS))
    return X, np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2 - 1.0 + 0.5 * X[:, 2] + 0.3 * rng.normal(size=rows)


def parts(rows: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """All rows, some at once."""
    for k, first in enumerate(range(0, rows, AT_ONCE)):
        yield drawn(min(AT_ONCE, rows - first), k)


def written(folder: Path, rows: int, source: str) -> Path:
    """A file of these rows, which is made where it is not there."""
    path = folder / f"{rows}.{source}"
    if path.exists():
        return path
    names = [*(f"x{j}" for j in range(COLUMNS)), "y"]
    if source == "map":
        held = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=(rows, COLUMNS + 1))
        for k, (X, y) in enumerate(parts(rows)):
            held[k * AT_ONCE : k * AT_ONCE + len(X)] = np.column_stack([X, y])
    elif source == "csv":
        with path.open("w", encoding="utf-8") as file:
            file.write(",".join(names) + "\n")
            for X, y in parts(rows):
                np.savetxt(file, np.column_stack([X, y]), delimiter=",", fmt="%.17g")
    else:
        import pyarrow as pa
        from pyarrow import parquet

        schema = pa.schema([(name, pa.float64()) for name in names])
        with parquet.ParquetWriter(path, schema) as file:
            for X, y in parts(rows):
                file.write_table(pa.table([*X.T, y], schema=schema), row_group_size=AT_ONCE)
    return path


def opened(path: Path, targets: Targets) -> kernelopt.RowBlocks:
    """The rows of a file in blocks."""
    if path.suffix == ".map":
        held = np.load(path, mmap_mode="r")
        y = held[:, -1] > 0.0 if targets == "labels" else held[:, -1]
        return kernelopt.row_blocks(held[:, :-1], y)
    return kernelopt.row_blocks(path, target="y")


def asked(family: str, gamma: float, targets: Targets) -> dict[str, Any]:
    """The options of the solve."""
    found: dict[str, Any] = {"criterion": kernelopt.Evidence(targets=targets)}
    return found if family == "auto" else {**found, "family": kernelopt.each(listed(gamma))}


def listed(gamma: float) -> kernelopt.Dictionary:
    """The list of one column."""
    return kernelopt.Dictionary([("rbf", {"gamma": gamma})])


def memory() -> float:
    """The largest memory of this process so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def measured(path: Path, rows: int, family: str, targets: Targets, gamma: float) -> str:
    """One line."""
    few = drawn(200, 0)
    kernelopt.solve(*few, **asked(family, gamma, "numbers"), max_steps=1)  # imports everything
    before, began = memory(), time.process_time()
    s = kernelopt.solve(opened(path, targets), **asked(family, gamma, targets))
    seconds, peak = time.process_time() - began, memory() - before
    Z, z = drawn(NEW, 10**6)
    score = s.score(Z, z > 0.0 if targets == "labels" else z)
    width = sum(leaf.family.order for leaf in s.kernel.leaves if isinstance(leaf.family, Landmarks))
    found = f"{path.suffix[1:]}: {rows} {family} {targets} {s.status.name} gap {s.certificate.relative_gap:.1e}"
    return f"{found}, {width} features, {score:.4f} on new rows, {seconds:.0f} s, {peak:.2g} GB\n"


def agreement(folder: Path, gamma: float) -> str:
    """How far apart the bounds of 20,000 rows are, in memory and in blocks."""
    lines = []
    X, y = (np.concatenate(pair) for pair in zip(*parts(NEW), strict=True))
    for family in ("thin", "auto"):
        options = asked(family, gamma, "numbers")
        start = kernelopt.solve(opened(written(folder, NEW, "map"), "numbers"), **options)
        options = {"criterion": options["criterion"], "start": start, "tol": 1e-6}
        held = kernelopt.solve(X, y, **options).certificate
        for source in SOURCES:
            read = kernelopt.solve(opened(written(folder, NEW, source), "numbers"), **options).certificate
            apart = max(abs(held.upper - read.upper), abs(held.lower - read.lower)) / abs(held.upper)
            lines.append(f"{source} {family}: bounds {apart:.1e} apart, gap {read.relative_gap:.1e}\n")
    return "".join(lines)


def main() -> None:
    """Print the lines; each source has a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--sources", nargs="+", default=list(SOURCES), choices=SOURCES)
    parser.add_argument("--family", default="thin", choices=["thin", "auto"])
    parser.add_argument("--targets", default="numbers", choices=["numbers", "labels"])
    parser.add_argument("--gamma", type=float, default=2.0)
    parser.add_argument("--agree", action="store_true")
    parser.add_argument("--one")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.agree:
        sys.stdout.write(agreement(given.folder, given.gamma))
        return
    if given.one is not None:
        path = written(given.folder, given.rows, given.one)
        sys.stdout.write(measured(path, given.rows, given.family, given.targets, given.gamma))
        return
    for source in given.sources:
        written(given.folder, given.rows, source)
        command = [sys.executable, __file__, str(given.folder), "--one", source, "--rows", str(given.rows)]
        command += ["--family", given.family, "--targets", given.targets, "--gamma", str(given.gamma)]
        sys.stdout.write(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
