package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/go-zeromq/zmq4"
)

const library = "github.com/go-zeromq/zmq4"

type request struct {
	Op       string                     `json:"op"`
	Socket   string                     `json:"socket"`
	Type     string                     `json:"type"`
	Options  map[string]json.RawMessage `json:"options"`
	Endpoint string                     `json:"endpoint"`
	Topic    string                     `json:"topic"`
	Parts    []string                   `json:"parts"`
	Timeout  int                        `json:"timeout"` // ms
	Frontend string                     `json:"frontend"`
	Backend  string                     `json:"backend"`
	Connect  string                     `json:"connect"`
	Proxy    string                     `json:"proxy"`
}

type answer map[string]any

// unsupported is a feature that zmq4 lacks.
type unsupported string

func (what unsupported) Error() string { return string(what) }

// adapter owns the sockets and proxies, by the suite's names for them.
type adapter struct {
	sockets map[string]*heldSocket
	proxies map[string]*proxy
	started int // proxies
	over    bool
}

func newAdapter() *adapter {
	return &adapter{sockets: map[string]*heldSocket{}, proxies: map[string]*proxy{}}
}

// answer executes the request in a line.
func (s *adapter) answer(line []byte) answer {
	var asked request
	err := json.Unmarshal(line, &asked)
	if err == nil {
		var done answer
		if done, err = s.perform(&asked); err == nil {
			done["ok"] = true
			return done
		}
	}
	if missing := unsupported(""); errors.As(err, &missing) {
		return answer{"ok": false, "unsupported": err.Error()}
	}
	return answer{"ok": false, "error": err.Error()}
}

func (s *adapter) perform(r *request) (answer, error) {
	switch r.Op {
	case "hello":
		return hello()
	case "open":
		return s.open(r)
	case "proxy":
		return s.proxy(r)
	case "proxy_close":
		return s.closeProxy(r.Proxy)
	case "exit":
		s.over = true
		return answer{}, nil
	}
	operation, known := operations[r.Op]
	if !known {
		return nil, fmt.Errorf("unknown op %q", r.Op)
	}
	socket, known := s.sockets[r.Socket]
	if !known {
		return nil, fmt.Errorf("no socket %q", r.Socket)
	}
	if r.Op == "close" {
		delete(s.sockets, r.Socket)
	}
	return operation(socket, r)
}

// operations are the requests for a socket.
var operations = map[string]func(*heldSocket, *request) (answer, error){
	"bind":        func(t *heldSocket, _ *request) (answer, error) { return t.bind() },
	"unbind":      func(*heldSocket, *request) (answer, error) { return nil, unsupported("zmq4 cannot unbind") },
	"connect":     func(t *heldSocket, r *request) (answer, error) { return answer{}, t.connect(r.Endpoint) },
	"disconnect":  func(*heldSocket, *request) (answer, error) { return nil, unsupported("zmq4 cannot disconnect") },
	"subscribe":   func(t *heldSocket, r *request) (answer, error) { return t.subscribe(r.Topic, true) },
	"unsubscribe": func(t *heldSocket, r *request) (answer, error) { return t.subscribe(r.Topic, false) },
	"send":        func(t *heldSocket, r *request) (answer, error) { return t.send(r.Parts) },
	"recv": func(t *heldSocket, r *request) (answer, error) {
		return t.receive(time.Duration(r.Timeout) * time.Millisecond)
	},
	"close": func(t *heldSocket, _ *request) (answer, error) { return answer{}, within(t.Close) },
}

func hello() (answer, error) {
	built, known := debug.ReadBuildInfo()
	if !known {
		return nil, errors.New("built without module support")
	}
	for _, module := range built.Deps {
		if module.Path == library {
			types := []string{"PUB", "XPUB", "SUB", "XSUB", "PROXY"}
			return answer{"name": "zmq4 (Go)", "version": module.Version, "types": types}, nil
		}
	}
	return nil, errors.New("built without " + library)
}

func (s *adapter) open(r *request) (answer, error) {
	if _, used := s.sockets[r.Socket]; used {
		return nil, fmt.Errorf("%q is open", r.Socket)
	}
	socket, err := newHeldSocket(r.Type, r.Options)
	if err != nil {
		return nil, err
	}
	s.sockets[r.Socket] = socket
	return answer{}, nil
}

func (s *adapter) proxy(r *request) (answer, error) {
	if r.Frontend != string(zmq4.XSub) || r.Backend != string(zmq4.XPub) {
		return nil, unsupported("a proxy other than from XSUB to XPUB")
	}
	p, err := startProxy(r.Connect)
	if err != nil {
		return nil, err
	}
	s.started++
	name := fmt.Sprintf("p%d", s.started)
	s.proxies[name] = p
	done := answer{"proxy": name, "frontend": p.frontend, "backend": p.backend}
	if r.Connect != "" {
		done["frontend"] = nil
	}
	return done, nil
}

func (s *adapter) closeProxy(name string) (answer, error) {
	p, known := s.proxies[name]
	if !known {
		return nil, fmt.Errorf("no proxy %q", name)
	}
	delete(s.proxies, name)
	return answer{}, p.close()
}

// note logs an error that no request reports.
func note(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "adapter:", err)
	}
}
