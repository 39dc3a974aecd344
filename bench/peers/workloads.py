"""What is measured: the workloads, and how Starling and the peers are asked to run them."""

import dataclasses
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
TAU = 4
CHECK_NOISE = {"federated": 0.72262, "gossip": 5.0, "population": 1.0}  # what the scenarios come to at their own size


@dataclasses.dataclass(frozen=True)
class Workload:
    """A workload grows along one axis: steps, or for stored data the arms that run over them."""

    family: str  # federated, stored, population or gossip
    nodes: int
    dimension: int
    private: bool = False
    quick: bool = True  # part of --quick
    cohort: int = 0  # clients in a round of a population

    @property
    def name(self):
        if self.family == "population":
            return f"{self.cohort} clients a round, n = {self.nodes:,}, d = {self.dimension}"
        noise = {"federated": ", noise" if self.private else "", "stored": " over stored data", "gossip": ""}[self.family]
        family = "gossip" if self.family == "gossip" else "federated"
        return f"{family}{noise}, n = {self.nodes:,}, d = {self.dimension}"

    @property
    def degree(self):
        return min(6, 4 if self.nodes < 8 else 6)

    @property
    def unit(self):
        """Updates that one more unit of the axis is: a step of all nodes, an arm of all steps, or a round of local steps."""
        if self.family == "population":
            return 2 * self.cohort
        return self.nodes * (self.stored_steps if self.family == "stored" else 1)

    @property
    def stored_steps(self):
        return 40 if self.nodes <= 10_000 else 8

    @property
    def grain(self):
        """The axis is a multiple of this: whole rounds."""
        return TAU if self.family == "federated" else 1


WORKLOADS = [
    Workload("federated", 6, 100),
    Workload("federated", 1_000, 100),
    Workload("federated", 10_000, 100),
    Workload("federated", 100_000, 100, quick=False),
    Workload("federated", 6, 100, private=True, quick=False),
    Workload("federated", 1_000, 100, private=True),
    Workload("federated", 10_000, 100, private=True),
    Workload("stored", 1_000, 100),
    Workload("stored", 10_000, 100, quick=False),
    Workload("population", 1_000, 100, cohort=100, quick=False),
    Workload("population", 100_000, 100, cohort=100),
    Workload("gossip", 6, 2),
    Workload("gossip", 1_000, 2),
    Workload("gossip", 10_000, 2),
    Workload("gossip", 6, 100, quick=False),
    Workload("gossip", 1_000, 100),
    Workload("gossip", 10_000, 100),
]


@dataclasses.dataclass(frozen=True)
class Peer:
    """speed is about how many updates a second it makes, from which runs are sized."""

    name: str
    family: str
    environment: str  # of requirements/NAME.txt
    program: str
    variant: str
    speed: float
    fewest: int = 1
    most: int = 1_000_000  # nodes that it is asked to run
    quick_at: tuple = ()  # nodes at which it is part of --quick; absent, all
    slow: bool = False  # fewer repetitions
    waits: bool = False  # sleeps more than it computes, so that wall time sizes its runs
    lasts: float = 0.0  # seconds between its two sizes, at least: more than its start varies by
    checked_at: int = 1_000  # nodes at which --check compares it with Starling

    def runs(self, w, quick):
        fits = self.family == w.family and self.fewest <= w.nodes <= self.most
        return fits and (not quick or w.quick and (not self.quick_at or w.nodes in self.quick_at))


PEERS = [
    Peer("numpy client by client", "federated", "numpy", "federated_numpy.py", "loop", 6e4, most=10_000, quick_at=(6, 1_000)),
    Peer("numpy", "federated", "numpy", "federated_numpy.py", "fresh", 5e5),
    Peer("JAX", "federated", "jax", "federated_jax.py", "fresh", 3e5, quick_at=(1_000,), slow=True),
    Peer("pfl-research", "federated", "pfl", "federated_pfl.py", "", 2e4, most=10_000, quick_at=(6, 1_000), slow=True),
    Peer("Ray, an actor a client", "federated", "ray", "federated_ray.py", "", 2e3, most=6, slow=True, lasts=15.0, checked_at=6),
    Peer("Flower", "federated", "flower", "federated_flower.py", "", 1e3, most=1_000, quick_at=(6,), slow=True, waits=True, lasts=30.0, checked_at=6),
    Peer("BlazeFL", "federated", "blazefl", "federated_blazefl.py", "", 4e4, most=10_000, quick_at=(6, 1_000), slow=True),
    Peer("numpy on stored data", "stored", "numpy", "federated_numpy.py", "stored", 3e6),
    Peer("JAX on stored data", "stored", "jax", "federated_jax.py", "stored", 3e6, slow=True),
    Peer("pfl-research", "population", "pfl", "population_pfl.py", "", 1e4, slow=True),
    Peer("Flower", "population", "flower", "population_flower.py", "", 5e2, quick_at=(0,), slow=True, waits=True, lasts=30.0, checked_at=100),
    Peer("numpy", "gossip", "numpy", "gossip_numpy.py", "numpy", 5e5),
    Peer("scipy.sparse", "gossip", "numpy", "gossip_numpy.py", "sparse", 5e5, quick_at=(1_000,)),
    Peer("decent-bench", "gossip", "decent", "gossip_decent.py", "", 2e3, most=1_000, quick_at=(6,), slow=True, checked_at=6),
]


def ours(w, size, seed=1, check=False):
    """The arguments of starling for a workload, --out left out."""
    if w.family == "population":
        return _population(w, size, seed, check)
    private = "{kind: gaussian, epsilon: 2, delta: 1e-3}" if w.private else "{kind: none}"
    if w.family == "gossip":
        scenario, values = "scale-gossip", {
            "horizon": size,
            "topology.degree": w.degree,
            "problem.set.dimension": w.dimension,
        }
        if not w.private:
            values["mechanism.epsilon"] = 5
    else:
        scenario, values = "scale-federated", {"problem.dimension": w.dimension, "mechanism": private}
        values["horizon"] = w.stored_steps if w.family == "stored" else size
        values["sweep"] = "null"
        if w.family == "stored":
            steps = [2 + k / 1024 for k in range(size)]
            values["sweep"] = json.dumps({"grid": {"algorithm.local_step": steps}})
    values |= {"nodes": w.nodes, "measure.every": values["horizon"], "seeds.base": seed}
    return ["run", scenario, "--quiet", "--again", *(a for k, v in values.items() for a in ("--set", f"{k}={v}"))]


def _population(w, size, seed, check):
    """The arguments for clients of a round out of a population. check has all of them judge the models."""
    panel = w.nodes if check else 100
    values = {
        "nodes": w.nodes,
        "horizon": size,
        "sweep": "null",
        "plots": "[]",
        "algorithm": f"{{kind: dp-fedavg, learning_rate: 2, clip: 1, samples: 20, tau: 2, cohort: {w.cohort}, draw: server, panel: {panel}}}",
        "problem": f"{{kind: synthetic-logistic, dimension: {w.dimension}, shared: 0.5}}",
        "mechanism": "{kind: sampled-gaussian, sigma: 1, delta: 1e-9}",
        "measure": f"{{every: {size}, metrics: [loss.train]}}",
        "seeds": f"{{base: {seed}, count: 1}}",
    }
    return ["run", "population", "--quiet", "--again", *(a for k, v in values.items() for a in ("--set", f"{k}={v}"))]


def theirs(peer, w, size, seed=1):
    """The arguments of a peer's program."""
    noise = CHECK_NOISE[w.family] if w.family in ("gossip", "population") else CHECK_NOISE["federated"] * w.private
    horizon, arms = (w.stored_steps, size) if w.family == "stored" else (size, 1)
    shared = 0 if w.family == "gossip" else 0.5
    values = {"variant": peer.variant, "nodes": w.nodes, "dimension": w.dimension, "horizon": horizon, "arms": arms}
    values |= {"degree": w.degree, "cohort": w.cohort, "shared": shared, "noise": noise, "seed": seed}
    return [os.path.join(HERE, "programs", peer.program), *(f"--{k}={v}" for k, v in values.items())]
