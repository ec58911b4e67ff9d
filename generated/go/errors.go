// Package wire holds what the generated packages share: errors, checks of text, and what machines stand on.
package wire

import (
	"errors"
	"strconv"
)

// ErrNilMessage is about a machine that was given a nil message, which only its own program can do.
var ErrNilMessage = errors.New("a nil message")

// ErrOutsideAction is about a call that only a host's action may make, while the machine runs it.
var ErrOutsideAction = errors.New("called outside an action")

// Code is what is wrong with a message; it has the same name in every language.
// Every [DecodeError] and [EncodeError] unwraps to one, so that errors.Is(err, wire.Truncated) tells.
type Code string

// The codes.
const (
	// Truncated says that the frame ends before the field does.
	Truncated Code = "truncated"
	// Trailing says that octets follow the last field.
	Trailing Code = "trailing"
	// BadSignature says that the frame does not begin as every frame of the protocol does.
	BadSignature Code = "bad-signature"
	// UnknownMessage says that no message has this number, name or beginning.
	UnknownMessage Code = "unknown-message"
	// BadConstant says that a constant field holds something else, or that a value is not in its enumeration.
	BadConstant Code = "bad-constant"
	// BadText says that text is not UTF-8, or holds what its class forbids.
	BadText Code = "bad-text"
	// BadRelation says that two numbers are not to each other as they have to be.
	BadRelation Code = "bad-relation"
	// NotSet says that a field of a message to be sent was not filled.
	NotSet Code = "not-set"
	// TooLong says that a length, a count or a number is beyond its limit.
	TooLong Code = "too-long"
)

// Error gives the code's name.
func (c Code) Error() string { return string(c) }

// DecodeError is about octets that are not a message. Message and Field are the model's names, as far as they are
// known; Offset is where the field begins, in octets from the frame's start.
type DecodeError struct {
	Code    Code
	Message string
	Field   string
	Offset  int
}

// Error gives the code, the place and the offset, in ASCII.
func (e *DecodeError) Error() string {
	return sentence(e.Code, e.Message, e.Field) + " at octet " + strconv.Itoa(e.Offset)
}

// Unwrap gives the code.
func (e *DecodeError) Unwrap() error { return e.Code }

// EncodeError is about a message that its format cannot carry. Message and Field are the model's names.
type EncodeError struct {
	Code    Code
	Message string
	Field   string
}

// Error gives the code and the place, in ASCII.
func (e *EncodeError) Error() string { return sentence(e.Code, e.Message, e.Field) }

// Unwrap gives the code.
func (e *EncodeError) Unwrap() error { return e.Code }

// UnexpectedError is about a message that arrived and that the machine's state does not take.
type UnexpectedError struct {
	Event string
	State string
}

// Error names the message and the state.
func (e *UnexpectedError) Error() string { return "unexpected " + e.Event + " in state " + e.State }

// UnhandledError is about an event of the host's or the application's that the machine's state does not take, or does
// not take now: then Why says more.
type UnhandledError struct {
	Event string
	State string
	Why   string
}

// Error names the event and the state.
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
