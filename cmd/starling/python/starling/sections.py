"""The sections of scenarios, as functions with the keys of each kind, and as types.

``starling._generate`` writes this file from the schema of the program: change it there.
"""

# fmt: off
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, Union, cast

if TYPE_CHECKING:
    import numpy as np
    import pandas
    import polars
    from numpy.typing import NDArray
    from typing_extensions import Required, Unpack

#: A path of a file.
Path: TypeAlias = Union[str, "os.PathLike[str]"]
#: Numbers in a row: a list, or an array of numpy.
Numbers: TypeAlias = Union[Sequence[float], "NDArray[np.floating[Any] | np.integer[Any]]"]
#: Rows of data that become a file beside the run.
Frame: TypeAlias = Union["pandas.DataFrame", "polars.DataFrame", "NDArray[Any]", Mapping[str, Any]]


def _made(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """A section of what was given."""
    return {"kind": kind, **{key.rstrip("_"): value for key, value in given.items() if value is not None}}


class NoneAdversaries(TypedDict, total=False):
    """No node is Byzantine."""
    kind: Required[Literal['none']]
    share: float
    nodes: int | Numbers


class SignFlipAdversaries(TypedDict, total=False):
    """Byzantine nodes send their vectors with the opposite sign."""
    kind: Required[Literal['sign-flip']]
    share: float
    nodes: int | Numbers


class ScaledAdversaries(TypedDict, total=False):
    """Byzantine nodes send a multiple of their vectors."""
    kind: Required[Literal['scaled']]
    share: float
    nodes: int | Numbers
    factor: Required[float]


class LittleIsEnoughAdversaries(TypedDict, total=False):
    """Byzantine nodes send the mean less a few standard deviations of every coordinate, within the spread
    of honest nodes (Baruch, Baruch, Goldberg).
    """
    kind: Required[Literal['little-is-enough']]
    share: float
    nodes: int | Numbers
    z: float
    omniscient: bool


class SilentAdversaries(TypedDict, total=False):
    """Byzantine nodes send nothing."""
    kind: Required[Literal['silent']]
    share: float
    nodes: int | Numbers


class Step(TypedDict, total=False):
    """Step size alpha_t."""
    scale: float
    """Alpha_t = scale/(N sqrt t); default 1."""
    per_node: bool
    """Divide by N, as the paper does; false leaves N out; default True."""


class Feedback(TypedDict, total=False):
    """Feedback of a step; absent, the gradient."""
    kind: Required[Literal['gradient', 'one-point', 'two-point']]
    """Gradient is the gradient at x_t; one-point is the loss at x_t + delta u, the played point, with u a
    random direction; two-point has the losses at x_t + delta u and x_t - delta u, which are both
    played. An estimate from such bandit feedback takes the place of the gradient.
    """
    radius: float
    """Delta, the distance of the played points from x_t, which stays inside the set by as much; absent,
    with gradient, none (in 2-norm).
    """


class DpdoncAlgorithm(TypedDict, total=False):
    """DPDO-NC: private distributed online mirror descent on time-varying digraphs (Zhou, Li)."""
    kind: Required[Literal['dpdonc']]
    divergence: Required[Divergence]
    step: Step
    positivity: Literal['clip-mean', 'dual-average']
    consensus: Literal['average', 'push-sum']
    floor: float
    start: Numbers
    theta: float
    gradient_bound: Literal['error', 'clip']
    missing: Literal['drop', 'renormalise', 'hold', 'running-sum']
    combine: Combine
    late: Literal['drop', 'use']
    feedback: Feedback


class OflAlgorithm(TypedDict, total=False):
    """Online federated learning with noise that is correlated over time, on every step or every round
    (Zhang, Zhu, Fay, Johansson).
    """
    kind: Required[Literal['ofl']]
    version: int
    tau: Required[int]
    local_step: Required[float]
    global_step: float
    start: Numbers
    gradient_bound: float
    on_bound: Literal['error', 'clip']
    sensitivity: Literal['bound', 'convex']
    weights: Literal['equal', 'inverse-variance']
    late: Literal['drop', 'use']


class OpestochAlgorithm(TypedDict, total=False):
    """Fed-DP-OPE-Stoch: federated prediction from experts against a stochastic adversary, by private
    Frank-Wolfe on trees (Gao, Huang, Yang).
    """
    kind: Required[Literal['opestoch']]
    variant: Literal['local', 'approximate', 'central']
    batch: Literal['theorem-1', 'corollary-1']
    trees: int
    start: Numbers


class FedsvtAlgorithm(TypedDict, total=False):
    """Fed-SVT: federated prediction from experts against an oblivious adversary, with a nearly perfect
    expert, by the sparse vector technique (Gao, Huang, Yang).
    """
    kind: Required[Literal['fedsvt']]
    interval: Required[int]
    variant: Literal['pure', 'approximate']
    kappa: float
    rho: float
    lstar: float
    start: int


class Stragglers(TypedDict, total=False):
    """Clients that have time for fewer local steps in a round than tau, drawn from the seed; ali-dpfl,
    which chooses tau, refuses them; absent, every client takes all.
    """
    share: Required[float]
    """Probability with which a client is a straggler in a round, drawn for every client and round by
    itself (in probability).
    """
    steps: int
    """Local steps that a straggler has time for; absent, a number drawn uniformly from 1 to the local
    steps of the round, unless there is a fraction (in steps).
    """
    fraction: float
    """Part of the local steps of a round that a straggler has time for, rounded down to whole steps, and
    at least one; absent, see steps.
    """
    update: Literal['partial', 'drop']
    """The update of a straggler that does not finish its local steps: partial, of the steps that it has
    taken, as in FedProx; drop, none, as in FedAvg; absent, partial.
    """


class DpflAlgorithm(TypedDict, total=False):
    """DPFL: federated learning with a fixed number of local DP-SGD steps in a round (Ling, Fu, Wang, Liu,
    Chen).
    """
    kind: Required[Literal['dpfl']]
    tau: int
    learning_rate: Required[float]
    samples: int
    batch: int
    clip: Required[float | Literal['none']]
    start: Numbers
    control: float
    statistics: Literal['as-printed', 'private', 'public']
    statistics_samples: int
    statistics_sigma: float
    statistics_lipschitz: float
    statistics_clip: float
    late: Literal['drop', 'use']
    stragglers: Stragglers


class AliDpflAlgorithm(TypedDict, total=False):
    """ALI-DPFL: DPFL with a number of local steps that adapts in every round to the remaining rounds and
    privacy budget.
    """
    kind: Required[Literal['ali-dpfl']]
    tau: int
    learning_rate: Required[float]
    samples: int
    batch: int
    clip: Required[float | Literal['none']]
    start: Numbers
    control: float
    statistics: Literal['as-printed', 'private', 'public']
    statistics_samples: int
    statistics_sigma: float
    statistics_lipschitz: float
    statistics_clip: float
    late: Literal['drop', 'use']
    stragglers: Stragglers


class FedavgAlgorithm(TypedDict, total=False):
    """FedAvg: the mean of the clients' models after local steps, without noise (McMahan et al.); with mu,
    FedProx (Li et al.).
    """
    kind: Required[Literal['fedavg']]
    tau: int
    batch: int
    mu: float
    late: Literal['drop', 'use']
    stragglers: Stragglers
    learning_rate: Required[float]
    samples: int
    start: Numbers


class CentralAlgorithm(TypedDict, total=False):
    """Gradient descent on the data of all clients in one place; with noise, DP-SGD (Abadi et al.)."""
    kind: Required[Literal['central']]
    batch: int
    clip: float | Literal['none']
    learning_rate: Required[float]
    samples: int
    start: Numbers


class Clips(TypedDict, total=False):
    """Values of dp-ftrl."""
    first: int
    """The first node of the group, from 1; absent, nodes or share names the nodes (in node number)."""
    last: int
    """The last node of the group; absent, nodes or share names the nodes (in node number)."""
    nodes: Sequence[int | str]
    """The nodes of the group: numbers from 1 or, of a network with names of nodes, names; absent, first
    and last or share names the nodes (in node number).
    """
    share: float
    """Share of all nodes: the first ones in no group before and in none by name; absent, first and last or
    nodes names the nodes (in share).
    """
    value: Required[float]
    """Value of its clients, above 0."""


class DpFtrlClips(TypedDict, total=False):
    """Values of dp-ftrl."""
    file: Required[Path | Frame]
    """Path, from the scenario's folder or else from where the program runs, of a CSV file with a line for
    each client.
    """
    nodes: str
    """Its column of clients: numbers from 1; default 'node'."""
    value: Required[str]
    """Its column of values, above 0."""


_DpFtrlClips2 = TypedDict("_DpFtrlClips2", {"from": "float"}, total=False)


class DpFtrlClips2(_DpFtrlClips2, total=False):
    """Values of dp-ftrl."""
    law: Required[Literal['uniform', 'log-uniform', 'choice']]
    """Law of the values of clients, each drawn apart from the others: uniform between from and to;
    log-uniform, whose logarithm is uniform between theirs; or choice of values.
    """
    to: float
    """Greatest value, of uniform and log-uniform; absent, for choice."""
    values: Numbers
    """Values of choice; absent, for other laws."""
    shares: Numbers
    """Chances of values, which sum to 1; absent, all are alike (in share)."""
    draw: int
    """Number of the draw: another number gives clients other values of the law; no seed does; default 1."""


class DpFtrlClips3(TypedDict, total=False):
    """Values of dp-ftrl."""
    column: Required[str]
    """Column of the problem's own file with the value of each party, above 0: problem.parameters lists it,
    so that it is no feature, and clients are the parties.
    """


class Attendance(TypedDict, total=False):
    """Clients of each round by a list, in place of draws: a round has the clients that a file names for
    it; absent, they are drawn.
    """
    file: Required[Path | Frame]
    """Path, from the scenario's folder or else from where the program runs, of a CSV file with a row for
    each client of each round.
    """
    round: str
    """Its column of rounds, from 1; absent, round."""
    node: str
    """Its column of clients: numbers from 1; absent, node."""
    repeat: bool
    """Whether the rounds of the list are repeated after its last; absent, the list has all rounds of the
    run; default False.
    """


class Aggregation(TypedDict, total=False):
    """Messages of a round that the server sees, with level: user, where it is not trusted; absent, it is
    trusted, and sees all of them.
    """
    kind: Required[Literal['secure', 'local', 'shuffle']]
    """View of the server: secure, the sum of the messages of a round, to which every client adds a share
    of the noise; local, every message, with noise; shuffle, every message, with noise, but not who sent
    it.
    """
    survivors: int
    """Least number of messages of a round: the noise of secure has so many shares, and a batch of shuffle
    is as private as one of so many messages. A round with fewer is aborted: nobody learns anything, and
    the model stays; needed by secure and shuffle; absent, of local 1 (in clients).
    """
    dropout: float
    """Probability with which a client that takes part in a round drops out of it before it has computed,
    drawn by itself; absent, 0 (in probability).
    """
    shares: Literal['gaussian', 'discrete']
    """Shares of noise of secure: gaussian, of real numbers; discrete, of whole numbers, with vectors
    rounded to a grid and summed modulo a power of 2; absent, gaussian.
    """
    granularity: float
    """Gamma, step of the grid that vectors are rounded to; needed by discrete shares, and only there;
    absent, no grid (in clipping norms).
    """
    bits: int
    """Sums of discrete shares are modulo 2 to the power of this: larger ones wrap round; needed by
    discrete shares, and only there; absent, no modulus (in bits).
    """
    bound: Literal['numerical', 'closed']
    """How the epsilon of a shuffled batch is found: numerical, from the divergence of the laws that bound
    it; closed, by the closed form of a theorem, for Laplace noise; absent, numerical.
    """
    weights: Literal['equal', 'inverse-variance']
    """Weights of messages in the mean of local: equal, or inverse-variance, by the noise that clients have
    of their own, as many in sum as clients; absent, equal.
    """
    delta: float
    """Delta at which losses of shuffle are stated where the mechanism has none, half of it for the
    shuffles; needed only there; absent, the mechanism's (in probability).
    """


class DpFtrlAlgorithm(TypedDict, total=False):
    """DP-FTRL: x_t = x_0 + eta (A G + B Z)_t, with A G the sums of the mean clipped updates, and noise B Z
    of a trusted server, for clients that take part several times (Kairouz et al.; Choquette-Choo et
    al.; McMahan et al.).
    """
    kind: Required[Literal['dp-ftrl']]
    server_rate: float
    momentum: float
    level: Literal['user', 'record']
    clip: Required[float | Literal['none']]
    clips: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3
    filters: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3
    tau: int
    learning_rate: Required[float]
    batch: int
    rate: float
    draw: Literal['clients', 'server']
    cohort: int
    rates: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3
    groups: int
    apart: int
    times: int
    attendance: Attendance
    amplified: bool
    stragglers: Stragglers
    aggregation: Aggregation
    samples: int
    combine: Combine
    panel: int
    start: Numbers


class DpFedavgAlgorithm(TypedDict, total=False):
    """DP-FedAvg: x <- x + eta_g (sum of clipped updates of sampled clients + noise)/(q N), with noise of a
    trusted server or of clients (McMahan et al.; Noble et al.).
    """
    kind: Required[Literal['dp-fedavg']]
    server_rate: float
    level: Literal['user', 'record']
    clip: Required[float | Literal['none']]
    clips: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3
    filters: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3
    tau: int
    learning_rate: Required[float]
    batch: int
    rate: float
    draw: Literal['clients', 'server']
    cohort: int
    rates: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3
    groups: int
    apart: int
    times: int
    attendance: Attendance
    amplified: bool
    stragglers: Stragglers
    aggregation: Aggregation
    samples: int
    combine: Combine
    panel: int
    start: Numbers


class DpScaffoldAlgorithm(TypedDict, total=False):
    """DP-SCAFFOLD: local steps y <- y - eta_l (g - c_i + c), with control variates for different clients,
    and noise of clients or of a trusted server (Noble, Bellet, Dieuleveut).
    """
    kind: Required[Literal['dp-scaffold']]
    server_rate: float
    level: Literal['user', 'record']
    clip: Required[float | Literal['none']]
    clips: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3
    filters: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3
    tau: int
    learning_rate: Required[float]
    batch: int
    rate: float
    draw: Literal['clients', 'server']
    cohort: int
    rates: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3
    groups: int
    apart: int
    times: int
    attendance: Attendance
    amplified: bool
    stragglers: Stragglers
    aggregation: Aggregation
    samples: int
    combine: Combine
    panel: int
    start: Numbers


class FedbuffAlgorithm(TypedDict, total=False):
    """FedBuff: x <- x + eta_g (sum of K clipped updates, weighted by staleness, in order of arrival +
    noise)/K, with noise of a trusted server (Nguyen et al.).
    """
    kind: Required[Literal['fedbuff']]
    buffer: Required[int]
    concurrency: int
    staleness: Literal['sqrt', 'constant']
    server_rate: float
    level: Literal['user', 'record']
    clip: Required[float | Literal['none']]
    clips: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3
    filters: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3
    tau: int
    learning_rate: Required[float]
    batch: int
    rate: float
    draw: Literal['clients', 'server']
    cohort: int
    rates: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3
    groups: int
    apart: int
    times: int
    attendance: Attendance
    amplified: bool
    stragglers: Stragglers
    aggregation: Aggregation
    samples: int
    combine: Combine
    panel: int
    start: Numbers


class DsgdAlgorithm(TypedDict, total=False):
    """Decentralised gradient descent on any topology, noise on every message (Nedic, Ozdaglar)."""
    kind: Required[Literal['dsgd']]
    learning_rate: float
    decay: float
    start: Numbers
    theta: float
    gradient_bound: Literal['error', 'clip']
    missing: Literal['drop', 'renormalise', 'hold', 'running-sum']
    combine: Combine
    late: Literal['drop', 'use']
    feedback: Feedback


class SgpAlgorithm(TypedDict, total=False):
    """Stochastic gradient push: gradient descent by push-sum on directed graphs, noise on every message
    (Assran et al.).
    """
    kind: Required[Literal['sgp']]
    learning_rate: float
    decay: float
    start: Numbers
    theta: float
    gradient_bound: Literal['error', 'clip']
    missing: Literal['drop', 'renormalise', 'hold', 'running-sum']
    combine: Combine
    late: Literal['drop', 'use']
    feedback: Feedback


class PushDigingAlgorithm(TypedDict, total=False):
    """Push-DIGing: gradient tracking by push-sum on time-varying digraphs, noise on the tracked vectors
    (Nedic, Olshevsky, Shi).
    """
    kind: Required[Literal['push-diging']]
    learning_rate: float
    start: Numbers
    theta: float
    gradient_bound: Literal['error', 'clip']
    missing: Literal['drop', 'renormalise', 'hold', 'running-sum']
    combine: Combine
    late: Literal['drop', 'use']
    feedback: Feedback


class ChocoAlgorithm(TypedDict, total=False):
    """CHOCO-SGD: descent with compressed gossip, q_i = Q(x_i - eta g_i - xhat_i), xhat_i += q_i, x_i +=
    gamma sum_j w_ij (xhat_j - xhat_i); Q is network.compression (Koloskova, Stich, Jaggi).
    """
    kind: Required[Literal['choco']]
    gamma: Required[float]
    learning_rate: float
    decay: float
    start: Numbers
    theta: float
    gradient_bound: Literal['error', 'clip']
    missing: Literal['drop', 'renormalise', 'hold', 'running-sum']
    combine: Combine
    late: Literal['drop', 'use']
    feedback: Feedback


class DecorAlgorithm(TypedDict, total=False):
    """DECOR: decentralised gradient descent with Gaussian noise that neighbours share and that cancels in
    the mean, x_i = sum_j w_ij (x_j - eta (g_j + v_j + sum_k v_jk)), v_jk = -v_kj (Allouah, Koloskova,
    El Firdoussi, Jaggi, Guerraoui).
    """
    kind: Required[Literal['decor']]
    learning_rate: float
    decay: float
    correlated: Required[float]
    start: Numbers
    theta: float
    gradient_bound: Literal['error', 'clip']
    missing: Literal['drop', 'renormalise', 'hold', 'running-sum']
    combine: Combine
    late: Literal['drop', 'use']
    feedback: Feedback


class MuffliatoAlgorithm(TypedDict, total=False):
    """Muffliato: y = z - eta (mean gradient) + noise once in K steps, and gossip z = sum_j w_ij y_j in
    every step; distant nodes learn less (Cyffers, Even, Bellet, Massoulie).
    """
    kind: Required[Literal['muffliato']]
    rounds: Required[int]
    learning_rate: float
    decay: float
    start: Numbers
    theta: float
    gradient_bound: Literal['error', 'clip']
    missing: Literal['drop', 'renormalise', 'hold', 'running-sum']
    combine: Combine
    late: Literal['drop', 'use']
    feedback: Feedback


class RandomWalkAlgorithm(TypedDict, total=False):
    """Private random walk: a model walks the graph, x = P(x - alpha_t (gradient of the current node) +
    noise); a node learns of others when the model arrives (Cyffers, Bellet, Upadhyay).
    """
    kind: Required[Literal['random-walk']]
    learning_rate: float
    decay: float
    start: Numbers
    theta: float
    gradient_bound: Literal['error', 'clip']
    missing: Literal['drop', 'renormalise', 'hold', 'running-sum']
    combine: Combine
    late: Literal['drop', 'use']
    feedback: Feedback


class LocalAlgorithm(TypedDict, total=False):
    """Gradient descent of each node on its own costs, without messages."""
    kind: Required[Literal['local']]
    learning_rate: float
    decay: float
    start: Numbers
    theta: float
    gradient_bound: Literal['error', 'clip']
    missing: Literal['drop', 'renormalise', 'hold', 'running-sum']
    combine: Combine
    late: Literal['drop', 'use']
    feedback: Feedback


_PythonAlgorithm = TypedDict("_PythonAlgorithm", {"class": "type"}, total=False)


class PythonAlgorithm(_PythonAlgorithm, total=False):
    """Your own algorithm: a class in a Python file."""
    kind: Required[Literal['python']]
    file: Path
    name: str
    options: Mapping[str, object]
    timeout: float
    threads: int
    start: Numbers
    theta: float
    gradient_bound: Literal['error', 'clip']
    missing: Literal['drop', 'renormalise', 'hold', 'running-sum']
    combine: Combine
    late: Literal['drop', 'use']
    feedback: Feedback


_OwnServerAlgorithm = TypedDict("_OwnServerAlgorithm", {"class": "type"}, total=False)


class OwnServerAlgorithm(_OwnServerAlgorithm, total=False):
    """Your own server: a class in a Python file computes the next model from the mean update of clients,
    and may have their local steps.
    """
    kind: Required[Literal['own-server']]
    file: Path
    name: str
    options: Mapping[str, object]
    timeout: float
    threads: int
    vectors: int
    keeps: int
    level: Literal['user', 'record']
    clip: Required[float | Literal['none']]
    clips: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3
    filters: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3
    tau: int
    learning_rate: Required[float]
    batch: int
    rate: float
    draw: Literal['clients', 'server']
    cohort: int
    rates: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3
    groups: int
    apart: int
    times: int
    attendance: Attendance
    amplified: bool
    stragglers: Stragglers
    aggregation: Aggregation
    samples: int
    combine: Combine
    panel: int
    start: Numbers


class MeanCombine(TypedDict, total=False):
    """The weighted mean, or the sum, as without this section."""
    kind: Required[Literal['mean']]
    liars: int


class MedianCombine(TypedDict, total=False):
    """The median of every coordinate (Yin et al.)."""
    kind: Required[Literal['median']]
    liars: int


class TrimmedMeanCombine(TypedDict, total=False):
    """The mean of every coordinate without its smallest and largest entries (Yin et al.)."""
    kind: Required[Literal['trimmed-mean']]
    liars: Required[int]


class KrumCombine(TypedDict, total=False):
    """The vector with the smallest sum of squared distances to its nearest others (Blanchard et al.)."""
    kind: Required[Literal['krum']]
    liars: Required[int]


class ClippedGossipCombine(TypedDict, total=False):
    """The weighted mean of messages, each clipped to a distance from the node's own release: x_i + sum_j
    w_ij Clip(x_j - x_i, tau) (He, Karimireddy, Jaggi).
    """
    kind: Required[Literal['clipped-gossip']]
    tau: float
    liars: int


class TopKCompression(TypedDict, total=False):
    """The entries of largest magnitude, with their indices."""
    kind: Required[Literal['top-k']]
    share: Required[float]


class RandomKCompression(TypedDict, total=False):
    """Entries at random indices, sent as a seed."""
    kind: Required[Literal['random-k']]
    share: Required[float]
    unbiased: bool


class DitheringCompression(TypedDict, total=False):
    """The norm, and every entry rounded at random to one of a few levels (QSGD)."""
    kind: Required[Literal['dithering']]
    levels: Required[int]
    unbiased: bool


class SignCompression(TypedDict, total=False):
    """The sign of every entry, and the mean of their magnitudes."""
    kind: Required[Literal['sign']]


class EuclideanDivergence(TypedDict, total=False):
    """Phi(x) = scale ||x||^2, on every set."""
    kind: Required[Literal['euclidean']]
    scale: Required[float]


class MahalanobisDivergence(TypedDict, total=False):
    """Phi(x) = x'Qx, on every set."""
    kind: Required[Literal['mahalanobis']]
    matrix: Required[Sequence[Sequence[float | str]]]


class EntropyDivergence(TypedDict, total=False):
    """Negative entropy, on the simplex: a multiplicative update."""
    kind: Required[Literal['entropy']]


class Groups(TypedDict, total=False):
    """Values of laplace."""
    first: int
    """The first node of the group, from 1; absent, nodes or share names the nodes (in node number)."""
    last: int
    """The last node of the group; absent, nodes or share names the nodes (in node number)."""
    nodes: Sequence[int | str]
    """The nodes of the group: numbers from 1 or, of a network with names of nodes, names; absent, first
    and last or share names the nodes (in node number).
    """
    share: float
    """Share of all nodes: the first ones in no group before and in none by name; absent, first and last or
    nodes names the nodes (in share).
    """
    epsilon: Required[float | Literal['none']]
    """Privacy parameter of its nodes, above 0, or none: without noise, or without a limit (in nats)."""
    delta: float
    """Delta of its nodes, to which epsilon belongs and at which their losses are stated; absent, the
    section's (in probability).
    """


class LaplaceGroups(TypedDict, total=False):
    """Values of laplace."""
    file: Required[Path | Frame]
    """Path, from the scenario's folder or else from where the program runs, of a CSV file with a line for
    each node.
    """
    nodes: str
    """Its column of nodes: numbers from 1 or, of a network with names of nodes, names; default 'node'."""
    epsilon: str
    """Its column of epsilons, above 0, or none; default 'epsilon'."""
    delta: str
    """Its column of deltas, above 0 and below 1, to which epsilons belong and at which losses are stated;
    absent, all nodes have the section's.
    """


_LaplaceGroups2 = TypedDict("_LaplaceGroups2", {"from": "float"}, total=False)


class LaplaceGroups2(_LaplaceGroups2, total=False):
    """Values of laplace."""
    law: Required[Literal['uniform', 'log-uniform', 'choice']]
    """Law of the epsilons of nodes, each drawn apart from the others: uniform between from and to;
    log-uniform, whose logarithm is uniform between theirs; or choice of values.
    """
    to: float
    """Greatest epsilon, of uniform and log-uniform; absent, for choice (in nats)."""
    values: Sequence[float | Literal['none']]
    """Epsilons of choice, which are its groups; absent, for other laws (in nats)."""
    deltas: Numbers
    """Deltas of the values of choice, to which they belong and at which losses are stated; absent, all
    nodes have that of the section (in probability).
    """
    shares: Numbers
    """Chances of values, which sum to 1; absent, all are alike (in share)."""
    draw: int
    """Number of the draw: another number gives nodes other epsilons of the law; no seed does; default 1."""


class LaplaceGroups3(TypedDict, total=False):
    """Values of laplace."""
    column: Required[str]
    """Column of the problem's own file with the epsilon of each party, above 0, or none:
    problem.parameters lists it, so that it is no feature, and nodes are the parties.
    """
    delta: str
    """Column of the same file with the delta of each party, above 0 and below 1, to which epsilons belong
    and at which losses are stated; absent, all nodes have the section's.
    """


class OverTime(TypedDict, total=False):
    """An epsilon that changes in the course of a run; absent, it stays."""
    law: Required[Literal['linear', 'geometric', 'inverse-sqrt', 'list']]
    """How the noise of a release changes: linear and geometric begin with epsilon in step 1 and end with
    the key to in the last step, inverse-sqrt falls as 1/sqrt(t), list has an epsilon for each step;
    between the ends of Gaussian noise the inverse of its deviation takes these values.
    """
    to: float
    """Epsilon of the last step, of linear and geometric; absent, for other laws (in nats)."""
    values: Numbers
    """Epsilon of each step, of list; those beyond the horizon have no effect; absent, for other laws (in
    nats).
    """


class LaplaceMechanism(TypedDict, total=False):
    """Laplace noise on every message, calibrated to epsilon a step, or none."""
    kind: Required[Literal['laplace']]
    epsilon: Required[float | Literal['none']]
    noise: Literal['as-printed', 'shifted']
    neighbours: Literal['add-or-remove', 'replace']
    groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3
    over_time: OverTime


class GaussianMechanism(TypedDict, total=False):
    """Gaussian noise on every message, calibrated to epsilon and delta a step."""
    kind: Required[Literal['gaussian']]
    epsilon: Required[float | Literal['none']]
    delta: Required[float]
    calibration: Literal['analytic', 'zcdp']
    accountant: Literal['rdp', 'rdp-cks', 'pld']
    neighbours: Literal['add-or-remove', 'replace']
    groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3
    over_time: OverTime


class NoneMechanism(TypedDict, total=False):
    """No noise."""
    kind: Required[Literal['none']]
    epsilon: float | Literal['none']
    delta: float
    noise: object
    neighbours: object
    groups: object
    over_time: object
    calibration: object
    accountant: object
    multiplier: object
    chains: object
    bands: object
    buffers: object
    fit: object
    gap: object
    file: object
    sigma: object
    sigmas: object
    by: object


class IndependentMechanism(TypedDict, total=False):
    """Independent Gaussian noise on every input or message, calibrated to epsilon and delta of a run."""
    kind: Required[Literal['independent']]
    epsilon: float | Literal['none']
    delta: float
    multiplier: float
    calibration: Literal['exact', 'zcdp']
    accountant: Literal['rdp', 'rdp-cks', 'pld']
    chains: int
    bands: int
    buffers: int
    fit: bool
    gap: float
    groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3
    neighbours: Literal['add-or-remove', 'replace']
    over_time: OverTime


class TreeMechanism(TypedDict, total=False):
    """Binary tree over the inputs; a prefix sum adds its maximal complete nodes."""
    kind: Required[Literal['tree']]
    epsilon: float | Literal['none']
    delta: float
    multiplier: float
    calibration: Literal['exact', 'zcdp']
    accountant: Literal['rdp', 'rdp-cks', 'pld']
    chains: int
    bands: int
    buffers: int
    fit: bool
    gap: float
    groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3
    neighbours: Literal['add-or-remove', 'replace']


class TreeOnlineMechanism(TypedDict, total=False):
    """The tree, with each node estimated from its whole subtree (Honaker)."""
    kind: Required[Literal['tree-online']]
    epsilon: float | Literal['none']
    delta: float
    multiplier: float
    calibration: Literal['exact', 'zcdp']
    accountant: Literal['rdp', 'rdp-cks', 'pld']
    chains: int
    bands: int
    buffers: int
    fit: bool
    gap: float
    groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3
    neighbours: Literal['add-or-remove', 'replace']


class TreeFullMechanism(TypedDict, total=False):
    """The tree with the best estimate from all nodes, B = A C^+."""
    kind: Required[Literal['tree-full']]
    epsilon: float | Literal['none']
    delta: float
    multiplier: float
    calibration: Literal['exact', 'zcdp']
    accountant: Literal['rdp', 'rdp-cks', 'pld']
    chains: int
    bands: int
    buffers: int
    fit: bool
    gap: float
    groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3
    neighbours: Literal['add-or-remove', 'replace']


class ToeplitzMechanism(TypedDict, total=False):
    """Square root of the prefix sums."""
    kind: Required[Literal['toeplitz']]
    epsilon: float | Literal['none']
    delta: float
    multiplier: float
    calibration: Literal['exact', 'zcdp']
    accountant: Literal['rdp', 'rdp-cks', 'pld']
    chains: int
    bands: int
    buffers: int
    fit: bool
    gap: float
    groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3
    neighbours: Literal['add-or-remove', 'replace']


class BandedToeplitzMechanism(TypedDict, total=False):
    """The first bands of the square root."""
    kind: Required[Literal['banded-toeplitz']]
    epsilon: float | Literal['none']
    delta: float
    multiplier: float
    calibration: Literal['exact', 'zcdp']
    accountant: Literal['rdp', 'rdp-cks', 'pld']
    chains: int
    bands: int
    buffers: int
    fit: bool
    gap: float
    groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3
    neighbours: Literal['add-or-remove', 'replace']


class BltMechanism(TypedDict, total=False):
    """Buffered linear Toeplitz matrix: a few geometric sequences."""
    kind: Required[Literal['blt']]
    epsilon: float | Literal['none']
    delta: float
    multiplier: float
    calibration: Literal['exact', 'zcdp']
    accountant: Literal['rdp', 'rdp-cks', 'pld']
    chains: int
    bands: int
    buffers: int
    fit: bool
    gap: float
    groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3
    neighbours: Literal['add-or-remove', 'replace']


class OptimalMechanism(TypedDict, total=False):
    """Least mean square error of all factorizations, to a certified gap."""
    kind: Required[Literal['optimal']]
    epsilon: float | Literal['none']
    delta: float
    multiplier: float
    calibration: Literal['exact', 'zcdp']
    accountant: Literal['rdp', 'rdp-cks', 'pld']
    chains: int
    bands: int
    buffers: int
    fit: bool
    gap: float
    groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3
    neighbours: Literal['add-or-remove', 'replace']


class ArSumMechanism(TypedDict, total=False):
    """The optimum as a sum of a few autoregressive chains, in a few numbers a coordinate."""
    kind: Required[Literal['ar-sum']]
    epsilon: float | Literal['none']
    delta: float
    multiplier: float
    calibration: Literal['exact', 'zcdp']
    accountant: Literal['rdp', 'rdp-cks', 'pld']
    chains: int
    bands: int
    buffers: int
    fit: bool
    gap: float
    groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3
    neighbours: Literal['add-or-remove', 'replace']


class StrategyMechanism(TypedDict, total=False):
    """A strategy matrix C of your own, from a file or from Python: its noise is C^-1 Z, and its
    sensitivity is computed from it.
    """
    kind: Required[Literal['strategy']]
    epsilon: float | Literal['none']
    delta: float
    multiplier: float
    calibration: Literal['exact', 'zcdp']
    accountant: Literal['rdp', 'rdp-cks', 'pld']
    chains: int
    bands: int
    buffers: int
    fit: bool
    gap: float
    groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3
    neighbours: Literal['add-or-remove', 'replace']
    file: Required[Path | Frame]


class DpFwMechanism(TypedDict, total=False):
    """Noise on the inner products of private Frank-Wolfe, in opestoch."""
    kind: Required[Literal['dp-fw']]
    epsilon: Required[float | Literal['none']]
    delta: float


class SparseVectorMechanism(TypedDict, total=False):
    """Noisy threshold, and an exponential mechanism for switches, in fedsvt."""
    kind: Required[Literal['sparse-vector']]
    epsilon: Required[float | Literal['none']]
    delta: float


class SampledGaussianMechanism(TypedDict, total=False):
    """DP-SGD: Gaussian noise on sums of clipped gradients of sampled data."""
    kind: Required[Literal['sampled-gaussian']]
    sigma: float
    epsilon: float | Literal['none']
    delta: Required[float]
    neighbours: Literal['add-or-remove', 'replace']
    accountant: Literal['rdp', 'rdp-cks', 'pld']
    groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3
    sigmas: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3
    by: Literal['rate', 'clip', 'filter']


class IdealNetwork(TypedDict, total=False):
    """Messages arrive in the next turn, and none is lost."""
    kind: Required[Literal['ideal']]
    compression: Compression
    precision: Literal['float64', 'float32']


class Seconds(TypedDict, total=False):
    """Delays in seconds, where steps are ticks of Poisson clocks of nodes: a message arrives in the first
    turn at or after its time, and with a spread longest is required; or of both messages of a client in
    a round that has the seconds of the section clock; absent, delays are in turns.
    """
    median: Required[float]
    """Median, of clients or of messages (in seconds, or bytes a second)."""
    spread: float
    """Standard deviation of the logarithm between clients, or messages; absent, 0: all have the median (in
    of the logarithm).
    """


_Edges = TypedDict("_Edges", {"from": "int"}, total=False)


class Edges(_Edges, total=False):
    """Values of effects."""
    to: Required[int]
    """The receiver (in node number)."""
    turns: Required[int]
    """The delay (in turns)."""


class Delay(TypedDict, total=False):
    """Turns that messages take beyond the next; absent, none."""
    turns: int
    """The same for every message; absent, 0 (in turns)."""
    least: int
    """The shortest of a delay that is uniform up to longest; absent, 0 (in turns)."""
    longest: int
    """The longest delay, of a uniform one, with arrive, or of seconds with a spread, which it ends;
    absent, 0 (in turns).
    """
    seconds: Seconds
    """Delays in seconds, where steps are ticks of Poisson clocks of nodes: a message arrives in the first
    turn at or after its time, and with a spread longest is required; or of both messages of a client in
    a round that has the seconds of the section clock; absent, delays are in turns.
    """
    arrive: float
    """Chance of arriving in each turn, of a geometric delay that longest ends; absent, the delay is not
    geometric (in probability).
    """
    edges: Sequence[Edges]
    """Delays of single edges; absent, none is named."""
    file: Path | Frame
    """Path, from the scenario's folder or else from where the program runs, of a CSV file with the columns
    from, to, turns: delays of single edges; absent, none is named.
    """
    rest: int
    """Delay of the edges that neither edges nor file has; absent, 0 (in turns)."""


class Loss(TypedDict, total=False):
    """Messages that never arrive; absent, none. What is lost takes nothing of the bandwidth."""
    probability: float
    """Chance of a message to be lost, each on its own; absent, 0 (in probability)."""
    enter: float
    """Chance a turn of an edge to become bad (Gilbert, Elliott); absent, 0 (in probability)."""
    leave: float
    """Chance a turn of a bad edge to become good; absent, 0 (in probability)."""
    good: float
    """Chance of a loss on a good edge; absent, 0 (in probability)."""
    bad: float
    """Chance of a loss on a bad edge; absent, 0 (in probability)."""


_EffectsEdges = TypedDict("_EffectsEdges", {"from": "int"}, total=False)


class EffectsEdges(_EffectsEdges, total=False):
    """Values of effects."""
    to: Required[int]
    """The receiver (in node number)."""
    bytes: Required[int]
    """Capacity of the edge (in bytes a turn)."""


class Bandwidth(TypedDict, total=False):
    """Bytes that an edge carries in a turn; the rest stands in line there, first in, first out, and the
    delay comes after that; absent, without limit.
    """
    bytes: int
    """Capacity of every edge; absent, without limit but on the edges listed (in bytes a turn)."""
    queue: int
    """Bytes that may stand in line on an edge when a turn is over; a message that would be beyond is
    dropped; absent, without limit (in bytes).
    """
    longest: int
    """Turns that a message may stand in line; one that would for longer is dropped. required without
    queue; absent, as long as the queue holds it (in turns).
    """
    edges: Sequence[EffectsEdges]
    """Bytes that single edges carry; absent, none is named."""
    file: Path | Frame
    """Path, as for delay, of a CSV file with the columns from, to, bytes: capacities of single edges;
    absent, none is named.
    """


class Churn(TypedDict, total=False):
    """Nodes that go down and come back at random; absent, none."""
    fail: Required[float]
    """Chance a turn of a node to go down; a step is one turn, of federated algorithms several (in
    probability).
    """
    recover: Required[float]
    """Chance a turn of a node that is down to come back (in probability)."""
    forget: bool
    """A node that recovers has lost its state; not for federated algorithms; default False."""
    nodes: int | Numbers
    """Those that go down; absent, all, but of federated algorithms not the server, of ofl learners only,
    and of clusters no servers (in node number).
    """


class EffectsEvents(TypedDict, total=False):
    """Values of effects."""
    at: Required[int]
    """First step of it (in steps)."""
    until: int
    """First step after it; absent, it ends with heal or recover, or does not (in steps)."""
    partition: Sequence[Numbers]
    """Groups of nodes that cannot reach each other; nodes in none are one more; absent, none (in node
    numbers).
    """
    name: str
    """Of the partition, for heal to name it; absent, it has none."""
    heal: bool
    """Ends the partition that name names or, without a name, all that there are; default False."""
    crash: int | Numbers
    """Nodes that are down; absent, none (in node number)."""
    recover: int | Numbers
    """Nodes whose crash ends; absent, none (in node number)."""
    join: int | Numbers
    """Nodes that are not there before; absent, none (in node number)."""
    leave: int | Numbers
    """Nodes that are not there after; absent, none (in node number)."""
    straggle: int | Numbers
    """Nodes whose messages come late; absent, none (in node number)."""
    turns: int
    """By how many turns those that straggle are late; absent, 0 (in turns)."""
    forget: bool
    """Nodes that crash lose their state; default False."""


class EffectsNetwork(TypedDict, total=False):
    """Delays, losses, limited bandwidth, churn, and events at given steps: partitions, crashes, joining,
    leaving, stragglers.
    """
    kind: Required[Literal['effects']]
    compression: Compression
    precision: Literal['float64', 'float32']
    delay: Delay
    loss: Loss
    bandwidth: Bandwidth
    patience: int
    churn: Churn
    events: Sequence[EffectsEvents]


class Circle(TypedDict, total=False):
    """Sensors evenly on a circle; dimension 2 only."""
    radius: Required[float]
    """Radius of the circle (in distance)."""
    center: Numbers
    """2 numbers; absent, the origin (in coordinates)."""


class Same(TypedDict, total=False):
    """All sensors at one point."""
    position: Required[Numbers]
    """The point, d numbers (in coordinates)."""


class Random(TypedDict, total=False):
    """Sensors drawn for each seed, uniformly from a box."""
    low: Required[Numbers]
    """Smallest value of each coordinate, d numbers (in coordinates)."""
    high: Required[Numbers]
    """Largest value of each coordinate, d numbers, none below that of low (in coordinates)."""


class LocalizationTopology(TypedDict, total=False):
    """Sensors where the nodes of a geometric topology are, moving with them; dimension 2 only."""
    low: Required[Numbers]
    """Where in the plane the corner (0, 0) of the topology's box is, 2 numbers (in coordinates)."""
    high: Required[Numbers]
    """Its corner (1, 1), 2 numbers, each at least as large as in low (in coordinates)."""


class Sensors(TypedDict, total=False):
    """Where the nodes stand: one of positions, circle, same, random and topology."""
    positions: Sequence[Numbers]
    """A point for each node; absent, one of the others (in coordinates)."""
    circle: Circle
    """Sensors evenly on a circle; dimension 2 only."""
    same: Same
    """All sensors at one point."""
    random: Random
    """Sensors drawn for each seed, uniformly from a box."""
    topology: LocalizationTopology
    """Sensors where the nodes of a geometric topology are, moving with them; dimension 2 only."""


class Target(TypedDict, total=False):
    """Where the target starts and how it moves."""
    start: Numbers
    """First position, a point of the set, d numbers (in coordinates); default [0.8, 0.95]."""
    motion: Literal['printed', 'still']
    """Printed moves as in DPDO-NC, section 5 (dimension 2 only), still stays at the start; default
    'printed'.
    """


class LocalizationProblem(TypedDict, total=False):
    """Sensors find a moving target from distances (nonconvex)."""
    kind: Required[Literal['localization']]
    set: Required[Set]
    sensors: Required[Sensors]
    target: Target
    measurement_noise: float


class LogisticProblem(TypedDict, total=False):
    """Logistic regression on FedProx-style synthetic streams (convex)."""
    kind: Required[Literal['logistic']]
    set: Required[Set]
    alpha: float
    beta: float
    normalise: bool
    feature_norm: float


class Truth(TypedDict, total=False):
    """Path of x_star, which the responses come from."""
    start: Numbers
    """First x_star, a point of the set, d numbers; absent, drawn for each seed (in coordinates)."""
    drift: float
    """Length of a step of x_star in a uniform direction; absent, 0, which keeps it fixed (in 2-norm a
    step).
    """


class RobustRegressionProblem(TypedDict, total=False):
    """Regression with the Geman-McClure loss and gross outliers (nonconvex)."""
    kind: Required[Literal['robust-regression']]
    set: Required[Set]
    scale: float
    noise_deviation: float
    outlier_share: float
    outlier_size: float
    truth: Truth


class SyntheticLogisticModel(TypedDict, total=False):
    """Model of rows that learns the data in place of logistic regression, and has its own l2; labels are
    -1 and 1, or of classes 0 and 1; absent, logistic regression with a ridge term of l2.
    """
    kind: Literal['linear', 'logistic', 'hinge', 'huber', 'softmax', 'mlp']
    """Model of rows that learns the data in place of logistic regression, and has its own l2; labels are
    -1 and 1, or of classes 0 and 1; absent, logistic regression with a ridge term of l2: linear,
    squared loss of a number; logistic, logistic loss of a label -1 or 1; hinge, loss of a support
    vector machine, of a label -1 or 1; huber, squared loss of a number with a bound on its slope;
    softmax, multinomial logistic regression with offsets, of classes; mlp, network of dense layers with
    ReLU, of classes; default 'logistic'.
    """
    l2: float
    """Weight of a ridge term l2/2 ||x||^2 in every loss, which makes convex losses strongly convex;
    absent, 0 (in loss per squared 2-norm).
    """
    delta: float
    """Residual, in units of the label, from which the loss of huber grows like its size; no slope is
    larger (in that of the label); default 1.
    """
    classes: int
    """Number of classes of softmax and mlp; absent, as many as the data have (in classes)."""
    hidden: Numbers
    """Units of the dense layers of mlp before the output, each with ReLU (in units); default [64]."""


class Drift(TypedDict, total=False):
    """How the true models change over time; absent, they stay."""
    kind: Required[Literal['abrupt', 'gradual', 'rotating']]
    """Abrupt, new models all at once; gradual, the models turn into new ones without a jump; rotating,
    they go round in a plane and come back.
    """
    period: Required[int]
    """Steps from one draw of models to the next, or of a full turn (in steps)."""


class Sizes(TypedDict, total=False):
    """How many samples each client has where data stay, by a power law; absent, as many each. Where data
    are met one a step, every learner meets one.
    """
    exponent: Required[float]
    """A: client i has a part of all samples proportional to i^-a; 0 is as many each."""
    least: int
    """The fewest samples of a client; absent, 1 (in samples)."""


class SyntheticLogisticProblem(TypedDict, total=False):
    """Logistic regression on FedProx-style synthetic streams, one client for each learner and step
    (convex).
    """
    kind: Required[Literal['synthetic-logistic']]
    set: Set
    model: SyntheticLogisticModel
    dimension: int
    alpha: float
    beta: float
    normalise: bool
    l2: float
    test_samples: int
    validation_samples: int
    shared: float
    zonal: float
    label_noise: float
    drift: Drift
    sizes: Sizes


class ImagesModel(TypedDict, total=False):
    """Model to learn: a network, or a model of rows."""
    kind: Literal['softmax', 'mlp', 'cnn', 'linear', 'logistic', 'hinge', 'huber']
    """Model to learn: a network, or a model of rows: softmax, multinomial logistic regression; mlp, one
    dense hidden layer or several; cnn, two convolutions of 3x3; linear, squared loss of a number;
    logistic, logistic loss of a label -1 or 1; hinge, loss of a support vector machine, of a label -1
    or 1; huber, squared loss of a number with a bound on its slope; default 'logistic'.
    """
    hidden: Numbers
    """Units of the dense layers before the output, each with ReLU; absent, 128 of mlp and 64 of cnn;
    softmax has none (in units).
    """
    filters: int
    """Filters of each convolution of cnn (in filters); default 32."""
    pooling: Literal['each', 'last']
    """Where cnn takes maxima of 2x2: each, after each convolution, or last, once after both; default
    'each'.
    """
    padding: Literal['valid', 'same']
    """Padding of the convolutions of cnn: valid or same; default 'valid'."""
    weights: Path
    """Path, from the scenario's folder or else from where the program runs, of a safetensors file to start
    from, such as one of models/ of a run; absent, zeros without hidden layers, and random weights with
    them; what the file says that it cost is added to the ledger where it is of the same data, and a
    file that does not say is unknown.
    """
    l2: float
    """Weight of a ridge term l2/2 ||x||^2 in every loss, which makes convex losses strongly convex;
    absent, 0 (in loss per squared 2-norm).
    """
    delta: float
    """Residual, in units of the label, from which the loss of huber grows like its size; no slope is
    larger (in that of the label); default 1.
    """


class Partition(TypedDict, total=False):
    """Division of the training images among parties."""
    kind: Required[Literal['iid', 'by-label', 'shards', 'dirichlet', 'half-by-label', 'sizes', 'drawn']]
    """Iid, even and at random; by-label, label l to node l mod nodes, or with labels so many of them to
    every node; shards of the images sorted by label; dirichlet, each label in random shares;
    half-by-label, half even and half by label; sizes, at random, so many to each node; drawn, size of
    all images or training rows to each node, drawn by its own key, so that nodes may be any number and
    share them.
    """
    shards: int
    """Of kind shards: into how many the sorted images are cut; absent, not given, which shards refuses (in
    shards).
    """
    per_client: int
    """Of kind shards: how many each node gets, at random; absent, not given, which shards refuses (in
    shards).
    """
    labels: int
    """Of kinds by-label and drawn: of how many labels each node has rows or images, at random; absent, the
    labels are divided among the nodes, or any are drawn (in labels).
    """
    alpha: float
    """Of kind dirichlet: parameter of the shares of a label among nodes, uneven if small; of kind drawn:
    of the shares of labels at a node; absent, not given, which dirichlet refuses, and of drawn any
    images.
    """
    min_size: int
    """Of kind dirichlet: shares are drawn again until every node has so many images; absent, 0 (in
    images).
    """
    size: int
    """Of kind drawn: rows or images of each node; absent, not given, which drawn refuses (in rows or
    images).
    """
    sizes: Numbers
    """Of kind sizes: numbers in proportion to the rows or images of each node, one for each; absent,
    exponent says it.
    """
    exponent: float
    """Of kind sizes: a, where node i has a part proportional to i^-a; absent, sizes says it."""


class ImagesProblem(TypedDict, total=False):
    """Images of a data set (MNIST, Fashion-MNIST, CIFAR-10), divided among the nodes, with a softmax,
    dense or convolutional network.
    """
    kind: Required[Literal['images']]
    set: Set
    data: Required[str]
    train: int
    test: int
    public: int
    validation: float
    model: Required[ImagesModel]
    positive: Numbers
    partition: Required[Partition]


class Party(TypedDict, total=False):
    """Values of table."""
    column: Required[str]
    """Column of numbers that divides the rows."""
    quantiles: Required[int]
    """Parties with about the same number of training rows each, from the smallest numbers to the greatest
    (in parties).
    """


class TableParty(TypedDict, total=False):
    """Values of table."""
    of: Required[Literal['files', 'row-groups']]
    """Division of the rows by the file: files, where file names a folder with a Parquet file for each
    client; row-groups, where each row group of one Parquet file has the rows of one client.
    """
    column: str
    """Column with the client of a row group, which may then have several row groups; absent, row groups
    are the clients 1, 2, .. in their order.
    """


class Format(TypedDict, total=False):
    """Notation of a text file; absent, UTF-8, numbers as 1234.5, dates as 2024-01-31."""
    encoding: Literal['utf-8', 'utf-16', 'latin-1']
    """Encoding of the text, latin-1 with the characters of Windows-1252; absent, UTF-16 after its byte
    order mark, else UTF-8.
    """
    delimiter: str
    """Character between fields; absent, the most frequent of comma, semicolon, tab and bar in the first
    line.
    """
    decimal: Literal['.', ',']
    """Decimal mark, a point or a comma; absent, a point."""
    thousands: str
    """Separator of thousands; absent, there is none."""
    dates: Literal['year-first', 'day-first', 'month-first']
    """Order of the parts of a date: 2024-01-31, 31/01/2024 or 01/31/2024; absent, year-first."""
    gaps: Sequence[str]
    """Texts that stand for an unknown value, beside empty cells and the usual ones such as NA and ?;
    absent, none.
    """


_Test = TypedDict("_Test", {"from": "float | str | None"}, total=False)


class Test(_Test, total=False):
    """Which rows test and are not learned from; absent, none, and there is no accuracy."""
    share: float
    """Share of the rows of each party, one at least, drawn at random; absent, another key says which rows
    test (in share of rows).
    """
    column: str
    """Column of the words train and test; absent, another key says which rows test."""
    file: Path | Frame
    """Another file with the same columns; without a column of parties its rows are divided among all;
    absent, another key chooses the rows for tests.
    """
    folds: int
    """Number of parts, of equal size up to a row, into which the rows of each party are dealt at random:
    the seeds test on one after the other, and as many seeds as folds test each row once; absent,
    another key says which rows test (in folds).
    """
    last: float
    """Share of the rows of each party, one at least, that are its last ones by step, or in the order of
    the file; absent, another key says which rows test (in share of rows).
    """
    parties: float
    """Share of the parties, one at least, drawn at random, that are no nodes: every node is tested on all
    of their rows; absent, another key says which rows test (in share of parties).
    """
    draw: Literal['seed', 'fixed']
    """Of rows, folds, parties and validation rows that are drawn: seed draws again under every seed of the
    scenario, so that intervals over seeds cover the choice of the rows; fixed draws alike under every
    seed; absent, seed.
    """
    stratified: bool
    """Have share, folds and validation take the same share of each class of a party, within a row; default
    False.
    """
    common: bool
    """Test every node on the test rows of all nodes, and not only on its own; default False."""


class Standardise(TypedDict, total=False):
    """Values of table."""
    mean: Required[Numbers]
    """Numbers to subtract (in of the column)."""
    scale: Required[Numbers]
    """Numbers to divide by then, above 0 (in of the column)."""


class TableModel(TypedDict, total=False):
    """Model to learn."""
    kind: Literal['linear', 'logistic', 'hinge', 'huber', 'softmax', 'mlp']
    """Model to learn: linear, squared loss of a number; logistic, logistic loss of a label -1 or 1; hinge,
    loss of a support vector machine, of a label -1 or 1; huber, squared loss of a number with a bound
    on its slope; softmax, multinomial logistic regression with offsets, of classes; mlp, network of
    dense layers with ReLU, of classes; default 'logistic'.
    """
    l2: float
    """Weight of a ridge term l2/2 ||x||^2 in every loss, which makes convex losses strongly convex;
    absent, 0 (in loss per squared 2-norm).
    """
    delta: float
    """Residual, in units of the label, from which the loss of huber grows like its size; no slope is
    larger (in that of the label); default 1.
    """
    classes: int
    """Number of classes of softmax and mlp; absent, as many as the data have (in classes)."""
    hidden: Numbers
    """Units of the dense layers of mlp before the output, each with ReLU (in units); default [64]."""


class TableProblem(TypedDict, total=False):
    """Rows of a CSV or Parquet file, by party or divided among the nodes, with a linear, logistic, hinge,
    Huber, softmax or dense model.
    """
    kind: Required[Literal['table']]
    file: Required[Path | Frame]
    party: str | Sequence[str] | Party | TableParty | None
    least: int
    small: Literal['drop', 'merge']
    step: str
    label: Required[str]
    features: Sequence[str]
    words: Sequence[str]
    booleans: Sequence[str]
    times: Mapping[str, Literal['number', 'parts', 'cyclic'] | Sequence[Literal['days', 'year', 'month', 'day', 'weekday', 'hour', 'year-cycle', 'month-cycle', 'weekday-cycle', 'hour-cycle']]] | None
    exclude: Sequence[str]
    missing: Literal['refuse', 'drop', 'mean', 'median', 'mode', 'indicator'] | Mapping[str, Literal['refuse', 'drop', 'mean', 'median', 'mode', 'indicator']] | None
    rare: int
    levels: int
    format: Format
    parameters: Sequence[str]
    intercept: bool
    test: Test
    validation: float
    standardise: Literal['none', 'rows'] | Standardise
    feature_bound: float
    label_bound: float
    set: Set
    model: Required[TableModel]
    partition: Partition
    reuse: Literal['error', 'cycle']


class Metrics(TypedDict, total=False):
    """Values of python."""
    name: Required[str]
    """Name, before which results have own."""
    text: Required[str]
    """What it is, for lists and help."""
    label: str
    """Name for readers of figures and tables; absent, the name."""
    unit: str
    """Unit; absent, none."""
    better: Literal['lower', 'higher']
    """Which values are better; absent, neither."""


_PythonProblem = TypedDict("_PythonProblem", {"class": "type"}, total=False)


class PythonProblem(_PythonProblem, total=False):
    """Costs computed by a class in a Python file, for all nodes of a shard at once; a sample is the data
    of one node at one step.
    """
    kind: Required[Literal['python']]
    file: Path
    name: str
    options: Mapping[str, object]
    timeout: float
    threads: int
    set: Set
    dimension: int
    gradient_bound: float
    smoothness: float
    linear: bool
    offers: Sequence[str]
    metrics: Sequence[Metrics]
    state: int
    sizes: Numbers


_PythonRowsProblem = TypedDict("_PythonRowsProblem", {"class": "type"}, total=False)


class PythonRowsProblem(_PythonRowsProblem, total=False):
    """Rows of features and a label from a class in a Python file, with a linear, logistic, hinge, Huber,
    softmax or dense model.
    """
    kind: Required[Literal['python-rows']]
    file: Path
    name: str
    options: Mapping[str, object]
    timeout: float
    threads: int
    dimension: Required[int]
    classes: int
    tests: int
    validation: int
    feature_bound: float
    label_bound: float
    set: Set
    model: Required[TableModel]


class UniformZeroProblem(TypedDict, total=False):
    """Losses of experts uniform on [0, 1]; one expert has no loss."""
    kind: Required[Literal['uniform-zero']]
    experts: Required[int]
    expert: int


class LinearProblem(TypedDict, total=False):
    """Random losses of experts; one of them is better by a gap on average."""
    kind: Required[Literal['linear']]
    experts: Required[int]
    gap: Required[float]
    law: Literal['bernoulli', 'uniform']
    expert: int


class GaussianSoftmaxProblem(TypedDict, total=False):
    """Cross-entropy of a prediction and the softmax of Gaussians, in either order."""
    kind: Required[Literal['gaussian-softmax']]
    experts: Required[int]
    loss: Literal['linear-in-decision', 'cross-entropy']
    means: Numbers
    variances: Numbers
    clip: float
    floor: float


class LowerBoundTheorem2Problem(TypedDict, total=False):
    """All clients get the same fair coins, so cooperation gains nothing."""
    kind: Required[Literal['lower-bound-theorem-2']]
    experts: Required[int]


class OneSelectProblem(TypedDict, total=False):
    """No losses until a number of informative records at the end, the same for all clients (second half of
    Theorem 2).
    """
    kind: Required[Literal['one-select']]
    experts: Required[int]
    records: Required[int]
    expert: int


class LowerBoundTheorem3Problem(TypedDict, total=False):
    """No losses until the last steps, then losses of all experts but a hidden one."""
    kind: Required[Literal['lower-bound-theorem-3']]
    experts: Required[int]
    epsilon: Required[float]
    expert: int


class MovielensProblem(TypedDict, total=False):
    """MovieLens 1M: the experts are the 18 genres, a client meets one user a step."""
    kind: Required[Literal['movielens']]
    fill: Literal['genre-mean', 'user-mean', 'zero']
    order: Literal['shuffled', 'by-id']


class FromFileProblem(TypedDict, total=False):
    """Losses of experts from a CSV or Parquet file."""
    kind: Required[Literal['from-file']]
    file: Required[Path | Frame]


class L1BallSet(TypedDict, total=False):
    """Points within a radius of the center in the 1-norm."""
    kind: Required[Literal['l1-ball']]
    dimension: int
    radius: Required[float]
    center: Numbers


class L2BallSet(TypedDict, total=False):
    """Points within a radius of the center in the 2-norm."""
    kind: Required[Literal['l2-ball']]
    dimension: int
    radius: Required[float]
    center: Numbers


class BoxSet(TypedDict, total=False):
    """Points whose every coordinate is within its own bounds."""
    kind: Required[Literal['box']]
    lower: Required[Numbers]
    upper: Required[Numbers]


class SimplexSet(TypedDict, total=False):
    """Probability vectors: entries of at least 0 that sum to 1."""
    kind: Required[Literal['simplex']]
    dimension: int


class Weighting(TypedDict, total=False):
    """Weights by a rule; absent, the weights of the kind; an undirected kind without weights has
    metropolis.
    """
    scheme: Required[Literal['metropolis', 'lazy-metropolis', 'uniform-in', 'uniform-out', 'sinkhorn', 'given']]
    """Metropolis, lazy-metropolis (undirected graphs), uniform-in (rows sum to 1), uniform-out (columns
    do), sinkhorn (both), given (as they are).
    """
    self_loops: bool
    """Give every node a self-loop first; given takes none, and metropolis and lazy-metropolis always have
    it; default False.
    """


_Phases = TypedDict("_Phases", {"from": "int"}, total=False)


class Phases(_Phases, total=False):
    """Values of printed."""
    every: Required[int]
    """Nodes send in every step of this number, counted in the phase: from 11, every 5 is in the steps 15,
    20, 25 (in steps).
    """


class Schedule(TypedDict, total=False):
    """The steps in which nodes send; absent, every step."""
    every: int
    """Nodes send in every step of this number: 5 is in the steps 5, 10, 15, after 5 local steps each;
    absent, phases or probability say when (in steps).
    """
    phases: Sequence[Phases]
    """Periods that change in the course of a run, in their order; nothing is sent before the first;
    absent, every or probability says when.
    """
    doubling: int
    """The steps after which a period doubles, again and again: fewer and fewer messages, and none once it
    is longer than these steps; absent, never (in steps).
    """
    probability: float
    """Probability that nodes send in a step, drawn from the seed; absent, every or phases say when."""
    each: bool
    """Every node draws for itself, in place of one draw a step for all; with probability; default False."""
    clocks: Numbers
    """Rates of Poisson clocks, one number a group of consecutive nodes of nearly equal size, and as many
    as nodes are one for each: every node has a clock of its own, a step is the next tick of any clock,
    and the node whose clock ticks sends alone; absent, every, phases or probability say when (in ticks
    a second).
    """
    file: Path | Frame
    """Path of a CSV file with the columns step and, if only some nodes send in it, node: a row is a step
    with messages; absent, every, phases or probability say when.
    """
    offsets: Numbers
    """Delays of groups of nodes, in steps, one number a group: groups are consecutive nodes of nearly
    equal size, and as many offsets as nodes are one for each node; absent, none (in steps).
    """


class PrintedTopology(TypedDict, total=False):
    """A1, A2, A3 of DPDO-NC, section 5, in turn; 6 nodes."""
    kind: Required[Literal['printed']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events


class MatricesTopology(TypedDict, total=False):
    """Given weight matrices, in turn."""
    kind: Required[Literal['matrices']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    matrices: Required[Sequence[Sequence[Sequence[float | str]]]]


class RingTopology(TypedDict, total=False):
    """Directed ring, half the weight on the node itself."""
    kind: Required[Literal['ring']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events


class CompleteTopology(TypedDict, total=False):
    """Every node to every other, with or without itself."""
    kind: Required[Literal['complete']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    self_loops: bool


class CirculantTopology(TypedDict, total=False):
    """Each node from itself and a given number of predecessors."""
    kind: Required[Literal['circulant']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    degree: Required[int]


class PermutationsTopology(TypedDict, total=False):
    """Random regular digraph, redrawn every so many steps, drawn for each seed."""
    kind: Required[Literal['permutations']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    degree: Required[int]
    every: int


class PathTopology(TypedDict, total=False):
    """A line: each node with its predecessor and successor."""
    kind: Required[Literal['path']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    directed: bool


class TorusTopology(TypedDict, total=False):
    """Grid of any dimension with joined opposite sides."""
    kind: Required[Literal['torus']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    sides: Required[Numbers]
    directed: bool


class HypercubeTopology(TypedDict, total=False):
    """Nodes whose numbers differ in one bit."""
    kind: Required[Literal['hypercube']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events


class ExponentialTopology(TypedDict, total=False):
    """Each node with those 1, 2, 4, ... away around the circle."""
    kind: Required[Literal['exponential']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    directed: bool


class OnePeerTopology(TypedDict, total=False):
    """One distance of the exponential graph in each step, in turn."""
    kind: Required[Literal['one-peer']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    directed: bool


class ErdosRenyiTopology(TypedDict, total=False):
    """Every edge with the same probability."""
    kind: Required[Literal['erdos-renyi']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    probability: Required[float]
    directed: bool
    every: int


class KOutTopology(TypedDict, total=False):
    """Every node chooses k others."""
    kind: Required[Literal['k-out']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    degree: Required[int]
    directed: bool
    every: int


class RandomRegularTopology(TypedDict, total=False):
    """Random graph of equal degrees."""
    kind: Required[Literal['random-regular']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    degree: Required[int]
    directed: bool
    every: int


class SmallWorldTopology(TypedDict, total=False):
    """A circle with some edges rewired (Watts, Strogatz)."""
    kind: Required[Literal['small-world']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    neighbours: Required[int]
    rewire: Required[float]
    directed: bool
    every: int


class PreferentialAttachmentTopology(TypedDict, total=False):
    """New nodes prefer neighbours of high degree (Barabasi, Albert)."""
    kind: Required[Literal['preferential-attachment']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    edges: Required[int]
    every: int


class MatchingTopology(TypedDict, total=False):
    """Random pairs exchange, on all edges or on the edges of a base."""
    kind: Required[Literal['matching']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    every: int
    clocks: Numbers
    base: Topology


class StochasticBlockTopology(TypedDict, total=False):
    """Random edges inside and between blocks; nodes may change blocks."""
    kind: Required[Literal['stochastic-block']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    blocks: Required[int]
    within: Required[float]
    between: Required[float]
    drift: float
    directed: bool
    every: int


class GeometricTopology(TypedDict, total=False):
    """Nodes in a box with edges to near nodes, fixed or moving by random waypoints."""
    kind: Required[Literal['geometric']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    radius: Required[float]
    spread: float
    speed_min: float
    speed_max: float
    pause: float


class MarkovEdgesTopology(TypedDict, total=False):
    """Each edge of a base appears and disappears independently."""
    kind: Required[Literal['markov-edges']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    on: Required[float]
    off: Required[float]
    directed: bool
    base: Required[Topology]


class CycleTopology(TypedDict, total=False):
    """Topologies shown in turn."""
    kind: Required[Literal['cycle']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    every: int
    phases: Sequence[Phases]
    parts: Required[Sequence[Topology]]


class UnionTopology(TypedDict, total=False):
    """The union of topologies, each with its own schedule."""
    kind: Required[Literal['union']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    parts: Required[Sequence[Topology]]


class ClustersTopology(TypedDict, total=False):
    """Groups of nodes, each with a topology; in some steps they average through edge servers and a cloud
    (Lin et al.).
    """
    kind: Required[Literal['clusters']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    clusters: int
    sizes: Numbers
    inside: Required[Topology]
    edge: Schedule
    cloud: Required[Schedule]


class EmptyTopology(TypedDict, total=False):
    """No edges."""
    kind: Required[Literal['empty']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events


_Columns = TypedDict("_Columns", {"from": "str"}, total=False)


class Columns(_Columns, total=False):
    """The names of the columns in the header; the file may have others."""
    step: str
    """The step, or the time at which a contact begins; absent, step."""
    end: str
    """The step or time at which a contact ends: it is there in all steps from its begin to its end;
    absent, a contact is of one step.
    """
    to: str
    """The node that hears; absent, to."""
    weight: str
    """The weight; absent, weight, or 1 where there is no such column."""


class EdgeListTopology(TypedDict, total=False):
    """Edges of each step from a CSV file."""
    kind: Required[Literal['edge-list']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    file: Required[Path | Frame]
    bin: str
    columns: Columns
    names: bool
    duplicates: Literal['refuse', 'first', 'sum']
    zero_based: bool
    undirected: bool
    hold: bool
    repeat: bool


class GraphmlTopology(TypedDict, total=False):
    """A graph from a GraphML file."""
    kind: Required[Literal['graphml']]
    weights: Literal['checked', 'unchecked']
    window: int
    weighting: Weighting
    schedule: Schedule
    events: Events
    file: Required[Path]


class StarTopology(TypedDict, total=False):
    """A server and its clients."""
    kind: Required[Literal['star']]
    schedule: Schedule


class TiersTopology(TypedDict, total=False):
    """Levels of servers above clients, such as a cloud, edge servers and phones."""
    kind: Required[Literal['tiers']]
    fan: Required[Numbers]
    levels: Sequence[str]
    schedule: Sequence[Schedule]
    noise: str


class Rewire(TypedDict, total=False):
    """Edges that come and go, until another rewire says otherwise."""
    add: Sequence[Numbers]
    """Edges that are there from now on: pairs of from and to; absent, none (in node numbers)."""
    remove: Sequence[Numbers]
    """Edges that are gone from now on: pairs of from and to; absent, none (in node numbers)."""
    directed: bool
    """Pairs are edges one way; otherwise both ways; default False."""


class Event(TypedDict, total=False):
    """Values of Event."""
    at: Required[int]
    """The step, from 1, from which on it holds (in steps)."""
    rewire: Rewire
    """Edges that come and go, until another rewire says otherwise."""
    heal: bool
    """Ends the partition; default False."""
    partition: Sequence[Numbers]
    """Groups of nodes, between which all edges are cut until heal or the next partition; the nodes not
    listed are one more group; absent, none (in node numbers).
    """
    crash: int
    """A node that from now on is without edges, its self-loop included; absent, none (in node number)."""
    recover: int
    """A node whose crash is over; absent, none (in node number)."""


class List(TypedDict, total=False):
    """Values of List."""
    name: str
    """Name of the arm; absent, the values that it sets."""
    set: Required[Mapping[str, object]]
    """Maps paths, such as mechanism.epsilon, to the values they take in this arm."""


class Sweep(TypedDict, total=False):
    """Values of Sweep."""
    grid: Mapping[str, Sequence[object]]
    """Maps paths, such as mechanism.epsilon, or the role epsilon, to lists of values; the arms are all
    combinations, the last path varying fastest.
    """
    zip: Mapping[str, Sequence[object]]
    """Maps paths to lists of values, all of one length; the arms take the first of each, the second of
    each, and so on.
    """
    conditions: Sequence[str]
    """Swept keys that are conditions, under which the choices of the other keys compare: the finding has a
    column for each of their values, and marks the best within each; absent, keys of the adversaries,
    the network, the problem and epsilon are conditions.
    """
    list: Sequence[List]
    """The arms one by one; beside a grid or a zip each of them with each of theirs; absent, grid or zip
    has them.
    """
    algorithms: Sequence[List]
    """Another name of list, for arms that are algorithms; absent, list has the arms."""


class Paper(TypedDict, total=False):
    """Paper that the scenario is from."""
    title: Required[str]
    """Title of the paper."""
    figure: str
    """Figure, table or section of the paper that the scenario follows; absent, none."""
    authors: Sequence[str]
    """Authors, in the order of the paper; absent, none."""
    url: str
    """Where to read the paper; absent, none."""


class Power(TypedDict, total=False):
    """Watts of a client; absent, as of all clients."""
    compute: Required[float]
    """Watts of a client while it computes (in watts)."""
    network: Required[float]
    """Watts of a client while it downloads or uploads (in watts)."""


class Devices(TypedDict, total=False):
    """Values of Devices."""
    name: str
    """Name of the class, for readers; absent, none."""
    share: Required[float]
    """Probability with which a client has such a device; the shares sum to 1 (in share)."""
    compute: Seconds
    """Seconds for a sample in a local step; absent, as of all clients."""
    download: Seconds
    """Bytes a second from the server; absent, as of all clients."""
    upload: Seconds
    """Bytes a second to the server; absent, as of all clients."""
    latency: Seconds
    """Seconds that each of both messages takes beyond its bytes; absent, as of all clients."""
    power: Power
    """Watts of a client; absent, as of all clients."""


class CheckIn(TypedDict, total=False):
    """Protocol of a round with clients that check in, with algorithm.draw: server; absent, the section of
    the algorithm says which clients come.
    """
    goal: Required[int]
    """Reports that end a round (in reports)."""
    over: float
    """Over-selection: the server admits (1 + over) goal clients, rounded up; later reports are dropped;
    absent, 0 (in share).
    """
    deadline: Required[float]
    """Seconds after which a round ends with the reports that there are (in seconds)."""
    late: Literal['drop', 'use']
    """Late reports: drop, they are dropped; use, one that arrives before the next round ends is one of the
    reports of that round, with the weight 1/sqrt(2) of a model that is a step old; absent, drop.
    """
    least: int
    """Reports without which a round is abandoned at the deadline: the model stays, and the server tries
    again; absent, the goal (in reports).
    """


class Zones(TypedDict, total=False):
    """Values of Zones."""
    name: str
    """Name of the zone, for readers; absent, none."""
    share: Required[float]
    """Probability with which a client is in the zone; the shares sum to 1 (in share)."""
    hours: float
    """Hours by which its clocks are ahead of the server's, whose run begins at midnight; absent, 0 (in
    hours).
    """


class Availability(TypedDict, total=False):
    """Times at which clients are there to begin, with check_in or a concurrency; absent, always."""
    law: Required[Literal['periodic', 'on-off', 'traces']]
    """Law of the availability of clients: periodic, a probability with the period of a day; on-off, a
    process that turns on and off by itself; or traces of a file.
    """
    mean: float
    """Of periodic: mean of the probability; absent, for other laws (in probability)."""
    swing: float
    """Of periodic: the probability is mean + swing cos(2 pi (h - peak)/24) at hour h of the client's day,
    within 0 and 1; absent, 0 (in probability).
    """
    peak: float
    """Of periodic: hour of the client's day with the largest probability; absent, 0: midnight (in hours)."""
    on: float
    """Of on-off: mean duration of being there, an exponential law; absent, for other laws (in seconds)."""
    off: float
    """Of on-off: mean duration of being away, an exponential law; absent, for other laws (in seconds)."""
    file: Path | Frame
    """Of traces: path, from the scenario's folder or else from where the program runs, of a CSV file with
    the columns trace, on and off: a row for each time of being there, in seconds; absent, for other
    laws.
    """
    length: float
    """Of traces: seconds after which all of them start again; absent, the last second of the file (in
    seconds).
    """
    zones: Sequence[Zones]
    """Time zones of clients, of periodic and traces; absent, all have the server's time."""


class Clock(TypedDict, total=False):
    """Seconds of the rounds of a server: laws of the speeds of its clients and of their links; absent,
    rounds have no seconds.
    """
    compute: Seconds
    """Seconds of a client for a sample in a local step; absent, none."""
    download: Seconds
    """Bytes a second from the server to a client; absent, the server's message takes no time."""
    upload: Seconds
    """Bytes a second from a client to the server; absent, the client's message takes no time."""
    latency: Seconds
    """Seconds that each of both messages takes beyond its bytes, without energy; absent, none."""
    devices: Sequence[Devices]
    """Classes of devices, each with speeds of its own in place of those above; absent, all clients have
    those above.
    """
    jitter: float
    """Standard deviation of the logarithm of the seconds of a client from round to round; absent, 0 (in of
    the logarithm).
    """
    power: Power
    """Watts of a client, for the metrics of energy; absent, none are recorded unless all devices have
    watts of their own.
    """
    check_in: CheckIn
    """Protocol of a round with clients that check in, with algorithm.draw: server; absent, the section of
    the algorithm says which clients come.
    """
    availability: Availability
    """Times at which clients are there to begin, with check_in or a concurrency; absent, always."""


class Match(TypedDict, total=False):
    """Privacy that the arms have in common: the noise of each is calibrated to it; absent, as the
    mechanism says.
    """
    epsilon: Required[float | Literal['none']]
    """Privacy loss of a unit over the run, above 0, or none for no noise (in nats)."""
    delta: Required[float]
    """Delta at which it is stated; 0 is pure differential privacy (in probability)."""
    unit: Required[Literal['record', 'client', 'node']]
    """Unit that is protected: record, one datum; client or node, all data of one participant."""
    neighbours: Required[Literal['add-or-remove', 'replace']]
    """Neighbouring data: with a unit more or less, or with one replaced."""
    observer: Literal['wire', 'server', 'peer', 'public']
    """Observer of the loss: wire, server, peer or public; absent, the payments for releases, which leave
    out observers that the algorithm trusts with raw data.
    """


class Budget(TypedDict, total=False):
    """Limit on the privacy loss of every node over the run; absent, none."""
    epsilon: Required[float | Literal['none']]
    """Largest privacy loss of a node over the run, above 0, or none for no limit (in nats)."""
    delta: float
    """Delta at which losses are compared with epsilon, and stated, those of Laplace noise by their privacy
    loss distributions, or by their sum where that is as good; absent, that of the mechanism in dpfl and
    ali-dpfl, the deltas of nodes where groups of the mechanism state them, and 0, at which no Gaussian
    loss is within it, in others (in probability).
    """
    observer: Literal['wire', 'server', 'peer', 'public']
    """Observer of the budget: wire, server, peer or public; absent, the payments for releases, which leave
    out observers that the algorithm trusts with raw data.
    """
    groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3
    """Nodes with a budget of their own, in place of epsilon, at the delta of the section or of their
    group: a list of groups, a file with a line for each node, a law from which they are drawn, or a
    column of the problem's own data; for on: stop; absent, all nodes have one.
    """
    on: Required[Literal['stop', 'refuse', 'spread']]
    """Effect of the budget: stop ends a node's part before the release that would exceed it, after which
    it decides as it did last; refuse refuses a scenario whose releases exceed it; spread multiplies the
    epsilons of the mechanism by one factor, such that the releases of all steps just fit it.
    """


class Seeds(TypedDict, total=False):
    """Seeds of the runs."""
    base: int
    """First seed (in seed number); default 1."""
    count: int
    """Number of seeds, each run once in every arm (in seeds); default 1."""


class Seeds2(TypedDict, total=False):
    """Seeds of the trials, none of them a seed of the scenario."""
    base: Required[int]
    """First seed (in seed number)."""
    count: int
    """Number of seeds, under each of which every trial is run once; absent, 1 (in seeds)."""


class Stopping(TypedDict, total=False):
    """Law of a random number of trials, for which only the trial that is chosen costs privacy (Papernot,
    Steinke 2022); absent, the number is trials.
    """
    kind: Required[Literal['poisson', 'truncated-negative-binomial']]
    """Poisson, of their Theorem 6, or truncated-negative-binomial, of their Theorem 2."""
    mean: Required[float]
    """Expected number of trials (in trials)."""
    eta: float
    """Shape of truncated-negative-binomial: 0 is the logarithmic law, 1 the geometric one; absent, 0."""


class Random2(TypedDict, total=False):
    """Trials with values that are drawn; absent, grid or halving has the trials."""
    trials: int
    """Number of trials; absent, stopping draws it (in trials)."""
    keys: Required[Mapping[str, Sequence[object] | Mapping[str, object]]]
    """Maps keys, as in grid, to laws: {log-uniform: [low, high]}, {uniform: [low, high]}, or a list of
    values of which each is as likely.
    """
    stopping: Stopping
    """Law of a random number of trials, for which only the trial that is chosen costs privacy (Papernot,
    Steinke 2022); absent, the number is trials.
    """


class Halving(TypedDict, total=False):
    """Trials that begin with few steps, of which the best go on with more (successive halving: Jamieson,
    Talwalkar 2016); absent, grid or random has the trials.
    """
    trials: Required[int]
    """Number of trials in the first round (in trials)."""
    keep: Required[float]
    """Share of the trials of a round that go on, one at least, such as 0.3334; steps grow by the inverse
    (in share of trials).
    """
    steps: Required[int]
    """Horizon of the first round; the last round has at most the horizon of the scenario (in steps)."""
    keys: Required[Mapping[str, Sequence[object] | Mapping[str, object]]]
    """Maps keys to laws, as of random."""


class Tune(TypedDict, total=False):
    """Trials from which the verb tune chooses values of keys; other verbs do not read it; absent, there
    are none.
    """
    metric: Required[str]
    """Metric by which values are chosen: its mean over the seeds of the trials at the last step, of
    validation rows, such as validation.loss.
    """
    validation: Literal['private', 'public']
    """Privacy of the validation rows: private, and the choice then shows them without noise, or public;
    absent, private.
    """
    seeds: Required[Seeds2]
    """Seeds of the trials, none of them a seed of the scenario."""
    grid: Mapping[str, Sequence[object]]
    """Maps keys to lists of values; trials are all combinations, the last key varying fastest. A key is a
    path such as algorithm.clip, or a role such as rate, which stands for each algorithm's own step
    size; absent, random or halving has the trials.
    """
    random: Random2
    """Trials with values that are drawn; absent, grid or halving has the trials."""
    halving: Halving
    """Trials that begin with few steps, of which the best go on with more (successive halving: Jamieson,
    Talwalkar 2016); absent, grid or random has the trials.
    """


class Tuned(TypedDict, total=False):
    """Values of Tuned."""
    arm: Required[str]
    """The arm."""
    says: Required[str]
    """The values, the trials and their cost."""


class Groups2(TypedDict, total=False):
    """Values of Groups2."""
    first: Required[int]
    """The first node of the group, from 1 (in node number)."""
    last: Required[int]
    """The last node of the group (in node number)."""


class Observers(TypedDict, total=False):
    """Values of Observers."""
    node: int | str
    """Number of one node, as results have it, or its name in a network with names of nodes; 0 is the
    server of an algorithm that has one; absent, nodes are given (in node number).
    """
    nodes: Sequence[int | str]
    """Numbers or names of the nodes of a coalition; absent, one node is given (in node numbers)."""


class Measure(TypedDict, total=False):
    """Metrics to record, with their steps and nodes."""
    every: int
    """Number of steps between records; absent, about 100 records over the horizon (in steps)."""
    nodes: int
    """At how many sampled nodes regret is taken; absent, at all up to 1000, at 100 beyond (in nodes)."""
    at: Numbers
    """Further steps to record, the paper's numbers; absent, none (in steps)."""
    metrics: Sequence[str]
    """Metrics to record, by name or by a prefix such as regret.*; absent, all."""
    by: Literal['node', 'group']
    """Record accuracy, loss, regret, epsilon and messages, and the scores that metrics names, of single
    participants, nodes or clients of a server: their worst, best, quantiles, Gini coefficient and
    spread at each record, and with node the value of each at the last step and those of at, with group
    the mean of each group at each record; absent, none of these.
    """
    groups: Sequence[Groups2]
    """Groups for by: group, numbered from 1; all other nodes are group 0; absent, the groups of
    mechanism.groups, or the nodes of each epsilon of its file, column or choice, by rising epsilon.
    """
    moves: bool
    """Record how far mirror steps move from z_t, against inequality (11) of DPDO-NC: move.largest and
    move.excess; for dpdonc; default False.
    """
    interval: int
    """Length of the intervals of regret.adaptive; absent, it is not recorded (in steps)."""
    headline: str
    """Metric with a better side by which arms are compared first: the finding, the table of runs, the
    first figure and compare begin with it; absent, the metric of the first figure, or else the first
    usual one.
    """
    window: bool
    """Record the mean, the least and the most of states and rates of a step, such as consensus.error,
    accuracy.test, loss.train and scores, over the steps of each record, too: those since the last
    record, or the whole periods of the graphs that have them; figures then draw the mean, with a band
    from the least to the most; each is then computed at every step, which takes time; default False.
    """
    observers: Sequence[Observers]
    """Nodes, and coalitions of nodes that share their view: the ledger accounts for the losses of all
    others to them; absent, none.
    """
    levels: bool
    """Observers at levels: the servers of each level of the topology tiers or clusters, and readers of all
    links below a level, such as level edge and wire below edge; arms without levels have no such
    observers; default False.
    """
    pairs: bool
    """Account for the knowledge of every node of every other at the end of a run, of up to 500 nodes;
    tables leave these observers out; default False.
    """
    model: bool
    """Write the model that each run ends with into models/, for algorithms that train softmax, mlp or cnn
    on images; default False.
    """


Metric: TypeAlias = Literal['regret.expected', 'regret.run', 'regret.node', 'consensus.error', 'target.error', 'regret.adaptive',
    'move.largest', 'move.excess', 'messages.sent', 'bytes.sent', 'time.elapsed', 'messages.lost',
    'messages.late', 'messages.dropped', 'bytes.queued', 'participants', 'accuracy.instant', 'accuracy.test',
    'accuracy.final', 'regret.dynamic', 'regret.static', 'bound.dynamic', 'bound.static', 'loss.mean',
    'noise.prefix', 'clip.share', 'regret.client', 'loss.client', 'communication.up', 'communication.down',
    'switches', 'best.expert', 'tau', 'loss.train', 'rounds', 'clients.round', 'clip.updates', 'noise.rounds',
    'rounds.aborted', 'aggregation.wrapped', 'clients.unique', 'clients.most', 'loss.train.error',
    'accuracy.test.error', 'energy.total', 'time.wasted', 'energy.wasted', 'rounds.abandoned', 'apart.least',
    'zones.fewest', 'reports.late', 'accuracy.zone.fewest', 'accuracy.zone.fewest.error', 'accuracy.zone.gap',
    'accuracy.zone.gap.error', 'loss.zone.fewest', 'loss.zone.fewest.error', 'loss.zone.gap',
    'loss.zone.gap.error', 'buffer.steps', 'buffer.staleness', 'buffer.dropped', 'compression.error',
    'loss.fresh', 'regret.fixed', 'regret.interval', 'regret.tracking', 'path.length', 'distance.travelled',
    'data.seen', 'accuracy.balanced', 'f1.macro', 'auc.roc', 'auc.pr', 'loss.log', 'loss.brier',
    'error.calibration', 'error.rmse', 'error.mae', 'r2', 'd2', 'validation.loss', 'validation.accuracy',
    'validation.accuracy.balanced', 'validation.f1.macro', 'validation.auc.roc', 'validation.auc.pr',
    'validation.loss.log', 'validation.loss.brier', 'validation.error.calibration', 'validation.error.rmse',
    'validation.error.mae', 'validation.r2', 'validation.d2', 'epsilon.step', 'epsilon.spent', 'epsilon.total',
    'epsilon.odometer', 'delta', 'loss.worst', 'loss.best', 'loss.quantile.10', 'loss.median', 'loss.quantile.90',
    'loss.gini', 'loss.spread', 'loss.participant', 'loss.group', 'accuracy.worst', 'accuracy.best',
    'accuracy.quantile.10', 'accuracy.median', 'accuracy.quantile.90', 'accuracy.gini', 'accuracy.spread',
    'accuracy.participant', 'accuracy.group', 'regret.worst', 'regret.best', 'regret.quantile.10',
    'regret.median', 'regret.quantile.90', 'regret.spread', 'regret.participant', 'regret.group', 'epsilon.worst',
    'epsilon.best', 'epsilon.quantile.10', 'epsilon.median', 'epsilon.quantile.90', 'epsilon.gini',
    'epsilon.spread', 'epsilon.participant', 'epsilon.group', 'messages.worst', 'messages.best',
    'messages.quantile.10', 'messages.median', 'messages.quantile.90', 'messages.gini', 'messages.spread',
    'messages.participant', 'messages.group', 'accuracy.balanced.worst', 'accuracy.balanced.best',
    'accuracy.balanced.quantile.10', 'accuracy.balanced.median', 'accuracy.balanced.quantile.90',
    'accuracy.balanced.gini', 'accuracy.balanced.spread', 'accuracy.balanced.undefined',
    'accuracy.balanced.participant', 'accuracy.balanced.group', 'f1.macro.worst', 'f1.macro.best',
    'f1.macro.quantile.10', 'f1.macro.median', 'f1.macro.quantile.90', 'f1.macro.gini', 'f1.macro.spread',
    'f1.macro.undefined', 'f1.macro.participant', 'f1.macro.group', 'auc.roc.worst', 'auc.roc.best',
    'auc.roc.quantile.10', 'auc.roc.median', 'auc.roc.quantile.90', 'auc.roc.gini', 'auc.roc.spread',
    'auc.roc.undefined', 'auc.roc.participant', 'auc.roc.group', 'auc.pr.worst', 'auc.pr.best',
    'auc.pr.quantile.10', 'auc.pr.median', 'auc.pr.quantile.90', 'auc.pr.gini', 'auc.pr.spread',
    'auc.pr.undefined', 'auc.pr.participant', 'auc.pr.group', 'loss.log.worst', 'loss.log.best',
    'loss.log.quantile.10', 'loss.log.median', 'loss.log.quantile.90', 'loss.log.gini', 'loss.log.spread',
    'loss.log.undefined', 'loss.log.participant', 'loss.log.group', 'loss.brier.worst', 'loss.brier.best',
    'loss.brier.quantile.10', 'loss.brier.median', 'loss.brier.quantile.90', 'loss.brier.gini',
    'loss.brier.spread', 'loss.brier.undefined', 'loss.brier.participant', 'loss.brier.group',
    'error.calibration.worst', 'error.calibration.best', 'error.calibration.quantile.10',
    'error.calibration.median', 'error.calibration.quantile.90', 'error.calibration.gini',
    'error.calibration.spread', 'error.calibration.undefined', 'error.calibration.participant',
    'error.calibration.group', 'error.rmse.worst', 'error.rmse.best', 'error.rmse.quantile.10',
    'error.rmse.median', 'error.rmse.quantile.90', 'error.rmse.gini', 'error.rmse.spread', 'error.rmse.undefined',
    'error.rmse.participant', 'error.rmse.group', 'error.mae.worst', 'error.mae.best', 'error.mae.quantile.10',
    'error.mae.median', 'error.mae.quantile.90', 'error.mae.gini', 'error.mae.spread', 'error.mae.undefined',
    'error.mae.participant', 'error.mae.group', 'r2.worst', 'r2.best', 'r2.quantile.10', 'r2.median',
    'r2.quantile.90', 'r2.spread', 'r2.undefined', 'r2.participant', 'r2.group', 'd2.worst', 'd2.best',
    'd2.quantile.10', 'd2.median', 'd2.quantile.90', 'd2.spread', 'd2.undefined', 'd2.participant', 'd2.group',
    'validation.accuracy.worst', 'validation.accuracy.best', 'validation.accuracy.quantile.10',
    'validation.accuracy.median', 'validation.accuracy.quantile.90', 'validation.accuracy.gini',
    'validation.accuracy.spread', 'validation.accuracy.undefined', 'validation.accuracy.participant',
    'validation.accuracy.group', 'validation.accuracy.balanced.worst', 'validation.accuracy.balanced.best',
    'validation.accuracy.balanced.quantile.10', 'validation.accuracy.balanced.median',
    'validation.accuracy.balanced.quantile.90', 'validation.accuracy.balanced.gini',
    'validation.accuracy.balanced.spread', 'validation.accuracy.balanced.undefined',
    'validation.accuracy.balanced.participant', 'validation.accuracy.balanced.group', 'validation.f1.macro.worst',
    'validation.f1.macro.best', 'validation.f1.macro.quantile.10', 'validation.f1.macro.median',
    'validation.f1.macro.quantile.90', 'validation.f1.macro.gini', 'validation.f1.macro.spread',
    'validation.f1.macro.undefined', 'validation.f1.macro.participant', 'validation.f1.macro.group',
    'validation.auc.roc.worst', 'validation.auc.roc.best', 'validation.auc.roc.quantile.10',
    'validation.auc.roc.median', 'validation.auc.roc.quantile.90', 'validation.auc.roc.gini',
    'validation.auc.roc.spread', 'validation.auc.roc.undefined', 'validation.auc.roc.participant',
    'validation.auc.roc.group', 'validation.auc.pr.worst', 'validation.auc.pr.best',
    'validation.auc.pr.quantile.10', 'validation.auc.pr.median', 'validation.auc.pr.quantile.90',
    'validation.auc.pr.gini', 'validation.auc.pr.spread', 'validation.auc.pr.undefined',
    'validation.auc.pr.participant', 'validation.auc.pr.group', 'validation.loss.log.worst',
    'validation.loss.log.best', 'validation.loss.log.quantile.10', 'validation.loss.log.median',
    'validation.loss.log.quantile.90', 'validation.loss.log.gini', 'validation.loss.log.spread',
    'validation.loss.log.undefined', 'validation.loss.log.participant', 'validation.loss.log.group',
    'validation.loss.brier.worst', 'validation.loss.brier.best', 'validation.loss.brier.quantile.10',
    'validation.loss.brier.median', 'validation.loss.brier.quantile.90', 'validation.loss.brier.gini',
    'validation.loss.brier.spread', 'validation.loss.brier.undefined', 'validation.loss.brier.participant',
    'validation.loss.brier.group', 'validation.error.calibration.worst', 'validation.error.calibration.best',
    'validation.error.calibration.quantile.10', 'validation.error.calibration.median',
    'validation.error.calibration.quantile.90', 'validation.error.calibration.gini',
    'validation.error.calibration.spread', 'validation.error.calibration.undefined',
    'validation.error.calibration.participant', 'validation.error.calibration.group',
    'validation.error.rmse.worst', 'validation.error.rmse.best', 'validation.error.rmse.quantile.10',
    'validation.error.rmse.median', 'validation.error.rmse.quantile.90', 'validation.error.rmse.gini',
    'validation.error.rmse.spread', 'validation.error.rmse.undefined', 'validation.error.rmse.participant',
    'validation.error.rmse.group', 'validation.error.mae.worst', 'validation.error.mae.best',
    'validation.error.mae.quantile.10', 'validation.error.mae.median', 'validation.error.mae.quantile.90',
    'validation.error.mae.gini', 'validation.error.mae.spread', 'validation.error.mae.undefined',
    'validation.error.mae.participant', 'validation.error.mae.group', 'validation.r2.worst', 'validation.r2.best',
    'validation.r2.quantile.10', 'validation.r2.median', 'validation.r2.quantile.90', 'validation.r2.spread',
    'validation.r2.undefined', 'validation.r2.participant', 'validation.r2.group', 'validation.d2.worst',
    'validation.d2.best', 'validation.d2.quantile.10', 'validation.d2.median', 'validation.d2.quantile.90',
    'validation.d2.spread', 'validation.d2.undefined', 'validation.d2.participant', 'validation.d2.group',
    'consensus.error.mean', 'consensus.error.least', 'consensus.error.most', 'target.error.mean',
    'target.error.least', 'target.error.most', 'bytes.queued.mean', 'bytes.queued.least', 'bytes.queued.most',
    'accuracy.test.mean', 'accuracy.test.least', 'accuracy.test.most', 'tau.mean', 'tau.least', 'tau.most',
    'loss.train.mean', 'loss.train.least', 'loss.train.most', 'clients.round.mean', 'clients.round.least',
    'clients.round.most', 'clip.updates.mean', 'clip.updates.least', 'clip.updates.most',
    'aggregation.wrapped.mean', 'aggregation.wrapped.least', 'aggregation.wrapped.most', 'loss.train.error.mean',
    'loss.train.error.least', 'loss.train.error.most', 'accuracy.test.error.mean', 'accuracy.test.error.least',
    'accuracy.test.error.most', 'accuracy.zone.fewest.mean', 'accuracy.zone.fewest.least',
    'accuracy.zone.fewest.most', 'accuracy.zone.fewest.error.mean', 'accuracy.zone.fewest.error.least',
    'accuracy.zone.fewest.error.most', 'accuracy.zone.gap.mean', 'accuracy.zone.gap.least',
    'accuracy.zone.gap.most', 'accuracy.zone.gap.error.mean', 'accuracy.zone.gap.error.least',
    'accuracy.zone.gap.error.most', 'loss.zone.fewest.mean', 'loss.zone.fewest.least', 'loss.zone.fewest.most',
    'loss.zone.fewest.error.mean', 'loss.zone.fewest.error.least', 'loss.zone.fewest.error.most',
    'loss.zone.gap.mean', 'loss.zone.gap.least', 'loss.zone.gap.most', 'loss.zone.gap.error.mean',
    'loss.zone.gap.error.least', 'loss.zone.gap.error.most', 'buffer.staleness.mean', 'buffer.staleness.least',
    'buffer.staleness.most', 'compression.error.mean', 'compression.error.least', 'compression.error.most',
    'loss.fresh.mean', 'loss.fresh.least', 'loss.fresh.most', 'accuracy.balanced.mean', 'accuracy.balanced.least',
    'accuracy.balanced.most', 'f1.macro.mean', 'f1.macro.least', 'f1.macro.most', 'auc.roc.mean', 'auc.roc.least',
    'auc.roc.most', 'auc.pr.mean', 'auc.pr.least', 'auc.pr.most', 'loss.log.mean', 'loss.log.least',
    'loss.log.most', 'loss.brier.mean', 'loss.brier.least', 'loss.brier.most', 'error.calibration.mean',
    'error.calibration.least', 'error.calibration.most', 'error.rmse.mean', 'error.rmse.least', 'error.rmse.most',
    'error.mae.mean', 'error.mae.least', 'error.mae.most', 'r2.mean', 'r2.least', 'r2.most', 'd2.mean',
    'd2.least', 'd2.most', 'validation.loss.mean', 'validation.loss.least', 'validation.loss.most',
    'validation.accuracy.mean', 'validation.accuracy.least', 'validation.accuracy.most',
    'validation.accuracy.balanced.mean', 'validation.accuracy.balanced.least',
    'validation.accuracy.balanced.most', 'validation.f1.macro.mean', 'validation.f1.macro.least',
    'validation.f1.macro.most', 'validation.auc.roc.mean', 'validation.auc.roc.least', 'validation.auc.roc.most',
    'validation.auc.pr.mean', 'validation.auc.pr.least', 'validation.auc.pr.most', 'validation.loss.log.mean',
    'validation.loss.log.least', 'validation.loss.log.most', 'validation.loss.brier.mean',
    'validation.loss.brier.least', 'validation.loss.brier.most', 'validation.error.calibration.mean',
    'validation.error.calibration.least', 'validation.error.calibration.most', 'validation.error.rmse.mean',
    'validation.error.rmse.least', 'validation.error.rmse.most', 'validation.error.mae.mean',
    'validation.error.mae.least', 'validation.error.mae.most', 'validation.r2.mean', 'validation.r2.least',
    'validation.r2.most', 'validation.d2.mean', 'validation.d2.least', 'validation.d2.most']


class Plots(TypedDict, total=False):
    """Values of Plots."""
    name: Required[str]
    """Name of the figure's files in plots/."""
    y: Required[Metric]
    """Metric to show."""
    x: str
    """Step; with a metric of nodes as y another one, such as epsilon.participant, for a dot a node; what
    all algorithms have in common: data.seen, rounds, messages, bytes or epsilon; a swept key such as
    mechanism.epsilon; or another metric; absent, step.
    """
    by: str
    """One curve for each: arm, a swept key or node; absent, arm."""
    facet: str
    """One chart for each, beside the others and with the same axes: a swept key such as nodes, arm, or
    name, the name of an arm without the values of the axis, colours and dashes; absent, one chart, or
    for more than 12 curves a chart for each value of a key that divides them.
    """
    hue: str
    """One colour for each: a swept key, arm or name; absent, each curve, or for more than 8 curves the
    values of a key that divides them; numbers have a ramp of colours.
    """
    dash: str
    """One dash for each: a swept key, arm or name; absent, as hue."""
    arms: Sequence[str]
    """The arms to show, by name; a name that ends in * is the beginning of names; absent, all."""
    per_step: bool
    """Divide y by the step; default False."""
    log_x: bool
    """A logarithmic x axis; default False."""
    log_y: bool
    """A logarithmic y axis; default False."""
    band: Literal['se', 'sd', 'ci', 'none']
    """Band around a curve: se, the standard error of the mean, sd, the standard deviation of a seed, ci,
    the 95 % confidence interval of the mean, or none; absent, ci.
    """
    title: str
    """Title of the figure; absent, made of its metric and axes."""
    x_label: str
    """Label of the x axis; \\epsilon is a Greek letter, _{...} lowers and ^{...} raises; absent, its
    metric or key.
    """
    y_label: str
    """Label of the y axis, as x_label; absent, its metric."""
    legend: Literal['right', 'below', 'none']
    """Place of the legend: right, below or none; absent, where it fits."""
    style: Literal['paper', 'slides']
    """Use of the figure: paper, without a title of its own, or slides, with larger letters and lines;
    absent, a screen.
    """
    width: float | str
    """Width in inches; absent, 8 (in inches)."""
    height: float | str
    """Height in inches, without a legend below; absent, 0.6 of the width (in inches)."""


class Checkpoint(TypedDict, total=False):
    """How often the state of a run is saved, so that one that is killed can go on."""
    every: int
    """Number of steps between states that are saved; absent, a tenth of the horizon, at most one state a
    second, and at most a twentieth of the time (in steps).
    """


class Scenario(TypedDict, total=False):
    """A scenario."""
    version: Required[Literal[1]]
    """Version of the file format."""
    name: Required[str]
    """Name of the scenario, and of the folder of its results."""
    extends: str
    """Scenario that this file changes: a name of the library, or a path relative to this file; absent,
    none.
    """
    description: str
    """One line for lists and reports; absent, none."""
    paper: Paper
    """Paper that the scenario is from."""
    horizon: Required[int]
    """Number of steps, T (in steps)."""
    nodes: Required[int]
    """Number of nodes, N: at most 10 million, and more where a server draws the clients of a round,
    algorithm.draw: server (in nodes).
    """
    algorithm: Required[Algorithm]
    """Learning algorithm of the nodes."""
    problem: Required[Problem]
    """Costs of the nodes, and the set of decisions."""
    topology: Required[Topology]
    """Graph and weights of each step."""
    network: Network
    """Effects of the network on messages and nodes; absent, ideal."""
    clock: Clock
    """Seconds of the rounds of a server: laws of the speeds of its clients and of their links; absent,
    rounds have no seconds.
    """
    adversaries: Adversaries
    """Byzantine nodes, which send other vectors than they have computed; absent, none."""
    mechanism: Required[Mechanism]
    """Noise that protects what nodes send."""
    match: Match
    """Privacy that the arms have in common: the noise of each is calibrated to it; absent, as the
    mechanism says.
    """
    budget: Budget
    """Limit on the privacy loss of every node over the run; absent, none."""
    seeds: Seeds
    """Seeds of the runs."""
    sweep: Sweep | None
    """Arms of the scenario, by the values they set, where null is as absent; absent, one arm."""
    tune: Tune
    """Trials from which the verb tune chooses values of keys; other verbs do not read it; absent, there
    are none.
    """
    tuned: Sequence[Tuned]
    """Values that the verb tune has chosen, and the privacy cost of its trials, as it wrote them; absent,
    none.
    """
    measure: Measure
    """Metrics to record, with their steps and nodes."""
    plots: Sequence[Plots]
    """Figures to draw; absent, the usual ones; an empty list, none."""
    checkpoint: Checkpoint
    """How often the state of a run is saved, so that one that is killed can go on."""


#: The kinds of adversaries; ``starling.describe(KIND)`` has more of each.
Adversaries: TypeAlias = NoneAdversaries | SignFlipAdversaries | ScaledAdversaries | LittleIsEnoughAdversaries | SilentAdversaries


#: The kinds of algorithm; ``starling.describe(KIND)`` has more of each.
Algorithm: TypeAlias = DpdoncAlgorithm | OflAlgorithm | OpestochAlgorithm | FedsvtAlgorithm | DpflAlgorithm | AliDpflAlgorithm | FedavgAlgorithm | CentralAlgorithm | DpFtrlAlgorithm | DpFedavgAlgorithm | DpScaffoldAlgorithm | FedbuffAlgorithm | DsgdAlgorithm | SgpAlgorithm | PushDigingAlgorithm | ChocoAlgorithm | DecorAlgorithm | MuffliatoAlgorithm | RandomWalkAlgorithm | LocalAlgorithm | PythonAlgorithm | OwnServerAlgorithm


#: The kinds of combine; ``starling.describe(KIND)`` has more of each.
Combine: TypeAlias = MeanCombine | MedianCombine | TrimmedMeanCombine | KrumCombine | ClippedGossipCombine


#: The kinds of compression; ``starling.describe(KIND)`` has more of each.
Compression: TypeAlias = TopKCompression | RandomKCompression | DitheringCompression | SignCompression


#: The kinds of divergence; ``starling.describe(KIND)`` has more of each.
Divergence: TypeAlias = EuclideanDivergence | MahalanobisDivergence | EntropyDivergence


#: The kinds of mechanism; ``starling.describe(KIND)`` has more of each.
Mechanism: TypeAlias = LaplaceMechanism | GaussianMechanism | NoneMechanism | IndependentMechanism | TreeMechanism | TreeOnlineMechanism | TreeFullMechanism | ToeplitzMechanism | BandedToeplitzMechanism | BltMechanism | OptimalMechanism | ArSumMechanism | StrategyMechanism | DpFwMechanism | SparseVectorMechanism | SampledGaussianMechanism


#: The kinds of network; ``starling.describe(KIND)`` has more of each.
Network: TypeAlias = IdealNetwork | EffectsNetwork


#: The kinds of problem; ``starling.describe(KIND)`` has more of each.
Problem: TypeAlias = LocalizationProblem | LogisticProblem | RobustRegressionProblem | SyntheticLogisticProblem | ImagesProblem | TableProblem | PythonProblem | PythonRowsProblem | UniformZeroProblem | LinearProblem | GaussianSoftmaxProblem | LowerBoundTheorem2Problem | OneSelectProblem | LowerBoundTheorem3Problem | MovielensProblem | FromFileProblem


#: The kinds of set; ``starling.describe(KIND)`` has more of each.
Set: TypeAlias = L1BallSet | L2BallSet | BoxSet | SimplexSet


#: The kinds of topology; ``starling.describe(KIND)`` has more of each.
Topology: TypeAlias = PrintedTopology | MatricesTopology | RingTopology | CompleteTopology | CirculantTopology | PermutationsTopology | PathTopology | TorusTopology | HypercubeTopology | ExponentialTopology | OnePeerTopology | ErdosRenyiTopology | KOutTopology | RandomRegularTopology | SmallWorldTopology | PreferentialAttachmentTopology | MatchingTopology | StochasticBlockTopology | GeometricTopology | MarkovEdgesTopology | CycleTopology | UnionTopology | ClustersTopology | EmptyTopology | EdgeListTopology | GraphmlTopology | StarTopology | TiersTopology


Events: TypeAlias = Sequence[Event]


class adversaries:
    """The kinds of adversaries; ``starling.describe(KIND)`` has more of each."""

    @staticmethod
    def none(
        *,
        share: float | None = None,
        nodes: int | Numbers | None = None,
    ) -> NoneAdversaries:
        """No node is Byzantine.

        Args:
            share: share of the nodes that are Byzantine, of federated algorithms of the clients, to the
                nearest number of them; they are drawn from the first seed, and the same in all arms and
                runs; absent, nodes says who (in share)
            nodes: the Byzantine nodes; absent, share says how many (in node number)
        """
        return cast('NoneAdversaries', _made('none', locals()))

    @staticmethod
    def sign_flip(
        *,
        share: float | None = None,
        nodes: int | Numbers | None = None,
    ) -> SignFlipAdversaries:
        """Byzantine nodes send their vectors with the opposite sign.

        Args:
            share: share of the nodes that are Byzantine, of federated algorithms of the clients, to the
                nearest number of them; they are drawn from the first seed, and the same in all arms and
                runs; absent, nodes says who (in share)
            nodes: the Byzantine nodes; absent, share says how many (in node number)
        """
        return cast('SignFlipAdversaries', _made('sign-flip', locals()))

    @staticmethod
    def scaled(
        *,
        factor: float,
        share: float | None = None,
        nodes: int | Numbers | None = None,
    ) -> ScaledAdversaries:
        """Byzantine nodes send a multiple of their vectors.

        Args:
            share: share of the nodes that are Byzantine, of federated algorithms of the clients, to the
                nearest number of them; they are drawn from the first seed, and the same in all arms and
                runs; absent, nodes says who (in share)
            nodes: the Byzantine nodes; absent, share says how many (in node number)
            factor: factor by which liars multiply their vectors
        """
        return cast('ScaledAdversaries', _made('scaled', locals()))

    @staticmethod
    def little_is_enough(
        *,
        share: float | None = None,
        nodes: int | Numbers | None = None,
        z: float | None = None,
        omniscient: bool | None = None,
    ) -> LittleIsEnoughAdversaries:
        """Byzantine nodes send the mean less a few standard deviations of every coordinate, within the spread
        of honest nodes (Baruch, Baruch, Goldberg).

        Args:
            share: share of the nodes that are Byzantine, of federated algorithms of the clients, to the
                nearest number of them; they are drawn from the first seed, and the same in all arms and
                runs; absent, nodes says who (in share)
            nodes: the Byzantine nodes; absent, share says how many (in node number)
            z: number of standard deviations below the mean of the vectors that liars send; absent, the
                largest number at which s honest nodes, a majority with the liars, are still further away:
                the normal quantile of (n - m - s)/(n - m), s = floor(n/2 + 1) - m, for n vectors at a
                receiver, m of them of liars (in deviations)
            omniscient: attackers know the honest messages to a receiver, and lie by their mean and
                deviation; absent, by the mean and deviation of their own honest messages, of which a
                receiver needs two; default False
        """
        return cast('LittleIsEnoughAdversaries', _made('little-is-enough', locals()))

    @staticmethod
    def silent(
        *,
        share: float | None = None,
        nodes: int | Numbers | None = None,
    ) -> SilentAdversaries:
        """Byzantine nodes send nothing.

        Args:
            share: share of the nodes that are Byzantine, of federated algorithms of the clients, to the
                nearest number of them; they are drawn from the first seed, and the same in all arms and
                runs; absent, nodes says who (in share)
            nodes: the Byzantine nodes; absent, share says how many (in node number)
        """
        return cast('SilentAdversaries', _made('silent', locals()))


class algorithm:
    """The kinds of algorithm; ``starling.describe(KIND)`` has more of each."""

    @staticmethod
    def dpdonc(
        *,
        divergence: Divergence,
        step: Step | None = None,
        positivity: Literal['clip-mean', 'dual-average'] | None = None,
        consensus: Literal['average', 'push-sum'] | None = None,
        floor: float | None = None,
        start: Numbers | None = None,
        theta: float | None = None,
        gradient_bound: Literal['error', 'clip'] | None = None,
        missing: Literal['drop', 'renormalise', 'hold', 'running-sum'] | None = None,
        combine: Combine | None = None,
        late: Literal['drop', 'use'] | None = None,
        feedback: Feedback | None = None,
    ) -> DpdoncAlgorithm:
        """DPDO-NC: private distributed online mirror descent on time-varying digraphs (Zhou, Li).

        Args:
            divergence: Bregman divergence D_phi of the mirror step
            step: step size alpha_t
            positivity: how noisy points are made positive for the entropy divergence: clip-mean raises the
                entries of their mean to the floor, dual-average averages logarithms of raised entries;
                default 'clip-mean'
            consensus: how messages are made one: average sums them with doubly stochastic weights, as the
                paper does, push-sum divides by a mass that is sent along, for weights that are column
                stochastic only (uniform-out), and leaves the paper; default 'average'
            floor: smallest entry that positivity leaves; only the entropy divergence uses it; default 1e-06
            start: x_1, a point of the set, d numbers; absent, where the problem says that its model begins,
                or the centre of the set (in coordinates)
            theta: bound on the 2-norm of every gradient; absent, the problem's own (in 2-norm)
            gradient_bound: effect of a gradient longer than theta: error fails the run, clip scales it down
                to theta; default 'error'
            missing: treatment of messages that did not arrive: drop sums the others, renormalise scales
                their sum to the expected weight, hold reuses the last message of that neighbour;
                running-sum, only for push-sum, sends the sum of all vectors of a link, so that the next
                message makes up for a lost one; default 'drop'
            combine: how a node makes one vector of those that it hears, where nodes may be Byzantine;
                absent, mean, the sum with the weights of the graph
            late: treatment of late messages: use takes them with the weight they were sent with, drop
                ignores them; default 'use'
            feedback: feedback of a step; absent, the gradient
        """
        return cast('DpdoncAlgorithm', _made('dpdonc', locals()))

    @staticmethod
    def ofl(
        *,
        tau: int,
        local_step: float,
        version: int | None = None,
        global_step: float | None = None,
        start: Numbers | None = None,
        gradient_bound: float | None = None,
        on_bound: Literal['error', 'clip'] | None = None,
        sensitivity: Literal['bound', 'convex'] | None = None,
        weights: Literal['equal', 'inverse-variance'] | None = None,
        late: Literal['drop', 'use'] | None = None,
    ) -> OflAlgorithm:
        """Online federated learning with noise that is correlated over time, on every step or every round
        (Zhang, Zhu, Fay, Johansson).

        Args:
            version: vectors that carry noise: 2, those of every local step; 1, the average of each round;
                default 2
            tau: local steps in a round, tau; it divides the horizon (in steps)
            local_step: local step size, eta
            global_step: global step size, eta_g; default 1
            start: x^0, d numbers; absent, zero, or the centre of the set of the problem (in coordinates)
            gradient_bound: B_g, the 2-norm that no gradient exceeds; absent, that of the problem on its
                set, where it has one (in 2-norm)
            on_bound: effect of a gradient longer than B_g: clip scales it down, error fails the run;
                default 'clip'
            sensitivity: how far a datum moves an input of the mechanism: bound 2 B_g; convex 2 B_g/tau, in
                version 1 for convex smooth losses with eta at most 2/L; default 'bound'
            weights: weights of the messages of learners in the mean of a round: equal or, where learners
                have an epsilon of their own (mechanism.groups), in proportion to the inverse of the
                variance of their noise; default 'equal'
            late: in networks with effects, treatment of vectors that come after their round: drop leaves
                them out, use averages them in the round in which they come; default 'drop'
        """
        return cast('OflAlgorithm', _made('ofl', locals()))

    @staticmethod
    def opestoch(
        *,
        variant: Literal['local', 'approximate', 'central'] | None = None,
        batch: Literal['theorem-1', 'corollary-1'] | None = None,
        trees: int | None = None,
        start: Numbers | None = None,
    ) -> OpestochAlgorithm:
        """Fed-DP-OPE-Stoch: federated prediction from experts against a stochastic adversary, by private
        Frank-Wolfe on trees (Gao, Huang, Yang).

        Args:
            variant: participants that add noise: local, every client; approximate, every client, for
                (epsilon, delta); central, the server, which clients trust; default 'local'
            batch: losses at the root of a tree: theorem-1 draws b = 2^(p-1)/(p-1)^2, corollary-1 about 2/3
                of the phase before, for one tree of depth 1; default 'theorem-1'
            trees: trees of a phase, T1, as far as it has losses for them; absent, those of the theorem (in
                trees)
            start: z, a point of the simplex, d numbers; absent, uniform (in coordinates)
        """
        return cast('OpestochAlgorithm', _made('opestoch', locals()))

    @staticmethod
    def fedsvt(
        *,
        interval: int,
        variant: Literal['pure', 'approximate'] | None = None,
        kappa: float | None = None,
        rho: float | None = None,
        lstar: float | None = None,
        start: int | None = None,
    ) -> FedsvtAlgorithm:
        """Fed-SVT: federated prediction from experts against an oblivious adversary, with a nearly perfect
        expert, by the sparse vector technique (Gao, Huang, Yang).

        Args:
            interval: steps between exchanges, N (in steps)
            variant: privacy that switches are tuned for: pure has eta = eps/(2 kappa), approximate eta =
                eps/sqrt(kappa log(1/delta)); default 'pure'
            kappa: switching budget; absent, 3 ceil(log2 d) + 24 ln(1/rho) (in switches)
            rho: chance of failure that kappa and the threshold are chosen for (in probability); default 0.1
            lstar: L*, a bound on the total loss of some expert for every client; absent, 0 (in loss)
            start: x_0, an expert from 1; absent, drawn uniformly for each seed (in expert number)
        """
        return cast('FedsvtAlgorithm', _made('fedsvt', locals()))

    @staticmethod
    def dpfl(
        *,
        learning_rate: float,
        clip: float | Literal['none'],
        tau: int | None = None,
        samples: int | None = None,
        batch: int | None = None,
        start: Numbers | None = None,
        control: float | None = None,
        statistics: Literal['as-printed', 'private', 'public'] | None = None,
        statistics_samples: int | None = None,
        statistics_sigma: float | None = None,
        statistics_lipschitz: float | None = None,
        statistics_clip: float | None = None,
        late: Literal['drop', 'use'] | None = None,
        stragglers: Stragglers | None = None,
    ) -> DpflAlgorithm:
        """DPFL: federated learning with a fixed number of local DP-SGD steps in a round (Ling, Fu, Wang, Liu,
        Chen).

        Args:
            tau: local steps in a round, tau; dpfl needs it; absent, chosen, by ali-dpfl (in steps)
            learning_rate: learning rate eta
            samples: samples of each client, the first that it has, which stay for the whole run; absent,
                100 of a stream, and of images all (in samples)
            batch: expected size of a batch, B; a client samples at the rate q = B/|D_i|; absent, every
                local step takes all of a client's data, which all mechanisms but sampled-gaussian and none
                need (in samples)
            clip: 2-norm C that gradients of samples are clipped to, or none, which only a run without noise
                can have (in 2-norm)
            start: initial model, d numbers; absent, zeros without hidden layers, and random weights with
                them (in coordinates)
            control: control constant c_G = phi lambda^2 of ali-dpfl, which the paper does not print: a
                small one always chooses 1, a large one spends both budgets; default 1
            statistics: source of rho_i, beta_i and the gradients of ali-dpfl: as-printed, raw data, which
                is not private; private, clipped and perturbed; public, public images; default 'as-printed'
            statistics_samples: samples that a client expects to use for the statistics of a turn; absent,
                all (in samples)
            statistics_sigma: noise multiplier of private statistics, which need it; absent, none (in
                clipping norms)
            statistics_lipschitz: bound on the change of a sample's loss per distance of models, of private
                statistics, which need it; absent, none (in loss a distance)
            statistics_clip: 2-norm that gradients are clipped to in private statistics, which need it;
                absent, none (in 2-norm)
            late: in networks with effects, treatment of models that come after their round: drop leaves
                them out, use averages them in the round of their arrival; default 'drop'
            stragglers: clients that have time for fewer local steps in a round than tau, drawn from the
                seed; ali-dpfl, which chooses tau, refuses them; absent, every client takes all
        """
        return cast('DpflAlgorithm', _made('dpfl', locals()))

    @staticmethod
    def ali_dpfl(
        *,
        learning_rate: float,
        clip: float | Literal['none'],
        tau: int | None = None,
        samples: int | None = None,
        batch: int | None = None,
        start: Numbers | None = None,
        control: float | None = None,
        statistics: Literal['as-printed', 'private', 'public'] | None = None,
        statistics_samples: int | None = None,
        statistics_sigma: float | None = None,
        statistics_lipschitz: float | None = None,
        statistics_clip: float | None = None,
        late: Literal['drop', 'use'] | None = None,
        stragglers: Stragglers | None = None,
    ) -> AliDpflAlgorithm:
        """ALI-DPFL: DPFL with a number of local steps that adapts in every round to the remaining rounds and
        privacy budget.

        Args:
            tau: local steps in a round, tau; dpfl needs it; absent, chosen, by ali-dpfl (in steps)
            learning_rate: learning rate eta
            samples: samples of each client, the first that it has, which stay for the whole run; absent,
                100 of a stream, and of images all (in samples)
            batch: expected size of a batch, B; a client samples at the rate q = B/|D_i|; absent, every
                local step takes all of a client's data, which all mechanisms but sampled-gaussian and none
                need (in samples)
            clip: 2-norm C that gradients of samples are clipped to, or none, which only a run without noise
                can have (in 2-norm)
            start: initial model, d numbers; absent, zeros without hidden layers, and random weights with
                them (in coordinates)
            control: control constant c_G = phi lambda^2 of ali-dpfl, which the paper does not print: a
                small one always chooses 1, a large one spends both budgets; default 1
            statistics: source of rho_i, beta_i and the gradients of ali-dpfl: as-printed, raw data, which
                is not private; private, clipped and perturbed; public, public images; default 'as-printed'
            statistics_samples: samples that a client expects to use for the statistics of a turn; absent,
                all (in samples)
            statistics_sigma: noise multiplier of private statistics, which need it; absent, none (in
                clipping norms)
            statistics_lipschitz: bound on the change of a sample's loss per distance of models, of private
                statistics, which need it; absent, none (in loss a distance)
            statistics_clip: 2-norm that gradients are clipped to in private statistics, which need it;
                absent, none (in 2-norm)
            late: in networks with effects, treatment of models that come after their round: drop leaves
                them out, use averages them in the round of their arrival; default 'drop'
            stragglers: clients that have time for fewer local steps in a round than tau, drawn from the
                seed; ali-dpfl, which chooses tau, refuses them; absent, every client takes all
        """
        return cast('AliDpflAlgorithm', _made('ali-dpfl', locals()))

    @staticmethod
    def fedavg(
        *,
        learning_rate: float,
        tau: int | None = None,
        batch: int | None = None,
        mu: float | None = None,
        late: Literal['drop', 'use'] | None = None,
        stragglers: Stragglers | None = None,
        samples: int | None = None,
        start: Numbers | None = None,
    ) -> FedavgAlgorithm:
        """FedAvg: the mean of the clients' models after local steps, without noise (McMahan et al.); with mu,
        FedProx (Li et al.).

        Args:
            tau: local steps of a client in a round (in steps); default 1
            batch: expected size of a batch; absent, every local step takes all of a client's data (in
                samples)
            mu: weight of FedProx's term mu/2 ||x - the server's model||^2 in the loss of local steps;
                absent, 0, which is FedAvg
            late: in networks with effects, treatment of models that come after their round: drop leaves
                them out, use averages them in the round of their arrival; default 'drop'
            stragglers: clients that have time for fewer local steps in a round than tau, drawn from the
                seed; absent, every client takes all
            learning_rate: step size of every step
            samples: samples of each client, the first that it has, which stay for the whole run; absent,
                100 of a stream, and of images all (in samples)
            start: initial model, d numbers; absent, zeros without hidden layers, and random weights with
                them (in coordinates)
        """
        return cast('FedavgAlgorithm', _made('fedavg', locals()))

    @staticmethod
    def central(
        *,
        learning_rate: float,
        batch: int | None = None,
        clip: float | Literal['none'] | None = None,
        samples: int | None = None,
        start: Numbers | None = None,
    ) -> CentralAlgorithm:
        """Gradient descent on the data of all clients in one place; with noise, DP-SGD (Abadi et al.).

        Args:
            batch: expected size of a batch of all data together; absent, every step takes all, which all
                mechanisms but sampled-gaussian and none need (in samples)
            clip: 2-norm that gradients of samples are clipped to, which noise needs; absent, none (in
                2-norm)
            learning_rate: step size of every step
            samples: samples of each client, the first that it has, which stay for the whole run; absent,
                100 of a stream, and of images all (in samples)
            start: initial model, d numbers; absent, zeros without hidden layers, and random weights with
                them (in coordinates)
        """
        return cast('CentralAlgorithm', _made('central', locals()))

    @staticmethod
    def dp_ftrl(
        *,
        clip: float | Literal['none'],
        learning_rate: float,
        server_rate: float | None = None,
        momentum: float | None = None,
        level: Literal['user', 'record'] | None = None,
        clips: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3 | None = None,
        filters: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3 | None = None,
        tau: int | None = None,
        batch: int | None = None,
        rate: float | None = None,
        draw: Literal['clients', 'server'] | None = None,
        cohort: int | None = None,
        rates: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3 | None = None,
        groups: int | None = None,
        apart: int | None = None,
        times: int | None = None,
        attendance: Attendance | None = None,
        amplified: bool | None = None,
        stragglers: Stragglers | None = None,
        aggregation: Aggregation | None = None,
        samples: int | None = None,
        combine: Combine | None = None,
        panel: int | None = None,
        start: Numbers | None = None,
    ) -> DpFtrlAlgorithm:
        """DP-FTRL: x_t = x_0 + eta (A G + B Z)_t, with A G the sums of the mean clipped updates, and noise B Z
        of a trusted server, for clients that take part several times (Kairouz et al.; Choquette-Choo et
        al.; McMahan et al.).

        Args:
            server_rate: eta, by which the server multiplies the sum of all mean updates so far; default 1
            momentum: gamma, share of the last move of the server that its next move has besides: a function
                of noised sums, which costs no privacy; absent, 0
            level: unit of protection: user, a client with all of its data, by noise of the server, which is
                trusted; record, one sample of a client, by noise of the client in every local step; default
                'user'
            clip: 2-norm to which the vector of a client is clipped, or with level: record the gradient of
                every sample; or none, which only a run without noise can have (in 2-norm)
            clips: clients with a clip of their own in place of clip, at the noise of clip, of a trusted
                server or of sums of Gaussian shares that hide them: a list of groups, a file with a line
                for each client, a law from which they are drawn, or a column of the problem's own data;
                absent, all have clip
            filters: clients with an individual filter, each with a rho of its own: a client spends by the
                length of its vectors, which are shortened so that a run costs it at most rho in
                zero-concentrated privacy: a list of groups, a file with a line for each client, a law from
                which they are drawn, or a column of the problem's own data; with the Gaussian noise of a
                trusted server, and rate 1; absent, no client has one
            tau: local steps of a client in a round (in steps); default 1
            learning_rate: step size of local steps
            batch: expected size of a batch, drawn for every local step; absent, all data of the client (in
                samples)
            rate: probability with which a client takes part in a round that it may take part in, drawn by
                itself (in probability); default 1
            draw: how the clients of a round are drawn: clients, each by itself, and a run holds all of
                them; or server, by the same law from the seed, and a run holds only the clients of the
                round, so that its cost does not grow with nodes; absent, clients
            cohort: m, with draw: server: so many clients take part in every round, drawn without
                replacement from those that may; absent, each takes part with probability rate (in clients)
            rates: clients with a sampling rate of their own, at most 1, in place of rate: a list of groups,
                a file with a line for each client, a law from which they are drawn, or a column of the
                problem's own data; absent, all have rate
            groups: b, groups of clients that take turns: client i may take part in the rounds whose number
                less i is a multiple of it (in groups); default 1
            apart: b, at least so many rounds lie between the beginnings of two rounds that a client takes
                part in (in rounds); default 1
            times: k, in so many rounds a client takes part at most; absent, no limit (in rounds)
            attendance: clients of each round by a list, in place of draws: a round has the clients that a
                file names for it; absent, they are drawn
            amplified: whether secret participation amplifies the privacy of noise that is correlated over
                rounds: of banded-toeplitz with at most as many bands as there are groups, and of
                independent noise, where the rounds of a group are so many steps of the sampled Gaussian
                mechanism (Choquette-Choo et al. 2023, Theorem 4); default False
            stragglers: clients that have time for fewer local steps in a round than tau, drawn from the
                seed; absent, every client takes all
            aggregation: messages of a round that the server sees, with level: user, where it is not
                trusted; absent, it is trusted, and sees all of them
            samples: samples of each client, the first that it has, which stay for the whole run; absent,
                100 of a stream, and of images all (in samples)
            combine: how the server makes one of the vectors of a round, where clients may be Byzantine;
                absent, mean, their sum divided by the number that is expected; any other is of those that
                arrive, and needs level: record or no noise
            panel: with draw: server, clients drawn from the seed whose data judge the models: loss.train
                and accuracy.test are means over them, with their standard errors in loss.train.error and
                accuracy.test.error; absent, 100, or all where there are fewer (in clients)
            start: initial model, d numbers; absent, zeros without hidden layers, and random weights with
                them (in coordinates)
        """
        return cast('DpFtrlAlgorithm', _made('dp-ftrl', locals()))

    @staticmethod
    def dp_fedavg(
        *,
        clip: float | Literal['none'],
        learning_rate: float,
        server_rate: float | None = None,
        level: Literal['user', 'record'] | None = None,
        clips: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3 | None = None,
        filters: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3 | None = None,
        tau: int | None = None,
        batch: int | None = None,
        rate: float | None = None,
        draw: Literal['clients', 'server'] | None = None,
        cohort: int | None = None,
        rates: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3 | None = None,
        groups: int | None = None,
        apart: int | None = None,
        times: int | None = None,
        attendance: Attendance | None = None,
        amplified: bool | None = None,
        stragglers: Stragglers | None = None,
        aggregation: Aggregation | None = None,
        samples: int | None = None,
        combine: Combine | None = None,
        panel: int | None = None,
        start: Numbers | None = None,
    ) -> DpFedavgAlgorithm:
        """DP-FedAvg: x <- x + eta_g (sum of clipped updates of sampled clients + noise)/(q N), with noise of a
        trusted server or of clients (McMahan et al.; Noble et al.).

        Args:
            server_rate: eta_g, by which the server multiplies the mean update; default 1
            level: unit of protection: user, a client with all of its data, by noise of the server, which is
                trusted; record, one sample of a client, by noise of the client in every local step; default
                'user'
            clip: 2-norm to which the vector of a client is clipped, or with level: record the gradient of
                every sample; or none, which only a run without noise can have (in 2-norm)
            clips: clients with a clip of their own in place of clip, at the noise of clip, of a trusted
                server or of sums of Gaussian shares that hide them: a list of groups, a file with a line
                for each client, a law from which they are drawn, or a column of the problem's own data;
                absent, all have clip
            filters: clients with an individual filter, each with a rho of its own: a client spends by the
                length of its vectors, which are shortened so that a run costs it at most rho in
                zero-concentrated privacy: a list of groups, a file with a line for each client, a law from
                which they are drawn, or a column of the problem's own data; with the Gaussian noise of a
                trusted server, and rate 1; absent, no client has one
            tau: local steps of a client in a round (in steps); default 1
            learning_rate: step size of local steps
            batch: expected size of a batch, drawn for every local step; absent, all data of the client (in
                samples)
            rate: probability with which a client takes part in a round that it may take part in, drawn by
                itself (in probability); default 1
            draw: how the clients of a round are drawn: clients, each by itself, and a run holds all of
                them; or server, by the same law from the seed, and a run holds only the clients of the
                round, so that its cost does not grow with nodes; absent, clients
            cohort: m, with draw: server: so many clients take part in every round, drawn without
                replacement from those that may; absent, each takes part with probability rate (in clients)
            rates: clients with a sampling rate of their own, at most 1, in place of rate: a list of groups,
                a file with a line for each client, a law from which they are drawn, or a column of the
                problem's own data; absent, all have rate
            groups: b, groups of clients that take turns: client i may take part in the rounds whose number
                less i is a multiple of it (in groups); default 1
            apart: b, at least so many rounds lie between the beginnings of two rounds that a client takes
                part in (in rounds); default 1
            times: k, in so many rounds a client takes part at most; absent, no limit (in rounds)
            attendance: clients of each round by a list, in place of draws: a round has the clients that a
                file names for it; absent, they are drawn
            amplified: whether secret participation amplifies the privacy of noise that is correlated over
                rounds: of banded-toeplitz with at most as many bands as there are groups, and of
                independent noise, where the rounds of a group are so many steps of the sampled Gaussian
                mechanism (Choquette-Choo et al. 2023, Theorem 4); default False
            stragglers: clients that have time for fewer local steps in a round than tau, drawn from the
                seed; absent, every client takes all
            aggregation: messages of a round that the server sees, with level: user, where it is not
                trusted; absent, it is trusted, and sees all of them
            samples: samples of each client, the first that it has, which stay for the whole run; absent,
                100 of a stream, and of images all (in samples)
            combine: how the server makes one of the vectors of a round, where clients may be Byzantine;
                absent, mean, their sum divided by the number that is expected; any other is of those that
                arrive, and needs level: record or no noise
            panel: with draw: server, clients drawn from the seed whose data judge the models: loss.train
                and accuracy.test are means over them, with their standard errors in loss.train.error and
                accuracy.test.error; absent, 100, or all where there are fewer (in clients)
            start: initial model, d numbers; absent, zeros without hidden layers, and random weights with
                them (in coordinates)
        """
        return cast('DpFedavgAlgorithm', _made('dp-fedavg', locals()))

    @staticmethod
    def dp_scaffold(
        *,
        clip: float | Literal['none'],
        learning_rate: float,
        server_rate: float | None = None,
        level: Literal['user', 'record'] | None = None,
        clips: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3 | None = None,
        filters: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3 | None = None,
        tau: int | None = None,
        batch: int | None = None,
        rate: float | None = None,
        draw: Literal['clients', 'server'] | None = None,
        cohort: int | None = None,
        rates: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3 | None = None,
        groups: int | None = None,
        apart: int | None = None,
        times: int | None = None,
        attendance: Attendance | None = None,
        amplified: bool | None = None,
        stragglers: Stragglers | None = None,
        aggregation: Aggregation | None = None,
        samples: int | None = None,
        combine: Combine | None = None,
        panel: int | None = None,
        start: Numbers | None = None,
    ) -> DpScaffoldAlgorithm:
        """DP-SCAFFOLD: local steps y <- y - eta_l (g - c_i + c), with control variates for different clients,
        and noise of clients or of a trusted server (Noble, Bellet, Dieuleveut).

        Args:
            server_rate: eta_g, by which the server multiplies the mean update; default 1
            level: unit of protection: user, a client with all of its data, by noise of the server, which is
                trusted; record, one sample of a client, by noise of the client in every local step; default
                'user'
            clip: 2-norm to which the vector of a client is clipped, or with level: record the gradient of
                every sample; or none, which only a run without noise can have (in 2-norm)
            clips: clients with a clip of their own in place of clip, at the noise of clip, of a trusted
                server or of sums of Gaussian shares that hide them: a list of groups, a file with a line
                for each client, a law from which they are drawn, or a column of the problem's own data;
                absent, all have clip
            filters: clients with an individual filter, each with a rho of its own: a client spends by the
                length of its vectors, which are shortened so that a run costs it at most rho in
                zero-concentrated privacy: a list of groups, a file with a line for each client, a law from
                which they are drawn, or a column of the problem's own data; with the Gaussian noise of a
                trusted server, and rate 1; absent, no client has one
            tau: local steps of a client in a round (in steps); default 1
            learning_rate: step size of local steps
            batch: expected size of a batch, drawn for every local step; absent, all data of the client (in
                samples)
            rate: probability with which a client takes part in a round that it may take part in, drawn by
                itself (in probability); default 1
            draw: how the clients of a round are drawn: clients, each by itself, and a run holds all of
                them; or server, by the same law from the seed, and a run holds only the clients of the
                round, so that its cost does not grow with nodes; absent, clients
            cohort: m, with draw: server: so many clients take part in every round, drawn without
                replacement from those that may; absent, each takes part with probability rate (in clients)
            rates: clients with a sampling rate of their own, at most 1, in place of rate: a list of groups,
                a file with a line for each client, a law from which they are drawn, or a column of the
                problem's own data; absent, all have rate
            groups: b, groups of clients that take turns: client i may take part in the rounds whose number
                less i is a multiple of it (in groups); default 1
            apart: b, at least so many rounds lie between the beginnings of two rounds that a client takes
                part in (in rounds); default 1
            times: k, in so many rounds a client takes part at most; absent, no limit (in rounds)
            attendance: clients of each round by a list, in place of draws: a round has the clients that a
                file names for it; absent, they are drawn
            amplified: whether secret participation amplifies the privacy of noise that is correlated over
                rounds: of banded-toeplitz with at most as many bands as there are groups, and of
                independent noise, where the rounds of a group are so many steps of the sampled Gaussian
                mechanism (Choquette-Choo et al. 2023, Theorem 4); default False
            stragglers: clients that have time for fewer local steps in a round than tau, drawn from the
                seed; absent, every client takes all
            aggregation: messages of a round that the server sees, with level: user, where it is not
                trusted; absent, it is trusted, and sees all of them
            samples: samples of each client, the first that it has, which stay for the whole run; absent,
                100 of a stream, and of images all (in samples)
            combine: how the server makes one of the vectors of a round, where clients may be Byzantine;
                absent, mean, their sum divided by the number that is expected; any other is of those that
                arrive, and needs level: record or no noise
            panel: with draw: server, clients drawn from the seed whose data judge the models: loss.train
                and accuracy.test are means over them, with their standard errors in loss.train.error and
                accuracy.test.error; absent, 100, or all where there are fewer (in clients)
            start: initial model, d numbers; absent, zeros without hidden layers, and random weights with
                them (in coordinates)
        """
        return cast('DpScaffoldAlgorithm', _made('dp-scaffold', locals()))

    @staticmethod
    def fedbuff(
        *,
        buffer: int,
        clip: float | Literal['none'],
        learning_rate: float,
        concurrency: int | None = None,
        staleness: Literal['sqrt', 'constant'] | None = None,
        server_rate: float | None = None,
        level: Literal['user', 'record'] | None = None,
        clips: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3 | None = None,
        filters: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3 | None = None,
        tau: int | None = None,
        batch: int | None = None,
        rate: float | None = None,
        draw: Literal['clients', 'server'] | None = None,
        cohort: int | None = None,
        rates: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3 | None = None,
        groups: int | None = None,
        apart: int | None = None,
        times: int | None = None,
        attendance: Attendance | None = None,
        amplified: bool | None = None,
        stragglers: Stragglers | None = None,
        aggregation: Aggregation | None = None,
        samples: int | None = None,
        combine: Combine | None = None,
        panel: int | None = None,
        start: Numbers | None = None,
    ) -> FedbuffAlgorithm:
        """FedBuff: x <- x + eta_g (sum of K clipped updates, weighted by staleness, in order of arrival +
        noise)/K, with noise of a trusted server (Nguyen et al.).

        Args:
            buffer: K, vectors of as many clients that the server waits for before it takes a step and sends
                its model; one that a client sends while another of its own is in the buffer is dropped (in
                vectors)
            concurrency: with clock: clients that are at work at a time, at most. A client is admitted while
                fewer are, begins with the newest model, and its vector arrives after its seconds; a step of
                the run is a step of the server; absent, messages take the turns of the network (in clients)
            staleness: weight of a vector that was computed tau server steps ago: sqrt, 1/sqrt(1 + tau);
                constant, 1. The sum is divided by K, whatever the weights; default 'sqrt'
            server_rate: eta_g, by which the server multiplies the mean of a buffer; default 1
            level: unit of protection: user, a client with all of its data, by noise of the server, which is
                trusted; record, one sample of a client, by noise of the client in every local step; default
                'user'
            clip: 2-norm to which the vector of a client is clipped, or with level: record the gradient of
                every sample; or none, which only a run without noise can have (in 2-norm)
            clips: clients with a clip of their own in place of clip, at the noise of clip, of a trusted
                server or of sums of Gaussian shares that hide them: a list of groups, a file with a line
                for each client, a law from which they are drawn, or a column of the problem's own data;
                absent, all have clip
            filters: clients with an individual filter, each with a rho of its own: a client spends by the
                length of its vectors, which are shortened so that a run costs it at most rho in
                zero-concentrated privacy: a list of groups, a file with a line for each client, a law from
                which they are drawn, or a column of the problem's own data; with the Gaussian noise of a
                trusted server, and rate 1; absent, no client has one
            tau: local steps of a client in a round (in steps); default 1
            learning_rate: step size of local steps
            batch: expected size of a batch, drawn for every local step; absent, all data of the client (in
                samples)
            rate: probability with which a client takes part in a round that it may take part in, drawn by
                itself (in probability); default 1
            draw: how the clients of a round are drawn: clients, each by itself, and a run holds all of
                them; or server, by the same law from the seed, and a run holds only the clients of the
                round, so that its cost does not grow with nodes; absent, clients
            cohort: m, with draw: server: so many clients take part in every round, drawn without
                replacement from those that may; absent, each takes part with probability rate (in clients)
            rates: clients with a sampling rate of their own, at most 1, in place of rate: a list of groups,
                a file with a line for each client, a law from which they are drawn, or a column of the
                problem's own data; absent, all have rate
            groups: b, groups of clients that take turns: client i may take part in the rounds whose number
                less i is a multiple of it (in groups); default 1
            apart: b, at least so many rounds lie between the beginnings of two rounds that a client takes
                part in (in rounds); default 1
            times: k, in so many rounds a client takes part at most; absent, no limit (in rounds)
            attendance: clients of each round by a list, in place of draws: a round has the clients that a
                file names for it; absent, they are drawn
            amplified: whether secret participation amplifies the privacy of noise that is correlated over
                rounds: of banded-toeplitz with at most as many bands as there are groups, and of
                independent noise, where the rounds of a group are so many steps of the sampled Gaussian
                mechanism (Choquette-Choo et al. 2023, Theorem 4); default False
            stragglers: clients that have time for fewer local steps in a round than tau, drawn from the
                seed; absent, every client takes all
            aggregation: messages of a round that the server sees, with level: user, where it is not
                trusted; absent, it is trusted, and sees all of them
            samples: samples of each client, the first that it has, which stay for the whole run; absent,
                100 of a stream, and of images all (in samples)
            combine: how the server makes one of the vectors of a round, where clients may be Byzantine;
                absent, mean, their sum divided by the number that is expected; any other is of those that
                arrive, and needs level: record or no noise
            panel: with draw: server, clients drawn from the seed whose data judge the models: loss.train
                and accuracy.test are means over them, with their standard errors in loss.train.error and
                accuracy.test.error; absent, 100, or all where there are fewer (in clients)
            start: initial model, d numbers; absent, zeros without hidden layers, and random weights with
                them (in coordinates)
        """
        return cast('FedbuffAlgorithm', _made('fedbuff', locals()))

    @staticmethod
    def dsgd(
        *,
        learning_rate: float | None = None,
        decay: float | None = None,
        start: Numbers | None = None,
        theta: float | None = None,
        gradient_bound: Literal['error', 'clip'] | None = None,
        missing: Literal['drop', 'renormalise', 'hold', 'running-sum'] | None = None,
        combine: Combine | None = None,
        late: Literal['drop', 'use'] | None = None,
        feedback: Feedback | None = None,
    ) -> DsgdAlgorithm:
        """Decentralised gradient descent on any topology, noise on every message (Nedic, Ozdaglar).

        Args:
            learning_rate: step size alpha_t = learning_rate/t^decay; default 0.5
            decay: how fast alpha_t falls: 0 keeps it, 1/2 is usual of convex losses, 1 of strongly convex
                ones; default 0.5
            start: x_1, a point of the set, d numbers; absent, where the problem says that its model begins,
                or the centre of the set (in coordinates)
            theta: bound on the 2-norm of every gradient; absent, the problem's own (in 2-norm)
            gradient_bound: effect of a gradient longer than theta: error fails the run, clip scales it down
                to theta; default 'error'
            missing: treatment of messages that did not arrive: drop sums the others, renormalise scales
                their sum to the expected weight, hold reuses the last message of that neighbour;
                running-sum, only for push-sum, sends the sum of all vectors of a link, so that the next
                message makes up for a lost one; default 'drop'
            combine: how a node makes one vector of those that it hears, where nodes may be Byzantine;
                absent, mean, the sum with the weights of the graph
            late: treatment of late messages: use takes them with the weight they were sent with, drop
                ignores them; default 'use'
            feedback: feedback of a step; absent, the gradient
        """
        return cast('DsgdAlgorithm', _made('dsgd', locals()))

    @staticmethod
    def sgp(
        *,
        learning_rate: float | None = None,
        decay: float | None = None,
        start: Numbers | None = None,
        theta: float | None = None,
        gradient_bound: Literal['error', 'clip'] | None = None,
        missing: Literal['drop', 'renormalise', 'hold', 'running-sum'] | None = None,
        combine: Combine | None = None,
        late: Literal['drop', 'use'] | None = None,
        feedback: Feedback | None = None,
    ) -> SgpAlgorithm:
        """Stochastic gradient push: gradient descent by push-sum on directed graphs, noise on every message
        (Assran et al.).

        Args:
            learning_rate: step size alpha_t = learning_rate/t^decay; default 0.5
            decay: how fast alpha_t falls: 0 keeps it, 1/2 is usual of convex losses, 1 of strongly convex
                ones; default 0.5
            start: x_1, a point of the set, d numbers; absent, where the problem says that its model begins,
                or the centre of the set (in coordinates)
            theta: bound on the 2-norm of every gradient; absent, the problem's own (in 2-norm)
            gradient_bound: effect of a gradient longer than theta: error fails the run, clip scales it down
                to theta; default 'error'
            missing: treatment of messages that did not arrive: drop sums the others, renormalise scales
                their sum to the expected weight, hold reuses the last message of that neighbour;
                running-sum, only for push-sum, sends the sum of all vectors of a link, so that the next
                message makes up for a lost one; default 'drop'
            combine: how a node makes one vector of those that it hears, where nodes may be Byzantine;
                absent, mean, the sum with the weights of the graph
            late: treatment of late messages: use takes them with the weight they were sent with, drop
                ignores them; default 'use'
            feedback: feedback of a step; absent, the gradient
        """
        return cast('SgpAlgorithm', _made('sgp', locals()))

    @staticmethod
    def push_diging(
        *,
        learning_rate: float | None = None,
        start: Numbers | None = None,
        theta: float | None = None,
        gradient_bound: Literal['error', 'clip'] | None = None,
        missing: Literal['drop', 'renormalise', 'hold', 'running-sum'] | None = None,
        combine: Combine | None = None,
        late: Literal['drop', 'use'] | None = None,
        feedback: Feedback | None = None,
    ) -> PushDigingAlgorithm:
        """Push-DIGing: gradient tracking by push-sum on time-varying digraphs, noise on the tracked vectors
        (Nedic, Olshevsky, Shi).

        Args:
            learning_rate: step size alpha, the same in all steps; default 0.1
            start: x_1, a point of the set, d numbers; absent, where the problem says that its model begins,
                or the centre of the set (in coordinates)
            theta: bound on the 2-norm of every gradient; absent, the problem's own (in 2-norm)
            gradient_bound: effect of a gradient longer than theta: error fails the run, clip scales it down
                to theta; default 'error'
            missing: treatment of messages that did not arrive: drop sums the others, renormalise scales
                their sum to the expected weight, hold reuses the last message of that neighbour;
                running-sum, only for push-sum, sends the sum of all vectors of a link, so that the next
                message makes up for a lost one; default 'drop'
            combine: how a node makes one vector of those that it hears, where nodes may be Byzantine;
                absent, mean, the sum with the weights of the graph
            late: treatment of late messages: use takes them with the weight they were sent with, drop
                ignores them; default 'use'
            feedback: feedback of a step; absent, the gradient
        """
        return cast('PushDigingAlgorithm', _made('push-diging', locals()))

    @staticmethod
    def choco(
        *,
        gamma: float,
        learning_rate: float | None = None,
        decay: float | None = None,
        start: Numbers | None = None,
        theta: float | None = None,
        gradient_bound: Literal['error', 'clip'] | None = None,
        missing: Literal['drop', 'renormalise', 'hold', 'running-sum'] | None = None,
        combine: Combine | None = None,
        late: Literal['drop', 'use'] | None = None,
        feedback: Feedback | None = None,
    ) -> ChocoAlgorithm:
        """CHOCO-SGD: descent with compressed gossip, q_i = Q(x_i - eta g_i - xhat_i), xhat_i += q_i, x_i +=
        gamma sum_j w_ij (xhat_j - xhat_i); Q is network.compression (Koloskova, Stich, Jaggi).

        Args:
            gamma: consensus step size of x_i = x_i + gamma sum_j w_ij (xhat_j - xhat_i): 1 without
                compression, and the smaller the more a codec loses; too large a one diverges
            learning_rate: step size eta_t = learning_rate/t^decay; default 0.5
            decay: how fast eta_t falls: 0 keeps it, 1/2 is usual of convex losses, 1 of strongly convex
                ones; default 0.5
            start: x_1, a point of the set, d numbers; absent, where the problem says that its model begins,
                or the centre of the set (in coordinates)
            theta: bound on the 2-norm of every gradient; absent, the problem's own (in 2-norm)
            gradient_bound: effect of a gradient longer than theta: error fails the run, clip scales it down
                to theta; default 'error'
            missing: treatment of messages that did not arrive: drop sums the others, renormalise scales
                their sum to the expected weight, hold reuses the last message of that neighbour;
                running-sum, only for push-sum, sends the sum of all vectors of a link, so that the next
                message makes up for a lost one; default 'drop'
            combine: how a node makes one vector of those that it hears, where nodes may be Byzantine;
                absent, mean, the sum with the weights of the graph
            late: treatment of late messages: use takes them with the weight they were sent with, drop
                ignores them; default 'use'
            feedback: feedback of a step; absent, the gradient
        """
        return cast('ChocoAlgorithm', _made('choco', locals()))

    @staticmethod
    def decor(
        *,
        correlated: float,
        learning_rate: float | None = None,
        decay: float | None = None,
        start: Numbers | None = None,
        theta: float | None = None,
        gradient_bound: Literal['error', 'clip'] | None = None,
        missing: Literal['drop', 'renormalise', 'hold', 'running-sum'] | None = None,
        combine: Combine | None = None,
        late: Literal['drop', 'use'] | None = None,
        feedback: Feedback | None = None,
    ) -> DecorAlgorithm:
        """DECOR: decentralised gradient descent with Gaussian noise that neighbours share and that cancels in
        the mean, x_i = sum_j w_ij (x_j - eta (g_j + v_j + sum_k v_jk)), v_jk = -v_kj (Allouah, Koloskova,
        El Firdoussi, Jaggi, Guerraoui).

        Args:
            learning_rate: step size alpha_t = learning_rate/t^decay; default 0.5
            decay: how fast alpha_t falls: 0 keeps it, 1/2 is usual of convex losses, 1 of strongly convex
                ones; default 0.5
            correlated: sigma_cor over sigma_cdp: the deviation of the noise shared with each neighbour,
                relative to the deviation of a node's own noise; 0 is dsgd with Gaussian noise, and the
                larger it is the less own noise is needed, and the more noise has to be averaged away (in
                deviations of a node's own noise)
            start: x_1, a point of the set, d numbers; absent, where the problem says that its model begins,
                or the centre of the set (in coordinates)
            theta: bound on the 2-norm of every gradient; absent, the problem's own (in 2-norm)
            gradient_bound: effect of a gradient longer than theta: error fails the run, clip scales it down
                to theta; default 'error'
            missing: treatment of messages that did not arrive: drop sums the others, renormalise scales
                their sum to the expected weight, hold reuses the last message of that neighbour;
                running-sum, only for push-sum, sends the sum of all vectors of a link, so that the next
                message makes up for a lost one; default 'drop'
            combine: how a node makes one vector of those that it hears, where nodes may be Byzantine;
                absent, mean, the sum with the weights of the graph
            late: treatment of late messages: use takes them with the weight they were sent with, drop
                ignores them; default 'use'
            feedback: feedback of a step; absent, the gradient
        """
        return cast('DecorAlgorithm', _made('decor', locals()))

    @staticmethod
    def muffliato(
        *,
        rounds: int,
        learning_rate: float | None = None,
        decay: float | None = None,
        start: Numbers | None = None,
        theta: float | None = None,
        gradient_bound: Literal['error', 'clip'] | None = None,
        missing: Literal['drop', 'renormalise', 'hold', 'running-sum'] | None = None,
        combine: Combine | None = None,
        late: Literal['drop', 'use'] | None = None,
        feedback: Feedback | None = None,
    ) -> MuffliatoAlgorithm:
        """Muffliato: y = z - eta (mean gradient) + noise once in K steps, and gossip z = sum_j w_ij y_j in
        every step; distant nodes learn less (Cyffers, Even, Bellet, Massoulie).

        Args:
            rounds: K: a noisy step of all nodes is followed by so many rounds of gossip, one a step, before
                the next; as many as the horizon are one release, private averaging (in steps)
            learning_rate: step size alpha_t = learning_rate/t^decay; default 0.5
            decay: how fast alpha_t falls: 0 keeps it, 1/2 is usual of convex losses, 1 of strongly convex
                ones; default 0.5
            start: x_1, a point of the set, d numbers; absent, where the problem says that its model begins,
                or the centre of the set (in coordinates)
            theta: bound on the 2-norm of every gradient; absent, the problem's own (in 2-norm)
            gradient_bound: effect of a gradient longer than theta: error fails the run, clip scales it down
                to theta; default 'error'
            missing: treatment of messages that did not arrive: drop sums the others, renormalise scales
                their sum to the expected weight, hold reuses the last message of that neighbour;
                running-sum, only for push-sum, sends the sum of all vectors of a link, so that the next
                message makes up for a lost one; default 'drop'
            combine: how a node makes one vector of those that it hears, where nodes may be Byzantine;
                absent, mean, the sum with the weights of the graph
            late: treatment of late messages: use takes them with the weight they were sent with, drop
                ignores them; default 'use'
            feedback: feedback of a step; absent, the gradient
        """
        return cast('MuffliatoAlgorithm', _made('muffliato', locals()))

    @staticmethod
    def random_walk(
        *,
        learning_rate: float | None = None,
        decay: float | None = None,
        start: Numbers | None = None,
        theta: float | None = None,
        gradient_bound: Literal['error', 'clip'] | None = None,
        missing: Literal['drop', 'renormalise', 'hold', 'running-sum'] | None = None,
        combine: Combine | None = None,
        late: Literal['drop', 'use'] | None = None,
        feedback: Feedback | None = None,
    ) -> RandomWalkAlgorithm:
        """Private random walk: a model walks the graph, x = P(x - alpha_t (gradient of the current node) +
        noise); a node learns of others when the model arrives (Cyffers, Bellet, Upadhyay).

        Args:
            learning_rate: step size alpha_t = learning_rate/t^decay; default 0.5
            decay: how fast alpha_t falls: 0 keeps it, 1/2 is usual of convex losses, 1 of strongly convex
                ones; default 0.5
            start: x_1, a point of the set, d numbers; absent, where the problem says that its model begins,
                or the centre of the set (in coordinates)
            theta: bound on the 2-norm of every gradient; absent, the problem's own (in 2-norm)
            gradient_bound: effect of a gradient longer than theta: error fails the run, clip scales it down
                to theta; default 'error'
            missing: treatment of messages that did not arrive: drop sums the others, renormalise scales
                their sum to the expected weight, hold reuses the last message of that neighbour;
                running-sum, only for push-sum, sends the sum of all vectors of a link, so that the next
                message makes up for a lost one; default 'drop'
            combine: how a node makes one vector of those that it hears, where nodes may be Byzantine;
                absent, mean, the sum with the weights of the graph
            late: treatment of late messages: use takes them with the weight they were sent with, drop
                ignores them; default 'use'
            feedback: feedback of a step; absent, the gradient
        """
        return cast('RandomWalkAlgorithm', _made('random-walk', locals()))

    @staticmethod
    def local(
        *,
        learning_rate: float | None = None,
        decay: float | None = None,
        start: Numbers | None = None,
        theta: float | None = None,
        gradient_bound: Literal['error', 'clip'] | None = None,
        missing: Literal['drop', 'renormalise', 'hold', 'running-sum'] | None = None,
        combine: Combine | None = None,
        late: Literal['drop', 'use'] | None = None,
        feedback: Feedback | None = None,
    ) -> LocalAlgorithm:
        """Gradient descent of each node on its own costs, without messages.

        Args:
            learning_rate: step size alpha_t = learning_rate/t^decay; default 0.5
            decay: how fast alpha_t falls: 0 keeps it, 1/2 is usual of convex losses, 1 of strongly convex
                ones; default 0.5
            start: x_1, a point of the set, d numbers; absent, where the problem says that its model begins,
                or the centre of the set (in coordinates)
            theta: bound on the 2-norm of every gradient; absent, the problem's own (in 2-norm)
            gradient_bound: effect of a gradient longer than theta: error fails the run, clip scales it down
                to theta; default 'error'
            missing: treatment of messages that did not arrive: drop sums the others, renormalise scales
                their sum to the expected weight, hold reuses the last message of that neighbour;
                running-sum, only for push-sum, sends the sum of all vectors of a link, so that the next
                message makes up for a lost one; default 'drop'
            combine: how a node makes one vector of those that it hears, where nodes may be Byzantine;
                absent, mean, the sum with the weights of the graph
            late: treatment of late messages: use takes them with the weight they were sent with, drop
                ignores them; default 'use'
            feedback: feedback of a step; absent, the gradient
        """
        return cast('LocalAlgorithm', _made('local', locals()))

    @staticmethod
    def python(
        class_: type | None = None,
        *,
        file: Path | None = None,
        name: str | None = None,
        options: Mapping[str, object] | None = None,
        timeout: float | None = None,
        threads: int | None = None,
        start: Numbers | None = None,
        theta: float | None = None,
        gradient_bound: Literal['error', 'clip'] | None = None,
        missing: Literal['drop', 'renormalise', 'hold', 'running-sum'] | None = None,
        combine: Combine | None = None,
        late: Literal['drop', 'use'] | None = None,
        feedback: Feedback | None = None,
    ) -> PythonAlgorithm:
        """Your own algorithm: a class in a Python file.

        Args:
            class_: the class, in place of file and name; its source is kept beside the run.
            file: file of Python code with the class: beside the scenario, in the folder of --data, where
                the program runs, or of the library
            name: class of the file
            options: keyword arguments of the class, beside those that every class gets; absent, none
            timeout: how long a call may take, and loading the file (in seconds); default 300
            threads: threads of linear algebra in Python; more than one may change last bits (in threads);
                default 1
            start: x_1, a point of the set, d numbers; absent, where the problem says that its model begins,
                or the centre of the set (in coordinates)
            theta: bound on the 2-norm of every gradient; absent, the problem's own (in 2-norm)
            gradient_bound: effect of a gradient longer than theta: error fails the run, clip scales it down
                to theta; default 'error'
            missing: treatment of messages that did not arrive: drop sums the others, renormalise scales
                their sum to the expected weight, hold reuses the last message of that neighbour;
                running-sum, only for push-sum, sends the sum of all vectors of a link, so that the next
                message makes up for a lost one; default 'drop'
            combine: how a node makes one vector of those that it hears, where nodes may be Byzantine;
                absent, mean, the sum with the weights of the graph
            late: treatment of late messages: use takes them with the weight they were sent with, drop
                ignores them; default 'use'
            feedback: feedback of a step; absent, the gradient
        """
        return cast('PythonAlgorithm', _made('python', locals()))

    @staticmethod
    def own_server(
        class_: type | None = None,
        *,
        clip: float | Literal['none'],
        learning_rate: float,
        file: Path | None = None,
        name: str | None = None,
        options: Mapping[str, object] | None = None,
        timeout: float | None = None,
        threads: int | None = None,
        vectors: int | None = None,
        keeps: int | None = None,
        level: Literal['user', 'record'] | None = None,
        clips: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3 | None = None,
        filters: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3 | None = None,
        tau: int | None = None,
        batch: int | None = None,
        rate: float | None = None,
        draw: Literal['clients', 'server'] | None = None,
        cohort: int | None = None,
        rates: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3 | None = None,
        groups: int | None = None,
        apart: int | None = None,
        times: int | None = None,
        attendance: Attendance | None = None,
        amplified: bool | None = None,
        stragglers: Stragglers | None = None,
        aggregation: Aggregation | None = None,
        samples: int | None = None,
        combine: Combine | None = None,
        panel: int | None = None,
        start: Numbers | None = None,
    ) -> OwnServerAlgorithm:
        """Your own server: a class in a Python file computes the next model from the mean update of clients,
        and may have their local steps.

        Args:
            class_: the class, in place of file and name; its source is kept beside the run.
            file: file of Python code with the class: beside the scenario, in the folder of --data, where
                the program runs, or of the library
            name: class of the file
            options: keyword arguments of the class, beside those that every class gets; absent, none
            timeout: how long a call may take, and loading the file (in seconds); default 300
            threads: threads of linear algebra in Python; more than one may change last bits (in threads);
                default 1
            vectors: vectors of the model's length in a message, to and from the server, the model first:
                all are clipped, and have noise, together; more than 1 are for a class with a method local;
                absent, none (in vectors); default 1
            keeps: vectors of the model's length that a client keeps from round to round, for a class with a
                method local; absent, none (in vectors)
            level: unit of protection: user, a client with all of its data, by noise of the server, which is
                trusted; record, one sample of a client, by noise of the client in every local step; default
                'user'
            clip: 2-norm to which the vector of a client is clipped, or with level: record the gradient of
                every sample; or none, which only a run without noise can have (in 2-norm)
            clips: clients with a clip of their own in place of clip, at the noise of clip, of a trusted
                server or of sums of Gaussian shares that hide them: a list of groups, a file with a line
                for each client, a law from which they are drawn, or a column of the problem's own data;
                absent, all have clip
            filters: clients with an individual filter, each with a rho of its own: a client spends by the
                length of its vectors, which are shortened so that a run costs it at most rho in
                zero-concentrated privacy: a list of groups, a file with a line for each client, a law from
                which they are drawn, or a column of the problem's own data; with the Gaussian noise of a
                trusted server, and rate 1; absent, no client has one
            tau: local steps of a client in a round (in steps); default 1
            learning_rate: step size of local steps
            batch: expected size of a batch, drawn for every local step; absent, all data of the client (in
                samples)
            rate: probability with which a client takes part in a round that it may take part in, drawn by
                itself (in probability); default 1
            draw: how the clients of a round are drawn: clients, each by itself, and a run holds all of
                them; or server, by the same law from the seed, and a run holds only the clients of the
                round, so that its cost does not grow with nodes; absent, clients
            cohort: m, with draw: server: so many clients take part in every round, drawn without
                replacement from those that may; absent, each takes part with probability rate (in clients)
            rates: clients with a sampling rate of their own, at most 1, in place of rate: a list of groups,
                a file with a line for each client, a law from which they are drawn, or a column of the
                problem's own data; absent, all have rate
            groups: b, groups of clients that take turns: client i may take part in the rounds whose number
                less i is a multiple of it (in groups); default 1
            apart: b, at least so many rounds lie between the beginnings of two rounds that a client takes
                part in (in rounds); default 1
            times: k, in so many rounds a client takes part at most; absent, no limit (in rounds)
            attendance: clients of each round by a list, in place of draws: a round has the clients that a
                file names for it; absent, they are drawn
            amplified: whether secret participation amplifies the privacy of noise that is correlated over
                rounds: of banded-toeplitz with at most as many bands as there are groups, and of
                independent noise, where the rounds of a group are so many steps of the sampled Gaussian
                mechanism (Choquette-Choo et al. 2023, Theorem 4); default False
            stragglers: clients that have time for fewer local steps in a round than tau, drawn from the
                seed; absent, every client takes all
            aggregation: messages of a round that the server sees, with level: user, where it is not
                trusted; absent, it is trusted, and sees all of them
            samples: samples of each client, the first that it has, which stay for the whole run; absent,
                100 of a stream, and of images all (in samples)
            combine: how the server makes one of the vectors of a round, where clients may be Byzantine;
                absent, mean, their sum divided by the number that is expected; any other is of those that
                arrive, and needs level: record or no noise
            panel: with draw: server, clients drawn from the seed whose data judge the models: loss.train
                and accuracy.test are means over them, with their standard errors in loss.train.error and
                accuracy.test.error; absent, 100, or all where there are fewer (in clients)
            start: initial model, d numbers; absent, zeros without hidden layers, and random weights with
                them (in coordinates)
        """
        return cast('OwnServerAlgorithm', _made('own-server', locals()))


class combine:
    """The kinds of combine; ``starling.describe(KIND)`` has more of each."""

    @staticmethod
    def mean(
        *,
        liars: int | None = None,
    ) -> MeanCombine:
        """The weighted mean, or the sum, as without this section.

        Args:
            liars: of no use to the mean, which one Byzantine node moves as far as it likes; absent, 0 (in
                nodes)
        """
        return cast('MeanCombine', _made('mean', locals()))

    @staticmethod
    def median(
        *,
        liars: int | None = None,
    ) -> MedianCombine:
        """The median of every coordinate (Yin et al.).

        Args:
            liars: f, how many of those that are heard may lie; the median promises the same for any number
                below half: it is only checked that as many can be there; absent, 0 (in nodes)
        """
        return cast('MedianCombine', _made('median', locals()))

    @staticmethod
    def trimmed_mean(
        *,
        liars: int,
    ) -> TrimmedMeanCombine:
        """The mean of every coordinate without its smallest and largest entries (Yin et al.).

        Args:
            liars: f, how many of those that are heard may lie: as many entries are cut off at each end;
                where fewer than 2 f + 1 arrive, as many as leave one or two (in nodes)
        """
        return cast('TrimmedMeanCombine', _made('trimmed-mean', locals()))

    @staticmethod
    def krum(
        *,
        liars: int,
    ) -> KrumCombine:
        """The vector with the smallest sum of squared distances to its nearest others (Blanchard et al.).

        Args:
            liars: f, how many of those that are heard may lie: of n vectors the one with the nearest n - f
                - 2 others is taken; where fewer than 2 f + 3 arrive, f is the most that they allow (in
                nodes)
        """
        return cast('KrumCombine', _made('krum', locals()))

    @staticmethod
    def clipped_gossip(
        *,
        tau: float | None = None,
        liars: int | None = None,
    ) -> ClippedGossipCombine:
        """The weighted mean of messages, each clipped to a distance from the node's own release: x_i + sum_j
        w_ij Clip(x_j - x_i, tau) (He, Karimireddy, Jaggi).

        Args:
            tau: distance from the node's own release beyond which others are clipped; absent, in every step
                the largest distance without the furthest releases, one for each attacker (in 2-norm)
            liars: f, how many of those that are heard may lie; needed without tau; absent, 0 (in nodes)
        """
        return cast('ClippedGossipCombine', _made('clipped-gossip', locals()))


class compression:
    """The kinds of compression; ``starling.describe(KIND)`` has more of each."""

    @staticmethod
    def top_k(
        *,
        share: float,
    ) -> TopKCompression:
        """The entries of largest magnitude, with their indices.

        Args:
            share: share of the entries that are sent, rounded up to whole entries (in share of entries)
        """
        return cast('TopKCompression', _made('top-k', locals()))

    @staticmethod
    def random_k(
        *,
        share: float,
        unbiased: bool | None = None,
    ) -> RandomKCompression:
        """Entries at random indices, sent as a seed.

        Args:
            share: share of the entries that are sent, rounded up to whole entries (in share of entries)
            unbiased: divide the message by its share, so that its mean is the vector itself; algorithms
                that send again the part that was lost do without; default False
        """
        return cast('RandomKCompression', _made('random-k', locals()))

    @staticmethod
    def dithering(
        *,
        levels: int,
        unbiased: bool | None = None,
    ) -> DitheringCompression:
        """The norm, and every entry rounded at random to one of a few levels (QSGD).

        Args:
            levels: s: entries are rounded at random to multiples of a part 1/s of the norm, 0 .. s; 2^b - 1
                levels take b + 1 bits an entry (in levels)
            unbiased: leave out the division by tau, so that the mean of the message is the vector itself;
                algorithms that send again the part that was lost do without; default False
        """
        return cast('DitheringCompression', _made('dithering', locals()))

    @staticmethod
    def sign(
    ) -> SignCompression:
        """The sign of every entry, and the mean of their magnitudes."""
        return cast('SignCompression', _made('sign', locals()))


class divergence:
    """The kinds of divergence; ``starling.describe(KIND)`` has more of each."""

    @staticmethod
    def euclidean(
        *,
        scale: float,
    ) -> EuclideanDivergence:
        """Phi(x) = scale ||x||^2, on every set.

        Args:
            scale: c of phi(x) = c ||x||^2; 0.5 makes omega = 1
        """
        return cast('EuclideanDivergence', _made('euclidean', locals()))

    @staticmethod
    def mahalanobis(
        *,
        matrix: Sequence[Sequence[float | str]],
    ) -> MahalanobisDivergence:
        """Phi(x) = x'Qx, on every set.

        Args:
            matrix: Q of phi(x) = x'Qx: d rows of d numbers or fractions, symmetric, positive definite
        """
        return cast('MahalanobisDivergence', _made('mahalanobis', locals()))

    @staticmethod
    def entropy(
    ) -> EntropyDivergence:
        """Negative entropy, on the simplex: a multiplicative update."""
        return cast('EntropyDivergence', _made('entropy', locals()))


class mechanism:
    """The kinds of mechanism; ``starling.describe(KIND)`` has more of each."""

    @staticmethod
    def laplace(
        *,
        epsilon: float | Literal['none'],
        noise: Literal['as-printed', 'shifted'] | None = None,
        neighbours: Literal['add-or-remove', 'replace'] | None = None,
        groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3 | None = None,
        over_time: OverTime | None = None,
    ) -> LaplaceMechanism:
        """Laplace noise on every message, calibrated to epsilon a step, or none.

        Args:
            epsilon: privacy parameter of a step, above 0, or none to run without noise (in nats)
            noise: which step size scales the noise of a release: as-printed takes alpha_t, shifted
                alpha_{t-1}, which makes the claim of epsilon a step exact; default 'as-printed'
            neighbours: neighbouring data for which losses hold, of data that stay in the run:
                add-or-remove, the usual, or replace; a stream with one datum a step is replaced; absent,
                add-or-remove for data that stay, and replace for a stream
            groups: nodes with an epsilon of their own, in place of the mechanism's: a list of groups, a
                file with a line for each node, a law from which they are drawn, or a column of the
                problem's own data; absent, all nodes have that one
            over_time: an epsilon that changes in the course of a run; absent, it stays
        """
        return cast('LaplaceMechanism', _made('laplace', locals()))

    @staticmethod
    def gaussian(
        *,
        epsilon: float | Literal['none'],
        delta: float,
        calibration: Literal['analytic', 'zcdp'] | None = None,
        accountant: Literal['rdp', 'rdp-cks', 'pld'] | None = None,
        neighbours: Literal['add-or-remove', 'replace'] | None = None,
        groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3 | None = None,
        over_time: OverTime | None = None,
    ) -> GaussianMechanism:
        """Gaussian noise on every message, calibrated to epsilon and delta a step.

        Args:
            epsilon: epsilon of a release, above 0, or none to run without noise (in nats)
            delta: delta of a release, between 0 and 1, at which losses are stated where the budget names no
                delta (in probability)
            calibration: how noise is calibrated to a release: analytic is the least noise that is private
                enough, zcdp follows the classic conversion of zero-concentrated privacy; default 'analytic'
            accountant: how losses become an epsilon at delta, in the ledger and for budgets: pld is exact,
                by Gaussian differential privacy; rdp is the classic conversion of zero-concentrated
                privacy, and rdp-cks a tighter one; default 'pld'
            neighbours: neighbouring data for which losses hold, of data that stay in the run:
                add-or-remove, the usual, or replace; a stream with one datum a step is replaced; absent,
                add-or-remove for data that stay, and replace for a stream
            groups: nodes with an epsilon of their own, in place of the mechanism's: a list of groups, a
                file with a line for each node, a law from which they are drawn, or a column of the
                problem's own data; absent, all nodes have that one
            over_time: an epsilon that changes in the course of a run; absent, it stays
        """
        return cast('GaussianMechanism', _made('gaussian', locals()))

    @staticmethod
    def none(
        *,
        epsilon: float | Literal['none'] | None = None,
        delta: float | None = None,
        noise: object | None = None,
        neighbours: object | None = None,
        groups: object | None = None,
        over_time: object | None = None,
        calibration: object | None = None,
        accountant: object | None = None,
        multiplier: object | None = None,
        chains: object | None = None,
        bands: object | None = None,
        buffers: object | None = None,
        fit: object | None = None,
        gap: object | None = None,
        file: object | None = None,
        sigma: object | None = None,
        sigmas: object | None = None,
        by: object | None = None,
    ) -> NoneMechanism:
        """No noise.

        Args:
            epsilon: epsilon that a mechanism would have; absent, none (in nats)
            delta: delta at which losses of releases without noise are stated; absent, none (in probability)
            noise: key of another kind, without effect
            neighbours: key of another kind, without effect
            groups: key of another kind, without effect
            over_time: key of another kind, without effect
            calibration: key of another kind, without effect
            accountant: key of another kind, without effect
            multiplier: key of another kind, without effect
            chains: key of another kind, without effect
            bands: key of another kind, without effect
            buffers: key of another kind, without effect
            fit: key of another kind, without effect
            gap: key of another kind, without effect
            file: key of another kind, without effect
            sigma: key of another kind, without effect
            sigmas: key of another kind, without effect
            by: key of another kind, without effect
        """
        return cast('NoneMechanism', _made('none', locals()))

    @staticmethod
    def independent(
        *,
        epsilon: float | Literal['none'] | None = None,
        delta: float | None = None,
        multiplier: float | None = None,
        calibration: Literal['exact', 'zcdp'] | None = None,
        accountant: Literal['rdp', 'rdp-cks', 'pld'] | None = None,
        chains: int | None = None,
        bands: int | None = None,
        buffers: int | None = None,
        fit: bool | None = None,
        gap: float | None = None,
        groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3 | None = None,
        neighbours: Literal['add-or-remove', 'replace'] | None = None,
        over_time: OverTime | None = None,
    ) -> IndependentMechanism:
        """Independent Gaussian noise on every input or message, calibrated to epsilon and delta of a run.

        Args:
            epsilon: epsilon of a client's datum over the whole run, or none to run without noise; every
                kind but none needs it, or a multiplier; absent, no noise (in nats)
            delta: delta of that; every kind but none needs it; absent, no noise (in probability)
            multiplier: noise multiplier z, in place of epsilon, of clients that come at most some times:
                the standard deviation of the noise over the distance by which a vector in one round moves
                the release, as where the columns of C have norm 1; absent, it follows from epsilon
            calibration: how noise is calibrated: exact is the least Gaussian noise that is private enough,
                zcdp the paper's; default 'exact'
            accountant: how losses become an epsilon at delta, in the ledger and for budgets: pld is exact,
                by Gaussian differential privacy; rdp is the classic conversion of zero-concentrated
                privacy, and rdp-cks a tighter one; default 'pld'
            chains: autoregressive chains of ar-sum (in chains); default 6
            bands: nonzero diagonals of C of banded-toeplitz (in diagonals); default 64
            buffers: geometric sequences of blt (in sequences); default 4
            fit: whether the coefficients of banded-toeplitz and blt minimise the mean error for a record
                that takes part as often as the algorithm permits; absent, the coefficients of the square
                root, for one input; default False
            gap: relative gap to which optimal and ar-sum find the optimum; absent, 1e-8 (in relative)
            groups: nodes with an epsilon of their own, in place of the mechanism's: a list of groups, a
                file with a line for each node, a law from which they are drawn, or a column of the
                problem's own data; of a stream and of messages; absent, all nodes have that one
            neighbours: neighbouring data for which epsilon holds, of data that stay in the run:
                add-or-remove, the usual, or replace; a stream with one datum a step is replaced; absent,
                add-or-remove for data that stay, and replace for a stream
            over_time: an epsilon that changes in the course of a run; absent, it stays
        """
        return cast('IndependentMechanism', _made('independent', locals()))

    @staticmethod
    def tree(
        *,
        epsilon: float | Literal['none'] | None = None,
        delta: float | None = None,
        multiplier: float | None = None,
        calibration: Literal['exact', 'zcdp'] | None = None,
        accountant: Literal['rdp', 'rdp-cks', 'pld'] | None = None,
        chains: int | None = None,
        bands: int | None = None,
        buffers: int | None = None,
        fit: bool | None = None,
        gap: float | None = None,
        groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3 | None = None,
        neighbours: Literal['add-or-remove', 'replace'] | None = None,
    ) -> TreeMechanism:
        """Binary tree over the inputs; a prefix sum adds its maximal complete nodes.

        Args:
            epsilon: epsilon of a client's datum over the whole run, or none to run without noise; every
                kind but none needs it, or a multiplier; absent, no noise (in nats)
            delta: delta of that; every kind but none needs it; absent, no noise (in probability)
            multiplier: noise multiplier z, in place of epsilon, of clients that come at most some times:
                the standard deviation of the noise over the distance by which a vector in one round moves
                the release, as where the columns of C have norm 1; absent, it follows from epsilon
            calibration: how noise is calibrated: exact is the least Gaussian noise that is private enough,
                zcdp the paper's; default 'exact'
            accountant: how losses become an epsilon at delta, in the ledger and for budgets: pld is exact,
                by Gaussian differential privacy; rdp is the classic conversion of zero-concentrated
                privacy, and rdp-cks a tighter one; default 'pld'
            chains: autoregressive chains of ar-sum (in chains); default 6
            bands: nonzero diagonals of C of banded-toeplitz (in diagonals); default 64
            buffers: geometric sequences of blt (in sequences); default 4
            fit: whether the coefficients of banded-toeplitz and blt minimise the mean error for a record
                that takes part as often as the algorithm permits; absent, the coefficients of the square
                root, for one input; default False
            gap: relative gap to which optimal and ar-sum find the optimum; absent, 1e-8 (in relative)
            groups: nodes with an epsilon of their own, in place of the mechanism's: a list of groups, a
                file with a line for each node, a law from which they are drawn, or a column of the
                problem's own data; of a stream and of messages; absent, all nodes have that one
            neighbours: neighbouring data for which epsilon holds, of data that stay in the run:
                add-or-remove, the usual, or replace; a stream with one datum a step is replaced; absent,
                add-or-remove for data that stay, and replace for a stream
        """
        return cast('TreeMechanism', _made('tree', locals()))

    @staticmethod
    def tree_online(
        *,
        epsilon: float | Literal['none'] | None = None,
        delta: float | None = None,
        multiplier: float | None = None,
        calibration: Literal['exact', 'zcdp'] | None = None,
        accountant: Literal['rdp', 'rdp-cks', 'pld'] | None = None,
        chains: int | None = None,
        bands: int | None = None,
        buffers: int | None = None,
        fit: bool | None = None,
        gap: float | None = None,
        groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3 | None = None,
        neighbours: Literal['add-or-remove', 'replace'] | None = None,
    ) -> TreeOnlineMechanism:
        """The tree, with each node estimated from its whole subtree (Honaker).

        Args:
            epsilon: epsilon of a client's datum over the whole run, or none to run without noise; every
                kind but none needs it, or a multiplier; absent, no noise (in nats)
            delta: delta of that; every kind but none needs it; absent, no noise (in probability)
            multiplier: noise multiplier z, in place of epsilon, of clients that come at most some times:
                the standard deviation of the noise over the distance by which a vector in one round moves
                the release, as where the columns of C have norm 1; absent, it follows from epsilon
            calibration: how noise is calibrated: exact is the least Gaussian noise that is private enough,
                zcdp the paper's; default 'exact'
            accountant: how losses become an epsilon at delta, in the ledger and for budgets: pld is exact,
                by Gaussian differential privacy; rdp is the classic conversion of zero-concentrated
                privacy, and rdp-cks a tighter one; default 'pld'
            chains: autoregressive chains of ar-sum (in chains); default 6
            bands: nonzero diagonals of C of banded-toeplitz (in diagonals); default 64
            buffers: geometric sequences of blt (in sequences); default 4
            fit: whether the coefficients of banded-toeplitz and blt minimise the mean error for a record
                that takes part as often as the algorithm permits; absent, the coefficients of the square
                root, for one input; default False
            gap: relative gap to which optimal and ar-sum find the optimum; absent, 1e-8 (in relative)
            groups: nodes with an epsilon of their own, in place of the mechanism's: a list of groups, a
                file with a line for each node, a law from which they are drawn, or a column of the
                problem's own data; of a stream and of messages; absent, all nodes have that one
            neighbours: neighbouring data for which epsilon holds, of data that stay in the run:
                add-or-remove, the usual, or replace; a stream with one datum a step is replaced; absent,
                add-or-remove for data that stay, and replace for a stream
        """
        return cast('TreeOnlineMechanism', _made('tree-online', locals()))

    @staticmethod
    def tree_full(
        *,
        epsilon: float | Literal['none'] | None = None,
        delta: float | None = None,
        multiplier: float | None = None,
        calibration: Literal['exact', 'zcdp'] | None = None,
        accountant: Literal['rdp', 'rdp-cks', 'pld'] | None = None,
        chains: int | None = None,
        bands: int | None = None,
        buffers: int | None = None,
        fit: bool | None = None,
        gap: float | None = None,
        groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3 | None = None,
        neighbours: Literal['add-or-remove', 'replace'] | None = None,
    ) -> TreeFullMechanism:
        """The tree with the best estimate from all nodes, B = A C^+.

        Args:
            epsilon: epsilon of a client's datum over the whole run, or none to run without noise; every
                kind but none needs it, or a multiplier; absent, no noise (in nats)
            delta: delta of that; every kind but none needs it; absent, no noise (in probability)
            multiplier: noise multiplier z, in place of epsilon, of clients that come at most some times:
                the standard deviation of the noise over the distance by which a vector in one round moves
                the release, as where the columns of C have norm 1; absent, it follows from epsilon
            calibration: how noise is calibrated: exact is the least Gaussian noise that is private enough,
                zcdp the paper's; default 'exact'
            accountant: how losses become an epsilon at delta, in the ledger and for budgets: pld is exact,
                by Gaussian differential privacy; rdp is the classic conversion of zero-concentrated
                privacy, and rdp-cks a tighter one; default 'pld'
            chains: autoregressive chains of ar-sum (in chains); default 6
            bands: nonzero diagonals of C of banded-toeplitz (in diagonals); default 64
            buffers: geometric sequences of blt (in sequences); default 4
            fit: whether the coefficients of banded-toeplitz and blt minimise the mean error for a record
                that takes part as often as the algorithm permits; absent, the coefficients of the square
                root, for one input; default False
            gap: relative gap to which optimal and ar-sum find the optimum; absent, 1e-8 (in relative)
            groups: nodes with an epsilon of their own, in place of the mechanism's: a list of groups, a
                file with a line for each node, a law from which they are drawn, or a column of the
                problem's own data; of a stream and of messages; absent, all nodes have that one
            neighbours: neighbouring data for which epsilon holds, of data that stay in the run:
                add-or-remove, the usual, or replace; a stream with one datum a step is replaced; absent,
                add-or-remove for data that stay, and replace for a stream
        """
        return cast('TreeFullMechanism', _made('tree-full', locals()))

    @staticmethod
    def toeplitz(
        *,
        epsilon: float | Literal['none'] | None = None,
        delta: float | None = None,
        multiplier: float | None = None,
        calibration: Literal['exact', 'zcdp'] | None = None,
        accountant: Literal['rdp', 'rdp-cks', 'pld'] | None = None,
        chains: int | None = None,
        bands: int | None = None,
        buffers: int | None = None,
        fit: bool | None = None,
        gap: float | None = None,
        groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3 | None = None,
        neighbours: Literal['add-or-remove', 'replace'] | None = None,
    ) -> ToeplitzMechanism:
        """Square root of the prefix sums.

        Args:
            epsilon: epsilon of a client's datum over the whole run, or none to run without noise; every
                kind but none needs it, or a multiplier; absent, no noise (in nats)
            delta: delta of that; every kind but none needs it; absent, no noise (in probability)
            multiplier: noise multiplier z, in place of epsilon, of clients that come at most some times:
                the standard deviation of the noise over the distance by which a vector in one round moves
                the release, as where the columns of C have norm 1; absent, it follows from epsilon
            calibration: how noise is calibrated: exact is the least Gaussian noise that is private enough,
                zcdp the paper's; default 'exact'
            accountant: how losses become an epsilon at delta, in the ledger and for budgets: pld is exact,
                by Gaussian differential privacy; rdp is the classic conversion of zero-concentrated
                privacy, and rdp-cks a tighter one; default 'pld'
            chains: autoregressive chains of ar-sum (in chains); default 6
            bands: nonzero diagonals of C of banded-toeplitz (in diagonals); default 64
            buffers: geometric sequences of blt (in sequences); default 4
            fit: whether the coefficients of banded-toeplitz and blt minimise the mean error for a record
                that takes part as often as the algorithm permits; absent, the coefficients of the square
                root, for one input; default False
            gap: relative gap to which optimal and ar-sum find the optimum; absent, 1e-8 (in relative)
            groups: nodes with an epsilon of their own, in place of the mechanism's: a list of groups, a
                file with a line for each node, a law from which they are drawn, or a column of the
                problem's own data; of a stream and of messages; absent, all nodes have that one
            neighbours: neighbouring data for which epsilon holds, of data that stay in the run:
                add-or-remove, the usual, or replace; a stream with one datum a step is replaced; absent,
                add-or-remove for data that stay, and replace for a stream
        """
        return cast('ToeplitzMechanism', _made('toeplitz', locals()))

    @staticmethod
    def banded_toeplitz(
        *,
        epsilon: float | Literal['none'] | None = None,
        delta: float | None = None,
        multiplier: float | None = None,
        calibration: Literal['exact', 'zcdp'] | None = None,
        accountant: Literal['rdp', 'rdp-cks', 'pld'] | None = None,
        chains: int | None = None,
        bands: int | None = None,
        buffers: int | None = None,
        fit: bool | None = None,
        gap: float | None = None,
        groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3 | None = None,
        neighbours: Literal['add-or-remove', 'replace'] | None = None,
    ) -> BandedToeplitzMechanism:
        """The first bands of the square root.

        Args:
            epsilon: epsilon of a client's datum over the whole run, or none to run without noise; every
                kind but none needs it, or a multiplier; absent, no noise (in nats)
            delta: delta of that; every kind but none needs it; absent, no noise (in probability)
            multiplier: noise multiplier z, in place of epsilon, of clients that come at most some times:
                the standard deviation of the noise over the distance by which a vector in one round moves
                the release, as where the columns of C have norm 1; absent, it follows from epsilon
            calibration: how noise is calibrated: exact is the least Gaussian noise that is private enough,
                zcdp the paper's; default 'exact'
            accountant: how losses become an epsilon at delta, in the ledger and for budgets: pld is exact,
                by Gaussian differential privacy; rdp is the classic conversion of zero-concentrated
                privacy, and rdp-cks a tighter one; default 'pld'
            chains: autoregressive chains of ar-sum (in chains); default 6
            bands: nonzero diagonals of C of banded-toeplitz (in diagonals); default 64
            buffers: geometric sequences of blt (in sequences); default 4
            fit: whether the coefficients of banded-toeplitz and blt minimise the mean error for a record
                that takes part as often as the algorithm permits; absent, the coefficients of the square
                root, for one input; default False
            gap: relative gap to which optimal and ar-sum find the optimum; absent, 1e-8 (in relative)
            groups: nodes with an epsilon of their own, in place of the mechanism's: a list of groups, a
                file with a line for each node, a law from which they are drawn, or a column of the
                problem's own data; of a stream and of messages; absent, all nodes have that one
            neighbours: neighbouring data for which epsilon holds, of data that stay in the run:
                add-or-remove, the usual, or replace; a stream with one datum a step is replaced; absent,
                add-or-remove for data that stay, and replace for a stream
        """
        return cast('BandedToeplitzMechanism', _made('banded-toeplitz', locals()))

    @staticmethod
    def blt(
        *,
        epsilon: float | Literal['none'] | None = None,
        delta: float | None = None,
        multiplier: float | None = None,
        calibration: Literal['exact', 'zcdp'] | None = None,
        accountant: Literal['rdp', 'rdp-cks', 'pld'] | None = None,
        chains: int | None = None,
        bands: int | None = None,
        buffers: int | None = None,
        fit: bool | None = None,
        gap: float | None = None,
        groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3 | None = None,
        neighbours: Literal['add-or-remove', 'replace'] | None = None,
    ) -> BltMechanism:
        """Buffered linear Toeplitz matrix: a few geometric sequences.

        Args:
            epsilon: epsilon of a client's datum over the whole run, or none to run without noise; every
                kind but none needs it, or a multiplier; absent, no noise (in nats)
            delta: delta of that; every kind but none needs it; absent, no noise (in probability)
            multiplier: noise multiplier z, in place of epsilon, of clients that come at most some times:
                the standard deviation of the noise over the distance by which a vector in one round moves
                the release, as where the columns of C have norm 1; absent, it follows from epsilon
            calibration: how noise is calibrated: exact is the least Gaussian noise that is private enough,
                zcdp the paper's; default 'exact'
            accountant: how losses become an epsilon at delta, in the ledger and for budgets: pld is exact,
                by Gaussian differential privacy; rdp is the classic conversion of zero-concentrated
                privacy, and rdp-cks a tighter one; default 'pld'
            chains: autoregressive chains of ar-sum (in chains); default 6
            bands: nonzero diagonals of C of banded-toeplitz (in diagonals); default 64
            buffers: geometric sequences of blt (in sequences); default 4
            fit: whether the coefficients of banded-toeplitz and blt minimise the mean error for a record
                that takes part as often as the algorithm permits; absent, the coefficients of the square
                root, for one input; default False
            gap: relative gap to which optimal and ar-sum find the optimum; absent, 1e-8 (in relative)
            groups: nodes with an epsilon of their own, in place of the mechanism's: a list of groups, a
                file with a line for each node, a law from which they are drawn, or a column of the
                problem's own data; of a stream and of messages; absent, all nodes have that one
            neighbours: neighbouring data for which epsilon holds, of data that stay in the run:
                add-or-remove, the usual, or replace; a stream with one datum a step is replaced; absent,
                add-or-remove for data that stay, and replace for a stream
        """
        return cast('BltMechanism', _made('blt', locals()))

    @staticmethod
    def optimal(
        *,
        epsilon: float | Literal['none'] | None = None,
        delta: float | None = None,
        multiplier: float | None = None,
        calibration: Literal['exact', 'zcdp'] | None = None,
        accountant: Literal['rdp', 'rdp-cks', 'pld'] | None = None,
        chains: int | None = None,
        bands: int | None = None,
        buffers: int | None = None,
        fit: bool | None = None,
        gap: float | None = None,
        groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3 | None = None,
        neighbours: Literal['add-or-remove', 'replace'] | None = None,
    ) -> OptimalMechanism:
        """Least mean square error of all factorizations, to a certified gap.

        Args:
            epsilon: epsilon of a client's datum over the whole run, or none to run without noise; every
                kind but none needs it, or a multiplier; absent, no noise (in nats)
            delta: delta of that; every kind but none needs it; absent, no noise (in probability)
            multiplier: noise multiplier z, in place of epsilon, of clients that come at most some times:
                the standard deviation of the noise over the distance by which a vector in one round moves
                the release, as where the columns of C have norm 1; absent, it follows from epsilon
            calibration: how noise is calibrated: exact is the least Gaussian noise that is private enough,
                zcdp the paper's; default 'exact'
            accountant: how losses become an epsilon at delta, in the ledger and for budgets: pld is exact,
                by Gaussian differential privacy; rdp is the classic conversion of zero-concentrated
                privacy, and rdp-cks a tighter one; default 'pld'
            chains: autoregressive chains of ar-sum (in chains); default 6
            bands: nonzero diagonals of C of banded-toeplitz (in diagonals); default 64
            buffers: geometric sequences of blt (in sequences); default 4
            fit: whether the coefficients of banded-toeplitz and blt minimise the mean error for a record
                that takes part as often as the algorithm permits; absent, the coefficients of the square
                root, for one input; default False
            gap: relative gap to which optimal and ar-sum find the optimum; absent, 1e-8 (in relative)
            groups: nodes with an epsilon of their own, in place of the mechanism's: a list of groups, a
                file with a line for each node, a law from which they are drawn, or a column of the
                problem's own data; of a stream and of messages; absent, all nodes have that one
            neighbours: neighbouring data for which epsilon holds, of data that stay in the run:
                add-or-remove, the usual, or replace; a stream with one datum a step is replaced; absent,
                add-or-remove for data that stay, and replace for a stream
        """
        return cast('OptimalMechanism', _made('optimal', locals()))

    @staticmethod
    def ar_sum(
        *,
        epsilon: float | Literal['none'] | None = None,
        delta: float | None = None,
        multiplier: float | None = None,
        calibration: Literal['exact', 'zcdp'] | None = None,
        accountant: Literal['rdp', 'rdp-cks', 'pld'] | None = None,
        chains: int | None = None,
        bands: int | None = None,
        buffers: int | None = None,
        fit: bool | None = None,
        gap: float | None = None,
        groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3 | None = None,
        neighbours: Literal['add-or-remove', 'replace'] | None = None,
    ) -> ArSumMechanism:
        """The optimum as a sum of a few autoregressive chains, in a few numbers a coordinate.

        Args:
            epsilon: epsilon of a client's datum over the whole run, or none to run without noise; every
                kind but none needs it, or a multiplier; absent, no noise (in nats)
            delta: delta of that; every kind but none needs it; absent, no noise (in probability)
            multiplier: noise multiplier z, in place of epsilon, of clients that come at most some times:
                the standard deviation of the noise over the distance by which a vector in one round moves
                the release, as where the columns of C have norm 1; absent, it follows from epsilon
            calibration: how noise is calibrated: exact is the least Gaussian noise that is private enough,
                zcdp the paper's; default 'exact'
            accountant: how losses become an epsilon at delta, in the ledger and for budgets: pld is exact,
                by Gaussian differential privacy; rdp is the classic conversion of zero-concentrated
                privacy, and rdp-cks a tighter one; default 'pld'
            chains: autoregressive chains of ar-sum (in chains); default 6
            bands: nonzero diagonals of C of banded-toeplitz (in diagonals); default 64
            buffers: geometric sequences of blt (in sequences); default 4
            fit: whether the coefficients of banded-toeplitz and blt minimise the mean error for a record
                that takes part as often as the algorithm permits; absent, the coefficients of the square
                root, for one input; default False
            gap: relative gap to which optimal and ar-sum find the optimum; absent, 1e-8 (in relative)
            groups: nodes with an epsilon of their own, in place of the mechanism's: a list of groups, a
                file with a line for each node, a law from which they are drawn, or a column of the
                problem's own data; of a stream and of messages; absent, all nodes have that one
            neighbours: neighbouring data for which epsilon holds, of data that stay in the run:
                add-or-remove, the usual, or replace; a stream with one datum a step is replaced; absent,
                add-or-remove for data that stay, and replace for a stream
        """
        return cast('ArSumMechanism', _made('ar-sum', locals()))

    @staticmethod
    def strategy(
        *,
        file: Path | Frame,
        epsilon: float | Literal['none'] | None = None,
        delta: float | None = None,
        multiplier: float | None = None,
        calibration: Literal['exact', 'zcdp'] | None = None,
        accountant: Literal['rdp', 'rdp-cks', 'pld'] | None = None,
        chains: int | None = None,
        bands: int | None = None,
        buffers: int | None = None,
        fit: bool | None = None,
        gap: float | None = None,
        groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3 | None = None,
        neighbours: Literal['add-or-remove', 'replace'] | None = None,
    ) -> StrategyMechanism:
        """A strategy matrix C of your own, from a file or from Python: its noise is C^-1 Z, and its
        sensitivity is computed from it.

        Args:
            epsilon: epsilon of a client's datum over the whole run, or none to run without noise; every
                kind but none needs it, or a multiplier; absent, no noise (in nats)
            delta: delta of that; every kind but none needs it; absent, no noise (in probability)
            multiplier: noise multiplier z, in place of epsilon, of clients that come at most some times:
                the standard deviation of the noise over the distance by which a vector in one round moves
                the release, as where the columns of C have norm 1; absent, it follows from epsilon
            calibration: how noise is calibrated: exact is the least Gaussian noise that is private enough,
                zcdp the paper's; default 'exact'
            accountant: how losses become an epsilon at delta, in the ledger and for budgets: pld is exact,
                by Gaussian differential privacy; rdp is the classic conversion of zero-concentrated
                privacy, and rdp-cks a tighter one; default 'pld'
            chains: autoregressive chains of ar-sum (in chains); default 6
            bands: nonzero diagonals of C of banded-toeplitz (in diagonals); default 64
            buffers: geometric sequences of blt (in sequences); default 4
            fit: whether the coefficients of banded-toeplitz and blt minimise the mean error for a record
                that takes part as often as the algorithm permits; absent, the coefficients of the square
                root, for one input; default False
            gap: relative gap to which optimal and ar-sum find the optimum; absent, 1e-8 (in relative)
            groups: nodes with an epsilon of their own, in place of the mechanism's: a list of groups, a
                file with a line for each node, a law from which they are drawn, or a column of the
                problem's own data; of a stream and of messages; absent, all nodes have that one
            neighbours: neighbouring data for which epsilon holds, of data that stay in the run:
                add-or-remove, the usual, or replace; a stream with one datum a step is replaced; absent,
                add-or-remove for data that stay, and replace for a stream
            file: path, from the scenario's folder or else from where the program runs, of a CSV file with
                the columns row, column and value: the entries of C that are not 0, numbered from 1. C is
                lower triangular, with a row for each input and no 0 on its diagonal
        """
        return cast('StrategyMechanism', _made('strategy', locals()))

    @staticmethod
    def dp_fw(
        *,
        epsilon: float | Literal['none'],
        delta: float | None = None,
    ) -> DpFwMechanism:
        """Noise on the inner products of private Frank-Wolfe, in opestoch.

        Args:
            epsilon: epsilon that the paper claims of a run for one loss of one client, above 0, or none to
                run without noise (in nats)
            delta: delta of the approximate variants; the others have none; absent, 0 (in probability)
        """
        return cast('DpFwMechanism', _made('dp-fw', locals()))

    @staticmethod
    def sparse_vector(
        *,
        epsilon: float | Literal['none'],
        delta: float | None = None,
    ) -> SparseVectorMechanism:
        """Noisy threshold, and an exponential mechanism for switches, in fedsvt.

        Args:
            epsilon: epsilon that the paper claims of a run for one loss of one client, above 0, or none to
                run without noise (in nats)
            delta: delta of the approximate variants; the others have none; absent, 0 (in probability)
        """
        return cast('SparseVectorMechanism', _made('sparse-vector', locals()))

    @staticmethod
    def sampled_gaussian(
        *,
        delta: float,
        sigma: float | None = None,
        epsilon: float | Literal['none'] | None = None,
        neighbours: Literal['add-or-remove', 'replace'] | None = None,
        accountant: Literal['rdp', 'rdp-cks', 'pld'] | None = None,
        groups: Sequence[Groups] | LaplaceGroups | LaplaceGroups2 | LaplaceGroups3 | None = None,
        sigmas: Sequence[Clips] | DpFtrlClips | DpFtrlClips2 | DpFtrlClips3 | None = None,
        by: Literal['rate', 'clip', 'filter'] | None = None,
    ) -> SampledGaussianMechanism:
        """DP-SGD: Gaussian noise on sums of clipped gradients of sampled data.

        Args:
            sigma: noise multiplier sigma: the noise on a sum of gradients is N(0, sigma^2 C^2 I); absent,
                the least one with the epsilon (in clipping norms)
            epsilon: epsilon of a whole run at delta, as the ledger states it, for which the noise
                multiplier is found; or none to run without noise; absent, it follows from sigma (in nats)
            delta: delta at which losses are stated, between 0 and 1 (in probability)
            neighbours: neighbouring data for which losses hold: add-or-remove, a sample of a client is
                added or removed; replace, a sample is replaced, which costs more, and for which the
                accountant pld is sharp; default 'add-or-remove'
            accountant: how steps are accounted for: rdp, whole Renyi orders and the plain conversion, as
                printed; rdp-cks, many orders and a tighter conversion; pld, privacy loss distributions,
                tight; default 'rdp'
            groups: clients with an epsilon of their own in the whole run, where a trusted server adds noise
                of multiplier sigma: a list of groups, a file with a line for each client, a law from which
                they are drawn, or a column of the problem's own data; needs by; absent, the values of the
                algorithm decide
            sigmas: noise multipliers of single clients in place of sigma, where clients protect their
                samples by noise of their own: a list of groups, a file with a line for each client, a law
                from which they are drawn, or a column of the problem's own data; needs level: record;
                absent, all have sigma
            by: the value that is found for the epsilon of each group, the largest one: rate, the sampling
                rate of the client; clip, the bound on its vectors, at the same noise, also of sums of
                Gaussian shares that hide clients; filter, the rho of its individual filter; needed by
                groups, and only there; absent, none
        """
        return cast('SampledGaussianMechanism', _made('sampled-gaussian', locals()))


class network:
    """The kinds of network; ``starling.describe(KIND)`` has more of each."""

    @staticmethod
    def ideal(
        *,
        compression: Compression | None = None,
        precision: Literal['float64', 'float32'] | None = None,
    ) -> IdealNetwork:
        """Messages arrive in the next turn, and none is lost.

        Args:
            compression: codec that compresses every vector that crosses a wire, after noise and rounding;
                absent, none
            precision: numbers that messages are made of: float32 takes half of the bytes, and rounds every
                vector that crosses a wire, after noise; absent, float64
        """
        return cast('IdealNetwork', _made('ideal', locals()))

    @staticmethod
    def effects(
        *,
        compression: Compression | None = None,
        precision: Literal['float64', 'float32'] | None = None,
        delay: Delay | None = None,
        loss: Loss | None = None,
        bandwidth: Bandwidth | None = None,
        patience: int | None = None,
        churn: Churn | None = None,
        events: Sequence[EffectsEvents] | None = None,
    ) -> EffectsNetwork:
        """Delays, losses, limited bandwidth, churn, and events at given steps: partitions, crashes, joining,
        leaving, stragglers.

        Args:
            compression: codec that compresses every vector that crosses a wire, after noise and rounding;
                absent, none
            precision: numbers that messages are made of: float32 takes half of the bytes, and rounds every
                vector that crosses a wire, after noise; absent, float64
            delay: turns that messages take beyond the next; absent, none
            loss: messages that never arrive; absent, none. What is lost takes nothing of the bandwidth
            bandwidth: bytes that an edge carries in a turn; the rest stands in line there, first in, first
                out, and the delay comes after that; absent, without limit
            patience: turns that a message waits for a receiver that is down; then it is lost; of federated
                algorithms at least as many as a receiver is without a turn by the schedule: 1, and 2 tau of
                ofl; absent, 0 (in turns)
            churn: nodes that go down and come back at random; absent, none
            events: events of messages and nodes at given steps; edges come and go by events of the topology
                (rewire); absent, none
        """
        return cast('EffectsNetwork', _made('effects', locals()))


class problem:
    """The kinds of problem; ``starling.describe(KIND)`` has more of each."""

    @staticmethod
    def localization(
        *,
        set: Set,
        sensors: Sensors,
        target: Target | None = None,
        measurement_noise: float | None = None,
    ) -> LocalizationProblem:
        """Sensors find a moving target from distances (nonconvex).

        Args:
            set: Omega, the convex set that decisions are from
            sensors: where the nodes stand: one of positions, circle, same, random and topology
            target: where the target starts and how it moves
            measurement_noise: errors of measured distances are uniform from 0 to this (in distance);
                default 0.001
        """
        return cast('LocalizationProblem', _made('localization', locals()))

    @staticmethod
    def logistic(
        *,
        set: Set,
        alpha: float | None = None,
        beta: float | None = None,
        normalise: bool | None = None,
        feature_norm: float | None = None,
    ) -> LogisticProblem:
        """Logistic regression on FedProx-style synthetic streams (convex).

        Args:
            set: Omega, the convex set that decisions are from
            alpha: variance between the models of the nodes, alpha of synthetic(alpha, beta); default 0.1
            beta: variance between the features of the nodes, beta of synthetic(alpha, beta); default 0.1
            normalise: scale every feature vector to 2-norm 1; false needs feature_norm; default True
            feature_norm: largest 2-norm of a feature vector, longer ones are scaled down; with normalise:
                false only, which needs it; absent, none (in 2-norm)
        """
        return cast('LogisticProblem', _made('logistic', locals()))

    @staticmethod
    def robust_regression(
        *,
        set: Set,
        scale: float | None = None,
        noise_deviation: float | None = None,
        outlier_share: float | None = None,
        outlier_size: float | None = None,
        truth: Truth | None = None,
    ) -> RobustRegressionProblem:
        """Regression with the Geman-McClure loss and gross outliers (nonconvex).

        Args:
            set: Omega, the convex set that decisions are from
            scale: c of the Geman-McClure loss: the residual at which it has reached half of its limit (in
                response); default 1
            noise_deviation: standard deviation of the Gaussian noise on every response (in response);
                default 0.1
            outlier_share: chance that a response is a gross outlier (in probability); default 0.1
            outlier_size: error of an outlier, up or down with equal chance (in response); default 10
            truth: path of x_star, which the responses come from
        """
        return cast('RobustRegressionProblem', _made('robust-regression', locals()))

    @staticmethod
    def synthetic_logistic(
        *,
        set: Set | None = None,
        model: SyntheticLogisticModel | None = None,
        dimension: int | None = None,
        alpha: float | None = None,
        beta: float | None = None,
        normalise: bool | None = None,
        l2: float | None = None,
        test_samples: int | None = None,
        validation_samples: int | None = None,
        shared: float | None = None,
        zonal: float | None = None,
        label_noise: float | None = None,
        drift: Drift | None = None,
        sizes: Sizes | None = None,
    ) -> SyntheticLogisticProblem:
        """Logistic regression on FedProx-style synthetic streams, one client for each learner and step
        (convex).

        Args:
            set: Omega, the compact convex set that decisions are from: nodes without a server need it,
                learners of a stream play projections on it, and those who draw batches project local steps
                on it, where it is given, and opestoch decides on the simplex with it or without; absent,
                none
            model: model of rows that learns the data in place of logistic regression, and has its own l2;
                labels are -1 and 1, or of classes 0 and 1; absent, logistic regression with a ridge term of
                l2
            dimension: number of features, d (in features); default 100
            alpha: variance between the models of the learners, alpha of synthetic(alpha, beta); default 0.1
            beta: variance between the features of the learners, beta of synthetic(alpha, beta); default 0.1
            normalise: scale every feature vector to 2-norm 1, so that no gradient is longer; default True
            l2: weight of a ridge term l2/2 ||x||^2 in every loss, which makes losses strongly convex; their
                gradients then have no bound of their own; absent, 0
            test_samples: fresh samples of each learner at which test accuracy is measured (in samples);
                default 100
            validation_samples: fresh samples of each learner for the choice of keys, drawn as those of
                test_samples are and apart from them; absent, none (in samples)
            shared: share of the variance of the true models that all learners have in common: at 0, the
                published law, many learners have next to nothing to learn together, and at 1 they all have
                one model; absent, 0
            zonal: share of the variance of the true models that the clients of a time zone have in common,
                with clock.availability.zones; shared and zonal are at most 1 together; absent, 0: data do
                not differ by zone
            label_noise: chance that a label is turned around, of fresh data too; absent, 0
            drift: how the true models change over time; absent, they stay
            sizes: how many samples each client has where data stay, by a power law; absent, as many each.
                Where data are met one a step, every learner meets one
        """
        return cast('SyntheticLogisticProblem', _made('synthetic-logistic', locals()))

    @staticmethod
    def images(
        *,
        data: str,
        model: ImagesModel,
        partition: Partition,
        set: Set | None = None,
        train: int | None = None,
        test: int | None = None,
        public: int | None = None,
        validation: float | None = None,
        positive: Numbers | None = None,
    ) -> ImagesProblem:
        """Images of a data set (MNIST, Fashion-MNIST, CIFAR-10), divided among the nodes, with a softmax,
        dense or convolutional network.

        Args:
            set: Omega, the compact convex set that decisions are from: nodes without a server need it,
                learners of a stream play projections on it, and those who draw batches project local steps
                on it, where it is given, and opestoch decides on the simplex with it or without; absent,
                none
            data: data set: mnist, fashion-mnist, cifar-10, or synthetic, which is generated, of the shape
                of MNIST
            train: training images, the first of the data set; absent, all, or 6000 synthetic ones (in
                images)
            test: test images, the first of the data set; absent, all, or 1000 synthetic ones (in images)
            public: how many of the training images, the last, are nobody's and public, for public
                statistics; absent, 0 (in images)
            validation: share of the training images, the last ones before the public ones, that are held
                out for the choice of keys, one at least; absent, none (in share of images)
            model: model to learn: a network, or a model of rows
            positive: for models of two labels such as logistic and hinge: the classes with label 1; all
                others have label -1; absent, the second half of the classes (in classes)
            partition: division of the training images among parties
        """
        return cast('ImagesProblem', _made('images', locals()))

    @staticmethod
    def table(
        *,
        file: Path | Frame,
        label: str,
        model: TableModel,
        party: str | Sequence[str] | Party | TableParty | None = None,
        least: int | None = None,
        small: Literal['drop', 'merge'] | None = None,
        step: str | None = None,
        features: Sequence[str] | None = None,
        words: Sequence[str] | None = None,
        booleans: Sequence[str] | None = None,
        times: Mapping[str, Literal['number', 'parts', 'cyclic'] | Sequence[Literal['days', 'year', 'month', 'day', 'weekday', 'hour', 'year-cycle', 'month-cycle', 'weekday-cycle', 'hour-cycle']]] | None = None,
        exclude: Sequence[str] | None = None,
        missing: Literal['refuse', 'drop', 'mean', 'median', 'mode', 'indicator'] | Mapping[str, Literal['refuse', 'drop', 'mean', 'median', 'mode', 'indicator']] | None = None,
        rare: int | None = None,
        levels: int | None = None,
        format: Format | None = None,
        parameters: Sequence[str] | None = None,
        intercept: bool | None = None,
        test: Test | None = None,
        validation: float | None = None,
        standardise: Literal['none', 'rows'] | Standardise | None = None,
        feature_bound: float | None = None,
        label_bound: float | None = None,
        set: Set | None = None,
        partition: Partition | None = None,
        reuse: Literal['error', 'cycle'] | None = None,
    ) -> TableProblem:
        """Rows of a CSV or Parquet file, by party or divided among the nodes, with a linear, logistic, hinge,
        Huber, softmax or dense model.

        Args:
            file: CSV or Parquet file, also compressed by gzip, whose first line names the columns, or a
                folder with a Parquet file for each client: beside the scenario, in the folder of --data, or
                where the program runs
            party: column of the party of a row, or a list of columns that name it together, or {column,
                quantiles}, which divides the rows by a number, or {of: files} and {of: row-groups}, where
                each client has a Parquet file or a row group; nodes are the parties in their order, numbers
                by value and else as text; absent, partition divides the rows
            least: least training rows of a party; absent, 1 (in training rows)
            small: parties with fewer rows than least: drop leaves their rows out, merge gives them to one
                party, the last; absent, a party without training rows is refused
            step: column of numbers that orders the rows of a party; absent, they are in the order of the
                file
            label: column that is learned: numbers for linear and huber, two classes for logistic and hinge,
                classes for softmax and mlp, which are whole numbers or words
            features: columns with the features: numbers, or words, with a feature of 0 or 1 for each word;
                a column is of words where any row has one; absent, all other columns except row numbers
            words: features, or the label, that are words though they look like numbers or times, such as
                codes and grades; absent, a column is of words where no cell is a number
            booleans: features, or the label, that are 1 for yes, true, on, y, t and 1, and 0 for no, false,
                off, n, f and 0; absent, none
            times: features of columns of dates or times: number, the days since 1970; parts, the year,
                month, day and weekday; cyclic, the year, and sine and cosine of the day in the year and in
                the week; or a list of days, year, month, day, weekday, hour, year-cycle, month-cycle,
                weekday-cycle and hour-cycle; absent, none
            exclude: columns that are no features; absent, none
            missing: treatment of cells without a value, for all columns or as a mapping of columns with
                default for the others: refuse, an error; drop, the row is left out; mean, median or mode of
                the training rows, for words their most frequent one; indicator, the mean, and a feature
                that is 1 for such cells; absent, refuse
            rare: levels of a column of words with fewer training rows are one level; absent, each has its
                own (in training rows)
            levels: most levels of a column of words, the most frequent ones and one for all others; absent,
                all (in levels)
            format: notation of a text file; absent, UTF-8, numbers as 1234.5, dates as 2024-01-31
            parameters: columns with a public parameter of each party, such as its epsilon: one value for
                all of its rows, and no feature; absent, none
            intercept: have a feature that is always 1; softmax and mlp have offsets of their own; default
                True
            test: which rows test and are not learned from; absent, none, and there is no accuracy
            validation: share of the training rows of each party that are held out for the choice of keys,
                one at least, drawn at random as test.draw says, none of them a test row; nothing is fitted
                to them; absent, none (in share of rows)
            standardise: standardisation of columns of numbers: none; rows, by mean and deviation over all
                training rows, which is not private; or {mean: [..], scale: [..]}, by public constants, one
                for each column in the order of the features; absent, none
            feature_bound: largest 2-norm of the features of a row, standardised and without the intercept:
                longer ones are scaled down to it, so that gradients have a bound of their own; absent, they
                have none (in 2-norm of features)
            label_bound: largest size of a label of linear and huber: others are held to it; absent, there
                is none (in that of the label)
            set: Omega, the compact convex set that decisions are from, whose dimension follows from the
                data: nodes without a server need it, others project on it where it is given; absent, all of
                R^d
            model: model to learn
            partition: division of the rows among parties, where no column of parties has it
            reuse: of a run that is longer than a party has rows: error refuses it; cycle begins with the
                first row again, so that a row takes part several times; default 'error'
        """
        return cast('TableProblem', _made('table', locals()))

    @staticmethod
    def python(
        class_: type | None = None,
        *,
        file: Path | None = None,
        name: str | None = None,
        options: Mapping[str, object] | None = None,
        timeout: float | None = None,
        threads: int | None = None,
        set: Set | None = None,
        dimension: int | None = None,
        gradient_bound: float | None = None,
        smoothness: float | None = None,
        linear: bool | None = None,
        offers: Sequence[str] | None = None,
        metrics: Sequence[Metrics] | None = None,
        state: int | None = None,
        sizes: Numbers | None = None,
    ) -> PythonProblem:
        """Costs computed by a class in a Python file, for all nodes of a shard at once; a sample is the data
        of one node at one step.

        Args:
            class_: the class, in place of file and name; its source is kept beside the run.
            file: file of Python code with the class: beside the scenario, in the folder of --data, where
                the program runs, or of the library
            name: class of the file
            options: keyword arguments of the class, beside those that every class gets; absent, none
            timeout: how long a call may take, and loading the file (in seconds); default 300
            threads: threads of linear algebra in Python; more than one may change last bits (in threads);
                default 1
            set: Omega, the convex set that decisions are from, which nodes without a server need; absent,
                all of R^d
            dimension: d, the entries of a decision, where there is no set; absent, the dimension of the set
            gradient_bound: largest 2-norm of the gradient of a cost on the set, which noise rests on:
                algorithms hold gradients to it, whatever Python returns; absent, it is not known, and
                private runs need algorithm.theta, ofl algorithm.gradient_bound; those who draw batches clip
                every sample to algorithm.clip in its place, and opestoch holds the entries of gradients to
                it (in 2-norm)
            smoothness: Lipschitz constant of the gradients in 2-norm; absent, it is not known (in 2-norm of
                gradients for each of distance)
            linear: whether losses are linear, as experts have them: <l, x> with entries of l from 0, at all
                x; fedsvt needs it; default False
            offers: methods that the class has beside loss and gradient: four for the metrics accuracy.test,
                loss.fresh, regret.fixed and regret.interval, and target.error; and, where clients keep
                their data, start, the model that they begin with, sums and losses, which get each model
                once with all its data, and local, which takes the local steps of clients; absent, none
            metrics: metrics of your own of the model of a server, where clients keep their data: the method
                measure(x) returns a dictionary with a number for each, and results have them with own.
                before the name; absent, none
            state: numbers that each client keeps from round to round, 0 at first, for offers: [local],
                which gets them as state and returns a dictionary of models and state; absent, none
            sizes: number of samples of each client, where clients keep their data, one for each; absent, as
                many each (in samples)
        """
        return cast('PythonProblem', _made('python', locals()))

    @staticmethod
    def python_rows(
        class_: type | None = None,
        *,
        dimension: int,
        model: TableModel,
        file: Path | None = None,
        name: str | None = None,
        options: Mapping[str, object] | None = None,
        timeout: float | None = None,
        threads: int | None = None,
        classes: int | None = None,
        tests: int | None = None,
        validation: int | None = None,
        feature_bound: float | None = None,
        label_bound: float | None = None,
        set: Set | None = None,
    ) -> PythonRowsProblem:
        """Rows of features and a label from a class in a Python file, with a linear, logistic, hinge, Huber,
        softmax or dense model.

        Args:
            class_: the class, in place of file and name; its source is kept beside the run.
            file: file of Python code with the class: beside the scenario, in the folder of --data, where
                the program runs, or of the library
            name: class of the file
            options: keyword arguments of the class, beside those that every class gets; absent, none
            timeout: how long a call may take, and loading the file (in seconds); default 300
            threads: threads of linear algebra in Python; more than one may change last bits (in threads);
                default 1
            dimension: features of a row, behind which its label stands; softmax and mlp have offsets of
                their own, and other models only where a feature is 1 (in features)
            classes: number of classes of labels, which are 0, 1, and so on; of two classes, -1 is another
                name of class 0; linear and huber take any numbers (in classes); default 2
            tests: fresh rows of each node that the method test_rows gives, for accuracy.test and
                loss.fresh; absent, none (in rows)
            validation: rows of each node that the method validation_rows gives, for metrics of validation
                rows, by which starling tune chooses keys; absent, none (in rows)
            feature_bound: largest 2-norm of the features of a row: longer ones are scaled down to it, so
                that gradients have a bound of their own; absent, they have none (in 2-norm of features)
            label_bound: largest size of a label of linear and huber: others are held to it; absent, there
                is none (in that of the label)
            set: Omega, the compact convex set that decisions are from, whose dimension follows from the
                model: nodes without a server need it, others project on it where it is given; absent, all
                of R^d
            model: model to learn
        """
        return cast('PythonRowsProblem', _made('python-rows', locals()))

    @staticmethod
    def uniform_zero(
        *,
        experts: int,
        expert: int | None = None,
    ) -> UniformZeroProblem:
        """Losses of experts uniform on [0, 1]; one expert has no loss.

        Args:
            experts: number of experts, d (in experts)
            expert: the expert that is best, from 1; absent, drawn for each seed (in expert number)
        """
        return cast('UniformZeroProblem', _made('uniform-zero', locals()))

    @staticmethod
    def linear(
        *,
        experts: int,
        gap: float,
        law: Literal['bernoulli', 'uniform'] | None = None,
        expert: int | None = None,
    ) -> LinearProblem:
        """Random losses of experts; one of them is better by a gap on average.

        Args:
            experts: number of experts, d (in experts)
            gap: difference of the mean loss of the best expert from 1/2, the mean loss of the others (in
                loss)
            law: law of a loss: bernoulli is 0 or 1, uniform between 0 and twice the mean; absent, bernoulli
            expert: the expert that is best, from 1; absent, drawn for each seed (in expert number)
        """
        return cast('LinearProblem', _made('linear', locals()))

    @staticmethod
    def gaussian_softmax(
        *,
        experts: int,
        loss: Literal['linear-in-decision', 'cross-entropy'] | None = None,
        means: Numbers | None = None,
        variances: Numbers | None = None,
        clip: float | None = None,
        floor: float | None = None,
    ) -> GaussianSoftmaxProblem:
        """Cross-entropy of a prediction and the softmax of Gaussians, in either order.

        Args:
            experts: number of experts, d (in experts)
            loss: order of the cross-entropy of a prediction x and the class distribution y:
                linear-in-decision is -sum x log y, cross-entropy -sum y log x; default 'linear-in-decision'
            means: range that the means of the Gaussians are drawn from; default [0, 1]
            variances: range that their variances are drawn from; default [0, 1]
            clip: upper bound on -log y, linear-in-decision only: alpha (in loss); default 10
            floor: least probability that is scored, cross-entropy only (in probability); default 0.001
        """
        return cast('GaussianSoftmaxProblem', _made('gaussian-softmax', locals()))

    @staticmethod
    def lower_bound_theorem_2(
        *,
        experts: int,
    ) -> LowerBoundTheorem2Problem:
        """All clients get the same fair coins, so cooperation gains nothing.

        Args:
            experts: number of experts, d (in experts)
        """
        return cast('LowerBoundTheorem2Problem', _made('lower-bound-theorem-2', locals()))

    @staticmethod
    def one_select(
        *,
        experts: int,
        records: int,
        expert: int | None = None,
    ) -> OneSelectProblem:
        """No losses until a number of informative records at the end, the same for all clients (second half of
        Theorem 2).

        Args:
            experts: number of experts, d (in experts)
            records: number of records, at the end of the run, in which every expert but a hidden one loses;
                log d/(2 eps) of them are hardest (in records)
            expert: the expert that is best, from 1; absent, drawn for each seed (in expert number)
        """
        return cast('OneSelectProblem', _made('one-select', locals()))

    @staticmethod
    def lower_bound_theorem_3(
        *,
        experts: int,
        epsilon: float,
        expert: int | None = None,
    ) -> LowerBoundTheorem3Problem:
        """No losses until the last steps, then losses of all experts but a hidden one.

        Args:
            experts: number of experts, d (in experts)
            epsilon: epsilon for which the sequence is hard; the epsilon of the run shows the bound (in
                nats)
            expert: the expert that is best, from 1; absent, drawn for each seed (in expert number)
        """
        return cast('LowerBoundTheorem3Problem', _made('lower-bound-theorem-3', locals()))

    @staticmethod
    def movielens(
        *,
        fill: Literal['genre-mean', 'user-mean', 'zero'] | None = None,
        order: Literal['shuffled', 'by-id'] | None = None,
    ) -> MovielensProblem:
        """MovieLens 1M: the experts are the 18 genres, a client meets one user a step.

        Args:
            fill: the mean of a user for a genre never rated: genre-mean, user-mean or zero; default
                'genre-mean'
            order: order of the users, whom clients meet one a step: shuffled for each seed, or by-id;
                default 'shuffled'
        """
        return cast('MovielensProblem', _made('movielens', locals()))

    @staticmethod
    def from_file(
        *,
        file: Path | Frame,
    ) -> FromFileProblem:
        """Losses of experts from a CSV or Parquet file.

        Args:
            file: path, from where the program runs, of a CSV or Parquet file with the columns client, step,
                expert, loss, or client, step and a column for each expert
        """
        return cast('FromFileProblem', _made('from-file', locals()))


class set:
    """The kinds of set; ``starling.describe(KIND)`` has more of each."""

    @staticmethod
    def l1_ball(
        *,
        radius: float,
        dimension: int | None = None,
        center: Numbers | None = None,
    ) -> L1BallSet:
        """Points within a radius of the center in the 1-norm.

        Args:
            dimension: d, the dimension of decisions; absent, the problem's, where its data have one (in
                coordinates)
            radius: radius of the ball (in norm of the ball)
            center: d numbers; absent, the origin (in coordinates)
        """
        return cast('L1BallSet', _made('l1-ball', locals()))

    @staticmethod
    def l2_ball(
        *,
        radius: float,
        dimension: int | None = None,
        center: Numbers | None = None,
    ) -> L2BallSet:
        """Points within a radius of the center in the 2-norm.

        Args:
            dimension: d, the dimension of decisions; absent, the problem's, where its data have one (in
                coordinates)
            radius: radius of the ball (in norm of the ball)
            center: d numbers; absent, the origin (in coordinates)
        """
        return cast('L2BallSet', _made('l2-ball', locals()))

    @staticmethod
    def box(
        *,
        lower: Numbers,
        upper: Numbers,
    ) -> BoxSet:
        """Points whose every coordinate is within its own bounds.

        Args:
            lower: smallest value of each coordinate, d numbers (in coordinates)
            upper: largest value of each coordinate, d numbers (in coordinates)
        """
        return cast('BoxSet', _made('box', locals()))

    @staticmethod
    def simplex(
        *,
        dimension: int | None = None,
    ) -> SimplexSet:
        """Probability vectors: entries of at least 0 that sum to 1.

        Args:
            dimension: d, the number of entries; absent, the problem's, where its data have one (in
                coordinates)
        """
        return cast('SimplexSet', _made('simplex', locals()))


class topology:
    """The kinds of topology; ``starling.describe(KIND)`` has more of each."""

    @staticmethod
    def printed(
        *,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
    ) -> PrintedTopology:
        """A1, A2, A3 of DPDO-NC, section 5, in turn; 6 nodes.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
        """
        return cast('PrintedTopology', _made('printed', locals()))

    @staticmethod
    def matrices(
        *,
        matrices: Sequence[Sequence[Sequence[float | str]]],
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
    ) -> MatricesTopology:
        """Given weight matrices, in turn.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            matrices: weight matrices, taken in turn: row i has the weights that node i gives to the vectors
                it receives, N rows of N numbers or fractions (in weights)
        """
        return cast('MatricesTopology', _made('matrices', locals()))

    @staticmethod
    def ring(
        *,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
    ) -> RingTopology:
        """Directed ring, half the weight on the node itself.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
        """
        return cast('RingTopology', _made('ring', locals()))

    @staticmethod
    def complete(
        *,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
        self_loops: bool | None = None,
    ) -> CompleteTopology:
        """Every node to every other, with or without itself.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            self_loops: give weight to the node itself too; false gives it only to the others; default False
        """
        return cast('CompleteTopology', _made('complete', locals()))

    @staticmethod
    def circulant(
        *,
        degree: int,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
    ) -> CirculantTopology:
        """Each node from itself and a given number of predecessors.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            degree: from how many nodes before it each node hears; fewer than nodes (in nodes)
        """
        return cast('CirculantTopology', _made('circulant', locals()))

    @staticmethod
    def permutations(
        *,
        degree: int,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
        every: int | None = None,
    ) -> PermutationsTopology:
        """Random regular digraph, redrawn every so many steps, drawn for each seed.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            degree: from how many others each node hears; fewer than nodes (in nodes)
            every: steps between draws of a new graph; absent, one draw a run (in steps)
        """
        return cast('PermutationsTopology', _made('permutations', locals()))

    @staticmethod
    def path(
        *,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
        directed: bool | None = None,
    ) -> PathTopology:
        """A line: each node with its predecessor and successor.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            directed: each node hears the one before it only; default False
        """
        return cast('PathTopology', _made('path', locals()))

    @staticmethod
    def torus(
        *,
        sides: Numbers,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
        directed: bool | None = None,
    ) -> TorusTopology:
        """Grid of any dimension with joined opposite sides.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            sides: lengths of the sides; their product is the number of nodes (in nodes)
            directed: each node hears the one before it along every side only; default False
        """
        return cast('TorusTopology', _made('torus', locals()))

    @staticmethod
    def hypercube(
        *,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
    ) -> HypercubeTopology:
        """Nodes whose numbers differ in one bit.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
        """
        return cast('HypercubeTopology', _made('hypercube', locals()))

    @staticmethod
    def exponential(
        *,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
        directed: bool | None = None,
    ) -> ExponentialTopology:
        """Each node with those 1, 2, 4, ... away around the circle.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            directed: each node hears nodes before it only, as in the paper; otherwise as many after it too;
                default False
        """
        return cast('ExponentialTopology', _made('exponential', locals()))

    @staticmethod
    def one_peer(
        *,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
        directed: bool | None = None,
    ) -> OnePeerTopology:
        """One distance of the exponential graph in each step, in turn.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            directed: each node hears the node 2^k before it, as in the paper; otherwise pairs exchange, and
                the number of nodes is a power of two; default False
        """
        return cast('OnePeerTopology', _made('one-peer', locals()))

    @staticmethod
    def erdos_renyi(
        *,
        probability: float,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
        directed: bool | None = None,
        every: int | None = None,
    ) -> ErdosRenyiTopology:
        """Every edge with the same probability.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            probability: of each edge (in probability)
            directed: the two edges between two nodes are drawn apart; default False
            every: steps between draws of a new graph; absent, one draw a run (in steps)
        """
        return cast('ErdosRenyiTopology', _made('erdos-renyi', locals()))

    @staticmethod
    def k_out(
        *,
        degree: int,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
        directed: bool | None = None,
        every: int | None = None,
    ) -> KOutTopology:
        """Every node chooses k others.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            degree: how many others each node chooses, fewer than nodes (in nodes)
            directed: a node sends to those it chose; otherwise they hear each other; default False
            every: steps between draws of a new graph; absent, one draw a run (in steps)
        """
        return cast('KOutTopology', _made('k-out', locals()))

    @staticmethod
    def random_regular(
        *,
        degree: int,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
        directed: bool | None = None,
        every: int | None = None,
    ) -> RandomRegularTopology:
        """Random graph of equal degrees.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            degree: neighbours of every node, fewer than nodes; nodes times degree is even unless directed
                (in nodes)
            directed: every node hears as many others as hear it, but not the same ones; default False
            every: steps between draws of a new graph; absent, one draw a run (in steps)
        """
        return cast('RandomRegularTopology', _made('random-regular', locals()))

    @staticmethod
    def small_world(
        *,
        neighbours: int,
        rewire: float,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
        directed: bool | None = None,
        every: int | None = None,
    ) -> SmallWorldTopology:
        """A circle with some edges rewired (Watts, Strogatz).

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            neighbours: how many neighbours a node begins with; even unless directed, fewer than nodes less
                one (in nodes)
            rewire: probability with which an edge is led elsewhere (in probability)
            directed: each node begins with the nodes before it only; default False
            every: steps between draws of a new graph; absent, one draw a run (in steps)
        """
        return cast('SmallWorldTopology', _made('small-world', locals()))

    @staticmethod
    def preferential_attachment(
        *,
        edges: int,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
        every: int | None = None,
    ) -> PreferentialAttachmentTopology:
        """New nodes prefer neighbours of high degree (Barabasi, Albert).

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            edges: with how many earlier nodes a new one is joined, fewer than nodes (in edges)
            every: steps between draws of a new graph; absent, one draw a run (in steps)
        """
        return cast('PreferentialAttachmentTopology', _made('preferential-attachment', locals()))

    @staticmethod
    def matching(
        *,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
        every: int | None = None,
        clocks: Numbers | None = None,
        base: Topology | None = None,
    ) -> MatchingTopology:
        """Random pairs exchange, on all edges or on the edges of a base.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            every: steps between draws of a new graph; absent, one draw a run (in steps)
            clocks: rates of Poisson clocks, one number a group of consecutive nodes of nearly equal size: a
                draw is the next tick of any clock, and one exchange, of the node whose clock ticks with a
                neighbour at random; absent, every node has a partner where one is left (in ticks a second)
            base: topology whose edges may be used; absent, all pairs may exchange
        """
        return cast('MatchingTopology', _made('matching', locals()))

    @staticmethod
    def stochastic_block(
        *,
        blocks: int,
        within: float,
        between: float,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
        drift: float | None = None,
        directed: bool | None = None,
        every: int | None = None,
    ) -> StochasticBlockTopology:
        """Random edges inside and between blocks; nodes may change blocks.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            blocks: how many blocks, at most as many as nodes (in blocks)
            within: probability of an edge inside a block (in probability)
            between: probability of an edge between blocks (in probability)
            drift: probability with which a node changes its block between draws; absent, 0 (in probability)
            directed: the two edges between two nodes are drawn apart; default False
            every: steps between draws of a new graph; absent, one draw a run (in steps)
        """
        return cast('StochasticBlockTopology', _made('stochastic-block', locals()))

    @staticmethod
    def geometric(
        *,
        radius: float,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
        spread: float | None = None,
        speed_min: float | None = None,
        speed_max: float | None = None,
        pause: float | None = None,
    ) -> GeometricTopology:
        """Nodes in a box with edges to near nodes, fixed or moving by random waypoints.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            radius: within which nodes hear each other, in sides of the box (in sides of the box)
            spread: each node's range is uniform between radius*(1-spread) and radius*(1+spread), and the
                graph directed; absent, 0 (in share of the radius)
            speed_min: least speed; above 0 where speed_max is; absent, 0 (in sides of the box a step)
            speed_max: greatest speed; 0 leaves the nodes where they are; absent, 0 (in sides of the box a
                step)
            pause: steps that a node stays where it arrives; absent, 0 (in steps)
        """
        return cast('GeometricTopology', _made('geometric', locals()))

    @staticmethod
    def markov_edges(
        *,
        on: float,
        off: float,
        base: Topology,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
        directed: bool | None = None,
    ) -> MarkovEdgesTopology:
        """Each edge of a base appears and disappears independently.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            on: probability with which an edge that is off comes on at a step (in probability)
            off: probability with which an edge that is on goes off at a step (in probability)
            directed: the two edges between two nodes come and go apart; otherwise together, and the base is
                undirected; default False
            base: topology whose edges come and go
        """
        return cast('MarkovEdgesTopology', _made('markov-edges', locals()))

    @staticmethod
    def cycle(
        *,
        parts: Sequence[Topology],
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
        every: int | None = None,
        phases: Sequence[Phases] | None = None,
    ) -> CycleTopology:
        """Topologies shown in turn.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            every: for how many steps a part is shown; absent, phases say (in steps)
            phases: numbers of steps that change in the course of a run: from a step on, a part is shown for
                every steps, the first part first; absent, every says
            parts: topologies, shown in turn: each goes on in the time of the whole, and is drawn under a
                seed of its own
        """
        return cast('CycleTopology', _made('cycle', locals()))

    @staticmethod
    def union(
        *,
        parts: Sequence[Topology],
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
    ) -> UnionTopology:
        """The union of topologies, each with its own schedule.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            parts: topologies whose edges are there together, each with a schedule of its own; each is drawn
                under a seed of its own
        """
        return cast('UnionTopology', _made('union', locals()))

    @staticmethod
    def clusters(
        *,
        inside: Topology,
        cloud: Schedule,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
        clusters: int | None = None,
        sizes: Numbers | None = None,
        edge: Schedule | None = None,
    ) -> ClustersTopology:
        """Groups of nodes, each with a topology; in some steps they average through edge servers and a cloud
        (Lin et al.).

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            clusters: number of clusters, of consecutive nodes, as many in each; it divides nodes; absent,
                sizes says (in clusters)
            sizes: number of nodes in each cluster, of consecutive nodes, which sum to nodes; absent,
                clusters says (in nodes)
            inside: topology of the nodes of a cluster, by its own weights; each cluster draws it under a
                seed of its own
            edge: steps in which the nodes of a cluster send their vectors to its edge server, which returns
                the mean; absent, none
            cloud: steps in which all nodes get the mean of all, by way of edge servers and a cloud above
                them
        """
        return cast('ClustersTopology', _made('clusters', locals()))

    @staticmethod
    def empty(
        *,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
    ) -> EmptyTopology:
        """No edges.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
        """
        return cast('EmptyTopology', _made('empty', locals()))

    @staticmethod
    def edge_list(
        *,
        file: Path | Frame,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
        bin: str | None = None,
        columns: Columns | None = None,
        names: bool | None = None,
        duplicates: Literal['refuse', 'first', 'sum'] | None = None,
        zero_based: bool | None = None,
        undirected: bool | None = None,
        hold: bool | None = None,
        repeat: bool | None = None,
    ) -> EdgeListTopology:
        """Edges of each step from a CSV file.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            file: path, from the scenario's folder or else from where the program runs, of a CSV file with
                the columns step, from, to and, if there are weights, weight; columns names others
            bin: times are clock times, in seconds or dates such as 2024-05-31T08:15:00, and a step is so
                long: step 1 begins with the earliest time; absent, times are numbers of steps
            columns: the names of the columns in the header; the file may have others
            names: nodes have names, any text, and are numbered in the order of the names: numbers by size,
                before words; otherwise they are numbers; default False
            duplicates: an edge that a step has twice: refuse is an error, first keeps the weight of the
                first row, sum adds the weights; absent, refuse
            zero_based: steps and nodes of the file count from 0, not from 1; default False
            undirected: a row stands for the edges both ways; default False
            hold: a graph stays until the next step that is listed; otherwise a step that is not listed has
                no edges; default False
            repeat: after the last listed step the file begins anew with step 1, listed or not; otherwise
                later steps have no edges or, with hold, the edges of the last step; default False
        """
        return cast('EdgeListTopology', _made('edge-list', locals()))

    @staticmethod
    def graphml(
        *,
        file: Path,
        weights: Literal['checked', 'unchecked'] | None = None,
        window: int | None = None,
        weighting: Weighting | None = None,
        schedule: Schedule | None = None,
        events: Events | None = None,
    ) -> GraphmlTopology:
        """A graph from a GraphML file.

        Args:
            weights: checked demands doubly stochastic weights (column stochastic ones for push-sum) and
                strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever
                negative, and the sums that a weighting makes hold; default 'checked'
            window: B: the union of the graphs of every B steps is strongly connected; absent, the smallest
                that holds is found (in steps)
            weighting: weights by a rule; absent, the weights of the kind; an undirected kind without
                weights has metropolis
            schedule: the steps in which nodes send; absent, every step
            events: events of the network, in any order; events of one step in the order listed; absent,
                none
            file: path, from the scenario's folder or else from where the program runs, of a GraphML file;
                its nodes are numbered in their order there
        """
        return cast('GraphmlTopology', _made('graphml', locals()))

    @staticmethod
    def star(
        *,
        schedule: Schedule | None = None,
    ) -> StarTopology:
        """A server and its clients.

        Args:
            schedule: the steps in which the server and its clients meet, of algorithms whose rounds have no
                key of their own for it; a client takes the local steps of all steps since; absent, every
                step
        """
        return cast('StarTopology', _made('star', locals()))

    @staticmethod
    def tiers(
        *,
        fan: Numbers,
        levels: Sequence[str] | None = None,
        schedule: Sequence[Schedule] | None = None,
        noise: str | None = None,
    ) -> TiersTopology:
        """Levels of servers above clients, such as a cloud, edge servers and phones.

        Args:
            fan: number of nodes directly below each server, by level from the top: [10, 50] is a cloud
                above 10 edge servers of 50 clients each (in nodes)
            levels: names of the levels from the top, the clients last; absent, cloud, edge, client, or
                cloud, region, edge, client
            schedule: rounds in which the servers of a level add up the vectors of the level below, by level
                from the top, without the lowest servers: these do so in every round. a level also takes
                part in the rounds of the levels above it; absent, every round
            noise: level of the servers that add the noise of level: user; these servers and all below them
                are trusted, those above are not; absent, where clients add noise or nobody does
        """
        return cast('TiersTopology', _made('tiers', locals()))


def scenario(
    *,
    name: str,
    horizon: int,
    nodes: int,
    algorithm: Algorithm,
    problem: Problem,
    topology: Topology,
    mechanism: Mechanism,
    description: str | None = None,
    paper: Paper | None = None,
    network: Network | None = None,
    clock: Clock | None = None,
    adversaries: Adversaries | None = None,
    match: Match | None = None,
    budget: Budget | None = None,
    seeds: Seeds | None = None,
    sweep: Sweep | None = None,
    tune: Tune | None = None,
    tuned: Sequence[Tuned] | None = None,
    measure: Measure | None = None,
    plots: Sequence[Plots] | None = None,
    checkpoint: Checkpoint | None = None,
) -> Scenario:
    """A scenario, to run, or to write by to_yaml.

    Args:
        name: name of the scenario, and of the folder of its results
        description: one line for lists and reports; absent, none
        paper: paper that the scenario is from
        horizon: number of steps, T (in steps)
        nodes: number of nodes, N: at most 10 million, and more where a server draws the clients of a
            round, algorithm.draw: server (in nodes)
        algorithm: learning algorithm of the nodes
        problem: costs of the nodes, and the set of decisions
        topology: graph and weights of each step
        network: effects of the network on messages and nodes; absent, ideal
        clock: seconds of the rounds of a server: laws of the speeds of its clients and of their links;
            absent, rounds have no seconds
        adversaries: Byzantine nodes, which send other vectors than they have computed; absent, none
        mechanism: noise that protects what nodes send
        match: privacy that the arms have in common: the noise of each is calibrated to it; absent, as
            the mechanism says
        budget: limit on the privacy loss of every node over the run; absent, none
        seeds: seeds of the runs
        sweep: arms of the scenario, by the values they set, where null is as absent; absent, one arm
        tune: trials from which the verb tune chooses values of keys; other verbs do not read it;
            absent, there are none
        tuned: values that the verb tune has chosen, and the privacy cost of its trials, as it wrote
            them; absent, none
        measure: metrics to record, with their steps and nodes
        plots: figures to draw; absent, the usual ones; an empty list, none
        checkpoint: how often the state of a run is saved, so that one that is killed can go on
    """
    given = {key: value for key, value in locals().items() if value is not None}
    return cast("Scenario", {"version": 1, **given})

class Changes(TypedDict, total=False):
    """What a scenario changes of another; None takes a value away."""

    description: str | None
    paper: Mapping[str, object] | None
    horizon: int | None
    nodes: int | None
    algorithm: Mapping[str, object] | None
    problem: Mapping[str, object] | None
    topology: Mapping[str, object] | None
    network: Mapping[str, object] | None
    clock: Mapping[str, object] | None
    adversaries: Mapping[str, object] | None
    mechanism: Mapping[str, object] | None
    match: Mapping[str, object] | None
    budget: Mapping[str, object] | None
    seeds: Mapping[str, object] | None
    sweep: Mapping[str, object] | None
    tune: Mapping[str, object] | None
    tuned: Sequence[object] | None
    measure: Mapping[str, object] | None
    plots: Sequence[object] | None
    checkpoint: Mapping[str, object] | None


def extended(base: Path, name: str, **changes: Unpack[Changes]) -> dict[str, Any]:
    """A scenario that changes some values of another, a file or one of the library.

    Args:
        base: the other: a name of the library, or the path of a file.
        name: the name of the new one.
        changes: sections with the values that differ.
    """
    return {"version": 1, "name": name, "extends": os.fspath(base), **changes}
