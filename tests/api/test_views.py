"""Views: blocks of data, Grams and groups of columns learn what the same kernels learn on one matrix."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import kernelopt
from kernelopt import Dictionary, Views, by_view

RNG = np.random.default_rng(0)
N, M = 60, 20
LEFT, RIGHT, NOISE = RNG.normal(size=(N + M, 3)), RNG.normal(size=(N + M, 2)), RNG.normal(size=(N + M, 4))
VALUES = np.sin(LEFT[:, 0]) + RIGHT[:, 0] * RIGHT[:, 1] + 0.1 * RNG.normal(size=N + M)
LABELS = np.where(np.median(VALUES) < VALUES, "high", "low")
OLD, NEW = slice(N), slice(N, None)
SVC, RIDGE = {"name": "svc", "C": 10.0}, {"name": "ridge", "lam": 0.1}
LISTED = Dictionary((("rbf", {"gamma": 0.3}), ("rbf", {"gamma": 1.0}), "linear"), rescale="standard")


def blocks(rows, **changed):
    return {"left": LEFT[rows], "right": RIGHT[rows], **changed}


def lacking(rows, every=4):
    """The left block, which some rows lack."""
    return np.where(np.arange(N + M)[:, None] % every == 0, np.nan, LEFT)[rows]


def gram(Z, X, gamma):
    return np.exp(-gamma * ((Z[:, None] - X[None]) ** 2).sum(axis=-1))


def grams(rows):
    return [gram(LEFT[rows], LEFT[OLD], 0.3), gram(RIGHT[rows], RIGHT[OLD], 1.0), LEFT[rows] @ LEFT[OLD].T]


ONE_EACH = {
    "a": Dictionary((("rbf", {"gamma": 0.3}),)),
    "b": Dictionary((("rbf", {"gamma": 1.0}),)),
    "c": Dictionary(("linear",)),
}


def test_one_view_is_the_plain_problem():
    plain = kernelopt.solve(LEFT[OLD], VALUES[OLD])
    view = kernelopt.solve([LEFT[OLD]], VALUES[OLD])
    np.testing.assert_allclose(view.predict([LEFT[NEW]]), plain.predict(LEFT[NEW]), atol=1e-10)
    assert view.certificate.upper == pytest.approx(plain.certificate.upper, rel=1e-12)
    assert view.views() == {"view0": 1.0}


@pytest.mark.parametrize("criterion", ["evidence", SVC])
def test_views_of_blocks_are_groups_of_columns(criterion):
    X, Z = (np.hstack([LEFT, RIGHT])[rows] for rows in (OLD, NEW))
    groups = by_view({"left": slice(3), "right": [3, 4]})
    one = kernelopt.solve(X, LABELS[OLD], family=groups, criterion=criterion)
    two = kernelopt.solve(blocks(OLD), LABELS[OLD], criterion=criterion)
    np.testing.assert_allclose(two.decision_function(blocks(NEW)), one.decision_function(Z), atol=1e-10)
    assert two.views() == one.views()
    assert one.certificate.lower <= one.certificate.upper


def test_views_of_named_families_are_a_union_of_families_on_columns():
    X = np.hstack([LEFT, RIGHT])
    union = kernelopt.on(LISTED, range(3)) + kernelopt.on(LISTED, [3, 4])
    plain = kernelopt.solve(X[OLD], LABELS[OLD], family=union, criterion=SVC)
    for family in (LISTED, by_view(kernels=LISTED), by_view(kernels={"left": LISTED, "right": [LISTED]})):
        found = kernelopt.solve(blocks(OLD), LABELS[OLD], family=family, criterion=SVC)
        assert found.certificate.upper == pytest.approx(plain.certificate.upper, rel=1e-9)
        np.testing.assert_allclose(found.decision_function(blocks(NEW)), plain.decision_function(X[NEW]), atol=1e-9)


def test_the_order_of_views_does_not_matter():
    first = kernelopt.solve(blocks(OLD), VALUES[OLD], criterion=RIDGE, tol=1e-9)
    turned = kernelopt.solve(dict(reversed(blocks(OLD).items())), VALUES[OLD], criterion=RIDGE, tol=1e-9)
    assert turned.certificate.upper == pytest.approx(first.certificate.upper, rel=1e-8)
    np.testing.assert_allclose(turned.predict(blocks(NEW)), first.predict(blocks(NEW)), atol=1e-3)
    assert turned.views()["left"] == pytest.approx(first.views()["left"], abs=1e-3)


@pytest.mark.parametrize("criterion", ["evidence", {"name": "svr", "C": 1.0, "epsilon": 0.1}])
def test_a_view_of_noise_has_no_share(criterion):
    learned = kernelopt.solve({"noise": NOISE[OLD], "left": LEFT[OLD]}, np.sin(LEFT[OLD, 0]), criterion=criterion)
    assert learned.views()["noise"] < 0.02
    assert sum(learned.views().values()) == pytest.approx(1.0)


@pytest.mark.parametrize("criterion", ["evidence", SVC, "l2-svc"])
def test_grams_are_the_kernels_that_they_were_computed_from(criterion):
    three = {"a": LEFT, "b": RIGHT, "c": LEFT}
    asked = {"criterion": criterion, "tol": 1e-6}
    by_blocks = kernelopt.solve(
        {name: X[OLD] for name, X in three.items()}, LABELS[OLD], family=by_view(kernels=ONE_EACH), **asked
    )
    by_grams = kernelopt.solve(grams(OLD), LABELS[OLD], family="precomputed", **asked)
    new = {name: X[NEW] for name, X in three.items()}
    assert by_grams.certificate.upper == pytest.approx(by_blocks.certificate.upper, rel=1e-9)
    assert by_grams.certificate.lower == pytest.approx(by_blocks.certificate.lower, rel=1e-9)
    assert by_grams.certificate.relative_gap < 1e-5
    assert list(by_grams.views().values()) == pytest.approx(list(by_blocks.views().values()), abs=1e-9)
    np.testing.assert_allclose(by_grams.decision_function(grams(NEW)), by_blocks.decision_function(new), atol=1e-9)


def test_one_gram_needs_no_list_and_may_stand_beside_blocks():
    K, cross = grams(OLD)[0], grams(NEW)[0]
    alone = kernelopt.solve(K, LABELS[OLD], family="precomputed", criterion=SVC)
    listed = kernelopt.solve([K], LABELS[OLD], family="precomputed", criterion=SVC)
    np.testing.assert_array_equal(alone.decision_function(cross), listed.decision_function([cross]))
    mixed = by_view(kernels={"net": "precomputed", "right": LISTED})
    both = kernelopt.solve({"net": K, "right": RIGHT[OLD]}, LABELS[OLD], family=mixed, criterion=SVC)
    same = kernelopt.solve(
        blocks(OLD), LABELS[OLD], family=by_view(kernels={"left": ONE_EACH["a"], "right": LISTED}), criterion=SVC
    )
    assert both.certificate.upper == pytest.approx(same.certificate.upper, rel=1e-9)
    np.testing.assert_allclose(
        both.decision_function({"net": cross, "right": RIGHT[NEW]}), same.decision_function(blocks(NEW)), atol=1e-9
    )


def test_rows_of_a_larger_gram_are_its_columns_too():
    every = Views([gram(LEFT, LEFT, 0.3), gram(RIGHT, RIGHT, 1.0)])
    some = kernelopt.solve(every[OLD], VALUES[OLD], family="precomputed", criterion="evidence")
    cut = kernelopt.solve(grams(OLD)[:2], VALUES[OLD], family="precomputed", criterion="evidence")
    np.testing.assert_allclose(some.predict(every[NEW]), cut.predict(grams(NEW)[:2]), atol=1e-9)
    _, deviations = some.predict(every[NEW], return_std=True)
    rows = {"a": LEFT, "b": RIGHT}
    kernels = by_view(kernels={"a": ONE_EACH["a"], "b": ONE_EACH["b"]})
    same = kernelopt.solve(
        {name: X[OLD] for name, X in rows.items()}, VALUES[OLD], family=kernels, criterion="evidence"
    )
    _, wanted = same.predict({name: X[NEW] for name, X in rows.items()}, return_std=True)
    np.testing.assert_allclose(deviations, wanted, rtol=1e-6)
    with pytest.raises(kernelopt.InvalidData, match="need the kernel of each new row with itself"):
        cut.predict(grams(NEW)[:2], return_std=True)


@pytest.mark.parametrize("criterion", ["evidence", SVC])
def test_a_row_that_lacks_a_view_is_the_mean_of_those_that_have_it(criterion):
    """Blocks with rows of NaN learn as the Grams do in which the mean embedding was written by hand."""
    left, here = lacking(OLD), ~np.isnan(lacking(OLD)[:, 0])
    K = gram(LEFT[OLD][here], LEFT[OLD][here], 0.3)
    full, share = np.empty((N, N)), np.full(here.sum(), 1.0 / here.sum())
    full[np.ix_(here, here)] = K
    full[np.ix_(here, ~here)], full[np.ix_(~here, here)] = (K @ share)[:, None], K @ share
    full[np.ix_(~here, ~here)] = share @ K @ share
    kernels = {"left": ONE_EACH["a"], "right": ONE_EACH["b"]}
    asked = {"criterion": criterion, "tol": 1e-6, "scale": "paper"}
    # Normalised on the rows that have the view; the Gram with the means has another size of its own.
    size = np.trace(K) / len(K) - K.mean()
    learned = kernelopt.solve(blocks(OLD, left=left), LABELS[OLD], family=by_view(kernels=kernels), **asked)
    other = grams(OLD)[1]
    other /= np.trace(other) / N - other.mean()
    by_hand = Dictionary([kernelopt.Precomputed(full / size), kernelopt.Precomputed(other)], normalize=None)
    wanted = kernelopt.solve(np.arange(N)[:, None], LABELS[OLD], family=by_hand, **asked)
    assert learned.certificate.upper == pytest.approx(wanted.certificate.upper, rel=1e-5)
    assert any("15 of 60 rows lack the view 'left'" in note for note in learned.notes)
    assert not any("a category of its own" in note for note in learned.notes)
    values = learned.decision_function(blocks(NEW, left=lacking(NEW)))
    shown = learned.decision_function(blocks(NEW))
    there = ~np.isnan(lacking(NEW)[:, 0])
    np.testing.assert_allclose(values[there], shown[there], atol=1e-10)
    assert np.isfinite(values).all()
    assert (values[~there] != shown[~there]).all()


@pytest.mark.parametrize("criterion", [SVC, "evidence"])
def test_a_gram_that_rows_lack_is_as_the_block_that_they_lack(criterion):
    every = np.where(np.arange(N + M)[:, None] % 4 == 0, np.nan, LEFT)
    K = gram(every, every, 0.3)
    kernels = by_view(kernels={"left": ONE_EACH["a"], "right": ONE_EACH["b"]})
    by_blocks = kernelopt.solve(blocks(OLD, left=every[OLD]), LABELS[OLD], family=kernels, criterion=criterion)
    asked = by_view(kernels={"left": "precomputed", "right": ONE_EACH["b"]})
    by_grams = kernelopt.solve(blocks(OLD, left=K[OLD, OLD]), LABELS[OLD], family=asked, criterion=criterion)
    assert by_grams.certificate.upper == pytest.approx(by_blocks.certificate.upper, rel=1e-9)
    np.testing.assert_allclose(
        by_grams.decision_function(blocks(NEW, left=K[NEW, OLD])),
        by_blocks.decision_function(blocks(NEW, left=every[NEW])),
        atol=1e-6,
    )


def test_new_rows_may_lack_a_view_that_all_training_rows_have():
    learned = kernelopt.solve(blocks(OLD), VALUES[OLD], criterion=RIDGE)
    with pytest.warns(kernelopt.NewMissingValues, match="'left: 0'.*so they are too sure"):
        assert np.isfinite(learned.predict(blocks(NEW, left=lacking(NEW)))).all()


def halves(n=900, seed=1):
    """Two views that both say something of the targets, and which rows lack the second one."""
    rng = np.random.default_rng(seed)
    A, B = rng.normal(size=(n, 2)), rng.normal(size=(n, 3))
    y = 2.0 * B[:, 0] + np.sin(2.0 * A[:, 0]) + 0.2 * rng.normal(size=n)
    gone = rng.random(n) < 0.4
    return Views({"a": A, "b": np.where(gone[:, None], np.nan, B)}), y, gone


def held(mean, deviation, y):
    """The share of the targets in the 95 % intervals."""
    return np.mean(np.abs(mean - y) < 1.96 * deviation)


def test_deviations_know_which_rows_lack_a_view(tmp_path):
    views, y, gone = halves()
    old, new = np.arange(150), np.arange(150, 900)
    learned = kernelopt.solve(views[old], y[old])
    mean, deviation = learned.predict(views[new], return_std=True)
    there, away = ~gone[new], gone[new]
    whole = old[~gone[old]]
    complete = kernelopt.solve(views[whole], y[whole])
    best = np.sqrt(np.mean((complete.predict(views[new][there]) - y[new][there]) ** 2))
    assert np.sqrt(np.mean((mean - y[new])[there] ** 2)) < 1.1 * best
    assert deviation[there].mean() < 0.3
    assert deviation[away].mean() == pytest.approx(2.0, rel=0.15)
    for some in (there, away):
        assert 0.88 < held(mean[some], deviation[some], y[new][some]) < 0.99
    assert set(learned.views()) == {"a", "b"}
    assert any("lacking joined the union" in note for note in learned.notes)
    assert "rows without 'b' have the variance" in learned.kernel.describe()
    learned.save(tmp_path / "model.kernelopt")
    kept = kernelopt.load(tmp_path / "model.kernelopt").predict(views[new], return_std=True)
    np.testing.assert_array_equal(kept[1], deviation)


def test_the_kernel_of_rows_has_on_its_diagonal_what_rows_have_to_themselves():
    views, y, gone = halves(150)
    learned = kernelopt.solve(views, y)
    K, between = learned.kernel(views), learned.kernel(views, views)
    np.testing.assert_allclose(np.diagonal(K), learned.kernel.diag(views))
    apart = np.diagonal(K - between)
    assert (apart[gone] > 1.0).all()
    np.testing.assert_allclose(apart[~gone], 0.0, atol=1e-9)
    np.testing.assert_array_equal(K - np.diag(np.diagonal(K)), between - np.diag(np.diagonal(between)))


def test_targets_of_their_own_know_which_rows_lack_a_view():
    views, y, gone = halves()
    linear = 2.0 * y
    old, new = np.arange(150), np.arange(150, 900)
    learned = kernelopt.solve_targets(views[old], np.column_stack([y, linear])[old])
    _, deviation = learned.predict(views[new], return_std=True)
    assert learned.kernels == ("a", "b", "rows without 'b'")
    assert set(learned.views()) == {"a", "b"}
    assert deviation[gone[new], 0].mean() > 1.5 * deviation[~gone[new], 0].mean()
    np.testing.assert_allclose(deviation[:, 1], 2.0 * deviation[:, 0], rtol=1e-2)


@pytest.mark.usefixtures("few_are_many")
def test_many_rows_are_told_that_deviations_do_not_know_who_lacks_a_view():
    views, y, _ = halves()
    asked = {"family": by_view(kernels=Dictionary(["linear"])), "criterion": "evidence"}
    learned = kernelopt.solve(views[:600], y[:600], **asked)
    assert any("deviations are too small for rows that lack one" in note for note in learned.notes)
    few = kernelopt.solve(views[:150], y[:150], **asked)
    again = kernelopt.solve(views[:600], y[:600], start=few, **asked)
    assert np.isfinite(again.predict(views[600:], return_std=True)[1]).all()


def test_views_may_be_tables_with_words_and_gaps_and_sparse_matrices():
    town = np.where(RIGHT[:, 0] > 0, "north", "south").astype(object)
    town[::9] = None
    frame = pd.DataFrame({"town": town, "age": LEFT[:, 0]})
    counts = sparse.csr_matrix(np.round(np.maximum(RIGHT, 0.0)))
    views, shown = (Views({"people": frame, "text": rows}) for rows in (counts, counts.toarray()))
    family = by_view(kernels={"text": Dictionary(["linear"])})
    learned = kernelopt.solve(views[OLD], VALUES[OLD], family=family)
    dense = kernelopt.solve(shown[OLD], VALUES[OLD], family=family)
    np.testing.assert_allclose(learned.predict(views[NEW]), dense.predict(shown[NEW]), atol=1e-4)
    assert any("people: town" in note for note in learned.notes)


@pytest.mark.parametrize("family", [None, "precomputed"])
@pytest.mark.parametrize("criterion", ["evidence", SVC])
def test_a_model_keeps_its_views(tmp_path, family, criterion):
    old, new = (grams(OLD), grams(NEW)) if family else (blocks(OLD, left=lacking(OLD)), blocks(NEW, left=lacking(NEW)))
    learned = kernelopt.solve(old, LABELS[OLD], family=family, criterion=criterion)
    learned.save(tmp_path / "model.kernelopt")
    model = kernelopt.load(tmp_path / "model.kernelopt")
    np.testing.assert_array_equal(model.decision_function(new), learned.decision_function(new))
    assert model.views() == pytest.approx({k: v for k, v in learned.views().items() if v > 0.0})
    with pytest.raises(kernelopt.InvalidData, match="as in training"):
        model.predict([LEFT[NEW]])


def test_groups_of_columns_are_slices_numbers_names_and_truth_values():
    table = pd.DataFrame(np.hstack([LEFT, RIGHT])[OLD], columns=list("abcde"))
    wanted = None
    for left, right in (
        (slice(0, 3), slice(3, None)),
        ([0, 1, 2], (3, 4)),
        (["a", "b", "c"], np.array([3, 4])),
        (np.array([1, 1, 1, 0, 0], dtype=bool), ["d", 4]),
    ):
        family = by_view({"left": left, "right": right}, LISTED)
        found = kernelopt.solve(table, LABELS[OLD], family=family, criterion=SVC)
        wanted = found if wanted is None else wanted
        assert found.views() == wanted.views()
    spelled = {"name": "by_view", "columns": {"left": [0, 1, 2], "right": [3, 4]}, "kernels": {"name": "gaussian"}}
    assert set(kernelopt.solve(table, LABELS[OLD], family=spelled, criterion=SVC).views()) == {"left", "right"}


def test_views_may_stand_in_a_union_and_noise_sees_no_view():
    learned = kernelopt.solve(blocks(OLD), VALUES[OLD], family=[LISTED, kernelopt.Delta()], criterion=RIDGE)
    assert len(learned.mixture.parts) == 3
    assert sum(learned.views().values()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernels": {"wrong": "auto"}}, "kernels names the view 'wrong', wanted one of left, right"),
        ({"columns": {"left": [0]}}, "got columns, and X comes in views"),
        ({"kernels": {"left": kernelopt.each("tk")}}, "the kernels of the view 'left' are"),
    ],
)
def test_views_that_are_none_are_refused(options, message):
    with pytest.raises(kernelopt.InvalidOption, match=message):
        kernelopt.solve(blocks(OLD), VALUES[OLD], family=by_view(**options))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (None, "got no columns, and X is one matrix"),
        ({"left": slice(0, 9)}, r"'left' has the columns slice\(0, 9, None\), wanted distinct ones of the 3"),
        ({"left": [0, 0]}, "wanted distinct ones"),
        ({"left": ["z"]}, "has the column 'z', wanted numbers from 0 to 2"),
        ({"left": [3]}, "has the column 3"),
    ],
)
def test_groups_of_columns_that_are_none_are_refused(columns, message):
    with pytest.raises(kernelopt.InvalidOption, match=message):
        kernelopt.solve(LEFT[OLD], VALUES[OLD], family=by_view(columns))


def test_what_cannot_be_done_is_refused_in_one_sentence():
    with pytest.raises(kernelopt.InvalidOption, match="columns must be a mapping"):
        by_view([0, 1])
    with pytest.raises(kernelopt.InvalidOption, match="some rows lack the view 'left', and tk is no Dictionary"):
        kernelopt.solve(blocks(OLD, left=lacking(OLD)), LABELS[OLD], family="tk")
    with pytest.raises(kernelopt.InvalidData, match="view 'view0': the Gram is not positive semidefinite"):
        kernelopt.solve([-grams(OLD)[0]], LABELS[OLD], family="precomputed")
    for width, which in ((3, "all 3 of its columns are"), (1, "its only column is")):
        with pytest.raises(kernelopt.InvalidOption, match=f"view 'left': {which} constant or empty on the training"):
            kernelopt.solve(blocks(OLD, left=np.full((N, width), np.nan)), VALUES[OLD])
    plain = kernelopt.solve(LEFT[OLD], VALUES[OLD], criterion=RIDGE)
    apart = kernelopt.solve(blocks(OLD), LABELS[OLD], family=kernelopt.each(LISTED), criterion=SVC)
    with pytest.raises(kernelopt.InvalidOption, match="views: the families see single columns or sets of them"):
        apart.views()
    with pytest.raises(kernelopt.InvalidOption, match="views: the kernel was learned from one matrix"):
        plain.views()
    with pytest.raises(kernelopt.InvalidData, match=r"Z comes in views \(view0\), wanted one matrix or table of"):
        plain.predict([LEFT[NEW]])
    with pytest.raises(kernelopt.InvalidOption, match="on: wanted one family"):
        kernelopt.on("precomputed", [0])


def test_a_certificate_of_views_is_that_of_their_columns():
    learned = kernelopt.solve(blocks(OLD), LABELS[OLD], criterion=SVC)
    certificate = kernelopt.certify(blocks(OLD), LABELS[OLD], criterion=SVC, mixture=learned.mixture)
    assert certificate.upper == pytest.approx(learned.certificate.upper, rel=1e-5)


@pytest.mark.parametrize("n", [100, 600])
@pytest.mark.parametrize("criterion", ["ridge", "evidence"])
def test_a_gram_that_was_rounded_to_single_precision_is_one_and_says_the_same(n, criterion):
    """Many eigenvalues of a kernel of few columns are 0, and negative once its entries are rounded."""
    rng = np.random.default_rng(0)
    rows, new = rng.normal(size=(n, 4)), rng.normal(size=(20, 4))
    y = rows[:, 0] + 0.3 * rng.normal(size=n)
    exact, rounded = rows @ rows.T, (rows @ rows.T).astype(np.float32)
    assert np.linalg.eigvalsh(rounded.astype(np.float64))[0] < -1e-8 * exact.diagonal().mean()
    plain, single = (kernelopt.solve(K, y, family="precomputed", criterion=criterion) for K in (exact, rounded))
    cross = new @ rows.T
    np.testing.assert_allclose(single.predict(cross), plain.predict(cross), atol=1e-4)
    with pytest.raises(kernelopt.InvalidData, match="not positive semidefinite"):
        kernelopt.solve(exact - 1e-3 * np.eye(n), y, family="precomputed", criterion=criterion)


@pytest.mark.parametrize("groups", [None, np.arange(100) // 4])
def test_a_single_gram_of_other_rows_is_told_how_many_columns_the_user_passed(groups):
    K = np.random.default_rng(0).normal(size=(100, 4))
    learned = kernelopt.solve(K @ K.T, K[:, 0], family="precomputed", criterion="evidence", groups=groups)
    with pytest.raises(kernelopt.InvalidData, match="has 40 columns, wanted 100, one for each row of the Gram"):
        learned.predict(K[:40] @ K[:40].T)
