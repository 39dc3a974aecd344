"""Results of runs."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from . import _html
from ._program import call
from .errors import Fault, InputError
from .frames import Table, joined

if TYPE_CHECKING:
    import pandas
    import polars

    from .comparison import Comparison
    from .figures import Chart, Figures
    from .unfinished import Unfinished

#: How many columns of numbers a page holds, and how many figures.
_ARMS, _FIGURES = 6, 4


class Run:
    """A complete run: its folder, and what is in it. Tables are read when they are asked for,
    and held against the manifest."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest: dict[str, Any] = _manifest(folder)

    @property
    def scenario(self) -> str:
        """The name of the scenario."""
        return str(self.manifest["scenario"])

    @property
    def id(self) -> str:
        """The hash of the scenario, its overrides, its data and the build: the folder's name."""
        return str(self.manifest["hash"])

    @property
    def digest(self) -> str:
        """The digest of final states and metrics: equal digests are equal runs, to the bit."""
        return str(self.manifest["digest"])

    @property
    def state(self) -> str:
        """``complete``; a run that is not has the states of :class:`Unfinished`."""
        return "complete"

    @property
    def warnings(self) -> list[str]:
        """What a reader of the numbers must know."""
        return [f"{w['arm']}: {w['message']}" if w.get("arm") else w["message"] for w in self.manifest["warnings"]]

    @property
    def failures(self) -> list[dict[str, Any]]:
        """The arms that failed, which the results are without: arm, seed, step, node and cause of
        the first failure of each."""
        return list(self.manifest.get("failures", []))

    @property
    def text(self) -> str:
        """The scenario as it was run, in YAML."""
        return (self.folder / "scenario.yaml").read_text("utf-8")

    @cached_property
    def parameters(self) -> Table:
        """What the scenario says in each arm: a row for each arm and key."""
        if any(f["name"] == "arms.parquet" for f in self.manifest["files"]):
            return Table(self._read("arms"))
        return Table(older_parameters(self.manifest))

    @cached_property
    def swept(self) -> list[str]:
        """The keys in which the arms differ, in the order of the scenario."""
        rows = self.parameters.to_arrow()
        return list(dict.fromkeys(pc.filter(rows, rows.column("swept")).column("key").to_pylist()))

    @cached_property
    def arms(self) -> Table:
        """A row for each arm, with its values by key, those of the sweep first."""
        names = [arm["name"] for arm in self.manifest["arms"]]
        keys = dict.fromkeys([*self.swept, *self.parameters["key"].tolist()])
        table = pa.table({"run": [self.id] * len(names), "scenario": [self.scenario] * len(names), "arm": names})
        return Table(joined(table, self.parameters.to_arrow(), keys))

    @cached_property
    def metrics(self) -> Table:
        """arm, seed, step, node, metric, value, and the swept keys."""
        return Table(self._joined("metrics", self.swept))

    @cached_property
    def summary(self) -> Table:
        """arm, step, metric, mean, se, n over the seeds, and the swept keys."""
        return Table(self._joined("summary", self.swept))

    @cached_property
    def privacy(self) -> Table:
        """What each observer learns of which units, and the swept keys."""
        return Table(self._joined("privacy", self.swept))

    def to_arrow(self, table: str = "summary") -> pa.Table:
        """A table of the run, by its name: summary, metrics, privacy, arms or parameters."""
        return self._table(table).to_arrow()

    def to_polars(self, table: str = "summary") -> polars.DataFrame:
        """A table of the run as a frame of polars."""
        return self._table(table).to_polars()

    def to_pandas(self, table: str = "summary") -> pandas.DataFrame:
        """A table of the run as a frame of pandas."""
        return self._table(table).to_pandas()

    def figures(self) -> Figures:
        """The figures of the run, by name, drawn by matplotlib."""
        from . import figures

        found = figures.read(self.folder / "plots")
        if not found and any((self.folder / "plots").glob("*.svg")):
            raise InputError(
                [
                    Fault(
                        f"{self.folder} has no points of figures: an earlier version made the run. Run it again with again=True"
                    )
                ]
            )
        return found

    def plot(self, y: str = "regret.expected", *, x: str = "step", by: str = "arm", band: str = "ci",
             log_x: bool = False, log_y: bool = False, per_step: bool = False) -> Chart:  # fmt: skip
        """A figure of one's own, of a metric over the steps, a swept key or another metric; see
        ``starling plot --help``."""
        return _plotted([self.folder], y, x=x, by=by, band=band, log_x=log_x, log_y=log_y, per_step=per_step)

    def report(self, out: str | os.PathLike[str] | None = None, data: str | os.PathLike[str] | None = None) -> Path:
        """Write the report, a page that works offline, and return its path."""
        return _reported([self.folder], Path(out) if out is not None else self.folder / "report.html", data)

    def replay(self, *, seed: int, node: int, start: int, stop: int, arm: str | None = None,
               data: str | os.PathLike[str] | None = None, python: bool = False) -> list[dict[str, Any]]:  # fmt: skip
        """Run a seed again, and return what came to a node, what it sent, and its state, in each
        turn of the steps from start to stop. The metrics on the way are held against those that
        the run recorded: where they differ that is a RunError. A run whose scenario names classes
        in Python is refused unless python is True, which runs them."""
        flags = ([f"--arm={arm}"] if arm is not None else []) + (
            [f"--data={os.fspath(data)}"] if data is not None else []
        )
        if python:
            flags.append("--python")
        text = call(
            [
                "replay",
                str(self.folder),
                f"--seed={seed}",
                f"--node={node}",
                f"--from={start}",
                f"--to={stop}",
                "--json",
                *flags,
            ]
        )
        return [json.loads(line) for line in text.splitlines()]

    def compare(self, other: Run | str | os.PathLike[str] | None = None, *, arm: str | None = None, other_arm: str | None = None,
                different_problems: bool = False) -> Comparison:  # fmt: skip
        """Compare with another run, or that in a folder, or an arm with another arm, seed by
        seed: the differences are those of the other minus this."""
        from .comparison import compare

        second = other if isinstance(other, Run) else self if other is None else open_run(other)
        return compare(_place(self, arm), _place(second, other_arm), different_problems)

    def _joined(self, name: str, keys: Iterable[str]) -> pa.Table:
        """A table of the run, with columns for keys."""
        said = set(self.parameters.to_arrow().column("key").to_pylist())
        return joined(self._read(name), self.parameters.to_arrow(), [key for key in keys if key in said])

    def _read(self, name: str) -> pa.Table:
        """A Parquet file of the run, held against the manifest."""
        path = self.folder / f"{name}.parquet"
        for entry in self.manifest["files"]:
            if entry["name"] == path.name and _sum(path) != entry["sha256"]:
                raise InputError([Fault(f"{path} is damaged: its SHA-256 is not that in the manifest")])
        return pq.ParquetFile(path).read()

    def _table(self, name: str) -> Table:
        if name not in ("summary", "metrics", "privacy", "arms", "parameters"):
            raise InputError(
                [Fault(f'a run has no table "{name}"; it has summary, metrics, privacy, arms and parameters')]
            )
        table: Table = getattr(self, name)
        return table

    def __repr__(self) -> str:
        seeds = self.manifest["seeds"]["count"]
        arms = len(self.manifest["arms"])
        return (
            f"Run of {self.scenario}, {arms} arms under {seeds} seeds, {self.manifest['horizon']} steps: {self.folder}"
        )

    def _repr_html_(self) -> str:
        m = self.manifest
        counts = f"{len(m['arms'])} arms, {m['seeds']['count']} seeds, {m['horizon']} steps"
        body = _html.bold(self.scenario) + _html.small(f"{counts}; digest {self.digest[:12]}; {self.folder}")
        body += self._last_values()
        for warning in self.warnings[:5]:
            body += _html.small("warning: " + warning)
        for file in sorted((self.folder / "plots").glob("*.svg"))[:_FIGURES]:
            body += _html.image(file.read_bytes(), "svg+xml")
        return _html.page(body)

    def _last_values(self) -> str:
        """The metrics at the last step with 95 % confidence intervals, an arm a column."""
        rows = self.summary.to_arrow().to_pylist()
        last = {row["arm"]: row["step"] for row in rows}
        cells = {
            (r["metric"], r["arm"]): _html.estimate(r["mean"], _html.half_width(r["se"], r["n"]))
            for r in rows
            if r["step"] == last[r["arm"]]
        }
        arms = list(last)[:_ARMS]
        lines = [[metric, *(cells.get((metric, arm), "") for arm in arms)] for metric in sorted({m for m, _ in cells})]
        more = "" if len(last) <= _ARMS else _html.small(f"and {len(last) - _ARMS} arms more")
        return _html.table(["at the last step", *arms], lines) + more


class Runs(Sequence[Run]):
    """Several runs, whose tables are put together with a column for the run."""

    def __init__(self, runs: Sequence[Run], unfinished: Sequence[Unfinished] = ()) -> None:
        self._runs = list(runs)
        #: The runs of the folder that go on or were stopped; no table has them.
        self.unfinished: list[Unfinished] = list(unfinished)

    @cached_property
    def keys(self) -> list[str]:
        """The keys in which arms or runs differ: the columns of the tables."""
        swept = dict.fromkeys(key for run in self._runs for key in run.swept)
        said: dict[str, set[str]] = {}
        for run in self._runs:
            for row in run.parameters.to_arrow().to_pylist():
                said.setdefault(row["key"], set()).add(row["value"])
        return list(dict.fromkeys([*swept, *(key for key, values in said.items() if len(values) > 1)]))

    @cached_property
    def arms(self) -> Table:
        """The arms of all runs."""
        return self._together(lambda run: run.arms.to_arrow())

    @cached_property
    def summary(self) -> Table:
        """The summaries of all runs."""
        return self._together(lambda run: run._joined("summary", self.keys))

    @cached_property
    def metrics(self) -> Table:
        """The metrics of all runs."""
        return self._together(lambda run: run._joined("metrics", self.keys))

    @cached_property
    def privacy(self) -> Table:
        """What observers learn in all runs."""
        return self._together(lambda run: run._joined("privacy", self.keys))

    def plot(self, y: str = "regret.expected", *, x: str = "step", by: str = "arm", band: str = "ci",
             log_x: bool = False, log_y: bool = False, per_step: bool = False) -> Chart:  # fmt: skip
        """A figure of a metric of all runs, as :meth:`Run.plot`; with ``x="run"`` a run is a place of the axis."""
        return _plotted(
            [run.folder for run in self._runs], y, x=x, by=by, band=band, log_x=log_x, log_y=log_y, per_step=per_step
        )

    def report(self, out: str | os.PathLike[str], data: str | os.PathLike[str] | None = None) -> Path:
        """Write one report of all runs, and return its path."""
        return _reported([run.folder for run in self._runs], Path(out), data)

    def _together(self, table: Callable[[Run], pa.Table]) -> Table:
        parts = []
        for run in self._runs:
            part = table(run)
            if "run" not in part.column_names:
                part = part.add_column(0, "run", pa.array([run.id] * part.num_rows, pa.string()))
                part = part.add_column(1, "scenario", pa.array([run.scenario] * part.num_rows, pa.string()))
            parts.append(part.replace_schema_metadata(None))
        if not parts:
            return Table(pa.table({"run": pa.array([], pa.string())}))
        return Table(pa.concat_tables(_alike(parts), promote_options="permissive"))

    @overload
    def __getitem__(self, index: int) -> Run: ...
    @overload
    def __getitem__(self, index: slice) -> Runs: ...
    def __getitem__(self, index: int | slice) -> Run | Runs:
        return Runs(self._runs[index]) if isinstance(index, slice) else self._runs[index]

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[Run]:
        return iter(self._runs)

    def __repr__(self) -> str:
        shown = ", ".join(f"{run.scenario}/{run.id}" for run in self._runs[:4])
        more = f"; {len(self.unfinished)} more in unfinished" if self.unfinished else ""
        return f"{len(self)} runs: {shown}" + (", ..." if len(self) > 4 else "") + more

    def _repr_html_(self) -> str:
        rows = [
            [r.scenario, r.id, len(r.manifest["arms"]), r.manifest["seeds"]["count"], r.manifest["horizon"]]
            for r in self._runs
        ]
        return _html.page(_html.table(["scenario", "run", "arms", "seeds", "steps"], rows))


@overload
def open_run(folder: str | os.PathLike[str], *, unfinished: Literal[False] = False) -> Run: ...
@overload
def open_run(folder: str | os.PathLike[str], *, unfinished: bool) -> Run | Unfinished: ...
def open_run(folder: str | os.PathLike[str], *, unfinished: bool = False) -> Run | Unfinished:
    """Open the folder of a complete run; with ``unfinished`` also that of a run that goes on or was
    stopped, which is an :class:`Unfinished` with the values so far."""
    path = Path(folder)
    if unfinished and not (path / "COMPLETE").is_file():
        from .unfinished import Unfinished

        try:
            return Unfinished(path)
        except InputError:
            if not (path / "COMPLETE").is_file():  # else it has ended in between
                raise
    return Run(path)


def open_runs(folder: str | os.PathLike[str] = "results", scenario: str | None = None) -> Runs:
    """Open all complete runs in a folder of results, or those of a scenario: by scenario, then
    by name. ``unfinished`` of them are the runs that go on or were stopped."""
    from .unfinished import Unfinished

    if not Path(folder).is_dir():
        raise InputError([Fault(f"{folder}: there is no such folder")])
    complete = [file.parent for file in sorted(Path(folder).glob(f"{scenario or '*'}/*/COMPLETE"))]
    others = [file.parent for file in sorted(Path(folder).glob(f"{scenario or '*'}/*/progress.json"))]
    unfinished = []
    for place in others:
        if place not in complete:
            with suppress(InputError):  # it has ended in between, and the next call has it
                unfinished.append(Unfinished(place))
    return Runs([Run(place) for place in complete], unfinished)


def _plotted(folders: Sequence[Path], y: str, *, x: str, by: str, band: str, **switches: bool) -> Chart:
    """A figure of runs, by the verb plot."""
    from . import figures

    flags = [f"--{name.replace('_', '-')}" for name, on in switches.items() if on]
    with tempfile.TemporaryDirectory(prefix="starling-") as place:
        file = Path(place) / "plot.json"
        call(
            [
                "plot",
                *map(str, folders),
                f"--y={y}",
                f"--x={x}",
                f"--by={by}",
                f"--band={band}",
                *flags,
                f"--out={file}",
            ]
        )
        return figures.draw(json.loads(file.read_text("utf-8")))


def _reported(folders: Sequence[Path], page: Path, data: str | os.PathLike[str] | None) -> Path:
    """The page of runs, by the verb report."""
    call(["report", *map(str, folders), f"--out={page}", *([f"--data={os.fspath(data)}"] if data is not None else [])])
    return page


def _manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a complete run, which COMPLETE seals."""
    try:
        seal = (folder / "COMPLETE").read_text("ascii").strip()
        text = (folder / "manifest.json").read_bytes()
    except FileNotFoundError:
        reason = (
            "the run is unfinished: there is no COMPLETE in it. unfinished=True opens it"
            if folder.is_dir()
            else "there is no such folder"
        )
        raise InputError([Fault(f"{folder}: {reason}")]) from None
    if hashlib.sha256(text).hexdigest() != seal:
        raise InputError([Fault(f"{folder}: manifest.json was changed after the run")])
    manifest: dict[str, Any] = json.loads(text)
    return manifest


def older_parameters(manifest: dict[str, Any]) -> pa.Table:
    """The swept keys of a run without arms.parquet."""
    rows = []
    for arm in manifest["arms"]:
        for value in arm.get("values", []):
            text = value["value"]
            try:
                number, kind = float(text), "number"
            except ValueError:
                number, kind = None, "text"
            rows.append((manifest["hash"], manifest["scenario"], arm["name"], value["path"], text, kind, number, True))
    columns = ["run", "scenario", "arm", "key", "value", "type", "number", "swept"]
    kinds = [pa.string()] * 6 + [pa.float64(), pa.bool_()]
    return pa.table({name: pa.array([row[i] for row in rows], kinds[i]) for i, name in enumerate(columns)})


def _alike(tables: list[pa.Table]) -> list[pa.Table]:
    """The tables with columns that differ in type as text, where one has numbers and another
    words."""
    kinds: dict[str, set[pa.DataType]] = {}
    for table in tables:
        for field in table.schema:
            kinds.setdefault(field.name, set()).add(field.type)
    mixed = [name for name, types in kinds.items() if len(types) > 1 and pa.string() in types]
    for name in mixed:
        tables = [
            t.set_column(t.column_names.index(name), name, t.column(name).cast(pa.string()))
            if name in t.column_names
            else t
            for t in tables
        ]
    return tables


def _place(run: Run, arm: str | None) -> str:
    return str(run.folder) if arm is None else f"{run.folder}:{arm}"


def _sum(path: Path) -> str:
    """The SHA-256 of a file."""
    total = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            total.update(block)
    return total.hexdigest()
