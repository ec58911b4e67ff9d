"""What `zeps-codegen --help` and the help of each command say below their options."""

from __future__ import annotations

import textwrap

from .generate import TARGETS

__all__ = ["ABNF", "CHECK", "DECODE", "DESCRIPTION", "DIFF", "EXAMPLES", "GENERATE", "IMPORT", "INIT", "SPIN"]

DESCRIPTION = """\
One model of a protocol, in XML: its messages, its machines and the rules that
bind them. This command reads models (zproto's language and what we add to it),
checks them, and generates codecs, machines, grammars and documents from them.
"""

EXAMPLES = """\
examples:
  zeps-codegen init acme-wire                 begin a project in this folder
  zeps-codegen check                          check protocol/*.xml
  zeps-codegen check --format json my.xml     the same for one model, for a program to read
  zeps-codegen generate                       write what protocol/*.xml generates
  zeps-codegen generate --check               write nothing; name what is out of date
  zeps-codegen generate --target python       one target only
  zeps-codegen abnf protocol/zeps.xml         the wire format as a grammar (RFC 5234)
  zeps-codegen import zeps.abnf -o zeps.xml   a model from a grammar
  zeps-codegen decode protocol/zeps.xml AAA508
                                              what a frame says, field by field
  zeps-codegen spin --bound 3                 what the model checker spin says of client and server
  zeps-codegen diff HEAD:protocol protocol    what breaks those who still speak the old models

exit codes: 0 success, 1 findings or failure, 2 usage error, 130 interrupted;
the help of each command says what it calls a finding or a failure
"""

GENERATE = """\
Paths of files that are written, and deleted, are printed. generated/manifest.txt
lists what was generated, and belongs into version control: only what stands
there is deleted, and no other file is overwritten. What a target cannot serve
is named with file and line, and the other targets are written. Of warnings only
those about models that are left out are printed: `check` reports the others.
--check compares with formatted files, so it is refused with --no-format.

exit codes: 0 written or up to date, also with warnings, 1 a model has errors,
a target cannot serve a model, nothing can be generated, or --check found
differences, 2 usage error
"""

INIT = f"""\
Paths of files that are written are printed. If the first build fails, what was
written is removed again. The model is called as the package, without a last
word `wire`, `protocol` or `proto`.

targets:
{textwrap.fill(", ".join(target.name for target in TARGETS), 78, initial_indent="  ", subsequent_indent="  ")}

exit codes: 0 success, 2 usage error: files are there, or the first build fails
"""

CHECK = """\
A finding has the file, the line, a code that never changes its meaning, and
often a hint. Errors and warnings are findings; remarks (info) are not: they say
what was tolerated, or what was proved.

exit codes: 0 nothing found but remarks, 1 errors or warnings, 2 usage error
"""

ABNF = """\
exit codes: 0 success, 1 the model has errors, 2 usage error
"""

IMPORT = """\
Grammars are read as RFC 5234 and RFC 7405 have them, and as zproto prints
them: two rules of one name are remarked upon, and do no harm. What a grammar
cannot say (names of values, what a text may hold) is for you to add.

exit codes: 0 a model was made, also with warnings, 1 the grammar makes none,
2 usage error
"""

DECODE = """\
HEX is hexadecimal digits, in either case, with spaces wherever you like; `-`
reads them from standard input. A message of several ZeroMQ frames has a comma
between them.

examples:
  zeps-codegen decode protocol/zeps.xml 'AA A5 0C 06 736F727279 21'
  xxd -p frame.bin | zeps-codegen decode protocol/zeps.xml -

exit codes: 0 success, 1 the frame is not a message of the model, or the model
has errors, 2 usage error
"""

SPIN = """\
spin searches all that a client and a server can do together, once for each
question that `check` asks and that is about single situations. Needs spin and
gcc (apt-get install spin gcc). Bound 3 takes a minute and 2 GB at most.

exit codes: 0 nothing is wrong, 1 something is, or `check` says otherwise, 2 usage error
"""

DIFF = """\
OLD and NEW are each a model, a folder of models, a model.json, or any of these
at a revision of git (REVISION:PATH, from the repository's root or from here). A
model of a machine brings the protocol that it speaks. docs/evolution.md lists
the kinds of change, and why each breaks something or does not.

examples:
  zeps-codegen diff v1.0:protocol protocol
  zeps-codegen diff --format json released/model.json generated/model.json

exit codes: 0 nothing breaks, 1 something does, 2 usage error: one of them cannot be read
"""
