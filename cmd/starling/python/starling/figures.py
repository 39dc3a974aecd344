"""The figures of a run, drawn by matplotlib as the program draws them."""

from __future__ import annotations

import io
import json
import re
import textwrap
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter

from . import _html

_GRID, _AXIS = "#dcdcdc", "#404040"
#: The longest series whose points are marked one by one.
_MARKED = 30


class Chart(Figure):
    """A figure that notebooks show, whether pyplot was imported or not."""

    def _repr_png_(self) -> bytes:
        return picture(self)


class Decimal(LogFormatter):
    """Marks of a logarithmic axis as 0.1, 1, 10, and between them where there are few."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        return f"{x:g}" if super().__call__(x, pos) else ""


class Figures(dict[str, Chart]):
    """Figures by name. A notebook shows all of them."""

    def _repr_html_(self) -> str:
        return _html.page("".join(_html.image(picture(f), "png") for f in self.values()))


def picture(figure: Figure) -> bytes:
    """A figure as PNG."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=110)
    return content.getvalue()


def read(folder: Path) -> Figures:
    """The figures whose points are in a folder."""
    return Figures({file.stem: draw(json.loads(file.read_text("utf-8"))) for file in sorted(folder.glob("*.json"))})


def draw(points: dict[str, Any]) -> Chart:
    """A figure of what ``plots/NAME.json`` says."""
    figure = Chart(figsize=(8, 4.8), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(_raised(textwrap.fill(points["title"], 64)), fontweight="bold", pad=12)
    axes.set_xlabel(_raised(points["x_label"]))
    axes.set_ylabel(_raised(points["y_label"]))
    if points["log_x"]:
        axes.set_xscale("log")
    if points["log_y"]:
        axes.set_yscale("log")
    for axis, logarithmic in ((axes.xaxis, points["log_x"]), (axes.yaxis, points["log_y"])):
        if logarithmic:
            axis.set_major_formatter(Decimal())
            axis.set_minor_formatter(Decimal(labelOnlyBase=False, minor_thresholds=(1, 0.4)))
    axes.grid(color=_GRID)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(_AXIS)
    for series in points["series"]:
        _curve(axes, series, points["log_y"])
    if any(series["name"] for series in points["series"]):
        figure.legend(loc="outside right upper", frameon=False, handlelength=3)
    return figure


def _curve(axes: Axes, series: dict[str, Any], logarithmic: bool) -> None:
    """Draw a series with its band."""
    x, y = _values(series["x"]), _values(series["y"])
    width = 1.7
    # Matplotlib counts dashes in widths of the line.
    style: Any = (0, [length / width for length in series["dash"]]) if series["dash"] else "-"
    marker = "o" if len(x) <= _MARKED else ""
    axes.plot(
        x, y, color=series["color"], linestyle=style, linewidth=width, marker=marker, markersize=4, label=series["name"]
    )
    if "low" not in series:
        return
    low, high = _values(series["low"]), _values(series["high"])
    if logarithmic:  # a band that reaches zero goes down to the edge
        bottom, top = axes.get_ylim()
        low = [v if v > 0 else bottom for v in low]
        axes.set_ylim(bottom, top)
    axes.fill_between(x, low, high, color=series["color"], alpha=0.19, linewidth=0)
    if logarithmic:
        axes.set_ylim(auto=True)


def _values(values: list[float | None]) -> list[float]:
    """Coordinates; those that cannot be drawn interrupt the curve."""
    return [float("nan") if v is None else v for v in values]


def _raised(text: str) -> str:
    """A text whose digits after ^ are raised."""
    return re.sub(r"\^(-?\d+)", r"$^{\1}$", text.replace("$", r"\$"))
