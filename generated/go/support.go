package wire

import "strconv"

// Pair is an entry of a hash.
type Pair struct{ Key, Value string }

// OctetsPair is an entry of a hash whose text may have arbitrary bytes.
type OctetsPair struct{ Key, Value []byte }

// Fault returns a [DecodeError] with these parts.
func Fault(code Code, message, field string, offset int) *DecodeError {
	return &DecodeError{Code: code, Message: message, Field: field, Offset: offset}
}

// Refuse returns an [EncodeError] with these parts.
//
//go:noinline
func Refuse(code Code, message, field string) *EncodeError {
	return &EncodeError{Code: code, Message: message, Field: field}
}

// Miscounted returns the error of a field with seen items or bytes instead of wanted.
func Miscounted(message, field string, seen, wanted int) *EncodeError {
	if seen > wanted {
		return Refuse(TooLong, message, field)
	}
	return Refuse(Truncated, message, field)
}

// UnknownNumber returns the error of a frame that does not begin with signature and the number of a message.
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

// UnknownName returns the error of a frame that does not begin with a length of one byte and the name of a message.
func UnknownName(frame []byte) *DecodeError {
	if len(frame) > 0 && len(frame) > int(frame[0]) {
		return Fault(UnknownMessage, "", "", 0)
	}
	return Fault(Truncated, "", "", 0)
}

// UnknownBeginning returns the error of a frame that does not begin with any of beginnings.
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

// Unnamed returns the text for a number of the type kind without a name.
func Unnamed[T ~int | Integer](kind string, value T) string {
	if value < 0 {
		return kind + "(" + strconv.FormatInt(int64(value), 10) + ")"
	}
	return kind + "(" + strconv.FormatUint(uint64(value), 10) + ")"
}

// UnnamedText returns the text for a value of the type kind without a name.
func UnnamedText[T ~string](kind string, value T) string {
	return kind + "(" + strconv.Quote(string(value)) + ")"
}
