"""The atoms of one family, as its kind asks."""

from typing import TYPE_CHECKING, Any, Self

import attrs
import numpy as np

from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import FloatArray
from kernelopt._families._description import spoken, title
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._matrix import MatrixFamily, rows_to_show
from kernelopt._families._mixture import Part
from kernelopt._families._named_weights import in_numbers
from kernelopt._model._machines import Machine, require_machine
from kernelopt.plot._canvas import MOST, Display, names_of_columns
from kernelopt.plot._pictures import Bars, Heat, Picture, Points, Stems

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@attrs.define(eq=False, on_setattr=attrs.setters.frozen)
class AtomsDisplay(Display):
    """The atoms of one family, drawn by kind, so that every family has a picture without code of its author.

    The matrix P of a matrix family is drawn as a heat map, and the atoms of a finite list as bars. The atoms of other
    families are drawn by their number of coordinates: one coordinate as stems, two as points in the plane, more as the
    rows of a heat map. `KernelFamily.coordinates` and `KernelFamily.label` give the names.

    Attributes:
        picture: the content of the picture.
        heading: the name of the family, with its own description.
    """

    picture: Picture
    heading: str

    @classmethod
    def from_solution(
        cls,
        solution: Machine,
        *,
        member: int | None = None,
        names: Any = None,
        most: int = MOST,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the atoms of one member of a solution's kernel.

        Args:
            solution: a solution or a model, with one family or several.
            member: the number of the member, in the order of the parts of the mixture. None: the heaviest member.
            names: the names of the columns of X. None: the names that the solution knows, otherwise x0, x1, ...
            most: the largest number of bars, or of rows and columns of a heat map; the heaviest are drawn.
            ax: the axes to draw into. None: new axes.

        Raises:
            InvalidOption: there is no such member.
        """
        require_machine(solution, cls.__name__)
        kernel = solution.kernel
        parts = kernel.mixture.parts
        number = int(np.argmax([part.mass for part in parts])) if member is None else member
        if not 0 <= number < len(parts):
            raise InvalidOption(f"member: got {member}, the kernel has {len(parts)} (0 to {len(parts) - 1})")
        known = names_of_columns(names, kernel)
        leaf = kernel.leaves[number]
        return cls(picture_of(leaf, parts[number], known, most), title(leaf, kernel.d, known)).plot(ax)

    def _draw(self, ax: Any) -> None:
        self.picture.draw(ax)
        ax.set_title(self.heading)


def picture_of(leaf: Leaf, part: Part, names: tuple[str, ...], most: int) -> Picture:
    """The picture that a family's kind asks for; `names` are of all columns of X."""
    family = spoken(leaf, names)
    part = part.visible
    numbers = family.coordinates(leaf.called(names))
    if isinstance(family, MatrixFamily):
        return _matrix(family, part, numbers or tuple(map(str, range(family.order))), most)
    if isinstance(family, FiniteFamily):
        labels = tuple(_label(family.label(atom), atom, k) for k, atom in enumerate(part.atoms))
        return Bars.heaviest(labels, part.weights, "weight", most)
    p = part.atoms.shape[1]
    numbers = numbers or tuple(f"number {j} of an atom" for j in range(p))
    if p == 1:
        return Stems(part.atoms[:, 0], part.weights, numbers[0])
    if p == 2:
        return Points(part.atoms, part.weights, (numbers[0], numbers[1]))
    return _rows(part, numbers, most)


def _matrix(family: MatrixFamily, part: Part, names: tuple[str, ...], most: int) -> Heat:
    """P in its reading order, or its rows and columns with the largest diagonal entries, without those that are 0."""
    P = family.matrix(part)
    shown = rows_to_show(family, P, most)
    some = tuple(names[k] for k in shown)
    told = "" if len(shown) == len(P) else f"the largest {len(shown)} of {len(P)} rows and columns"
    return Heat(P[np.ix_(shown, shown)], some, some, "P", below=told)


def _rows(part: Part, names: tuple[str, ...], most: int) -> Heat:
    """The heaviest atoms, one row each, in the numbers that are largest over all of them."""
    order = np.argsort(-part.weights, kind="stable")[:most]
    size = part.weights @ np.abs(part.atoms)
    shown = np.sort(np.argsort(-size, kind="stable")[:most])
    rows = tuple(f"{weight:.2g}" for weight in part.weights[order])
    beside = "weight of the atom" + (f", {len(order)} of {len(part)}" if len(order) < len(part) else "")
    return Heat(part.atoms[np.ix_(order, shown)], rows, tuple(names[j] for j in shown), "atom", beside)


def _label(word: str | None, atom: FloatArray, number: int) -> str:
    """The family's word for an atom, else its numbers where they are few."""
    if word is not None:
        return word
    return f"atom {number}" if len(atom) > 3 else in_numbers(atom)
