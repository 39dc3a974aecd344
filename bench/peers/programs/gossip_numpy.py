"""DPDO-NC in numpy: equals on a graph that is drawn anew in each step, with Laplace noise.

A graph is the union of degree/2 random Hamiltonian cycles, which are cheap to draw; some
of its edges may be double, about six of a graph of degree six, and count twice. Variants:
numpy adds what neighbours sent by indexing, sparse multiplies with a matrix of scipy.sparse.
"""

import numpy as np

import law

o = law.options()
rng = np.random.Generator(np.random.PCG64(o.seed))
n, d = o.nodes, o.dimension


def cycles():
    """The successors and predecessors of all nodes on degree/2 random cycles."""
    for _ in range(o.degree // 2):
        order = rng.permutation(n)
        after, before = np.empty(n, np.intp), np.empty(n, np.intp)
        after[order], before[order] = np.roll(order, -1), np.roll(order, 1)
        yield after
        yield before


def by_indexing(q):
    z = q.copy()
    for neighbour in cycles():
        z += q[neighbour]
    z /= o.degree + 1
    return z


def by_matrix(q):
    columns = np.stack([np.arange(n), *cycles()], axis=1).ravel()
    weights = np.full(len(columns), 1 / (o.degree + 1))
    return csr_array((weights, columns, np.arange(n + 1) * (o.degree + 1)), shape=(n, n)) @ q


mix = by_indexing
if o.variant == "sparse":
    from scipy.sparse import csr_array

    mix = by_matrix

data = law.Law(rng, n, d)
x, a = np.zeros((n, d)), np.empty((n, d))
for t in range(1, o.horizon + 1):
    if t > 1:  # z = W q, and x the point of the ball next to z - alpha g
        x = mix(q)
        gradient *= alpha
        x -= gradient
        length = np.sqrt(np.einsum("ij,ij->i", x, x))
        x *= (law.RADIUS / np.maximum(length, law.RADIUS))[:, None]
    label = data.draw(rng, a)
    margin = np.einsum("ij,ij->i", a, x) * label
    gradient = np.multiply(a, (-label / (1 + np.exp(margin)))[:, None])
    q = x if t == 1 or not o.noise else x + rng.laplace(0, 2 * d**0.5 * alpha / o.noise, (n, d))
    alpha = law.STEP_SCALE / t**0.5
law.report(consensus=np.sqrt(((x - x.mean(axis=0)) ** 2).sum() / n))
