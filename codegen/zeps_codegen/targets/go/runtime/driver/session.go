package main

import (
	"encoding/binary"
	"reflect"
	"slices"
)

// machine is a state machine.
type machine struct {
	name, protocol string
	start          func(r *recorder) any // a machine at its beginning, whose host writes everything down
	internal       map[string]int        // the events that actions may fail with or raise, and their numbers
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

// call is the method that raises an event: with a message of that name, or with parameters.
type call struct {
	method, message string
	parameters      []field
}

// recorder is what a host was asked for in this step, and what its actions are to do.
type recorder struct {
	target           reflect.Value // the machine
	count            int           // of actions
	text             writer
	refused          bool           // a message could not be encoded
	spoiled          map[fill]bool  // fields that were filled with a number that their type cannot hold
	failing, raising map[string]int // by action, the event
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

// unsent writes down that a message could not be sent.
func (r *recorder) unsent(message string) {
	r.isSpoiled(message)
	r.refused = true
	r.write("send", nil)
}

// isSpoiled tells whether a field of the message was filled with a number that its type cannot hold. It is no longer.
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

// act writes an action down, which raises an event, and fails, if it is to.
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

// session is a machine that takes the steps of a request.
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

// do calls a method of the machine's.
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

// variable returns the machine's field.
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

// arm has action fail with or raise event the next time it runs. False if the machine has not both.
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

// advance shows the machine the time. errUnknown if it has no timers.
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
