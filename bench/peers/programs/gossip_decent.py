"""DPDO-NC in decent-bench, on a network that is drawn anew in each step.

The cost of a node is the logistic loss at a datum that each gradient draws. What nodes
send goes through the network's own messages, and graphs come from networkx.
"""

import math

import networkx as nx
import numpy as np
from decent_array import Array
from decent_array import interoperability as iop
from decent_bench.agents import Agent
from decent_bench.algorithms.p2p import P2PAlgorithm
from decent_bench.costs import Cost
from decent_bench.networks import P2PNetwork

import law

o = law.options()
iop.set_backend("numpy")
rng = np.random.Generator(np.random.PCG64(o.seed))
data = law.Law(rng, o.nodes, o.dimension)


class Stream(Cost):
    """The loss of node i at a new datum."""

    shape, m_smooth, m_cvx = (o.dimension,), 0.25, 0.0

    def __init__(self, i):
        self.i = i

    def gradient(self, x, **kwargs):
        a, label = data.datum(rng, self.i)
        return Array(a * (-label / (1 + math.exp(label * (a @ x.value)))))

    def function(self, x, **kwargs):
        a, label = data.datum(rng, self.i)
        return math.log1p(math.exp(-label * (a @ x.value)))

    def hessian(self, x, **kwargs):
        raise NotImplementedError

    def proximal(self, x, penalty, **kwargs):
        raise NotImplementedError


class Private(P2PAlgorithm):
    name = "DPDO-NC"

    def initialize(self, network):
        for node in network.agents():
            node.initialize(x=iop.zeros((o.dimension,)))

    def step(self, network, iteration):
        """From the second step on, messages and the next x; then the gradient there. From the third on, messages have noise."""
        nodes = network.active_agents()
        if iteration:
            scale = 2 * o.dimension**0.5 * alpha(iteration - 1) / o.noise if o.noise and iteration > 1 else 0.0
            self.draw_graph(network, nodes)
            self.mix(network, nodes, alpha(iteration), scale)
        for node in nodes:
            node.aux_vars["gradient"] = node.cost.gradient(node.x)

    def draw_graph(self, network, nodes):
        edges = nx.random_regular_graph(o.degree, o.nodes, seed=rng).edges()
        network.graph.remove_edges_from(list(network.graph.edges()))
        network.graph.add_edges_from((nodes[i], nodes[j]) for i, j in edges)

    def mix(self, network, nodes, step, scale):
        for node in nodes:
            node.aux_vars["sent"] = node.x + Array(rng.laplace(0, scale, o.dimension)) if scale else node.x
            network.broadcast(node, node.aux_vars["sent"])
        for node in nodes:
            total = node.aux_vars["sent"]
            for sent in node.messages().values():
                total = total + sent
            z = total / (o.degree + 1) - step * node.aux_vars["gradient"]
            node.x = z * (law.RADIUS / max(law.RADIUS, math.sqrt(z.value @ z.value)))


def alpha(t):
    return law.STEP_SCALE / t**0.5


nodes = [Agent(Stream(i), state_snapshot_period=o.horizon + 1) for i in range(o.nodes)]
network = P2PNetwork(nx.random_regular_graph(o.degree, o.nodes, seed=o.seed), nodes)
Private().run(network, o.horizon)
x = np.stack([a.x.value for a in nodes])
law.report(consensus=np.sqrt(((x - x.mean(axis=0)) ** 2).sum() / o.nodes))
