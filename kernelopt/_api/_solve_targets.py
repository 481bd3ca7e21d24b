"""`kernelopt.solve_targets`: thousands of targets, each with kernel weights and noise of its own."""

import math
import time
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from kernelopt._api._family_specs import by_view
from kernelopt._api._leaves import expanded, make_leaves
from kernelopt._api._progress import Told, watched
from kernelopt._api._validate import Settings, validated
from kernelopt._api.data._target_words import refuse_no_numbers
from kernelopt._api.data._training import Training
from kernelopt._base._errors import InvalidOption, Refused
from kernelopt._base._memory import explained, require
from kernelopt._base._target_sizes import refuse_faint
from kernelopt._base._threads import one_thread
from kernelopt._evidence._counting import counted_as_copies
from kernelopt._evidence._criterion import Evidence
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._leaf import Leaf, center_of
from kernelopt._families._mixture import Mixture, Part
from kernelopt._families._named_weights import named_weights
from kernelopt._families.dictionary._dictionary import Dictionary
from kernelopt._families.variances._lacking import Lacking, of_lacking
from kernelopt._plugins._blame import blamed
from kernelopt._prediction._kernel import Kernel
from kernelopt._targets._fit import TimeIsOver, learned
from kernelopt._targets._found import Found
from kernelopt._targets._options import Options
from kernelopt._targets._shared import Shared
from kernelopt._targets._solution import Atom, TargetsSolution
from kernelopt._targets._told import of_flat, told_of

_GAMMAS = (0.2, 1.0)
"""Of the Gaussian kernels of one table, divided by the number of its columns that vary. A guard: the squared distance
of two rows is about twice this number, so that the wide kernel is exp(-0.4) there, and the narrow one exp(-2).
"""


def solve_targets(
    X: Any,
    Y: Any,
    *,
    family: Any = None,
    sample_weight: Any = None,
    effort: Literal["quick", "normal"] = "normal",
    tol: float = 1e-3,
    batch: int | None = None,
    rays: int | None = None,
    sample: int = 8,
    floor: float = 1e-6,
    max_seconds: float | None = None,
    seed: int = 0,
    progress: bool = False,
) -> TargetsSolution:
    """Learn weights of kernels and a noise for each of many targets, by the evidence.

        max over w >= 0, noise   log N(Q'y; 0, Q' (sum_a w_a K_a + noise I) Q)       for each column y of Y

    with orthonormal columns Q that span what the mean of the rows leaves: the restricted likelihood.
    For example, Y has the activity of 10,000 voxels of a brain, and each voxel gets its own weights of the kernels. The
    kernels K_a are centred on the training rows and have the mean diagonal 1, so that the weight of a kernel is the
    variance that the kernel explains. Targets are learned in batches. All targets share the determinants and traces,
    which are functions of the weights alone: these functions are computed by eigendecompositions for a few sums of
    kernels, and interpolated between them. The data term of each target is exact within a small subspace, which grows
    until the part that it misses is a thousandth of the allowed gap. If the gap of a target is then still larger than
    allowed, this target is finished alone, by factorisations of its own covariance matrix.

    With `effort="quick"` each target first takes the best of few decomposed sums at the best noise, and then at most
    eight Newton steps within the span of a few vectors, in single precision. Only targets with next to no noise are
    finished alone, one in two hundred at most. This takes a fraction of the time for somewhat smaller evidences: `lost`
    of the result says how much smaller, for a sample of the targets.

    If there are so few targets that all of them can be learned alone in less time than what they would share takes,
    they are, with either effort. `rays` asks for the shared way in any case.

    Args:
        X: the training rows as in `solve`: one matrix or table, or `Views`, a list or a mapping of blocks.
        Y: one column of numbers for each target, shape (n, t), without missing values; shape (n,) for one target.
        family: finite lists of kernels, as in `solve`; "precomputed" if X is one Gram matrix or several. None: if X is
            views or a sparse matrix, the linear kernel of each view, on the columns without rescaling; otherwise this
            linear kernel of X, and Gaussian kernels of two widths on columns of standard deviation 1.
        sample_weight: weights of the rows, shape (n,), >= 0. If all are whole numbers, a weight of k means the same as
            k copies of the row; other weights say how much each row is trusted beside the others.
        effort: "normal": each target comes as near to its optimum as `tol` says. "quick": the quick way.
        tol: a target is done if its evidence is at most tol n / 2 nats below the nearest local optimum; tol is in (0,
            1).
        batch: the number of targets that are learned at once. None: as many as take about 200 MB.
        rays: the largest number of sums of kernels that are decomposed, which costs n^3 operations each. With more of
            them, fewer targets have to be finished alone, or the quick way loses less. None: 48; for the quick
            way 8, or two for each kernel if these are more.
        sample: with `effort="quick"`, so many targets are also learned exactly, to say what the quick way lost.
        floor: the smallest variance of the noise, as a share of the variance of the target.
        max_seconds: the time in seconds after which no further batch begins; targets that were not reached have NaN.
            If it is too short for what many targets share, each is learned alone, as many as there is time for. None:
            no limit.
        seed: the seed of the random directions that are looked at first, an integer.
        progress: whether to show a live line.

    Returns:
        the weights, noise variances, R2 and gaps as arrays, with methods that predict and save.

    Raises:
        InvalidData, InvalidOption, UnknownName, BrokenPlugin, Refused, NotEnoughMemory, MissingLibrary: the message
            says what was got, what was wanted and what to do. All of them are a `KerneloptError`.
        KeyboardInterrupt: Ctrl-C was pressed before the first batch was done. After the first batch, Ctrl-C ends the
            run with the targets that are done.

    The evidence of several kernels after MacKay (1992), of what the mean leaves (Patterson and Thompson 1971); banded
    ridge regression of many targets after Nunez-Elizalde, Huth and Gallant (2019).
    """
    settings = Settings(tol=tol, max_seconds=max_seconds, seed=seed)
    began = time.monotonic()
    with explained("targets were learned"), blamed(), watched(progress, None, tol) as audience, one_thread():
        refuse_no_numbers("solve_targets", Y)
        request = validated(X, Y, family, Evidence(targets="numbers"), sample_weight, None, settings, audience.told)
        training = request.training
        if request.rows is not None:
            raise Refused(
                "solve_targets learns from rows in memory, and X is read in blocks; pass an array of some of the rows"
            )
        leaves = _leaves(family, training)
        atoms = tuple(_atoms(leaves))
        n = len(training.X)
        require(8 * n * n * (3 * len(atoms) + 3), f"{len(atoms)} kernels of {n} rows")
        options = Options(0.5 * settings.tol * n, batch, rays, floor, settings.seed, effort, sample)
        deadline = math.inf if settings.max_seconds is None else began + settings.max_seconds
        grams = [atom.gram(training.X) for atom in atoms]
        audience.told("the kernels are compared", 0.0)
        told = _until(audience.told, deadline)
        refuse_faint(training.encoded)
        found, shared = learned(grams, training.encoded, options, told, training.sample_weight, deadline)
    told_first = (*_note_on_copies(training), *_note_on_default(family, training))
    notes = (*request.notes, *told_first, *told_of(found, options))
    return _solution(found, shared, training, leaves, atoms, notes, single=np.ndim(Y) == 1)


def _until(told: Told, deadline: float) -> Told:
    """Told of stages; it ends the run once time is over."""

    def stage(words: str, share: float) -> None:
        told(words, share)
        if time.monotonic() > deadline and share < 1.0:
            raise TimeIsOver

    return stage


def _leaves(family: Any, training: Training) -> tuple[Leaf, ...]:
    """The lists of kernels of a spec.

    Raises:
        InvalidOption: a family is no finite list.
    """
    linear = Dictionary(["linear"])
    spec = _default(training, linear) if family is None else family
    asked = make_leaves(spec, training, 1.0, linear)  # all kernels are brought to one size where they are centred
    leaves = tuple(expanded(leaf, training) for leaf in asked)
    strange = next((leaf.family.name for leaf in leaves if not isinstance(leaf.family, FiniteFamily)), None)
    if strange is not None:
        raise InvalidOption(
            f"solve_targets: got the family {strange!r}, wanted finite lists of kernels, such as "
            'kernelopt.Dictionary(["linear", ("rbf", {"gamma": 0.1})]) or "precomputed"; solve learns other families, '
            "with one kernel for all targets"
        )
    return (*leaves, *of_lacking(leaves))


def _default(training: Training, linear: Dictionary) -> Any:
    """The kernels where nothing is said of them: of many views and of sparse rows, which are not rescaled, linear ones,
    and of one table also Gaussians, with which a target may depend on the columns in other ways than linearly.
    """
    if training.in_views:
        return by_view(kernels=linear)
    if _sparse(training):
        return linear
    width = len(training.varying)
    return [linear, Dictionary([("rbf", {"gamma": gamma / width}) for gamma in _GAMMAS], rescale="standard")]


def _sparse(training: Training) -> bool:
    """Whether some columns are coordinates of sparse rows."""
    return bool(training.sparse_among(range(training.X.shape[1])))


def _note_on_copies(training: Training) -> tuple[str, ...]:
    """That weights were taken for numbers of copies, where they may have been meant otherwise."""
    note = counted_as_copies(training.sample_weight, "divide them by their mean")
    return () if note is None else (note,)


def _note_on_default(family: Any, training: Training) -> tuple[str, ...]:
    """Which kernels were taken where none were named."""
    if family is not None:
        return ()
    which = " of each view" if training.in_views else ""
    linear = (
        f"family: no family was named, so the linear kernel{which} was taken, with which a target is a sum of "
        'multiples of columns; family=kernelopt.Dictionary(["linear", ("rbf", {"gamma": 0.1})]) adds a Gaussian '
        f"kernel{which}"
    )
    of_one = (
        "family: no family was named, so a linear kernel and Gaussian kernels of two widths were taken; family='auto' "
        "has more kernels and takes longer"
    )
    return (linear if training.in_views or _sparse(training) else of_one,)


def _atoms(leaves: tuple[Leaf, ...]) -> Iterator[Atom]:
    """The kernels of lists, one after the other."""
    for leaf in leaves:
        assert isinstance(leaf.family, FiniteFamily)
        for atom in leaf.family.dictionary().atoms:
            yield Atom(leaf, Part(atom[None], np.ones(1)))


def _names(atoms: tuple[Atom, ...], training: Training) -> tuple[str, ...]:
    """What kernels are called: after their view where that has one kernel alone."""
    groups = [atom.leaf.group for atom in atoms]
    found = []
    for atom, group in zip(atoms, groups, strict=True):
        if group and groups.count(group) == 1:
            found.append(group)
        elif isinstance(atom.leaf.family, Lacking):
            found.append(atom.leaf.family.label(atom.part.atoms[0]))
        else:
            mixture = Mixture((atom.part,))
            found.append(named_weights((atom.leaf,), mixture, training.X.shape[1], training.names, atoms=True)[0][0])
    return tuple(found)


def _solution(
    found: Found,
    shared: Shared,
    training: Training,
    leaves: tuple[Leaf, ...],
    atoms: tuple[Atom, ...],
    notes: tuple[str, ...],
    *,
    single: bool,
) -> TargetsSolution:
    names = _names(atoms, training)
    reader = Kernel(
        leaves,
        center_of(leaves),
        training.X.shape[1],
        names=training.names,
        encoding=training.encoding,
        layout=training.layout,
    )
    return TargetsSolution(
        found.weights,
        found.noise,
        found.log_evidence,
        found.bound,
        found.r2,
        found.r2_cv,
        found.done,
        found.alone,
        found.lost,
        np.where(found.done, training.level, np.nan),
        found.solution,
        names,
        (*notes, *of_flat(names, shared)),
        training.X,
        atoms,
        shared.sizes,
        shared.means,
        shared.counts,
        reader,
        single,
    )
