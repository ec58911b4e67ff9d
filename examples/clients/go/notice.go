package main

import (
	"strconv"
	"strings"

	"zeps.example/wire/zeps"
)

// notice is the reason of an INVALID: code [SP first SP last] SP text.
type notice struct {
	reason      string
	code        zeps.OpenCode // or another text
	first, last uint64
}

func noticeOf(reason string) notice {
	words := strings.SplitN(reason, " ", 4)
	found := notice{reason: reason, code: zeps.OpenCode(words[0])}
	if len(words) == 4 {
		first, err := strconv.ParseUint(words[1], 10, 64)
		last, err2 := strconv.ParseUint(words[2], 10, 64)
		if err == nil && err2 == nil {
			found.first, found.last = first, last
		}
	}
	return found
}

// isGap reports whether messages from first to last are lost.
func (n notice) isGap() bool {
	return n.code == zeps.OpenCodeRetention || n.code == zeps.OpenCodeDamage
}

// isRefusal reports whether it refuses a SUBSCRIBE.
func (n notice) isRefusal() bool {
	switch n.code {
	case zeps.OpenCodeBadPattern, zeps.OpenCodeTooManySubscriptions, zeps.OpenCodeNotRetained, zeps.OpenCodeBeyondEnd:
		return true
	}
	return false
}
