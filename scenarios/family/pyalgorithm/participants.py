# What Starling gives the code of an algorithm in Python: turns, and what a turn may ask.
# It is an adapter of objects; Refused comes with it. The other side is desk.go.

import types

import numpy

PLAY, GRADIENT, LOSS, PROJECT, RAW, RELEASE, NOTHING = range(7)
NAMES = "play", "gradient", "loss", "project", "raw", "what it returned", ""
FLOAT, INTEGER, TRUTH, OCTET, BYTES = range(5)  # how entries of a state come back
MOST_INTEGER = 1 << 53  # what float64 holds


class Ask:
    """What a turn asks, or says at its end."""

    def __init__(self, kind, vector):
        self.kind, self.vector = kind, vector


class Turn:
    """The turn of a participant. In step_all, that of several: arrays then have a row for
    each of them, and what is said of one is a list."""

    #  step     the number of the step, from 1
    #  node     the participant's number, from 0; messages about it say one more
    #  state    its state: arrays, numbers and bytes by name
    #  heard    the sum of what it heard, with weights; None in the first step, and where
    #           the class asks for the inbox; with push_sum = True the sum over that of masses
    #  mass     with push_sum = True its mass, by which it multiplies what it releases; else 1
    #  inbox    its messages, where the class has inbox = True: .sender, .weight, .late,
    #           .raw, .values, by sender
    #  neighbours  the numbers of those who hear it, but for itself, where it has an inbox
    #  random   its generator of numpy, keyed by seed, participant and step

    def play(self, x):
        """Plays x, once a step. g = yield turn.play(x) is the gradient there."""
        return Ask(PLAY, x)

    def gradient(self, x):
        """g = yield turn.gradient(x), after play: that of the same costs elsewhere."""
        return Ask(GRADIENT, x)

    def loss(self, x):
        """f = yield turn.loss(x), after play."""
        return Ask(LOSS, x)

    def project(self, y):
        """x = yield turn.project(y): the point of the decision set that is nearest."""
        return Ask(PROJECT, y)

    def raw(self, y):
        """yield turn.raw(y) sends y to all who hear the participant, beside what step
        returns and without protection; for classes with inbox = True. {neighbour: y} sends
        to one neighbour, or to several."""
        return Ask(RAW, y)

    def record(self, name, value):
        """turn.record(name, value) records a number, or in step_all one for each
        participant, NaN for none: that of a metric that the class declares, once a step."""
        if name not in self._metrics:
            raise Refused(f"turn.record of {name!r}; the class declares {', '.join(self._metrics) or 'no metrics'}")
        if name in self._records:
            raise Refused(f"turn.record of {name!r} twice in a step")
        self._records[name] = value

    @property
    def random(self):
        if self._random is None:
            made = [numpy.random.Generator(numpy.random.Philox(key=key)) for key in self._keys]
            self._random = made if self._many else made[0]
        return self._random


def vector(ask, shape, who=""):
    """The numbers of what was asked or said."""
    return numbers(NAMES[ask.kind], ask.vector, shape, who)


def numbers(name, value, shape, who, missing=False):
    """An array of a shape, whose numbers are finite, or NaN where some may be missing."""
    if hasattr(value, "detach"):  # a tensor of PyTorch
        value = value.detach().cpu().numpy()
    try:
        array = numpy.asarray(value)
    except ValueError as error:
        raise Refused(f"{name}{who} is no array: {error}") from None
    if array.shape != shape:
        raise Refused(f"{name}{who} has shape {array.shape}; want {shape}")
    if not numpy.can_cast(array.dtype, numpy.float64, "safe"):
        raise Refused(f"{name}{who} has dtype {array.dtype}; want numbers that float64 holds")
    array = numpy.asarray(array, dtype="<f8", order="C")
    good = numpy.isfinite(array) | missing & numpy.isnan(array)
    if not good.all():
        at = tuple(int(i) for i in numpy.argwhere(~good)[0])
        raise Refused(f"{name}{who} is {array[at]} at {list(at)}; want finite numbers")
    return array


def packed(name, value):
    """An entry of a state as float64, with what it was."""
    if isinstance(value, bytes):
        return numpy.frombuffer(value, numpy.uint8).astype("<f8"), BYTES
    array = numpy.asarray(value)
    if array.dtype == numpy.bool_:
        kind = TRUTH
    elif array.dtype == numpy.uint8:
        kind = OCTET
    elif array.dtype.kind in "iu":
        kind = INTEGER
        if array.size and (int(array.max()) > MOST_INTEGER or int(array.min()) < -MOST_INTEGER):
            raise Refused(f"the state {name} has whole numbers beyond 2^53; keep them as bytes")
    elif array.dtype.kind == "f" and numpy.can_cast(array.dtype, numpy.float64, "safe"):
        kind = FLOAT
    else:
        raise Refused(f"the state {name} has dtype {array.dtype}; want numbers, truth values or bytes")
    return numpy.array(array, dtype="<f8", order="C"), kind


def unpacked(array, kind):
    if kind == BYTES:
        return array.astype(numpy.uint8).tobytes()
    return array.astype({FLOAT: "<f8", INTEGER: "<i8", TRUTH: numpy.bool_, OCTET: numpy.uint8}[kind])  # a copy


def named(state):
    """A state, with its names in order."""
    if not isinstance(state, dict) or not all(isinstance(name, str) and name.isidentifier() for name in state):
        raise Refused("a state is a dictionary whose keys are names")
    return dict(sorted(state.items()))


class Step:
    """A turn that is on its way: the generator that step has made, and where it stands."""

    def __init__(self, method, turn, who, many):
        turn._many = many
        self.turn, self.who = turn, who
        self.generator = self.told(method, turn)
        if not isinstance(self.generator, types.GeneratorType):
            raise Refused(f"{method.__name__} has no yield: it has to play a decision, g = yield turn.play(x)")
        self.ask = None

    def told(self, function, *arguments):
        try:
            return function(*arguments)
        except Exception as error:
            error.where = self.who and "," + self.who
            raise

    def go_on(self, answer):
        """What it asks or says next."""
        if self.ask is not None and self.ask.kind in (LOSS, RAW):  # a number, and nothing
            answer = None if self.ask.kind == RAW else answer if self.turn._many else answer[0]
        try:
            ask = self.told(self.generator.send, answer)
            if not isinstance(ask, Ask) or ask.kind >= RELEASE:
                raise Refused(f"step has yielded {type(ask).__name__}{self.who}; want turn.play, turn.gradient, turn.loss, turn.project or turn.raw")
        except StopIteration as end:
            ask = end.value
            if ask is None:
                ask = Ask(NOTHING, ())
            elif not isinstance(ask, Ask):
                ask = Ask(RELEASE, ask)
            else:
                raise Refused(f"step has returned turn.{NAMES[ask.kind]}{self.who}; it is to be yielded")
        self.ask = ask
        return ask


class Participants:
    """The participants of a shard, in an object of the user's class."""

    def __init__(self, made):
        self.made, self.many = made, callable(getattr(made, "step_all", None))
        self.method = made.step_all if self.many else getattr(made, "step", None)
        metrics = getattr(made, "metrics", {})
        if not isinstance(metrics, dict) or not all(isinstance(said, dict) for said in metrics.values()):
            raise Refused("metrics is no dictionary with a dictionary of texts for each name")
        if not all(isinstance(text, str) for said in metrics.values() for text in (*said, *said.values())):
            raise Refused("metrics has something that is no text")
        self.metrics = sorted(metrics)

    def sensitivity(self, horizon, bound):
        """What the class states, for all steps."""
        norms = numpy.full((int(horizon), 2), numpy.nan)
        for t in range(int(horizon)):
            stated = self.made.sensitivity(t + 1, bound)
            for name, value in (stated if isinstance(stated, dict) else {"l2": stated}).items():
                if name not in ("l1", "l2"):
                    raise Refused(f"the sensitivity of step {t + 1} has {name!r}; want l1 and l2")
                number = numpy.asarray(value)
                if number.shape != () or number.dtype.kind not in "iuf" or not 0 < number < numpy.inf:
                    raise Refused(f"the sensitivity of step {t + 1} is {value!r}; want a finite number above 0")
                norms[t, ("l1", "l2").index(name)] = number
        return norms

    def first(self, start):
        """The state that a participant begins with."""
        made = getattr(self.made, "state", None)
        return named(made(start.copy()) if made else {})

    def begin(self, step, nodes, key, start, fresh, twice=0, **given):
        """Begins the turns of participants."""
        self.dim, self.single = len(start), "neighbours" in given
        words = (key[:, 1::2].astype(numpy.uint64) << numpy.uint64(32)) | key[:, 0::2].astype(numpy.uint64)
        self.begun = step, nodes, words, start, fresh, given
        self.steps, self.log = self.turns(*self.begun), [] if twice else None
        return self.go_on()

    def turns(self, step, nodes, words, start, fresh, given):
        """The steps begun: one a participant, or one of all of them."""
        brought = {name: given[name] for name in ("heard", "mass") if name in given}
        if self.single:
            brought["inbox"] = self.inboxes(given)
            brought["neighbours"] = numpy.split(given["neighbours"], numpy.cumsum(given["degrees"])[:-1])
        if self.many:
            state = self.together(len(nodes), fresh, start, given)
            return [Step(self.method, turn(step, nodes, words, state, brought, self.metrics), "", True)]
        states = self.states(len(nodes), fresh, start, given)
        return [
            Step(self.method, turn(step, int(node), words[i], states[i], {name: rows[i] for name, rows in brought.items()}, self.metrics), f" of node {node + 1}", False)
            for i, node in enumerate(nodes)
        ]

    def together(self, count, fresh, start, given):
        """The states of all participants, with a row for each."""
        together = {}
        if not fresh.any():  # what has one shape comes as it lies
            for name in [name[6:] for name in given if name.startswith("state.")]:
                shapes, kind = given["shape." + name], int(given["kind." + name])
                if kind != BYTES and (shapes == shapes[0]).all():
                    together[name] = unpacked(given["state." + name].reshape((count, *shapes[0])), kind)
            if len(together) == sum(name.startswith("state.") for name in given):
                return together
        states = self.states(count, fresh, start, given)
        for name in states[0]:
            values = [state[name] for state in states]
            if isinstance(values[0], bytes):
                together[name] = values
                continue
            if any(value.shape != values[0].shape for value in values):
                raise Refused(f"the state {name} has several shapes, which step_all cannot take; write step")
            together[name] = numpy.stack(values)
        return together

    def states(self, count, fresh, start, given):
        """The state of each participant: that which it had, or the first."""
        names = sorted(name[6:] for name in given if name.startswith("state."))
        states, old = [], {}
        for name in names:
            shapes = given["shape." + name]
            sizes = shapes.prod(axis=1, dtype=numpy.int64)
            parts = numpy.split(given["state." + name], numpy.cumsum(sizes)[:-1])
            old[name] = [unpacked(part.reshape(shape), int(given["kind." + name])) for part, shape in zip(parts, shapes)]
        first, before = None, 0
        for i in range(count):
            if fresh[i]:
                first = first or self.first(start)
                states.append({name: value if isinstance(value, bytes) else numpy.array(value) for name, value in first.items()})
                continue
            states.append({name: old[name][before] for name in names})
            before += 1
        if first is not None and before and list(first) != names:
            raise Refused(f"the state has {', '.join(names)}, and began with {', '.join(first)}")
        return states

    def inboxes(self, given):
        """The messages of each participant."""
        parts = [given["inbox." + part] for part in ("sender", "weight", "late", "raw", "values")]
        messages = [
            types.SimpleNamespace(sender=int(sender), weight=float(weight), late=bool(late), raw=bool(raw), values=values)
            for sender, weight, late, raw, values in zip(*parts)
        ]
        ends = numpy.cumsum(given["inbox.count"])
        return [messages[end - size : end] for end, size in zip(ends, given["inbox.count"])]

    def go_on(self, answers=None, lengths=()):
        """Has every step go on that is not over, and says what came of them. answers are
        side by side: vectors, numbers, which have a length of 1, and nothing, which has 0."""
        if answers is None:
            parts = [None] * len(self.steps)
        elif self.many:
            parts = [answers if self.steps[0].ask.kind == LOSS else answers.reshape(len(lengths), -1)]
        else:
            parts = numpy.split(answers, numpy.cumsum(lengths)[:-1])
        said = self.advance(parts)
        if self.log is not None:
            self.log.append((parts, said))
            if not self.steps:
                self.again()
        return said[0] if self.many else joined(said)

    def advance(self, answers):
        said = [self.said(step, step.go_on(answer)) for step, answer in zip(self.steps, answers)]
        self.steps = [step for step in self.steps if step.ask.kind < RELEASE]
        return said

    def again(self):
        """Takes the turns a second time, with the same answers, and refuses what is not the
        same to the last bit."""
        self.steps = self.turns(*self.begun)
        for answers, said in self.log:
            for first, second in zip(said, self.advance(answers)):
                if first.keys() != second.keys() or any(first[name].tobytes() != second[name].tobytes() for name in first):
                    raise Refused("two equal calls gave different results; it depends on more than its turn, such as randomness that is not turn.random, or what self remembers")

    def addressed(self, name, letters, count, who):
        """Vectors by neighbour, a dictionary for each participant."""
        if not self.single:
            raise Refused(f"{name}{who} is for single neighbours; that takes inbox = True, and sends = N of what is released")
        if len(letters) != count:
            raise Refused(f"{name}{who} has {len(letters)} rows; want {count}, one for each participant")
        to, rows = [], []
        for letter in letters:
            if not isinstance(letter, dict) or not all(isinstance(node, (int, numpy.integer)) and 0 <= node < 1 << 31 for node in letter):
                raise Refused(f"{name}{who} has something else than vectors by the numbers of neighbours")
            for node in sorted(letter):
                to.append(float(node))
                rows.append(numbers(f"{name}{who} for node {node + 1}", letter[node], (self.dim,), ""))
        counts = numpy.array([len(letter) for letter in letters], dtype=float)
        return {"values": numpy.concatenate([*rows, numpy.empty(0)]), "count": counts, "to": numpy.array(to)}

    def said(self, step, ask):
        """What a step asks or says, with its state where it is over."""
        count = len(step.turn.node) if self.many else 1
        shape = (count, self.dim) if self.many else (self.dim,)
        parts = {"kind": numpy.full(count, float(ask.kind))}
        letters = ask.vector if self.many else [ask.vector]
        if ask.kind in (RAW, RELEASE) and isinstance(letters, list) and any(isinstance(letter, dict) for letter in letters):
            parts.update(self.addressed(NAMES[ask.kind], letters, count, step.who))
        else:
            values = numpy.empty(0) if ask.kind == NOTHING else vector(ask, shape, step.who)
            parts["values"] = values.reshape(-1)
            if self.single:
                parts["count"], parts["to"] = numpy.full(count, -1.0), numpy.empty(0)
        if ask.kind < RELEASE:
            return parts
        for name in self.metrics:
            if name in step.turn._records:
                value = numbers(f"turn.record of {name!r}", step.turn._records[name], (count,) if self.many else (), step.who, self.many)
            else:
                value = numpy.full(count, numpy.nan)
            parts["record." + name] = value.reshape(count)
        for name, value in named(step.turn.state).items():
            if self.many:
                check_rows(name, value, count)
            if self.many and isinstance(value, list) and isinstance(value[0], bytes):
                arrays, kind = [packed(name, entry)[0] for entry in value], BYTES
                shapes, flat = [array.shape for array in arrays], numpy.concatenate(arrays)
            else:
                flat, kind = packed(name, value)
                shapes = [flat.shape[1:]] * count if self.many else [flat.shape]
            parts["state." + name] = flat.reshape(-1)
            parts["shape." + name] = numpy.array(shapes, dtype=float).reshape(count, -1)
            parts["kind." + name] = numpy.float64(kind)
        return parts


def check_rows(name, value, count):
    """Refuses a state of step_all that has not a row for each participant."""
    found = len(value) if isinstance(value, list) or numpy.ndim(value) > 0 else 0
    if found != count:
        raise Refused(f"the state {name} has {found} rows; want {count}, one for each participant")


def turn(step, node, words, state, brought, metrics):
    t = Turn()
    t.step, t.node, t.state, t.heard, t.mass = step, node, state, brought.get("heard"), brought.get("mass", 1.0)
    t.inbox, t.neighbours = brought.get("inbox"), brought.get("neighbours")
    t._keys, t._random = words if numpy.ndim(words) == 2 else [words], None
    t._metrics, t._records = metrics, {}
    return t


def joined(parts):
    """What participants say, as one."""
    result = {name: numpy.concatenate([part[name] for part in parts]) for name in ("kind", "values", "count", "to") if name in parts[0]}
    over = [part for part in parts if part["kind"][0] >= RELEASE]
    for name in over[0] if over else ():
        if any(part.keys() != over[0].keys() for part in over):
            raise Refused("participants have states of several names")
        if name.startswith("kind."):
            if any(part[name] != over[0][name] for part in over):
                raise Refused(f"the state {name[5:]} has several dtypes")
            result[name] = over[0][name]
        elif "." in name:
            if any(part[name].shape[1:] != over[0][name].shape[1:] for part in over):
                raise Refused(f"the state {name.split('.')[1]} has several numbers of dimensions")
            result[name] = numpy.concatenate([part[name] for part in over])
    return result


def adapt(made):
    return Participants(made)
