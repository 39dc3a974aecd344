"""What the program knows without a run: kinds, metrics, the schema, factorizations."""

from __future__ import annotations

import json
from typing import Any

from ._program import call, call_json


def describe(kind: str) -> list[dict[str, Any]]:
    """Say what a kind or a metric is: its summary, papers, options, examples, and what it goes
    with; one dict for each section that has a kind of the name."""
    described: list[dict[str, Any]] = call_json(["describe", kind])
    return described


def schema() -> dict[str, Any]:
    """The JSON Schema of scenario files."""
    found: dict[str, Any] = json.loads(call(["schema"]))
    return found


def scenarios() -> dict[str, str]:
    """The scenarios of the library: what each is, by its name."""
    return {entry["kind"]: entry["summary"] for entry in call_json(["list", "scenarios"])["scenarios"]}


def factorize(
    kind: str,
    n: int,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    sensitivity: float | None = None,
    accountant: str | None = None,
    gap: float | None = None,
    bands: int | None = None,
    buffers: int | None = None,
    chains: int | None = None,
    times: int | None = None,
    apart: int | None = None,
    fit: bool = False,
    memory: str | None = None,
) -> dict[str, Any]:
    """Factorize the n x n lower triangle of ones, and say what correlated noise on n prefix
    sums costs: ``mse``, ``max_error``, ``sensitivity``, ``gap``; with epsilon and delta also
    ``sigma`` and ``rmse``. A record takes part in ``times`` inputs at most, ``apart`` steps apart
    at least, and ``fit`` fits what can be fitted to that. ``memory`` limits the memory, such as
    ``"4GiB"``."""
    given = {
        "epsilon": epsilon, "delta": delta, "sensitivity": sensitivity, "accountant": accountant,
        "gap": gap, "bands": bands, "buffers": buffers, "chains": chains, "times": times, "apart": apart,
        "memory": memory,
    }  # fmt: skip
    flags = [f"--{name}={value}" for name, value in given.items() if value is not None]
    if fit:
        flags.append("--fit")
    found: dict[str, Any] = call_json(["factorize", f"--kind={kind}", f"--n={n}", *flags])
    return found
