"""Conversion of the IR's snake_case names to each language's case conventions, and each language's reserved words. A
name that is reserved, or that is taken in its scope, gets trailing underscores.
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

# keywords, alternative operators, and lower-case macros of compilers and of the standard headers
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
pc_value pid printf printm priority proctype provided return run select set_priority short show skip timeout trace
true typedef unless unsigned xr xs ADD BIG CAPACITY GIVE_UP GRAMMAR LEAST MALFORMED N NO_WORD REFUSE SPACE STANDSTILL
SUBTRACT client client_head client_terminated deadlock judge no_word owed server server_head server_terminated
standstill to_client to_server unexpected unhandled_raise unspecified_reception word client_cut client_waits
client_may_end server_cut server_waits server_may_end
"""

# keywords, names of the prelude, and names that generated modules define
_RUST = """abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen
if impl in let loop macro match mod move mut override priv pub ref return self static struct super trait true try type
typeof union unsafe unsized use virtual where while yield Box Clone Code Copy Debug DecodeError Default Encode
EncodeError Eq Err From Into Iterator MachineError Message None Ok Option PartialEq Result Row Self Some String Text
ToString ToOwned TryFrom TryInto Vec Verdict"""

# reserved words, special forms, and macros that define something
_ELIXIR = """after alias and case catch cond def defdelegate defexception defguard defguardp defimpl defmacro defmacrop
defmodule defoverridable defp defprotocol defstruct do else end false fn for import in nil not or quote receive require
rescue super true try unless unquote unquote_splicing use when with module_info behaviour_info"""

#: The names that generated code cannot use in each language. The keys are names of targets.
RESERVED: dict[str, frozenset[str]] = {
    "cpp": frozenset(_CPP.split()),
    "c": frozenset(_CPP.split())
    | {"complex", "i386", "imaginary", "offsetof", "restrict"},  # so that C++ can include the headers
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
    """Returns the words of `name` in lower case, split at any separator: ``ATTACH-OK``, ``attachOk`` → attach, ok.
    Digits belong to the word before them, ``utf8``, but are a word at the beginning: ``2nd`` → 2, nd.
    """
    parts: list[str] = []
    for chunk in re.split(r"[\W_]+", name):
        for match in _PARTS.finditer(chunk):
            if match.group()[0].isdigit() and match.start() > 0:
                parts[-1] += match.group()
            else:
                parts += _humps(match.group())
    return parts


def _humps(letters: str) -> list[str]:
    """Splits ``HTTPServer`` into http, server: a capital begins a word if a lower-case letter is beside it."""
    starts = [0]
    for index in range(1, len(letters)):
        small_before = letters[index - 1].islower()
        small_after = index + 1 < len(letters) and letters[index + 1].islower()
        if letters[index].isupper() and (small_before or small_after):
            starts.append(index)
    return [letters[start:end].lower() for start, end in zip(starts, [*starts[1:], None], strict=True)]


def snake(name: str) -> str:
    """Converts ``ATTACH-OK`` to ``attach_ok``."""
    return "_".join(words(name))


def screaming(name: str) -> str:
    """Converts ``attach-ok`` to ``ATTACH_OK``."""
    return snake(name).upper()


def kebab(name: str) -> str:
    """Converts ``ATTACH_OK`` to ``attach-ok``."""
    return "-".join(words(name))


def content_rule(message: str, field: str) -> str:
    """The grammar rule for the text of a message's field: ``invalid-reason`` for the reason of INVALID."""
    return f"{kebab(message)}-{kebab(field)}".lower()


def pascal(name: str) -> str:
    """Converts ``ATTACH-OK`` to ``AttachOk``."""
    return "".join(word.capitalize() for word in words(name))


def camel(name: str) -> str:
    """Converts ``ATTACH-OK`` to ``attachOk``."""
    head, *tail = words(name)
    return head + "".join(word.capitalize() for word in tail)


def usable(name: str, language: str, taken: Container[str] = ()) -> str:
    """Adds underscores if `name` is reserved, taken or begins with a digit. Raises KeyError for unknown languages."""
    if name[:1].isdigit():
        name = f"_{name}"
    while name in RESERVED[language] or name in taken:
        name += "_"
    return name


class Scope:
    """A scope with unique names: the locals of a function, or the members of a class."""

    def __init__(self, language: str, taken: Iterable[str] = ()) -> None:
        self._language = language
        self._taken = set(taken)

    def name(self, preferred: str) -> str:
        """Reserves and returns `preferred`, with trailing underscores if that name is taken or reserved."""
        name = usable(preferred, self._language, self._taken)
        self._taken.add(name)
        return name
