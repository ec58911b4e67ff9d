"""Where a decoder stands in the frame, what it has still to unpack, and what it has still to check.

A read of fixed octets proves that everything before it was there, so the end of a variable field is checked
by the read that follows it, or by the comparison with the frame's end. Whatever that finds is put down to
the first field that the frame does not hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import calcsize

from ...naming import snake
from ...plan.operations import Constant
from .lines import Lines, add
from .plan import Formats, MessagePlan, octets

__all__ = ["Piece", "Reader"]

Extent = tuple[str, str, str]
"""A field, and where it starts and ends."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Octets of a fixed size, unpacked together with their neighbours; without a local, stepped over."""

    field: str
    local: str
    code: str

    @property
    def size(self) -> int:
        return calcsize(f">{self.code}")


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
        self._head = b""  # constant octets to be read with the run that follows
        self._run: list[Piece] = []
        self._pending: list[Extent] = []
        self._scope = plan.locals()

    # --- places and names

    def at(self, extra: int = 0) -> str:
        """The expression for the position after what has been gathered, `extra` octets on."""
        gathered = len(self._head) + sum(piece.size for piece in self._run)
        return add(self._base, self._offset + gathered + extra)

    def here(self) -> str:
        """The position after all that has been read and checked."""
        self.settle_head()
        self.settle()
        return self.at()

    def go(self, base: str, offset: int = 0) -> None:
        """Stand at ``base + offset``."""
        self._base, self._offset = base, offset

    def local(self, name: str, suffix: str) -> str:
        """A new local's name."""
        return self._scope.name(f"{snake(name)}_{suffix}")

    # --- errors

    def error(self, code: str, field: str, start: str) -> str:
        return f'DecodeError("{code}", "{self.name}", "{field}", {start})'

    def _extents(self, *more: Extent) -> list[str]:
        return [f'("{field}", {start}, {end})' for field, start, end in (*self._pending, *more)]

    def _misread(self, *more: Extent) -> str:
        return f"misread({', '.join([f'_{self._plan.upper}_BEGINNING', 'data', *self._extents(*more)])})"

    def _call(self, error: str, *arguments: str) -> str:
        return f'{error}("{self.name}", {", ".join(arguments)})'

    # --- constants

    def head(self) -> None:
        """The message's first octets, which are constant: they are read with the run that follows."""
        self._head = self._plan.wire.head

    def settle_head(self) -> None:
        """Read what has been gathered; compare the head by itself, if nothing has been read with it."""
        self.flush()
        if self._head:
            self.out.refuse(f"not data.startswith({self._plan.upper}_HEAD)", self._misread())
            self._offset += len(self._head)
            self._head = b""

    def constants(self, constants: list[Constant]) -> None:
        """Compare octets that never vary, if there are any."""
        if not constants:
            return
        start = self.here()
        wanted = b"".join(one.octets for one in constants)
        listed = [f'("{one.name}", {octets(one.octets)})' for one in constants]
        error = self._call("bad_constants", "data", start, *listed)
        self.out.refuse(f"data[{start} : {self.at(len(wanted))}] != {octets(wanted)}", error)
        self._offset += len(wanted)

    # --- fixed octets

    def gather(self, piece: Piece) -> None:
        """Read `piece` with its neighbours."""
        self._run.append(piece)

    def flush(self, last: bool = False) -> None:
        """Read what has been gathered. `last`: the frame ends there."""
        if not self._run:
            return
        run, head, self._run, self._head = self._run, self._head, [], b""
        self._offset += len(head)
        extents, offset = [], self._offset
        for piece in run:
            extents.append((piece.field, add(self._base, offset), add(self._base, offset + piece.size)))
            offset += piece.size
        if head:
            self._with_head(head, run, extents, last)
        else:
            self._without_head(run, extents, last)
        self._offset = offset
        self._pending.clear()
        self.closed = self.closed or last

    def _with_head(self, octets: bytes, run: list[Piece], extents: list[Extent], last: bool) -> None:
        wrong, head = self._misread(*extents), f"{self._plan.upper}_HEAD"
        names = [piece.local for piece in run if piece.local]
        if not names and not last:
            self.out.refuse(f"not data.startswith({head}) or len(data) < {extents[-1][2]}", wrong)
        elif [piece.code for piece in run] == ["B"] and not last:
            self.out.refuse(f"not data.startswith({head})", wrong)
            self.out.attempt(f"{names[0]} = data[{len(octets)}]", "IndexError", wrong)
        else:
            codes = f"{len(octets)}s{''.join(piece.code for piece in run)}"
            unpack = self._formats.use("unpack" if last else "unpack_from", codes)
            self.out.attempt(
                f"{', '.join(['head', *names])}{'' if names else ','} = {unpack}(data)", "error", wrong
            )
            self.out.refuse(f"head != {head}", wrong)

    def _without_head(self, run: list[Piece], extents: list[Extent], last: bool) -> None:
        listed = self._extents(*extents)
        start, end = extents[0][1], extents[-1][2]
        names = [piece.local for piece in run if piece.local]
        read, failure = "", "error"
        if [piece.code for piece in run] == ["B"]:
            read, failure = f"{names[0]} = data[{start}]", "IndexError"
        elif names:
            unpack = self._formats.use("unpack_from", "".join(piece.code for piece in run))
            read = f"{', '.join(names)}{',' if len(names) == 1 else ''} = {unpack}(data, {start})"
        if last:
            self.out.refuse(f"len(data) != {end}", self._call("misfit", "len(data)", end, *listed))
            self.out.put(*([read] if read else []))
        elif read:
            self.out.attempt(read, failure, self._call("truncated", "len(data)", *listed))
        else:
            self.out.refuse(f"len(data) < {end}", self._call("truncated", "len(data)", *listed))

    # --- variable octets

    def pend(self, field: str, start: str, end: str) -> None:
        """The field goes up to `end`, which has still to be compared with the frame's end."""
        self._pending.append((field, start, end))

    def require(self, field: str, start: str, end: str) -> None:
        """Check now that the frame holds the field up to `end`."""
        listed = self._extents((field, start, end))
        self.out.refuse(f"{end} > len(data)", self._call("truncated", "len(data)", *listed))
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
        error = f'DecodeError("trailing", "{self.name}", None, {end})'
        if self._pending:
            field, start, _ = self._pending.pop()
            self.settle()
            error = self._call("ending", f'"{field}"', start, end, "len(data)")
        self.out.refuse(f"len(data) != {end}", error)
        self.closed = True
