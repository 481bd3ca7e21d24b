"""Several targets that learn one kernel: with the noise of all, with a noise each, and with weights of their own too.

    python asv_benchmarks/own_noise_table.py                    some three minutes
    python asv_benchmarks/own_noise_table.py --deviation 0.5 1 2 inf
    python asv_benchmarks/own_noise_table.py --scale 0.5 1 2
    python asv_benchmarks/own_noise_table.py --nats 0 1 3 6

Errors are squared errors of the function on 500 new rows relative to its variance, in the mean over the targets and
over four draws. Beside them stand the smallest and the largest share of a target's new values in intervals of 95 %.
`--deviation` prints the errors with other deviations of the logarithm of a ratio instead, and `--scale` and `--nats`
those with another prior on the weights of a target and with another gain for which they are taken.
"""

import argparse
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import numpy as np

import kernelopt
from kernelopt._evidence import _criterion
from kernelopt._evidence.noise import _each_target, _own_noise, _own_weights
from kernelopt.plugin import FloatArray

NEW, DRAWS = 500, 4
Draw = Callable[[np.random.Generator, int], tuple[FloatArray, FloatArray, Any]]
"""Of so many rows: X, the functions of the targets, and the deviation of each target's noise."""


def _one_function(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray, Any]:
    X = rng.normal(size=(n, 6))
    return X, np.repeat((np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2])[:, None], 3, axis=1), [0.05, 0.3, 1.0]


def _three_functions(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray, Any]:
    X = rng.normal(size=(n, 6))
    return X, np.column_stack([np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2], np.cos(X[:, 3]) + X[:, 4], X[:, 5]]), 0.3


def _three_with_other_noise(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray, Any]:
    X, F, _ = _three_functions(rng, n)
    return X, F, [0.05, 0.3, 1.0]


def _sums_of_three(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray, Any]:
    X, F, _ = _three_functions(rng, n)
    return X, F @ rng.normal(size=(3, 3)), 0.3


def _two_of_twenty_columns(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray, Any]:
    X = rng.normal(size=(n, 20))
    waves = [np.sin(X[:, 0] * rng.uniform(1.0, 3.0) + rng.uniform(0.0, 6.0)) for _ in range(10)]
    others = np.column_stack([X[:, 1], X[:, 0] * X[:, 1]]) @ rng.normal(size=(2, 10))
    return X, np.column_stack(waves) * rng.normal(size=10) + others, 0.3


def _eight_sums_of_two(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray, Any]:
    X = rng.normal(size=(n, 6))
    return X, np.column_stack([np.sin(2.0 * X[:, 0]) + X[:, 1], X[:, 2] * X[:, 3]]) @ rng.normal(size=(2, 8)), 0.5


def _linear(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray, Any]:
    X = rng.normal(size=(n, 15))
    return X, X @ rng.normal(size=(15, 6)), 1.0


def _curves(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray, Any]:
    X, t = rng.normal(size=(n, 4)), np.linspace(0.0, 1.0, 12)
    return X, np.sin(X[:, :1] + 3.0 * t * (1.0 + 0.3 * X[:, 1:2])) + X[:, 2:3] * t, 0.1


def _a_column_each(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray, Any]:
    X = rng.normal(size=(n, 4))
    return X, np.column_stack([np.sin(2.0 * X[:, 0]), np.cos(2.0 * X[:, 1]), X[:, 2] ** 2]), 0.2


def _two_columns_each(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray, Any]:
    X = rng.normal(size=(n, 8))
    parts = [np.sin(2.0 * X[:, 0]) + X[:, 1], X[:, 2] * X[:, 3], np.abs(X[:, 4]) + X[:, 5]]
    return X, np.column_stack(parts), 0.2


def _two_waves(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray, Any]:
    X = rng.uniform(-2.0, 2.0, size=(n, 2))
    return X, np.sin(3.0 * X), 0.3


def _one_column_shared(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray, Any]:
    X = rng.normal(size=(n, 6))
    return X, np.sin(2.0 * X[:, :1]) + np.column_stack([X[:, 1], X[:, 2], X[:, 3] ** 2]), 0.3


def _three_times_one(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray, Any]:
    X = rng.normal(size=(n, 5))
    return X, np.repeat((np.sin(2.0 * X[:, 0]) + X[:, 1])[:, None], 3, axis=1), 0.5


PROBLEMS: Mapping[str, Draw] = MappingProxyType(
    {
        "one function, three noises": _one_function,
        "three functions, one noise": _three_functions,
        "three functions, three noises": _three_with_other_noise,
        "sums of three functions": _sums_of_three,
        "ten functions of 2 of 20 columns": _two_of_twenty_columns,
        "eight sums of two functions": _eight_sums_of_two,
        "six linear functions": _linear,
        "twelve points of a curve": _curves,
        "three functions of a column each": _a_column_each,
        "three functions of two columns": _two_columns_each,
        "two waves of a column each": _two_waves,
        "three functions that share a column": _one_column_shared,
        "three times one function": _three_times_one,
    }
)


@contextmanager
def patched(module: Any, name: str, value: Any) -> Iterator[None]:
    """A module in which a name has another value for the moment."""
    usual = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, usual)


def measured(draw: Draw, n: int) -> tuple[float, FloatArray]:
    """The error, and the share of each target's new values in its intervals."""
    errors, inside = [], []
    for seed in range(DRAWS):
        rng = np.random.default_rng(seed)
        X, F, noise = draw(rng, n + NEW)
        Y = F + noise * rng.normal(size=F.shape)
        s = kernelopt.solve(X[:n], Y[:n])
        lower, upper = s.predict_interval(X[n:])
        errors.append(np.mean((s.predict(X[n:]) - F[n:]) ** 2, axis=0) / F[n:].var(axis=0))
        inside.append(np.mean((lower < Y[n:]) & (Y[n:] < upper), axis=0))
    return float(np.mean(errors)), np.mean(inside, axis=0)


def told(error: float, inside: FloatArray) -> str:
    """In words."""
    return f"{error:8.4f}  {inside.min():4.0%} to {inside.max():4.0%}"


def main() -> None:
    """All problems, of few rows and of more."""
    parser = argparse.ArgumentParser(description=__doc__)
    constants = {
        "deviation": (_own_noise, "_DEVIATION"),
        "scale": (_own_weights, "_SCALE"),
        "nats": (_own_weights, "_NATS"),
    }
    for option in constants:
        parser.add_argument(f"--{option}", nargs="+", type=float, default=[])
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for name, draw in PROBLEMS.items():
        for n in (60, 200):
            line = ""
            for option, (module, constant) in constants.items():
                for value in getattr(asked, option):
                    with patched(module, constant, value):
                        line += f"{measured(draw, n)[0]:8.4f}"
            if not line:
                with patched(_criterion, "_with_own_noise", lambda *_: None):
                    together = told(*measured(draw, n))
                with patched(_each_target, "_weighed", lambda _, own, *__: own):
                    noise = told(*measured(draw, n))
                line = f"{together}   {noise}   {told(*measured(draw, n))}"
            print(f"{name:36}{n:4} {line}", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
