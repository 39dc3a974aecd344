"""What the program knows without a run."""

from __future__ import annotations

import pytest

import starling


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
    spent = starling.account.sampled_gaussian(q=0.015, sigma=1.1, steps=1000, delta=1e-5)
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
