"""HTML of results for notebooks, readable on light and on dark pages."""

from __future__ import annotations

import base64
import html
import math
from functools import cache
from typing import Any

_STYLE = """<style>
.starling { color: inherit; font-size: 90%; }
.starling table { border-collapse: collapse; margin: 0.4em 0; color: inherit; }
.starling th, .starling td { text-align: right; padding: 0.15em 0.7em; border: 0;
  border-bottom: 1px solid rgba(128, 128, 128, 0.35); background: none; color: inherit; }
.starling th:first-child, .starling td:first-child { text-align: left; }
.starling .small { opacity: 0.75; }
.starling img { background: white; border-radius: 4px; max-width: 31em; margin: 0.3em 0.3em 0 0; }
</style>"""


def page(body: str) -> str:
    """A fragment of HTML with its style."""
    return f'{_STYLE}<div class="starling">{body}</div>'


def bold(text: str) -> str:
    """A heading."""
    return f"<b>{html.escape(text)}</b>"


def small(text: str) -> str:
    """A remark."""
    return f'<div class="small">{html.escape(text)}</div>'


def table(columns: list[str], rows: list[list[Any]]) -> str:
    """A table; numbers are shortened."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    lines = ["<tr>" + "".join(f"<td>{html.escape(_text(v))}</td>" for v in row) + "</tr>" for row in rows]
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def image(content: bytes, kind: str) -> str:
    """A picture inside of the page."""
    return f'<img src="data:image/{kind};base64,{base64.b64encode(content).decode()}">'


def estimate(mean: float, error: float | None) -> str:
    """A mean with half the width of its interval, which gets two digits, and decides those of the mean."""
    if error is None or not math.isfinite(error) or error <= 0 or not math.isfinite(mean):
        return _text(mean)
    digits = 1 - math.floor(math.log10(error))
    rounded = round(error, digits)
    if abs(mean) >= 1e6 or max(abs(mean), rounded) < 1e-3:
        power = math.floor(math.log10(max(abs(mean), rounded)))
        scale = 10.0**power
        places = max(digits + power, 0)
        return f"({mean / scale:.{places}f} ± {error / scale:.{places}f})e{power}"
    return f"{mean:.{max(digits, 0)}f} ± {error:.{max(digits, 0)}f}"


@cache
def _student(freedom: int) -> float:
    """The 0.975-quantile of Student's law of whole degrees of freedom, by bisection of its closed form
    (Abramowitz, Stegun 26.7.3 and 26.7.4)."""

    def within(t: float) -> float:
        theta = math.atan(t / math.sqrt(freedom))
        odd = freedom % 2
        term, total = (math.cos(theta) if odd else 1.0), 0.0
        for k in range(1 + odd, freedom, 2):
            total += term
            term *= math.cos(theta) ** 2 * k / (k + 1)
        total *= math.sin(theta)
        return 2 / math.pi * (theta + total) if odd else total

    low, high = 1.9, 13.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) < 0.95 else (low, middle)
    return high


def half_width(error: float | None, n: int) -> float | None:
    """Half the width of the 95 % confidence interval of a mean of n values, by its standard error."""
    return None if error is None or n < 2 else _student(n - 1) * error


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)
