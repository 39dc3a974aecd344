"""A small run that the tests share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import starling

SMALL: dict[str, Any] = {
    "version": 1,
    "name": "small",
    "horizon": 12,
    "nodes": 3,
    "algorithm": {"kind": "dpdonc", "divergence": {"kind": "euclidean", "scale": 0.5}, "start": [0, 0]},
    "problem": {
        "kind": "localization",
        "set": {"kind": "l1-ball", "dimension": 2, "radius": 3},
        "sensors": {"circle": {"radius": 4}},
    },
    "topology": {"kind": "complete"},
    "mechanism": {"kind": "laplace", "epsilon": 1},
    "seeds": {"base": 1, "count": 2},
    "sweep": {"grid": {"mechanism.epsilon": [0.5, 1, "none"]}},
}


@pytest.fixture(scope="session")
def small() -> dict[str, Any]:
    return SMALL


@pytest.fixture(scope="session")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="session")
def run(out: Path) -> starling.Run:
    return starling.run(SMALL, out=out)
