"""Help texts of `zeps-codegen --help` and of each command: the description, and what follows the options."""

from __future__ import annotations

import textwrap

from .generate import TARGETS

__all__ = ["DESCRIPTION", "DETAILS", "EXAMPLES"]

DESCRIPTION = """\
A model describes a protocol in XML: its messages, its state machines and their
rules. This command reads models (in the language of zproto, with extensions),
checks them, and generates codecs, machines, grammars and documents from them.
"""

EXAMPLES = """\
examples:
  zeps-codegen init acme-wire                 create a project in this folder
  zeps-codegen check                          check protocol/*.xml
  zeps-codegen check --format json my.xml     check one model, and report in JSON
  zeps-codegen generate                       generate from protocol/*.xml
  zeps-codegen generate --check               list files that are out of date
  zeps-codegen generate --target python       one target only
  zeps-codegen abnf protocol/zeps.xml         the wire format as a grammar (RFC 5234)
  zeps-codegen import zeps.abnf -o zeps.xml   convert a grammar to a model
  zeps-codegen decode protocol/zeps.xml AAA508
                                              decode a frame
  zeps-codegen spin --bound 3                 check with the model checker spin
  zeps-codegen diff HEAD:protocol protocol    list breaking changes

exit codes: 0 success, 1 findings or failure, 2 usage error, 130 interrupted;
the help of each command says what counts as a finding or a failure
"""

#: The text of each command.
DETAILS = {
    "generate": """\
Prints the paths of the files that are written or deleted. The list of generated
files, generated/manifest.txt, belongs in version control: only files that it
lists are deleted or overwritten. If a target does not support a model, the file
and line are reported, and the other targets are written. Of the warnings only
those about models without generated code are printed: `check` prints all.
--check compares with formatted files, so it cannot be used with --no-format.

exit codes: 0 files written or up to date, 1 a model has errors or no messages,
a target does not support a model, a file exists that was not generated, the
list of generated files or a frame of a specification is invalid, or --check
found differences, 2 usage error, a wrong configuration, or a formatter that is
missing or fails
""",
    "init": f"""\
Prints the paths of the files that are written. If the first build fails, they
are removed again. The model has the package's name, without a last word `wire`,
`protocol` or `proto`.

targets:
{textwrap.fill(", ".join(target.name for target in TARGETS), 78, initial_indent="  ", subsequent_indent="  ")}

exit codes: 0 success, 2 usage error: a file exists already, or the first build fails
""",
    "check": """\
A finding has a file, a line, a stable code, and often a hint. Errors and
warnings are findings. Remarks (info) are not: they report tolerated deviations,
and properties that were proved.

exit codes: 0 no findings (remarks are allowed), 1 errors or warnings, 2 usage error
""",
    "abnf": """\
exit codes: 0 success, 1 the model has errors, 2 usage error
""",
    "import": """\
Reads grammars in ABNF (RFC 5234, RFC 7405) and in the form that zproto prints.
Two rules of one name are reported, as a remark if they are equal, otherwise as
a warning. A grammar does not contain the names of enumerated values, nor every
constraint on text: add these to the model by hand.

exit codes: 0 a model was created, 1 the grammar cannot be converted,
2 usage error
""",
    "decode": """\
HEX is hexadecimal digits in either case, with optional spaces; `-` reads them
from standard input. Separate the frames of a multipart message with commas.

examples:
  zeps-codegen decode protocol/zeps.xml 'AA A5 0C 06 736F727279 21'
  xxd -p frame.bin | zeps-codegen decode protocol/zeps.xml -

exit codes: 0 success, 1 the frame is not a message of the model, or the model
has errors, 2 usage error
""",
    "spin": """\
spin searches everything that a client and a server can do together, once for
each question of `check` about single situations. Needs spin and gcc (apt-get
install spin gcc). Bound 3 takes a minute and up to 2 GB of memory.

exit codes: 0 no faults, 1 a fault, an incomplete search, a result that differs
from `check`, or models with errors, 2 usage error, or spin or gcc fails
""",
    "diff": """\
OLD and NEW are each a model, a folder of models, a model.json, or any of these
at a revision of git (REVISION:PATH, with a PATH below the current folder).
With the model of a machine its protocol is compared too. docs/evolution.md lists
the kinds of change, and explains which are breaking.

examples:
  zeps-codegen diff v1.0:protocol protocol
  zeps-codegen diff --format json released/model.json generated/model.json

exit codes: 0 no breaking changes, 1 breaking changes, 2 usage error, or unreadable models
""",
}
