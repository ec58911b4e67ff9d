"""XML: every element and attribute knows its own line, whatever stands between."""

from __future__ import annotations

import pytest

from zeps_codegen.report import Report
from zeps_codegen.source.xml import Element, parse_text

TRICKY = """<?xml version="1.0"?>
<!DOCTYPE class [
  <!ELEMENT class ANY>
]>
<!-- <message name="not
an element"> -->
<class
  name = "a>b"
  title='it is "quoted"'
>
<![CDATA[ <message> ]]>
<?pi <message> ?>
  <message name="A"><field name="x"/><field
     name="y"
  /></message>
text with an &amp; and &#65;
<message
  name="B"/></class>
"""


def parse(text: str | bytes) -> tuple[Element | None, Report]:
    report = Report()
    data = text if isinstance(text, bytes) else text.encode()
    return parse_text(data, "f.xml", report), report


def test_lines_of_elements_and_attributes() -> None:
    root, report = parse(TRICKY)
    assert report.diagnostics == []
    assert root is not None
    assert (root.place.line, root.place.line_of("title"), root.place.text_line) == (7, 9, 10)
    assert root.attributes == (("name", "a>b"), ("title", 'it is "quoted"'))
    first, second = root.all("message")
    assert first.place.line == 13
    assert [(item.place.line, item.place.line_of("name")) for item in first.children] == [(13, 13), (13, 14)]
    assert (second.place.line, second.place.line_of("name"), second.place.line_of("other")) == (17, 18, 17)
    assert "text with an & and A" in root.text
    assert " <message> " in root.text


def test_the_lines_of_a_comment_count_in_text() -> None:
    root, _ = parse("<grammar>\none\n<!-- two\nthree -->\nfour</grammar>")
    assert root is not None
    assert root.text.split("\n").index("four") == 4


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("<class>\n<message>\n</class>", "ZC101", 3),
        ("", "ZC101", 1),
        ("no XML at all", "ZC101", 1),
        ("<class>\nthis & that\n</class>", "ZC102", 2),
        ("<class>\n\n<x a='b && c'/></class>", "ZC102", 3),
        ("<class>\n&undefined;\n</class>", "ZC101", 2),
    ],
)
def test_what_is_no_xml(text: str, code: str, line: int) -> None:
    root, report = parse(text)
    assert root is None
    assert [(item.code, item.line) for item in report.diagnostics] == [(code, line)]


def test_other_encodings() -> None:
    root, _ = parse(
        '<?xml version="1.0" encoding="ISO-8859-1"?>\n<class name="é">\n<message name="à"/></class>'.encode(
            "latin-1"
        )
    )
    assert root is not None
    assert root.get("name") == "é"
    assert root.children[0].place.line == 3


def test_entities_that_hold_elements_and_files_do_no_harm() -> None:
    root, _ = parse(
        '<!DOCTYPE class [<!ENTITY more SYSTEM "file:///etc/hostname">\n'
        '<!ENTITY twice "<message/><message/>">]>\n'
        "<class>&more;<message/>&twice;</class>"
    )
    assert root is None or len(root.children) == 1
