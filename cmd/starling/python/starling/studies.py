"""What can be done with a scenario besides running it here, and with several folders of results."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._program import call
from .given import Given, Scenario, given
from .pools import merged, part_of
from .running import _values, _whole

if TYPE_CHECKING:
    from .results import Run


def dry_run(
    scenario: Scenario,
    *,
    seeds: int | None = None,
    set: Mapping[str, Any] | None = None,
    data: str | os.PathLike[str] | None = None,
    memory: str | None = None,
) -> dict[str, Any]:
    """Forecast a run without making it: time, memory, and the privacy that each arm would spend."""
    _whole(seeds=seeds)
    told: dict[str, Any] = _asked(["run", "--dry-run", *_values(seeds=seeds, data=data, memory=memory)], scenario, set)
    return told


def to_yaml(
    scenario: Scenario,
    *,
    set: Mapping[str, Any] | None = None,
    resolved: bool = False,
    to: str | os.PathLike[str] | None = None,
) -> str:
    """The text of a scenario in YAML; with ``set`` or ``resolved`` all that it extends, and all
    defaults, are in it, too. ``to`` is a file to write it to. Beside that file is then the folder
    ``files``, if the scenario has classes or data of this program."""
    study = given(scenario, set)
    text: str = _told(["show", *(["--resolved"] if resolved or set else [])], study)["yaml"]
    if to is not None:
        Path(to).write_text(text, encoding="utf-8")
        study.keep(Path(to).parent)
    return text


def audit(
    scenario: Scenario,
    *,
    set: Mapping[str, Any] | None = None,
    data: str | os.PathLike[str] | None = None,
    arm: str | None = None,
    samples: int | None = None,
    time: str | None = None,
) -> Any:
    """Look for evidence that a scenario loses more privacy than its ledger says, in small runs of
    it; ``"mechanisms"`` audits all mechanisms. ``time``, such as ``"1m"``, limits the samples.

    Raises:
        RunError: there is such evidence.
    """
    return _asked(["audit", *_values(data=data, arm=arm, samples=samples, time=time)], scenario, set)


def reproduce(
    *scenarios: str,
    quick: bool = False,
    data: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] = "results",
) -> Any:
    """Decide the claims of scenarios; ``quick`` runs them at a reduced size."""
    options = ["--json", f"--out={os.fspath(out)}", *(["--quick"] if quick else []), *_values(data=data)]
    return json.loads(call(["reproduce", *options, "--", *scenarios]))


def tune(
    scenario: Scenario,
    *,
    set: Mapping[str, Any] | None = None,
    data: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] = "results",
    extend: bool = False,
) -> dict[str, Any]:
    """Choose keys of each arm on validation rows, as the section ``tune`` of the scenario says;
    ``extend`` goes on beyond an edge of a grid that is chosen."""
    options = [f"--out={os.fspath(out)}", "--progress=none", *(["--extend"] if extend else [])]
    told: dict[str, Any] = _asked(["tune", *options, *_values(data=data)], scenario, set)
    return told


def run_part(
    scenario: Scenario,
    part: int,
    of: int,
    *,
    seeds: int | None = None,
    set: Mapping[str, Any] | None = None,
    data: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] = "results",
) -> Path:
    """Make the part-th of so many parts of a run, and return its folder: a task for a pool of
    processes, Ray, Dask or a cluster. :func:`merge` puts the parts together, bit for bit."""
    _whole(seeds=seeds, part=part, of=of)
    options = [f"--part={part}/{of}", f"--out={os.fspath(out)}", *_values(seeds=seeds, data=data)]
    return Path(part_of(given(scenario, set), options))


def merge(
    folders: Iterable[str | os.PathLike[str]],
    *,
    data: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] = "results",
) -> Run:
    """Put the parts of a run together, and open it.

    Raises:
        RunError: it failed. Where some of its arms failed, ``error.run`` has the others.
    """
    return merged([os.fspath(folder) for folder in folders], [f"--out={os.fspath(out)}", *_values(data=data)])


def _asked(arguments: list[str], scenario: Scenario, set: Mapping[str, Any] | None) -> Any:
    """What a verb tells of a scenario."""
    return _told(arguments, given(scenario, set))


def _told(arguments: list[str], study: Given) -> Any:
    with study.placed() as (more, names):
        return json.loads(call([arguments[0], "--json", *arguments[1:], *more], names))
