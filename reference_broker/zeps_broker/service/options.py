"""Settings of the process and its log."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from zeps_broker.service.logs import FORMATS, LEVELS, LogFormat, LogLevel
from zeps_broker.setting import check_settings, choice, endpoints, number, path, setting

__all__ = ["LogOptions", "ServiceOptions"]


@dataclass(frozen=True, slots=True)
class ServiceOptions:
    """Settings of the broker's process. Raises ValueError for invalid values."""

    bind: tuple[str, ...] = setting(
        "broker",
        ("tcp://127.0.0.1:5670",),
        endpoints(),
        """Endpoints to listen on: tcp://ADDRESS:PORT and ipc://PATH, any number of them. Port * chooses a free port,
        which is printed.""",
    )
    stats_seconds: float = setting(
        "broker",
        60.0,
        number(0, 86_400),
        "Interval in seconds between log lines of figures; 0 disables them.",
        formerly="broker.stats_interval",
    )
    pidfile: Path | None = setting(
        "broker",
        None,
        path(),
        "A file that contains the process id while the broker runs.",
        example='"zeps.pid"',
    )

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass(frozen=True, slots=True)
class LogOptions:
    """Settings of the log, which is written to standard error. Raises ValueError for invalid values."""

    level: LogLevel = setting("log", "info", choice(*LEVELS), '"debug", "info", "warning" or "error".')
    format: LogFormat = setting("log", "logfmt", choice(*FORMATS), '"logfmt" or "json".')

    def __post_init__(self) -> None:
        check_settings(self)
