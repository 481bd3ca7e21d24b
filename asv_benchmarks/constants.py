"""What a tuned constant is worth: CPU seconds of short problems with it and with the value at which its rule is gone.

    python asv_benchmarks/constants.py                        every constant, some ten minutes
    python asv_benchmarks/constants.py fw choose.LOOSE        those of one package, and a single one
    python asv_benchmarks/constants.py smo --repeats 5

With and without take turns; what is printed are the medians, and the median of the ratios without / with. Where a
problem is solved, its steps, its relative gap and the value that it found stand beside the seconds: a rule may be worth
its gap alone, and where an optimum is searched for, its value alone, of which less is better. A `!` marks a run that
did not reach the tolerance that was asked for.
"""

import argparse
import importlib
import math
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import attrs
import numpy as np

Workload = Callable[[], Any]
Clock = Callable[[], float]


@attrs.frozen
class Tuned:
    """A tuned constant, and what shows its worth.

    Attributes:
        key: what the command takes to run it; the part before the dot is its package or room.
        module: where it stands.
        name: of the constant there.
        without: the values at which its rule is gone: never, or always.
        workloads: functions of one of `benchmarks/_*_workloads.py`.
        clock: what counts seconds: those of the processor, or for threads those of the wall.
    """

    key: str
    module: str
    name: str
    without: tuple[Any, ...]
    workloads: tuple[str, ...]
    clock: Clock = process_time


FW, CHOOSE = "kernelopt_fw._fully_corrective", "kernelopt._api._solver_choice"
MASTER = "kernelopt_fw._master"
STAGE, COURSE = "kernelopt_smo._stage", "kernelopt_smo._stages"
APD, PLANES = "kernelopt_apd._apd", "kernelopt_simplemkl._plane_descent"
STEP, SCORING = "kernelopt._evidence.lists._scoring_step", "kernelopt._evidence._scoring"
BOUND, LEARNED = "kernelopt._evidence.lists._lower_bound", "kernelopt._evidence._criterion"
LAPLACE, REWEIGHTED = "kernelopt._evidence.classes._laplace", "kernelopt._evidence._reweighted"
WIDTHS = "kernelopt._families.dictionary.growth._column_widths"
NEWTON = "kernelopt._evidence.classes._newton"
ASCENT = "kernelopt.dual._ascent"
CONES, ADAPT, MOVES = "kernelopt_qcqp._qcqp", "kernelopt._solvers._local_descent", "kernelopt._solvers._parametrisation"
SETS, EXCHANGE = "kernelopt._solvers._working_set", "kernelopt._solvers._exchange"
TURNED = "kernelopt._solvers._turned_atoms"
INF = math.inf
TABLE = (
    Tuned("fw.worth", FW, "_WORTH", (0.0,), ("fw_gaussian", "fw_widths", "fw_cosine")),
    Tuned("fw.together", FW, "_TOGETHER", (0.0,), ("fw_widths", "fw_cosine", "fw_widths_twice")),
    Tuned("fw.foreseen", FW, "_FORESEEN", (0.0,), ("fw_cosine_many",)),
    Tuned("fw.high", "kernelopt_fw._foreseen", "_HIGH", (0.0,), ("fw_cosine_many",)),
    Tuned("fw.sharp", FW, "_SHARP", (0.0,), ("fw_rows", "fw_hard", "fw_twice", "fw_few_classes", "fw_widths")),
    Tuned("fw.near", MASTER, "_NEAR", (0.0,), ("fw_hard", "fw_twice", "fw_degenerate", "fw_moons", "fw_list")),
    Tuned("fw.near", MASTER, "_NEAR", (INF,), ("fw_rows", "fw_moons", "fw_cosine_hard")),
    Tuned("fw.rough_gap", FW, "_ROUGH_GAP", (INF,), ("fw_digits", "fw_classes")),
    Tuned("fw.clear", FW, "_CLEAR", (0.0,), ("fw_tube",)),
    Tuned("fw.many", FW, "_MANY", (0,), ("fw_large", "fw_rows")),
    Tuned("fw.many", FW, "_MANY", (INF,), ("fw_digits", "fw_classes")),
    Tuned("fw.roughest", MASTER, "_ROUGHEST", (INF,), ("fw_degenerate", "fw_few_classes", "fw_rows")),
    Tuned("fw.residual", MASTER, "_RESIDUAL", (1e-3,), ("fw_rows", "fw_few_classes", "fw_degenerate")),
    Tuned("choose.LARGEST_ORDER", CHOOSE, "LARGEST_ORDER", (0,), ("auto_columns", "auto_hard", "auto_features")),
    Tuned("choose.LARGEST_ORDER", CHOOSE, "LARGEST_ORDER", (INF,), ("auto_many_features",)),
    Tuned(
        "choose.FEW_ROWS",
        CHOOSE,
        "FEW_ROWS",
        (0,),
        ("auto_list", "auto_list_more", "auto_list_tight", "auto_list_numbers"),
    ),
    Tuned("choose.OF_NUMBERS", CHOOSE, "OF_NUMBERS", (range(0),), ("auto_list_more_numbers", "auto_list_tube")),
    Tuned("choose.OF_SQUARES", CHOOSE, "OF_SQUARES", (range(0),), ("auto_list_squares",)),
    Tuned("choose.FEW_OF_CLASSES", CHOOSE, "FEW_OF_CLASSES", (0,), ("auto_list_classes", "auto_list_more_classes")),
    Tuned("choose.MOST_ROWS", CHOOSE, "MOST_ROWS", (0,), ("auto_rows", "auto_columns")),
    Tuned("choose.MOST_TOGETHER", CHOOSE, "MOST_TOGETHER", (0,), ("auto_few_classes",)),
    Tuned("choose.MOST_TOGETHER", CHOOSE, "MOST_TOGETHER", (INF,), ("auto_classes",)),
    Tuned("choose.LOOSE", CHOOSE, "LOOSE", (0.0,), ("auto_tight", "auto_columns", "auto_hard")),
    Tuned("choose.LOOSE", CHOOSE, "LOOSE", (INF,), ("auto_loose", "auto_loose_hard")),
    Tuned("choose.window", CHOOSE, "_WINDOW", (8,), ("auto_loose", "auto_loose_hard")),
    Tuned(
        "smo.margin",
        "kernelopt_smo._state",
        "_MARGIN",
        (1.0, INF),
        ("smo_list", "smo_hard", "smo_noise", "smo_more_rows"),
    ),
    Tuned("smo.slow", COURSE, "_SLOW", (INF,), ("smo_hard", "smo_twice", "smo_tube", "smo_classes")),
    Tuned("smo.overhead", STAGE, "_OVERHEAD", (0.0,), ("smo_few", "smo_moons")),
    Tuned("apd.first", APD, "_FIRST", (10**9,), ("apd_rows", "apd_twice", "apd_classes")),
    Tuned("apd.slow", APD, "_SLOW", (0.0, INF), ("apd_hard", "apd_tight")),
    Tuned("apd.probes", APD, "_PROBES", (0,), ("apd_list", "apd_twice", "apd_classes")),
    Tuned("apd.powers", APD, "_POWERS", (1,), ("apd_hard", "apd_list", "apd_twice")),
    Tuned("apd.grow", "kernelopt_apd._cycle", "_GROW", (1.0,), ("apd_rows", "apd_list")),
    Tuned("ipm.near", "kernelopt_ipm._ipm", "_NEAR", (0.0, INF), ("path", "path_far", "path_twice")),
    Tuned("interior.wall", "kernelopt.interior._step", "_TO_BOUNDARY", (0.9,), ("ipm_list", "ipm_moons")),
    Tuned("interior.enough", "kernelopt.interior._centrality", "_ENOUGH", (0.0,), ("ipm_list", "ipm_moons")),
    Tuned("ipm.answered", "kernelopt_ipm._ipm", "_ANSWERED", (0.0,), ("ipm_list", "auto_list")),
    Tuned("interior.of_gap", "kernelopt.interior._iterate", "_OF_GAP", (0.03, 3.0), ("ipm_list", "auto_list")),
    Tuned("interior.worth", "kernelopt.interior._active_set", "_WORTH", (0.0,), ("fw_rows", "fw_large")),
    Tuned("simplemkl.out", PLANES, "_OUT", (1.0,), ("simple_kinks", "simple_kinks_svc")),
    Tuned("simplemkl.much", PLANES, "_MUCH", (INF,), ("simple_kinks", "simple_kinks_svc")),
    Tuned(
        "simplemkl.points", "kernelopt_simplemkl._state", "_POINTS", (1, 10**6), ("simple_kinks", "simple_kinks_svc")
    ),
    Tuned("evidence.felt", STEP, "_FELT", (0.0,), ("evidence_tk",)),
    Tuned("evidence.good", STEP, "_GOOD", (INF,), ("evidence_held", "evidence_tk")),
    Tuned("evidence.poor", STEP, "_POOR", (0.0,), ("evidence_list_tk",)),
    Tuned("evidence.FIRST", SCORING, "FIRST", (1.0,), ("evidence_few", "evidence_numbers")),
    Tuned("evidence.worthwhile", STEP, "_WORTHWHILE", (INF,), ("evidence_tk",)),
    Tuned("evidence.few", "kernelopt._evidence.lists._single_kernels", "_FEW", (0,), ("evidence_waves",)),
    Tuned("evidence.compared", "kernelopt._evidence.lists._single_kernels", "ROWS", (50,), ("evidence_hills",)),
    Tuned("evidence.SETTLED", SCORING, "SETTLED", (0.0,), ("evidence_classes", "evidence_numbers")),
    Tuned("evidence.SETTLED", SCORING, "SETTLED", (INF,), ("evidence_twice", "evidence_digits")),
    Tuned("evidence.near", BOUND, "_NEAR", (0.0, INF), ("evidence_held", "evidence_few")),
    Tuned("evidence.near_streamed", BOUND, "_NEAR_STREAMED", (4.0,), ("evidence_classes", "evidence_numbers")),
    Tuned("evidence.bound", BOUND, "_ENOUGH", (0.0, INF), ("evidence_numbers", "evidence_digits")),
    Tuned("evidence.slow", BOUND, "_SLOW", (1.0,), ("evidence_classes", "evidence_numbers")),
    Tuned("evidence.sized", "kernelopt._evidence.lists._likely_size", "_SIZED", (10**9,), ("evidence_many_rows",)),
    Tuned("evidence.enough", SCORING, "_ENOUGH", (0.0, INF), ("evidence_list_tk", "evidence_columns")),
    Tuned("growth.rough", "kernelopt._api.growth._fits", "_ROUGH", (1e-3,), ("evidence_growing",)),
    Tuned("growth.gain", WIDTHS, "_GAIN", (0.0, 1.0), ("evidence_growing", "evidence_ridges")),
    Tuned("dictionary.held", "kernelopt._families.dictionary._streamed", "_HELD", (0,), ("evidence_growing",)),
    Tuned("evidence.rehearsed", LEARNED, "_MANY", (10**9,), ("evidence_numbers", "evidence_digits")),
    Tuned("evidence.share", LEARNED, "_SHARE", (INF,), ("evidence_classes",)),
    Tuned("evidence.together", REWEIGHTED, "_TOGETHER", (0.0,), ("evidence_reweighted", "evidence_reweighted_tight")),
    Tuned("evidence.rough", "kernelopt._evidence.lists._likelihood", "_ROUGH", (INF,), ("evidence_rough",)),
    Tuned("evidence.sweeps", "kernelopt._evidence.lists._hyperprior", "_SWEEPS", (1,), ("evidence_norms",)),
    Tuned("evidence.draws", "kernelopt._evidence.lists._atom_search", "_DRAWS", (1,), ("evidence_cosine",)),
    Tuned("evidence.climbs", "kernelopt._evidence.lists._atom_search", "_CLIMBS", (10**6,), ("evidence_widths",)),
    Tuned("laplace.rows", LAPLACE, "_ROWS", (10**9,), ("laplace_rows",)),
    Tuned("laplace.first", LAPLACE, "_FIRST", (0.0,), ("laplace_few", "laplace_rows")),
    Tuned("laplace.stride", LAPLACE, "_STRIDE", (0.5,), ("laplace_weak", "laplace_curve")),
    Tuned("laplace.stride", LAPLACE, "_STRIDE", (4.0,), ("laplace_few", "laplace_rows")),
    Tuned("laplace.longest", NEWTON, "_LONGEST", (1.0,), ("laplace_curve",)),
    Tuned("laplace.near", LAPLACE, "_NEAR", (1e-5,), ("laplace_few",)),
    Tuned("laplace.settled", NEWTON, "_SETTLED", (1e-9,), ("laplace_rows", "laplace_few")),
    Tuned("start.cruder", "kernelopt._api.beginning._rehearsal", "_CRUDER", (INF,), ("evidence_numbers",)),
    Tuned("start.rougher", "kernelopt._api.beginning._rehearsal", "_ROUGHER", (1.0,), ("evidence_numbers",)),
    Tuned(
        "dictionary.few", "kernelopt._families.dictionary.grams._hybrid_storage", "_FEW", (0,), ("evidence_numbers",)
    ),
    Tuned(
        "dictionary.small",
        "kernelopt._families.dictionary._streamed",
        "_SMALL",
        (0,),
        ("evidence_few", "evidence_held"),
    ),
    Tuned("dictionary.small", "kernelopt._families.dictionary._streamed", "_SMALL", (1 << 40,), ("evidence_numbers",)),
    Tuned("dual.shrink", ASCENT, "_SHRINK", (0.0,), ("dual_narrow", "dual_hard")),
    Tuned("dual.fall", ASCENT, "_FALL", (0.0,), ("dual_moons",)),
    Tuned("dual.step", ASCENT, "_STEP", (0.0,), ("dual_hard",)),
    Tuned("dual.overhead", ASCENT, "_OVERHEAD", (0.0,), ("dual_moons",)),
    Tuned("dual.many", "kernelopt.dual._engine", "_MANY", (INF,), ("dual_wide",)),
    Tuned("dual.correctors", "kernelopt.dual._interior", "_CORRECTORS", (0,), ("dual_interior",)),
    Tuned("qcqp.equilibrated", "kernelopt_qcqp._backends", "_EQUILIBRATED", (True,), ("qcqp_columns", "qcqp_twice")),
    Tuned("qcqp.finer", CONES, "_FINER", (1.0,), ("qcqp_last",)),
    Tuned("qcqp.share", CONES, "_SHARE", (1.0,), ("qcqp_columns", "qcqp_tight")),
    Tuned("qcqp.precision", CONES, "_PRECISION", (1e-16,), ("qcqp_columns", "qcqp_twice")),
    Tuned("qcqp.most_tried", CONES, "_MOST_TRIED", (4, 16), ("qcqp_list",)),
    Tuned("qcqp.light", CONES, "_LIGHT", (0.0,), ("qcqp_tight", "qcqp_twice")),
    Tuned("qcqp.begun", CONES, "_BEGUN", (1, 10**6), ("qcqp_short", "qcqp_steep")),
    Tuned("qcqp.idle", CONES, "_IDLE", (-1.0,), ("qcqp_short", "qcqp_steep")),
    Tuned("qcqp.few", CONES, "_FEW", (1,), ("qcqp_few",)),
    Tuned("qcqp.few", CONES, "_FEW", (INF,), ("qcqp_list", "qcqp_twice")),
    Tuned("sets.rough", SETS, "_ROUGH", (INF,), ("sets_moons", "sets_rows", "sets_hard")),
    Tuned("sets.others", SETS, "_OTHERS", (0.0, INF), ("sets_rows",)),
    Tuned("sets.halved", SETS, "_HALVED", (INF,), ("sets_hard",)),
    Tuned("descent.patience", ADAPT, "_PATIENCE", (1, 10**6), ("exchange_frequencies", "exchange_widths")),
    Tuned("descent.lightest", MOVES, "_LIGHTEST", (1e-6, 10.0), ("exchange_frequencies", "exchange_widths")),
    Tuned("cosine.probes", "kernelopt_cosine._multistart", "_PROBES", (1,), ("exchange_frequencies",)),
    Tuned(
        "gaussian.flattest",
        "kernelopt_gaussian._branch_and_bound",
        "_FLATTEST",
        (INF,),
        ("exchange_widths", "fw_widths"),
    ),
    Tuned("descent.band", ADAPT, "_BAND", (1.0,), ("frequencies", "frequencies_apart")),
    Tuned("descent.least", ADAPT, "_LEAST", (1,), ("frequencies", "frequencies_apart")),
    Tuned("descent.most", ADAPT, "_MOST", (0.0,), ("frequencies", "frequencies_apart")),
    Tuned("turned.leading", TURNED, "_LEADING", (0,), ("turned_forms",)),
    Tuned("turned.most", TURNED, "_MOST", (4,), ("turned_forms",)),
    Tuned("exchange.fell", EXCHANGE, "_FELL", (0.0,), ("exchange_forms", "exchange_kinks")),
    Tuned("exchange.rounds", EXCHANGE, "_ROUNDS", (10**9,), ("exchange_creeping", "exchange_kinks")),
    Tuned("exchange.points", EXCHANGE, "_POINTS", (1,), ("exchange_kinks",)),
    Tuned("fw.still", FW, "_STILL", (INF,), ("fw_still",)),
    Tuned("fw.sharper", FW, "_SHARPER", (1.0,), ("fw_still",)),
    Tuned("fw.sharpest", FW, "_SHARPEST", (0.3,), ("fw_still",)),
    Tuned("linalg.leaf", "kernelopt._linalg._triangular_inverse", "_LEAF", (10**9,), ("evidence_growing",)),
    Tuned("linalg.mild", "kernelopt._linalg._capacitance", "_MILD", (0.0,), ("dual_factors", "frequencies")),
    Tuned("threads.LARGE", "kernelopt._base._threads", "LARGE", (0, INF), ("evidence_rows",), perf_counter),
    Tuned("dual.rounds", "kernelopt.dual._newton", "_ROUNDS", (1,), ("dual_hard",)),
)


@attrs.frozen
class Taken:
    """What one run took, and where it ended: nothing is known of steps where nothing is solved."""

    seconds: float
    steps: int | None = None
    gap: float | None = None
    value: float = math.nan
    reached: bool = True

    def words(self) -> str:
        """Seconds, steps, gap, value."""
        if self.steps is None or self.gap is None:
            return f"{self.seconds:7.3f} s"
        mark = " " if self.reached else "!"
        return f"{self.seconds:7.3f} s {self.steps:4d} steps gap {self.gap:.0e}{mark} value {self.value:9.4g}"


def main() -> None:
    """Print one line for each constant, value without its rule, and workload."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="keys, or what stands before their dot; all where nothing is said")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--workloads", nargs="+", help="these workloads for each of the constants")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for tuned in chosen(asked.names):
        for without in tuned.without:
            for workload in asked.workloads or tuned.workloads:
                sys.stdout.write(f"{line(tuned, without, workload, asked.repeats)}\n")
                sys.stdout.flush()


def chosen(names: list[str]) -> list[Tuned]:
    """The constants of these names; exits where a name is none."""
    for name in names:
        if not any(name in (tuned.key, tuned.key.partition(".")[0]) for tuned in TABLE):
            sys.exit(f"{name} is no key: {', '.join(tuned.key for tuned in TABLE)}")
    return [one for one in TABLE if not names or one.key in names or one.key.partition(".")[0] in names]


def line(tuned: Tuned, without: Any, workload: str, repeats: int) -> str:
    """One workload with the constant and without."""
    run = found(workload)
    value = getattr(importlib.import_module(tuned.module), tuned.name)
    taken(run, tuned.clock)  # what is imported, compiled and cached at first, and memory that is asked for
    pairs: list[tuple[Taken, Taken]] = []
    for _ in range(repeats):
        before = taken(run, tuned.clock)
        with patched(tuned, without):
            pairs.append((before, taken(run, tuned.clock)))
    ratio = float(np.median([two.seconds / max(one.seconds, 1e-9) for one, two in pairs]))
    sides = [middle([pair[side] for pair in pairs]).words() for side in (0, 1)]
    shown = f"{tuned.key:24} {value!s:>8} -> {without!s:8} {workload:14}"
    return f"{shown} {sides[0]} | {sides[1]} | {ratio:6.2f}"


def found(workload: str) -> Workload:
    """The function of this name, whichever file of workloads it stands in; exits where it stands in none."""
    for file in sorted((Path(__file__).parent / "benchmarks").glob("_*_workloads.py")):
        module = importlib.import_module(f"benchmarks.{file.stem}")
        if workload in vars(module):
            run: Workload = vars(module)[workload]
            return run
    sys.exit(f"{workload} is no workload: benchmarks/_*_workloads.py has no function of that name.")


@contextmanager
def patched(tuned: Tuned, without: Any) -> Iterator[None]:
    """The constant at another value, for a while."""
    module = importlib.import_module(tuned.module)
    value = getattr(module, tuned.name)
    setattr(module, tuned.name, without)
    try:
        yield
    finally:
        setattr(module, tuned.name, value)


def taken(run: Workload, clock: Clock) -> Taken:
    """One run; a workload gives a solution, or nothing."""
    began = clock()
    done = run()
    seconds = clock() - began
    if done is None:
        return Taken(seconds)
    bounds = done.certificate
    return Taken(seconds, done.steps, bounds.relative_gap, bounds.upper, done.status.converged)


def middle(runs: list[Taken]) -> Taken:
    """The run of the median time."""
    return sorted(runs, key=lambda one: one.seconds)[len(runs) // 2]


if __name__ == "__main__":
    main()
