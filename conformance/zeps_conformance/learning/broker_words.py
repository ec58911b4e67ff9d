"""Words of the broker's machine over the wire: each input is followed by barriers, and the answers become symbols.

The first barrier is PING, answered by PING-OK or INVALID no-session. The last is a command whose INVALID cannot be the
answer to an input: in a session a SUBSCRIBE beyond the end with a `latest` of its own, after a second PING, else a
command with an unknown number.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from zeps_conformance.broker.options import Options
from zeps_conformance.broker.peer import BrokerPeer, ConnectionLostError
from zeps_conformance.broker.reason import Reason, Reasons
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.common.wirelog import WireLog
from zeps_conformance.learning.broker_inputs import CLOSE, KEY, PUBLISH, REFUSED_LATEST, BrokerInputs
from zeps_conformance.learning.broker_model import DELIVERIES
from zeps_conformance.learning.mealy import SILENT, Output, Word
from zeps_conformance.model.interpreter import Decoded, Interpreter, MalformedFrameError

__all__ = ["BrokerWord", "BrokerWords"]

PONG, NO_SESSION = "PING-OK", "INVALID no-session"
CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class _Answer:
    """A frame from the broker: its symbol, and the message or the reason if it is DELIVER or INVALID."""

    symbol: str
    message: Decoded | None = None
    reason: Reason | None = None


class BrokerWords:
    """Runs words against a broker, each on a stream and a connection of its own."""

    final: Final = frozenset(SILENT)

    def __init__(self, codec: Interpreter, options: Options) -> None:
        self.inputs = BrokerInputs(codec)
        self.options = options
        self._numbers: Iterator[int] = itertools.count(1)
        self._lock = threading.Lock()

    def begin(self, log: WireLog | None = None) -> BrokerWord:
        """Returns a new word. Raises ConnectionLostError if the broker does not accept the connection."""
        with self._lock:
            number = next(self._numbers)
        return BrokerWord(self, f"conform/{self.options.nonce}/word/{number}", log or WireLog())

    def run(self, word: Word, log: WireLog | None = None) -> list[Output]:
        """Returns the outputs for `word`. Raises ConnectionLostError if the broker does not accept a connection."""
        run = self.begin(log)
        try:
            return [run.step(symbol) for symbol in word]
        finally:
            run.close()


class BrokerWord:
    """One word, input by input."""

    def __init__(self, words: BrokerWords, stream: str, log: WireLog) -> None:
        self._words = words
        self._codec = words.inputs.codec
        self._reasons = Reasons(self._codec.model)
        self._stream = stream
        self._log = log
        self._ping = self._codec.encode("PING")
        self._tags = itertools.count(REFUSED_LATEST + 1)
        self._attached = False  # according to the last barrier
        self._silent = False  # a barrier had no answer
        self._published = 0
        self._stored: list[bytes] = []  # bodies that a broker must have stored
        self._bodies: dict[int, bytes] = {}  # delivered bodies, by sequence
        self._last = 0  # last sequence that this session delivered
        self._peer = self._connect()

    def step(self, symbol: str) -> Output:
        """Sends an input and its barriers. Returns the symbols of the answers without those of the barriers. After an
        input whose barrier is not answered, every output is SILENT.
        """
        if self._silent:
            return SILENT
        if symbol == CLOSE:
            self._peer.close()
            self._reconnect()
            return ()
        frame = self._words.inputs.frame(symbol, self._stream, self._published)
        if symbol == PUBLISH:
            if self._attached:
                self._stored.append(self._words.inputs.body(self._published))
            self._published += 1
        answers: list[_Answer] = []
        try:
            answered = self._exchange(frame, answers)
        except ConnectionLostError:
            return self._after_end(answers)
        if not answered:
            self._silent = True
            return (*self._symbols(answers), *SILENT)
        return self._symbols(answers)

    def close(self) -> None:
        """Closes the connection."""
        self._peer.close()

    def _exchange(self, frame: bytes, answers: list[_Answer]) -> bool:
        """Appends the answers to `frame` without those to the barriers. Returns False if a barrier has no answer; then
        all answers are appended.
        """
        self._peer.send_together([frame, self._ping])
        first = self._read_until(answers, {PONG, NO_SESSION})
        if first is None:
            return False
        if first.symbol == PONG:
            tag = next(self._tags)
            probe = self._codec.encode("SUBSCRIBE", pattern="", latest=tag)
            self._peer.send_together([self._ping, probe])
            known, pings = {"INVALID beyond-end"}, 2
        else:
            tag = 0
            self._peer.send_together([self._words.inputs.unknown_command])
            known, pings = {"INVALID unknown-command"}, 1
        while (last := self._read_until(answers, known)) is not None and tag:
            if last.reason is not None and last.reason.last == tag:
                break
        if last is None:
            return False
        answers.remove(last)
        for _ in range(pings):
            _remove_last(answers, first.symbol)
        self._attached = first.symbol == PONG
        return True

    def _read_until(self, answers: list[_Answer], symbols: set[str]) -> _Answer | None:
        """Appends answers up to the first whose symbol is in `symbols`, and returns it; None on timeout."""
        while (answer := self._read()) is not None:
            answers.append(answer)
            if answer.symbol in symbols:
                return answer
        return None

    def _read(self) -> _Answer | None:
        """Returns the next answer, or None if it does not arrive in time. The broker's PINGs are skipped: an
        answer could arrive after the end of the session, and every input of a word is a sign of life.
        """
        while (parts := self._peer.receive(self._words.options.timeout)) is not None:
            if len(parts) > 1:
                return _Answer("a message of several parts")
            try:
                message = self._codec.decode(parts[0])
            except MalformedFrameError as error:
                return _Answer(f"an invalid frame ({error.code})")
            if message.name == "PING":
                continue
            if message.name == "INVALID":
                return self._invalid(message)
            return _Answer(message.name, message)
        return None

    def _invalid(self, message: Decoded) -> _Answer:
        try:
            reason = self._reasons.read(str(message["reason"]))
        except FailureError:
            return _Answer("INVALID with an invalid reason")
        return _Answer(f"INVALID {reason.code}", None, reason)

    def _after_end(self, answers: list[_Answer]) -> Output:
        """Returns the output of an input after which the broker has ended the connection, and connects again. That is
        not an output of its own after an INVALID that ends the session (ZEPS-SESSION-6).
        """
        ending = any(a.reason is not None and self._reasons.ends_session(a.reason.code) for a in answers)
        if answers and answers[-1].symbol == NO_SESSION and (self._attached or len(answers) > 1):
            answers.pop()  # it answers the barrier
        output = self._symbols(answers)
        self._reconnect()
        return output if ending else (*output, CLOSED)

    def _reconnect(self) -> None:
        self._attached = False
        self._last = 0
        self._peer = self._connect()

    def _connect(self) -> BrokerPeer:
        options = self._words.options
        return BrokerPeer.connect(options.endpoint, "A", self._log, self._codec.render, options.timeout)

    def _symbols(self, answers: Sequence[_Answer]) -> Output:
        """Returns the symbols of answers; those of consecutive DELIVERs are joined."""
        output: list[str] = []
        for delivers, group in itertools.groupby(answers, lambda answer: answer.symbol == "DELIVER"):
            if delivers:
                output.append(self._deliveries([answer.message for answer in group if answer.message]))
                continue
            for answer in group:
                output.append(answer.symbol)
                if answer.symbol == "ATTACH-OK":
                    self._last = 0
        return tuple(output)

    def _deliveries(self, messages: Sequence[Decoded]) -> str:
        """Returns DELIVERIES if the messages are those that are due, else with the differences."""
        faults: dict[str, None] = {}
        for message in messages:
            sequence, body = int(message["sequence"]), bytes(message["body"])
            if sequence <= self._last:
                faults["again"] = None
            elif sequence > self._last + 1:
                faults["a gap"] = None
            if message["key"] != KEY or self._bodies.setdefault(sequence, body) != body:
                faults["another message"] = None
            self._last = sequence
        expected = self._stored[-len(messages) :]
        if [bytes(message["body"]) for message in messages] != expected:
            faults["other messages than the last"] = None
        return DELIVERIES + (f" ({', '.join(faults)})" if faults else "")


def _remove_last(answers: list[_Answer], symbol: str) -> None:
    """Removes the last answer with `symbol`, if there is one."""
    for index in range(len(answers) - 1, -1, -1):
        if answers[index].symbol == symbol:
            del answers[index]
            return
