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

// ZMTP 3 (RFC 23) as far as a ROUTER with the NULL mechanism needs it.
const (
	greetingSize  = 64
	handshakeTime = 10 * time.Second
	commandMax    = 1 << 16
	messageMax    = 64 << 20 // octets of a message, all parts together

	flagMore    = 1
	flagLong    = 2
	flagCommand = 4
)

// greeting opens a connection from our side: version 3.0, mechanism NULL, no server.
func greeting() []byte {
	octets := make([]byte, greetingSize)
	octets[0], octets[9], octets[10] = 0xFF, 0x7F, 3
	copy(octets[12:], "NULL")
	return octets
}

// handshake exchanges greetings and READY. The peer has to be a DEALER, or something that behaves like one. ownID tells
// whether it asks for a routing id of its own choice.
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
		return false, fmt.Errorf("the peer wants the mechanism %q", mechanism)
	}
	flags, body, err := readFrame(in, commandMax)
	if err != nil {
		return false, err
	}
	name, data := commandName(body)
	if flags&flagCommand == 0 || name != "READY" {
		return false, errors.New("the peer did not say READY")
	}
	identity, err := propertyOf(data, "Identity")
	if err != nil {
		return false, err
	}
	return len(identity) > 0, conn.SetDeadline(time.Time{})
}

// readMessage is the parts of the next message; commands before it are answered through reply.
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
			return nil, errors.New("a message of more parts than anyone needs")
		}
	}
}

// readFrame is the next frame; its length is compared with most before anything is made for it.
func readFrame(in *bufio.Reader, most uint64) (flags byte, body []byte, err error) {
	var head [9]byte
	if _, err := io.ReadFull(in, head[:2]); err != nil {
		return 0, nil, err
	}
	flags = head[0]
	if flags&^(flagMore|flagLong|flagCommand) != 0 {
		return 0, nil, fmt.Errorf("a frame with the flags %02x", flags)
	}
	size := uint64(head[1])
	if flags&flagLong != 0 {
		if _, err := io.ReadFull(in, head[2:]); err != nil {
			return 0, nil, err
		}
		size = binary.BigEndian.Uint64(head[1:])
	}
	if size > most {
		return 0, nil, fmt.Errorf("a frame of %d octets", size)
	}
	body = make([]byte, size)
	_, err = io.ReadFull(in, body)
	return flags, body, err
}

// frameHead is what stands before the octets of a message of one part.
func frameHead(size int) []byte {
	if size <= 255 {
		return []byte{0, byte(size)}
	}
	return binary.BigEndian.AppendUint64([]byte{flagLong}, uint64(size))
}

// command is a short command frame.
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

// propertyOf is the value of a property in READY's metadata, whatever the case of its name; nil if there is none.
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
