package wire

import (
	"strings"
	"unicode/utf8"
)

const (
	eachOctet = 0x0101010101010101
	highBits  = 0x8080808080808080
)

// IsUTF8 reports whether text is well-formed UTF-8.
func IsUTF8(text string) bool { return utf8.ValidString(text) }

// IsTopic reports whether text is well-formed UTF-8 without a zero byte.
func IsTopic(text string) bool { return IsUTF8(text) && strings.IndexByte(text, 0) < 0 }

// IsPrintable reports whether text is well-formed UTF-8 without control characters (Unicode category Cc).
func IsPrintable(text string) bool {
	last := len(text) - 8
	if last < 0 {
		for i := 0; i < len(text); i++ {
			if octet := text[i]; octet-0x20 >= 0x7F-0x20 {
				return isPrintableSlow(text)
			}
		}
		return true
	}
	found := suspects(eight(text[last:])) // may overlap the eight bytes before
	for i := 0; i < last; i += 8 {
		found |= suspects(eight(text[i:]))
	}
	return found == 0 || isPrintableSlow(text)
}

// suspects sets the high bit of bytes that may be part of a control character: a byte below 0x20 borrows from its high
// bit, 0x7F carries into it, and in bytes beyond ASCII it is already set.
func suspects(octets uint64) uint64 {
	return (octets | (octets - 0x20*eachOctet) | (octets + eachOctet)) & highBits
}

// IsVChar reports whether text consists of visible ASCII (%x21-7E).
func IsVChar(text string) bool {
	for i := 0; i < len(text); i++ {
		if octet := text[i]; octet-0x21 >= 0x7F-0x21 {
			return false
		}
	}
	return true
}

func isPrintableSlow(text string) bool {
	for i := 0; i < len(text); {
		character, size := utf8.DecodeRuneInString(text[i:])
		if character == utf8.RuneError && size <= 1 || character < 0x20 || character >= 0x7F && character <= 0x9F {
			return false
		}
		i += size
	}
	return true
}

// eight returns the first eight bytes of text as a number.
func eight(text string) uint64 {
	_ = text[7]
	return uint64(text[0]) | uint64(text[1])<<8 | uint64(text[2])<<16 | uint64(text[3])<<24 |
		uint64(text[4])<<32 | uint64(text[5])<<40 | uint64(text[6])<<48 | uint64(text[7])<<56
}
