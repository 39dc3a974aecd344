# The other half of server.go and local.go: it stands around an object of the user's class, hands its state
# back and forth as arrays by name, and has the local steps of clients go on with gradients.

import types

import numpy


class Point:
    """A point at which a class asks for gradients."""

    def __init__(self, x):
        self.x = x


class Turn:
    """The turn of the clients of a shard in a round. Arrays have a row for each client."""

    #  model   what the server has sent: (k, d), or (k, V, d) with vectors: V, the model first
    #  state   what the clients keep: (k, K, d) with keeps: K, 0 in the first round of a client; what is written to it
    #          is there in the next round
    #  fresh   with keeps, truth values: whether it is a client's first round
    #  nodes   the numbers of the clients, from 0
    #  round   the step of the run, from 1
    #  steps   the number of local steps, and of gradients that may be asked for
    #  rate    learning_rate

    def gradient(self, x):
        """g = yield turn.gradient(x): for each client the mean gradient of its next batch at its row of x."""
        return Point(x)

    def record(self, name, values):
        """turn.record(name, values) records a number for each client, NaN for none: of a metric that the class
        declares."""
        if name not in self._records:
            raise Refused(f"turn.record of {name!r}; the class declares {', '.join(self._records) or 'no metrics'}")
        values = numpy.asarray(values, dtype="<f8")
        if values.shape != self.nodes.shape:
            raise Refused(f"turn.record of {name!r} has shape {values.shape}; want {self.nodes.shape}")
        self._records[name] = values


def array(name, value, shape):
    """A part of an answer as an array of float64, of one shape."""
    if hasattr(value, "detach"):  # a tensor of PyTorch
        value = value.detach().cpu().numpy()
    value = numpy.asarray(value)
    if value.dtype.kind not in "fiub" or not numpy.can_cast(value.dtype, numpy.float64, "same_kind"):
        raise Refused(f"{name} has dtype {value.dtype}; want numbers")
    if shape is not None and value.shape != shape:
        raise Refused(f"{name} has shape {value.shape}; want {shape}")
    value = numpy.array(value, dtype="<f8", order="C")
    if not numpy.isfinite(value).all():
        raise Refused(f"{name} has an entry that is not finite")
    return value


def states(state, like):
    """A state as arrays by name; like is the one before, None at the start."""
    if not isinstance(state, dict) or not all(isinstance(name, str) and name.isidentifier() for name in state):
        raise Refused("a state is a dictionary whose keys are names")
    if like is not None and state.keys() != like.keys():
        raise Refused(f"the state has {', '.join(sorted(state)) or 'nothing'}, and began with {', '.join(sorted(like)) or 'nothing'}")
    return {name: array(f"the state {name}", value, like and like[name].shape) for name, value in sorted(state.items())}


class Steps:
    """The local steps of the clients of a turn."""

    def __init__(self, made, given):
        self.turn = Turn()
        for name, value in given.items():
            setattr(self.turn, name, value.copy() if isinstance(value, numpy.ndarray) else value)
        self.turn._records = dict.fromkeys(sorted(getattr(made, "metrics", {})))
        self.kept = getattr(self.turn, "state", None)
        made = made.local(self.turn)
        self.steps = made if isinstance(made, types.GeneratorType) else None
        self.end = made

    def go_on(self, gradient):
        """What the class asks next, or the arrays at its end."""
        k, d = len(self.turn.nodes), self.turn.model.shape[-1]
        if self.steps is not None:
            try:
                asked = self.steps.send(gradient)
                if not isinstance(asked, Point):
                    raise Refused(f"local has yielded {type(asked).__name__}; want turn.gradient(x)")
                return {"point": array("the point of turn.gradient", asked.x, (k, d))}
            except StopIteration as end:
                self.end = end.value
        answer = {"model": array("the array that local returns", self.end, self.turn.model.shape)}
        if self.kept is not None:
            answer["kept"] = array("turn.state", self.turn.state, self.kept.shape)
        if self.turn._records:
            none = numpy.full(k, numpy.nan)
            answer["records"] = numpy.stack([none if values is None else values for values in self.turn._records.values()], axis=1)
        return answer


class Server:
    def __init__(self, made):
        self.made = made

    def combine(self, vectors, twice=0):
        """One vector in place of the mean."""
        answers = [array("the vector that combine returns", self.made.combine(vectors.copy()), vectors.shape[1:]) for _ in range(1 + int(twice))]
        if answers[0].tobytes() != answers[-1].tobytes():
            raise Refused("two equal calls gave different results; combine depends on more than its vectors")
        return {"vector": answers[0]}

    def begin(self, model, nodes, round, steps, rate, kept=None, fresh=None, twice=0):
        """Begins the local steps of clients."""
        self.given = {"model": model.copy(), "nodes": nodes.copy(), "round": int(round), "steps": int(steps), "rate": float(rate)}
        if kept is not None:
            self.given["state"], self.given["fresh"] = kept.copy(), fresh != 0
        self.log = [] if twice else None
        self.taken = Steps(self.made, self.given)
        return self.go_on(None)

    def go_on(self, gradient):
        """Has local steps go on with the gradients at the point that they have asked about."""
        gradient = None if gradient is None else gradient.copy()
        answer = self.taken.go_on(gradient)
        if self.log is not None:
            self.log.append((gradient, answer))
            if "model" in answer:
                again = Steps(self.made, self.given)
                for gradient, first in self.log:
                    second = again.go_on(gradient)
                    if first.keys() != second.keys() or any(first[name].tobytes() != second[name].tobytes() for name in first):
                        raise Refused("two equal turns gave different results; local depends on more than its turn, such as randomness, or what self remembers")
        return answer

    def first(self, start):
        """The state that a run begins with."""
        begin = getattr(self.made, "state", None)
        return {"state." + name: value for name, value in states(begin(start.copy()) if begin else {}, None).items()}

    def adopt(self, model, mean, round, twice=0, **given):
        """The next model, and the state after it."""
        answers = []
        for _ in range(1 + int(twice)):
            before = {name[6:]: numpy.array(value, dtype="<f8") for name, value in given.items()}
            state = {name: value.copy() for name, value in before.items()}
            model_after = array("the model that adopt returns", self.made.adopt(state, model.copy(), mean.copy(), int(round)), model.shape)
            answers.append({"model": model_after, **{"state." + name: value for name, value in states(state, before).items()}})
        if any(answers[0][name].tobytes() != value.tobytes() for name, value in answers[-1].items()):
            raise Refused("two equal calls gave different results; adopt depends on more than its arguments, such as randomness, or what self remembers")
        return answers[0]


def adapt(made):
    return Server(made)
