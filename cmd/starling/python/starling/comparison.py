"""Comparing two runs, or two arms, seed by seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ._program import call_json
from .frames import Table


@dataclass(frozen=True)
class Comparison:
    """The differences of two runs or arms, second minus first."""

    #: Where the scenarios differ: path, first, second, and whether that is another problem.
    scenarios: Table
    #: A row for each arm and metric: the mean difference over the seeds with its interval, p
    #: and Holm's p, and which side is better.
    differences: Table
    #: The difference under each seed.
    pairs: Table
    #: The confidence of the intervals.
    confidence: float
    #: The method by which p is corrected ("holm"), and for how many tests.
    correction: str
    tests: int

    def __repr__(self) -> str:
        return f"Comparison of {len(self.differences)} metrics, {len(self.scenarios)} differences of the scenarios"

    def _repr_html_(self) -> str:
        return self.scenarios._repr_html_() + self.differences._repr_html_()


def compare(first: str, second: str, different_problems: bool) -> Comparison:
    """Compare RUN[:ARM] with RUN[:ARM]."""
    flags = ["--different-problems"] if different_problems else []
    found: dict[str, Any] = call_json(["compare", first, second, *flags])
    pairs, rows = [], []
    for difference in found["differences"]:
        own = dict(difference)
        for pair in own.pop("pairs"):
            pairs.append({"arm": own["arm"], "metric": own["metric"], **pair})
        rows.append(own)
    return Comparison(
        scenarios=Table(pa.Table.from_pylist(found["scenarios"] or [])),
        differences=Table(pa.Table.from_pylist(rows)),
        pairs=Table(pa.Table.from_pylist(pairs)),
        confidence=found["confidence"],
        correction=found["correction"],
        tests=found["tests"],
    )
