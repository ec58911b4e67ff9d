// Command client is a ZEPS client over github.com/go-zeromq/zmq4, on the generated client machine.
//
//	client ENDPOINT STREAM COUNT
//
// It attaches to STREAM, subscribes to everything under demo/, publishes COUNT messages with keys demo/1, demo/2, …,
// receives them all back, detaches, and prints how many came and with which sequences.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"time"

	"github.com/go-zeromq/zmq4"

	"zeps.example/wire/zeps"
)

const (
	patience  = 30 * time.Second
	heartbeat = 2 * time.Second
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: client ENDPOINT STREAM COUNT")
		os.Exit(2)
	}
	count, err := strconv.Atoi(os.Args[3])
	if err != nil || count < 0 {
		fmt.Fprintln(os.Stderr, "client: COUNT is a number of messages")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	first, last, err := run(ctx, os.Args[1], os.Args[2], count)
	if err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
	fmt.Printf("received %d messages, sequences %d..%d\n", count, first, last)
}

// run does the whole job; first and last are the sequences of the first and the last message.
func run(ctx context.Context, endpoint, stream string, count int) (first, last uint64, err error) {
	socket := zmq4.NewDealer(ctx, zmq4.WithSecurity(anonymous{}), zmq4.WithDialerTimeout(5*time.Second))
	defer socket.Close()
	if err := socket.Dial(endpoint); err != nil {
		return 0, 0, err
	}
	c := newSession(socket, count)
	frames := make(chan []byte, 1024)
	broken := make(chan error, 1)
	go receive(ctx, socket, frames, broken)
	if _, err := c.machine.Open(stream); err != nil {
		return 0, 0, err
	}
	quiet := time.NewTicker(heartbeat)
	defer quiet.Stop()
	for !c.over && c.err == nil {
		select {
		case frame := <-frames:
			c.take(frame)
		case <-quiet.C:
			_, err := c.machine.OnHeartbeat()
			c.note(err)
		case err := <-broken:
			c.note(err)
		case <-ctx.Done():
			c.note(ctx.Err())
		}
	}
	if c.err != nil {
		return 0, 0, c.err
	}
	if c.received != count {
		return 0, 0, fmt.Errorf("detached after %d of %d messages", c.received, count)
	}
	return c.first, c.last, nil
}

// receive hands out what arrives. A frame is fresh memory: messages may point into it.
func receive(ctx context.Context, socket zmq4.Socket, frames chan<- []byte, broken chan<- error) {
	for {
		message, err := socket.Recv()
		if err != nil {
			broken <- err
			return
		}
		if len(message.Frames) != 1 {
			continue // ZMTP's own commands; ZEPS has messages of one frame only
		}
		select {
		case frames <- message.Frames[0]:
		case <-ctx.Done():
			return
		}
	}
}

// take hands a frame to the machine, and then does what the machine's actions have asked for.
func (c *session) take(frame []byte) {
	message, err := zeps.Decode(frame)
	if err != nil {
		_, err = c.machine.OnMalformed()
		c.note(err)
		return
	}
	c.note(c.machine.Receive(message))
	for len(c.next) > 0 && c.err == nil {
		do := c.next[0]
		c.next = c.next[1:]
		_, err := do()
		c.note(err)
	}
}
