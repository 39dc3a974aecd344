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


class Scaffold:
    """SCAFFOLD (Karimireddy et al. 2020, Algorithm 1, option II), with vectors: 2 and keeps: 1: the server sends the
    model and c, and a client keeps c_i. share is the share of clients in a round."""

    def __init__(self, rate=1.0, share=1.0):
        self.rates = np.array([[rate], [share]])

    def local(self, turn):
        x, c, own = turn.model[:, 0], turn.model[:, 1], turn.state[:, 0].copy()
        y = x
        for _ in range(turn.steps):
            gradient = yield turn.gradient(y)
            y = y - turn.rate * (gradient - own + c)
        turn.state[:, 0] = own - c + (x - y) / (turn.steps * turn.rate)
        return np.stack([y, c + turn.state[:, 0] - own], axis=1)

    def adopt(self, state, model, mean, round):
        return model + self.rates * mean


class Prox(Mean):
    """FedProx (Li et al. 2020): local steps are pulled back to the model that they begin from."""

    def __init__(self, mu=0.1):
        self.mu = mu

    def local(self, turn):
        x = turn.model
        for _ in range(turn.steps):
            gradient = yield turn.gradient(x)
            x = x - turn.rate * (gradient + self.mu * (x - turn.model))
        return x


class Ditto(Mean):
    """Ditto (Li et al. 2021, Algorithm 1), with keeps: 1: a client keeps a model of its own, which is pulled to the
    server's. Half of the local steps are of each model."""

    metrics = {"distance": {"text": "distance of a client's own model from the server's", "unit": "2-norm"}}

    def __init__(self, pull=0.1):
        self.pull = pull

    def local(self, turn):
        x, own = turn.model, turn.state[:, 0]
        own[turn.fresh] = x[turn.fresh]
        for _ in range(turn.steps // 2):
            gradient = yield turn.gradient(own)
            own -= turn.rate * (gradient + self.pull * (own - turn.model))
        for _ in range(turn.steps // 2):
            gradient = yield turn.gradient(x)
            x = x - turn.rate * gradient
        turn.record("distance", np.sqrt(((own - turn.model) ** 2).sum(axis=1)))
        return x


class Median(Mean):
    """The median of every coordinate in place of the mean, where clients may be Byzantine."""

    def combine(self, vectors):
        return np.median(vectors, axis=0)
