package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/go-zeromq/zmq4"

	"zeps.example/wire/zeps"
	"zeps.example/wire/zepsclient"
)

const (
	prefix = "demo/"
	window = 1 << 16 // octets of credit
)

// session is the machine's host. What follows from an action waits in next until the machine has finished its step.
type session struct {
	wish
	ctx     context.Context
	machine *zepsclient.Machine
	link    *link
	next    []func() (bool, error)
	tag     []byte    // begins the bodies of this run, so that messages of others are not taken for ours
	notice  notice    // the last one
	asked   time.Time // for an answer
	used    uint64    // octets of credit since the last grant
	number  uint64    // of the last of our messages that came back
	gap     bool      // since the last of our messages
	lost    bool      // a new connection is needed

	received, first, last uint64
	over                  bool
	err                   error
}

func newSession(ctx context.Context, wanted wish) *session {
	tag := fmt.Sprintf("%d-%d ", os.Getpid(), time.Now().UnixNano())
	return &session{wish: wanted, ctx: ctx, tag: []byte(tag)}
}

func (c *session) note(err error) {
	if c.err == nil {
		c.err = err
	}
}

// attach begins anew over a new connection: what waits in an old one does not reach the new session.
func (c *session) attach() {
	if c.link != nil {
		c.link.close()
	}
	c.lost, c.next, c.asked = false, nil, time.Now()
	fresh, err := dial(c.ctx, c.endpoint)
	if err != nil {
		c.note(err)
		return
	}
	c.link, c.machine = fresh, zepsclient.New(c)
	_, err = c.machine.Open(c.stream)
	c.note(err)
}

// loses gives the connection up, and what was to be done over it.
func (c *session) loses(why error) {
	fmt.Fprintln(os.Stderr, "client: the connection is lost:", why)
	c.lost, c.next = true, nil
}

// take hands a frame to the machine.
func (c *session) take(frame []byte) {
	message, err := zeps.Decode(frame)
	if err != nil {
		_, err = c.machine.OnMalformed()
	} else {
		err = c.machine.Receive(message)
	}
	c.note(err)
}

// Send encodes the message and hands it to the socket.
func (c *session) Send(message zeps.Message) {
	frame, err := message.Encode()
	if err != nil {
		c.note(err)
	} else if err := c.link.socket.Send(zmq4.NewMsg(frame)); err != nil && !c.lost {
		c.loses(err)
	}
}

// Attached subscribes where the last session ended.
func (c *session) Attached(*zeps.AttachOk) { c.subscribe() }

func (c *session) subscribe() {
	c.next = append(c.next, func() (bool, error) { return c.machine.Follow(c.pattern, c.latest) })
}

// Subscribed lets messages come, and publishes what has not come back yet.
func (c *session) Subscribed(*zeps.SubscribeOk) {
	c.used = 0
	c.next = append(c.next, func() (bool, error) { return c.machine.Grant(window) })
	for number := c.number + 1; number <= c.count; number++ {
		key, body := fmt.Sprint(prefix, number), strconv.AppendUint(bytes.Clone(c.tag), number, 10)
		c.next = append(c.next, func() (bool, error) { return c.machine.Post(key, body) })
	}
	if c.number == c.count {
		c.next = append(c.next, c.machine.Close)
	}
}

// TakeMessage checks that messages come back in order, renews the credit, and detaches after the last.
func (c *session) TakeMessage(message *zeps.Deliver) {
	if c.used += uint64(message.Size()); c.used > window/2 {
		octets := c.used
		c.used = 0
		c.next = append(c.next, func() (bool, error) { return c.machine.Grant(octets) })
	}
	if message.Sequence <= c.latest {
		c.note(fmt.Errorf("sequence %d after %d", message.Sequence, c.latest))
	}
	c.latest = message.Sequence
	digits, isOurs := bytes.CutPrefix(message.Body, c.tag)
	if number, err := strconv.ParseUint(string(digits), 10, 64); isOurs && err == nil {
		c.takeOurs(number, message)
	}
}

func (c *session) takeOurs(number uint64, message *zeps.Deliver) {
	if number <= c.number {
		return // published again, since the session was lost before it came back
	}
	if number > c.number+1 && !c.gap {
		c.note(fmt.Errorf("got %s after %s%d", message.Key, prefix, c.number))
	}
	c.number, c.gap = number, false
	if c.received++; c.received == 1 {
		c.first = message.Sequence
	}
	if c.last = message.Sequence; c.number == c.count {
		c.next = append(c.next, c.machine.Close)
	}
}

// ReadNotice knows by the code whether the session is over, a SUBSCRIBE is refused, or something is announced. A code
// that is not known ends the session (ZEPS-INVALID-6).
func (c *session) ReadNotice(message *zeps.Invalid) {
	c.notice = noticeOf(message.Reason)
	switch {
	case c.notice.isGap():
		c.miss()
	case c.notice.isRefusal():
		c.machine.Fail(zepsclient.InternalSubscribeRefused)
	case c.notice.code.IsMember():
		fmt.Fprintln(os.Stderr, "client: the broker says:", c.notice.reason)
	default:
		c.machine.Fail(zepsclient.InternalEnded)
	}
}

func (c *session) miss() {
	fmt.Println("missing", c.notice.first, c.notice.last, string(c.notice.code))
	c.latest, c.gap = max(c.latest, c.notice.last), true
}

// Refused subscribes again, so that it is not refused.
func (c *session) Refused() {
	switch {
	case c.notice.code == zeps.OpenCodeNotRetained:
		c.miss()
	case c.notice.code == zeps.OpenCodeBeyondEnd:
		c.latest = c.notice.first - 1
		fmt.Println("reset", c.latest)
	case c.pattern != "":
		fmt.Printf("refused %s: %s\n", c.pattern, c.notice.reason)
		c.pattern = "" // every key
	default:
		c.note(fmt.Errorf("the broker refused: %s", c.notice.reason))
	}
	c.subscribe()
}

// SessionLost leaves it to the machine to attach again, over the same connection.
func (c *session) SessionLost() {
	fmt.Fprintln(os.Stderr, "client: the session is lost:", c.notice.reason)
	c.next = nil
}

// BrokerLost asks for a new connection.
func (c *session) BrokerLost(zeps.Message) { c.loses(errors.New("no answer")) }

// Detached ends the session.
func (c *session) Detached(zeps.Message) { c.over = true }

// AttachRefused gives up.
func (c *session) AttachRefused(message *zeps.Invalid) {
	c.note(fmt.Errorf("the broker refused: %s", message.Reason))
}

// Answered has nothing to do: the machine counts the PINGs.
func (c *session) Answered(*zeps.PingOk) {}
