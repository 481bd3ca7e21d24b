"""Data sets of the folder KERNELOPT_DATA: what does not belong together is refused before anything is learned."""

import numpy as np
import pytest

import kernelopt

N = 12
X, Y = np.random.default_rng(0).normal(size=(N, 2)), np.arange(N) % 2
TRAIN, TEST = np.array([range(8), range(4, 12)]), np.array([range(8, 12), range(4)])


@pytest.fixture(name="kept")
def _kept(tmp_path, monkeypatch):
    """Writes a set, and loads it by its name."""
    monkeypatch.setenv("KERNELOPT_DATA", str(tmp_path))

    def load(**arrays):
        np.savez(tmp_path / "kept.npz", **{"X": X, "y": Y, **arrays})
        return kernelopt.datasets.load("kept")

    return load


def test_splits_are_those_of_the_file(kept):
    splits = kept(train_splits=TRAIN, test_splits=TEST).splits
    np.testing.assert_array_equal([train for train, _ in splits], TRAIN)
    np.testing.assert_array_equal([test for _, test in splits], TEST)
    assert kept().splits == ()


@pytest.mark.parametrize("kind", [np.int8, np.uint16, bool])
def test_each_fold_is_tested_once(kept, kind):
    fold = (np.arange(N) % 2).astype(kind)
    splits = kept(fold=fold).splits
    assert [test.tolist() for _, test in splits] == [list(range(0, N, 2)), list(range(1, N, 2))]
    for train, test in splits:
        assert sorted([*train, *test]) == list(range(N))


@pytest.mark.parametrize(
    ("arrays", "told"),
    [
        ({"train_splits": TRAIN}, "kept.npz holds train_splits alone, wanted train_splits and test_splits"),
        ({"test_splits": TEST}, "kept.npz holds test_splits alone, wanted train_splits and test_splits"),
        ({"train_splits": TRAIN, "test_splits": TEST + 4}, "test_splits has .* numbers from 0 to 11 for each split"),
        ({"train_splits": TRAIN - 1, "test_splits": TEST}, "train_splits has .* numbers from 0 to 11 for each split"),
        ({"train_splits": TRAIN[0], "test_splits": TEST}, r"train_splits has the shape \(8,\)"),
        ({"train_splits": TRAIN, "test_splits": TEST / 1.0}, "test_splits has .* the type float64"),
        ({"train_splits": TRAIN, "test_splits": TEST[:1]}, "train_splits holds 2 splits, test_splits 1"),
        (
            {"train_splits": TRAIN, "test_splits": TEST[::-1]},
            "in split 0, counted from 0, row 0 is in train_splits and",
        ),
        ({"fold": np.arange(6)}, "fold has the shape .* a whole number for each of the 12 rows"),
        ({"fold": np.arange(N) + 0.5}, "fold has .* the type float64"),
        ({"X": X.astype(str)}, "X has the shape .*, wanted rows and columns of real numbers"),
        ({"X": X + 1j}, "X has the shape .*complex128"),
        ({"X": X[:, 0]}, r"X has the shape \(12,\)"),
        ({"names": np.array(["a", "a"])}, "names holds 'a' more than once; give each column a name of its own"),
    ],
)
def test_arrays_that_do_not_belong_together_are_refused(kept, arrays, told):
    with pytest.raises(kernelopt.InvalidData, match=told):
        kept(**arrays)
