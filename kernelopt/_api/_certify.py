"""Both bounds for a kernel from elsewhere."""

from typing import Any

from kernelopt._api._build import make_problem
from kernelopt._api._choose import family_for, leaves_for, posed
from kernelopt._api._target_units import in_own_units
from kernelopt._api._validate import Settings, validated
from kernelopt._api.beginning._start import check_mixture
from kernelopt._base._errors import InvalidData, InvalidOption
from kernelopt._base._memory import explained
from kernelopt._criteria._contract import Criterion
from kernelopt._evidence._criterion import Evidence
from kernelopt._families._mixture import Mixture
from kernelopt._families.features._row_lists import rowwise
from kernelopt._linalg._definiteness import defect_of
from kernelopt._plugins._blame import blamed
from kernelopt._saddle._certificate import Certificate
from kernelopt._saddle._saddle_objective import objective_of


def certify(
    X: Any,
    y: Any,
    *,
    family: Any = None,
    criterion: Any = None,
    mixture: Mixture,
    scale: str | float = "auto",
    sample_weight: Any = None,
    class_weight: Any = None,
    groups: Any = None,
) -> Certificate:
    """Compute an upper and a lower bound of the optimum from a given kernel, which may come from any program.

    The machine with this kernel is trained until its own relative gap is 1e-8. Its primal objective is the upper
    bound. The families look for the kernels that are worst for its dual variables, and these kernels give the lower
    bound.

    Args:
        X: as in `solve`.
        y: as in `solve`.
        family: as in `solve`.
        criterion: as in `solve`. The evidence is that of Gaussian noise: Student's t gives each row a weight, which a
            kernel alone does not tell.
        mixture: the kernel: one `Part` of atoms and weights for each family, also for those that the evidence adds: the
            level, the noise and, with `groups`, the effect of a group. All weights together sum to 1, unless their sum
            is learned too, as under the evidence.
        scale: as in `solve`.
        sample_weight: as in `solve`.
        class_weight: as in `solve`.
        groups: as in `solve`.

    Returns:
        the certificate. Its gap is 0 only if the kernel is optimal. Under the evidence the lower bound is that of the
        tangent problem at this kernel (see `Certificate.tangent`), and the gap is 0 if the kernel is stationary.

    Raises:
        InvalidData, InvalidOption, UnknownName, BrokenPlugin, NotEnoughMemory: as in `solve`. InvalidOption is also
            raised if the mixture holds atoms that are not in the family, or weights that are negative, infinite or
            missing or have another sum, or if the noise is Student's t, and InvalidData if its kernel is not positive
            semidefinite on these rows.
    """
    with explained("a kernel was certified"), blamed():
        settings = Settings(scale=scale)
        given = validated(X, y, family, criterion, sample_weight, class_weight, settings, groups=groups)
        request = in_own_units(given)
        training, suited = request.training, request.criterion
        _refuse_student(suited)
        if request.rows is not None:
            raise InvalidData(
                f"X has {request.n} rows in blocks, and a certificate needs the Gram matrix of all; wanted rows in "
                "memory: pass fewer rows, or take the certificate of solve"
            )
        spec, _ = family_for(family, training, suited)
        leaves, _ = leaves_for(spec, training, request.settings.scale, suited)
        posed(leaves, suited)
        leaves = rowwise(leaves, len(training.X))
        problem = make_problem(leaves, training, suited, accuracy=1e-8, grams=2)
        check_mixture(mixture, problem, "mixture")
        gram = problem.gram(mixture)
        fault = defect_of(gram, whole=problem.given)
        if fault is not None:
            raise InvalidData(
                f"mixture: its kernel is not positive semidefinite on these rows: {fault}; no upper bound can be "
                "proved for such a matrix, so take kernels that are positive semidefinite"
            )
        objective = objective_of(suited)
        bounds = objective.proved(problem, problem.respond_gram(mixture, gram), gram)
        return (objective.reconciled(problem, bounds) if bounds.past_each_other else bounds).certificate


def _refuse_student(criterion: Criterion) -> None:
    """Raise InvalidOption for noise of Student's t, whose bounds are those of the weights that it gives to rows."""
    if isinstance(criterion, Evidence) and criterion.noise == "student":
        raise InvalidOption(
            'criterion: got noise="student", whose bounds hold for the weights that it learns for the rows, and a '
            'kernel does not tell these; take criterion=Evidence(noise="gaussian"), or the certificate of solve'
        )
