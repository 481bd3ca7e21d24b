"""What families see of categories and gaps."""

import attrs
import numpy as np
import pandas as pd

import kernelopt
from kernelopt._base.tables._encoding import Encoding
from kernelopt._base.tables._tables import table_of
from kernelopt._families._expansion import Expansion
from kernelopt._families.dictionary.columns._category_groups import Groups

NAN = np.nan
TABLE = table_of(
    pd.DataFrame(
        {
            "colour": ["red", None, "blue", "red"],
            "size": [1.0, 2.0, NAN, 6.0],
            "x": [4.0, 5.0, 6.0, 7.0],
            "same": [3.0, NAN, 3.0, 3.0],
        }
    )
)
ENCODING = Encoding.of(TABLE, np.ones(4))
COLUMNS = np.arange(4)


def seen(columns=COLUMNS):
    X = ENCODING.encode(TABLE)[:, columns]
    expansion = Expansion.of(ENCODING, X, columns)
    return expansion, X


def test_numbers_stand_in_front_of_indicators():
    expansion, X = seen()
    wanted = [
        [1.0, 4.0, 1, 0, 0, 0, 0],
        [2.0, 5.0, 0, 0, 1, 0, 1],
        [3.0, 6.0, 0, 1, 0, 1, 0],
        [6.0, 7.0, 1, 0, 0, 0, 0],
    ]
    np.testing.assert_array_equal(expansion.seen(X), wanted)
    assert expansion.named(("colour", "size", "x", "same")) == (
        "size", "x", "colour = red", "colour = blue", "colour = missing", "size = missing", "same = missing",
    )  # fmt: skip
    assert expansion.columns == 7
    assert expansion.categories == (True, False, True)


def test_some_columns_are_seen_by_their_places():
    expansion, X = seen(np.array([2, 0]))
    np.testing.assert_array_equal(expansion.seen(X)[:, 0], [4.0, 5.0, 6.0, 7.0])
    assert seen(np.array([2]))[0] is None


def test_a_new_category_has_no_indicator():
    expansion, X = seen()
    X[:, 0] = ENCODING.new(0)
    assert not expansion.seen(X)[:, 2:5].any()


def test_coded_groups_are_the_place_of_the_indicator():
    expansion, X = seen()
    X = np.vstack([X, X[:1]])
    X[4, 0] = ENCODING.new(0)
    coded = attrs.evolve(expansion, coded=True)
    wanted = [[0, 1, 1], [2, 1, 0], [1, 0, 1], [0, 1, 1], [3, 1, 1]]
    np.testing.assert_array_equal(coded.seen(X)[:, 2:], wanted)
    np.testing.assert_array_equal(coded.seen(X)[:, :2], expansion.seen(X)[:, :2])
    assert coded.columns == 5
    assert coded.named(("a", "b", "c", "d")) == expansion.named(("a", "b", "c", "d"))


def test_groups_are_as_far_apart_as_each_other_and_as_a_new_one():
    expansion, X = seen()
    groups = Groups.of(expansion)
    assert groups.columns == 4
    X = np.vstack([X, X[:1]])
    X[4, 0] = ENCODING.new(0)
    rows = groups.behind(np.zeros((5, 2)), expansion.seen(X))
    own = rows[:, list(groups.places(2)[0])]
    distances = np.linalg.norm(own[:, None] - own, axis=2)
    alike = (X[:, 0, None] == X[:, 0]) | (np.isnan(X[:, 0, None]) & np.isnan(X[:, 0]))
    assert np.ptp(distances[~alike]) < 1e-12
    assert not distances[alike].any()
    assert rows.shape[1] == sum(map(len, groups.places(0))) + 2
    names = expansion.named(("colour", "size", "x", "same"))
    assert groups.named(names[:2], names)[2:6] == (*names[2:5], "colour = something else")


def test_a_family_of_a_plugin_sees_indicators_without_a_line():
    table = pd.DataFrame({"colour": ["red", "blue"] * 6, "x": np.arange(12.0)})
    s = kernelopt.solve(table, np.arange(12) % 2, family="gpk", criterion="svc")
    assert s.kernel.leaves[0].width == 3
    assert (s.predict(table) == np.arange(12) % 2).all()


def test_a_gap_is_as_far_from_a_number_as_a_number_that_nobody_knows():
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    table = table_of(pd.DataFrame({"x": np.append((x - x.mean()) / x.std(), np.nan)}))
    encoding = Encoding.of(table, np.ones(501))
    expansion = Expansion.of(encoding, encoding.encode(table), np.arange(1))
    family = kernelopt.Dictionary("auto").spread(expansion)
    view = expansion.seen(encoding.encode(table))
    rows = family.prepare(view, np.ones(501)).seen(view)[:, [0, *range(-2, 0)]]
    squares = np.sum((rows[:-1] - rows[-1]) ** 2, axis=1)
    np.testing.assert_allclose(squares, rows[:-1, 0] ** 2 + 1.0, rtol=1e-12)
    unknown = np.mean((rows[:3, 0] - rows[:-1, :1]) ** 2, axis=0)
    np.testing.assert_allclose(squares[:3], unknown, rtol=1e-2)
