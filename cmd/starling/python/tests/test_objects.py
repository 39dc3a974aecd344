"""Classes and data of a program in scenarios."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starling
from starling import objects
from starling.given import given

#: A script with a class that uses an import, a constant, a function and another class.
SCRIPT = """
from __future__ import annotations
from dataclasses import dataclass
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import numpy.linalg as la
from numpy.random import default_rng as generator

import starling

WEIGHT, SIZES = 0.1, {"a": (1, 2)}
BAD = generator(1)


def errors(rows, labels, x):
    return (rows * x).sum(axis=1) - labels


class Rows:
    def __init__(self, seed: int, nodes: int, dimension: int) -> None:
        self.rows = generator(seed).standard_normal((nodes, dimension)) / dimension
        self.labels = self.rows.sum(axis=1)


@dataclass
class Weight:
    value: float = WEIGHT


class Ridge(Rows):
    def __init__(self, seed, nodes, horizon, dimension):
        super().__init__(seed, nodes, dimension)
        assert la.norm(self.rows) > 0 and SIZES["a"] == (1, 2)

    def loss(self, x: np.ndarray, nodes: Unknown, step):
        e = errors(self.rows[nodes], self.labels[nodes], x)
        return (e * e + Weight().value * (x * x).sum(axis=1)) / 2

    def gradient(self, x, nodes, step):
        e = errors(self.rows[nodes], self.labels[nodes], x)
        return e[:, None] * self.rows[nodes] + Weight().value * x


class Uses:
    def loss(self, x, nodes, step):
        return BAD.random()


def scenario(cls):
    return starling.scenario(
        name="own", horizon=20, nodes=4, algorithm=starling.algorithm.dsgd(learning_rate=0.1),
        problem=starling.problem.python(
            cls, set=starling.set.l2_ball(dimension=3, radius=1), gradient_bound=10
        ),
        topology=starling.topology.complete(), mechanism=starling.mechanism.laplace(epsilon=1),
        seeds={"count": 2},
    )


if __name__ == "__main__":
    out = sys.argv[1]
    starling.validate(scenario(Ridge))
    assert starling.dry_run(scenario(Ridge))["seeds"] == 2
    run = starling.run(scenario(Ridge), out=out)
    (file,) = (run.folder / "files").iterdir()
    print(file.read_text())
    messages = run.replay(seed=1, node=1, start=1, stop=1, python=True)
    assert messages
    assert starling.run(run.folder / "scenario.yaml", out=out).folder == run.folder
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        apart = starling.run(scenario(Ridge), out=out + "/pool", executor=pool)
    assert apart.digest == run.digest and (apart.folder / "files" / file.name).is_file()
    parts = [starling.run_part(scenario(Ridge), k, 2, out=out + "/parts") for k in (1, 2)]
    assert starling.merge(parts, out=out + "/parts").digest == run.digest
    try:
        starling.validate(scenario(Uses))
    except starling.InputError as error:
        print("refused:", error)
"""


def test_a_class_of_a_script(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "script.py", "out"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (
        "import numpy.linalg as la" in done.stdout
        and "from numpy.random import default_rng as generator" in done.stdout
    )
    assert "WEIGHT = 0.1" in done.stdout and "BAD =" not in done.stdout
    assert done.stdout.index("class Rows") < done.stdout.index("class Ridge(Rows)")
    assert "refused: problem.class: the source of Uses cannot be kept with the run: BAD is a Generator" in done.stdout


SESSION = """
import sys
from pathlib import Path

import numpy as np

import starling

FOLDER = Path("some") / "place"
ROWS = np.random.default_rng(1).standard_normal((4, 3))
if len(sys.argv) > 2:
    import torch

    LABELS = torch.arange(4, dtype=torch.float64)
else:
    LABELS = np.arange(4.0)


class Own:
    def __init__(self, seed, nodes, horizon, dimension):
        assert FOLDER.name == "place" and LABELS[3] == 3

    def loss(self, x, nodes, step):
        return ((x - ROWS[nodes]) ** 2).sum(axis=1) / 2

    def gradient(self, x, nodes, step):
        return x - ROWS[nodes]


if __name__ == "__main__":
    study = starling.scenario(
        name="own", horizon=5, nodes=4, algorithm=starling.algorithm.dsgd(learning_rate=0.1), seeds={"count": 1},
        topology=starling.topology.complete(), mechanism=starling.mechanism.laplace(epsilon=1),
        problem=starling.problem.python(Own, set=starling.set.l2_ball(dimension=3, radius=5), gradient_bound=20),
    )
    run = starling.run(study, out=sys.argv[1])
    print(sorted(file.suffix for file in (run.folder / "files").iterdir()))
    assert starling.run(run.folder / "scenario.yaml", out=sys.argv[1]).folder == run.folder
    before = run.folder
    ROWS[0, 0] += 1
    assert starling.run(study, out=sys.argv[1]).folder != before
"""


def test_arrays_and_tensors_of_a_program_are_kept(tmp_path: Path) -> None:
    (tmp_path / "session.py").write_text(SESSION)
    with_torch = (
        subprocess.run([sys.executable, "-c", "import torch"], capture_output=True, check=False).returncode == 0
    )
    for more in ([], ["torch"])[: 1 + with_torch]:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "session.py", "out", *more],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("['.npy', '.npy', '.py']")


def test_topologies_of_arrays_frames_and_graphs(tmp_path: Path) -> None:
    networkx, pandas = pytest.importorskip("networkx"), pytest.importorskip("pandas")
    weights = np.full((4, 4), 0.25)
    edges = pandas.DataFrame({"step": [1, 2], "from": [1, 2], "to": [2, 1]})
    made = objects.as_files({"topology": {"kind": "matrices", "matrices": weights}})[0]
    assert made["topology"]["matrices"] == [weights.tolist()]
    for section, suffix in (
        ({"kind": "edge-list", "file": edges}, "csv"),
        ({"kind": "graphml", "file": networkx.cycle_graph(4)}, "graphml"),
    ):
        made, files = objects.as_files({"topology": section})
        ((path, content),) = files.items()
        assert made["topology"]["file"] == path and path.endswith(suffix)
        assert suffix != "csv" or content == b"step,from,to\n1,1,2\n2,2,1\n"
    uniform = {"scheme": "metropolis"}
    for topology in (
        starling.topology.matrices(matrices=weights),
        starling.topology.graphml(file=networkx.cycle_graph(4), weighting=uniform),
    ):
        study = starling.extended(
            "dpdonc-localization", name="own", horizon=3, nodes=4, sweep=None, plots=[], measure={"every": 1}, seeds={"count": 1},
            topology=topology, mechanism=starling.mechanism.none(),
        )  # fmt: skip
        assert starling.run(study, out=tmp_path).summary


def test_methods_that_nothing_calls_are_warned_of() -> None:
    class Own:
        def start(self) -> None: ...

        def measure(self) -> None: ...

    Own.__module__ = starling.Event.__module__  # which can be imported
    Own.__name__ = "Event"
    with pytest.warns(UserWarning) as caught:
        objects.as_files({"problem": {"kind": "python", "class": Own}})
    assert [str(warning.message) for warning in caught] == [
        "Event has start, and problem.offers names none: they are not used",
        "Event has measure, and there is no problem.metrics: it is not used",
    ]


def test_a_class_of_a_module_is_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text("class Own: ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    mine = __import__("mine")
    made, files = objects.as_files({"problem": {"kind": "python", "class": mine.Own}})
    assert made["problem"] == {"kind": "python", "file": str(tmp_path / "mine.py"), "name": "Own"} and not files
    made, files = objects.as_files({"problem": {"kind": "python", "class": starling.Event}})
    assert files[made["problem"]["file"]] == b"from starling.progress import Event\n"


def test_what_is_no_class_is_refused() -> None:
    class Inner: ...

    Inner.__module__ = "__main__"
    for value, told in ((Inner, "at the top of a cell"), (1j, "1j is no class")):
        with pytest.raises(starling.InputError, match=told) as caught:
            given({"problem": {"kind": "python", "class": value}})
        assert caught.value.path == "problem.class"
    with pytest.raises(starling.InputError, match="want one of them"):
        given({"problem": {"kind": "python", "class": Inner, "file": "a.py"}})
    with pytest.raises(starling.InputError, match=r"starling\.extended"):
        given("dpdonc-localization", {"problem": {"kind": "table", "file": np.zeros((3, 2))}})


def table(file: Any) -> Any:
    return starling.scenario(
        name="rows", horizon=10, nodes=2, algorithm=starling.algorithm.dsgd(learning_rate=0.1, theta=1, gradient_bound="clip"),
        problem=starling.problem.table(
            file=file, label="y", model={"kind": "logistic"}, partition={"kind": "iid"}, set=starling.set.l2_ball(dimension=3, radius=1),
        ),
        topology=starling.topology.complete(), mechanism=starling.mechanism.laplace(epsilon=1),
    )  # fmt: skip


def test_frames_and_arrays_are_files(tmp_path: Path) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    x = np.random.default_rng(1).standard_normal((60, 2))
    y = (x.sum(axis=1) > 0).astype(int)
    columns = {"x0": x[:, 0], "x1": x[:, 1], "y": y}
    frame = pandas.DataFrame(columns)
    paths = set()
    for data in (
        frame,
        polars.DataFrame(columns),
        {"x": x, "y": y},
        np.rec.fromarrays(list(columns.values()), names="x0,x1,y"),
    ):
        paths.add(given(table(data)).text)
    assert len(paths) == 1
    run = starling.run(table(frame), out=tmp_path)
    (file,) = (run.folder / "files").iterdir()
    straight = starling.run(table(str(file)), out=tmp_path / "file")
    assert straight.digest == run.digest
    starling.to_yaml(table(frame), to=tmp_path / "rows.yaml")
    assert starling.run(tmp_path / "rows.yaml", out=tmp_path).folder == run.folder
    assert given(table(frame.assign(y=1 - y))).text not in paths
    with pytest.raises(starling.InputError, match="3 axes"):
        given(table({"x": np.zeros((2, 2, 2))}))


def test_a_class_of_a_notebook(tmp_path: Path) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    head, _, rest = SCRIPT.partition("class Rows")
    cells = [
        head,
        "class Rows" + rest.partition("if __name__")[0],
        f"run = starling.run(scenario(Ridge), out={str(tmp_path)!r})\nprint(run.digest)",
    ]
    changed = "def errors(rows, labels, x):\n    return 2 * ((rows * x).sum(axis=1) - labels)"
    plain = "@dataclass\nclass Weight:\n    value: float = 7.0"
    again = f"print(starling.run(scenario(Ridge), out={str(tmp_path)!r}).digest)"
    cells += [changed, again, plain, again]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    digests = [notebook.cells[k].outputs[-1]["text"].strip() for k in (2, 4, 6)]
    folders = list((tmp_path / "own").iterdir())
    assert len(set(digests)) == len(folders) == 3
    assert {starling.open(folder).digest for folder in folders} == set(digests)
    texts = [file.read_text() for folder in folders for file in (folder / "files").iterdir()]
    assert sum("2 * ((rows" in text for text in texts) == 2 and sum("= 7.0" in text for text in texts) == 1


def test_what_a_script_takes_from_its_own_modules(tmp_path: Path) -> None:
    """Classes and functions of files beside a script are in the text, with what they use; two of one name are not."""
    (tmp_path / "own_parts.py").write_text(
        "SCALE = 3\ndef half(x):\n    return x / 2 * SCALE\nclass Base:\n    def value(self):\n        return half(4)\n"
    )
    (tmp_path / "other_parts.py").write_text("def half(x):\n    return x\ndef of_other(x):\n    return half(x)\n")
    script = """
import starling.objects, types
from own_parts import Base
from other_parts import of_other
class Own(Base):
    pass
class Both(Base):
    def value(self):
        return of_other(super().value())
files = {}
place = starling.objects._code(Own, "problem", files)
made = types.ModuleType("made")
text = files[place["file"]].decode()
exec(text, vars(made))
print(made.Own().value(), "own_parts" in text)
try:
    starling.objects._code(Both, "problem", {})
except starling.InputError as error:
    print(error)
"""
    (tmp_path / "script.py").write_text(script)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "script.py")], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.stdout.startswith("6.0 False\n"), done.stdout + done.stderr
    assert "two modules have a half each, which it uses" in done.stdout


def test_graphs_by_a_function_of_the_step(tmp_path: Path) -> None:
    """A ring and its reverse in turn, given as pairs, as graphs and as matrices, is the same file, and runs."""
    networkx = pytest.importorskip("networkx")

    def pairs(step: int) -> list[tuple[int, int]]:
        return [(i, (i + (1 if step % 2 else 3)) % 4) for i in range(4)]

    def graph(step: int) -> Any:
        made = networkx.DiGraph()
        made.add_nodes_from("abcd")
        made.add_edges_from(("abcd"[a], "abcd"[b]) for a, b in pairs(step))
        return made

    def matrix(step: int) -> Any:
        weights = np.zeros((4, 4))
        for a, b in pairs(step):
            weights[b, a] = 1
        return weights

    rule: Any = {"scheme": "sinkhorn", "self_loops": True}
    contents = []
    for function in (pairs, graph, matrix):
        section = starling.topology.by_step(function, steps=2, repeat=True, weighting=rule)
        files = objects.as_files({"topology": section})[1]
        (content,) = files.values()
        contents.append([line.split(b",")[:3] for line in sorted(content.splitlines())])
        study = starling.extended(
            "dpdonc-localization", name="own", horizon=4, nodes=4, sweep=None, plots=[], seeds={"count": 1},
            topology=section, mechanism=starling.mechanism.none(),
        )  # fmt: skip
        assert starling.run(study, out=tmp_path).summary
    assert contents[0][0] == [b"1", b"1", b"2"] and len(contents[0]) == 9
    assert contents[0] == contents[1] == contents[2]
    told = starling.topology(
        {**study, "topology": starling.topology.by_step(pairs, steps=2, repeat=True, weighting=rule)}, at=2
    )
    assert told["nodes"] == 4


@pytest.mark.parametrize(
    ("edges", "want"),
    [
        (lambda step: np.ones((2, 3)), r"the matrix of step 1 has shape \(2, 3\)"),
        (lambda step: [(0, 1, 2, 3)], "an edge of step 1 is no pair of nodes"),
        (lambda step: [(0, 1)] if step == 1 else [(0, 1, 0.5)], "some edges have weights and some have none"),
        (lambda step: [(0, 1), (1, 0, 0.5)], "some edges of step 1 have weights and some have none"),
    ],
)
def test_graphs_by_a_function_that_are_refused(edges: Any, want: str) -> None:
    with pytest.raises(ValueError, match=want):
        starling.topology.by_step(edges, steps=2)


def test_edges_with_weights_keep_them(tmp_path: Path) -> None:
    """Edges with weights need no rule, and a list that ends before the run is warned of."""
    section = starling.topology.by_step(lambda step: [(i, j, 0.25) for i in range(4) for j in range(4)], steps=2)
    assert section["weighting"] == {"scheme": "given"}
    study = starling.extended(
        "dpdonc-localization", name="own", horizon=4, nodes=4, sweep=None, plots=[], seeds={"count": 1},
        topology={**section, "weights": "unchecked"}, mechanism=starling.mechanism.none(),
    )  # fmt: skip
    run = starling.run(study, out=tmp_path)
    assert any("the list of edges ends with step 2 of 4" in str(warning) for warning in run.warnings)


def test_clients_by_a_function_of_the_round(tmp_path: Path) -> None:
    """A list of clients is kept as a file, and a run has the clients that it names."""
    section = starling.attendance(lambda step: np.arange(step % 3 + 1), rounds=4, repeat=True)
    made, files = objects.as_files({"algorithm": {"kind": "dp-fedavg", "attendance": section}})
    ((path, content),) = files.items()
    assert made["algorithm"]["attendance"] == {"file": path, "repeat": True} and path.endswith(".csv")
    assert content.startswith(b"round,node\n1,1\n1,2\n2,1\n2,2\n2,3\n3,1\n4,1\n")
    study = starling.scenario(
        name="listed", horizon=6, nodes=5, plots=[], seeds={"base": 1, "count": 1}, measure={"every": 1},
        algorithm=starling.algorithm.dp_fedavg(learning_rate=0.5, clip=1, samples=4, attendance=section),
        problem=starling.problem.synthetic_logistic(dimension=3, test_samples=4), topology=starling.topology.star(),
        mechanism=starling.mechanism.sampled_gaussian(sigma=1, delta=1e-5),
    )  # fmt: skip
    rows = starling.run(study, out=tmp_path).metrics.where(metric="clients.round")
    assert list(rows["value"]) == [2, 3, 1, 2, 2, 3]


@pytest.mark.parametrize(
    ("clients", "want"),
    [(lambda r: [0.5], "the clients of round 1 are no whole"), (lambda r: [2, 2], "twice in round 1")],
)
def test_clients_by_a_function_that_are_refused(clients: Any, want: str) -> None:
    with pytest.raises(ValueError, match=want):
        starling.attendance(clients, rounds=2)


def test_a_strategy_is_a_matrix(tmp_path: Path) -> None:
    """The noise of a matrix with the numbers of a kind has the loss of the kind."""
    matrix = np.eye(6) + np.diag(np.full(5, 0.5), -1) + np.diag(np.full(4, 0.375), -2)
    base = starling.scenario(
        name="own", horizon=6, nodes=5, plots=[], seeds={"base": 1, "count": 1},
        algorithm=starling.algorithm.dp_ftrl(learning_rate=0.5, clip=1, samples=4, apart=2),
        problem=starling.problem.synthetic_logistic(dimension=3, test_samples=4), topology=starling.topology.star(),
        mechanism=starling.mechanism.strategy(file=matrix, epsilon=2, delta=1e-5),
    )  # fmt: skip
    content = objects.as_files(base)[1].values()
    assert [one.splitlines()[:4] for one in content] == [[b"row,column,value", b"1,1,1", b"2,1,0.5", b"2,2,1"]]
    bands = starling.mechanism.banded_toeplitz(bands=3, epsilon=2, delta=1e-5)
    last = [
        starling.run({**base, "mechanism": mechanism}, out=tmp_path).summary.where(metric="noise.rounds")["mean"]
        for mechanism in (base["mechanism"], bands)
    ]
    assert last[0][-1] == pytest.approx(last[1][-1], rel=1e-12)


def test_traces_and_groups_are_rows_of_csv() -> None:
    """Frames of sections other than problem become CSV."""
    traces = {"trace": ["a", "a"], "on": [0.0, 10.0], "off": [5.0, 20.0]}
    made, files = objects.as_files({"clock": {"availability": {"law": "traces", "file": traces}}})
    assert (
        next(iter(files.values())).startswith(b"trace,on,off\na,0") and made["clock"]["availability"]["file"] in files
    )


def test_faults_of_data_name_their_rows(tmp_path: Path) -> None:
    """A fault in data of Python names the row, in their order, and no file that nobody has written."""
    section = starling.attendance(lambda step: [9] if step in (2, 11) else [0], rounds=12)
    study = starling.scenario(
        name="listed", horizon=12, nodes=5, plots=[], seeds={"base": 1, "count": 1},
        algorithm=starling.algorithm.dp_fedavg(learning_rate=0.5, clip=1, samples=4, attendance=section),
        problem=starling.problem.synthetic_logistic(dimension=3, test_samples=4), topology=starling.topology.star(),
        mechanism=starling.mechanism.sampled_gaussian(sigma=1, delta=1e-5),
    )  # fmt: skip
    with pytest.raises(starling.InputError) as refused:
        starling.validate(study)
    told = [fault.message for fault in refused.value.faults]
    assert [text.split(" of the data, from 0, where nodes count from 1: ")[0] for text in told] == ["row 1", "row 10"]
