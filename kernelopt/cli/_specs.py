"""What the options --family, --solver and --criterion hold: `name:key=value,key=value`, several joined by `+`.

Solvers joined by `+` are a chain. A family of a family stands in brackets: `each(tk:degree=2)`, `sampled(gpk):k=50`.
What begins with a brace or a square bracket is JSON: the mapping or the list that `kernelopt.solve` takes.
"""

import json
import re
from typing import Any

from kernelopt._base._errors import InvalidOption

Spec = str | dict[str, Any]

_WORDS = {"none": None, "true": True, "false": False}
# A family in brackets behind a name, and options of the outer one behind them.
_OF = re.compile(r"(?P<name>[^:()]+)\((?P<inner>.*)\)(?P<options>(:.*)?)")
# A plus sign joins two specs, unless a digit follows it as in 1e+3, or it stands in brackets.
_JOIN = re.compile(r"\+(?!\d)(?![^(]*\))")


def parse_family(text: str | None) -> Any:
    """One family, or the list of families that `tk:degree=2+delta` stands for; None stays: the criterion's default."""
    if text is None:
        return None
    if _is_json(text):
        return _from_json(text, "--family")
    specs = [parse_spec(part, "--family") for part in _JOIN.split(text)]
    return specs[0] if len(specs) == 1 else specs


def parse_solver(text: str) -> Any:
    """One solver, or the chain that `plain-fw:searches=4+ipm` stands for."""
    if _is_json(text):
        return _from_json(text, "--solver")
    *firsts, chain = (parse_spec(part, "--solver") for part in _JOIN.split(text))
    for first in reversed(firsts):
        chain = {"name": "chain", "first": first, "then": chain}
    return chain


def parse_criterion(text: str) -> Spec | None:
    """One criterion, or None for `auto`."""
    return None if text == "auto" else parse_spec(text, "--criterion")


def _is_json(text: str) -> bool:
    return text.lstrip().startswith(("{", "["))


def _from_json(text: str, option: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidOption(f"{option}: {text!r} begins like JSON and is invalid JSON ({error})") from None


def parse_spec(text: str, option: str) -> Any:
    """The name, or the mapping that `svc:C=10` stands for.

    Args:
        text: what the user typed.
        option: the option that it was typed for, for the message.

    Raises:
        InvalidOption: a name or a value is missing, a key is given twice, or several families stand in brackets.
    """
    if _is_json(text):
        return _from_json(text, option)
    outer = _OF.fullmatch(text.strip())
    if outer:
        several = _JOIN.split(outer["inner"])
        if len(several) > 1:
            each = "+".join(f"{outer['name']}({one.strip()}){outer['options']}" for one in several)
            raise InvalidOption(f"{option}: got {text!r}, wanted one family in brackets; write {each}")
        options = parse_spec(outer["name"] + outer["options"], option)
        named = {"name": options} if isinstance(options, str) else options
        return {**named, "family": parse_spec(outer["inner"], option)}
    name, colon, rest = text.strip().partition(":")
    if not name.strip():
        raise InvalidOption(f"{option}: got {text!r}, wanted a name, or name:key=value,key=value")
    if not colon:
        return name.strip()
    spec: dict[str, Any] = {"name": name.strip()}
    for item in rest.split(","):
        key, equals, value = (piece.strip() for piece in item.partition("="))
        if not (key and equals and value):
            raise InvalidOption(f"{option}: got {item.strip()!r} in {text!r}, wanted key=value, such as svc:C=10")
        if key in spec:
            raise InvalidOption(f"{option}: {key!r} is given twice in {text!r}")
        spec[key] = parse_value(value)
    return spec


def parse_value(text: str) -> Any:
    """None, a boolean, an integer, a number, a list (its items end or are parted by `|`), or the text itself."""
    if "|" in text:
        return [parse_value(item.strip()) for item in text.removesuffix("|").split("|")]
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def parsed(family: str | None, solver: str, criterion: str) -> dict[str, Any]:
    """The three specs of a solve, as `kernelopt.solve` takes them."""
    return {
        "family": parse_family(family),
        "solver": parse_solver(solver),
        "criterion": parse_criterion(criterion),
    }


def limits(*, scale: str, **others: Any) -> dict[str, Any]:
    """The options of a solve that are no specs, as `kernelopt.solve` takes them."""
    return {"scale": parse_value(scale), **others}
