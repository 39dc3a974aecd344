# The other half of server.go: it stands around an object of the user's class, and hands its state
# back and forth as arrays by name.

import numpy


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


class Server:
    def __init__(self, made):
        self.made = made

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
