package main

import (
	"testing"

	"zeps.example/wire"
)

// TestValues: what an answer says is what a request would have to say.
func TestValues(t *testing.T) {
	out := new(writer)
	out.count(7)
	out.unsigned(1 << 63)
	out.signed(-2)
	out.text("text")
	out.raw([]byte{0xFF})
	out.data([]byte{1, 2})
	out.boolean(true)
	out.hash(1)
	out.text("key")
	out.text("value")
	in := argumentsOf((&cursor{rest: out.octets}).values())
	in.fields(7)
	if got := in.unsigned(); got != 1<<63 {
		t.Errorf("unsigned: %d", got)
	}
	if got := in.signed(); got != -2 {
		t.Errorf("signed: %d", got)
	}
	if got := in.text(); got != "text" {
		t.Errorf("text: %q", got)
	}
	if got := in.raw(); string(got) != "\xff" {
		t.Errorf("raw: %q", got)
	}
	if got := in.octets(); string(got) != "\x01\x02" {
		t.Errorf("octets: %q", got)
	}
	if !in.boolean() {
		t.Error("boolean: false")
	}
	in.hash(func(in *arguments) {
		if key, value := in.text(), in.text(); key != "key" || value != "value" {
			t.Errorf("hash: %q, %q", key, value)
		}
	})
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
