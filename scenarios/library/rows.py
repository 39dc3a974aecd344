"""Rows that every node draws anew at every step, features and a label of -1 or 1, for the
models of the catalog to learn. Node i has a law of its own, near one that all share."""

import numpy as np


class Rows:
    def __init__(self, seed, nodes, horizon, dimension, heterogeneity=0.5):
        self.seed, self.dimension = seed, dimension
        rng = np.random.default_rng([seed, 0])
        common = rng.standard_normal(dimension)
        self.models = common + heterogeneity * rng.standard_normal((nodes, dimension))

    def draw(self, key, nodes, count):
        """So many rows of each node, of shape (k, count, dimension + 1)."""
        rng = np.random.default_rng([self.seed, *key])
        features = rng.standard_normal((len(self.models), count, self.dimension))[nodes]
        features /= np.sqrt((features**2).sum(axis=2, keepdims=True))
        labels = np.where((features * self.models[nodes][:, None, :]).sum(axis=2) < 0, -1.0, 1.0)
        return np.concatenate([features, labels[:, :, None]], axis=2)

    def rows(self, nodes, step):
        return self.draw([1, step], nodes, 1)[:, 0, :]

    def test_rows(self, nodes, count):
        return self.draw([2, 0], nodes, count)
