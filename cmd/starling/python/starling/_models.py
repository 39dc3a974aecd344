"""Models of a library as problems: what :mod:`starling.torch` and :mod:`starling.jax` share.

A :class:`Model` answers what Starling asks, by what a library computes at a decision. It loads no library.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from .objects import Written

#: Inputs and targets of samples, with an entry for each.
Data = tuple[Any, Any]

#: The samples that go through a model at a time where no gradient is asked for.
MOST = 1024

#: The clients with data that are kept, where a function returns them.
_KEPT = 256


class Model:
    """The data of clients and of tests, and the questions about them. A class of a library has the rest."""

    #: Test data are the same for all clients.
    common_tests = True

    def __init__(
        self,
        clients: Sequence[Any] | Callable[[int], Any],
        test: Data | None,
        seed: int,
        schedule: Callable[[int, float], float] | None,
        paired: Callable[[int, Any], Data],
    ) -> None:
        self._test, self._seed, self._schedule = test, seed, schedule or _constant
        self._client: Callable[[int], Data]
        if callable(clients):
            self._client = functools.lru_cache(_KEPT)(lambda i: paired(i, clients(i)))
        else:
            self._client = [paired(i, data) for i, data in enumerate(clients)].__getitem__

    # What a library computes.

    def _at(self, decision: Any) -> Any:
        """The model at a decision, for what follows."""
        raise NotImplementedError

    def _whole(self, at: Any, inputs: Any, targets: Any) -> Any:
        """The sum of the gradients of samples."""
        raise NotImplementedError

    def _clipped(self, at: Any, inputs: Any, targets: Any, clip: float) -> tuple[Any, int]:
        """The sum of the gradients of samples, each scaled down to the 2-norm clip, and how many were."""
        raise NotImplementedError

    def _losses(self, at: Any, inputs: Any, targets: Any) -> Any:
        """The loss of each sample."""
        raise NotImplementedError

    def _joined(self, parts: Sequence[Any]) -> Any:
        """Arrays one after the other."""
        raise NotImplementedError

    # What Starling asks.

    def sums(self, x: Any, models: Any, nodes: Any, steps: Any, clip: float) -> dict[str, Any]:
        """Sums of the gradients of the samples of each model, of 2-norm ``clip`` at most each."""
        sums, clipped = np.zeros(x.shape), np.zeros(len(x))
        ends = np.searchsorted(models, np.arange(len(x) + 1))
        for i, decision in enumerate(x):
            part = slice(ends[i], ends[i + 1])
            if part.start == part.stop:
                continue
            inputs, targets = self._samples(nodes[part], steps[part])
            at = self._at(decision)
            if math.isinf(clip):
                sums[i] = self._whole(at, inputs, targets)
            else:
                sums[i], clipped[i] = self._clipped(at, inputs, targets, clip)
        return {"sums": sums, "clipped": clipped}

    def losses(self, x: Any, models: Any, nodes: Any, steps: Any) -> Any:
        """The loss of each sample at its model."""
        losses = np.empty(len(models))
        ends = np.searchsorted(models, np.arange(len(x) + 1))
        for i, decision in enumerate(x):
            at = self._at(decision)
            for first in range(ends[i], ends[i + 1], MOST):
                part = slice(first, min(first + MOST, ends[i + 1]))
                losses[part] = self._losses(at, *self._samples(nodes[part], steps[part]))
        return losses

    def loss(self, x: Any, nodes: Any, step: int) -> Any:
        """The loss of one sample of each node at its decision."""
        return self.losses(x, np.arange(len(x)), nodes, np.full(len(x), step))

    def gradient(self, x: Any, nodes: Any, step: int) -> Any:
        """The gradient of one sample of each node at its decision: what sums are held against."""
        gradients = np.empty(x.shape)
        for i, decision in enumerate(x):
            at = self._at(decision)
            gradients[i] = self._whole(at, *self._samples(nodes[i : i + 1], np.array([step])))
        return gradients

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
        if len(parts) == 1:
            return parts[0]
        return self._joined([inputs for inputs, _ in parts]), self._joined([targets for _, targets in parts])

    def _batches(self, chance: np.random.Generator, size: int, steps: int, batch: int) -> Iterator[Any]:
        """The samples of batches of a client with so many, cut from a new order each time that all were met."""
        size_of_batch, order = min(batch or size, size), np.empty(0, np.int64)
        for _ in range(steps):
            while len(order) < size_of_batch:
                order = np.concatenate([order, chance.permutation(size)])
            index, order = order[:size_of_batch], order[size_of_batch:]
            yield index


def paired(i: int, inputs: Any, targets: Any) -> Data:
    """The data of a client, with as many inputs as targets."""
    if len(inputs) != len(targets) or not len(targets):
        raise ValueError(f"client {i} has {len(inputs)} inputs and {len(targets)} targets; want one number, above 0")
    return inputs, targets


def section(
    arguments: Mapping[str, Any],
    clients: Callable[[int], Any] | Sequence[Data],
    test: Sequence[Data] | None,
    functions: Mapping[str, Any],
    *,
    protect: Literal["client", "record"] | None,
    classifies: bool,
    dimension: int,
    stored: Callable[[Sequence[Data], str, dict[str, Any]], str],
    space: dict[str, Any],
) -> dict[str, Any]:
    """The problem of a scenario, of a class that derives from the ``Problem`` of a space.

    The arguments of the class are functions, the clients, the test data, and functions by name, of which ``None`` is
    left out. ``stored`` puts data into the space, and returns the text that makes a list of them.
    """
    if protect == "record" and any(functions.get(name) is not None for name in ("optimizer", "schedule")):
        raise ValueError(
            "an optimizer takes steps that no clipping of records bounds: want protect='client', or neither"
        )
    texts = [_named(value, name, space) for name, value in arguments.items()]
    own: dict[str, Any] = {}
    if callable(clients):
        texts.append(_named(clients, "clients", space))
    else:
        texts.append(stored(clients, "client", space))
        own["sizes"] = [len(targets) for _, targets in clients]
    offers = ["start", "sums" if protect == "record" else "local", "losses"]
    if test is not None:
        texts.append(stored(test, "test", space) + "[0]")
        offers += ["classify", "test_loss"] if classifies else ["test_loss"]
    texts.append("seed=seed")
    texts += [f"{name}={_named(value, name, space)}" for name, value in functions.items() if value is not None]
    text = f"class Model(Problem):\n    def __init__(self, seed, nodes, horizon, dimension):\n        super().__init__({', '.join(texts)})\n"
    return {"kind": "python", "class": Written("Model", text, space), "dimension": dimension, "offers": offers, **own}


def _named(value: Any, name: str, space: dict[str, Any]) -> str:
    """Puts a function or a class into a space, and returns its name there: its own, or of what it is for."""
    own = str(getattr(value, "__name__", name))
    name = own if own.isidentifier() and space.get(own, value) is value else name
    space[name] = value
    return name


def _constant(round: int, rate: float) -> float:
    return rate
