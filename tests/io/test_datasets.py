"""Data by name: where it comes from, its own splits, and what is said where it cannot be had."""

import os
import urllib.error
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
import sklearn.datasets
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

import kernelopt
from kernelopt import datasets


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KERNELOPT_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise urllib.error.URLError("no network")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", refuse)


@pytest.mark.parametrize("name", datasets.BUNDLED)
def test_the_bundled_sets_need_nothing(name: str, offline: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KERNELOPT_DATA", raising=False)
    data = datasets.load(name)
    assert data.X.shape[0] == len(data.y) > 100
    assert str(data.X.shape[1]) in data.title
    assert name in datasets.names()
    assert len(set(data.names)) == data.X.shape[1]
    assert data.table.names == data.names


def test_what_is_bundled_is_learned_with_the_names_of_its_columns() -> None:
    s = kernelopt.solve(family=kernelopt.on("gaussians", [7]), max_steps=0)
    assert s.kernel.names[7] == "mean concave points"
    assert "mean concave points" in str(s.kernel)


def test_a_set_in_the_folder_may_have_names(folder: Path) -> None:
    np.savez(folder / "named.npz", X=np.eye(3), y=np.arange(3), names=["a", "b", "c"])
    assert datasets.load("named").names == ("a", "b", "c")
    np.savez(folder / "named.npz", X=np.eye(3), y=np.arange(3), names=["a", "b"])
    with pytest.raises(kernelopt.InvalidData, match=r"named.npz: names holds 2 names, X has 3 columns"):
        datasets.load("named")


def test_a_set_in_the_folder_comes_with_its_own_splits(folder: Path) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 2)).astype(np.float32), np.arange(12) % 2
    order = np.array([rng.permutation(12) for _ in range(3)])
    np.savez(folder / "mine.npz", X=X, y=y, train_splits=order[:, :8], test_splits=order[:, 8:])
    data = datasets.load("mine")
    assert "mine" in datasets.names()
    assert data.X.dtype == np.float64
    np.testing.assert_array_equal(data.X, X)
    assert len(data.splits) == 3
    for train, test in data.splits:
        assert sorted([*train, *test]) == list(range(12))
    assert len(cross_val_score(KNeighborsClassifier(2), data.X, data.y, cv=data.splits)) == 3


def test_folds_of_the_source_are_splits(folder: Path) -> None:
    fold = np.array([0, 1, 2, 0, 1, 2, 2])
    np.savez(folder / "folded.npz", X=np.eye(7), y=np.arange(7), fold=fold)
    splits = datasets.load("folded").splits
    assert [test.tolist() for _, test in splits] == [[0, 3], [1, 4], [2, 5, 6]]
    assert all(len(train) + len(test) == 7 for train, test in splits)


def test_a_set_without_splits_has_none(folder: Path) -> None:
    np.savez(folder / "plain.npz", X=np.eye(3), y=np.arange(3))
    assert datasets.load("plain").splits == ()


def test_the_folder_comes_before_what_is_bundled(folder: Path) -> None:
    np.savez(folder / "iris.npz", X=np.eye(3), y=np.arange(3))
    assert datasets.load("iris").X.shape == (3, 3)


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 cut short", np.lib.format.magic(1, 0)])
def test_a_file_that_is_no_data_set_is_said_to_be_none(folder: Path, content: bytes) -> None:
    (folder / "broken.npz").write_bytes(content)
    with pytest.raises(kernelopt.InvalidData, match=r"broken.npz is no npz file"):
        datasets.load("broken")


def test_a_file_without_targets_is_said_to_be_none(folder: Path) -> None:
    np.savez(folder / "half.npz", X=np.eye(3))
    with pytest.raises(kernelopt.InvalidData, match="a data set holds the arrays X and y"):
        datasets.load("half")


def test_offline_the_error_says_what_there_is(offline: None, folder: Path) -> None:
    np.savez(folder / "mine.npz", X=np.eye(3), y=np.arange(3))
    with pytest.raises(kernelopt.InvalidData, match="did you mean 'mine'") as caught:
        datasets.load("mime")
    for word in ("no network", str(folder), "OpenML", "breast_cancer", "mine", "iris"):
        assert word in str(caught.value)


def test_offline_and_without_a_folder_the_error_says_so(offline: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KERNELOPT_DATA", raising=False)
    with pytest.raises(kernelopt.InvalidData, match="KERNELOPT_DATA names no folder"):
        datasets.load("sonar")


def on_openml(monkeypatch, rows, columns, target, data=np.ones):
    """An OpenML of one set, and what it was asked."""
    asked = []

    def give(**options: object) -> SimpleNamespace:
        asked.append({key: options[key] for key in ("name", "version", "data_id") if key in options})
        names = [f"column {j}" for j in range(columns)]
        y = np.resize(np.asarray(target, dtype=object), rows)
        return SimpleNamespace(data=data((rows, columns)), target=y, feature_names=names)

    monkeypatch.delenv("KERNELOPT_DATA", raising=False)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", give)
    return asked


def test_the_papers_sets_are_asked_by_number_and_others_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = on_openml(monkeypatch, 270, 13, ["absent", "present"])
    assert datasets.load("heart").X.shape == (270, 13)
    assert datasets.load("heart").names[12] == "column 12"
    assert set(datasets.load("phoneme").y) == {"absent", "present"}
    assert asked == [{"data_id": 53}, {"data_id": 53}, {"name": "phoneme", "version": 1}]


@pytest.mark.parametrize(
    ("rows", "columns", "target", "got"),
    [
        (271, 13, "ab", "is 271 x 13 with 2 classes"),
        (270, 14, "ab", "is 270 x 14 with 2 classes"),
        (270, 13, "abc", "is 270 x 13 with 3 classes"),
    ],
)
def test_another_set_under_the_name_is_refused(monkeypatch, rows, columns, target, got) -> None:
    on_openml(monkeypatch, rows, columns, list(target))
    with pytest.raises(kernelopt.InvalidData, match=f"heart-statlog. {got}, wanted 270 x 13 with 2 classes"):
        datasets.load("heart")


def test_numbers_that_openml_holds_as_words_are_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    on_openml(monkeypatch, 4177, 8, ["15", "7"])
    assert datasets.load("abalone").y[:2].tolist() == [15.0, 7.0]


def test_sparse_sets_of_openml_are_dense_here(monkeypatch: pytest.MonkeyPatch) -> None:
    on_openml(monkeypatch, 3, 2, ["a", "b"], data=scipy.sparse.csr_matrix)
    assert datasets.load("sparse").X.tolist() == [[0.0, 0.0]] * 3


@pytest.mark.parametrize("name", sorted(datasets.OPENML))
def test_the_sizes_are_those_of_the_papers_sets(name: str) -> None:
    """As far as rows are not left out there, or categories coded as columns."""
    folder = os.environ.get("KERNELOPT_DATA")
    path = Path(folder or "") / f"{name}.npz"
    if not (folder and path.exists()):
        pytest.skip("the folder of the papers' sets is not here")
    known, held = datasets.OPENML[name], np.load(path)
    rows, columns = held["X"].shape
    missing = {"auto_mpg": 6, "breast_wisconsin": 16}
    assert known.rows - missing.get(name, 0) == rows
    assert known.columns == columns or name == "credit_crx"
    assert known.classes == (None if held["y"].dtype.kind == "f" else len(np.unique(held["y"])))


def test_words_from_openml_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = SimpleNamespace(data=np.array([["red"], ["blue"]], dtype=object), target=np.zeros(2))
    monkeypatch.delenv("KERNELOPT_DATA", raising=False)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda **_: rows)
    with pytest.raises(kernelopt.InvalidData, match="encode it"):
        datasets.load("colours")


def test_a_data_set_shows_itself_in_one_line() -> None:
    data = kernelopt.datasets.load("digits")
    assert repr(data) == "<DataSet digits (1797 x 64, bundled with scikit-learn): X (1797, 64), y (1797,)>"
