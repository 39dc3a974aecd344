"""Federated averaging with noise over a population in pfl-research, on a model in plain numpy.

A user is drawn from its number when it is sampled. Clipping and noise are those of pfl's
Gaussian mechanism.
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
rng = np.random.default_rng(o.seed)
data = law.Population(o.seed, o.dimension, o.shared)


class Averaging(FederatedAveraging):
    def train_one_user(self, initial_model_state, model, user_dataset, central_context):
        return MappedVectorStatistics({"x": data.change(user_dataset.raw_data[0][0], model.x)}), Metrics()


model = pflvector.Vector(o.dimension, 1.0)
training = ArtificialFederatedDataset(lambda i: Dataset((np.array([i]),), user_id=str(i)), lambda _: int(rng.integers(o.nodes)), lambda: law.SAMPLES)
Averaging().run(
    algorithm_params=NNAlgorithmParams(o.horizon, evaluation_frequency=10**9, train_cohort_size=o.cohort, val_cohort_size=None),
    backend=SimulatedBackend(training_data=training, val_data=training, postprocessors=[GaussianMechanism(law.CLIP, o.noise)]),
    model=model,
    model_train_params=NNTrainHyperParams(local_num_epochs=1, local_learning_rate=law.LOCAL_STEP, local_batch_size=None),
)
law.report(loss=data.loss(min(o.nodes, law.JUDGES), model.x))
