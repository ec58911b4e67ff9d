package main

import (
	"context"
	"errors"

	"github.com/go-zeromq/zmq4"
)

// proxy is zmq4's own proxy, between an XSUB and an XPUB.
type proxy struct {
	cancel            context.CancelFunc // stops the proxy, and makes both sockets unusable
	front, back       zmq4.Socket
	frontend, backend string // endpoints; the frontend's is empty if it connects
}

// startProxy runs a proxy whose frontend connects to the endpoint, in the background, or listens if the endpoint is empty.
func startProxy(upstream string) (*proxy, error) {
	ctx, cancel := context.WithCancel(context.Background())
	p := &proxy{cancel: cancel, front: zmq4.NewXSub(ctx), back: zmq4.NewXPub(ctx)}
	var errFront, errBack error
	if upstream == "" {
		p.frontend, errFront = listen(p.front)
	}
	p.backend, errBack = listen(p.back)
	if err := errors.Join(errFront, errBack); err != nil {
		return nil, errors.Join(err, p.close())
	}
	go func() {
		if upstream != "" {
			if err := p.front.Dial(upstream); err != nil {
				note(err)
				return
			}
		}
		note(zmq4.NewProxy(ctx, p.front, p.back, nil).Run())
	}()
	return p, nil
}

func (p *proxy) close() error {
	p.cancel()
	return within(func() error { return errors.Join(p.front.Close(), p.back.Close()) })
}
