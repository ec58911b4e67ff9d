package main

import (
	"bufio"
	"net"
	"sync"
	"sync/atomic"
)

const (
	bufferSize = 64 << 10
	queueHigh  = 1 << 20  // octets in a queue above which a session waits
	queueLow   = 1 << 18  // octets below which it goes on
	queueMax   = 64 << 20 // octets of answers that a client leaves unread before it is cut off
)

// event is what a connection tells the broker: it is there, brought a message, has room again, or is gone.
type event struct {
	conn  *connection
	kind  eventKind
	parts [][]byte
}

type eventKind int

const (
	opened eventKind = iota
	arrived
	drained
	closed
)

// connection is a client's end: one goroutine reads messages, another writes what is queued.
type connection struct {
	net    net.Conn
	events chan<- event
	ownID  bool         // it chose its own routing id
	read   atomic.Int64 // octets since the session last looked

	lock    sync.Mutex
	wake    *sync.Cond
	queue   [][]byte
	octets  int
	waiting bool // the broker wants to know when there is room
	over    bool
}

func newConnection(conn net.Conn, events chan<- event) *connection {
	c := &connection{net: conn, events: events}
	c.wake = sync.NewCond(&c.lock)
	return c
}

// serve lives as long as the connection does.
func (c *connection) serve() {
	in := bufio.NewReaderSize(c, bufferSize)
	var err error
	if c.ownID, err = handshake(c.net, in); err != nil {
		c.net.Close()
		return
	}
	go c.write()
	c.events <- event{conn: c, kind: opened}
	for {
		parts, err := readMessage(in, c.putOne)
		if err != nil {
			break
		}
		c.events <- event{conn: c, kind: arrived, parts: parts}
	}
	c.close()
	c.events <- event{conn: c, kind: closed}
}

// Read counts what arrives, so that a message is a sign of life before it is whole.
func (c *connection) Read(octets []byte) (int, error) {
	count, err := c.net.Read(octets)
	c.read.Add(int64(count))
	return count, err
}

// send queues a message of one part. It never waits.
func (c *connection) send(frame []byte) { c.put(frameHead(len(frame)), frame) }

func (c *connection) putOne(octets []byte) { c.put(octets) }

func (c *connection) put(pieces ...[]byte) {
	c.lock.Lock()
	defer c.lock.Unlock()
	for _, piece := range pieces {
		c.octets += len(piece)
	}
	c.queue = append(c.queue, pieces...)
	if c.octets > queueMax { // a client that asks and never reads
		c.over = true
		c.net.Close()
	}
	c.wake.Signal()
}

// hasRoom tells whether more may be queued; if not, a drained event follows once it may.
func (c *connection) hasRoom() bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.waiting = c.octets > queueHigh
	return !c.waiting
}

func (c *connection) close() {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.over = true
	c.wake.Signal()
}

// write sends what is queued, and closes the connection at the end.
func (c *connection) write() {
	defer c.net.Close()
	for {
		c.lock.Lock()
		for len(c.queue) == 0 && !c.over {
			c.wake.Wait()
		}
		pieces, size := net.Buffers(c.queue), 0
		for _, piece := range pieces {
			size += len(piece)
		}
		c.queue = nil
		c.lock.Unlock()
		_, err := pieces.WriteTo(c.net)
		c.lock.Lock()
		c.octets -= size
		tell := c.waiting && c.octets <= queueLow
		if tell {
			c.waiting = false
		}
		over := c.over && len(c.queue) == 0
		c.lock.Unlock()
		if tell {
			c.events <- event{conn: c, kind: drained}
		}
		if err != nil || over {
			return
		}
	}
}
