"""The command `zeps-codegen`: checks models, generates code from them, and shows what they describe."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from zeps_command import FAILURE, SUCCESS, USAGE, Parser, add_version, report_error, run_command, whole

from . import command_help
from .diagnostics import (
    Diagnostic,
    ModelErrors,
    Severity,
    counted,
    has_findings,
    render_json,
    render_text,
    sort,
)
from .ir import Bundle, Protocol
from .load import LEFT_OUT, Loaded, load_all

if TYPE_CHECKING:
    from .evolution import Change
    from .passes.composition import Finding

__all__ = ["main"]


class UsageError(Exception):
    """An error with exit code 2, such as a wrong command line or configuration; the text says what is wrong."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command with `arguments`, or else those of the process. Returns the exit code: 0 success, 1 findings or
    failure, 2 usage error, 130 interrupted. Raises SystemExit for --help, --version and options that do not parse.
    """

    def work() -> int:
        options = _parser().parse_args(arguments)
        run: Callable[[argparse.Namespace], int] = options.run
        try:
            return run(options)
        except UsageError as error:
            return report_error(error, USAGE, "zeps-codegen")
        except ModelErrors as errors:
            print(errors, file=sys.stderr)
            return FAILURE
        except BrokenPipeError:
            raise
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            return report_error(f"{place}{error.strerror or error}", USAGE, "zeps-codegen")

    return run_command(work)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="zeps-codegen",
        description=command_help.DESCRIPTION,
        epilog=command_help.EXAMPLES,
        formatter_class=_PLAIN,
    )
    add_version(parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, (text, add, run) in _COMMANDS.items():
        sentence = f"{text[0].upper()}{text[1:]}."
        command = commands.add_parser(
            name, help=text, description=sentence, epilog=command_help.DETAILS[name], formatter_class=_PLAIN
        )
        add(command)
        command.set_defaults(run=run)
    return parser


def _add_models(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "models",
        nargs="*",
        type=Path,
        metavar="MODEL",
        help="a model file (default: protocol/*.xml in the current folder)",
    )


def _add_model(parser: argparse.ArgumentParser) -> None:
    text = "a model with messages, or with a machine that uses them"
    parser.add_argument("model", type=Path, metavar="MODEL", help=text)


def _add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="format of the report (default: text)"
    )


def _add_targets(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument("--target", action="append", metavar="T", help=text)


def _add_root(parser: argparse.ArgumentParser, text: str) -> None:
    text = f"{text} (default: the current folder)"
    parser.add_argument("--root", type=Path, default=Path(), metavar="DIR", help=text)


def _add_exploration(parser: argparse.ArgumentParser, bound: int, text: str) -> None:
    parser.add_argument("--bound", type=whole(1), default=bound, metavar="N", help=text)
    text = "write each counterexample to a JSON file in DIR, which is created (default: write no files)"
    parser.add_argument("--traces", type=Path, metavar="DIR", help=text)


def _add_generate(parser: argparse.ArgumentParser) -> None:
    _add_models(parser)
    _add_targets(parser, "a target; may be given several times (default: those of the configuration, or all)")
    _add_root(parser, "the folder to write into")
    text = "do not write; list the files that differ, and exit with 1 if there are any"
    parser.add_argument("--check", action="store_true", help=text)
    text = "do not run the languages' formatters; the result is not for committing; not with --check"
    parser.add_argument("--no-format", action="store_true", help=text)
    text = "names, versions and folders of the packages (default: zeps-codegen.toml in the --root folder, if it exists)"
    parser.add_argument("--config", type=Path, metavar="FILE", help=text)
    text = "override a setting of the configuration, such as go.module=example.com/wire; may be given several times"
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help=text)


def _add_init(parser: argparse.ArgumentParser) -> None:
    text = "the package's name: lower-case words separated by hyphens, such as acme-wire"
    parser.add_argument("name", metavar="NAME", help=text)
    _add_targets(parser, "a target to generate; may be given several times (default: python and docs)")
    _add_root(parser, "the project's folder")


def _add_check(parser: argparse.ArgumentParser) -> None:
    _add_models(parser)
    _add_targets(
        parser,
        "report as an error the first feature that this target does not support (default: check no target); may be "
        "given several times",
    )
    _add_format(parser)
    text = "capacity of the channels between client and server, in messages (default: 2; 3 takes a minute)"
    _add_exploration(parser, 2, text)


def _add_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("grammar", type=Path, metavar="GRAMMAR", help="a file with a grammar in ABNF")
    text = "write the model to this file (default: standard output)"
    parser.add_argument("-o", "--output", type=Path, metavar="F", help=text)
    text = "the model's name (default: the first rule of a session grammar, or the file without suffix)"
    parser.add_argument("--name", metavar="NAME", help=text)


def _add_decode(parser: argparse.ArgumentParser) -> None:
    _add_model(parser)
    parser.add_argument(
        "hex",
        nargs="+",
        metavar="HEX",
        help="the message in hexadecimal, with a comma between frames; or - to read standard input",
    )


def _add_diff(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("old", metavar="OLD", help="the models in use: FILE, FOLDER or REVISION:PATH")
    parser.add_argument("new", metavar="NEW", help="the models that would replace OLD, in the same forms")
    _add_format(parser)


def _add_spin(parser: argparse.ArgumentParser) -> None:
    _add_models(parser)
    _add_exploration(parser, 3, "capacity of the channels, in messages (default: 3)")


def _model_paths(given: Sequence[Path]) -> list[Path]:
    if not given:
        models = sorted(Path("protocol").glob("*.xml"))
        if not models:
            raise UsageError("no MODEL given, and no file matches protocol/*.xml")
        return models
    for path in given:
        if not path.exists():
            raise UsageError(f"{path} does not exist")
    return list(given)


def _load(given: Sequence[Path]) -> Loaded:
    return load_all(_model_paths(given), named=bool(given))


def _print_findings(diagnostics: Sequence[Diagnostic]) -> None:
    if diagnostics:
        print(render_text(diagnostics), file=sys.stderr)


def _print_report(items: Sequence[Diagnostic | Change], summary: str, form: str) -> None:
    """Prints the items to standard output, as JSON or one line each; as text also the summary, to standard error."""
    if form == "json":
        print(render_json(items))
        return
    if items:
        print(render_text(items))
    print(summary, file=sys.stderr)


def _bundle(loaded: Loaded) -> Bundle:
    """The bundle of models without errors. Raises ModelErrors, for which `main` prints the errors and returns 1."""
    if loaded.bundle is None:
        raise ModelErrors(loaded.diagnostics)
    return loaded.bundle


def _protocol(path: Path) -> Protocol:
    """The protocol of a model or of its machine. Raises ModelErrors, or UsageError without file or messages."""
    bundle = _bundle(_load([path]))
    if not bundle.protocols:
        raise UsageError(f"{path} has no messages")
    return bundle.protocols[0]


def _generate(options: argparse.Namespace) -> int:
    from .generate import NotGenerated, UnknownTarget, generate
    from .manifest import ManifestError
    from .package import PackageError, package_remarks, read_package
    from .targets.errors import FrameError
    from .targets.formatting import FormatterError

    if options.check and options.no_format:
        raise UsageError("--check compares with formatted files: omit --no-format")
    loaded = _load(options.models)
    bundle = _bundle(loaded)
    left_out = [item for item in loaded.diagnostics if item.code in LEFT_OUT]
    _print_findings(left_out)
    if not bundle.protocols:
        if not left_out:
            _print_findings(loaded.diagnostics)
        return FAILURE
    try:
        package = read_package(options.root, options.config, options.set)
        formatted = not options.no_format
        changes = generate(bundle, options.root, options.target, options.check, formatted, package)
    except (UnknownTarget, FormatterError, PackageError) as error:
        raise UsageError(str(error)) from None
    except (FrameError, ManifestError, NotGenerated) as error:
        print(f"error: {error}", file=sys.stderr)
        return FAILURE
    for path in changes.written:
        print(path)
    for path in changes.deleted:
        print(f"{path} ({'to be ' if options.check else ''}deleted)")
    for refusal in changes.refused:
        finding = refusal.diagnostic(bundle, loaded.locations)
        print(f"{finding}; no files were written for {refusal.target}", file=sys.stderr)
    _print_findings(package_remarks(package, options.target, options.root, options.config))
    text = "up to date"
    if changes and options.check:
        are = "is" if len(changes) == 1 else "are"
        text = f"{counted(len(changes), 'file')} {are} out of date: run `zeps-codegen generate`"
    elif changes:
        text = f"{counted(len(changes.written), 'file')} written, {len(changes.deleted)} deleted"
    print(text, file=sys.stderr)
    return FAILURE if changes.refused or (changes and options.check) else SUCCESS


def _init(options: argparse.Namespace) -> int:
    from .generate import NotGenerated, UnknownTarget, generate, unsupported
    from .init import AlreadyThere, written_first_files
    from .manifest import ManifestError
    from .package import PackageError, package_remarks, read_package
    from .targets.formatting import FormatterError

    try:
        read_package(Path("/nonexistent"), None, [f"package.name={options.name}"])
    except PackageError:
        raise UsageError(
            f"NAME must consist of lower-case words separated by hyphens, and begin with a letter, such as acme-wire: "
            f"not {options.name!r}"
        ) from None
    targets = tuple(options.target or ("python", "docs"))
    try:
        with written_first_files(options.root, options.name, targets) as made:
            bundle = _load(sorted(options.root / path for path in made if path.suffix == ".xml")).bundle
            assert bundle is not None, "the first model is without errors"
            if refused := unsupported(bundle, targets):
                raise UsageError(f"no files were written: {'; '.join(map(str, refused))}")
            package = read_package(options.root)
            changes = generate(bundle, options.root, targets, package=package)
    except FormatterError as error:
        raise UsageError(f"the first build fails, and no files were written: {error}") from None
    except (AlreadyThere, ManifestError, NotGenerated, PackageError, UnknownTarget) as error:
        raise UsageError(str(error)) from None
    for path in (*made, *changes.written):
        print(path)
    written = counted(len(made) + len(changes.written), "file")
    print(f"{written} written", file=sys.stderr)
    _print_findings(package_remarks(package, targets, options.root))
    print("next: change the model, then `zeps-codegen check` and `zeps-codegen generate`", file=sys.stderr)
    return SUCCESS


def _check(options: argparse.Namespace) -> int:
    loaded = _load(options.models)
    diagnostics = list(loaded.diagnostics)
    if loaded.bundle is not None:
        diagnostics += _proofs(loaded, options.bound, options.traces)
        diagnostics += _refusals(loaded, options.target or ())
    diagnostics = sort(diagnostics)
    _print_report(diagnostics, _summary(loaded, diagnostics), options.format)
    return FAILURE if has_findings(diagnostics) else SUCCESS


def _proofs(loaded: Loaded, bound: int, traces: Path | None) -> list[Diagnostic]:
    """The findings that need exploration, over channels of `bound` messages: session grammar, and client with server.
    If `traces` is not None: creates that folder, and writes each counterexample to a file in it.
    """
    from .passes.explore import check_composition
    from .passes.session_grammar import check_session_grammar
    from .passes.traces import render_trace

    assert loaded.bundle is not None
    findings: list[Finding] = []
    diagnostics = [
        *check_session_grammar(loaded.bundle, loaded.locations, bound, findings.append),
        *check_composition(loaded.bundle, loaded.locations, bound, findings.append),
    ]
    if traces is not None:
        traces.mkdir(parents=True, exist_ok=True)
        for number, finding in enumerate(findings, 1):
            path = traces / f"{number:02}-{finding.kind}-{finding.actor}-{finding.state}.json"
            path.write_text(render_trace(finding.trace) + "\n", encoding="utf-8")
    return diagnostics


def _refusals(loaded: Loaded, targets: Sequence[str]) -> list[Diagnostic]:
    """One error for each target that does not support the models. Raises UsageError for an unknown target."""
    from .generate import UnknownTarget, unsupported

    assert loaded.bundle is not None
    try:
        refusals = unsupported(loaded.bundle, targets)
    except UnknownTarget as error:
        raise UsageError(str(error)) from None
    return [refusal.diagnostic(loaded.bundle, loaded.locations) for refusal in refusals]


def _summary(loaded: Loaded, diagnostics: Sequence[Diagnostic]) -> str:
    counts = Counter(item.severity for item in diagnostics)
    named = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "remark"}
    parts = [counted(counts[severity], what) for severity, what in named.items()]
    if loaded.bundle is not None:
        protocols, machines = loaded.bundle.protocols, loaded.bundle.machines
        messages = sum(len(protocol.messages) for protocol in protocols)
        content = f"{counted(len(protocols), 'protocol')} with {counted(messages, 'message')}"
        parts.insert(0, f"{content}, {counted(len(machines), 'machine')}")
    return ", ".join(parts)


def _abnf(options: argparse.Namespace) -> int:
    from .targets.abnf.target import print_abnf

    sys.stdout.write(print_abnf(_protocol(options.model)))
    return SUCCESS


def _import(options: argparse.Namespace) -> int:
    from .source.grammar_import import import_grammar

    path: Path = options.grammar
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} could not be read: {error}") from None
    model, diagnostics = import_grammar(text, path.as_posix(), options.name)
    _print_findings(diagnostics)
    if model is None:
        return FAILURE
    if options.output is None:
        sys.stdout.write(model)
    else:
        options.output.write_text(model, encoding="utf-8")
    return SUCCESS


def _decode(options: argparse.Namespace) -> int:
    from .interpret import DecodeFault, decode
    from .show import show_message

    text = " ".join(options.hex)
    frames = _frames(sys.stdin.read() if text == "-" else text)
    protocol = _protocol(options.model)
    try:
        decoded = decode(protocol, frames)
    except DecodeFault as fault:
        print(f"{options.model}: {fault}", file=sys.stderr)
        return FAILURE
    print(show_message(decoded, frames))
    return SUCCESS


def _frames(text: str) -> list[bytes]:
    digits = ["".join(part.split()) for part in text.replace("0x", "").split(",")]
    try:
        return [bytes.fromhex(part) for part in digits]
    except ValueError:
        raise UsageError("HEX must have two hexadecimal digits for each byte") from None


def _spin(options: argparse.Namespace) -> int:
    from .second_opinion import second_opinion
    from .spin import SpinError
    from .targets.errors import UnsupportedByTarget

    loaded = _load(options.models)
    bundle = _bundle(loaded)
    try:
        content = second_opinion(bundle, options.bound, options.traces, print)
    except UnsupportedByTarget as refusal:
        _print_findings([refusal.diagnostic(bundle, loaded.locations)])
        return FAILURE
    except SpinError as error:
        raise UsageError(str(error)) from None
    return SUCCESS if content else FAILURE


def _diff(options: argparse.Namespace) -> int:
    from .evolution import Effect, SourceError, compare, read_source

    try:
        changes = compare(read_source(options.old), read_source(options.new))
    except (SourceError, ModelErrors) as error:
        raise UsageError(str(error)) from None
    broken = sum(change.effect is Effect.BREAK for change in changes)
    rest = len(changes) - broken
    summary = f"{counted(broken, 'change')} {'is' if broken == 1 else 'are'} breaking"
    _print_report(changes, f"{summary}, {rest} {'is' if rest == 1 else 'are'} compatible", options.format)
    return FAILURE if broken else SUCCESS


_PLAIN = argparse.RawDescriptionHelpFormatter
_Add = Callable[[argparse.ArgumentParser], None]
_Run = Callable[[argparse.Namespace], int]
_COMMANDS: dict[str, tuple[str, _Add, _Run]] = {
    "generate": (
        "generate code and documents from models, or check that they are up to date",
        _add_generate,
        _generate,
    ),
    "init": ("create a project: a model, its machines, a configuration and a first build", _add_init, _init),
    "check": ("check models and report findings", _add_check, _check),
    "abnf": ("print a model's wire format as ABNF", _add_model, _abnf),
    "import": ("create a model from a grammar in ABNF", _add_import, _import),
    "decode": ("decode a frame and show its fields", _add_decode, _decode),
    "spin": ("check client and server with the model checker spin", _add_spin, _spin),
    "diff": ("report which changes between two versions of the models are breaking", _add_diff, _diff),
}


if __name__ == "__main__":
    sys.exit(main())
