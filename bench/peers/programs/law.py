"""What all programs of peers share: their options, the law of the data, and what they print.

The law is synthetic(alpha, beta) of FedProx with alpha = beta = 0.1 and features of
length 1, as Starling's problems `synthetic-logistic` and `logistic` state it. Generators
differ, so results agree in law and not in bits.
"""

import argparse
import functools
import json
import math

import numpy as np

ALPHA = BETA = 0.1
TAU = 4  # local steps of a round
LOCAL_STEP = 2.0
STEP_SCALE = 0.2  # alpha_t = STEP_SCALE/sqrt(t) of gossip
RADIUS = 5.0  # of the ball of gossip


def options():
    """The options that the command gives every program."""
    p = argparse.ArgumentParser()
    p.add_argument("--variant", default="")
    p.add_argument("--nodes", type=int, required=True)
    p.add_argument("--dimension", type=int, required=True)
    p.add_argument("--horizon", type=int, required=True, help="local steps of each node")
    p.add_argument("--degree", type=int, default=6)
    p.add_argument("--shared", type=float, default=0.0, help="share of the true models that all have in common")
    p.add_argument("--noise", type=float, default=0.0, help="standard deviation of Gaussian noise, or epsilon of Laplace noise")
    p.add_argument("--arms", type=int, default=1, help="runs over the same stored data")
    p.add_argument("--cohort", type=int, default=0, help="clients in a round of a population")
    p.add_argument("--seed", type=int, default=1)
    return p.parse_args()


def report(**values):
    """Prints what the program found; the command reads the last line."""
    print(json.dumps({k: float(v) for k, v in values.items()}), flush=True)


class Law:
    """The parameters of all nodes: of node i the model w_i, the offset c_i and the mean v_i."""

    def __init__(self, rng, nodes, dimension, shared=0.0):
        self.deviation = np.arange(1, dimension + 1) ** -0.6
        u = rng.normal(0, ALPHA**0.5, nodes)
        b = rng.normal(0, BETA**0.5, nodes)
        self.offset = u + rng.standard_normal(nodes)
        self.model = rng.standard_normal((nodes, dimension)) + u[:, None]
        self.mean = rng.standard_normal((nodes, dimension)) + b[:, None]
        if shared:
            common = rng.normal(rng.normal(0, ALPHA**0.5), 1, dimension + 1)
            own, all_have = (1 - shared) ** 0.5, shared**0.5
            self.model = own * self.model + all_have * common[:-1]
            self.offset = own * self.offset + all_have * common[-1]

    def draw(self, rng, a):
        """Writes a datum of each node to a, nodes x dimension, and returns the labels, -1 or 1."""
        rng.standard_normal(out=a)
        a *= self.deviation
        a += self.mean
        label = np.where(np.einsum("ij,ij->i", a, self.model) + self.offset < 0, -1.0, 1.0)
        a /= np.sqrt(np.einsum("ij,ij->i", a, a))[:, None]
        return label

    def datum(self, rng, i):
        """A datum of node i, in new memory, and its label."""
        a = rng.standard_normal(len(self.deviation)) * self.deviation + self.mean[i]
        label = -1.0 if a @ self.model[i] + self.offset[i] < 0 else 1.0
        a /= (a @ a) ** 0.5
        return a, label


def loss(margin):
    """The sum of log(1 + exp(-m)) over margins."""
    return np.logaddexp(0, -margin).sum()


def client_round(data, rng, i, x):
    """A round of client i in plain numpy: the average gradient that it sends, and its losses."""
    z, losses = x.copy(), 0.0
    for _ in range(TAU):
        a, label = data.datum(rng, i)
        losses += math.log1p(math.exp(-label * (a @ x)))
        z += LOCAL_STEP * label / (1 + math.exp(label * (a @ z))) * a
    return (x - z) / (LOCAL_STEP * TAU), losses


@functools.cache
def drawn_once(seed, nodes, dimension, shared):
    """The parameters of all nodes, for programs whose clients run in several processes."""
    return Law(np.random.Generator(np.random.PCG64(seed)), nodes, dimension, shared)


SAMPLES, LOCAL_STEPS, CLIP = 20, 2, 1.0  # of a client of a population
JUDGES = 1_000  # clients, from the first, whose data judge the last model


class Population:
    """Clients whose data are drawn from their numbers when they are asked for."""

    def __init__(self, seed, dimension, shared):
        self.seed, self.dimension = seed, dimension
        self.own, self.have = (1 - shared) ** 0.5, shared**0.5
        rng = np.random.default_rng(seed)
        self.common = rng.normal(rng.normal(0, ALPHA**0.5), 1, dimension + 1)
        self.deviation = np.arange(1, dimension + 1) ** -0.6

    def client(self, i):
        """The features of client i, a row each, and the labels."""
        rng = np.random.default_rng((self.seed, i))
        u, b = rng.normal(0, ALPHA**0.5), rng.normal(0, BETA**0.5)
        model = self.own * (rng.standard_normal(self.dimension + 1) + u) + self.have * self.common
        mean = rng.standard_normal(self.dimension) + b
        a = rng.standard_normal((SAMPLES, self.dimension)) * self.deviation + mean
        label = np.where(a @ model[:-1] + model[-1] < 0, -1.0, 1.0)
        return a / np.sqrt((a * a).sum(axis=1))[:, None], label

    def change(self, i, x):
        """The change of client i by its local steps, of length CLIP at most."""
        a, label = self.client(i)
        z = x.copy()
        for _ in range(LOCAL_STEPS):
            z += LOCAL_STEP * (a.T @ (label / (1 + np.exp(label * (a @ z))))) / SAMPLES
        z -= x
        return z * min(1.0, CLIP / max(np.sqrt(z @ z), 1e-300))

    def loss(self, clients, x):
        """The mean loss of x over the data of so many clients, from the first."""
        total = 0.0
        for i in range(clients):
            a, label = self.client(i)
            total += loss(label * (a @ x))
        return total / (clients * SAMPLES)
