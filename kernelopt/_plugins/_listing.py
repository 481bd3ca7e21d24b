"""What is installed: the public face of the registry."""

from kernelopt._plugins._registry import PluginInfo, registry


def families() -> tuple[str, ...]:
    """The names that `family=` takes."""
    return registry().names("family")


def criteria() -> tuple[str, ...]:
    """The names that `criterion=` takes."""
    return registry().names("criterion")


def solvers() -> tuple[str, ...]:
    """The names that `solver=` takes."""
    return registry().names("solver")


def plugins() -> tuple[PluginInfo, ...]:
    """Every plugin that was found: what it offers, or why it is broken."""
    return registry().plugins
