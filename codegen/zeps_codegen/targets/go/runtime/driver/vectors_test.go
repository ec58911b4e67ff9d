package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

const vectors = "testdata/requests.tsv"

// TestVectors compares the answer to every request with the expected answer.
func TestVectors(t *testing.T) {
	file, err := os.Open(vectors)
	if err != nil {
		t.Fatalf("the vectors are generated with this module: %v", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	count := 0
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") || lines.Text() == "" {
			continue
		}
		parts := strings.Split(lines.Text(), "\t")
		if len(parts) != 3 {
			t.Fatalf("line %d: %d columns", count+1, len(parts))
		}
		request, answer := unhex(t, parts[1]), unhex(t, parts[2])
		if got := handle(nil, request); !bytes.Equal(got, answer) {
			t.Errorf("%s:\n request %x\n     got %x\n  wanted %x", parts[0], request, got, answer)
		}
		count++
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if count == 0 {
		t.Fatal("there are no vectors")
	}
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	octets, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return octets
}

// FuzzHandle checks that no request makes the driver fail, and that every answer is of a known kind.
func FuzzHandle(f *testing.F) {
	f.Add([]byte("I"))
	for _, one := range protocols {
		head := append([]byte{'D', byte(len(one.name))}, one.name...)
		f.Add(append(head, 0, 0, 0, 4, 0xAA, 0xA5, 1, 0))
	}
	f.Fuzz(func(t *testing.T, request []byte) {
		answer := handle(nil, request)
		if len(answer) == 0 || !strings.ContainsRune("I+-?", rune(answer[0])) {
			t.Fatalf("the answer is %x", answer)
		}
	})
}
