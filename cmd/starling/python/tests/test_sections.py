"""Scenarios by the functions of sections."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import starling
from starling import _generate, sections
from starling._program import call

DEFINITIONS: dict[str, Any] = starling.schema()["$defs"]


def test_the_sections_are_those_of_the_schema() -> None:
    path = Path(sections.__file__)
    assert path.read_text("utf-8") == _generate.text(), f"the schema has changed: python -m starling._generate {path}"


def built(value: Any, schema: dict[str, Any]) -> Any:
    """A value of a scenario, with every section by its function."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        if isinstance(value, dict) and "oneOf" in DEFINITIONS[name]:
            (kind,) = (one for one in DEFINITIONS[name]["oneOf"] if one["title"] == value["kind"])
            given = {_generate._name(k): built(v, kind["properties"][k]) for k, v in value.items() if k != "kind"}
            return getattr(getattr(starling, name), _generate._name(value["kind"]))(**given)
        return built(value, DEFINITIONS[name])
    if isinstance(value, list):
        return [built(one, schema.get("items", {})) for one in value]
    if isinstance(value, dict):
        return {k: built(v, schema.get("properties", {}).get(k, {})) for k, v in value.items()}
    return value


@pytest.mark.parametrize("name", starling.scenarios())
def test_scenarios_of_the_library_by_functions(name: str) -> None:
    values = json.loads(call(["show", "--json", name]))["values"]
    given = {k: v for k, v in values.items() if k != "version"}
    if "extends" in values:
        assert starling.extended(given.pop("extends"), **given) == values
    else:
        known = DEFINITIONS["scenario"]["properties"]
        assert starling.scenario(**{k: built(v, known[k]) for k, v in given.items()}) == values


def test_a_scenario_by_functions_is_the_same_run(run: starling.Run, small: dict[str, Any], out: Path) -> None:
    scenario = starling.scenario(
        name="small",
        horizon=12,
        nodes=3,
        algorithm=starling.algorithm.dpdonc(divergence=starling.divergence.euclidean(scale=0.5), start=[0, 0]),
        problem=starling.problem.localization(
            set=starling.set.l1_ball(dimension=2, radius=3), sensors={"circle": {"radius": 4}}
        ),
        topology=starling.topology.complete(),
        mechanism=starling.mechanism.laplace(epsilon=1),
        seeds={"base": 1, "count": 2},
        sweep={"grid": {"mechanism.epsilon": [0.5, 1, "none"]}},
    )
    assert scenario == small
    again = starling.run(scenario, out=out)
    assert again.folder == run.folder


def test_functions_say_what_keys_are() -> None:
    text = starling.algorithm.dpfl.__doc__ or ""
    assert "local steps in a round, tau" in text and text.startswith("DPFL: federated learning")
    assert "laplace" in dir(starling.mechanism)
    with pytest.raises(TypeError, match="epsilom"):
        starling.mechanism.laplace(epsilom=1)  # type: ignore[call-arg]


def test_a_scenario_that_changes_another(tmp_path: Path) -> None:
    scenario = starling.extended("dpdonc-localization", "shorter", horizon=20, sweep=None)
    assert len(starling.dry_run(scenario)["arms"]) == 1
