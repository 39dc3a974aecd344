"""What can go wrong, as exceptions that know where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .results import Run


#: The file of faults in a scenario that is a dict.
DICT = "the dict"


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong, and its place."""

    message: str
    #: The path of the value in the scenario, such as ``mechanism.epsilon``; "" where there is none.
    path: str = ""
    #: The file that the value is written in, ``the dict``, or the argument, such as
    #: ``set["horizon"]``; "" where there is none.
    file: str = ""
    #: Line and column count from 1; 0 where the fault has no place.
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        # A line of a scenario that is a dict is one of no text that anybody has seen.
        place = f"{self.file}:{self.line}:{self.column}: " if self.line and self.file != DICT else ""
        path = f"{self.path}: " if self.path else ""
        return place + path + self.message


class StarlingError(Exception):
    """An error of Starling. ``faults`` has all that is wrong, in the order of the file."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.faults,), self.__dict__

    @property
    def first(self) -> Fault:
        """The first fault."""
        return self.faults[0]

    @property
    def message(self) -> str:
        """The message of the first fault."""
        return self.first.message

    @property
    def path(self) -> str:
        """The path of the first fault in the scenario."""
        return self.first.path

    @property
    def line(self) -> int:
        """The line of the first fault."""
        return self.first.line

    @property
    def column(self) -> int:
        """The column of the first fault."""
        return self.first.column


class InputError(StarlingError, ValueError):
    """The scenario, or what was asked for, cannot be run as it is. Nothing was written."""


class RunError(StarlingError, RuntimeError):
    """What was asked for failed.

    Where some arms of a run failed and others did not, ``run`` has the results of the others.
    """

    run: Run | None = None
