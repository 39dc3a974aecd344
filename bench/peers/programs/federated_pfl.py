"""Federated logistic regression in pfl-research: its federated averaging on a model in plain numpy.

Noise is that of its Gaussian mechanism on each user's statistics, whose clipping bound is
that of the statistics and clips nothing.
"""

import numpy as np
from pfl.aggregate.simulate import SimulatedBackend
from pfl.algorithm.base import NNAlgorithmParams
from pfl.algorithm.federated_averaging import FederatedAveraging
from pfl.data.dataset import Dataset
from pfl.data.federated_dataset import ArtificialFederatedDataset
from pfl.hyperparam.base import NNTrainHyperParams
from pfl.metrics import Metrics
from pfl.privacy.gaussian_mechanism import GaussianMechanism
from pfl.stats import MappedVectorStatistics

import law
import pflvector

o = law.options()
np.random.seed(o.seed)  # of the mechanism's noise
rng = np.random.Generator(np.random.PCG64(o.seed))
data = law.Law(rng, o.nodes, o.dimension, o.shared)


class Averaging(FederatedAveraging):
    losses = 0.0

    def train_one_user(self, initial_model_state, model, user_dataset, central_context):
        i = user_dataset.raw_data[0][0]
        sent, losses = law.client_round(data, rng, i, model.x)
        Averaging.losses += losses
        return MappedVectorStatistics({"x": sent}), Metrics()


def everyone():
    while True:
        yield from range(o.nodes)


users = everyone()
training = ArtificialFederatedDataset(lambda i: Dataset((np.array([i]),), user_id=str(i)), lambda _: next(users), lambda: law.TAU)
privacy = [GaussianMechanism(1.0, o.noise)] if o.noise else []
Averaging().run(
    algorithm_params=NNAlgorithmParams(o.horizon // law.TAU, evaluation_frequency=10**9, train_cohort_size=o.nodes, val_cohort_size=None),
    backend=SimulatedBackend(training_data=training, val_data=training, postprocessors=privacy),
    model=pflvector.Vector(o.dimension, -law.LOCAL_STEP * law.TAU),
    model_train_params=NNTrainHyperParams(local_num_epochs=1, local_learning_rate=law.LOCAL_STEP, local_batch_size=None),
)
law.report(loss=Averaging.losses / (o.nodes * o.horizon))
