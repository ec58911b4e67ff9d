package corners_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"zeps.example/wire"
	"zeps.example/wire/alone"
	"zeps.example/wire/corners"
)

const equalKeys = "\x03\x00\x00\x01k\x00\x00\x00\x01b\x01k\x00\x00\x00\x01a\x00\x00\x00\x00\x00"

func TestAHashIsItsPairs(t *testing.T) {
	message, err := corners.Decode([]byte(equalKeys))
	if err != nil {
		t.Fatal(err)
	}
	pairs := []wire.Pair{{Key: "k", Value: "b"}, {Key: "k", Value: "a"}, {}}
	if found := message.(*corners.Properties).Properties; !reflect.DeepEqual(found, pairs) {
		t.Fatalf("%+v", found)
	}
	again, err := message.Encode()
	if err != nil || string(again) != equalKeys || message.Size() != len(again) {
		t.Fatalf("%q, %v, %d octets", again, err, message.Size())
	}
	raw := corners.Raw{Pairs: []wire.OctetsPair{{Key: []byte{0xFF}, Value: nil}}}
	if frame, err := raw.Encode(); err != nil || string(frame) != "\x05\x01\xff\x00\x00\x00\x00" {
		t.Fatalf("%q, %v", frame, err)
	}
}

func TestItemsGoOnToTheEndOfTheFrame(t *testing.T) {
	item := "\x00\x00\x00\x00\x00"
	for frame, wanted := range map[string]string{
		"\x03\x00\x00":                            "",
		"\x03\x00\x00" + item + item + item:       "",
		"\x03\x00\x00" + item + item[:4]:          "truncated: PROPERTIES.properties at byte 9",
		"\x03\x00\x00" + item + "\x02k":           "truncated: PROPERTIES.properties at byte 8",
		"\x03\x00\x00" + item + item + item + "x": "too-long: PROPERTIES.properties at byte 3",
		"\x03\x00": "truncated: PROPERTIES.gap at byte 1",
	} {
		message, err := corners.Decode([]byte(frame))
		if (wanted == "") != (err == nil) || err != nil && err.Error() != wanted {
			t.Errorf("%q: %v, %v", frame, message, err)
		}
	}
	many := corners.Properties{Properties: make([]wire.Pair, 4)}
	if _, err := many.Encode(); !errors.Is(err, wire.TooLong) {
		t.Error(err)
	}
}

func TestAStructIsUsedAgain(t *testing.T) {
	var words corners.Words
	for _, wanted := range [][]string{{"one", "two"}, {}, {"three"}} {
		frame, err := (&corners.Words{Words: wanted}).Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := words.DecodeFrom(frame); err != nil || len(words.Words) != len(wanted) {
			t.Fatal(err, words)
		}
		for i, word := range wanted {
			if words.Words[i] != word {
				t.Fatal(words)
			}
		}
	}
}

func TestWhatIsReservedIsZeroAndNotLookedAt(t *testing.T) {
	frame := append([]byte("\x04"), bytes.Repeat([]byte{0xFF}, 31)...)
	message, err := corners.Decode(frame)
	if err != nil {
		t.Fatal(err)
	}
	dirty := bytes.Repeat([]byte{0xEE}, 64)[:0]
	words := message.(*corners.Words)
	if dirty, err = words.AppendTo(dirty); err != nil || string(dirty) != "\x04"+string(make([]byte, 31)) {
		t.Fatalf("%x, %v", dirty, err)
	}
	if allocations := testing.AllocsPerRun(100, func() { dirty, _ = words.AppendTo(dirty[:0]) }); allocations != 0 {
		t.Fatalf("%v allocations", allocations)
	}
}

func TestAMessageThatBeginsWithNothing(t *testing.T) {
	message, err := alone.Decode([]byte("ab\x7fbody"))
	if err != nil {
		t.Fatal(err)
	}
	frame, err := message.Encode()
	if err != nil || string(frame) != "\x00\x00\x7fbody" {
		t.Fatalf("%q, %v", frame, err)
	}
	for frame, wanted := range map[string]string{
		"":         "truncated: PADDED.padding at byte 0",
		"ab":       "truncated: PADDED.magic at byte 2",
		"ab\x7ebc": "bad-constant: PADDED.magic at byte 2",
	} {
		if _, err := alone.Decode([]byte(frame)); err == nil || err.Error() != wanted {
			t.Errorf("%q: %v", frame, err)
		}
	}
}
