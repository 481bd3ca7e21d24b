"""Who offers what: plugins found by entry point, loaded one by one, so that a broken one disturbs nobody."""

import ast
import difflib
from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any, Literal

import attrs
import pluggy

from kernelopt._base._collector import uncollected
from kernelopt._base._errors import BrokenPlugin, InvalidOption, UnknownName
from kernelopt._base._interrupts import Terminated, undisturbed
from kernelopt._criteria._contract import Criterion
from kernelopt._families._contract import KernelFamily
from kernelopt._plugins import _hookspecs
from kernelopt._rows._source import RowSource
from kernelopt._saddle._contract import Solver

Kind = Literal["family", "criterion", "solver"]
"""What users name."""
Offered = Kind | Literal["rows"]
"""What plugins offer."""
_BASES: Mapping[Offered, tuple[str, type]] = MappingProxyType(
    {
        "family": ("kernelopt_families", KernelFamily),
        "criterion": ("kernelopt_criteria", Criterion),
        "solver": ("kernelopt_solvers", Solver),
        "rows": ("kernelopt_rows", RowSource),
    }
)

_MARKS = "+:,=()[]{}"
"""What joins names and options, in `solver="fw+apd"` and in `--criterion svc:C=10`."""
WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "family": (
            *("auto", "precomputed", "fixed"),
            *("on", "each", "pairs", "priced", "nonsquared", "sampled", "by_view"),
        ),
        "solver": ("auto",),
    }
)
"""What users may type where a name may stand, besides the names that plugins offer."""


@attrs.frozen
class PluginInfo:
    """One entry point of the group `kernelopt`: what it offers, or why it cannot be used.

    Attributes:
        name: of the entry point.
        source: the distribution and its version, and the module.
        offers: (kind, name) of everything that it provides and that is usable.
        reason: None, or why the plugin, or a name that it claims, is broken.
    """

    name: str
    source: str
    offers: tuple[tuple[Offered, str], ...] = ()
    reason: str | None = None

    @property
    def broken(self) -> bool:
        """Whether something of this plugin cannot be used."""
        return self.reason is not None


@attrs.frozen(eq=False)
class Registry:
    """All plugins and the classes that they offer."""

    plugins: tuple[PluginInfo, ...]
    classes: Mapping[tuple[Offered, str], type]

    def names(self, kind: Offered) -> tuple[str, ...]:
        """The usable names of one kind, sorted."""
        return tuple(sorted(name for k, name in self.classes if k == kind))

    def find(self, kind: Offered, name: str) -> type[Any]:
        """The class of this name.

        Raises:
            UnknownName: nobody offers it; the nearest name is suggested.
            BrokenPlugin: a plugin of this name, or one that claims the name, is broken.
        """
        found = self.classes.get((kind, name))
        if found is not None:
            return found
        for plugin in self.plugins:
            if plugin.reason is not None and (plugin.name == name or f"{kind} {name!r}" in plugin.reason):
                where = f"the plugin {plugin.name} ({plugin.source})"
                raise BrokenPlugin(f"{kind} {name!r}: {where} is broken: {plugin.reason}")
        raise UnknownName(_unknown(kind, name, tuple(sorted((*self.names(kind), *WORDS.get(kind, ()))))))


def _unknown(what: str, name: str, known: tuple[str, ...]) -> str:
    lower = {one.lower(): one for one in known}
    same_letters = [one for one in lower if sorted(one) == sorted(name.lower())]
    close = same_letters or difflib.get_close_matches(name.lower(), lower, n=1, cutoff=0.5)
    hint = f"did you mean {lower[close[0]]!r}? " if close else ""
    hint = _in_python(what, name, known) or _as_a_list(what, name) or hint
    return f"no {what} is called {name!r}; {hint}there are: {', '.join(known) or 'none installed'}"


def _in_python(what: str, name: str, known: tuple[str, ...]) -> str | None:
    """How Python spells what the command line spells as in `tk:degree=2+delta`; None for other names."""
    parts = [part.strip().partition(":") for part in (name.split("+") if what == "family" else [name])]
    if name in (base for base, _, _ in parts) or any(base not in known for base, _, _ in parts):
        return None
    spelled = [{"name": base, **_options(text)} if text else base for base, _, text in parts]
    return f"in Python write {what}={spelled[0] if len(spelled) == 1 else spelled!r}; "


def _as_a_list(what: str, name: str) -> str | None:
    """How a kernel is written as a family; None for what is none."""
    from kernelopt._families.dictionary.kernels._named_kernels import is_kernel  # scikit-learn takes long to import

    if what != "family" or not is_kernel(name.lower()):
        return None
    spec = {"name": "fixed", "kernel": name.lower()}
    return f"it is a kernel, so write family={spec}, or a list of kernels as kernelopt.Dictionary([{name.lower()!r}]); "


def _options(text: str) -> dict[str, Any]:
    """The options of `degree=2,scale=atom`."""
    pairs = (pair.strip().partition("=") for pair in text.split(","))
    return {key: _value(value) for key, _, value in pairs}


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def scan(points: tuple[EntryPoint, ...]) -> Registry:
    """Load these entry points one by one and sort out what they offer."""
    loaded = [_load(point) for point in points]
    claims = Counter(key for _, classes in loaded for key in classes)
    usable: dict[tuple[Offered, str], type] = {}
    plugins = []
    for info, classes in loaded:
        mine = {key: cls for key, cls in classes.items() if claims[key] == 1}
        usable |= mine
        reason = info.reason
        for kind, name in sorted(classes.keys() - mine.keys()):
            rivals = ", ".join(other.source for other, theirs in loaded if (kind, name) in theirs)
            reason = f"the {kind} {name!r} is claimed by {rivals}; uninstall all but one"
        plugins.append(attrs.evolve(info, offers=tuple(sorted(mine)), reason=reason))
    return Registry(tuple(plugins), MappingProxyType(usable))


def _load(point: EntryPoint) -> tuple[PluginInfo, dict[tuple[Offered, str], type]]:
    """Load one entry point; whatever goes wrong becomes its reason."""
    origin = f"{point.dist.name} {point.dist.version}, " if point.dist else ""
    info = PluginInfo(point.name, f"{origin}{point.value}")
    try:
        module = point.load()
        return info, _classes(module)
    except (KeyboardInterrupt, GeneratorExit, Terminated):  # these are the user's, and Python's
        raise
    except BaseException as error:  # SystemExit, and the panics of extensions in other languages
        return attrs.evolve(info, reason=_first_line(error)), {}


def _first_line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__


def _classes(module: Any) -> dict[tuple[Offered, str], type]:
    """What a plugin's hooks return, checked against the contract."""
    version = getattr(module, "KERNELOPT_CONTRACT", None)
    if version != _hookspecs.CONTRACT:
        states = "states no contract version" if version is None else f"was written for contract {version!r}"
        raise BrokenPlugin(f"it {states}, this kernelopt speaks contract {_hookspecs.CONTRACT}; upgrade the older one")
    manager = pluggy.PluginManager(_hookspecs.PROJECT)
    manager.add_hookspecs(_hookspecs)
    manager.register(module)
    manager.check_pending()
    found: dict[tuple[Offered, str], type] = {}
    for kind, (hook, base) in _BASES.items():
        for classes in getattr(manager.hook, hook)():
            if not isinstance(classes, list | tuple):
                raise BrokenPlugin(f"its hook {hook} returned {classes!r}, wanted a list of classes")
            for cls in classes:
                _check_class(kind, cls, base)
                found[kind, cls.name] = cls
    if not found:
        hooks = [caller.name for caller in manager.get_hookcallers(module) or ()]
        if hooks:
            raise BrokenPlugin(f"its {' and '.join(hooks)} offered nothing, wanted a list of classes; return one")
        raise BrokenPlugin("it has no hooks; mark its hook functions with @hookimpl")
    return found


def _check_class(kind: Offered, cls: Any, base: type) -> None:
    if not (isinstance(cls, type) and issubclass(cls, base)):
        raise BrokenPlugin(f"it offers {cls!r} as a {kind}, wanted a subclass of {base.__name__}")
    name = getattr(cls, "name", None)
    fault = None if kind == "rows" and isinstance(name, str) and name else unusable(name)  # nobody types that of rows
    if fault is not None:
        raise BrokenPlugin(f"its {kind} {cls.__name__} {fault}")
    if not attrs.has(cls):
        raise BrokenPlugin(f"its {kind} {name!r} is no attrs class; options are the fields of an attrs.frozen class")
    missing = sorted(getattr(cls, "__abstractmethods__", ()))
    if missing:
        raise BrokenPlugin(f"its {kind} {name!r} does not implement {', '.join(missing)}")


def unusable(name: Any) -> str | None:
    """Why nobody could type this name in a call, or in the options of the command; None if somebody can."""
    if not (isinstance(name, str) and name):
        return "has no name; set the class variable `name`"
    if any(name in words for words in WORDS.values()):
        return f"has the name {name!r}, which users type for something else; take another one"
    if any(mark in _MARKS or mark.isspace() or not mark.isprintable() for mark in name):
        return f"has the name {name!r}, wanted a lower-case word without spaces and without any of {_MARKS}"
    return None


@cache
def registry() -> Registry:
    """The registry of this process, scanned at the first use."""
    points = entry_points(group=_hookspecs.PROJECT)
    with undisturbed(), uncollected():
        return scan(tuple(sorted(points, key=lambda point: (point.name, point.value))))


def resolve(kind: Kind, spec: Any) -> Any:
    """The object that a name, an object or a mapping such as {"name": "svc", "C": 10} stands for.

    Names of solvers joined by + are a chain of them, as `as_mapping` says.

    Raises:
        UnknownName, BrokenPlugin: as `Registry.find`.
        InvalidOption: an option is unknown, missing or out of range, or the spec is of another type.
    """
    base = _BASES[kind][1]
    if isinstance(spec, base):
        return spec
    if isinstance(spec, str):
        spec = as_mapping(kind, spec)
    if isinstance(spec, Mapping):
        options = dict(spec)
        name = options.pop("name", None)
        if not isinstance(name, str):
            raise InvalidOption(f'{kind}: a mapping needs a "name", got the keys {sorted(map(str, spec))}')
        return _build(kind, name, options)
    example = {"family": "tk", "criterion": "svc", "solver": "fw"}[kind]
    if isinstance(spec, type) and issubclass(spec, base):
        raise InvalidOption(f"{kind}: got the class {spec.__name__}, wanted an object: {spec.__name__}()")
    raise InvalidOption(
        f'{kind}: got {type(spec).__name__}, wanted a name ("{example}"), an object, or a mapping '
        f'({{"name": "{example}", ...}})'
    )


def as_mapping(kind: Kind, name: str) -> dict[str, Any]:
    """The mapping that a name stands for; names of solvers joined by + are a chain of them."""
    first, plus, then = name.partition("+")
    if kind == "solver" and plus:
        return {"name": "chain", "first": first.strip(), "then": then.strip()}
    return {"name": name}


def _build(kind: Kind, name: str, options: dict[str, Any]) -> Any:
    cls = registry().find(kind, name)
    if options:
        _check_options(cls, options, f"{kind} {name!r}")
    missing = [option for option in required(cls) if option not in options]
    if missing:
        example = "{" + ", ".join([f'"name": "{name}"', *(f'"{option}": ...' for option in missing)]) + "}"
        raise InvalidOption(f"{kind} {name!r} has no default for {', '.join(missing)}; write {kind}={example}")
    return cls(**options)


def required(cls: type) -> tuple[str, ...]:
    """The options without which a class makes no object."""
    fields = (field for field in attrs.fields(cls) if field.init and field.default is attrs.NOTHING)
    return tuple(field.alias or field.name for field in fields)


def _check_options(cls: type, options: dict[str, Any], what: str) -> None:
    names = (field.alias for field in attrs.fields(cls) if field.init)
    fields = tuple(name for name in names if name is not None and not name.startswith("_"))
    for option in options:
        if option not in fields:
            raise InvalidOption(f"{what}: " + _unknown("option", str(option), fields))
