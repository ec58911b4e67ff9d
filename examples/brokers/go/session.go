package main

import (
	"time"

	"zeps.example/wire/zeps"
	"zeps.example/wire/zepsserver"
)

// session is the host of one client's machine: the machine says what is legal and what is answered, and this does it.
type session struct {
	broker  *broker
	conn    *connection
	machine *zepsserver.Machine

	stream        *stream
	subscriptions []subscription
	cursor        uint64    // the sequence that is looked at next
	had           sequences // what this session has been sent, so that nothing is sent twice
	sending       *stored   // the message that the machine is asked to deliver

	heard  time.Time // when the client last said something valid
	pinged time.Time // when it was last asked whether it is there
}

func newSession(b *broker, conn *connection, now time.Time) *session {
	s := &session{broker: b, conn: conn, heard: now, pinged: now}
	s.machine = zepsserver.New(s)
	return s
}

// take handles a message of the client's.
func (s *session) take(parts [][]byte, now time.Time) {
	if len(parts) != 1 {
		s.refuse("a command is a message of one part") // ZEPS-FRAME-3
		return
	}
	message, err := zeps.Decode(parts[0])
	if err != nil {
		s.refuse(err.Error())
		return
	}
	s.heard = now // ZEPS-PING-7
	s.broker.check(s.machine.Receive(message))
	s.pump()
}

// refuse is what bad input gets (ZEPS-INVALID-1).
func (s *session) refuse(reason string) {
	s.machine.Reason = reason
	_, err := s.machine.OnMalformed()
	s.broker.check(err)
}

// pump sends what the subscriptions want and the credit covers, in ascending sequence.
func (s *session) pump() {
	if len(s.subscriptions) == 0 || s.machine.State() != zepsserver.StateOpen {
		return
	}
	for ; s.cursor <= s.stream.end(); s.cursor++ {
		one := s.stream.messages[s.cursor-1]
		if !s.wants(one) {
			continue
		}
		if !s.conn.hasRoom() {
			return
		}
		s.sending = one
		taken, err := s.machine.OnDeliver(&one.deliver)
		s.broker.check(err)
		if !taken { // the credit does not cover it, and none overtakes it (ZEPS-CREDIT-6)
			return
		}
		s.had.add(s.cursor)
	}
}

// wants tells whether any subscription does; a message goes out once, however many do (ZEPS-SUBSCRIBE-6).
func (s *session) wants(one *stored) bool {
	if s.had.has(one.deliver.Sequence) {
		return false
	}
	for _, subscription := range s.subscriptions {
		if subscription.wants(&one.deliver) {
			return true
		}
	}
	return false
}

// watch looks at the clock: a client that is silent is asked, and then forgotten (ZEPS-PING-6).
func (s *session) watch(now time.Time) {
	if s.machine.State() == zepsserver.StateStart {
		return
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

// shutdown says DETACH to a client that is attached (ZEPS-DETACH-4).
func (s *session) shutdown() {
	if s.machine.State() == zepsserver.StateOpen {
		_, err := s.machine.OnShutdown()
		s.broker.check(err)
	}
}

// lost is called once the connection is gone.
func (s *session) lost() {
	if s.machine.State() != zepsserver.StateStart {
		_, err := s.machine.OnExpired()
		s.broker.check(err)
	}
}

// --- what the machine asks for

// Send queues a message; the frame of a DELIVER is there already.
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

// OpenStream attaches to the stream, which is made with its first client.
func (s *session) OpenStream(message *zeps.Attach) {
	s.stream = s.broker.stream(message.Stream)
	s.stream.sessions[s] = true
}

// CloseStream forgets what belongs to the session.
func (s *session) CloseStream(zeps.Message) {
	if s.stream != nil {
		delete(s.stream.sessions, s)
	}
	s.stream, s.subscriptions, s.cursor, s.had = nil, nil, 0, nil
}

// CheckPattern has nothing to refuse: any text is a prefix.
func (s *session) CheckPattern(*zeps.Subscribe) {}

// AddSubscription goes back to where the new subscription begins; what the session has had is not sent again
// (ZEPS-SUBSCRIBE-7).
func (s *session) AddSubscription(message *zeps.Subscribe) {
	after := min(message.Latest, s.stream.end()) // ZEPS-SUBSCRIBE-4, ZEPS-SUBSCRIBE-5
	if len(s.subscriptions) == 0 || after+1 < s.cursor {
		s.cursor = after + 1
	}
	s.subscriptions = append(s.subscriptions, subscription{message.Pattern, after})
}

// UseCredit has nothing to do: pump follows every command.
func (s *session) UseCredit(*zeps.Credit) {}

// StoreMessage keeps the message, and tells everybody who is attached.
func (s *session) StoreMessage(message *zeps.Publish) {
	err := s.stream.add(message)
	if s.broker.check(err); err == nil {
		s.broker.grown[s.stream] = true
	}
}
