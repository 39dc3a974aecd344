"""Runs a command and says what it and all its descendants cost."""

import ctypes
import dataclasses
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)
PERIOD = 0.1  # seconds between looks at the memory


@dataclasses.dataclass
class Cost:
    """wall and cpu, user and system of all processes, are in seconds, memory, the peak, in bytes."""

    wall: float
    cpu: float
    memory: int
    output: str = ""


class Failed(Exception):
    """A command ended with an error, or did not end in time."""


def adopt_orphans():
    """Has processes whose parents have ended become children of this one, so that their time counts."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)


def run(command, environment, limit=600.0):
    """The cost of a command. Whatever it has left running is ended, and counts."""
    before = _cpu()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.perf_counter()
        child = subprocess.Popen(command, stdout=out, stderr=err, env=environment, start_new_session=True)
        peak, several, largest = 0, False, 0
        next_look = begin
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            now = time.perf_counter()
            if pid:
                child.returncode = os.waitstatus_to_exitcode(status)
                wall, largest = now - begin, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
                break
            if now - begin > limit:
                _end_descendants()
                child.wait()
                raise Failed(f"did not end within {limit:.0f} s")
            if now >= next_look:
                tree = descendants(os.getpid())
                several |= len(tree) > 1
                if several:
                    peak = max(peak, sum(map(_memory, tree)))
                next_look = time.perf_counter() + PERIOD
            time.sleep(0.002)
        _end_descendants()
        out.seek(0), err.seek(0)
        text, errors = out.read().decode(errors="replace"), err.read().decode(errors="replace")
    if child.returncode:
        raise Failed(f"exit status {child.returncode}: {_last_line(errors or text)}")
    return Cost(wall, _cpu() - before, max(peak, largest), text)


def _cpu():
    u = resource.getrusage(resource.RUSAGE_CHILDREN)
    return u.ru_utime + u.ru_stime


def _last_line(text):
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1].strip()[:300] if lines else "it said nothing"


def descendants(pid):
    """All processes below one, on Linux; none elsewhere."""
    found, parents = [], [pid]
    while parents:
        p = parents.pop()
        try:
            threads = os.listdir(f"/proc/{p}/task")
        except OSError:
            continue
        for thread in threads:
            try:
                with open(f"/proc/{p}/task/{thread}/children") as f:
                    children = [int(c) for c in f.read().split()]
            except OSError:
                continue
            found += children
            parents += children
    return found


def _memory(pid):
    """The resident bytes of a process, where what several share is divided among them."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as f:
            for line in f:
                if line.startswith("Pss:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def _end_descendants():
    """Ends what a command has left, and waits for it, which adds its time to that of the children."""
    for sign, patience in ((signal.SIGTERM, 2.0), (signal.SIGKILL, 10.0)):
        end = time.perf_counter() + patience
        left = descendants(os.getpid())
        for pid in left:
            try:
                os.kill(pid, sign)
            except OSError:
                pass
        while time.perf_counter() < end:
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    time.sleep(0.01)
            except ChildProcessError:
                return
