package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"time"

	"zeps.example/wire"
)

// errUnknown reports a name that the machine does not have.
var errUnknown = errors.New("unknown")

// handle appends the answer to one request to dst.
func handle(dst, request []byte) (answer []byte) {
	defer func() {
		if found := recover(); found != nil {
			out := writer{octets: append(dst, '?')}
			out.name(fmt.Sprint(found))
			answer = out.octets
		}
	}()
	in, out := &cursor{rest: request}, &writer{octets: dst}
	switch kind := in.take(1)[0]; kind {
	case 'I':
		in.end()
		info(out)
	case 'D', 'd':
		found, frames := protocolOf(in.name()), in.frames(kind == 'd')
		in.end()
		answerDecode(out, found, frames, kind == 'd')
	case 'E', 'e':
		found, name, values := protocolOf(in.name()), in.name(), in.values()
		in.end()
		answerEncode(out, found, name, argumentsOf(values), kind == 'e')
	case 'b':
		found, count, frames := protocolOf(in.name()), in.take(1)[0], in.frames(true)
		in.end()
		answerMeasure(out, found, frames, count)
	case 'M':
		name := in.name()
		for _, one := range machines {
			if one.name == name {
				answerMachine(out, one, in)
				return out.octets
			}
		}
		refuse("unknown machine %q", name)
	default:
		refuse("unknown kind of request %q", kind)
	}
	return out.octets
}

func info(out *writer) {
	out.byte('I')
	out.name("go")
	out.count(len(protocols) + len(machines))
	for _, one := range protocols {
		out.name(one.name)
	}
	for _, one := range machines {
		out.name(one.name)
	}
}

func protocolOf(name string) *protocol {
	for _, one := range protocols {
		if one.name == name {
			return one
		}
	}
	refuse("unknown protocol %q", name)
	return nil
}

func answerDecode(out *writer, found *protocol, frames [][]byte, isSeveral bool) {
	decoded, err := found.decode(frames)
	if err != nil {
		fault(out, err)
		return
	}
	again, err := encode(decoded)
	if err != nil {
		refuse("the decoded message cannot be encoded: %v", err)
	}
	out.byte('+')
	out.name(decoded.MessageName())
	found.tell(out, decoded)
	out.frames(again, isSeveral)
}

// answerMeasure decodes count times; the answer has the nanoseconds and the allocated bytes.
func answerMeasure(out *writer, found *protocol, frames [][]byte, count byte) {
	var before, after runtime.MemStats
	verdict := byte('-')
	runtime.ReadMemStats(&before)
	start := time.Now()
	for ; count > 0; count-- {
		if _, err := found.decode(frames); err == nil {
			verdict = '+'
		}
	}
	elapsed := time.Since(start)
	runtime.ReadMemStats(&after)
	out.byte(verdict)
	out.octets = binary.BigEndian.AppendUint64(out.octets, uint64(elapsed))
	out.octets = binary.BigEndian.AppendUint64(out.octets, after.TotalAlloc-before.TotalAlloc)
}

func answerEncode(out *writer, found *protocol, name string, in *arguments, isSeveral bool) {
	kind := found.kind(name)
	if kind == nil {
		refuse("%s has no message %q", found.name, name)
	}
	frames, err := encode(kind.build(in))
	if err = in.before(err, name); err != nil {
		fault(out, err)
		return
	}
	out.byte('+')
	out.frames(frames, isSeveral)
}

func fault(out *writer, err error) {
	out.byte('-')
	var decode *wire.DecodeError
	var encode *wire.EncodeError
	switch {
	case errors.As(err, &decode):
		out.name(string(decode.Code))
		out.name(decode.Message)
		out.name(decode.Field)
	case errors.As(err, &encode):
		out.name(string(encode.Code))
		out.name(encode.Message)
		out.name(encode.Field)
	default:
		refuse("not an error of the codec: %v", err)
	}
}

// answerMachine runs the steps of the request on a new machine.
func answerMachine(out *writer, found *machine, in *cursor) {
	s := newSession(found)
	out.byte('+')
	for steps := in.count(); steps > 0; steps-- {
		s.count, s.text.octets, s.refused = 0, nil, false
		kind := in.take(1)[0]
		outcome := step(s, kind, in)
		if s.refused {
			outcome = 'e'
		}
		out.byte(outcome)
		s.situation(out)
		out.count(s.count)
		out.octets = append(out.octets, s.text.octets...)
		if kind == 't' && outcome != 'x' {
			s.deadline(out)
		}
	}
	in.end()
}

// step executes one step, and returns its outcome.
func step(s *session, kind byte, in *cursor) byte {
	known := true
	switch kind {
	case 'm', 'a':
		return outcomeOf(true, s.receive(in.frames(kind == 'a')))
	case 'c':
		return outcomeOf(s.call(in.name(), in.values()))
	case 'v':
		known = s.set(in.name(), argumentsOf([]value{in.value(0)}))
	case 'f':
		known = s.arm(s.failing, in.name(), in.name())
	case 'n':
		known = s.arm(s.raising, in.name(), in.name())
	case 'w':
		known = s.fill(in.name(), in.name(), argumentsOf([]value{in.value(0)}))
	case 't':
		return outcomeOf(s.advance(binary.BigEndian.Uint64(in.take(8))))
	default:
		refuse("unknown kind of step %q", kind)
	}
	if !known {
		return 'x'
	}
	return 'v'
}

func outcomeOf(taken bool, err error) byte {
	var decode *wire.DecodeError
	var unexpected *wire.UnexpectedError
	switch {
	case err == nil && taken:
		return 't'
	case err == nil:
		return 'n'
	case errors.Is(err, errUnknown) || errors.As(err, &decode):
		return 'x'
	case errors.As(err, &unexpected):
		return 'u'
	default:
		return 'h'
	}
}
