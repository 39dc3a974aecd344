"""Runs in parts, by anything that has tasks done: pools of threads and processes, and clusters."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ._program import Failure, call, follow
from .errors import Fault, InputError, RunError, StarlingError
from .given import Given
from .progress import Event

if TYPE_CHECKING:
    from .results import Run

#: How often tasks are asked whether they are done, in seconds.
_EVERY = 0.05


class Executor(Protocol):
    """What has tasks done: an executor of ``concurrent.futures``, or anything with such a method. What
    ``submit`` returns has ``result()`` and ``done()``."""

    def submit(self, task: Callable[..., Any], /, *args: Any) -> Any:
        """Have a task done elsewhere."""


def run_in_parts(
    executor: Executor,
    parts: int | None,
    study: Given,
    options: Sequence[str],
    out: str | os.PathLike[str],
    shows: Callable[[Event], None],
    begins: Callable[[Callable[[], None]], None] | None,
) -> Run:
    """Have an executor make a run in parts, and put them together."""
    count = _count(executor, parts)
    data = os.environ.get("STARLING_DATA")
    if data and not any(option.startswith("--data=") for option in options):
        options = [f"--data={data}", *options]
    # The working folder of another process may be another, but paths may begin here.
    task = ([*options, f"--out={Path(out).resolve()}"], os.getcwd(), study)
    futures = [executor.submit(make_part, k + 1, count, *task) for k in range(count)]
    if begins is not None:
        begins(lambda: _cancel(futures))
    try:
        folders = _gathered(futures, study.name, shows)
    except BaseException:
        _cancel(futures)
        raise
    again = ["--again"] if "--again" in options else []
    told = [option for option in options if option.startswith("--data=")]
    return merged(folders, [f"--out={os.fspath(out)}", *told, *again])


def _count(executor: Executor, parts: int | None) -> int:
    """How many parts a run has."""
    workers: object = getattr(executor, "_max_workers", None)
    if parts is None and not isinstance(workers, int):
        raise InputError(
            [Fault(f"{type(executor).__name__} does not say how many workers it has: give parts", "parts")]
        )
    count = parts if parts is not None else workers
    assert isinstance(count, int)
    if count < 1:
        raise InputError([Fault(f"{count} parts; want 1 or more", "parts")])
    return count


def _gathered(futures: Sequence[Any], name: str, shows: Callable[[Event], None]) -> list[str]:
    """The folders of all parts, when they are done."""
    folders: dict[int, str] = {}
    while True:
        for k, future in enumerate(futures):
            if k not in folders and future.done():
                folders[k] = _folder(future, k + 1, len(futures))
                shows(Event(name, len(folders), len(futures), len(folders), len(futures), None))
        if len(folders) == len(futures):
            return [folders[k] for k in range(len(futures))]
        time.sleep(_EVERY)


def _folder(future: Any, part: int, of: int) -> str:
    """The folder of a part that is done."""
    try:
        return str(future.result())
    except StarlingError:
        raise
    except Exception as error:  # of the executor
        message = f"part {part} of {of} was not made: {type(error).__name__}: {error}"
        raise RunError([Fault(f"{message.rstrip('.')}. The same call goes on from the parts that are")]) from error


def _cancel(futures: Sequence[Any]) -> None:
    """Take back the tasks that have not begun."""
    for future in futures:
        if hasattr(future, "cancel"):
            future.cancel()


def make_part(part: int, of: int, options: Sequence[str], cwd: str, study: Given) -> str:
    """Make a part of a run where this process is, and return its folder."""
    return part_of(study, [f"--part={part}/{of}", *options], cwd if os.path.isdir(cwd) else None)


def part_of(study: Given, options: Sequence[str], cwd: str | None = None) -> str:
    """Make a part of a run, and return its folder, in which it can be run again."""
    with study.placed() as (arguments, names):
        told = call(["run", "--quiet", *options, *arguments], names, cwd)
    folder = told.strip().splitlines()[-1]
    study.keep(folder)
    return folder


def merged(folders: Sequence[str], options: Sequence[str]) -> Run:
    """Put parts together, with the files that their scenario names."""
    from .objects import FOLDER
    from .running import ended, with_results

    if len(set(folders)) == 1 and (Path(folders[0]) / "COMPLETE").is_file():  # the run was there
        return ended(json.dumps({"folder": folders[0], "warnings": []}))
    try:
        text = follow(["merge", "--json", *options, "--", *folders], lambda line: None)
    except Failure as failure:
        raise with_results(failure, {}) from None
    found = ended(text)
    for folder in folders:
        for scenario in Path(folder).glob("**/scenario.yaml"):
            if (files := scenario.with_name(FOLDER)).is_dir() and files != found.folder / FOLDER:
                shutil.copytree(files, found.folder / FOLDER, dirs_exist_ok=True)
    return found
