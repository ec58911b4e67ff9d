package wire

import (
	"math/bits"
	"slices"
	"strings"
)

const varintOctetsMax = 10

// Pair is one entry of a hash.
type Pair struct{ Key, Value string }

// OctetsPair is one entry of a hash whose text may be any octets.
type OctetsPair struct{ Key, Value []byte }

// Constant is a field that never varies, as it lies on the wire.
type Constant struct{ Field, Octets string }

// Fault is a [DecodeError] of these parts.
func Fault(code Code, message, field string, offset int) *DecodeError {
	return &DecodeError{Code: code, Message: message, Field: field, Offset: offset}
}

// Refuse is an [EncodeError] of these parts.
//
//go:noinline
func Refuse(code Code, message, field string) *EncodeError {
	return &EncodeError{Code: code, Message: message, Field: field}
}

// Misread is the error of a frame that does not begin as message does: with dispatch, whose last octet numbers the
// message, and with constants.
func Misread(frame []byte, message, dispatch string, constants ...Constant) *DecodeError {
	if !hasPrefix(frame, dispatch) {
		return UnknownNumber(frame, dispatch[:len(dispatch)-1])
	}
	return BadConstants(frame, message, len(dispatch), constants...)
}

// BadConstants is the error of a frame that does not hold constants from offset on.
func BadConstants(frame []byte, message string, offset int, constants ...Constant) *DecodeError {
	for _, constant := range constants {
		seen := string(frame[offset:min(len(frame), offset+len(constant.Octets))])
		if seen != constant.Octets {
			if strings.HasPrefix(constant.Octets, seen) {
				return Fault(Truncated, message, constant.Field, offset)
			}
			return Fault(BadConstant, message, constant.Field, offset)
		}
		offset += len(constant.Octets)
	}
	return Fault(BadConstant, message, "", offset)
}

// UnknownNumber is the error of a frame that does not begin with signature and an octet that numbers a message.
func UnknownNumber(frame []byte, signature string) *DecodeError {
	switch {
	case !hasPrefix(frame, signature[:min(len(signature), len(frame))]):
		return Fault(BadSignature, "", "", 0)
	case len(frame) < len(signature):
		return Fault(Truncated, "", "", 0)
	case len(frame) == len(signature):
		return Fault(Truncated, "", "", len(signature))
	default:
		return Fault(UnknownMessage, "", "", len(signature))
	}
}

// UnknownName is the error of a frame that does not begin with an octet of length and the name of a message.
func UnknownName(frame []byte) *DecodeError {
	if len(frame) > 0 && len(frame) > int(frame[0]) {
		return Fault(UnknownMessage, "", "", 0)
	}
	return Fault(Truncated, "", "", 0)
}

// UnknownBeginning is the error of a frame that begins with none of beginnings.
func UnknownBeginning(frame []byte, beginnings ...string) *DecodeError {
	for _, beginning := range beginnings {
		if strings.HasPrefix(beginning, string(frame)) {
			return Fault(Truncated, "", "", 0)
		}
	}
	return Fault(UnknownMessage, "", "", 0)
}

// Miscounted is the error of a field with seen items or octets where wanted are.
func Miscounted(message, field string, seen, wanted int) *EncodeError {
	if seen > wanted {
		return Refuse(TooLong, message, field)
	}
	return Refuse(Truncated, message, field)
}

// Varint reads a LEB128 number; size is the octets that it takes. A code other than "" is what is wrong.
func Varint(octets []byte) (value uint64, size int, code Code) {
	for i := 0; i < varintOctetsMax; i++ {
		if i >= len(octets) {
			return 0, 0, Truncated
		}
		octet := octets[i]
		if i == varintOctetsMax-1 && octet > 1 {
			return 0, 0, TooLong
		}
		value |= uint64(octet&0x7F) << (7 * i)
		if octet < 0x80 {
			return value, i + 1, ""
		}
	}
	return 0, 0, TooLong
}

// AppendVarint appends value in LEB128.
func AppendVarint(dst []byte, value uint64) []byte {
	for value > 0x7F {
		dst = append(dst, byte(value)|0x80)
		value >>= 7
	}
	return append(dst, byte(value))
}

// VarintSize is the octets of value in LEB128.
func VarintSize(value uint64) int { return (bits.Len64(value|1) + 6) / 7 }

// Zigzag makes small numbers of either sign small.
func Zigzag(value int64) uint64 { return uint64(value<<1) ^ uint64(value>>63) }

// Unzigzag undoes [Zigzag].
func Unzigzag(value uint64) int64 { return int64(value>>1) ^ -int64(value&1) }

// Grow makes room for size more octets: exactly so many in an empty slice, and with some to spare otherwise.
func Grow(dst []byte, size int) []byte {
	if cap(dst)-len(dst) < size {
		return enlarge(dst, size)
	}
	return dst
}

// enlarge is apart from [Grow] so that encoders hold only the comparison.
//
//go:noinline
func enlarge(dst []byte, size int) []byte {
	if len(dst) == 0 {
		return make([]byte, 0, size)
	}
	return slices.Grow(dst, size)
}

// Text is octets as a string: old, if that is the same.
func Text(old string, octets []byte) string {
	if old == string(octets) {
		return old
	}
	return string(octets)
}

// Room is an empty slice for count items, on the array of items if it is large enough.
func Room[T any](items []T, count uint64) []T {
	if count <= uint64(cap(items)) {
		return items[:0]
	}
	return make([]T, 0, count)
}

func hasPrefix(frame []byte, prefix string) bool {
	return len(frame) >= len(prefix) && string(frame[:len(prefix)]) == prefix
}
