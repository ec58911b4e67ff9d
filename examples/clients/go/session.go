package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
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
	machine *zepsclient.Machine
	socket  zmq4.Socket
	next    []func() (bool, error)
	tag     []byte // begins the bodies of this run, so that messages of others are not taken for ours
	count   int
	used    uint64 // octets of credit since the last grant

	received    int
	first, last uint64
	over        bool
	err         error
}

func newSession(socket zmq4.Socket, count int) *session {
	c := &session{socket: socket, count: count}
	c.tag = []byte(fmt.Sprintf("%d-%d ", os.Getpid(), time.Now().UnixNano()))
	c.machine = zepsclient.New(c)
	return c
}

func (c *session) note(err error) {
	if c.err == nil {
		c.err = err
	}
}

// Send encodes the message and hands it to the socket.
func (c *session) Send(message zeps.Message) {
	frame, err := message.Encode()
	if err == nil {
		err = c.socket.Send(zmq4.NewMsg(frame))
	}
	c.note(err)
}

// Attached subscribes from the stream's beginning.
func (c *session) Attached(*zeps.AttachOk) {
	c.next = append(c.next, func() (bool, error) { return c.machine.Follow(prefix, zeps.LatestAll) })
}

// Subscribed lets messages come, and publishes.
func (c *session) Subscribed(*zeps.SubscribeOk) {
	c.next = append(c.next, func() (bool, error) { return c.machine.Grant(window) })
	for number := 1; number <= c.count; number++ {
		key, body := fmt.Sprintf("%s%d", prefix, number), append(c.tag[:len(c.tag):len(c.tag)], fmt.Sprint(number)...)
		c.next = append(c.next, func() (bool, error) { return c.machine.Post(key, body) })
	}
	if c.count == 0 {
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
	if !bytes.HasPrefix(message.Body, c.tag) {
		return
	}
	c.received++
	if wanted := fmt.Sprintf("%s%d", prefix, c.received); message.Key != wanted || message.Sequence <= c.last {
		c.note(fmt.Errorf("got %s with sequence %d after %d, not %s", message.Key, message.Sequence, c.last, wanted))
	}
	if c.received == 1 {
		c.first = message.Sequence
	}
	if c.last = message.Sequence; c.received == c.count {
		c.next = append(c.next, c.machine.Close)
	}
}

// Detached ends the session.
func (c *session) Detached(zeps.Message) { c.over = true }

// AttachRefused gives up.
func (c *session) AttachRefused(message *zeps.Invalid) {
	c.note(fmt.Errorf("the broker refused: %s", message.Reason))
}

// BrokerLost gives up; a client that lives longer would attach again, and resume after its last sequence.
func (c *session) BrokerLost(zeps.Message) { c.note(errors.New("the broker is lost")) }

// SessionLost gives up.
func (c *session) SessionLost(message *zeps.Invalid) {
	c.note(fmt.Errorf("the session is lost: %s", message.Reason))
}

// Answered has nothing to do: the machine counts the PINGs.
func (c *session) Answered(*zeps.PingOk) {}
