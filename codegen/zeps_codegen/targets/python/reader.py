"""Where a decoder stands in the frame, what it has still to unpack, and what it has still to check.

A read of fixed octets proves that everything before it was there, so the end of a variable field is checked
by the read that follows it, or by the comparison with the frame's end. Whatever that finds is put down to
the first field that the frame does not hold.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Field
from ...naming import Scope, snake
from .lines import Lines, add, octets
from .plan import LOCALS, Formats, MessagePlan

__all__ = ["Piece", "Reader"]


@dataclass(frozen=True, slots=True)
class Piece:
    """Octets of a fixed size, unpacked together with their neighbours; without a local, stepped over."""

    field: str
    local: str
    code: str
    size: int


class Reader:
    """Writes the statements that read `data` from position ``base + offset`` on."""

    def __init__(self, plan: MessagePlan, formats: Formats, base: str = ""):
        self.out = Lines()
        self.name = plan.message.name
        self.closed = False  # whether the end of the frame has been checked
        self._plan = plan
        self._formats = formats
        self._base = base
        self._offset = 0
        self._head = False
        self._run: list[Piece] = []
        self._pending: list[tuple[str, str, str]] = []
        self._scope = Scope("python", [*LOCALS, *(slot.local for slot in plan.slots)])

    # --- places and names

    def at(self, extra: int = 0) -> str:
        """The expression for the position after what has been gathered, `extra` octets on."""
        head = len(self._plan.head) if self._head else 0
        return add(self._base, self._offset + head + sum(piece.size for piece in self._run) + extra)

    def go(self, base: str, offset: int = 0) -> None:
        """Stand at ``base + offset``."""
        self._base, self._offset = base, offset

    def local(self, field: Field, suffix: str) -> str:
        """A new local's name."""
        return self._scope.name(f"{snake(field.name)}_{suffix}")

    # --- errors

    def error(self, code: str, field: str, start: str) -> str:
        return f'DecodeError("{code}", "{self.name}", "{field}", {start})'

    def _pieces(self, *more: tuple[str, str, str]) -> str:
        listed = [*self._pending, *more]
        return ", ".join(f'("{field}", {start}, {end})' for field, start, end in listed)

    def _misread(self, *pieces: tuple[str, str, str]) -> str:
        listed = self._pieces(*pieces)
        return f"misread(_{self._plan.upper}_BEGINNING, data{f', {listed}' if listed else ''})"

    # --- the head

    def head(self) -> None:
        """The message's first octets, which are constant: they are read with the run that follows."""
        self._head = bool(self._plan.head)

    def settle_head(self) -> None:
        """Read what has been gathered; compare the head by itself, if nothing has been read with it."""
        self.flush()
        if self._head:
            self.out.refuse(f"not data.startswith({self._plan.upper}_HEAD)", self._misread())
            self._offset += len(self._plan.head)
            self._head = False

    def skip(self, count: int) -> None:
        """Go on `count` octets."""
        self._offset += count

    # --- fixed octets

    def gather(self, piece: Piece) -> None:
        """Read `piece` with its neighbours."""
        self._run.append(piece)

    def flush(self, last: bool = False) -> None:
        """Read what has been gathered. `last`: the frame ends there."""
        run, self._run = self._run, []
        if run:
            start = len(self._plan.head) if self._head else 0
            if self._head:
                self._with_head(run, last)
                self._offset += start
                self._head = False
            else:
                self._without_head(run, last)
            self._offset += sum(piece.size for piece in run)
            self._pending.clear()
            self.closed = self.closed or last

    def _places(self, run: list[Piece], offset: int) -> list[tuple[str, str, str]]:
        places = []
        for piece in run:
            places.append((piece.field, add(self._base, offset), add(self._base, offset + piece.size)))
            offset += piece.size
        return places

    def _with_head(self, run: list[Piece], last: bool) -> None:
        size = len(self._plan.head)
        total = size + sum(piece.size for piece in run)
        wrong = self._misread(*self._places(run, size))
        head = f"{self._plan.upper}_HEAD"
        if not any(piece.local for piece in run) and not last:
            self.out.refuse(f"not data.startswith({head}) or len(data) < {total}", wrong)
            return
        if len(run) == 1 and run[0].code == "B" and not last:
            self.out.refuse(f"not data.startswith({head})", wrong)
            self._attempt(f"{run[0].local} = data[{size}]", "IndexError", wrong)
            return
        codes = f"{size}s{''.join(piece.code for piece in run)}"
        unpack = self._formats.use("unpack" if last else "unpack_from", codes)
        names = ", ".join(["head", *(piece.local for piece in run if piece.local)])
        comma = "," if "," not in names else ""
        self._attempt(f"{names}{comma} = {unpack}(data)", "error", wrong)
        self.out.refuse(f"head != {head}", wrong)

    def _without_head(self, run: list[Piece], last: bool) -> None:
        size = sum(piece.size for piece in run)
        places = self._pieces(*self._places(run, self._offset))
        start, end = add(self._base, self._offset), add(self._base, self._offset + size)
        named = [piece for piece in run if piece.local]
        short = f'truncated("{self.name}", len(data), {places})'
        names = ", ".join(piece.local for piece in named)
        comma = "," if len(named) == 1 else ""
        index = len(run) == 1 and run[0].code == "B"
        unpack = "" if index or not named else self._formats.use("unpack_from", "".join(p.code for p in run))
        read = f"{names} = data[{start}]" if index else f"{names}{comma} = {unpack}(data, {start})"
        if last:
            self.out.refuse(f"len(data) != {end}", f'misfit("{self.name}", len(data), {end}, {places})')
            if named:
                self.out.put(read)
        elif not named:
            self.out.refuse(f"len(data) < {end}", short)
        else:
            self._attempt(read, "IndexError" if index else "error", short)

    def _attempt(self, statement: str, failure: str, error: str) -> None:
        with self.out.block("try:"):
            self.out.put(statement)
        with self.out.block(f"except {failure}:"):
            self.out.put(f"raise {error} from None")

    # --- variable octets

    def pend(self, field: str, start: str, end: str) -> None:
        """The field goes up to `end`, which has still to be compared with the frame's end."""
        self._pending.append((field, start, end))

    def require(self, field: str, start: str, end: str) -> None:
        """Check now that the frame holds the field up to `end`."""
        pieces = self._pieces((field, start, end))
        self.out.refuse(f"{end} > len(data)", f'truncated("{self.name}", len(data), {pieces})')
        self._pending.clear()

    def settle(self) -> None:
        """Check now that the frame holds the fields that pend."""
        if self._pending:
            self.require(*self._pending.pop())

    def close(self) -> None:
        """Nothing may follow."""
        self.settle_head()
        if self.closed:
            return
        end = self.at()
        if self._pending:
            field, start, _ = self._pending.pop()
            self.settle()
            error = f'ending("{self.name}", "{field}", {start}, {end}, len(data))'
        else:
            error = f'DecodeError("trailing", "{self.name}", None, {end})'
        self.out.refuse(f"len(data) != {end}", error)
        self.closed = True

    # --- constants among the fields

    def constants(self, values: list[tuple[str, bytes]]) -> None:
        """Compare octets that never vary."""
        self.settle_head()
        self.settle()
        wanted = b"".join(value for _, value in values)
        pieces = ", ".join(f'("{name}", {octets(value)})' for name, value in values)
        error = f'bad_constants("{self.name}", data, {self.at()}, {pieces})'
        self.out.refuse(f"data[{self.at()} : {self.at(len(wanted))}] != {octets(wanted)}", error)
        self._offset += len(wanted)
