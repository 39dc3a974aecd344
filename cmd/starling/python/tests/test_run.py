"""Running scenarios: what is handed to the program, and what becomes of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starling


def test_a_dict_and_a_file_are_the_same_run(small: dict[str, Any], run: starling.Run, tmp_path: Path) -> None:
    import json

    file = tmp_path / "small.yaml"
    file.write_text(json.dumps(small))
    assert starling.run(file, out=tmp_path).digest == run.digest
    assert starling.run(str(file), out=tmp_path, engine="lockstep").digest == run.digest


def test_a_dict_extends_a_file(small: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import json

    (tmp_path / "base.yaml").write_text(json.dumps(small))
    monkeypatch.chdir(tmp_path)
    extended = starling.run({"name": "more", "extends": "base.yaml", "horizon": 6})
    assert extended.scenario == "more" and extended.manifest["horizon"] == 6
    assert extended.folder.parts[0] == "results"


def test_values_are_replaced(small: dict[str, Any], tmp_path: Path) -> None:
    changed = starling.run(
        small,
        out=tmp_path,
        seeds=1,
        set={"mechanism.epsilon": np.float64(0.25), "algorithm.start": np.array([0.5, 0]), "sweep": None},
    )
    values = {row["key"]: row["value"] for row in changed.parameters.to_arrow().to_pylist()}
    assert values["mechanism.epsilon"] == "0.25"
    assert values["algorithm.start"] == "[0.5,0.0]"
    assert changed.manifest["seeds"]["count"] == 1


def test_a_sparse_value_is_refused(small: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(starling.InputError, match="cannot hold a value"):
        starling.run(small, out=tmp_path, set={"horizon": float("nan")})
    with pytest.raises(starling.InputError, match="is no number, text, list or dict"):
        starling.validate({**small, "horizon": object()})


def test_all_faults_are_told(small: dict[str, Any], tmp_path: Path) -> None:
    wrong = {**small, "horizon": 0, "algorithm": {"kind": "dpdonk"}}
    with pytest.raises(starling.InputError) as caught:
        starling.run(wrong, out=tmp_path)
    faults = caught.value.faults
    assert [f.path for f in faults] == ["horizon", "algorithm.kind"]
    assert faults[0].message == "0 steps; want 1 to 10000000"
    assert 'did you mean "dpdonc"' in faults[1].message
    assert all(f.file == "the dict" and f.line > 1 and f.column > 1 for f in faults)
    assert caught.value.path == "horizon" and caught.value.line == faults[0].line
    assert not list(tmp_path.iterdir())


def test_a_scenario_that_is_not_there() -> None:
    with pytest.raises(starling.InputError, match='did you mean "dpdonc-localization"') as caught:
        starling.run("dpdonc-localisation")
    assert caught.value.line == 0
    assert isinstance(caught.value, ValueError)


def test_a_run_that_fails(small: dict[str, Any], tmp_path: Path) -> None:
    failing = {**small, "algorithm": {**small["algorithm"], "theta": 0.01}}
    with pytest.raises(starling.RunError, match="step 1, node 1: the gradient has length"):
        starling.run(failing, out=tmp_path)


def test_progress_is_told(small: dict[str, Any], tmp_path: Path) -> None:
    events: list[starling.Event] = []
    starling.run(small, out=tmp_path, progress=events.append)
    assert events[0].steps == 0 and events[0].share == 0
    assert events[-1].runs == events[-1].of_runs == 6
    assert events[-1].share == 1 and "writing the results" in events[-1].text()


def test_the_terminal_shows_a_bar(small: dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    starling.run(small, out=tmp_path, progress=True)
    told = capfd.readouterr().err
    assert "6/6 runs 100 %" in told and told.endswith("\r\x1b[2K")


LONG = {"horizon": 100_000, "measure": {"every": 50_000}}


@pytest.mark.skipif(os.name == "nt", reason="interrupts are signals of POSIX")
def test_an_interrupt_ends_the_program_and_the_run_goes_on(small: dict[str, Any], tmp_path: Path) -> None:
    long = {**small, **LONG, "name": "long", "seeds": {"base": 1, "count": 40}}
    began = threading.Event()

    def interrupt() -> None:
        began.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        starling.run(long, out=tmp_path, progress=lambda event: began.set() if event.runs else None)
    thread.join()
    children = subprocess.run(
        ["ps", "-o", "args=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=False
    )
    assert "starling" not in children.stdout
    steps: list[int] = []
    with pytest.raises(StopIteration):  # what a function of one's own raises ends the program, too
        starling.run(long, out=tmp_path, resume=True, progress=lambda event: _stop(steps, event))
    assert max(steps) > 0


def _stop(steps: list[int], event: starling.Event) -> None:
    steps.append(event.steps)
    if event.steps > 0:
        raise StopIteration


def test_the_program_finds_this_python(monkeypatch: pytest.MonkeyPatch) -> None:
    from starling._program import environment

    monkeypatch.delenv("STARLING_PYTHON", raising=False)
    assert environment()["STARLING_PYTHON"] == sys.executable


def test_there_is_no_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STARLING_BINARY", str(tmp_path / "nothing"))
    with pytest.raises(starling.RunError, match="cannot be started"):
        starling.scenarios()


def test_a_program_that_breaks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho panic: at the first step >&2\nexit 2\n")
    broken.chmod(0o755)
    monkeypatch.setenv("STARLING_BINARY", str(broken))
    with pytest.raises(starling.RunError, match="ended with the code 2: panic: at the first step"):
        starling.scenarios()


def test_the_command_line() -> None:
    done = subprocess.run([sys.executable, "-m", "starling", "version"], capture_output=True, text=True, check=False)
    assert done.stdout.startswith(f"starling {starling.__version__}, build ")


def test_it_starts_soon(run: starling.Run) -> None:
    """Reading a summary takes no library but what tables need: pyarrow imports pandas to convert
    values of Python, which takes longer than all else."""
    code = (
        f"import sys, starling; starling.open({str(run.folder)!r}).summary; "
        "print(sorted({'polars', 'pandas', 'matplotlib', 'IPython'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_package_says_that_it_has_types() -> None:
    assert (Path(starling.__file__).parent / "py.typed").exists()
