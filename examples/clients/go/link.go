package main

import (
	"context"
	"time"

	"github.com/go-zeromq/zmq4"
)

// link is one connection to the broker.
type link struct {
	socket zmq4.Socket
	frames chan []byte
	broken chan error
	stop   context.CancelFunc
}

func dial(ctx context.Context, endpoint string) (*link, error) {
	ctx, stop := context.WithCancel(ctx)
	socket := zmq4.NewDealer(ctx, zmq4.WithSecurity(anonymous{}), zmq4.WithDialerTimeout(5*time.Second))
	if err := socket.Dial(endpoint); err != nil {
		stop()
		return nil, err
	}
	l := &link{socket, make(chan []byte, 1024), make(chan error, 1), stop}
	go l.receive(ctx)
	return l, nil
}

// receive passes on received frames. Each frame is newly allocated, so messages may refer to its memory.
func (l *link) receive(ctx context.Context) {
	for {
		message, err := l.socket.Recv()
		if err != nil {
			l.broken <- err
			return
		}
		if len(message.Frames) != 1 {
			continue // a ZMTP command; ZEPS messages have one frame
		}
		select {
		case l.frames <- message.Frames[0]:
		case <-ctx.Done():
			return
		}
	}
}

func (l *link) close() {
	_ = l.socket.Close() // an error of Close does not matter
	l.stop()
}
