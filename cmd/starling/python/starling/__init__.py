"""Starling from Python: run scenarios of private online learning, and read results as frames.

    import starling

    run = starling.run("dpdonc-localization", seeds=20)
    run.summary.to_polars()      # means over the seeds, with the swept keys as columns
    run.figures()["regret"]      # a matplotlib figure
    starling.open(run.folder)    # the same run, later

The work is done by the program ``starling``, which the wheel carries. Results are the same
bits as those of the command line.
"""

from . import account
from ._program import binary
from .comparison import Comparison
from .errors import Fault, InputError, RunError, StarlingError
from .frames import Table
from .progress import Event
from .results import Run, Runs
from .results import open_run as open
from .results import open_runs as runs
from .running import run, validate
from .verbs import describe, factorize, scenarios, schema

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
    "Table",
    "account",
    "binary",
    "describe",
    "factorize",
    "open",
    "run",
    "runs",
    "scenarios",
    "schema",
    "validate",
]


def __getattr__(name: str) -> str:
    # The metadata of packages take a while to import.
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("starling")
    except PackageNotFoundError:  # a folder of the source on sys.path
        return "0"
