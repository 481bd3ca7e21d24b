"""Models in files: what comes back, and what cannot be saved."""

import json
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt._api.many_rows import _kept
from kernelopt._io import _checkpoint, _model_file
from kernelopt._io._container import Content, read, write
from kernelopt._io._values import decoded, encoded
from kernelopt.testing import Columns, every_criterion, small_task


def reloaded(solution, folder):
    path = folder / "one.kernelopt"
    solution.save(path)
    return kernelopt.load(path)


def same_bits(first, second):
    return first.dtype == second.dtype and first.shape == second.shape and first.tobytes() == second.tobytes()


def test_a_loaded_model_predicts_to_the_bit(tmp_path, rows, solution):
    X, _, Z = rows
    for model in (solution.model, reloaded(solution, tmp_path)):
        assert same_bits(model.decision_function(Z), solution.decision_function(Z))
        assert same_bits(model.predict(Z), solution.predict(Z))
        assert same_bits(model.kernel(Z, X), solution.kernel(Z, X))
        assert same_bits(model.kernel.diag(Z), solution.kernel.diag(Z))


def test_a_loaded_model_can_be_saved_again(tmp_path, solution):
    model = reloaded(solution, tmp_path)
    model.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "one.kernelopt").read_bytes()


def test_several_classes_come_back_with_their_labels(tmp_path, labelled):
    s, X = labelled
    model = reloaded(s, tmp_path)
    assert same_bits(model.decision_function(X), s.decision_function(X))
    assert same_bits(model.classes, s.classes)
    assert model.columns == s.columns
    assert model.score(X, s.predict(X)) == 1.0
    assert model.kernel.views() == {(0, 1, 2, 3): pytest.approx(1.0)}


@pytest.mark.parametrize("family", ["gaussians", "tk"])
@pytest.mark.parametrize("criterion", ["svc", "svr"])
def test_a_kernel_that_is_0_comes_back(tmp_path, family, criterion):
    """Where every kernel costs more than it is worth, no member of the union has weight, and a bias is all."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    y = X[:, 0] if criterion == "svr" else np.where(X[:, 0] > 0.0, "a", "b")
    priced = [kernelopt.priced(family, 1e6), kernelopt.priced("delta", 1e6)]
    s = kernelopt.solve(X, y, family=priced, criterion=criterion, solver="apd")
    assert s.mixture.mass == 0.0
    model = reloaded(s, tmp_path)
    assert same_bits(model.decision_function(X), s.decision_function(X))
    assert same_bits(model.kernel(X, X), s.kernel(X, X))
    assert model.kernel.describe() == s.kernel.describe()
    assert model.kernel.describe().startswith("0, because every kernel costs more")
    for one in (s, model):
        assert "0, because every kernel costs more" in one._repr_html_()


@pytest.mark.parametrize("name", every_criterion())
def test_what_was_learned_and_proved_comes_back(tmp_path, name):
    criterion = every_criterion()[name]
    X, y = small_task(criterion.task)
    s = kernelopt.solve(X, y, family=kernelopt.fixed("rbf"), criterion=criterion)
    model = reloaded(s, tmp_path)
    assert model.criterion == criterion
    assert model.certificate == s.certificate
    assert model.status is s.status
    assert model.notes == s.notes
    assert same_bits(model.decision_function(X), s.decision_function(X))
    assert (model.classes is None) == (criterion.task == "regression")
    assert str(model.certificate) in str(model)


@pytest.mark.parametrize("labels", [True, False])
def test_the_evidence_comes_back(tmp_path, rows, labels):
    X, y, Z = rows
    s = kernelopt.solve(
        X, y if labels else X[:, 0] + y, family=["gpk", "dictionary"], criterion="evidence", max_steps=3
    )
    model = reloaded(s, tmp_path)
    assert model.criterion == s.criterion
    assert model.certificate == s.certificate
    assert same_bits(model.predict(Z), s.predict(Z))
    assert (model.classes is not None) == labels


@pytest.mark.parametrize("kind", ["U7", "S7", "i1", "u2", "i8", "?", "f4", "f8"])
def test_labels_of_every_kind_come_back(tmp_path, rows, kind):
    X, y, Z = rows
    labels = (y > 0.0).astype(int).astype(kind)
    s = kernelopt.solve(X, labels, family=kernelopt.fixed("rbf"), criterion="svc")
    assert same_bits(reloaded(s, tmp_path).predict(Z), s.predict(Z))


def test_targets_of_several_columns_come_back(tmp_path, rows):
    X, y, Z = rows
    s = kernelopt.solve(X, np.column_stack([y, X[:, 0]]), family="gpk", criterion="ridge")
    assert same_bits(reloaded(s, tmp_path).predict(Z), s.predict(Z))


def test_a_file_holds_what_prediction_needs_and_no_more(tmp_path, labelled):
    """Support vectors and the members with weight; of a list those kernels, of pairs those pairs."""
    s, X = labelled
    model = reloaded(s, tmp_path)
    heavy = [leaf.family.name for leaf, part in zip(s.kernel.leaves, s.mixture.parts, strict=True) if part.mass > 0.0]
    assert [leaf.family.name for leaf in model.kernel.leaves] == heavy
    assert len(model.predictor.support_vectors) == len(s.support)
    for leaf, part in zip(model.kernel.leaves, model.kernel.mixture.parts, strict=True):
        if leaf.family.name in ("dictionary", "hyperkernel"):
            assert len(leaf.family.dictionary()) == len(part)
            assert (part.weights > 0.0).all()
    path = tmp_path / "explicit"
    explicit = kernelopt.solve(X, X[:, 0], family=["cosine", "delta"], criterion="svr", max_steps=3)
    explicit.save(path)
    assert kernelopt.load(path).predictor.support_vectors.shape == (0, 4)


def test_a_file_is_a_table_of_arrays_and_words_that_json_reads(tmp_path, solution):
    path = tmp_path / "one"
    solution.save(path)
    words = read(path).words
    assert (words["format"], words["version"]) == ("kernelopt model", "12")
    assert words["kernelopt"] == kernelopt.__version__
    told = json.loads(words["model"])
    assert told["criterion"] == {"criterion": "svc", "fields": {"C": 1.0}}
    assert told["status"] == {"enumeration": "Status", "member": solution.status.name}


def first_column(X, Z):
    return np.outer(X[:, 0], Z[:, 0])


@attrs.frozen(eq=False)
class Stranger(Columns):
    """A family that no plugin offers."""

    name = "stranger"
    held: Any = None

    def prepare(self, X, weight):
        return attrs.evolve(self, width=X.shape[1])


REFUSED = {
    "a function": (kernelopt.fixed(first_column), "`kernels` of Dictionary is the function 'first_column'"),
    "a lambda": (kernelopt.fixed(lambda X, Z: X @ Z.T), "`kernels` of Dictionary is the function '<lambda>'"),
    "a Gram": (kernelopt.fixed(kernelopt.Precomputed(np.eye(20))), "`kernels` of Dictionary is a Precomputed"),
    "a stranger": (Stranger(), "the family Stranger is offered by no plugin"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_no_file_can_hold_is_refused_and_leaves_no_file(tmp_path, case):
    family, reason = REFUSED[case]
    X = np.arange(20.0)[:, None]
    s = kernelopt.solve(X, np.where(X[:, 0] % 3 > 0, 1, 0), family=family, criterion="svc")
    with pytest.raises(kernelopt.ModelFileError, match=f"cannot be saved: {reason}"):
        s.save(tmp_path / "one")
    assert not any(tmp_path.iterdir())


def test_a_function_without_weight_does_not_matter(tmp_path, rows):
    X, y, Z = rows
    family = kernelopt.Dictionary([("rbf", {"gamma": 1.0}), first_column], normalize=None)
    weights = kernelopt.Mixture((kernelopt.Part(np.array([[0.0], [1.0]]), np.array([1.0, 0.0])),))
    s = kernelopt.solve(X, y, family=family, criterion="svc", start=weights, max_steps=0)
    assert same_bits(reloaded(s, tmp_path).decision_function(Z), s.decision_function(Z))


@attrs.frozen(eq=False)
class Inner:
    numbers: tuple[float, ...]


@attrs.frozen(eq=False)
class Deep(Inner):
    """A subclass is found where the base is named."""

    words: dict[str, Any]


@attrs.frozen(eq=False)
class Outer:
    inner: Inner | None
    table: Any
    count: int = attrs.field(init=False)

    @count.default
    def _count(self):
        return len(self.inner.numbers)


VALUES = [
    Outer(Deep((1.5, float("inf"), -0.0), {"a": [1, "x", None, True], "b": ()}), float("nan")),
    Outer(Inner((float("-inf"), 5e-324, 0.1)), np.arange(6.0).reshape(2, 3).T),
    Outer(Inner(()), np.array([["a", "bcd"], ["", "é"]])),
    Outer(Inner((np.float64(0.1), np.float32(0.5))), (np.int32(3), np.bool_(True), "\ud800", 1 << 80)),
    Outer(Inner(()), np.array(3.0)),
]


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_values_come_back(tmp_path, value):
    plain, arrays = encoded(value)
    write(tmp_path / "one", Content({"value": json.dumps(plain, allow_nan=False)}, arrays))
    content = read(tmp_path / "one")
    found = decoded(json.loads(content.words["value"]), content.arrays, Outer)
    assert type(found.inner) is type(value.inner)
    assert json.dumps(encoded(found)[0]) == json.dumps(plain)
    assert found.inner.numbers == value.inner.numbers
    assert found.count == value.count
    if isinstance(value.table, np.ndarray):
        assert found.table.flags.f_contiguous == value.table.flags.f_contiguous
        assert same_bits(found.table, value.table)


def test_the_page_on_files_states_the_version_that_is_written_and_every_format():
    page = (Path(__file__).parents[2] / "docs" / "model-files.md").read_text(encoding="utf-8")
    assert f"| `version` | the version of the format of a model: `{_model_file.VERSION}` |" in page
    (line,) = (line for line in page.splitlines() if line.startswith("| `format` |"))
    formats = (_model_file.FORMAT, _model_file.TARGETS, _checkpoint.FORMAT, _kept.FORMAT)
    assert all(f"`{name}`" in line for name in formats)


def test_another_format_and_a_later_version_are_refused(tmp_path, rows):
    X, y, _ = rows
    path = tmp_path / "one"
    kernelopt.solve(X, y, family=kernelopt.fixed("rbf"), criterion="svc").save(path)
    content = read(path)
    write(path, attrs.evolve(content, words={**content.words, "version": "13"}))
    with pytest.raises(
        kernelopt.ModelFileError,
        match="has version '13' of the format, this kernelopt reads 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12: upgrade",
    ):
        kernelopt.load(path)
    write(path, Content({"a": "b"}, {}))
    with pytest.raises(kernelopt.ModelFileError, match="is no model"):
        kernelopt.load(path)


def test_a_missing_plugin_is_named(tmp_path, rows):
    X, y, _ = rows
    path = tmp_path / "one"
    kernelopt.solve(X, y, family="gaussian", criterion="svc", max_steps=2).save(path)
    content = read(path)
    told = content.words["model"].replace('"family": "gaussian"', '"family": "gausian"')
    write(path, attrs.evolve(content, words={**content.words, "model": told}))
    words = (
        "needs a plugin that is not installed here; install the package that offers it: no family is called 'gausian'"
    )
    with pytest.raises(kernelopt.ModelFileError, match=f"{words}; did you mean 'gaussian'"):
        kernelopt.load(path)


def test_the_kernel_of_a_model_has_no_centre(labelled):
    s, _ = labelled
    assert s.kernel.center().mixture.mass == pytest.approx(1.0)
    with pytest.raises(kernelopt.Refused, match=r"call center\(\) of the solution"):
        s.model.kernel.center()


def test_names_of_columns_come_back_and_must_be_as_many_as_columns(tmp_path):
    X = np.random.default_rng(0).normal(size=(20, 3))
    model = kernelopt.solve(X, np.arange(20) % 2, family="dictionary", tol=0.1).model
    assert model.columns == ()
    named = model.named("abc")
    named.save(tmp_path / "named")
    assert kernelopt.load(tmp_path / "named").columns == ("a", "b", "c")
    with pytest.raises(kernelopt.InvalidOption, match="got 2 names for 3 columns"):
        model.named(("a", "b"))
    short = attrs.evolve(model.kernel, names=("a", "b"))
    with pytest.raises(kernelopt.ModelFileError, match="the names of the columns"):
        attrs.evolve(model, predictor=attrs.evolve(model.predictor, kernel=short)).save(tmp_path / "short")
