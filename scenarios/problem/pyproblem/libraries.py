# Prints what stands behind modules that are named as arguments, after the folder that is
# searched first, without importing any: the version of the distribution, and a digest of the
# code where it lies outside of what is installed, and so may change under one version.
import hashlib
import importlib.util
import json
import os
import sys
import sysconfig

try:
    from importlib.metadata import packages_distributions, version
except ImportError:  # before Python 3.10
    packages_distributions = None

sys.path.insert(0, sys.argv[1])
standard = set(sys.builtin_module_names) | set(getattr(sys, "stdlib_module_names", ()))
paths = sysconfig.get_paths()
installed = [os.path.join(os.path.realpath(paths[name]), "") for name in ("purelib", "platlib", "stdlib", "platstdlib")]
distributions = packages_distributions() if packages_distributions else {}
found = {}
for name in sys.argv[2:]:
    if name in standard:
        continue
    try:
        spec = importlib.util.find_spec(name)
    except Exception:
        spec = None
    if spec is None:
        continue
    said = sorted(f"{of} {version(of)}" for of in set(distributions.get(name, ())))
    places = list(spec.submodule_search_locations or ()) or [spec.origin]
    if any(place and not os.path.realpath(place).startswith(tuple(installed)) for place in places if place and os.path.exists(place)):
        files = []
        for place in places:
            if os.path.isdir(place):
                files += [os.path.join(top, file) for top, _, inside in os.walk(place) for file in inside if file.endswith((".py", ".so", ".pyd"))]
            else:
                files.append(place)
        digest = hashlib.sha256()
        for file in sorted(files):
            with open(file, "rb") as code:
                digest.update(hashlib.sha256(code.read()).digest())
        said.append("sha256 " + digest.hexdigest())
    if said:
        found[name] = ", ".join(said)
print(json.dumps(found))
