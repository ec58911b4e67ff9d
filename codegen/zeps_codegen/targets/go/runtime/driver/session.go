package main

import (
	"reflect"
	"slices"
)

// machine is a state machine.
type machine struct {
	name, protocol string
	start          func(r *recorder) any // a machine at its beginning, whose host writes everything down
	events         []string              // number 1 and so on
	actions        []string
	variables      []field
	calls          map[string]call
}

// call is the method that raises an event: with a message of that name, or with parameters.
type call struct {
	method, message string
	parameters      []field
}

// session is a machine that takes the steps of a request.
type session struct {
	*machine
	*recorder
	codec  *protocol
	target reflect.Value
}

func newSession(found *machine) *session {
	s := &session{found, &recorder{armed: map[string]int{}}, protocolOf(found.protocol), reflect.Value{}}
	s.target = reflect.ValueOf(found.start(s.recorder))
	return s
}

// do calls a method of the machine's.
func (s *session) do(method string, arguments ...reflect.Value) []reflect.Value {
	return s.target.MethodByName(method).Call(arguments)
}

func (s *session) receive(frame []byte) error {
	found, err := s.codec.decode(frame)
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

// arm has action fail with event the next time it runs. False if the machine has not both.
func (s *session) arm(action, event string) bool {
	number := slices.Index(s.events, event) + 1
	if number == 0 || !slices.Contains(s.actions, action) {
		return false
	}
	s.armed[action] = number
	return true
}

func (s *session) situation(out *writer) {
	out.name(s.do("State")[0].Interface().(interface{ String() string }).String())
	if s.do("Terminated")[0].Bool() {
		out.byte(1)
	} else {
		out.byte(0)
	}
	out.count(len(s.variables))
	for _, one := range s.variables {
		tell(out, s.variable(one), one.shape)
	}
}
