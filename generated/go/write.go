package wire

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// NoLimit is the limit of a field without its own limit.
const NoLimit = math.MaxUint64

// Writer is the part of a message that has been written: each operation returns the extended writer.
type Writer []byte

// NewWriter returns a writer that appends to dst, enlarged by size bytes.
func NewWriter(dst []byte, size int) Writer {
	if cap(dst)-len(dst) < size {
		dst = enlarge(dst, size)
	}
	return dst
}

// enlarge adds capacity for exactly size bytes to an empty slice, and for some more to others.
//
//go:noinline
func enlarge(dst []byte, size int) []byte {
	if len(dst) == 0 {
		return make([]byte, 0, size)
	}
	return slices.Grow(dst, size)
}

// Exceeds reports whether a number of items or bytes is more than limit.
func Exceeds(count int, limit uint64) bool { return uint64(count) > limit }

// Text writes text.
func (w Writer) Text(text string) Writer { return append(w, text...) }

// Octets writes octets.
func (w Writer) Octets(octets []byte) Writer { return append(w, octets...) }

// Zeros writes size reserved bytes.
func (w Writer) Zeros(size int) Writer {
	for ; size > 0; size-- {
		w = append(w, 0)
	}
	return w
}

// Uint8 writes a number.
func (w Writer) Uint8(value uint8) Writer { return append(w, value) }

// Uint16 writes a number.
func (w Writer) Uint16(value uint16) Writer { return binary.BigEndian.AppendUint16(w, value) }

// Uint32 writes a number.
func (w Writer) Uint32(value uint32) Writer { return binary.BigEndian.AppendUint32(w, value) }

// Uint64 writes a number.
func (w Writer) Uint64(value uint64) Writer { return binary.BigEndian.AppendUint64(w, value) }

// Varint writes a number in LEB128.
func (w Writer) Varint(value uint64) Writer {
	for value > 0x7F {
		w = append(w, byte(value)|0x80)
		value >>= 7
	}
	return append(w, byte(value))
}

// VarintSize is the size of value in LEB128, in bytes.
func VarintSize(value uint64) int { return (bits.Len64(value|1) + 6) / 7 }

// Zigzag maps signed numbers to unsigned ones; numbers near 0 stay small.
func Zigzag(value int64) uint64 { return uint64(value<<1) ^ uint64(value>>63) }

// Sum is the sum of the sizes of items.
func Sum[T any](items []T, size func(T) int) int {
	sum := 0
	for _, item := range items {
		sum += size(item)
	}
	return sum
}

// Longest is the size of the longest frame.
func Longest(frames [][]byte) int {
	longest := 0
	for _, frame := range frames {
		longest = max(longest, len(frame))
	}
	return longest
}

// Length is the size of a frame.
func Length(frame []byte) int { return len(frame) }
