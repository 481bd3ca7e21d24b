"""The report is one page that stands alone, tells what was measured, and is read everywhere."""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import kernelopt
from kernelopt import InvalidData, InvalidOption, MissingLibrary
from kernelopt._base._status import Status
from kernelopt._report._data import columns_of, target_of
from kernelopt._report._words import meaning_of

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")
pytestmark = pytest.mark.usefixtures("small_grid")
DOCS = Path(__file__).parents[2] / "docs"
VOID = {"meta", "img", "source", "br", "link"}
LINEAR = kernelopt.Dictionary(["linear"])
WORDS = pytest.mark.usefixtures("rough_pictures")


@attrs.define
class Tags(HTMLParser):
    """Reads a page: its text by the tags that hold it, and every attribute."""

    def __attrs_pre_init__(self) -> None:
        super().__init__()

    open: list[str] = attrs.field(factory=list)
    texts: list[tuple[str, str]] = attrs.field(factory=list)
    attributes: list[tuple[str, str, str]] = attrs.field(factory=list)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attributes]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append((self.open[-1] if self.open else "", data.strip()))

    def held_by(self, *tags: str) -> list[str]:
        return [text for tag, text in self.texts if tag in tags]


def read(page: kernelopt.Report) -> Tags:
    tags = Tags()
    tags.feed(page.html)
    assert tags.open == [], "every tag is closed"
    return tags


@pytest.fixture(scope="module", name="classes")
def _classes() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=160) > 0.0, "<yes>", "no & never")
    s = kernelopt.solve(X[:100], y[:100]).named(["width", "<height>", "depth & more"])
    return {"s": s, "X": X[:100], "y": y[:100], "Z": X[100:], "z": y[100:]}


@pytest.fixture(scope="module", name="page")
def _page(classes: dict[str, Any]) -> kernelopt.Report:
    c = classes
    return kernelopt.report(c["s"], c["X"], c["y"], test=(c["Z"], c["z"]), title="A <title>", target="the answer")


def test_the_page_stands_alone(page: kernelopt.Report) -> None:
    tags = read(page)
    assert not re.search(r"https?://|<script|@import|url\(", page.html)
    addresses = [value for _, name, value in tags.attributes if name in ("src", "srcset", "href")]
    assert len(addresses) >= 8
    assert all(address.startswith("data:image/png;base64,") for address in addresses)
    assert len(set(addresses)) == len(addresses), "each picture is drawn light and dark"
    assert len(page.html) < 1_500_000


def test_every_picture_says_what_it_shows(page: kernelopt.Report) -> None:
    seen = [value for tag, name, value in read(page).attributes if (tag, name) == ("img", "alt")]
    assert len(seen) == 4
    assert all(len(words) > 15 for words in seen)


def test_words_of_the_user_are_words_on_the_page(page: kernelopt.Report) -> None:
    tags = read(page)
    assert tags.held_by("h1") == ["A <title>"]
    cells = tags.held_by("td")
    assert {"width", "<height>", "depth & more"} <= set(cells)
    assert (
        "A machine learned from 100 rows to tell the answer (<yes>, no & never) from 3 columns." in tags.held_by("p")[0]
    )


def test_the_scores_are_those_of_rows_that_were_held_out(page: kernelopt.Report, classes: dict[str, Any]) -> None:
    right = classes["s"].score(classes["Z"], classes["z"])
    cells = read(page).held_by("td")
    assert cells[cells.index("learned kernel") + 1].startswith(f"{right:.1%} ± ")
    share = max(np.mean(classes["z"] == label) for label in ("<yes>", "no & never"))
    last = next(k for k, cell in enumerate(cells) if cell.startswith("always "))
    assert cells[last + 1].startswith((f"{share:.1%} ± ", f"{1 - share:.1%} ± "))
    assert {"gradient boosting"} < set(cells)
    log_loss = -classes["s"].score_samples(classes["Z"], classes["z"]).mean()
    assert cells[cells.index("learned kernel") + 2] == f"{log_loss:.3f}"
    assert (
        f"The machine was tested on 60 rows from which it had not learned, and predicted {right:.1%} of them right."
        in read(page).held_by("p")[0]
    )


@WORDS
def test_without_test_rows_no_error_is_told(classes: dict[str, Any]) -> None:
    tags = read(kernelopt.report(classes["s"], classes["X"], classes["y"]))
    assert "nobody knows how well it predicts new ones" in tags.held_by("p")[0]
    assert "How well it predicts" not in tags.held_by("h2")
    assert "learned kernel" not in tags.held_by("td")


@WORDS
def test_what_may_be_chance_is_said_at_the_score_and_of_the_columns() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(160, 3)), rng.choice(["p", "q"], size=160)
    page = kernelopt.report(
        kernelopt.solve(X[:100], y[:100], family=kernelopt.fixed("rbf"), criterion="svc"),
        X[:100],
        y[:100],
        test=(X[100:], y[100:]),
    )
    told = read(page).held_by("p")
    said = "on held-out rows the learned kernel is not significantly better than the answer 'always "
    assert f"Caution: {said}" in told[0]
    assert told[0].endswith("means little while the predictions may be no better than one answer for all rows.")
    assert [text for text in read(page).held_by("strong") if text.startswith(f"Caution: {said}")]
    assert any("what the machine made of chance" in text for text in told)


def test_what_is_no_chance_has_no_caution(page: kernelopt.Report) -> None:
    assert "Caution" not in page.html
    assert "means little" not in page.html
    assert "made of chance" not in page.html


@pytest.fixture(scope="module", name="numbers")
def _numbers() -> dict[str, Any]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 2))
    y = 3e3 * (X[:, 0] + 0.3 * rng.normal(size=120))
    s = kernelopt.solve(X[:80], y[:80], family=LINEAR, criterion="evidence")
    return {"s": s, "X": X[:80], "y": y[:80], "Z": X[80:], "z": y[80:]}


@WORDS
def test_numbers_have_errors_in_their_units_and_no_powers_of_ten(numbers: dict[str, Any]) -> None:
    n = numbers
    tags = read(kernelopt.report(n["s"], n["X"], n["y"], test=(n["Z"], n["z"]), target="height (m)"))
    rmse = float(np.sqrt(np.mean((n["s"].predict(n["Z"]) - n["z"]) ** 2)))
    cells = tags.held_by("td")
    assert cells[cells.index("learned kernel") + 1].startswith(f"{rmse:.4g} ± ")
    assert cells[cells.index("learned kernel") + 2] == f"{n['s'].score(n['Z'], n['z']):.3f}"
    assert any("The target is height (m): " in text for text in tags.held_by("p"))
    told = [*tags.held_by("p")[:1], *cells]
    assert not [text for text in told if re.search(r"\de\+0\d", text)]


@WORDS
def test_a_model_from_a_file_has_a_page_without_its_run(classes: dict[str, Any], tmp_path: Path) -> None:
    c = classes
    c["s"].save(tmp_path / "one")
    page = kernelopt.report(kernelopt.load(tmp_path / "one"), c["X"], c["y"], test=(c["Z"], c["z"]))
    seen = [value for tag, name, value in read(page).attributes if (tag, name) == ("img", "alt")]
    assert len(seen) == 3
    assert not any("step by step" in words for words in seen)


@WORDS
def test_other_machines_have_pages(numbers: dict[str, Any]) -> None:
    """Of novelty, of several targets, of a family that is alone, and where nobody says how sure it is."""
    X, y = numbers["X"], numbers["y"]
    novelty = read(kernelopt.report(kernelopt.solve(X, criterion="one-class"), X))
    assert "what usual rows are like" in novelty.held_by("p")[0]
    both = np.column_stack([y, -y])
    s = kernelopt.solve(X, both, family=LINEAR, criterion="evidence")
    several = read(kernelopt.report(s, X, both, test=(X[:9], both[:9])))
    assert "How well it predicts" not in several.held_by("h2")
    s = kernelopt.solve(X, np.sign(y), family="tk", criterion="svc", tol=1e-2)
    svc = read(kernelopt.report(s, X, np.sign(y), test=(X, np.sign(y))))
    assert "Are the predicted probabilities right?" not in " ".join(svc.held_by("figcaption"))
    assert "learned kernel" in svc.held_by("td")


@WORDS
def test_tables_with_words_and_gaps_are_told_as_such() -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(2)
    width = rng.normal(size=60)
    X = pandas.DataFrame(
        {"width": np.where(rng.random(60) < 0.1, np.nan, width), "place": ["north", "south", None] * 20}
    )
    s = kernelopt.solve(X, width + (X["place"] == "north"), criterion=kernelopt.Evidence(effort="quick"))
    page = read(kernelopt.report(s, X[:40], width[:40], test=(X[40:], width[40:])))
    cells = page.held_by("td")
    assert "north 52%, south 48%" in cells or "north 54%, south 46%" in cells or "north 50%, south 50%" in cells
    assert re.fullmatch(r"\d+ \(\d+\.\d%\)", cells[cells.index("width") + 2])


def test_what_columns_hold_is_counted() -> None:
    from kernelopt._base.tables._tables import table_of

    words = [["a"], ["b"], ["a"], [None], ["c"], ["d"], ["e"], ["f"], ["a"], ["b"]]
    (one,) = columns_of(table_of(np.array(words, dtype=object)), ("word",))
    assert (one.values, one.missing) == ("a 33%, b 22%, c 11%, d 11%, and 2 more", "1 (10.0%)")
    numbers = np.array([[1.0], [np.nan], [3.0], [8.0]])
    (one,) = columns_of(table_of(numbers), ("number",))
    assert (one.values, one.missing) == ("1 to 8, median 3", "1 (25.0%)")
    assert columns_of(table_of(np.full((2, 1), np.nan)), ("none",))[0].values == "nothing"
    income = np.array([[4263.0], [95834.2], [23551.0]])
    assert columns_of(table_of(income), ("income",))[0].values == "4263 to 95834, median 23551"
    orders = np.array([[1e15], [1e15 + 1.0], [1e15 + 2.0]])
    told = "1000000000000000 to 1000000000000002, median 1000000000000001"
    assert columns_of(table_of(orders), ("order",))[0].values == told
    truth = np.array([[True], [True], [False], [True]])
    assert columns_of(table_of(truth), ("smokes",))[0].values == "no, false or 0: 25%; yes, true or 1: 75%"
    assert columns_of(table_of(np.full((3, 1), 2.5)), ("one",))[0].values == "always 2.5"
    days = np.array([["2020-01-31"], ["2019-02-01"], ["NaT"], ["2020-01-01"]], dtype="datetime64[D]")
    (one,) = columns_of(table_of(days), ("day",))
    assert (one.values, one.missing) == ("2019-02-01 to 2020-01-31, median 2020-01-01", "1 (25.0%)")
    assert columns_of(table_of(days[:1]), ("day",))[0].values == "always 2020-01-31"
    assert columns_of(table_of(days[2:3]), ("day",))[0].values == "nothing"
    assert target_of(np.array([1, 2, 1]), classes=True) == "1 67%, 2 33%"
    rare = np.repeat(["ill", "well"], [1, 999])
    assert target_of(rare, classes=True) == "well 100%, ill under 1%"
    assert target_of(np.array([1, 2, 6]), classes=False) == "1 to 6, median 2"


def test_numbers_with_a_unit_are_shown_with_it() -> None:
    from kernelopt._base.tables._tables import table_of

    doses = pd.DataFrame({"dose": ["1234.6 mg", "1234.7 mg", None, "1234.7 mg"]})
    (one,) = columns_of(table_of(doses), ("dose",))
    assert one.values == "1234.6 to 1234.7, median 1234.7 (mg)"


@WORDS
def test_words_of_the_kernel_are_explained(page: kernelopt.Report, numbers: dict[str, Any]) -> None:
    assert {"dictionary", "rbf", "linear", "of ranks"} <= set(read(page).held_by("em"))
    assert any(text.startswith(": two rows are similar if") for text in read(page).held_by("li"))
    assert "The percentage below a direction is its share of all changes." in " ".join(read(page).held_by("p"))
    s = kernelopt.solve(numbers["X"], np.sign(numbers["y"]), family="tk", criterion="svc", tol=1e-2)
    assert "rbf" not in read(kernelopt.report(s, numbers["X"], np.sign(numbers["y"]))).held_by("em")


@WORDS
def test_kernels_of_categories_are_explained() -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    place = rng.integers(0, 6, size=90)
    X = pandas.DataFrame({"place": [f"p{k}" for k in place], "shop": rng.integers(100, 108, size=90)})
    y = rng.normal(size=6)[place] + rng.normal(size=8)[X["shop"] - 100] + 0.1 * rng.normal(size=90)
    s = kernelopt.solve(X, y, criterion=kernelopt.Evidence(effort="quick"))
    page = read(kernelopt.report(s, X, y))
    used = re.findall(r"\) of (ranks|categories|the values of|the leaves of)", str(s.kernel))
    assert "the values of" in used
    assert {f"of {what}" for what in used} <= set(page.held_by("em"))


@WORDS
def test_one_row_is_no_rows(numbers: dict[str, Any]) -> None:
    n = numbers
    told = " ".join(read(kernelopt.report(n["s"], n["X"], n["y"], test=(n["Z"][:1], n["z"][:1]))).held_by("p"))
    assert "tested on 1 row from which" in told
    assert "1 row was kept apart, and the machine learned from 80 other rows." in told
    assert "1 rows" not in told


def test_the_certificate_is_told_by_what_it_proves() -> None:
    def told(status: Status, **options: Any) -> str:
        return " ".join(meaning_of(kernelopt.Certificate(2.0, 1.999, **options), status))

    assert "No kernel of the families has an objective below 1.999, which is 0.05 % less" in told(Status.CONVERGED)
    assert "A kernel that is very different may still be better" in told(Status.STATIONARY, tangent=True)
    assert "is an estimate" in told(Status.CONVERGED_ESTIMATED, exact=False)
    assert "is an estimate" not in told(Status.CONVERGED)
    assert Status.MAX_STEPS.value in told(Status.MAX_STEPS)
    broken = " ".join(meaning_of(kernelopt.Certificate(1.0, 2.0), Status.CONTRADICTION))
    assert broken.startswith("Nothing is proved")


def test_it_is_saved_whole_and_shown_in_a_notebook(page: kernelopt.Report, tmp_path: Path) -> None:
    page.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page.html
    assert re.fullmatch(r"<Report 'A <title>': 0\.\d MB of HTML; save\(path\) writes it>", repr(page))
    assert page._repr_html_().startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    with pytest.raises(InvalidData, match="cannot be written"):
        page.save(tmp_path / "nowhere" / "report.html")


def test_the_style_of_the_user_is_neither_taken_nor_touched(numbers: dict[str, Any]) -> None:
    import matplotlib.pyplot as plt

    plain = kernelopt.report(numbers["s"], numbers["X"], numbers["y"]).html
    with plt.style.context("dark_background"):
        before = dict(plt.rcParams)
        assert kernelopt.report(numbers["s"], numbers["X"], numbers["y"]).html == plain
        assert dict(plt.rcParams) == before
    assert plt.get_fignums() == []


@pytest.mark.parametrize(("library", "name"), [("jinja2", r"kernelopt\[report\]"), ("matplotlib.pyplot", "matplotlib")])
def test_a_library_that_is_missing_is_named(
    numbers: dict[str, Any], monkeypatch: pytest.MonkeyPatch, library: str, name: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingLibrary, match=f"pip install .*{name}"):
        kernelopt.report(numbers["s"], numbers["X"], numbers["y"])


def test_what_does_not_fit_is_refused(numbers: dict[str, Any]) -> None:
    s, X, y = numbers["s"], numbers["X"], numbers["y"]
    with pytest.raises(InvalidOption, match="report: got KernelRegressor, wanted a solution or a model"):
        kernelopt.report(kernelopt.KernelRegressor(), X, y)
    with pytest.raises(InvalidData, match="80 rows and 3 targets"):
        kernelopt.report(s, X, y[:3])
    with pytest.raises(InvalidData, match="the test rows"):
        kernelopt.report(s, X, y, test=(X[:, :1], y))
    for given, test in ((y, (X, None)), (None, (X, y))):
        with pytest.raises(InvalidData, match="pass test="):
            kernelopt.report(s, X, given, test=test)


def test_a_browser_shows_it_on_desks_and_phones(page: kernelopt.Report, look: Any, eyes: Any, tmp_path: Path) -> None:
    page.save(tmp_path / "report.html")
    assert look.seen(eyes, tmp_path / "report.html").faults == ()


def test_long_names_of_columns_leave_a_phone_room_for_values(look: Any, eyes: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = pytest.importorskip("pandas").DataFrame(
        rng.normal(size=(60, 3)), columns=["x" * 70, "many words " * 12, "short"]
    )
    s = kernelopt.solve(X, X["short"] + rng.normal(size=60), criterion=kernelopt.Evidence(effort="quick"))
    kernelopt.report(s, X).save(tmp_path / "report.html")
    eyes.open((tmp_path / "report.html").as_uri(), look.PHONE)
    assert eyes.run("[...document.querySelectorAll('.wide')].every((part) => part.scrollWidth <= part.clientWidth)")
    assert eyes.run("Math.min(...[...document.querySelectorAll('.values')].map((cell) => cell.clientWidth))") > 100
    lines = "[...document.querySelectorAll('td:first-child:not(.words)')].map((cell) => cell.clientHeight)"
    assert max(eyes.run(lines)) < 2 * min(eyes.run(lines)), "the name of a part is broken"


@pytest.mark.parametrize("dark", [False, True])
def test_it_is_as_dark_as_the_system(page: kernelopt.Report, look: Any, eyes: Any, tmp_path: Path, dark: bool) -> None:
    page.save(tmp_path / "report.html")
    eyes.open((tmp_path / "report.html").as_uri(), look.DESK, dark=dark)
    assert eyes.run(look._DARK) is dark
    shown = eyes.run("[...document.images].map((image) => image.currentSrc === image.src)")
    assert shown == [not dark] * 4, "where the system is dark, another picture is taken"


@WORDS
def test_a_report_of_sparse_rows_says_nothing_of_single_columns():
    """Families see coordinates in their place, so that nobody can tell."""
    rng = np.random.default_rng(0)
    rows = sparse.random(80, 20, 0.3, random_state=1, format="csr")
    y = rows.toarray()[:, :2].sum(axis=1) + 0.05 * rng.normal(size=80)
    page = kernelopt.report(kernelopt.solve(rows, y), rows, y).html
    assert "depend the most on" not in page
