package main

import (
	"errors"
	"fmt"
	"strings"

	"zeps.example/wire"
	"zeps.example/wire/zeps"
)

const reasonMax = 255 // octets of a string

// reason is what INVALID says: code, sequences if there are any, and the text, of which what is not printable ASCII is
// replaced (ZEPS-INVALID-1).
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

// codeOf is the code for a frame that does not decode.
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
