"""Conversion of names, and avoidance of reserved words."""

from __future__ import annotations

import pytest

from zeps_codegen import naming


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ATTACH-OK", ["attach", "ok"]),
        ("attach_ok", ["attach", "ok"]),
        ("attachOk", ["attach", "ok"]),
        ("attach ok", ["attach", "ok"]),
        ("HTTPServer", ["http", "server"]),
        ("utf8", ["utf8"]),
        ("utf8_text", ["utf8", "text"]),
        ("first_2", ["first", "2"]),
        ("2nd", ["2", "nd"]),
        ("größe", ["größe"]),
    ],
)
def test_words(name: str, words: list[str]) -> None:
    assert naming.words(name) == words


def test_cases() -> None:
    assert naming.snake("ATTACH-OK") == "attach_ok"
    assert naming.screaming("attach ok") == "ATTACH_OK"
    assert naming.kebab("attach_ok") == "attach-ok"
    assert naming.pascal("ATTACH-OK") == "AttachOk"
    assert naming.camel("ATTACH-OK") == "attachOk"


def test_reserved_and_taken_names_get_an_underscore() -> None:
    assert naming.usable("class", "python") == "class_"
    assert naming.usable("key", "python", {"key", "key_"}) == "key__"
    assert naming.usable("2nd", "python") == "_2nd"
    scope = naming.Scope("python", ["data"])
    assert [scope.name(name) for name in ("data", "at", "at")] == ["data_", "at", "at_"]
