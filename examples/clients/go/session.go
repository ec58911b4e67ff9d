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
	window = 1 << 16 // bytes of credit
)

// session is the machine's host. Steps that follow from actions wait in next until the machine has finished
// its step.
type session struct {
	options
	ctx     context.Context
	machine *zepsclient.Machine
	link    *link
	next    []func() (bool, error)
	tag     []byte    // prefix of this run's bodies; messages of other clients do not have it
	notice  notice    // the last notice
	asked   time.Time // time of the last request that needs an answer
	used    uint64    // bytes of credit used since the last grant
	number  uint64    // of the last own message that was received back
	gap     bool      // since the last own message
	lost    bool      // a new connection is needed

	received, first, last uint64
	over                  bool
	err                   error
}

func newSession(ctx context.Context, arguments options) *session {
	tag := fmt.Sprintf("%d-%d ", os.Getpid(), time.Now().UnixNano())
	return &session{options: arguments, ctx: ctx, tag: []byte(tag)}
}

func (c *session) note(err error) {
	if c.err == nil {
		c.err = err
	}
}

// attach begins again over a new connection: data that is queued in the old one does not reach the new session.
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

// loses marks the connection as lost, and discards its queued steps.
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

// Subscribed grants credit, and publishes the messages that were not received back yet.
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
	if c.latest != zeps.LatestNew && message.Sequence <= c.latest {
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
		return // a duplicate: published again after the session was lost
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

// ReadNotice handles INVALID by its code: a gap, a refused SUBSCRIBE, another notice, or the end of the
// session. An unknown code ends the session (ZEPS-INVALID-6).
func (c *session) ReadNotice(message *zeps.Invalid) {
	c.notice = noticeOf(message.Reason)
	switch {
	case c.notice.isGap():
		c.miss()
	case c.notice.isRefusal():
		c.machine.Fail(zepsclient.InternalSubscribeRefused)
	case c.notice.code.IsMember():
		fmt.Fprintln(os.Stderr, "client: notice from the broker:", c.notice.reason)
	default:
		c.machine.Fail(zepsclient.InternalEnded)
	}
}

func (c *session) miss() {
	fmt.Println("missing", c.notice.first, c.notice.last, string(c.notice.code))
	if c.latest == zeps.LatestNew || c.latest < c.notice.last {
		c.latest = c.notice.last
	}
	c.gap = true
}

// Refused subscribes again with a request that the broker accepts.
func (c *session) Refused() {
	switch {
	case c.notice.code == zeps.OpenCodeNotRetained:
		c.miss()
	case c.notice.code == zeps.OpenCodeBeyondEnd:
		c.latest = c.notice.first - 1
		fmt.Println("reset", c.latest)
	case c.pattern != "":
		fmt.Printf("refused %s: %s\n", c.pattern, c.notice.reason)
		c.pattern = "" // matches every key
	default:
		c.note(fmt.Errorf("the broker refused: %s", c.notice.reason))
	}
	c.subscribe()
}

// SessionLost discards queued steps; the machine attaches again over the same connection.
func (c *session) SessionLost() {
	fmt.Fprintln(os.Stderr, "client: the session is lost:", c.notice.reason)
	c.next = nil
}

// BrokerLost requests a new connection.
func (c *session) BrokerLost(zeps.Message) { c.loses(errors.New("no answer")) }

// Detached ends the session.
func (c *session) Detached(zeps.Message) { c.over = true }

// AttachRefused ends the run with an error.
func (c *session) AttachRefused(message *zeps.Invalid) {
	c.note(fmt.Errorf("the broker refused: %s", message.Reason))
}

// Answered does nothing: the machine counts the PINGs.
func (c *session) Answered(*zeps.PingOk) {}
