"""Blocks of data on the same rows: what is read, taken and refused before any kernel is looked at."""

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse

import kernelopt
from kernelopt._base._sparse_rows import SparseBasis
from kernelopt._base.tables._view_layout import Layout
from kernelopt._base.tables._views import as_views
from kernelopt.plugin import table_of

RNG = np.random.default_rng(0)
LEFT, RIGHT = RNG.normal(size=(6, 2)), RNG.normal(size=(6, 3))
GRAM = RIGHT @ RIGHT.T


def read(blocks, grams=()):
    views = kernelopt.Views(blocks)
    return Layout.of(views, grams)


def test_views_lie_side_by_side_and_columns_are_called_after_them():
    frame = pd.DataFrame({"age": [1.0, 2, 3, 4, 5, 6], "town": list("aabbcc")})
    layout, table = read({"left": LEFT, "frame": frame, "right": RIGHT})
    np.testing.assert_array_equal(table.numbers[:, [0, 1, 2, 4, 5, 6]], np.hstack([LEFT, frame[["age"]], RIGHT]))
    assert table.labels[3].values == tuple("aabbcc")
    assert table.names == ("left: 0", "left: 1", "frame: age", "frame: town", *(f"right: {j}" for j in range(3)))
    assert layout.spans == {"left": range(2), "frame": range(2, 4), "right": range(4, 7)}


def test_a_list_of_blocks_and_a_mapping_are_views_and_rows_are_not():
    assert as_views([LEFT, RIGHT]).names == ("view0", "view1")
    assert as_views({"a": LEFT, "b": RIGHT}).names == ("a", "b")
    for rows in (LEFT, LEFT.tolist(), list(LEFT), pd.DataFrame(LEFT), sparse.dok_matrix(LEFT), sparse.csr_array(LEFT)):
        assert as_views(rows) is None


@pytest.mark.parametrize("chosen", [slice(1, 4), [1, 2, 3], np.array([0, 1, 1, 1, 0, 0], dtype=bool)])
def test_rows_of_views_are_rows_of_each_and_keep_their_numbers(chosen):
    frame = pd.DataFrame(RIGHT, columns=list("abc"))
    views = kernelopt.Views({"left": LEFT, "frame": frame, "sparse": sparse.coo_array(RIGHT)})
    some = views[chosen]
    assert (len(some), some.shape, some.names) == (3, (3, 8), views.names)
    np.testing.assert_array_equal(some.blocks["left"], LEFT[1:4])
    np.testing.assert_array_equal(some.blocks["frame"], RIGHT[1:4])
    np.testing.assert_array_equal(some.blocks["sparse"].toarray(), RIGHT[1:4])
    np.testing.assert_array_equal(some[[2, 0]].numbers, [3, 1])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(some)).blocks["left"], LEFT[1:4])


def test_rows_of_a_view_that_pyarrow_holds_are_rows_of_it():
    arrow = pa.table({"number": LEFT[:, 0], "word": list("aabbcc")})
    some = kernelopt.Views({"left": LEFT, "arrow": arrow})[[4, 2]].blocks["arrow"]
    np.testing.assert_array_equal(some.numbers[:, 0], LEFT[[4, 2], 0])
    assert some.labels[1].values == ("c", "b")


def test_the_views_of_new_rows_are_found_by_name_or_by_place():
    layout, table = read({"left": LEFT, "right": RIGHT})
    for same in ({"right": RIGHT, "left": LEFT}, [LEFT, RIGHT]):
        np.testing.assert_array_equal(layout.read(kernelopt.Views(same)).numbers, table.numbers)


def test_a_row_of_a_gram_is_its_number_and_its_values():
    _, table = read({"left": LEFT, "gram": GRAM}, ["gram"])
    np.testing.assert_array_equal(table.numbers[:, 2], np.arange(6))
    np.testing.assert_array_equal(table.numbers[:, 3:], GRAM)


def test_rows_of_a_larger_gram_know_their_numbers_and_other_rows_are_new():
    whole = kernelopt.Views([GRAM])
    layout, _ = Layout.of(whole[:4], ["view0"])
    np.testing.assert_array_equal(layout.read(whole[4:]).numbers[:, 0], [4, 5])
    np.testing.assert_array_equal(layout.read(kernelopt.Views([GRAM[4:]])).numbers[:, 0], [-1, -1])
    other = kernelopt.Views([RNG.normal(size=(6, 6))])
    np.testing.assert_array_equal(layout.read(other[4:]).numbers[:, 0], [-1, -1])


def test_a_gram_that_rows_lack_is_missing_in_their_rows_and_columns():
    K = GRAM.copy()
    K[1], K[:, 1] = np.nan, np.nan
    layout, table = read([K], ["view0"])
    assert np.isnan(table.numbers[1]).all()
    assert np.isfinite(np.delete(table.numbers, 1, axis=0)).all()
    np.testing.assert_array_equal(layout.known[0], [0, 2, 3, 4, 5])


def test_gaps_do_not_count_rows_that_lack_a_whole_view():
    left = LEFT.copy()
    left[0], left[3, 1] = np.nan, np.nan
    layout, table = read({"left": left, "words": np.array([["a"], [None], *[["b"]] * 4], dtype=object)})
    columns, count = layout.gaps(table)
    assert (columns.tolist(), count) == ([1], 1)


def test_views_are_refused_in_one_sentence():
    cases = {
        "'a' has 6, 'b' has 5": {"a": LEFT, "b": RIGHT[:5]},
        "'view1' has shape \\(6,\\), wanted rows and columns; reshape": [LEFT, RIGHT[:, 0]],
        "a view is called 3, wanted a word": {3: LEFT},
        "got ndarray, wanted a list of blocks": LEFT,
        "got list, wanted a list of blocks": [],
    }
    for message, blocks in cases.items():
        with pytest.raises(kernelopt.InvalidData, match=message):
            kernelopt.Views(blocks)


@pytest.mark.parametrize(
    ("K", "message"),
    [
        (GRAM[:4], r"'view0' has shape \(4, 6\), wanted a square Gram"),
        (GRAM + np.triu(np.ones((6, 6))), "the Gram is not symmetric"),
        (np.where(np.eye(6) > 0, np.nan, GRAM), "the Gram is NaN between rows that have it"),
    ],
)
def test_a_gram_that_is_none_of_the_training_rows_is_refused(K, message):
    with pytest.raises(kernelopt.InvalidData, match=message):
        read([K], ["view0"])


def test_views_of_new_rows_that_are_others_are_refused():
    layout, _ = read({"left": LEFT, "right": RIGHT})
    for other, message in (
        ({"left": LEFT, "wrong": RIGHT}, "X has the views left, wrong, wanted left, right as in training"),
        ({"left": LEFT}, "X has the views left, wanted left, right"),
        ([LEFT], "X has the views view0, wanted left, right"),
        ([LEFT, LEFT], "the view 'right' has 2 columns, wanted 3, as in training"),
    ):
        with pytest.raises(kernelopt.InvalidData, match=message):
            layout.read(kernelopt.Views(other))
    grams, _ = read([GRAM], ["view0"])
    with pytest.raises(kernelopt.InvalidData, match="'view0' has 5 columns, wanted 6, one for each row of the Gram"):
        grams.read(kernelopt.Views([GRAM[:, :5]]))
    with pytest.raises(kernelopt.InvalidData, match="values are missing for training rows that have the view"):
        grams.read(kernelopt.Views([np.where(np.arange(6) == 2, np.nan, GRAM[:2])]))


def test_a_table_of_views_reads_like_any_other():
    _, table = read({"left": LEFT})
    assert table_of(table) is table


def test_sparse_views_lie_as_coordinates_with_the_same_inner_products():
    rows = sparse.random(12, 50, density=0.1, random_state=0, format="csr")
    layout, table = read({"left": np.vstack([LEFT, LEFT]), "words": rows})
    held = table.numbers[:, layout.spans["words"]]
    np.testing.assert_allclose(held @ held.T, (rows @ rows.T).toarray(), atol=1e-12)
    assert layout.directions == list(layout.spans["words"])
    new = sparse.random(5, 50, density=0.1, random_state=1, format="csr")
    seen = layout.read(kernelopt.Views({"left": LEFT[:5], "words": new})).numbers[:, layout.spans["words"]]
    np.testing.assert_allclose(seen @ held.T, (new @ rows.T).toarray(), atol=1e-12)
    told = (rows.toarray() != 0).any(axis=0)
    np.testing.assert_allclose((seen**2).sum(axis=1), (new.toarray()[:, told] ** 2).sum(axis=1), atol=1e-12)
    assert table.names[2:4] == ("words: direction 0", "words: direction 1")


@pytest.mark.parametrize("copies", [1, 2])
def test_training_rows_have_the_coordinates_that_they_would_have_as_new_rows(copies):
    rows = sparse.random(200, 900, density=0.1, random_state=0, format="csr")
    basis, found = SparseBasis.read(sparse.vstack([rows[:40], 1e-3 * rows[40:]] * copies))
    assert basis.rank == 300
    np.testing.assert_allclose(found, basis.of_rows(sparse.vstack([rows[:40], 1e-3 * rows[40:]] * copies)), atol=1e-9)


def test_copies_and_sums_of_sparse_rows_add_no_direction():
    """A hundred columns are coordinates as they are."""
    rows = sparse.random(9, 900, density=0.05, random_state=0, format="csr")
    basis, _ = SparseBasis.read(sparse.vstack([rows, rows, rows[:1] + 3 * rows[1:2], 0 * rows[:1]]))
    assert basis.rank == 109
    assert basis.told == len(np.unique(rows.indices))
    assert basis.sound()
