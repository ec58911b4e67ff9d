package main

import (
	"errors"
	"fmt"

	"zeps.example/wire"
)

// errUnknown is a name that the machine does not have.
var errUnknown = errors.New("unknown")

// recorder is what a host was asked for in this step, and which actions are to fail.
type recorder struct {
	count   int // of actions
	text    writer
	refused bool           // a message could not be encoded
	armed   map[string]int // the event that an action is to fail with
}

func (r *recorder) sent(found message) {
	frame, err := encode(found)
	if err != nil {
		r.unsent()
		return
	}
	r.write("send", frame)
}

// unsent writes down that a message could not be sent.
func (r *recorder) unsent() {
	r.refused = true
	r.write("send", nil)
}

// acted writes an action down, and returns the event that it is to fail with, or 0.
func (r *recorder) acted(action string) int {
	r.write(action, nil)
	event := r.armed[action]
	delete(r.armed, action)
	return event
}

func (r *recorder) write(action string, frame []byte) {
	r.count++
	r.text.name(action)
	r.text.blob(frame)
}

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
	case 'D':
		found, frame := protocolOf(in.name()), in.blob()
		in.end()
		answerDecode(out, found, frame)
	case 'E':
		found, name, values := protocolOf(in.name()), in.name(), in.values()
		in.end()
		answerEncode(out, found, name, argumentsOf(values))
	case 'M':
		name := in.name()
		for _, one := range machines {
			if one.name == name {
				answerMachine(out, one, in)
				return out.octets
			}
		}
		refuse("no machine is called %q", name)
	default:
		refuse("no request begins with %q", kind)
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
	refuse("no protocol is called %q", name)
	return nil
}

// encode is the message as one frame.
func encode(found message) ([]byte, error) {
	if single, ok := found.(interface{ Encode() ([]byte, error) }); ok {
		return single.Encode()
	}
	refuse("%s has several frames", found.MessageName())
	return nil, nil
}

func answerDecode(out *writer, found *protocol, frame []byte) {
	decoded, err := found.decode(frame)
	if err != nil {
		fault(out, err)
		return
	}
	again, err := encode(decoded)
	if err != nil {
		refuse("what was decoded cannot be encoded: %v", err)
	}
	out.byte('+')
	out.name(decoded.MessageName())
	found.tell(out, decoded)
	out.blob(again)
}

func answerEncode(out *writer, found *protocol, name string, in *arguments) {
	kind := found.kind(name)
	if kind == nil {
		refuse("%s has no message %q", found.name, name)
	}
	frame, err := encode(kind.build(in))
	if err = in.before(err, name); err != nil {
		fault(out, err)
		return
	}
	out.byte('+')
	out.blob(frame)
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
		refuse("no error of the codec: %v", err)
	}
}

// answerMachine takes a fresh machine through the steps of the request.
func answerMachine(out *writer, found *machine, in *cursor) {
	s := newSession(found)
	out.byte('+')
	for steps := in.count(); steps > 0; steps-- {
		s.count, s.text.octets, s.refused = 0, nil, false
		outcome := step(s, in)
		if s.refused {
			outcome = 'e'
		}
		out.byte(outcome)
		s.situation(out)
		out.count(s.count)
		out.octets = append(out.octets, s.text.octets...)
	}
	in.end()
}

func step(s *session, in *cursor) byte {
	switch kind := in.take(1)[0]; kind {
	case 'm':
		return outcomeOf(true, s.receive(in.blob()))
	case 'c':
		return outcomeOf(s.call(in.name(), in.values()))
	case 'v':
		if !s.set(in.name(), argumentsOf([]value{in.value(0)})) {
			return 'x'
		}
	case 'f':
		if !s.arm(in.name(), in.name()) {
			return 'x'
		}
	default:
		refuse("no step begins with %q", kind)
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
