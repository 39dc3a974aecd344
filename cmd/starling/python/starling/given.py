"""Scenarios as the program takes them."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union

from .errors import DICT, Fault, InputError

#: A scenario: the name of one of the library, the path of a file, or its content.
Scenario = Union[str, "os.PathLike[str]", Mapping[str, object]]


@dataclass(frozen=True)
class Given:
    """A scenario and its overrides: a name or a path, or else the text of a file and the files beside it.
    Other processes take it, too."""

    name: str
    overrides: list[str]
    text: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    @contextmanager
    def placed(self) -> Iterator[tuple[list[str], dict[str, str]]]:
        """The arguments of the program, and what to call its files in errors. A text is a file for as
        long as that takes."""
        if not self.text:
            yield [*self.overrides, "--", self.name], {}
            return
        with tempfile.TemporaryDirectory(prefix="starling-") as folder:
            file = Path(folder) / "scenario.yaml"
            file.write_text(self.text, encoding="utf-8")
            self.keep(folder)
            yield [*self.overrides, "--", str(file)], {str(file): DICT, f"{folder}{os.sep}": ""}

    def keep(self, folder: str | os.PathLike[str]) -> None:
        """Write the files that the text names into a folder, which can then be run again."""
        for path, content in self.files.items():
            place = Path(folder) / path
            if not place.exists():  # its name has the hash of its content
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)


def given(scenario: Scenario, set: Mapping[str, Any] | None = None) -> Given:
    """A scenario as the program takes it. Raises InputError where it cannot be written."""
    overrides = _overrides(set)
    if not isinstance(scenario, Mapping):
        return Given(os.fspath(scenario), overrides)
    content, files = _as_files(scenario)
    base = content.get("extends")
    if isinstance(base, (str, os.PathLike)) and Path(base).is_file():
        content["extends"] = str(Path(base).resolve())  # the text below is elsewhere
    text = _yaml(json.loads(_json(content))) + "\n"
    if len(text.encode()) > _MOST:
        raise InputError([_too_long(content, len(text.encode()))])
    return Given(str(content.get("name", "")), overrides, text, files)


def _as_files(scenario: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The scenario with paths in place of classes and data, and their files."""
    try:
        json.dumps(scenario)
        return dict(scenario), {}
    except (TypeError, ValueError):
        pass  # there may be such
    from . import objects

    return objects.as_files(scenario)


def _overrides(values: Mapping[str, Any] | None) -> list[str]:
    """--set for each value. JSON is YAML."""
    made, files = _as_files(values or {})
    if files:
        raise InputError(
            [
                Fault(
                    "no override takes a class or data: give the scenario as a dict that has them, such as one of"
                    " starling.extended"
                )
            ]
        )
    return [f"--set={path}={_json(value)}" for path, value in made.items()]


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
            f"{value.__name__} is a class: give it as class, such as {{'kind': 'python', 'class': {value.__name__}}}"
        )
    if hasattr(value, "to_parquet") or hasattr(value, "write_parquet"):
        raise TypeError("a frame: give it as file, such as {'kind': 'table', 'file': frame}")
    raise TypeError(f"{shown(value)} is no number, text, list or dict")


def shown(value: object) -> str:
    """A value in a line of an error."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


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
