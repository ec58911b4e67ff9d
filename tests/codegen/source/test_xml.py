"""XML: every element and attribute has its own line, independent of the text between them."""

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
        ("<class>\n<x a='b < c'/></class>", "ZC101", 2),
        ("<class>\n<x a=1/></class>", "ZC101", 2),
        ("<class>\n&undefined;\n</class>", "ZC101", 2),
    ],
)
def test_what_is_no_xml(text: str, code: str, line: int) -> None:
    root, report = parse(text)
    assert root is None
    assert [(item.code, item.line) for item in report.diagnostics] == [(code, line)]


def test_entities_are_not_read_and_reported_where_they_stand() -> None:
    declared = '<!DOCTYPE class [\n<!ENTITY x "<message/> &y;">\n<!ENTITY y "text">]>\n'
    root, report = parse(
        f"{declared}<class a='&amp;\n&y;'>\n&lt;&#65;\n<!-- &x; --><![CDATA[&x;]]>&x;</class>"
    )
    assert root is not None
    assert [(item.code, item.line, item.message) for item in report.diagnostics] == [
        ("ZC137", 5, "the entity y is not expanded"),
        ("ZC137", 7, "the entity x is not expanded"),
    ]
    _, report = parse("<!DOCTYPE class SYSTEM 'other.dtd'>\n<class>\n&x;</class>")
    assert [(item.code, item.line) for item in report.diagnostics] == [("ZC137", 3)]


@pytest.mark.parametrize(
    ("text", "corrected", "code", "line"),
    [
        ("<a>\nthis & that\n</a>", "<a>\nthis &amp; that\n</a>", "ZC102", 2),
        ("<a>\n\n<x b='c & d'/></a>", "<a>\n\n<x b='c &amp; d'/></a>", "ZC102", 3),
        ("<a>&amp; & &#38; &#x26;</a>", "<a>&amp; &amp; &#38; &#x26;</a>", "ZC102", 1),
        ("<a>\n<!--- text ---></a>", "<a>\n<!-- text --></a>", "ZC133", 2),
        ("<a><!-- one\n -- two --->\n</a>", "<a><!-- one\n two -->\n</a>", "ZC133", 2),
        ("<a b='1'\nc='2'd='3'/>", "<a b='1'\nc='2' d='3'/>", "ZC134", 2),
        ('<a b="/">\n<x c="d" / >\n</a>', '<a b="/">\n<x c="d" />\n</a>', "ZC135", 2),
        ("<a>\n<x/\n></a>", "<a>\n<x\n/></a>", "ZC135", 2),
    ],
)
def test_what_zprotos_parser_accepts_is_read_as_it_means(
    text: str, corrected: str, code: str, line: int
) -> None:
    root, report = parse(text)
    assert [(item.code, item.line) for item in report.diagnostics] == [(code, line)]
    assert all(item.hint for item in report.diagnostics)
    assert root == parse(corrected)[0] is not None


def test_lines_after_a_correction_are_those_of_the_file() -> None:
    text = "<a>\n<!--- one\n-- two --->\n<x b='&&'c='d'\n/ >\n<x\nb='1'/>\n&</a>"
    root, report = parse(text)
    assert root is not None
    assert [item.place.line for item in root.all("x")] == [4, 6]
    assert root.all("x")[1].place.line_of("b") == 7
    assert root.all("x")[0].attributes == (("b", "&&"), ("c", "d"))
    reported = [(item.code, item.line) for item in report.diagnostics]
    assert reported == [("ZC133", 3), ("ZC102", 4), ("ZC102", 4), ("ZC134", 4), ("ZC135", 5), ("ZC102", 8)]


def test_an_error_behind_a_correction_keeps_its_line() -> None:
    root, report = parse("<a>\n<!--- one --->\nthis & that\n</b>")
    assert root is None
    assert [(item.code, item.line) for item in report.diagnostics][-1] == ("ZC101", 4)


def test_other_encodings() -> None:
    text = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<class name="é">\n<message name="à"/></class>'
    root, _ = parse(text.encode("latin-1"))
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
