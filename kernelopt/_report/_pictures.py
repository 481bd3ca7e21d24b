"""Pictures inside a page: each drawn light and dark, with two dots for one of the page, as data of PNG."""

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import attrs

from kernelopt.plot._canvas import Display, pyplot

DPI = 100
DOTS = 2
"""Dots of a picture for one of the page."""
DARK = "#14171c"
"""The ground of the page where the system is dark."""


@attrs.frozen
class Picture:
    """A picture that the page holds.

    Attributes:
        light, dark: addresses that are the picture itself.
        width, height: on the page, in pixels.
        seen: what it shows, for who cannot see it.
    """

    light: str
    dark: str
    width: int
    height: int
    seen: str


@contextmanager
def drawing(*, dark: bool = False) -> Iterator[Any]:
    """The style of a page, whatever style the user has; gives empty axes of a new figure."""
    plt = pyplot()
    from matplotlib.figure import Figure

    grounds = dict.fromkeys(("axes.facecolor", "figure.facecolor", "savefig.facecolor"), DARK)
    with plt.style.context(["default", "dark_background", grounds] if dark else "default"):
        yield Figure(figsize=(5.4, 4.2), layout="constrained").subplots()


def picture_of(display: Display, seen: str) -> Picture:
    """A display, drawn twice."""
    return Picture(_drawn(display, dark=False), _drawn(display, dark=True), *_size(display), seen)


def _drawn(display: Display, *, dark: bool) -> str:
    with drawing(dark=dark) as ax:
        figure = display.plot(ax).figure_
        assert figure is not None
        data = BytesIO()
        figure.savefig(data, format="png", dpi=DOTS * DPI)
    return f"data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}"


def _size(display: Display) -> tuple[int, int]:
    assert display.figure_ is not None
    width, height = display.figure_.get_size_inches()
    return round(width * DPI), round(height * DPI)
