// Command client is a ZEPS client over github.com/go-zeromq/zmq4, on the generated client machine.
//
//	client ENDPOINT STREAM COUNT [PATTERN [LATEST]]
//
// It attaches to STREAM, subscribes to PATTERN (demo/) from LATEST (0) on, publishes COUNT messages with keys demo/1,
// demo/2, …, receives them all back, detaches, and prints their number and their sequences.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"time"

	"zeps.example/wire/zepsclient"
)

const (
	patience  = 30 * time.Second // maximum silence of the broker
	answer    = 3 * time.Second  // maximum wait for an answer to ATTACH or DETACH
	heartbeat = time.Second
)

func main() {
	arguments, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "usage: client ENDPOINT STREAM COUNT [PATTERN [LATEST]]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c := newSession(ctx, arguments)
	if err := c.run(); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
	fmt.Printf("received %d messages, sequences %d..%d\n", c.received, c.first, c.last)
}

// options has the arguments of the command line.
type options struct {
	endpoint, stream string
	count            uint64
	pattern          string
	latest           uint64 // last sequence that was delivered or is lost; subscribing resumes after it
}

func parse(arguments []string) (options, error) {
	if len(arguments) < 3 || len(arguments) > 5 {
		return options{}, errors.New("expected three to five arguments")
	}
	found := options{endpoint: arguments[0], stream: arguments[1], pattern: prefix}
	var err, err2 error
	found.count, err = strconv.ParseUint(arguments[2], 10, 64)
	if len(arguments) > 3 {
		found.pattern = arguments[3]
	}
	if len(arguments) > 4 {
		found.latest, err2 = strconv.ParseUint(arguments[4], 10, 64)
	}
	return found, errors.Join(err, err2)
}

// run runs the session to its end. It sends PING, or attaches again, if the broker is silent.
func (c *session) run() error {
	quiet := time.NewTicker(heartbeat)
	defer quiet.Stop()
	heard := time.Now()
	c.attach()
	for !c.over && c.err == nil {
		select {
		case frame := <-c.link.frames:
			heard = time.Now()
			c.asked = heard
			c.take(frame)
		case err := <-c.link.broken:
			c.loses(err)
		case <-quiet.C:
			if time.Since(heard) > patience {
				c.note(errors.New("the broker does not answer"))
			}
			c.idle()
		case <-c.ctx.Done():
			c.note(c.ctx.Err())
		}
		c.goOn()
	}
	if c.link != nil {
		c.link.close()
	}
	if c.err == nil && c.number != c.count {
		c.note(fmt.Errorf("detached after %d of %d messages", c.number, c.count))
	}
	return c.err
}

func (c *session) idle() {
	var err error
	if c.machine.State() == zepsclient.StateOpen || time.Since(c.asked) < answer {
		_, err = c.machine.OnHeartbeat()
	} else {
		_, err = c.machine.OnExpired()
	}
	c.note(err)
}

// goOn performs the steps that the machine's actions have queued.
func (c *session) goOn() {
	for len(c.next) > 0 && c.err == nil {
		do := c.next[0]
		c.next = c.next[1:]
		_, err := do()
		c.note(err)
	}
	if c.lost && c.err == nil {
		c.attach()
	}
}
