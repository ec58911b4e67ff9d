"""Encode and decode one DELIVER (16-byte key, 250-byte body) in Python: ours against widely used libraries.

Runs are short and peers alternate, so that other work of the machine affects all equally. Every peer encodes a
sequence, a key (str) and a body (bytes), and decodes bytes to an object with these three. construct uses our layout;
msgpack, msgspec and protobuf (upb) use their own. Our codec caches checked texts; a separate row has 20,000 keys, so
that the cache does not help. Further figures of ours: encoding and decoding READY, which is a list of pairs; decoding
and encoding all vectors of each protocol; and refusing invalid frames.
"""

from __future__ import annotations

import gc
import importlib
import itertools
import json
import struct
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import construct
import msgpack
import msgspec
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.internal import api_implementation

from report import Row, median, parser_of, publish, say
from zeps_wire import zeps, zmtp
from zeps_wire.errors import DecodeError

VECTORS = Path(__file__).resolve().parents[1] / "generated" / "vectors"
PROTOCOLS = ("zeps", "zmtp", "zmtp_1", "zmtp_2", "zmtp_frame", "journal")
KEY = "NASDAQ.AAPL.0001"
BODY = bytes(range(250))
SEQUENCE = 1 << 40

Codec = tuple[Callable[[], bytes], Callable[[bytes], object]]


def ours() -> Codec:
    return (lambda: zeps.encode(zeps.Deliver(SEQUENCE, KEY, BODY))), zeps.decode


def ours_with_new_keys() -> Codec:
    """Our codec with more keys than it caches."""
    keys = [f"NASDAQ.{number:09d}" for number in range(20_000)]
    frames = itertools.cycle([zeps.Deliver(SEQUENCE, key, BODY).encode() for key in keys])
    chosen = itertools.cycle(keys)
    return (lambda: zeps.encode(zeps.Deliver(SEQUENCE, next(chosen), BODY))), lambda _: zeps.decode(
        next(frames)
    )


def floor() -> Codec:
    """A lower limit for pure Python: cached struct formats, a tuple as the result, no checks."""
    head, length = struct.Struct(">HBQB"), struct.Struct(">I")

    def encode() -> bytes:
        key = KEY.encode()
        return head.pack(0xAAA5, 7, SEQUENCE, len(key)) + key + length.pack(len(BODY)) + BODY

    def decode(data: bytes) -> object:
        _, _, sequence, size = head.unpack_from(data)
        end = 12 + size
        (body_size,) = length.unpack_from(data, end)
        return sequence, str(data[12:end], "utf-8"), data[end + 4 : end + 4 + body_size]

    return encode, decode


def with_construct() -> Codec:
    layout = construct.Struct(
        "signature" / construct.Const(0xAAA5, construct.Int16ub),
        "id" / construct.Const(7, construct.Int8ub),
        "sequence" / construct.Int64ub,
        "key" / construct.PascalString(construct.Int8ub, "utf8"),
        "body" / construct.Prefixed(construct.Int32ub, construct.GreedyBytes),
    ).compile()
    return (lambda: layout.build({"sequence": SEQUENCE, "key": KEY, "body": BODY})), layout.parse


def with_msgpack() -> Codec:
    return (lambda: msgpack.packb((7, SEQUENCE, KEY, BODY))), msgpack.unpackb


def with_msgspec() -> Codec:
    class Deliver(msgspec.Struct, array_like=True, tag=7):
        sequence: int
        key: str
        body: bytes

    encoder, decoder = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(Deliver)
    return (lambda: encoder.encode(Deliver(SEQUENCE, KEY, BODY))), decoder.decode


def with_protobuf() -> Codec:
    if api_implementation.Type() != "upb":
        raise RuntimeError(f"protobuf runs on {api_implementation.Type()!r}, not on upb")
    file = descriptor_pb2.FileDescriptorProto(name="deliver.proto", package="bench", syntax="proto3")
    message = file.message_type.add(name="Deliver")
    field = descriptor_pb2.FieldDescriptorProto
    for number, (name, kind) in enumerate(
        (("sequence", field.TYPE_UINT64), ("key", field.TYPE_STRING), ("body", field.TYPE_BYTES)), 1
    ):
        message.field.add(name=name, number=number, type=kind, label=field.LABEL_OPTIONAL)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    deliver = message_factory.GetMessageClass(pool.FindMessageTypeByName("bench.Deliver"))

    def decode(data: bytes) -> object:
        value = deliver.FromString(data)
        return value.sequence, value.key, value.body

    return (lambda: deliver(sequence=SEQUENCE, key=KEY, body=BODY).SerializeToString()), decode


PEERS: dict[str, Callable[[], Codec]] = {
    "zeps_wire": ours,
    "zeps_wire, keys never seen before": ours_with_new_keys,
    "struct, unchecked (floor)": floor,
    "construct, compiled": with_construct,
    "msgpack": with_msgpack,
    "msgspec": with_msgspec,
    "protobuf, upb": with_protobuf,
}


def nanoseconds(call: Callable[[], object], count: int) -> float:
    start = time.perf_counter_ns()
    for _ in range(count):
        call()
    return (time.perf_counter_ns() - start) / count


def encode_all(messages: Sequence[zeps.Message]) -> None:
    for message in messages:
        message.encode()


def decode_all(decode: Callable[[bytes], object], frames: Sequence[bytes]) -> None:
    for frame in frames:
        decode(frame)


def refuse_all(decode: Callable[[bytes], object], frames: Sequence[bytes]) -> None:
    for frame in frames:
        try:
            decode(frame)
        except DecodeError:
            continue


def own_calls() -> dict[str, tuple[Callable[[], object], int]]:
    """Calls that are measured only for our codec, by name, each with its number of messages."""
    encode, decode = ours()
    calls: dict[str, tuple[Callable[[], object], int]] = {
        "encode DELIVER": (encode, 1),
        "decode DELIVER": (partial(decode, encode()), 1),
    }
    for count in (2, 60):
        message = zmtp.Ready(tuple((b"Property-%02d" % number, bytes(20)) for number in range(count)))
        calls[f"encode READY of {count} pairs"] = message.encode, 1
        calls[f"decode READY of {count} pairs"] = partial(zmtp.decode, message.encode()), 1
        calls[f"size of READY of {count} pairs"] = message.size, 1
    for name in PROTOCOLS:
        vectors = json.loads((VECTORS / f"{name}.json").read_text())
        frames, refused = (
            [bytes.fromhex(vector["frame"]) for vector in vectors[kind]] for kind in ("positive", "negative")
        )
        try:
            module = importlib.import_module(f"zeps_wire.{name}")
            messages = [module.decode(frame) for frame in frames]
        except (DecodeError, ModuleNotFoundError):
            continue  # an earlier version with another protocol
        calls[f"encode all of {name}"] = partial(encode_all, messages), len(frames)
        calls[f"decode all of {name}"] = partial(decode_all, module.decode, frames), len(frames)
        calls[f"refuse all of {name}"] = partial(refuse_all, module.decode, refused), len(refused)
    return calls


def own_times(runs: int, count: int) -> dict[str, list[float]]:
    """Nanoseconds per message of each of `own_calls`, in runs of about `count` microseconds, or of one call. Disables
    the garbage collector.
    """
    calls = own_calls()
    gc.disable()
    counts = {name: max(1, int(1000 * count / nanoseconds(call, 3))) for name, (call, _) in calls.items()}
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(runs):
        for name, (call, messages) in calls.items():
            times[name].append(nanoseconds(call, counts[name]) / messages)
    return times


def measured(codecs: dict[str, Codec], runs: int, count: int) -> dict[tuple[str, str], list[float]]:
    """Nanoseconds per call of each run, by codec and step; the codecs alternate. Disables the garbage collector."""
    times: dict[tuple[str, str], list[float]] = {}
    gc.disable()
    for run in range(runs):
        for name, (encode, decode) in codecs.items():
            data = encode()
            for step, call in (("encode", encode), ("decode", lambda data=data, decode=decode: decode(data))):
                times.setdefault((name, step), []).append(nanoseconds(call, count))
        if (run + 1) % 20 == 0 and len(codecs) > 1:
            say(f"run {run + 1}/{runs}")
    return times


def main() -> int:
    parser = parser_of(__doc__, runs=200, count=1000)
    parser.add_argument(
        "--ours",
        action="store_true",
        help="measure only our codec, print the median nanoseconds per message of each call as JSON, write no report",
    )
    options = parser.parse_args()
    if options.ours:
        alone = own_times(options.runs, options.count)
        print(json.dumps({name: median(values) for name, values in alone.items()}))
        return 0
    codecs = {name: make() for name, make in PEERS.items()}
    times = measured(codecs, options.runs, options.count)
    rows = []
    for step in ("encode", "decode"):
        own = median(times["zeps_wire", step])
        for name in PEERS:
            value = median(times[name, step])
            ratio = None if name == "zeps_wire" else value / own
            compared = (ratio, "zeps_wire's time" if ratio else "", 1.0 if name == "protobuf, upb" else None)
            rows.append(Row(f"{step}: {name}", value, "ns", tuple(times[name, step]), *compared))
    for name, values in own_times(options.runs, options.count).items():
        rows.append(Row(f"zeps_wire alone: {name}", median(values), "ns", tuple(values)))
    note = "A ratio above 1: zeps_wire is that much faster."
    return 0 if publish("codec_python", "Python: one DELIVER, 282 bytes", rows, note) else 1


if __name__ == "__main__":
    sys.exit(main())
