"""The program that does the work: where it is, and how it is called."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from .errors import Fault, InputError, RunError, StarlingError

_NAME = "starling.exe" if os.name == "nt" else "starling"


def binary() -> str:
    """The path of the program: that in STARLING_BINARY, else that of the wheel, else that on PATH."""
    chosen = os.environ.get("STARLING_BINARY")
    if chosen:
        return chosen
    packed = Path(__file__).with_name("bin") / _NAME
    if packed.is_file():
        return str(packed)
    found = shutil.which(_NAME)
    if found is None:
        raise RunError(
            [Fault("there is no program starling: set STARLING_BINARY, or install the package again, which builds it")]
        )
    return found


def environment() -> dict[str, str]:
    """The environment of the program, which finds this interpreter in STARLING_PYTHON."""
    return {"STARLING_PYTHON": sys.executable, **os.environ}


class Failure(Exception):
    """The program ended with a code that is not 0; the message is what it said of its faults, and
    printed what it has printed all the same."""

    def __init__(self, code: int, text: str, printed: str) -> None:
        super().__init__(text)
        self.code, self.text, self.printed = code, text, printed

    def error(self, names: dict[str, str]) -> StarlingError:
        """The exception that callers see; names has what to call files in it."""
        if not self.text.startswith("["):  # it did not end by itself
            return RunError([Fault(f"starling ended with the code {self.code}: {self.text.strip()}")])
        faults = [
            Fault(_renamed(f["message"], names), f["path"], _file(names, f["file"]), f["line"], f["column"])
            for f in sorted(json.loads(self.text), key=_row)
        ]
        return InputError(faults) if self.code == 2 else RunError(faults)


#: The place of a fault in data of Python that became a file of CSV, whose first line has the names of columns.
_ROW = re.compile(r"\S*files/(?:rows|edges)-[0-9a-f]{12}\.csv:(\d+)(?::\d+)?: ")


def _row(fault: dict[str, Any]) -> tuple[Any, ...]:
    """The order of faults: that of the text, and of the rows of data."""
    found = _ROW.search(fault["message"])
    return fault["file"], fault["line"], fault["column"], fault["path"], int(found[1]) if found else 0


def _renamed(message: str, names: dict[str, str]) -> str:
    """A message that calls files what names has for them, and rows of data by their numbers."""
    message = _ROW.sub(lambda m: f"row {int(m[1]) - 2} of the data, from 0, where nodes count from 1: ", message)
    for file, name in names.items():
        message = message.replace(file, name)
    return message


def _file(names: dict[str, str], file: str) -> str:
    """What to call the file of a fault."""
    if file.startswith("--set "):
        return f'set["{file.removeprefix("--set ")}"]'
    return _renamed(file, names)


def call(arguments: Sequence[str], names: dict[str, str] | None = None, cwd: str | None = None) -> str:
    """Run a verb and return what it prints; an error is an exception."""
    try:
        return follow(arguments, lambda line: None, cwd=cwd)
    except Failure as failure:
        raise failure.error(names or {}) from None


def call_json(arguments: Sequence[str]) -> Any:
    """Run a verb with --json and return what it prints as Python has it."""
    return json.loads(call([*arguments, "--json"]))


def follow(
    arguments: Sequence[str],
    heard: Callable[[str], None],
    began: Callable[[Callable[[], None]], None] | None = None,
    cwd: str | None = None,
) -> str:
    """Run a verb, hand each line of its standard error to heard but that of its faults, and
    return what it prints. Raises Failure. began gets a function that interrupts the program.

    An interrupt is passed on: the program saves what it has and ends, and then
    KeyboardInterrupt is raised. A second one kills it.
    """
    # The program stays in the process group of Python, so that whoever ends the group, such as
    # Jupyter a kernel, ends it too.
    command = [binary(), "--errors=json", *arguments]
    try:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            cwd=cwd,
            env=environment(),
        )
    except OSError as error:
        raise RunError([Fault(f"the program {command[0]} cannot be started: {error}")]) from None
    if began is not None:
        began(lambda: _interrupt(child))
    try:
        faults, printed = _listen(child, heard)
    except BaseException as reason:
        _end(child, reason)
    if child.returncode == 0:
        return printed
    raise Failure(child.returncode, faults, printed)


def _listen(child: subprocess.Popen[str], heard: Callable[[str], None]) -> tuple[str, str]:
    """The faults and the output of the program, when it has ended."""
    import threading

    printed: list[str] = []
    assert child.stdout is not None and child.stderr is not None
    reader = threading.Thread(target=lambda out: printed.append(out.read()), args=(child.stdout,), daemon=True)
    reader.start()
    faults, last = "", deque[str](maxlen=50)
    for line in child.stderr:
        if line.startswith("[{"):
            faults = line
        else:
            last.append(line)
            heard(line.rstrip("\n"))
    child.wait()
    reader.join()
    return faults or "".join(last), printed[0]


def _end(child: subprocess.Popen[str], reason: BaseException) -> NoReturn:
    """End the program, and raise the reason when it has ended."""
    _interrupt(child)
    try:
        _drain(child)
    except BaseException:  # a second interrupt
        child.kill()
        _drain(child)
        raise
    raise reason


def _interrupt(child: subprocess.Popen[str]) -> None:
    """Ask the program to save what it has, and to end."""
    if child.poll() is None:
        child.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)


def _drain(child: subprocess.Popen[str]) -> None:
    """Wait for the program, reading on, so that it is not held up by a full pipe."""
    import threading

    for stream in (child.stdout, child.stderr):
        if stream is not None and not stream.closed:
            threading.Thread(target=_discard, args=(stream,), daemon=True).start()
    child.wait()


def _discard(stream: Any) -> None:
    try:
        while stream.read(1 << 16):
            pass
    except ValueError:  # another reader has closed it
        pass
