"""A hook of the documentation's build: displayed formulas become MathML, which browsers draw without any script.

A page writes LaTeX in a block of the language `math`. What latex2mathml does not know fails the build. The site carries
the font of the formulas, STIX Two Math as it comes with ziamath, cut down to the signs that formulas use; without one
integrals and brackets would be as small as letters.
"""

import re
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

FONT = "assets/formulas.woff"
SIGNS = (*range(0x20, 0x400), *range(0x2000, 0x2300), *range(0x27E8, 0x27EC), *range(0x1D400, 0x1D800))
"""Latin, Greek, arrows, operators, angle brackets, and the mathematical alphabets."""
_LIMITS = re.compile(r"\\(min|max)_")
_NAMES = re.compile(r"<mo>([A-Za-z]{2,})</mo>")
_UNKNOWN = re.compile(r"<m[a-z]+>(\\[A-Za-z]+|&)</m[a-z]+>")


def mathml(latex: str) -> str:
    """A displayed formula as MathML; what stands below `min` and `max` is drawn below them.

    Raises:
        ValueError: the formula has a command that is not known, or `&` outside of an environment that is.
    """
    from latex2mathml.converter import convert

    drawn: str = convert(_LIMITS.sub(r"\\\1\\limits_", latex), display="block")
    unknown = _UNKNOWN.search(drawn)
    if unknown is not None:
        raise ValueError(f"got {unknown[1]}, which latex2mathml does not know here; write the formula otherwise")
    return _NAMES.sub(r"<mi>\1</mi>", drawn)  # a name of a function is no operator, with its wide spaces


def fence(source: str, *_: Any, **__: Any) -> str:
    """A block of the language `math`, as the fences of pymdownx ask for it.

    Raises:
        SuperFencesException: the formula cannot be drawn; of other errors pymdownx would make a block of code.
    """
    from pymdownx.superfences import SuperFencesException

    try:
        return f'<div class="formula">{mathml(source.strip())}</div>'
    except Exception as error:
        raise SuperFencesException(f"{type(error).__name__}: {error}; the formula is {source!r}") from error


def font(folder: Path) -> Path:
    """The font of the formulas, written into a folder."""
    from fontTools import subset

    home = find_spec("ziamath")
    assert home is not None
    assert home.origin is not None
    whole = Path(home.origin).parent / "fonts" / "STIXTwoMath-Regular.ttf"
    options = subset.Options(flavor="woff", layout_features=["*"], notdef_outline=True)
    path = folder / Path(FONT).name
    with subset.load_font(str(whole), options) as loaded:
        cut = subset.Subsetter(options)
        cut.populate(unicodes=SIGNS)
        cut.subset(loaded)
        subset.save_font(loaded, str(path), options)
    return path


def on_config(config: Any) -> Any:
    """Tell the fences of pymdownx what a block of mathematics becomes."""
    settings = config.mdx_configs.setdefault("pymdownx.superfences", {})
    settings["custom_fences"] = [{"name": "math", "class": "formula", "format": fence}]
    return config


def on_files(files: Any, config: Any) -> Any:
    """Hand the font to mkdocs."""
    from mkdocs.structure.files import File

    with tempfile.TemporaryDirectory() as folder:
        files.append(File.generated(config, FONT, content=font(Path(folder)).read_bytes()))
    return files
