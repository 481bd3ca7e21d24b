"""Commands as typer makes them, whose help shows flags as flags: with no type behind them."""

from collections.abc import Iterable
from typing import Any, TypeVar

from typer.core import TyperCommand, TyperGroup

Params = TypeVar("Params", bound=Iterable[Any])


class Command(TyperCommand):
    """A command."""

    def get_params(self, ctx: Any) -> Any:
        """The options, `--help` among them."""
        return _with_plain_flags(super().get_params(ctx))


class Group(TyperGroup):
    """The command that has all others."""

    def get_params(self, ctx: Any) -> Any:
        """The options, `--help` among them."""
        return _with_plain_flags(super().get_params(ctx))


def _with_plain_flags(params: Params) -> Params:
    """These options, after flags have lost the name of what would follow them."""
    for param in params:
        if getattr(param, "is_flag", False) and param.metavar is None:
            param.metavar = ""
    return params
