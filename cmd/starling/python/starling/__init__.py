"""Starling from Python: run scenarios of private online learning, and read results as frames.

    import starling

    run = starling.run("dpdonc-localization", seeds=20)
    run.summary.to_polars()      # means over the seeds, with the swept keys as columns
    run.figures()["regret"]      # a matplotlib figure
    starling.open(run.folder)    # the same run, later

The work is done by the program ``starling``, which the wheel carries. Results are the same
bits as those of the command line.
"""

from typing import TYPE_CHECKING, Any

from . import account, callbacks
from ._program import binary
from .errors import Fault, InputError, RunError, StarlingError
from .progress import Event
from .running import Started, run, start, validate
from .studies import audit, dry_run, merge, reproduce, run_part, to_yaml, tune
from .verbs import describe, factorize, scenarios, schema

if TYPE_CHECKING:
    from .comparison import Comparison
    from .frames import Table
    from .participation import attendance
    from .results import Run, Runs
    from .results import open_run as open
    from .results import open_runs as runs
    from .sections import (
        adversaries,
        algorithm,
        combine,
        compression,
        divergence,
        extended,
        mechanism,
        network,
        problem,
        scenario,
    )
    from .sections import set as set  # not of *, where it would hide that of Python
    from .topologies import topology
    from .unfinished import Unfinished

__version__: str

__all__ = [
    "Comparison",
    "Event",
    "Fault",
    "InputError",
    "Run",
    "RunError",
    "Runs",
    "StarlingError",
    "Started",
    "Table",
    "Unfinished",
    "account",
    "adversaries",
    "algorithm",
    "attendance",
    "audit",
    "binary",
    "callbacks",
    "combine",
    "compression",
    "describe",
    "divergence",
    "dry_run",
    "extended",
    "factorize",
    "mechanism",
    "merge",
    "network",
    "open",
    "problem",
    "reproduce",
    "run",
    "run_part",
    "runs",
    "scenario",
    "scenarios",
    "schema",
    "start",
    "to_yaml",
    "topology",
    "tune",
    "validate",
]


#: What takes long to import, such as all that needs pyarrow: its module, and its name there.
_LATER = {
    **{
        name: ("sections", name)
        for name in (
            "adversaries",
            "algorithm",
            "combine",
            "compression",
            "divergence",
            "extended",
            "mechanism",
            "network",
            "problem",
            "scenario",
            "set",
        )
    },
    "attendance": ("participation", "attendance"),
    "topology": ("topologies", "topology"),
    "Comparison": ("comparison", "Comparison"),
    "Table": ("frames", "Table"),
    "Run": ("results", "Run"),
    "Runs": ("results", "Runs"),
    "Unfinished": ("unfinished", "Unfinished"),
    "open": ("results", "open_run"),
    "runs": ("results", "open_runs"),
}

if not TYPE_CHECKING:  # else every name would have a type

    def __getattr__(name: str) -> Any:
        if name in _LATER:
            from importlib import import_module

            module, there = _LATER[name]
            globals()[name] = value = getattr(import_module(f".{module}", __name__), there)
            return value
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("starling-sim")
        except PackageNotFoundError:  # a folder of the source on sys.path
            return "0"


def __dir__() -> list[str]:
    return [*globals(), *(name for name in _LATER if name not in globals()), "__version__"]
