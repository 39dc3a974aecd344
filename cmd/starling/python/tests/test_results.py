"""Reading results."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import starling


def test_tables_have_swept_keys_as_columns(run: starling.Run) -> None:
    assert run.swept == ["mechanism.epsilon"]
    assert run.summary.columns == ["arm", "step", "metric", "mean", "se", "n", "mechanism.epsilon"]
    assert run.metrics.columns == ["arm", "seed", "step", "node", "metric", "value", "mechanism.epsilon"]
    assert run.privacy.columns[-1] == "mechanism.epsilon"
    for table in (run.summary, run.metrics, run.privacy):
        assert table.to_arrow().schema.field("mechanism.epsilon").type == pa.float64()
        pairs = set(zip(table["arm"].tolist(), map(str, table["mechanism.epsilon"].tolist()), strict=True))
        assert pairs == {("epsilon=0.5", "0.5"), ("epsilon=1", "1.0"), ("epsilon=none", "nan")}


def test_the_summary_is_that_of_the_metrics(run: starling.Run) -> None:
    means = {(r["arm"], r["step"]): r["mean"] for r in run.summary.where(metric="regret.run").to_arrow().to_pylist()}
    assert len(means) >= 3
    for (arm, step), mean in means.items():
        values = run.metrics.where(metric="regret.run", arm=arm, step=step)["value"]
        assert len(values) == 2 and np.isclose(values.mean(), mean, rtol=1e-12)


def test_arms_are_typed(small: dict[str, Any], tmp_path: Path) -> None:
    sweep = {
        "list": [
            {
                "name": "a",
                "set": {
                    "horizon": 4,
                    "topology": {"kind": "ring"},
                    "algorithm.step.per_node": True,
                    "mechanism.epsilon": 1,
                },
            },
            {"name": "b", "set": {"horizon": 5, "topology": {"kind": "complete"}, "algorithm.step.per_node": False}},
        ]
    }
    arms = starling.run({**small, "name": "typed", "sweep": sweep, "seeds": {"count": 1}}, out=tmp_path).arms
    kinds = {name: arms.to_arrow().schema.field(name).type for name in arms.columns}
    assert arms.columns[:7] == [
        "run",
        "scenario",
        "arm",
        "horizon",
        "algorithm.step.per_node",
        "topology",
        "mechanism.epsilon",
    ]
    assert kinds["horizon"] == pa.int64() and kinds["algorithm.step.per_node"] == pa.bool_()
    assert kinds["topology"] == kinds["topology.kind"] == pa.string()
    assert arms["topology"].tolist() == ["{kind:ring}", "{kind:complete}"]
    assert arms["mechanism.epsilon"].tolist() == [1, 1]


def test_frames(run: starling.Run) -> None:
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    count = len(run.summary)
    assert run.to_polars().height == len(run.to_pandas()) == run.to_arrow().num_rows == count
    assert polars.DataFrame(run.metrics).height == len(run.metrics)
    assert isinstance(run.to_pandas("privacy"), pandas.DataFrame)
    assert run.to_polars("arms")["mechanism.epsilon"].to_list() == [0.5, 1.0, None]
    with pytest.raises(starling.InputError, match='no table "plots"'):
        run.to_arrow("plots")


def test_metrics_say_what_they_are(run: starling.Run) -> None:
    known = run.metrics.metrics
    assert known["bytes.sent"]["unit"] == "bytes" and known["regret.run"]["better"] == "lower"
    assert set(run.metrics["metric"]) <= set(known)


def test_a_run_is_opened_again(run: starling.Run) -> None:
    again = starling.open(run.folder)
    assert again.digest == run.digest and again.id == run.folder.name
    assert again.text.startswith("version: 1")
    notes = [note["value"] for note in again.manifest["notes"] if note["key"] == "privacy"]
    assert len(notes) > 0 and all("without noise" in note for note in notes)
    assert again.warnings == run.warnings
    assert "Run of small, 3 arms under 2 seeds" in repr(again)


def test_what_is_no_run_is_refused(run: starling.Run, tmp_path: Path) -> None:
    with pytest.raises(starling.InputError, match="no such folder"):
        starling.open(tmp_path / "nothing")
    with pytest.raises(starling.InputError, match="no such folder"):
        starling.runs(tmp_path / "nothing")
    with pytest.raises(starling.InputError, match="unfinished"):
        starling.open(tmp_path)
    copy = Path(shutil.copytree(run.folder, tmp_path / "copy"))
    with (copy / "summary.parquet").open("ab") as file:
        file.write(b"!")
    with pytest.raises(starling.InputError, match=r"summary\.parquet is damaged"):
        _ = starling.open(copy).summary
    (copy / "manifest.json").write_text("{}")
    with pytest.raises(starling.InputError, match="changed after the run"):
        starling.open(copy)


def test_a_run_of_an_earlier_version(run: starling.Run, tmp_path: Path) -> None:
    """One without arms.parquet and points of figures."""
    import hashlib

    old = Path(shutil.copytree(run.folder, tmp_path / "old"))
    manifest = json.loads((old / "manifest.json").read_text())
    manifest["files"] = [f for f in manifest["files"] if f["name"] != "arms.parquet"]
    text = json.dumps(manifest).encode()
    (old / "manifest.json").write_bytes(text)
    (old / "COMPLETE").write_text(hashlib.sha256(text).hexdigest() + "\n")
    for file in [old / "arms.parquet", *(old / "plots").glob("*.json")]:
        file.unlink()
    opened = starling.open(old)
    assert opened.summary.to_arrow().equals(run.summary.to_arrow())
    with pytest.raises(starling.InputError, match="an earlier version made the run"):
        opened.figures()


def test_several_runs_are_told_apart(small: dict[str, Any], tmp_path: Path) -> None:
    first = starling.run(small, out=tmp_path)
    second = starling.run(small, out=tmp_path, set={"mechanism.epsilon": 4, "horizon": 6})
    other = starling.run({**small, "name": "other"}, out=tmp_path, set={"sweep": {"grid": {"nodes": [2, 3]}}})
    runs = starling.runs(tmp_path)
    assert [r.scenario for r in runs] == ["other", "small", "small"] and len(runs[1:]) == 2
    assert set(runs.summary["run"]) == {first.id, second.id, other.id}
    arms = {(row["run"], row["arm"]): row for row in runs.arms.to_arrow().to_pylist()}
    (only,) = second.arms["arm"]
    assert arms[second.id, only]["mechanism.epsilon"] == 4 and arms[second.id, only]["horizon"] == 6
    assert set(runs.keys) == {"mechanism.epsilon", "horizon", "nodes"}
    last = runs.metrics.where({"run": second.id, "mechanism.epsilon": 4, "horizon": 6, "metric": "regret.run"})
    assert len(last) == len(second.metrics.where(metric="regret.run")) > 0
    assert set(runs.privacy["nodes"]) == {2, 3}
    assert arms[other.id, "nodes=2"]["nodes"] == 2
    assert len(starling.runs(tmp_path, "other")) == 1
    assert len(starling.runs(tmp_path, "nothing").summary) == 0
    assert "3 runs" in repr(runs) and "<table>" in runs._repr_html_()


def test_figures_are_those_of_the_run(run: starling.Run) -> None:
    pytest.importorskip("matplotlib")
    figures = run.figures()
    assert set(figures) == {f.stem for f in (run.folder / "plots").glob("*.svg")}
    points = json.loads((run.folder / "plots" / "regret.json").read_text())
    (axes,) = figures["regret"].axes
    assert [line.get_label() for line in axes.lines] == [s["name"] for s in points["series"]]
    assert axes.get_yscale() == ("log" if points["log_y"] else "linear")
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), points["series"][0]["y"])
    assert figures["regret"]._repr_png_().startswith(b"\x89PNG")
    own = run.plot("consensus.error", x="mechanism.epsilon", log_x=True)
    assert own.axes[0].get_xscale() == "log"
    with pytest.raises(starling.InputError, match="no metric"):
        run.plot("consensus")


def test_a_notebook_shows_runs(run: starling.Run) -> None:
    page = run._repr_html_()
    assert page.count("<img") == 4 and "epsilon=none" in page and "<script" not in page
    assert "small" in page and run.digest[:12] in page
    assert "first 10" in run.metrics._repr_html_()
    assert "&lt;" in starling.Table(pa.table({"<b>": ["x"]}))._repr_html_()


def test_the_report_is_written(run: starling.Run, tmp_path: Path) -> None:
    assert "<html" in run.report(tmp_path / "page.html").read_text()
    assert run.report() == run.folder / "report.html"


def test_a_seed_is_replayed(run: starling.Run) -> None:
    turns = run.replay(arm="epsilon=1", seed=2, node=1, start=1, stop=3)
    assert [turn["step"] for turn in turns] == [1, 2, 3]
    assert turns[0]["state"][0] == {"name": "t", "values": [1]}
    with pytest.raises(starling.InputError, match=r"several arms: name one of epsilon=0\.5, epsilon=1"):
        run.replay(seed=2, node=1, start=1, stop=3)


def test_arms_are_compared(run: starling.Run) -> None:
    compared = run.compare(arm="epsilon=0.5", other_arm="epsilon=1")
    assert compared.confidence == 0.95 and compared.correction == "holm"
    assert compared.tests == 0  # two seeds are too few for a p
    assert compared.scenarios.where(path="mechanism.epsilon")["second"].tolist() == ["1"]
    row = compared.differences.where(metric="regret.run").to_arrow().to_pylist()[0]
    each = compared.pairs.where(metric="regret.run")
    assert each["seed"].tolist() == [1, 2] and np.isclose(each["difference"].mean(), row["mean_difference"])
    assert len(run.compare(run).scenarios) == len(run.compare(run.folder).scenarios) == 0
    with pytest.raises(starling.InputError, match="no such folder"):
        run.compare("epsilon=1")


def test_the_query_of_the_help_tells_runs_apart(
    small: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    duckdb = pytest.importorskip("duckdb")
    runs = [starling.run({**small, "horizon": horizon}, out=tmp_path / "results") for horizon in (6, 12)]
    program = os.environ.get("STARLING_BINARY") or str(Path(starling.__file__).parent / "bin" / "starling")
    text = subprocess.run([program, "help", "results", "all"], text=True, capture_output=True, check=True).stdout
    queries = [q for q in re.findall(r"SELECT[^;]*;", text) if "metrics.parquet" in q]
    assert len(queries) == 1
    monkeypatch.chdir(tmp_path)
    rows = duckdb.sql(queries[0]).fetchall()
    found: dict[str, list[float]] = {}
    for name, _, _, _, value in rows:
        found.setdefault(name, []).append(value)
    assert sorted(found) == sorted(run.folder.name for run in runs)
    for run in runs:
        own = (
            run.metrics.where(metric="regret.run")
            .to_arrow()
            .sort_by([("arm", "ascending"), ("seed", "ascending"), ("step", "ascending")])
        )
        assert found[run.folder.name] == own["value"].to_pylist()


def test_a_figure_and_a_report_of_several_runs(small: dict[str, Any], tmp_path: Path) -> None:
    for rate in (0.1, 0.2):
        starling.run(
            {**small, "seeds": {"base": 1, "count": 1}, "sweep": None}, set={"mechanism.epsilon": rate}, out=tmp_path
        )
    runs = starling.runs(tmp_path)
    drawn = runs.plot("consensus.error", x="run").axes[0]
    assert len(drawn.lines) >= 1 and len(runs) == 2 and not runs.unfinished and runs[0].state == "complete"
    assert "<html" in runs.report(tmp_path / "all.html").read_text("utf-8")
