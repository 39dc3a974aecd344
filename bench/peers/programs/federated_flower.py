"""Federated logistic regression in Flower: a ServerApp and a ClientApp in its simulation on Ray.

The strategy is Flower's FedAvg, which averages the models that clients return. A client
has a core, and so two actors of Ray run the clients of a round in turn.
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
found = {}


@client.train()
def train(message, context):
    i, r = context.node_config["partition-id"], message.content["config"]["server-round"]
    rng = np.random.default_rng((o.seed, i, r))
    (x,) = message.content["arrays"].to_numpy_ndarrays()
    sent, losses = law.client_round(law.drawn_once(o.seed, o.nodes, o.dimension, o.shared), rng, i, x)
    if o.noise:
        sent += rng.normal(0, o.noise, o.dimension)
    content = {"arrays": ArrayRecord([x - law.LOCAL_STEP * law.TAU * sent]), "metrics": MetricRecord({"num-examples": law.TAU, "loss": losses / law.TAU})}
    return Message(content=RecordDict(content), reply_to=message)


class Averaging(FedAvg):
    """FedAvg, which would go on without clients that failed."""

    def aggregate_train(self, server_round, replies):
        replies = list(replies)
        failed = [m.error.reason for m in replies if m.has_error()]
        if failed or len(replies) != o.nodes:
            raise RuntimeError(f"{len(replies)} of {o.nodes} clients answered, {len(failed)} with an error: {failed[:1]}")
        return super().aggregate_train(server_round, replies)


@server.main()
def main(grid, context):
    averaging = Averaging(fraction_evaluate=0.0, min_train_nodes=o.nodes, min_available_nodes=o.nodes)
    result = averaging.start(grid, ArrayRecord([np.zeros(o.dimension)]), num_rounds=o.horizon // law.TAU)
    found["loss"] = np.mean([m["loss"] for m in result.train_metrics_clientapp.values()])


run_simulation(
    server_app=server,
    client_app=client,
    num_supernodes=o.nodes,
    backend_config={"client_resources": {"num_cpus": 1, "num_gpus": 0}, "init_args": {"num_cpus": 2, "log_to_driver": False}},
)
law.report(**found)
