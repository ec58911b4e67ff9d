"""The broker's configuration: a TOML file, every key of which is checked, and what holds without it.

A key that is not known is an error that names the nearest one that is: a misspelt ``retain_octets`` must not
quietly keep everything. ``examples/zeps.toml`` shows every key.
"""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from zeps_broker.core.matching import STYLES
from zeps_broker.core.settings import Settings
from zeps_broker.io.logs import FORMATS, LEVELS, LogFormat, LogLevel
from zeps_broker.io.options import (
    ENGINES,
    GATEWAY_FRAMES,
    GATEWAY_PATTERNS,
    CurveOptions,
    Engine,
    GatewayFrames,
    GatewayOptions,
    RouterOptions,
)
from zeps_wire import zeps
from zeps_wire.errors import EncodeError

__all__ = [
    "SYNC_MODES",
    "BrokerConfig",
    "Config",
    "ConfigError",
    "CurveConfig",
    "GatewayConfig",
    "JournalConfig",
    "LimitsConfig",
    "LogConfig",
    "SyncMode",
    "TransportConfig",
    "load",
    "parse",
]

SyncMode = Literal["always", "interval", "os"]
SYNC_MODES: tuple[SyncMode, ...] = ("always", "interval", "os")

Check = Callable[[Any], Any]
"""Converts a key's value; raises ValueError with what the value must be."""
Section = TypeVar("Section")

_MIB = 1 << 20
_CORE = Settings()
_ROUTER = RouterOptions()


class ConfigError(Exception):
    """A configuration that means nothing. The text says where, what and what would do."""


def _number(least: float, most: float = math.inf) -> dict[str, Check]:
    bounds = f"a number from {least:g} to {most:g}" if most < math.inf else f"a number of at least {least:g}"

    def check(value: Any) -> float:
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not least <= value <= most:
            raise ValueError(bounds)
        return float(value)

    return {"check": check}


def _whole(least: int, most: int | None = None) -> dict[str, Check]:
    bounds = f"a whole number from {least} to {most}" if most else f"a whole number of at least {least}"

    def check(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= (most or value):
            raise ValueError(bounds)
        return value

    return {"check": check}


def _choice(*options: str) -> dict[str, Check]:
    def check(value: Any) -> Any:
        if value not in options:
            raise ValueError("one of " + ", ".join(f'"{option}"' for option in options))
        return value

    return {"check": check}


def _path() -> dict[str, Check]:
    def check(value: Any) -> Path:
        if not isinstance(value, str) or not value or "\0" in value:
            raise ValueError("a path")
        return Path(value)

    return {"check": check}


def _endpoints() -> dict[str, Check]:
    def check(value: Any) -> tuple[str, ...]:
        if (
            not isinstance(value, list)
            or not value
            or not all(isinstance(each, str) and each for each in value)
        ):
            raise ValueError('a list of endpoints, such as ["tcp://127.0.0.1:5670"]')
        return tuple(value)

    return {"check": check}


@dataclass(frozen=True, slots=True)
class BrokerConfig:
    """``[broker]``"""

    bind: tuple[str, ...] = field(default=("tcp://127.0.0.1:5670",), metadata=_endpoints())
    client_timeout: float = field(default=_CORE.client_timeout, metadata=_number(0.05, 86_400))
    heartbeat_interval: float = field(default=_CORE.heartbeat_interval, metadata=_number(0.01, 86_400))
    stop_timeout: float = field(default=_CORE.shutdown_timeout, metadata=_number(0, 3600))
    stats_interval: float = field(default=60.0, metadata=_number(0, 86_400))
    match: str = field(default=_CORE.default_matching, metadata=_choice(*STYLES))
    pidfile: Path | None = field(default=None, metadata=_path())


@dataclass(frozen=True, slots=True)
class JournalConfig:
    """``[journal]``"""

    path: Path = field(default=Path("zeps-data"), metadata=_path())
    sync: SyncMode = field(default="always", metadata=_choice(*SYNC_MODES))
    sync_interval: float = field(default=0.1, metadata=_number(0.001, 3600))
    segment_octets: int = field(default=64 * _MIB, metadata=_whole(4096, 1 << 40))
    retain_octets: int | None = field(default=None, metadata=_whole(1))
    retain_seconds: float | None = field(default=None, metadata=_number(0.001))
    cache_octets: int = field(default=64 * _MIB, metadata=_whole(1))


@dataclass(frozen=True, slots=True)
class TransportConfig:
    """``[transport]``; what they bound stands in :class:`zeps_broker.io.options.RouterOptions`."""

    engine: Engine = field(default=_ROUTER.engine, metadata=_choice(*ENGINES))
    batch_messages: int = field(default=_ROUTER.batch_messages, metadata=_whole(1, 65_536))
    batch_octets: int = field(default=_ROUTER.batch_octets, metadata=_whole(1, 128 * _MIB))
    frame_octets_max: int = field(default=_ROUTER.frame_octets_max, metadata=_whole(17 * _MIB, 1 << 40))
    send_octets: int = field(default=_ROUTER.send_octets, metadata=_whole(1))
    handshakes: int = field(default=_ROUTER.handshakes, metadata=_whole(1))
    handshake_timeout: float = field(default=_ROUTER.handshake_timeout, metadata=_number(0.05, 86_400))
    send_queue: int = field(default=_ROUTER.send_queue, metadata=_whole(1, 10_000_000))
    receive_queue: int = field(default=_ROUTER.receive_queue, metadata=_whole(1, 10_000_000))
    large_octets: int = field(default=_ROUTER.large_octets, metadata=_whole(1))
    large_window: int = field(default=_ROUTER.large_window, metadata=_whole(1))


@dataclass(frozen=True, slots=True)
class CurveConfig:
    """``[curve]``; what it means stands in :class:`zeps_broker.io.options.CurveOptions`."""

    secret_key: Path | None = field(default=None, metadata=_path())
    authorized_keys: Path | None = field(default=None, metadata=_path())


@dataclass(frozen=True, slots=True)
class LimitsConfig:
    """``[limits]``; what they bound stands in :class:`zeps_broker.core.settings.Settings`."""

    sessions: int = field(default=_CORE.sessions, metadata=_whole(1))
    patterns: int = field(default=_CORE.patterns, metadata=_whole(1))
    outbox_frames: int = field(default=_CORE.outbox_frames, metadata=_whole(1))
    outbox_octets: int = field(default=_CORE.outbox_octets, metadata=_whole(300))
    block_messages: int = field(default=_CORE.block_messages, metadata=_whole(1, 65_536))
    block_octets: int = field(default=_CORE.block_octets, metadata=_whole(1, 128 * _MIB))
    low_gear_octets: int = field(default=_CORE.low_gear_octets, metadata=_whole(1))
    low_gear_octets_max: int = field(default=_CORE.low_gear_octets_max, metadata=_whole(1))
    low_gear_turn: int = field(default=_CORE.low_gear_turn, metadata=_whole(1))
    cache_octets: int = field(default=_CORE.cache_octets, metadata=_whole(1))
    route_keys: int = field(default=_CORE.route_keys, metadata=_whole(1))


@dataclass(frozen=True, slots=True)
class LogConfig:
    """``[log]``"""

    level: LogLevel = field(default="info", metadata=_choice(*LEVELS))
    format: LogFormat = field(default="logfmt", metadata=_choice(*FORMATS))


@dataclass(frozen=True, slots=True)
class GatewayConfig:
    """``[gateways.STREAM]``; what it means stands in :class:`zeps_broker.io.options.GatewayOptions`."""

    subscribers: tuple[str, ...] = field(default=(), metadata=_endpoints())
    publishers: tuple[str, ...] = field(default=(), metadata=_endpoints())
    frames: GatewayFrames = field(default="two", metadata=_choice(*GATEWAY_FRAMES))


@dataclass(frozen=True, slots=True)
class Config:
    """A broker's configuration.

    `matching` says how patterns match on which streams; the first name that fits holds, and one that ends in
    ``*`` stands for all that begin so (ZEPS-SUBSCRIBE-8). Raises ConfigError if parts contradict each other.
    """

    broker: BrokerConfig = BrokerConfig()
    journal: JournalConfig = JournalConfig()
    transport: TransportConfig = TransportConfig()
    curve: CurveConfig = CurveConfig()
    limits: LimitsConfig = LimitsConfig()
    log: LogConfig = LogConfig()
    matching: tuple[tuple[str, str], ...] = ()
    gateways: tuple[tuple[str, GatewayConfig], ...] = ()

    def __post_init__(self) -> None:
        interval, timeout = self.broker.heartbeat_interval, self.broker.client_timeout
        if interval >= timeout:
            raise ConfigError(
                f"broker.heartbeat_interval ({interval:g} s) must be less than broker.client_timeout "
                f"({timeout:g} s): a silent client is asked before it is forgotten"
            )
        if self.curve.authorized_keys is not None and self.curve.secret_key is None:
            raise ConfigError("curve.authorized_keys says who may connect, but curve.secret_key is missing")
        try:
            self.settings()
        except ValueError as error:
            raise ConfigError(str(error)) from error

    def settings(self) -> Settings:
        """What the core is to know of it."""
        return Settings(
            client_timeout=self.broker.client_timeout,
            heartbeat_interval=self.broker.heartbeat_interval,
            shutdown_timeout=self.broker.stop_timeout,
            matching=self.matching,
            default_matching=self.broker.match,
            **asdict(self.limits),
        )

    def router(self) -> RouterOptions:
        """What the transport is to know of it."""
        secret, authorized = self.curve.secret_key, self.curve.authorized_keys
        curve = None if secret is None else CurveOptions(secret, authorized)
        return RouterOptions(**asdict(self.transport), curve=curve)

    def gateway_options(self) -> list[GatewayOptions]:
        """What the transport is to know of the gateways."""
        style_of = self.settings().style_of
        patterns = min(self.limits.patterns, GATEWAY_PATTERNS)
        return [
            GatewayOptions(stream, prefix=style_of(stream) == "prefix", patterns=patterns, **asdict(gateway))
            for stream, gateway in self.gateways
        ]


_SECTIONS: dict[str, Any] = {
    "broker": BrokerConfig,
    "journal": JournalConfig,
    "transport": TransportConfig,
    "curve": CurveConfig,
    "limits": LimitsConfig,
    "log": LogConfig,
}


def load(path: Path) -> Config:
    """The configuration in a file; its relative paths start where it lies. Raises ConfigError."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at octet {error.start}") from error
    config = parse(text, str(path))

    def beside(found: Path | None) -> Path | None:
        return None if found is None else path.parent / found

    return replace(
        config,
        broker=replace(config.broker, pidfile=beside(config.broker.pidfile)),
        journal=replace(config.journal, path=path.parent / config.journal.path),
        curve=CurveConfig(beside(config.curve.secret_key), beside(config.curve.authorized_keys)),
    )


def parse(text: str, source: str = "configuration") -> Config:
    """The configuration that `text` is.

    Raises ConfigError, whose text begins with `source` and, where it is known, a line.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{source}: not TOML: {error}") from error
    reader = _Reader(text, source)
    known = [*_SECTIONS, "streams", "gateways"]
    sections: dict[str, Any] = {}
    for name, value in document.items():
        if name not in known:
            raise reader.unknown("", name, known)
        if not isinstance(value, dict):
            raise reader.error(name, "", f"{name} is a section: write [{name}] and its keys below it")
        if name == "streams":
            sections["matching"] = reader.streams(value)
        elif name == "gateways":
            sections["gateways"] = reader.gateways(value)
        else:
            sections[name] = reader.section(name, value, _SECTIONS[name])
    try:
        return Config(**sections)
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None


_HEADER = re.compile(r"\s*\[{1,2}\s*(.*?)\s*\]{1,2}\s*(#.*)?$")


@dataclass(frozen=True, slots=True)
class _Reader:
    text: str
    source: str

    def section(self, name: str, values: dict[str, Any], into: type[Section]) -> Section:
        checks = {each.name: each.metadata["check"] for each in fields(cast("Any", into))}
        found: dict[str, Any] = {}
        for key, value in values.items():
            if key not in checks:
                raise self.unknown(name, key, list(checks))
            found[key] = self.checked(name, key, value, checks[key])
        return into(**found)

    def streams(self, values: dict[str, Any]) -> tuple[tuple[str, str], ...]:
        check = _choice(*STYLES)["check"]
        matching: list[tuple[str, str]] = []
        for stream, options in values.items():
            where = f'streams."{stream}"'
            if not isinstance(options, dict):
                raise self.error(
                    "streams", stream, f"{where} is a section: write [{where}] and match below it"
                )
            for key, value in options.items():
                if key != "match":
                    raise self.unknown(where, key, ["match"])
                matching.append((stream, self.checked(where, key, value, check)))
        return tuple(matching)

    def gateways(self, values: dict[str, Any]) -> tuple[tuple[str, GatewayConfig], ...]:
        found: list[tuple[str, GatewayConfig]] = []
        for stream, options in values.items():
            where = f'gateways."{stream}"'
            if not isinstance(options, dict):
                raise self.error(
                    "gateways", stream, f"{where} is a section: write [{where}] and its keys below it"
                )
            if not _is_stream(stream):
                raise self.error("gateways", stream, f"{where} is no name of a stream")
            found.append((stream, self.section(where, options, GatewayConfig)))
        return tuple(found)

    def checked(self, section: str, key: str, value: Any, check: Check) -> Any:
        try:
            return check(value)
        except ValueError as error:
            text = f"{section}.{key} is {_shown(value)}; it must be {error}"
            raise self.error(section, key, text) from None

    def unknown(self, section: str, key: str, known: list[str]) -> ConfigError:
        near = difflib.get_close_matches(key, known, n=1, cutoff=0.6)
        hint = f'did you mean "{near[0]}"?' if near else f"known: {', '.join(sorted(known))}"
        what = f'unknown key "{key}" in [{section}]' if section else f'unknown section "{key}"'
        return self.error(section, key, f"{what}; {hint}")

    def error(self, section: str, key: str, text: str) -> ConfigError:
        line = self._line(section, key)
        return ConfigError(f"{self.source}:{line}: {text}" if line else f"{self.source}: {text}")

    def _line(self, section: str, key: str) -> int | None:
        """Where the key stands, as far as its usual spelling tells (the standard library does not)."""
        inside = not section
        wanted = re.compile(rf"\s*[\"']?{re.escape(key or section)}[\"']?\s*[=.]")
        for number, line in enumerate(self.text.splitlines(), 1):
            header = _HEADER.match(line)
            if header:
                title = header.group(1).replace("'", '"')
                inside = title == section
                if not section and title.split(".")[0].strip('"') == key:
                    return number
            elif (inside or not key) and wanted.match(line):
                return number
        return None


def _is_stream(name: str) -> bool:
    try:
        zeps.Attach(name).encode()
    except EncodeError:
        return False
    return bool(name)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."
