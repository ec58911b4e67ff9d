package wire

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// NoLimit is the limit of a field that has none of its own.
const NoLimit = math.MaxUint64

// Writer encodes one message, operation by operation: each returns the writer that goes on. The first fault is the error
// that End returns.
type Writer struct {
	dst   []byte
	fault *EncodeError
}

// NewWriter returns a writer that appends to dst, which gets room for size octets.
func NewWriter(dst []byte, size int) Writer {
	if cap(dst)-len(dst) < size {
		dst = enlarge(dst, size)
	}
	return Writer{dst: dst}
}

// enlarge makes room for exactly size octets in an empty slice, and for some more in others.
//
//go:noinline
func enlarge(dst []byte, size int) []byte {
	if len(dst) == 0 {
		return make([]byte, 0, size)
	}
	return slices.Grow(dst, size)
}

// End returns what has been written, or dst and the first fault as an error of message.
func (w Writer) End(dst []byte, message string) ([]byte, error) {
	if w.fault != nil {
		w.fault.Message = message
		return dst, w.fault
	}
	return w.dst, nil
}

func (w Writer) fail(code Code, field string) Writer {
	if w.fault == nil {
		w.fault = &EncodeError{Code: code, Field: field}
	}
	return w
}

// Check refuses a value for which something does not hold.
func (w Writer) Check(holds bool, code Code, field string) Writer {
	if !holds {
		return w.fail(code, field)
	}
	return w
}

// Limit refuses a number of items or octets that is more than limit.
func (w Writer) Limit(count int, limit uint64, field string) Writer {
	if uint64(count) > limit {
		return w.fail(TooLong, field)
	}
	return w
}

// Agree refuses a number of items or octets other than wanted.
func (w Writer) Agree(count, wanted int, field string) Writer {
	if count < wanted {
		return w.fail(Truncated, field)
	}
	return w.Limit(count, uint64(wanted), field)
}

// Text writes text.
func (w Writer) Text(text string) Writer { return Writer{append(w.dst, text...), w.fault} }

// Octets writes octets.
func (w Writer) Octets(octets []byte) Writer { return Writer{append(w.dst, octets...), w.fault} }

// Zeros writes reserved octets.
func (w Writer) Zeros(size int) Writer {
	for ; size > 0; size-- {
		w.dst = append(w.dst, 0)
	}
	return w
}

// Uint8 writes a number.
func (w Writer) Uint8(value uint8) Writer { return Writer{append(w.dst, value), w.fault} }

// Uint16 writes a number.
func (w Writer) Uint16(value uint16) Writer {
	return Writer{binary.BigEndian.AppendUint16(w.dst, value), w.fault}
}

// Uint32 writes a number.
func (w Writer) Uint32(value uint32) Writer {
	return Writer{binary.BigEndian.AppendUint32(w.dst, value), w.fault}
}

// Uint64 writes a number.
func (w Writer) Uint64(value uint64) Writer {
	return Writer{binary.BigEndian.AppendUint64(w.dst, value), w.fault}
}

// Varint writes a number in LEB128.
func (w Writer) Varint(value uint64) Writer {
	for value > 0x7F {
		w.dst = append(w.dst, byte(value)|0x80)
		value >>= 7
	}
	return w.Uint8(byte(value))
}

// Frame refuses a frame of more than limit octets.
func (w Writer) Frame(frame []byte, limit uint64, field string) Writer {
	return w.Limit(len(frame), limit, field)
}

// Frames refuses no frames, and a frame of more than limit octets.
func (w Writer) Frames(frames [][]byte, limit uint64, field string) Writer {
	w = w.Check(len(frames) != 0, Truncated, field)
	for _, frame := range frames {
		w = w.Frame(frame, limit, field)
	}
	return w
}

// VarintSize is the number of octets of value in LEB128.
func VarintSize(value uint64) int { return (bits.Len64(value|1) + 6) / 7 }

// Zigzag makes small numbers of either sign small.
func Zigzag(value int64) uint64 { return uint64(value<<1) ^ uint64(value>>63) }

// Sum is the sum of the sizes of items.
func Sum[T any](items []T, size func(T) int) int {
	sum := 0
	for _, item := range items {
		sum += size(item)
	}
	return sum
}

// Length is the size of a frame.
func Length(frame []byte) int { return len(frame) }
