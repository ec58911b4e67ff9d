package wire

import (
	"math"
	"slices"
)

// Row is a row of a machine's table, as data: Steps[:BeforeAt] run before the state changes. A row without a next state
// keeps the state and runs all its steps. Rows of the same state and event are tried in order; the first with a true
// guard is taken.
type Row[S, E any] struct {
	State    S
	Event    E
	Guard    string // the guard in the model's language; empty if the row is always taken
	Steps    []string
	Moves    bool
	Next     S
	BeforeAt int
}

// RaisesMax is the maximum number of events that host actions may fail with or raise in turn while one event is
// handled.
const RaisesMax = 8

// Outcome is the outcome of an event.
type Outcome int

// The outcomes.
const (
	Absent  Outcome = iota // the state has no row for the event
	Untaken                // no guard of its rows is true
	Taken
)

// Named is the constraint of a machine's states and events. Events are numbered from 1.
type Named interface {
	~int
	String() string
}

// Engine is the common part of all machines: M is the machine that takes rows, S and E are its states and events.
type Engine[M any, S, E Named] struct {
	State      S
	Terminated bool

	rules          *Rules[M, S, E]
	busy           bool // an event is being handled, and perhaps an action runs
	failed, raised E
	now            uint64
	due            []uint64 // the deadline of each timer, from the first Advance on; never if it does not run
}

// Rules are the constant part of a machine.
type Rules[M any, S, E Named] struct {
	// Take runs the steps of a row for an event, until a host action fails.
	Take func(machine M, event E, carried any) Outcome
	// Timers are in the model's order.
	Timers []Timer[M, S, E]
}

// Timer raises Event while the machine is in one of States, the given milliseconds after Since; 0 disables it.
type Timer[M any, S, E Named] struct {
	Event        E
	Since        Since
	States       []S
	Milliseconds func(machine M) uint64
}

// Since is the start of a timer.
type Since int

// The starts of timers.
const (
	Entered  Since = iota // the state was entered
	Sent                  // a message was sent
	Received              // a message was received
)

const never = math.MaxUint64

// NewEngine returns an engine in state.
func NewEngine[M any, S, E Named](state S, rules *Rules[M, S, E]) Engine[M, S, E] {
	return Engine[M, S, E]{State: state, rules: rules}
}

// Fail makes the action fail: the remaining steps are skipped, and event is handled. It returns [ErrOutsideAction]
// outside an action.
func (e *Engine[M, S, E]) Fail(event E) error {
	if !e.busy {
		return ErrOutsideAction
	}
	e.failed = event
	return nil
}

// Raise schedules event for handling after the row. It returns [ErrOutsideAction] outside an action.
func (e *Engine[M, S, E]) Raise(event E) error {
	if !e.busy {
		return ErrOutsideAction
	}
	e.raised = event
	return nil
}

// Failed reports whether an action of the row has failed.
func (e *Engine[M, S, E]) Failed() bool { return e.failed != 0 }

// Receive handles a received message. It returns an [UnexpectedError] if no row handles it.
func (e *Engine[M, S, E]) Receive(machine M, event E, message interface{ MessageName() string }) error {
	if e.busy {
		return e.unhandled(message.MessageName(), "called from inside an action")
	}
	if event != 0 {
		e.Restart(machine, Received)
	}
	outcome, err := e.handle(machine, event, message)
	if err == nil && outcome != Taken {
		err = &UnexpectedError{Event: message.MessageName(), State: e.State.String()}
	}
	return err
}

// Call handles an event of the host or the application, and reports whether a row was taken. It returns an
// [UnhandledError] if the state has no row for it.
func (e *Engine[M, S, E]) Call(machine M, event E, carried any) (bool, error) {
	if e.busy {
		return false, e.unhandled(event.String(), "called from inside an action")
	}
	outcome, err := e.handle(machine, event, carried)
	if err == nil && outcome == Absent {
		err = e.unhandled(event.String(), "")
	}
	return outcome == Taken, err
}

// handle takes a row for event, and then rows for the events that actions fail with or raise.
func (e *Engine[M, S, E]) handle(machine M, event E, carried any) (Outcome, error) {
	e.busy = true
	defer func() { e.busy, e.failed, e.raised = false, 0, 0 }()
	outcome := e.rules.Take(machine, event, carried)
	for count := 0; ; count++ {
		following := e.failed
		if following == 0 && !e.Terminated {
			following = e.raised
		}
		if following == 0 {
			return outcome, nil
		}
		e.failed, e.raised = 0, 0
		if count == RaisesMax {
			return outcome, e.unhandled(following.String(), "too many events in turn")
		}
		if e.rules.Take(machine, following, nil) != Taken {
			return outcome, e.unhandled(following.String(), "")
		}
	}
}

func (e *Engine[M, S, E]) unhandled(event, why string) error {
	return &UnhandledError{Event: event, State: e.State.String(), Why: why}
}

// Enter changes the state: its timers run, and those of other states stop.
func (e *Engine[M, S, E]) Enter(machine M, state S) {
	before := e.State
	e.State = state
	for i := range e.due {
		switch timer := &e.rules.Timers[i]; {
		case !slices.Contains(timer.States, state):
			e.due[i] = never
		case timer.Since == Entered || !slices.Contains(timer.States, before):
			e.start(machine, i)
		}
	}
}

// Restart restarts the timers of the state that count from since.
func (e *Engine[M, S, E]) Restart(machine M, since Since) {
	for i := range e.due {
		if timer := &e.rules.Timers[i]; timer.Since == since && slices.Contains(timer.States, e.State) {
			e.start(machine, i)
		}
	}
}

func (e *Engine[M, S, E]) start(machine M, timer int) {
	e.due[timer] = never
	if milliseconds := e.rules.Timers[timer].Milliseconds(machine); milliseconds != 0 {
		e.due[timer] = Add(e.now, milliseconds, never)
	}
}

// Advance sets the clock, in milliseconds, and handles the events of the timers that are due; each timer restarts
// before its event. It reports whether a row was taken; errors are those of Call.
func (e *Engine[M, S, E]) Advance(machine M, now uint64) (bool, error) {
	if e.busy {
		return false, e.unhandled("timer", "called from inside an action")
	}
	e.now = max(e.now, now)
	if e.due == nil {
		e.due = make([]uint64, len(e.rules.Timers))
		for i := range e.due {
			e.due[i] = never
			if slices.Contains(e.rules.Timers[i].States, e.State) {
				e.start(machine, i)
			}
		}
	}
	taken := false
	for {
		next := 0
		for i, due := range e.due {
			if due < e.due[next] {
				next = i
			}
		}
		if e.due[next] > e.now || e.due[next] == never {
			return taken, nil
		}
		e.start(machine, next)
		took, err := e.Call(machine, e.rules.Timers[next].Event, nil)
		taken = taken || took
		if err != nil {
			return taken, err
		}
	}
}

// Deadline is the time at which Advance is due, in milliseconds; ok is false if all timers are stopped.
func (e *Engine[M, S, E]) Deadline() (milliseconds uint64, ok bool) {
	milliseconds = never
	for _, due := range e.due {
		milliseconds = min(milliseconds, due)
	}
	if milliseconds == never {
		return 0, false
	}
	return milliseconds, true
}

// Encodes reports whether a message can be encoded.
func Encodes(message any) bool {
	var err error
	switch message := message.(type) {
	case interface{ Encode() ([]byte, error) }:
		_, err = message.Encode()
	case interface {
		AppendFrames([][]byte) ([][]byte, error)
	}:
		_, err = message.AppendFrames(nil)
	}
	return err == nil
}

// Slot is a field that the host fills before the message is sent.
type Slot[T any] struct {
	value T
	isSet bool
}

// Set fills the field.
func (s *Slot[T]) Set(value T) { s.value, s.isSet = value, true }

// Get returns the value; if the field was not filled, fit records the error.
func (s *Slot[T]) Get(fit *Fit, message, field string) T {
	if !s.isSet && fit.Fault == nil {
		fit.Fault = Refuse(NotSet, message, field)
	}
	return s.value
}

// Or returns the value; if the field was not filled, it returns other, or the zero value without other.
func (s *Slot[T]) Or(other ...T) T {
	if !s.isSet && len(other) != 0 {
		return other[0]
	}
	return s.value
}

// Fit records the first value that the field of a message to be sent cannot hold.
type Fit struct{ Fault *EncodeError }

// Number returns value; it records code if value is more than greatest.
func (f *Fit) Number(value, greatest uint64, code Code, message, field string) uint64 {
	if value > greatest && f.Fault == nil {
		f.Fault = Refuse(code, message, field)
	}
	return value
}

// Octets returns octets; it records an error if their number is not size.
func (f *Fit) Octets(octets []byte, size int, message, field string) []byte {
	if f.Fault == nil && len(octets) != size {
		f.Fault = Miscounted(message, field, len(octets), size)
	}
	return octets
}

// As returns value as a T, or the zero value if it has another type.
func As[T any](value any) T {
	found, _ := value.(T)
	return found
}

// NameOf returns the name of value; first is the number of names[0], and kind the name of the type.
func NameOf[T ~int](names []string, first, value T, kind string) string {
	if value < first || int(value-first) >= len(names) {
		return Unnamed(kind, value)
	}
	return names[value-first]
}

// Add is the sum, limited to greatest.
func Add(left, right, greatest uint64) uint64 {
	sum := left + right
	if sum < left || sum > greatest {
		return greatest
	}
	return sum
}

// Subtract is the difference, or 0 if it is negative.
func Subtract(left, right uint64) uint64 {
	if right > left {
		return 0
	}
	return left - right
}

// Unsigned is value, or 0 if it is negative.
func Unsigned(value int64) uint64 {
	if value < 0 {
		return 0
	}
	return uint64(value)
}
