"""Runs Starling and peers in turn, each at two sizes, and makes ratios of the differences.

What a run costs is what it takes to start and a cost for each update. The two sizes tell
them apart: the difference of costs over the difference of updates is the cost of an update,
and what is left of the smaller run is the start.
"""

import dataclasses
import os
import statistics
import sys

import environments
import measuring
import workloads

LIMIT = 300.0  # seconds that a run may take
OUR_SPEED = {"federated": 1e6, "stored": 3e6, "population": 2e5, "gossip": 5e5}


@dataclasses.dataclass
class Setup:
    starling: str
    interpreters: dict  # by environment: a path, or why there is none
    place: str  # a folder for results

    def ours(self, w, size, seed=1):
        command = [self.starling, *workloads.ours(w, size, seed), "--out", os.path.join(self.place, "results")]
        return measuring.run(command, dict(os.environ), LIMIT)

    def theirs(self, peer, w, size, seed=1):
        found = self.interpreters[peer.environment]
        if isinstance(found, Exception):
            raise measuring.Failed(f"not installed: {found}")
        return measuring.run([found, *workloads.theirs(peer, w, size, seed)], environments.peer_environment(), LIMIT)


@dataclasses.dataclass
class Side:
    """Starling or a peer on one workload; run(size) has a cost."""

    name: str
    run: object
    sizes: tuple
    peer: object = None
    pairs: list = dataclasses.field(default_factory=list)  # (small, large) costs
    failed: str = ""


def measure(setup, w, peers, repetitions, quick):
    """A row for Starling and for each peer of a workload."""
    seconds = 0.7 if quick else 2.0
    sides = [_side(w, "Starling", lambda size: setup.ours(w, size), OUR_SPEED[w.family], seconds)]
    for p in peers:
        sides.append(_side(w, p.name, lambda size, p=p: setup.theirs(p, w, size), p.speed, max(seconds, p.lasts), p))
    for r in range(max(_repetitions(s.peer, repetitions, quick) for s in sides[1:])):
        turn = [s for s in sides if s.peer is None or r < _repetitions(s.peer, repetitions, quick)]
        for s in turn if r % 2 == 0 else turn[::-1]:
            _pair(w, s, r)
    return [_row(w, s, sides[0]) for s in sides]


def _repetitions(peer, wanted, quick):
    if wanted:
        return wanted
    slow = peer is not None and peer.slow
    return (2 if slow else 3) if quick else (3 if slow else 5)


def _side(w, name, run, speed, seconds, peer=None):
    """Two sizes, between which a run takes about so many seconds of CPU, or of wall time if the peer waits, first by the speed expected."""
    smallest = w.grain
    more = max(1, round(speed * seconds / (w.unit * w.grain))) * w.grain
    side = Side(name, run, (smallest, smallest + more), peer)
    try:  # once, for sizes that fit this machine
        small, large = run(side.sizes[0]), run(side.sizes[1])
        what = "wall" if peer and peer.waits else "cpu"
        took = max(getattr(large, what) - getattr(small, what), seconds / 20)
        if not seconds / 3 < took < seconds * 3:
            more = max(1, round(more / w.grain * min(max(seconds / took, 0.05), 20))) * w.grain
            side.sizes = (smallest, smallest + more)
    except measuring.Failed as e:
        side.failed = str(e)
    return side


def _pair(w, side, r):
    if side.failed:
        return
    try:
        side.pairs.append(tuple(side.run(size) for size in side.sizes))
    except measuring.Failed as e:
        side.failed = str(e)
        return
    print(f"{w.name}: {side.name}: pair {r + 1}", file=sys.stderr, flush=True)


def _row(w, side, starling):
    """The figures of a side: medians over the pairs, and quartiles of the ratios."""
    row = {"workload": w.name, "family": w.family, "nodes": w.nodes, "dimension": w.dimension, "private": w.private}
    row |= {"name": side.name, "environment": side.peer.environment if side.peer else "", "failed": side.failed}
    if side.failed:
        return row
    updates = (side.sizes[1] - side.sizes[0]) * w.unit
    rates = {what: [_rate(p, what, updates) for p in side.pairs] for what in ("wall", "cpu")}
    row |= {"sizes": side.sizes, "pairs": len(side.pairs)}
    row |= {f"per_second_{what}": _median(values) for what, values in rates.items()}
    row["memory"] = max(large.memory for _, large in side.pairs)
    row["start"] = _median([max(0.0, small.wall - side.sizes[0] * w.unit / _rate((small, large), "wall", updates)) for small, large in side.pairs])
    if side is not starling and not starling.failed:
        ours = (starling.sizes[1] - starling.sizes[0]) * w.unit
        for what in ("wall", "cpu"):
            row[f"ratio_{what}"] = quartiles([_rate(p, what, ours) / t for p, t in zip(starling.pairs, rates[what])])
    return row


def _rate(pair, what, updates):
    """Updates a second, of the difference of two runs; a difference below a millisecond is one."""
    small, large = pair
    return updates / max(getattr(large, what) - getattr(small, what), 1e-3)


def _median(values):
    return statistics.median(values)


def quartiles(values):
    """The median and the quartiles, which of two values are the values."""
    if len(values) < 2:
        return [values[0]] * 3
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 2 else (min(values), _median(values), max(values))
    return [middle, low, high]
