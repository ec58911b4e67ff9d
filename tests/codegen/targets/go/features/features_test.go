// Package features_test tests a module that the generator made from helpers/features. The test copies it there.
package features_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"zeps.example/wire"
	"zeps.example/wire/features"
	"zeps.example/wire/featuresclient"
	"zeps.example/wire/featuresserver"
	"zeps.example/wire/old"
	"zeps.example/wire/oldserver"
)

// notebook is a host that records its calls. When an action runs, it executes the plan of the test.
type notebook struct {
	done  []string
	sent  features.Message
	plans map[string]func()
}

func (n *notebook) note(what string) {
	n.done = append(n.done, what)
	if plan := n.plans[what]; plan != nil {
		plan()
	}
}

func (n *notebook) Send(message features.Message) {
	n.sent = message
	n.note("send " + message.MessageName())
}
func (n *notebook) Unsendable(err *wire.EncodeError)  { n.note(err.Error()) }
func (n *notebook) LookUp(message *features.Question) { n.note("look up " + message.Topic) }
func (n *notebook) Note(features.Message)             { n.note("note") }

func (n *notebook) expect(t *testing.T, wanted ...string) {
	t.Helper()
	if found := strings.Join(n.done, ", "); found != strings.Join(wanted, ", ") {
		t.Fatalf("it did %s", found)
	}
	n.done = nil
}

func server() (*notebook, *featuresserver.Machine) {
	n := &notebook{plans: map[string]func(){}}
	return n, featuresserver.New(n)
}

func TestWhatIsNotFilledIsNotSent(t *testing.T) {
	n, m := server()
	m.FillParcelCover([]byte("cover"))
	if taken, err := m.OnAsk(); !taken || err != nil {
		t.Fatal(taken, err)
	}
	n.expect(t, "not-set: PARCEL.contents", "note")
	m.FillParcelContents([][]byte{{1}})
	if _, err := m.OnAsk(); err != nil {
		t.Fatal(err)
	}
	n.expect(t, "not-set: PARCEL.cover", "note") // a send empties the draft, whatever came of it
	m.FillParcelContents([][]byte{{1}})
	m.FillParcelCover([]byte("first"))
	m.FillParcelCover([]byte("cover"))
	if _, err := m.OnAsk(); err != nil {
		t.Fatal(err)
	}
	n.expect(t, "send PARCEL", "note")
	if sent := n.sent.(*features.Parcel); string(sent.Cover) != "cover" || len(sent.Contents) != 1 {
		t.Fatal(sent)
	}
}

func TestRaisedEventsComeAfterTheRow(t *testing.T) {
	n, m := server()
	var rows []string
	m.OnTransition = func(from featuresserver.State, event featuresserver.Event, to featuresserver.State) {
		rows = append(rows, fmt.Sprintf("%v -%v-> %v", from, event, to))
	}
	n.plans["look up x"] = func() {
		for _, event := range []featuresserver.InternalEvent{featuresserver.InternalFound, featuresserver.InternalUnknown} {
			if err := m.Raise(event); err != nil {
				t.Error(err)
			}
		}
	}
	if err := m.Receive(&features.Question{Topic: "x"}); err != nil {
		t.Fatal(err)
	}
	n.expect(t, "look up x", "note", "note", "send BYE")
	if wanted := []string{"waiting -QUESTION-> working", "working -unknown-> waiting"}; !reflect.DeepEqual(rows, wanted) {
		t.Fatal(rows)
	}
	if err := m.Raise(featuresserver.InternalFound); !errors.Is(err, wire.ErrOutsideAction) {
		t.Fatal(err)
	}
	if found := featuresserver.InternalFound.String(); found != "found" {
		t.Fatal(found)
	}
}

func TestTimersAreRefusedInsideAnAction(t *testing.T) {
	n, m := server()
	if _, ok := m.Deadline(); ok {
		t.Fatal("a timer runs before the clock was shown")
	}
	if taken, err := m.Advance(1000); taken || err != nil {
		t.Fatal(taken, err)
	}
	if due, ok := m.Deadline(); due != 1200 || !ok {
		t.Fatal(due, ok)
	}
	var inside error
	n.plans["look up x"] = func() { _, inside = m.Advance(5000) }
	if err := m.Receive(&features.Question{Topic: "x"}); err != nil {
		t.Fatal(err)
	}
	var unhandled *wire.UnhandledError
	if !errors.As(inside, &unhandled) {
		t.Fatal(inside)
	}
	if taken, err := m.Advance(5000); !taken || err != nil {
		t.Fatal(taken, err)
	}
}

func TestDefaults(t *testing.T) {
	made := features.NewReport()
	frame, err := made.Encode()
	if err != nil || made.Level != 3 || made.Title != "none" || string(made.Code) != "ok" {
		t.Fatal(err, made)
	}
	used := &features.Report{Level: 9, Words: []string{"old"}}
	if err := used.DecodeFrom(frame[:3+16]); err != nil || !reflect.DeepEqual(used, made) {
		t.Fatal(err, used)
	}
	if err := used.DecodeFrom(append(frame, "from the future"...)); err != nil || used.Title != "none" {
		t.Fatal(err, used)
	}
	_, err = (&features.Report{First: 2, Last: 1}).Encode()
	if !errors.Is(err, wire.BadRelation) || err.Error() != "bad-relation: REPORT.last" {
		t.Fatal(err)
	}
}

func TestSeveralFrames(t *testing.T) {
	parcel := &features.Parcel{Number: 7, Cover: []byte("cover"), Contents: [][]byte{[]byte("a"), nil}}
	frames, err := parcel.AppendFrames(nil)
	if err != nil || len(frames) != 4 || parcel.Size() != 5+5+1 {
		t.Fatal(err, frames, parcel.Size())
	}
	for count, wanted := range map[int]string{
		0: "truncated at byte 0", 1: "truncated: PARCEL.cover at byte 5", 2: "truncated: PARCEL.contents at byte 5", 3: "",
	} {
		found, err := features.DecodeFrames(frames[:count])
		if (err == nil) != (wanted == "") || err != nil && err.Error() != wanted {
			t.Errorf("%d frames: %v, %v", count, found, err)
		}
	}
	card := &features.Card{Picture: []byte("x")}
	if frames, err = card.AppendFrames(nil); err != nil {
		t.Fatal(err)
	}
	if _, err := features.DecodeFrames(append(frames, nil)); !errors.Is(err, wire.Trailing) {
		t.Fatal(err)
	}
}

// client and zproto are hosts that do nothing.
type client struct{}

func (client) Send(features.Message)        {}
func (client) Unsendable(*wire.EncodeError) {}
func (client) Take(*features.Answer)        {}
func (client) GiveUp()                      {}

func TestAMachineWithoutInternalEventsHasNeither(t *testing.T) {
	machine := reflect.TypeOf(featuresclient.New(client{}))
	for _, name := range []string{"Fail", "Raise"} {
		if _, found := machine.MethodByName(name); found {
			t.Error(name)
		}
	}
}

type zproto struct{ sent []old.Message }

func (z *zproto) Send(message old.Message) { z.sent = append(z.sent, message) }
func (z *zproto) Register(*old.Hello)      {}

func TestWithDefaultsWhatIsNotFilledIsNothing(t *testing.T) {
	z := new(zproto)
	if err := oldserver.New(z).Receive(&old.Hello{Name: "x"}); err != nil {
		t.Fatal(err)
	}
	state := z.sent[0].(*old.State)
	if len(state.Token) != 16 || len(state.Code) != 3 || len(state.Rest) != 1 {
		t.Fatalf("%+v", state)
	}
	if _, err := state.AppendFrames(nil); err != nil {
		t.Fatal(err)
	}
}
