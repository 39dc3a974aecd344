"""Graphs: the sections of scenarios that have them, and a look at one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import sections
from .given import Scenario
from .running import _values
from .studies import _asked


class Topology(sections.topology):
    """Describes the graph of a step: ``starling.topology(scenario)``. It has a function for each kind of
    graphs that a scenario can have, too: ``starling.topology.complete()``."""

    def __call__(
        self,
        scenario: Scenario,
        *,
        set: Mapping[str, Any] | None = None,
        data: str | os.PathLike[str] | None = None,
        arm: str | None = None,
        at: int | None = None,
        window: int | None = None,
        seed: int | None = None,
    ) -> dict[str, Any]:
        """Describe the graph of a step, and what its weights and windows of steps allow."""
        told: dict[str, Any] = _asked(
            ["topology", *_values(data=data, arm=arm, at=at, window=window, seed=seed)], scenario, set
        )
        return told


topology = Topology()
