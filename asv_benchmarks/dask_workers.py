"""How a pass over many rows grows with dask's workers, and what comes back to the client.

    python asv_benchmarks/dask_workers.py                       1,000,000 rows, 500 features, 1 and 2 workers
    python asv_benchmarks/dask_workers.py 200000 500 1 2 4      so many rows and features, these numbers of workers

Rows are Friedman's function of ten columns, made by the workers in partitions of 20,000. For each number of workers a
line says the seconds of each pass over all rows, the CPU seconds that the workers took for it, all of them and the
busiest one, which is how long the pass takes where each worker has a core to itself; the CPU seconds and the largest
memory of the client; and how far the prediction is from that of the first line.
"""

import resource
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import attrs
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, wait
from kernelopt_dask import DaskRows

import kernelopt
from kernelopt.plugin import Passes, Piece, RowBlocks

PARTITION = 20_000
COLUMNS = 10
MEMORY = "2 GiB"


@attrs.frozen(eq=False)
class Timed(Passes):
    """Passes, with the seconds of each, and the CPU seconds of every worker."""

    inner: Passes
    client: Client
    seconds: list[float]
    busy: list[list[float]]

    def total(
        self,
        pieces: Sequence[Piece],
        work: Callable[[Piece], Any],
        heard: Callable[[float], None] = lambda _: None,
        stop: Callable[[], bool] = bool,
    ) -> Any:
        began, used = time.perf_counter(), cpu(self.client)
        found = self.inner.total(pieces, work, heard, stop)
        self.seconds.append(time.perf_counter() - began)
        self.busy.append([now - before for now, before in zip(cpu(self.client), used, strict=True)])
        return found


def cpu(client: Client) -> list[float]:
    """CPU seconds of each worker, by their addresses."""
    found = client.run(time.process_time)
    return [found[address] for address in sorted(found)]


def friedman(n: int) -> tuple[da.Array, da.Array]:
    """Rows and targets of noise 1."""
    rng = da.random.default_rng(0)
    X = rng.random((n, COLUMNS), chunks=(PARTITION, COLUMNS))
    noise = rng.standard_normal(n, chunks=PARTITION)
    wave, bend = 10 * da.sin(np.pi * X[:, 0] * X[:, 1]), 20 * (X[:, 2] - 0.5) ** 2
    return X, wave + bend + 10 * X[:, 3] + 5 * X[:, 4] + noise


def kept_by(client: Client, n: int) -> RowBlocks:
    """Rows that the workers have made and keep."""
    X, y = client.persist(friedman(n))
    wait([X, y])
    return DaskRows().blocks(X, y, None)


def main(n: int, features: int, counts: list[int]) -> None:
    """A line for each number of workers."""
    Z = np.random.default_rng(1).random((100, COLUMNS))
    family, evidence = kernelopt.sampled("cosine", features), kernelopt.Evidence(targets="numbers", effort="quick")
    sys.stdout.write(f"{n} rows, {features} features, partitions of {PARTITION} rows\n")
    first = None
    for count in counts:
        options = {"n_workers": count, "threads_per_worker": 1, "memory_limit": MEMORY}
        with LocalCluster(dashboard_address=":0", silence_logs=50, **options) as cluster, Client(cluster) as client:
            rows = kept_by(client, n)
            timed = Timed(rows.passes, client, [], [])
            began, used = time.perf_counter(), time.process_time()
            found = kernelopt.solve(attrs.evolve(rows, passes=timed), family=family, criterion=evidence)
            wall, mine = time.perf_counter() - began, time.process_time() - used
            values = found.predict(Z)
            first = values if first is None else first
            passes = ", ".join(
                f"{seconds:.1f} s (CPU {sum(busy):.1f} s, of one worker {max(busy):.1f} s at most)"
                for seconds, busy in zip(timed.seconds, timed.busy, strict=True)
            )
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            sys.stdout.write(
                f"{count} workers: passes {passes}; in all {wall:.1f} s; the client {mine:.1f} s of CPU, "
                f"{peak:.2f} GiB; predictions differ by {np.abs(values - first).max():.1e}\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    rows, features, *counts = [int(word) for word in sys.argv[1:]] or [1_000_000, 500, 1, 2]
    main(rows, features, counts)
