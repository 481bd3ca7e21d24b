"""Solving rows that are read in blocks: the machine is that of the same rows in memory."""

import re
from functools import cache

import numpy as np
import pytest

import kernelopt
from kernelopt._api import _choose
from kernelopt._api._criterion_choice import suggested
from kernelopt._api.data import _surveyed
from kernelopt._api.many_rows import _begun, _result, _tails
from kernelopt._evidence.classes import _summed_classes
from kernelopt._evidence.noise._heavy_tails import Tail
from kernelopt._rows import _arrays, _csv
from kernelopt._rows._contract import RowBlocks

N = 600
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 4))
F = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2]
NUMBERS = 3.0 + F + 0.2 * RNG.normal(size=N)
LABELS = np.where(F + RNG.normal(size=N) > 0.0, "yes", "no")
THREE = np.digitize(F + 0.3 * RNG.normal(size=N), [-0.5, 0.5])
TARGETS = {"numbers": NUMBERS, "two": LABELS, "three": THREE, "several": np.column_stack([NUMBERS, F])}
NOISY = TARGETS | {"several": np.column_stack([NUMBERS, F + 0.2 * np.random.default_rng(1).normal(size=N)])}
Z = RNG.normal(size=(200, 4))
FAMILY = kernelopt.sampled("cosine", 40)
EVIDENCE = {"name": "evidence", "effort": "quick"}


def few_are_many(patched):
    for module in (_begun, _choose, _surveyed):
        patched.setattr(module, "MANY", 400)
    patched.setattr(_surveyed, "WHOLE", 400)
    patched.setattr(_arrays, "_BYTES", 8 * 4 * 130)


@pytest.fixture(autouse=True)
def _few_are_many(monkeypatch):
    few_are_many(monkeypatch)


def in_blocks(y, weight=None, **options):
    return kernelopt.solve(kernelopt.row_blocks(X, y, sample_weight=weight), criterion=EVIDENCE, **options)


@pytest.mark.parametrize("kind", TARGETS)
@pytest.mark.parametrize("weight", [None, RNG.integers(0, 4, N).astype(float)], ids=["plain", "weighted"])
def test_with_one_kernel_the_bounds_and_the_machine_are_those_of_rows_in_memory(kind, weight, monkeypatch):
    monkeypatch.setattr(_tails, "heavy_tail", lambda *_, **__: Tail())  # some rows tell it, which are others
    y = TARGETS[kind]
    start = in_blocks(y, weight, family=FAMILY, tol=1e-9)
    read = in_blocks(y, weight, start=start, tol=1e-9)
    held = kernelopt.solve(X, y, sample_weight=weight, criterion=EVIDENCE, start=start, tol=1e-9)
    assert read.certificate.upper == pytest.approx(held.certificate.upper, rel=1e-8)
    assert read.certificate.lower == pytest.approx(held.certificate.lower, rel=1e-8)
    mine, other = read.decision_function(Z), held.decision_function(Z)
    if kind == "two":  # their size is learned from some rows, which are others
        assert np.corrcoef(mine, other)[0, 1] > 0.999
    else:
        assert mine == pytest.approx(other, abs=1e-4)
    if kind == "numbers":  # within the root of the tolerance, as the values: the optimum is flat
        assert read.predict(Z, return_std=True)[1] == pytest.approx(held.predict(Z, return_std=True)[1], rel=1e-4)


@pytest.fixture(scope="module")
def whole_run():
    """The default on targets of a kind, and how often it goes over all rows: once for each kind."""

    @cache
    def run(kind):
        with pytest.MonkeyPatch.context() as patched:
            few_are_many(patched)
            begun = passes(patched)
            return in_blocks(NOISY[kind]), len(begun)

    return run


@pytest.mark.parametrize("kind", TARGETS)
def test_the_default_predicts_as_from_memory_and_keeps_no_row(kind, whole_run):
    s, _ = whole_run(kind)
    held = kernelopt.solve(X, NOISY[kind], criterion=EVIDENCE)
    assert s.score(X, NOISY[kind]) > held.score(X, NOISY[kind]) - 0.1
    assert len(s.support) == len(s.support_vectors) == len(s.coefficients) == 0
    assert any("600 rows of an array of shape (600, 4) were read in blocks" in note for note in s.notes)
    assert "it predicts by features" in str(s)
    assert "row" in s._repr_html_()


@pytest.mark.parametrize(("one", "meant"), [(1.0, "auto"), (2.0, "copies"), (1.5, "relative"), (1e17, "relative")])
def test_all_blocks_say_what_weights_mean(one, meant):
    weight = np.ones(N)
    weight[N // 2] = one
    read = kernelopt.solve(kernelopt.row_blocks(X, NUMBERS, sample_weight=weight), criterion=EVIDENCE)
    held = kernelopt.solve(X, NUMBERS, sample_weight=weight, criterion=EVIDENCE)
    assert read.criterion.weights == held.criterion.weights == meant


def test_class_weights_are_those_of_rows_in_memory():
    rare = np.where(F + RNG.normal(size=N) > 1.5, "rare", "usual")
    options = {"class_weight": "balanced", "tol": 1e-9}
    start = kernelopt.solve(kernelopt.row_blocks(X, rare), family=FAMILY, criterion=RELATIVE, **options)
    read = kernelopt.solve(kernelopt.row_blocks(X, rare), start=start, criterion=RELATIVE, **options)
    held = kernelopt.solve(X, rare, start=start, criterion=RELATIVE, **options)
    assert read.certificate.upper == pytest.approx(held.certificate.upper, rel=1e-8)
    assert read.predict_proba(Z) == pytest.approx(held.predict_proba(Z), abs=0.05)


RELATIVE = {"name": "evidence", "effort": "quick", "weights": "relative"}


def test_few_rows_are_read_whole_and_solved_as_any_others(monkeypatch):
    monkeypatch.setattr(_surveyed, "MANY", 1000)
    s = kernelopt.solve(kernelopt.row_blocks(X[:300], NUMBERS[:300]), criterion=EVIDENCE)
    other = kernelopt.solve(X[:300], NUMBERS[:300], criterion=EVIDENCE)
    assert np.array_equal(s.predict(Z), other.predict(Z))
    assert len(s.support) == 300


@pytest.mark.parametrize("many", [400, 1000])
@pytest.mark.parametrize(("counted", "got"), [(0, "0 rows"), (1, "1 row")])
def test_rows_of_which_fewer_than_two_have_a_weight_are_refused_for_that(counted, got, many, monkeypatch):
    monkeypatch.setattr(_surveyed, "MANY", many)
    wanted = f"got {got} with weight, wanted at least 2; {N - counted} rows have a weight of zero"
    with pytest.raises(kernelopt.InvalidData, match=wanted):
        in_blocks(NUMBERS, (np.arange(N) < counted).astype(float))


@pytest.mark.parametrize("criterion", ["ridge", "l2-svc"])
def test_other_criteria_read_all_rows_into_memory_and_say_so(criterion):
    y = NUMBERS if criterion == "ridge" else LABELS
    s = kernelopt.solve(kernelopt.row_blocks(X, y), family=FAMILY, criterion=criterion)
    held = kernelopt.solve(X, y, family=FAMILY, criterion=criterion)
    assert s.certificate.upper == pytest.approx(held.certificate.upper, rel=1e-3)
    assert any("all 600 rows were read into memory" in note for note in s.notes)


def test_nothing_said_takes_the_evidence_of_numbers_or_of_classes():
    assert kernelopt.solve(kernelopt.row_blocks(X, LABELS), max_seconds=3).criterion.targets == "labels"
    assert kernelopt.solve(kernelopt.row_blocks(X, NUMBERS), max_seconds=3).criterion.targets == "numbers"


@pytest.mark.parametrize("kind", ["array", "csv", "parquet"])
@pytest.mark.parametrize(
    ("y", "targets"), [(np.arange(N) % 5, "labels"), (np.arange(N) % 5.0, "numbers"), (np.arange(N) % 2.0, "labels")]
)
def test_whole_floats_are_what_they_are_in_memory(kind, y, targets, tmp_path, monkeypatch):
    monkeypatch.setattr(_csv, "_BYTES", 4000)
    blocks = kernelopt.row_blocks(X, y)
    if kind != "array":
        pd = pytest.importorskip("pandas")
        table = pd.DataFrame(X, columns=list("abcd")).assign(y=y)
        path = tmp_path / f"rows.{kind}"
        table.to_csv(path, index=False) if kind == "csv" else table.to_parquet(path, row_group_size=130)
        blocks = kernelopt.row_blocks(path, target="y")
    assert len(blocks.pieces) > 1
    whole, surveyed = blocks.whole(), _surveyed.Surveyed.of(blocks, 0)
    assert not surveyed.few
    for given in (y, whole.targets, surveyed.telling):
        assert suggested(None, None, given)[0].targets == targets
    assert surveyed.survey.targets.distinct().dtype.kind == whole.targets.dtype.kind == y.dtype.kind


ODD = np.array(["-" if k in (7, 9) else f"{value:.3f}" for k, value in enumerate(NUMBERS)])
"""Numbers, but for two of them."""


@pytest.mark.parametrize("many", [400, 10_000])
@pytest.mark.parametrize("kind", ["array", "csv", "parquet"])
@pytest.mark.parametrize(
    ("criterion", "told"),
    [
        (None, "y holds '-' (PLACE) among numbers such as"),
        ("evidence", "y holds '-' (PLACE) among numbers such as"),
        ("ridge", "y holds '-' (PLACE), wanted numbers for ridge"),
        ({"name": "evidence", "targets": "numbers"}, "y holds '-' (PLACE), wanted numbers for evidence"),
    ],
)
def test_a_word_among_numbers_is_named_with_its_place(kind, many, criterion, told, tmp_path, monkeypatch):
    monkeypatch.setattr(_csv, "_BYTES", 4000)
    monkeypatch.setattr(_surveyed, "MANY", many)
    blocks, place = kernelopt.row_blocks(X, ODD), "row 7, counted from 0"
    if kind != "array":
        pd = pytest.importorskip("pandas")
        table = pd.DataFrame(X, columns=list("abcd")).assign(y=ODD)
        path = tmp_path / f"rows.{kind}"
        table.to_csv(path, index=False) if kind == "csv" else table.to_parquet(path, row_group_size=130)
        blocks = kernelopt.row_blocks(path, target="y")
        place = "line 9" if kind == "csv" else f"row 8 of row group 0 of {path}"
    with pytest.raises(kernelopt.InvalidData, match=re.escape(told.replace("PLACE", place))):
        kernelopt.solve(blocks, criterion=criterion)


def test_a_word_among_numbers_is_a_class_where_classes_are_asked_for():
    y = np.array(["x" if k == 7 else str(k % 30) for k in range(N)])
    with pytest.raises(kernelopt.InvalidData, match="take the criterion evidence with targets=labels"):
        kernelopt.solve(X, y)
    labels = {"name": "evidence", "effort": "quick", "targets": "labels"}
    assert len(kernelopt.solve(X[:60], y[:60], criterion=labels, max_seconds=2).predictor.classes) == 31


@pytest.mark.parametrize("comma", [False, True])
def test_numbers_written_as_text_are_no_classes_unless_asked_for(comma):
    """The advice of the message makes them the numbers that they are."""
    y = [f"{value:.3f}".replace(".", "," if comma else ".") for value in NUMBERS]
    for given in (y, np.array(y), kernelopt.row_blocks(X, np.array(y))):
        rows = (given,) if isinstance(given, kernelopt.RowBlocks) else (X, given)
        with pytest.raises(kernelopt.InvalidData, match="numbers written as text") as told:
            kernelopt.solve(*rows)
    (advice,) = re.findall(r"for example with (.*); if y", str(told.value))
    modules = {"numpy": np, "pandas": pytest.importorskip("pandas")}
    np.testing.assert_allclose(eval(advice, modules, {"y": y}), NUMBERS, atol=1e-3)
    labels = kernelopt.Evidence(targets="labels", effort="quick")
    assert len(kernelopt.solve(X[:30], y[:30], criterion=labels, max_seconds=1).predictor.classes) == len(set(y[:30]))


@pytest.mark.parametrize("words", [["1.0", "2.0", "3.0"], ["1", "2", "3"], ["007", "0.5", "1.5"]])
def test_codes_written_as_text_are_classes(words):
    y = np.array(words)[np.arange(N) % 3]
    assert suggested(None, None, y)[0].targets == "labels"


def test_too_many_words_get_no_advice_to_take_numbers(monkeypatch):
    y = np.array([f"word {k}" for k in range(N)])
    monkeypatch.setattr("kernelopt._rows._tallies._DISTINCT", 500)
    with pytest.raises(kernelopt.InvalidData, match=r"more than 1000 .* make one class of all that are rare"):
        in_blocks(y)
    labels = {"name": "evidence", "targets": "labels"}
    with pytest.raises(kernelopt.InvalidData, match=r"most are numbers, and '-' \(row 7, .*\) is none"):
        kernelopt.solve(kernelopt.row_blocks(X, ODD), criterion=labels)


def test_files_with_words_and_gaps_are_learned_from(tmp_path):
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(X, columns=list("abcd"))
    table["word"] = np.where(F > 0.0, "up", "down")
    table.loc[::7, "d"] = np.nan
    table["constant"] = 1.0
    table["y"] = NUMBERS
    table.to_csv(tmp_path / "rows.csv", index=False)
    s = kernelopt.solve(kernelopt.row_blocks(tmp_path / "rows.csv", target="y"), criterion=EVIDENCE)
    assert s.score(table.drop(columns="y"), NUMBERS) > 0.9
    assert s.predictor.kernel.names == ("a", "b", "c", "d", "word", "constant")
    told = " ".join(s.notes)
    assert "86 values are missing in column 'd'" in told
    assert "categories in column 'word' (2)" in told
    assert "1 of 6 columns are constant" in told


def test_models_of_read_rows_are_kept_to_the_bit(whole_run, tmp_path):
    s, _ = whole_run("two")
    s.save(tmp_path / "many.kernelopt")
    assert np.array_equal(kernelopt.load(tmp_path / "many.kernelopt").predict_proba(Z), s.predict_proba(Z))


@pytest.mark.parametrize(
    ("y", "options", "told"),
    [
        (NUMBERS, {"y": NUMBERS}, "y: got an array with rows whose files have columns for it"),
        (NUMBERS, {"sample_weight": np.ones(N)}, "sample_weight: got an array with rows"),
        (np.zeros(N), {"criterion": {"name": "evidence", "targets": "labels"}}, r"y has one class \(0.0\)"),
        (
            LABELS,
            {"criterion": {"name": "evidence", "targets": "numbers"}},
            r"y holds '(yes|no)' \(row 0, .*\), wanted",
        ),
        (NUMBERS, {"criterion": EVIDENCE, "class_weight": "balanced"}, "class_weight is for classification only"),
        (1e100 * NUMBERS, {"criterion": EVIDENCE}, "divide y by its largest value"),
    ],
)
def test_what_cannot_be_learned_is_told(y, options, told):
    blocks = kernelopt.row_blocks(X, y)
    options = {"criterion": EVIDENCE, **options}
    with pytest.raises(kernelopt.KerneloptError, match=told):
        kernelopt.solve(blocks, **options)


def test_a_solver_that_holds_all_rows_is_refused():
    with pytest.raises(kernelopt.InvalidOption, match="wants all rows in memory, and 600 rows are read in blocks"):
        in_blocks(NUMBERS, solver="reweighted")


def test_constant_columns_are_nothing_to_learn_from():
    with pytest.raises(kernelopt.InvalidData, match="all 2 columns of X are constant"):
        kernelopt.solve(kernelopt.row_blocks(np.ones((N, 2)), NUMBERS), criterion=EVIDENCE)


def test_the_first_look_is_told(monkeypatch):
    stages = []
    monkeypatch.setattr("kernelopt._api._progress.Bar.stage", lambda self, words, share: stages.append(words))
    in_blocks(NUMBERS, progress=True, family=FAMILY)
    assert stages[0].startswith("a first look at all rows")
    assert any(words.startswith("all rows summed up") for words in stages)


def test_memory_maps_of_many_rows_are_read_in_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("kernelopt._api.data._blocks.MANY", 400)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    s = kernelopt.solve(mapped, NUMBERS, family=FAMILY, criterion=EVIDENCE)
    assert any("read in blocks" in note for note in s.notes)
    few = kernelopt.solve(mapped[:300], NUMBERS[:300], family=FAMILY, criterion=EVIDENCE)
    assert len(few.support) == 300


class _Killed(BaseException):
    """As if the machine had gone."""


def passes(monkeypatch, until=10**6):
    """Counts passes over all rows, of which the one of this number, and all later ones, do not come to an end."""
    begun, whole = [], RowBlocks.total

    def total(self, *arguments, **options):
        begun.append(len(begun))
        if len(begun) > until:
            raise _Killed
        return whole(self, *arguments, **options)

    monkeypatch.setattr(RowBlocks, "total", total)
    return begun


@pytest.mark.parametrize(("kind", "killed"), [("numbers", 1), ("two", 1), ("two", 2), ("two", 3), ("three", 1)])
def test_a_run_that_is_killed_goes_on_and_loses_one_pass_at_most(kind, killed, whole_run, tmp_path, monkeypatch):
    y, (whole, every) = TARGETS[kind], whole_run(kind)
    kept = tmp_path / "many.checkpoint"
    with monkeypatch.context() as patched:
        passes(patched, killed)
        with pytest.raises(_Killed):
            in_blocks(y, checkpoint=kept)
    with monkeypatch.context() as patched:
        patched.setattr(_result, "begun", None)  # the kernel is not learned again
        if killed > 2:
            patched.setattr(_summed_classes, "_scale", None)  # nor is the scale of the odds that were begun
        begun = passes(patched)
        again = in_blocks(y, checkpoint=kept)
    assert len(begun) <= every - killed + 2  # the pass that was lost, and the first look, which is never kept
    assert again.certificate.upper == pytest.approx(whole.certificate.upper, rel=1e-9)
    assert again.decision_function(Z) == pytest.approx(whole.decision_function(Z), abs=1e-2)


@pytest.mark.parametrize("y", [NUMBERS, LABELS], ids=["numbers", "classes"])
def test_a_checkpoint_of_rows_in_memory_keeps_the_kernel(y, tmp_path, monkeypatch):
    first = kernelopt.solve(X, y, criterion=EVIDENCE, checkpoint=tmp_path / "kept")
    monkeypatch.setattr(_result, "begun", None)
    again = kernelopt.solve(X, y, criterion=EVIDENCE, checkpoint=tmp_path / "kept")
    assert again.certificate.upper == pytest.approx(first.certificate.upper, rel=1e-9)
    assert again.decision_function(Z) == pytest.approx(first.decision_function(Z), abs=1e-6)


def test_a_checkpoint_of_other_rows_or_options_is_refused(tmp_path):
    kept = tmp_path / "kept"
    in_blocks(NUMBERS, checkpoint=kept)
    other = kernelopt.Dictionary([("linear", {})])
    for y, options in ((NUMBERS + 1.0, {}), (NUMBERS, {"seed": 1}), (NUMBERS, {"family": other})):
        with pytest.raises(kernelopt.InvalidData, match="is the checkpoint of another problem"):
            in_blocks(y, **options, checkpoint=kept)
    (tmp_path / "none").write_bytes(b"nothing")
    with pytest.raises(kernelopt.ModelFileError, match="is no file of kernelopt's"):
        in_blocks(NUMBERS, checkpoint=tmp_path / "none")


def test_a_checkpoint_that_cannot_be_written_stops_no_run(tmp_path, monkeypatch):
    def full(path, content):
        raise kernelopt.ModelFileError(f"{path} cannot be written: no space is left")

    monkeypatch.setattr("kernelopt._io._container.write", full)
    s = in_blocks(NUMBERS, checkpoint=tmp_path / "kept")
    assert any("no space is left; the file lacks the latest progress" in note for note in s.notes)


def test_a_family_that_no_file_has_words_for_is_told(tmp_path):
    s = in_blocks(NUMBERS, family=FAMILY, checkpoint=tmp_path / "kept")
    assert any(note.startswith("checkpoint: ") and "SampledColumns" in note for note in s.notes)
    assert not any("max_seconds" in note for note in s.notes)


def test_thin_lists_are_learned_from_all_rows_with_all_their_weights():
    far = X.copy()
    far[7] *= 50.0  # hardly among those that are looked at first
    thin = kernelopt.each(kernelopt.Dictionary([("rbf", {"gamma": 0.5})]))
    blocks = kernelopt.row_blocks(far, NUMBERS)
    even = {**EVIDENCE, "noise": "gaussian"}  # an additive kernel leaves more of some rows than of others
    read = kernelopt.solve(blocks, family=thin, criterion=even, tol=1e-9)
    assert any("represented by features: on all 600 rows each of its kernels" in note for note in read.notes)
    held = kernelopt.solve(far, NUMBERS, criterion=even, start=read, tol=1e-9)
    assert read.certificate.upper == pytest.approx(held.certificate.upper, rel=1e-8)
    assert read.certificate.lower == pytest.approx(held.certificate.lower, rel=1e-8)
    for leaf in read.kernel.leaves:
        for kernel in leaf.family.kernels if leaf.family.name == "landmarks" else ():
            phi, view = kernel.features(leaf.view(far)), leaf.view(far)
            assert np.sum(phi**2, axis=1) == pytest.approx(kernel.family.diag(kernel.part, view), abs=1e-8)


def test_columns_of_too_many_categories_are_left_out_with_a_note(monkeypatch):
    monkeypatch.setattr("kernelopt._rows._tallies.MOST", 50)
    monkeypatch.setattr("kernelopt._api.data._column_notes.MOST", 50)
    names, towns = np.array([f"name {i}" for i in range(N)]), RNG.choice(["a", "b"], N)
    table = np.column_stack([X.astype(object), names, towns])
    s = kernelopt.solve(kernelopt.row_blocks(table, NUMBERS), criterion=EVIDENCE)
    assert any("1 of 6 columns have more than 50 categories" in note for note in s.notes)
    assert not any("a different category in every row" in note for note in s.notes)
    other = table.copy()
    other[:, 4] = "somebody else"
    assert np.array_equal(s.predict(table), s.predict(other))


@pytest.mark.parametrize("name", ["predict", "decision_function", "predict_proba"])
def test_rows_in_blocks_are_predicted_part_by_part_as_the_error_says(name, tmp_path):
    pd, parquet = pytest.importorskip("pandas"), pytest.importorskip("pyarrow.parquet")
    names = list("abcd")
    pd.DataFrame(X, columns=names).assign(y=LABELS).to_csv(tmp_path / "rows.csv", index=False)
    pd.DataFrame(X, columns=names).assign(y=LABELS).to_parquet(tmp_path / "rows.parquet")
    rows = kernelopt.row_blocks(tmp_path / "rows.csv", target="y")
    machine = kernelopt.KernelClassifier(family=FAMILY, criterion=EVIDENCE).fit(rows)
    for one in (machine, machine.solution_, machine.solution_.model):
        with pytest.raises(kernelopt.InvalidData, match=r"rows\.csv\), wanted rows in memory; .* a file in parts"):
            getattr(one, name)(rows)
    ask = getattr(machine.solution_, name)
    tables = pd.read_csv(tmp_path / "rows.csv", usecols=names, chunksize=250)
    batches = parquet.ParquetFile(tmp_path / "rows.parquet").iter_batches(250, columns=names)
    for parts in (tables, batches):
        found = np.concatenate([ask(part) for part in parts])
        same = found == ask(X) if found.dtype.kind == "U" else np.isclose(found, ask(X), rtol=1e-9, atol=1e-9)
        assert np.all(same)
