"""Running scenarios."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import warnings
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ParamSpec

from ._program import Failure, call, follow
from .callbacks import Callback
from .errors import Fault, InputError, RunError, StarlingError
from .given import Given, Scenario, given, shown
from .progress import Event, display_for

if TYPE_CHECKING:
    from .pools import Executor
    from .results import Run


def run(
    scenario: Scenario,
    *,
    seeds: int | None = None,
    set: Mapping[str, Any] | None = None,
    data: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] = "results",
    again: bool = False,
    resume: bool = False,
    notes: bool = False,
    engine: str | None = None,
    shards: int | None = None,
    cores: int | None = None,
    memory: str | None = None,
    workers: str | None = None,
    spread: bool = False,
    check_pure: bool = False,
    executor: Executor | None = None,
    parts: int | None = None,
    progress: bool | Callable[[Event], object] | None = None,
) -> Run:
    """Run a scenario under all its seeds, and open the results.

    Results that are there already are opened, and not computed again; where another call makes
    the same run, this one waits for it. An interrupt ends the program when it has saved what is
    done; the same call goes on from there.

    Args:
        scenario: the name of a scenario of the library, the path of a file, or a dict with what
            a file would say. In a dict a class of this program can stand for the file and the name of a
            problem or an algorithm, ``{"kind": "python", "class": Mine}``, and a frame, an array or columns
            by name for the file of a table. Their source and data are written beside the results.
        seeds: how many seeds in place of the scenario's number.
        set: values that replace those of the scenario, by path: ``{"mechanism.epsilon": 0.5}``.
        data: the folder of data sets; by default that in STARLING_DATA.
        out: the folder of all results; those of the run go to ``out/NAME/HASH``.
        again: run from the beginning, and replace results that are there.
        resume: refuse to begin anew beside an unfinished run that cannot go on.
        notes: work out all notes on theory, whatever they take.
        engine: ``actors`` or ``lockstep``; results are the same.
        shards: shards of the actor runtime; results are the same.
        cores: how many processor cores to use; results are the same.
        memory: what runs side by side may take together, such as ``8GiB``.
        workers: other processes that make the runs, such as ``local:4``; results are the same.
        spread: have the participants of each run in all workers; results are the same.
        check_pure: ask code in Python everything twice, and fail where the answers differ in a bit.
        executor: has tasks done elsewhere by its ``submit``: an executor of ``concurrent.futures``, or of
            a cluster. Each task is a part of the run, and all see ``out``; results are the same. Give
            ``cores`` where tasks share a machine. Cancelling waits for no part that has begun.
        parts: how many parts the executor has; by default as many as it has workers.
        progress: False for none, a function that takes an :class:`Event`, one of
            :mod:`starling.callbacks`, or True for a bar where output goes to a file, too.

    Raises:
        InputError: the scenario cannot be run as it is; ``faults`` has all that is wrong.
        RunError: the run failed. Where some of its arms failed, ``error.run`` has the others.
    """
    _whole(seeds=seeds, shards=shards, cores=cores, parts=parts)
    options = [*_values(seeds=seeds, data=data, engine=engine, shards=shards, cores=cores, memory=memory)]
    switches = {"again": again, "notes": notes, "check-pure": check_pure}
    options += [f"--{name}" for name, on in switches.items() if on]
    study, display, handle = given(scenario, set), display_for(progress), _handle.get()
    threading.Thread(target=_prepare).start()

    def shows(event: Event) -> None:
        if handle is not None:
            handle.event = event
        if event.folder:
            study.keep(event.folder)
        display.show(event)

    begins = handle._begins if handle else None
    if executor is None and parts is not None:
        raise InputError([Fault("there are parts and no executor to make them", "parts")])
    if executor is not None and (workers is not None or spread or resume):
        raise InputError([Fault("an executor goes without workers, spread and resume", "executor")])
    found = None
    try:
        if executor is None:
            options += [*_values(workers=workers), *(["--spread"] if spread else []), *(["--resume"] if resume else [])]
            found = _straight(study, [*options, f"--out={os.fspath(out)}"], shows, begins)
        else:
            from .pools import run_in_parts

            found = run_in_parts(executor, parts, study, options, out, shows, begins)
    finally:
        display.close()
        if isinstance(progress, Callback):
            progress.ended(found)
    return found


def _straight(
    study: Given,
    options: list[str],
    shows: Callable[[Event], None],
    begins: Callable[[Callable[[], None]], None] | None,
) -> Run:
    """Make a run here."""

    def heard(line: str) -> None:
        if line.startswith("{"):
            shows(Event(**json.loads(line)))
        elif line:
            print(line, file=sys.stderr)

    with study.placed() as (arguments, names):
        try:
            text = follow(["run", "--json", "--progress=json", "--join", *options, *arguments], heard, begins)
        except Failure as failure:
            raise with_results(failure, names, study) from None
    return ended(text, study)


def with_results(failure: Failure, names: dict[str, str], study: Given | None = None) -> StarlingError:
    """The error of a run, with its results where only some of its arms failed."""
    error = failure.error(names)
    if isinstance(error, RunError) and failure.printed:
        error.run = ended(failure.printed, study)
    return error


class Started:
    """A run that goes on in the background: see :func:`start`."""

    def __init__(self) -> None:
        self._future: Future[Run] = Future()
        self._lock, self._cancelled = threading.Lock(), False
        self._interrupt: Callable[[], None] | None = None
        #: How far it has come; None before the first report.
        self.event: Event | None = None

    @property
    def folder(self) -> str:
        """The folder of the run; "" before it has one."""
        return self.event.folder if self.event else ""

    @property
    def metrics(self) -> dict[str, dict[str, tuple[int, float]]]:
        """The last step and mean over its seeds of each metric so far: ``metrics[arm][metric] == (step, mean)``,
        and no :class:`Table` as of a run that has ended."""
        return self.event.metrics if self.event else {}

    def done(self) -> bool:
        """Whether it has ended."""
        return self._future.done()

    def wait(self, timeout: float | None = None) -> Run:
        """Wait for the results, so many seconds at most.

        Raises:
            TimeoutError: the run goes on.
            CancelledError: it was cancelled.
            InputError, RunError: as of :func:`run`.
        """
        return self._future.result(timeout)

    def cancel(self) -> None:
        """End the program when it has saved what is done; the same call goes on from there."""
        with self._lock:
            self._cancelled = True
            if self._interrupt is not None:
                self._interrupt()

    def __await__(self) -> Generator[Any, None, Run]:
        return self._awaited().__await__()

    async def _awaited(self) -> Run:
        """The results, or the end of the program where nobody waits any more."""
        try:
            return await asyncio.shield(asyncio.wrap_future(self._future))
        except asyncio.CancelledError:
            self.cancel()
            raise

    def _begins(self, interrupt: Callable[[], None]) -> None:
        """Takes the function that interrupts the program, which has begun."""
        with self._lock:
            self._interrupt = interrupt
            if self._cancelled:
                interrupt()

    def _run(self, of: Callable[[], Run]) -> None:
        """Makes the run, in a thread of its own."""
        _handle.set(self)
        try:
            self._future.set_result(of())
        except BaseException as error:
            self._future.set_exception(CancelledError() if self._cancelled else error)


#: The run in the background that a thread makes.
_handle: ContextVar[Started | None] = ContextVar("starling", default=None)

_Arguments = ParamSpec("_Arguments")


def _in_background(of: Callable[_Arguments, Run]) -> Callable[_Arguments, Started]:
    """A function of the same arguments that returns at once."""

    def started(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> Started:
        handle = Started()
        threading.Thread(target=handle._run, args=(lambda: of(*args, **kwargs),), daemon=True).start()
        return handle

    started.__name__ = started.__qualname__ = "start"
    started.__doc__ = """Start a run in the background, and return a :class:`Started`: ``wait()`` or ``await`` it.

    It takes the arguments of :func:`run`. ``event`` says how far it has come, ``metrics`` the values
    so far by arm and metric, and ``cancel()`` ends it.
    """
    return started


start = _in_background(run)


#: How many of the warnings of a run become warnings of Python.
_SHOWN = 5


def ended(text: str, study: Given | None = None) -> Run:
    """The run that the program tells of, with the files that its scenario names."""
    from .results import open_run

    told = json.loads(text)
    if study is not None:
        study.keep(told["folder"])
    found = open_run(told["folder"])
    for warning in [*told["warnings"], *found.warnings[:_SHOWN]]:
        warnings.warn(warning, stacklevel=4)
    if len(found.warnings) > _SHOWN:
        warnings.warn(f"{len(found.warnings) - _SHOWN} more warnings are in run.warnings", stacklevel=4)
    return found


def _prepare() -> None:
    """Import what reads results, while the program runs; what is wrong with it is told later."""
    with suppress(ImportError):
        from . import results  # noqa: F401


def validate(
    scenario: Scenario, *, set: Mapping[str, Any] | None = None, data: str | os.PathLike[str] | None = None
) -> None:
    """Check a scenario without running it.

    Raises:
        InputError: the scenario cannot be run as it is; ``faults`` has all that is wrong.
    """
    with given(scenario, set).placed() as (arguments, names):
        call(["validate", *_values(data=data), *arguments], names)


def _whole(**numbers: object) -> None:
    """Refuse what is no whole number where one is wanted."""
    for name, value in numbers.items():
        if value is not None and not (hasattr(value, "__index__") and not isinstance(value, bool)):
            more = "; seeds.base in set is the first of them" if name == "seeds" else ""
            raise InputError([Fault(f"{shown(value)} is no whole number: how many {name} there are{more}", name)])


def _values(**options: object) -> list[str]:
    """Flags for the options that are given."""
    return [
        f"--{name}={os.fspath(v) if isinstance(v, os.PathLike) else v}" for name, v in options.items() if v is not None
    ]
