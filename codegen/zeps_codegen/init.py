"""`zeps-codegen init`: creates a first model, its machines, and the configuration of the packages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .naming import RESERVED, snake
from .package import CONFIGURATION

__all__ = ["AlreadyThere", "first_files", "written_first_files"]


class AlreadyThere(Exception):  # noqa: N818
    """Files of the new project exist already; the text names them."""


def model_name(package: str) -> str:
    """The name in snake_case, without a last word `wire`, `protocol` or `proto` if the rest is a usable name."""
    first, _, last = package.rpartition("-")
    short = snake(first) if last in ("wire", "protocol", "proto") else ""
    reserved = any(short in names for names in RESERVED.values())
    return short if short and not reserved else snake(package)


def first_files(name: str, targets: tuple[str, ...]) -> dict[Path, str]:
    """The texts of a new project's files, by their paths from its folder; `name` is lower-case with hyphens."""
    protocol = model_name(name)
    values = {"name": name, "protocol": protocol, "targets": ", ".join(f'"{target}"' for target in targets)}
    return {
        CONFIGURATION: _CONFIGURATION.format(**values),
        Path(f"protocol/{protocol}.xml"): _PROTOCOL.format(**values),
        Path(f"protocol/{protocol}_server.xml"): _SERVER.format(**values),
        Path(f"protocol/{protocol}_client.xml"): _CLIENT.format(**values),
    }


@contextmanager
def written_first_files(folder: Path, name: str, targets: tuple[str, ...]) -> Iterator[list[Path]]:
    """Writes the first files below `folder` and yields their relative paths. Removes them, and the folders that it
    created, if the block raises an exception. Raises AlreadyThere, and writes no file, if one of them exists.
    """
    files = first_files(name, targets)
    there = [str(folder / path) for path in files if (folder / path).exists()]
    if there:
        raise AlreadyThere(f"files exist already: {', '.join(there)}; no files were written")
    made: list[Path] = []
    try:
        for path, text in files.items():
            place = folder / path
            for parent in reversed([parent for parent in place.parents if not parent.exists()]):
                parent.mkdir()
                made.append(parent)
            made.append(place)
            place.write_text(text, encoding="utf-8")
        yield list(files)
    except BaseException:
        for path in reversed(made):
            with suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()
        raise


_CONFIGURATION = """\
# Settings of `zeps-codegen generate`: targets, and names of the packages.

[package]
name = "{name}"
version = "0.1.0"
description = "Codecs and state machines of {name}"
# repository = "https://example.com/{name}"
# license = "Apache-2.0"    # an SPDX identifier; without it the packages name no license
# license_file = "LICENSE"  # copied into each package
targets = [{targets}]

# [go]
# module = "example.com/{name}"
# folder = "go"
"""

_PROTOCOL = """\
<?xml version="1.0" encoding="UTF-8"?>
<class name="{protocol}" title="{name}" signature="1" version="1" text="printable">
A client greets a server, asks for the values of keys, and says goodbye. Either side ends a session with BYE.

    <message name="HELLO">
        <field name="name" type="string">The client's name</field>
        Opens a session.
    </message>
    <message name="WELCOME">Answers HELLO.</message>
    <message name="GET">
        <field name="key" type="string">The key whose value the client asks for</field>
        Asks for a value.
    </message>
    <message name="VALUE">
        <field name="value" type="chunk" max="65536">The value of the key</field>
        Answers GET.
    </message>
    <message name="MISSING">Answers GET if the key does not exist.</message>
    <message name="BYE">Ends the session, or reports that no session is open.</message>
</class>
"""

_SERVER = """\
<?xml version="1.0" encoding="UTF-8"?>
<class name="{protocol}_server" title="{name}, server" protocol_class="{protocol}" role="server">
One session of the server.

    <event name="missing">The key does not exist.</event>
    <event name="expired">The client has been silent for 30 seconds.</event>
    <action name="look up">Fills the value of VALUE, or fails with `missing`.</action>

    <state name="start">
        <event name="HELLO" next="open"><action name="send" message="WELCOME"/></event>
        <event name="GET"><action name="send" message="BYE"/></event>
        <event name="expired"/>
        <event name="*"/>
    </state>
    <state name="open">
        <timer event="expired" milliseconds="30000" since="received"/>
        <event name="HELLO"><action name="send" message="WELCOME"/></event>
        <event name="GET">
            <action name="look up" raises="missing"/>
            <action name="send" message="VALUE"><fill field="value"/></action>
        </event>
        <event name="missing"><action name="send" message="MISSING"/></event>
        <event name="expired" next="start"/>
        <event name="BYE" next="start"/>
        <event name="*"/>
    </state>
</class>
"""

_CLIENT = """\
<?xml version="1.0" encoding="UTF-8"?>
<class name="{protocol}_client" title="{name}, client" protocol_class="{protocol}" role="client">
Serves one application.

    <variable name="patience" type="number" size="4" value="5000">Milliseconds for an answer</variable>

    <event name="expired">No answer came in time.</event>
    <method name="open"><field name="name" type="string"/>Opens the session.</method>
    <method name="get"><field name="key" type="string"/>Asks for the value of a key.</method>
    <method name="close">Closes the session.</method>
    <action name="opened">The server has opened the session.</action>
    <action name="take value">The value has arrived.</action>
    <action name="nothing">The key does not exist.</action>
    <action name="closed">The session is over.</action>

    <state name="start">
        <event name="open" next="opening">
            <action name="send" message="HELLO"><set field="name" value="message.name"/></action>
        </event>
        <event name="expired"/>
        <event name="*"/>
    </state>
    <state name="opening">
        <timer event="expired" milliseconds="patience"/>
        <event name="WELCOME" next="open"><action name="opened"/></event>
        <event name="expired" next="start"><action name="closed"/></event>
        <event name="*"/>
    </state>
    <state name="open">
        <timer event="expired" milliseconds="60000" since="sent"/>
        <event name="get" next="asking">
            <action name="send" message="GET"><set field="key" value="message.key"/></action>
        </event>
        <event name="close" next="start"><action name="send" message="BYE"/></event>
        <event name="BYE" next="start"><action name="closed"/></event>
        <event name="expired" next="start"><action name="send" message="BYE"/><action name="closed"/></event>
        <event name="*"/>
    </state>
    <state name="asking">
        <timer event="expired" milliseconds="patience"/>
        <event name="VALUE" next="open"><action name="take value"/></event>
        <event name="MISSING" next="open"><action name="nothing"/></event>
        <event name="BYE" next="start"><action name="closed"/></event>
        <event name="expired" next="start"><action name="send" message="BYE"/><action name="closed"/></event>
        <event name="*"/>
    </state>
</class>
"""
