"""Holds what peers compute against what Starling does: the same law, and so the same means.

Generators differ, so a run of a peer is another draw of the same random number. Starling
runs under 32 seeds and a peer under 8, or 4 if it is slow, and their means may differ by four
standard errors of the difference: where both compute the same, t of 7 degrees of freedom
is beyond that with a chance of 0.5 %, and t of 3 with one of 2.8 %. Seeds are fixed, so
that what has passed passes again.
"""

import csv
import glob
import io
import json
import os
import statistics

import measuring
import workloads

OUR_SEEDS, ERRORS = 32, 4.0
HORIZON = 40


def check(setup, peers):
    """Prints a line for each peer and case, and returns 1 if any differs, else 0."""
    status, ours = 0, {}
    for p in peers:
        for w in _cases(p):
            try:
                theirs = [_value(setup, p, w, seed) for seed in range(1, (4 if p.slow else 8) + 1)]
            except measuring.Failed as e:
                print(f"{p.name}: {e}", flush=True)
                break
            if w not in ours:
                ours[w] = _ours(setup, w)
            error = _error(ours[w], theirs)
            difference = statistics.mean(theirs) - statistics.mean(ours[w])
            same = abs(difference) <= ERRORS * error
            status |= not same
            verdict = "as Starling" if same else "NOT as Starling"
            print(f"{p.name}, {w.name}: {verdict}: {statistics.mean(ours[w]):.5f} and {statistics.mean(theirs):.5f}, which differ by {difference:+.5f} and may by {ERRORS * error:.5f}", flush=True)
    return status


def _cases(p):
    """Workloads on which a peer is checked: without noise and, if the family has it, with."""
    nodes = p.checked_at
    if p.family == "gossip":
        return [workloads.Workload("gossip", nodes, 10)]
    if p.family == "population":
        return [workloads.Workload("population", nodes, 20, cohort=nodes // 10)]
    return [workloads.Workload("federated", nodes, 20, private) for private in ((False,) if p.family == "stored" else (False, True))]


def _value(setup, p, w, seed):
    """What a peer's program printed: loss or consensus."""
    answer = setup.theirs(p, w, HORIZON, seed).output.strip().splitlines()
    return json.loads(answer[-1])["consensus" if p.family == "gossip" else "loss"]


def _ours(setup, w):
    """loss.mean, loss.train or consensus.error of every seed at the last step."""
    out = os.path.join(setup.place, "check", w.name)
    measuring.run([setup.starling, *workloads.ours(w, HORIZON, check=True), "--seeds", str(OUR_SEEDS), "--out", out], dict(os.environ))
    (folder,) = glob.glob(os.path.join(out, "*", "*"))
    text = measuring.run([setup.starling, "export", folder, "--format", "csv"], dict(os.environ)).output
    metric = {"gossip": "consensus.error", "population": "loss.train"}.get(w.family, "loss.mean")
    rows = [r for r in csv.DictReader(io.StringIO(text)) if r["metric"] == metric]
    last = max(int(r["step"]) for r in rows)
    return [float(r["value"]) for r in rows if int(r["step"]) == last]


def _error(a, b):
    return (statistics.variance(a) / len(a) + statistics.variance(b) / len(b)) ** 0.5
