package main

import (
	"reflect"
	"testing"

	"zeps.example/wire"
)

// TestValues: what an answer says is what a request would have to say.
func TestValues(t *testing.T) {
	type enumeration uint16
	type values struct {
		Unsigned uint64
		Signed   int8
		Text     string
		Raw      []byte
		Octets   []byte
		Is       bool
		Hash     []wire.Pair
		Lists    [][]uint8
		Colour   enumeration
	}
	shapes := []string{"u", "i", "s", "s", "b", "u", "h", "llu", "u"}
	wanted := values{1 << 63, -2, "text", []byte{0xFF}, []byte{1, 2}, true, []wire.Pair{{Key: "key", Value: "value"}}, [][]uint8{{1, 2}, {3}}, 300}
	out := new(writer)
	out.count(len(shapes))
	for i, shape := range shapes {
		tell(out, reflect.ValueOf(wanted).Field(i), shape)
	}
	in := argumentsOf((&cursor{rest: out.octets}).values())
	in.fields(len(shapes))
	var found values
	for i, shape := range shapes {
		in.fill(reflect.ValueOf(&found).Elem().Field(i), shape)
	}
	if !reflect.DeepEqual(found, wanted) {
		t.Errorf("%+v", found)
	}
}

// TestBeyond: a number that its type cannot hold is refused for its field, unless an earlier field is wrong.
func TestBeyond(t *testing.T) {
	out := new(writer)
	out.boolean(false)
	out.count(3)
	out.signed(-129)
	out.unsigned(256)
	out.signed(7)
	in := argumentsOf((&cursor{rest: out.octets[9:]}).values())
	in.field("first")
	if got := in.signedWithin(8, wire.TooLong); got != 127 {
		t.Errorf("signed: %d", got)
	}
	in.field("second")
	if got := in.within(8, wire.BadConstant); got != 255 {
		t.Errorf("unsigned: %d", got)
	}
	if got := in.signedWithin(64, wire.TooLong); got != 7 {
		t.Errorf("signed of 64 bits: %d", got)
	}
	for field, wanted := range map[string]string{"": "first", "zeroth": "first", "second": "first"} {
		var err error
		if field != "" {
			err = wire.Refuse(wire.BadText, "MESSAGE", field)
		}
		if got := in.before(err, "MESSAGE").(*wire.EncodeError); got.Field != wanted || got.Code != wire.TooLong {
			t.Errorf("%q before %v", got, err)
		}
	}
}
