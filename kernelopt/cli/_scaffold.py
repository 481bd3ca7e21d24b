"""`kernelopt new-plugin`: one of the three minimal plugins under a name of your own."""

import keyword
import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType

import attrs

from kernelopt._base._errors import InvalidData, InvalidOption
from kernelopt._plugins._registry import Kind, registry, unusable


@attrs.frozen
class Template:
    """A complete plugin, and the names in it that a copy replaces.

    Attributes:
        plugin: its distribution is `kernelopt-plugin`, its module `kernelopt_plugin` and its entry point `plugin`.
        offers: the name of its family, criterion or solver.
        cls: that one's class.
    """

    plugin: str
    offers: str
    cls: str


TEMPLATES: Mapping[Kind, Template] = MappingProxyType(
    {
        "family": Template("minimal", "gaussians", "Gaussians"),
        "criterion": Template("squared-svr", "squared-svr", "SquaredSVR"),
        "solver": Template("averaging", "averaging", "Averaging"),
    }
)
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_NOT_COPIED = re.compile(r"^(license|authors|classifiers) = .*\n", re.MULTILINE)


def write(name: str, kind: Kind, folder: Path) -> tuple[Path, ...]:
    """Write a plugin of this name into `folder/kernelopt-name`.

    Args:
        name: of the plugin and of what it offers: lower-case words joined by hyphens.
        kind: what it offers.
        folder: where its own folder is made.

    Returns:
        The files that were written.

    Raises:
        InvalidOption: the name cannot be used, or is taken.
        InvalidData: the folder is there already, or cannot be written.
    """
    root = folder / f"kernelopt-{name}"
    copied = copy(name, kind)
    try:
        root.mkdir(parents=True)
        for path, text in copied.items():
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
    except FileExistsError:
        raise InvalidData(f"{root} is there already; remove it, or take another name") from None
    except OSError as error:
        raise InvalidData(f"{root} cannot be written: {error.strerror}") from None
    return tuple(root / path for path in copied)


def copy(name: str, kind: Kind) -> dict[str, str]:
    """The files of a plugin of this name: text by path.

    Raises:
        InvalidOption: the name cannot be used, or is taken.
    """
    _check_name(name, kind)
    template = TEMPLATES[kind]
    found = {path: file.read_text(encoding="utf-8") for path, file in _walk(files(__package__) / "templates" / kind)}
    cls = _class_name(name)
    in_use = cls != template.cls and any(re.search(rf"\b{cls}\b", text) for text in found.values())
    if in_use or keyword.iskeyword(cls):
        raise InvalidOption(f"the name {name!r} makes the class {cls}, which means something else there; take another")
    return {_renamed(path, template, name): _renamed(text, template, name) for path, text in sorted(found.items())}


def _check_name(name: str, kind: Kind) -> None:
    if not _NAME.fullmatch(name) or name.startswith("kernelopt"):
        raise InvalidOption(
            f"a plugin's name is lower-case words joined by hyphens, such as periodic or squared-error, got {name!r}"
        )
    fault = unusable(name)
    if fault is not None:
        raise InvalidOption(f"the {kind} {name!r} {fault}")
    known = registry()
    taken = next((one for one in known.plugins if one.name == name or (kind, name) in one.offers), None)
    if taken is not None:
        raise InvalidOption(f"the name {name!r} is taken by the plugin {taken.name} ({taken.source}); take another")


def _walk(folder: Traversable, above: str = "") -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _walk(entry, f"{above}{entry.name}/")
        elif entry.name.endswith((".py", ".toml", ".md")):
            yield f"{above}{entry.name}", entry


def _renamed(text: str, template: Template, name: str) -> str:
    """The text with the template's names replaced, the longer ones first; a copy has authors of its own."""
    module, stem = name.replace("-", "_"), template.offers.replace("-", "_")
    replacements = (
        (f"kernelopt-{template.plugin}", f"kernelopt-{name}"),
        (f"kernelopt_{template.plugin.replace('-', '_')}", f"kernelopt_{module}"),
        (f"test_{stem}", f"test_{module}"),
        (f'\n{template.plugin} = "', f'\n{name} = "'),
        (f'`{template.plugin} = "', f'`{name} = "'),
        (template.cls, _class_name(name)),
        (template.offers, name),
    )
    for old, new in replacements:
        text = text.replace(old, new)
    return _NOT_COPIED.sub("", text)


def _class_name(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("-"))
