package main

import (
	"strings"

	"zeps.example/wire/zeps"
)

// stored is a message of a stream, with the frame that every subscriber gets.
type stored struct {
	deliver zeps.Deliver
	frame   []byte
}

// stream is the messages of one name, in their order: sequence n is at n-1.
type stream struct {
	messages []*stored
	sessions map[*session]bool // those that are attached to it
}

func (s *stream) end() uint64 { return uint64(len(s.messages)) }

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
	return nil
}

// subscription wants the keys that begin with pattern (ZEPS-SUBSCRIBE-8), after a sequence.
type subscription struct {
	pattern string
	after   uint64
}

func (s subscription) wants(message *zeps.Deliver) bool {
	return message.Sequence > s.after && strings.HasPrefix(message.Key, s.pattern)
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
