"""Graphs: the sections of scenarios that have them, and a look at one."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Literal, cast

from . import sections
from .given import Scenario
from .running import _values
from .studies import _asked


class Topology(sections.topology):
    """Describes the graph of a step: ``starling.topology(scenario)``. It has a function for each kind of
    graphs that a scenario can have, too: ``starling.topology.complete()``."""

    def __call__(
        self,
        scenario: Scenario,
        *,
        set: Mapping[str, Any] | None = None,
        data: str | os.PathLike[str] | None = None,
        arm: str | None = None,
        at: int | None = None,
        window: int | None = None,
        seed: int | None = None,
    ) -> dict[str, Any]:
        """Describe the graph of a step, and what its weights and windows of steps allow."""
        told: dict[str, Any] = _asked(
            ["topology", *_values(data=data, arm=arm, at=at, window=window, seed=seed)], scenario, set
        )
        return told

    def by_step(
        self,
        edges: Callable[[int], Any],
        *,
        steps: int,
        repeat: bool | None = None,
        weighting: sections.Weighting | str | None = None,
        weights: Literal["checked", "unchecked"] | None = None,
        window: int | None = None,
    ) -> sections.Topology:
        """A graph for each step, of a function of the step's number, from 1. It is called now, for all steps.

        Args:
            edges: returns the edges of a step: pairs of a sender and a receiver, or triples with a weight;
                or a graph of networkx, whose nodes are counted in their order, and whose edges have weights where
                all have a ``weight``; or a matrix of weights, whose entry (i, j) is for what i has from j. Nodes are
                counted from 0.
            steps: the number of graphs, the horizon of the scenario unless they repeat: nobody hears anybody after
                the last, of which the run warns.
            repeat: whether the graphs are repeated after the last.
            weighting: how weights follow from the edges: a scheme, ``"metropolis"`` or ``"lazy-metropolis"`` of edges
                both ways, ``"uniform-in"``, ``"uniform-out"`` or ``"sinkhorn"``; or such as
                ``{"scheme": "uniform-in", "self_loops": True}``. Edges with weights keep them. It is needed otherwise.
            weights, window: as in ``starling.topology.edge_list``.

        Raises:
            ValueError: a step has edges with weights and another has none, or edges of another form.
        """
        import numpy as np

        parts = [_edges(step, edges(step)) for step in range(1, steps + 1)]
        widths = {part.shape[1] for part in parts if len(part)}
        if len(widths) > 1:
            raise ValueError("some edges have weights and some have none")
        all_edges = np.concatenate([part for part in parts if len(part)])
        columns: Any = {"step": np.repeat(np.arange(1, steps + 1), [len(part) for part in parts])}
        columns |= {name: all_edges[:, k].astype(np.int64) + 1 for k, name in enumerate(("from", "to"))}
        if all_edges.shape[1] == 3:
            columns["weight"] = all_edges[:, 2]
            weighting = weighting or {"scheme": "given"}
        if isinstance(weighting, str):
            weighting = {"scheme": cast(Any, weighting)}
        return self.edge_list(file=columns, repeat=repeat, weighting=weighting, weights=weights, window=window)


def _edges(step: int, edges: Any) -> Any:
    """The edges of a step as rows of sender, receiver and, where there are such, weight."""
    import numpy as np

    if hasattr(edges, "adjacency"):
        edges = _of_graph(edges)
    elif hasattr(edges, "shape"):
        if edges.ndim != 2 or edges.shape[0] != edges.shape[1]:
            raise ValueError(
                f"the matrix of step {step} has shape {edges.shape}; want a square one, or a list of edges"
            )
        to, sender = np.nonzero(edges)
        return np.stack([sender, to, edges[to, sender]], axis=1)
    edges = list(edges)
    if len({len(edge) for edge in edges}) > 1:
        raise ValueError(f"some edges of step {step} have weights and some have none")
    rows = np.array(edges, dtype=float)
    if rows.size == 0:
        return np.empty((0, 2))
    if rows.ndim != 2 or rows.shape[1] not in (2, 3):
        raise ValueError(f"an edge of step {step} is no pair of nodes, or triple with a weight")
    return rows


def _of_graph(graph: Any) -> list[tuple[Any, ...]]:
    """The edges of a graph of networkx, in both directions where it has none."""
    place = {node: i for i, node in enumerate(graph.nodes)}
    weights = [of.get("weight") for _, _, of in graph.edges(data=True)]
    rows: list[tuple[Any, ...]] = [(place[a], place[b]) for a, b in graph.edges()]
    if None not in weights:
        rows = [(*row, weight) for row, weight in zip(rows, weights, strict=True)]
    if not graph.is_directed():
        rows += [(row[1], row[0], *row[2:]) for row in rows if row[0] != row[1]]
    return rows


topology = Topology()
