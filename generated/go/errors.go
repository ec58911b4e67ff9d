// Package wire is the runtime of the generated packages: errors, checks of text, and the engine of machines.
package wire

import (
	"errors"
	"strconv"
)

// ErrNilMessage reports that a machine was given a nil message.
var ErrNilMessage = errors.New("a nil message")

// ErrOutsideAction reports a call outside a host action that is only allowed inside one.
var ErrOutsideAction = errors.New("called outside an action")

// Code is the kind of an error; the codes have the same names in every language.
// Every [DecodeError] and [EncodeError] unwraps to its code: test it with errors.Is(err, wire.Truncated).
type Code string

// The codes.
const (
	// Truncated: the frame ends before the field does.
	Truncated Code = "truncated"
	// Trailing: bytes follow the last field.
	Trailing Code = "trailing"
	// BadSignature: the frame does not begin with the protocol's signature.
	BadSignature Code = "bad-signature"
	// UnknownMessage: no message has this number, name or beginning.
	UnknownMessage Code = "unknown-message"
	// BadConstant: a constant field has another value, or a value is not in its enumeration.
	BadConstant Code = "bad-constant"
	// BadText: a text is not UTF-8, or has a character that its class forbids.
	BadText Code = "bad-text"
	// BadRelation: a relation between two numbers is false.
	BadRelation Code = "bad-relation"
	// NotSet: a field of a message to be sent was not filled.
	NotSet Code = "not-set"
	// TooLong: a length, a count or a number is beyond its limit.
	TooLong Code = "too-long"
)

// Error returns the code's name.
func (c Code) Error() string { return string(c) }

// DecodeError reports a frame that cannot be decoded. Message and Field are the model's names, if known; Offset is the
// number of bytes in the frame before the field.
type DecodeError struct {
	Code    Code
	Message string
	Field   string
	Offset  int
}

// Error returns the code, the place and the offset, in ASCII.
func (e *DecodeError) Error() string {
	return sentence(e.Code, e.Message, e.Field) + " at byte " + strconv.Itoa(e.Offset)
}

// Unwrap returns the code.
func (e *DecodeError) Unwrap() error { return e.Code }

// EncodeError reports a message that cannot be encoded. Message and Field are the model's names.
type EncodeError struct {
	Code    Code
	Message string
	Field   string
}

// Error returns the code and the place, in ASCII.
func (e *EncodeError) Error() string { return sentence(e.Code, e.Message, e.Field) }

// Unwrap returns the code.
func (e *EncodeError) Unwrap() error { return e.Code }

// UnexpectedError reports a received message that the machine's state does not handle.
type UnexpectedError struct {
	Event string
	State string
}

// Error returns the message and the state.
func (e *UnexpectedError) Error() string { return "unexpected " + e.Event + " in state " + e.State }

// UnhandledError reports an event of the host or the application that the machine's state does not handle, or that is
// not allowed at this moment (then Why has the reason).
type UnhandledError struct {
	Event string
	State string
	Why   string
}

// Error returns the event and the state.
func (e *UnhandledError) Error() string {
	text := "unhandled event " + e.Event + " in state " + e.State
	if e.Why != "" {
		text += ": " + e.Why
	}
	return text
}

func sentence(code Code, message, field string) string {
	switch {
	case message == "":
		return string(code)
	case field == "":
		return string(code) + ": " + message
	default:
		return string(code) + ": " + message + "." + field
	}
}
