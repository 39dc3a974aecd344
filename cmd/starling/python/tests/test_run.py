"""Running scenarios: what is handed to the program, and what becomes of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starling
from starling._program import binary

posix = pytest.mark.skipif(os.name == "nt", reason="interrupts are signals of POSIX")


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


def test_an_arm_that_fails(small: dict[str, Any], tmp_path: Path) -> None:
    arms = [{"name": "well", "set": {}}, {"name": "badly", "set": {"algorithm.theta": 0.01}}]
    with pytest.raises(starling.RunError, match="1 of 2 arms failed and is left out") as caught:
        starling.run({**small, "sweep": {"list": arms}}, out=tmp_path)
    run = caught.value.run
    assert run is not None and run.arms["arm"].tolist() == ["well"]
    assert set(run.summary["arm"].tolist()) == {"well"}
    (failure,) = run.failures
    assert (failure["arm"], failure["seed"], failure["step"], failure["node"]) == ("badly", 1, 1, 1)
    assert "over the bound 0.01" in failure["cause"]
    assert starling.open(run.folder).digest == run.digest


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


# The first seed goes through; the others wait for good at their second step.
HELD = """
import threading

class Held:
    def __init__(self, seed, nodes, horizon, dimension):
        self.held = seed > 1

    def gradient(self, x, nodes, step):
        if self.held and step > 1:
            threading.Event().wait()
        return x

    def loss(self, x, nodes, step):
        return (x * x).sum(axis=1) / 2
"""


@pytest.fixture
def held(tmp_path: Path) -> dict[str, Any]:
    """A scenario that does not end by itself."""
    file = tmp_path / "held.py"
    file.write_text(HELD)
    return {
        "version": 1,
        "name": "held",
        "horizon": 4,
        "nodes": 2,
        "algorithm": {"kind": "dsgd"},
        "problem": {
            "kind": "python",
            "file": str(file),
            "name": "Held",
            "set": {"kind": "l2-ball", "dimension": 2, "radius": 1},
            "gradient_bound": 1,
        },
        "topology": {"kind": "complete"},
        "mechanism": {"kind": "laplace", "epsilon": 1},
        "seeds": {"base": 1, "count": 3},
    }


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Interrupts raise KeyboardInterrupt, as they do in a terminal and in a notebook. A shell
    has a program that it starts in the background ignore them, and so these tests, too."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def no_interrupts() -> Iterator[None]:
    """Interrupts are ignored, as they are in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


def programs() -> list[str]:
    """The command lines of the programs that this process has started and that run, whole: ps
    cuts them where a library has set COLUMNS."""
    command = ["ps", "-ww", "-o", "args=", "--ppid", str(os.getpid())]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [line for line in lines if line.startswith(binary())]


@posix
@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_ends_the_program_and_the_run_goes_on(held: dict[str, Any], tmp_path: Path) -> None:
    began = threading.Event()
    there: list[str] = []

    def interrupt() -> None:
        began.wait()
        there.extend(programs())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        starling.run(held, out=tmp_path, progress=lambda event: began.set() if event.runs else None)
    thread.join()
    assert len(there) == 1 and programs() == []
    steps: list[int] = []
    with pytest.raises(StopIteration):
        starling.run(held, out=tmp_path, resume=True, progress=lambda event: _stop(steps, event))
    assert max(steps) > 0


@posix
@pytest.mark.usefixtures("no_interrupts")
def test_a_function_that_raises_ends_the_program_where_interrupts_are_ignored(
    held: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(StopIteration):
        starling.run(held, out=tmp_path, progress=lambda event: _stop([], event))
    assert programs() == []


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
    values of Python, which takes longer than all else. Starting a program takes not even pyarrow,
    and names that need it are there all the same."""
    code = "import sys, starling; print({'pyarrow', 'numpy'} & set(sys.modules), sorted(set(starling.__all__) - set(dir(starling))))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set() []"
    code = (
        f"import sys, starling; starling.open({str(run.folder)!r}).summary; "
        "print(sorted({'polars', 'pandas', 'matplotlib', 'IPython'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_package_says_that_it_has_types() -> None:
    assert (Path(starling.__file__).parent / "py.typed").exists()
