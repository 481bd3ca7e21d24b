"""A mixture of cosines in words."""

import numpy as np

from kernelopt.plugin import FloatArray, Part

_MOST_ATOMS = 3
_MOST_COLUMNS = 4


def described(part: Part, decay: FloatArray, names: tuple[str, ...]) -> str:
    """The heaviest frequencies of a part, of the columns after rescaling.

    Args:
        part: at least one atom.
        decay: G of each atom, shape (m,).
        names: of the columns that the family sees.
    """
    order = np.argsort(-part.weights * decay, kind="stable")
    heaviest = [f"{part.weights[a] * decay[a]:.2g} {_cosine(part.atoms[a], names)}" for a in order[:_MOST_ATOMS]]
    more = len(part) - len(heaviest)
    count = "1 frequency" if len(part) == 1 else f"{len(part)} frequencies"
    return f"{count}: {' + '.join(heaviest)}{f' + {more} more' if more else ''}"


def _cosine(frequency: FloatArray, names: tuple[str, ...]) -> str:
    """cos of the frequency's largest entries."""
    order = np.argsort(-np.abs(frequency), kind="stable")
    order = order[np.abs(frequency[order]) > 1e-3 * np.abs(frequency).max(initial=0.0)]
    if not len(order):
        return "(constant)"
    terms = [f"{frequency[j]:+.2g} {names[j]}" for j in sorted(order[:_MOST_COLUMNS])]
    text = " ".join(terms).removeprefix("+")
    return f"cos({text}{' + ...' if len(order) > _MOST_COLUMNS else ''})"
