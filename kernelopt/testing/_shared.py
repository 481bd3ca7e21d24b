"""What all of a program shares: generators of random numbers, warnings, the printing of numbers, the environment."""

import os
import pickle
import random
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from kernelopt.testing._laws import demand

_REMEDIES = {
    "the generator of the module random": "use np.random.default_rng(seed)",
    "the generator that all of numpy shares": "use np.random.default_rng(seed)",
    "the warnings that are shown": "use `with warnings.catch_warnings():`",
    "how numpy prints numbers": "use `with np.printoptions(...):`",
    "how numpy reports errors of numbers": "use `with np.errstate(...):`",
    "the environment variables": "set them for the processes that you start",
    "the folder of the program": "use whole paths",
}

_UNUSUAL = 271828182
"""A seed that nobody takes."""


@contextmanager
def shared_untouched(law: str) -> Iterator[None]:
    """Raise `LawBroken` where the block changes what all of a program shares; then it is set back.

    Within the block all of this is in an unusual state, because earlier calls may have set what the block sets again.
    """
    with _restored():
        _unusual()
        before = _shared()
        yield
        after = _shared()
    changed = [what for what in _REMEDIES if before[what] != after[what]]
    told = "; ".join(f"{what}: {_REMEDIES[what]}" for what in changed)
    demand(not changed, law, f"the methods that every run calls change what all of a program shares, namely {told}")


def _unusual() -> None:
    random.seed(_UNUSUAL)
    np.random.seed(_UNUSUAL)  # noqa: NPY002
    np.set_printoptions(precision=7, linewidth=79)
    np.seterr(all="warn", under="ignore")
    warnings.filterwarnings("default", message=str(_UNUSUAL))


def _shared() -> dict[str, Any]:
    found = (
        random.getstate(),
        pickle.dumps(np.random.get_state()),  # noqa: NPY002
        list(warnings.filters),
        pickle.dumps(np.get_printoptions()),
        np.geterr(),
        dict(os.environ),
        Path.cwd(),
    )
    return dict(zip(_REMEDIES, found, strict=True))


@contextmanager
def _restored() -> Iterator[None]:
    """Set back what is shared at the end of the block."""
    own, numpys, environment, folder = random.getstate(), np.random.get_state(), dict(os.environ), Path.cwd()  # noqa: NPY002
    with warnings.catch_warnings(), np.errstate(), np.printoptions():
        try:
            yield
        finally:
            random.setstate(own)
            np.random.set_state(numpys)  # noqa: NPY002
            os.environ.clear()
            os.environ.update(environment)
            os.chdir(folder)
