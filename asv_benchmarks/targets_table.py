"""Many targets, each with weights of its own: kernelopt and himalaya's random search, side by side on the same rows.

    python asv_benchmarks/targets_table.py --targets 2000 --rows 1000 --alone 20

Rows are drawn with several views, whose columns have falling variances; a target depends on random shares of the
views and of noise. R2 is on rows that were held out. Seconds are CPU seconds of one process. `--alone` learns so many
targets one by one with `kernelopt.variance_components` on the same kernels, and prints how far below, in nats, those
targets are that were learned together. `--efforts` names the ways of kernelopt, of which the last one is compared with
the others. `--no-himalaya` leaves the peer out.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import kernelopt

WIDTHS = (200, 400, 800, 1600)
"""The columns of the views."""


def problem(rows: int, new: int, targets: int, seed: int) -> tuple[dict[str, Any], np.ndarray]:
    """Views and targets (rows + new, targets)."""
    rng = np.random.default_rng(seed)
    views, Y = {}, np.zeros((rows + new, targets))
    shares = rng.dirichlet(np.full(len(WIDTHS), 0.5), size=targets)
    explained = rng.beta(1.0, 2.0, size=targets)
    for a, width in enumerate(WIDTHS):
        X = rng.normal(size=(rows + new, width)) * np.arange(1, width + 1) ** -0.5
        X /= np.sqrt((X**2).sum(axis=1).mean())
        views[f"view{a}"] = X
        Y += X @ rng.normal(size=(width, targets)) * np.sqrt(shares[:, a] * explained)
    return views, Y + rng.normal(size=Y.shape) * np.sqrt(1.0 - explained)


def r2(truth: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Of each target, shape (t,)."""
    return np.asarray(1.0 - ((truth - values) ** 2).sum(axis=0) / ((truth - truth.mean(axis=0)) ** 2).sum(axis=0))


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What is made, and the CPU seconds that it took."""
    start = time.process_time()
    made = work()
    return made, time.process_time() - start


def ours(
    views: dict[str, Any], Y: np.ndarray, rows: int, rays: int | None, effort: Any
) -> tuple[Any, np.ndarray, float]:
    """The solution, the predictions for new rows, and the seconds of the fit."""
    X = kernelopt.Views(views)
    found, seconds = timed(lambda: kernelopt.solve_targets(X[:rows], Y[:rows], rays=rays, effort=effort))
    return found, found.predict(X[rows:]), seconds


def himalaya(views: dict[str, Any], Y: np.ndarray, rows: int, iterations: int) -> tuple[np.ndarray, float] | None:
    """Predictions of the random search of himalaya, and the seconds of its fit; None where it is not installed.

    Its settings are those of its examples: 20 regularisations, 5 folds, kernels centred on the training rows.
    """
    try:
        from himalaya.kernel_ridge import MultipleKernelRidgeCV
    except ImportError:
        return None
    blocks = [X - X[:rows].mean(axis=0) for X in views.values()]
    train = np.stack([X[:rows] @ X[:rows].T for X in blocks])
    sizes = np.trace(train, axis1=1, axis2=2)[:, None, None] / rows
    test = np.stack([X[rows:] @ X[:rows].T for X in blocks]) / sizes
    mean = Y[:rows].mean(axis=0)
    options = {
        "n_iter": iterations,
        "alphas": np.logspace(-3, 3, 20),
        "n_targets_batch": 1000,
        "n_alphas_batch": 5,
        "n_targets_batch_refit": 200,
        "progress_bar": False,
    }
    machine = MultipleKernelRidgeCV(
        kernels="precomputed", solver="random_search", solver_params=options, cv=5, random_state=0
    )
    _, seconds = timed(lambda: machine.fit(train / sizes, Y[:rows] - mean))
    return machine.predict(test) + mean, seconds


def alone(views: dict[str, Any], Y: np.ndarray, rows: int, found: Any, count: int) -> tuple[np.ndarray, float]:
    """How far targets are below the restricted likelihood of each by itself, in nats, and the seconds of these."""
    grams = []
    for X in views.values():
        centred = X[:rows] - X[:rows].mean(axis=0)
        K = centred @ centred.T
        grams.append(K * rows / np.trace(K))
    chosen = np.linspace(0, Y.shape[1] - 1, count).astype(int)
    start, below = time.process_time(), []
    for t in chosen:
        one = kernelopt.variance_components(grams, Y[:rows, t])
        below.append(one.reml_log_likelihood - found.log_evidence[t])
    return np.array(below), time.process_time() - start


def say(text: str) -> None:
    """A line, at once."""
    print(text, flush=True)  # noqa: T201


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in (("targets", 2000), ("rows", 1000), ("new", 300), ("iterations", 100)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--rays", type=int)
    parser.add_argument("--efforts", nargs="+", default=["normal", "quick"], choices=["normal", "quick"])
    parser.add_argument("--alone", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-himalaya", action="store_true")
    options = parser.parse_args()
    rows = options.rows
    views, Y = problem(rows, options.new, options.targets, options.seed)
    say(f"{options.targets} targets, {rows} rows, {len(views)} views of {', '.join(map(str, WIDTHS))} columns")
    ours(views, Y[:, :20], rows, 4, "quick")  # what is compiled once is not counted
    ours(views, Y[:, :20], rows, 4, "normal")
    say("| method | mean R2 on new rows | median | CPU seconds |")
    say("|---|---|---|---|")
    solutions, scores = [], {}
    for effort in options.efforts:
        found, values, seconds = ours(views, Y, rows, options.rays, effort)
        mine = scores[effort] = r2(Y[rows:], values)
        solutions.append(found)
        say(f"| kernelopt, effort {effort} | {mine.mean():.4f} | {np.median(mine):.4f} | {seconds:.1f} |")
    if not options.no_himalaya:
        peer = himalaya(views, Y, rows, options.iterations)
        if peer is None:
            say("himalaya is not installed: pip install himalaya")
        else:
            theirs = r2(Y[rows:], peer[0])
            name = f"himalaya, {options.iterations} draws"
            say(f"| {name} | {theirs.mean():.4f} | {np.median(theirs):.4f} | {peer[1]:.1f} |")
            for effort, mine in scores.items():
                say(f"effort {effort}: better R2 than himalaya on {(mine > theirs).mean():.0%} of the targets")
    for effort, found in zip(options.efforts, solutions, strict=True):
        gaps = found.gap
        say(f"effort {effort}: gap in nats: median {np.median(gaps):.2g}, largest {gaps.max():.2g}")
        for note in found.notes:
            say(note)
    if len(solutions) > 1:
        below = solutions[0].log_evidence - solutions[-1].log_evidence
        say(
            f"effort {options.efforts[-1]} is below effort {options.efforts[0]} by {np.median(below):.2g} nats "
            f"(median), {np.mean(below):.2g} (mean), {np.quantile(below, 0.95):.2g} (95 %), {below.max():.2g} at most"
        )
    if options.alone:
        below, spent = alone(views, Y, rows, solutions[0], options.alone)
        each = spent / options.alone
        say(f"{options.alone} targets learned alone by variance_components, {each:.2f} CPU seconds each")
        say(f"together they are below that by {np.median(below):.2g} nats (median), {below.max():.2g} at most,")
        say(f"{below.min():.2g} at least")


if __name__ == "__main__":
    main()
