"""Federated logistic regression in numpy: a loop over clients, or all clients at once.

Variants: loop draws a datum in each local step of each client; fresh draws one of all
clients at once; stored draws all data of a run first, and runs --arms times over them.
"""

import numpy as np

import law

o = law.options()
rng = np.random.Generator(np.random.PCG64(o.seed))
rounds = o.horizon // law.TAU
n, d, eta = o.nodes, o.dimension, law.LOCAL_STEP


def loop(data):
    x, loss = np.zeros(d), 0.0
    for _ in range(rounds):
        total = np.zeros(d)
        for i in range(n):
            sent, losses = law.client_round(data, rng, i, x)
            total += sent
            loss += losses
            if o.noise:
                total += rng.normal(0, o.noise, d)
        x = x - eta * law.TAU / n * total
    return loss / (n * rounds * law.TAU)


def vectorised(datum):
    """datum(step) returns the features, n x d, and the labels of a step."""
    x, loss = np.zeros(d), 0.0
    z, change, sent = np.empty((n, d)), np.empty((n, d)), np.empty((n, d))
    for r in range(rounds):
        z[:] = x
        for k in range(law.TAU):
            a, label = datum(r * law.TAU + k)
            loss += law.loss((a @ x) * label)
            slope = eta * label / (1 + np.exp(label * np.einsum("ij,ij->i", a, z)))
            z += np.multiply(a, slope[:, None], out=change)
        mean = (x - z.mean(axis=0)) / (eta * law.TAU)
        if o.noise:
            rng.standard_normal(out=sent)
            mean += o.noise * sent.mean(axis=0)
        x = x - eta * law.TAU * mean
    return loss / (n * rounds * law.TAU)


data = law.Law(rng, n, d, o.shared)
if o.variant == "loop":
    law.report(loss=loop(data))
elif o.variant == "fresh":
    a = np.empty((n, d))
    law.report(loss=vectorised(lambda step: (a, data.draw(rng, a))))
else:
    features, labels = np.empty((o.horizon, n, d)), np.empty((o.horizon, n))
    for t in range(o.horizon):
        labels[t] = data.draw(rng, features[t])
    for arm in range(o.arms):
        loss = vectorised(lambda t: (features[t], labels[t]))
    law.report(loss=loss)
