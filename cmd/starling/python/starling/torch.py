"""Problems with a model of PyTorch: a module, a loss and the data of clients.

A class of a scenario's file is a :class:`Problem`, which answers what Starling asks: gradients in
one pass for each model, scaled down one by one where samples are protected, losses, and tries on
test data. Nothing here is imported by ``import starling``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap

#: The loss of outputs and targets of a batch: the mean over its samples.
Loss = Callable[[Tensor, Tensor], Tensor]
#: Inputs and targets, with an entry for each sample.
Data = tuple[Tensor, Tensor]

#: The samples that go through a module at a time where no gradient is asked for.
_MOST = 1024

_DRAW = (nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d, nn.AlphaDropout, nn.FeatureAlphaDropout)


class Problem:
    """The model, the loss and the data of one seed, for algorithms whose clients keep their data.

    A class of the scenario's file derives from it, and gives it all of that in ``__init__``::

        class Digits(starling.torch.Problem):
            def __init__(self, seed, nodes, horizon, dimension):
                clients, test = load(nodes)
                super().__init__(Net, torch.nn.functional.cross_entropy, clients, test, seed=seed)

    The parameters that are trained are those with ``requires_grad``; the others stay as they are,
    and are not sent. Decisions cross as float64, and the module computes in its own type.

    Args:
        make: a class or a function that makes the module. It is called with PyTorch's generator
            at ``seed``, so that its weights are those of the seed.
        loss: the mean loss of a batch, such as ``torch.nn.functional.cross_entropy``.
        clients: the data of each client, all with as many samples.
        test: data that all clients have in common, for accuracy.test and loss.fresh; the
            accuracy takes the largest output as the predicted class.
        seed: the seed of the run.
    """

    #: Test data are the same for all clients.
    common_tests = True

    def __init__(
        self,
        make: Callable[[], nn.Module],
        loss: Loss,
        clients: Sequence[Data],
        test: Data | None = None,
        *,
        seed: int,
    ) -> None:
        if isinstance(make, nn.Module):
            raise TypeError(
                "give the class of the module, or a function that makes it, so that its weights are those of the seed"
            )
        self._module = _made(make, seed)
        self._loss, self._test = loss, test
        self._clients = _alike(clients)
        trained = {name: p for name, p in self._module.named_parameters() if p.requires_grad}
        self._trained = list(trained.values())
        self._names = list(trained)
        self._sizes = [p.numel() for p in self._trained]
        self._initial = _flat(self._trained)
        others = {name: p for name, p in self._module.named_parameters() if not p.requires_grad}
        self._others = {**others, **dict(self._module.named_buffers())}
        self._each = vmap(grad(self._of_one), in_dims=(None, 0, 0))

    def start(self) -> Any:
        """The weights that the module is made with."""
        return self._initial

    def sums(self, x: Any, models: Any, nodes: Any, steps: Any, clip: float) -> dict[str, Any]:
        """Sums of the gradients of the samples of each model, of 2-norm ``clip`` at most each."""
        sums, clipped = np.zeros(x.shape), np.zeros(len(x))
        ends = np.searchsorted(models, np.arange(len(x) + 1))
        for i, decision in enumerate(x):
            part = slice(ends[i], ends[i + 1])
            if part.start < part.stop:
                inputs, targets = self._samples(nodes[part], steps[part])
                self._set(decision)
                if math.isinf(clip):
                    sums[i] = self._whole(inputs, targets)
                else:
                    sums[i], clipped[i] = self._clipped(inputs, targets, clip)
        return {"sums": sums, "clipped": clipped}

    def losses(self, x: Any, models: Any, nodes: Any, steps: Any) -> Any:
        """The loss of each sample at its model."""
        losses = np.empty(len(models))
        ends = np.searchsorted(models, np.arange(len(x) + 1))
        for i, decision in enumerate(x):
            self._set(decision)
            for first in range(ends[i], ends[i + 1], _MOST):
                part = slice(first, min(first + _MOST, ends[i + 1]))
                losses[part] = self._losses(*self._samples(nodes[part], steps[part]))
        return losses

    def loss(self, x: Any, nodes: Any, step: int) -> Any:
        """The loss of one sample of each node at its decision."""
        return self.losses(x, np.arange(len(x)), nodes, np.full(len(x), step))

    def gradient(self, x: Any, nodes: Any, step: int) -> Any:
        """The gradient of one sample of each node at its decision: what sums are held against."""
        gradients = np.empty(x.shape)
        for i, decision in enumerate(x):
            self._set(decision)
            gradients[i] = self._whole(*self._samples(nodes[i : i + 1], np.array([step])))
        return gradients

    def classify(self, x: Any, nodes: Any, step: int) -> Any:
        """Whether the largest output is the class of each test datum."""
        inputs, targets = self._tests()
        right = np.empty((len(x), len(targets)), dtype=bool)
        for i, decision in enumerate(x):
            self._set(decision)
            right[i] = (self._outputs(inputs).argmax(dim=1) == targets).cpu().numpy()
        return right

    def test_loss(self, x: Any, nodes: Any, step: int) -> Any:
        """The mean loss on the test data."""
        inputs, targets = self._tests()
        means = np.empty(len(x))
        for i, decision in enumerate(x):
            self._set(decision)
            means[i] = self._loss(self._outputs(inputs), targets).item()
        return means

    def _tests(self) -> Data:
        if self._test is None:
            raise ValueError("there are no test data: give test, or leave classify and test_loss out of offers")
        return self._test

    def _samples(self, nodes: Any, steps: Any) -> Data:
        """The samples of nodes at steps, from 1, one beside the other."""
        if nodes[0] == nodes[-1] and (nodes == nodes[0]).all():
            inputs, targets = self._clients[int(nodes[0])]
            index = torch.from_numpy(steps - 1)
            return inputs[index], targets[index]
        parts = [(self._clients[int(node)], int(step) - 1) for node, step in zip(nodes, steps, strict=True)]
        return torch.stack([data[0][k] for data, k in parts]), torch.stack([data[1][k] for data, k in parts])

    def _set(self, decision: Any) -> None:
        """Gives the module a decision for its parameters."""
        if len(decision) != len(self._initial):
            raise ValueError(
                f"problem.dimension is {len(decision)}, and the module has {len(self._initial)} parameters to train"
            )
        first = 0
        with torch.no_grad():
            flat = torch.from_numpy(np.array(decision))
            for parameter, size in zip(self._trained, self._sizes, strict=True):
                parameter.copy_(flat[first : first + size].view_as(parameter))
                first += size

    def _whole(self, inputs: Tensor, targets: Tensor) -> Any:
        """The sum of the gradients, by one pass."""
        loss = self._loss(self._module(inputs), targets) * len(targets)
        return _flat(torch.autograd.grad(loss, self._trained))

    def _clipped(self, inputs: Tensor, targets: Tensor, clip: float) -> tuple[Any, int]:
        """The sum of the gradients, each scaled down to the 2-norm clip, and how many were."""
        trained = {name: p.detach() for name, p in zip(self._names, self._trained, strict=True)}
        parts = list(self._each(trained, inputs, targets).values())
        squares = torch.stack([part.flatten(1).square().sum(dim=1) for part in parts]).sum(dim=0)
        norms = squares.double().sqrt()
        by = (clip / norms).clamp(max=1).to(parts[0].dtype)
        return _flat([torch.tensordot(by, part, dims=1) for part in parts]), int((norms > clip).sum())

    def _of_one(self, trained: Mapping[str, Tensor], inputs: Tensor, target: Tensor) -> Tensor:
        """The loss of one sample."""
        outputs = functional_call(self._module, {**trained, **self._others}, (inputs.unsqueeze(0),))
        return self._loss(outputs, target.unsqueeze(0))

    def _losses(self, inputs: Tensor, targets: Tensor) -> Any:
        """The loss of each sample."""
        with torch.no_grad():
            one = vmap(lambda output, target: self._loss(output.unsqueeze(0), target.unsqueeze(0)))
            return one(self._outputs(inputs), targets).cpu().numpy()

    def _outputs(self, inputs: Tensor) -> Tensor:
        """The outputs of the module, some samples at a time."""
        with torch.no_grad():
            return torch.cat([self._module(part) for part in torch.split(inputs, _MOST)])


def dimension(make: Callable[[], nn.Module]) -> int:
    """The number of parameters of a module that are trained: ``problem.dimension`` of a scenario."""
    return sum(p.numel() for p in make().parameters() if p.requires_grad)


def _made(make: Callable[[], nn.Module], seed: int) -> nn.Module:
    """The module with the weights of a seed. Refuses layers with chance or a memory of batches."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        module = make()
    for name, layer in module.named_modules():
        if isinstance(layer, nn.modules.batchnorm._NormBase) and layer.track_running_stats:
            raise TypeError(
                f"the layer {name} is a {type(layer).__name__}: its running statistics mix samples, and no"
                " clipping bounds what one of them moves. torch.nn.GroupNorm has none"
            )
        if isinstance(layer, _DRAW) and layer.p > 0:
            raise TypeError(f"the layer {name} draws by chance, and equal questions would have other answers")
    if not any(p.requires_grad for p in module.parameters()):
        raise TypeError("the module has no parameter with requires_grad")
    return module


def _alike(clients: Sequence[Data]) -> Sequence[Data]:
    """The data of clients, which have as many inputs as targets, and as many as each other."""
    sizes = {(len(inputs), len(targets)) for inputs, targets in clients}
    if len(sizes) != 1 or any(a != b for a, b in sizes):
        shown = ", ".join(f"{a} inputs and {b} targets" for a, b in sorted(sizes)[:3])
        raise ValueError(f"clients have {shown or 'no data'}; want one number for all")
    return clients


def _flat(parts: Sequence[Tensor]) -> Any:
    """Arrays one after the other as float64."""
    return torch.cat([part.detach().flatten() for part in parts]).double().cpu().numpy()
