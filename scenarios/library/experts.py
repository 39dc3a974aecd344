"""Losses of experts that a class says, with numpy: an example of `starling help python`. They
are uniform on [0, 1] for every node, step and expert, but those of one expert are lower by a
gap on average."""

import numpy as np


class Experts:
    def __init__(self, seed, nodes, horizon, dimension, gap=0.2):
        rng = np.random.default_rng(seed)
        self.losses = rng.random((horizon, nodes, dimension))
        self.losses[:, :, rng.integers(dimension)] *= 1 - 2 * gap

    def loss(self, x, nodes, step):
        return (self.losses[step - 1, nodes] * x).sum(axis=1)

    def gradient(self, x, nodes, step):
        return self.losses[step - 1, nodes]
