package main

import (
	"regexp"
	"strings"

	"zeps.example/wire/zeps"
)

// stored is a message of a stream, with the frame that every subscriber gets.
type stored struct {
	deliver zeps.Deliver
	frame   []byte
}

// stream is the messages of one name, in their order. Of one that retains a bounded number of octets the oldest go.
type stream struct {
	messages []*stored
	first    uint64            // the sequence of messages[0]: 1, until some are gone
	octets   uint64            // of the frames in messages
	retain   uint64            // how many octets it keeps, about; 0 is all
	regex    bool              // patterns are regular expressions (RE2), and prefixes otherwise
	sessions map[*session]bool // those that are attached to it
}

func newStream(retain uint64, regex bool) *stream {
	return &stream{first: 1, retain: retain, regex: regex, sessions: map[*session]bool{}}
}

func (s *stream) end() uint64 { return s.first + uint64(len(s.messages)) - 1 }

// at is the message of a sequence that is retained.
func (s *stream) at(sequence uint64) *stored { return s.messages[sequence-s.first] }

// add gives the message its sequence (ZEPS-SEQUENCE-1, ZEPS-SEQUENCE-2). It takes the body as its own.
func (s *stream) add(message *zeps.Publish) error {
	one := &stored{deliver: zeps.Deliver{Sequence: s.end() + 1, Key: message.Key, Body: message.Body}}
	frame, err := one.deliver.Encode()
	if err != nil {
		return err
	}
	one.frame = frame
	one.deliver.Body = frame[len(frame)-len(message.Body):]
	s.messages = append(s.messages, one)
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

// newSubscription fails if the pattern does not have the syntax of the stream's style (ZEPS-SUBSCRIBE-11).
func newSubscription(s *stream, pattern string, after uint64) (subscription, error) {
	if !s.regex { // ZEPS-SUBSCRIBE-8
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

// sequences is a set of sequences that begin at 1 and grow densely.
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
