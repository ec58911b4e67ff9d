"""The bodies of a message's functions: each operation is spelled once, for reading, checking, sizing and writing."""

from __future__ import annotations

from ...ir import Text
from ...plan.operations import Constant, Content, Fixed, Items, Number, Operation, Reserved, Rest, Topic
from .literals import octets, quoted
from .names import Slot, Struct, built, kind, number_type, type_name

__all__ = ["Codec"]


class Codec:
    """Statements over `reader`, `self` and `sink`. What the type of a value ensures is not checked."""

    def __init__(self, struct: Struct) -> None:
        body = _Body(struct)
        for constant in struct.plan.constants:
            body.read_constant(constant)
        for slot in struct.slots:
            body.slot(slot)
        shown = [f"{s.name}: {s.local}" if s.name != s.local else s.local for s in struct.shown]
        head = struct.plan.head
        fixed = len(head) + body.fixed
        self.read = [*body.read, "reader.end()?;", f"Ok({built(struct.name, shown)})"]
        self.check = [*body.first, *body.check, *body.last, "Ok(())"]
        self.size = " + ".join([str(fixed), *body.sizes] if fixed or not body.sizes else body.sizes)
        self.write = [*[f"sink.put({octets(head)});"] * bool(head), *body.write]


class _Body:
    """What operations add to each function: those of a message, or of an item whose list is called `shown`.

    Checked `first` are the topic and counts that have to agree, and `last` whether each length fits into its octets.
    """

    def __init__(self, struct: Struct, shown: str = "") -> None:
        self.read: list[str] = []
        self.first: list[str] = []
        self.check: list[str] = []
        self.last: list[str] = []
        self.fixed = 0
        self.sizes: list[str] = []
        self.write: list[str] = []
        self._struct, self._shown = struct, shown

    def slot(self, slot: Slot) -> None:
        """An operation of the message."""
        self._shown = slot.operation.name
        match slot.operation:
            case Constant(octets=value) as constant:
                self.read_constant(constant)
                self._put(len(value), octets(value))
            case Reserved(name, size):
                self.read.append(f"reader.fixed::<{size}>({quoted(name)})?;")
                self._put(size, *[f"&[0; {size}]"] * (size > 0))
            case Number(measures=measures) as number if measures:
                self._count(number, slot.local)
            case operation:
                self.value(operation, f"self.{slot.name}", slot.local)

    def read_constant(self, constant: Constant) -> None:
        self.read.append(f"reader.constant({octets(constant.octets)}, {quoted(constant.name)})?;")

    def value(self, operation: Operation, value: str, local: str | None = None) -> None:
        """Read into `local`, if it is kept; check and write `value`."""
        shown, length = quoted(self._shown), f"{value}.len()"
        match operation:
            case Topic():
                self._let(local, f"reader.topic({shown})?")
                self.first += self._refusal(f"{value}.contains('\\0')", "BadText")
                self._put(1, f"{value}.as_bytes()", 'b"\\0"', varying=length)
            case Number():
                self._number(operation, value, local)
            case Content():
                self._content(operation, value, local)
            case Fixed(size=size):
                self._let(local, f"reader.fixed::<{size}>({shown})?")
                self._put(size, value)
            case Rest(limit=limit):
                self._let(local, f"reader.rest({shown}, {_most(limit)})?")
                self._length(length, limit)
                self._put(0, value, varying=length)
            case Items():
                self._items(operation, value, local)
            case _:
                raise ValueError(f"{operation.name} has no value")

    # --- numbers

    def _number(self, number: Number, value: str, local: str | None) -> None:
        self._read_number(number, local)
        if number.enumeration is not None:
            value = f"list::Numbered::to_number({value})"
            if number.signed or number.bits < 64:
                value = f"{value} as {number_type(number)}"
        if number.limit is not None:
            self.check += self._refusal(f"{value} > {number.limit}", "TooLong")
        if number.size:
            self._put(number.size, f"&{f'({value})' if ' ' in value else value}.to_be_bytes()")
        else:
            self._put_varint(f"wire::zigzag({value})" if number.signed else value)

    def _count(self, number: Number, local: str) -> None:
        """A number that counts or measures others, which have to be as long as the first of them."""
        self._read_number(number, local)
        wanted, *others = (f"self.{self._struct.slot(name).name}.len()" for name in number.measures)
        for seen, shown in zip(others, number.measures[1:], strict=True):
            names = f"{quoted(self._struct.plan.name)}, {quoted(shown)}"
            error = f"return Err(wire::miscounted({seen}, {wanted}, {names}));"
            self.first += [f"if {seen} != {wanted} {{", error, "}"]
        self._shown = number.measures[0]
        self._length(wanted, number.limit, number.size)
        if number.size:
            self._put_length(number.size, wanted)
        else:
            self._put_varint(f"{wanted} as u64")

    def _read_number(self, number: Number, local: str | None) -> None:
        shown, plain = quoted(self._shown), number_type(number)
        varint = f"reader.varint({shown})?"
        sized = f"{plain}::from_be_bytes(reader.array({shown})?)"
        read = sized if number.size else f"wire::unzigzag({varint})" if number.signed else varint
        if number.limit is None and number.enumeration is None:
            self._let(local, read)
            return
        raw = (local or "item") if number.enumeration is None else "raw"
        self.read += ["let start = reader.offset();", f"let {raw} = {read};"]
        if number.limit is not None:
            error = f"return Err(reader.error(Code::TooLong, {shown}, start));"
            self.read += [f"if {raw} > {number.limit} {{", error, "}"]
        if number.enumeration is not None:
            wide = "raw" if plain == "u64" else "raw as u64" if number.signed else "u64::from(raw)"
            self._let_member(local, number.enumeration, f"list::Numbered>::of_number({wide})")

    # --- content

    def _content(self, content: Content, value: str, local: str | None) -> None:
        limits = f"{quoted(self._shown)}, {_most(content.limit)}"
        if content.measured_by is not None:
            read = f"reader.measured({self._counted_by(content.measured_by)}, {limits})?"
        elif content.text is None:
            read = f"reader.octets::<{content.prefix}>({limits})?"
        else:
            read = f"reader.text::<{content.prefix}>({limits}, {_class(content.text)})?"
        if content.enumeration is not None:
            self.read += ["let start = reader.offset();", f"let raw = {read};"]
            self._let_member(local, content.enumeration, "list::Worded>::of_text(raw)")
            value = f"{value}.as_str()"
        else:
            self._let(local, read)
            if content.text is Text.PRINTABLE or content.text is Text.VCHAR:
                self.check += self._refusal(f"!{_class(content.text)}.admits({value})", "BadText")
        self._length(f"{value}.len()", content.limit, content.prefix)
        self._put_length(content.prefix, f"{value}.len()")
        self._put(0, value if content.text is None else f"{value}.as_bytes()", varying=f"{value}.len()")

    # --- items

    def _items(self, items: Items, value: str, local: str | None) -> None:
        """Check each item; the value is a view of their octets."""
        inner = _Body(self._struct, self._shown)
        names = ("key", "value") if items.is_pairs else ("item",)
        for name, part in zip(names, items.parts, strict=True):
            inner.value(part, name)
        limits = f"{quoted(self._shown)}, {_most(items.limit)}"
        counted = f"reader.list::<{items.prefix}>({limits}, {items.least})?"
        if items.counted_by is not None:
            counted = f"reader.counted({self._counted_by(items.counted_by)}, {limits}, {items.least})?"
        match items.is_open, items.width:
            case True, None:
                turns = f"while reader.more(&mut items, {limits})? {{"
                self.read += ["let mut items = reader.open();", turns, *inner.read, "}"]
            case True, width:
                self.read.append(f"let items = reader.all({limits}, {width})?;")
            case False, None:
                self.read += [f"let items = {counted};", "for _ in 0..items.count {", *inner.read, "}"]
            case False, width:
                self.read += [f"let items = {counted};", f"reader.skip(&items, {width});"]
        if local is not None:
            self._let(local, "reader.listed(&items)")
        self._length(f"{value}.len()", items.limit, items.prefix)
        if isinstance(items.parts[0], Content) and items.parts[0].enumeration is not None:
            inner.check += inner.last  # the form of any other item admits no greater length
        if inner.check:
            pattern = f"({', '.join(names)})" if items.is_pairs else "item"
            self.check += [f"for {pattern} in {value} {{", *inner.check, "}"]
        self._put_length(items.prefix, f"{value}.len()")
        self.sizes.append(f"{value}.size()")
        self.write.append(f"{value}.write(sink);")

    # --- what several have in common

    def _let(self, local: str | None, read: str) -> None:
        self.read.append(f"let {local} = {read};" if local is not None else f"{read};")

    def _let_member(self, local: str | None, enumeration: str, of: str) -> None:
        error = f"reader.error(Code::BadConstant, {quoted(self._shown)}, start)"
        self._let(local, f"<{type_name(enumeration)} as {of}.ok_or_else(|| {error})?")

    def _counted_by(self, name: str) -> str:
        """The number that was read, as a u64."""
        slot = self._struct.slot(name)
        return slot.local if kind(slot.operation) == "u64" else f"u64::from({slot.local})"

    def _length(self, length: str, limit: int | None, size: int = 0) -> None:
        """A length that may be no greater than `limit`, or than what `size` octets hold, if there are any."""
        if limit is not None:
            self.check += self._refusal(f"{length} as u64 > {limit}", "TooLong")
        elif 0 < size < 8:
            self.last += self._refusal(f"{length} as u64 > {(1 << 8 * size) - 1}", "TooLong")

    def _refusal(self, condition: str, code: str) -> list[str]:
        names = f"{quoted(self._struct.plan.name)}, {quoted(self._shown)}"
        return [f"if {condition} {{", f"return Err(EncodeError::new(Code::{code}, {names}));", "}"]

    def _put(self, fixed: int, *values: str, varying: str | None = None) -> None:
        """`values`, which have `fixed` octets and as many as `varying` says."""
        self.fixed += fixed
        self.sizes += [varying] if varying is not None else []
        self.write += [f"sink.put({value});" for value in values]

    def _put_length(self, size: int, length: str) -> None:
        self.fixed += size
        self.write += [f"wire::put_length::<{size}, S>({length}, sink);"] * (size > 0)

    def _put_varint(self, value: str) -> None:
        self.sizes.append(f"wire::varint_size({value})")
        self.write.append(f"wire::put_varint({value}, sink);")


def _class(text: Text) -> str:
    return f"Text::{text.name.capitalize()}"


def _most(limit: int | None) -> str:
    return "u64::MAX" if limit is None else str(limit)
