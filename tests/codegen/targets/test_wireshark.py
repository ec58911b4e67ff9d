"""The dissector in tshark: real and synthetic captures, compared with the interpreter and the explorer."""

from __future__ import annotations

import contextlib
import itertools
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from campaigns import SOAK, sized
from captures import CLIENT, SERVER, Capture, frame, greeting, ready, tshark, tshark_fields, tshark_tree
from damage import damaged
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from programs import ROOT, run, tool, vectors_of
from random_protocols import generated, messages, plans, protocols

from zeps_codegen.compose import encode
from zeps_codegen.interpret import DecodeFault, decode
from zeps_codegen.ir import Bundle, Protocol
from zeps_codegen.load import load_bundle
from zeps_codegen.passes.explore import ANYTHING, Composition
from zeps_codegen.passes.traces import Trace, pairs
from zeps_codegen.playback import playbacks
from zeps_codegen.requests import Oracle
from zeps_codegen.targets.wireshark import lua_source, render

PATHS = [ROOT / "protocol" / name for name in ("zeps.xml", "zeps_server.xml", "zeps_client.xml")]
BUNDLE = load_bundle(PATHS)
ZEPS = BUNDLE.protocols[0]
FRAMING = ["zeps.zmtp.version", "zeps.zmtp.flags", "zeps.zmtp.length"]
SAID = ["zeps.message", "zeps.error", "zeps.actor", "zeps.client", "zeps.server"]
#: Sizes of segments in bytes.
CUTS = (1, 3, 7)
BAD = "zeps.illegal or zeps.malformed or _ws.malformed or _ws.expert.severity == error"


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    (content,) = render(BUNDLE).values()
    path = tmp_path_factory.mktemp("lua") / "zeps.lua"
    path.write_bytes(content)
    return path


def message(name: str, *values: object) -> bytes:
    return encode(ZEPS, ZEPS.message(name), list(values))  # type: ignore[arg-type]


ATTACH = message("ATTACH", b"stocks")
ATTACH_OK = message("ATTACH-OK")
SUBSCRIBE = message("SUBSCRIBE", b"", 0)
SUBSCRIBE_OK = message("SUBSCRIBE-OK")
PUBLISH = message("PUBLISH", b"key", b"body")
DELIVER = message("DELIVER", 1, b"key", b"body")
PING, PING_OK = message("PING"), message("PING-OK")
DETACH, DETACH_OK = message("DETACH"), message("DETACH-OK")
INVALID = message("INVALID", b"bad-pattern missing )")


def credit(byte_count: int) -> bytes:
    return message("CREDIT", byte_count)


def session(script: Path, folder: Path, said: Sequence[tuple[str, bytes]]) -> list[bool]:
    """Whether each message is marked as illegal."""
    capture = Capture()
    capture.open()
    first = capture.packets + 1
    for actor, encoded in said:
        capture.say(actor, frame(encoded))
    path = capture.write(folder / "session.pcap")
    rows = tshark_fields(script, path, [*SAID, "zeps.illegal"])[first - 1 :]
    assert [bool(row["zeps.message"]) for row in rows] == [True] * len(said)
    return [bool(row["zeps.illegal"]) for row in rows]


def flat(rows: Sequence[dict[str, list[str]]], name: str) -> list[str]:
    return [value for row in rows for value in row[name]]


# --- a real session


class Wire:
    """dumpcap on the loopback interface, for one port."""

    def __init__(self, port: int, path: Path) -> None:
        self.path, self.endpoint = path, f"tcp://127.0.0.1:{port}"
        command = [tool("dumpcap"), "-q", "-i", "lo", "-f", f"tcp port {port}", "-w", str(path)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        said = ""
        while "File:" not in said:
            line = self.process.stderr.readline()
            if not line:
                self.process.wait(30)
                self.process.stderr.close()
                raise PermissionError(said)
            said += line

    def stop(self) -> None:
        """Ends the capture after the sent messages have been written."""
        size = -1
        while size != (size := self.path.stat().st_size):
            time.sleep(0.5)
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=30)
        assert self.process.returncode == 0, said


class Recorder:
    """A proxy for machines without permission to capture: it records the traffic."""

    def __init__(self, port: int, path: Path) -> None:
        self.path, self.port = path, port
        self.capture, self.lock = Capture(), threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"tcp://127.0.0.1:{self.listener.getsockname()[1]}"
        self.ends: list[socket.socket] = []
        self.threads = [threading.Thread(target=self.accept)]
        self.threads[0].start()

    def accept(self) -> None:
        while True:
            try:
                client, (_, number) = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.port))
            self.ends += [client, server]
            for actor, here, there in ((CLIENT, client, server), (SERVER, server, client)):
                self.threads.append(threading.Thread(target=self.forward, args=(actor, here, there, number)))
                self.threads[-1].start()

    def forward(self, actor: str, here: socket.socket, there: socket.socket, number: int) -> None:
        while data := received(here):
            with self.lock:
                self.capture.say(actor, data, client_port=number)
                with contextlib.suppress(OSError):
                    there.sendall(data)
        with contextlib.suppress(OSError):
            there.shutdown(socket.SHUT_WR)

    def stop(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for thread in self.threads:
            thread.join(30)
        for end in self.ends:
            end.close()
        self.capture.write(self.path)


def received(end: socket.socket) -> bytes:
    try:
        return end.recv(1 << 16)
    except OSError:
        return b""


def listen(kind: type[Wire | Recorder], port: int, path: Path) -> Wire | Recorder:
    """Captures the traffic of a port, with the recorder if capturing is not permitted."""
    try:
        return kind(port, path)
    except PermissionError:
        return Recorder(port, path)


def zeps(*arguments: str, endpoint: str, stdin: str = "") -> str:
    return run([sys.executable, "-m", "zeps_cli", *arguments, "--endpoint", endpoint], stdin=stdin.encode())


def sent_bytes(script: Path, path: Path) -> int:
    """The payload bytes of the captured segments of TCP, without retransmissions."""
    rows = tshark_fields(script, path, ["tcp.len"], "-Y", "not tcp.analysis.retransmission")
    return sum(map(int, flat(rows, "tcp.len")))


def named_bytes(rows: Sequence[dict[str, list[str]]]) -> int:
    """The number of bytes of all greetings and frames with a name, from the fields of FRAMING."""
    heads = sum(9 if int(flags, 16) & 2 else 2 for flags in flat(rows, "zeps.zmtp.flags"))
    bodies = sum(map(int, flat(rows, "zeps.zmtp.length")))
    return 64 * len(flat(rows, "zeps.zmtp.version")) + heads + bodies


@pytest.mark.parametrize("kind", [Wire, Recorder] if SOAK else [Wire])
def test_a_real_session_is_named_whole_and_nothing_is_wrong_with_it(
    script: Path, tmp_path: Path, kind: type[Wire | Recorder]
) -> None:
    command = [sys.executable, "-m", "zeps_cli", "broker", "--bind", "tcp://127.0.0.1:*"]
    command += ["--data", str(tmp_path / "data")]
    broker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert broker.stdout is not None
        endpoint = broker.stdout.readline().removeprefix("ready ").strip()
        port = int(endpoint.rpartition(":")[2])
        wire = listen(kind, port, tmp_path / "real.pcapng")
        zeps("pub", "numbers", "count", "-", endpoint=wire.endpoint, stdin="\n".join(map(str, range(500))))
        output = zeps("sub", "numbers", "count", "--from", "all", "--count", "500", endpoint=wire.endpoint)
        broker.send_signal(signal.SIGTERM)
        assert broker.wait(30) == 0
        wire.stop()
    finally:
        broker.kill()
        broker.wait()
        broker.stdout.close()
    assert len(output.splitlines()) == 500
    fields = ["zeps.message", "zeps.deliver.sequence", "zeps.publish.key", "zeps.client", *FRAMING]
    rows = tshark_fields(script, wire.path, fields)
    names = flat(rows, "zeps.message")
    for name, least in (
        ("ATTACH", 2),
        ("ATTACH-OK", 2),
        ("PUBLISH", 500),
        ("SUBSCRIBE", 1),
        ("DELIVER", 500),
    ):
        assert names.count(name) >= least
    assert {"SUBSCRIBE-OK", "CREDIT", "DETACH", "DETACH-OK"} <= set(names)
    assert flat(rows, "zeps.deliver.sequence")[:500] == [str(number) for number in range(1, 501)]
    assert flat(rows, "zeps.publish.key") == ["count"] * 500
    assert len(flat(rows, "zeps.client")) == len(names)
    assert tshark(script, wire.path, "-Y", BAD) == ""
    assert named_bytes(rows) == sent_bytes(script, wire.path)
    assert tshark(script, wire.path, "-2", "-Y", BAD) == ""
    assert tshark(script, wire.path, "-2") == tshark(script, wire.path, "-2")


# --- messages


def vectors() -> Iterator[bytes]:
    """Every frame of our protocol's vectors."""
    for name, request, _ in vectors_of((ROOT / "generated" / "vectors" / "requests.tsv").read_bytes()):
        if name.startswith("zeps/decode"):
            yield request[2 + request[1] + 4 :]


def verdicts(script: Path, folder: Path, name: str, said: Sequence[Sequence[bytes]]) -> list[str]:
    """The name or the error's code for each message of one or more frames."""
    capture = Capture()
    capture.open()
    for frames in said:
        parts = [frame(body, more=True) for body in frames[:-1]]
        capture.say(CLIENT, b"".join([*parts, frame(frames[-1])]), size=1 << 15)
    path = capture.write(folder / "verdicts.pcap")
    rows = tshark_fields(
        script, path, [f"{name}.message", f"{name}.error"], "-Y", f"{name}.message or {name}.error"
    )
    return [value for row in rows for value in (*row[f"{name}.message"], *row[f"{name}.error"])]


def verdict(protocol: Protocol, frames: Sequence[bytes]) -> str:
    try:
        return decode(protocol, frames).message.name
    except DecodeFault as fault:
        return fault.code


def test_every_vector_is_judged_as_the_interpreter_judges_it(script: Path, tmp_path: Path) -> None:
    frames = [[encoded] for encoded in vectors() if len(encoded) < 30_000]
    assert len(frames) > 100
    expected = [verdict(ZEPS, message_frames) for message_frames in frames]
    assert len(set(expected)) > 15
    assert verdicts(script, tmp_path, "zeps", frames) == expected


def test_every_field_is_shown_with_its_place_and_value(script: Path, tmp_path: Path) -> None:
    frames = [
        ATTACH,
        SUBSCRIBE,
        credit(2**64 - 1),
        message("PUBLISH", "ключ".encode(), b""),
        DELIVER,
        INVALID,
    ]
    capture = Capture()
    capture.open()
    for encoded in frames:
        capture.say(CLIENT, frame(encoded))
    packets = list(tshark_tree(script, capture.write(tmp_path / "fields.pcap")))[-len(frames) :]
    for encoded, packet in zip(frames, packets, strict=True):
        decoded = decode(ZEPS, [encoded])
        start = 40 + len(frame(encoded)) - len(encoded)  # after the headers of IP, TCP and ZMTP
        for item in decoded.fields[2:]:
            label = f"zeps.{decoded.message.name.lower().replace('-', '_')}.{item.name}"
            element = next(candidate for candidate in packet.iter("field") if candidate.get("name") == label)
            expected = item.value.hex() if isinstance(item.value, bytes) else str(item.value)
            assert (element.get("show") or "").replace(":", "") == expected.replace(":", "")
            end = int(element.get("pos", "0")) + int(element.get("size", "0"))
            assert end == start + item.offset + item.size


def test_the_list_of_packets_shows_what_a_message_of_text_alone_says(script: Path, tmp_path: Path) -> None:
    capture = Capture()
    for actor, encoded in (*OPEN, (CLIENT, SUBSCRIBE), (SERVER, INVALID)):
        capture.say(actor, frame(encoded))
    path = capture.write(tmp_path / "info.pcap")
    lines = tshark(script, path).splitlines()[-2:]
    assert [line.partition(" ZEPS ")[2].split(maxsplit=1)[1] for line in lines] == [
        "SUBSCRIBE",
        "INVALID: bad-pattern missing )",
    ]
    code = tshark(
        script,
        path,
        "-Y",
        'zeps.invalid.reason matches "^bad-pattern "',
        "-T",
        "fields",
        "-e",
        "zeps.message",
    )
    assert code.split() == ["INVALID"]


@pytest.fixture(scope="module")
def cut(script: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[int, list[str]]]:
    """The messages of connections, by the size of their segments, as tshark shows them in one pass and in two."""
    long = message("PUBLISH", b"k" * 255, bytes(700))
    capture = Capture()
    for size, (actor, data) in itertools.product(
        CUTS,
        (
            (CLIENT, greeting() + ready(b"DEALER")),
            (SERVER, greeting() + ready(b"ROUTER")),
            (CLIENT, frame(ATTACH)),
            (SERVER, frame(ATTACH_OK)),
            (CLIENT, frame(long) + frame(PING)),
            (SERVER, frame(PING_OK, long=True)),
        ),
    ):
        capture.say(actor, data, client_port=40_000 + size, size=size)
    path = capture.write(tmp_path_factory.mktemp("cut") / "cut.pcap")
    passes = []
    for options in ((), ("-2",)):
        assert tshark(script, path, "-Y", BAD, *options) == ""
        names_by_size: dict[int, list[str]] = {size: [] for size in CUTS}
        for row in tshark_fields(script, path, ["tcp.port", "zeps.message"], "-Y", "zeps.message", *options):
            names_by_size[max(map(int, row["tcp.port"])) - 40_000] += row["zeps.message"]
        passes.append(names_by_size)
    return passes


@pytest.mark.parametrize("size", CUTS)
def test_messages_may_be_cut_anywhere(cut: list[dict[int, list[str]]], size: int) -> None:
    for names_by_size in cut:
        assert names_by_size[size] == ["ATTACH", "ATTACH-OK", "PUBLISH", "PING", "PING-OK"]


def spoiled(frames: list[bytes], chance: random.Random) -> list[bytes]:
    """The frames with an error in one of them, or with another frame."""
    place = chance.randrange(len(frames))
    if chance.random() < 0.1:
        return [*frames, b"more"]
    return [*frames[:place], damaged(frames[place], chance), *frames[place + 1 :]]


@given(data=st.data())
@settings(
    max_examples=sized(5, 150),
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_random_protocols_are_decoded_as_the_interpreter_decodes_them(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """All features of the language: each dispatch, each type, limits, enumerations, flags, frames."""
    protocol = data.draw(protocols())
    folder = tmp_path_factory.mktemp("random")
    script = folder / "random.lua"
    script.write_text(lua_source(protocol), encoding="utf-8")
    chance = random.Random(data.draw(st.integers(0, 1 << 32)))
    said: list[list[bytes]] = []
    with generated(protocol) as module:
        for plan in plans(protocol).values():
            whole = data.draw(messages(module, plan))
            frames = whole.encode() if hasattr(whole, "encode") else list(whole.encode_frames())
            said.append([frames] if isinstance(frames, bytes) else frames)
    said += [spoiled(chance.choice(said), chance) for _ in range(60)]
    expected = [verdict(protocol, frames) for frames in said]
    assert verdicts(script, folder, "toy", said) == expected


# --- sessions


OPEN = [(CLIENT, ATTACH), (SERVER, ATTACH_OK)]
FLOWING = [*OPEN, (CLIENT, SUBSCRIBE), (SERVER, SUBSCRIBE_OK), (CLIENT, credit(len(DELIVER)))]
# (messages, indices of the illegal ones)
SESSIONS = {
    "as it should be": ([*FLOWING, (SERVER, DELIVER), (CLIENT, DETACH), (SERVER, DETACH_OK)], []),
    "no session": ([(CLIENT, SUBSCRIBE), (SERVER, INVALID)], [0]),
    "a server that speaks first": ([(SERVER, DELIVER)], [0]),
    "beyond the credit": ([*FLOWING, (SERVER, DELIVER), (SERVER, DELIVER)], [6]),
    "credit that adds up": ([*FLOWING, (CLIENT, credit(40)), (SERVER, DELIVER), (SERVER, DELIVER)], []),
    "answered twice": ([*OPEN, (SERVER, ATTACH_OK)], [2]),
    "a PING that is not answered first": ([*OPEN, (CLIENT, PING), (CLIENT, PUBLISH), (SERVER, PING_OK)], []),
    "an answer without a request": ([*OPEN, (SERVER, PING_OK)], [2]),
    "SUBSCRIBE-OK for one that was not sent": ([*OPEN, (SERVER, SUBSCRIBE_OK)], [2]),
    "what only the other side says": ([*OPEN, (CLIENT, DELIVER)], [2]),
    "crossing": ([*OPEN, (SERVER, DETACH), (CLIENT, PUBLISH), (CLIENT, DETACH_OK)], []),
    "going on after DETACH": ([*OPEN, (CLIENT, DETACH), (CLIENT, PUBLISH)], [3]),
    "the end, and a new session": ([*OPEN, (CLIENT, DETACH), (SERVER, DETACH_OK), *OPEN], []),
    "publishing after DETACH-OK": ([*OPEN, (SERVER, DETACH), (CLIENT, DETACH_OK), (CLIENT, PUBLISH)], [4]),
    "heartbeats of both": ([*OPEN, (SERVER, PING), (CLIENT, PING), (CLIENT, PING_OK), (SERVER, PING_OK)], []),
    "refused": ([(CLIENT, ATTACH), (SERVER, INVALID), (CLIENT, ATTACH), (SERVER, ATTACH_OK)], []),
    "attached again after INVALID": ([*OPEN, (CLIENT, PUBLISH), (SERVER, INVALID), (CLIENT, ATTACH)], []),
    "a refused SUBSCRIBE": ([*OPEN, (CLIENT, SUBSCRIBE), (SERVER, INVALID), (CLIENT, PUBLISH)], []),
    "a notice in a session": ([*FLOWING, (SERVER, INVALID), (SERVER, DELIVER), (SERVER, INVALID)], []),
    "INVALID for nothing": ([(SERVER, INVALID)], [0]),
    "INVALID after DETACH-OK": ([*OPEN, (CLIENT, DETACH), (SERVER, DETACH_OK), (SERVER, INVALID)], [4]),
}


#: The server's ports on which each of SESSIONS is held: the registered one, and one that shows by socket type alone.
SERVER_PORTS = (5670, 6789)


@pytest.fixture(scope="module")
def flagged(script: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], list[bool]]:
    """Whether each message of SESSIONS is marked as illegal, by session and server port, from one run of tshark."""
    held = dict(enumerate(itertools.product(SESSIONS, SERVER_PORTS), 40_000))  # by the client's port
    capture = Capture()
    for client_port, (name, server_port) in held.items():
        ports = {"client_port": client_port, "server_port": server_port}
        capture.open(**ports)
        for actor, encoded in SESSIONS[name][0]:
            capture.say(actor, frame(encoded), **ports)
    path = capture.write(tmp_path_factory.mktemp("sessions") / "sessions.pcap")
    flags: dict[tuple[str, int], list[bool]] = {key: [] for key in held.values()}
    for row in tshark_fields(script, path, ["tcp.port", "zeps.illegal"], "-Y", "zeps.message"):
        flags[held[max(map(int, row["tcp.port"]))]].append(bool(row["zeps.illegal"]))
    return flags


@pytest.mark.parametrize("name", SESSIONS)
def test_what_a_machine_cannot_send_is_flagged(flagged: dict[tuple[str, int], list[bool]], name: str) -> None:
    said, wrong = SESSIONS[name]
    for server_port in SERVER_PORTS:
        assert flagged[name, server_port] == [number in wrong for number in range(len(said))]


def test_what_is_illegal_can_be_searched_for(script: Path, tmp_path: Path) -> None:
    assert session(script, tmp_path, [*OPEN, (SERVER, DELIVER)]) == [False, False, True]
    for display_filter in ("zeps.illegal", BAD):
        assert len(tshark(script, tmp_path / "session.pcap", "-Y", display_filter).splitlines()) == 1


def test_the_states_of_both_machines_are_shown(script: Path, tmp_path: Path) -> None:
    capture = Capture()
    capture.open()
    for actor, encoded in (*OPEN, (CLIENT, DETACH), (SERVER, DETACH_OK)):
        capture.say(actor, frame(encoded))
    rows = tshark_fields(script, capture.write(tmp_path / "states.pcap"), SAID, "-Y", "zeps.message")
    states = [(row["zeps.actor"][0], row["zeps.client"][0], row["zeps.server"][0]) for row in rows]
    assert states == [
        ("client", "attaching", "open"),
        ("server", "open", "open"),
        ("client", "detaching", "start"),
        ("server", "start", "start"),
    ]


def traces() -> list[Trace]:
    """Traces to a sample of our explorer's situations: of all legal behaviour."""
    explorer = Composition(*pairs(BUNDLE)[0]).explorer(ANYTHING, 2, reduce=False)
    explorer.run()
    return [explorer.trace(index) for index in range(0, explorer.situations, 200 if SOAK else 1000)]


def spoken(trace: Trace) -> list[tuple[str, bytes]]:
    """The messages that the machines send in the trace, in order."""
    client, server = playbacks(BUNDLE, trace)
    said: list[tuple[str, bytes]] = []
    oracle = Oracle(BUNDLE)
    places = {CLIENT: (client, iter(client.steps)), SERVER: (server, iter(server.steps))}
    at = {actor: oracle.simulation(part.machine).initial() for actor, (part, _) in places.items()}
    for step in trace:
        part, steps = places[step.actor]
        while True:
            happened = oracle.step(oracle.simulation(part.machine), at[step.actor], next(steps))
            at[step.actor] = happened.situation
            if happened.outcome != "v":
                break
        said += [(step.actor, item.frames[0]) for item in happened.actions if item.name == "send"]
    return said


def test_what_sound_machines_do_is_never_flagged(script: Path, tmp_path: Path) -> None:
    capture = Capture()
    count = 0
    for number, trace in enumerate(traces()):
        port = 20_000 + number
        capture.open(client_port=port)
        for actor, encoded in spoken(trace):
            capture.say(actor, frame(encoded), client_port=port)
            count += 1
    assert count > 500
    path = capture.write(tmp_path / "sound.pcap")
    assert tshark(script, path, "-Y", BAD) == ""
    assert len(flat(tshark_fields(script, path, ["zeps.message"]), "zeps.message")) == count


# --- malformed input


def test_malformed_messages_are_flagged_and_the_session_goes_on(script: Path, tmp_path: Path) -> None:
    said = [(SERVER, INVALID), (CLIENT, ATTACH)]
    capture = Capture()
    capture.open()
    for actor, encoded in (*OPEN, (CLIENT, PUBLISH[:-1]), *said):
        capture.say(actor, frame(encoded))
    path = capture.write(tmp_path / "malformed.pcap")
    rows = tshark_fields(script, path, [*SAID, "_ws.expert.message"])[-5:]
    assert [row["zeps.error"] for row in rows] == [[], [], ["truncated"], [], []]
    assert rows[2]["_ws.expert.message"] == ["truncated: PUBLISH.body at byte 7"]
    assert [row["zeps.message"] for row in rows] == [["ATTACH"], ["ATTACH-OK"], [], ["INVALID"], ["ATTACH"]]
    assert len(tshark(script, path, "-Y", "zeps.malformed").splitlines()) == 1
    assert tshark(script, path, "-Y", "zeps.illegal") == ""


FRAMINGS = [
    (b"\xff" + bytes(8) + b"\x7e" + bytes(54), "not a greeting of ZMTP"),
    (greeting(major=1), "ZMTP 1 is not supported"),
    (greeting() + b"\x08\x00", "invalid flags of a frame"),
    (greeting() + b"\x05\x00", "invalid flags of a frame"),
    (greeting() + b"\x02" + b"\xff" * 8, "the frame is too long"),
    (greeting() + frame(b"\x09READY", command=True), "a command's name is truncated"),
    (greeting() + frame(b"\x05READY\x03abc", command=True), "a property is truncated"),
    (greeting() + frame(b"\x05HOWDY", command=True), "no command is called so"),
    (
        greeting() + frame(b"\x05ERROR\x09no", command=True),
        "the reason's length does not match the command",
    ),
    (greeting() + frame(b"\x04PING\x00", command=True), "a PING is truncated"),
]


@pytest.fixture(scope="module")
def complaints(script: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[int, list[str]]:
    """What is said of the first packet that is flagged, by the number of FRAMINGS, each on a connection of its own."""
    capture = Capture()
    for client_port, (data, _) in enumerate(FRAMINGS, 40_000):
        capture.say(CLIENT, data, client_port=client_port)
        capture.say(CLIENT, b"whatever follows", client_port=client_port)
    path = capture.write(tmp_path_factory.mktemp("framings") / "framings.pcap")
    by_framing: dict[int, list[str]] = {}
    for row in tshark_fields(script, path, ["tcp.srcport", "_ws.expert.message"], "-Y", "zeps.malformed"):
        by_framing.setdefault(int(row["tcp.srcport"][0]) - 40_000, row["_ws.expert.message"])
    return by_framing


@pytest.mark.parametrize("number", range(len(FRAMINGS)))
def test_malformed_framing_is_flagged(complaints: dict[int, list[str]], number: int) -> None:
    assert FRAMINGS[number][1] in complaints[number]


def test_other_users_of_zmtp_are_not_accused(script: Path, tmp_path: Path) -> None:
    capture = Capture()
    ports = {"client_port": 40002, "server_port": 6789}
    capture.say(CLIENT, greeting() + ready(b"SUB"), **ports)
    capture.say(SERVER, greeting() + ready(b"PUB"), **ports)
    capture.say(CLIENT, frame(b"\x01topic"), **ports)
    capture.say(SERVER, frame(b"topic", more=True) + frame(b"content"), **ports)
    path = capture.write(tmp_path / "other.pcap")
    assert tshark(script, path, "-Y", BAD) == ""
    assert "ZMTP part, ZMTP message" in tshark(script, path)


def test_only_what_is_spoken_over_zeromq_has_a_dissector() -> None:
    assert [path.name for path in render(BUNDLE)] == ["zeps.lua"]
    assert [path.name for path in render(Bundle(BUNDLE.protocols))] == ["zeps.lua"], (
        "machines need not be there"
    )
