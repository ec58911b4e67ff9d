package main

import (
	"encoding/binary"
	"errors"
	"fmt"

	"zeps.example/wire"
)

// badRequest reports a request that cannot be parsed or has an unknown name; handle answers with its text.
type badRequest string

func refuse(format string, arguments ...any) { panic(badRequest(fmt.Sprintf(format, arguments...))) }

// value is a value of a request.
type value struct {
	tag    byte
	number uint64
	octets []byte
	items  []value // items of a list, or alternating keys and values
}

// cursor is a position in a request.
type cursor struct{ rest []byte }

func (c *cursor) take(count uint64) []byte {
	if count > uint64(len(c.rest)) {
		refuse("the request is truncated")
	}
	taken := c.rest[:count:count]
	c.rest = c.rest[count:]
	return taken
}

func (c *cursor) count() uint64   { return uint64(binary.BigEndian.Uint32(c.take(4))) }
func (c *cursor) name() string    { return string(c.take(uint64(c.take(1)[0]))) }
func (c *cursor) blob() []byte    { return c.take(c.count()) }
func (c *cursor) values() []value { return c.some(1, 0) }

// frames reads one frame, or a count and the frames.
func (c *cursor) frames(isSeveral bool) [][]byte {
	if !isSeveral {
		return [][]byte{c.blob()}
	}
	var found [][]byte
	for count := c.count(); count > 0; count-- {
		found = append(found, c.blob())
	}
	return found
}

func (c *cursor) end() {
	if len(c.rest) != 0 {
		refuse("bytes follow the request")
	}
}

// some reads a count and that many groups of each values.
func (c *cursor) some(each uint64, depth int) []value {
	count := c.count()
	if count > uint64(len(c.rest))/each {
		refuse("a count exceeds the request")
	}
	found := make([]value, 0, min(count*each, 1024))
	for ; count > 0; count-- {
		for i := uint64(0); i < each; i++ {
			found = append(found, c.value(depth))
		}
	}
	return found
}

func (c *cursor) value(depth int) value {
	if depth > 100 {
		refuse("values are nested too deeply")
	}
	tag := c.take(1)[0]
	switch tag {
	case 'u', 'i':
		return value{tag: tag, number: binary.BigEndian.Uint64(c.take(8))}
	case 's', 'b':
		return value{tag: tag, octets: c.blob()}
	case 'l':
		return value{tag: tag, items: c.some(1, depth+1)}
	case 'h':
		return value{tag: tag, items: c.some(2, depth+1)}
	}
	refuse("unknown kind of value %q", tag)
	return value{}
}

// arguments are values that are read one by one, each with a given type.
type arguments struct {
	values []value
	*refusal
}

// refusal is the first number beyond its type, with the fields before and after it.
type refusal struct {
	code  wire.Code
	at    int
	order []string
}

func argumentsOf(values []value) *arguments { return &arguments{values, new(refusal)} }

// field sets the field of the next arguments.
func (r *refusal) field(name string) { r.order = append(r.order, name) }

func (r *refusal) set(code wire.Code) {
	if r.code == "" {
		r.code, r.at = code, len(r.order)-1
	}
}

// before returns the refusal as an error of the message, if it does not come later than err in wire order.
func (r *refusal) before(err error, name string) error {
	if r.code == "" {
		return err
	}
	var other *wire.EncodeError
	if errors.As(err, &other) {
		for _, field := range r.order[:r.at] {
			if field == other.Field {
				return err
			}
		}
	}
	return wire.Refuse(r.code, name, r.order[r.at])
}

func (a *arguments) fields(count int) {
	if len(a.values) != count {
		refuse("%d values expected, not %d", count, len(a.values))
	}
}

func (a *arguments) next(tag byte) value {
	if len(a.values) == 0 {
		refuse("too few values")
	}
	found := a.values[0]
	a.values = a.values[1:]
	if found.tag != tag {
		refuse("value of kind %q expected, not %q", tag, found.tag)
	}
	return found
}

// within returns an unsigned number of a type with the given bits; a greater number is refused with code.
func (a *arguments) within(bits int, code wire.Code) uint64 {
	number := a.next('u').number
	if greatest := uint64(1)<<bits - 1; bits < 64 && number > greatest {
		a.set(code)
		return greatest
	}
	return number
}

// signedWithin is within for signed numbers.
func (a *arguments) signedWithin(bits int, code wire.Code) int64 {
	number := int64(a.next('i').number)
	if greatest := int64(1)<<(bits-1) - 1; bits < 64 && (number > greatest || number < -greatest-1) {
		a.set(code)
		return greatest
	}
	return number
}

func (a *arguments) inside(tag byte, each func(*arguments)) {
	inner := &arguments{a.next(tag).items, a.refusal}
	for len(inner.values) > 0 {
		each(inner)
	}
}

// writer appends the parts of an answer.
type writer struct{ octets []byte }

func (w *writer) byte(octet byte) { w.octets = append(w.octets, octet) }
func (w *writer) count(count int) { w.octets = binary.BigEndian.AppendUint32(w.octets, uint32(count)) }

func (w *writer) name(name string) {
	if len(name) > 255 {
		name = name[:255]
	}
	w.octets = append(w.octets, byte(len(name)))
	w.octets = append(w.octets, name...)
}

func (w *writer) blob(octets []byte) {
	w.count(len(octets))
	w.octets = append(w.octets, octets...)
}

// frames writes one frame, or a count and the frames.
func (w *writer) frames(frames [][]byte, isSeveral bool) {
	if isSeveral {
		w.count(len(frames))
	}
	for _, frame := range frames {
		w.blob(frame)
	}
}

func (w *writer) tagged(tag byte, number uint64) {
	w.octets = binary.BigEndian.AppendUint64(append(w.octets, tag), number)
}

// flag is 1 for true and 0 for false.
func flag(yes bool) byte {
	if yes {
		return 1
	}
	return 0
}
