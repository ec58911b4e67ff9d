"""The broker's configuration: a TOML file in which every key is checked.

Keys, defaults and allowed values are the fields of the settings groups in :class:`Config`. An unknown key is an error
that names the nearest known key. :func:`example` returns the file with every key and its default.
"""

from __future__ import annotations

import difflib
import re
import textwrap
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import Field, dataclass, fields, replace
from pathlib import Path
from typing import Any

from zeps_broker.core.settings import Settings
from zeps_broker.core.style import STYLE_NAMES
from zeps_broker.journal.options import JournalOptions
from zeps_broker.service.options import LogOptions, ServiceOptions
from zeps_broker.setting import Check, Setting, choice, settings_of
from zeps_broker.transport.options import GATEWAY_PATTERNS, CurveOptions, GatewayOptions, RouterOptions
from zeps_wire import zeps
from zeps_wire.errors import EncodeError

__all__ = ["GROUPS", "Config", "ConfigError", "example", "load", "parse"]


class ConfigError(Exception):
    """The configuration is invalid. The text gives the place and the problem, and the allowed values of a setting."""


@dataclass(frozen=True, slots=True)
class Config:
    """A broker's configuration: the groups of settings, each with its defaults, and the gateways."""

    service: ServiceOptions = ServiceOptions()
    core: Settings = Settings()
    journal: JournalOptions = JournalOptions()
    transport: RouterOptions = RouterOptions()
    log: LogOptions = LogOptions()
    gateways: tuple[GatewayOptions, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    """Former and present names of the keys that the file uses under a former name."""

    def gateway_options(self) -> list[GatewayOptions]:
        """Returns the gateways, with `prefix` and `patterns` derived from the core's settings."""
        patterns = min(self.core.patterns_max, GATEWAY_PATTERNS)
        return [
            replace(gateway, prefix=self.core.style_of(gateway.stream) == "prefix", patterns=patterns)
            for gateway in self.gateways
        ]


GROUPS: dict[str, Any] = {
    "service": ServiceOptions,
    "core": Settings,
    "journal": JournalOptions,
    "transport": RouterOptions,
    "curve": CurveOptions,
    "log": LogOptions,
}
"""The groups of settings, by their fields in :class:`Config`; `curve` is a field of `transport`."""


@dataclass(frozen=True, slots=True)
class _Key:
    """A key of the file: its group, its field and its declaration."""

    group: str
    field: Field[Any]
    setting: Setting


def _keys() -> dict[str, dict[str, _Key]]:
    """Returns section to name to key, in the order of the example."""
    sections: dict[str, dict[str, _Key]] = {
        section: {} for section in ("broker", "journal", "transport", "curve", "limits", "log")
    }
    for group, kind in GROUPS.items():
        for field, known in settings_of(kind):
            sections[known.section][field.name] = _Key(group, field, known)
    return sections


_KEYS = _keys()
_FORMER = {
    key.setting.formerly: (section, name)
    for section, keys in _KEYS.items()
    for name, key in keys.items()
    if key.setting.formerly is not None
}


def load(path: Path) -> Config:
    """Reads a file. Relative paths and the default `journal.path` start at its folder. Raises ConfigError."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at byte {error.start}") from error
    config = parse(text, str(path))

    def beside(group: Any) -> Any:
        """Returns the group with its relative paths resolved against the file's folder."""
        values = {field.name: getattr(group, field.name) for field in fields(group)}
        return replace(group, **{n: path.parent / v for n, v in values.items() if isinstance(v, Path)})

    transport = replace(config.transport, curve=beside(config.transport.curve))
    return replace(
        config, service=beside(config.service), journal=beside(config.journal), transport=transport
    )


def parse(text: str, source: str = "configuration") -> Config:
    """Parses a configuration; relative paths stay. Raises ConfigError, whose text begins with `source`."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{source}: not TOML: {error}") from error
    return _Reader(text, source).config(document)


_HEADER = re.compile(r"\s*\[{1,2}\s*(.*?)\s*\]{1,2}\s*(#.*)?$")


class _Reader:
    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self._renamed: list[tuple[str, str]] = []

    def config(self, document: dict[str, Any]) -> Config:
        known = [*_KEYS, "streams", "gateways"]
        values: dict[str, dict[str, Any]] = {group: {} for group in GROUPS}
        gateways: tuple[GatewayOptions, ...] = ()
        for section, content in document.items():
            if section not in known:
                raise self._unknown("", section, known)
            if not isinstance(content, dict):
                raise self._not_a_section(section, "", f"[{section}]", "its keys", section)
            if section == "streams":
                values["core"]["matching"] = self._streams(content)
            elif section == "gateways":
                gateways = self._gateways(content)
            else:
                for group, name, value in self._section(section, content):
                    values[group][name] = value
        try:
            curve = CurveOptions(**values.pop("curve"))
            values["transport"]["curve"] = curve
            made = {group: GROUPS[group](**given) for group, given in values.items()}
        except ValueError as error:
            raise ConfigError(f"{self._source}: {error}") from None
        return Config(**made, gateways=gateways, renamed=tuple(self._renamed))

    def _section(self, section: str, content: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
        """Yields group, field and checked value of each key; records former names. Raises ConfigError."""
        for name, value in content.items():
            present = _FORMER.get(f"{section}.{name}", (section, name))
            key = _KEYS[present[0]].get(present[1])
            if key is None:
                raise self._unknown(section, name, list(_KEYS[section]))
            if present != (section, name):
                if present[1] in content:
                    text = (
                        f"{section}.{name} is the former name of {section}.{present[1]}; remove one of them"
                    )
                    raise self._error(section, name, text)
                self._renamed.append((f"{section}.{name}", ".".join(present)))
            yield key.group, present[1], self._checked(section, name, value, key.setting.check)

    def _streams(self, content: dict[str, Any]) -> tuple[tuple[str, str], ...]:
        tables = self._tables("streams", content, {"match": choice(*STYLE_NAMES)}, "match")
        return tuple((stream, style) for stream, values in tables for style in values.values())

    def _gateways(self, content: dict[str, Any]) -> tuple[GatewayOptions, ...]:
        checks = {field.name: known.check for field, known in settings_of(GatewayOptions)}
        gateways: list[GatewayOptions] = []
        for stream, values in self._tables("gateways", content, checks, "its keys"):
            if not _is_stream(stream):
                raise self._error("gateways", stream, f'gateways."{stream}" is not the name of a stream')
            gateways.append(GatewayOptions(stream, **values))
        return tuple(gateways)

    def _tables(
        self, section: str, content: dict[str, Any], checks: dict[str, Check], keys: str
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yields the name and the checked values of each table of `section`; `keys` names its keys in an error."""
        for name, table in content.items():
            where = f'{section}."{name}"'
            if not isinstance(table, dict):
                raise self._not_a_section(section, name, f"[{where}]", keys, where)
            for key in table:
                if key not in checks:
                    raise self._unknown(where, key, list(checks))
            yield name, {key: self._checked(where, key, value, checks[key]) for key, value in table.items()}

    def _checked(self, section: str, name: str, value: Any, check: Check) -> Any:
        try:
            return check(value)
        except ValueError as error:
            text = f"{section}.{name} is {_format_value(value)}; it must be {error}"
            raise self._error(section, name, text) from None

    def _not_a_section(self, section: str, name: str, header: str, keys: str, where: str) -> ConfigError:
        return self._error(section, name, f"{where} is a section: write {header} and {keys} below it")

    def _unknown(self, section: str, name: str, known: Iterable[str]) -> ConfigError:
        near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
        hint = f'did you mean "{near[0]}"?' if near else f"known: {', '.join(sorted(known))}"
        what = f'unknown key "{name}" in [{section}]' if section else f'unknown section "{name}"'
        return self._error(section, name, f"{what}; {hint}")

    def _error(self, section: str, name: str, text: str) -> ConfigError:
        line = self._line(section, name)
        return ConfigError(f"{self._source}:{line}: {text}" if line else f"{self._source}: {text}")

    def _line(self, section: str, name: str) -> int | None:
        """Returns the line number, from 1, of a key or section; None if it is not written as usual."""
        inside = not section
        pattern = re.compile(rf"\s*[\"']?{re.escape(name or section)}[\"']?\s*[=.]")
        for number, line in enumerate(self._text.splitlines(), 1):
            header = _HEADER.match(line)
            if header:
                title = header.group(1).replace("'", '"')
                inside = title == section
                if not section and title.split(".")[0].strip('"') == name:
                    return number
            elif (inside or not name) and pattern.match(line):
                return number
        return None


def _is_stream(name: str) -> bool:
    try:
        zeps.Attach(name).encode()
    except EncodeError:
        return False
    return bool(name)


def _format_value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."


# The example

_WIDTH = 118
_HEAD = """\
# zeps.toml: every key of the broker's configuration, with its default. Written by `zeps broker --print-config`.
#
#     zeps broker --config examples/zeps.toml
#
# Options on the command line override this file. Relative paths start at this file's folder. An unknown key is an
# error.
"""
_STREAMS = """\
# How patterns match keys on particular streams. The first name that matches applies; "*" at the end matches any ending.
# [streams."syslog.*"]
# match = "regex"

# Streams that plain SUB and PUB sockets can use (docs/gateway.md).
# [gateways.ticks]
"""
_GATEWAY_EXAMPLES = {
    "subscribers": '["tcp://127.0.0.1:5671"]',
    "publishers": '["tcp://127.0.0.1:5672"]',
    "frames": '"two"',
}


def example() -> str:
    """Returns a configuration file with all keys, descriptions and defaults; without a default, commented out."""
    parts = [_HEAD]
    for section, keys in _KEYS.items():
        lines = ["", f"[{section}]"]
        for name, key in keys.items():
            default = key.field.default
            lines += ["", *_comment(key.setting.about)]
            lines.append(
                f"# {name} = {key.setting.example}" if default is None else f"{name} = {toml(default)}"
            )
        parts.append("\n".join(lines[1:]).replace("]\n\n", "]\n", 1) + "\n")
        if section == "journal":
            gateway = [*_STREAMS.splitlines()]
            for field, known in settings_of(GatewayOptions):
                gateway += [f"# {line}" for line in _comment(known.about)]
                gateway.append(f"# {field.name} = {_GATEWAY_EXAMPLES[field.name]}")
            parts.append("\n".join(gateway) + "\n")
    return "\n".join(parts)


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="# ", subsequent_indent="# ")


def toml(value: Any) -> str:
    """Returns a setting's value, a text, path, number or tuple of these, as TOML. Texts are not escaped."""
    if isinstance(value, (str, Path)):
        return f'"{value}"'
    if isinstance(value, tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    return str(value)
