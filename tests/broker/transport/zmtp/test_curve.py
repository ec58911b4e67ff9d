"""CURVE on the native engine, with a client written from RFC 26: every step, and every kind of violation."""

from __future__ import annotations

import os
import socket
import struct
import tracemalloc
from collections.abc import Callable
from contextlib import ExitStack, closing
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.bindings import crypto_box, crypto_box_keypair, crypto_box_open
from nacl.exceptions import CryptoError
from transport_helpers import frames_of

from zeps_broker.frame_batch import FrameBatch
from zeps_broker.ports import Malformed
from zeps_broker.transport.certificates import ServerKeys
from zeps_broker.transport.errors import MULTIPART, OWN_ID, TOO_LONG
from zeps_broker.transport.zmtp.connection import Limits
from zeps_broker.transport.zmtp.curve import HANDSHAKE_BYTES_MAX, CurveRouterConnection
from zeps_broker.transport.zmtp.frames import join, join_command, join_parts
from zeps_wire import zmtp
from zeps_wire.zeps import EndingCode

LIMITS = Limits(command=1000, frame=5000, queue=10_000)
SERVER = ServerKeys(*crypto_box_keypair())
GREETING = zmtp.Greeting(major=3, minor=1, mechanism=b"CURVE".ljust(20, b"\0"), as_server=0).encode()
DEALER = b"\x0bSocket-Type\x00\x00\x00\x06DEALER"
ROUTER = b"\x0bSocket-Type\x00\x00\x00\x06ROUTER\x08Identity\x00\x00\x00\x00"


class Authorized:
    """Replaces a folder of authorized keys."""

    def __init__(self, known: bool) -> None:
        self.known = known

    def callback(self, domain: str, key: bytes) -> bool:
        assert (domain, len(key)) == ("zeps", 40)
        return self.known


class CurveClient:
    """The client's side of CURVE. Commands are bodies, without their frames."""

    def __init__(self, server_key: bytes = SERVER.public_key) -> None:
        self.server_key = server_key
        self.public, self.secret = crypto_box_keypair()
        self.short_public, self.short_secret = crypto_box_keypair()
        self.server_short = self.cookie = b""
        self.nonce = 0

    def hello(self, content: bytes = bytes(64)) -> bytes:
        nonce = self.next_nonce()
        box = crypto_box(content, b"CurveZMQHELLO---" + nonce, self.server_key, self.short_secret)
        return b"\x05HELLO\x01\x00" + bytes(72) + self.short_public + nonce + box

    def take_welcome(self, command: bytes) -> None:
        assert command[:8] == b"\x07WELCOME"
        assert len(command) == 168
        nonce = b"WELCOME-" + command[8:24]
        opened = crypto_box_open(command[24:], nonce, self.server_key, self.short_secret)
        self.server_short, self.cookie = opened[:32], opened[32:]
        assert len(self.cookie) == 96

    def vouch(self) -> bytes:
        nonce = os.urandom(16)
        content = self.short_public + self.server_key
        return nonce + crypto_box(content, b"VOUCH---" + nonce, self.server_short, self.secret)

    def initiate(self, metadata: bytes = DEALER, vouch: bytes | None = None) -> bytes:
        nonce = self.next_nonce()
        content = self.public + (self.vouch() if vouch is None else vouch) + metadata
        box = crypto_box(content, b"CurveZMQINITIATE" + nonce, self.server_short, self.short_secret)
        return b"\x08INITIATE" + self.cookie + nonce + box

    def take_ready(self, command: bytes) -> bytes:
        """Returns the server's metadata."""
        assert command[:6] == b"\x05READY"
        nonce = b"CurveZMQREADY---" + command[6:14]
        return crypto_box_open(command[14:], nonce, self.server_short, self.short_secret)

    def message(self, body: bytes, flags: int = 0) -> bytes:
        nonce = self.next_nonce()
        content = bytes((flags,)) + body
        box = crypto_box(content, b"CurveZMQMESSAGEC" + nonce, self.server_short, self.short_secret)
        return b"\x07MESSAGE" + nonce + box

    def take_message(self, command: bytes) -> tuple[int, int, bytes]:
        """Returns nonce, flags and body."""
        assert command[:8] == b"\x07MESSAGE"
        nonce = b"CurveZMQMESSAGES" + command[8:16]
        opened = crypto_box_open(command[16:], nonce, self.server_short, self.short_secret)
        return int.from_bytes(command[8:16], "big"), opened[0], opened[1:]

    def next_nonce(self) -> bytes:
        self.nonce += 1
        return self.nonce.to_bytes(8, "big")


class Pair:
    """A connection of the broker, and a client at the other end of its socket."""

    def __init__(self, keys: ServerKeys = SERVER, server_key: bytes = SERVER.public_key) -> None:
        ours, self.theirs = socket.socketpair()
        for end in (ours, self.theirs):
            end.setblocking(False)
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        self.connection = CurveRouterConnection(ours, "peer", LIMITS, keys)
        self.client = CurveClient(server_key)
        self.buffer = b""

    def read(self, size: int) -> bytes:
        """Returns the next bytes from the broker. Raises BlockingIOError if fewer have arrived."""
        while len(self.buffer) < size:
            self.buffer += self.theirs.recv(1 << 20)
        data, self.buffer = self.buffer[:size], self.buffer[size:]
        return data

    def frame(self) -> tuple[int, bytes]:
        """Returns flags and body of the next frame from the broker."""
        flags, size = self.read(2)
        if flags & 2:
            size = int.from_bytes(bytes((size,)) + self.read(7), "big")
        return flags, self.read(size)

    def greet(self) -> None:
        self.connection.feed(GREETING)
        answer = self.read(64)
        assert (answer[12:32], answer[32]) == (b"CURVE".ljust(20, b"\0"), 1)

    def welcome(self) -> None:
        self.greet()
        self.connection.feed(join_command(self.client.hello()))
        flags, command = self.frame()
        assert flags == 4
        self.client.take_welcome(command)

    def open(self, metadata: bytes = DEALER) -> None:
        self.welcome()
        self.connection.feed(join_command(self.client.initiate(metadata)))
        flags, command = self.frame()
        assert flags == 4
        assert self.client.take_ready(command) == ROUTER
        assert self.connection.open

    def close(self) -> None:
        self.connection.end()
        self.theirs.close()


Start = Callable[..., Pair]


@pytest.fixture
def start(stack: ExitStack) -> Start:
    return lambda *arguments, **options: stack.enter_context(closing(Pair(*arguments, **options)))


@pytest.fixture
def pair(start: Start) -> Pair:
    """A pair after the handshake."""
    made = start()
    made.open()
    return made


def message_frame(body: bytes) -> bytes:
    """Encodes a MESSAGE as libzmq does: in a message frame."""
    return bytes(join([body]))


# Valid connections


def test_messages_pass_both_ways(pair: Pair) -> None:
    assert pair.connection.feed(message_frame(pair.client.message(b"up"))) == [b"up"]
    assert pair.connection.write(join([b"down", b"x" * 300]))
    first, second = (pair.client.take_message(pair.frame()[1]) for _ in range(2))
    assert (first[1:], second[1:]) == ((0, b"down"), (0, b"x" * 300))
    assert first[0] < second[0]


def test_a_message_may_be_a_command_as_the_rfc_has_it(pair: Pair) -> None:
    assert pair.connection.feed(join_command(pair.client.message(b"up"))) == [b"up"]


def test_messages_of_one_size_that_arrive_together_are_one_run(pair: Pair) -> None:
    received = pair.connection.feed(b"".join(message_frame(pair.client.message(b"same")) for _ in range(50)))
    assert frames_of(received) == [b"same"] * 50
    assert any(isinstance(item, FrameBatch) for item in received)


def test_a_message_may_be_as_long_as_any_command_of_zeps_and_longer_ones_are_reported(pair: Pair) -> None:
    frames = [message_frame(pair.client.message(bytes(size))) for size in (1000, 1001, 5000)]
    assert pair.connection.feed(b"".join(frames)) == [
        bytes(1000),
        Malformed(TOO_LONG.format(1001, 1000)),
        Malformed(TOO_LONG.format(5000, 1000)),
    ]
    assert pair.connection.broken is None


def test_a_message_that_arrives_advances_until_it_is_whole(pair: Pair) -> None:
    """ZEPS-PING-15, measured in bytes of the box."""
    pair.connection.advanced()
    sealed = message_frame(pair.client.message(bytes(1000)))
    for part in (sealed[:5], sealed[5:600]):
        assert pair.connection.feed(part) == []
        assert pair.connection.advanced() == len(part)
    assert pair.connection.feed(sealed[600:]) == [bytes(1000)]
    assert pair.connection.advanced() == 0


def test_a_message_of_several_parts_is_reported_as_one(pair: Pair) -> None:
    parts = [pair.client.message(b"a", 1), pair.client.message(b"b", 1), pair.client.message(b"c")]
    assert pair.connection.feed(b"".join(map(message_frame, parts))) == [Malformed(MULTIPART.format(3))]


def test_a_client_with_a_routing_id_is_reported(start: Start) -> None:
    pair = start()
    pair.open(DEALER + b"\x08Identity\x00\x00\x00\x02me")
    received = pair.connection.feed(message_frame(pair.client.message(b"hello")))
    assert received == [Malformed(OWN_ID, EndingCode.ROUTING_ID)]


def test_ping_is_answered_inside_a_message(pair: Pair) -> None:
    ping = zmtp.Ping(ttl=30, context=b"context").encode()
    assert pair.connection.feed(message_frame(pair.client.message(ping, 2))) == []
    flags, command = pair.frame()
    assert flags == 0
    assert pair.client.take_message(command)[1:] == (2, zmtp.Pong(context=b"context").encode())
    assert pair.connection.ttl == 3.0


def test_two_peers_share_a_buffer_and_no_ciphertext(start: Start) -> None:
    first, second = start(), start()
    shared = join([b"for both"])
    bodies = []
    for pair in (first, second):
        pair.open()
        assert pair.connection.write(shared)
        bodies.append(pair.frame()[1])
        assert pair.client.take_message(bodies[-1])[2] == b"for both"
    assert bodies[0] != bodies[1]
    with pytest.raises(CryptoError):
        first.client.take_message(bodies[1])


def test_a_full_queue_takes_no_more_and_what_waits_can_be_read(pair: Pair) -> None:
    body, taken = bytes(1000), 0
    while pair.connection.write(join([body] * 5)):
        taken += 5
    assert pair.connection.refused
    waiting = pair.connection.unsent_bytes
    assert not pair.connection.write(join([body]))
    assert pair.connection.unsent_bytes == waiting
    numbers = []
    for _ in range(taken):
        pair.connection.flush()
        number, flags, got = pair.client.take_message(pair.frame()[1])
        numbers.append(number)
        assert (flags, got) == (0, body)
    assert pair.connection.write(join([body]))
    numbers.append(pair.client.take_message(pair.frame()[1])[0])
    assert numbers == list(range(2, taken + 3))  # READY had the first; refused messages had none


# Slices and prefixes


@given(st.data())
def test_the_slices_in_which_bytes_arrive_make_no_difference(data: st.DataObject) -> None:
    bodies = data.draw(st.lists(st.sampled_from([b"", b"x", b"x" * 300, b"x" * 1000]), max_size=40))
    with closing(Pair()) as pair:
        got: list[object] = []

        def feed(said: bytes) -> None:
            places = data.draw(st.lists(st.integers(0, len(said)), max_size=4))
            for start, end in pairwise([0, *sorted(places), len(said)]):
                if start < end:
                    got.extend(frames_of(pair.connection.feed(said[start:end])))

        feed(GREETING + join_command(pair.client.hello()))
        pair.read(64)
        pair.client.take_welcome(pair.frame()[1])
        feed(join_command(pair.client.initiate()))
        assert pair.client.take_ready(pair.frame()[1]) == ROUTER
        feed(b"".join(message_frame(pair.client.message(body)) for body in bodies))
        assert (got, pair.connection.broken) == (bodies, None)


def test_every_prefix_of_a_handshake_waits_and_sends_nothing_early(start: Start) -> None:
    pair = start()
    pair.greet()

    def feed(command: bytes) -> None:
        for place in range(len(command) - 1):
            assert pair.connection.feed(command[place : place + 1]) == []
            assert not pair.connection.open
            with pytest.raises(BlockingIOError):
                pair.read(1)
        pair.connection.feed(command[-1:])

    feed(join_command(pair.client.hello()))
    pair.client.take_welcome(pair.frame()[1])
    feed(join_command(pair.client.initiate()))
    assert pair.connection.open
    assert pair.connection.broken is None


def test_an_unfinished_handshake_holds_a_few_kilobytes() -> None:
    pairs = []
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(20):
            pairs.append(Pair())
            pairs[-1].welcome()
            initiate = pairs[-1].client.initiate(DEALER + b"\x01x\x00\x00\x0e\x00" + bytes(0xE00))
            assert HANDSHAKE_BYTES_MAX - 500 < len(initiate) <= HANDSHAKE_BYTES_MAX
            assert pairs[-1].connection.feed(join_command(initiate)[:-1]) == []
            pairs[-1].client = CurveClient()  # the waiting peer has received the input
        held = (tracemalloc.get_traced_memory()[0] - before) / len(pairs)
    finally:
        tracemalloc.stop()
        for pair in pairs:
            assert pair.connection.broken is None
            pair.close()
    assert held < 3 * HANDSHAKE_BYTES_MAX


# Refused input

Breach = Callable[[Pair], bytes]


def refuses(pair: Pair, said: bytes) -> None:
    assert pair.connection.feed(said) == []
    assert pair.connection.broken
    assert not pair.connection.open
    with pytest.raises(BlockingIOError):  # no answer was sent
        pair.read(1)


def flipped(command: bytes, place: int) -> bytes:
    """Returns a command with one bit changed, framed."""
    changed = bytearray(command)
    changed[place] ^= 1
    return join_command(bytes(changed))


@pytest.mark.parametrize(
    "greeting",
    [
        GREETING.replace(b"CURVE", b"NULL\0"),
        GREETING.replace(b"CURVE", b"PLAIN"),
        GREETING[:32] + b"\x01" + GREETING[33:],
    ],
    ids=["null", "plain", "two servers"],
)
def test_another_mechanism_and_another_server_are_refused(start: Start, greeting: bytes) -> None:
    pair = start()
    pair.read(64)
    refuses(pair, greeting)


@pytest.mark.parametrize(
    "said",
    [
        *(lambda pair, place=place: flipped(pair.client.hello(), place) for place in (1, 6, 80, 119, 199)),
        lambda pair: join_command(pair.client.hello()[:-1]),
        lambda pair: join_command(pair.client.hello() + b"\0"),
        lambda pair: join_command(pair.client.hello(b"\1" + bytes(63))),
        lambda pair: join_command(pair.client.hello()[:80] + bytes(32) + bytes(88)),
        lambda pair: message_frame(pair.client.hello()),
        lambda pair: join_command(b""),
        lambda pair: join_command(b"\x05READY" + DEALER),
        lambda pair: join_command(b"\x05ERROR\x03400"),
        lambda pair: join_command(b"\x08INITIATE" + bytes(400)),
        lambda pair: join_command(b"\x07MESSAGE" + bytes(400)),
        lambda pair: b"\x06" + struct.pack(">Q", HANDSHAKE_BYTES_MAX + 1),
        lambda pair: b"\x06" + struct.pack(">Q", 1 << 63),
        lambda pair: b"\x00\x05hello",
    ],
)
def test_a_first_command_that_is_not_a_valid_hello_ends_the_connection(start: Start, said: Breach) -> None:
    pair = start()
    pair.greet()
    refuses(pair, said(pair))


def test_a_client_that_has_another_key_of_the_server_is_refused(start: Start) -> None:
    pair = start(server_key=crypto_box_keypair()[0])
    pair.greet()
    refuses(pair, join_command(pair.client.hello()))


def zero_key(pair: Pair) -> bytes:
    """Claims a long-term key that has the same shared key with every secret key."""
    pair.client.public = bytes(32)
    return join_command(pair.client.initiate())


def stolen_key(pair: Pair) -> bytes:
    """Claims the long-term key of another client."""
    pair.client.public = crypto_box_keypair()[0]
    return join_command(pair.client.initiate())


def other_cookie(pair: Pair) -> bytes:
    """Sends a valid cookie of another connection."""
    with closing(Pair()) as other:
        other.welcome()
        pair.client.cookie = other.client.cookie
    return join_command(pair.client.initiate())


def old_nonce(pair: Pair) -> bytes:
    pair.client.nonce = 0
    return join_command(pair.client.initiate())


def vouch_for_another_server(pair: Pair) -> bytes:
    pair.client.server_key = crypto_box_keypair()[0]
    return join_command(pair.client.initiate())


def vouch_of_another_connection(pair: Pair) -> bytes:
    own = pair.client.short_public
    pair.client.short_public = crypto_box_keypair()[0]
    vouch = pair.client.vouch()
    pair.client.short_public = own
    return join_command(pair.client.initiate(vouch=vouch))


@pytest.mark.parametrize(
    "said",
    [
        zero_key,
        stolen_key,
        other_cookie,
        old_nonce,
        vouch_for_another_server,
        vouch_of_another_connection,
        *(
            lambda pair, place=place: flipped(pair.client.initiate(), place)
            for place in (1, 9, 104, 112, 113)
        ),
        lambda pair: join_command(pair.client.initiate()[:-1]),
        lambda pair: join_command(pair.client.initiate()[:256]),
        lambda pair: join_command(pair.client.hello()),
        lambda pair: join_command(pair.client.message(b"too early")),
        lambda pair: message_frame(pair.client.initiate()),
        lambda pair: join_command(pair.client.initiate(DEALER[:-1])),
        lambda pair: join_command(pair.client.initiate(DEALER + b"\x00\x00\x00\x00\x01x")),
        lambda pair: join_command(pair.client.initiate(DEALER + b"\x01x\x00\x00\x10\x00" + bytes(4096))),
    ],
)
def test_a_second_command_that_is_not_a_valid_initiate_ends_the_connection(
    start: Start, said: Breach
) -> None:
    pair = start()
    pair.welcome()
    refuses(pair, said(pair))


def test_an_initiate_of_an_earlier_connection_is_refused(start: Start) -> None:
    earlier, later = start(), start()
    earlier.welcome()
    recorded = join_command(earlier.client.initiate())
    earlier.connection.feed(recorded)
    assert earlier.connection.open
    later.welcome()
    refuses(later, recorded)


def error_of(pair: Pair, metadata: bytes = DEALER) -> bytes:
    """Returns the ERROR that answers INITIATE, as an unencrypted command; the connection is closed."""
    pair.welcome()
    assert pair.connection.feed(join_command(pair.client.initiate(metadata))) == []
    assert pair.connection.broken
    assert not pair.connection.open
    flags, command = pair.frame()
    assert flags == 4
    return command


def test_a_key_that_is_not_authorized_is_refused_with_the_status_of_zap(start: Start) -> None:
    keys = ServerKeys(*SERVER[:2], authorized=Authorized(False))  # type: ignore[arg-type]
    assert error_of(start(keys)) == b"\x05ERROR\x03400"
    keys = ServerKeys(*SERVER[:2], authorized=Authorized(True))  # type: ignore[arg-type]
    start(keys).open()


def test_metadata_is_checked_as_without_curve(start: Start) -> None:
    error = zmtp.Error(reason=b"Invalid socket type").encode()
    assert error_of(start(), DEALER.replace(b"DEALER", b"PUBPUB")) == error
    assert error_of(start(), b"") == error


def test_a_replayed_message_ends_the_connection(pair: Pair) -> None:
    recorded = message_frame(pair.client.message(b"once"))
    assert pair.connection.feed(recorded) == [b"once"]
    assert pair.connection.feed(recorded) == []
    assert pair.connection.broken


def test_messages_out_of_order_end_the_connection(pair: Pair) -> None:
    first, second = (message_frame(pair.client.message(body)) for body in (b"1", b"2"))
    assert pair.connection.feed(second + first) == [b"2"]
    assert pair.connection.broken


def reflected(pair: Pair) -> bytes:
    """Sends the broker's own message back to it, with a sufficiently high nonce."""
    for _ in range(3):
        pair.connection.write(join([b"down"]))
        command = pair.frame()[1]
    return message_frame(command)


@pytest.mark.parametrize(
    "said",
    [
        reflected,
        lambda pair: message_frame(b"plain text"),
        lambda pair: message_frame(b""),
        lambda pair: message_frame(pair.client.message(b"x")[:-1]),
        lambda pair: message_frame(pair.client.message(b"")[:32]),
        lambda pair: flipped(pair.client.message(b"x"), -1),
        lambda pair: flipped(pair.client.message(b"x"), 15),
        *(lambda pair, flags=flags: message_frame(pair.client.message(b"x", flags)) for flags in (3, 4, 255)),
        lambda pair: message_frame(pair.client.message(b"\x05READY" + DEALER, 2)),
        lambda pair: message_frame(pair.client.message(b"", 2)),
        lambda pair: join_parts([pair.client.message(b"x"), pair.client.message(b"y")]),
        lambda pair: join_command(pair.client.initiate()),
        lambda pair: join_command(pair.client.hello()),
        lambda pair: join_command(zmtp.Ping(ttl=0, context=b"").encode()),
        lambda pair: b"\x02" + struct.pack(">Q", 5000 + 34),
        lambda pair: b"\x02" + struct.pack(">Q", 1 << 63),
        lambda pair: b"\x80\x00",
    ],
)
def test_what_came_before_a_frame_that_is_not_a_valid_message_counts(pair: Pair, said: Breach) -> None:
    good = message_frame(pair.client.message(b"good"))
    assert pair.connection.feed(good + said(pair)) == [b"good"]
    assert pair.connection.broken


@given(st.binary(min_size=1, max_size=300), st.integers(0, 3))
def test_random_bytes_are_never_a_message(data: bytes, after: int) -> None:
    with closing(Pair()) as pair:
        if after:
            [pair.greet, pair.welcome, pair.open][after - 1]()
        assert pair.connection.feed(data) == []
