# Starling runs this program as a child process: it makes objects of classes of the user's
# file and calls their methods with arrays. It needs the standard library and numpy.
#
# A frame is its length in bytes, 8 of them, little-endian, and that many bytes in the
# format safetensors: named arrays, and texts by name. Frames come in at the descriptor
# that was standard input and leave by the one that was standard output. The user's code
# gets neither: its standard input is empty, and what it prints goes to standard error.

import os
import sys

PROTOCOL = "1"
MOST_FRAME = 1 << 30  # bytes
MOST_TEXT = 1 << 16  # characters of a traceback

descriptors = os.dup(0), os.dup(1)
empty = os.open(os.devnull, os.O_RDONLY)
os.dup2(empty, 0)
os.close(empty)
os.dup2(2, 1)
sys.stdin = open(0, closefd=False)
sys.stdout = sys.stderr
process = os.getpid()

import json
import linecache
import traceback
import types


class Refused(Exception):
    """An answer or a request that cannot be taken, in words for the user."""


class Wire:
    """Frames, one at a time."""

    def __init__(self, incoming, outgoing):
        self.incoming = open(incoming, "rb", buffering=0)
        self.outgoing = open(outgoing, "wb", buffering=0)

    def fill(self, buffer):
        """Fills a buffer; False where the parent has ended."""
        view = memoryview(buffer)
        while view:
            count = self.incoming.readinto(view)
            if not count:
                return False
            view = view[count:]
        return True

    def receive(self):
        """The texts and arrays of the next frame; None where the parent has ended. The
        arrays can only be read."""
        prefix = bytearray(8)
        if not self.fill(prefix):
            return None
        size = int.from_bytes(prefix, "little")
        if not 8 <= size <= MOST_FRAME:
            raise SystemExit(f"a frame of {size} bytes")
        frame = numpy.empty(size, numpy.uint8)
        if not self.fill(frame):
            return None
        begin = 8 + int.from_bytes(frame[:8].tobytes(), "little")
        header = json.loads(frame[8:begin].tobytes())
        texts, arrays = header.pop("__metadata__", {}), {}
        frame.flags.writeable = False
        for name, entry in header.items():
            first, last = entry["data_offsets"]
            kind = {"F64": "<f8", "I64": "<i8"}[entry["dtype"]]
            arrays[name] = frame[begin + first : begin + last].view(kind).reshape(entry["shape"])
        return texts, arrays

    def send(self, texts, arrays=()):
        header, data, end = {"__metadata__": texts}, [], 0
        for name, array in arrays:
            header[name] = {"dtype": "F64", "shape": array.shape, "data_offsets": [end, end + array.nbytes]}
            end += array.nbytes
            if array.nbytes:
                data.append(memoryview(array.reshape(-1)).cast("B"))
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        size = 8 + len(text) + end
        if size > MOST_FRAME:
            raise Refused(f"the answer has {size} bytes; want at most {MOST_FRAME}")
        head = size.to_bytes(8, "little") + len(text).to_bytes(8, "little") + text
        for part in [memoryview(head), *data]:
            while part:
                part = part[self.outgoing.write(part) :]


def number(name, value):
    """A part of an answer as an array of float64."""
    if hasattr(value, "detach"):  # a tensor of PyTorch
        value = value.detach().cpu().numpy()
    array = numpy.asarray(value)
    if not numpy.can_cast(array.dtype, numpy.float64, "safe"):
        raise Refused(f"{name} has dtype {array.dtype}; want numbers that float64 holds")
    return numpy.asarray(array, dtype="<f8", order="C")


def answer(value):
    """What a method has returned as named arrays: a dictionary of arrays, nothing, or one
    array with the name result."""
    if value is None:
        return []
    if isinstance(value, dict):
        return [(str(name), number(f"the entry {name!r} of what it returned", part)) for name, part in value.items()]
    return [("result", number("what it returned", value))]


def plain(value):
    """Whether an attribute goes into a description."""
    if isinstance(value, (list, tuple)):
        return len(value) <= 1000 and all(isinstance(entry, (bool, int, float, str)) for entry in value)
    if isinstance(value, dict):
        return len(value) <= 1000 and all(isinstance(key, str) and plain(entry) for key, entry in value.items())
    return isinstance(value, (bool, int, float, str))


class Host:
    """The user's module and the objects made of its classes."""

    def __init__(self):
        self.module, self.adapt, self.objects = None, None, {}

    def load(self, texts, arrays):
        """Loads the user's file, whose text the parent has read, so that what is run is what
        is in the hash."""
        path, source = texts["path"], texts["source"]
        folder = os.path.dirname(path)
        if folder not in sys.path:
            sys.path.insert(0, folder)
        self.module = types.ModuleType(os.path.splitext(os.path.basename(path))[0])
        self.module.__file__ = path
        sys.modules[self.module.__name__] = self.module
        linecache.cache[path] = len(source), None, source.splitlines(True), path
        exec(compile(source, path, "exec"), self.module.__dict__)
        if texts["adapter"]:
            adapter = {"__name__": "starling", "Refused": Refused}
            exec(compile(texts["adapter"], __file__, "exec"), adapter)
            self.adapt = adapter["adapt"]
        return {}, []

    def make(self, texts, arrays):
        """Makes an object, and describes it."""
        kind = getattr(self.module, texts["class"], None)
        if not isinstance(kind, type):
            here = [name for name, value in vars(self.module).items() if isinstance(value, type) and value.__module__ == self.module.__name__]
            raise Refused(f"the file has no class {texts['class']}; it has {', '.join(here) or 'none'}")
        made = kind(**json.loads(texts["arguments"]))
        self.objects[texts["object"]] = self.adapt(made) if self.adapt else made
        methods, attributes = [], {}
        for name in dir(made):
            if name.startswith("_"):
                continue
            value = getattr(made, name)
            if callable(value):
                methods.append(name)
            elif plain(value):
                attributes[name] = value
        return {"methods": json.dumps(methods), "attributes": json.dumps(attributes)}, []

    def drop(self, texts, arrays):
        self.objects.pop(texts["object"], None)
        return {}, []

    def call(self, texts, arrays):
        """Calls a method with the arrays of the frame by name. A number comes as an int or a
        float."""
        method = getattr(self.objects[texts["object"]], texts["method"], None)
        if not callable(method):
            raise Refused(f"the class has no method {texts['method']}")
        if "by" in texts:
            return {}, [("result", grouped(method, arrays, texts["at"], texts["by"], json.loads(texts["shape"])))]
        over, rows, count = texts.get("over"), 1, 1
        if over:
            rows, count = max(len(array) for name, array in arrays.items() if array.shape and name != over), len(arrays[over])
            arrays = {name: spread(array, name == over, rows, count) for name, array in arrays.items()}
        results = answer(method(**{name: array if array.shape else array.item() for name, array in arrays.items()}))
        if "shape" in texts:
            fits(results, json.loads(texts["shape"]))
        if over:
            results = [(name, total(array, rows, count)) for name, array in results]
        return {}, results


def grouped(method, arrays, at, by, shape):
    """The answers of calls for each value of the argument by, row by row; see Call.At."""
    rows, values, answers = arrays.pop(at), arrays.pop(by), None
    order = numpy.argsort(values, kind="stable")
    for part in numpy.split(order, numpy.flatnonzero(numpy.diff(values[order])) + 1):
        value = values[part[0]].item()
        given = {name: array[rows[part]] if array.ndim > 1 else array[part] for name, array in arrays.items()}
        for array in given.values():
            array.flags.writeable = False
        try:
            results = answer(method(**given, **{by: value}))
            fits(results, [len(part)] + shape[1:])
        except Refused as refused:
            raise Refused(f"{refused}, at {by} {value}") from None
        except BaseException as error:
            error.where = f", at {by} {value}"
            raise
        if answers is None:
            answers = numpy.empty((len(values),) + results[0][1].shape[1:], "<f8")
        answers[part] = results[0][1]
    return answers


def spread(array, inner, rows, count):
    """An array of one entry for each pair of a row and an entry of the array that a call is
    over, which is the inner one. Rows lie side by side, as in any other call: code may
    give other bits for a view that repeats a row without a copy."""
    if not array.shape:
        return array
    if inner:
        return numpy.tile(array, rows) if rows > 1 else array
    return numpy.repeat(array, count, axis=0)


def total(array, rows, count):
    """The sums over the entries that belong to a row, from 0 in their order."""
    parts = array.reshape(rows, count, -1)
    if parts.shape[2] == 1:  # what lies side by side is summed in pairs
        return numpy.cumsum(parts, axis=1)[:, -1] + 0.0
    return numpy.add.reduce(parts, axis=1, initial=0.0)


def fits(results, shape):
    """Refuses an answer that is not one array of a shape, of which -1 is any length."""
    if len(results) != 1 or results[0][0] != "result":
        raise Refused("it returned no array" if not results else "it returned a dictionary; want one array")
    had = results[0][1].shape
    if len(had) != len(shape) or any(want not in (-1, length) for want, length in zip(shape, had)):
        wanted = ", ".join("any" if length < 0 else str(length) for length in shape)
        raise Refused(f"it returned an array of shape {had}; want ({wanted}{',' if len(shape) == 1 else ''})")


def shown(error):
    """The traceback of an error, without the frames of this program; empty where it has no
    others, and the error itself says all."""
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    if trace is None and not isinstance(error, SyntaxError):
        return ""
    return "".join(traceback.format_exception(type(error), error, trace))[-MOST_TEXT:]


def serve(wire):
    host = Host()
    while True:
        frame = wire.receive()
        if frame is None:
            return
        texts, arrays = frame
        try:
            reply, results = getattr(host, texts["do"])(texts, arrays)
            alone()
            wire.send(reply, results)
        except Refused as refused:
            alone()
            wire.send({"refused": str(refused)})
        except BaseException as error:  # also what ends a program, such as SystemExit
            alone()
            sentence = "".join(traceback.format_exception_only(type(error), error)).strip()
            sentence += getattr(error, "where", "")
            wire.send({"raised": sentence[-MOST_TEXT:], "traceback": shown(error)})


def alone():
    """Ends a process that the user's code has forked, which must not answer."""
    if os.getpid() != process:
        os._exit(0)


__file__ = "<starling>"
hello = {"protocol": PROTOCOL, "python": ".".join(map(str, sys.version_info[:3])), "numpy": ""}
try:
    import numpy

    hello["numpy"] = numpy.__version__
except ImportError as error:
    hello["missing"] = str(error)
if hello["numpy"]:
    wire = Wire(*descriptors)
    wire.send(hello)
    serve(wire)
else:
    text = json.dumps({"__metadata__": hello}).encode()
    os.write(descriptors[1], (8 + len(text)).to_bytes(8, "little") + len(text).to_bytes(8, "little") + text)
