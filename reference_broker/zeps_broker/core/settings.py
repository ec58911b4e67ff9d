"""Settings of the broker's core."""

from __future__ import annotations

from dataclasses import dataclass

from zeps_broker.core.style import STYLE_NAMES
from zeps_broker.setting import MIB, check_settings, choice, limit, number, setting, whole

__all__ = ["Settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of one broker core. Raises ValueError for values that are invalid or contradict each other."""

    client_timeout_seconds: float = setting(
        "broker",
        20.0,
        number(0.05, 86_400),
        """Seconds of silence after which a client's session is removed (ZEPS-PING-6, ZEPS-PING-8). libzmq: more, by the
        time of the longest command at rate_min (ZEPS-PING-17).""",
        limits="session",
        formerly="broker.client_timeout",
    )
    heartbeat_seconds: float = setting(
        "broker",
        5.0,
        number(0.01, 86_400),
        "Seconds of silence after which a client is sent PING; also the interval of further PINGs.",
        formerly="broker.heartbeat_interval",
    )
    stop_seconds_max: float = setting(
        "broker",
        5.0,
        number(0, 3600),
        """Seconds for which a stopping broker waits for its clients to answer DETACH before it closes their
        connections.""",
        limits="total",
        formerly="broker.stop_timeout",
    )
    match: str = setting(
        "broker",
        "prefix",
        choice(*STYLE_NAMES),
        'How patterns match keys on streams that [streams] does not name: "prefix" or "regex" (RE2).',
    )
    matching: tuple[tuple[str, str], ...] = ()
    """(stream, style) rules; the first match applies (ZEPS-SUBSCRIBE-8). ``*`` at a name's end matches any ending."""

    rate_min: float = setting(
        "broker",
        65_536.0,
        number(1),
        "Minimum progress in bytes per second of a message under way that counts as a sign of life (ZEPS-PING-15).",
        limits="session",
    )

    sessions_max: int = limit(
        "total",
        100_000,
        whole(1),
        "Sessions of this broker. At the limit, ATTACH from a client without a session is refused (too-many-sessions).",
        formerly="limits.sessions",
    )
    patterns_max: int = limit(
        "session",
        1024,
        whole(1),
        """Patterns of one session; also its subscriptions that wait for older messages. At the limit, SUBSCRIBE is
        refused (too-many-subscriptions), and the session continues.""",
        formerly="limits.patterns",
    )
    regex_program_max: int = limit(
        "pattern",
        1280,
        whole(1, 2000),
        """Instructions of one regular expression's program. Most patterns need about 20; a Unicode class, such as
        \\pL, needs up to 1,200. A larger pattern is refused (bad-pattern), and the session continues.""",
    )
    regex_session_weight_max: int = limit(
        "session",
        4096,
        whole(1),
        """Instructions of one session's regular expressions, summed, plus 8 for each. A pattern beyond the limit is
        refused (too-many-subscriptions), and the session continues.""",
    )
    regex_stream_weight_max: int = limit(
        "stream",
        4096,
        whole(1),
        """Instructions of one stream's distinct regular expressions, summed, plus 8 for each. If all of them are
        hostile, a new key of 255 bytes takes about 6 milliseconds. A pattern beyond the limit is refused
        (too-many-subscriptions).""",
    )
    regex_weight_max: int = limit(
        "total",
        65_536,
        whole(1),
        """Instructions of the distinct regular expressions of each stream, summed over all streams, plus 8 for each.
        A pattern beyond the limit is refused (too-many-subscriptions).""",
    )
    outbox_messages_max: int = limit(
        "session",
        256,
        whole(1),
        """Answers that wait for a client that does not read, after its queue is full. A session that needs more is
        ended, and its connection is closed (native).""",
        formerly="limits.outbox_frames",
    )
    outbox_bytes_max: int = limit(
        "session", 64 << 10, whole(300), "Bytes of the same answers.", formerly="limits.outbox_octets"
    )
    block_messages_max: int = limit(
        "stream",
        8192,
        whole(1, 65_536),
        "Messages per journal block. If more arrive together, they become several blocks.",
        formerly="limits.block_messages",
    )
    block_bytes_max: int = limit(
        "stream",
        8 * MIB,
        whole(1, 128 * MIB),
        "Bytes of PUBLISH commands per journal block. A larger message is a block of its own.",
        formerly="limits.block_octets",
    )
    memory_bytes_max: int = limit(
        "total",
        512 * MIB,
        whole(64 * MIB),
        """Memory that peers can make the broker use, beyond the memory of a broker without peers: incomplete frames,
        queues, sessions, subscriptions and caches, each with a fair share (native engine). When a share is used up,
        the connection that has held the largest incomplete frame for longest is closed, queues become shorter, and
        sessions, subscriptions and topics are refused.""",
    )
    turn_steps_max: int = limit(
        "turn",
        2000,
        whole(1),
        """Steps per turn of the loop. A step is roughly the work of one command; a command that costs more, such as
        the first message of a new stream or a large regular expression, counts as several. The last command of a turn
        may exceed the limit.""",
    )
    peer_steps_max: int = limit(
        "turn", 500, whole(1), "Steps per turn for one client. The rest of its input waits for the next turn."
    )
    inbox_bytes_max: int = limit(
        "total",
        8 * MIB,
        whole(1),
        "Bytes that were received and not served yet. Above the limit, the broker does not receive from any client.",
    )
    malformed_max: int = limit(
        "connection",
        100,
        whole(0),
        """Malformed messages of one connection. After one more, the connection is closed; libzmq cannot close it, and
        input that arrived together with that message is dropped.""",
    )
    streams_max: int = limit(
        "total",
        100_000,
        whole(1),
        """Streams with messages. At the limit, ATTACH to a new name is refused (stream-unavailable); a client that
        attached before may still create its stream.""",
    )
    new_streams_max: int = limit(
        "total",
        1000,
        whole(1),
        """New stream names per second that clients may attach to; half as many from one address (native), and a tenth
        from one connection. More are refused (stream-unavailable).""",
    )
    low_gear_bytes: int = limit(
        "turn",
        MIB,
        whole(1),
        """Bytes that one turn delivers from journals, for all clients together; a byte that is only read counts an
        eighth. The client whose part exceeds the limit gets all of that part (low_gear_turn_bytes).""",
        formerly="limits.low_gear_octets",
    )
    low_gear_bytes_max: int = limit(
        "turn",
        64 * MIB,
        whole(1),
        """The same limit while the publishing rate is so high that low_gear_bytes would never catch up; at most an
        eighth of memory_bytes_max.""",
        formerly="limits.low_gear_octets_max",
    )
    low_gear_turn_bytes: int = limit(
        "turn",
        256 << 10,
        whole(1),
        """Bytes of these deliveries for one client before the next client's turn, or twice the bytes published since
        the last turn, if that is more. The message that exceeds the limit is delivered.""",
        formerly="limits.low_gear_turn",
    )
    cache_bytes_max: int = limit(
        "total",
        4 * MIB,
        whole(1),
        """Memory for blocks that clients at the same place of a journal share, at most a twentieth of
        memory_bytes_max. The block read last is always kept.""",
        formerly="limits.cache_octets",
    )
    route_keys_max: int = limit(
        "stream",
        16_384,
        whole(1),
        "Keys of one stream whose subscribers are remembered. At the limit, all are forgotten and looked up again.",
        formerly="limits.route_keys",
    )

    def __post_init__(self) -> None:
        check_settings(self)
        if self.heartbeat_seconds >= self.client_timeout_seconds:
            raise ValueError(
                f"heartbeat_seconds ({self.heartbeat_seconds:g}) must be less than client_timeout_seconds "
                f"({self.client_timeout_seconds:g}): a silent client gets a PING before its session is removed"
            )
        for _, style in self.matching:
            if style not in STYLE_NAMES:
                raise ValueError(
                    f"unknown matching style: {style!r} (known: {', '.join(sorted(STYLE_NAMES))})"
                )

    def style_of(self, stream: str) -> str:
        """Returns the name of a stream's matching style: that of the first rule in `matching` for it, else `match`."""
        for name, style in self.matching:
            if name == stream or (name.endswith("*") and stream.startswith(name[:-1])):
                return style
        return self.match
