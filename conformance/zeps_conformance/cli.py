"""The command ``zeps-conform``."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from zeps_command import USAGE, Parser, add_version, run_command
from zeps_conformance.broker.options import Options, Streams
from zeps_conformance.broker.process import BrokerDescription, BrokerProcess, load_broker
from zeps_conformance.codec.drivers import DriverError
from zeps_conformance.commands.check import add_check
from zeps_conformance.commands.codec import add_codec
from zeps_conformance.commands.common_options import (
    UsageError,
    add_cases,
    add_path,
    add_pcap,
    add_reports,
    add_retries,
    add_value,
    add_verbose,
    positive,
    progress,
    records_traffic,
    seconds,
    write_baseline,
    write_reports,
    writing_traffic,
)
from zeps_conformance.commands.durability import add_durability
from zeps_conformance.commands.fuzz import add_fuzz
from zeps_conformance.commands.learn import add_learn
from zeps_conformance.commands.matrix import (
    add_matrix,
    replay_folder,
    replay_implementation,
    run_implementation,
)
from zeps_conformance.commands.mutants import add_mutants
from zeps_conformance.commands.report import add_report
from zeps_conformance.common.baseline import Expected, apply_baseline, load_baseline
from zeps_conformance.common.case import level_of, rules_of
from zeps_conformance.common.kept_findings import keep_findings, load_kept
from zeps_conformance.common.renamed import add_renamed
from zeps_conformance.common.results import RunResult, source_text
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.model.definitions import ModelFileError, load_model
from zeps_conformance.model.interpreter import Interpreter, UnsupportedModelError
from zeps_conformance.model.rulebook import Rulebook
from zeps_conformance.nulls import NULLS, NullBroker
from zeps_conformance.nulls.implementations import NULL_CLIENTS, NULL_IMPLEMENTATIONS
from zeps_conformance.nulls.peers import NULL_PEERS, NullPeer
from zeps_conformance.reports.catalogue import catalogue
from zeps_conformance.reports.terminal import format_case, format_run, format_wire
from zeps_conformance.runs.columns import Effort, columns_of, run_columns
from zeps_conformance.runs.coverage import cover
from zeps_conformance.runs.profiles import PROFILES, Profile
from zeps_conformance.runs.runner import Plan, fresh_nonce, run
from zeps_conformance.sockets.adapter import CLIENT
from zeps_conformance.sockets.context import Settings
from zeps_conformance.sockets.router.services import SERVICES
from zeps_conformance.wire.endpoint import Endpoint, parse_endpoint

__all__ = ["main"]

DEFAULT = "zeps1"
TIMEOUT = 5.0  # seconds

EPILOG = """\
exit codes: 0 no findings, 1 findings, 2 usage error or failure of the suite itself, 130 interrupted

A finding is a case that fails, deviates, is flaky or inconclusive, unless --baseline expects it; an obsolete
baseline entry is a finding too. Warnings (a violated SHOULD), observations and unsupported cases are not findings.

examples:
  zeps-conform run tcp://127.0.0.1:5670 --html report.html
  zeps-conform run --start broker.toml --json report.json --junit report.xml
  zeps-conform run tcp://127.0.0.1:5670 --case 'credit.*' -v
  zeps-conform show zeps1.credit.adds-up
  zeps-conform run tcp://127.0.0.1:5670 --pcap captures
  zeps-conform check capture.pcapng
  zeps-conform run --implementation conformance/implementations/libzmq.toml --type XPUB
  zeps-conform run --implementation conformance/implementations/zeps-client.toml
  zeps-conform matrix conformance/implementations/*.toml --baselines conformance/baselines --pages matrix
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code. Raises SystemExit for ``--help``, ``--version`` and parser errors."""

    def work() -> int:
        options = _parser().parse_args(arguments)
        command: Callable[[argparse.Namespace], int] = options.command
        try:
            return command(options)
        except BrokenPipeError:
            raise
        except (UsageError, DriverError, ValueError, ModelFileError, UnsupportedModelError, OSError) as error:
            print(f"zeps-conform: error: {error}", file=sys.stderr)
            return USAGE

    if threading.current_thread() is not threading.main_thread():
        return run_command(work)
    before = signal.signal(signal.SIGTERM, _end)
    try:
        return run_command(work)
    finally:
        signal.signal(signal.SIGTERM, before)


def _end(number: int, _: object) -> None:
    """Ends the command by an exception: processes and mounts of the suite must not remain."""
    raise SystemExit(128 + number)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="zeps-conform",
        description="Judge a broker or an implementation of ZMTP by its behaviour on the wire, rule by rule.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_version(parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    common = Parser(add_help=False)
    common.add_argument(
        "--profile",
        choices=sorted(PROFILES),
        help="profile of cases (default: zeps1; of show, that of CASE); ignored with --implementation, where --type "
        "decides",
    )
    add_path(common, "--model", "read the protocol from this model.json (default: the one in the package)")
    running = Parser(add_help=False)
    _add_implementation(running)
    _add_timing(running)

    run_parser = commands.add_parser(
        "run",
        parents=[common, running],
        help="run cases against a broker or an implementation",
        description="Run the cases of a profile against a broker or an implementation, and report.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_cases(run_parser)
    add_retries(run_parser, "cases that do not pass")
    _add_complete(run_parser)
    add_value(
        run_parser, "--jobs", positive, "number of cases at a time (default: 8; 4 for an implementation)"
    )
    add_path(run_parser, "--baseline", "TOML file of expected findings")
    add_path(
        run_parser,
        "--write-baseline",
        "write a baseline of the present findings, which expires after half a year; entries of --baseline that still "
        "apply are kept; the exit code is that of --baseline",
    )
    add_path(
        run_parser,
        "--keep",
        "write a file for each finding (of an implementation, also expected ones), for zeps-conform replay",
        "FOLDER",
    )
    add_pcap(run_parser)
    add_reports(run_parser)
    add_verbose(run_parser)
    run_parser.set_defaults(command=_run)

    list_parser = commands.add_parser(
        "list", parents=[common], help="list cases", description="List the cases of a profile."
    )
    add_cases(list_parser)
    list_parser.add_argument(
        "--markdown",
        action="store_true",
        help="with titles and steps, as a Markdown document; of all profiles without --profile",
    )
    list_parser.set_defaults(command=_list)

    show_parser = commands.add_parser(
        "show", parents=[common], help="explain a case", description="Show a case's rules and steps."
    )
    show_parser.add_argument("case", metavar="CASE", help="id of the case")
    show_parser.set_defaults(command=_show)

    coverage_parser = commands.add_parser(
        "coverage",
        parents=[common],
        help="compare rules with cases",
        description="Show which rules have cases. Exit with 1 if an observable rule of the "
        "profile's role does not have a case, or if a case names an unknown rule.",
    )
    coverage_parser.set_defaults(command=_coverage)

    replay_parser = commands.add_parser(
        "replay",
        help="run kept findings again",
        description="Run again the case of a file that --keep wrote, with its kept seed, timeout and type. Exit "
        "with 1 if it is still a finding. For a folder, run all findings of implementations below it, each in a "
        "fresh process; exit with 1 if a verdict differs from the kept one.",
    )
    add_path(replay_parser, "file", "file that --keep wrote, or a folder of such files")
    add_value(
        replay_parser, "--jobs", positive, "number of cases at a time, for a folder (default: %(default)s)", 4
    )
    _add_complete(replay_parser)
    _add_implementation(replay_parser, replays=True)
    _add_timing(replay_parser, replays=True)
    add_path(replay_parser, "--model", argparse.SUPPRESS)
    replay_parser.set_defaults(command=_replay)

    add_report(commands)

    nulls_parser = commands.add_parser(
        "nulls",
        parents=[common],
        help="check the suite against null brokers and implementations",
        description="Run the profile's cases against implementations that do nothing or answer everything alike. "
        "Exit with 1 if one of them passes a negative case.",
    )
    add_value(nulls_parser, "--timeout", seconds, "maximum seconds for an answer (default: %(default)g)", 0.5)
    nulls_parser.set_defaults(command=_nulls)
    add_check(commands)
    add_fuzz(commands, running, _broker)
    add_matrix(commands)
    add_codec(commands)
    add_durability(commands)
    add_learn(commands, running, _broker)
    add_mutants(commands)
    return parser


def _add_implementation(parser: argparse.ArgumentParser, replays: bool = False) -> None:
    """Adds the options that select what is judged. `replays`: without ``--type``, which a kept finding contains."""
    group = parser.add_argument_group("the broker or implementation under test")
    group.add_argument(
        "endpoint", nargs="?", metavar="ENDPOINT", help="the broker's endpoint: tcp://HOST:PORT or ipc://PATH"
    )
    add_path(
        group,
        "--start",
        "instead of ENDPOINT: start the broker as described in this file, and stop it afterwards",
        "BROKER.toml",
    )
    described = (
        "judge sockets of the implementation, or the client, described in this file, instead of a broker (replay: by "
        "default that of the finding)"
    )
    add_path(group, "--implementation", described, "IMPLEMENTATION.toml")
    add_renamed(group, "--testee", "--implementation")
    if not replays:
        group.add_argument(
            "--type",
            metavar="TYPE",
            help="the socket type to judge (PUB, XPUB, SUB, XSUB), or PROXY; required by learn --implementation, "
            "and by run if the description has several types",
        )
    group.add_argument(
        "--service",
        choices=sorted(SERVICES),
        default="zeps",
        help="with --profile zmtp-router: the service behind the ROUTER: "
        + "; ".join(f"{name}, {description}" for name, description in SERVICES.items())
        + " (default: %(default)s)",
    )
    add_value(
        group,
        "--pid",
        positive,
        "id of the broker's process, whose memory, descriptors and CPU time are measured (default: that of --start, or "
        "no measurement)",
    )
    group.add_argument(
        "--name",
        default="",
        help="of a broker, its name in the reports (default: its endpoint, or the name in BROKER.toml)",
    )


def _add_complete(parser: argparse.ArgumentParser) -> None:
    """Adds ``--complete``."""
    parser.add_argument(
        "--complete",
        action="store_true",
        help="of a broker: run the complete test suite of case zeps1.machine.complete for one state more than the "
        "model's machine has, which takes 13 times as long (default: for no further state)",
    )


def _add_timing(parser: argparse.ArgumentParser, replays: bool = False) -> None:
    """Adds the options for times and the seed; for `replays` without ``--timeout`` and ``--seed``."""
    group = parser.add_argument_group("time")
    if not replays:
        answers = "maximum seconds for an answer (default: 5; 3 for an implementation)"
        add_value(group, "--timeout", seconds, answers)
        add_value(group, "--seed", int, "seed of random values (default: %(default)s)", 0)
    add_value(
        group,
        "--client-timeout",
        seconds,
        "seconds of silence after which the broker ends a session (default: that of the kept finding or BROKER.toml, "
        "or unknown)",
    )
    waits = (
        "maximum seconds to wait for the broker to end a silent session if its timeout is unknown; cases that wait for "
        "it are unsupported if --client-timeout is longer (default: %(default)g)"
    )
    add_value(group, "--patience", seconds, waits, 33.0)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.implementation is not None:
        _refuse_broker_options(arguments, "with --implementation")
        return run_implementation(arguments)
    if arguments.type is not None:
        raise UsageError("--type: not allowed without --implementation")
    profile, rulebook = _judged(arguments)
    cases = profile.cases(arguments.case)
    expected = _baseline(arguments.baseline, profile)
    with _broker(arguments) as (options, name):
        plan = Plan(jobs=arguments.jobs or 8, retries=arguments.retries, name=name)
        options = replace(options, record=records_traffic(arguments))
        show = writing_traffic(arguments, progress(len(cases), arguments.verbose))
        result = run(profile, rulebook, options, cases, plan, show)
    result.command = _repeating(arguments)
    result.description = "" if arguments.start is None else str(arguments.start)
    apply_baseline(result, expected, datetime.date.today())
    write_reports(result, arguments)
    print(format_run(result), end="")
    write_baseline(result, expected, arguments)
    if arguments.keep is not None:
        for path in keep_findings(
            result, result.findings, arguments.keep, options.timeout, options.client_timeout
        ):
            print(f"kept: {path}")
    return 0 if result.ok else 1


def _repeating(arguments: argparse.Namespace) -> str:
    """Returns the command that repeats a run of a broker, without the selection of cases."""
    place = [arguments.endpoint] if arguments.start is None else ["--start", str(arguments.start)]
    words = ["zeps-conform", "run", *place]
    defaults = {
        "profile": None,
        "service": "zeps",
        "timeout": None,
        "client_timeout": None,
        "seed": 0,
        "model": None,
    }
    for name, default in defaults.items():
        value = getattr(arguments, name)
        if value != default:
            words += [f"--{name.replace('_', '-')}", f"{value:g}" if isinstance(value, float) else str(value)]
    return shlex.join(words)


def _list(arguments: argparse.Namespace) -> int:
    if arguments.markdown and arguments.profile is None:
        books = [(profile, profile.rulebook(arguments.model)) for profile in PROFILES.values()]
        pages = [catalogue(profile, book, profile.matching(arguments.case)) for profile, book in books]
        print("\n".join(pages), end="")
        return 0
    profile, rulebook = _rules(arguments)
    cases = profile.cases(arguments.case)
    if arguments.markdown:
        print(catalogue(profile, rulebook, cases), end="")
        return 0
    width = max(len(case.id) for case in cases)
    for case in cases:
        level = level_of(rules_of(rulebook, case))
        print(f"{case.id:<{width}}  {case.polarity.value:<8}  {level:<6}  {', '.join(case.rules)}")
    print(f"{len(cases)} cases")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    arguments.profile = arguments.profile or arguments.case.split(".")[0]
    if arguments.profile not in PROFILES:
        known = ", ".join(sorted(PROFILES))
        raise UsageError(f"unknown case {arguments.case!r}: an id begins with its profile, one of {known}")
    profile, rulebook = _rules(arguments)
    case = next((case for case in profile.cases() if case.id == arguments.case), None)
    if case is None:
        see = f"zeps-conform list --profile {profile.name}"
        raise UsageError(f"profile {profile.name} has no case {arguments.case!r}: see {see}")
    print(f"{case.id}\n{case.title}\n")
    print(
        f"{case.polarity.value}, {level_of(rules_of(rulebook, case))}, needs {case.needs.value}, "
        f"in {Path(case.source).name}\n"
    )
    for rule in rules_of(rulebook, case):
        print(f"  {rule.id} ({rule.level}) {rule.text}\n    {source_text(rule)}")
    print()
    for number, sentence in enumerate(case.steps(), 1):
        print(f"  {number}. {sentence}")
    return 0


def _coverage(arguments: argparse.Namespace) -> int:
    profile, rulebook = _rules(arguments)
    covered = cover(profile, rulebook, profile.cases())
    for rule, ids in covered.rows:
        if ids:
            print(f"{rule.id:<20} {len(ids):>3}  {', '.join(ids)}")
    for title, rules in (
        ("not observable on the wire", covered.hidden),
        ("for another role or context", covered.elsewhere),
        ("LACKING a case", covered.lacking),
    ):
        if rules:
            print(f"\n{title}:")
            for rule in rules:
                print(f"  {rule.id:<20} {rule.text}")
    if covered.unknown:
        print(f"\nUNKNOWN to the rulebook: {', '.join(covered.unknown)}")
    return 1 if covered.lacking or covered.unknown else 0


def _replay(arguments: argparse.Namespace) -> int:
    kept = None if arguments.file.is_dir() else load_kept(arguments.file)
    if kept is None or kept.implementation:
        _refuse_broker_options(arguments, "for a finding of an implementation")
        if kept is None:
            return replay_folder(arguments.file, arguments)
        return replay_implementation(kept, arguments)
    profile = PROFILES.get(kept.profile)
    if profile is None:
        raise UsageError(f"{arguments.file}: unknown profile {kept.profile!r}")
    rulebook = profile.rulebook(arguments.model)
    arguments.seed, arguments.timeout = kept.seed, kept.timeout
    arguments.client_timeout = arguments.client_timeout or kept.client_timeout
    with _broker(arguments) as (options, name):
        result = run(profile, rulebook, options, profile.cases([kept.case]), Plan(1, 0, name))
    case = result.cases[0]
    print(format_case(case, result))
    print("\n".join(f"    {line}" for line in format_wire(case.wire)))
    print(f"\nkept verdict: {kept.verdict}, verdict now: {case.verdict.value}")
    return 1 if case.is_finding else 0


def _refuse_broker_options(arguments: argparse.Namespace, where: str) -> None:
    """Raises UsageError if an option is given that only applies to a broker; `where` says where it is not allowed."""
    options = {
        "endpoint": "ENDPOINT",
        "start": "--start",
        "pid": "--pid",
        "name": "--name",
        "client_timeout": "--client-timeout",
        "complete": "--complete",
    }
    if given := [option for name, option in options.items() if getattr(arguments, name, None)]:
        raise UsageError(f"{', '.join(given)}: not allowed {where}")


def _nulls(arguments: argparse.Namespace) -> int:
    profile = PROFILES[arguments.profile or DEFAULT]
    results = (
        _null_implementations(arguments, profile)
        if profile.judges_sockets
        else _null_brokers(arguments, profile)
    )
    passed = 0
    for name, result in results:
        passes = [case for case in result.cases if case.verdict in (Verdict.PASS, Verdict.OBSERVED)]
        negative = [case.id for case in passes if case.polarity == "negative"]
        passed += len(negative)
        print(
            f"{name:<24} passes {len(negative)} negative and {len(passes) - len(negative)} positive cases "
            f"of {len(result.cases)}"
        )
        for case in passes:
            print(f"    {case.polarity:<8} {case.id}")
    return 1 if passed else 0


def _null_implementations(arguments: argparse.Namespace, profile: Profile) -> Iterator[tuple[str, RunResult]]:
    nulls = NULL_CLIENTS if CLIENT in profile.types else NULL_IMPLEMENTATIONS
    for name, implementation in nulls.items():
        types = [socket_type for socket_type in implementation.types if socket_type in profile.types]
        columns = columns_of(implementation, types, (), arguments.model)
        settings = Settings(timeout=arguments.timeout, grace=0.05)
        for result in run_columns(columns, settings, Effort(jobs=16, retries=0)):
            yield name, result


def _null_brokers(arguments: argparse.Namespace, profile: Profile) -> Iterator[tuple[str, RunResult]]:
    rulebook = profile.rulebook(arguments.model)
    plan = Plan(jobs=16, retries=0)
    for name, made in _nulls_of(profile, Interpreter(load_model(arguments.model))):
        with made as null:
            options = Options(
                parse_endpoint(null.endpoint),
                timeout=arguments.timeout,
                patience=arguments.timeout,
                client_timeout=arguments.timeout,
                nonce=fresh_nonce(),
            )
            yield name, run(profile, rulebook, options, profile.cases(), replace(plan, name=name))


def _nulls_of(profile: Profile, codec: Interpreter) -> Iterator[tuple[str, NullPeer | NullBroker]]:
    """Yields each null implementation for a profile that judges an endpoint, not started, with its name."""
    if profile.name == "zmtp-router":
        yield from ((name, NullPeer(name)) for name in NULL_PEERS)
    else:
        yield from ((name, kind(codec)) for name, kind in NULLS.items())


def _judged(arguments: argparse.Namespace) -> tuple[Profile, Rulebook]:
    profile, rulebook = _rules(arguments)
    if profile.judges_sockets:
        raise UsageError(
            f"profile {profile.name} judges implementations: use run --implementation, or matrix"
        )
    return profile, rulebook


def _rules(arguments: argparse.Namespace) -> tuple[Profile, Rulebook]:
    profile = PROFILES[arguments.profile or DEFAULT]
    return profile, profile.rulebook(arguments.model)


def _baseline(path: Path | None, profile: Profile) -> list[Expected]:
    return (
        []
        if path is None
        else load_baseline(path, {case.id for case in profile.cases()}, datetime.date.today())
    )


@contextlib.contextmanager
def _broker(arguments: argparse.Namespace) -> Iterator[tuple[Options, str]]:
    """Yields the options for a run and the name in reports (empty: the endpoint) while the broker serves. Raises
    UsageError unless exactly one of ENDPOINT and ``--start`` is given, or if a connection to the endpoint fails.
    """
    if (arguments.endpoint is None) == (arguments.start is None):
        raise UsageError(
            "give the broker's ENDPOINT, or its start file with --start BROKER.toml, but not both"
        )
    if arguments.pid is not None and not Path(f"/proc/{arguments.pid}").exists():
        raise UsageError(f"--pid {arguments.pid}: no such process below /proc")
    if arguments.start is None:
        endpoint = parse_endpoint(arguments.endpoint)
        _check_reachable(endpoint, arguments.timeout or TIMEOUT)
        yield _options(arguments, endpoint), arguments.name
        return
    description = load_broker(arguments.start)
    with BrokerProcess(description) as process:
        options = _options(arguments, parse_endpoint(process.endpoint), process, description)
        yield options, arguments.name or description.name


def _options(
    arguments: argparse.Namespace,
    endpoint: Endpoint,
    control: BrokerProcess | None = None,
    description: BrokerDescription | None = None,
) -> Options:
    known = description.client_timeout if description is not None else None
    return Options(
        endpoint=endpoint,
        timeout=arguments.timeout or TIMEOUT,
        patience=arguments.patience,
        client_timeout=arguments.client_timeout if arguments.client_timeout is not None else known,
        seed=arguments.seed,
        nonce=fresh_nonce(),
        control=control,
        streams=description.streams if description is not None else Streams(),
        service=arguments.service,
        model=arguments.model,
        pid=control.pid if control is not None else arguments.pid,
        extra_states=int(getattr(arguments, "complete", False)),
    )


def _check_reachable(endpoint: Endpoint, timeout: float) -> None:
    try:
        endpoint.connect(timeout).close()
    except OSError as error:
        raise UsageError(f"{endpoint.text}: connection failed: {error.strerror or error}") from error


if __name__ == "__main__":
    sys.exit(main())
