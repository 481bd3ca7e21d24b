"""What is wrong with an answer, if anything: its bounds beside those that plain numpy finds.

Below the optimum J(K) at the learned kernel lies the value of any feasible dual point, and above it the primal value of
any v. The stated upper bound must not be below the former, and the stated lower bound not above the latter, nor above
that of any other kernel of the family.
"""

import signal
import traceback
import warnings
from contextlib import contextmanager
from pathlib import Path

import attrs
import numpy as np

import kernelopt
from kernelopt.plugin import MatrixFamily, join
from random_problems.drawn import encoded, row_weights
from random_problems.machines import machine_of

STEPS, SECONDS, LIMIT = 60, 3.0, 20
"""What a run may take unless another number is given, and after how many seconds it is ended from outside."""
ROUNDING = 1e-9
"""What a bound may lose to rounding, of itself; a thousandth of it is what the terms may that it is a sum of."""
LOST = float(np.finfo(float).eps) / (1e-3 * ROUNDING)
"""What the determinant of a row, or each unit of the fit, loses where the condition is 1, in the latter's units."""
_ATOMS, _STEPS, _ROUNDS = 6, (3e-3, 3e-2, 0.3), 2


def learned(Y, s):
    """The columns of numbers that the evidence learns from rows that count so often: those that vary, each in units of
    its deviation, and a single one of a usual size as it is; nothing but 0 where none varies.
    """
    level = np.average(Y, axis=0, weights=s)
    deviations = np.sqrt(np.average((Y - level) ** 2, axis=0, weights=s))
    varies = deviations > 1e-12 * np.abs(level)
    if not varies.any():
        return np.zeros((len(Y), 1))
    unit = deviations[varies]
    return Y[:, varies] / (1.0 if len(unit) == 1 and 1e-9 < unit[0] < 1e9 else unit)


@attrs.frozen
class Verdict:
    """What became of a problem.

    Attributes:
        seed: of the problem.
        family, criterion, solver: their names.
        status: the name of the status; or REFUSED, or of the error.
        faults: what is wrong, each in a line.
    """

    seed: int
    family: str
    criterion: str
    solver: str
    status: str
    faults: tuple[str, ...] = ()


class TooLong(Exception):
    """A problem took longer than `LIMIT`."""


@contextmanager
def limited(seconds):
    """Ends in `TooLong` after so many seconds of this process's work, where the system has such an alarm.

    Seconds in which other processes had the processor do not count, so that a busy machine fails nothing.
    """
    if not hasattr(signal, "SIGPROF"):
        yield
        return

    def ring(_signal, _frame):
        raise TooLong

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def judged(problem, steps=STEPS, seconds=SECONDS):
    """The verdict on what `kernelopt.solve` makes of a problem within so many steps and seconds."""

    def asked():
        return kernelopt.solve(
            problem.X,
            problem.y,
            family=problem.spec,
            solver=problem.solver,
            criterion={"name": problem.criterion, **problem.options},
            max_steps=steps,
            max_seconds=seconds,
            **problem.more,
        )

    status, found, solution = watched(asked, seconds)
    if solution is not None:
        status = solution.status.name
        with np.errstate(all="ignore"):
            found = (*found, *faults(problem, solution))
    return Verdict(problem.seed, problem.family, problem.criterion, problem.solver, status, found)


def watched(asked, seconds=SECONDS):
    """What became of a call: REFUSED, TIME, ERROR or "", what is wrong, and its result or None."""
    result = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with limited(LIMIT):
                result = asked()
        except kernelopt.KerneloptError as error:
            return "REFUSED", (*_strange(caught), *_unclear(error)), None
        except TooLong:
            return "TIME", (f"no answer after {LIMIT} s of work, with max_seconds={seconds:g}",), None
        except Exception as error:
            return "ERROR", (f"foreign {type(error).__name__}: {error}, {_place(error)}",), None
    return "", _strange(caught), result


def _strange(caught):
    """Warnings that are not kernelopt's own."""
    strange = (one for one in caught if not issubclass(one.category, kernelopt.KerneloptWarning))
    return tuple(
        dict.fromkeys(f"foreign {one.category.__name__}: {one.message}, {Path(one.filename).name}" for one in strange)
    )


def _place(error):
    """The last line of kernelopt's that an error came through."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if "kernelopt" in one.filename]
    return f"{Path(frames[-1].filename).name}:{frames[-1].name}" if frames else "nowhere"


def _unclear(error):
    return () if str(error).strip() else (f"{type(error).__name__} without a word",)


def faults(problem, solution, decisions=None):
    """Every fault of an answer, whose decisions about the rows are given where X holds their codes."""
    certificate = solution.certificate
    lower, upper = certificate.lower, certificate.upper
    if np.isnan(lower) or np.isnan(upper):
        yield f"a bound is NaN: {lower}, {upper}"
        return
    if solution.status.converged and not np.isfinite([lower, upper]).all():
        yield f"{solution.status.name} with bounds {lower}, {upper}"
    decisions = solution.decision_function(problem.X) if decisions is None else decisions
    if not np.isfinite(decisions).all():
        yield "a decision is NaN or infinite"
    yield from _weights(solution)
    case = Case.of(problem, solution)
    K = case.gram(case.parts)
    if not np.isfinite(K).all():
        yield "no kernel: its Gram has NaN or infinity"
        return
    values = np.linalg.eigvalsh(K)
    if not values[0] >= -ROUNDING * abs(values[-1]):
        yield f"no kernel: its Gram has an eigenvalue {values[0]:.3g} beside {values[-1]:.3g}"
        return
    below, above, V, size = case.value(case.parts)
    nothing = case.nothing()
    allowed = 1e-3 * _room(0.0, lower, upper) if case.machines else _room(size, lower, upper)
    if lower > upper + allowed + np.finfo(float).eps * size * case.cancelled + nothing:
        yield f"crossing: lower {lower:.12g} > upper {upper:.12g}"
    yield from _bounds(case, (below, above, V, size), lower, upper)
    if solution.status.name.startswith("CONVERGED"):
        allowed = problem.more["tol"] * max(abs(lower), abs(upper)) + 1e-3 * ROUNDING * size + case.atol(V) + nothing
        if upper - lower > allowed:
            yield f"{solution.status.name} with a gap of {upper - lower:.3g}, wanted {allowed:.3g}"


def _weights(solution):
    """Weights are >= 0 and have the sum that was asked for."""
    parts, leaves = solution.mixture.parts, solution.kernel.leaves
    if any((part.weights < 0.0).any() or not np.isfinite(part.weights).all() for part in parts):
        yield "a weight is negative, NaN or infinite"
    totals = [leaf.total for leaf in leaves]
    total = totals[0] if len(totals) == 1 else None if all(one is None for one in totals) else 1.0
    mass = sum(part.mass for part in parts)
    if total is not None and abs(mass - total) > 1e-9 * total:
        yield f"the weights sum to {mass!r}, wanted {total!r}"


@attrs.frozen(eq=False)
class Case:
    """A learned kernel with what its bounds are computed from.

    Attributes:
        problem, leaves, parts: what was asked, and what was learned.
        X: the rows with weight.
        machines: one for each output; none where the evidence is asked for.
        Y: encoded targets.
        trust: how far each row is believed, 1 in the mean; all alike unless the evidence took Student's noise.
    """

    problem: object
    leaves: tuple
    parts: tuple
    X: np.ndarray
    machines: tuple
    Y: np.ndarray
    trust: np.ndarray

    @classmethod
    def of(cls, problem, solution):
        s = row_weights(problem)
        held, Y = s > 0.0, encoded(problem)
        trust = np.ones(len(Y)) if solution.tails is None else solution.tails.weight
        if problem.criterion == "evidence" and solution.criterion.targets == "numbers":
            Y = learned(Y, s[held])
            Y = Y - np.average(Y, axis=0, weights=trust)
        machines = ()
        if problem.criterion != "evidence":
            machines = tuple(machine_of(problem.criterion, problem.options, y, s[held]) for y in Y.T)
        return cls(problem, solution.kernel.leaves, solution.mixture.parts, problem.X[held], machines, Y, trust)

    def gram(self, parts):
        """The Gram of a mixture, by the kernel that predicts, and the identity on samples, less of it on rows that are
        believed more.
        """
        K = np.zeros((len(self.X), len(self.X)))
        for leaf, part in zip(self.leaves, parts, strict=True):
            if len(part):
                rows = leaf.view(self.X)
                own = leaf.family.apart(part, rows) / self.trust
                K += leaf.factor * (leaf.family.cross(part, rows, rows) + np.diag(own))
        return 0.5 * (K + K.T)

    @property
    def _identity(self):
        return np.diag(1.0 / self.trust)

    @property
    def cancelled(self):
        """How many times as large as the kernel the kernels are that it is a difference of; 1 where it is a sum."""
        pairs = zip(self.leaves, self.parts, strict=True)
        signed = [part for leaf, part in pairs if leaf.family.name == "signed" and len(part)]
        return max([1.0, *(float(np.abs(part.weights @ part.atoms).sum()) / part.mass for part in signed)])

    def price(self, parts):
        return sum(leaf.price(part) for leaf, part in zip(self.leaves, parts, strict=True))

    def atol(self, V):
        """The gap that counts as rounding, at the learned kernel or at the centre, where a run begins."""
        diagonals = (np.diagonal(self.gram(parts)) for parts in (self.parts, self.centre))
        return 1e-12 * max(float(np.sum(V**2 * d[:, None])) for d in diagonals)

    @property
    def centre(self):
        return tuple(leaf.family.center() for leaf in self.leaves)

    def nothing(self):
        """What counts as 0 beside the objective where a run begins."""
        return 1e-23 * self.value(self.centre)[3]

    def value(self, parts):
        """A number below the objective at a mixture, one above it, V, and the size of the terms."""
        K, R = self.gram(parts), self.price(parts)
        found = [machine.bounds(K) for machine in self.machines] or [self._evidence(K, self._summands(parts))]
        below, above, V, size = zip(*found, strict=True)
        return sum(below) + R, sum(above) + R, np.column_stack(V), sum(size) + abs(R)

    def _summands(self, parts):
        """What the terms are as large as that matrix families sum up to N(x)'P N(x): its value at the centre, where P
        is a multiple of the identity. The sum is only rounding where P has weight on what is orthogonal to N(x) alone.
        """
        largest = 0.0
        for leaf, part, centre in zip(self.leaves, parts, self.centre, strict=True):
            if isinstance(leaf.family, MatrixFamily) and len(part):
                rows = leaf.view(self.X)
                values = np.diagonal(leaf.family.cross(centre, rows, rows)) / centre.mass
                largest = max(largest, leaf.factor * part.mass * float(values.max()))
        return largest

    def _evidence(self, K, summands):
        """The evidence of a Gram, whose entries are sums of terms of this size where that is larger."""
        n, c = self.Y.shape
        squares = float(np.average(np.mean(self.Y**2, axis=1), weights=self.trust))
        noise = self.problem.options.get("floor", 1e-6) * (squares or 1.0)
        whole = K + noise * self._identity
        try:
            V = np.linalg.solve(whole, self.Y)
        except np.linalg.LinAlgError:  # nothing can be said of it
            return -np.inf, np.inf, np.zeros_like(self.Y), np.inf
        values = np.linalg.eigvalsh(whole)
        if not values[0] > 0.0:
            return -np.inf, np.inf, V, np.inf
        fit, volume = 0.5 * float(np.sum(V * self.Y)), 0.5 * c * float(np.log(values).sum() + np.log(self.trust).sum())
        J = fit + volume + 0.5 * n * c * np.log(2.0 * np.pi)
        condition = max(float(max(values[-1], summands) / values[0]), 1.0)
        size = abs(fit) + c * float(np.abs(np.log(np.abs(values))).sum()) + n * c
        return J, J, V, size + (n * c + abs(fit)) * LOST * condition


def _bounds(case, value, lower, upper):
    """Bounds that are not true."""
    below, above, V, size = value
    room = _room(size, lower, upper)
    if upper < below - room:
        yield f"upper bound {upper:.12g}, and a dual point has {below:.12g} at the learned kernel (size {size:.2g})"
    if lower > above + room:
        yield f"lower bound {lower:.12g}, and the learned kernel has {above:.12g} (size {size:.2g})"
    if case.machines:
        for _, above, _, size in _better(case, V):
            if lower > above + _room(size, lower, upper):
                yield f"lower bound {lower:.12g}, and another kernel has {above:.12g} (size {size:.2g})"
                return


def _room(size, lower, upper):
    """What a bound may lose to rounding beside numbers whose terms are of this size."""
    return ROUNDING * (1e-3 * size + sum(abs(bound) for bound in (lower, upper) if np.isfinite(bound)))


def _better(case, V):
    """Values on ways from the learned mixture, each to an atom, the one of the steepest way among some first."""
    rng = np.random.default_rng(case.problem.seed)
    parts = case.parts
    for _ in range(_ROUNDS):
        best = max(_atoms(case, rng), key=lambda one: _worth(case, parts, one, V), default=None)
        if best is None:
            return
        tried = [_moved(case, parts, best, step) for step in _STEPS]
        values = []
        for one in tried:
            values.append(case.value(one))
            yield values[-1]
        least = int(np.argmin([value[1] for value in values]))
        parts, V = tried[least], values[least][2]


def _atoms(case, rng):
    """Some atoms of every leaf: (leaf, atom)."""
    share = max(_ATOMS // len(case.leaves), 1)
    for k, leaf in enumerate(case.leaves):
        try:
            atoms = leaf.family.draw(share, rng)
        except kernelopt.KerneloptError:
            atoms = leaf.family.center().atoms[:share]
        yield from ((k, atom) for atom in atoms)


def _only(case, k, atom, weight):
    """The mixture of one atom."""
    parts = [kernelopt.Part(part.atoms[:0], part.weights[:0]) for part in case.parts]
    parts[k] = kernelopt.Part(atom[None], np.array([weight]))
    return tuple(parts)


def _mass(case):
    return sum(part.mass for part in case.parts)


def _worth(case, parts, one, V):
    """What the way to an atom promises: half its v'Kv, less its price alone."""
    other = _only(case, *one, _mass(case))
    return 0.5 * float(np.sum(V * (case.gram(other) @ V))) - case.price(other)


def _moved(case, parts, one, step):
    """The mixture some of the way to an atom, of the same mass."""
    other = _only(case, *one, _mass(case))
    return tuple(join(mine.scaled(1.0 - step), theirs.scaled(step)) for mine, theirs in zip(parts, other, strict=True))
