"""Logistic regression on data that every node draws anew at every step, with numpy: the
example of `starling help python`. Node i has a law of its own, a model that is near one that
all share; the features of a datum have 2-norm 1, and so gradients are no longer than 1."""

import numpy as np


class Logistic:
    def __init__(self, seed, nodes, horizon, dimension, heterogeneity=0.5, test_samples=20):
        self.seed, self.nodes, self.dimension = seed, nodes, dimension
        rng = np.random.default_rng([seed, 0])
        common = rng.standard_normal(dimension)
        self.models = common + heterogeneity * rng.standard_normal((nodes, dimension))
        self.tests = self.draw(np.random.default_rng([seed, 1]), test_samples)
        self.all, self.data = np.arange(nodes), {}
        self.kept = max(4, 2**27 // (8 * nodes * dimension))  # steps, in 128 MiB

    def draw(self, rng, samples):
        """Signed features of so many data of each node, of shape (nodes, samples, dimension)."""
        features = rng.standard_normal((self.nodes, samples, self.dimension))
        features /= np.sqrt((features**2).sum(axis=2, keepdims=True))
        odds = (features * self.models[:, None, :]).sum(axis=2)
        labels = np.where(rng.random(odds.shape) * (1 + np.exp(-odds)) < 1, 1.0, -1.0)
        return features * labels[:, :, None]

    def rows(self, nodes, step):
        """What nodes meet at a step: a function of seed, node and step alone. Data are kept, as
        nodes are a few steps apart, and clients whose data stay come back to them."""
        if step not in self.data:
            if len(self.data) == self.kept:
                self.data.pop(min(self.data))
            self.data[step] = self.draw(np.random.default_rng([self.seed, 2, step]), 1)[:, 0, :]
        data = self.data[step]
        return data if np.array_equal(nodes, self.all) else data[nodes]

    def loss(self, x, nodes, step):
        return np.logaddexp(0, -(self.rows(nodes, step) * x).sum(axis=1))

    def gradient(self, x, nodes, step):
        rows = self.rows(nodes, step)
        margins = (rows * x).sum(axis=1)
        return rows * (-1 / (1 + np.exp(margins)))[:, None]

    def classify(self, x, nodes, step):
        return (self.tests[nodes] * x[:, None, :]).sum(axis=2) > 0

    def test_loss(self, x, nodes, step):
        return np.logaddexp(0, -(self.tests[nodes] * x[:, None, :]).sum(axis=2)).mean(axis=1)
