"""Data of clients in tables: data sets of Hugging Face, and frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from starling._tables import clients_of, of_table

COLUMNS: Any = (["a", "b"], "y")


def columns() -> dict[str, Any]:
    return {"who": ["m", "k", "m", "k", "m"], "a": [1.0, 2, 3, 4, 5], "b": [6.0, 7, 8, 9, 10], "y": [0, 1, 1, 0, 1]}


def tables() -> list[Any]:
    made = []
    for name, make in (
        ("pandas", lambda m: m.DataFrame(columns())),
        ("polars", lambda m: m.DataFrame(columns())),
        ("datasets", lambda m: m.Dataset.from_dict(columns())),
    ):
        made.append(pytest.param(name, make, id=name))
    return made


@pytest.mark.parametrize(("module", "make"), tables())
def test_one_table_of_all_clients(module: str, make: Any) -> None:
    table = make(pytest.importorskip(module))
    first, second = clients_of(table, COLUMNS, "who")
    assert first[0].tolist() == [[2, 7], [4, 9]] and first[1].tolist() == [1, 0]
    assert second[0].tolist() == [[1, 6], [3, 8], [5, 10]] and second[1].tolist() == [0, 1, 1]
    (own, other) = clients_of([table, first], COLUMNS, None)
    assert own[0].shape == (5, 2) and other is first
    for given, by, want in (
        ((["a", "c"], "y"), "who", "there is no column 'c'; the columns are who, a, b, y"),
        (COLUMNS, "owner", "there is no column 'owner'"),
        (COLUMNS, None, "one table for all clients: give by"),
        (None, "who", r"give columns=\(inputs, target\), of the columns a, b, y"),
    ):
        with pytest.raises(ValueError, match=want):
            clients_of(table, given, by)


def test_data_sets_of_images_and_transforms() -> None:
    datasets = pytest.importorskip("datasets")
    images = np.arange(24, dtype=np.uint8).reshape(3, 2, 4)
    made = datasets.Dataset.from_dict(
        {"image": images.tolist(), "label": [2, 0, 1]},
        features=datasets.Features({"image": datasets.Array2D((2, 4), "uint8"), "label": datasets.ClassLabel(3)}),
    )
    inputs, targets = of_table(made, None)
    assert np.array_equal(inputs, images) and targets.tolist() == [2, 0, 1]
    made.set_transform(lambda rows: {"image": [np.asarray(one) / 2 for one in rows["image"]], "label": rows["label"]})
    inputs, targets = of_table(made, ("image", "label"))
    assert np.array_equal(inputs, images / 2) and targets.tolist() == [2, 0, 1]


def test_shapes_that_differ() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [[1.0], [1.0, 2.0]], "y": [0, 1]})
    with pytest.raises(ValueError, match=r"values of the column 'x' have the shapes \(1,\), \(2,\)"):
        of_table(frame, None)
    frame = pandas.DataFrame({"x": [[1.0, 3.0], [1.0, 2.0]], "y": [0, 1]})
    assert of_table(frame, None)[0].tolist() == [[1, 3], [1, 2]]


def test_columns_without_a_table() -> None:
    one = (np.zeros((2, 2)), np.zeros(2))
    with pytest.raises(ValueError, match="columns are of tables, and no client has one"):
        clients_of([one], COLUMNS, None)
    with pytest.raises(ValueError, match="by names the column of clients of one table"):
        clients_of([one], None, "who")
