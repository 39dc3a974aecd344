"""Federated logistic regression in JAX: jit of a scan over rounds, vmap over clients, float64.

Variants: fresh draws the data of a round in the compiled code; stored draws all data of a
run first, and runs --arms times over them.
"""

import jax
import jax.numpy as jnp
import numpy as np

import law

jax.config.update("jax_enable_x64", True)
o = law.options()
rounds, eta = o.horizon // law.TAU, law.LOCAL_STEP
parameters = law.Law(np.random.Generator(np.random.PCG64(o.seed)), o.nodes, o.dimension, o.shared)
clients = tuple(map(jnp.asarray, (parameters.model, parameters.offset, parameters.mean)))
deviation = jnp.asarray(parameters.deviation)


def draw(client, key):
    """The data of a client for a round: tau x d, and tau labels."""
    model, offset, mean = client
    a = mean + deviation * jax.random.normal(key, (law.TAU, o.dimension))
    label = jnp.where(a @ model + offset < 0, -1.0, 1.0)
    return a / jnp.linalg.norm(a, axis=1, keepdims=True), label


def loss(x, a, label):
    return jnp.logaddexp(0, -label * (a @ x))


def local(x, data):
    """The local steps of a client: what it sends, and the losses of x at its data."""

    def step(z, datum):
        return z - eta * jax.grad(loss)(z, *datum), loss(x, *datum)

    z, losses = jax.lax.scan(step, x, data)
    return (x - z) / (eta * law.TAU), losses.sum()


def round_of(x, data, key):
    sent, losses = jax.vmap(local, in_axes=(None, 0))(x, data)
    if o.noise:
        sent = sent + o.noise * jax.random.normal(key, sent.shape)
    return x - eta * law.TAU * sent.mean(axis=0), losses.sum()


@jax.jit
def fresh(key):
    def one(x, key):
        data_key, noise_key = jax.random.split(key)
        data = jax.vmap(draw)(clients, jax.random.split(data_key, o.nodes))
        return round_of(x, data, noise_key)

    return jax.lax.scan(one, jnp.zeros(o.dimension), jax.random.split(key, rounds))


@jax.jit
def stored(data, key):
    return jax.lax.scan(lambda x, d: round_of(x, d[0], d[1]), jnp.zeros(o.dimension), (data, jax.random.split(key, rounds)))


@jax.jit
def drawn(key):
    def one(_, key):
        return None, jax.vmap(draw)(clients, jax.random.split(key, o.nodes))

    return jax.lax.scan(one, None, jax.random.split(key, rounds))[1]


key = jax.random.key(o.seed)
if o.variant == "fresh":
    losses = fresh(key)[1]
else:
    data = drawn(key)
    for _ in range(o.arms):
        losses = stored(data, key)[1].block_until_ready()
law.report(loss=losses.sum() / (o.nodes * o.horizon))
