"""Models of JAX as problems: their gradients, and runs of them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starling

jax = pytest.importorskip("jax")
jnp = jax.numpy
import starling.jax  # noqa: E402


def make(key: Any) -> Any:
    first, second = jax.random.split(key)
    return {"w": jax.random.normal(first, (4, 5)), "b": jnp.zeros(5), "v": jax.random.normal(second, (5, 3))}


def predict(parameters: Any, inputs: Any) -> Any:
    return jnp.tanh(inputs @ parameters["w"] + parameters["b"]) @ parameters["v"]


def loss(parameters: Any, inputs: Any, targets: Any) -> Any:
    outputs = jax.nn.log_softmax(predict(parameters, inputs))
    return -jnp.take_along_axis(outputs, targets[:, None], axis=1).mean()


def momentum(rate: Any) -> Any:
    import optax

    return optax.sgd(rate, momentum=0.5)


def data(clients: int = 3, samples: int = 6) -> list[Any]:
    inputs = np.random.default_rng(1).standard_normal((clients, samples, 4)).astype(np.float32)
    return [(x, (x.sum(axis=1) > 0).astype(np.int64) + (x[:, 0] > 1)) for x in inputs]


def plain(x: Any, inputs: Any, targets: Any) -> tuple[float, Any]:
    """The mean loss and its gradient in float64, by numpy and by hand."""
    b, v, w = x[:5], x[5:20].reshape(5, 3), x[20:].reshape(4, 5)  # in the order of the names
    inputs = inputs.astype(np.float64)
    hidden = np.tanh(inputs @ w + b)
    scores = hidden @ v
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    rows = np.arange(len(targets))
    mean = -np.log(shares[rows, targets]).mean()
    shares[rows, targets] -= 1
    back = shares @ v.T * (1 - hidden**2)
    parts = [back.sum(axis=0), hidden.T @ shares, inputs.T @ back]
    return float(mean), np.concatenate([part.ravel() for part in parts]) / len(targets)


MODELS, NODES, STEPS = np.array([0, 0, 0, 1, 1]), np.array([0, 2, 2, 1, 1]), np.array([1, 3, 6, 2, 5])


@pytest.mark.parametrize("clip", [math.inf, 1.0, 0.2])
def test_sums_are_those_of_single_gradients(clip: float) -> None:
    p = starling.jax.Problem(make, loss, data(), data(1, 20)[0], seed=7, predict=predict)
    x = np.stack([p.start(), p.start() + 0.3])
    want, clipped = np.zeros(x.shape), np.zeros(2)
    for model, node, step in zip(MODELS, NODES, STEPS, strict=True):
        inputs, targets = data()[node]
        value, g = plain(x[model], inputs[step - 1 : step], targets[step - 1 : step])
        norm = np.linalg.norm(g)
        clipped[model] += norm > clip
        want[model] += g * min(1, clip / norm)
        np.testing.assert_allclose(p.gradient(x[model : model + 1], np.array([node]), step)[0], g, atol=1e-5)
        assert p.loss(x[model : model + 1], np.array([node]), step)[0] == pytest.approx(value, abs=1e-5)
    got = p.sums(x, MODELS, NODES, STEPS, clip)
    np.testing.assert_allclose(got["sums"], want, atol=1e-5)
    assert got["clipped"].tolist() == clipped.tolist()
    inputs, targets = data(1, 20)[0]
    assert p.test_loss(x, np.array([0, 0]), 1)[1] == pytest.approx(plain(x[1], inputs, targets)[0], abs=1e-5)
    assert p.classify(x, np.array([0, 0]), 1).shape == (2, 20)


@pytest.mark.parametrize("optimizer", [None, momentum])
def test_local_steps_are_those_of_a_plain_loop(optimizer: Any) -> None:
    if optimizer is not None:
        pytest.importorskip("optax")
    p = starling.jax.Problem(make, loss, data(), seed=7, optimizer=optimizer, schedule=lambda round, rate: rate / round)
    x = np.stack([p.start(), p.start() + 0.1])
    got = p.local(x, np.array([2, 0]), 3, np.array([4, 2]), 0.6, 0)
    for i, (node, steps) in enumerate(((2, 4), (0, 2))):
        at, v = x[i].copy(), np.zeros(x.shape[1])
        for _ in range(steps):
            v = (0.5 if optimizer else 0) * v + plain(at, *data()[node])[1]
            at -= 0.2 * v
        np.testing.assert_allclose(got[i], at, atol=1e-5)


@pytest.mark.parametrize("protect", ["client", "record"])
def test_a_problem_of_functions_and_data(protect: Any, tmp_path: Path) -> None:
    """A run learns, and has one digest for any number of shards and with everything asked twice."""
    section = starling.jax.problem(make, loss, [(x[: 4 + i], y[: 4 + i]) for i, (x, y) in enumerate(data())], data(1, 20)[0], protect=protect, predict=predict)  # fmt: skip
    assert section["dimension"] == 40 and section["sizes"] == [4, 5, 6]
    scenario = {
        "version": 1, "name": "of-jax", "horizon": 12, "nodes": 3, "seeds": {"base": 5, "count": 1}, "plots": [], "measure": {"every": 1},
        "algorithm": {"kind": "dp-fedavg" if protect == "client" else "dpfl", "tau": 3, "learning_rate": 0.5, "batch": 3, "clip": 5},
        "problem": section, "topology": {"kind": "star"}, "mechanism": {"kind": "sampled-gaussian", "sigma": 0.01, "delta": 1e-5},
    }  # fmt: skip
    digests = set()
    for shards, check in ((1, False), (3, True)):
        run = starling.run(scenario, out=tmp_path / str(shards), shards=shards, check_pure=check)
        digests.add(run.digest)
    values = run.metrics.where(metric="loss.train")["value"]
    assert len(digests) == 1 and values[-1] < 0.7 * values[0]


def test_what_a_problem_of_jax_refuses() -> None:
    with pytest.raises(ValueError, match="an optimizer takes steps that no clipping of records bounds"):
        starling.jax.problem(make, loss, data(), protect="record", optimizer=momentum)
    with pytest.raises(ValueError, match="client 1 has 6 inputs and 5 targets"):
        starling.jax.problem(make, loss, [data()[0], (data()[0][0], data()[0][1][:5])], protect=None)
    p = starling.jax.Problem(make, loss, data(), seed=1)
    with pytest.raises(ValueError, match=r"problem\.dimension is 3, and the model has 40 parameters"):
        p.losses(np.zeros((1, 3)), np.array([0]), np.array([0]), np.array([1]))
    with pytest.raises(ValueError, match="there are no test data"):
        p.test_loss(p.start()[None], np.array([0]), 1)
