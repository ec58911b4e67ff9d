"""The elements and attributes of models: zproto's, those found in public models, and our extensions."""

from __future__ import annotations

__all__ = ["EXTENSIONS", "HOST_CODE", "KNOWN", "LEFT_OUT", "known_attributes", "known_to_zproto"]

# Attributes that zproto or its language backends read.
_ZPROTO: dict[str, frozenset[str]] = {
    "class": frozenset(
        {
            *("name", "title", "script", "signature", "protocol_class", "proto", "codec", "version"),
            *("package", "package_dir", "source_dir", "source_path", "include_path", "header_dir", "dir"),
            *("project_header", "export", "export_macro", "header_ext", "source_ext", "inherit_headers"),
            *("header", "source", "private"),
            *("pubsub", "virtual", "use_zmq_msg", "namespace", "modifier", "module"),
        }
    ),
    "include": frozenset({"filename"}),
    "define": frozenset({"name", "value"}),
    "grammar": frozenset(),
    "header": frozenset(),
    "message": frozenset({"name", "id", "digest", "role", "method"}),
    "field": frozenset({"name", "type", "size", "value", "argument", "property", "constant"}),
    "type": frozenset({"name"}),
    "property": frozenset({"name", "type"}),
    "test": frozenset({"name", "value"}),
    "state": frozenset({"name", "inherit"}),
    "event": frozenset({"name", "next"}),
    "action": frozenset({"name", "message", "cast", "group"}),
    "before": frozenset(),
    "after": frozenset(),
    "method": frozenset({"name", "return", "immediate", "reply"}),
    "argument": frozenset({"name", "type"}),
    "accept": frozenset({"reply"}),
    "reply": frozenset({"name"}),
    "send": frozenset({"message", "method"}),
    "recv": frozenset({"message", "method", "virtual"}),
    "custom": frozenset({"filename", "language"}),
    "license": frozenset(),
}

# Our extensions of the language.
EXTENSIONS: dict[str, frozenset[str]] = {
    "class": frozenset({"dispatch", "text", "role"}),
    "message": frozenset({"since", "until", "extensible"}),
    "field": frozenset(
        {
            *("max", "text", "of", "count", "length", "signed", "enumeration", "flags", "reserved"),
            *("since", "until", "default"),
        }
    ),
    "rule": frozenset({"id", "level", "source", "role", "observable", "split_from"}),
    "rationale": frozenset(),
    "term": frozenset({"name", "role"}),
    "reference": frozenset({"id", "title"}),
    "section": frozenset({"title"}),
    "enumeration": frozenset({"name"}),
    "member": frozenset({"name", "value"}),
    "variable": frozenset({"name", "type", "size", "value"}),
    "state": frozenset({"abstract"}),
    "event": frozenset({"guard", "message"}),
    "action": frozenset({"raises", "then", "read_as"}),
    "set": frozenset({"field", "value"}),
    "fill": frozenset({"field"}),
    "timer": frozenset({"event", "milliseconds", "since"}),
    "relation": frozenset({"holds"}),
    "assign": frozenset({"variable", "value"}),
}

# The predecessor of zproto kept the host's code, and a script to test it, within the model.
HOST_CODE = frozenset({"selftest", "declare", "self", "client", "server", "context"})

# Elements that are ignored with a remark: they do not describe the protocol.
LEFT_OUT = HOST_CODE | {"custom"}

KNOWN: frozenset[str] = frozenset(_ZPROTO) | frozenset(EXTENSIONS)


def known_attributes(tag: str) -> frozenset[str]:
    """Every attribute that `tag` may have."""
    return _ZPROTO.get(tag, frozenset()) | EXTENSIONS.get(tag, frozenset())


def known_to_zproto(tag: str) -> bool:
    """Whether zproto itself has the element."""
    return tag in _ZPROTO
