"""What the program knows without a run."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable

import pytest

import starling
from starling._program import call


def test_kinds_are_described() -> None:
    (dpdonc,) = starling.describe("dpdonc")
    assert dpdonc["section"] == "algorithm" and any(o["key"] == "step.scale" for o in dpdonc["options"])
    with pytest.raises(starling.InputError, match="dpdonc"):
        starling.describe("dpdonk")


def test_the_schema_is_one() -> None:
    assert starling.schema()["$schema"].startswith("https://json-schema.org/")


def test_the_library_is_listed() -> None:
    assert "expected regret" in " ".join(starling.scenarios().values()) or "dpdonc-localization" in starling.scenarios()


def test_noise_is_calibrated() -> None:
    found = starling.account.gaussian(epsilon=2, delta=1e-3, sensitivity=1)
    assert found["sigma"] == pytest.approx(1.4452391609297834, rel=1e-12)
    back = starling.account.gaussian(sigma=found["sigma"], delta=1e-3, sensitivity=1)
    assert back["epsilon"] == pytest.approx(2, rel=1e-9) and back["rho"] == pytest.approx(found["rho"])
    pure = starling.account.laplace(epsilon=1, sensitivity=2)
    assert pure["scale"] == 2 and starling.account.laplace(scale=2, sensitivity=2, releases=3)["epsilon"] == 3
    spent = starling.account.sampled_gaussian(q=0.015, sigma=1.1, steps=1000, delta=1e-5, accountant="rdp")
    sharp = starling.account.sampled_gaussian(q=0.015, sigma=1.1, steps=1000, delta=1e-5)
    assert sharp["epsilon"] < spent["epsilon"] and sharp["order"] is None  # by pld, which has no order
    assert spent["epsilon"] == pytest.approx(3.0789459978681233, rel=1e-9)
    within = starling.account.sampled_gaussian(
        q=0.015, sigma=1.1, budget=spent["epsilon"], delta=1e-5, accountant="rdp"
    )
    assert within["steps"] == 1000
    with pytest.raises(starling.InputError, match="epsilon"):
        starling.account.gaussian(epsilon=-1, delta=1e-3, sensitivity=1)


def test_sums_are_factorized() -> None:
    plain = starling.factorize("toeplitz", 64)
    assert plain["mse"] == pytest.approx(4.971457167923639, rel=1e-9)
    assert "sigma" in starling.factorize("toeplitz", 64, epsilon=1, delta=1e-5, accountant="zcdp")
    assert starling.factorize("banded-toeplitz", 64, bands=4)["mse"] > plain["mse"]
    twice = starling.factorize("banded-toeplitz", 64, bands=4, times=2, apart=16)
    assert starling.factorize("banded-toeplitz", 64, bands=4, times=2, apart=16, fit=True)["mse"] < twice["mse"]


# Flags for people, of files that Python has otherwise, and of machines that authenticate each other.
ELSEWHERE = {
    "run": "dry-run help join json listen part quiet stall tls-ca tls-cert tls-key wait",
    "factorize": "help json plot",
    "account gaussian": "help json",
    "account laplace": "help json",
    "account sampled-gaussian": "help json",
}


@pytest.mark.parametrize(
    ("verb", "function"),
    [
        ("run", starling.run),
        ("factorize", starling.factorize),
        ("account gaussian", starling.account.gaussian),
        ("account laplace", starling.account.laplace),
        ("account sampled-gaussian", starling.account.sampled_gaussian),
    ],
)
def test_functions_take_what_verbs_take(verb: str, function: Callable[..., object]) -> None:
    own, _, _ = call([*verb.split(), "--help"]).partition("Global Flags:")
    flags = set(re.findall(r"^ +(?:-\w, |    )--([\w-]+)", own, re.MULTILINE))
    given = {name.replace("_", "-") for name in inspect.signature(function).parameters}
    assert flags and flags - given == set(ELSEWHERE[verb].split())
