package wire

import (
	"bytes"
	"encoding/binary"
)

// The following functions read one value from the beginning of rest, and return it with the remaining bytes. On an
// error ok is false (a cheaper test than the code), and rest is returned unchanged.

// Integer is the constraint of numbers, and of enumerations of numbers.
type Integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Uint8 reads a number.
func Uint8(rest []byte) (uint8, []byte, Code, bool) {
	if len(rest) < 1 {
		return 0, rest, Truncated, false
	}
	return rest[0], rest[1:], "", true
}

// Uint16 reads a number.
func Uint16(rest []byte) (uint16, []byte, Code, bool) {
	if len(rest) < 2 {
		return 0, rest, Truncated, false
	}
	return binary.BigEndian.Uint16(rest), rest[2:], "", true
}

// Uint32 reads a number.
func Uint32(rest []byte) (uint32, []byte, Code, bool) {
	if len(rest) < 4 {
		return 0, rest, Truncated, false
	}
	return binary.BigEndian.Uint32(rest), rest[4:], "", true
}

// Uint64 reads a number.
func Uint64(rest []byte) (uint64, []byte, Code, bool) {
	if len(rest) < 8 {
		return 0, rest, Truncated, false
	}
	return binary.BigEndian.Uint64(rest), rest[8:], "", true
}

// Number reads a number of size bytes, or in LEB128 if size is 0; T must be able to hold it.
func Number[T Integer](rest []byte, size int) (T, []byte, Code, bool) {
	value, next, code, ok := number(rest, size)
	return T(value), next, code, ok
}

// SignedNumber reads a number of size bytes in two's complement, or in zigzag LEB128 if size is 0; T must be able to
// hold it.
func SignedNumber[T Integer](rest []byte, size int) (T, []byte, Code, bool) {
	value, next, code, ok := number(rest, size)
	if size == 0 {
		return T(Unzigzag(value)), next, code, ok
	}
	unused := 64 - 8*size
	return T(int64(value<<unused) >> unused), next, code, ok
}

func number(rest []byte, size int) (value uint64, next []byte, code Code, ok bool) {
	if size == 0 {
		return Varint(rest)
	}
	if len(rest) < size {
		return 0, rest, Truncated, false
	}
	for _, octet := range rest[:size] {
		value = value<<8 | uint64(octet)
	}
	return value, rest[size:], "", true
}

// Varint reads a LEB128 number.
func Varint(rest []byte) (value uint64, next []byte, code Code, ok bool) {
	for i := 0; i < varintOctetsMax; i++ {
		if i >= len(rest) {
			return 0, rest, Truncated, false
		}
		octet := rest[i]
		if i == varintOctetsMax-1 && octet > 1 {
			return 0, rest, TooLong, false
		}
		value |= uint64(octet&0x7F) << (7 * i)
		if octet < 0x80 {
			return value, rest[i+1:], "", true
		}
	}
	return 0, rest, TooLong, false
}

const varintOctetsMax = 10

// Octets reads size bytes, at most limit, as a slice of rest.
func Octets(rest []byte, size, limit uint64) (octets, next []byte, code Code, ok bool) {
	if size > limit {
		return nil, rest, TooLong, false
	}
	if size > uint64(len(rest)) {
		return nil, rest, Truncated, false
	}
	return rest[:size:size], rest[size:], "", true
}

// Octets8 reads at most limit bytes after a length of 8 bits.
func Octets8(rest []byte, limit uint64) (octets, next []byte, code Code, ok bool) {
	if len(rest) < 1 {
		return nil, rest, Truncated, false
	}
	size := uint64(rest[0])
	if size > limit {
		return nil, rest, TooLong, false
	}
	if size > uint64(len(rest)-1) {
		return nil, rest, Truncated, false
	}
	return rest[1 : 1+size : 1+size], rest[1+size:], "", true
}

// Octets16 reads at most limit bytes after a length of 16 bits.
func Octets16(rest []byte, limit uint64) (octets, next []byte, code Code, ok bool) {
	return prefixed(rest, 2, limit)
}

// Octets32 reads at most limit bytes after a length of 32 bits.
func Octets32(rest []byte, limit uint64) (octets, next []byte, code Code, ok bool) {
	if len(rest) < 4 {
		return nil, rest, Truncated, false
	}
	size := uint64(binary.BigEndian.Uint32(rest))
	if size > limit {
		return nil, rest, TooLong, false
	}
	if size > uint64(len(rest)-4) {
		return nil, rest, Truncated, false
	}
	return rest[4 : 4+size : 4+size], rest[4+size:], "", true
}

// Octets64 reads at most limit bytes after a length of 64 bits.
func Octets64(rest []byte, limit uint64) (octets, next []byte, code Code, ok bool) {
	return prefixed(rest, 8, limit)
}

func prefixed(rest []byte, prefix int, limit uint64) (octets, next []byte, code Code, ok bool) {
	size, next, code, ok := number(rest, prefix)
	if ok {
		octets, next, code, ok = Octets(next, size, limit)
	}
	if !ok {
		next = rest
	}
	return octets, next, code, ok
}

// Topic reads bytes and the zero byte that ends them.
func Topic(rest []byte) (octets, next []byte, code Code, ok bool) {
	end := bytes.IndexByte(rest, 0)
	if end < 0 {
		return nil, rest, Truncated, false
	}
	return rest[:end], rest[end+1:], "", true
}

// Differ returns the error of rest, which does not begin with octets.
func Differ(rest []byte, octets string) Code {
	if len(rest) < len(octets) && HasPrefix(rest, octets[:len(rest)]) {
		return Truncated
	}
	return BadConstant
}

// Count reads a number of items, at most limit, in prefix bytes. Each item has at least least bytes, so the remaining
// bytes bound the number.
func Count(rest []byte, prefix int, least, limit uint64) (count uint64, next []byte, code Code, ok bool) {
	count, next, code, ok = number(rest, prefix)
	if ok {
		_, _, code, ok = Counted(next, count, least, limit)
	}
	if !ok {
		return 0, rest, code, false
	}
	return count, next, "", true
}

// Counted is Count for a number that was read before.
func Counted(rest []byte, count, least, limit uint64) (uint64, []byte, Code, bool) {
	switch {
	case count > limit:
		return 0, rest, TooLong, false
	case count > uint64(len(rest))/least:
		return 0, rest, Truncated, false
	}
	return count, rest, "", true
}

// Numbers reads count numbers of size bytes each, which Count has checked, into the array of items if that is large
// enough.
func Numbers[T Integer](items []T, rest []byte, count uint64, size int) ([]T, []byte) {
	items = Room(items, count)[:count]
	switch size {
	case 1:
		for i := range items {
			items[i] = T(rest[i])
		}
	case 2:
		for i := range items {
			items[i] = T(binary.BigEndian.Uint16(rest[2*i:]))
		}
	case 4:
		for i := range items {
			items[i] = T(binary.BigEndian.Uint32(rest[4*i:]))
		}
	case 8:
		for i := range items {
			items[i] = T(binary.BigEndian.Uint64(rest[8*i:]))
		}
	}
	return items, rest[count*uint64(size):]
}

// Frame returns one of several frames, of at most limit bytes.
func Frame(frames [][]byte, index int, limit uint64) ([]byte, Code) {
	switch {
	case index >= len(frames):
		return nil, Truncated
	case uint64(len(frames[index])) > limit:
		return nil, TooLong
	}
	return frames[index], ""
}

// Frames appends the frames from index on to dst: at least one, each of at most limit bytes.
func Frames(dst, frames [][]byte, index int, limit uint64) ([][]byte, Code) {
	for at := index; at == index || at < len(frames); at++ {
		if _, code := Frame(frames, at, limit); code != "" {
			return nil, code
		}
	}
	return append(dst, frames[index:]...), ""
}

// Text converts octets to a string; it returns old if that is equal.
func Text(old string, octets []byte) string {
	if old == string(octets) {
		return old
	}
	return string(octets)
}

// Room returns an empty slice with capacity for count items; it uses the array of items if that is large enough.
func Room[T any](items []T, count uint64) []T {
	if count <= uint64(cap(items)) {
		return items[:0]
	}
	return make([]T, 0, count)
}

// Unzigzag is the inverse of [Zigzag].
func Unzigzag(value uint64) int64 { return int64(value>>1) ^ -int64(value&1) }
