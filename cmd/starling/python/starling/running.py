"""Running scenarios."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from ._program import Failure, call, follow
from .errors import DICT, Fault, InputError, RunError
from .progress import Event, display_for

if TYPE_CHECKING:
    from .results import Run

#: A scenario: the name of one of the library, the path of a file, or its content.
Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]


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

    Results that are there already are opened, and not computed again. An interrupt ends the
    program when it has saved what is done; the same call goes on from there.

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
    options = ["--json", "--progress=json", f"--out={os.fspath(out)}"]
    options += _values(
        seeds=seeds, data=data, engine=engine, shards=shards, cores=cores, memory=memory, workers=workers
    )
    switches = {"again": again, "resume": resume, "notes": notes, "spread": spread, "check-pure": check_pure}
    options += [f"--{name}" for name, on in switches.items() if on]
    display = display_for(progress)
    threading.Thread(target=_prepare).start()

    def heard(line: str) -> None:
        if line.startswith("{"):
            display.show(Event(**json.loads(line)))
        elif line:
            print(line, file=sys.stderr)

    with _argument(scenario) as (argument, names):
        try:
            text = follow(["run", *options, *_overrides(set), "--", argument], heard)
        except Failure as failure:
            error = failure.error(names)
            if isinstance(error, RunError) and failure.printed:  # of which some arms failed
                error.run = _ended(failure.printed)
            raise error from None
        finally:
            display.close()
    return _ended(text)


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


def _json(value: Any, indent: int | None = None) -> str:
    """A value as JSON. Numbers and arrays of numpy are numbers and lists."""
    try:
        return json.dumps(value, indent=indent, default=_plain, allow_nan=False)
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
    text = _json(content, indent=2) + "\n"
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
