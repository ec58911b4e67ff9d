package wire

// Row is one row of a machine's table, as data: Steps[:BeforeAt] run before the state changes. A row that does not
// move stays in its state, and all its steps run. Rows of the same state and event are tried in order; the first
// whose guard holds is taken.
type Row[S, E any] struct {
	State    S
	Event    E
	Guard    string // in the model's own words; empty if the row is always taken
	Steps    []string
	Moves    bool
	Next     S
	BeforeAt int
}

// RaisesMax is how many events in turn host actions may fail with while one event is handled.
const RaisesMax = 8

// Outcome is what became of an event.
type Outcome int

// The outcomes.
const (
	Absent  Outcome = iota // the state has no row for the event
	Untaken                // no guard of its rows holds
	Taken
)

// Named is the type of a machine's states or events. No event is 0.
type Named interface {
	~int
	String() string
}

// Engine is what all machines have in common: M is the machine that takes rows, S and E are its states and events.
type Engine[M any, S, E Named] struct {
	State      S
	Terminated bool

	take   func(machine M, event E, carried any) Outcome
	busy   bool // inside an event, and perhaps an action
	failed E
}

// NewEngine returns an engine in state. take runs the steps of a row for an event, up to one at which the host fails.
func NewEngine[M any, S, E Named](state S, take func(M, E, any) Outcome) Engine[M, S, E] {
	return Engine[M, S, E]{State: state, take: take}
}

// Fail has event handled instead of the steps that are left. Outside an action it does nothing.
func (e *Engine[M, S, E]) Fail(event E) {
	if e.busy {
		e.failed = event
	}
}

// Failed reports whether an action of the row has failed.
func (e *Engine[M, S, E]) Failed() bool { return e.failed != 0 }

// Receive handles a message that arrived. The error is an [UnexpectedError] if no row takes it.
func (e *Engine[M, S, E]) Receive(machine M, event E, name string, message any) error {
	outcome, err := e.handle(machine, event, name, message)
	if err == nil && outcome != Taken {
		err = &UnexpectedError{Event: name, State: e.State.String()}
	}
	return err
}

// Raise handles an event of the host's or the application's, and reports whether a row was taken. The error is an
// [UnhandledError] if the state has no row for it.
func (e *Engine[M, S, E]) Raise(machine M, event E, carried any) (bool, error) {
	outcome, err := e.handle(machine, event, event.String(), carried)
	if err == nil && outcome == Absent {
		err = e.unhandled(event.String(), "")
	}
	return outcome == Taken, err
}

// handle takes a row for event, and then for what actions fail with, one event after the other.
func (e *Engine[M, S, E]) handle(machine M, event E, name string, carried any) (Outcome, error) {
	if e.busy {
		return Absent, e.unhandled(name, "called from inside an action")
	}
	e.busy = true
	defer func() { e.busy, e.failed = false, 0 }()
	outcome := e.take(machine, event, carried)
	for raised := 0; e.failed != 0; raised++ {
		failed := e.failed
		e.failed = 0
		if raised == RaisesMax {
			return outcome, e.unhandled(failed.String(), "too many actions fail in turn")
		}
		if e.take(machine, failed, nil) != Taken {
			return outcome, e.unhandled(failed.String(), "")
		}
	}
	return outcome, nil
}

func (e *Engine[M, S, E]) unhandled(event, why string) error {
	return &UnhandledError{Event: event, State: e.State.String(), Why: why}
}

// Fit notes the first value that the field of a message to be sent cannot hold.
type Fit struct{ Fault *EncodeError }

// Number returns value; code is the fault if it is more than greatest.
func (f *Fit) Number(value, greatest uint64, code Code, message, field string) uint64 {
	if value > greatest && f.Fault == nil {
		f.Fault = Refuse(code, message, field)
	}
	return value
}

// Octets returns octets, of which there must be size.
func (f *Fit) Octets(octets []byte, size int, message, field string) []byte {
	if f.Fault == nil && len(octets) != size {
		code := Truncated
		if len(octets) > size {
			code = TooLong
		}
		f.Fault = Refuse(code, message, field)
	}
	return octets
}

// As returns value as a T, and nothing if it is none.
func As[T any](value any) T {
	found, _ := value.(T)
	return found
}

// NameOf returns the name of value, which is number first or a later one of the type kind.
func NameOf[T ~int](names []string, first, value T, kind string) string {
	if value < first || int(value-first) >= len(names) {
		return Unnamed(kind, value)
	}
	return names[value-first]
}

// Add is the sum, or greatest if that is less.
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
