package main

import (
	"fmt"
	"net"
	"os"
	"strings"
	"time"
)

const (
	tick       = 100 * time.Millisecond
	batch      = 256             // events between two deliveries
	detachTime = 2 * time.Second // how long a stopping broker waits for DETACH-OK
	backlog    = 1024
	flushTime  = 200 * time.Millisecond
)

// broker owns all streams and sessions. One goroutine runs it, so it does not need locks.
type broker struct {
	timeout   time.Duration
	heartbeat time.Duration
	special   specialStreams
	events    chan event
	streams   map[string]*stream
	sessions  map[*connection]*session
	grown     map[*stream]bool // streams with messages that are not delivered yet
}

// specialStreams selects streams by prefixes of their names.
type specialStreams struct {
	regex  string // prefix of streams with regular expressions; "" selects no stream
	brief  string // prefix of streams with limited retention
	retain uint64 // bytes that they retain; 0 is unlimited
}

func newBroker(timeout, heartbeat time.Duration, special specialStreams) *broker {
	return &broker{
		timeout:   timeout,
		heartbeat: heartbeat,
		special:   special,
		events:    make(chan event, backlog),
		streams:   map[string]*stream{},
		sessions:  map[*connection]*session{},
		grown:     map[*stream]bool{},
	}
}

// accept accepts connections until the listener is closed.
func (b *broker) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go newConnection(conn, b.events).serve()
	}
}

// run serves until stop, and then detaches the clients.
func (b *broker) run(stop <-chan os.Signal) {
	clock := time.NewTicker(tick)
	defer clock.Stop()
	var deadline <-chan time.Time
	for {
		select {
		case next := <-b.events:
			b.handle(next)
			for i := 1; i < batch && len(b.events) > 0; i++ {
				b.handle(<-b.events)
			}
			b.deliver()
		case now := <-clock.C:
			for _, s := range b.sessions {
				s.watch(now)
			}
		case <-stop:
			stop, deadline = nil, time.After(detachTime)
			for _, s := range b.sessions {
				s.shutdown()
			}
		case <-deadline:
			return
		}
		if deadline != nil && b.isQuiet() {
			time.Sleep(flushTime) // time to send queued frames
			return
		}
	}
}

func (b *broker) handle(e event) {
	s := b.sessions[e.conn]
	switch e.kind {
	case opened:
		b.sessions[e.conn] = newSession(b, e.conn, time.Now())
	case arrived:
		s.take(e.parts, time.Now())
	case drained:
		if s != nil {
			s.pump()
		}
	case closed:
		s.lost()
		delete(b.sessions, e.conn)
	}
}

// deliver sends the messages that were published since its last call.
func (b *broker) deliver() {
	for grown := range b.grown {
		for s := range grown.sessions {
			s.pump()
		}
		delete(b.grown, grown)
	}
}

// isQuiet reports whether all clients are detached.
func (b *broker) isQuiet() bool {
	for _, s := range b.sessions {
		if s.stream != nil {
			return false
		}
	}
	return true
}

// stream returns the stream of that name, and creates it if necessary. Any text is a name (ZEPS-STREAM-2).
func (b *broker) stream(name string) *stream {
	found := b.streams[name]
	if found == nil {
		var retain uint64
		if strings.HasPrefix(name, b.special.brief) {
			retain = b.special.retain
		}
		regex := b.special.regex != "" && strings.HasPrefix(name, b.special.regex)
		found = newStream(retain, regex)
		b.streams[name] = found
	}
	return found
}

// check logs errors that do not occur if model and broker are consistent.
func (b *broker) check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "zeps-memory:", err)
	}
}
