"""What is installed: the public face of the registry."""

from kernelopt._plugins._registry import PluginInfo, registry


def families() -> tuple[str, ...]:
    """The names of the installed families, which `family=` accepts."""
    return registry().names("family")


def criteria() -> tuple[str, ...]:
    """The names of the installed criteria, which `criterion=` accepts."""
    return registry().names("criterion")


def solvers() -> tuple[str, ...]:
    """The names of the installed solvers, which `solver=` accepts."""
    return registry().names("solver")


def plugins() -> tuple[PluginInfo, ...]:
    """Every installed plugin, with the names that it offers, or with the reason why it does not work."""
    return registry().plugins
