"""Who solves the cone program: Clarabel on the arrays, ECOS and MOSEK through cvxpy."""

import warnings
from abc import ABC, abstractmethod
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from kernelopt_qcqp._program_arrays import Answer, Program

_EQUILIBRATED = False
"""Whether Clarabel scales the rows and columns of a program. The programs come in units of their own, `Units`, and
scaled once more they take up to twice as many steps. Worth: `constants.py qcqp.equilibrated`."""


class Backend(ABC):
    """A cone solver."""

    name: ClassVar[str]

    @abstractmethod
    def unusable(self) -> str | None:
        """None, or why it cannot be used here, in a few words."""

    @abstractmethod
    def solve(self, program: Program, tolerance: float, seconds: float | None) -> Answer:
        """The answer to this relative accuracy, or the best within the seconds."""


class Clarabel(Backend):
    """Goulart and Chen (2024): an interior point for conic problems with a quadratic objective."""

    name: ClassVar[str] = "clarabel"

    def unusable(self) -> str | None:
        return None

    def solve(self, program: Program, tolerance: float, seconds: float | None) -> Answer:
        import clarabel

        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.max_threads = 1
        settings.equilibrate_enable = _EQUILIBRATED
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
        if seconds is not None:
            settings.time_limit = max(seconds, 1e-3)
        cones = [
            clarabel.ZeroConeT(program.zero),
            clarabel.NonnegativeConeT(program.nonnegative),
            *(clarabel.SecondOrderConeT(size) for size in program.cones),
        ]
        quadratic = sparse.csc_matrix(sparse.diags_array(program.quadratic))
        solver = clarabel.DefaultSolver(quadratic, program.linear, program.matrix, program.rhs, cones, settings)
        found = solver.solve()
        word = str(found.status)
        multipliers = np.array(found.z)[program.zero + program.nonnegative :]
        return Answer(np.array(found.x), multipliers, word == "Solved", word)


class Modelled(Backend):
    """A solver behind cvxpy, always named: cvxpy's own choice may be one without a licence."""

    def solve(self, program: Program, tolerance: float, seconds: float | None) -> Answer:
        cvxpy: Any = import_module("cvxpy")
        x = cvxpy.Variable(len(program.linear))
        slack = program.rhs - program.matrix @ x
        bounds = program.zero + program.nonnegative
        starts = bounds + program.starts
        rows = [slice(start, start + size) for start, size in zip(starts, program.cones, strict=True)]
        constraints = [
            slack[: program.zero] == 0,
            slack[program.zero : bounds] >= 0,
            *(cvxpy.SOC(slack[row.start], slack[row.start + 1 : row.stop]) for row in rows),
        ]
        squares = cvxpy.sum_squares(cvxpy.multiply(np.sqrt(program.quadratic), x))
        problem = cvxpy.Problem(cvxpy.Minimize(0.5 * squares + program.linear @ x), constraints)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what it has to say of its accuracy is its status, which is read below
                problem.solve(solver=self.name.upper(), **self.options(tolerance, seconds))
        except cvxpy.SolverError as error:
            return _nothing(program, str(error).splitlines()[0])
        if x.value is None:
            return _nothing(program, str(problem.status))
        multipliers = np.concatenate([np.ravel(part) for cone in constraints[2:] for part in cone.dual_value])
        return Answer(np.asarray(x.value), multipliers, problem.status == cvxpy.OPTIMAL, str(problem.status))

    @abstractmethod
    def options(self, tolerance: float, seconds: float | None) -> dict[str, Any]:
        """What cvxpy passes on."""


def _nothing(program: Program, why: str) -> Answer:
    return Answer(np.full(len(program.linear), np.nan), np.full(sum(program.cones), np.nan), False, why)


class ECOS(Modelled):
    """Domahidi, Chu and Boyd (2013)."""

    name: ClassVar[str] = "ecos"

    def unusable(self) -> str | None:
        missing = [module for module in ("cvxpy", "ecos") if find_spec(module) is None]
        return f"{' and '.join(missing)} not installed" if missing else None

    def options(self, tolerance: float, seconds: float | None) -> dict[str, Any]:  # noqa: ARG002
        return {"abstol": tolerance, "reltol": tolerance, "feastol": tolerance, "max_iters": 200}


class MOSEK(Modelled):
    """MOSEK, where it is installed and licensed."""

    name: ClassVar[str] = "mosek"

    def unusable(self) -> str | None:
        return _without_licence() if find_spec("cvxpy") is not None else "cvxpy not installed"

    def options(self, tolerance: float, seconds: float | None) -> dict[str, Any]:
        accuracy = {f"MSK_DPAR_INTPNT_CO_TOL_{name}": tolerance for name in ("REL_GAP", "PFEAS", "DFEAS")}
        limit = {} if seconds is None else {"MSK_DPAR_OPTIMIZER_MAX_TIME": max(seconds, 1e-3)}
        return {"mosek_params": accuracy | limit}


@cache
def _without_licence() -> str | None:
    """Why MOSEK cannot be used, asked once a process; None where it can."""
    try:
        import mosek
    except ImportError:
        return "mosek not installed"
    try:
        with mosek.Env() as env:
            env.checkoutlicense(mosek.feature.pton)
    except mosek.Error as error:
        return f"mosek has no licence ({error})"
    return None


CHOICES: dict[str, tuple[Backend, ...]] = {
    "auto": (MOSEK(), Clarabel()),
    "clarabel": (Clarabel(),),
    "ecos": (ECOS(), Clarabel()),
    "mosek": (MOSEK(), Clarabel()),
}
"""In the order in which they are tried."""


def replaced(choice: str) -> str | None:
    """Why the backend that was asked for does not solve the programs, in one sentence; None where it does."""
    if choice == "auto":
        return None
    first = CHOICES[choice][0]
    why = first.unusable()
    return None if why is None else f"solver: qcqp cannot use {first.name} ({why}), so Clarabel is used instead"


def solve(choice: str, program: Program, tolerance: float, seconds: float | None) -> Answer:
    """The answer of the first backend of this choice that is there and solves the program, with a note on the others.

    Where none solves it, the last one's answer.
    """
    said: list[str] = []
    answer: Answer | None = None
    for backend in CHOICES[choice]:
        why = backend.unusable()
        if why is not None:
            said += [] if choice == "auto" else [f"{backend.name}: {why}"]
            continue
        answer = backend.solve(program, tolerance, seconds)
        said.append(f"{backend.name}: {answer.note}")
        if answer.solved:
            break
    assert answer is not None  # Clarabel comes last in every choice, and is always there
    return Answer(answer.x, answer.multipliers, answer.solved, "; ".join(said))
