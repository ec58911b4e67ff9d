"""The toy client with one defect, and the case that must detect it."""

from __future__ import annotations

from typing import Any, TypeVar

from toy_client import CODEC, NEW, LostError, ToyClient

from zeps_conformance.model.interpreter import Decoded, MalformedFrameError

__all__ = ["FAULTS"]

FAULTS: dict[type[ToyClient], str] = {}
"""The id of the case that must detect the defect of a client, without the profile."""

Kind = TypeVar("Kind", bound=type[ToyClient])


def fault(killer: str) -> Any:
    """Registers a client with a defect, and the case that must detect it."""

    def register(kind: Kind) -> Kind:
        FAULTS[kind] = killer
        return kind

    return register


@fault("heartbeat.answered")
class NoPingOk(ToyClient):
    """Does not answer PING."""

    def on_ping(self, message: Decoded) -> None:
        pass


@fault("opening.attach-first")
class AttachesTwice(ToyClient):
    """Sends a second ATTACH before the first is answered."""

    def attach(self) -> None:
        super().attach()
        super().attach()


@fault("opening.attach-first")
class EarlySubscribe(ToyClient):
    """Subscribes before ATTACH is answered."""

    def attach(self) -> None:
        super().attach()
        for pattern in self.points:
            self.subscribe(pattern, self.points[pattern])


@fault("barrier.served")
class SubscribesFirst(ToyClient):
    """Begins by SUBSCRIBE."""

    def attach(self) -> None:
        self.subscribe("", 0)
        super().attach()


@fault("barrier.served")
class OwnRoutingId(ToyClient):
    """Chooses its routing id."""

    identity = b"toy"


@fault("framing.commands")
class SeveralParts(ToyClient):
    """Sends an empty part before each frame."""

    def frame(self, data: bytes) -> None:
        self.write(self.engine.wire.message(b"", data))


@fault("framing.commands")
class ExtraByte(ToyClient):
    """Sends a byte after the last field of CREDIT."""

    def frame(self, data: bytes) -> None:
        super().frame(data + b"\0" if data[2] == 5 else data)


@fault("subscribe.values")
class LittleEndian(ToyClient):
    """Sends the latest of SUBSCRIBE in little-endian order."""

    def frame(self, data: bytes) -> None:
        super().frame(data[:-8] + data[:-9:-1] if data[2] == 3 else data)


@fault("opening.stream-names")
class LatinNames(ToyClient):
    """Replaces letters outside ASCII in the stream's name."""

    def attach(self) -> None:
        self.stream = self.stream.encode("ascii", "replace").decode()
        super().attach()


@fault("opening.closed-at-once")
class NoPause(ToyClient):
    """Connects again without a pause."""

    PAUSE = 0.0


@fault("opening.no-answer")
class WaitsForAttachOk(ToyClient):
    """Waits for the answer to ATTACH without a limit."""

    def tick(self) -> None:
        if self.state != "attaching":
            super().tick()


@fault("framing.control-characters")
class SendsControls(ToyClient):
    """Sends keys with control characters."""

    def check_key(self, key: str) -> None:
        if len(key.encode()) > 255:
            raise ValueError("too long")


@fault("framing.long-keys")
class CutsKeys(ToyClient):
    """Cuts keys to 120 characters."""

    def publish(self, key: str, body: bytes) -> bool:
        return super().publish(key[:120], body)

    def check_key(self, key: str) -> None:
        super().check_key(key[:120])


@fault("publish.lost-session")
class ForgetsPublications(ToyClient):
    """Does not publish again what no PING-OK covers."""

    def connect(self) -> None:
        super().connect()
        self.posted = len(self.unconfirmed)


@fault("publish.values")
class ReordersPublications(ToyClient):
    """Publishes the last message first."""

    def publish(self, key: str, body: bytes) -> bool:
        published = super().publish(key, body)
        if self.posted < len(self.unconfirmed) - 1:
            self.unconfirmed[self.posted :] = self.unconfirmed[self.posted :][::-1]
        return published


@fault("credit.renewed")
class GrantsOnce(ToyClient):
    """Grants credit only once in a session."""

    WINDOW = 1 << 16

    def renew(self) -> None:
        pass


@fault("deliver.twice")
class PassesRepetitions(ToyClient):
    """Passes each DELIVER to the application, also a repeated one."""

    def is_new(self, sequence: int) -> bool:
        return True


@fault("deliver.sequences")
class SignedSequences(ToyClient):
    """Resumes with a sequence of 32 bits."""

    def point(self, pattern: str) -> int:
        return super().point(pattern) & 0xFFFFFFFF


@fault("gaps.reported")
class HidesGaps(ToyClient):
    """Does not report gaps."""

    def report_gap(self, code: str, first: int, last: int) -> None:
        pass


@fault("subscribe.not-retained")
class AsksAgain(ToyClient):
    """Subscribes again at the same sequence after not-retained."""

    def gap(self, code: str, first: int, last: int) -> None:
        super().gap(code, first, first - 1 if code == "not-retained" else last)


@fault("sessions.broken-connection")
class BeginsAgain(ToyClient):
    """Resumes where it first subscribed."""

    def point(self, pattern: str) -> int:
        return self.points[pattern]


@fault("sessions.broken-connection")
class ResumesBeyond(ToyClient):
    """Resumes one sequence too late."""

    def point(self, pattern: str) -> int:
        return self.last + 1 if self.last else super().point(pattern)


@fault("sessions.new-only")
class NewAgain(ToyClient):
    """Resumes a subscription to new messages with new messages."""

    def point(self, pattern: str) -> int:
        return NEW if self.points[pattern] == NEW else super().point(pattern)


@fault("sessions.unknown-code")
class IgnoresUnknownCodes(ToyClient):
    """Goes on after an INVALID with a code that it does not know."""

    def ends(self, code: str) -> bool:
        return code in ("malformed", "unknown-command", "no-session", "routing-id")


@fault("sessions.open-code")
class EveryCodeEnds(ToyClient):
    """Attaches again after each INVALID."""

    def ends(self, code: str) -> bool:
        return True


@fault("heartbeat.three-unanswered")
class PingsForever(ToyClient):
    """Never gives up a silent broker."""

    def silent(self) -> None:
        self.ping()


@fault("heartbeat.three-unanswered")
class StaysSilent(ToyClient):
    """Stops sending PING, and keeps the connection."""

    def silent(self) -> None:
        pass


@fault("heartbeat.patience")
class Impatient(ToyClient):
    """Gives up a broker without regard to what is under way."""

    def patience(self) -> float:
        return self.UNANSWERED_MAX * self.heartbeat


@fault("heartbeat.slow-answers")
class OneIsEnough(ToyClient):
    """Gives up after one PING without an answer."""

    UNANSWERED_MAX = 1

    def patience(self) -> float:
        return self.heartbeat / 2


@fault("closing.answered")
class NoDetachOk(ToyClient):
    """Does not answer DETACH."""

    def on_detach(self, message: Decoded) -> None:
        raise LostError("the broker detached")


@fault("closing.detaches")
class SpeaksAfterDetach(ToyClient):
    """Sends PING after DETACH."""

    def close(self, timeout: float) -> None:
        super().close(timeout)
        if self.state == "leaving":
            self.send("PING")


@fault("closing.unanswered")
class WaitsForDetachOk(ToyClient):
    """Waits for DETACH-OK without a limit."""

    def close(self, timeout: float) -> None:
        super().close(timeout and 1e6)


@fault("malformed.deliver-in-session")
class AcceptsTrailing(ToyClient):
    """Accepts bytes after the last field."""

    def decode(self, frame: bytes) -> Decoded:
        return CODEC.take(frame)


@fault("malformed.deliver-in-session")
class DiesOfMalformed(ToyClient):
    """Ends its thread when a frame does not decode."""

    def malformed(self, error: MalformedFrameError) -> None:
        self.ended.set()
        raise LostError("malformed") from error


@fault("hostile.announced-frame")
class AllocatesFirst(ToyClient):
    """Allocates 64 MiB for a frame that announces at least 2^62 bytes."""

    def take(self, data: bytes) -> None:
        if len(data) > 9 and data[0] == 2 and data[1] >= 0x40:
            self.buffer = bytearray(b"x" * (64 << 20))
        super().take(data)


@fault("hostile.does-not-read")
class DropsWhenFull(ToyClient):
    """Drops messages that do not fit into its buffer, without a report."""

    def publish(self, key: str, body: bytes) -> bool:
        super().publish(key, body)
        return True
