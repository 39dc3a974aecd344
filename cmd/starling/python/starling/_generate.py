"""Writes ``sections.py``, the sections of scenarios as types and functions, from the schema of the program.

``python -m starling._generate FILE`` writes it to a file, of the program that the package takes.
"""

from __future__ import annotations

import json
import keyword
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .verbs import schema

_Schema = dict[str, Any]

_HEAD = '''"""The sections of scenarios, as functions with the keys of each kind, and as types.

``starling._generate`` writes this file from the schema of the program: change it there.
"""

# fmt: off
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, Union, cast

if TYPE_CHECKING:
    import numpy as np
    import pandas
    import polars
    from numpy.typing import NDArray
    from typing_extensions import Required, Unpack

#: A path of a file.
Path: TypeAlias = Union[str, "os.PathLike[str]"]
#: Numbers in a row: a list, or an array of numpy.
Numbers: TypeAlias = Union[Sequence[float], "NDArray[np.floating[Any] | np.integer[Any]]"]
#: Rows of data that become a file beside the run.
Frame: TypeAlias = Union["pandas.DataFrame", "polars.DataFrame", "NDArray[Any]", Mapping[str, Any]]


def _made(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """A section of what was given."""
    return {"kind": kind, **{key.rstrip("_"): value for key, value in given.items() if value is not None}}
'''

#: Kinds whose code is a class, which stands for file and name.
_CLASSES = {("problem", "python"), ("problem", "python-rows"), ("algorithm", "python"), ("algorithm", "own-server")}


class _Writer:
    """The types of a schema, and their text."""

    def __init__(self, definitions: Mapping[str, _Schema]) -> None:
        self._definitions = {name: found for name, found in definitions.items() if not name.startswith("changed")}
        self._names: dict[str, str] = {}  # of types, by their schema
        self._types: list[str] = []

    def text(self) -> str:
        """The text of the file."""
        text = json.dumps(self._definitions)
        used = {name: found for name, found in self._definitions.items() if f'"#/$defs/{name}"' in text}
        sections = {name: found for name, found in used.items() if "oneOf" in found}
        aliases, classes = [], []
        for name, found in sections.items():
            kinds = [self._record(_camel(kind["title"]) + _camel(name), kind, kind["title"]) for kind in found["oneOf"]]
            aliases.append(f"#: {_of_section(name)}\n{_camel(name)}: TypeAlias = {' | '.join(kinds)}\n")
            classes.append("\n".join(self._namespace(name, found["oneOf"])))
        for name, found in used.items():
            if "oneOf" not in found:
                self._section(name, found, aliases)
        functions = [self._scenario(), self._extended()]
        return "\n\n".join([_HEAD, *self._types, *aliases, *classes, *functions]) + "\n"

    def _section(self, name: str, found: _Schema, aliases: list[str]) -> None:
        """A section without kinds."""
        if "properties" in found:
            self._record(_camel(name), found, "")
        else:
            aliases.append(f"{_camel(name)}: TypeAlias = {self.type(found, name.rstrip('s'), '')}\n")

    def type(self, found: _Schema, key: str, owner: str) -> str:
        """The type of a value."""
        if "$ref" in found:
            return _camel(found["$ref"].rsplit("/", 1)[-1])
        if "const" in found:
            return f"Literal[{found['const']!r}]"
        if "enum" in found:
            return self._enumeration(found["enum"], key)
        for union in ("oneOf", "anyOf"):
            if union in found and "properties" not in found:
                return " | ".join(dict.fromkeys(self.type(one, key, owner) for one in found[union]))
        if found.get("type") == "array":
            return self._array(found, key, owner)
        if found.get("type") == "object":
            return self._object(found, key, owner)
        if found.get("type") == "string" and found.get("x-range") == "a path":
            return "Path"
        known = {"integer": "int", "number": "float", "string": "str", "boolean": "bool", "null": "None"}
        return known[found["type"]] if "type" in found else "object"

    def _array(self, found: _Schema, key: str, owner: str) -> str:
        items = found.get("items", {})
        if items.get("type") in ("number", "integer"):
            return "Numbers"
        return f"Sequence[{self.type(items, key, owner)}]"

    def _object(self, found: _Schema, key: str, owner: str) -> str:
        if "properties" in found:
            return self._record(_camel(key), found, owner)
        values = found.get("additionalProperties")
        return f"Mapping[str, {self.type(values, key, owner) if isinstance(values, dict) else 'object'}]"

    def _enumeration(self, values: list[Any], key: str) -> str:
        text = f"Literal[{', '.join(map(repr, values))}]"
        if len(values) < 12:
            return text
        name = self._names.get(text)
        if name is None:
            name = self._names[text] = self._free("Metric" if "regret.run" in values else _camel(key), "")
            self._types.append(f"{name}: TypeAlias = {_wrapped(text, '    ')}\n")
        return name

    def _record(self, name: str, found: _Schema, owner: str) -> str:
        """The name of the type of an object, which is written once for all equal ones."""
        mark = json.dumps({key: value for key, value in found.items() if key != "description"}, sort_keys=True)
        if mark in self._names:
            return self._names[mark]
        self._names[mark] = name = self._free(name, owner)
        lines = [f"class {name}(TypedDict, total=False):"]
        lines += _doc([found.get("description", f"Values of {owner or name}")], "    ")
        reserved = {"class": "type"} if _holds_class(found) else {}
        for key, value in found["properties"].items():
            kind = f"{value['const']!r}" if "const" in value else ""
            told = f"Literal[{kind}]" if kind else self.type(value, key, owner)
            if told == "Path" and _takes_frames(key, owner) and not _holds_class(found):
                told += " | Frame"
            required = key in found.get("required", []) and not (key in ("file", "name") and _holds_class(found))
            if keyword.iskeyword(key):
                reserved[key] = told
                continue
            lines.append(f"    {key}: {f'Required[{told}]' if required else told}")
            if not found.get("title"):  # the function of a kind has the texts of its keys
                lines += _doc([_about(value)], "    ")
        if reserved:
            lines = _with_reserved(lines, reserved)
        self._types.append("\n".join(lines) + "\n")
        return name

    def _free(self, name: str, owner: str) -> str:
        """A name that no other type has."""
        taken = {
            "Path",
            "Numbers",
            "Frame",
            "Changes",
            "Scenario",
            *map(_camel, self._definitions),
            *self._names.values(),
        }
        candidates = iter([name, _camel(owner) + name, *(f"{_camel(owner)}{name}{n}" for n in range(2, 99))])
        whole = name in map(_camel, self._definitions) and not owner
        return name if whole else next(one for one in candidates if one not in taken)

    def _namespace(self, section: str, kinds: list[_Schema]) -> Iterator[str]:
        """A class with a function for each kind of a section."""
        yield f"class {section}:"
        yield f'    """{_of_section(section)}"""\n'
        for kind in kinds:
            made = _camel(kind["title"]) + _camel(section)
            values = {key: value for key, value in kind["properties"].items() if key != "kind"}
            signature = list(self._parameters(values, kind, kind["title"]))
            of_class = (section, kind["title"]) in _CLASSES
            first = ["        class_: type | None = None,"] if of_class else []
            star = ["        *,"] if signature else []
            about = (
                ["class_: the class, in place of file and name; its source is kept beside the run."] if of_class else []
            )
            about += [f"{_name(key)}: {_about(value)}" for key, value in values.items()]
            yield "    @staticmethod"
            yield f"    def {_name(kind['title'])}("
            yield from [*first, *star, *(f"    {line}" for line in signature)]
            yield f"    ) -> {made}:"
            yield from _doc([kind["description"], *about], "        ")
            yield f"        return cast({made!r}, _made({kind['title']!r}, locals()))\n"

    def _parameters(self, values: Mapping[str, _Schema], found: _Schema, owner: str) -> Iterator[str]:
        """The parameters of a function, those that have to be given first."""
        required = [key for key in found.get("required", []) if key in values]
        if _holds_class(found):
            required = [key for key in required if key not in ("file", "name")]
        for key in [*required, *(key for key in values if key not in required)]:
            told = self.type(values[key], key, owner)
            if told == "Path" and _takes_frames(key, owner) and not _holds_class(found):
                told += " | Frame"
            more = "" if key in required else "= None"
            optional = "" if key in required or "None" in told.split(" | ") else " | None"
            yield f"    {_name(key)}: {told}{optional}{' ' + more if more else ''},"

    def _scenario(self) -> str:
        found = self._definitions["scenario"]
        self._record("Scenario", {**found, "description": "A scenario."}, "")
        values = {key: value for key, value in found["properties"].items() if key not in ("version", "extends")}
        lines = ["def scenario(", "    *,", *self._parameters(values, found, "scenario"), ") -> Scenario:"]
        lines += _doc(
            ["A scenario, to run, or to write by to_yaml.", *(f"{key}: {_about(v)}" for key, v in values.items())],
            "    ",
        )
        lines.append("    given = {key: value for key, value in locals().items() if value is not None}")
        return "\n".join([*lines, '    return cast("Scenario", {"version": 1, **given})'])

    def _extended(self) -> str:
        """The function that changes another scenario."""
        lines = [
            "class Changes(TypedDict, total=False):",
            '    """What a scenario changes of another; None takes a value away."""',
            "",
        ]
        for key, value in self._definitions["scenario"]["properties"].items():
            if key not in ("version", "extends", "name"):
                told = self.type(value, key, "scenario")
                whole = "$ref" in value or "Mapping" in told or value.get("type") == "object" or key == "sweep"
                told = "Mapping[str, object]" if whole else "Sequence[object]" if "Sequence" in told else told
                lines.append(f"    {key}: {told} | None")
        return (
            "\n".join(lines)
            + '''


def extended(base: Path, name: str, **changes: Unpack[Changes]) -> dict[str, Any]:
    """A scenario that changes some values of another, a file or one of the library.

    Args:
        base: the other: a name of the library, or the path of a file.
        name: the name of the new one.
        changes: sections with the values that differ.
    """
    return {"version": 1, "name": name, "extends": os.fspath(base), **changes}'''
        )


def _takes_frames(key: str, owner: str) -> bool:
    """Whether a frame may be given in place of the file of a key; a class or a graph has another file."""
    return key == "file" and owner != "graphml"


def _holds_class(found: _Schema) -> bool:
    """Whether a kind names a class of Python."""
    name: _Schema = found.get("properties", {}).get("name", {})
    return name.get("x-range") == "a class"


def _with_reserved(lines: list[str], reserved: Mapping[str, str]) -> list[str]:
    """A type with keys that are words of Python, which only a type without a body can have."""
    name = lines[0].removeprefix("class ").partition("(")[0]
    keys = ", ".join(f'"{key}": "{told}"' for key, told in reserved.items())
    base = f'_{name} = TypedDict("_{name}", {{{keys}}}, total=False)\n\n'
    return [base, f"class {name}(_{name}, total=False):", *lines[1:]]


def _about(value: _Schema) -> str:
    """What the schema says of a value."""
    text = str(value.get("description", ""))
    unit, default = value.get("x-unit", "none"), value.get("default")
    text += f" (in {unit})" if unit not in ("none", "step size", "as the key says", "number") else ""
    return text + (f"; default {default!r}" if default is not None else "")


def _of_section(name: str) -> str:
    return f"The kinds of {name}; ``starling.describe(KIND)`` has more of each."


def _doc(parts: list[str], indent: str) -> list[str]:
    """A docstring: what comes first, and the arguments."""
    about = parts[0].replace("\\", "\\\\")
    lines = textwrap.wrap(about[:1].upper() + about[1:].rstrip(".") + ".", 100, break_on_hyphens=False)
    if len(parts) > 1:
        lines += ["", "Args:"]
        for part in parts[1:]:
            lines += textwrap.wrap(
                part.replace("\\", "\\\\"),
                100,
                initial_indent="    ",
                subsequent_indent="        ",
                break_on_hyphens=False,
            )
    if len(lines) == 1:
        return [f'{indent}"""{lines[0]}"""']
    body = [f"{indent}{line}".rstrip() for line in lines[1:]]
    return [f'{indent}"""{lines[0]}', *body, f'{indent}"""']


def _wrapped(text: str, indent: str) -> str:
    return ("\n" + indent).join(textwrap.wrap(text, 110, break_on_hyphens=False, break_long_words=False))


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.replace("_", "-").split("-"))


def _name(key: str) -> str:
    """A key as a name of Python."""
    name = key.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def text() -> str:
    """The text of ``sections.py``, of the program that the package takes."""
    return _Writer(schema()["$defs"]).text()


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text(), encoding="utf-8")
