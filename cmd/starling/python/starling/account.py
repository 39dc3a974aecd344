"""Calibrate noise to a privacy loss, or account the loss of noise.

No privacy parameter has a default.
"""

from __future__ import annotations

from typing import Any

from ._program import call_json


def gaussian(*, epsilon: float, delta: float, sensitivity: float, accountant: str = "exact") -> dict[str, Any]:
    """Calibrate Gaussian noise to (epsilon, delta): ``sigma``, its standard deviation where one
    datum moves the vector by at most ``sensitivity`` in 2-norm, and ``rho``."""
    found: dict[str, Any] = call_json(
        [
            "account",
            "gaussian",
            f"--epsilon={epsilon}",
            f"--delta={delta}",
            f"--sensitivity={sensitivity}",
            f"--accountant={accountant}",
        ]
    )
    return found


def sampled_gaussian(
    *,
    q: float,
    sigma: float,
    delta: float,
    steps: int | None = None,
    budget: float | None = None,
    accountant: str = "pld",
) -> dict[str, Any]:
    """Account steps of the sampled Gaussian mechanism with sampling rate q and noise multiplier
    sigma: the ``epsilon`` of a number of steps, or how many ``steps`` a budget allows."""
    arguments = [
        "account",
        "sampled-gaussian",
        f"--q={q}",
        f"--sigma={sigma}",
        f"--delta={delta}",
        f"--accountant={accountant}",
    ]
    if steps is not None:
        arguments.append(f"--steps={steps}")
    if budget is not None:
        arguments.append(f"--budget={budget}")
    found: dict[str, Any] = call_json(arguments)
    return found
