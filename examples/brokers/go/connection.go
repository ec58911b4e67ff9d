package main

import (
	"bufio"
	"net"
	"sync"
	"sync/atomic"
)

const (
	bufferSize = 64 << 10
	queueHigh  = 1 << 20  // bytes in a queue above which a session waits
	queueLow   = 1 << 18  // bytes below which it continues
	queueMax   = 64 << 20 // bytes of unread answers above which a client's connection is closed
)

// event is an event of a connection: opened, a message arrived, the queue drained, or closed.
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

// connection is a connection to a client: one goroutine reads messages, another writes queued frames.
type connection struct {
	net    net.Conn
	events chan<- event
	ownID  bool         // the client set a routing id
	read   atomic.Int64 // bytes since the session last read the counter

	lock    sync.Mutex
	wake    *sync.Cond
	queue   [][]byte
	octets  int
	waiting bool // the broker waits for a drained event
	over    bool
}

func newConnection(conn net.Conn, events chan<- event) *connection {
	c := &connection{net: conn, events: events}
	c.wake = sync.NewCond(&c.lock)
	return c
}

// serve handles the connection until it is closed.
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

// Read counts received bytes, so that an incomplete message counts as a sign of life.
func (c *connection) Read(octets []byte) (int, error) {
	count, err := c.net.Read(octets)
	c.read.Add(int64(count))
	return count, err
}

// send queues a message of one part. It does not block.
func (c *connection) send(frame []byte) { c.put(frameHead(len(frame)), frame) }

func (c *connection) putOne(octets []byte) { c.put(octets) }

func (c *connection) put(pieces ...[]byte) {
	c.lock.Lock()
	defer c.lock.Unlock()
	for _, piece := range pieces {
		c.octets += len(piece)
	}
	c.queue = append(c.queue, pieces...)
	if c.octets > queueMax { // the client sends requests without reading the answers
		c.over = true
		c.net.Close()
	}
	c.wake.Signal()
}

// hasBufferSpace reports whether more may be queued. If not, a drained event follows when the queue has shrunk.
func (c *connection) hasBufferSpace() bool {
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

// write sends queued frames, and closes the connection at the end.
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
		hasDrained := c.waiting && c.octets <= queueLow
		if hasDrained {
			c.waiting = false
		}
		over := c.over && len(c.queue) == 0
		c.lock.Unlock()
		if hasDrained {
			c.events <- event{conn: c, kind: drained}
		}
		if err != nil || over {
			return
		}
	}
}
