"""Problems with a model of JAX: parameters, a loss and the data of clients.

A class of a scenario's file is a :class:`Problem`, as in :mod:`starling.torch`: gradients in one pass for
each model, scaled down one by one where samples are protected, local steps of clients by an optimizer such as
those of optax, losses, and tries on test data. Nothing here is imported by ``import starling``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Literal

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")  # one thread, as other children have

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from ._models import Data, Model, paired, section
from ._tables import Columns, clients_of, is_table, of_table

#: The parameters, as any tree of arrays, from a key.
Make = Callable[[Any], Any]
#: The mean loss of a batch: of parameters, inputs and targets.
Loss = Callable[[Any, Any, Any], Any]
#: The outputs of inputs: of parameters and inputs.
Predict = Callable[[Any, Any], Any]
#: The data of each client, in a sequence or by a function of its number, from 0.
Clients = Sequence[Data] | Callable[[int], Data]


class Problem(Model):
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
        super().__init__(clients, test, seed, schedule, _checked)

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

        self._of_clipped, self._of_whole, self._step = jax.jit(clipped), jax.jit(whole), jax.jit(step)
        self._begin = (
            (lambda x, rate: ()) if optimizer is None else (lambda x, rate: optimizer(rate).init(self._tree(x)))
        )
        self._of_each = jax.jit(jax.vmap(of_one, in_axes=(None, 0, 0)))
        self._predict = None if predict is None else jax.jit(lambda x, inputs: predict(self._tree(x), inputs))

    def start(self) -> Any:
        """The parameters of the seed."""
        return self._initial

    def parameters(self, x: Any) -> Any:
        """The tree of parameters of a decision, for metrics of one's own: a class that derives from this one has
        ``measure(self, x)`` return their numbers by name, as ``problem.metrics`` of the scenario names them."""
        return self._tree(self._at(x))

    def local(self, x: Any, nodes: Any, round: int, steps: Any, rate: float, batch: int) -> Any:
        """The model of each client after its local steps: batches are cut from a new order of its
        samples each time that all were met."""
        models, size = np.empty(x.shape), self._schedule(round, rate)
        for i, node in enumerate(nodes):
            inputs, targets = self._client(int(node))
            chance = np.random.default_rng([self._seed, int(node), round])
            at = self._at(x[i])
            state = self._begin(at, size)
            for index in self._batches(chance, len(targets), int(steps[i]), batch):
                at, state = self._step(at, state, size, inputs[index], targets[index])
            models[i] = at
        return models

    def classify(self, x: Any, nodes: Any, step: int) -> Any:
        """Whether the largest output is the class of each test datum."""
        if self._predict is None:
            raise ValueError("nothing tells the outputs: give predict, or leave classify out of offers")
        inputs, targets = self._tests()
        outputs = [np.asarray(self._predict(self._at(decision), inputs)) for decision in x]
        return np.stack([of.argmax(axis=1) == targets for of in outputs])

    def test_loss(self, x: Any, nodes: Any, step: int) -> Any:
        """The mean loss on the test data."""
        inputs, targets = self._tests()
        return np.array(
            [np.mean(self._losses(self._at(decision), inputs, targets), dtype=np.float64) for decision in x]
        )

    def _at(self, decision: Any) -> Any:
        if len(decision) != len(self._initial):
            raise ValueError(f"problem.dimension is {len(decision)}, and the model has {len(self._initial)} parameters")
        return jnp.asarray(decision, dtype=self._type)

    def _whole(self, at: Any, inputs: Any, targets: Any) -> Any:
        return self._of_whole(at, inputs, targets)

    def _clipped(self, at: Any, inputs: Any, targets: Any, clip: float) -> tuple[Any, int]:
        """The number of samples is brought to a power of two: one compilation serves many."""
        count = len(targets)
        rows = np.minimum(np.arange(1 << (count - 1).bit_length()), count - 1)
        total, clipped = self._of_clipped(at, inputs[rows], targets[rows], count, clip)
        return total, int(clipped)

    def _losses(self, at: Any, inputs: Any, targets: Any) -> Any:
        return self._of_each(at, inputs, targets)

    def _joined(self, parts: Sequence[Any]) -> Any:
        return np.concatenate(parts)


def problem(
    make: Make,
    loss: Loss,
    clients: Any,
    test: Any = None,
    *,
    protect: Literal["client", "record"] | None,
    columns: Columns | None = None,
    by: str | None = None,
    predict: Predict | None = None,
    optimizer: Callable[[Any], Any] | None = None,
    schedule: Callable[[int, float], float] | None = None,
) -> dict[str, Any]:
    """The problem of a scenario, with all keys that follow from a model and its data.

    As ``starling.torch.problem``, of functions of JAX: see there, and :class:`Problem`.

    Raises:
        ValueError: a client has other numbers of inputs and targets, a column is not there, or records are to be
            protected in steps of an optimizer.
    """
    if is_table(test):
        test = of_table(test, columns, others=[by] if by else [])
    return section(
        {"make": make, "loss": loss},
        clients
        if callable(clients)
        else [_checked(i, data) for i, data in enumerate(clients_of(clients, columns, by))],
        None if test is None else [_checked(0, test)],
        {"predict": predict, "optimizer": optimizer, "schedule": schedule},
        protect=protect,
        classifies=predict is not None,
        dimension=len(ravel_pytree(make(jax.random.key(0)))[0]),
        stored=_stored,
        space={"Problem": Problem, "numpy": np},
    )


def _stored(data: Sequence[Data], name: str, space: dict[str, Any]) -> str:
    """The text of the data of clients, which a space has side by side."""
    space[f"{name}_inputs"] = np.concatenate([inputs for inputs, _ in data])
    space[f"{name}_targets"] = np.concatenate([targets for _, targets in data])
    space[f"{name}_ends"] = np.cumsum([len(targets) for _, targets in data])[:-1]
    parts = [f"numpy.split({name}_{part}, {name}_ends)" for part in ("inputs", "targets")]
    return f"list(zip({', '.join(parts)}))"


def _checked(i: int, data: Data) -> Data:
    return paired(i, np.asarray(data[0]), np.asarray(data[1]))
