"""Errors: what they say, and that they cross to another process."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

import starling


def test_errors_cross_to_another_process(small: dict[str, Any]) -> None:
    wrong = {**small, "horizon": 0}
    with ProcessPoolExecutor(1) as pool, pytest.raises(starling.InputError) as caught:
        pool.submit(starling.validate, wrong).result()
    assert str(caught.value) == "horizon: 0 steps; want 1 to 10000000"
    assert caught.value.faults[0].path == "horizon"


def test_a_failed_run_crosses_with_what_went_well(run: starling.Run) -> None:
    error = starling.RunError([starling.Fault("it failed")])
    error.run = run
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is starling.RunError and str(again) == "it failed"
    assert again.run is not None and again.run.digest == run.digest


@pytest.mark.parametrize("name", ["seeds", "shards", "cores"])
def test_numbers_that_are_none(small: dict[str, Any], name: str) -> None:
    for value in ([1, 2, 3], 2.5, True, "4"):
        with pytest.raises(starling.InputError, match=f"{name}: .* is no whole number"):
            starling.run(small, **{name: value})
    with pytest.raises(starling.InputError, match=r"seeds.base in set is the first of them"):
        starling.run(small, seeds=[1, 2, 3])  # type: ignore[arg-type]


def test_numpy_has_whole_numbers(small: dict[str, Any], tmp_path: Any) -> None:
    assert starling.run(small, seeds=np.int64(1), out=tmp_path).manifest["seeds"]["count"] == 1  # type: ignore[arg-type]


def test_a_fault_of_a_value_that_is_set(small: dict[str, Any]) -> None:
    with pytest.raises(starling.InputError) as caught:
        starling.validate(small, set={"horizon": 0})
    (fault,) = caught.value.faults
    assert (fault.file, fault.path) == ('set["horizon"]', "horizon")
    assert "--set" not in str(caught.value)


def test_a_fault_of_a_dict_has_its_path_alone(small: dict[str, Any]) -> None:
    with pytest.raises(starling.InputError) as caught:
        starling.validate({**small, "nodes": -3})
    assert str(caught.value).startswith("nodes: ")


def test_a_scenario_that_is_too_long(small: dict[str, Any]) -> None:
    with pytest.raises(starling.InputError) as caught:
        starling.validate({**small, "problem": {**small["problem"], "options": {"w": np.zeros(500_000)}}})
    assert caught.value.path == "problem.options.w"
    assert "numpy.save" in str(caught.value)


def test_what_a_scenario_cannot_hold(small: dict[str, Any]) -> None:
    class Mine:
        pass

    for value, says in ((Mine, "give it as class, such as"), (object(), "is no number")):
        with pytest.raises(starling.InputError, match=says):
            starling.validate({**small, "problem": {"kind": "python", "name": value}})
    polars = pytest.importorskip("polars")
    with pytest.raises(starling.InputError, match="a frame: give it as file"):
        starling.validate({**small, "problem": polars.DataFrame({"a": [1]})})


def test_columns_that_are_not_there(run: starling.Run) -> None:
    with pytest.raises(KeyError, match=r"did you mean 'mechanism.epsilon'"):
        run.summary.where(epsilon=1)
    with pytest.raises(KeyError, match=r"did you mean 'metric'"):
        run.summary["metrc"]
    with pytest.raises(KeyError, match=r"there are arm, "):
        run.summary["nope"]


def test_warnings_of_a_run_are_warnings(small: dict[str, Any], tmp_path: Any) -> None:
    with pytest.warns(UserWarning) as caught:
        run = starling.run(small, out=tmp_path)
    told = [str(w.message) for w in caught if w.category is UserWarning]
    assert run.warnings and told == run.warnings[:5]
