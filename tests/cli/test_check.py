"""What `kernelopt solve` measures on held-out rows, beside the rivals."""

import csv
import json
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss, mean_squared_error, r2_score, root_mean_squared_error
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import kernelopt as library
from kernelopt._base.tables._tables import Table
from kernelopt.cli import _job, _solve
from kernelopt.cli.judging import _check, _check_plan, _measure
from kernelopt.cli.reading._rows import Rows
from kernelopt.sklearn import _rivals

Call = Callable[..., Any]
QUICK = ("--family", "dictionary:kernels=rbf|linear", "--tol", "0.05", "--no-progress")
FIFTH = ("--held-out", "0.2")
FAMILY = {"name": "dictionary", "kernels": ["rbf", "linear"]}


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """Words, some of them rare, and gaps; a number and a class that depend on them, and a number that does not."""
    random = np.random.default_rng(0)
    path = tmp_path / "mixed.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b", "word", "value", "kind", "noise"])
        for k in range(100):
            a, b, noise = random.normal(size=3)
            word = random.choice(["red", "green", "blue", f"rare{k}"])
            value = a + 2 * (word == "red") + 0.3 * random.normal()
            gaps = random.random(2) < 0.2
            writer.writerow([a, "" if gaps[0] else b, "" if gaps[1] else word, value, "ny"[int(value > 0)], noise])
    return path


def told(kernelopt: Call, *arguments: object) -> Any:
    shown = kernelopt("solve", *arguments, "--json")
    assert shown.exit_code == 0, shown.stderr
    return json.loads(shown.stdout)


def by_name(check: Any) -> dict[str, Any]:
    return {one["machine"]: one for one in check["machines"]}


def test_a_share_is_held_out_where_one_is_named_and_told_of_each_machine(kernelopt: Call, table: Path) -> None:
    check = told(kernelopt, table, "--target", "kind", *QUICK, *FIFTH, "--seed", 3)["check"]
    job = _job.read_job(str(table), "kind", held_out=0.2, check=True, seed=3)
    ((train, test),) = job.plan.parts
    assert (check["rows"], check["held_out"], check["folds"]) == (40, [8], False)
    assert sorted([*train, *test]) == list(range(40))
    X, y = job.rows.X, job.rows.y
    assert y is not None
    ours = library.solve(X[train], y[train], family=FAMILY, tol=0.05, seed=3)
    numbers = _rivals.numbers_of(X)
    svc = make_pipeline(StandardScaler(), GridSearchCV(SVC(), _rivals.GRID, cv=3))
    # The column of text holds one word and is an indicator that is always 1.
    svc.fit(numbers[train][:, :2], y[train])
    boosting = HistGradientBoostingClassifier(random_state=3).fit(numbers[train], y[train])
    found = by_name(check)
    assert found["learned kernel"]["accuracy"] == ours.score(X[test], y[test])
    assert found["SVC, best of a grid"]["accuracy"] == svc.score(numbers[test][:, :2], y[test])
    assert found["gradient boosting"]["accuracy"] == boosting.score(numbers[test], y[test])
    assert found["always cat"]["accuracy"] == pytest.approx(np.mean(y[test] == "cat"))
    assert found["always cat"]["log_loss"] == pytest.approx(np.log(2.0))


def test_probabilities_are_measured_as_scikit_learn_does(kernelopt: Call, mixed: Path) -> None:
    leave = ("--ignore", "value", "--ignore", "noise", "--no-progress")
    check = told(kernelopt, mixed, "--target", "kind", *leave, *FIFTH)["check"]
    job = _job.read_job(str(mixed), "kind", ["value", "noise"], held_out=0.2, check=True)
    ((train, test),) = job.plan.parts
    assert job.rows.y is not None
    odds = library.solve(job.rows.X[train], job.rows.y[train]).predict_proba(job.rows.X[test])
    found = by_name(check)
    assert found["learned kernel"]["log_loss"] == pytest.approx(log_loss(job.rows.y[test], odds, labels=["n", "y"]))
    assert found["SVC, best of a grid"]["log_loss"] is None


def test_numbers_are_measured_as_scikit_learn_does(kernelopt: Call, mixed: Path) -> None:
    leave = ("--ignore", "kind", "--ignore", "noise")
    check = told(kernelopt, mixed, "--target", "value", *leave, *QUICK, *FIFTH)["check"]
    job = _job.read_job(str(mixed), "value", ["kind", "noise"], held_out=0.2, check=True)
    ((train, test),) = job.plan.parts
    y = job.rows.y
    assert y is not None
    found = by_name(check)
    names = ["learned kernel", "SVR, best of a grid", "gradient boosting", "always the mean"]
    assert list(found) == names
    mean = np.full(len(test), y[train].mean())
    assert found["always the mean"]["r2"] == pytest.approx(r2_score(y[test], mean))
    assert found["always the mean"]["mse"] == pytest.approx(mean_squared_error(y[test], mean))
    assert found["always the mean"]["rmse"] == pytest.approx(root_mean_squared_error(y[test], mean))
    assert all(found[name]["rmse"] < found["always the mean"]["rmse"] for name in names[:3])


def losses_of(rivals: Sequence[_rivals.Rival], X: Table, y: Any, part: Any) -> list[float]:
    """The mean squared errors of rivals."""
    solution = library.solve(X[part[0]], y[part[0]], family=FAMILY, tol=0.05)
    rows = Rows(X, y, (), None)
    losses = _measure.measured(solution, rows, part, "regression", rivals).losses
    return [float(one.errors.mean()) for one in list(losses.values())[1:] if one is not None]


def test_rivals_see_words(mixed: Path) -> None:
    job = _job.read_job(str(mixed), "noise", ["kind", "value", "a", "b"], held_out=0.2, check=True)
    (part,) = job.plan.parts
    X, y = job.rows.X, np.array([2.0 * (word == "red") for word in job.rows.X.labels[0].values])
    svr, boosting, mean = losses_of(_rivals.rivals(X, y, "regression", 0), X, y, part)
    assert max(svr, boosting) < 0.5 * mean


def test_rivals_take_columns_without_any_value(kernelopt: Call, mixed: Path, write: Callable[..., Path]) -> None:
    lines = mixed.read_text(encoding="utf-8").splitlines()
    wider = write("\n".join(f"{line},{'empty' if k == 0 else ''}" for k, line in enumerate(lines)))
    leave = ("--target", "value", "--ignore", "kind", "--ignore", "noise", *QUICK, *FIFTH)
    plain, more = (told(kernelopt, path, *leave)["check"]["machines"] for path in (mixed, wider))
    for one, other in zip(plain[1:], more[1:], strict=True):
        assert other["rmse"] == pytest.approx(one["rmse"], rel=1e-3)


def test_rivals_do_not_mind_the_units(mixed: Path) -> None:
    job = _job.read_job(str(mixed), "value", ["kind", "noise"], held_out=0.2, check=True)
    (part,) = job.plan.parts
    X, y = job.rows.X, job.rows.y
    other = attrs.evolve(X, numbers=X.numbers * [1e3, 1e-3, 1.0])
    assert y is not None
    plain = losses_of(_rivals.rivals(X, y, "regression", 0), X, y, part)
    scaled = losses_of(_rivals.rivals(X, y, "regression", 0), other, 100.0 * y, part)
    assert len(plain) == 3
    np.testing.assert_allclose(np.array(scaled) / 1e4, plain, rtol=1e-3)


def test_what_held_out_rows_alone_lack_is_no_warning(kernelopt: Call, table: Path, write: Callable[..., Path]) -> None:
    ((_, test),) = _job.read_job(str(table), "kind", held_out=0.2, check=True).plan.parts
    lines = table.read_text(encoding="utf-8").splitlines()
    lines[1 + test[0]] = "," + lines[1 + test[0]].partition(",")[2]
    shown = kernelopt("solve", write("\n".join(lines)), "--target", "kind", *QUICK, *FIFTH)
    assert "8 of 40 rows" in shown.stdout
    assert shown.stderr == ""


def test_a_rival_that_cannot_learn_costs_no_answer(table: Path) -> None:
    class Refusing:
        def fit(self, *_: object) -> None:
            raise ValueError("not these rows")

    job = _job.read_job(str(table), "kind", held_out=0.2, check=True)
    (part,) = job.plan.parts
    assert job.rows.y is not None
    solution = library.solve(job.rows.X[part[0]], job.rows.y[part[0]], family=FAMILY, tol=0.05)
    *_, last = _rivals.rivals(job.rows.X, job.rows.y, "classification", 0)
    measured = _measure.measured(solution, job.rows, part, "classification", (_rivals.Rival("lame", Refusing()), last))
    check = _check.Check("classification", job.plan, (measured,))
    assert check.names == ("learned kernel", "lame", last.name)
    assert check.scores("lame") == [{"accuracy": None, "log_loss": None}]
    assert not check.no_better


def test_the_machine_that_is_kept_learns_from_all_rows(kernelopt: Call, table: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    checked = told(kernelopt, table, "--target", "kind", *QUICK, "--save", model)
    plain = told(kernelopt, table, "--target", "kind", *QUICK, "--no-check")
    assert checked["certificate"] == plain["certificate"]
    assert library.load(model).certificate.upper == plain["certificate"]["upper"]
    assert plain["check"]["machines"] == []
    assert "--no-check" in plain["check"]["reason"]


def test_few_rows_are_cut_into_folds_and_of_many_a_fifth_is_held_out(
    kernelopt: Call, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "40 rows in 5 folds (stratified" in kernelopt("solve", table, "--target", "kind", *QUICK).stdout
    monkeypatch.setattr(_check_plan, "FOLDED", 39)
    assert "8 of 40 rows (stratified" in kernelopt("solve", table, "--target", "kind", *QUICK).stdout
    monkeypatch.setattr(_check_plan, "MOST", 5)
    assert "5 of 40 rows (stratified" in kernelopt("solve", table, "--target", "kind", *QUICK).stdout


def test_what_takes_long_is_said_before_it_begins(
    kernelopt: Call, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_solve, "_MOMENT", 0.0)
    told = kernelopt("solve", table, "--target", "kind", *QUICK).stderr
    assert "measuring errors in 5 folds, for which is learned anew: about" in told
    assert "--no-check leaves it out" in told
    told = kernelopt("solve", table, "--target", "kind", *QUICK, *FIFTH).stderr
    assert "measuring errors on rows that are held out, for which is learned anew: about" in told
    assert kernelopt("solve", table, "--target", "kind", *QUICK, "--no-check").stderr == ""


@pytest.mark.parametrize(("counts", "folds"), [((20, 20), 5), ((20, 3), 3), ((20, 1), 5)])
def test_classes_keep_their_shares_and_one_row_alone_is_learned_from(
    write: Callable[..., Path], counts: tuple[int, int], folds: int
) -> None:
    labels = "p" * counts[0] + "q" * counts[1]
    path = write("a,y\n" + "".join(f"{k},{label}\n" for k, label in enumerate(labels)))
    plan = _job.read_job(str(path), "y", check=True).plan
    assert (len(plan.parts), plan.folds, plan.stratified) == (folds, True, True)
    held = len(labels) if counts[1] > 1 else counts[0]
    assert sorted(np.concatenate([test for _, test in plan.parts])) == list(range(held))


def test_a_class_of_one_row_costs_no_score(kernelopt: Call, write: Callable[..., Path]) -> None:
    random = np.random.default_rng(0)
    rows = [f"{random.normal() + 3 * (k % 2)},{'pq'[k % 2]}\n" for k in range(30)]
    check = told(kernelopt, write("a,y\n" + "".join(rows) + "9,r\n"), "--target", "y", *QUICK)["check"]
    assert by_name(check)["learned kernel"]["accuracy"] > 0.5


def test_of_few_rows_nothing_is_held_out_and_the_panel_says_so(kernelopt: Call, write: Callable[..., Path]) -> None:
    few = write("a,y\n" + "".join(f"{k},{'pq'[k % 2]}\n" for k in range(8)))
    reason = "there are 8 rows, and with fewer than 10 none are held out"
    assert told(kernelopt, few, "--target", "y", *QUICK)["check"]["reason"] == reason
    shown = kernelopt("solve", few, "--target", "y", *QUICK).stdout
    assert f"no error on new rows is known: {reason}" in " ".join(shown.replace("│", " ").split())


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--folds", 1), "--folds: got 1, wanted 2 or more"),
        (("--folds", 30), "--folds: got 30, and the smallest class has 20 rows, one for each fold at most"),
        (("--held-out", 0.999), "--held-out: got 0.999, which holds out 40 of 40 rows and learns from 0, wanted at"),
        (("--held-out", 0.001), "holds out 1 of 40 rows and learns from 39, wanted at least 2 to hold out and 2 to"),
        (("--held-out", 1.5), "--held-out: got 1.5, wanted a share of the rows between 0 and 1"),
        (("--held-out", 0), "--held-out: got 0, wanted a share"),
    ],
)
def test_what_cannot_be_held_out_is_refused_before_the_work(
    kernelopt: Call, table: Path, more: tuple[object, ...], told: str
) -> None:
    for command in ("solve", "compare"):
        shown = kernelopt(command, table, "--target", "kind", *QUICK, *more)
        assert (shown.exit_code, shown.stdout) == (2, "")
        assert told in " ".join(shown.stderr.split())


@pytest.mark.parametrize(
    ("more", "options"),
    [
        (("--folds", "3", *FIFTH), "--folds and --held-out"),
        (("--folds", "3", "--no-check"), "--folds and --no-check"),
        ((*FIFTH, "--no-check"), "--held-out and --no-check"),
    ],
)
def test_one_way_to_measure_is_named(kernelopt: Call, table: Path, more: tuple[str, ...], options: str) -> None:
    shown = kernelopt("solve", table, "--target", "kind", *QUICK, *more)
    assert shown.exit_code == 2
    assert f"{options}: take one of them" in shown.stderr


def test_rivals_say_from_how_few_rows_they_learned(kernelopt: Call, table: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(_rivals, "_TUNED", 39)
    monkeypatch.setattr(_rivals, "_SOME_ROWS", 10)
    check = told(kernelopt, table, "--target", "kind", *QUICK, *FIFTH)["check"]
    assert list(by_name(check)) == ["learned kernel", "SVC(), 10 rows", "gradient boosting", "always cat"]


def test_folds_take_the_place_of_the_fifth(kernelopt: Call, table: Path) -> None:
    check = told(kernelopt, table, "--target", "kind", *QUICK, "--folds", 4)["check"]
    assert (check["held_out"], check["folds"]) == ([10] * 4, True)
    for one in check["machines"]:
        assert len(one["by_part"]) == 4
        assert one["accuracy"] == pytest.approx(np.mean([part["accuracy"] for part in one["by_part"]]))


def test_what_is_no_better_than_one_answer_is_said_in_a_sentence(kernelopt: Call, mixed: Path) -> None:
    options = ("--target", "noise", "--ignore", "kind", "--ignore", "value", *QUICK)
    check = told(kernelopt, mixed, *options)["check"]
    assert check["no_better_than_one_answer"] is True
    assert "not significantly better than the answer 'always the mean'" in check["caution"]
    assert "caution" in kernelopt("solve", mixed, *options).stdout
    options = ("--target", "value", "--ignore", "kind", "--ignore", "noise", *QUICK)
    assert told(kernelopt, mixed, *options)["check"]["no_better_than_one_answer"] is False
    assert "caution" not in kernelopt("solve", mixed, *options).stdout


def test_ctrl_c_in_the_check_leaves_the_answer_and_says_so(
    kernelopt: Call, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = _measure.measured

    def pressed(*arguments: Any, **options: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return honest(*arguments, **options)

    monkeypatch.setattr(_measure, "measured", pressed)
    shown = kernelopt("solve", table, "--target", "kind", *QUICK, *FIFTH)
    assert shown.exit_code == 130, shown.exception
    assert "optimum" in shown.stdout
    assert "no error on new rows is known: it was interrupted" in " ".join(shown.stdout.replace("│", " ").split())
    assert shown.stderr == "interrupted before the held-out rows were predicted\n"


def test_a_check_that_cannot_be_learned_costs_no_answer(
    kernelopt: Call, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = library.solve

    def fewer(X: Any, y: Any, **options: Any) -> Any:
        if len(X) < 40:
            raise library.InvalidData("these rows are too few")
        return honest(X, y, **options)

    monkeypatch.setattr(library, "solve", fewer)
    shown = kernelopt("solve", table, "--target", "kind", *QUICK)
    assert shown.exit_code == 0
    assert "these rows are too few" in shown.stderr
    assert "nothing, so no error on new rows is known" in shown.stdout


@pytest.mark.parametrize("options", [FIFTH, ("--folds", "3")], ids=["a fifth", "folds"])
def test_the_panel_fits_eighty_columns(
    kernelopt: Call, mixed: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for target, others in (("kind", ("value", "noise")), ("value", ("kind", "noise"))):
        leave = [word for name in others for word in ("--ignore", name)]
        shown = kernelopt("solve", mixed, "--target", target, *leave, *QUICK, *options).stdout
        assert "gradient boosting" in shown
        assert "…" not in shown
        assert {len(line) for line in shown.splitlines()} == {80}


@pytest.mark.parametrize("options", [(), ("--held-out", 0.2), ("--folds", 4)])
def test_a_class_of_one_row_is_learned_from_in_each_part(
    kernelopt: Call, table: Path, options: tuple[object, ...]
) -> None:
    text = table.read_text(encoding="utf-8")
    table.write_text(f"{text}1.5,1.5,north,Cat\n", encoding="utf-8")
    shown = kernelopt("solve", table, "--target", "kind", "--ignore", "place", "--no-progress", "--json", *options)
    assert shown.exit_code == 0, shown.stderr
    check = json.loads(shown.stdout)["check"]
    assert check["notes"] == ["held out: the class 'Cat' has only one row, which is always learned from"]
    assert sum(check["held_out"]) == (8 if "--held-out" in options else 40)
