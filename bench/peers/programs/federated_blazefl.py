"""Federated logistic regression in BlazeFL: its trainer of clients in threads, on local steps in plain numpy.

Models go to and from clients as tensors of float64. Threads have a generator a client.
"""

import threading
from dataclasses import dataclass

import numpy as np
import torch
from blazefl.core import BaseServerHandler, ThreadPoolClientTrainer

import law

o = law.options()
data = law.drawn_once(o.seed, o.nodes, o.dimension, o.shared)
torch.set_num_threads(1)  # the threads are those of the clients


@dataclass
class Down:
    model: torch.Tensor


@dataclass
class Up:
    client: int
    model: torch.Tensor
    losses: float


class Server(BaseServerHandler[Up, Down]):
    def __init__(self):
        self.model = torch.zeros(o.dimension, dtype=torch.float64)
        self.round, self.buffer, self.losses = 0, [], 0.0

    def downlink_package(self):
        return Down(self.model)

    def sample_clients(self):
        return list(range(o.nodes))

    def if_stop(self):
        return self.round >= o.horizon // law.TAU

    def load(self, payload):
        self.buffer.append(payload)
        if len(self.buffer) < o.nodes:
            return False
        self.global_update(self.buffer)
        self.round, self.buffer = self.round + 1, []
        return True

    def global_update(self, buffer):
        self.model = torch.stack([p.model for p in buffer]).mean(dim=0)
        self.losses += sum(p.losses for p in buffer)


class Trainer(ThreadPoolClientTrainer[Up, Down]):
    def __init__(self):
        self.num_parallels, self.device, self.device_count, self.cache = 2, "cpu", 0, []
        self.stop_event = threading.Event()
        self.generators = [np.random.Generator(np.random.PCG64((o.seed, i))) for i in range(o.nodes)]

    def uplink_package(self):
        packages, self.cache = self.cache, []
        return packages

    def worker(self, cid, device, payload, stop_event):
        x, rng = payload.model.numpy(), self.generators[cid]
        sent, losses = law.client_round(data, rng, cid, x)
        if o.noise:
            sent += rng.normal(0, o.noise, o.dimension)
        return Up(cid, torch.from_numpy(x - law.LOCAL_STEP * law.TAU * sent), losses)


server, trainer = Server(), Trainer()
while not server.if_stop():
    trainer.local_process(server.downlink_package(), server.sample_clients())
    for package in trainer.uplink_package():
        server.load(package)
law.report(loss=server.losses / (o.nodes * o.horizon))
