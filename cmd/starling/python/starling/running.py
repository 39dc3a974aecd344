"""Running scenarios."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, Union

from ._program import Failure, call, follow
from .errors import DICT, Fault, InputError, RunError
from .progress import Event, display_for

if TYPE_CHECKING:
    from .results import Run

#: A scenario: the name of one of the library, the path of a file, or its content.
Scenario = Union[str, "os.PathLike[str]", Mapping[str, object]]


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
    progress: bool | Callable[[Event], object] | None = None,
) -> Run:
    """Run a scenario under all its seeds, and open the results.

    Results that are there already are opened, and not computed again; where another call makes
    the same run, this one waits for it. An interrupt ends the program when it has saved what is
    done; the same call goes on from there.

    Args:
        scenario: the name of a scenario of the library, the path of a file, or a dict with what
            a file would say.
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
        progress: False for none, a function that takes an :class:`Event`, or True for a bar
            where output goes to a file, too.

    Raises:
        InputError: the scenario cannot be run as it is; ``faults`` has all that is wrong.
        RunError: the run failed. Where some of its arms failed, ``error.run`` has the others.
    """
    _whole(seeds=seeds, shards=shards, cores=cores)
    options = ["--json", "--progress=json", "--join", f"--out={os.fspath(out)}"]
    options += _values(
        seeds=seeds, data=data, engine=engine, shards=shards, cores=cores, memory=memory, workers=workers
    )
    switches = {"again": again, "resume": resume, "notes": notes, "spread": spread, "check-pure": check_pure}
    options += [f"--{name}" for name, on in switches.items() if on]
    display = display_for(progress)
    threading.Thread(target=_prepare).start()
    handle = _handle.get()

    def heard(line: str) -> None:
        if line.startswith("{"):
            event = Event(**json.loads(line))
            if handle is not None:
                handle.event = event
            display.show(event)
        elif line:
            print(line, file=sys.stderr)

    with _argument(scenario) as (argument, names):
        try:
            text = follow(
                ["run", *options, *_overrides(set), "--", argument], heard, handle._begins if handle else None
            )
        except Failure as failure:
            error = failure.error(names)
            if isinstance(error, RunError) and failure.printed:  # of which some arms failed
                error.run = _ended(failure.printed)
            raise error from None
        finally:
            display.close()
    return _ended(text)


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
        """The last step and mean over its seeds of each metric so far, by arm and metric."""
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
    so far, and ``cancel()`` ends it.
    """
    return started


start = _in_background(run)


#: How many of the warnings of a run become warnings of Python.
_SHOWN = 5


def _ended(text: str) -> Run:
    """The run that the program tells of."""
    from .results import open_run

    ended = json.loads(text)
    found = open_run(ended["folder"])
    for warning in [*ended["warnings"], *found.warnings[:_SHOWN]]:
        warnings.warn(warning, stacklevel=3)
    if len(found.warnings) > _SHOWN:
        warnings.warn(f"{len(found.warnings) - _SHOWN} more warnings are in run.warnings", stacklevel=3)
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
    with _argument(scenario) as (argument, names):
        call(["validate", *_values(data=data), *_overrides(set), "--", argument], names)


def _whole(**numbers: object) -> None:
    """Refuse what is no whole number where one is wanted."""
    for name, value in numbers.items():
        if value is not None and not (hasattr(value, "__index__") and not isinstance(value, bool)):
            more = "; seeds.base in set is the first of them" if name == "seeds" else ""
            raise InputError([Fault(f"{_shown(value)} is no whole number: how many {name} there are{more}", name)])


def _shown(value: object) -> str:
    """A value in a line of an error."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _values(**options: object) -> list[str]:
    """Flags for the options that are given."""
    return [
        f"--{name}={os.fspath(v) if isinstance(v, os.PathLike) else v}" for name, v in options.items() if v is not None
    ]


def _overrides(values: Mapping[str, Any] | None) -> list[str]:
    """--set for each value. JSON is YAML."""
    return [f"--set={path}={_json(value)}" for path, value in (values or {}).items()]


def _json(value: Any) -> str:
    """A value as JSON. Numbers and arrays of numpy are numbers and lists."""
    try:
        return json.dumps(value, default=_plain, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError([Fault(f"a scenario cannot hold a value: {error}")]) from None


def _plain(value: Any) -> Any:
    """A value of numpy, or a path, as JSON has it."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, type):
        raise TypeError(
            f"{value.__name__} is a class: give the path of its file as file, and {value.__name__!r} as name"
        )
    if hasattr(value, "to_parquet") or hasattr(value, "write_parquet"):
        raise TypeError("a frame: write it to a file of Parquet, and give problem {'kind': 'table', 'file': that file}")
    raise TypeError(f"{_shown(value)} is no number, text, list or dict")


@contextmanager
def _argument(scenario: Scenario) -> Iterator[tuple[str, dict[str, str]]]:
    """What the program takes for a scenario, and what to call its files in errors. A dict
    becomes a file for as long as that takes."""
    if not isinstance(scenario, Mapping):
        yield os.fspath(scenario), {}
        return
    content = dict(scenario)
    base = content.get("extends")
    if isinstance(base, (str, os.PathLike)) and Path(base).is_file():
        content["extends"] = str(Path(base).resolve())  # the file below is elsewhere
    text = _yaml(json.loads(_json(content))) + "\n"
    if len(text.encode()) > _MOST:
        raise InputError([_too_long(content, len(text.encode()))])
    with tempfile.TemporaryDirectory(prefix="starling-") as folder:
        file = Path(folder) / "scenario.yaml"
        file.write_text(text, encoding="utf-8")
        yield str(file), {str(file): DICT}


#: The largest scenario, in bytes of its text.
_MOST = 1 << 20


def _too_long(content: Mapping[str, Any], size: int) -> Fault:
    """The fault of a scenario that is too long, at the value that makes it so."""
    path, value = "", content
    most = len(_json(content)) / 2
    while isinstance(value, Mapping) and value:
        key = max(value, key=lambda name: len(_json(value[name])))
        if len(_json(value[key])) < most:
            break
        path, value = f"{path}.{key}" if path else str(key), value[key]
    return Fault(
        f"the scenario is a text of {size / 1e6:.1f} MB, most of it here; want at most 1.05 MB. Write arrays to a"
        " file, such as numpy.save has, and give its path",
        path,
    )


def _yaml(value: Any, indent: str = "") -> str:
    """A value as YAML with a line for each key, and lists of single values in one line."""
    if isinstance(value, Mapping) and value:
        lines = []
        for key, one in value.items():
            nested = _nested(one)
            lines.append(f"{indent}{_word(key)}:" + (f"\n{_yaml(one, indent + '  ')}" if nested else f" {_flow(one)}"))
        return "\n".join(lines)
    return "\n".join(f"{indent}- {_yaml(one, indent + '  ').lstrip() if _nested(one) else _flow(one)}" for one in value)


def _nested(value: Any) -> bool:
    """Whether a value has lines of its own."""
    if isinstance(value, Mapping):
        return bool(value)
    return isinstance(value, list) and any(map(_nested, value))


def _flow(value: Any) -> str:
    """A value in a line."""
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    return _word(value) if isinstance(value, str) else json.dumps(value)


def _word(text: str) -> str:
    """A text in YAML, in quotes where it would be something else without."""
    plain = re.fullmatch(r"[A-Za-z][\w./-]*( [\w./-]+)*", text, re.ASCII)
    return text if plain and text.lower() not in _WORDS else json.dumps(text)


#: Words that are no texts in YAML.
_WORDS = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n"])
