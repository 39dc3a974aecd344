"""Problems with a model of PyTorch: a module, a loss and the data of clients.

A class of a scenario's file is a :class:`Problem`, which answers what Starling asks: gradients in
one pass for each model, scaled down one by one where samples are protected, local steps of clients by
an optimizer of PyTorch, losses, and tries on test data. Nothing here is imported by ``import starling``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap

from ._models import MOST, Model, paired, section
from ._tables import Columns, clients_of, is_table, of_table
from .objects import Made

#: The loss of outputs and targets of a batch: the mean over its samples.
Loss = Callable[[Tensor, Tensor], Tensor]
#: Inputs and targets, with an entry for each sample.
Data = tuple[Tensor, Tensor]
#: The data of each client, in a sequence or by a function of its number, from 0.
Clients = Sequence[Data] | Callable[[int], Data]
#: An optimizer of parameters with a step size.
Optimizer = Callable[[Iterable[nn.Parameter], float], torch.optim.Optimizer]
#: The step size of a round, from 1, of the one of the scenario.
Schedule = Callable[[int, float], float]

_DRAW = (nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d, nn.AlphaDropout, nn.FeatureAlphaDropout)


_NO_MODULE = "give the class of the module, or a function that makes it, so that its weights are those of the seed"


class Problem(Model):
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
        clients: the data of each client, or a function that returns the data of client i, from 0, and
            the same for the same i: it is called for clients that take part, so that a population of
            millions is not in memory. Clients of other sizes are in ``problem.sizes`` of the scenario.
        test: data that all clients have in common, for accuracy.test and loss.fresh; the
            accuracy takes the largest output as the predicted class.
        seed: the seed of the run.
        optimizer: what takes local steps, where the scenario has ``offers: [local]``: a function of
            the parameters and a step size, such as
            ``lambda parameters, rate: torch.optim.Adam(parameters, lr=rate)``. It begins anew in
            every round. The default is SGD.
        schedule: the step size of a round, as a function of its number, from 1, and the
            ``learning_rate`` of the scenario; the default keeps that.
    """

    def __init__(
        self,
        make: Callable[[], nn.Module],
        loss: Loss,
        clients: Clients,
        test: Data | None = None,
        *,
        seed: int,
        optimizer: Optimizer | None = None,
        schedule: Schedule | None = None,
    ) -> None:
        if isinstance(make, nn.Module):
            raise TypeError(_NO_MODULE)
        self._module, self._chance = _made(make, seed)
        super().__init__(clients, test, seed, schedule, _checked)
        self._loss = loss
        self._optimizer: Optimizer = optimizer or _sgd
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
        if self._chance:
            raise TypeError(
                f"the layer {self._chance} draws by chance, and equal questions would have other answers;"
                " offers: [local] takes such layers, by chance of the seed, the client and the round"
            )
        return super().sums(x, models, nodes, steps, clip)

    def local(self, x: Any, nodes: Any, round: int, steps: Any, rate: float, batch: int) -> Any:
        """The model of each client after its local steps: batches are cut from a new order of its
        samples each time that all were met."""
        models = np.empty(x.shape)
        size = self._schedule(round, rate)
        for i, node in enumerate(nodes):
            self._at(x[i])
            models[i] = self._local(int(node), round, int(steps[i]), size, batch)
        return models

    def classify(self, x: Any, nodes: Any, step: int) -> Any:
        """Whether the largest output is the class of each test datum."""
        inputs, targets = self._tests()
        right = np.empty((len(x), len(targets)), dtype=bool)
        for i, decision in enumerate(x):
            self._at(decision)
            right[i] = (self._outputs(inputs).argmax(dim=1) == targets).cpu().numpy()
        return right

    def test_loss(self, x: Any, nodes: Any, step: int) -> Any:
        """The mean loss on the test data."""
        inputs, targets = self._tests()
        means = np.empty(len(x))
        for i, decision in enumerate(x):
            self._at(decision)
            means[i] = self._loss(self._outputs(inputs), targets).item()
        return means

    def module(self, x: Any) -> nn.Module:
        """The module at a decision, for metrics of one's own: a class that derives from this one has
        ``measure(self, x)`` return their numbers by name, as ``problem.metrics`` of the scenario names them."""
        self._at(x)
        return self._module

    def _local(self, node: int, round: int, steps: int, rate: float, batch: int) -> Any:
        """The parameters after local steps from those that the module has."""
        inputs, targets = self._client(node)
        chance = np.random.default_rng([self._seed, node, round])
        optimizer = self._optimizer(self._trained, rate)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(chance.integers(1 << 62)))
            self._module.train()
            for index in self._batches(chance, len(targets), steps, batch):
                optimizer.zero_grad()
                self._loss(self._module(inputs[index]), targets[index]).backward()  # type: ignore[no-untyped-call]
                optimizer.step()
            self._module.eval()
        return _flat(self._trained)

    def _at(self, decision: Any) -> None:
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

    def _whole(self, at: None, inputs: Tensor, targets: Tensor) -> Any:
        """The sum of the gradients, by one pass."""
        loss = self._loss(self._module(inputs), targets) * len(targets)
        return _flat(torch.autograd.grad(loss, self._trained))

    def _clipped(self, at: None, inputs: Tensor, targets: Tensor, clip: float) -> tuple[Any, int]:
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

    def _losses(self, at: None, inputs: Tensor, targets: Tensor) -> Any:
        """The loss of each sample."""
        with torch.no_grad():
            one = vmap(lambda output, target: self._loss(output.unsqueeze(0), target.unsqueeze(0)))
            return one(self._outputs(inputs), targets).cpu().numpy()

    def _joined(self, parts: Sequence[Tensor]) -> Tensor:
        return torch.cat(list(parts))

    def _outputs(self, inputs: Tensor) -> Tensor:
        """The outputs of the module, some samples at a time."""
        with torch.no_grad():
            return torch.cat([self._module(part) for part in torch.split(inputs, MOST)])


def problem(
    make: Callable[[], nn.Module],
    loss: Loss,
    clients: Any,
    test: Any = None,
    *,
    protect: Literal["client", "record"] | None,
    columns: Columns | None = None,
    by: str | None = None,
    optimizer: Optimizer | None = None,
    schedule: Schedule | None = None,
) -> dict[str, Any]:
    """The problem of a scenario, with all keys that follow from a module and its data.

    The source of classes and functions, and tensors, are kept with the run, as for a class of a
    notebook. A seed has the module's weights of that seed, and the same data as any other.

    Args:
        make: the class of the module, or a function that makes it.
        loss: the mean loss of a batch: a function, or a loss of ``torch.nn``.
        clients: for each client its inputs and targets, a ``Dataset`` of PyTorch with such pairs, or a table: a
            data set of Hugging Face, or a frame of pandas or polars. Or one table of all clients, with ``by``; or a
            function of the number of a client, from 0, which returns inputs and targets.
        test: data that all clients have in common, in the form of one client; ``None`` is none.
        protect: what noise hides: ``"client"``, all that a client sends, which lets clients take local
            steps by an optimizer; ``"record"``, one sample, whose gradient is clipped; ``None``,
            nothing, with local steps by an optimizer. The algorithm and the mechanism say how.
        columns: of tables, the column of the inputs, or a list of such, and the column of the targets. It may be
            left out where a table has two columns, of which one is ``label``, ``labels``, ``target`` or ``y``.
        by: of one table, the column with the client of each row.
        optimizer: what takes local steps, as in :class:`Problem`; not for records.
        schedule: the step size of a round, as in :class:`Problem`; not for records.

    Returns:
        A section for ``starling.scenario(problem=...)``.

    Raises:
        ValueError: a client has other numbers of inputs and targets, a column is not there, or records are to be
            protected in steps of an optimizer.
        TypeError: the module or the loss fails on the first samples.
    """
    if isinstance(make, nn.Module):
        raise TypeError(_NO_MODULE)
    if is_table(test):
        test = _typed(make, of_table(test, columns, others=[by] if by else []))
    if not callable(clients):
        clients = [
            _checked(i, _pair(make, data))
            for i, data in enumerate(clients_of(clients, columns, by, lambda data: _typed(make, data)))
        ]
        _try(make, loss, *clients[0])
    return section(
        {"make": make, "loss": _written(loss)},
        clients,
        None if test is None else [_checked(0, _pair(make, test))],
        {"optimizer": optimizer, "schedule": schedule},
        protect=protect,
        classifies=True,
        dimension=dimension(make),
        stored=_stored,
        space={"Problem": Problem, "torch": torch},
    )


def _pair(make: Callable[[], nn.Module], data: Any) -> Data:
    """Inputs and targets as tensors, of arrays, tensors or a Dataset with pairs."""
    if hasattr(data, "__getitem__") and hasattr(data, "__len__") and not isinstance(data, (tuple, list)):
        inputs, targets = zip(*(data[i] for i in range(len(data))), strict=True)
        return torch.stack([_tensor(x) for x in inputs]), torch.stack([_tensor(y) for y in targets])
    inputs, targets = data
    if isinstance(inputs, np.ndarray) or isinstance(targets, np.ndarray):
        return _typed(make, (inputs, targets))
    return _tensor(inputs), _tensor(targets)


def _tensor(values: Any) -> Tensor:
    """Values as a tensor. Raises TypeError where they are no numbers."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "OSU":
        raise TypeError(
            f"the values {values.ravel()[:2].tolist()} are no numbers: number the classes from 0, such as by"
            " numpy.unique(labels, return_inverse=True)"
        )
    return torch.as_tensor(np.require(values, requirements="W") if isinstance(values, np.ndarray) else values)


def _written(loss: Loss) -> Any:
    """A loss of ``torch.nn`` as the text that makes it; any other stays."""
    if not isinstance(loss, nn.Module) or type(loss).__module__ != nn.modules.loss.__name__:
        return loss
    if any(True for _ in loss.buffers()) or any(True for _ in loss.parameters()):
        raise TypeError(f"the {type(loss).__name__} has tensors; give a function that calls it")
    options = {name: getattr(loss, name) for name in vars(type(loss))["__constants__"]}
    text = f"torch.nn.{type(loss).__name__}({', '.join(f'{name}={value!r}' for name, value in options.items())})"
    return Made(text, "torch")


#: The samples on which a module and a loss are tried.
_TRIED = 2


def _try(make: Callable[[], nn.Module], loss: Loss, inputs: Tensor, targets: Tensor) -> None:
    """Try the module and the loss on samples. Raises TypeError with the reason where that fails."""
    if isinstance(loss, type):
        raise TypeError(f"loss is the class {loss.__name__}; give {loss.__name__}(), or a function")
    module, _ = _made(make, 0)
    about = (
        f"{' x '.join(map(str, inputs.shape[1:])) or 'one'} inputs of {inputs.dtype} and targets of {targets.dtype},"
        f" for parameters of {next(module.parameters()).dtype}"
    )
    try:
        value = loss(module(inputs[:_TRIED]), targets[:_TRIED])
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        raise TypeError(f"the module and the loss fail on samples of client 0, of {about}: {error}") from error
    if not isinstance(value, Tensor) or value.numel() != 1:
        shape = tuple(value.shape) if isinstance(value, Tensor) else type(value).__name__
        raise TypeError(f"the loss of a batch is one number, the mean over its samples; got {shape}")


def _typed(make: Callable[[], nn.Module], data: Any) -> Data:
    """The inputs of a table, floating-point ones in the type of the module, and its targets."""
    inputs, targets = map(_tensor, data)
    return inputs.to(next(make().parameters()).dtype) if inputs.is_floating_point() else inputs, targets


def _stored(data: Sequence[Data], name: str, space: dict[str, Any]) -> str:
    """The text of the data of clients, which a space has side by side."""
    space[f"{name}_inputs"] = torch.cat([inputs for inputs, _ in data])
    space[f"{name}_targets"] = torch.cat([targets for _, targets in data])
    space[f"{name}_sizes"] = torch.tensor([len(targets) for _, targets in data])
    parts = [f"torch.split({name}_{part}, {name}_sizes.tolist())" for part in ("inputs", "targets")]
    return f"list(zip({', '.join(parts)}))"


def dimension(make: Callable[[], nn.Module]) -> int:
    """The number of parameters of a module that are trained: ``problem.dimension`` of a scenario."""
    return sum(p.numel() for p in make().parameters() if p.requires_grad)


def _made(make: Callable[[], nn.Module], seed: int) -> tuple[nn.Module, str]:
    """The module with the weights of a seed, and the name of a layer with chance, or none. Refuses layers
    with a memory of batches."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        module = make().eval()
    chance = ""
    for name, layer in module.named_modules():
        if isinstance(layer, nn.modules.batchnorm._NormBase) and layer.track_running_stats:
            raise TypeError(
                f"the layer {name} is a {type(layer).__name__}: its running statistics mix samples, and no"
                " clipping bounds what one of them moves. torch.nn.GroupNorm has none"
            )
        if isinstance(layer, _DRAW) and layer.p > 0:
            chance = name
    if not any(p.requires_grad for p in module.parameters()):
        raise TypeError("the module has no parameter with requires_grad")
    return module, chance


def _checked(i: int, data: Data) -> Data:
    return paired(i, *data)


def _sgd(parameters: Iterable[nn.Parameter], rate: float) -> torch.optim.Optimizer:
    return torch.optim.SGD(parameters, lr=rate)


def _flat(parts: Sequence[Tensor]) -> Any:
    """Arrays one after the other as float64."""
    return torch.cat([part.detach().flatten() for part in parts]).double().cpu().numpy()
