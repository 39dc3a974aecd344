"""Runs in the background, and several callers of one run."""

from __future__ import annotations

import asyncio
import os
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import starling


@pytest.fixture
def long(small: dict[str, Any]) -> dict[str, Any]:
    """A run of many seconds."""
    return {**small, "name": "long", "horizon": 9_000_000, "measure": {"every": 90_000}, "sweep": None, "plots": []}


def until(true: Any, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)


def test_a_run_in_the_background(small: dict[str, Any], run: starling.Run, tmp_path: Path) -> None:
    started = starling.start(small, out=tmp_path)
    assert started.wait(60).digest == run.digest
    assert started.done() and started.event is not None and started.event.share == 1


def test_metrics_and_folder_of_a_run_that_goes_on(long: dict[str, Any], tmp_path: Path) -> None:
    started = starling.start(long, out=tmp_path)
    until(lambda: started.metrics or started.done())
    assert not started.done(), "it was over before a metric was seen"
    step, value = started.metrics["base"]["consensus.error"]
    assert 0 < step <= 9_000_000 and value >= 0
    assert Path(started.folder).is_dir() and started.event is not None and started.event.folder == started.folder
    with pytest.raises(TimeoutError):
        started.wait(0.01)
    started.cancel()
    with pytest.raises(CancelledError):
        started.wait(60)
    assert started.done()


def test_an_unfinished_run_is_opened(long: dict[str, Any], tmp_path: Path) -> None:
    swept = {**long, "sweep": {"grid": {"mechanism.epsilon": [0.5, "none"]}}}
    started = starling.start(swept, out=tmp_path)
    until(lambda: started.metrics or started.done())
    with pytest.raises(starling.InputError, match="unfinished=True"):
        starling.open(started.folder)
    going = starling.open(started.folder, unfinished=True)
    assert isinstance(going, starling.Unfinished) and going.state == "running" and going.scenario == "long"
    started.cancel()
    with pytest.raises(CancelledError):
        started.wait(60)
    stopped = starling.open(started.folder, unfinished=True)
    assert isinstance(stopped, starling.Unfinished) and stopped.state == "stopped" and 0 < stopped.event.share < 1
    step, mean = stopped.metrics["epsilon=0.5"]["consensus.error"]
    rows = stopped.summary.where(arm="epsilon=0.5", metric="consensus.error").to_arrow().to_pylist()
    assert rows[-1]["step"] == step and rows[-1]["mean"] == mean and rows[-1]["mechanism.epsilon"] == 0.5
    assert "horizon: 9000000" in stopped.text and stopped.id == stopped.folder.name
    stopped.progress |= {"state": "running", "process": 2**22 + 1}  # more than any process has
    assert os.name != "posix" or stopped.state == "killed"
    with pytest.raises(starling.InputError, match="no run has begun"):
        starling.open(tmp_path, unfinished=True)


def test_a_complete_run_is_no_unfinished_one(run: starling.Run) -> None:
    found = starling.open(run.folder, unfinished=True)
    assert isinstance(found, starling.Run) and found.digest == run.digest


def test_what_was_cancelled_goes_on(long: dict[str, Any], tmp_path: Path) -> None:
    saved = {**long, "horizon": 300_000, "checkpoint": {"every": 10_000}}
    first = starling.start(saved, out=tmp_path)
    until(lambda: first.event is not None and first.event.steps > 20_000)
    first.cancel()
    with pytest.raises(CancelledError):
        first.wait(60)
    again = starling.start(saved, out=tmp_path, resume=True)
    until(lambda: again.event is not None)
    assert again.wait(120).digest == starling.run(saved, out=tmp_path / "straight").digest


def test_errors_of_a_run_in_the_background(small: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(starling.InputError, match="horizon: 0 steps"):
        starling.start({**small, "horizon": 0}, out=tmp_path).wait(60)


def test_a_run_that_is_awaited(small: dict[str, Any], long: dict[str, Any], run: starling.Run, tmp_path: Path) -> None:
    async def awaited() -> starling.Run:
        return await starling.start(small, out=tmp_path)

    assert asyncio.run(awaited()).digest == run.digest
    started: list[starling.Started] = []

    async def given_up() -> None:
        started.append(starling.start(long, out=tmp_path))
        await asyncio.wait_for(started[0], 1)

    began = time.monotonic()
    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(given_up())
    until(started[0].done)
    assert time.monotonic() - began < 30


def test_a_second_caller_waits(long: dict[str, Any], tmp_path: Path) -> None:
    short = {**long, "horizon": 400_000}
    with ThreadPoolExecutor(3) as pool:
        runs = list(pool.map(lambda _: starling.run(short, out=tmp_path), range(3)))
    assert len({run.digest for run in runs}) == 1 and len({run.folder for run in runs}) == 1
