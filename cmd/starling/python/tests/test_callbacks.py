"""Runs in the tools that log experiments, without a network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import starling
from starling import callbacks


class Kept(callbacks.Callback):
    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, dict[int, float]] = {}
        self.about: Any = "nothing"

    def log(self, values: Mapping[str, float], step: int) -> None:
        for name, value in values.items():
            self.values.setdefault(name, {})[step] = value

    def end(self, about: Mapping[str, str] | None) -> None:
        self.about = about


def last(run: starling.Run, arm: str = "epsilon=1", metric: str = "regret.run") -> float:
    mean: float = run.summary.where(arm=arm, metric=metric)["mean"][-1]
    return mean


def test_a_callback_of_ones_own(small: dict[str, Any], tmp_path: Path) -> None:
    kept = Kept()
    run = starling.run(small, out=tmp_path, progress=kept)
    assert kept.about == {"scenario": "small", "run": run.id, "digest": run.digest}
    assert kept.values["epsilon=1/regret.run"][12] == last(run)
    failed = Kept()
    with pytest.raises(starling.InputError):
        starling.run({**small, "horizon": 0}, out=tmp_path, progress=failed)
    assert failed.about is None and not failed.values


def test_values_so_far(small: dict[str, Any], tmp_path: Path) -> None:
    kept = Kept()
    long = {**small, "horizon": 1_500_000, "measure": {"every": 15_000}, "sweep": None, "plots": []}
    run = starling.run(long, out=tmp_path, progress=kept)
    assert kept.values["so far/base/consensus.error"] and max(kept.values["base/consensus.error"]) == 1_500_000
    assert kept.about["digest"] == run.digest


def test_mlflow(small: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # sqlite takes more packages
    mlflow.set_tracking_uri((tmp_path / "mlruns").as_uri())
    callback = callbacks.MLflow(run_name="small")
    run = starling.run(small, out=tmp_path, progress=callback)
    assert mlflow.active_run() is None
    found = mlflow.get_run(callback.run.info.run_id)
    assert found.data.metrics["epsilon_1/regret.run"] == pytest.approx(last(run))
    assert found.data.tags["starling.digest"] == run.digest and found.info.status == "FINISHED"


def test_wandb(small: dict[str, Any], tmp_path: Path) -> None:
    wandb = pytest.importorskip("wandb")
    if not hasattr(wandb, "init"):
        pytest.skip("there is a folder wandb and no package")
    own = wandb.init(mode="offline", dir=tmp_path, project="small")
    run = starling.run(small, out=tmp_path, progress=callbacks.WandB(own))
    assert own.summary["digest"] == run.digest
    assert own.summary["epsilon=1/regret.run"] == pytest.approx(last(run))
    own.finish()
    assert list(tmp_path.glob("wandb/offline-run-*"))
    kept = starling.run(small, out=tmp_path, progress=callbacks.WandB(mode="offline", dir=tmp_path))
    assert kept.digest == run.digest and wandb.run is None


def test_tensorboard(small: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("torch")
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    run = starling.run(small, out=tmp_path, progress=callbacks.TensorBoard(str(tmp_path / "logs")))
    read = accumulator.EventAccumulator(str(tmp_path / "logs"))
    read.Reload()
    values = read.Scalars("epsilon=1/regret.run")
    assert values[-1].step == 12 and values[-1].value == pytest.approx(last(run), rel=1e-5)


def test_aim(small: dict[str, Any], tmp_path: Path) -> None:
    aim = pytest.importorskip("aim")
    own = aim.Run(repo=str(tmp_path), system_tracking_interval=None, log_system_params=False)
    run = starling.run(small, out=tmp_path, progress=callbacks.Aim(own))
    assert own["starling"]["digest"] == run.digest
    told = {(metric.context["arm"], metric.name): metric.values.last()[1] for metric in own.metrics()}
    assert told["epsilon=1", "regret.run"] == pytest.approx(last(run))
    closed = starling.run(small, out=tmp_path, progress=callbacks.Aim(repo=str(tmp_path), log_system_params=False))
    assert closed.digest == run.digest and len(list(aim.Repo(str(tmp_path)).list_all_runs())) == 2


def test_trials_of_optuna(small: dict[str, Any], tmp_path: Path) -> None:
    """A trial has each step once, in their order, and ends where its pruner says so."""
    optuna = pytest.importorskip("optuna")
    long = {**small, "horizon": 3_000_000, "measure": {"every": 30_000}, "sweep": None, "plots": []}
    study = optuna.create_study(pruner=optuna.pruners.ThresholdPruner(upper=-1))
    trial = study.ask()
    with pytest.raises(optuna.TrialPruned, match=r"consensus\.error is .* at step"):
        starling.run(long, out=tmp_path, progress=callbacks.Optuna(trial, "consensus.error"))
    assert len(starling.runs(tmp_path)) == 0
    (stopped,) = starling.runs(tmp_path).unfinished
    assert stopped.state == "stopped"
    kept = study.ask()
    seen: list[int] = []
    kept.report = lambda value, step: seen.append(step)
    kept.should_prune = lambda: False
    starling.run(
        {**long, "horizon": 2_000_000}, out=tmp_path, progress=callbacks.Optuna(kept, "consensus.error", "base")
    )
    assert len(seen) > 1 and seen == sorted(set(seen))
