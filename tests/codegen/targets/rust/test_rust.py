"""The crate `zeps-wire` passes rustfmt, clippy and rustdoc, and its vectors, documentation tests and API tests."""

from __future__ import annotations

import shutil
import tomllib
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest
from built_models import joined
from driver_processes import Process
from programs import BUNDLE, GOLDEN, HELPERS, ROOT, models, run, write

from zeps_codegen.ir import (
    Assign,
    Binary,
    Bundle,
    Constant,
    Dispatch,
    Enumeration,
    Event,
    EventKind,
    Field,
    FieldType,
    Host,
    Literal,
    Machine,
    Message,
    Name,
    Protocol,
    Role,
    Send,
    State,
    Transition,
    Type,
    Variable,
)
from zeps_codegen.load import load_bundle
from zeps_codegen.package import Package
from zeps_codegen.targets import rust
from zeps_codegen.targets.assembly import PLAIN
from zeps_codegen.targets.rust import docs
from zeps_codegen.targets.rust.names import byte_string, quoted

HERE = Path(__file__).parent
PACKAGE = ROOT / "generated" / "rust"
#: Cargo's output is kept between runs; the path contains that of the tree.
BUILT = ROOT / "build" / "cargo"

#: Combined, because Cargo locks the folder that it builds in.
pytestmark = pytest.mark.xdist_group("rust")


def cargo(*arguments: str, cwd: Path, **variables: str) -> str:
    """Runs Cargo offline, and returns its output. Crates of other models, all of one name, have separate folders."""
    built = BUILT if cwd.is_relative_to(ROOT) else cwd / "target"
    return run(["cargo", *arguments], cwd, CARGO_TARGET_DIR=str(built), CARGO_NET_OFFLINE="true", **variables)


def made(bundle: Bundle, folder: Path, package: Package = PLAIN) -> Path:
    """The crate made of `bundle`."""
    return write(rust.render(bundle, package=package), folder) / rust.FOLDER


def check(package: Path, *more: str, parts: str = "--all-targets") -> None:
    """Checks the format, and all warnings of clippy."""
    cargo("fmt", "--check", cwd=package)
    cargo("clippy", "--locked", "--quiet", parts, *more, "--", "-D", "warnings", cwd=package)


def test_the_package_is_clean() -> None:
    check(PACKAGE)
    check(PACKAGE, "--no-default-features", parts="--lib")
    check(PACKAGE / "driver")
    cargo("doc", "--locked", "--quiet", "--no-deps", "--lib", cwd=PACKAGE, RUSTDOCFLAGS="-D warnings")


def test_its_vectors_and_its_documentation_hold() -> None:
    said = cargo("test", "--locked", cwd=PACKAGE)
    assert "answers_are_those_of_the_vectors ... ok" in said
    assert "src/zeps.rs" in said  # what its documentation shows was run
    assert "Readme" in said


def test_it_can_be_published_without_the_driver() -> None:
    listed = cargo("package", "--locked", "--allow-dirty", "--list", cwd=PACKAGE).splitlines()
    assert {"Cargo.toml", "README.md", "src/lib.rs", "tests/vectors.rs", "tests/requests.tsv"} <= set(listed)
    assert not [name for name in listed if name.startswith("driver")]


@pytest.mark.slow
def test_what_is_published_builds() -> None:
    cargo("package", "--locked", "--allow-dirty", "--quiet", cwd=PACKAGE)


@pytest.mark.slow
def test_a_package_of_another_name(tmp_path: Path) -> None:
    own = Package("acme-rain", "1.2.3", 'The "rain"', "https://example.com", "MIT", "Free.", ("A <a@b>",))
    package = made(load_bundle(models(GOLDEN / "weather")), tmp_path, own)
    manifest = tomllib.loads((package / "Cargo.toml").read_text())["package"]
    assert (manifest["name"], manifest["version"], manifest["authors"]) == ("acme-rain", "1.2.3", ["A <a@b>"])
    assert (manifest["description"], manifest["repository"]) == ('The "rain"', "https://example.com")
    assert (package / "LICENSE").read_text() == "Free."
    check(package)
    check(package / "driver")
    assert (
        tomllib.loads((package / "driver" / "Cargo.toml").read_text())["package"]["name"]
        == "acme-rain-driver"
    )
    cargo("test", "--locked", "--quiet", cwd=package)


def test_its_api_is_what_one_would_write() -> None:
    check(HERE / "api", "--all-features")
    cargo("test", "--locked", "--quiet", cwd=HERE / "api")
    cargo("test", "--locked", "--quiet", "--all-features", cwd=HERE / "api")


def test_it_needs_nothing_and_is_safe() -> None:
    manifest = tomllib.loads((PACKAGE / "Cargo.toml").read_text())
    assert "dependencies" not in manifest
    lock = tomllib.loads((PACKAGE / "Cargo.lock").read_text())
    assert [package["name"] for package in lock["package"]] == ["zeps-wire"]
    source = (PACKAGE / "src" / "lib.rs").read_text()
    assert "#![no_std]" in source
    assert "#![forbid(unsafe_code)]" in source


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every type and dispatch, open-ended fields, separate frames, and what hosts do, as one crate without warnings."""
    golden = load_bundle([GOLDEN / "features" / "features.xml"])
    kinds = Bundle((replace(golden.protocols[0], name="kinds"),))  # another model has its name
    greeting = [HELPERS / "known" / f"{name}.xml" for name in ("greeting", "greeting_server")]
    folders = (GOLDEN / "weather", GOLDEN / "tails", GOLDEN / "frames", HELPERS / "features")
    bundle = joined(kinds, load_bundle([*models(*folders), *greeting]))
    package = made(bundle, tmp_path_factory.mktemp("others"))
    for path in (HERE / "native").glob("*.rs"):
        shutil.copy(path, package / "tests")
    check(package)
    return package


@pytest.mark.slow
def test_other_models(others: Path) -> None:
    cargo("test", "--locked", "--quiet", cwd=others)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["features", "frames"])
def test_what_hosts_do_beside_actions_and_messages_of_several_frames(name: str, others: Path) -> None:
    cargo("test", "--locked", "--quiet", "--test", name, cwd=others)


def test_unformatted_is_the_same_but_for_form() -> None:
    formatted, plain = rust.render(BUNDLE), rust.render(BUNDLE, formatted=False)
    assert sorted(formatted) == sorted(plain)

    def tokens(content: bytes) -> str:
        return "".join(sorted(content.decode().replace(",", "").split()))

    for path in (PurePosixPath("Cargo.toml"), PurePosixPath("README.md")):
        assert formatted[rust.FOLDER / path] == plain[rust.FOLDER / path]
    path = rust.FOLDER / "src" / "zeps_server.rs"
    assert len(tokens(formatted[path])) == pytest.approx(len(tokens(plain[path])), rel=0.05)


# --- features that the shipped models do not have


def odd_bundle() -> Bundle:
    """Names that Rust reserves, numbers that may not fit where they are sent, a machine without actions."""
    colour = Enumeration("colour", (Constant("red", 1), Constant("option", 2), Constant("rouge", 1)))
    mood = Enumeration("mood", (Constant("good", "GOOD"), Constant("self", "SELF")))
    small = (
        Field("type", FieldType.NUMBER, 1),
        Field("self", FieldType.NUMBER, 2, enumeration="colour"),
        Field("string", FieldType.STRING, 1, enumeration="mood"),
        Field("id", FieldType.OCTETS, 4),
    )
    texts = (Field("items", FieldType.LIST, 2, items=Field("item", FieldType.STRING, 1, enumeration="mood")),)
    messages = (Message("OPTION", 1, small), Message("TEXT", 2, texts), Message("SELF", 3, ()))
    protocol = Protocol(
        "error", "Odd", Dispatch.OCTET, 0, 1, messages, enumerations=(colour, mood), doc="A [b] <c> *d*."
    )
    sent = Send(
        "OPTION",
        (
            (
                "type",
                Binary("+", Name("state", "variable", Type.NUMBER), Literal(1, Type.NUMBER), Type.NUMBER),
            ),
            ("self", Name("state", "variable", Type.NUMBER)),
            ("string", Name("match", "variable", Type.STRING)),
            ("id", Name("bytes", "variable", Type.OCTETS)),
        ),
    )
    events = (
        Event("OPTION", EventKind.MESSAGE, "OPTION"),
        Event("SELF", EventKind.MESSAGE, "SELF"),
        Event(
            "new", EventKind.METHOD, parameters=(Field("in", FieldType.STRING), Field("id", FieldType.UUID))
        ),
        Event("receive", EventKind.HOST),
    )
    rows = (
        Transition("in", "new", None, (Assign("match", Name("in", "message", Type.STRING)), sent), None, 2),
        Transition("in", "receive", None, (Host("send"), Host("loop", ("receive",))), "self", 2),
        Transition("self", "receive", Literal(False, Type.BOOLEAN), (), "in", 0),
    )
    variables = (
        Variable("state", Type.NUMBER, 4, 254),
        Variable("match", Type.STRING, value="GOOD"),
        Variable("bytes", Type.OCTETS, value="abcd"),
    )
    states = (State("in"), State("self"))
    first = Machine("main", "Odd", Role.SERVER, "error", states, events, rows, variables)
    idle = Machine("idle", "Idle", Role.CLIENT, "error", (State("only"),), events[:2], ())
    return Bundle((protocol,), (first, idle))


def request(*parts: bytes | str) -> bytes:
    """A request; text is a name."""
    return b"".join(p if isinstance(p, bytes) else bytes([len(p)]) + p.encode() for p in parts)


def blob(content: bytes) -> bytes:
    return len(content).to_bytes(4, "big") + content


@pytest.mark.slow
def test_odd_names_and_numbers_that_do_not_fit(tmp_path: Path) -> None:
    bundle = odd_bundle()
    package = made(bundle, tmp_path)
    check(package)
    cargo("build", "--locked", "--quiet", "--target-dir", str(tmp_path / "out"), cwd=package / "driver")
    text, number = b"s" + blob(b"SELF"), (254).to_bytes(8, "big")
    call = request(b"c", "new", b"\0\0\0\2", text, b"b", blob(bytes(16)))
    steps = [
        call,
        request(b"m", blob(b"\3")),
        request(b"v", "state", b"u", bytes(7), b"\1"),
        call,
        request(b"c", "receive", bytes(4)),
    ]
    machine = request(b"M", "main", len(steps).to_bytes(4, "big"), *steps)
    answers = Process([tmp_path / "out" / "debug" / "zeps-wire-driver"]).answers([machine])
    frame = b"\1\2\0\1\4SELFabcd"
    values = b"s" + blob(b"SELF") + b"b" + blob(b"abcd")
    head = request("in", b"\0\0\0\0\3u")
    expected = request(
        *(b"+e", head, number, values, b"\0\0\0\1", "send", blob(b"")),  # 254 + 1 fits, 254 is not a colour
        *(b"u", head, number, values, b"\0\0\0\0"),
        *(b"v", head, bytes(7), b"\1", values, b"\0\0\0\0"),
        *(b"t", head, bytes(7), b"\1", values, b"\0\0\0\1", "send", blob(frame)),
        *(b"t", "self", b"\0\0\0\0\3u", bytes(7), b"\1", values, b"\0\0\0\2"),
        *("send", blob(b""), "loop", blob(b"")),
    )
    assert answers == [expected]


# --- comments and literals


def test_a_comment_is_plain_text_to_rustdoc() -> None:
    assert docs.lines("Use <b> and [link], *not* `<this>`.") == [r"Use \<b\> and \[link\], \*not\* `<this>`."]
    assert docs.lines("one back quote ` here") == ["one back quote ' here"]
    words = "word " * 18
    assert docs.lines(f"{words}123. item") == [words.strip(), r"123\. item"]
    assert docs.lines(f"{words}12 - item") == [f"{words}12".strip(), r"\- item"]
    assert docs.lines("", default="x") == ["x"]
    assert docs.sentence("It says so") == "It says so."


def test_literals_are_what_rust_reads() -> None:
    assert quoted('a "b" \\ \n é\x85') == '"a \\"b\\" \\\\ \\u{a} é\\u{85}"'
    assert byte_string(b'\x00"\\~\x7f\xff') == 'b"\\x00\\"\\\\~\\x7f\\xff"'
