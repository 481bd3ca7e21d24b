"""Whose method an error comes from that nobody raised on purpose: a note on the error names it, with its plugin."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

from kernelopt._base._errors import BrokenPlugin, KerneloptError
from kernelopt._base._interrupts import Terminated
from kernelopt._criteria._contract import Criterion
from kernelopt._families._contract import KernelFamily
from kernelopt._plugins._registry import Offered, registry
from kernelopt._rows._source import RowSource
from kernelopt._saddle._contract import Solver

_KINDS: tuple[tuple[Offered, type], ...] = (
    ("family", KernelFamily),
    ("criterion", Criterion),
    ("solver", Solver),
    ("rows", RowSource),
)


@contextmanager
def blamed() -> Iterator[None]:
    """Say of an error within which method of which family, criterion or solver raised it.

    What kernelopt raises on purpose, Ctrl-C and SIGTERM pass as they are. All others get a note and stay what they are,
    but for those that would end the process, such as the panic of an extension.

    Raises:
        BrokenPlugin: a plugin raised what is no `Exception`.
    """
    try:
        yield
    except (KerneloptError, KeyboardInterrupt, GeneratorExit, Terminated):
        raise
    except Exception as error:
        where = _where(error.__traceback__)
        if where is not None and where not in getattr(error, "__notes__", ()):
            error.add_note(where)
        raise
    except BaseException as error:
        where = _where(error.__traceback__)
        if where is None:
            raise
        raise BrokenPlugin(f"{where}: it ended with {type(error).__name__}: {error}") from error


def _where(trace: TracebackType | None) -> str | None:
    """The innermost method of something that plugins offer, in words; None where there is none."""
    found = None
    while trace is not None:
        found = _method(trace.tb_frame) or found
        trace = trace.tb_next
    return found


def _method(frame: FrameType) -> str | None:
    """What a frame is, where it is a method of a family, a criterion or a solver."""
    code = frame.f_code
    owner = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
    for kind, base in _KINDS:
        if isinstance(owner, base) and hasattr(type(owner), code.co_name):
            name = str(getattr(owner, "name", type(owner).__name__))
            return f"raised in {code.co_name} of the {kind} {name!r}, {_origin(kind, name, type(owner))}"
    return None


def _origin(kind: Offered, name: str, cls: type) -> str:
    """Who offers a class, in words."""
    for plugin in registry().plugins:
        if (kind, name) in plugin.offers and registry().classes[kind, name] is cls:
            return f"of the plugin {plugin.name} ({plugin.source})"
    return f"the class {cls.__qualname__} of {cls.__module__}"
