// Package corners_test tests a module that the generator made from helpers/corners. The test copies it there.
package corners_test

import (
	"errors"
	"strings"
	"testing"

	"zeps.example/wire"
	"zeps.example/wire/corners"
	"zeps.example/wire/cornersserver"
)

// notebook is a host that records its calls.
type notebook struct {
	machine *cornersserver.Machine
	done    []string
	fails   int // so many warnings
	calls   func() error
	called  error
}

func (n *notebook) Send(message corners.Message) {
	if _, err := message.Encode(); err != nil {
		n.done = append(n.done, "cannot encode: "+err.Error())
		return
	}
	n.done = append(n.done, "send "+message.MessageName())
}

func (n *notebook) Unsendable(err *wire.EncodeError) {
	n.done = append(n.done, "unsendable: "+err.Error())
}
func (n *notebook) Note() { n.done = append(n.done, "note") }
func (n *notebook) Warn(*corners.Reading) {
	n.done = append(n.done, "warn")
	if n.calls != nil {
		n.called = n.calls()
	}
	if n.fails > 0 {
		n.fails--
		n.machine.Fail(cornersserver.InternalOops)
	}
}

func start() (*notebook, *cornersserver.Machine) {
	n := new(notebook)
	n.machine = cornersserver.New(n)
	return n, n.machine
}

func (n *notebook) expect(t *testing.T, wanted ...string) {
	t.Helper()
	if got := strings.Join(n.done, ", "); got != strings.Join(wanted, ", ") {
		t.Fatalf("it did %s", got)
	}
	n.done = nil
}

func TestANegativeNumberCountsAsNothing(t *testing.T) {
	n, m := start()
	if err := m.Receive(&corners.Reading{Degrees: -5, Change: -1 << 63, Key: []byte("a")}); err != nil {
		t.Fatal(err)
	}
	n.expect(t)
	if err := m.Receive(&corners.Reading{Degrees: 100, Key: []byte("b")}); err != nil || m.Total != 100 {
		t.Fatal(err, m.Total)
	}
	if taken, err := m.Adjust(-7); !taken || err != nil || m.Total != 0 {
		t.Fatal(taken, err, m.Total)
	}
	if err := m.Receive(&corners.Reading{Change: 101}); err != nil {
		t.Fatal(err)
	}
	n.expect(t, "warn")
}

func TestWhatAFieldCannotHoldIsNotSent(t *testing.T) {
	for _, one := range []struct {
		total  uint64
		token  string
		wanted string
	}{
		{1, "four", "send REPORT"},
		{1 << 31, "four", "unsendable: too-long: REPORT.level"},
		{1<<64 - 1, "four", "unsendable: too-long: REPORT.level"},
		{256, "three", "unsendable: too-long: REPORT.small"},
		{1, "", "unsendable: truncated: REPORT.key"},
		{1, "fives", "unsendable: too-long: REPORT.key"},
		{2, "four", "cannot encode: bad-constant: REPORT.colour"},
	} {
		n, m := start()
		m.Total, m.Token = one.total, []byte(one.token)
		if taken, err := m.OnReport(); !taken || err != nil {
			t.Fatal(taken, err)
		}
		n.expect(t, one.wanted, "note")
	}
}

func TestAMachineKeepsOctetsOfItsOwn(t *testing.T) {
	_, m := start()
	frame := []byte("\x01\x00\x00\x00\x03key\x01C")
	message, err := corners.Decode(frame)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Receive(message); err != nil {
		t.Fatal(err)
	}
	copy(frame, make([]byte, len(frame)))
	if string(m.Token) != "key" {
		t.Fatalf("%q", m.Token)
	}
}

func TestNoEventIsHandledInsideAnother(t *testing.T) {
	n, m := start()
	for _, calls := range []func() error{
		func() error { return m.Receive(&corners.Reading{}) },
		func() error { _, err := m.OnReport(); return err },
	} {
		n.calls = calls
		if err := m.Receive(&corners.Reading{Degrees: 101}); err != nil {
			t.Fatal(err)
		}
		n.expect(t, "warn")
		var unhandled *wire.UnhandledError
		if !errors.As(n.called, &unhandled) || !strings.HasSuffix(unhandled.Error(), "in state start: called from inside an action") {
			t.Fatal(n.called)
		}
	}
}

func TestActionsThatFailInTurn(t *testing.T) {
	n, m := start()
	n.fails = wire.RaisesMax
	if err := m.Receive(&corners.Reading{Degrees: 101}); err != nil || len(n.done) != 1+wire.RaisesMax {
		t.Fatal(err, n.done)
	}
	n.fails, n.done = wire.RaisesMax+1, nil
	var unhandled *wire.UnhandledError
	err := m.Receive(&corners.Reading{Degrees: 101})
	if !errors.As(err, &unhandled) || unhandled.Event != "oops" || len(n.done) != 1+wire.RaisesMax {
		t.Fatal(err, n.done)
	}
	for _, call := range []func(cornersserver.InternalEvent) error{m.Fail, m.Raise} {
		if err := call(cornersserver.InternalOops); !errors.Is(err, wire.ErrOutsideAction) {
			t.Fatal(err)
		}
	}
	n.done = nil
	if err := m.Receive(&corners.Reading{Degrees: 101}); err != nil {
		t.Fatal(err)
	}
	n.expect(t, "warn")
}

func TestAHostThatPanicsLeavesTheMachineUsable(t *testing.T) {
	n, m := start()
	n.calls = func() error { panic("host") }
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		_ = m.Receive(&corners.Reading{Degrees: 101})
	}()
	n.calls, n.done = nil, nil
	if err := m.Receive(&corners.Reading{Degrees: 101}); err != nil {
		t.Fatal(err)
	}
	n.expect(t, "warn")
}
