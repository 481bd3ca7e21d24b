"""The kernel to begin with that sets the means of the classes furthest apart."""

import numpy as np

from kernelopt._base._errors import InvalidOption
from kernelopt._criteria._dual_qp import DualPoint, DualQP
from kernelopt._families._mixture import Mixture, Part
from kernelopt._saddle._problem import Problem

MEANS = "means"
"""What users type: `start="means"`."""


def furthest_means(problem: Problem) -> Mixture:
    """The atom that maximises the squared distance of the means of two classes in its feature space.

        |m_1 - m_2|^2 = v'K_a v,    v_i = 1 / l_1 for the rows of one class, -1 / l_2 for those of the other

    With more classes it is the sum over every class beside the others. Ghiasi-Shirazi, Safabakhsh and Shamsi (2010),
    section 5.1, whose last sum of the distance has a wrong set of indices, and whose mixed term a wrong sign.

    Raises:
        InvalidOption: the dual variables of the criterion have no two classes, as in regression and under the evidence.
    """
    ceiling = problem.ceiling([_between_means(qp, problem.criterion.name) for qp in problem.outputs])
    best = int(np.argmax(ceiling.values))
    total = 1.0 if problem.total is None else problem.total
    parts = [Part(part.atoms[:0], part.weights[:0]) for part in problem.center().parts]
    parts[best] = Part(ceiling.atoms[best].atoms[:1], np.full(1, total))
    return Mixture(tuple(parts))


def _between_means(qp: DualQP, criterion: str) -> DualPoint:
    """v of one output; nothing is said of its being feasible, since the best atom alone is taken."""
    signs = np.empty(qp.n)
    signs[qp.sample] = qp.sign
    first, second = (signs == sign for sign in (1.0, -1.0))
    if qp.size != qp.n or not (first.any() and second.any()):
        raise InvalidOption(
            f'start: got "{MEANS}", the distance of the means of classes, with {criterion}; only support vector '
            "machines for classes, such as svc, begin there: leave start out, or pass a Solution or a Mixture"
        )
    v = np.where(first, 1.0 / first.sum(), -1.0 / second.sum())
    alpha = v[qp.sample] / qp.sign
    return DualPoint(alpha, v, qp.h(alpha))
