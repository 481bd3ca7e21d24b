"""A kernel as named numbers: the weight of each member of a union, or of each atom that has a name."""

from collections.abc import Sequence

import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._families._contract import KernelFamily
from kernelopt._families._description import spoken, title
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families._mixture import Mixture, Part


def named_weights(
    leaves: Sequence[Leaf], mixture: Mixture, width: int, names: tuple[str, ...], *, atoms: bool
) -> tuple[tuple[str, ...], FloatArray]:
    """Names and weights, shape (m,).

    Args:
        leaves: the members.
        mixture: their weights.
        width: how many columns X has.
        names: of these, or none.
        atoms: in the place of a member the atoms that are visible, where they have names.
    """
    pairs = zip(leaves, mixture.parts, strict=True)
    found = [one for leaf, part in pairs for one in _of(leaf, part, title(leaf, width, names), names, atoms)]
    return tuple(word for word, _ in found), np.array([weight for _, weight in found])


def heaviest_of(words: tuple[str, ...], values: FloatArray, most: int) -> tuple[tuple[str, ...], FloatArray]:
    """The `most` largest values (m,) with their names, the largest first, the last being the sum of all others."""
    order = np.argsort(-values, kind="stable")
    if len(order) <= most:
        return tuple(words[k] for k in order), values[order]
    first, rest = order[: most - 1], order[most - 1 :]
    return (*(words[k] for k in first), f"{len(rest)} others"), np.append(values[first], values[rest].sum())


def in_numbers(atom: FloatArray) -> str:
    """The numbers of an atom (p,)."""
    text = ", ".join(f"{value:.3g}" for value in atom)
    return text if len(atom) == 1 else f"({text})"


def _of(leaf: Leaf, part: Part, heading: str, names: tuple[str, ...], atoms: bool) -> list[tuple[str, float]]:
    """One member: itself, or its atoms."""
    if not atoms:
        return [(heading, part.mass)]
    family, shown = spoken(leaf, names), part.visible
    words = [_word(family, atom) for atom in shown.atoms]
    if None in words:
        return [(heading, part.mass)]
    where = heading.removeprefix(family.name)
    return [(f"{word}{where}", float(weight)) for word, weight in zip(words, shown.weights, strict=True)]


def _word(family: KernelFamily, atom: FloatArray) -> str | None:
    """An atom (p,) in a few words, with its family's name where these are but its numbers; None where nobody says."""
    word = None if isinstance(family, MatrixFamily) else family.label(atom)
    if not len(atom):
        return family.name
    if isinstance(family, FiniteFamily):
        return word or f"{family.name} {in_numbers(atom)}"
    return word and f"{family.name}: {word}"
