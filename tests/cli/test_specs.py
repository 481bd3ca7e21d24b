"""name:key=value,key=value."""

import pytest

import kernelopt
from kernelopt import InvalidOption
from kernelopt.cli._specs import parse_criterion, parse_family, parse_solver, parse_spec, parse_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-3", -3),
        ("3.0", 3.0),
        ("1e+3", 1000.0),
        ("true", True),
        ("False", False),
        ("None", None),
        ("xz", "xz"),
        ("rbf|linear", ["rbf", "linear"]),
        ("rbf|", ["rbf"]),
        ("-1|2.5", [-1, 2.5]),
    ],
)
def test_a_value_has_the_type_that_it_looks_like(text: str, value: object) -> None:
    parsed = parse_value(text)
    assert parsed == value
    assert type(parsed) is type(value)


def test_a_bare_name_stays_a_name() -> None:
    assert parse_spec(" fw ", "--solver") == "fw"


def test_options_make_a_mapping() -> None:
    assert parse_spec("tk:degree=2, basis=xz", "--family") == {"name": "tk", "degree": 2, "basis": "xz"}


def test_a_plus_joins_families_and_leaves_numbers_whole() -> None:
    assert parse_family("tk:margin=1e+1+delta") == [{"name": "tk", "margin": 10.0}, "delta"]
    assert parse_family("tk") == "tk"


def test_a_plus_joins_solvers_to_a_chain() -> None:
    assert parse_solver("fw") == "fw"
    last = {"name": "chain", "first": "apd", "then": "ipm"}
    first = {"name": "plain-fw", "searches": 4}
    assert parse_solver("plain-fw:searches=4 + apd+ipm") == {"name": "chain", "first": first, "then": last}


@pytest.mark.parametrize("text", ["", ":C=1", "svc:", "svc:C", "svc:C=", "svc:=1", "svc:C=1,,", "svc:C=1,C=2"])
def test_what_is_no_spec_is_refused_with_what_was_typed(text: str) -> None:
    with pytest.raises(kernelopt.InvalidOption, match="--criterion"):
        parse_spec(text, "--criterion")


@pytest.mark.parametrize("text", ["tk+:C=1", "tk:degree+delta", "+delta"])
def test_an_empty_member_of_a_union_is_refused(text: str) -> None:
    with pytest.raises(kernelopt.InvalidOption, match="--family"):
        parse_family(text)


def test_json_says_what_python_takes() -> None:
    assert parse_family('["tk", {"name": "on", "columns": [0, 1]}]') == ["tk", {"name": "on", "columns": [0, 1]}]
    assert parse_solver('{"name": "fw"}') == {"name": "fw"}
    assert parse_criterion('{"name": "svc", "C": 1e3}') == {"name": "svc", "C": 1000.0}
    assert parse_criterion("auto") is None


def test_broken_json_is_refused() -> None:
    with pytest.raises(kernelopt.InvalidOption, match=r"--family: .* begins like JSON"):
        parse_family('{"name": ')


@pytest.mark.parametrize("text", ["each(tk+gaussian)", "each(tk:degree=2 + gaussian):beta=1"])
def test_several_families_in_brackets_are_refused_with_what_to_write(text):
    with pytest.raises(InvalidOption, match="wanted one family in brackets; write each") as told:
        parse_family(text)
    written = str(told.value).rpartition("write ")[2]
    assert [one["family"] for one in parse_family(written)] == [parse_family(t.strip()) for t in INNER[text]]


INNER = {
    "each(tk+gaussian)": ("tk", "gaussian"),
    "each(tk:degree=2 + gaussian):beta=1": ("tk:degree=2", "gaussian"),
}
