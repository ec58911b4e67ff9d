// Command zeps-memory is a small ZEPS broker that keeps everything in memory: an independent implementation on the
// generated server machine, with a ZMTP 3 listener of its own.
//
//	zeps-memory --bind tcp://127.0.0.1:5670
//
// It prints "ready ENDPOINT" once it listens. SIGTERM and SIGINT detach the clients and stop it.
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
	bind := flag.String("bind", "tcp://127.0.0.1:5670", "where to listen; port * or 0 is any that is free")
	timeout := flag.Duration("client-timeout", 20*time.Second, "a session is forgotten after so much silence")
	heartbeat := flag.Duration("heartbeat-interval", 5*time.Second, "a client is asked for a sign after so much silence")
	var special specialStreams
	flag.StringVar(&special.regex, "regex-streams", "", "streams whose names begin so match by regular expressions")
	flag.StringVar(&special.brief, "retain-streams", "", "streams whose names begin so retain what --retain-octets says")
	flag.Uint64Var(&special.retain, "retain-octets", 0, "octets that each of them keeps, about; 0 keeps everything")
	flag.Parse()
	if err := serve(*bind, *timeout, *heartbeat, special); err != nil {
		fmt.Fprintln(os.Stderr, "zeps-memory:", err)
		os.Exit(1)
	}
}

func serve(bind string, timeout, heartbeat time.Duration, special specialStreams) error {
	address, found := strings.CutPrefix(bind, "tcp://")
	if !found {
		return fmt.Errorf("cannot listen on %s: tcp://HOST:PORT is all it knows", bind)
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
