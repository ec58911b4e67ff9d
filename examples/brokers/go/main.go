// Command zeps-memory is a small ZEPS broker that keeps all messages in memory: an independent implementation
// on the
// generated server machine, with its own ZMTP 3 listener.
//
//	zeps-memory --bind tcp://127.0.0.1:5670
//
// It prints "ready ENDPOINT" when it listens. On SIGTERM and SIGINT it detaches the clients and stops.
package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	bind := flag.String("bind", "tcp://127.0.0.1:5670", "endpoint to listen on; port * or 0 selects a free port")
	timeout := flag.Duration("client-timeout", 20*time.Second, "time without input after which a session is removed")
	heartbeat := flag.Duration("heartbeat-interval", 5*time.Second, "time without input after which a client gets PING")
	var special specialStreams
	flag.StringVar(&special.regex, "regex-streams", "", "name prefix of the streams that match by regular expressions")
	flag.StringVar(&special.brief, "retain-streams", "", "name prefix of the streams that --retain-octets limits")
	flag.Uint64Var(&special.retain, "retain-octets", 0, "approximate bytes that each of them keeps; 0 is unlimited")
	flag.Parse()
	if err := serve(*bind, *timeout, *heartbeat, special); err != nil {
		fmt.Fprintln(os.Stderr, "zeps-memory:", err)
		os.Exit(1)
	}
}

func serve(bind string, timeout, heartbeat time.Duration, special specialStreams) error {
	address, found := strings.CutPrefix(bind, "tcp://")
	if !found {
		return fmt.Errorf("cannot listen on %s: use tcp://HOST:PORT", bind)
	}
	if strings.HasSuffix(address, ":*") {
		address = strings.TrimSuffix(address, "*") + "0"
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	defer listener.Close()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
	b := newBroker(timeout, heartbeat, special)
	go b.accept(listener)
	fmt.Printf("ready tcp://%s\n", listener.Addr())
	b.run(stop)
	return nil
}
