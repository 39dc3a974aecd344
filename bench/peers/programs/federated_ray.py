"""Federated logistic regression on Ray: an actor, and so a process, for each client."""

import numpy as np
import ray

import law

o = law.options()


@ray.remote(num_cpus=0)
class Client:
    def __init__(self, i):
        self.i = i
        self.rng = np.random.default_rng((o.seed, i))
        self.data = law.drawn_once(o.seed, o.nodes, o.dimension, o.shared)

    def round(self, x):
        sent, losses = law.client_round(self.data, self.rng, self.i, x)
        if o.noise:
            sent += self.rng.normal(0, o.noise, o.dimension)
        return sent, losses


ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
clients = [Client.remote(i) for i in range(o.nodes)]
x, loss = np.zeros(o.dimension), 0.0
for _ in range(o.horizon // law.TAU):
    model = ray.put(x)
    answers = ray.get([c.round.remote(model) for c in clients])
    x = x - law.LOCAL_STEP * law.TAU * np.mean([sent for sent, _ in answers], axis=0)
    loss += sum(losses for _, losses in answers)
law.report(loss=loss / (o.nodes * o.horizon))
