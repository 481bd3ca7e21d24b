"""Data by name: where it comes from, its own splits, and what is said where it cannot be had."""

import urllib.error
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
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


def test_openml_is_asked_by_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def give(**options: object) -> SimpleNamespace:
        asked.append((options["name"], options["version"]))
        return SimpleNamespace(data=np.ones((2, 2)), target=np.array(["a", "b"]))

    monkeypatch.delenv("KERNELOPT_DATA", raising=False)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", give)
    assert datasets.load("heart").X.shape == (2, 2)
    assert datasets.load("phoneme").y.tolist() == ["a", "b"]
    assert asked == [("heart-statlog", 1), ("phoneme", 1)]


def test_words_from_openml_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = SimpleNamespace(data=np.array([["red"], ["blue"]], dtype=object), target=np.zeros(2))
    monkeypatch.delenv("KERNELOPT_DATA", raising=False)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda **_: rows)
    with pytest.raises(kernelopt.InvalidData, match="encode it"):
        datasets.load("colours")
