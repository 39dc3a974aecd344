"""Modules of PyTorch as problems: their gradients, and runs of them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starling

torch = pytest.importorskip("torch")
import starling.torch  # noqa: E402

nn = torch.nn


def made() -> Any:
    return nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3))


def data(clients: int = 3, samples: int = 6) -> list[Any]:
    generator = torch.Generator().manual_seed(1)
    inputs = torch.randn(clients, samples, 4, generator=generator)
    return [(x, (x.sum(dim=1) > 0).long() + (x[:, 0] > 1).long()) for x in inputs]


def problem(make: Any = made, clients: Any = None) -> starling.torch.Problem:
    clients = data() if clients is None else clients
    return starling.torch.Problem(make, nn.functional.cross_entropy, clients, data(1, 20)[0], seed=7)


def alone(x: Any, client: int, step: int) -> Any:
    """The gradient of one sample, by PyTorch in float64 and without what is tested."""
    module = made().double()
    nn.utils.vector_to_parameters(torch.from_numpy(np.array(x)), module.parameters())
    inputs, targets = data()[client]
    loss = nn.functional.cross_entropy(module(inputs[step - 1 : step].double()), targets[step - 1 : step])
    return torch.cat([g.flatten() for g in torch.autograd.grad(loss, list(module.parameters()))]).numpy()


# Two models, of which the first has samples of two clients, and the second of one.
MODELS, NODES, STEPS = np.array([0, 0, 0, 1, 1]), np.array([0, 2, 2, 1, 1]), np.array([1, 3, 6, 2, 5])


@pytest.mark.parametrize("clip", [math.inf, 1.0, 0.2])
def test_sums_are_those_of_single_gradients(clip: float) -> None:
    p = problem()
    x = np.stack([p.start(), p.start() + 0.3])
    want, clipped = np.zeros(x.shape), np.zeros(2)
    for model, node, step in zip(MODELS, NODES, STEPS, strict=True):
        g = alone(x[model], node, step)
        norm = np.linalg.norm(g)
        clipped[model] += norm > clip
        want[model] += g * min(1, clip / norm)
        np.testing.assert_allclose(p.gradient(x[model : model + 1], np.array([node]), step)[0], g, atol=1e-6)
    got = p.sums(x, MODELS, NODES, STEPS, clip)
    np.testing.assert_allclose(got["sums"], want, atol=1e-5)
    assert got["clipped"].tolist() == clipped.tolist()


def test_losses_and_tries() -> None:
    p = problem()
    x = np.stack([p.start(), p.start() + 0.3])
    losses = p.losses(x, MODELS, NODES, STEPS)
    for j, (model, node, step) in enumerate(zip(MODELS, NODES, STEPS, strict=True)):
        assert losses[j] == pytest.approx(p.loss(x[model : model + 1], np.array([node]), step)[0], abs=1e-6)
    right = p.classify(x, np.array([0, 0]), 1)
    assert right.shape == (2, 20) and right.dtype == bool
    module = made()
    nn.utils.vector_to_parameters(torch.from_numpy(x[1]).float(), module.parameters())
    inputs, targets = data(1, 20)[0]
    assert right[1].tolist() == (module(inputs).argmax(dim=1) == targets).tolist()
    assert p.test_loss(x[1:], np.array([0]), 1)[0] == pytest.approx(
        nn.functional.cross_entropy(module(inputs), targets).item(), abs=1e-6
    )


def test_module_at_a_decision() -> None:
    p = problem()
    module = p.module(p.start() + 0.3)
    want = torch.from_numpy(p.start() + 0.3).float()
    assert torch.equal(nn.utils.parameters_to_vector(module.parameters()).detach(), want)


def test_weights_are_those_of_the_seed() -> None:
    torch.manual_seed(3)
    before = torch.get_rng_state()
    first, second = problem().start(), problem().start()
    assert (first == second).all() and (torch.get_rng_state() == before).all()
    assert len(first) == starling.torch.dimension(made) == 43


def test_what_is_frozen_is_not_sent() -> None:
    def frozen() -> Any:
        module = made()
        module[0].requires_grad_(False)
        return module

    p = problem(frozen)
    assert len(p.start()) == starling.torch.dimension(frozen) == 18
    x = p.start()[None]
    whole = problem()
    full = whole.sums(whole.start()[None], MODELS[:3], NODES[:3], STEPS[:3], math.inf)["sums"][0]
    np.testing.assert_allclose(p.sums(x, MODELS[:3], NODES[:3], STEPS[:3], math.inf)["sums"][0], full[-18:], atol=1e-6)
    bounded = p.sums(x, MODELS[:3], NODES[:3], STEPS[:3], 0.1)["sums"][0]
    assert np.linalg.norm(bounded) <= 0.3 * (1 + 1e-5)


@pytest.mark.parametrize(
    ("layer", "says"),
    [
        (lambda: nn.BatchNorm1d(4), "running statistics mix samples.*GroupNorm"),
        (lambda: nn.Flatten(), "no parameter with requires_grad"),
    ],
)
def test_layers_that_are_refused(layer: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        problem(lambda: nn.Sequential(layer()))


def with_chance() -> Any:
    return nn.Sequential(nn.Linear(4, 5), nn.Dropout(0.5), nn.Linear(5, 3))


def adam(parameters: Any, rate: float) -> Any:
    return torch.optim.Adam(parameters, lr=rate)


@pytest.mark.parametrize("batch", [0, 4])
def test_local_steps_are_those_of_an_optimizer(batch: int) -> None:
    p = starling.torch.Problem(
        made, nn.functional.cross_entropy, data(), seed=7, optimizer=adam, schedule=lambda round, rate: rate / round
    )
    x = np.stack([p.start(), p.start() + 0.3])
    models = p.local(x, np.array([2, 0]), 4, np.array([5, 2]), 0.2, batch)
    for i, (node, steps) in enumerate([(2, 5), (0, 2)]):
        module = made()
        nn.utils.vector_to_parameters(torch.from_numpy(x[i]).float(), module.parameters())
        optimizer = adam(module.parameters(), 0.05)
        inputs, targets = data()[node]
        chance = np.random.default_rng([7, node, 4])
        chance.integers(1 << 62)
        order: list[int] = []
        for _ in range(steps):
            while len(order) < (batch or 6):
                order += chance.permutation(6).tolist()
            part, order = order[: batch or 6], order[batch or 6 :]
            optimizer.zero_grad()
            nn.functional.cross_entropy(module(inputs[part]), targets[part]).backward()
            optimizer.step()
        want = nn.utils.parameters_to_vector(module.parameters()).detach().numpy()
        np.testing.assert_allclose(models[i], want, atol=1e-6)
        assert np.abs(models[i] - x[i]).max() > 0.01


def test_chance_in_local_steps_is_of_the_client_and_the_round() -> None:
    p = problem(with_chance)
    x = np.stack([p.start()] * 2)
    before = torch.get_rng_state()
    first = p.local(x, np.array([0, 1]), 1, np.array([3, 3]), 0.5, 2)
    assert (p.local(x[1:], np.array([1]), 1, np.array([3]), 0.5, 2)[0] == first[1]).all()
    assert (p.local(x, np.array([0, 1]), 2, np.array([3, 3]), 0.5, 2) != first).any()
    assert (torch.get_rng_state() == before).all()
    assert p.test_loss(x, np.array([0, 0]), 1)[0] == p.test_loss(x, np.array([0, 0]), 1)[0]


def test_clients_by_number_are_asked_for_once() -> None:
    asked: list[int] = []

    def client(i: int) -> Any:
        asked.append(i)
        return data()[i]

    p = problem(clients=client)
    x = p.start()[None]
    got = p.losses(x, np.zeros(4, int), np.array([0, 0, 2, 2]), np.array([1, 6, 2, 3]))
    assert (got == problem().losses(x, np.zeros(4, int), np.array([0, 0, 2, 2]), np.array([1, 6, 2, 3]))).all()
    p.losses(x, np.zeros(1, int), np.array([2]), np.array([1]))
    assert asked == [0, 2]


def test_what_is_no_problem() -> None:
    with pytest.raises(TypeError, match="give the class of the module"):
        problem(made())
    with pytest.raises(ValueError, match="6 inputs and 5 targets"):
        problem(clients=[(data()[0][0], data()[0][1][:5])])
    with pytest.raises(ValueError, match=r"client 1 has 5 samples, and sample 6 is asked for: .*problem\.sizes"):
        problem(clients=[*data(1), *data(1, 5)]).losses(
            np.zeros((1, 43)), np.zeros(1, int), np.ones(1, int), np.array([6])
        )
    with pytest.raises(ValueError, match="client 0 has 0 inputs and 0 targets"):
        problem(clients=[(torch.zeros(0, 4), torch.zeros(0))])
    with pytest.raises(TypeError, match="the layer 1 draws by chance"):
        problem(with_chance).sums(np.zeros((1, 43)), MODELS[:1], NODES[:1], STEPS[:1], 1.0)
    with pytest.raises(ValueError, match=r"problem\.dimension is 40, and the module has 43"):
        problem().sums(np.zeros((1, 40)), MODELS[:1], NODES[:1], STEPS[:1], 1.0)


FILE = """
import torch
import starling.torch
from torch import nn

def made():
    return nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3)).double()

def data(clients, samples):
    inputs = torch.randn(clients, samples, 4, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    return [(x, (x.sum(dim=1) > 0).long() + (x[:, 0] > 1).long()) for x in inputs]

class Three(starling.torch.Problem):
    def __init__(self, seed, nodes, horizon, dimension):
        super().__init__(made, nn.functional.cross_entropy, data(nodes, horizon), data(1, 20)[0], seed=seed)
"""


@pytest.fixture
def scenario(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "three.py").write_text(FILE)
    algorithm = {"kind": "fedavg", "tau": 2, "learning_rate": 0.5, "samples": 6, "batch": 6}
    offers = ["start", "sums", "losses", "classify", "test_loss"]
    file = {"kind": "python", "file": str(tmp_path / "three.py"), "name": "Three"}
    return {
        "version": 1,
        "name": "three",
        "horizon": 4,
        "nodes": 3,
        "algorithm": algorithm,
        "problem": {**file, "dimension": 43, "offers": offers},
        "topology": {"kind": "star"},
        "mechanism": {"kind": "none"},
        "measure": {"metrics": ["loss.train", "loss.fresh", "accuracy.test"]},
    }


def test_a_run_is_the_loop_of_pytorch(scenario: dict[str, Any], tmp_path: Path) -> None:
    """Federated averaging over whole batches draws nothing: a plain loop has the same losses."""
    there: dict[str, Any] = {}
    exec(FILE, there)
    run = starling.run(scenario, out=tmp_path)
    rows = run.summary.where(metric="loss.train").to_arrow().to_pylist()
    told = {row["step"]: row["mean"] for row in rows}
    torch.manual_seed(1)
    net = there["made"]()
    clients = there["data"](3, 6)
    start = nn.utils.parameters_to_vector(net.parameters()).detach()
    for step in range(1, 5):
        ends = []
        for x, y in clients:
            nn.utils.vector_to_parameters(start.clone(), net.parameters())
            for _ in range(2):
                gradients = torch.autograd.grad(nn.functional.cross_entropy(net(x), y), list(net.parameters()))
                with torch.no_grad():
                    for p, g in zip(net.parameters(), gradients, strict=True):
                        p -= 0.5 * g
            ends.append(nn.utils.parameters_to_vector(net.parameters()).detach())
        start = torch.stack(ends).mean(dim=0)
        nn.utils.vector_to_parameters(start.clone(), net.parameters())
        loss = np.mean([nn.functional.cross_entropy(net(x), y).item() for x, y in clients])
        assert told[step] == pytest.approx(loss, rel=1e-9)


def test_one_digest(scenario: dict[str, Any], tmp_path: Path) -> None:
    private = {
        **scenario,
        "algorithm": {"kind": "dpfl", "tau": 2, "learning_rate": 0.5, "samples": 6, "batch": 3, "clip": 0.5},
        "mechanism": {"kind": "sampled-gaussian", "sigma": 1, "delta": 1e-3},
    }
    digests = {
        starling.run(private, out=tmp_path, again=True, check_pure=pure, **how).digest
        for pure, how in [(True, {"engine": "lockstep"}), (False, {"shards": 1}), (False, {"shards": 3})]
    }
    assert len(digests) == 1


def test_local_steps_of_a_run(scenario: dict[str, Any], tmp_path: Path) -> None:
    """Whole batches draw nothing, and SGD of PyTorch has the models of gradients."""
    by_gradients = starling.run(scenario, out=tmp_path).summary.where(metric="loss.train").to_arrow()
    own = {
        **scenario,
        "problem": {**scenario["problem"], "offers": ["start", "local", "losses", "classify", "test_loss"]},
    }
    run = starling.run(own, out=tmp_path, check_pure=True)
    np.testing.assert_allclose(
        run.summary.where(metric="loss.train").to_arrow()["mean"], by_gradients["mean"], rtol=1e-9
    )
    assert starling.run(own, out=tmp_path, again=True, engine="lockstep").digest == run.digest


class Net(nn.Sequential):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3))


def momentum(parameters: Any, rate: float) -> Any:
    return torch.optim.SGD(parameters, lr=rate, momentum=0.5)


class Pairs(torch.utils.data.Dataset):  # type: ignore[misc]
    def __init__(self, inputs: Any, targets: Any) -> None:
        self.inputs, self.targets = inputs.numpy(), targets

    def __len__(self) -> int:
        return len(self.targets)

    def __getitem__(self, i: int) -> Any:
        return self.inputs[i], int(self.targets[i])


WRITTEN = """
import torch, starling.torch
from pathlib import Path
here = Path(__file__).parent
class Net(torch.nn.Sequential):
    def __init__(self):
        super().__init__(torch.nn.Linear(4, 5), torch.nn.Tanh(), torch.nn.Linear(5, 3))
def momentum(parameters, rate):
    return torch.optim.SGD(parameters, lr=rate, momentum=0.5)
class Given(starling.torch.Problem):
    def __init__(self, seed, nodes, horizon, dimension):
        clients, test = torch.load(here / "data.pt")
        super().__init__(Net, torch.nn.functional.cross_entropy, clients, test, seed=seed, optimizer=momentum)
"""


@pytest.mark.parametrize("protect", ["client", "record"])
def test_a_problem_of_a_module_and_data(protect: Any, tmp_path: Path) -> None:
    """The values are those of a class that is written by hand, for clients of other sizes."""
    clients = [(x[: 3 + i], y[: 3 + i]) for i, (x, y) in enumerate(data())]
    test = data(1, 20)[0]
    (tmp_path / "given.py").write_text(WRITTEN)
    torch.save((clients, test), tmp_path / "data.pt")
    offers = ["start", "local" if protect == "client" else "sums", "losses", "classify", "test_loss"]
    by_hand = {
        "kind": "python", "file": str(tmp_path / "given.py"), "name": "Given", "dimension": 43, "offers": offers, "sizes": [3, 4, 5],
    }  # fmt: skip
    of_torch = starling.torch.problem(
        Net,
        nn.functional.cross_entropy,
        [Pairs(*clients[0]), *clients[1:]],
        test,
        protect=protect,
        optimizer=momentum if protect == "client" else None,
    )
    kind = "dp-fedavg" if protect == "client" else "dpfl"
    tables = []
    for section in (by_hand, of_torch):
        scenario = {
            "version": 1, "name": "of-torch", "horizon": 4, "nodes": 3, "seeds": {"base": 5, "count": 2}, "plots": [],
            "algorithm": {"kind": kind, "tau": 2, "learning_rate": 0.5, "batch": 2, "clip": 1},
            "problem": section, "topology": {"kind": "star"}, "mechanism": {"kind": "sampled-gaussian", "sigma": 1, "delta": 1e-5},
        }  # fmt: skip
        run = starling.run(scenario, out=tmp_path / "results")
        tables.append(run.metrics.to_pandas())
    same = ["metric", "seed", "step", "value"]
    assert len(tables[0]) > 20 and tables[0][same].equals(tables[1][same])


@pytest.mark.filterwarnings("error")
def test_a_problem_of_a_frame() -> None:
    """A frame of all clients makes the problem of the same tensors, in the type of the module."""
    pandas = pytest.importorskip("pandas")
    inputs, targets = torch.cat([x for x, _ in data()]), torch.cat([y for _, y in data()])
    frame = pandas.DataFrame({f"x{j}": inputs[:, j].double().numpy() for j in range(4)})
    frame["class"], frame["client"] = targets.numpy(), np.repeat(["a", "b", "c"], 6)
    loss = nn.functional.cross_entropy
    names = ([f"x{j}" for j in range(4)], "class")
    given = [
        starling.torch.problem(Net, loss, data(), data()[0], protect="record"),
        starling.torch.problem(Net, loss, frame, frame[:6], protect="record", columns=names, by="client"),
    ]
    spaces = [section.pop("class").space for section in given]
    assert given[0] == given[1] and given[0]["sizes"] == [6, 6, 6]
    for name in ("client_inputs", "client_targets", "test_inputs", "test_targets"):
        assert torch.equal(spaces[0][name], spaces[1][name]) and spaces[0][name].dtype == spaces[1][name].dtype


def test_what_a_problem_of_torch_refuses() -> None:
    loss = nn.functional.cross_entropy
    with pytest.raises(ValueError, match="an optimizer takes steps that no clipping of records bounds"):
        starling.torch.problem(Net, loss, data(), protect="record", optimizer=momentum)
    with pytest.raises(ValueError, match="client 1 has 6 inputs and 5 targets"):
        starling.torch.problem(Net, loss, [data()[0], (data()[0][0], data()[0][1][:5])], protect=None)
    section = starling.torch.problem(Net, lambda x, y: loss(x, y), data(), protect=None)
    with pytest.raises(
        starling.InputError, match="loss is a lambda with loss of the function around it; define it by def"
    ):
        starling.validate({"version": 1, "name": "a", "problem": section})


RULES = [lambda p, rate: torch.optim.SGD(p, lr=rate), lambda p, rate: torch.optim.SGD(p, lr=2 * rate)]


def test_a_lambda_and_a_loss_of_torch_are_kept(tmp_path: Path) -> None:
    """A lambda has the text of its code, among others of its line, and a loss of torch.nn the text that makes it."""

    def digest(**options: Any) -> str:
        loss = options.pop("loss", nn.functional.cross_entropy)
        study = starling.scenario(
            name="kept", horizon=3, nodes=3, plots=[], seeds={"base": 1, "count": 1}, measure={"every": 1},
            algorithm=starling.algorithm.fedavg(tau=2, learning_rate=0.1, batch=3),
            problem=starling.torch.problem(made, loss, data(), protect=None, **options),
            topology=starling.topology.star(), mechanism=starling.mechanism.none(),
        )  # fmt: skip
        return starling.run(study, out=tmp_path).digest

    plain = digest()
    assert digest(optimizer=RULES[0]) == plain != digest(optimizer=RULES[1])
    assert digest(schedule=lambda round, rate: rate) == plain == digest(loss=nn.CrossEntropyLoss())
    assert digest(loss=nn.CrossEntropyLoss(label_smoothing=0.1)) != plain
    around = 3
    with pytest.raises(starling.InputError, match="a lambda with around of the function around it"):
        digest(schedule=lambda round, rate: rate / around)


@pytest.mark.parametrize(
    ("loss", "change", "says"),
    [
        (nn.CrossEntropyLoss, lambda x, y: (x, y), r"loss is the class CrossEntropyLoss; give CrossEntropyLoss\(\)"),
        (nn.CrossEntropyLoss(weight=torch.ones(3)), lambda x, y: (x, y), "the CrossEntropyLoss has tensors"),
        (nn.CrossEntropyLoss(reduction="none"), lambda x, y: (x, y), r"is one number, .* got \(2,\)"),
        (nn.functional.cross_entropy, lambda x, y: (x, y + 5), "fail on samples of client 0.* out of bounds"),
        (
            nn.functional.cross_entropy,
            lambda x, y: (x.long(), y),
            "inputs of torch.int64 .* parameters of torch.float32",
        ),
        (
            nn.functional.cross_entropy,
            lambda x, y: (x, np.array(["a", "b"])[[0] * len(y)]),
            "are no numbers: number the",
        ),
    ],
)
def test_a_problem_that_cannot_be_computed_is_refused_at_once(loss: Any, change: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        starling.torch.problem(made, loss, [change(*of) for of in data()], protect=None)
