package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-zeromq/zmq4"
)

const (
	// patience is the maximum time for which a call of the library may delay an answer.
	patience = 2 * time.Second
	// moment is the minimum wait of a recv with timeout 0, so that the receiving goroutine can run.
	moment = 10 * time.Millisecond
)

var (
	errBlocks = errors.New("zmq4 has blocked for 2 s")

	kinds = map[string]func(context.Context, ...zmq4.Option) zmq4.Socket{
		"PUB": zmq4.NewPub, "XPUB": zmq4.NewXPub, "SUB": zmq4.NewSub, "XSUB": zmq4.NewXSub,
	}
)

// heldSocket is a socket. All calls of zmq4 can block, Dial until the handshake is complete. The calls run one after
// another, as in an application that waits for each; but the suite's requests have a timeout.
type heldSocket struct {
	zmq4.Socket
	turn   chan struct{} // full while a call is under way
	coming chan received // result of the pending Recv; nil if no Recv is pending
}

type received struct {
	message zmq4.Msg
	err     error
}

func newHeldSocket(kind string, options map[string]json.RawMessage) (*heldSocket, error) {
	open, known := kinds[kind]
	if !known {
		return nil, unsupported("type " + kind)
	}
	hwm, given := 0, []zmq4.Option{}
	for name, raw := range options {
		value, err := strconv.Atoi(string(raw))
		switch {
		case name == "sndhwm" && kind == "PUB" && err == nil:
			hwm = value
		case name == "reconnect_ivl" && err == nil:
			given = append(given, zmq4.WithAutomaticReconnect(true), zmq4.WithDialerMaxRetries(-1),
				zmq4.WithDialerRetry(time.Duration(value)*time.Millisecond))
		case name == "linger" && value == 0 && err == nil: // zmq4 never lingers
		default:
			return nil, unsupported(fmt.Sprintf("option %s = %s of %s", name, raw, kind))
		}
	}
	socket := open(context.Background(), given...)
	if hwm != 0 {
		if err := socket.SetOption(zmq4.OptionHWM, hwm); err != nil {
			return nil, err
		}
	}
	return &heldSocket{Socket: socket, turn: make(chan struct{}, 1)}, nil
}

// start runs a call in its turn. The channel delivers the result.
func (t *heldSocket) start(call func() error, limit <-chan time.Time) (<-chan error, error) {
	select {
	case t.turn <- struct{}{}:
	case <-limit:
		return nil, errBlocks
	}
	done := make(chan error, 1)
	go func() {
		defer func() { <-t.turn }()
		done <- call()
	}()
	return done, nil
}

// call waits for the result of a call. A call that blocks continues in the background.
func (t *heldSocket) call(call func() error) error {
	limit := time.After(patience)
	done, err := t.start(call, limit)
	if err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-limit:
		return errBlocks
	}
}

// within waits for a call that runs independently of other calls.
func within(call func() error) error {
	return (&heldSocket{turn: make(chan struct{}, 1)}).call(call)
}

// listen binds to a free port, and returns the endpoint.
func listen(socket zmq4.Socket) (string, error) {
	if err := socket.Listen("tcp://127.0.0.1:0"); err != nil {
		return "", err
	}
	return "tcp://" + socket.Addr().String(), nil
}

func (t *heldSocket) bind() (answer, error) {
	endpoint := ""
	err := t.call(func() (err error) {
		endpoint, err = listen(t.Socket)
		return err
	})
	if err != nil {
		return nil, err
	}
	return answer{"endpoint": endpoint}, nil
}

// connect returns before the handshake is complete.
func (t *heldSocket) connect(endpoint string) error {
	_, err := t.start(func() error {
		err := t.Dial(endpoint)
		note(err)
		return err
	}, time.After(patience))
	return err
}

func (t *heldSocket) subscribe(text string, more bool) (answer, error) {
	topic, err := hex.DecodeString(text)
	if err != nil {
		return nil, err
	}
	option, head := zmq4.OptionUnsubscribe, byte(0)
	if more {
		option, head = zmq4.OptionSubscribe, 1
	}
	return answer{}, t.call(func() error {
		if t.Type() == zmq4.XSub {
			return t.Send(zmq4.NewMsg(append([]byte{head}, topic...)))
		}
		return t.SetOption(option, string(topic))
	})
}

func (t *heldSocket) send(parts []string) (answer, error) {
	if len(parts) == 0 {
		return nil, errors.New("a message needs at least one part")
	}
	frames := make([][]byte, len(parts))
	for i, part := range parts {
		var err error
		if frames[i], err = hex.DecodeString(part); err != nil {
			return nil, err
		}
	}
	err := t.call(func() error { return t.SendMulti(zmq4.NewMsgFrom(frames...)) })
	if errors.Is(err, errBlocks) {
		return answer{"again": true}, nil
	}
	return answer{}, err
}

// receive waits for the pending Recv, so that the adapter reads at most one message before the suite requests it.
// zmq4 returns the peer's commands as messages, and the end of a connection as an error.
func (t *heldSocket) receive(timeout time.Duration) (answer, error) {
	if t.Type() == zmq4.Pub {
		return nil, unsupported("recv of PUB")
	}
	if t.coming == nil {
		t.coming = make(chan received, 1)
		go func(result chan<- received) {
			message, err := t.Recv()
			result <- received{message, err}
		}(t.coming)
	}
	select {
	case result := <-t.coming:
		t.coming = nil
		if result.err != nil {
			return nil, result.err
		}
		parts := make([]string, len(result.message.Frames))
		for i, frame := range result.message.Frames {
			parts[i] = hex.EncodeToString(frame)
		}
		return answer{"parts": parts}, nil
	case <-time.After(max(timeout, moment)):
		return answer{"parts": nil}, nil
	}
}
