"""Results for programs: one JSON document on stdout."""

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from kernelopt.cli._stdout import put


def show(document: Mapping[str, Any]) -> None:
    """Print the document; arrays are lists, and numbers that JSON has no word for are null."""
    put(json.dumps(_plain(document), indent=2, allow_nan=False) + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
