"""Unions on single columns, pairs and random lists: what they expand to, how they are spelled, what they say."""

import numpy as np
import pytest

import kernelopt
from kernelopt import Delta, Dictionary, each, fixed, on, pairs, sampled
from kernelopt._api._family_specs import SPELLED
from kernelopt._plugins._registry import WORDS
from kernelopt.cli._specs import parse_family
from kernelopt.plugin import ExplicitFamily, FiniteFamily, InvalidOption, Part
from kernelopt.testing import Waves, two_classes

RNG = np.random.default_rng(0)
X = np.column_stack([RNG.normal(size=(50, 2)), np.full(50, 3.0), RNG.normal(size=50)])
Y = np.sign(X[:, 3] + 0.2 * RNG.normal(size=50))
RBF = ("rbf", {"gamma": 1.0})


def solved(family, **options):
    return kernelopt.solve(X, Y, family=family, **{"tol": 1e-4, "criterion": "svc"} | options)


def columns(solution):
    return [leaf.columns.tolist() for leaf in solution.kernel.leaves]


def test_each_sees_every_column_that_is_not_constant():
    assert columns(solved(each("tk"))) == [[0], [1], [3]]
    assert columns(solved(each("tk", [3, 2]) + Delta())) == [[3], [0, 1, 3]]


def test_pairs_see_every_pair():
    assert columns(solved(pairs("tk"))) == [[0, 1], [0, 3], [1, 3]]
    assert columns(solved(Delta() + pairs("tk", [0, 3, 2]))) == [[0, 1, 3], [0, 3]]


def test_each_is_the_union_of_views():
    one, two = solved(each("tk"), tol=1e-7), solved([on("tk", [j]) for j in (0, 1, 3)], tol=1e-7)
    assert one.objective == two.objective
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


def test_views_tell_which_columns_matter():
    s = solved(each("tk") + fixed("rbf"))
    weights = s.kernel.views()
    assert list(weights) == [key for key, _ in sorted(weights.items(), key=lambda item: -item[1])]
    assert set(weights) == {(0,), (1,), (3,), (0, 1, 3)}
    assert sum(weights.values()) == pytest.approx(1.0)
    assert max([(0,), (1,), (3,)], key=weights.get) == (3,)
    assert "tk on column 3 (weight" in str(s)
    titles = [line.partition(":")[0] for line in s.kernel.describe().splitlines()]
    assert titles == ["tk on column 0", "tk on column 1", "tk on column 3", "dictionary on columns 0, 1, 3"]


def test_views_of_the_same_columns_are_one():
    assert set(solved(on("tk", [0]) + on(fixed("rbf"), [0])).kernel.views()) == {(0,)}


def test_many_members_are_shortened():
    rows, y = two_classes(np.random.default_rng(1), 60, 12)
    s = kernelopt.solve(rows, y[:, 0], family=each("tk"), criterion={"name": "svc", "C": 0.01}, max_steps=2)
    assert str(s.kernel).count("tk on column") == 5
    assert "; and 7 more" in str(s.kernel)
    assert len(s.kernel.describe().splitlines()) == 12


def test_mappings_and_the_command_line_spell_them():
    for spec, text, same in (
        ({"name": "each", "family": "tk"}, "each(tk)", each("tk")),
        (
            {"name": "pairs", "family": {"name": "tk", "degree": 0}},
            "pairs(tk:degree=0)",
            pairs({"name": "tk", "degree": 0}),
        ),
        ({"name": "on", "family": "tk", "columns": [0, 3]}, "on(tk):columns=0|3", on("tk", [0, 3])),
        ({"name": "sampled", "family": "tk", "k": 4, "seed": 2}, "sampled(tk):k=4,seed=2", sampled("tk", 4, 2)),
        (
            {"name": "each", "family": {"name": "sampled", "family": "tk", "k": 3}, "columns": [3]},
            "each(sampled(tk):k=3):columns=3|",
            each(sampled("tk", 3), [3]),
        ),
    ):
        assert parse_family(text) == spec
        assert solved([spec, "delta"]).objective == solved(same + Delta()).objective
    assert parse_family("each(tk)+delta") == [{"name": "each", "family": "tk"}, "delta"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: each(on("tk", [0])),
            "each: wanted one family, got a view or a union; apply each to",
        ),
        (lambda: on(each("tk"), [0]), "on: wanted one family"),
        (lambda: pairs(["tk", "delta"]), "pairs: wanted one family"),
        (lambda: each("tk", [0, 0]), "each: columns must be distinct numbers >= 0"),
        (lambda: sampled("tk", 0), "k must be an integer of at least 1"),
        (lambda: sampled("tk", 3, -1), "seed must be an integer of at least 0"),
        (lambda: sampled("tk", 3, 0, 0), "rank must be an integer of at least 1, got 0"),
        (lambda: sampled("cosine", 3, rank=2), "got rank=2 for cosine, whose kernels have no matrix P"),
        (lambda: solved(pairs("tk", [0, 2])), "pairs: wanted two columns that are not constant"),
        (lambda: solved({"name": "each", "columns": [0]}), 'family "each": missing a required argument: .family'),
        (lambda: solved({"name": "each", "family": "tk", "k": 2}), 'family "each": got an unexpected keyword argument'),
        (lambda: solved(each("tk", [9])), "column 9 does not exist"),
        (lambda: solved("each"), 'family "each": missing a required argument: .family'),
        (lambda: solved({"name": "auto", "k": 2}), 'family "auto": got an unexpected .* it takes no options'),
        (lambda: on("tk", ["width"]), "names of columns are taken by kernelopt.by_view"),
    ],
)
def test_mistakes_are_told(make, message):
    with pytest.raises(InvalidOption, match=message):
        make()


def test_no_plugin_may_take_a_word_that_means_another_family():
    assert set(WORDS["family"]) == set(SPELLED)


@pytest.mark.parametrize(("got", "nearest"), [("Auto", "auto"), ("fixd", "fixed"), ("sample", "sampled")])
def test_names_that_no_plugin_offers_are_suggested_too(got, nearest):
    with pytest.raises(kernelopt.UnknownName, match=f"did you mean '{nearest}'.* each, fixed,"):
        solved(got)


@pytest.mark.parametrize(
    ("spelled", "meant"),
    [
        ({"name": "auto"}, "auto"),
        ({"name": "fixed", "kernel": ["rbf", {"gamma": 1.0}]}, fixed(RBF)),
        (parse_family("fixed:kernel=linear"), fixed("linear")),
    ],
)
def test_a_mapping_is_what_its_name_says(spelled, meant):
    assert solved(spelled).objective == solved(meant).objective


def test_a_mapping_may_say_that_the_kernel_was_computed():
    K = X @ X.T
    one, other = (
        kernelopt.solve(K, Y, family=spec, criterion="svc") for spec in ("precomputed", {"name": "precomputed"})
    )
    assert one.objective == other.objective


def test_names_of_columns_go_by_view_as_the_message_says():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(X, columns=["width", "height", "same", "length"])
    family = kernelopt.by_view({"size": ["width", "height"]}, "tk")
    named = kernelopt.solve(table, Y, family=family, criterion="svc", max_steps=3)
    assert columns(named) == [[0, 1]]


def test_a_family_that_cannot_be_drawn_from_says_so():
    class Silent(Waves):
        def draw(self, k, rng):
            return super(Waves, self).draw(k, rng)

    with pytest.raises(InvalidOption, match="waves: random atoms of it cannot be drawn"):
        solved(sampled(Silent(), 3))


@pytest.mark.parametrize("name", ["tk", "gpk", "cosine", "gaussian"])
@pytest.mark.parametrize("solver", ["ipm", "fw"])
def test_random_lists_are_learned_from_and_bound_their_family(name, solver):
    options = {"scale": "paper", "solver": solver}
    s = solved(sampled(name, 40, seed=1), **options)
    assert s.status is kernelopt.Status.CONVERGED
    (leaf,) = s.kernel.leaves
    assert isinstance(leaf.family, FiniteFamily)
    assert isinstance(leaf.family, ExplicitFamily) == (name in ("gpk", "cosine"))
    assert solved(name, scale="paper").certificate.lower <= s.certificate.upper
    assert f"of 40 random atoms of {name}" in str(s)
    assert not any("fixed kernel" in note for note in s.notes)


def test_a_larger_draw_is_another_draw_and_a_seed_is_a_list():
    first, second, other = (solved(sampled("tk", 20, seed=seed)) for seed in (5, 5, 6))
    assert first.objective == second.objective != other.objective


@pytest.mark.parametrize("rank", [1, 3, 99])
def test_random_matrices_have_the_rank_that_is_asked_for_and_at_most_the_order(rank):
    s = solved(sampled("tk", 12, rank=rank), scale="paper")
    (leaf,), (part,) = s.kernel.leaves, s.mixture.parts
    whole = leaf.family.family
    P = whole.matrix(leaf.family.lift(Part(np.array([[4.0]]), np.ones(1))))
    assert np.linalg.matrix_rank(P, tol=1e-9) == min(rank, whole.order)
    assert np.trace(P) == pytest.approx(1.0)
    assert s.certificate.upper >= solved("tk", scale="paper").certificate.lower
    assert part.mass == pytest.approx(1.0)


def test_a_short_list_gives_all_it_has():
    (leaf,) = solved(sampled(Dictionary([RBF, "linear"]), 10)).kernel.leaves
    assert leaf.family.atoms.tolist() == [[0.0], [1.0]]


def test_single_columns_bind_nothing_quadratic():
    rows, y = np.random.default_rng(2).normal(size=(400, 9)), np.tile([0, 1], 200)
    (whole,), single = (kernelopt.solve(rows, y, family=f, max_steps=0).kernel.leaves for f in ("tk", each("tk")))
    assert sum(leaf.family.bind_bytes(400, 1) for leaf in single) < whole.family.bind_bytes(400, 9) / 4
