# Starling runs this program as a child process: it makes objects of classes of the user's
# file and calls their methods with arrays. It needs the standard library and numpy.
#
# A frame is its length in bytes, 8 of them, little-endian, and that many bytes in the
# format safetensors: named arrays, and texts by name. Frames come in at the descriptor
# that was standard input and leave by the one that was standard output. The user's code
# gets neither: its standard input is empty, and what it prints goes to standard error. The
# numbers of a frame may be in memory that both processes have, as its length then says: in
# its order, from the first byte. The text "memory" of a request says how long that is.

import os
import sys

PROTOCOL = "2"
MOST_FRAME = 1 << 30  # bytes
MOST_TEXT = 1 << 16  # characters of a traceback
MEMORY = 3  # the descriptor of memory that is shared with the parent, where there is any
ELSEWHERE = 1 << 63  # in the length of a frame: its numbers are in that memory

descriptors = os.dup(0), os.dup(1)
empty = os.open(os.devnull, os.O_RDONLY)
os.dup2(empty, 0)
os.close(empty)
os.dup2(2, 1)
sys.stdin = open(0, closefd=False)
sys.stdout = sys.stderr
process = os.getpid()

most = int(os.environ.pop("STARLING_PYTHON_MEMORY", "0"))  # bytes that this process may take
if most:
    try:
        import resource

        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (most, most) if hard < 0 else (min(most, hard), hard))
    except (ImportError, OSError, ValueError):
        pass  # the system has no such limit; the parent looks at what this process takes

import json
import linecache
import math
import mmap
import traceback
import types


class Refused(Exception):
    """An answer or a request that cannot be taken, in words for the user."""


class Wire:
    """Frames, one at a time."""

    def __init__(self, incoming, outgoing):
        self.incoming = open(incoming, "rb", buffering=0)
        self.outgoing = open(outgoing, "wb", buffering=0)
        self.memory = numpy.empty(0, numpy.uint8)

    def share(self, size):
        """Maps so much of the memory that is shared; 0 is none."""
        if size != len(self.memory):
            self.memory = numpy.frombuffer(mmap.mmap(MEMORY, size), numpy.uint8) if size else numpy.empty(0, numpy.uint8)

    def room(self, shape):
        """Memory for an array of float64 that is an answer by itself."""
        count = math.prod(shape)
        if 0 < 8 * count <= len(self.memory):
            return self.memory[: 8 * count].view("<f8").reshape(shape)
        return numpy.empty(shape, "<f8")

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
        prefix = bytearray(16)
        if not self.fill(prefix):
            return None
        size, length = (int.from_bytes(part, "little") for part in (prefix[:8], prefix[8:]))
        there = size & ELSEWHERE
        size ^= there
        if not 8 + length <= size <= MOST_FRAME:
            raise SystemExit(f"a frame of {size} bytes, and a header of {length}")
        header = bytearray(length)
        if not self.fill(header):
            return None
        header = json.loads(header)
        texts, arrays = header.pop("__metadata__", {}), {}
        self.share(int(texts.pop("memory", "0")))
        if there:  # copied, as the user's code may keep it
            data = self.memory[: size - 8 - length].copy()
        else:
            data = numpy.empty(size - 8 - length, numpy.uint8)
            if not self.fill(data):
                return None
        data.flags.writeable = False
        for name, entry in header.items():
            first, last = entry["data_offsets"]
            kind = {"F64": "<f8", "I64": "<i8"}[entry["dtype"]]
            arrays[name] = data[first:last].view(kind).reshape(entry["shape"])
        return texts, arrays

    def send(self, texts, arrays=()):
        header, data, end = {"__metadata__": texts}, [], 0
        for name, array in arrays:
            header[name] = {"dtype": "F64", "shape": array.shape, "data_offsets": [end, end + array.nbytes]}
            if array.nbytes:
                data.append((end, array.reshape(-1).view(numpy.uint8)))
            end += array.nbytes
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        size = 8 + len(text) + end
        if size > MOST_FRAME:
            raise Refused(f"the answer has {size} bytes; want at most {MOST_FRAME}")
        there = ELSEWHERE if 0 < end <= len(self.memory) else 0
        if there:
            for begin, part in data:
                place = self.memory[begin : begin + len(part)]
                if place.ctypes.data != part.ctypes.data:  # else it is of room
                    place[:] = part
            data = []
        head = (size | there).to_bytes(8, "little") + len(text).to_bytes(8, "little") + text
        for part in [memoryview(head), *(memoryview(part) for _, part in data)]:
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

    def __init__(self, room):
        self.module, self.adapt, self.objects, self.room = None, None, {}, room

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
            return {}, [("result", grouped(method, arrays, texts["at"], texts["by"], json.loads(texts["shape"]), self.room))]
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


def grouped(method, arrays, at, by, shape, room):
    """The answers of calls for each value of the argument by, row by row, in memory of room; see
    Call.At."""
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
            answers = room((len(values),) + results[0][1].shape[1:])
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
    host = Host(wire.room)
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
            if most and isinstance(error, MemoryError):
                sentence += f"; a process of Python may take {most >> 20} MiB of memory (--memory)"
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
