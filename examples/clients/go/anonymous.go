package main

import (
	"errors"
	"io"

	"github.com/go-zeromq/zmq4"
)

// anonymous is ZMTP's NULL mechanism without an identity. zmq4 generates an identity for every socket, but a
// ZEPS broker refuses clients that set one: a client that reconnects with the same identity would be mistaken
// for the lost session.
type anonymous struct{}

func (anonymous) Type() zmq4.SecurityType { return zmq4.NullSecurity }

func (anonymous) Handshake(conn *zmq4.Conn, _ bool) error {
	delete(conn.Meta, "Identity")
	properties, err := conn.Meta.MarshalZMTP()
	if err != nil {
		return err
	}
	if err := conn.SendCmd(zmq4.CmdReady, properties); err != nil {
		return err
	}
	command, err := conn.RecvCmd()
	if err != nil {
		return err
	}
	if command.Name != zmq4.CmdReady {
		return errors.New("the broker did not send READY")
	}
	return conn.Peer.Meta.UnmarshalZMTP(command.Body)
}

func (anonymous) Encrypt(w io.Writer, data []byte) (int, error) { return w.Write(data) }
func (anonymous) Decrypt(w io.Writer, data []byte) (int, error) { return w.Write(data) }
