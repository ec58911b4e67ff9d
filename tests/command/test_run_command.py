"""`zeps_command`: detection of closed outputs. `tests/system/test_commands.py` runs the commands."""

from __future__ import annotations

import argparse
import importlib
import os
import socket
import subprocess
import sys

import pytest

from zeps_command import Parser, run_command

PARSERS = ("zeps_cli.main", "zeps_codegen.cli", "zeps_conformance.cli", "zeps_pipeline.cli")


def test_a_connection_that_broke_is_not_taken_for_a_closed_output() -> None:
    def work() -> int:
        ours, theirs = socket.socketpair()
        theirs.close()
        with ours:
            ours.sendall(b"x")
        return 0

    with pytest.raises(BrokenPipeError):
        run_command(work)


def test_without_standard_output_there_is_nothing_to_close(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert run_command(lambda: 1) == 1


def test_what_was_printed_before_the_reader_left_is_discarded() -> None:
    """Also for buffered output: nothing is reported when the interpreter exits."""
    code = "import sys; from zeps_command import run_command\n"
    code += "def work():\n    print('x' * 100_000)\n    print('y')\n    return 1\n"
    code += "sys.exit(run_command(work))"
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-c", code], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def parsers_of(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """Returns the parser, and those of its commands."""
    parsers = [parser]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            parsers += [nested for below in action.choices.values() for nested in parsers_of(below)]
    return parsers


@pytest.mark.parametrize("module", PARSERS)
def test_no_parser_takes_abbreviations(module: str) -> None:
    make = importlib.import_module(module)._parser
    parsers = parsers_of(make() if make.__code__.co_argcount == 0 else make([]))
    assert len(parsers) > 2
    assert not [parser.prog for parser in parsers if parser.allow_abbrev or not isinstance(parser, Parser)]
