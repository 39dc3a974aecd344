"""What is done with scenarios besides running them, and runs in parts."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import starling
from starling._program import call


def test_a_forecast_writes_nothing(small: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = starling.dry_run(small, seeds=3)
    assert told["seeds"] == 3 and len(told["arms"]) == 3
    assert not list(tmp_path.iterdir())


def test_a_scenario_as_yaml_is_the_same_run(small: dict[str, Any], run: starling.Run, tmp_path: Path) -> None:
    file = tmp_path / "again.yaml"
    for resolved in (False, True):
        file.write_text(starling.to_yaml(small, resolved=resolved))
        assert starling.run(file, out=tmp_path).digest == run.digest
    assert "horizon: 7" in starling.to_yaml(small, set={"horizon": 7}).replace("'", "").replace('"', "")


@pytest.mark.parametrize("name", ["tiers", "dpdonc-localization", "compare-families"])
def test_scenarios_of_the_library_stay_equal_as_yaml(name: str, tmp_path: Path) -> None:
    values = json.loads(call(["show", "--json", name]))["values"]
    file = tmp_path / "again.yaml"
    file.write_text(starling.to_yaml({**values, "description": "x: #1 [", "paper": {"title": "no"}}))
    again = json.loads(call(["show", "--json", str(file)]))["values"]
    assert again == {**values, "description": "x: #1 [", "paper": {"title": "no"}}
    assert "\nhorizon: " in file.read_text()


def test_a_run_in_parts_by_a_pool(small: dict[str, Any], run: starling.Run, tmp_path: Path) -> None:
    task = partial(starling.run_part, small, of=3, out=tmp_path)
    with ProcessPoolExecutor(2) as pool:
        folders = list(pool.map(task, [1, 2, 3]))
    assert starling.merge(folders, out=tmp_path).digest == run.digest
    with pytest.raises(starling.InputError):
        starling.run_part(small, 4, 3, out=tmp_path)


def test_the_graph_of_a_scenario(small: dict[str, Any]) -> None:
    assert starling.topology(small, window=2)["nodes"] == 3


def test_an_audit_finds_no_more_than_the_ledger(small: dict[str, Any]) -> None:
    losses = starling.audit(small, samples=300)
    assert losses


def test_claims_are_decided(tmp_path: Path) -> None:
    with pytest.raises(starling.InputError):
        starling.reproduce("nothing", out=tmp_path)


def test_runs_are_shown_in_a_line(run: starling.Run, out: Path) -> None:
    assert len(repr(starling.runs(out))) < 300
