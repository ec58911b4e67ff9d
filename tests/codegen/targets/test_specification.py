"""Specifications: they have all of their models and say what the code does."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from inspect import signature
from pathlib import PurePosixPath

import pytest
from programs import BUNDLE
from specifications import PACKAGE, PAGES, ROOT, ZEPS, ZMTP, codes, rows, section

from zeps_broker.core.matching import STYLES
from zeps_broker.service.config import GROUPS
from zeps_broker.setting import settings_of
from zeps_client.multicast.packets import join, split
from zeps_client.multicast.reconcile import Bounds
from zeps_client.multicast.sender import Multicaster
from zeps_client.reasons import GAPS, REFUSES_SUBSCRIBE, TEMPORARY
from zeps_client.settings import LARGEST_FRAME
from zeps_client.settings import Settings as ClientSettings
from zeps_codegen.ir import Protocol
from zeps_codegen.load import load_bundle
from zeps_codegen.package import Package
from zeps_codegen.targets import docs
from zeps_codegen.targets.errors import FrameError
from zeps_multicast import PART_MAX
from zeps_wire import zeps
from zeps_wire.zeps import EndingCode, OpenCode

#: What the specifications of ZeroMQ have, and what this one needs besides.
SECTIONS = {
    "zeps-rfc.md": """
Licence; Change process; Language; Goals; Non-goals; Terminology; Overall behaviour; Transport;
Sockets and connections; Multicast packets; Formal grammar; Opening and version negotiation; Publishing;
Reliable publishing; Subscribing; The position of a session; Resuming; Retention, damage and gaps;
Matching styles; Delivering; Credit; Heartbeats; Timers; Closing; Refusals and errors; Limits; State machines;
Multicast profile; Security considerations; Registries; Command ids; Versions; Codes of INVALID; Styles;
Worked examples; A late joiner; A credit of 100 octets; Falling into low gear; A crossing of DETACH;
A lost session; A refused pattern; Deviations from the published design; Known weaknesses; Conformance;
Normative references; Informative references""",
    "zmtp-rfc.md": """
Licence; Change process; Language; Goals; Non-goals; Terminology; Transport; Greeting and version negotiation;
Framing; Handshake; Subscriptions; Filters by kind; Publishers; Subscribers; Forwarders; Heartbeats;
Older versions; Timers and limits; State machines; Security considerations; Registries; Worked examples;
Deviations; Known weaknesses; Conformance; Normative references; Informative references""",
}
PROTOCOLS = {"zeps-rfc.md": "zeps", "zmtp-rfc.md": "zmtp"}


# What a specification has


@pytest.mark.parametrize("name", SECTIONS)
def test_sections(name: str) -> None:
    page = PAGES[name]
    for title in re.split(r";\s+", SECTIONS[name].strip()):
        assert section(page, title).strip() or f" {title}\n" in page
    for line in ("Name", "Number", "Edition", "Status", "Editor", "Licence"):
        assert f"\n| {line} | " in page
    assert "BCP 14" in page
    assert "RFC 8174" in page


@pytest.mark.parametrize("name", SECTIONS)
def test_a_specification_has_each_rule_once(name: str) -> None:
    page = PAGES[name]
    protocols = [protocol for protocol in BUNDLE.protocols if protocol.name.startswith(PROTOCOLS[name])]
    machines = [
        machine
        for machine in BUNDLE.machines
        if machine.protocol in {protocol.name for protocol in protocols}
    ]
    for owner in (*protocols, *machines):
        for rule in owner.all_rules() if isinstance(owner, Protocol) else owner.rules:
            lines = [
                line for line in page.splitlines() if f'<a id="{rule.id.lower()}"></a>**{rule.id}** ' in line
            ]
            assert len(lines) == 1
            assert " ".join(rule.text.split()) in lines[0]
    for machine in machines:
        for state in machine.states:
            assert f" {state.name}\n" in page


@pytest.mark.parametrize("name", SECTIONS)
def test_links_lead_somewhere(name: str) -> None:
    page = PAGES[name]
    headings = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    anchors |= set(re.findall(r'<a id="([^"]+)">', page))
    for link in re.findall(r"\]\(#([^)]+)\)", page):
        assert link in anchors
    for label in re.findall(r"\]\[([^]]+)\]", page):
        assert f"\n[{label}]: https://" in page


def test_links_from_the_documentation() -> None:
    link_count = 0
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for name, anchor in re.findall(
            r"\]\([^)]*generated/docs/([^)#]+)#?([^)]*)\)", path.read_text(encoding="utf-8")
        ):
            if name not in PAGES:  # written by another command
                assert (ROOT / "generated/docs" / name).is_file()
                continue
            anchors = Page(PAGES[name.replace(".md", ".html")]).ids if anchor else [""]
            assert anchor in anchors, f"{path.name}: {name}#{anchor}"
            link_count += 1
    assert link_count > 8


class Page(HTMLParser):
    """The elements of a page of HTML; fails if one is not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.images: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {key: value or "" for key, value in attrs}
        self.ids += [values["id"]] if "id" in values else []
        self.links += [values["href"]] if "href" in values else []
        self.images += [values["src"]] if "src" in values else []
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", SECTIONS)
def test_the_page_of_html_stands_alone(name: str) -> None:
    page = Page(PAGES[name.replace(".md", ".html")])
    assert len(set(page.ids)) == len(page.ids)
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)
    assert all(image.startswith("data:image/svg+xml;base64,") for image in page.images)
    assert len(page.images) == 2
    beside = [link for link in page.links if not link.startswith(("#", "https://"))]
    assert all(link in PAGES for link in beside), beside


def test_no_page_repeats_a_specification() -> None:
    assert {"zeps.md", "zeps_server.md", "zmtp.md", "zmtp_2.md"}.isdisjoint(PAGES)
    assert {"journal.md", "zeps_server.svg"} <= set(PAGES)


@pytest.mark.parametrize("name", ["zeps", "zmtp"])
def test_normative_text_says_octets(name: str) -> None:
    source = (ROOT / f"protocol/frames/{name}.md.j2").read_text(encoding="utf-8")
    before = source.partition("\n## Deviations")[0]
    assert not re.search(r"\bbytes?\b(?! order)", before, re.IGNORECASE)


@pytest.mark.parametrize("name", ["zeps", "zmtp"])
def test_only_rules_oblige(name: str) -> None:
    """A key word in the prose around the rules would oblige without an id."""
    source = (ROOT / f"protocol/frames/{name}.md.j2").read_text(encoding="utf-8")
    prose = source.partition("\nNormative are")[2].partition("\n## Conformance")[0]
    assert not re.findall(r"\b(?:MUST|SHALL|SHOULD|MAY|REQUIRED|RECOMMENDED|OPTIONAL)\b", prose)


# What a frame must not do

TITLE = "# T\n\n[[contents]]\n\n"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("{{ rules('ZEPS-CREDIT') }}", "no rule has the id ZEPS-CREDIT-1, or ZEPS-CREDIT and another number"),
        (
            "{{ rule('JOURNAL-BLOCK-1') }}",
            "no section has the rules JOURNAL-BLOCK-1, which the text refers to",
        ),
        ("{{ message('journal.PAGE') }}", "the models have no message 'journal.PAGE'"),
        ("{{ message('journal.BLOCK.count') }}", "the models have no message 'journal.BLOCK.count'"),
        ("{{ codes('journal.BLOCK') }}", "the models have no enumeration 'journal.BLOCK'"),
        ("{{ message('diary.PAGE') }}", "unknown protocol 'diary'"),
        ("{{ machine('journal') }}", "unknown machine 'journal'"),
        ("[[Pages]]", "unknown section 'Pages'"),
        ("## A\n\n## A", "two sections are called 'A'"),
        ("{{ grammar('journal') }}", "no section has journal.SEGMENT, journal.BLOCK, "),
        ("{{ page }}", "'page' is undefined"),
        ("{% if %}", "Expected an expression"),
    ],
)
def test_a_frame_that_is_wrong(text: str, error: str) -> None:
    bundle = load_bundle([ROOT / "protocol/journal.xml"])
    package = Package(frames={PurePosixPath("frames/journal.md.j2"): f"{TITLE}{text}\n"})
    with pytest.raises(FrameError) as raised:
        docs.render(bundle, package)
    message = str(raised.value)
    assert error in message
    assert re.match(r"frames/journal\.md\.j2:[05]: ", message), message


def test_a_frame_that_leaves_out_a_rule() -> None:
    frames = {path: text.replace('"ZEPS-CREDIT"', '"ZEPS-DETACH"') for path, text in PACKAGE.frames.items()}
    with pytest.raises(FrameError, match=r"zeps\.md\.j2:0: no section has ZEPS-CREDIT-1"):
        docs.render(BUNDLE, Package(frames=frames))


def test_a_frame_that_has_a_rule_twice() -> None:
    path = next(path for path in PACKAGE.frames if path.name == "zeps.md.j2")
    text = PACKAGE.frames[path] + '{{ rules("ZEPS-CREDIT") }}\n'
    with pytest.raises(FrameError, match=r"ZEPS-CREDIT-1, .*shown twice"):
        docs.render(BUNDLE, Package(frames={path: text}))


# Tables against the code


def defaults() -> dict[str, object]:
    """The defaults of the broker's settings, by section and key."""
    return {
        f"{known.section}.{setting.name}": setting.default
        for group in GROUPS.values()
        for setting, known in settings_of(group)
    }


def number(cell: str) -> float | None:
    match = re.fullmatch(r"([\d,.]+)(?: .*)?", cell)
    return float(match[1].replace(",", "")) if match is not None else None


def test_defaults_of_the_broker() -> None:
    known = defaults()
    seen = 0
    for page in (ZEPS, ZMTP):
        for row in rows(page):
            for key in re.findall(r"`([a-z]+\.[a-z_]+)`", " ".join(row)):
                if key in known:
                    values = [value for cell in row if (value := number(cell)) is not None]
                    assert values == [known[key]], row
                    seen += 1
    assert seen >= 14


def test_timers_of_the_client() -> None:
    settings = ClientSettings()
    documented = {row[0]: number(row[2]) for row in rows(section(ZEPS, "Timers")) if row[1] == "client"}
    assert documented == {
        "answer to ATTACH": settings.attach_timeout,
        "pause before the second attempt": settings.backoff_min,
        "longest pause": settings.backoff_max,
        "heartbeat": settings.heartbeat,
        "confirmation": settings.confirm_interval,
    }
    assert "gives up after 3 PINGs" in section(ZEPS, "Timers")


def test_limits_of_the_wire() -> None:
    text = section(ZEPS, "Limits")
    assert f"| the largest DELIVER | {LARGEST_FRAME:,} octets |" in text
    assert f"| the smallest DELIVER | {zeps.Deliver(1, '', b'').size()} octets |" in text
    assert "| 255 octets | cannot be encoded |" in text


def test_values_of_the_multicast_profile() -> None:
    sender = signature(Multicaster).parameters
    bounds = Bounds()
    documented = {row[0]: number(row[1]) for row in rows(section(ZEPS, "Packets for receivers"))}
    assert documented == {"part": PART_MAX, "checksum": 4}
    documented = {row[0]: number(row[1]) for row in rows(section(ZEPS, "Sending"))}
    assert documented == {"lag": sender["lag_seconds_max"].default, "repetition": sender["repeat"].default}
    documented = {row[0]: number(row[1]) for row in rows(section(ZEPS, "Receiving"))}
    assert documented == {"patience": bounds.patience, "silence": bounds.silence}


def test_packets_are_those_of_the_multicast_profile() -> None:
    """As the text has it: CRC-32 with the polynomial 04C11DB7, reflected, bit by bit."""
    short = zeps.Deliver(1, "k", bytes(PART_MAX - 17)).encode()
    assert split(short) == [short]
    frame = zeps.Deliver(1, "k", bytes(range(256)) * 20).encode()
    crc = 0xFFFFFFFF
    for octet in frame:
        crc ^= octet
        for _ in range(8):
            crc = crc >> 1 ^ (0xEDB88320 if crc & 1 else 0)
    cut = [frame[at : at + PART_MAX] for at in range(0, len(frame), PART_MAX)]
    assert split(frame) == [*cut, (crc ^ 0xFFFFFFFF).to_bytes(4, "big")]
    assert join(split(frame)) == zeps.decode(frame)


def test_registries() -> None:
    ids = {int(row[0]): row[2] for row in rows(section(ZEPS, "Overview"))}
    assert ids == {number: message.NAME for number, message in zeps.MESSAGES.items()}
    assert {row[0] for row in rows(section(ZEPS, "Styles"))} == {f"`{style}`" for style in STYLES}
    assert [row[0] for row in rows(section(ZEPS, "Versions"))] == ["1"]
    assert "Ids from 13 on are reserved" in section(ZEPS, "Command ids")


def test_codes() -> None:
    ending = section(ZEPS, "Codes that end the session")
    staying = section(ZEPS, "Codes that leave the session open")
    assert {row[0] for row in rows(ending)} == {f"`{code}`" for code in EndingCode}
    assert {row[0] for row in rows(staying)} == {f"`{code}`" for code in OpenCode}
    refuses, notices, with_sequences = re.search(
        r"\n(`.+?) answer a SUBSCRIBE\. (.+?) answer nothing, .*?After the code, (.+?) have the two sequences",
        staying,
        re.DOTALL,
    ).groups()  # type: ignore[union-attr]
    assert codes(refuses) == REFUSES_SUBSCRIBE
    assert codes(notices) == GAPS
    assert codes(with_sequences) == GAPS | {OpenCode.NOT_RETAINED, OpenCode.BEYOND_END}
    reactions = rows(section(ZEPS, "What a client does with each code"))
    named = [code for row in reactions for code in codes(row[0])]
    assert sorted(named) == sorted((*EndingCode, *OpenCode))
    assert next(codes(row[0]) for row in reactions if row[1] == "try again after a pause") == TEMPORARY
