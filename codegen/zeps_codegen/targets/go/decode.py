"""The statements of a decoder: one pass over the frame, field by field; the first that is wrong is reported.

`rest` is what has not been read yet, so that `len(frame)-len(rest)` is where the field in hand begins.
"""

from __future__ import annotations

from ...ir import Field, FieldType, Text
from ...naming import Scope
from ...plan.layout import least_octets, number_range
from .names import LOCALS, MessageNames, ProtocolNames, Slot, octets, quoted

__all__ = ["TEXT_CHECKS", "Decoder"]

#: What checks each class of text.
TEXT_CHECKS = {Text.UTF8: "wire.IsUTF8", Text.PRINTABLE: "wire.IsPrintable", Text.VCHAR: "wire.IsVChar"}
_APART = (FieldType.FRAME, FieldType.MSG)


class Decoder:
    """Writes the bodies of a message's `decode` and, for the frames after the first, of its `decodeFrames`."""

    def __init__(self, names: ProtocolNames, message: MessageNames) -> None:
        self.lines: list[str] = []
        self._names = names
        self._message = message
        self._scope = Scope("go", {*LOCALS, *(slot.local for slot in (*message.shown, *message.slots))})

    def body(self) -> list[str]:
        """The statements that read the first frame, and set the message's fields once all is well."""
        inline = [slot for slot in self._message.slots if slot.field.type not in _APART]
        self._head()
        if self._message.topic is not None:
            self._topic(self._message.topic)
        constants: list[Slot] = []
        for slot in inline:
            if slot.octets is not None:
                constants.append(slot)
                continue
            self._constants(constants)
            constants = []
            if slot.field.reserved:
                self._reserved(slot.field)
                continue
            self._value(
                slot.field, slot.field.name, slot.local, f"m.{slot.attribute}" if slot.attribute else ""
            )
            if not slot.attribute:
                self.lines.append(f"_ = {slot.local}")
        self._constants(constants)
        if not inline or not _takes_all(inline[-1].field):
            self._refuse("len(rest) != 0", "Trailing", "")
        topic = [self._message.topic] if self._message.topic is not None else []
        self.lines += [f"m.{s.attribute} = {s.local}" for s in (*topic, *inline) if s.attribute]
        self.lines.append("return nil")
        return self.lines

    def frames(self) -> list[str]:
        """The statements that read the frames after the first."""
        end, found = "len(frames[0])", [s for s in self._message.slots if s.field.type in _APART]
        for index, slot in enumerate(found, 1):
            field = slot.field
            self._refuse(f"len(frames) <= {index}", "Truncated", field.name, end)
            if field.type is FieldType.MSG:
                if field.max is not None:
                    self.lines.append(f"for _, more := range frames[{index}:] {{")
                    self._refuse(f"uint64(len(more)) > {field.max}", "TooLong", field.name, end)
                    self.lines.append("}")
                self.lines.append(f"m.{slot.attribute} = append(m.{slot.attribute}[:0], frames[{index}:]...)")
                break
            if field.max is not None:
                self._refuse(f"uint64(len(frames[{index}])) > {field.max}", "TooLong", field.name, end)
            self.lines.append(f"m.{slot.attribute} = frames[{index}]")
        else:
            self._refuse(f"len(frames) > {len(found) + 1}", "Trailing", "", end)
        self.lines.append("return nil")
        return self.lines

    # --- parts

    def _refuse(self, condition: str, code: str, field: str, offset: str = "len(frame)-len(rest)") -> None:
        error = f"wire.Fault(wire.{code}, {quoted(self._message.name)}, {quoted(field)}, {offset})"
        self.lines += [f"if {condition} {{", f"return {error}", "}"]

    def _head(self) -> None:
        """The constants at the frame's beginning."""
        head = self._message.layout.head
        if not head:
            self.lines.append("rest := frame")
            return
        size = len(head)
        begin = head[: self._message.layout.dispatch_size]
        constants = [(slot.field.name, slot.octets or b"") for slot in self._message.head_constants]
        if self._names.protocol.dispatch.value == "name":
            constants, begin = [("", begin), *constants], b""
        listed = "".join(f", {_constant(name, value)}" for name, value in constants)
        error = f"wire.Misread(frame, {quoted(self._message.name)}, {octets(begin)}{listed})"
        self.lines += [f"if len(frame) < {size} || string(frame[:{size}]) != {self._message.head} {{"]
        self.lines += [f"return {error}", "}", f"rest := frame[{size}:]"]

    def _topic(self, slot: Slot) -> None:
        end = self._scope.name("end")
        self.lines.append(f"{end} := bytes.IndexByte(rest, 0)")
        self._refuse(f"{end} < 0", "Truncated", "topic")
        self.lines.append(f"{slot.local} := wire.Text(m.{slot.attribute}, rest[:{end}])")
        self._refuse(f"!wire.IsUTF8({slot.local})", "BadText", "topic")
        self.lines.append(f"rest = rest[{end}+1:]")

    def _constants(self, slots: list[Slot]) -> None:
        if not slots:
            return
        wanted = b"".join(slot.octets or b"" for slot in slots)
        listed = ", ".join(_constant(slot.field.name, slot.octets or b"") for slot in slots)
        place = f"{quoted(self._message.name)}, len(frame)-len(rest)"
        size = len(wanted)
        self.lines += [f"if len(rest) < {size} || string(rest[:{size}]) != {octets(wanted)} {{"]
        self.lines += [f"return wire.BadConstants(frame, {place}, {listed})", "}", f"rest = rest[{size}:]"]

    def _reserved(self, field: Field) -> None:
        """Step over octets that mean nothing."""
        if field.size:
            self._refuse(f"len(rest) < {field.size}", "Truncated", field.name)
            self.lines.append(f"rest = rest[{field.size}:]")

    def _value(self, field: Field, shown: str, local: str, old: str = "") -> None:
        """Declare `local` with the field's value; `old` is where the value of an earlier decode lies."""
        match field.type:
            case FieldType.NUMBER:
                self._number(field, shown, local)
            case FieldType.VARINT:
                self._varint(field, shown, local)
            case FieldType.OCTETS if field.length is None:
                self._refuse(f"len(rest) < {field.size}", "Truncated", shown)
                self.lines += [f"{local} := rest[:{field.size}:{field.size}]", f"rest = rest[{field.size}:]"]
            case FieldType.OCTETS:
                size = self._scope.name(f"{local}Size")
                self.lines.append(f"{size} := uint64({self._message.named(field.length).local})")
                self._extent(field, shown, local, size, 0)
            case FieldType.STRING | FieldType.CHUNK:
                size = self._scope.name(f"{local}Size")
                self._refuse(f"len(rest) < {field.size}", "Truncated", shown)
                self.lines.append(f"{size} := uint64({_read(field.size)})")
                is_text = field.type is FieldType.STRING and field.text is not Text.OCTETS
                self._extent(field, shown, local, size, field.size, old if is_text else None)
            case FieldType.REST:
                if field.max is not None:
                    self._refuse(f"uint64(len(rest)) > {field.max}", "TooLong", shown)
                self.lines.append(f"{local} := rest[:len(rest):len(rest)]")  # nothing looks at rest again
            case FieldType.LIST:
                self._list(field, shown, local, old)
            case FieldType.HASH:
                self._hash(field, shown, local, old)
            case _:
                raise ValueError(f"{self._message.name}.{shown}: no decoder for {field.type.value}")

    def _number(self, field: Field, shown: str, local: str) -> None:
        self._refuse(f"len(rest) < {field.size}", "Truncated", shown)
        raw = _read(field.size)
        self._settle(field, shown, local, f"int{8 * field.size}({raw})" if field.signed else raw)
        self.lines.append(f"rest = rest[{field.size}:]")

    def _varint(self, field: Field, shown: str, local: str) -> None:
        raw, size, code = (self._scope.name(f"{local}{part}") for part in ("Raw", "Size", "Code"))
        self.lines.append(f"{raw}, {size}, {code} := wire.Varint(rest)")
        place = f"{quoted(self._message.name)}, {quoted(shown)}, len(frame)-len(rest)"
        self.lines += [f'if {code} != "" {{', f"return wire.Fault({code}, {place})", "}"]
        self._settle(field, shown, local, f"wire.Unzigzag({raw})" if field.signed else raw)
        self.lines.append(f"rest = rest[{size}:]")

    def _settle(self, field: Field, shown: str, local: str, raw: str) -> None:
        """Give `local` the number, within its limit and its enumeration."""
        limited = field.max is not None and field.max < number_range(field)[1]
        if field.enumeration is None:
            self.lines.append(f"{local} := {raw}")
            if limited:
                self._refuse(f"{local} > {field.max}", "TooLong", shown)
            return
        if limited:
            number = self._scope.name(f"{local}Number")
            self.lines.append(f"{number} := {raw}")
            self._refuse(f"{number} > {field.max}", "TooLong", shown)
            raw = number
        self.lines.append(f"{local} := {self._names.enumerations[field.enumeration].type}({raw})")
        self._refuse(f"!{local}.{'IsUnion' if field.flags else 'IsMember'}()", "BadConstant", shown)

    def _extent(
        self, field: Field, shown: str, local: str, size: str, prefix: int, old: str | None = None
    ) -> None:
        """`size` octets after `prefix` octets; text if `old` is given, which may be empty."""
        if field.max is not None and (field.length or field.max < (1 << 8 * field.size) - 1):
            self._refuse(f"{size} > {field.max}", "TooLong", shown)
        left = f"len(rest)-{prefix}" if prefix else "len(rest)"
        self._refuse(f"{size} > uint64({left})", "Truncated", shown)
        end = f"{prefix}+{size}" if prefix else size
        if old is None:
            self.lines += [f"{local} := rest[{prefix or ''}:{end}:{end}]", f"rest = rest[{end}:]"]
            return
        found = f"rest[{prefix}:{end}]"
        if field.enumeration is not None:
            text = self._scope.name(f"{local}Text")
            self.lines.append(f"{text} := string({found})")
        else:
            text = local
            self.lines.append(f"{text} := wire.Text({old}, {found})" if old else f"{text} := string({found})")
        self._refuse(f"!{TEXT_CHECKS[field.text]}({text})", "BadText", shown)
        if field.enumeration is not None:
            self.lines.append(f"{local} := {self._names.enumerations[field.enumeration].type}({text})")
            self._refuse(f"!{local}.IsMember()", "BadConstant", shown)
        self.lines.append(f"rest = rest[{end}:]")

    # --- many values

    def _items(self, field: Field, shown: str, local: str, least: int, old: str) -> None:
        """Declare `local`, empty, and begin the loop over the items, of at least `least` octets each."""
        kind = self._names.type_of(field)
        old = old or f"{kind}(nil)"
        if not field.open_ended:
            count = self._count(field, shown, local, least)
            self.lines.append(f"{local} := wire.Room({old}, {count})")
            self.lines.append(f"for ; {count} > 0; {count}-- {{")
            return
        loop = [f"{local} := {old}[:0]", "for len(rest) != 0 {"]
        if field.max is None:
            self.lines += loop
            return
        begin = self._scope.name(f"{local}At")
        self.lines += [f"{begin} := len(frame) - len(rest)", *loop]
        self._refuse(f"uint64(len({local})) == {field.max}", "TooLong", shown, begin)

    def _count(self, field: Field, shown: str, local: str, least: int) -> str:
        """The local that holds the number of items."""
        count, prefix = self._scope.name(f"{local}Count"), 0
        if field.count is not None:
            self.lines.append(f"{count} := uint64({self._message.named(field.count).local})")
        else:
            prefix = field.size
            self._refuse(f"len(rest) < {prefix}", "Truncated", shown)
            self.lines.append(f"{count} := uint64({_read(prefix)})")
        if field.max is not None:
            self._refuse(f"{count} > {field.max}", "TooLong", shown)
        left = f"uint64(len(rest)-{prefix})" if prefix else "uint64(len(rest))"
        self._refuse(f"{count} > {left}/{least}" if least > 1 else f"{count} > {left}", "Truncated", shown)
        if prefix:
            self.lines.append(f"rest = rest[{prefix}:]")
        return count

    def _list(self, field: Field, shown: str, local: str, old: str) -> None:
        item = field.items
        assert item is not None
        one = self._scope.name(f"{local}Item")
        self._items(field, shown, local, max(1, least_octets(item)), old)
        self._value(item, shown, one)
        self.lines += [f"{local} = append({local}, {one})", "}"]

    def _hash(self, field: Field, shown: str, local: str, old: str) -> None:
        key, value = self._scope.name(f"{local}Key"), self._scope.name(f"{local}Value")
        kind = self._names.type_of(field)
        self._items(field, shown, local, 5, old)
        for name, size in ((key, 1), (value, 4)):
            self._value(Field(name, FieldType.STRING, size=size, text=field.text), shown, name)
        self.lines += [f"{local} = append({local}, {kind[2:]}{{Key: {key}, Value: {value}}})", "}"]


def _takes_all(field: Field) -> bool:
    """Whether nothing can be left after the field."""
    return field.value is None and (field.type is FieldType.REST or field.open_ended)


def _read(size: int) -> str:
    """The number at the beginning of `rest`."""
    return "rest[0]" if size == 1 else f"binary.BigEndian.Uint{8 * size}(rest)"


def _constant(field: str, value: bytes) -> str:
    return f"wire.Constant{{Field: {quoted(field)}, Octets: {octets(value)}}}"
