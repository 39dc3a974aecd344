"""Tables of results, for Arrow, polars and pandas."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from . import _html

if TYPE_CHECKING:
    import pandas
    import polars


class Table:
    """A table of results. What takes Arrow tables, such as DuckDB and polars, takes this one."""

    def __init__(self, arrow: pa.Table) -> None:
        self._arrow = arrow

    def to_arrow(self) -> pa.Table:
        """The table as pyarrow has it."""
        return self._arrow

    def to_polars(self) -> polars.DataFrame:
        """The table as a frame of polars."""
        import polars

        frame = polars.from_arrow(self._arrow)
        assert isinstance(frame, polars.DataFrame)
        return frame

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a frame of pandas."""
        frame: pandas.DataFrame = self._arrow.to_pandas()
        return frame

    def where(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> Table:
        """The rows that have these values: ``where(metric="regret.run")``, or
        ``where({"mechanism.epsilon": 1})`` for columns with a dot."""
        rows = self._arrow
        for name, value in {**(values or {}), **more}.items():
            column = rows.column(name)
            mask = pc.is_null(column) if value is None else pc.equal(column, pa.scalar(value))
            rows = rows.filter(mask)
        return Table(rows)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        names: list[str] = self._arrow.column_names
        return names

    @property
    def metrics(self) -> dict[str, dict[str, Any]]:
        """What is known of the metrics of the table: label, unit, and so on, by name."""
        text = (self._arrow.schema.metadata or {}).get(b"starling.metrics", b"{}")
        known: dict[str, dict[str, Any]] = json.loads(text)
        return known

    def __getitem__(self, column: str) -> Any:
        """A column, as an array of numpy."""
        return self._arrow.column(column).to_numpy()

    def __len__(self) -> int:
        count: int = self._arrow.num_rows
        return count

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._arrow.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"Table of {len(self)} rows: {', '.join(self.columns)}"

    def _repr_html_(self) -> str:
        shown = self._arrow.slice(0, 10).to_pylist()
        note = f"{len(self):,} rows" + (", the first 10 of them" if len(self) > 10 else "")
        return _html.page(_html.table(self.columns, [list(row.values()) for row in shown]) + _html.small(note))


def spread(parameters: pa.Table, keys: Iterable[str]) -> dict[str, tuple[dict[str, Any], pa.DataType]]:
    """For each key its value by arm, and the type of its column: integers, numbers or booleans
    where all arms have such, and else text. ``none`` and null are missing where the others are
    numbers."""
    wanted = dict.fromkeys(keys)
    rows: dict[str, list[dict[str, Any]]] = {key: [] for key in wanted}
    for row in parameters.to_pylist():
        if row["key"] in wanted:
            rows[row["key"]].append(row)
    return {key: _typed(values) for key, values in rows.items()}


def _typed(rows: list[dict[str, Any]]) -> tuple[dict[str, Any], pa.DataType]:
    present = [r for r in rows if r["type"] != "null" and r["value"] != "none"]
    kinds = {r["type"] for r in present}
    if present and kinds == {"integer"} and all(abs(r["number"]) < 2**53 for r in present):
        return {r["arm"]: int(r["number"]) for r in present}, pa.int64()
    if present and all(r["number"] is not None for r in present):
        return {r["arm"]: r["number"] for r in present}, pa.float64()
    if kinds == {"boolean"}:
        return {r["arm"]: r["value"].lower() == "true" for r in present}, pa.bool_()
    return {r["arm"]: None if r["type"] == "null" else r["value"] for r in rows}, pa.string()


def joined(table: pa.Table, values: dict[str, tuple[dict[str, Any], pa.DataType]]) -> pa.Table:
    """The table with a column for each key, by the arm of the row."""
    arms = table.column("arm").combine_chunks().dictionary_encode() if table.num_rows else None
    for key, (by_arm, kind) in values.items():
        if arms is None:
            column: Any = pa.array([], kind)
        else:
            names = arms.dictionary.to_pylist()
            column = pa.array([by_arm.get(name) for name in names], kind).take(arms.indices)
        table = table.append_column(pa.field(key, kind), column)
    return table
