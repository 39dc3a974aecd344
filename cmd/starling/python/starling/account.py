"""Calibrate noise to a privacy loss, or account the loss of noise.

No privacy parameter has a default.
"""

from __future__ import annotations

from typing import Any

from ._program import call_json


def gaussian(
    *,
    epsilon: float | None = None,
    sigma: float | None = None,
    delta: float,
    sensitivity: float,
    accountant: str = "exact",
) -> dict[str, Any]:
    """Calibrate Gaussian noise to (epsilon, delta): ``sigma``, its standard deviation where one
    datum moves the vector by at most ``sensitivity`` in 2-norm, and ``rho``. Of ``sigma`` in place of ``epsilon``, the
    ``epsilon`` of that noise."""
    arguments = [
        "account",
        "gaussian",
        f"--delta={delta}",
        f"--sensitivity={sensitivity}",
        f"--accountant={accountant}",
    ]
    return _asked(arguments, epsilon=epsilon, sigma=sigma)


def laplace(
    *,
    epsilon: float | None = None,
    scale: float | None = None,
    sensitivity: float,
    releases: int = 1,
    delta: float = 0,
) -> dict[str, Any]:
    """Calibrate Laplace noise to the ``epsilon`` of all releases: its ``scale``, where one datum moves the vector by at
    most ``sensitivity`` in 1-norm. Of ``scale`` in place of ``epsilon``, the ``epsilon`` of that noise. The losses
    of releases add up, or compose at ``delta``."""
    arguments = ["account", "laplace", f"--sensitivity={sensitivity}", f"--releases={releases}", f"--delta={delta}"]
    return _asked(arguments, epsilon=epsilon, scale=scale)


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
    return _asked(arguments, steps=steps, budget=budget)


def _asked(arguments: list[str], **options: float | None) -> dict[str, Any]:
    """The answer to arguments, with the options that are given."""
    given = [f"--{name}={value}" for name, value in options.items() if value is not None]
    found: dict[str, Any] = call_json([*arguments, *given])
    return found
