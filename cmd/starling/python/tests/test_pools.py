"""Runs in parts by executors."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import starling


def test_an_executor_of_threads(small: dict[str, Any], run: starling.Run, tmp_path: Path) -> None:
    events: list[starling.Event] = []
    with ThreadPoolExecutor(2) as pool:
        again = starling.run(small, executor=pool, parts=3, out=tmp_path, progress=events.append)
    assert again.digest == run.digest and again.folder.name == run.folder.name
    assert events[-1].share == 1 and events[-1].of_runs == 3
    assert [f["sha256"] for f in again.manifest["files"]] == [f["sha256"] for f in run.manifest["files"]]


def test_an_executor_of_processes(small: dict[str, Any], run: starling.Run, tmp_path: Path) -> None:
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        started = starling.start(small, executor=pool, out=tmp_path)  # in as many parts as there are workers
        again = started.wait(120)
        assert again.digest == run.digest
        assert sorted(path.name for path in (again.folder / "parts").iterdir()) == ["1-of-2", "2-of-2"]
        assert starling.run(small, executor=pool, out=tmp_path).manifest == again.manifest  # is there already
        assert starling.run(small, executor=pool, out=tmp_path, again=True).digest == run.digest


class Dying:
    """Has tasks done at once, but ends the process of one."""

    def __init__(self, pool: ProcessPoolExecutor, part: int) -> None:
        self._pool, self._part = pool, part

    def submit(self, task: Callable[..., Any], *args: Any) -> Future[Any]:
        return self._pool.submit(os._exit, 1) if args[0] == self._part else self._pool.submit(task, *args)


def test_a_task_that_dies(small: dict[str, Any], run: starling.Run, tmp_path: Path) -> None:
    with (
        ProcessPoolExecutor(1) as pool,
        pytest.raises(starling.RunError, match="part 2 of 3 was not made: BrokenProcessPool"),
    ):
        starling.run(small, executor=Dying(pool, 2), parts=3, out=tmp_path)
    parts = tmp_path / "small" / run.folder.name / "parts"
    assert [path.name for path in parts.iterdir()] == ["1-of-3"]
    with ThreadPoolExecutor(1) as pool:
        assert starling.run(small, executor=pool, parts=3, out=tmp_path).digest == run.digest


def test_errors_of_parts_are_those_of_the_run(small: dict[str, Any], tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        with pytest.raises(starling.InputError, match="horizon: 0 steps"):
            starling.run({**small, "horizon": 0}, executor=pool, out=tmp_path)
        with pytest.raises(starling.InputError, match="without workers"):
            starling.run(small, executor=pool, workers="local:2", out=tmp_path)
        with pytest.raises(starling.InputError, match="0 parts"):
            starling.run(small, executor=pool, parts=0, out=tmp_path)
    with pytest.raises(starling.InputError, match="no executor"):
        starling.run(small, parts=2, out=tmp_path)


def test_arms_that_fail_in_parts(small: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "class Own:\n"
        "    def __init__(self, seed, nodes, horizon, dimension, after=100):\n"
        "        self.after = after\n"
        "    def loss(self, x, nodes, step):\n"
        "        return (x * x).sum(axis=1)\n"
        "    def gradient(self, x, nodes, step):\n"
        "        return 2 * x / (step < self.after)\n"
    )
    own = {
        **small,
        "algorithm": {"kind": "dsgd"},
        "problem": {
            "kind": "python",
            "file": str(tmp_path / "own.py"),
            "name": "Own",
            "set": {"kind": "l2-ball", "dimension": 2, "radius": 1},
            "gradient_bound": 2,
        },
        "sweep": {"grid": {"problem.options.after": [5, 100]}},
    }
    with ThreadPoolExecutor(2) as pool, pytest.raises(starling.RunError) as caught:
        starling.run(own, executor=pool, out=tmp_path, cores=1)
    assert caught.value.run is not None and len(caught.value.run.failures) == 1
