"""Problems with a model of JAX: parameters, a loss and the data of clients.

A class of a scenario's file is a :class:`Problem`, as in :mod:`starling.torch`: gradients in one pass for
each model, scaled down one by one where samples are protected, local steps of clients by an optimizer such as
those of optax, losses, and tries on test data. Nothing here is imported by ``import starling``.
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Sequence
from typing import Any, Literal

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")  # one thread, as other children have

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from .objects import Written, named

#: Inputs and targets, with an entry for each sample.
Data = tuple[Any, Any]
#: The parameters, as any tree of arrays, from a key.
Make = Callable[[Any], Any]
#: The mean loss of a batch: of parameters, inputs and targets.
Loss = Callable[[Any, Any, Any], Any]
#: The outputs of inputs: of parameters and inputs.
Predict = Callable[[Any, Any], Any]
#: The data of each client, in a sequence or by a function of its number, from 0.
Clients = Sequence[Data] | Callable[[int], Data]

#: The samples that go through a model at a time where no gradient is asked for.
_MOST = 1024

#: The clients with data that are kept, where a function returns them.
_KEPT = 256


class Problem:
    """The model, the loss and the data of one seed, for algorithms whose clients keep their data.

    Decisions cross as float64, and the model computes in the type of its parameters.

    Args:
        make: a function of a key that returns the parameters, as any tree of arrays of one type. It is
            called with ``jax.random.key(seed)``.
        loss: the mean loss of a batch, a function of parameters, inputs and targets.
        clients: the data of each client, or a function that returns the data of client i, from 0, and
            the same for the same i. Clients of other sizes are in ``problem.sizes`` of the scenario.
        test: data that all clients have in common, for accuracy.test and loss.fresh.
        seed: the seed of the run.
        predict: the outputs of inputs, whose largest is the predicted class, for accuracy.test.
        optimizer: what takes local steps, where the scenario has ``offers: [local]``: a function of
            the step size that returns an optimizer of optax, such as ``optax.adam``. It begins anew
            in every round. The default is SGD.
        schedule: the step size of a round, as a function of its number, from 1, and the
            ``learning_rate`` of the scenario; the default keeps that.
    """

    #: Test data are the same for all clients.
    common_tests = True

    def __init__(
        self,
        make: Make,
        loss: Loss,
        clients: Clients,
        test: Data | None = None,
        *,
        seed: int,
        predict: Predict | None = None,
        optimizer: Callable[[Any], Any] | None = None,
        schedule: Callable[[int, float], float] | None = None,
    ) -> None:
        flat, self._tree = ravel_pytree(make(jax.random.key(seed)))
        self._initial, self._type = np.asarray(flat, dtype=np.float64), flat.dtype
        self._seed, self._test = seed, test
        self._client = _found(clients)
        self._schedule = schedule or _constant

        def of_one(x: Any, given: Any, target: Any) -> Any:
            return loss(self._tree(x), given[None], target[None])

        def clipped(x: Any, inputs: Any, targets: Any, count: Any, clip: Any) -> Any:
            parts = jax.vmap(jax.grad(of_one), in_axes=(None, 0, 0))(x, inputs, targets)
            norms = jnp.sqrt(jnp.square(parts).sum(axis=1))
            there = jnp.arange(len(targets)) < count
            by = jnp.where(there, jnp.minimum(1, clip / norms), 0)
            return by @ parts, (there & (norms > clip)).sum()

        def whole(x: Any, inputs: Any, targets: Any) -> Any:
            return jax.grad(lambda x: loss(self._tree(x), inputs, targets) * len(targets))(x)

        def step(x: Any, state: Any, rate: Any, inputs: Any, targets: Any) -> Any:
            gradient = jax.grad(lambda x: loss(self._tree(x), inputs, targets))(x)
            if optimizer is None:
                return x - rate * gradient, state
            change, state = optimizer(rate).update(self._tree(gradient), state, self._tree(x))
            return x + ravel_pytree(change)[0], state

        self._clipped, self._whole, self._step = jax.jit(clipped), jax.jit(whole), jax.jit(step)
        self._begin = (
            (lambda x, rate: ()) if optimizer is None else (lambda x, rate: optimizer(rate).init(self._tree(x)))
        )
        self._losses = jax.jit(jax.vmap(of_one, in_axes=(None, 0, 0)))
        self._predict = None if predict is None else jax.jit(lambda x, inputs: predict(self._tree(x), inputs))

    def start(self) -> Any:
        """The parameters of the seed."""
        return self._initial

    def parameters(self, x: Any) -> Any:
        """The tree of parameters of a decision, for metrics of one's own: a class that derives from this one has
        ``measure(self, x)`` return their numbers by name, as ``problem.metrics`` of the scenario names them."""
        return self._tree(self._cast(x))

    def sums(self, x: Any, models: Any, nodes: Any, steps: Any, clip: float) -> dict[str, Any]:
        """Sums of the gradients of the samples of each model, of 2-norm ``clip`` at most each."""
        sums, clipped = np.zeros(x.shape), np.zeros(len(x))
        ends = np.searchsorted(models, np.arange(len(x) + 1))
        for i, decision in enumerate(x):
            part = slice(ends[i], ends[i + 1])
            if part.start == part.stop:
                continue
            at, (inputs, targets) = self._cast(decision), self._samples(nodes[part], steps[part])
            if math.isinf(clip):
                sums[i] = self._whole(at, inputs, targets)
            else:  # a number of samples that is a power of two: one compilation serves many
                count = len(targets)
                rows = np.minimum(np.arange(1 << (count - 1).bit_length()), count - 1)
                sums[i], clipped[i] = self._clipped(at, inputs[rows], targets[rows], count, clip)
        return {"sums": sums, "clipped": clipped}

    def local(self, x: Any, nodes: Any, round: int, steps: Any, rate: float, batch: int) -> Any:
        """The model of each client after its local steps: batches are cut from a new order of its
        samples each time that all were met."""
        models, size = np.empty(x.shape), self._schedule(round, rate)
        for i, node in enumerate(nodes):
            inputs, targets = self._client(int(node))
            chance = np.random.default_rng([self._seed, int(node), round])
            of_batch, order = min(batch or len(targets), len(targets)), np.empty(0, np.int64)
            at = self._cast(x[i])
            state = self._begin(at, size)
            for _ in range(int(steps[i])):
                while len(order) < of_batch:
                    order = np.concatenate([order, chance.permutation(len(targets))])
                index, order = order[:of_batch], order[of_batch:]
                at, state = self._step(at, state, size, inputs[index], targets[index])
            models[i] = at
        return models

    def losses(self, x: Any, models: Any, nodes: Any, steps: Any) -> Any:
        """The loss of each sample at its model."""
        losses = np.empty(len(models))
        ends = np.searchsorted(models, np.arange(len(x) + 1))
        for i, decision in enumerate(x):
            for first in range(ends[i], ends[i + 1], _MOST):
                part = slice(first, min(first + _MOST, ends[i + 1]))
                losses[part] = self._losses(self._cast(decision), *self._samples(nodes[part], steps[part]))
        return losses

    def loss(self, x: Any, nodes: Any, step: int) -> Any:
        """The loss of one sample of each node at its decision."""
        return self.losses(x, np.arange(len(x)), nodes, np.full(len(x), step))

    def gradient(self, x: Any, nodes: Any, step: int) -> Any:
        """The gradient of one sample of each node at its decision: what sums are held against."""
        gradients = np.empty(x.shape)
        for i, decision in enumerate(x):
            gradients[i] = self._whole(self._cast(decision), *self._samples(nodes[i : i + 1], np.array([step])))
        return gradients

    def classify(self, x: Any, nodes: Any, step: int) -> Any:
        """Whether the largest output is the class of each test datum."""
        if self._predict is None:
            raise ValueError("nothing tells the outputs: give predict, or leave classify out of offers")
        inputs, targets = self._tests()
        outputs = [np.asarray(self._predict(self._cast(decision), inputs)) for decision in x]
        return np.stack([of.argmax(axis=1) == targets for of in outputs])

    def test_loss(self, x: Any, nodes: Any, step: int) -> Any:
        """The mean loss on the test data."""
        inputs, targets = self._tests()
        return np.array(
            [np.mean(self._losses(self._cast(decision), inputs, targets), dtype=np.float64) for decision in x]
        )

    def _cast(self, decision: Any) -> Any:
        if len(decision) != len(self._initial):
            raise ValueError(f"problem.dimension is {len(decision)}, and the model has {len(self._initial)} parameters")
        return jnp.asarray(decision, dtype=self._type)

    def _tests(self) -> Data:
        if self._test is None:
            raise ValueError("there are no test data: give test, or leave classify and test_loss out of offers")
        return self._test

    def _samples(self, nodes: Any, steps: Any) -> Data:
        """The samples of nodes at steps, from 1, one beside the other."""
        parts = []
        for part in np.split(np.arange(len(nodes)), np.flatnonzero(np.diff(nodes)) + 1):
            inputs, targets = self._client(int(nodes[part[0]]))
            index = steps[part] - 1
            if int(index.max()) >= len(targets):
                raise ValueError(
                    f"client {nodes[part[0]]} has {len(targets)} samples, and sample {int(index.max()) + 1} is asked"
                    " for: give algorithm.samples, or problem.sizes with a number for each client"
                )
            parts.append((inputs[index], targets[index]))
        return np.concatenate([inputs for inputs, _ in parts]), np.concatenate([targets for _, targets in parts])


def problem(
    make: Make,
    loss: Loss,
    clients: Clients,
    test: Data | None = None,
    *,
    protect: Literal["client", "record"] | None,
    predict: Predict | None = None,
    optimizer: Callable[[Any], Any] | None = None,
    schedule: Callable[[int, float], float] | None = None,
) -> dict[str, Any]:
    """The problem of a scenario, with all keys that follow from a model and its data.

    As ``starling.torch.problem``, of functions of JAX: see there, and :class:`Problem`.

    Raises:
        ValueError: a client has other numbers of inputs and targets, or records are to be protected
            in steps of an optimizer.
    """
    if protect == "record" and (optimizer is not None or schedule is not None):
        raise ValueError(
            "an optimizer takes steps that no clipping of records bounds: want protect='client', or neither"
        )
    space: dict[str, Any] = {"Problem": Problem, "numpy": np}
    arguments, own = [named(make, "make", space), named(loss, "loss", space)], {}
    if callable(clients):
        arguments.append(named(clients, "clients", space))
    else:
        data = [_paired(i, one) for i, one in enumerate(clients)]
        arguments.append(_stored(data, "client", space))
        own["sizes"] = [len(targets) for _, targets in data]
    offers = ["start", "sums" if protect == "record" else "local", "losses"]
    if test is not None:
        arguments.append(_stored([_paired(0, test)], "test", space) + "[0]")
        offers += ["classify", "test_loss"] if predict is not None else ["test_loss"]
    arguments.append("seed=seed")
    for name, function in (("predict", predict), ("optimizer", optimizer), ("schedule", schedule)):
        if function is not None:
            arguments.append(f"{name}={named(function, name, space)}")
    size = len(ravel_pytree(make(jax.random.key(0)))[0])
    return {
        "kind": "python",
        "class": Written.of("Model", arguments, space),
        "dimension": size,
        "offers": offers,
        **own,
    }


def _stored(data: Sequence[Data], name: str, space: dict[str, Any]) -> str:
    """The text of the data of clients, which a space has side by side."""
    space[f"{name}_inputs"] = np.concatenate([inputs for inputs, _ in data])
    space[f"{name}_targets"] = np.concatenate([targets for _, targets in data])
    space[f"{name}_ends"] = np.cumsum([len(targets) for _, targets in data])[:-1]
    parts = [f"numpy.split({name}_{part}, {name}_ends)" for part in ("inputs", "targets")]
    return f"list(zip({', '.join(parts)}))"


def _found(clients: Clients) -> Callable[[int], Data]:
    """The data of a client by its number, with as many inputs as targets."""
    if callable(clients):
        return functools.lru_cache(_KEPT)(lambda i: _paired(i, clients(i)))
    return [_paired(i, data) for i, data in enumerate(clients)].__getitem__


def _paired(i: int, data: Data) -> Data:
    inputs, targets = np.asarray(data[0]), np.asarray(data[1])
    if len(inputs) != len(targets) or not len(targets):
        raise ValueError(f"client {i} has {len(inputs)} inputs and {len(targets)} targets; want one number, above 0")
    return inputs, targets


def _constant(round: int, rate: float) -> float:
    return rate
