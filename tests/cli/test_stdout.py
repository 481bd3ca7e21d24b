"""Standard output: every letter of data whatever the locale, and one line where it does not take what is written."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kernelopt.cli import main

FULL = Path("/dev/full")
POOR = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
LINEAR = ("--ignore", "place", "--family", "dictionary:kernels=linear", "--no-check", "--no-progress")
ERROR = b"error: standard output cannot be written: No space left on device; write it into a file where there is room\n"


def run(*arguments: object, **environment: str) -> Any:
    """The command as a process, whose standard output is bytes."""
    held = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    command = [sys.executable, "-m", "kernelopt", *map(str, arguments)]
    return subprocess.run(command, env=held | environment, capture_output=True, check=False)


@pytest.fixture(name="in_ascii")
def _in_ascii(monkeypatch: pytest.MonkeyPatch) -> Callable[..., bytes]:
    """The command in this process, with PYTHONIOENCODING=ascii: what it writes on standard output."""

    def written(*arguments: object) -> bytes:
        held = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(held, encoding="ascii"))
        monkeypatch.setattr(sys, "argv", ["kernelopt", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
        sys.stdout.flush()
        return held.getvalue()

    return written


def into(place: Path, *arguments: object, **environment: str) -> tuple[int, bytes]:
    """The exit code of the command and what it says on stderr, with its output in a file."""
    held = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    command = [sys.executable, "-m", "kernelopt", *map(str, arguments)]
    with place.open("wb") as file:
        shown = subprocess.run(command, env=held | environment, stdout=file, stderr=subprocess.PIPE, check=False)
    return shown.returncode, shown.stderr


@pytest.fixture(name="german")
def _german(kernelopt: Callable[..., Any], table: Path) -> tuple[Path, Path]:
    """A model of words that ASCII lacks, and its data."""
    words = table.read_text(encoding="utf-8").replace("cat", "größer").replace("dog", "kleiner")
    table.write_text(words.replace("width", "länge"), encoding="utf-8")
    model = table.with_suffix(".k")
    assert kernelopt("solve", table, "--target", "kind", *LINEAR, "--save", model).exit_code == 0
    return model, table


def test_data_have_every_letter_whatever_the_locale(german: tuple[Path, Path], in_ascii: Callable[..., bytes]) -> None:
    model, table = german
    shown = run("predict", model, table, **POOR)
    assert shown.returncode == 0, shown.stderr
    for written in (shown.stdout, in_ascii("predict", model, table)):
        assert written.decode("utf-8").splitlines()[1].startswith("größer,")
    told = json.loads(in_ascii("predict", model, table, "--json"))
    assert told["prediction"][0] == "größer"


def test_what_is_for_people_has_codes_for_letters_that_the_locale_lacks(
    german: tuple[Path, Path], in_ascii: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    table = german[1].rename(german[1].with_name("größer.csv"))
    shown = run("solve", table, "--target", "kind", *LINEAR, **POOR)
    assert shown.returncode == 0, shown.stderr
    for written in (shown.stdout, in_ascii("solve", table, "--target", "kind", *LINEAR)):
        assert "gr\\" in written.decode("ascii")


@pytest.mark.skipif(not FULL.is_char_device(), reason="there is no device that is always full")
def test_a_full_disk_is_one_line(model: Path, table: Path) -> None:
    """Without a buffer the first letter is refused, else the last flush: for data and for people alike."""
    for words, unbuffered in (
        (("predict", model, table), "1"),
        (("predict", model, table, "--json"), ""),
        (("--help",), ""),
        (("--version",), "1"),
    ):
        assert into(FULL, *words, PYTHONUNBUFFERED=unbuffered) == (2, ERROR)


HELD_BACK = """
import sys
from kernelopt.cli._stdout import delivered
from kernelopt._base._errors import InvalidData
try:
    with delivered():
        sys.stdout.write("a few letters")
        sys.exit(0)
except InvalidData as error:
    sys.stderr.write(f"error: {error}\\n")
"""


@pytest.mark.skipif(not FULL.is_char_device(), reason="there is no device that is always full")
def test_what_is_held_back_until_the_command_ends_is_written_while_it_can_still_be_told() -> None:
    """A plugin or a library may write a few letters without flushing them."""
    command, inside = [sys.executable, "-c", HELD_BACK], {**os.environ, "PYTHONUNBUFFERED": ""}
    with FULL.open("wb") as file:
        shown = subprocess.run(command, env=inside, stdout=file, stderr=subprocess.PIPE, check=False)
    assert (shown.returncode, shown.stderr) == (0, ERROR)


@pytest.mark.skipif(not FULL.is_char_device(), reason="there is no device that is always full")
def test_predictions_are_written_though_the_panel_cannot_be(german: tuple[Path, Path], tmp_path: Path) -> None:
    _, table = german
    command = ("solve", table, "--target", "kind", *LINEAR, "--predict", table, "--out", tmp_path / "out.csv")
    code, said = into(FULL, *command)
    assert (code, said.endswith(ERROR)) == (2, True)
    assert len((tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()) == 41


def test_a_closed_pipe_is_quiet(model: Path, table: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    for words in (("predict", model, table), ("--version",)):
        with os.fdopen(os.dup(writing), "wb") as pipe:
            command = [sys.executable, "-m", "kernelopt", *map(str, words)]
            shown = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, check=False)
        assert (shown.returncode, shown.stderr) == (1, b"")
    os.close(writing)


@pytest.mark.skipif(os.name != "posix", reason="the shell of the test is that of POSIX")
def test_no_output_at_all_is_refused_before_the_work(model: Path, table: Path) -> None:
    command = ["sh", "-c", '"$@" >&-', "sh", sys.executable, "-m", "kernelopt", "predict", str(model), str(table)]
    shown = subprocess.run(command, stderr=subprocess.PIPE, check=False)
    assert (shown.returncode, shown.stderr) == (
        2,
        b"error: standard output is closed; connect it with a file, or with /dev/null\n",
    )


@pytest.mark.skipif(os.name != "posix", reason="the shell of the test is that of POSIX")
def test_a_table_from_closed_standard_input_is_refused(model: Path) -> None:
    command = ["sh", "-c", '"$@" <&-', "sh", sys.executable, "-m", "kernelopt", "predict", str(model), "-"]
    shown = subprocess.run(command, capture_output=True, check=False)
    assert shown.returncode == 2
    assert shown.stderr.startswith(b"error: standard input is closed, wanted a table there; name a file")
