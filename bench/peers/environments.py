"""Virtual environments of the peers, made from requirements with exact versions."""

import hashlib
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WANTED = ("3.13", "3.12")  # the one that most requirements have versions for, and one for the rest


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "starling-peers")


def find_pythons():
    """The interpreters that environments are made with: those wanted, where there are any, and the one that runs this."""
    found = []
    for name in (*(f"python{version}" for version in WANTED), sys.executable):
        answer = subprocess.run([name, "-c", "import sys; print(sys.executable)"], capture_output=True, text=True) if shutil.which(name) else None
        if answer and answer.returncode == 0:
            found.append(answer.stdout.strip())
    return list(dict.fromkeys(found)) or [sys.executable]


OTHERS = "versions that require a different python version:"  # as pip says it


class Missing(Exception):
    """An environment cannot be made here."""


def make(name, cache, pythons, pip_options):
    """The interpreter of an environment, made unless it is there, by the first Python that can. Raises Missing with the reason of the first."""
    requirements = os.path.join(HERE, "requirements", name + ".txt")
    with open(requirements, "rb") as f:
        pinned = f.read()
    places = {p: os.path.join(cache, f"{name}-{hashlib.sha256(pinned + p.encode()).hexdigest()[:12]}") for p in pythons}
    for place in places.values():
        if os.path.exists(os.path.join(place, "complete")):
            return os.path.join(place, "bin", "python")
    reasons = []
    for python, place in places.items():
        try:
            return _made(python, place, requirements, pip_options)
        except Missing as e:
            reasons.append(e)
    raise reasons[0]


def _made(python, place, requirements, pip_options):
    """The interpreter of a new environment at a place."""
    shutil.rmtree(place, ignore_errors=True)
    print(f"making {place}", file=sys.stderr, flush=True)
    interpreter = os.path.join(place, "bin", "python")
    try:
        _do([python, "-m", "venv", place])
        _do([interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pip_options, "-r", requirements])
    except Missing:
        shutil.rmtree(place, ignore_errors=True)
        raise
    open(os.path.join(place, "complete"), "w").close()
    return interpreter


def _do(command):
    try:
        answer = subprocess.run(command, capture_output=True, text=True)
    except OSError as e:
        raise Missing(str(e)) from e
    if answer.returncode:
        lines = [line for line in (answer.stderr or answer.stdout).strip().splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR:")]
        others = [line.partition(OTHERS)[2].split(";")[-1].strip() for line in errors if OTHERS in line]
        reason = (errors or lines or ["no reason was given"])[-1] + (f"; for other Pythons there is {others[0]}" if others else "")
        raise Missing(reason[:300])


def versions(interpreter):
    """What an environment has installed, name==version of each."""
    answer = subprocess.run([interpreter, "-m", "pip", "list", "--format=freeze", "--disable-pip-version-check"], capture_output=True, text=True)
    return answer.stdout.split()


def build_starling(cache):
    """The command of this repository, built."""
    target = os.path.join(cache, "starling")
    os.makedirs(cache, exist_ok=True)
    subprocess.run(["go", "build", "-o", target, "./cmd/starling"], cwd=ROOT, check=True)
    return target


def peer_environment():
    """The environment variables of a peer: the user's, less what pins a BLAS to another processor."""
    variables = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", PYTHONWARNINGS="ignore", RAY_DEDUP_LOGS="0", RAY_USAGE_STATS_ENABLED="0", FLWR_TELEMETRY_ENABLED="0")
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        variables.pop(name, None)
    return variables
