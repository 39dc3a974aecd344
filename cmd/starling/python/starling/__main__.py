"""``python -m starling`` is the command line of the program that the package carries."""

import os
import subprocess
import sys

from ._program import binary, environment


def main() -> int:
    """Run the program with the arguments of this process."""
    command = [binary(), *sys.argv[1:]]
    if os.name == "posix":
        os.execve(command[0], command, environment())
    return subprocess.run(command, env=environment(), check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
