// Package api uses the generated packages through their public names only.
package api

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"runtime"
	"testing"

	"zeps.example/wire"
	"zeps.example/wire/journal"
	"zeps.example/wire/zeps"
	"zeps.example/wire/zepsserver"
	"zeps.example/wire/zmtp"
	"zeps.example/wire/zmtp2"
)

func encoded(t *testing.T, message zeps.Message) []byte {
	t.Helper()
	frame, err := message.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if len(frame) != message.Size() || cap(frame) != len(frame) {
		t.Fatalf("%s: %d octets in a buffer of %d, Size says %d", message.MessageName(), len(frame), cap(frame), message.Size())
	}
	return frame
}

func TestRoundTrip(t *testing.T) {
	frame := encoded(t, &zeps.Deliver{Sequence: 7, Key: "stock.AAPL", Body: []byte("191.24")})
	if want := "\xaa\xa5\x07\x00\x00\x00\x00\x00\x00\x00\x07\x0astock.AAPL\x00\x00\x00\x06191.24"; string(frame) != want {
		t.Fatalf("%q", frame)
	}
	message, err := zeps.Decode(frame)
	if err != nil {
		t.Fatal(err)
	}
	deliver, ok := message.(*zeps.Deliver)
	if !ok || deliver.Sequence != 7 || deliver.Key != "stock.AAPL" || string(deliver.Body) != "191.24" {
		t.Fatalf("%+v", message)
	}
}

func TestOctetsAreSlicesOfTheFrameAndStringsAreNot(t *testing.T) {
	frame := encoded(t, &zeps.Publish{Key: "key", Body: []byte("body")})
	var message zeps.Publish
	if err := message.DecodeFrom(frame); err != nil {
		t.Fatal(err)
	}
	copy(frame[4:], "KEY")
	copy(frame[len(frame)-4:], "BODY")
	if message.Key != "key" || string(message.Body) != "BODY" {
		t.Fatalf("%q, %q", message.Key, message.Body)
	}
	if grown := append(message.Body, '!'); &grown[0] == &message.Body[0] {
		t.Fatal("appending to the body writes behind the frame")
	}
}

func TestErrors(t *testing.T) {
	frame := encoded(t, &zeps.Deliver{Sequence: 1, Key: "key", Body: []byte("body")})
	for code, octets := range map[wire.Code][]byte{
		wire.Truncated:      frame[:len(frame)-1],
		wire.Trailing:       append(bytes.Clone(frame), 0),
		wire.BadSignature:   append([]byte{0xAB}, frame[1:]...),
		wire.UnknownMessage: {0xAA, 0xA5, 200},
		wire.BadConstant:    []byte("\xaa\xa5\x01\x04ZEPT\x00\x01\x01x"),
		wire.BadText:        bytes.Replace(frame, []byte("key"), []byte("k\x00y"), 1),
		wire.TooLong:        []byte("\xaa\xa5\x06\x00\xff\xff\xff\xff"),
	} {
		message, err := zeps.Decode(octets)
		var decode *wire.DecodeError
		if message != nil || !errors.Is(err, code) || !errors.As(err, &decode) {
			t.Errorf("%s: %v, %v", code, message, err)
		}
	}
	_, err := zeps.Decode(frame[:14])
	if want := "truncated: DELIVER.key at byte 11"; err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	dst := []byte("before")
	after, err := (&zeps.Invalid{Reason: "a\nb"}).AppendTo(dst)
	if want := "bad-text: INVALID.reason"; err == nil || err.Error() != want || string(after) != "before" {
		t.Errorf("%q, %v", after, err)
	}
}

func TestAStructThatCouldNotBeReadIsEmpty(t *testing.T) {
	frame := encoded(t, &zeps.Deliver{Sequence: 1, Key: "key", Body: []byte("body")})
	var message zeps.Deliver
	for end := range frame {
		if err := message.DecodeFrom(frame); err != nil {
			t.Fatal(err)
		}
		if err := message.DecodeFrom(frame[:end]); !errors.Is(err, wire.Truncated) {
			t.Fatalf("%d octets: %v", end, err)
		}
		if message.Sequence != 0 || message.Key != "" || message.Body != nil {
			t.Fatalf("%d octets: %+v", end, message)
		}
	}
	if err := message.DecodeFrom(encoded(t, &zeps.Ping{})); !errors.Is(err, wire.UnknownMessage) {
		t.Fatal(err)
	}
}

func TestNothingIsAllocatedWhereNothingHasToBe(t *testing.T) {
	frame := encoded(t, &zeps.Deliver{Sequence: 1, Key: "a key that is longer than a word", Body: make([]byte, 250)})
	var message zeps.Deliver
	buffer := make([]byte, 0, 4096)
	if allocations := testing.AllocsPerRun(100, func() {
		if message.DecodeFrom(frame) != nil {
			t.Error("does not decode")
		}
		buffer, _ = message.AppendTo(buffer[:0])
	}); allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

func TestAnAnnouncedLengthAllocatesNothing(t *testing.T) {
	frame := []byte("\xaa\xa5\x06\x00\x00\xff\xff\xff")
	var message zeps.Publish
	if allocations := testing.AllocsPerRun(100, func() {
		if message.DecodeFrom(frame) == nil {
			t.Error("decodes")
		}
	}); allocations > 1 { // the error
		t.Errorf("%v allocations", allocations)
	}
}

func TestText(t *testing.T) {
	for text, fits := range map[string][3]bool{ // UTF-8, printable, visible
		"":                    {true, true, true},
		"plain":               {true, true, true},
		"with blank":          {true, true, false},
		"nine long":           {true, true, false},
		"§ größer, 日本語":       {true, true, false},
		"\x7f":                {true, false, false},
		"1234567\x7f":         {true, false, false},
		"1234567\x1f89012345": {true, false, false},
		"12345678\n":          {true, false, false},
		"\u0080":              {true, false, false},
		"1234567\u009f":       {true, false, false},
		"\u00a0":              {true, true, false},
		"\u2028\u200b":        {true, true, false},
		"\ufffd":              {true, true, false},
		"\xff":                {false, false, false},
		"1234567\xc3":         {false, false, false},
		"\xed\xa0\x80":        {false, false, false},
		"\xc0\x80":            {false, false, false},
	} {
		if got := [3]bool{wire.IsUTF8(text), wire.IsPrintable(text), wire.IsVChar(text)}; got != fits {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestIsPrintableLooksAtEveryOctet(t *testing.T) {
	for size := 1; size < 40; size++ {
		for at := 0; at < size; at++ {
			for octet := 0; octet < 256; octet++ {
				text := bytes.Repeat([]byte{'~'}, size)
				text[at] = byte(octet)
				if wire.IsPrintable(string(text)) != (octet >= 0x20 && octet < 0x7F) {
					t.Fatalf("%d octets, %#x at %d", size, octet, at)
				}
			}
		}
	}
}

// TestNoFrameIsCopiedToFindItsMessage covers known and unknown messages, and each kind of dispatch.
func TestNoFrameIsCopiedToFindItsMessage(t *testing.T) {
	large := make([]byte, 1<<20)
	allocated := func(decode func()) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := 0; i < 10; i++ {
			decode()
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc-before.TotalAlloc) / 10
	}
	for _, beginning := range []string{"", "\x00", "\x01topic", "\x09SUBSCRIBE", "\x07UNKNOWN"} {
		frame := append([]byte(beginning), large...)
		if octets := allocated(func() { _, _ = zmtp.Decode(frame) }); octets > 1000 {
			t.Errorf("%q: %.0f octets are allocated", beginning, octets)
		}
	}
	frame := append([]byte("ZBLK"), large...)
	if octets := allocated(func() { _, _ = journal.Decode(frame) }); octets > 1000 {
		t.Errorf("%.0f octets are allocated", octets)
	}
}

func TestEveryValueHasAName(t *testing.T) {
	for named, wanted := range map[fmt.Stringer]string{
		zeps.OpenCodeRetention:          "retention",
		zeps.OpenCode("later"):          `OpenCode("later")`,
		zmtp2.SocketType(200):           "SocketType(200)",
		zepsserver.StateOpen:            "open",
		zepsserver.State(99):            "State(99)",
		zepsserver.State(-1):            "State(-1)",
		zepsserver.EventAttach:          "ATTACH",
		zepsserver.Event(0):             "Event(0)",
		zepsserver.Event(math.MaxInt32): "Event(2147483647)",
	} {
		if found := named.String(); found != wanted {
			t.Errorf("%s, not %s", found, wanted)
		}
	}
}
