"""The corpus: a model for each construct of the language is checked, generated, built and round-tripped everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from built_models import CORPUS, DRIVERS, Model, grouped
from lxml import etree

from zeps_codegen.generate import TARGETS
from zeps_codegen.ir import Bundle, Dispatch, Field, FieldType, Text
from zeps_codegen.load import Loaded, load_all
from zeps_codegen.source.vocabulary import EXTENSIONS, KNOWN, known_attributes
from zeps_codegen.targets.errors import UnsupportedByTarget
from zeps_conformance.codec.campaign import DriverCommand

MODELS = sorted(CORPUS.glob("*.xml"))
EXPECTATION = re.compile(r"(ZC\d+) line (\d+)")
#: Features of models that are older than zproto, or for one backend; test_dialects.py reads them.
OLD = {"property", "argument", "license", "test"}
OLD_ATTRIBUTES = {
    "class": {"proto", "codec", "header", "source", "version", "script"},
    "message": {"role"},
    "field": {"argument", "property", "constant"},
    "action": {"cast", "group"},
    "method": {"reply"},
    "event": {"message"},
}


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    return load_all(MODELS)


@pytest.fixture(scope="module")
def bundle(loaded: Loaded) -> Bundle:
    assert loaded.bundle is not None, loaded.diagnostics
    return loaded.bundle


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_each_model_has_the_findings_that_it_expects(path: Path, loaded: Loaded) -> None:
    comment = next((line for line in path.read_text().splitlines() if "expect:" in line), "")
    expected = sorted((int(line), code) for code, line in EXPECTATION.findall(comment))
    reported = sorted((item.line, item.code) for item in loaded.diagnostics if item.file == path.as_posix())
    assert reported == expected


def test_every_element_and_attribute_stands_in_a_model() -> None:
    seen: dict[str, set[str]] = {}
    for path in (*MODELS, *(CORPUS / "parts").glob("*.xml")):
        text = re.sub(r"<\?xml.*?\?>", "", path.read_text(encoding="utf-8"))
        for element in etree.fromstring(f"<parts>{text}</parts>").iter(etree.Element):
            seen.setdefault(str(element.tag), set()).update(map(str, element.attrib))
    assert KNOWN - OLD - set(seen) == set()
    for element in KNOWN - OLD:
        missing = known_attributes(element) - OLD_ATTRIBUTES.get(element, set()) - seen[element]
        assert not missing, element
    assert set(EXTENSIONS) <= set(seen)


def test_every_kind_of_field_text_and_dispatch_stands_in_a_model(bundle: Bundle) -> None:
    def fields() -> Iterator[Field]:
        for protocol in bundle.protocols:
            for message in protocol.messages:
                for field in message.fields:
                    yield field
                    if field.items is not None:
                        yield field.items

    assert {field.type for field in fields()} == set(FieldType)
    assert {field.text for field in fields()} == set(Text)
    assert {protocol.dispatch for protocol in bundle.protocols} == set(Dispatch)


@pytest.mark.parametrize("target", [target.name for target in TARGETS if not target.shows_others])
def test_every_target_serves_the_corpus(target: str, bundle: Bundle) -> None:
    """A language supports all of it; a description language may report unsupported features."""
    (chosen,) = [candidate for candidate in TARGETS if candidate.name == target]
    try:
        assert chosen.files(bundle, formatted=False)
    except UnsupportedByTarget:
        if target in DRIVERS:
            raise


@pytest.mark.parametrize("language", grouped(sorted(DRIVERS)))
def test_every_language_round_trips_the_corpus(
    language: str, bundle: Bundle, helpers: Model, driver: DriverCommand
) -> None:
    """A campaign of random requests; test_random_models.py checks the vectors."""
    helpers.judge_campaign(driver, 1, [protocol.name for protocol in bundle.protocols])
