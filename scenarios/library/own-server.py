# Servers that make the next model of the mean change of clients, which has the noise already:
# algorithms for `algorithm: {kind: own-server, file: library/own-server.py}`.

import numpy as np


class Mean:
    """Federated averaging: the model moves by the mean change."""

    def adopt(self, state, model, mean, round):
        return model + mean


class Momentum:
    """FedAvgM: momentum at the server (Hsu, Qi, Brown 2019)."""

    def __init__(self, rate=1.0, beta=0.9):
        self.rate, self.beta = rate, beta

    def state(self, start):
        return {"v": 0 * start}

    def adopt(self, state, model, mean, round):
        state["v"] = self.beta * state["v"] + mean
        return model + self.rate * state["v"]


class Adam:
    """FedAdam (Reddi et al. 2021, Algorithm 2)."""

    def __init__(self, rate=0.1, beta1=0.9, beta2=0.99, adaptivity=1e-3):
        self.rate, self.beta1, self.beta2, self.adaptivity = rate, beta1, beta2, adaptivity

    def state(self, start):
        return {"m": 0 * start, "v": 0 * start + self.adaptivity**2}

    def adopt(self, state, model, mean, round):
        state["m"] = self.beta1 * state["m"] + (1 - self.beta1) * mean
        state["v"] = self.beta2 * state["v"] + (1 - self.beta2) * mean**2
        return model + self.rate * state["m"] / (np.sqrt(state["v"]) + self.adaptivity)
