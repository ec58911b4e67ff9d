"""protocol/zproto.rng is the clean language: it accepts our models and clean zproto, and agrees with vocabulary.py."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

from zeps_codegen.source.vocabulary import EXTENSIONS, KNOWN, known_attributes

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SCHEMA = ROOT / "protocol" / "zproto.rng"
RNG = "{http://relaxng.org/ns/structure/1.0}"
BAD = HERE.parent / "passes" / "bad"

# The reader knows them from models that are older than zproto, or from a language backend of one model
OLD_ELEMENTS = {"property", "argument"}
OLD_ATTRIBUTES = {
    "class": {"proto", "codec", "header", "source", "private"},
    "message": {"role"},
    "field": {"argument", "property", "constant"},
    "action": {"cast", "group"},
    "method": {"reply"},
}
# Models that are not clean zproto: the schema's first error, and its line
DIALECTS = {
    "early_msg": (13, "Element field failed to validate attributes"),  # the types octet and dictionary
    "license": (1, "Expecting element class, got license"),  # a fragment to be included
    "shared_messages": (1, "Expecting element class, got message"),  # another
}


@pytest.fixture(scope="module")
def schema() -> etree.RelaxNG:
    return etree.RelaxNG(etree.parse(str(SCHEMA)))


def objections(schema: etree.RelaxNG, text: bytes) -> list[tuple[int, str]]:
    """Line and message of each error that has a line, the innermost first; libxml2 has some wrong lines."""
    if schema.validate(etree.fromstring(text)):
        return []
    return [(entry.line, entry.message) for entry in schema.error_log if entry.line]


@pytest.mark.parametrize("path", sorted((ROOT / "protocol").glob("*.xml")), ids=lambda path: path.stem)
def test_our_models_are_in_the_language(schema: etree.RelaxNG, path: Path) -> None:
    assert objections(schema, path.read_bytes()) == []


@pytest.mark.parametrize("path", sorted((HERE / "models").glob("*.xml")), ids=lambda path: path.stem)
def test_clean_models_are_in_the_language_and_others_for_a_reason(schema: etree.RelaxNG, path: Path) -> None:
    errors = objections(schema, path.read_bytes())
    assert errors[:1] == ([DIALECTS[path.stem]] if path.stem in DIALECTS else [])


@pytest.mark.parametrize(
    ("line", "body"),
    [
        (2, '<message/>'),
        (2, '<message name=""/>'),
        (2, '<message name="A" id="one"/>'),
        (2, '<message name="A" colour="red"/>'),
        (2, "<massage/>"),
        (3, '<message name="A">\n<field name="x"/></message>'),
        (3, '<message name="A">\n<field name="x" type="octet"/></message>'),
        (3, '<message name="A">\n<field name="x" type="number" size="3"/></message>'),
        (3, '<message name="A">\n<field name="x" type="uuid" signed="1"/></message>'),
        (3, '<message name="A">\n<field name="x" type="number" flags="1"/></message>'),
        (3, '<message name="A">\n<field name="x" type="list"/></message>'),
        (3, '<message name="A">\n<field name="x" type="octets"/></message>'),
        (3, '<message name="A">\n<field name="x" type="octets" size="3" length="y"/></message>'),
        (3, '<message name="A">\n<field name="x" type="integer"/></message>'),
        (2, '<rule id="R" level="must" source="here">Lower case.</rule>'),
        (2, '<rule id="R" level="MUST">Without a source.</rule>'),
        (2, '<enumeration name="none"/>'),
        (3, '<state name="s">\n<event next="s"/></state>'),
        (4, '<state name="s">\n<event name="e">\n<action name="send"/></event></state>'),
        (4, '<state name="s">\n<event name="e">\n<assign variable="v"/></event></state>'),
        (3, '<state name="s">\n<action name="lost"/></state>'),
        (3, '<state name="s">\n<event name="e"><before/></event></state>'),
    ],
)  # fmt: skip
def test_what_is_wrong_is_not_in_the_language(schema: etree.RelaxNG, line: int, body: str) -> None:
    errors = objections(schema, f'<class name="bad">\n{body}\n</class>'.encode())
    assert errors
    assert errors[0][0] == line, errors


@pytest.mark.parametrize(
    "name", ["attribute-unknown", "element-unknown", "dispatch", "early-numbers", "root-wrong"]
)
def test_what_the_reader_tolerates_or_check_refuses_the_schema_does_not_have(
    schema: etree.RelaxNG, name: str
) -> None:
    assert objections(schema, (BAD / f"{name}.xml").read_bytes())


# The schema and the vocabulary


def elements_of_schema() -> dict[str, set[str]]:
    """The attributes of each element in all places; a name may be defined for several places."""
    root = etree.parse(str(SCHEMA)).getroot()
    defines = {item.get("name"): item for item in root.iter(f"{RNG}define")}

    def attributes(node: etree._Element) -> Iterator[str]:
        for child in node:
            if child.tag == f"{RNG}attribute":
                yield str(child.get("name"))
            elif child.tag == f"{RNG}ref":
                yield from attributes(defines[child.get("name")])
            elif child.tag != f"{RNG}element":
                yield from attributes(child)

    attributes_by_element: dict[str, set[str]] = {}
    for element in root.iter(f"{RNG}element"):
        attributes_by_element.setdefault(str(element.get("name")), set()).update(attributes(element))
    return attributes_by_element


def test_the_schema_has_the_elements_of_the_vocabulary() -> None:
    assert set(elements_of_schema()) == KNOWN - OLD_ELEMENTS


@pytest.mark.parametrize("element", sorted(KNOWN - OLD_ELEMENTS))
def test_the_schema_has_the_attributes_of_the_vocabulary(element: str) -> None:
    assert elements_of_schema()[element] == known_attributes(element) - OLD_ATTRIBUTES.get(element, set())


def test_what_is_left_out_for_its_age_is_in_the_vocabulary_and_none_of_ours() -> None:
    assert not OLD_ELEMENTS - KNOWN
    assert not OLD_ELEMENTS & set(EXTENSIONS)
    for element, attributes in OLD_ATTRIBUTES.items():
        assert attributes <= known_attributes(element) - EXTENSIONS.get(element, frozenset())
