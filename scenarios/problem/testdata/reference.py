"""Writes reference.json: predictions, and their scores by scikit-learn 1.9.

python3 reference.py > reference.json

scikit-learn has no expected calibration error: it is taken bin by bin with numpy. A score that
scikit-learn refuses, or does not define, is null.
"""

import json
import math
import warnings

import numpy as np
from sklearn import metrics as m

warnings.simplefilter("ignore")
rng = np.random.default_rng(7)


def number(f):
    try:
        value = float(f())
    except ValueError:
        return None
    return None if math.isnan(value) else value


def calibration(labels, predicted, p):
    edges = np.arange(16) / 15
    top, error = p.max(axis=1), 0.0
    for k in range(15):
        low = -1 if k == 0 else edges[k]
        mask = (top > low) & (top <= edges[k + 1])
        if mask.any():
            error += mask.mean() * abs(top[mask].mean() - (predicted == labels)[mask].mean())
    return error


def classes(name, labels, p, pos=1):
    labels, p = np.asarray(labels), np.asarray(p, dtype=float)
    count = p.shape[1]
    predicted = (p[:, 1] >= p[:, 0]).astype(int) if count == 2 else p.argmax(axis=1)
    every = list(range(count))
    rank = p[:, 1] if count == 2 else p
    kinds = {} if count == 2 else {"multi_class": "ovr", "labels": every}
    areas = len(set(labels)) == count  # otherwise scikit-learn refuses, or takes fewer classes
    return {
        "name": name, "classes": count, "labels": labels.tolist(), "predicted": predicted.tolist(), "scores": p.tolist(),
        "want": {
            "accuracy.balanced": number(lambda: m.balanced_accuracy_score(labels, predicted)),
            "f1.macro": number(lambda: m.f1_score(labels, predicted, average="macro")),
            "auc.roc": number(lambda: m.roc_auc_score(labels, rank, average="macro", **kinds)),
            "auc.pr": number(lambda: m.average_precision_score(labels, rank, average="macro")) if areas or count == 2 and 1 in labels else None,
            "loss.log": number(lambda: m.log_loss(labels, p, labels=every)),
            "loss.brier": number(lambda: m.brier_score_loss(labels, rank, labels=every)),
            "error.calibration": calibration(labels, predicted, p),
        },
    }


def numbers(name, labels, predicted, power):
    labels, predicted = np.asarray(labels, dtype=float), np.asarray(predicted, dtype=float)
    varies = len(set(labels)) > 1
    return {
        "name": name, "power": power, "labels": labels.tolist(), "predicted": predicted.tolist(),
        "want": {
            "error.rmse": number(lambda: m.root_mean_squared_error(labels, predicted)),
            "error.mae": number(lambda: m.mean_absolute_error(labels, predicted)),
            "r2": number(lambda: m.r2_score(labels, predicted)) if varies else None,
            "d2": number(lambda: m.d2_tweedie_score(labels, predicted, power=power)) if varies else None,
        },
    }


def binary(p):
    p = np.asarray(p, dtype=float)
    return np.stack([1 - p, p], axis=1)


p = rng.beta(2, 2, 60)
y = (rng.random(60) < p).astype(int)
z = rng.normal(size=(80, 4)) * 2
soft = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
label = np.array([rng.choice(4, p=row) for row in soft])
tied = np.round(soft[:, :3] * 4) + 1
tied = tied / tied.sum(axis=1, keepdims=True)
mean = np.exp(rng.normal(size=50))
count = rng.poisson(mean)

cases = [
    classes("two classes", y, binary(p)),
    classes("two classes, ties", y, binary(np.round(p * 5) / 5)),
    classes("two classes, all scores equal", y, binary(np.full(60, 0.25))),
    classes("probabilities 0 and 1", [0, 1, 0, 1, 1, 0], binary([0, 1, 1, 0, 1, 0.5])),
    classes("edges of bins", [0, 1] * 8, binary([k / 15 for k in range(16)])),
    classes("all of class 1", [1] * 10, binary(p[:10])),
    classes("all of class 0", [0] * 10, binary(p[:10])),
    classes("one datum", [1], binary([0.7])),
    classes("four classes", label, soft),
    classes("three classes, ties", label % 3, tied),
    classes("four classes, one without data", np.where(label == 3, 0, label), soft),
    classes("four classes, one neither label nor prediction", np.where(label == 3, 0, label), np.where(np.arange(4) == 3, 0, soft) / soft[:, :3].sum(axis=1, keepdims=True)),
    classes("four classes, all of one", [2] * 80, soft),
    classes("four classes, sure", label, np.eye(4)[np.where(rng.random(80) < 0.6, label, (label + 1) % 4)]),
    numbers("normal labels", mean + rng.normal(size=50), mean, 0),
    numbers("worse than the mean", [1, 2, 3], [3, 1, -2], 0),
    numbers("labels that do not vary", [2, 2, 2], [2, 2.5, 1], 0),
    numbers("one number", [2], [2.5], 0),
    numbers("counts", count, mean * np.exp(rng.normal(size=50) / 5), 1),
    numbers("counts of zero", [0, 0, 0], [0.5, 1, 2], 1),
]
print(json.dumps(cases, separators=(",", ":")).replace('{"name"', '\n{"name"'))
