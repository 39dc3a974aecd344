"""Virtual environments of the peers, made from requirements with exact versions."""

import hashlib
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WANTED = "3.12"  # that all requirements have versions for


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "starling-peers")


def find_python():
    """Python 3.12 where there is one, else the one that runs this."""
    for name in (f"python{WANTED}", sys.executable):
        answer = subprocess.run([name, "-c", "import sys; print(sys.executable)"], capture_output=True, text=True) if shutil.which(name) else None
        if answer and answer.returncode == 0:
            return answer.stdout.strip()
    return sys.executable


class Missing(Exception):
    """An environment cannot be made here."""


def make(name, cache, python, pip_options):
    """The interpreter of an environment, made unless it is there. Raises Missing with the reason."""
    requirements = os.path.join(HERE, "requirements", name + ".txt")
    with open(requirements, "rb") as f:
        key = hashlib.sha256(f.read() + python.encode()).hexdigest()[:12]
    place = os.path.join(cache, f"{name}-{key}")
    interpreter, done = os.path.join(place, "bin", "python"), os.path.join(place, "complete")
    if os.path.exists(done):
        return interpreter
    shutil.rmtree(place, ignore_errors=True)
    print(f"making {place}", file=sys.stderr, flush=True)
    _do([python, "-m", "venv", place])
    _do([interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pip_options, "-r", requirements])
    open(done, "w").close()
    return interpreter


def _do(command):
    try:
        answer = subprocess.run(command, capture_output=True, text=True)
    except OSError as e:
        raise Missing(str(e)) from e
    if answer.returncode:
        lines = [line for line in (answer.stderr or answer.stdout).strip().splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR:")]
        raise Missing(((errors or lines or ["no reason was given"])[-1])[:300])


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
    variables = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", PYTHONWARNINGS="ignore", RAY_DEDUP_LOGS="0", RAY_USAGE_STATS_ENABLED="0")
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        variables.pop(name, None)
    return variables
