package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// The part of ZMTP 3 (RFC 23) that a ROUTER with the NULL mechanism needs.
const (
	greetingSize  = 64
	handshakeTime = 10 * time.Second
	commandMax    = 1 << 16
	messageMax    = 64 << 20 // bytes of a message with all parts

	flagMore    = 1
	flagLong    = 2
	flagCommand = 4
)

// greeting returns the broker's greeting: version 3.0, mechanism NULL, as-server 0.
func greeting() []byte {
	octets := make([]byte, greetingSize)
	octets[0], octets[9], octets[10] = 0xFF, 0x7F, 3
	copy(octets[12:], "NULL")
	return octets
}

// handshake exchanges greetings and READY. The peer must behave like a DEALER. ownID reports whether the peer
// sets its own routing id.
func handshake(conn net.Conn, in *bufio.Reader) (ownID bool, err error) {
	if err := conn.SetDeadline(time.Now().Add(handshakeTime)); err != nil {
		return false, err
	}
	ready := command("READY", append(property("Socket-Type", "ROUTER"), property("Identity", "")...))
	if _, err := conn.Write(append(greeting(), ready...)); err != nil {
		return false, err
	}
	var theirs [greetingSize]byte
	if _, err := io.ReadFull(in, theirs[:]); err != nil {
		return false, err
	}
	if theirs[0] != 0xFF || theirs[9]&1 == 0 || theirs[10] < 3 {
		return false, errors.New("the peer does not speak ZMTP 3")
	}
	if mechanism := strings.TrimRight(string(theirs[12:32]), "\x00"); mechanism != "NULL" {
		return false, fmt.Errorf("unsupported mechanism %q", mechanism)
	}
	flags, body, err := readFrame(in, commandMax)
	if err != nil {
		return false, err
	}
	name, data := commandName(body)
	if flags&flagCommand == 0 || name != "READY" {
		return false, errors.New("the peer did not send READY")
	}
	identity, err := propertyOf(data, "Identity")
	if err != nil {
		return false, err
	}
	return len(identity) > 0, conn.SetDeadline(time.Time{})
}

// readMessage returns the parts of the next message. Commands before it are answered through reply.
func readMessage(in *bufio.Reader, reply func([]byte)) ([][]byte, error) {
	var parts [][]byte
	left := uint64(messageMax)
	for {
		flags, body, err := readFrame(in, left)
		if err != nil {
			return nil, err
		}
		if flags&flagCommand != 0 {
			if name, data := commandName(body); name == "PING" && len(data) >= 2 {
				reply(command("PONG", data[2:min(len(data), 18)]))
			}
			continue
		}
		parts, left = append(parts, body), left-uint64(len(body))
		if flags&flagMore == 0 {
			return parts, nil
		}
		if len(parts) > 1000 {
			return nil, errors.New("a message has too many parts")
		}
	}
}

// readFrame returns the next frame. Its length is compared with most before memory is allocated.
func readFrame(in *bufio.Reader, most uint64) (flags byte, body []byte, err error) {
	var head [9]byte
	if _, err := io.ReadFull(in, head[:2]); err != nil {
		return 0, nil, err
	}
	flags = head[0]
	if flags&^(flagMore|flagLong|flagCommand) != 0 {
		return 0, nil, fmt.Errorf("invalid frame flags %02x", flags)
	}
	size := uint64(head[1])
	if flags&flagLong != 0 {
		if _, err := io.ReadFull(in, head[2:]); err != nil {
			return 0, nil, err
		}
		size = binary.BigEndian.Uint64(head[1:])
	}
	if size > most {
		return 0, nil, fmt.Errorf("frame too long: %d bytes", size)
	}
	body = make([]byte, size)
	_, err = io.ReadFull(in, body)
	return flags, body, err
}

// frameHead returns the flags and the length before the body of a one-part message.
func frameHead(size int) []byte {
	if size <= 255 {
		return []byte{0, byte(size)}
	}
	return binary.BigEndian.AppendUint64([]byte{flagLong}, uint64(size))
}

// command returns a short command frame.
func command(name string, data []byte) []byte {
	body := append([]byte{byte(len(name))}, name...)
	body = append(body, data...)
	return append([]byte{flagCommand, byte(len(body))}, body...)
}

func commandName(body []byte) (name string, data []byte) {
	if len(body) == 0 || len(body) <= int(body[0]) {
		return "", nil
	}
	end := 1 + int(body[0])
	return string(body[1:end]), body[end:]
}

func property(name, value string) []byte {
	octets := append([]byte{byte(len(name))}, name...)
	octets = binary.BigEndian.AppendUint32(octets, uint32(len(value)))
	return append(octets, value...)
}

// propertyOf returns the value of a property in READY's metadata, with case-insensitive names; nil if it is
// missing.
func propertyOf(data []byte, name string) (value []byte, err error) {
	for len(data) > 0 {
		size := 1 + int(data[0])
		if len(data) < size+4 {
			return nil, errors.New("the peer's metadata is malformed")
		}
		found, length := string(data[1:size]), uint64(binary.BigEndian.Uint32(data[size:]))
		data = data[size+4:]
		if length > uint64(len(data)) {
			return nil, errors.New("the peer's metadata is malformed")
		}
		if strings.EqualFold(found, name) {
			value = data[:length]
		}
		data = data[length:]
	}
	return value, nil
}
