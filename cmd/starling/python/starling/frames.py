"""Tables of results, for Arrow, polars and pandas."""

from __future__ import annotations

import difflib
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
            column = self._column(rows, name)
            mask = pc.is_null(column) if value is None else pc.equal(column, pa.scalar(value))
            rows = pc.filter(rows, mask)
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
        return self._column(self._arrow, column).to_numpy()

    @staticmethod
    def _column(rows: pa.Table, name: str) -> pa.ChunkedArray:
        """A column by name. Raises KeyError, which says what there is."""
        if name in rows.column_names:
            return rows.column(name)
        like = [known for known in rows.column_names if known.rsplit(".", 1)[-1] == name]
        like = like or difflib.get_close_matches(name, rows.column_names, 1)
        hint = f"did you mean {like[0]!r}?" if like else f"there are {', '.join(rows.column_names)}"
        raise KeyError(f"there is no column {name!r}; {hint}")

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


def joined(table: pa.Table, parameters: pa.Table, keys: Iterable[str]) -> pa.Table:
    """The table with a column for each key, which has its value in the arm of the row.

    A column has integers, numbers or booleans where all arms have such, and else text; where
    the others are numbers, ``none`` and null are missing.
    """
    # pyarrow imports pandas, where it is, to turn a value of Python into one of Arrow, which takes
    # longer than all else here. So keys and numbers stay what Arrow has.
    all_keys = parameters.column("key").combine_chunks().dictionary_encode()
    scalars = {scalar.as_py(): scalar for scalar in all_keys.dictionary}
    for key in keys:
        rows = pc.filter(parameters, pc.equal(parameters.column("key"), scalars[key]))
        places = pc.index_in(table.column("arm"), value_set=rows.column("arm").combine_chunks())
        table = table.append_column(key, pc.take(_typed(rows), places))
    return table


def _typed(rows: pa.Table) -> pa.ChunkedArray:
    """The values of one key, a row for each arm that has it."""
    numbers, values = rows.column("number"), rows.column("value").to_pylist()
    said = list(zip(rows.column("type").to_pylist(), values, numbers.to_pylist(), strict=True))
    present = [(kind, number) for kind, value, number in said if kind != "null" and value != "none"]
    kinds = {kind for kind, _ in present}
    if kinds == {"integer"} and all(abs(number) < 2**53 for _, number in present):
        return numbers.cast(pa.int64())
    if present and all(number is not None for _, number in present):
        return numbers
    if kinds == {"boolean"}:
        return pa.chunked_array(
            [[value.lower() == "true" if kind == "boolean" else None for kind, value, _ in said]], pa.bool_()
        )
    return pa.chunked_array([[None if kind == "null" else value for kind, value, _ in said]], pa.string())
