// Command driver answers requests about this module's codecs and machines: requests on stdin, each after a length of
// four bytes, and one answer on stdout for each, in order. Test suites use it to compare implementations.
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// The maximum size of a request in bytes.
const requestOctetsMax = 64 << 20

func main() {
	if err := serve(bufio.NewReaderSize(os.Stdin, 1<<20), bufio.NewWriterSize(os.Stdout, 1<<20)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// serve answers requests until the input ends; it flushes the answers when the input's buffer is empty.
func serve(in *bufio.Reader, out *bufio.Writer) error {
	var head [4]byte
	var request, answer []byte
	for {
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return ended(err, out)
		}
		size := binary.BigEndian.Uint32(head[:])
		if size > requestOctetsMax {
			return fmt.Errorf("a request of %d bytes is too large", size)
		}
		if uint64(cap(request)) < uint64(size) {
			request = make([]byte, size)
		}
		request = request[:size]
		if _, err := io.ReadFull(in, request); err != nil {
			return ended(err, out)
		}
		answer = handle(answer[:0], request)
		binary.BigEndian.PutUint32(head[:], uint32(len(answer)))
		if _, err := out.Write(head[:]); err != nil {
			return err
		}
		if _, err := out.Write(answer); err != nil {
			return err
		}
	}
}

// ended handles the end of the input, which is not an error.
func ended(err error, out *bufio.Writer) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return out.Flush()
	}
	return err
}
