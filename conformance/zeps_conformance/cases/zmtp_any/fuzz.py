"""Random bytes and corrupted traffic: the implementation survives, and other peers are served."""

from __future__ import annotations

from collections.abc import Callable

from zeps_conformance.cases.mutations import mutated
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.dialled_peers import version_of
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE, Connection
from zeps_conformance.sockets.trial import SocketTrial

ROUNDS = 4
PEERS = 40  # in each round


def _opening(t: SocketTrial) -> tuple[bytes, bytes]:
    return t.wire.greeting(version_of(t)), t.wire.ready(t.peer_type.encode())


def _assault(
    t: SocketTrial, make: Callable[[], bytes], begin: Callable[[Connection], None] | None = None
) -> None:
    """In 4 rounds, 40 peers run `begin` and send what `make` returns; B must be served before they leave, C last."""
    witness = t.peer("B")
    witness.barrier()
    for number in range(ROUNDS):
        t.step(f"{PEERS} peers send it, each on its own connection.")
        peers: list[Connection] = []
        for index in range(PEERS):
            a = t.dial(f"A{number * PEERS + index}")
            peers.append(a)
            if begin is not None:
                _begin(a, begin)
            a.send_raw(make(), "broken", may_fail=True)
        t.step("B is still served; then the peers close or reset their connections.")
        t.serve(witness, b"witness %d" % number)
        for index, a in enumerate(peers):
            (a.close, a.reset)[index % 2]()
    t.step("C, which connects afterwards, is served too.")
    t.serve(t.peer("C"))


def _begin(a: Connection, begin: Callable[[Connection], None]) -> None:
    """Runs `begin`, in which `a` sends only valid input. Raises UnservedError if it fails."""
    try:
        begin(a)
    except FailureError as error:
        raise a.unserved(error.expected, error.seen) from error


def _greet(a: Connection) -> None:
    a.send_greeting()
    a.read_greeting()


def _shake_hands(a: Connection) -> None:
    _greet(a)
    a.send_ready(a.trial.peer_type)
    a.finish_handshake()


@case("Random bytes instead of a greeting", "ZMTP-G-8", polarity=NEGATIVE)
def random_from_the_start(t: SocketTrial) -> None:
    t.step("Peers send up to 500 random bytes instead of a greeting, half of them after %xFF.")
    _assault(t, lambda: t.rng.choice((b"", b"\xff")) + t.random_bytes(t.rng.randint(1, 500)))


@case("Random bytes instead of READY", "ZMTP-N-15", dialects=BOTH, polarity=NEGATIVE)
def random_handshake(t: SocketTrial) -> None:
    t.step("Peers send a greeting and up to 500 random bytes, half of them after a command's flags.")
    _assault(t, lambda: t.rng.choice((b"", b"\x04")) + t.random_bytes(t.rng.randint(1, 500)), _greet)


@case("Random bytes after the handshake", "ZMTP-N-15", dialects=BOTH, polarity=NEGATIVE)
def random_traffic(t: SocketTrial) -> None:
    t.step("Peers complete the handshake and send up to 2,000 random bytes, most of them after valid flags.")

    def make() -> bytes:
        flags = t.rng.choice((b"", b"\x00", b"\x01", b"\x04", b"\x04\x09", b"\x02" + bytes(6)))
        return flags + t.random_bytes(t.rng.randint(1, 2000))

    _assault(t, make, _shake_hands)


@case("Mutated greetings", "ZMTP-G-8", dialects=BOTH, polarity=NEGATIVE)
def mutated_greeting(t: SocketTrial) -> None:
    t.step("Peers send greetings with one to four mutations, followed by READY and valid traffic.")

    def make() -> bytes:
        greeting, ready = _opening(t)
        return mutated(t.rng, greeting) + ready + t.traffic(t.dialect)

    _assault(t, make)


@case("Mutated READYs", "ZMTP-N-17", dialects=BOTH, polarity=NEGATIVE)
def mutated_ready(t: SocketTrial) -> None:
    t.step("Peers send a greeting and a READY with one to four mutations, followed by valid traffic.")
    _assault(t, lambda: mutated(t.rng, _opening(t)[1]) + t.traffic(t.dialect), _greet)


@case("Mutated traffic", "ZMTP-N-15", dialects=BOTH, polarity=NEGATIVE)
def mutated_traffic(t: SocketTrial) -> None:
    t.step("Peers complete the handshake and send mutated valid traffic.")
    _assault(t, lambda: mutated(t.rng, t.traffic(t.dialect)), _shake_hands)
