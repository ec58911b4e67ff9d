"""The generated package: strict builds, its linters, its own tests, and a browser."""

from __future__ import annotations

import html
import json
import re
import shutil
import threading
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from built_models import joined
from programs import GOLDEN, HELPERS, ROOT, examples, execute, models, run, sent
from programs import write as write_files

from zeps_codegen.ir import Bundle, Send
from zeps_codegen.load import load_bundle
from zeps_codegen.package import Package
from zeps_codegen.targets import typescript
from zeps_codegen.targets.assembly import PLAIN

NATIVE = Path(__file__).parent / "native"
STRICT = (
    "strict",
    "noUncheckedIndexedAccess",
    "exactOptionalPropertyTypes",
    "noImplicitReturns",
    "noUnusedLocals",
)

#: Without a look at the declarations of Node and of browsers, which the library's own build and the README's program
#: take.
HASTY = ("--skipLibCheck",)


def write(bundle: Bundle, folder: Path, package: Package = PLAIN) -> Path:
    """The bundle's package, not formatted, in `folder`."""
    files = typescript.render(bundle, formatted=False, package=package)
    return write_files({path.relative_to(typescript.FOLDER): files[path] for path in files}, folder)


def test_the_library_builds_strictly_and_knows_nothing_of_node(package: Path, library: Path) -> None:
    options = json.loads((package / "tsconfig.json").read_text())["compilerOptions"]
    assert all(options[name] is True for name in STRICT)
    assert options["types"] == []
    exported = json.loads((package / "package.json").read_text())["exports"]
    for entry in exported.values():
        for path in [] if isinstance(entry, str) else entry.values():
            place = library / path.removeprefix("./dist/")
            assert place.is_file(), path
            assert place.with_name(f"{place.name}.map").is_file(), path
    for path in (package / "src").rglob("*.ts"):
        assert not re.search(r"\bnode:|\bBuffer\b|\bprocess\b|\brequire\(", path.read_text()), path


def test_its_own_tests_pass(tools: Any, package: Path, tmp_path: Path) -> None:
    shutil.copy(NATIVE / "zeps.test.ts", package / "test")
    shutil.copy(package / "package.json", tmp_path)
    tools.tsc("-p", "test", *HASTY, "--outDir", tmp_path, cwd=package)
    vectors = str(ROOT / "generated" / "vectors" / "requests.tsv")
    tests = sorted((tmp_path / "test").glob("*.test.js"))  # by name: Node 22 takes no folder
    assert "test/vectors.test.js" in json.loads((package / "package.json").read_text())["scripts"]["test"]
    output = tools.run("", "--test", *tests, cwd=tmp_path, ZEPS_VECTORS=vectors)
    assert re.search(r"^# fail 0$", output, re.MULTILINE)
    assert not re.search(r"^# pass [0-5]$", output, re.MULTILINE)


def test_the_program_of_the_readme_runs(tools: Any, package: Path, library: Path, tmp_path: Path) -> None:
    (program,) = examples((package / "README.md").read_text(), "ts")
    (tmp_path / "server.ts").write_text(program)
    (tmp_path / "package.json").write_text('{ "type": "module" }')
    beside(package, library, tmp_path)
    tools.link(tmp_path, "@types")
    options = ["--strict", "--target", "es2022", "--lib", "es2022", "--module", "nodenext", "--types", "node"]
    tools.tsc(*options, "server.ts", cwd=tmp_path)
    frames = [b"\xaa\xa5\x01\x04ZEPS\0\x01\x01s", b"\xaa\xa5\x08"]
    done = execute(["node", "server.js"], tmp_path, sent(frames))
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == sent([b"\xaa\xa5\x02", b"\xaa\xa5\x09"])


def test_what_is_published(package: Path) -> None:
    command = ["npm", "pack", "--dry-run", "--json", "--ignore-scripts", "--offline"]
    (packed,) = json.loads(run(command, package))
    paths = {file["path"] for file in packed["files"]}
    assert {"LICENSE", "README.md", "package.json", "src/index.ts", "src/runtime/reader.ts"} <= paths
    assert not [path for path in paths if path.startswith(("driver", "test"))]
    assert {"description", "keywords", "license", "repository", "version"} <= set(
        json.loads((package / "package.json").read_text())
    )


def test_other_models(tools: Any, library: Path, tmp_path: Path) -> None:
    """As one package: every kind of field and dispatch, open-ended fields, and what hosts do, who fill messages, raise
    events, set clocks, observe rows; extensible messages, and relations. The package has another name, so that a
    program can use it together with ours.
    """
    (golden,) = load_bundle([GOLDEN / "features" / "features.xml"]).protocols
    kinds = Bundle((replace(golden, name="kinds"),))  # another model has its name
    greeting = [HELPERS / "known" / f"{name}.xml" for name in ("greeting", "greeting_server")]
    folders = (GOLDEN / "weather", GOLDEN / "tails", GOLDEN / "frames", HELPERS / "features")
    bundle = joined(kinds, load_bundle([*models(*folders), *greeting]))
    package = write(bundle, tmp_path / "package", Package(name="acme-wire"))
    tests = ("kinds", "frames", "tails", "hosts")
    for test in tests:
        shutil.copy(NATIVE / f"{test}.test.ts", package / "test")
    tools.tsc("-p", "test", *HASTY, "--outDir", "build", cwd=package)
    tools.run("", "--test", *(f"build/test/{test}.test.js" for test in tests), cwd=package)
    tools.eslint(package)
    beside(package, package / "build" / "src", tmp_path)
    beside(ROOT / "generated" / "typescript", library, tmp_path)
    (tmp_path / "both.mjs").write_text(
        """
        import { features } from "acme-wire";
        import { decode, encode } from "zeps-wire/zeps";
        console.log(decode(encode({ type: "PING" })).type, features.decode(features.encode({ type: "BYE" })).type);
        """
    )
    assert tools.run("", "both.mjs", cwd=tmp_path) == "PING BYE\n"


def beside(package: Path, built: Path, folder: Path) -> None:
    """Makes the package, of which `built` is tsc's output, importable for programs in `folder`."""
    place = folder / "node_modules" / json.loads((package / "package.json").read_text())["name"]
    shutil.copytree(built, place / "dist")
    shutil.copy(package / "package.json", place)


def test_eslint_has_nothing_to_say(tools: Any, tmp_path: Path) -> None:
    package = shutil.copytree(ROOT / "generated" / "typescript", tmp_path / "package")
    shutil.copy(NATIVE / "zeps.test.ts", package / "test")
    tools.eslint(package)


def test_prettier_has_nothing_to_say(tools: Any) -> None:
    ours = ["generated/typescript", "tools/node/eslint.config.mjs", "tools/node/package.json", NATIVE]
    ours += ["codegen/zeps_codegen/targets/typescript/runtime", "benchmarks/codec_typescript"]
    tools.prettier(*ours, "examples/clients/typescript", "!**/README.md", cwd=ROOT)


def test_a_message_without_fields_is_sent_on_as_it_is_made() -> None:
    """Rows that forward and rows that construct the message share a function."""
    bundle = load_bundle(models(HELPERS / "features"))
    server = next(machine for machine in bundle.machines if machine.name == "features_server")
    steps = (Send("BYE", forward=True),)
    rows = [replace(row, steps=steps) if row.event == "BYE" else row for row in server.transitions]
    changed = Bundle(bundle.protocols, (replace(server, transitions=tuple(rows)),))
    made = typescript.render(changed, formatted=False)[typescript.FOLDER / "src/features-server.ts"]
    assert b'"send BYE": () => ({ type: "BYE" }),' in made


def test_declarations_need_no_type_parameters_of_arrays(library: Path) -> None:
    """TypeScript knows ``Uint8Array<ArrayBuffer>`` from version 5.7 on, and the package is for 5.0 and later."""
    for path in library.rglob("*.d.ts"):
        assert "Uint8Array<" not in path.read_text(), path


class Quiet(SimpleHTTPRequestHandler):
    """Serves the folder without log output."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


def test_a_browser_loads_and_runs_it(library: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(library, site / "dist")
    shutil.copy(NATIVE / "page.html", site)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
        options += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
        options += ["--disable-dev-shm-usage", f"--user-data-dir={tmp_path / 'profile'}"]
        url = f"http://127.0.0.1:{server.server_port}/page.html"
        done = execute(["chromium", *options, "--virtual-time-budget=20000", "--dump-dom", url])
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    match = re.search(r"<output>(.*?)</output>", done.stdout.decode(), re.DOTALL)
    assert match, done.stdout + done.stderr
    expected = f"DELIVER {2**63} ключ 1,2 ATTACH attaching bad-signature"
    assert html.unescape(match[1]) == expected
