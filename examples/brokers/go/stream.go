package main

import (
	"regexp"
	"strings"

	"zeps.example/wire/zeps"
)

// stored is a message of a stream, with its encoded frame.
type stored struct {
	deliver zeps.Deliver
	frame   []byte
}

// stream has the messages of one name, in order. If its retention is limited, the oldest messages are
// removed.
type stream struct {
	messages []*stored
	first    uint64            // the sequence of messages[0]: 1 until messages are removed
	octets   uint64            // of the frames in messages
	retain   uint64            // approximate bytes to keep; 0 is unlimited
	regex    bool              // patterns are regular expressions (RE2), and prefixes otherwise
	sessions map[*session]bool // the attached sessions
}

func newStream(retain uint64, regex bool) *stream {
	return &stream{first: 1, retain: retain, regex: regex, sessions: map[*session]bool{}}
}

func (s *stream) end() uint64 { return s.first + uint64(len(s.messages)) - 1 }

// at returns the message of a retained sequence.
func (s *stream) at(sequence uint64) *stored { return s.messages[sequence-s.first] }

// add gives the message its sequence (ZEPS-SEQUENCE-1, ZEPS-SEQUENCE-2), and encodes it.
func (s *stream) add(message *zeps.Publish) error {
	added := &stored{deliver: zeps.Deliver{Sequence: s.end() + 1, Key: message.Key, Body: message.Body}}
	frame, err := added.deliver.Encode()
	if err != nil {
		return err
	}
	added.frame = frame
	added.deliver.Body = frame[len(frame)-len(message.Body):]
	s.messages = append(s.messages, added)
	s.octets += uint64(len(frame))
	for s.retain > 0 && s.octets > s.retain && len(s.messages) > 1 {
		s.octets -= uint64(len(s.messages[0].frame))
		s.messages[0] = nil
		s.messages = s.messages[1:]
		s.first++
	}
	return nil
}

// subscription is a pattern, and the sequence after which it begins.
type subscription struct {
	matches func(key string) bool
	after   uint64
}

// newSubscription returns an error if the pattern is invalid in the stream's matching style
// (ZEPS-SUBSCRIBE-11).
func newSubscription(s *stream, pattern string, after uint64) (subscription, error) {
	if !s.regex { // ZEPS-SUBSCRIBE-15
		return subscription{func(key string) bool { return strings.HasPrefix(key, pattern) }, after}, nil
	}
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return subscription{}, err
	}
	return subscription{expression.MatchString, after}, nil
}

func (s subscription) wants(message *zeps.Deliver) bool {
	return message.Sequence > s.after && s.matches(message.Key)
}

// sequences is a set of sequences, as a bitmap.
type sequences []uint64

func (s sequences) has(sequence uint64) bool {
	at := sequence / 64
	return at < uint64(len(s)) && s[at]>>(sequence%64)&1 == 1
}

func (s *sequences) add(sequence uint64) {
	for sequence/64 >= uint64(len(*s)) {
		*s = append(*s, 0)
	}
	(*s)[sequence/64] |= 1 << (sequence % 64)
}
