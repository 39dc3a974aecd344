"""Builds wheels, of the package and the program for this platform, which Go compiles, and source distributions.

A backend of its own (PEP 517 and PEP 660), as what other backends would have to be told is
most of this file. The metadata are those of pyproject.toml; the version is that of the program.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_HERE = Path(__file__).resolve().parent
_PACKED = _HERE / "go"  # the Go module in a source distribution
_ROOT = _PACKED if _PACKED.is_dir() else _HERE.parents[2]
_NAME = "starling_sim"
_Settings = dict[str, Any] | None


def build_wheel(wheel_directory: str, config_settings: _Settings = None, metadata_directory: str | None = None) -> str:
    """Write a wheel with the package and the program, and return its name."""
    files = {f"starling/{path.name}": path.read_bytes() for path in _modules()}
    with tempfile.TemporaryDirectory() as place:
        program = _compile(Path(place))
        files[f"starling/bin/{program.name}"] = program.read_bytes()
    return _write(Path(wheel_directory), files)


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: _Settings = None) -> str:
    """Write the metadata alone, which takes no compiler, and return their folder."""
    about = _about()
    folder = Path(metadata_directory) / about
    folder.mkdir()
    for name, text in _described().items():
        place = folder / name
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(text)
    return about


def build_editable(
    wheel_directory: str, config_settings: _Settings = None, metadata_directory: str | None = None
) -> str:
    """Write a wheel that leads to the package in the source, where the program goes, too."""
    folder = _HERE / "starling" / "bin"
    folder.mkdir(exist_ok=True)
    _compile(folder)
    return _write(Path(wheel_directory), {"starling.pth": f"{_HERE}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: _Settings = None) -> str:
    """Write the package and the Go module of the program, and return the name. Equal files give
    equal bytes."""
    about = f"{_NAME}-{_version()}"
    files = {"PKG-INFO": _metadata().encode(), "LICENSE": _license()}
    own = [_HERE / name for name in ("pyproject.toml", "backend.py", "README.md")]
    for path in [*own, *_modules()]:
        files[path.relative_to(_HERE).as_posix()] = path.read_bytes()
    for name in _source():
        files[f"go/{name}"] = (_ROOT / name).read_bytes()
    name = f"{about}.tar.gz"
    with (
        open(Path(sdist_directory) / name, "wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{about}/{path}")
            entry.size, entry.mode = len(content), 0o644
            archive.addfile(entry, io.BytesIO(content))
    return name


def _modules() -> list[Path]:
    """The files of the package."""
    return sorted([*(_HERE / "starling").glob("*.py"), _HERE / "starling" / "py.typed"])


def _source() -> list[str]:
    """The files that the program is compiled of, and its licence, by their paths in the module."""
    if _ROOT == _PACKED:
        return sorted(path.relative_to(_ROOT).as_posix() for path in _ROOT.rglob("*") if path.is_file())
    lists = ("GoFiles", "EmbedFiles", "SFiles", "HFiles", "IgnoredGoFiles", "IgnoredOtherFiles")
    form = "{{if .Module}}{{if .Module.Main}}{{$d := .Dir}}" + "".join(
        "{{range ." + kind + "}}{{$d}}/{{.}}\n{{end}}" for kind in lists
    )
    found = _go("list", "-deps", "-f", form + "{{end}}{{end}}", "./cmd/starling").splitlines()
    names = {Path(line).relative_to(_ROOT).as_posix() for line in found if line}
    return sorted(names | {"go.mod", "go.sum", "LICENSE"})


def _license() -> bytes:
    return (_ROOT / "LICENSE").read_bytes()


def _compile(folder: Path) -> Path:
    """Build the program into a folder. GOOS and GOARCH choose another platform."""
    if shutil.which("go") is None:
        raise SystemExit(
            "starling is compiled by Go, and there is no command go: install it from go.dev, and try again"
        )
    system = _go("env", "GOOS")
    program = folder / ("starling.exe" if system == "windows" else "starling")
    # Without cgo the program needs no library of the system, and one wheel is for all of them.
    _go("build", "-trimpath", "-ldflags=-s -w", "-o", str(program), "./cmd/starling", CGO_ENABLED="0")
    return program


def _go(*arguments: str, **settings: str) -> str:
    done = subprocess.run(
        ["go", *arguments], cwd=_ROOT, env={**os.environ, **settings}, text=True, capture_output=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"go {' '.join(arguments)} failed:\n{done.stderr}")
    return done.stdout.strip()


def _tag() -> str:
    """The tag of the wheel: any Python, and the platform that Go compiles for."""
    system, processor = _go("env", "GOOS", "GOARCH").split()
    machine = {"amd64": "x86_64", "arm64": "aarch64", "386": "i686"}.get(processor, processor)
    if system == "linux":
        return f"py3-none-manylinux_2_17_{machine}.manylinux2014_{machine}.musllinux_1_1_{machine}"
    if system == "darwin":
        return "py3-none-macosx_12_0_" + ("arm64" if processor == "arm64" else "x86_64")
    if system == "windows":
        return "py3-none-" + {"amd64": "win_amd64", "arm64": "win_arm64", "386": "win32"}[processor]
    raise SystemExit(
        f"there are no wheels for {system}; build the program with Go, and set STARLING_BINARY to its path"
    )


def _version() -> str:
    """The version of the program."""
    source = (_ROOT / "cmd/starling/command/shell/shell.go").read_text("utf-8")
    found = re.search(r'^const Version = "([^"]+)"$', source, re.MULTILINE)
    if found is None:
        raise SystemExit("the source of the program says no version")
    return found[1]


def _about() -> str:
    """The name of the folder of metadata."""
    return f"{_NAME}-{_version()}.dist-info"


def _metadata() -> str:
    """The text of METADATA."""
    project = tomllib.loads((_HERE / "pyproject.toml").read_text("utf-8"))["project"]
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {_version()}",
        f"Summary: {project['description']}",
    ]
    lines += [f"Requires-Python: {project['requires-python']}", "Description-Content-Type: text/markdown"]
    lines += [f"License-Expression: {project['license']}"]
    lines += [f"License-File: {name}" for name in project["license-files"]]
    lines += [f"Author: {author['name']}" for author in project["authors"]]
    lines += [f"Keywords: {','.join(project['keywords'])}"]
    lines += [f"Classifier: {name}" for name in project["classifiers"]]
    lines += [f"Requires-Dist: {what}" for what in project["dependencies"]]
    for extra, needs in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {what}; extra == '{extra}'" for what in needs]
    return "\n".join(lines) + "\n\n" + (_HERE / project["readme"]).read_text("utf-8")


def _described() -> dict[str, bytes]:
    """What installers read of the package, by the path in the folder of metadata."""
    project = tomllib.loads((_HERE / "pyproject.toml").read_text("utf-8"))["project"]
    scripts = "".join(f"{name} = {where}\n" for name, where in project["scripts"].items())
    return {
        "METADATA": _metadata().encode(),
        "entry_points.txt": f"[console_scripts]\n{scripts}".encode(),
        "licenses/LICENSE": _license(),
    }


def _write(folder: Path, files: dict[str, bytes]) -> str:
    """Write a wheel of files and return its name. Equal files give equal bytes."""
    tag = _tag()
    about = _about()
    platforms = tag.split("-")[2].split(".")
    wheel = "Wheel-Version: 1.0\nGenerator: starling\nRoot-Is-Purelib: false\n" + "".join(
        f"Tag: py3-none-{p}\n" for p in platforms
    )
    files |= {f"{about}/{name}": content for name, content in _described().items()}
    files[f"{about}/WHEEL"] = wheel.encode()
    record = ""
    for name, content in files.items():
        total = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={total},{len(content)}\n"
    files[f"{about}/RECORD"] = (record + f"{about}/RECORD,,\n").encode()
    name = f"{_NAME}-{_version()}-{tag}.whl"
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, date_time=(1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if "/bin/" in path else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return name
