"""A model of pfl-research that is a vector in plain numpy, which a step adds statistics to."""

import numpy as np
from pfl.metrics import Metrics
from pfl.model.base import StatefulModel
from pfl.stats import MappedVectorStatistics


class Vector(StatefulModel):
    def __init__(self, dimension, step):
        self.x, self.step = np.zeros(dimension), step

    def get_parameters(self, placeholders=None):
        return MappedVectorStatistics({"x": self.x.copy()})

    def set_parameters(self, w):
        self.x = w["x"].copy()

    def get_model_difference(self, other_parameters, clone=False):
        return MappedVectorStatistics({"x": self.x - other_parameters["x"]})

    def apply_model_update(self, statistics):
        self.x = self.x + self.step * statistics["x"]
        return self, Metrics()

    def evaluate(self, dataset, name_formatting_fn, eval_params=None):
        return Metrics()

    def save(self, dir_path):
        raise NotImplementedError

    def load(self, dir_path):
        raise NotImplementedError
