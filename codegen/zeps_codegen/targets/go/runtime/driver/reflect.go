package main

import (
	"reflect"

	"zeps.example/wire"
)

// message is a message of any protocol.
type message interface{ MessageName() string }

// protocol is the codec of a protocol.
type protocol struct {
	name     string
	decode   func(frames [][]byte) (message, error)
	messages []kind
}

// single decodes a message of a protocol whose messages all have one frame.
func single(decode func(frame []byte) (message, error)) func([][]byte) (message, error) {
	return func(frames [][]byte) (message, error) {
		if len(frames) == 0 {
			return nil, wire.Fault(wire.Truncated, "", "", 0)
		}
		found, err := decode(frames[0])
		if err == nil && len(frames) > 1 {
			err = wire.Fault(wire.Trailing, found.MessageName(), "", len(frames[0]))
		}
		return found, err
	}
}

// encode returns the frames of a message.
func encode(found message) ([][]byte, error) {
	switch found := found.(type) {
	case interface{ Encode() ([]byte, error) }:
		frame, err := found.Encode()
		return [][]byte{frame}, err
	case interface {
		AppendFrames([][]byte) ([][]byte, error)
	}:
		return found.AppendFrames(nil)
	}
	panic("the message has no encoder")
}

// kind is a message of a protocol, with its fields in wire order.
type kind struct {
	empty  message
	fields []field
}

// field is a value of a struct, or a parameter. Its shape is the tag of its values, and for a list also that of the
// items.
type field struct{ attribute, name, shape string }

// kind returns the message called name, or nil.
func (p *protocol) kind(name string) *kind {
	for i := range p.messages {
		if p.messages[i].empty.MessageName() == name {
			return &p.messages[i]
		}
	}
	return nil
}

// tell writes the values of a message to an answer.
func (p *protocol) tell(out *writer, found message) {
	fields := p.kind(found.MessageName()).fields
	out.count(len(fields))
	for _, one := range fields {
		tell(out, reflect.ValueOf(found).Elem().FieldByName(one.attribute), one.shape)
	}
}

// build returns a message with the values of a request.
func (k *kind) build(in *arguments) message {
	made := reflect.New(reflect.TypeOf(k.empty).Elem())
	in.fields(len(k.fields))
	for _, one := range k.fields {
		in.field(one.name)
		in.fill(made.Elem().FieldByName(one.attribute), one.shape)
	}
	return made.Interface().(message)
}

// tell writes a value to an answer.
func tell(out *writer, value reflect.Value, shape string) {
	switch shape[0] {
	case 'u':
		if value.Kind() == reflect.Bool {
			out.tagged('u', uint64(flag(value.Bool())))
		} else {
			out.tagged('u', value.Uint())
		}
	case 'i':
		out.tagged('i', uint64(value.Int()))
	case 'l':
		out.byte('l')
		out.count(value.Len())
		for i := 0; i < value.Len(); i++ {
			tell(out, value.Index(i), shape[1:])
		}
	case 'h':
		out.byte('h')
		out.count(value.Len())
		for i := 0; i < value.Len(); i++ {
			tell(out, value.Index(i).Field(0), "s")
			tell(out, value.Index(i).Field(1), "s")
		}
	default:
		out.byte(shape[0])
		if value.Kind() == reflect.String {
			out.blob([]byte(value.String()))
		} else {
			out.blob(value.Bytes())
		}
	}
}

// fill sets target to the next argument.
func (a *arguments) fill(target reflect.Value, shape string) {
	code := wire.TooLong
	if target.Type().PkgPath() != "" { // an enumeration
		code = wire.BadConstant
	}
	switch shape[0] {
	case 'u':
		if target.Kind() == reflect.Bool {
			target.SetBool(a.next('u').number != 0)
		} else {
			target.SetUint(a.within(target.Type().Bits(), code))
		}
	case 'i':
		target.SetInt(a.signedWithin(target.Type().Bits(), code))
	case 'l', 'h':
		a.inside(shape[0], func(in *arguments) {
			item := reflect.New(target.Type().Elem()).Elem()
			if shape[0] == 'l' {
				in.fill(item, shape[1:])
			} else {
				in.fill(item.Field(0), "s")
				in.fill(item.Field(1), "s")
			}
			target.Set(reflect.Append(target, item))
		})
	default:
		if octets := a.next(shape[0]).octets; target.Kind() == reflect.String {
			target.SetString(string(octets))
		} else {
			target.SetBytes(octets)
		}
	}
}
