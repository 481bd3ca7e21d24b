"""`kernelopt plugins`: what is installed, and what is broken with its reason."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from kernelopt._plugins._registry import PluginInfo
from kernelopt.cli._layout import Column, Grid, Row


def show(plugins: Sequence[PluginInfo]) -> None:
    """A table of what is installed: one row for each plugin, broken ones with their reason."""
    rows = []
    for plugin in plugins:
        offers = "\n".join(f"{kind} {', '.join(names)}" for kind, names in _offers(plugin).items())
        state = Text(f"broken: {plugin.reason}", style="red") if plugin.broken else Text("usable", style="green")
        rows.append(Row((Text(plugin.name, style="bold"), Text(plugin.source), Text(offers or "-"), state)))
    columns = (Column("plugin", names=True), Column("source"), Column("offers"), Column("state"))
    Console().print(Grid(columns, tuple(rows)))


def as_mapping(plugins: Sequence[PluginInfo]) -> dict[str, Any]:
    """The same for a program."""
    return {
        "plugins": [
            {"name": one.name, "source": one.source, "offers": _offers(one), "broken": one.broken, "reason": one.reason}
            for one in plugins
        ]
    }


def _offers(plugin: PluginInfo) -> dict[str, list[str]]:
    kinds: dict[str, list[str]] = {}
    for kind, name in plugin.offers:
        kinds.setdefault(kind, []).append(name)
    return kinds
