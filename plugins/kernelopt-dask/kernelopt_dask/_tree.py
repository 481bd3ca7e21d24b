"""A sum in a fixed order: neighbours are added first, whoever has found them, and whenever."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from kernelopt.plugin import Total

H = TypeVar("H")
T = TypeVar("T", bound=Total)
Node = tuple[int, int]
"""A level, 0 for the terms themselves, and a number in it: node (l, i) is the sum of the terms from i 2^l on, 2^l many
where there are as many."""


def grown(held: Mapping[Node, H], terms: int, plus: Callable[[H, H], H]) -> dict[Node, H]:
    """Nodes, with every two neighbours added that make up one of the next level, until there are none.

    Args:
        held: some nodes of the tree, none below another.
        terms: how many there are in all.
        plus: adds the left one and the right one.
    """
    found = dict(held)
    looked_at = sorted(found)
    while looked_at:
        level, i = looked_at.pop()
        width = -(-terms // (1 << level))
        left, right, above = (level, i & ~1), (level, i | 1), (level + 1, i // 2)
        if width == 1 or left not in found:
            continue
        if right[1] == width:
            found[above] = found.pop(left)
        elif right in found:
            found[above] = plus(found.pop(left), found.pop(right))
        else:
            continue
        looked_at.append(above)
    return found


def in_order(held: Mapping[Node, H]) -> list[H]:
    """Nodes in the order of their terms."""
    return [held[node] for node in sorted(held, key=lambda node: node[1] << node[0])]


def added(one: T | None, other: T | None) -> T | None:
    """The sum of both, where None is a sum of nothing."""
    if one is None or other is None:
        return other if one is None else one
    return one.plus(other)
