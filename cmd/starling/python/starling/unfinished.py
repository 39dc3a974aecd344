"""Runs that go on or were stopped."""

from __future__ import annotations

import json
import os
import socket
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from .errors import Fault, InputError
from .frames import Table, joined
from .progress import Event, last_values

if TYPE_CHECKING:
    import pandas
    import polars


class Unfinished:
    """A run that is not complete, as its folder said when it was opened: open it again for more."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        #: What the run wrote of its progress; ``starling help runs`` describes it.
        self.progress: dict[str, Any] = _progress(folder)

    @property
    def scenario(self) -> str:
        """The name of the scenario."""
        return str(self.progress["scenario"])

    @property
    def id(self) -> str:
        """The hash of the scenario, its overrides, its data and the build: the folder's name."""
        return str(self.progress["hash"])

    @property
    def state(self) -> str:
        """``running``, ``writing``, ``stopped``, ``failed``, ``done`` of a part, or ``killed`` where its
        process on this machine is gone."""
        state = str(self.progress["state"])
        return "killed" if state in ("running", "writing") and self._gone() else state

    @property
    def event(self) -> Event:
        """How far it had come."""
        runs, steps = self.progress["runs"], self.progress["steps"]
        done = [counts["done"] + counts["before"] for counts in (runs, steps)]
        return Event(
            self.scenario, done[0], runs["all"], done[1], steps["all"], self.progress["left"], str(self.folder)
        )

    @property
    def metrics(self) -> dict[str, dict[str, tuple[int, float]]]:
        """The last step and mean over its seeds of each metric, by arm and metric."""
        return last_values(self.progress)

    @property
    def warnings(self) -> list[str]:
        """What a reader of the numbers must know, of the runs that have ended."""
        return [str(warning) for warning in self.progress["warnings"] or []]

    @property
    def text(self) -> str:
        """The scenario as it is run, in YAML."""
        return (self.folder / "scenario.yaml").read_text("utf-8")

    @cached_property
    def summary(self) -> Table:
        """arm, step, metric, mean, se, n over the seeds so far, and the swept keys. It has up to 200 of
        the recorded steps."""
        columns: dict[str, list[Any]] = {name: [] for name in ("arm", "step", "metric", "mean", "se", "n")}
        for curve in self.progress.get("curves") or []:
            count = len(curve["steps"])
            values = [
                [curve["arm"]] * count,
                curve["steps"],
                [curve["metric"]] * count,
                curve["mean"],
                curve["se"],
                curve["n"],
            ]
            for column, more in zip(columns.values(), values, strict=True):
                column += more
        kinds = [pa.string(), pa.int64(), pa.string(), pa.float64(), pa.float64(), pa.int64()]
        arrays = {name: pa.array(column, kind) for (name, column), kind in zip(columns.items(), kinds, strict=True)}
        parameters = _parameters(self.progress)
        return Table(joined(pa.table(arrays), parameters, dict.fromkeys(parameters.column("key").to_pylist())))

    def to_polars(self) -> polars.DataFrame:
        """The summary as a frame of polars."""
        return self.summary.to_polars()

    def to_pandas(self) -> pandas.DataFrame:
        """The summary as a frame of pandas."""
        return self.summary.to_pandas()

    def _gone(self) -> bool:
        """Whether the process that made it has ended, where that can be known."""
        if os.name != "posix" or self.progress["host"] != socket.gethostname():
            return False
        try:
            os.kill(self.progress["process"], 0)
        except ProcessLookupError:
            return True
        except OSError:
            return False
        return False

    def __repr__(self) -> str:
        return f"Unfinished run, {self.state}: {self.event.text().strip()}: {self.folder}"


def _progress(folder: Path) -> dict[str, Any]:
    """What an unfinished run has written of its progress."""
    try:
        told: dict[str, Any] = json.loads((folder / "progress.json").read_text("utf-8"))
    except FileNotFoundError:
        reason = "no run has begun in it: there is no progress.json" if folder.is_dir() else "there is no such folder"
        raise InputError([Fault(f"{folder}: {reason}")]) from None
    return told


def _parameters(progress: dict[str, Any]) -> pa.Table:
    """The swept keys of the arms."""
    from .results import older_parameters

    return older_parameters(progress)
