// Command codec_go measures the time to encode and decode one DELIVER (16-byte key, 250-byte body), with
// protobuf in the same program. Each line of the output is {"what": …, "ns": …, "runs": […], "allocations":
// …}.
//
// "reused" reuses the struct and the output buffer. Consecutive decoded frames have different keys, so that
// the string of the previous key cannot be reused.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"sort"
	"testing"

	"google.golang.org/protobuf/proto"

	"zeps.example/bench/peer"
	"zeps.example/wire/zeps"
)

const (
	keys     = 64
	sequence = 1 << 40
)

type result struct {
	What        string    `json:"what"`
	NS          float64   `json:"ns"`
	Runs        []float64 `json:"runs"`
	Allocations int64     `json:"allocations"`
}

func key(number int) string { return fmt.Sprintf("NASDAQ.AAPL.%04d", number) }

func body() []byte {
	octets := make([]byte, 250)
	for i := range octets {
		octets[i] = byte(i)
	}
	return octets
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

var (
	messages [keys]*zeps.Deliver
	peers    [keys]*peer.Deliver
	frames   [keys][]byte
	encoded  [keys][]byte
)

func prepare() {
	for i := range messages {
		messages[i] = &zeps.Deliver{Sequence: sequence, Key: key(i), Body: body()}
		peers[i] = &peer.Deliver{Sequence: sequence, Key: key(i), Body: body()}
		var err error
		frames[i], err = messages[i].Encode()
		check(err)
		encoded[i], err = proto.Marshal(peers[i])
		check(err)
	}
}

var benchmarks = []struct {
	what string
	run  func(n int)
}{
	{"zeps encode", func(n int) {
		for i := 0; i < n; i++ {
			octets, err := messages[i%keys].Encode()
			check(err)
			runtime.KeepAlive(octets)
		}
	}},
	{"protobuf encode", func(n int) {
		for i := 0; i < n; i++ {
			octets, err := proto.Marshal(peers[i%keys])
			check(err)
			runtime.KeepAlive(octets)
		}
	}},
	{"zeps encode reused", func(n int) {
		var octets []byte
		var err error
		for i := 0; i < n; i++ {
			octets, err = messages[i%keys].AppendTo(octets[:0])
			check(err)
		}
		runtime.KeepAlive(octets)
	}},
	{"protobuf encode reused", func(n int) {
		var octets []byte
		var err error
		for i := 0; i < n; i++ {
			octets, err = proto.MarshalOptions{}.MarshalAppend(octets[:0], peers[i%keys])
			check(err)
		}
		runtime.KeepAlive(octets)
	}},
	{"zeps decode", func(n int) {
		for i := 0; i < n; i++ {
			message, err := zeps.Decode(frames[i%keys])
			check(err)
			runtime.KeepAlive(message)
		}
	}},
	{"protobuf decode", func(n int) {
		for i := 0; i < n; i++ {
			message := new(peer.Deliver)
			check(proto.Unmarshal(encoded[i%keys], message))
			runtime.KeepAlive(message)
		}
	}},
	{"zeps decode reused", func(n int) {
		message := new(zeps.Deliver)
		for i := 0; i < n; i++ {
			check(message.DecodeFrom(frames[i%keys]))
		}
		runtime.KeepAlive(message)
	}},
	{"protobuf decode reused", func(n int) {
		message := new(peer.Deliver)
		for i := 0; i < n; i++ {
			proto.Reset(message)
			check(proto.UnmarshalOptions{}.Unmarshal(encoded[i%keys], message))
		}
		runtime.KeepAlive(message)
	}},
	{"zeps decode reused, one key", func(n int) {
		message := new(zeps.Deliver)
		for i := 0; i < n; i++ {
			check(message.DecodeFrom(frames[0]))
		}
		runtime.KeepAlive(message)
	}},
}

func main() {
	testing.Init()
	runs := flag.Int("runs", 7, "number of runs of each benchmark")
	flag.Parse()
	check(flag.Set("test.benchtime", "200ms"))
	prepare()
	results := make([]result, len(benchmarks))
	for run := 0; run < *runs; run++ { // alternating, so that a slow moment affects all
		for i, one := range benchmarks {
			measured := testing.Benchmark(func(b *testing.B) {
				b.ReportAllocs()
				one.run(b.N)
			})
			results[i].What = one.what
			results[i].Runs = append(results[i].Runs, float64(measured.T.Nanoseconds())/float64(measured.N))
			results[i].Allocations = measured.AllocsPerOp()
		}
	}
	out := json.NewEncoder(os.Stdout)
	for _, one := range results {
		sorted := append([]float64(nil), one.Runs...)
		sort.Float64s(sorted)
		one.NS = sorted[len(sorted)/2]
		check(out.Encode(one))
	}
}
