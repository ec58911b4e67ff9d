package main

import (
	"time"

	"zeps.example/wire/zeps"
	"zeps.example/wire/zepsserver"
)

const subscriptionsMax = 1024

// session is the host of one client's machine: the machine decides which messages are legal and how they are
// answered, the session performs its actions.
type session struct {
	broker  *broker
	conn    *connection
	machine *zepsserver.Machine

	stream        *stream
	subscriptions []subscription
	fills         []fill       // older messages for new subscriptions; they are sent before the main flow
	next          uint64       // the next sequence of the main flow
	had           sequences    // sequences sent in this session, so that no message is sent twice
	added         subscription // the subscription that CheckSubscription accepted
	sending       *stored      // the message that is being delivered

	heard  time.Time // time of the client's last valid message
	pinged time.Time // time of the last PING
}

// rateMin is the number of bytes per second above which an incomplete message counts as a sign of life.
const rateMin = 65_536

// fill is the older part of one subscription: its matching messages from next to upto (ZEPS-SUBSCRIBE-7).
type fill struct {
	subscription
	next, upto uint64
}

func newSession(b *broker, conn *connection, now time.Time) *session {
	s := &session{broker: b, conn: conn, heard: now, pinged: now}
	s.machine = zepsserver.New(s)
	return s
}

// take handles a message from the client.
func (s *session) take(parts [][]byte, now time.Time) {
	switch {
	case s.conn.ownID: // ZEPS-SESSION-5
		s.refuse(zeps.EndingCodeRoutingId, "the broker assigns the routing id: do not set Identity")
		return
	case len(parts) != 1: // ZEPS-FRAME-8
		s.refuse(zeps.EndingCodeMalformed, "a command must be a message of one part")
		return
	}
	message, err := zeps.Decode(parts[0])
	if err != nil {
		s.refuse(codeOf(err), err.Error())
		return
	}
	s.heard = now // ZEPS-PING-7
	s.broker.check(s.machine.Receive(message))
	s.pump()
}

// refuse answers invalid input (ZEPS-INVALID-1).
func (s *session) refuse(code zeps.EndingCode, text string) {
	s.machine.Reason = reason(code, text)
	_, err := s.machine.OnMalformed()
	s.broker.check(err)
}

// pump sends matching messages that the credit covers: first the fills, one after the other, then the main
// flow, in ascending sequence (ZEPS-SUBSCRIBE-12, -16).
func (s *session) pump() {
	if len(s.subscriptions) == 0 || s.machine.State() != zepsserver.StateOpen {
		return
	}
	for len(s.fills) > 0 {
		oldest := &s.fills[0]
		if !s.walk(&oldest.next, oldest.upto, oldest.wants) {
			return
		}
		s.fills = s.fills[1:]
	}
	s.walk(&s.next, s.stream.end(), s.wants)
}

// walk sends the matching messages from next to upto, and reports whether it completed the range.
func (s *session) walk(next *uint64, upto uint64, wants func(*zeps.Deliver) bool) bool {
	for *next <= upto {
		if *next < s.stream.first {
			last := min(upto, s.stream.first-1)
			s.announce(*next, last)
			*next = last + 1
			continue
		}
		message := s.stream.at(*next)
		if s.had.has(*next) || !wants(&message.deliver) {
			*next++
			continue
		}
		if !s.conn.hasBufferSpace() {
			return false
		}
		s.sending = message
		taken, err := s.machine.OnDeliver(&message.deliver)
		s.broker.check(err)
		if !taken { // the credit does not cover it, and later messages must wait (ZEPS-CREDIT-6, -7)
			return false
		}
		s.had.add(*next)
		*next++
	}
	return true
}

// announce reports the messages from first to last as lost, except those that the session has sent
// (ZEPS-RETAIN-1, ZEPS-GAP-4).
func (s *session) announce(first, last uint64) {
	for at := first; at <= last; at++ {
		if s.had.has(at) {
			continue
		}
		first = at
		for at < last && !s.had.has(at+1) {
			at++
		}
		s.machine.Reason = reason(zeps.OpenCodeRetention, "these messages are no longer retained", first, at)
		_, err := s.machine.OnGap()
		s.broker.check(err)
	}
}

// wants reports whether any subscription matches. A message is sent once, even if several match
// (ZEPS-SUBSCRIBE-6).
func (s *session) wants(message *zeps.Deliver) bool {
	for _, subscription := range s.subscriptions {
		if subscription.wants(message) {
			return true
		}
	}
	return false
}

// watch checks the clock: a silent client gets PING, and after the timeout its session is removed
// (ZEPS-PING-6).
func (s *session) watch(now time.Time) {
	if s.machine.State() == zepsserver.StateStart {
		return
	}
	s.heard = s.heard.Add(time.Duration(s.conn.read.Swap(0)) * time.Second / rateMin) // ZEPS-PING-15
	if s.heard.After(now) {
		s.heard = now
	}
	var err error
	switch silent := now.Sub(s.heard); {
	case silent > s.broker.timeout:
		_, err = s.machine.OnExpired()
	case s.machine.State() == zepsserver.StateOpen && silent > s.broker.heartbeat && now.Sub(s.pinged) > s.broker.heartbeat:
		s.pinged = now
		_, err = s.machine.OnHeartbeat()
	}
	s.broker.check(err)
}

// shutdown sends DETACH to an attached client (ZEPS-DETACH-4).
func (s *session) shutdown() {
	if s.machine.State() == zepsserver.StateOpen {
		_, err := s.machine.OnShutdown()
		s.broker.check(err)
	}
}

// lost is called after the connection is closed.
func (s *session) lost() {
	if s.machine.State() != zepsserver.StateStart {
		_, err := s.machine.OnExpired()
		s.broker.check(err)
	}
}

// --- actions of the machine

// Send queues a message. A DELIVER is already encoded.
func (s *session) Send(message zeps.Message) {
	if deliver, ok := message.(*zeps.Deliver); ok && s.sending != nil && deliver == &s.sending.deliver {
		s.conn.send(s.sending.frame)
		return
	}
	frame, err := message.Encode()
	if s.broker.check(err); err == nil {
		s.conn.send(frame)
	}
}

// OpenStream attaches to the stream, which is created with its first client.
func (s *session) OpenStream(message *zeps.Attach) {
	s.stream = s.broker.stream(message.Stream)
	s.stream.sessions[s] = true
}

// CloseStream removes the session from its stream, and its subscriptions.
func (s *session) CloseStream(zeps.Message) {
	if s.stream != nil {
		delete(s.stream.sessions, s)
	}
	s.stream, s.subscriptions, s.fills, s.next, s.had = nil, nil, nil, 0, nil
}

// CheckSubscription refuses invalid subscriptions; the session continues unchanged (ZEPS-SUBSCRIBE-13).
func (s *session) CheckSubscription(message *zeps.Subscribe) {
	latest, first, end := message.Latest, s.stream.first, s.stream.end()
	added, err := newSubscription(s.stream, message.Pattern, 0)
	switch {
	case len(s.subscriptions) >= subscriptionsMax:
		s.machine.Reason = reason(zeps.OpenCodeTooManySubscriptions, "cancel them all with ATTACH")
	case err != nil:
		s.machine.Reason = reason(zeps.OpenCodeBadPattern, err.Error())
	case latest > end && latest != zeps.LatestNew:
		s.machine.Reason = reason(zeps.OpenCodeBeyondEnd, "the stream does not have these", end+1, latest)
	case latest > 0 && latest < first-1:
		s.machine.Reason = reason(zeps.OpenCodeNotRetained, "these messages are no longer retained", latest+1, first-1)
	default:
		added.after = min(max(latest, first-1), end) // ZEPS-SUBSCRIBE-2, ZEPS-SUBSCRIBE-4
		s.added = added
		return
	}
	s.machine.Fail(zepsserver.InternalSubscribeRefused)
}

// AddSubscription adds the checked subscription, with a fill if it begins before the main flow.
func (s *session) AddSubscription(*zeps.Subscribe) {
	switch {
	case len(s.subscriptions) == 0:
		s.next = s.added.after + 1
	case s.added.after+1 < s.next:
		s.fills = append(s.fills, fill{s.added, s.added.after + 1, s.next - 1})
	}
	s.subscriptions = append(s.subscriptions, s.added)
}

// UseCredit does nothing: pump is called after every command.
func (s *session) UseCredit(*zeps.Credit) {}

// StoreMessage stores the message, and marks its stream for delivery.
func (s *session) StoreMessage(message *zeps.Publish) {
	err := s.stream.add(message)
	if s.broker.check(err); err == nil {
		s.broker.grown[s.stream] = true
	}
}
