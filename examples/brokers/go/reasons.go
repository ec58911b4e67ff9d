package main

import (
	"errors"
	"fmt"
	"strings"

	"zeps.example/wire"
	"zeps.example/wire/zeps"
)

const reasonMax = 255 // bytes of a string

// reason builds the reason of INVALID: code, optional sequences, and the text, with characters other than
// printable ASCII replaced (ZEPS-INVALID-8).
func reason(code fmt.Stringer, text string, sequences ...uint64) string {
	var out strings.Builder
	out.WriteString(code.String())
	for _, sequence := range sequences {
		fmt.Fprintf(&out, " %d", sequence)
	}
	out.WriteByte(' ')
	for _, char := range text {
		if char < ' ' || char > '~' {
			char = '?'
		}
		out.WriteRune(char)
	}
	return out.String()[:min(out.Len(), reasonMax)]
}

// codeOf returns the code for a frame that cannot be decoded.
func codeOf(err error) zeps.EndingCode {
	var fault *wire.DecodeError
	switch {
	case !errors.As(err, &fault):
		return zeps.EndingCodeMalformed
	case fault.Code == wire.UnknownMessage:
		return zeps.EndingCodeUnknownCommand
	case fault.Code == wire.BadConstant && fault.Field == "protocol":
		return zeps.EndingCodeUnsupportedProtocol
	case fault.Code == wire.BadConstant:
		return zeps.EndingCodeUnsupportedVersion
	}
	return zeps.EndingCodeMalformed
}
