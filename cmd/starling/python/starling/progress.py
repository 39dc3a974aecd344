"""How far a run has come, in a terminal and in a notebook."""

from __future__ import annotations

import html
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol


@dataclass(frozen=True)
class Event:
    """How far a run has come. Steps are those of all its runs under a seed together."""

    scenario: str
    runs: int
    of_runs: int
    steps: int
    of_steps: int
    #: None before there is an estimate.
    seconds_left: float | None
    #: The folder of the run; "" before it has one.
    folder: str = ""

    @property
    def metrics(self) -> dict[str, dict[str, tuple[int, float]]]:
        """The last step and mean over its seeds of each metric so far, by arm and metric. They are
        read from the folder as the run has written them, once a second at most."""
        return metrics_so_far(self.folder) if self.folder else {}

    @property
    def history(self) -> dict[str, dict[str, list[tuple[int, float]]]]:
        """The steps and means of each metric so far, by arm and metric, up to 200 of them: ``metrics`` has the last."""
        return curves_so_far(self.folder) if self.folder else {}

    @property
    def share(self) -> float:
        """The part of the steps that is done, from 0 to 1."""
        return self.steps / self.of_steps if self.of_steps else 1.0

    def text(self) -> str:
        """The event in a line."""
        if self.steps == self.of_steps:
            left = "writing the results"
        elif self.seconds_left is None:
            left = ""
        else:
            left = f"{self.seconds_left:.0f} s left"
        return f"{self.scenario} {self.runs}/{self.of_runs} runs {100 * self.share:3.0f} %  {left}"


def metrics_so_far(folder: str) -> dict[str, dict[str, tuple[int, float]]]:
    """The last step and mean of each metric that an unfinished run has recorded, by arm."""
    return last_values(_told(folder))


def curves_so_far(folder: str) -> dict[str, dict[str, list[tuple[int, float]]]]:
    """The steps and means of each metric that an unfinished run has recorded, by arm."""
    return curves(_told(folder))


def _told(folder: str) -> Mapping[str, Any]:
    """What progress.json has; nothing before it is there, and of a run that is complete."""
    try:
        told: dict[str, Any] = json.loads((Path(folder) / "progress.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return told


def curves(told: Mapping[str, Any]) -> dict[str, dict[str, list[tuple[int, float]]]]:
    """The steps and means of each metric with a value, by arm, of what progress.json has."""
    found: dict[str, dict[str, list[tuple[int, float]]]] = {}
    for curve in told.get("curves") or []:
        points = [
            (k, x) for k, x, n in zip(curve["steps"], curve["mean"], curve["n"], strict=True) if n and x is not None
        ]
        if points:
            found.setdefault(curve["arm"], {})[curve["metric"]] = points
    return found


def last_values(told: Mapping[str, Any]) -> dict[str, dict[str, tuple[int, float]]]:
    """The last step and mean of each metric, by arm, of what progress.json has."""
    return {arm: {name: points[-1] for name, points in of.items()} for arm, of in curves(told).items()}


class Display(Protocol):
    """What shows progress."""

    def show(self, event: Event) -> None:
        """Show an event in place of the one before."""

    def close(self) -> None:
        """Take the display away."""


class Silent:
    """Shows nothing, or calls a function."""

    def __init__(self, call: Callable[[Event], object] | None = None) -> None:
        self._call = call

    def show(self, event: Event) -> None:
        if self._call is not None:
            self._call(event)

    def close(self) -> None:
        pass


class Terminal:
    """A bar that changes in place."""

    _width = 30

    def show(self, event: Event) -> None:
        full = round(self._width * event.share)
        bar = "█" * full + "░" * (self._width - full)
        sys.stderr.write(f"\r\x1b[2K{bar} {event.text()}")
        sys.stderr.flush()

    def close(self) -> None:
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()


class Notebook:
    """A bar in the output of a cell."""

    def __init__(self) -> None:
        import IPython.display

        self._ipython: Any = IPython.display
        self._handle: Any = None

    def show(self, event: Event) -> None:
        text = html.escape(event.text())
        page = self._ipython.HTML(
            f'<progress max="1" value="{event.share:.4f}" style="width: 16em"></progress> <code>{text}</code>'
        )
        if self._handle is None:
            self._handle = self._ipython.display(page, display_id=True)
        else:
            self._handle.update(page)

    def close(self) -> None:
        if self._handle is not None:
            self._handle.update(self._ipython.HTML(""))


def display_for(progress: bool | Callable[[Event], object] | None) -> Display:
    """What shows progress: a function of one's own, nothing for False, and for None or True a
    bar where a notebook or a terminal is."""
    if callable(progress):
        return Silent(progress)
    if progress is False:
        return Silent()
    if _in_notebook():
        return Notebook()
    if progress or sys.stderr.isatty():
        return Terminal()
    return Silent()


def _in_notebook() -> bool:
    """Whether this process is the kernel of a notebook. IPython is not imported for that."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"
