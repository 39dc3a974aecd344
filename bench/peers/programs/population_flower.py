"""Federated averaging with noise over a population in Flower: a ServerApp and a ClientApp in its simulation on Ray.

A client is drawn from its number and clips its change; the strategy is Flower's FedAvg, to
whose mean the noise is added.
"""

import logging

import numpy as np
from flwr.app import ArrayRecord, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp import ServerApp
from flwr.serverapp.strategy import FedAvg
from flwr.simulation import run_simulation

import law

o = law.options()
logging.getLogger("flwr").setLevel(logging.ERROR)
client, server = ClientApp(), ServerApp()
data = law.Population(o.seed, o.dimension, o.shared)
found = {}


@client.train()
def train(message, context):
    (x,) = message.content["arrays"].to_numpy_ndarrays()
    change = data.change(context.node_config["partition-id"], x)
    content = {"arrays": ArrayRecord([x + change]), "metrics": MetricRecord({"num-examples": law.SAMPLES})}
    return Message(content=RecordDict(content), reply_to=message)


class Averaging(FedAvg):
    """FedAvg with noise, which would go on without clients that failed."""

    rng = np.random.default_rng(o.seed)

    def aggregate_train(self, server_round, replies):
        replies = list(replies)
        failed = [m.error.reason for m in replies if m.has_error()]
        if failed or len(replies) != o.cohort:
            raise RuntimeError(f"{len(replies)} of {o.cohort} clients answered, {len(failed)} with an error: {failed[:1]}")
        arrays, metrics = super().aggregate_train(server_round, replies)
        (x,) = arrays.to_numpy_ndarrays()
        return ArrayRecord([x + self.rng.normal(0, o.noise * law.CLIP / o.cohort, o.dimension)]), metrics


@server.main()
def main(grid, context):
    averaging = Averaging(fraction_train=o.cohort / o.nodes, fraction_evaluate=0.0, min_train_nodes=o.cohort, min_available_nodes=o.nodes)
    result = averaging.start(grid, ArrayRecord([np.zeros(o.dimension)]), num_rounds=o.horizon)
    (found["x"],) = result.arrays.to_numpy_ndarrays()


run_simulation(
    server_app=server,
    client_app=client,
    num_supernodes=o.nodes,
    backend_config={"client_resources": {"num_cpus": 1, "num_gpus": 0}, "init_args": {"num_cpus": 2, "log_to_driver": False}},
)
law.report(loss=data.loss(min(o.nodes, law.JUDGES), found["x"]))
