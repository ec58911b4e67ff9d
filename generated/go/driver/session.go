package main

import (
	"encoding/binary"
	"reflect"
	"slices"
)

// machine is a state machine.
type machine struct {
	name, protocol string
	start          func(r *recorder) any // a new machine, whose host records everything
	internal       map[string]int        // the numbers of the events that actions may fail with or raise
	fills          []fill
	actions        []string
	variables      []field
	calls          map[string]call
}

// fill is the method that fills a field of a message.
type fill struct {
	message string
	field
}

// call is the method that raises an event, with a message of that name or with parameters.
type call struct {
	method, message string
	parameters      []field
}

// recorder has the calls of the host in this step, and the planned failures of its actions.
type recorder struct {
	target           reflect.Value // the machine
	count            int           // the number of actions
	text             writer
	refused          bool           // a message could not be encoded
	spoiled          map[fill]bool  // fields that were filled with a number beyond their type
	failing, raising map[string]int // the event of each action
}

func (r *recorder) sent(found message) {
	frames, err := encode(found)
	if r.isSpoiled(found.MessageName()) || err != nil {
		r.unsent(found.MessageName())
		return
	}
	if len(frames) == 1 {
		r.write("send", frames[0])
		return
	}
	var all writer
	all.frames(frames, false)
	r.write("send", all.octets)
}

// unsent records that a message could not be sent.
func (r *recorder) unsent(message string) {
	r.isSpoiled(message)
	r.refused = true
	r.write("send", nil)
}

// isSpoiled reports and clears whether a field of the message was filled with a number beyond its type.
func (r *recorder) isSpoiled(message string) bool {
	found := false
	for one := range r.spoiled {
		if one.message == message {
			found = true
			delete(r.spoiled, one)
		}
	}
	return found
}

// act records an action, which raises an event or fails if that was planned.
func (r *recorder) act(action string) {
	r.write(action, nil)
	for method, events := range map[string]map[string]int{"Raise": r.raising, "Fail": r.failing} {
		if event, found := events[action]; found {
			delete(events, action)
			does := r.target.MethodByName(method)
			if result := does.Call([]reflect.Value{reflect.ValueOf(event).Convert(does.Type().In(0))}); !result[0].IsNil() {
				refuse("%v", result[0])
			}
		}
	}
}

func (r *recorder) write(action string, octets []byte) {
	r.count++
	r.text.name(action)
	r.text.blob(octets)
}

// session is a machine that executes the steps of a request.
type session struct {
	*machine
	*recorder
	codec *protocol
}

func newSession(found *machine) *session {
	r := &recorder{spoiled: map[fill]bool{}, failing: map[string]int{}, raising: map[string]int{}}
	r.target = reflect.ValueOf(found.start(r))
	return &session{found, r, protocolOf(found.protocol)}
}

// do calls a method of the machine.
func (s *session) do(method string, arguments ...reflect.Value) []reflect.Value {
	return s.target.MethodByName(method).Call(arguments)
}

func (s *session) receive(frames [][]byte) error {
	found, err := s.codec.decode(frames)
	if err != nil {
		return err
	}
	err, _ = s.do("Receive", reflect.ValueOf(found))[0].Interface().(error)
	return err
}

func (s *session) call(event string, values []value) (bool, error) {
	found, known := s.calls[event]
	if !known {
		return false, errUnknown
	}
	in, given := argumentsOf(values), []reflect.Value{}
	if found.message != "" {
		given = append(given, reflect.ValueOf(s.codec.kind(found.message).build(in)))
	} else {
		in.fields(len(found.parameters))
	}
	method := s.target.MethodByName(found.method).Type()
	for i, one := range found.parameters {
		parameter := reflect.New(method.In(i)).Elem()
		in.fill(parameter, one.shape)
		given = append(given, parameter)
	}
	results := s.do(found.method, given...)
	err, _ := results[1].Interface().(error)
	return results[0].Bool(), err
}

// variable returns a field of the machine.
func (s *session) variable(one field) reflect.Value {
	return s.target.Elem().FieldByName(one.attribute)
}

func (s *session) set(variable string, in *arguments) bool {
	for _, one := range s.variables {
		if one.name == variable {
			in.fill(s.variable(one), one.shape)
			return true
		}
	}
	return false
}

// arm makes action fail with or raise event the next time it runs. It returns false if the machine lacks one of them.
func (s *session) arm(events map[string]int, action, event string) bool {
	number, found := s.internal[event]
	if !found || !slices.Contains(s.actions, action) {
		return false
	}
	events[action] = number
	return true
}

func (s *session) fill(message, name string, in *arguments) bool {
	for _, one := range s.fills {
		if one.message == message && one.name == name {
			method := s.target.MethodByName(one.attribute)
			value := reflect.New(method.Type().In(0)).Elem()
			in.fill(value, one.shape)
			if delete(s.spoiled, one); in.code != "" {
				s.spoiled[one] = true
			}
			method.Call([]reflect.Value{value})
			return true
		}
	}
	return false
}

// advance sets the machine's clock. It returns errUnknown if the machine has no timers.
func (s *session) advance(now uint64) (bool, error) {
	if !s.target.MethodByName("Advance").IsValid() {
		return false, errUnknown
	}
	results := s.do("Advance", reflect.ValueOf(now))
	err, _ := results[1].Interface().(error)
	return results[0].Bool(), err
}

func (s *session) deadline(out *writer) {
	results := s.do("Deadline")
	out.byte(flag(results[1].Bool()))
	out.octets = binary.BigEndian.AppendUint64(out.octets, results[0].Uint())
}

func (s *session) situation(out *writer) {
	out.name(s.do("State")[0].Interface().(interface{ String() string }).String())
	out.byte(flag(s.do("Terminated")[0].Bool()))
	out.count(len(s.variables))
	for _, one := range s.variables {
		tell(out, s.variable(one), one.shape)
	}
}
