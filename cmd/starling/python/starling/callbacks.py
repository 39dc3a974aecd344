"""Runs in MLflow, Weights & Biases, TensorBoard and Aim, and trials of Optuna.

    starling.run("dpdonc-localization", progress=starling.callbacks.TensorBoard("logs"))

Each is given as ``progress``. The means over all seeds are logged as ``ARM/METRIC`` when the run is
complete; before that the latest values, of the seeds so far, are logged as ``so far/ARM/METRIC``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .progress import Event

if TYPE_CHECKING:
    from .results import Run


class Callback:
    """Logs the values of a run. One of your own has ``log``, and ``end`` if there is something to close."""

    def __init__(self) -> None:
        self._logged: dict[str, tuple[int, float]] = {}

    def log(self, values: Mapping[str, float], step: int) -> None:
        """Log values of a step, by name."""
        raise NotImplementedError

    def end(self, about: Mapping[str, str] | None) -> None:
        """Close what is open. about has the scenario, the id and the digest; None of a run that failed."""

    def __call__(self, event: Event) -> None:
        for arm, metrics in event.metrics.items():
            for metric, (step, value) in metrics.items():
                name = f"so far/{arm}/{metric}"
                if self._logged.get(name) != (step, value):
                    self._logged[name] = (step, value)
                    self.log({name: value}, step)

    def ended(self, run: Run | None) -> None:
        """Log all values of a run that is complete; None where it failed."""
        steps: dict[int, dict[str, float]] = {}
        for row in run.summary.to_arrow().to_pylist() if run is not None else []:
            if row["mean"] is not None:
                steps.setdefault(row["step"], {})[f"{row['arm']}/{row['metric']}"] = row["mean"]
        for step in sorted(steps):
            self.log(steps[step], step)
        self.end({"scenario": run.scenario, "run": run.id, "digest": run.digest} if run is not None else None)


class MLflow(Callback):
    """A run of MLflow: the active one, or one that ends with the run; arguments are those of
    ``mlflow.start_run``."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self._mlflow: Any = import_module("mlflow")
        active = self._mlflow.active_run()
        self._own = active is None
        self.run = active or self._mlflow.start_run(**options)

    def log(self, values: Mapping[str, float], step: int) -> None:
        # MLflow takes no = in names.
        named = {re.sub(r"[^\w\-. :/]", "_", name): value for name, value in values.items()}
        self._mlflow.log_metrics(named, step=step, run_id=self.run.info.run_id)

    def end(self, about: Mapping[str, str] | None) -> None:
        for name, value in (about or {}).items():
            self._mlflow.MlflowClient().set_tag(self.run.info.run_id, f"starling.{name}", value)
        if self._own:
            self._mlflow.end_run("FAILED" if about is None else "FINISHED")


class WandB(Callback):
    """A run of Weights & Biases: one that is given, or one that ends with the run; arguments are those
    of ``wandb.init``."""

    def __init__(self, run: Any = None, **options: Any) -> None:
        super().__init__()
        self._own = run is None
        self.run: Any = run or import_module("wandb").init(**options)
        self.run.define_metric("step")  # its own steps only grow
        self.run.define_metric("*", step_metric="step")

    def log(self, values: Mapping[str, float], step: int) -> None:
        self.run.log({**values, "step": step})

    def end(self, about: Mapping[str, str] | None) -> None:
        self.run.summary.update(dict(about or {}))
        if self._own:
            self.run.finish(exit_code=about is None)


class TensorBoard(Callback):
    """A folder of TensorBoard, by the writer of PyTorch or tensorboardX, or a writer that is given."""

    def __init__(self, folder: str | None = None, writer: Any = None) -> None:
        super().__init__()
        self.writer = writer or _writer()(folder)

    def log(self, values: Mapping[str, float], step: int) -> None:
        for name, value in values.items():
            self.writer.add_scalar(name, value, step)

    def end(self, about: Mapping[str, str] | None) -> None:
        for name, value in (about or {}).items():
            self.writer.add_text(name, value)
        self.writer.close()


def _writer() -> Any:
    try:
        return import_module("torch.utils.tensorboard").SummaryWriter
    except ImportError:
        return import_module("tensorboardX").SummaryWriter


class Aim(Callback):
    """A run of Aim: one that is given, or one that ends with the run; arguments are those of ``aim.Run``."""

    def __init__(self, run: Any = None, **options: Any) -> None:
        super().__init__()
        self._own = run is None
        self.run: Any = run or import_module("aim").Run(**options)

    def log(self, values: Mapping[str, float], step: int) -> None:
        for name, value in values.items():
            arm, _, metric = name.rpartition("/")
            self.run.track(value, name=metric, step=step, context={"arm": arm})

    def end(self, about: Mapping[str, str] | None) -> None:
        if about is not None:
            self.run["starling"] = dict(about)
        if self._own:
            self.run.close()


class Optuna:
    """Reports a metric to a trial of Optuna while its run goes on, and ends the run where the pruner says so, by
    ``optuna.TrialPruned``. What the run has done is kept: the same call goes on from there.

    Each step is reported once, by the mean of the seeds that had it then; a run of several seeds has all steps of the
    first ones before the others begin.

    Args:
        trial: the trial of an objective.
        metric: the name of a metric that the run records.
        arm: the name of an arm, where the scenario has several.
    """

    def __init__(self, trial: Any, metric: str, arm: str | None = None) -> None:
        self._optuna: Any = import_module("optuna")
        self._trial, self._metric, self._arm, self._last = trial, metric, arm, 0

    def __call__(self, event: Event) -> None:
        history = event.history
        if self._arm is None and len(history) > 1:
            raise ValueError(f"the run has the arms {', '.join(history)}: name one by arm")
        of = next(iter(history.values()), {}) if self._arm is None else history.get(self._arm, {})
        for step, value in of.get(self._metric, []):
            if step > self._last:
                self._last = step
                self._trial.report(value, step)
                if self._trial.should_prune():
                    raise self._optuna.TrialPruned(f"{self._metric} is {value:.6g} at step {step}")
