// Command adapter holds sockets of github.com/go-zeromq/zmq4 for the conformance suite: a JSON request per line of standard
// input, an answer per line of standard output.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "adapter:", err)
		os.Exit(1)
	}
}

// serve answers requests until "exit" or the end of input. Open sockets end with the process: zmq4 never lingers.
func serve(input io.Reader, output io.Writer) error {
	lines, answers, s := bufio.NewReader(input), json.NewEncoder(output), newAdapter()
	for !s.over {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := answers.Encode(s.answer(line)); err != nil {
			return err
		}
	}
	return nil
}
