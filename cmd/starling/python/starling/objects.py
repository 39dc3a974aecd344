"""Classes and data of this process as files of a scenario.

A class of a notebook or a script becomes a file with its source, and with the source of all that it
uses. Arrays and tensors that it uses become files of numpy, and frames and arrays of data files of Parquet.
A topology takes a frame of edges, a graph of networkx, and one array; other sections take frames as CSV, and a
mechanism the matrix of a strategy. Names of the files have the hash of
their contents.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import importlib
import inspect
import io
import linecache
import symtable
import sys
import sysconfig
import textwrap
import types
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any

from .errors import Fault, InputError

#: The folder of such files, beside the scenario.
FOLDER = "files"


def as_files(scenario: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The scenario with paths in place of classes and data, and the files, by their paths beside it."""
    files: dict[str, bytes] = {}
    return {key: _replaced(value, key, files) for key, value in scenario.items()}, files


def _replaced(value: Any, path: str, files: dict[str, bytes]) -> Any:
    if isinstance(value, (list, tuple)):
        return [_replaced(one, f"{path}[{i + 1}]", files) for i, one in enumerate(value)]
    if not isinstance(value, Mapping):
        return value
    made = {key: _entry(key, one, f"{path}.{key}", files) for key, one in value.items() if key != "class"}
    if "class" in value:
        if "file" in value or "name" in value:
            raise _fault(path, "there are a class and file or name; want one of them")
        made |= _code(value["class"], path, files)
        if path == "problem":
            _warn_unused(value)
    return made


def _entry(key: str, value: Any, path: str, files: dict[str, bytes]) -> Any:
    """The value of a key, with a path in place of data."""
    if key == "matrices" and getattr(value, "ndim", 0) == 2:
        return [value.tolist()]
    if key != "file" or isinstance(value, str):
        return _replaced(value, path, files)
    if hasattr(value, "adjacency"):
        return _graph(value, path, files)
    if not _is_data(value):
        return _replaced(value, path, files)
    if path.startswith("problem"):
        return _data(value, path, files)
    return _csv(_entries(value) if path.startswith("mechanism.") else value, path, files)


def _entries(value: Any) -> Any:
    """The entries of a matrix that are not 0, as columns; what is no matrix stays."""
    import numpy as np

    if getattr(value, "ndim", 0) != 2 or not isinstance(value, np.ndarray) or value.shape[0] != value.shape[1]:
        return value
    row, column = np.nonzero(value)
    return {"row": row + 1, "column": column + 1, "value": value[row, column]}


#: The methods of a class that are used where problem.offers names them.
_OFFERED = ("start", "sums", "losses", "local", "classify", "test_loss", "minimum", "target")


def _warn_unused(section: Mapping[str, Any]) -> None:
    """Warns of methods that nothing calls."""
    cls = section["class"]
    if isinstance(cls, Written):
        return
    has = [name for name in _OFFERED if callable(getattr(cls, name, None))]
    if has and not section.get("offers"):
        warnings.warn(
            f"{cls.__name__} has {', '.join(has)}, and problem.offers names none: they are not used",
            UserWarning,
            stacklevel=2,
        )
    if callable(getattr(cls, "measure", None)) and not section.get("metrics"):
        warnings.warn(
            f"{cls.__name__} has measure, and there is no problem.metrics: it is not used", UserWarning, stacklevel=2
        )


def _graph(value: Any, path: str, files: dict[str, bytes]) -> str:
    """The path of a GraphML file with a graph of networkx."""
    networkx = importlib.import_module("networkx")
    written = io.BytesIO()
    try:
        networkx.write_graphml(value, written)
    except (networkx.NetworkXException, TypeError, ValueError) as error:
        raise _fault(path, f"a {type(value).__name__} does not become GraphML: {error}") from None
    return _kept("graph", "graphml", written.getvalue(), files)


def _csv(value: Any, path: str, files: dict[str, bytes]) -> str:
    """The path of a CSV file with the rows of a frame."""
    import pyarrow as pa
    import pyarrow.csv

    try:
        table = _table(value)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise _fault(path, f"a {type(value).__name__} does not become a table: {error}") from None
    written = io.BytesIO()
    written.write((",".join(table.column_names) + "\n").encode())
    pa.csv.write_csv(table, written, pa.csv.WriteOptions(include_header=False, quoting_style="none"))
    return _kept("edges" if path.startswith("topology") else "rows", "csv", written.getvalue(), files)


def _fault(path: str, message: str) -> InputError:
    return InputError([Fault(message, path)])


def _is_data(value: Any) -> bool:
    """Whether a value is a frame, an array, or columns by name."""
    return not isinstance(value, str) and any(
        hasattr(value, name) for name in ("__arrow_c_stream__", "columns", "shape", "keys")
    )


def _data(value: Any, path: str, files: dict[str, bytes]) -> str:
    """The path of a file of Parquet with a frame, an array, or columns by name."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = _table(value)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise _fault(path, f"a {type(value).__name__} does not become a table: {error}") from None
    if table.num_columns == 0:
        raise _fault(path, f"a {type(value).__name__} without columns")
    written = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(None), written)
    return _kept("table", "parquet", written.getvalue(), files)


def _table(value: Any) -> Any:
    """A table of Arrow of what has columns."""
    import pyarrow as pa

    if hasattr(value, "to_parquet"):  # a frame of pandas
        return pa.Table.from_pandas(value, preserve_index=False)
    if hasattr(value, "__arrow_c_stream__"):  # of polars, Arrow, DuckDB
        return pa.table(value)
    if hasattr(value, "keys"):
        return pa.table({name: array for key in value for name, array in _columns(str(key), value[key])})
    if value.dtype.names:
        return pa.table({name: value[name] for name in value.dtype.names})
    return pa.table(dict(_columns("x", value)))


def _columns(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The columns of an array: one, or those of its second axis, which are counted from 0."""
    import numpy as np

    array = np.asarray(value)
    if array.ndim == 1:
        yield name, array
    elif array.ndim == 2:
        yield from ((f"{name}{j}", np.ascontiguousarray(array[:, j])) for j in range(array.shape[1]))
    else:
        raise ValueError(f"{name} has {array.ndim} axes; want 1 or 2")


def _kept(name: str, suffix: str, content: bytes, files: dict[str, bytes]) -> str:
    """The path of a file with a content."""
    path = f"{FOLDER}/{name}-{hashlib.sha256(content).hexdigest()[:12]}.{suffix}"
    files[path] = content
    return path


class Written:
    """A class by its text, which takes names from a space: classes and functions, arrays, tensors and plain values."""

    def __init__(self, name: str, text: str, space: Mapping[str, Any]) -> None:
        self.__name__, self.text, self.space = name, text, space


class Made:
    """A value by the text that makes it, of modules that are imported."""

    def __init__(self, text: str, *modules: str) -> None:
        self.text, self.modules = text, modules


def _code(cls: Any, path: str, files: dict[str, bytes]) -> dict[str, str]:
    """The file and the name of a class."""
    if isinstance(cls, Written):
        text = _Source(cls, path, files).text()
        return {"file": _kept(cls.__name__, "py", text.encode(), files), "name": cls.__name__}
    if not isinstance(cls, type):
        raise _fault(f"{path}.class", f"{cls!r} is no class: give the class itself, not an object of it")
    module = sys.modules.get(cls.__module__)
    own = getattr(module, "__file__", None)
    if cls.__module__ == "__main__" or own is None:
        text = _Source(cls, path, files).text()
    elif "." in cls.__module__:  # its file alone could not import what is relative to it
        text = f"from {cls.__module__} import {cls.__name__}\n"
    else:
        return {"file": str(Path(own).resolve()), "name": cls.__name__}
    return {"file": _kept(cls.__name__, "py", text.encode(), files), "name": cls.__name__}


class _Source:
    """The source of a class, and of all that it uses."""

    def __init__(self, cls: type | Written, path: str, files: dict[str, bytes]) -> None:
        self._cls, self._path, self._files = cls, path, files
        self._space: Mapping[str, Any] = cls.space if isinstance(cls, Written) else vars(sys.modules[cls.__module__])
        self._imports: dict[str, None] = {}
        self._values: dict[str, str] = {}
        self._texts: dict[str, str] = {}  # of classes and functions, in their order
        self._seen: dict[str, Any] = {}
        if isinstance(cls, Written):
            self._put(cls.text, cls.__name__)
        else:
            self._add(cls, cls.__name__)

    def text(self) -> str:
        """The text of a file with the class."""
        head = [
            f'"""The class {self._cls.__name__}, and what it uses, as starling found it in a running program."""',
            "from __future__ import annotations",
        ]
        values = [f"{name} = {value}" for name, value in self._values.items()]
        parts = ["\n".join(head), "\n".join(sorted(self._imports)), "\n".join(values), *self._texts.values()]
        return "\n\n".join(part for part in parts if part) + "\n"

    def _refuse(self, message: str) -> InputError:
        return _fault(
            f"{self._path}.class", f"the source of {self._cls.__name__} cannot be kept with the run: {message}"
        )

    def _add(self, thing: type | types.FunctionType, name: str) -> None:
        """Adds a class or a function, after what it uses."""
        if isinstance(thing, types.FunctionType) and thing.__name__ == "<lambda>":
            self._put(f"{name} = {self._lambda(thing, name)}\n", name)
            return
        if thing.__name__ != name or "<" in thing.__qualname__:
            raise self._refuse(
                f"{name} is made by other code; define it by class or def at the top of a cell or a file"
            )
        text = _found(thing)
        if text is None:
            raise self._refuse(f"no text defines {name}: write it to a file, and give file and name")
        self._put(text, name)

    def _lambda(self, thing: types.FunctionType, name: str) -> str:
        """The text of a lambda."""
        if thing.__code__.co_freevars:
            raise self._refuse(
                f"{name} is a lambda with {', '.join(thing.__code__.co_freevars)} of the function around it; define it by"
                " def at the top of a cell or a file"
            )
        texts = _lambdas(thing)
        if len(texts) != 1:
            raise self._refuse(
                f"{name} is a lambda, and {'several of its lines have' if texts else 'no text has'} its code; define it"
                " by def at the top of a cell or a file"
            )
        return texts.pop()

    def _put(self, text: str, name: str) -> None:
        """Adds the text of a class or a function, after what it uses."""
        tree = _Bare().visit(ast.parse(text))
        needed = _globals(ast.unparse(tree))
        for used in sorted(needed):
            self._use(used, _chains(tree, used))
        for used in sorted(_globals(text) - needed):  # of annotations
            with suppress(InputError):
                self._use(used, set())
        self._texts[name] = text

    def _use(self, name: str, chains: set[str]) -> None:
        """Adds what a name stands for."""
        if name == self._cls.__name__:
            return
        if name in self._seen:
            if name in self._space and self._space[name] is not self._seen[name]:
                raise self._refuse(f"two modules have a {name} each, which it uses")
            return
        if name not in self._space:
            if name in vars(builtins) or name in ("__name__", "__file__", "__class__"):
                return
            raise self._refuse(f"there is no {name}, which it uses")
        value = self._seen[name] = self._space[name]
        if isinstance(value, Made):
            self._imports |= {f"import {module}": None for module in value.modules}
            self._values[name] = value.text
        elif isinstance(value, types.ModuleType):
            self._import(name, value, chains)
        elif _is_own(getattr(value, "__module__", None), self._cls) and isinstance(
            unwrapped := inspect.unwrap(value), (type, types.FunctionType)
        ):
            outer, self._space = self._space, vars(sys.modules[value.__module__])
            self._add(unwrapped, name)
            self._space = outer
        elif (place := _importable(value, name)) is not None:
            module, there = place
            self._imports[f"from {module} import {there}" + (f" as {name}" if name != there else "")] = None
        elif (constant := _constant(value)) is not None:
            self._values[name] = constant
        elif isinstance(value, PurePath):
            self._imports["import pathlib"] = None
            self._values[name] = f"pathlib.{type(value).__name__}({str(value)!r})"
        elif (loaded := self._loaded(name, value)) is not None:
            self._values[name] = loaded
        else:
            raise self._refuse(
                f"{name} is a {type(value).__name__} of the running program. Make it in the class or in a function;"
                " arrays of numpy, tensors and paths are kept with the run"
            )

    def _loaded(self, name: str, value: Any) -> str | None:
        """The text that loads an array of numpy or a tensor of PyTorch, which is kept as a file."""
        import numpy as np

        tensor = type(value).__module__.startswith("torch") and hasattr(value, "detach")
        try:
            array = value.detach().cpu().numpy() if tensor else value
        except (RuntimeError, TypeError):
            return None
        if type(array) is not np.ndarray or array.dtype.hasobject:
            return None
        written = io.BytesIO()
        np.save(written, array, allow_pickle=False)
        file = PurePath(_kept(name, "npy", written.getvalue(), self._files)).name
        self._imports |= {"import numpy": None, "import pathlib": None}
        load = f"numpy.load(pathlib.Path(__file__).with_name({file!r}))"
        if not tensor:
            return load
        self._imports["import torch"] = None
        return f"torch.from_numpy({load})"

    def _import(self, name: str, module: types.ModuleType, chains: set[str]) -> None:
        """Adds the import of a module, and of its modules that are used through it."""
        if module.__name__ == name:
            self._imports[f"import {name}"] = None
        else:
            self._imports[f"import {module.__name__} as {name}"] = None
        for chain in chains:
            whole = module.__name__ + chain.removeprefix(name)
            if isinstance(sys.modules.get(whole), types.ModuleType):
                self._imports[f"import {whole}"] = None


def _is_own(name: Any, cls: type | Written) -> bool:
    """Whether a module is the one of the class, or of a program: a file beside no other code that is installed."""
    if name == "__main__" or (name == getattr(cls, "__module__", None) and not isinstance(cls, Written)):
        return True
    file = getattr(sys.modules.get(name), "__file__", None) if isinstance(name, str) else None
    if file is None or "." in str(name):
        return False
    installed = {sysconfig.get_path(scheme) for scheme in ("stdlib", "platstdlib", "purelib", "platlib")}
    return not any(Path(file).is_relative_to(folder) for folder in installed)


def _found(thing: type | types.FunctionType) -> str | None:
    """The text of a class or a function, from the cell or the file that defined it."""
    code = _code_of(thing)
    names = [code.co_filename] if code is not None else [*reversed(linecache.cache), _main_file()]
    for name in names:
        lines = linecache.getlines(name)
        try:
            body = ast.parse("".join(lines)).body
        except SyntaxError:
            continue
        for node in reversed(body):
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == thing.__name__:
                first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
                return textwrap.dedent("".join(lines[first - 1 : node.end_lineno])).rstrip() + "\n"
    return None


def _lambdas(thing: types.FunctionType) -> set[str]:
    """The texts of lambdas that begin on the line of one and have its code; defaults are part of a text."""
    code = thing.__code__
    try:
        tree = ast.parse("".join(linecache.getlines(code.co_filename)))
    except SyntaxError:
        return set()

    def same(node: ast.Lambda) -> bool:
        made = compile(ast.Expression(node), code.co_filename, "eval")
        return any(isinstance(one, types.CodeType) and _alike(one, code) for one in made.co_consts)

    return {
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno and same(node)
    }


def _alike(a: types.CodeType, b: types.CodeType) -> bool:
    """Whether codes do the same, wherever they stand."""
    same = (a.co_code, a.co_names, a.co_varnames) == (b.co_code, b.co_names, b.co_varnames)
    return same and len(a.co_consts) == len(b.co_consts) and all(map(_alike_constants, a.co_consts, b.co_consts))


def _alike_constants(a: Any, b: Any) -> bool:
    if isinstance(a, types.CodeType) and isinstance(b, types.CodeType):
        return _alike(a, b)
    # Names with the place of a lambda in a lambda differ by where the outer one stands.
    return type(a) is type(b) and (a == b or (isinstance(a, str) and "<lambda>" in a and "<lambda>" in b))


def _code_of(thing: type | types.FunctionType) -> types.CodeType | None:
    """The code of a function, or of a method that the body of a class defines."""
    if isinstance(thing, types.FunctionType):
        return thing.__code__
    for value in vars(thing).values():
        method = getattr(value, "__func__", getattr(value, "fget", value))
        function = inspect.unwrap(method) if callable(method) else None
        if not isinstance(function, types.FunctionType) or function.__module__ != thing.__module__:
            continue
        made = function.__code__.co_filename.startswith("<string>")  # such as by a dataclass
        if function.__qualname__.startswith(f"{thing.__qualname__}.") and not made:
            return function.__code__
    return None


def _main_file() -> str:
    return str(getattr(sys.modules.get("__main__"), "__file__", None) or "")


class _Bare(ast.NodeTransformer):
    """Takes annotations away, which nothing evaluates."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)


def _globals(text: str) -> set[str]:
    """The names that a text takes from its module."""
    found: set[str] = set()

    def look(table: symtable.SymbolTable) -> None:
        module = table.get_type() == "module"
        for symbol in table.get_symbols():
            own = symbol.is_assigned() or symbol.is_namespace() or symbol.is_imported()
            if symbol.is_referenced() and (not own if module else symbol.is_global()):
                found.add(symbol.get_name())
        for child in table.get_children():
            look(child)

    look(symtable.symtable(text, "cell", "exec"))
    return found


def _chains(tree: ast.AST, name: str) -> set[str]:
    """What is written with dots after a name: a.b and a.b.c of a.b.c."""
    chains = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            text = ast.unparse(node)
            if text.startswith(f"{name}.") and all(part.isidentifier() for part in text.split(".")):
                chains.add(text)
    return chains


def _importable(value: Any, name: str) -> tuple[str, str] | None:
    """The module and the name there of what another module has."""
    module = getattr(value, "__module__", None)
    if not isinstance(module, str) or module == "__main__":
        return None
    for there in (
        getattr(value, "__qualname__", None),
        getattr(value, "__name__", None),
        getattr(value, "_name", None),
        name,
    ):
        try:
            if isinstance(there, str) and getattr(importlib.import_module(module), there, None) is value:
                return module, there
        except ImportError:
            return None
    return None


def _constant(value: Any) -> str | None:
    """The text of a plain value."""
    if isinstance(value, (set, frozenset)):
        try:
            text = f"{type(value).__name__}({sorted(value)!r})"
        except TypeError:
            return None
    else:
        text = repr(value)
    if isinstance(value, float) and text in ("inf", "-inf", "nan"):
        return f'float("{text}")'
    plain = (int, float, complex, str, bytes, bool, type(None), tuple, list, dict, set, frozenset)
    if type(value) not in plain or len(text) > 1 << 16:
        return None
    try:
        if not isinstance(value, (set, frozenset)) and ast.literal_eval(text) != value:
            return None
    except (ValueError, SyntaxError):
        return None
    return text
