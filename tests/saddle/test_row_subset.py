"""Which samples are chosen, and the problem on them: its bounds are bounds on all."""

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt._saddle._row_subset import capacity, choose, free, guessed, sampled, subset, widened, widened_ceiling
from kernelopt.plugin import State
from kernelopt.testing import Affine

NAMES = pytest.mark.parametrize("name", ["svc", "l2-svc", "svr"])


def everything(problem, band=10**6):
    response = problem.respond(problem.center())
    return choose(problem, response, problem.gram(response.mixture).apply(response.V), band), response


@NAMES
def test_a_band_of_everything_is_the_problem_itself(make_pair, name):
    tight, loose = make_pair(name, (Affine(),), n=40)
    chosen, _ = everything(tight)
    assert chosen.rows.tolist() == list(range(40))
    assert chosen.moving == tight.outputs[0].size
    whole = subset(loose, chosen)
    for field in ("linear", "curvature", "lower", "upper", "sample", "sign", "group", "coefficient", "target"):
        assert getattr(whole.outputs[0], field) == pytest.approx(getattr(tight.outputs[0], field)), field
    mine, theirs = whole.respond(whole.center()), tight.respond(tight.center())
    assert mine.upper == pytest.approx(theirs.upper, rel=1e-5)


@NAMES
@pytest.mark.parametrize("band", [5, 20, 60])
def test_what_stays_can_meet_every_equality(make_pair, name, band):
    """Whatever is held on its bounds, the variables that move must be able to balance it: a poor sample's too."""
    _, loose = make_pair(name, (Affine(),), noise=0.5, n=300)
    for seed in range(4):
        some, drawn = sampled(loose, band, seed)
        answer = drawn.respond(drawn.center())
        response = guessed(loose, some, State(0, answer, drawn.ceiling(answer.duals)))
        chosen = choose(loose, response, loose.gram(response.mixture).apply(response.V), band)
        inner, (part,) = subset(loose, chosen), chosen.variables
        (point,) = inner.points((response.duals[0].alpha[part],))
        assert inner.outputs[0].violation(point.alpha) <= 1e-9 * (1.0 + np.abs(point.alpha).sum())


@NAMES
def test_free_and_wrong_variables_move(make_pair, name):
    """At the best alpha every variable off its bounds moves, whatever the band; so does one that its gradient pushes
    off its bound."""
    tight, _ = make_pair(name, (Affine(),), n=120)
    (qp,) = tight.outputs
    response = tight.respond(tight.center())
    gram = tight.gram(tight.center())
    chosen = choose(tight, response, gram.apply(response.V), 2)
    moving = np.zeros(qp.size, dtype=bool)
    moving[chosen.variables[0][np.isnan(chosen.held[0])]] = True
    alpha = response.duals[0].alpha
    room = 1e-3 * np.where(np.isfinite(qp.upper), qp.upper, 1.0)
    free = (alpha > qp.lower + room) & (alpha < qp.upper - room)
    assert moving[free].all()
    assert set(response.support) <= set(chosen.rows.tolist()) | set(qp.sample[alpha < room].tolist())


@NAMES
def test_most_variables_are_held_where_few_matter(make_pair, name):
    """Also where the box has no upper end."""
    tight, _ = make_pair(name, (kernelopt.fixed(("rbf", {"gamma": 1.0})),), noise=0.02)
    response = tight.respond(tight.center())
    chosen = choose(tight, response, tight.gram(response.mixture).apply(response.V), 10)
    size = tight.outputs[0].size
    assert 10 <= chosen.moving <= max(10, 1.5 * len(response.support) + 1) < size


@NAMES
def test_a_bound_of_the_chosen_is_one_of_all(make_pair, name):
    tight, loose = make_pair(name, (Affine(),), n=60)
    chosen, inner = sampled(loose, 30, 0)
    plain = subset(loose, chosen)
    response = plain.respond(plain.center())
    ceiling = plain.ceiling(response.duals)
    wide = widened_ceiling(loose, chosen, ceiling)
    alphas = widened(loose, chosen, ceiling.duals)
    assert tight.outputs[0].violation(alphas[0]) <= 1e-9
    assert wide.lower == pytest.approx(tight.ceiling(tight.points(alphas)).lower, rel=1e-9)
    assert wide.lower <= tight.respond(tight.center()).upper + 1e-9
    assert inner.n == len(chosen.rows)


@NAMES
def test_a_sample_stands_for_all(make_pair, name):
    """Its share of either side, boxes that are as much wider, and a value near that of all."""
    _, loose = make_pair(name, (Affine(),), noise=0.5, n=300)
    chosen, inner = sampled(loose, 150, 3)
    (qp,), (small,) = loose.outputs, inner.outputs
    assert len(chosen.rows) == pytest.approx(150, abs=2)
    part = chosen.variables[0]
    widening = loose.n / len(chosen.rows)
    finite = np.isfinite(qp.upper[part])
    assert small.upper[finite] == pytest.approx(widening * qp.upper[part][finite])
    assert small.curvature == pytest.approx(qp.curvature[part] / widening)
    share = [np.mean(one.coefficient > 0.0) for one in (qp, small)]
    assert share[1] == pytest.approx(share[0], abs=0.02)
    assert sampled(loose, 150, 3)[0].same(chosen)
    assert not sampled(loose, 150, 4)[0].same(chosen)


def test_held_values_make_sets_differ(make_pair):
    tight, _ = make_pair("svc", (Affine(),), n=40)
    chosen, _ = everything(tight, band=5)
    held = tuple(np.where(np.isnan(values), 0.5, values) for values in chosen.held)
    assert chosen.same(attrs.evolve(chosen, rows=chosen.rows.copy()))
    assert not chosen.same(attrs.evolve(chosen, held=held))


def test_capacity_grows_with_memory(make_pair, monkeypatch):
    tight, _ = make_pair("svc", (Affine(),), n=40)
    found = []
    for have in (10**6, 10**8, 10**10):
        monkeypatch.setattr("kernelopt._saddle._row_subset.available_bytes", lambda have=have: have)
        found.append(capacity(tight))
        assert 8 * found[-1] ** 2 * len(tight.leaves) <= have
    assert found == sorted(found)
    assert found[0] < found[-1]


@NAMES
def test_a_guess_from_the_answer_of_all_rows_has_them_where_they_are(make_pair, name):
    """But for those strictly between their bounds, and what the equality makes of that."""
    tight, loose = make_pair(name, (Affine(),), noise=0.5, n=200)
    answer = tight.respond(tight.center())
    guess = guessed(loose, free(loose, np.arange(200)), State(0, answer, tight.ceiling(answer.duals)))
    (qp,), (alpha,), (found,) = tight.outputs, *([dual.alpha for dual in one.duals] for one in (answer, guess))
    inside = (alpha > qp.lower + 1e-3) & (alpha < np.minimum(qp.upper, 1e6) - 1e-3)
    assert 0 < inside.sum() < len(alpha)
    assert guess.mixture is answer.mixture
    assert np.abs(found - alpha)[~inside].sum() <= inside.sum() * (1.0 + np.abs(alpha).max())
    assert qp.violation(found) <= 1e-9
