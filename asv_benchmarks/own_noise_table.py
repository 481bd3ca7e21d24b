"""Several targets under one kernel: with the noise of each target, and with that of all targets together.

    python asv_benchmarks/own_noise_table.py                    some three minutes
    python asv_benchmarks/own_noise_table.py --deviation 0.5 1 2 inf

Errors are squared errors of the function on 500 new rows relative to its variance, in the mean over the targets and
over four draws. Beside them stand the smallest and the largest share of a target's new values in intervals of 95 %.
`--deviation` prints the errors with other deviations of the logarithm of a ratio instead.
"""

import argparse
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import numpy as np

import kernelopt
from kernelopt._evidence import _criterion, _own_noise
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
    parser.add_argument("--deviation", nargs="+", type=float)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for name, draw in PROBLEMS.items():
        for n in (60, 200):
            if asked.deviation is None:
                with patched(_criterion, "_with_own_noise", lambda *_: None):
                    together = told(*measured(draw, n))
                line = f"{together}   {told(*measured(draw, n))}"
            else:
                line = ""
                for deviation in asked.deviation:
                    with patched(_own_noise, "_DEVIATION", deviation):
                        line += f"{measured(draw, n)[0]:8.4f}"
            print(f"{name:33}{n:4} {line}", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
