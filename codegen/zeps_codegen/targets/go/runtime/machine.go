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
