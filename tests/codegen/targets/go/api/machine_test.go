package api

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"zeps.example/wire"
	"zeps.example/wire/zeps"
	"zeps.example/wire/zepsclient"
	"zeps.example/wire/zepsserver"
)

// notebook is a host that records its calls.
type notebook struct {
	machine *zepsserver.Machine
	done    []string
	refuses bool
}

func (n *notebook) note(what string) { n.done = append(n.done, what) }

func (n *notebook) Send(message zeps.Message)          { n.note("send " + message.MessageName()) }
func (n *notebook) CloseStream(zeps.Message)           { n.note("close stream") }
func (n *notebook) AddSubscription(*zeps.Subscribe)    { n.note("add subscription") }
func (n *notebook) UseCredit(message *zeps.Credit)     { n.note(fmt.Sprint("use credit ", message.Credit)) }
func (n *notebook) StoreMessage(message *zeps.Publish) { n.note("store " + message.Key) }
func (n *notebook) OpenStream(message *zeps.Attach) {
	n.note("open " + message.Stream)
	if n.refuses {
		n.machine.Reason = "not today"
		n.machine.Fail(zepsserver.InternalAttachRefused)
	}
}
func (n *notebook) CheckSubscription(message *zeps.Subscribe) {
	n.note("check " + message.Pattern)
	if n.refuses {
		n.machine.Reason = string(zeps.OpenCodeBadPattern) + " not that one"
		n.machine.Fail(zepsserver.InternalSubscribeRefused)
	}
}

func server() (*notebook, *zepsserver.Machine) {
	n := new(notebook)
	n.machine = zepsserver.New(n)
	return n, n.machine
}

func receive(t *testing.T, m *zepsserver.Machine, messages ...zeps.Message) {
	t.Helper()
	for _, message := range messages {
		if err := m.Receive(message); err != nil {
			t.Fatal(err)
		}
	}
}

func (n *notebook) expect(t *testing.T, wanted ...string) {
	t.Helper()
	if got := strings.Join(n.done, ", "); got != strings.Join(wanted, ", ") {
		t.Fatalf("it did %s", got)
	}
	n.done = nil
}

func TestServer(t *testing.T) {
	n, m := server()
	receive(t, m, &zeps.Attach{Stream: "stocks"})
	n.expect(t, "open stocks", "send ATTACH-OK")
	if m.State() != zepsserver.StateOpen || m.State().String() != "open" {
		t.Fatal(m.State())
	}
	deliver := &zeps.Deliver{Sequence: 1, Key: "key", Body: []byte("body")}
	receive(t, m, &zeps.Credit{Credit: uint64(deliver.Size()) + 1})
	n.expect(t, "use credit 24")
	for _, wanted := range []bool{true, false} {
		if taken, err := m.OnDeliver(deliver); taken != wanted || err != nil {
			t.Fatal(taken, err)
		}
	}
	n.expect(t, "send DELIVER")
	if m.Credit != 1 {
		t.Fatal(m.Credit)
	}
	receive(t, m, &zeps.Credit{Credit: math.MaxUint64})
	if m.Credit != math.MaxUint64 {
		t.Fatal("credit wraps")
	}
	receive(t, m, &zeps.AttachOk{}) // not a client's to say
	n.expect(t, "use credit 18446744073709551615", "send INVALID")
	if m.State() != zepsserver.StateOpen {
		t.Fatal(m.State())
	}
}

func TestARefusedSubscribeLeavesTheSessionOpen(t *testing.T) {
	n, m := server()
	receive(t, m, &zeps.Attach{Stream: "stocks"})
	n.refuses, n.done = true, nil
	receive(t, m, &zeps.Subscribe{Pattern: "("})
	n.expect(t, "check (", "send INVALID")
	if m.State() != zepsserver.StateOpen {
		t.Fatal(m.State())
	}
	n.refuses = false
	receive(t, m, &zeps.Subscribe{Pattern: "x"})
	n.expect(t, "check x", "send SUBSCRIBE-OK", "add subscription")
}

func TestCodesAreTwoTables(t *testing.T) {
	if !zeps.OpenCode("retention").IsMember() || zeps.OpenCode("no-session").IsMember() {
		t.Error("retention leaves a session open, no-session does not")
	}
	if !zeps.EndingCode("no-session").IsMember() || zeps.EndingCode("code-of-a-later-version").IsMember() {
		t.Error("no-session ends a session; codes of later versions are not known")
	}
}

func TestAnActionFails(t *testing.T) {
	n, m := server()
	n.refuses = true
	receive(t, m, &zeps.Attach{Stream: "stocks"})
	n.expect(t, "open stocks", "send INVALID")
	if m.State() != zepsserver.StateStart {
		t.Fatal(m.State())
	}
	n.refuses = false
	receive(t, m, &zeps.Attach{Stream: "stocks"})
	n.refuses, n.done = true, nil
	receive(t, m, &zeps.Attach{Stream: "bonds"})
	n.expect(t, "close stream", "open bonds", "close stream", "send INVALID")
}

func TestWhatNoRowTakes(t *testing.T) {
	_, m := server()
	var unhandled *wire.UnhandledError
	if taken, err := m.OnShutdown(); taken || !errors.As(err, &unhandled) {
		t.Fatal(taken, err)
	}
	if want := "unhandled event shutdown in state start"; unhandled.Error() != want {
		t.Fatal(unhandled)
	}
	client := zepsclient.New(application{})
	if taken, err := client.Follow("", zeps.LatestAll); taken || !errors.As(err, &unhandled) {
		t.Fatal(taken, err)
	}
	unexpected := &wire.UnexpectedError{Event: "PING", State: "open"}
	if want := "unexpected PING in state open"; unexpected.Error() != want {
		t.Fatal(unexpected)
	}
}

// application is a host that does nothing.
type application struct{}

func (application) Send(zeps.Message)            {}
func (application) Attached(*zeps.AttachOk)      {}
func (application) AttachRefused(*zeps.Invalid)  {}
func (application) Detached(zeps.Message)        {}
func (application) BrokerLost(zeps.Message)      {}
func (application) Subscribed(*zeps.SubscribeOk) {}
func (application) TakeMessage(*zeps.Deliver)    {}
func (application) Answered(*zeps.PingOk)        {}
func (application) ReadNotice(*zeps.Invalid)     {}
func (application) SessionLost()                 {}
func (application) Refused()                     {}

func TestANilMessageIsAnError(t *testing.T) {
	n, m := server()
	receive(t, m, &zeps.Attach{Stream: "stocks"})
	n.done = nil
	for _, message := range []zeps.Message{nil, (*zeps.Attach)(nil), (*zeps.Ping)(nil)} {
		if err := m.Receive(message); !errors.Is(err, wire.ErrNilMessage) {
			t.Fatal(err)
		}
	}
	if taken, err := m.OnDeliver(nil); taken || !errors.Is(err, wire.ErrNilMessage) {
		t.Fatal(taken, err)
	}
	n.expect(t)
	if m.State() != zepsserver.StateOpen {
		t.Fatal(m.State())
	}
}

func TestTheTableIsData(t *testing.T) {
	found := 0
	for _, row := range zepsserver.Table {
		if row.State == zepsserver.StateOpen && row.Event == zepsserver.EventOnDeliver {
			found++
			if row.Guard != "credit >= size(DELIVER)" || row.Moves || len(row.Steps) != 2 || row.BeforeAt != 2 {
				t.Errorf("%+v", row)
			}
		}
	}
	if found != 1 {
		t.Errorf("%d rows", found)
	}
}

func TestSaturation(t *testing.T) {
	for _, one := range []struct{ got, wanted uint64 }{
		{wire.Add(math.MaxUint64, 1, math.MaxUint64), math.MaxUint64},
		{wire.Add(math.MaxUint64, math.MaxUint64, 255), 255},
		{wire.Add(250, 5, 255), 255},
		{wire.Add(250, 4, 255), 254},
		{wire.Subtract(3, 4), 0},
		{wire.Subtract(4, 3), 1},
		{wire.Unsigned(-1), 0},
		{wire.Unsigned(math.MaxInt64), math.MaxInt64},
	} {
		if one.got != one.wanted {
			t.Errorf("%d, not %d", one.got, one.wanted)
		}
	}
}
