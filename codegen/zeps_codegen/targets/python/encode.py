"""The statements of an encoder: look at what the format cannot refuse, then join the pieces once."""

from __future__ import annotations

from collections.abc import Iterable

from ...naming import snake
from ...plan import operations as op
from .lines import CODES, Lines, number_code, numbers_of
from .names import Message, literal

__all__ = ["Writer"]

_JOIN_FROM = 5  # so many pieces are joined rather than added


class Writer(Lines):
    """Turns attributes, or locals, into frames; beside it what `size` returns."""

    def __init__(self, message: Message, outer: Lines | None = None) -> None:
        super().__init__(message, outer)
        self._pieces: list[tuple[str, bool]] = []  # finished expressions, and whether they may be large
        self._run: list[tuple[str, str]] = []  # struct codes and expressions not yet packed together
        self._sized = ""  # the length of the text among them, in brackets
        self._fixed = 0
        self._varying: list[str] = []

    def whole(self) -> None:
        """All frames."""
        plan, frames = self.message.plan, []
        self.leading(plan.operations, True)
        for one in plan.apart:
            value = f"self.{self.message.attribute(one)}"
            self.refuse(*[f"not {value}"] * one.is_rest)
            self.limit(f"max(map(len, {value}))" if one.is_rest else f"len({value})", one.limit)
            self._grow(0, f"sum(map(len, {value}))" if one.is_rest else f"len({value})")
            frames.append(f"*{value}" if one.is_rest else value)
        self.finish(frames if plan.apart else None)

    def leading(self, operations: Iterable[op.Operation], is_whole: bool = False) -> None:
        """The head and the first operations, on attributes if `is_whole`, else on locals."""
        self._constant(self.message.plan.head, f"{self.message.upper}_HEAD")
        for one in operations:
            self._operation(one, is_whole)

    def finish(self, frames: list[str] | None = None) -> None:
        """Return what was written, as the first of `frames` if there are several."""
        result = self._result()
        self.check()
        self.put(f"return {result}" if frames is None else f"return [{', '.join([result, *frames])}]")

    @property
    def size(self) -> str:
        """The expression for the octets of all frames."""
        return " + ".join([str(self._fixed)] * (self._fixed > 0 or not self._varying) + self._varying)

    # --- pieces

    def _result(self) -> str:
        self._flush()
        pieces = [piece for piece, _ in self._pieces] or ['b""']
        if len(pieces) >= _JOIN_FROM or any(is_large for _, is_large in self._pieces[:-1]):
            return f'b"".join(({", ".join(pieces)}))'
        return " + ".join(pieces)

    def _grow(self, size: int, varying: str = "") -> None:
        self._fixed += size
        self._varying += [varying] * bool(varying)

    def _pack(self, code: str, expression: str, size: int) -> None:
        self._run += [(code, expression)] * bool(size)
        self._grow(size)

    def _constant(self, octets: bytes, name: str = "") -> None:
        self._pack(f"{len(octets)}s", name or literal(octets), len(octets))

    def _piece(self, expression: str, size: str, is_large: bool = False) -> None:
        self._flush()
        self._pieces.append((expression, is_large))
        self._grow(0, size)

    def _flush(self) -> None:
        run, self._run = self._run, []
        values = [expression for _, expression in run]
        if any(not code.endswith("s") for code, _ in run):
            values = [
                f"{self.use('pack', ''.join(code for code, _ in run))}{self._sized}({', '.join(values)})"
            ]
        self._pieces += [(value, False) for value in values]
        self._sized = ""

    # --- one operation

    def _operation(self, one: op.Operation, is_whole: bool) -> None:
        match one:
            case op.Constant(_, octets):
                self._constant(octets)
            case op.Reserved(_, size):
                self._constant(bytes(size))
            case op.Number(measures=(first, *others)) if is_whole:
                counted = f"len(self.{self.message.attribute(first)})"
                self.refuse(*(f"len(self.{self.message.attribute(other)}) != {counted}" for other in others))
                self._part(one, counted)
            case _:
                value = f"self.{self.message.attribute(one)}" if is_whole else self.message.local(one)
                self._shown(one, value)

    def _shown(self, one: op.Operation, value: str) -> None:
        match one:
            case op.Topic():
                octets = self._text("UTF8", "topic", value)
                self.refuse(f"0 in {octets}")
                self._piece(octets, f"octets_of({value})")
                self._constant(b"\x00")
            case op.Rest(_, _, limit):
                self.limit(f"len({value})", limit)
                self._piece(value, f"len({value})", True)
            case op.Number() | op.Content() | op.Fixed() | op.Items():
                self._part(one, value)

    def _part(self, part: op.Part, value: str) -> None:
        if isinstance(part, op.Number | op.Content) and part.enumeration is not None:
            is_flags = isinstance(part, op.Number) and part.flags
            self.refuse(
                f"{value} {'& ~_mask' if is_flags else 'not in _members'}_of_{snake(part.enumeration)}"
            )
        match part:
            case op.Number(_, _, size, signed, limit):
                self.limit(value, limit)
                varint = f"{'signed_' * signed}varint"
                if size:
                    self._pack(number_code(part), value, size)
                else:
                    self._piece(f"{varint}_octets({value})", f"{varint}_size({value})")
            case op.Fixed(_, _, size):
                self.refuse(f"len({value}) != {size}")
                self._pack(f"{size}s", value, size)
            case op.Content(name, _, prefix, _, limit, text):
                octets = value if text is None else self._text(text.name, name, value)
                self._count(f"len({octets})", prefix, limit)
                if text is not None and prefix == 1 and not self._sized:
                    self._run.append(("{}s", octets))
                    self._sized = f"[len({octets})]"
                    self._grow(0, f"octets_of({value})")
                    return
                self._piece(octets, f"len({value})" if text is None else f"octets_of({value})", prefix != 1)
            case op.Items(prefix=prefix, limit=limit):
                self._count(f"len({value})", prefix, limit)
                self._items(part, value)

    def _count(self, count: str, prefix: int, limit: int | None) -> None:
        self.limit(count, limit)
        self._pack(CODES.get(prefix, ""), count, prefix)

    def _text(self, text: str, name: str, value: str) -> str:
        """The local that holds the octets of `value`."""
        octets = self.new(name, "octets")
        self.put(f"{octets} = {text}_OCTETS[{value}]")
        return octets

    def _items(self, items: op.Items, value: str) -> None:
        number = numbers_of(items)
        if number is not None:
            self.limit(f"max({value}, default=0)", number.limit)
            packed = f'pack(f">{{len({value})}}{number_code(number)}", *{value})'
            self._piece(packed, f"{number.size} * len({value})", True)
            return
        names, inner, pieces = (
            self.new_items(items),
            Writer(self.message, self),
            self.new(items.name, "pieces"),
        )
        for part, name in zip(items.parts, names, strict=True):
            inner._part(part, name)
        each, result = f"for {', '.join(names)} in {value}", inner._result()
        inner.check()
        if inner.lines:
            self.put(f"{pieces} = []")
            self.loop(each, [*inner.lines, f"{pieces}.append({result})"])
        else:
            self.put(f"{pieces} = [{result} {each}]")
        sizes = [f"{inner._fixed} * len({value})"] * bool(inner._fixed)
        sizes += [f"sum({' + '.join(inner._varying)} {each})"] * bool(inner._varying)
        self._piece(f'b"".join({pieces})', " + ".join(sizes), True)
