"""Data of clients in tables, for :mod:`starling.torch` and :mod:`starling.jax`: data sets of Hugging Face, and
frames of pandas and polars. It loads none of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._models import Data

#: The column of the inputs, or several that stand side by side, and the column of the targets.
Columns = tuple[str | Sequence[str], str]

#: Names of targets, where a table has one such column and nothing else is said.
_TARGETS = ("label", "labels", "target", "y")


def is_table(data: Any) -> bool:
    """Whether data have columns with names."""
    return hasattr(data, "column_names") or hasattr(data, "columns")


def clients_of(data: Any, columns: Columns | None, by: str | None, made: Callable[[Data], Data] = tuple) -> list[Any]:
    """The inputs and targets of each client, as ``made`` makes them of the arrays of a table.

    A table has the clients of its column ``by``, in the order of its values. A sequence has one client in each of its
    parts, of which tables become inputs and targets; the other parts stay as they are.

    Raises:
        ValueError: there is no such column, or a sequence has ``by``.
    """
    if not is_table(data):
        if by is not None:
            raise ValueError("by names the column of clients of one table; leave it out where each client has its own")
        if columns is not None and not any(map(is_table, data)):
            raise ValueError("columns are of tables, and no client has one")
        return [made(of_table(one, columns)) if is_table(one) else one for one in data]
    if by is None:
        raise ValueError("one table for all clients: give by, its column of clients, or a table for each client")
    inputs, targets = made(of_table(data, columns, others=(by,)))
    owners = _column(data, by)
    order = np.argsort(owners, kind="stable")
    starts = np.flatnonzero(owners[order][1:] != owners[order][:-1]) + 1
    return [(inputs[part], targets[part]) for part in np.split(order, starts)]


def of_table(data: Any, columns: Columns | None, others: Sequence[str] = ()) -> Data:
    """The inputs and targets of a table, as arrays.

    Raises:
        ValueError: a column is not there, its values have different shapes, or it is not clear which columns are
            meant.
    """
    inputs, target = columns or _usual([name for name in _names(data) if name not in others])
    if isinstance(inputs, str):
        return _column(data, inputs), _column(data, target)
    return np.stack([_column(data, name) for name in inputs], axis=1), _column(data, target)


def _usual(names: Sequence[str]) -> Columns:
    """The columns of a table with one column of inputs and one with a name of targets."""
    targets = [name for name in names if name in _TARGETS]
    others = [name for name in names if name not in targets]
    if len(targets) != 1 or len(others) != 1:
        raise ValueError(f"give columns=(inputs, target), of the columns {', '.join(names)}")
    return others[0], targets[0]


def _names(data: Any) -> list[str]:
    return list(map(str, getattr(data, "column_names", None) or data.columns))


def _column(data: Any, name: str) -> Any:
    """A column as an array, with an entry for each row."""
    if name not in _names(data):
        raise ValueError(f"there is no column {name!r}; the columns are {', '.join(_names(data))}")
    if hasattr(data, "with_format"):  # of Hugging Face: a format or a transform of its own stays
        data = (data if data.format["type"] else data.with_format("numpy"))[:]
    values = data[name]
    array = None if isinstance(values, list) else np.asarray(values)
    if array is not None and array.dtype != object:
        return array
    parts = [np.asarray(value) for value in values]
    shapes = {part.shape for part in parts}
    if len(shapes) > 1:
        raise ValueError(f"values of the column {name!r} have the shapes {', '.join(map(str, sorted(shapes)))}")
    return np.stack(parts)
