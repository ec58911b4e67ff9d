"""Names re-cased for each language, and the words that each reserves.

The model's snake_case is canonical; nothing else re-cases a name. A name that a language reserves, or that
is taken where it is to stand, gets an underscore at its end.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Container, Iterable

__all__ = [
    "RESERVED",
    "Scope",
    "camel",
    "content_rule",
    "kebab",
    "pascal",
    "screaming",
    "snake",
    "usable",
    "words",
]

_PARTS = re.compile(r"[^\W\d_]+|[0-9]+")

_GO = """break case chan const continue default defer else fallthrough for func go goto if import interface map package
range return select struct switch type var"""

_TYPESCRIPT = """arguments as async await boolean break case catch class const continue debugger default delete do
else enum eval export extends false finally for function if implements import in instanceof interface let new null
package private protected public return static super switch this throw true try type typeof undefined var void while
with yield"""

# words, alternative operators, and macros of compilers and of the standard headers in lower case
_CPP = """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class
co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default
delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable
namespace new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast
requires return short signed sizeof static static_assert static_cast struct switch template this thread_local throw
true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq
assert errno linux major minor signal stderr stdin stdout unix"""

_JAVA = """abstract assert boolean break byte case catch char class const continue default do double else enum extends
false final finally float for goto if implements import instanceof int interface long native new null package private
protected public return short static strictfp super switch synchronized this throw throws transient true try void
volatile while permits record sealed var yield"""

_PROMELA = """
active assert atomic bit bool break byte c_code c_decl c_expr c_state c_track chan d_proctype d_step do else empty
enabled eval false fi full get_priority goto hidden if in init inline int len local ltl mtype never nempty nfull od of
pc_value pid printf printm priority proctype provided return run select set_priority short show skip timeout trace true
typedef unless unsigned xr xs ADD BIG CAPACITY GIVE_UP GRAMMAR LEAST MALFORMED N NO_WORD REFUSE ROOM STANDSTILL SUBTRACT
client client_head client_terminated deadlock judge no_word owed server server_head server_terminated standstill
to_client to_server unexpected unhandled_raise unspecified_reception word client_cut client_waits client_may_end
server_cut server_waits server_may_end
"""

# words, what stands in every scope, and what generated modules have themselves
_RUST = """abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen
if impl in let loop macro match mod move mut override priv pub ref return self static struct super trait true try type
typeof union unsafe unsized use virtual where while yield Box Clone Code Copy Debug DecodeError Default Encode
EncodeError Eq Err From Into Iterator MachineError Message None Ok Option PartialEq Result Row Self Some String Text
ToString ToOwned TryFrom TryInto Vec Verdict"""

# words, special forms, and macros that define something
_ELIXIR = """after alias and case catch cond def defdelegate defexception defguard defguardp defimpl defmacro defmacrop
defmodule defoverridable defp defprotocol defstruct do else end false fn for import in nil not or quote receive require
rescue super true try unless unquote unquote_splicing use when with module_info behaviour_info"""

#: What may not name a thing in each language. Languages are named as the targets are.
RESERVED: dict[str, frozenset[str]] = {
    "cpp": frozenset(_CPP.split()),
    "c": frozenset(_CPP.split())
    | {"complex", "i386", "imaginary", "offsetof", "restrict"},  # for C++ to include
    "kaitai": frozenset(
        {"and", "constructor", "end", "false", "not", "or", "true", "value_", "sizeof", "bitsizeof"}
    ),
    "promela": frozenset(_PROMELA.split()),
    "python": frozenset(keyword.kwlist) | frozenset({"self", "cls", "None", "print"}),
    "elixir": frozenset(_ELIXIR.split()),
    "go": frozenset(_GO.split()),
    "java": frozenset(_JAVA.split()),
    "rust": frozenset(_RUST.split()),
    "typescript": frozenset(_TYPESCRIPT.split()),
}


def words(name: str) -> list[str]:
    """The words of `name` in lower case, whatever separates them: ``ATTACH-OK``, ``attachOk`` → attach, ok.

    A digit belongs to the word before it: ``utf8`` is one word.
    """
    found: list[str] = []
    for chunk in re.split(r"[\W_]+", name):
        for match in _PARTS.finditer(chunk):
            if match.group()[0].isdigit() and match.start() > 0:
                found[-1] += match.group()
            else:
                found += _humps(match.group())
    return found


def _humps(letters: str) -> list[str]:
    """``HTTPServer`` → http, server: a capital begins a word if a small letter stands beside it."""
    starts = [0]
    for index in range(1, len(letters)):
        small_before = letters[index - 1].islower()
        small_after = index + 1 < len(letters) and letters[index + 1].islower()
        if letters[index].isupper() and (small_before or small_after):
            starts.append(index)
    return [letters[start:end].lower() for start, end in zip(starts, [*starts[1:], None], strict=True)]


def snake(name: str) -> str:
    """``ATTACH-OK`` → ``attach_ok``."""
    return "_".join(words(name))


def screaming(name: str) -> str:
    """``attach-ok`` → ``ATTACH_OK``."""
    return snake(name).upper()


def kebab(name: str) -> str:
    """``ATTACH_OK`` → ``attach-ok``."""
    return "-".join(words(name))


def content_rule(message: str, field: str) -> str:
    """The grammar rule that says what the text of a message's field holds: ``invalid-reason`` for INVALID's reason."""
    return f"{kebab(message)}-{kebab(field)}".lower()


def pascal(name: str) -> str:
    """``ATTACH-OK`` → ``AttachOk``."""
    return "".join(word.capitalize() for word in words(name))


def camel(name: str) -> str:
    """``ATTACH-OK`` → ``attachOk``."""
    head, *tail = words(name)
    return head + "".join(word.capitalize() for word in tail)


def usable(name: str, language: str, taken: Container[str] = ()) -> str:
    """`name`, with underscores at its end until `language` and `taken` let it pass."""
    if name[:1].isdigit():
        name = f"_{name}"
    while name in RESERVED[language] or name in taken:
        name += "_"
    return name


class Scope:
    """Names that may stand only once: the locals of a function, the members of a class."""

    def __init__(self, language: str, taken: Iterable[str] = ()) -> None:
        self._language = language
        self._taken = set(taken)

    def name(self, wanted: str) -> str:
        """`wanted`, or as near to it as is free; it is then taken."""
        name = usable(wanted, self._language, self._taken)
        self._taken.add(name)
        return name
