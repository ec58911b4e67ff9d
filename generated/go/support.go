package wire

import "strconv"

// Pair is one entry of a hash.
type Pair struct{ Key, Value string }

// OctetsPair is one entry of a hash whose text may be any octets.
type OctetsPair struct{ Key, Value []byte }

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

// Miscounted is the error of a field with seen items or octets where wanted are.
func Miscounted(message, field string, seen, wanted int) *EncodeError {
	if seen > wanted {
		return Refuse(TooLong, message, field)
	}
	return Refuse(Truncated, message, field)
}

// UnknownNumber is the error of a frame that does not begin with signature and the number of a message.
func UnknownNumber(frame []byte, signature string) *DecodeError {
	switch {
	case !HasPrefix(frame, signature[:min(len(signature), len(frame))]):
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
		if len(frame) <= len(beginning) && beginning[:len(frame)] == string(frame) {
			return Fault(Truncated, "", "", 0)
		}
	}
	return Fault(UnknownMessage, "", "", 0)
}

// HasPrefix reports whether frame begins with prefix.
func HasPrefix(frame []byte, prefix string) bool {
	return len(frame) >= len(prefix) && string(frame[:len(prefix)]) == prefix
}

// Unnamed is the text of a number of the type kind that has no name.
func Unnamed[T ~int | Integer](kind string, value T) string {
	if value < 0 {
		return kind + "(" + strconv.FormatInt(int64(value), 10) + ")"
	}
	return kind + "(" + strconv.FormatUint(uint64(value), 10) + ")"
}

// UnnamedText is the text of a value of the type kind that has no name.
func UnnamedText[T ~string](kind string, value T) string {
	return kind + "(" + strconv.Quote(string(value)) + ")"
}
