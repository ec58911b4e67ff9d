package main

import (
	"fmt"
	"net"
	"os"
	"strings"
	"time"
)

const (
	tick      = 100 * time.Millisecond
	batch     = 256             // events between two looks at who is to be sent what
	farewell  = 2 * time.Second // how long a broker that stops waits for DETACH-OK
	backlog   = 1024
	flushTime = 200 * time.Millisecond
)

// broker owns all streams and sessions; one goroutine runs it, so that nothing here needs a lock.
type broker struct {
	timeout   time.Duration
	heartbeat time.Duration
	special   specialStreams
	events    chan event
	streams   map[string]*stream
	sessions  map[*connection]*session
	grown     map[*stream]bool // streams with messages that nobody has been told of
}

// specialStreams are known by how their names begin.
type specialStreams struct {
	regex  string // their patterns are regular expressions; "" is none
	brief  string // they retain a bounded number of octets
	retain uint64 // so many; 0 is no bound
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

// accept takes connections until the listener is closed.
func (b *broker) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go newConnection(conn, b.events).serve()
	}
}

// run serves until stop, and then says good-bye.
func (b *broker) run(stop <-chan os.Signal) {
	clock := time.NewTicker(tick)
	defer clock.Stop()
	var deadline <-chan time.Time
	for {
		select {
		case one := <-b.events:
			b.handle(one)
			for i := 1; i < batch && len(b.events) > 0; i++ {
				b.handle(<-b.events)
			}
			b.tell()
		case now := <-clock.C:
			for _, s := range b.sessions {
				s.watch(now)
			}
		case <-stop:
			stop, deadline = nil, time.After(farewell)
			for _, s := range b.sessions {
				s.shutdown()
			}
		case <-deadline:
			return
		}
		if deadline != nil && b.isQuiet() {
			time.Sleep(flushTime) // what is queued still leaves
			return
		}
	}
}

func (b *broker) handle(one event) {
	s := b.sessions[one.conn]
	switch one.kind {
	case opened:
		b.sessions[one.conn] = newSession(b, one.conn, time.Now())
	case arrived:
		s.take(one.parts, time.Now())
	case drained:
		if s != nil {
			s.pump()
		}
	case closed:
		s.lost()
		delete(b.sessions, one.conn)
	}
}

// tell sends what was published since the last time.
func (b *broker) tell() {
	for grown := range b.grown {
		for s := range grown.sessions {
			s.pump()
		}
		delete(b.grown, grown)
	}
}

// isQuiet tells whether nobody is attached any more.
func (b *broker) isQuiet() bool {
	for _, s := range b.sessions {
		if s.stream != nil {
			return false
		}
	}
	return true
}

// stream is the stream of that name; any text is a name (ZEPS-STREAM-2).
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

// check reports what cannot happen, if model and broker fit together.
func (b *broker) check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "zeps-memory:", err)
	}
}
