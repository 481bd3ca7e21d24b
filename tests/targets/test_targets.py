"""Laws of many targets with weights of their own: against one target by itself, and against the same ones changed."""

import math

import attrs
import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning

import kernelopt
from kernelopt import InvalidData, InvalidOption, KernelRegressor, Views, solve_targets
from kernelopt._base._typing import FloatArray
from kernelopt._io._model_file import load_machine
from kernelopt._targets import _fit, _quick
from kernelopt._targets._fit import learned
from kernelopt._targets._laws import Laws
from kernelopt._targets._options import Options

N, NEW = 90, 20


def views(seed: int = 0, n: int = N + NEW) -> Views:
    """Three views, of which the third has more columns than there are rows."""
    rng = np.random.default_rng(seed)
    blocks = {"few": rng.normal(size=(n, 8)), "some": rng.normal(size=(n, 25)), "many": rng.normal(size=(n, 150))}
    return Views({name: X * np.arange(1, X.shape[1] + 1) ** -0.5 for name, X in blocks.items()})


def targets(X: Views, count: int = 15, seed: int = 5) -> FloatArray:
    """Of random shares of the views and of noise, with other means and units."""
    rng = np.random.default_rng(seed)
    Y = np.zeros((len(X), count))
    for block in X.blocks.values():
        part = block @ rng.normal(size=(block.shape[1], count))
        Y += part / part.std(axis=0) * np.sqrt(rng.dirichlet([0.5, 0.5], size=count)[:, 0])
    Y += rng.normal(size=Y.shape) * rng.uniform(0.6, 1.5, size=count)
    return Y * 10.0 ** rng.uniform(-3, 3, size=count) + rng.normal(size=count) * 50.0


def grams(X: Views) -> list[FloatArray]:
    """Centred, of mean diagonal 1: in their weights results are stated."""
    found = []
    for block in X.blocks.values():
        centred = block - block.mean(axis=0)
        K = centred @ centred.T
        found.append(K * len(K) / np.trace(K))
    return found


def density(kernels: list[FloatArray], y: FloatArray, w: FloatArray, noise: float) -> float:
    """The log evidence of what the mean leaves, by scipy."""
    V = sum(weight * K for weight, K in zip(w, kernels, strict=True)) + noise * np.eye(len(y))
    Q = contrasts(len(y))
    return float(multivariate_normal(np.zeros(len(y) - 1), Q.T @ V @ Q).logpdf(Q.T @ y))


def contrasts(n: int) -> FloatArray:
    """An orthonormal basis of the directions (n, n - 1) whose entries sum to 0."""
    return np.linalg.qr(np.eye(n) - 1.0 / n)[0][:, :-1]


X = views()
OLD, FRESH = X[:N], X[N:]
FRESH_NARROW = Views({name: FRESH.blocks[name] for name in ("few", "some")})
Y = targets(X)[:N]


@pytest.fixture(scope="module", autouse=True)
def shared():
    """These targets are so few that they would be learned one by one: here they share what many targets share."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_fit, "few_enough", lambda *_, **__: False)
        yield


@pytest.fixture(scope="module")
def found() -> kernelopt.TargetsSolution:
    return solve_targets(OLD, Y, tol=1e-4)


def test_the_evidence_is_that_of_the_weights(found):
    kernels = grams(OLD)
    for t in range(Y.shape[1]):
        truth = density(kernels, Y[:, t], found.weights[:, t], found.noise[t])
        assert found.log_evidence[t] == pytest.approx(truth, abs=0.05)


@pytest.fixture(scope="module")
def optima() -> dict[int, float]:
    """The log evidence of some targets, each alone, at the variances that restricted maximum likelihood finds."""
    kernels = grams(OLD)
    fits = {t: kernelopt.variance_components(kernels, Y[:, t]) for t in range(0, Y.shape[1], 3)}
    return {t: density(kernels, Y[:, t], fit.variances[:-1], fit.variances[-1]) for t, fit in fits.items()}


def test_no_target_is_farther_from_its_own_optimum_than_it_says(found, optima):
    kernels = grams(OLD)
    for t, optimum in optima.items():
        reached = density(kernels, Y[:, t], found.weights[:, t], found.noise[t])
        assert reached >= optimum - found.gap[t] - 1e-3
    assert found.gap.max() <= 0.5e-4 * N


@pytest.fixture
def lawless(monkeypatch):
    """Nothing is known of the determinant but what rays say."""
    monkeypatch.setattr(Laws, "at", lambda self, r: np.zeros((len(r), 2, 1 + r.shape[1])))


@pytest.mark.usefixtures("lawless")
def test_gaps_are_true_where_little_is_known(optima):
    """With few rays the determinant is far from right, and nobody is finished alone, as 36 nats are allowed."""
    rough, kernels = solve_targets(OLD, Y, tol=0.8, rays=5), grams(OLD)
    lost = {}
    for t, optimum in optima.items():
        lost[t] = optimum - density(kernels, Y[:, t], rough.weights[:, t], rough.noise[t])
        assert lost[t] <= rough.gap[t] + 1e-3
    assert max(lost.values()) > 0.01  # else this test would show nothing


@pytest.mark.usefixtures("lawless")
def test_a_target_that_is_finished_alone_is_where_the_others_are(found, monkeypatch):
    """With one ray the determinant is hardly known, so that targets take factorisations of their own."""
    monkeypatch.setattr(_fit, "_PILOTS", 4)
    few = solve_targets(OLD, Y, tol=1e-4, rays=1)
    assert few.alone.sum() > found.alone.sum()
    np.testing.assert_allclose(few.log_evidence, found.log_evidence, atol=0.05)
    assert few.gap.max() <= 0.5e-4 * N


def test_the_order_of_targets_is_that_of_the_results(found):
    order = np.random.default_rng(2).permutation(Y.shape[1])
    other = solve_targets(OLD, Y[:, order], tol=1e-4)
    np.testing.assert_allclose(other.log_evidence, found.log_evidence[order], atol=0.01)
    np.testing.assert_allclose(other.shares(), found.shares()[:, order], atol=0.02)


@pytest.mark.parametrize("batch", [1, 5])
def test_the_size_of_batches_changes_nothing(found, batch):
    other = solve_targets(OLD, Y, tol=1e-4, batch=batch)
    np.testing.assert_allclose(other.log_evidence, found.log_evidence, atol=0.01)
    np.testing.assert_allclose(other.predict(FRESH) / Y.std(axis=0), found.predict(FRESH) / Y.std(axis=0), atol=0.05)


@pytest.mark.parametrize("effort", ["normal", "quick"])
def test_targets_that_are_noise_keep_their_noise_where_columns_are_many(effort):
    """Kernels and targets are centred: without the mean's own direction nothing asks for less noise than there is."""
    rng = np.random.default_rng(3)
    rows, noisy = rng.normal(size=(60, 200)), rng.normal(size=(60, 40))
    found = solve_targets(rows, noisy, effort=effort, sample=0)
    assert np.median(found.noise / noisy.var(axis=0)) > 0.5


def test_units_and_means_of_targets_are_theirs(found):
    other = solve_targets(OLD, -1e3 * Y + 7e5, tol=1e-4)
    np.testing.assert_allclose(other.weights / 1e6 / Y.var(axis=0), found.weights / Y.var(axis=0), atol=0.02)
    np.testing.assert_allclose(other.log_evidence, found.log_evidence - (N - 1) * np.log(1e3), atol=0.01)
    scaled = (other.predict(FRESH) - 7e5) / -1e3
    np.testing.assert_allclose(scaled / Y.std(axis=0), found.predict(FRESH) / Y.std(axis=0), atol=0.05)


def test_predictions_and_deviations_are_those_of_the_process(found):
    """By the joint covariance of old and new rows, formed by hand."""
    both = [block - block[:N].mean(axis=0) for block in X.blocks.values()]
    kernels = [(B @ B.T) * N / np.trace(B[:N] @ B[:N].T) for B in both]
    values, deviations = found.predict(FRESH, return_std=True)
    for t in (0, 5, 11):
        V = sum(w * K for w, K in zip(found.weights[:, t], kernels, strict=True))
        old = np.linalg.inv(V[:N, :N] + found.noise[t] * np.eye(N))
        mean = V[N:, :N] @ old @ (Y[:, t] - Y[:, t].mean()) + Y[:, t].mean()
        spread = np.sqrt(np.diagonal(V[N:, N:] - V[N:, :N] @ old @ V[:N, N:]) + found.noise[t])
        np.testing.assert_allclose(values[:, t], mean, atol=1e-3 * Y[:, t].std())
        few = np.sqrt((N - 1) / (N - 3))  # of Student's t of N - 1 degrees of freedom
        np.testing.assert_allclose(deviations[:, t], few * spread, rtol=1e-6)


def test_r2_is_that_of_fitted_values(found):
    left = Y - found.predict(OLD)
    np.testing.assert_allclose(found.r2, 1.0 - left.var(axis=0) / Y.var(axis=0), atol=1e-3)
    assert np.all(found.r2_cv <= found.r2 + 1e-9)


def test_grams_are_as_good_as_their_rows(found):
    blocks = list(X.blocks.values())
    old = [block[:N] @ block[:N].T for block in blocks]
    other = solve_targets(old, Y, family="precomputed", tol=1e-4)
    np.testing.assert_allclose(other.log_evidence, found.log_evidence, atol=0.01)
    new = [block[N:] @ block[:N].T for block in blocks]
    np.testing.assert_allclose(other.predict(new) / Y.std(axis=0), found.predict(FRESH) / Y.std(axis=0), atol=0.05)


def test_constant_targets_noise_and_copies():
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(N, 30))
    many = np.column_stack([np.full(N, 0.1), np.zeros(N), Y[:, 0], Y[:, 0], noise])
    found = solve_targets(OLD, many)
    assert np.all(found.weights[:, :2] == 0.0)
    assert np.all(found.noise[:2] == 0.0)
    np.testing.assert_array_equal(found.predict(FRESH)[:, :2], [[0.1, 0.0]] * NEW)
    assert np.isnan(found.r2[:2]).all()
    np.testing.assert_allclose(found.weights[:, 2], found.weights[:, 3], rtol=1e-6)
    assert np.isfinite(found.log_evidence[2:]).all()
    assert found.gap.max() <= 0.5e-3 * N
    assert np.median(found.shares()[:, 4:].sum(axis=0)) < 0.2


def test_kernels_may_be_copies_and_more_than_rows():
    rng = np.random.default_rng(4)
    block = OLD.blocks["few"]
    K = block @ block.T
    listed = [K, 2.0 * K]
    doubled = solve_targets(listed, Y, family="precomputed")
    single = solve_targets([K], Y, family="precomputed")
    np.testing.assert_allclose(doubled.log_evidence, single.log_evidence, atol=0.5e-3 * N)
    tiny = [rng.normal(size=(3, 2)) for _ in range(4)]
    few = solve_targets(tiny, Y[:3, :3])
    assert np.isfinite(few.predict(tiny)).all()


def test_a_constant_kernel_has_no_weight():
    K = OLD.blocks["few"] @ OLD.blocks["few"].T
    some, _ = learned([K, np.ones((N, N))], Y, Options(), lambda words, share: None)
    single, _ = learned([K], Y, Options(), lambda words, share: None)
    assert np.all(some.weights[1] == 0.0)
    np.testing.assert_allclose(some.log_evidence, single.log_evidence, atol=0.05)
    nothing, _ = learned([np.ones((N, N))], Y, Options(), lambda words, share: None)
    np.testing.assert_allclose(nothing.noise, Y.var(axis=0, ddof=1))
    np.testing.assert_allclose(nothing.log_evidence, [density([], y, [], y.var(ddof=1)) for y in Y.T])


def test_ctrl_c_gives_what_is_done(monkeypatch):
    whole, count = _fit._finished, iter(range(100))

    def pressed(*args):
        if next(count) == 2:
            raise KeyboardInterrupt
        return whole(*args)

    monkeypatch.setattr(_fit, "_finished", pressed)
    found = solve_targets(OLD, Y, batch=5)
    assert found.interrupted
    assert found.done.sum() == 10
    assert np.isnan(found.weights[:, ~found.done]).all()
    assert np.isfinite(found.predict(FRESH)[:, found.done]).all()
    assert np.isnan(found.predict(FRESH)[:, ~found.done]).all()
    assert "not reached" in found.notes[-1]


def test_without_time_for_any_target_all_are_missing_and_a_note_says_so():
    found = solve_targets(OLD, Y, max_seconds=1e-9)
    assert not found.done.any()
    assert np.isnan(found.predict(FRESH)).all()
    assert found.notes[-1].startswith(f"targets: {Y.shape[1]} of {Y.shape[1]} targets were not reached")


def test_the_estimator_warns_of_targets_that_were_not_reached():
    with pytest.warns(ConvergenceWarning, match=f"ended before {Y.shape[1]} of {Y.shape[1]} targets were") as caught:
        machine = KernelRegressor(targets="own", max_seconds=1e-9).fit(OLD, Y)
    assert [warning.filename for warning in caught] == [__file__]
    assert np.isnan(machine.predict(FRESH)).all()


def test_the_estimator_gives_the_same(found):
    machine = KernelRegressor(targets="own", tol=1e-4).fit(OLD, Y)
    np.testing.assert_allclose(machine.weights_, found.weights)
    np.testing.assert_allclose(machine.noise_, found.noise)
    assert machine.gap_.max() <= 0.5e-4 * N
    assert machine.r2_.shape == (Y.shape[1],)
    np.testing.assert_allclose(machine.predict(FRESH), found.predict(FRESH))
    assert machine.predict(FRESH, return_std=True)[1].shape == (NEW, Y.shape[1])
    assert set(machine.views()) == {"few", "some", "many"}
    np.testing.assert_allclose(machine.intercept_, Y.mean(axis=0))


@pytest.mark.parametrize("constant", [1.0, 0.1, -1e9 / 3.0])
@pytest.mark.parametrize("weight", [None, np.arange(N) % 3.0], ids=["plain", "weighted"])
def test_a_constant_target_is_predicted_as_it_is_to_the_last_digit(constant, weight):
    """R2 of scikit-learn is 0 for a constant column that is missed by rounding, and 1 for one that is met."""
    many = np.column_stack([np.full(N, constant), Y[:, 0]])
    found = solve_targets(OLD, many, sample_weight=weight)
    assert (found.predict(FRESH)[:, 0] == constant).all()
    assert (found.predict(FRESH, return_std=True)[1][:, 0] == 0.0).all()


@pytest.mark.parametrize("tol", [1e-12, 0.999])
def test_every_tolerance_is_taken_whatever_the_number_of_rows(tol):
    assert solve_targets(OLD, Y[:, :2], tol=tol).done.all()
    Options(0.5 * tol * 100_000)
    for wrong in (0.0, 1.0, math.nan):
        with pytest.raises(InvalidOption, match="tol must be a number between 0 and 1"):
            solve_targets(OLD, Y, tol=wrong)


def test_one_target_is_a_vector():
    found = solve_targets(OLD.blocks["few"], Y[:, 0])
    assert found.predict(FRESH.blocks["few"]).shape == (NEW,)
    with pytest.raises(InvalidOption, match="without views"):
        found.views()


def test_what_cannot_be_done_is_refused():
    with pytest.raises(InvalidOption, match='"shared" or "own"'):
        KernelRegressor(targets="each").fit(OLD, Y)
    with pytest.raises(InvalidOption, match="a kernel that all targets share"):
        KernelRegressor(targets="own", criterion="svr").fit(OLD, Y)
    with pytest.raises(InvalidOption, match="groups"):
        KernelRegressor(targets="own").fit(OLD, Y, groups=np.arange(N))
    with pytest.raises(InvalidOption, match="effort"):
        solve_targets(OLD, Y, effort="thorough")
    with pytest.raises(InvalidOption, match="rays"):
        solve_targets(OLD, Y, rays=0)
    with pytest.raises(InvalidOption, match="finite lists"):
        solve_targets(OLD, Y, family="tk")
    with pytest.raises(InvalidOption, match="batch"):
        solve_targets(OLD, Y, batch=0)
    with pytest.raises(InvalidData):
        solve_targets(OLD, np.where(np.arange(N)[:, None] == 3, np.nan, Y))


@pytest.mark.parametrize("kind", ["views", "grams", "one"])
def test_a_file_keeps_all_of_it(found, kind, tmp_path):
    """What is loaded has the same arrays and predicts to the bit, and a changed file is refused."""
    rows = FRESH if kind != "grams" else [K[N:, :N] for K in (X.blocks[name] @ X.blocks[name].T for name in X.names)]
    if kind == "grams":
        found = solve_targets([K[:N, :N] for K in (b @ b.T for b in X.blocks.values())], Y[:, :3], family="precomputed")
    if kind == "one":
        found = solve_targets(OLD, Y[:, 0])
    found.save(tmp_path / "targets.kernelopt")
    again = kernelopt.load(tmp_path / "targets.kernelopt")
    for name in ("weights", "noise", "gap", "r2", "r2_cv", "log_evidence", "dual_coef", "done", "lost", "counts"):
        np.testing.assert_array_equal(getattr(again, name), getattr(found, name))
    np.testing.assert_array_equal(again.predict(rows), found.predict(rows))
    assert again.kernels == found.kernels
    assert again.notes == found.notes
    assert list(again.views()) == list(found.views())
    if kind == "one":
        for got, wanted in zip(again.predict(rows, return_std=True), found.predict(rows, return_std=True), strict=True):
            np.testing.assert_array_equal(got, wanted)


def test_a_file_whose_arrays_do_not_agree_is_refused(found, tmp_path):
    for changed in ({"means": found.means[:, 1:]}, {"noise": found.noise[1:]}, {"kernels": found.kernels[1:]}):
        with pytest.raises(kernelopt.ModelFileError, match="cannot be saved"):
            attrs.evolve(found, **changed).save(tmp_path / "targets.kernelopt")
    found.save(tmp_path / "targets.kernelopt")
    with pytest.raises(kernelopt.ModelFileError, match="holds many targets"):
        load_machine(tmp_path / "targets.kernelopt")


@pytest.fixture(scope="module")
def quick() -> kernelopt.TargetsSolution:
    return solve_targets(OLD, Y, effort="quick", sample=Y.shape[1])


def test_the_quick_way_knows_its_evidence_and_what_it_lost(quick, optima):
    """The evidence is that of its weights and at most the optimum, and a sample says how far it is below."""
    kernels = grams(OLD)
    for t, optimum in optima.items():
        reached = density(kernels, Y[:, t], quick.weights[:, t], quick.noise[t])
        assert quick.log_evidence[t] == pytest.approx(reached, abs=1.0)
        assert quick.lost[t] == pytest.approx(optimum - reached, abs=0.1)
        assert quick.lost[t] <= quick.gap[t] + 0.01
    assert np.median(quick.lost) < 0.2
    assert f"{Y.shape[1]} of {Y.shape[1]} targets were also learned exactly" in quick.notes[-1]


def test_steps_from_the_candidates_are_worth_it(quick, monkeypatch):
    """Without steps, targets are at their candidates, whose evidence is known exactly and is smaller."""
    monkeypatch.setattr(_quick, "_ROUNDS", 0)
    alone, kernels = solve_targets(OLD, Y, effort="quick", sample=0), grams(OLD)
    gained = []
    for t in range(0, Y.shape[1], 3):
        before = density(kernels, Y[:, t], alone.weights[:, t], alone.noise[t])
        assert alone.log_evidence[t] == pytest.approx(before, abs=0.01)
        gained.append(density(kernels, Y[:, t], quick.weights[:, t], quick.noise[t]) - before)
    assert min(gained) > -0.5
    assert np.mean(gained) > 0.5
    assert np.isnan(alone.lost).all()


def test_the_quick_way_predicts_as_the_exact_one(found, quick):
    size = Y.std(axis=0)
    assert np.median(np.abs(quick.predict(FRESH) - found.predict(FRESH)) / size) < 0.1
    np.testing.assert_allclose(quick.r2, 1.0 - (Y - quick.predict(OLD)).var(axis=0) / Y.var(axis=0), atol=0.01)


def test_coordinates_that_take_too_much_memory_to_keep_are_computed_again(monkeypatch):
    many = targets(X, 200)[:N]
    kept = solve_targets(OLD, many, effort="quick", sample=0)
    for most in (0, 4 * N * 75):  # bytes: none at all, and those of some batches
        monkeypatch.setattr(_quick, "_HELD", most)
        again = solve_targets(OLD, many, effort="quick", sample=0, batch=50)
        np.testing.assert_allclose(again.log_evidence, kept.log_evidence, atol=0.02)


@pytest.mark.parametrize("scale", [1e-3, 1e-6])
def test_the_quick_way_has_double_precision_where_there_is_little_noise(scale):
    """Of targets that the kernels explain nearly whole."""
    rng = np.random.default_rng(5)
    block = OLD.blocks["some"]
    smooth = block @ rng.normal(size=(block.shape[1], 6))
    many = smooth + np.sqrt(scale) * smooth.std(axis=0) * rng.normal(size=smooth.shape)
    fast, slow = solve_targets(OLD, many, effort="quick", sample=0), solve_targets(OLD, many)
    np.testing.assert_allclose(fast.log_evidence, slow.log_evidence, atol=2.0)
    np.testing.assert_allclose(fast.noise, slow.noise, rtol=0.3)


@pytest.mark.parametrize("name", ["some", "many"])
@pytest.mark.parametrize("scale", [1e-1, 1e-2, 1e-3])
def test_the_quick_way_knows_the_evidence_of_a_rare_target_with_little_noise(name, scale):
    """All others are noisy, so that the determinant is mostly known at their noises."""
    rng = np.random.default_rng(7)
    block, kernels = OLD.blocks[name], grams(OLD)
    rare = block @ rng.normal(size=(block.shape[1], 1))
    rare += scale * rare.std() * rng.normal(size=rare.shape)
    many = np.hstack([targets(OLD, 99, seed=8), rare])
    learned = solve_targets(OLD, many, effort="quick", sample=0)
    assert learned.noise[-1] < max(1e-2, 2.0 * scale**2) * many[:, -1].var()
    reached = density(kernels, many[:, -1], learned.weights[:, -1], learned.noise[-1])
    assert learned.log_evidence[-1] == pytest.approx(reached, abs=3.0)


@pytest.mark.parametrize("effort", ["normal", "quick"])
def test_a_row_of_weight_k_is_k_copies_of_it(effort):
    """Also within one kernel of low rank, where targets lie outside of what kernels span."""
    times = np.random.default_rng(6).integers(0, 4, size=60)
    copied = np.repeat(np.arange(60), times)
    narrow = Views({name: X.blocks[name] for name in ("few", "some")})
    weighed = solve_targets(narrow[:60], Y[:60, :6], sample_weight=times, effort=effort)
    copies = solve_targets(narrow[copied], Y[copied, :6], effort=effort)
    tolerance = 0.05 if effort == "normal" else 1.0
    np.testing.assert_allclose(weighed.log_evidence, copies.log_evidence, atol=tolerance)
    np.testing.assert_allclose(weighed.intercept, copies.intercept)
    if effort == "normal":
        size = Y[:60, :6].std(axis=0)
        pairs = zip(weighed.predict(FRESH_NARROW, True), copies.predict(FRESH_NARROW, True), strict=True)
        for got, wanted in pairs:
            np.testing.assert_allclose(got / size, wanted / size, atol=0.02)
        np.testing.assert_allclose(weighed.r2, copies.r2, atol=0.01)
        np.testing.assert_allclose(weighed.r2_cv, copies.r2_cv, atol=0.01)


def test_weights_that_are_no_numbers_of_copies_say_how_much_rows_are_trusted():
    """Their size says nothing then, as in `solve`: taken for copies they would leave no noise."""
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(60, 3)), rng.uniform(0.5, 2.5, size=60)
    many = np.column_stack([X[:, 0], np.sin(X[:, 1])]) + 0.3 * rng.normal(size=(60, 2))
    found, large = (solve_targets(X, many, sample_weight=factor * weight) for factor in (1.0, 7.0))
    np.testing.assert_allclose(large.noise, found.noise, rtol=1e-6)
    np.testing.assert_allclose(large.log_evidence, found.log_evidence, atol=1e-6)
    assert (found.noise > 0.3 * 0.3**2).all()
    assert (found.noise < 3.0 * 0.3**2).all()
    assert not any("sample_weight" in note for note in found.notes)


def test_weights_that_are_taken_for_numbers_of_copies_are_told_of():
    X, weight = OLD.blocks["few"], 1.0 + np.arange(N) % 3
    (note,) = (note for note in solve_targets(X, Y[:, 0], sample_weight=weight).notes if "sample_weight" in note)
    assert f"sum to {weight.sum():.6g} for {N} rows" in note
    assert "divide them by their mean" in note
    divided = solve_targets(X, Y[:, 0], sample_weight=weight / weight.mean())
    assert not any("sample_weight" in note for note in divided.notes)


def test_a_column_of_a_large_level_costs_no_digits():
    """The kernels that predict are not centred, as those that were learned from are."""
    rng = np.random.default_rng(0)
    X, T = rng.normal(size=(200, 6)), rng.normal(size=(6, 3))
    Y = X @ T + 0.5 * rng.normal(size=(200, 3))
    day = rng.integers(0, 365, 200)
    near, far = (
        kernelopt.solve_targets(rows[:100], Y[:100]).predict(rows[100:])
        for rows in (np.column_stack([X, day]), np.column_stack([X, 2_459_000.0 + day]))
    )
    assert far == pytest.approx(near, abs=0.1)


@pytest.mark.parametrize("effort", ["normal", "quick"])
def test_r2_by_cross_validation_is_that_of_new_rows_with_more_columns_than_rows(effort):
    """Where nothing is noise the mean, which is fitted too, is all that is left of the degrees of freedom."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(100, 400)), rng.normal(size=(100, 30))
    learned = kernelopt.solve_targets(X, Y, family=kernelopt.Dictionary(["linear"]), effort=effort)
    known = ~np.isnan(learned.r2_cv)
    assert abs(np.median(learned.r2_cv[known])) < 0.1
    assert (learned.r2_cv[known] < 0.5).all()
    assert known.mean() > (0.99 if effort == "normal" else 0.7)  # the quick way may not know where there is no noise


def test_columns_that_do_not_vary_make_no_kernel_wider():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    Y = np.sin(2.0 * X) + 0.1 * rng.normal(size=X.shape)
    wide = np.column_stack([X, np.ones(60), np.full(60, np.nan)])
    assert np.array_equal(solve_targets(wide, Y).predict(wide), solve_targets(X, Y).predict(X))


def test_one_table_is_also_learned_where_targets_are_no_linear_function_of_it():
    """As `solve` learns it; of views the linear kernels are taken, and a note says which."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(250, 3)) * [1.0, 100.0, 0.01]
    T = np.column_stack([np.sin(2.0 * X[:, 0]), (0.01 * X[:, 1]) ** 2, 100.0 * X[:, 2]])
    Y = T + 0.1 * rng.normal(size=T.shape)
    learned = solve_targets(X[:150], Y[:150])
    left = ((learned.predict(X[150:]) - T[150:]) ** 2).sum(axis=0) / ((T[150:] - T[150:].mean(axis=0)) ** 2).sum(axis=0)
    assert left.max() < 0.1
    assert learned.notes[0].startswith("family: no family was named, so a linear kernel and Gaussian")
    assert (
        solve_targets(OLD, Y[:N]).notes[0].startswith("family: no family was named, so the linear kernel of each view")
    )
    assert not any("no family" in note for note in solve_targets(X, Y, family=kernelopt.Dictionary(["linear"])).notes)


@pytest.mark.parametrize("level", [1e4, 1e5, 1e6, 1e7])
def test_columns_of_a_large_level_have_deviations_or_a_note(level):
    """The kernel of such rows has lost digits when it is centred; with a small noise it is indefinite."""
    rng = np.random.default_rng(3)
    for n in (5, 30):
        rows = rng.normal(size=(n + 3, 4))
        clean = rows[:n, :2] * [1.0, 1e6]
        found = solve_targets(rows[:n] + level, clean, family=kernelopt.Dictionary(["linear"]))
        assert (found.predict(rows[n:] + level, return_std=True)[1] > 0.0).all()
        told = any("1 of 1 kernels, linear, are constant on the training rows up to rounding" in s for s in found.notes)
        assert told == (found.weights == 0.0).all()


def test_words_among_targets_are_refused_with_what_learns_classes():
    X, words = np.random.default_rng(0).normal(size=(20, 3)), np.full((20, 2), "high")
    wanted = r"y holds 'high' \(row 0, counted from 0\), wanted numbers for solve_targets; .* classes with KernelClass"
    with pytest.raises(kernelopt.InvalidData, match=wanted):
        kernelopt.solve_targets(X, words)
