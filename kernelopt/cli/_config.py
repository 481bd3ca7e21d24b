"""`--config file.toml`: the options of a command in a file; what is typed comes before it."""

import difflib
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from kernelopt._base._errors import InvalidOption
from kernelopt.cli._guard import guarded


def load(context: typer.Context, path: Path | None) -> Path | None:
    """Make what the file holds the defaults of the command that is being called."""
    if path is None:
        return None
    with guarded():
        options = {param.name: bool(getattr(param, "multiple", False)) for param in context.command.params}
        known = {name: several for name, several in options.items() if name and name != "config"}
        context.default_map = {
            name: _typed(value, several=known[name]) for name, value in _options(path, known).items()
        }
    return path


def _options(path: Path, known: Mapping[str, bool]) -> dict[str, Any]:
    """The entries of the file under the names of the options, dashes or not."""
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidOption(f"--config: {path}: there is no such file") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidOption(f"--config: {path} is no TOML file ({error})") from None
    found = {name.replace("-", "_"): value for name, value in entries.items()}
    for name in found:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise InvalidOption(f"--config: {path}: no option is called {name!r}; {hint}there are {', '.join(known)}")
    return found


def _typed(value: Any, *, several: bool) -> Any:
    """A value as it would be typed: tables and lists of a family, a solver or a criterion are JSON there."""
    if several:
        return [_typed(item, several=False) for item in (value if isinstance(value, list) else [value])]
    return json.dumps(value) if isinstance(value, dict | list) else value
