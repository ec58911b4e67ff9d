// Encode and decode one DELIVER (16-byte key, 250-byte body): the generated codec, hand-written code for this
// one message, protobuf and flatbuffers. Prints one JSON line per figure: nanoseconds per message, and
// allocations per message.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "deliver.pb.h"
#include "deliver_generated.h"
#include "zeps_wire/zeps.hpp"

namespace {

std::atomic<std::uint64_t> allocations{0};

}  // namespace

void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size)) {
    return memory;
  }
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

constexpr std::uint64_t sequence = UINT64_C(1) << 40U;
constexpr std::string_view key = "NASDAQ.AAPL.0001";
constexpr std::size_t body_size = 250;
constexpr unsigned batches = 51;

// --- the floor: hand-written code for this one message

struct ByHand {
  std::uint64_t sequence;
  const char* key;
  std::size_t key_size;
  const std::uint8_t* body;
  std::size_t body_size;
};

inline std::uint64_t load8(const std::uint8_t* at) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, 8);
  return __builtin_bswap64(value);
}

inline std::uint32_t load4(const std::uint8_t* at) {
  std::uint32_t value = 0;
  std::memcpy(&value, at, 4);
  return __builtin_bswap32(value);
}

/// Checks bounds and the body's limit, does not copy, does not check text.
inline bool floor_decode(const std::uint8_t* data, std::size_t size, ByHand& message) {
  if (size < 12 || data[0] != 0xAA || data[1] != 0xA5 || data[2] != 7) {
    return false;
  }
  message.sequence = load8(data + 3);
  const std::size_t key_octets = data[11];
  if (size - 12 < key_octets + 4) {
    return false;
  }
  message.key = reinterpret_cast<const char*>(data + 12);
  message.key_size = key_octets;
  const std::uint8_t* at = data + 12 + key_octets;
  message.body = at + 4;
  message.body_size = load4(at);
  return message.body_size == size - 16 - key_octets && message.body_size <= 16777216;
}

/// Checks the characters of a key, byte by byte.
inline bool floor_text(const ByHand& message) {
  for (std::size_t i = 0; i < message.key_size; ++i) {
    const auto octet = static_cast<unsigned char>(message.key[i]);
    if (octet < 0x20 || octet > 0x7E) {
      return false;
    }
  }
  return true;
}

/// Checks lengths and buffer space, but not text; one pass into a reused buffer.
inline std::size_t floor_encode(const ByHand& message, std::uint8_t* out, std::size_t capacity) {
  const std::size_t size = 16 + message.key_size + message.body_size;
  if (message.key_size > 255 || message.body_size > 16777216 || size > capacity) {
    return 0;
  }
  out[0] = 0xAA;
  out[1] = 0xA5;
  out[2] = 7;
  const std::uint64_t number = __builtin_bswap64(message.sequence);
  std::memcpy(out + 3, &number, 8);
  out[11] = static_cast<std::uint8_t>(message.key_size);
  std::memcpy(out + 12, message.key, message.key_size);
  const std::uint32_t length = __builtin_bswap32(static_cast<std::uint32_t>(message.body_size));
  std::memcpy(out + 12 + message.key_size, &length, 4);
  std::memcpy(out + 16 + message.key_size, message.body, message.body_size);
  return size;
}

// --- measuring

/// Makes the compiler assume that `value` is read, and that any memory may have changed.
template <class T>
inline void look_at(T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

template <class T>
inline T hidden(T value) {
  asm volatile("" : "+r"(value));
  return value;
}

// Inlined always, so that the compiler's decisions about inlining do not affect the figures.
#define INLINED __attribute__((always_inline))

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// A measured function. It runs in short batches, alternating with the others, so that a busy machine slows all of
/// them equally, and the median of a run is not affected by interruptions.
struct Peer {
  std::string what;
  std::function<void(std::uint64_t)> work;
  std::uint64_t count;
  std::vector<double> batches;
  std::vector<double> runs;
  std::uint64_t made = 0;
  std::uint64_t done = 0;

  void measure() {
    const std::uint64_t before = allocations.load();
    const auto start = std::chrono::steady_clock::now();
    work(count);
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    made += allocations.load() - before;
    done += count;
    batches.push_back(taken.count() / static_cast<double>(count));
  }

  void finish_run() {
    runs.push_back(median(batches));
    batches.clear();
  }

  void print() const {
    std::printf("{\"what\": \"%s\", \"ns\": %.3f, \"allocations\": %.3f, \"runs\": [", what.c_str(),
                median(runs), static_cast<double>(made) / static_cast<double>(done));
    for (std::size_t run = 0; run < runs.size(); ++run) {
      std::printf("%s%.3f", run == 0 ? "" : ", ", runs[run]);
    }
    std::printf("]}\n");
  }
};

std::vector<Peer> peers;

template <class Work>
void measure(const char* what, std::uint64_t count, Work work) {
  const auto loop = [work](std::uint64_t times) {
    for (std::uint64_t i = 0; i < times; ++i) {
      work();
    }
  };
  loop(count);
  peers.push_back({what, loop, count, {}, {}});
}

void must(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "%s does not hold\n", what);
    std::exit(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned runs = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 9;
  const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20000;
  std::vector<std::uint8_t> body(body_size);
  for (std::size_t i = 0; i < body_size; ++i) {
    body[i] = static_cast<std::uint8_t>(i);
  }

  namespace zeps = zeps_wire::zeps;
  zeps_wire::Error error;
  zeps::Deliver given;
  given.sequence = sequence;
  given.key = key;
  given.body = body;
  zeps_wire::Buffer frame;
  must(zeps_wire::encode(given, frame, error), "our encoding");
  ByHand by_hand{sequence, key.data(), key.size(), body.data(), body.size()};
  alignas(64) static std::array<std::uint8_t, 1024> out;
  must(floor_encode(by_hand, out.data(), out.size()) == frame.size() &&
           std::memcmp(out.data(), frame.data(), frame.size()) == 0,
       "that both write the same bytes");

  measure("floor encode", count, [&]() INLINED {
    look_at(by_hand);
    must(floor_encode(by_hand, hidden(out.data()), hidden(out.size())) != 0, "the floor's encoding");
    look_at(out[0]);
  });
  measure("zeps encode", count, [&]() INLINED {
    look_at(given);
    std::uint8_t* at = hidden(out.data());
    must(check(given, error) && encoded_size(given) <= out.size(), "our encoding");
    write(given, at);
    look_at(out[0]);
  });
  zeps_wire::Buffer again;
  measure("zeps encode, into a vector", count, [&]() INLINED {
    look_at(given);
    must(zeps_wire::encode(given, again, error), "our encoding");
    look_at(again[0]);
  });

  measure("floor decode", count, [&]() INLINED {
    ByHand found;
    must(floor_decode(hidden(frame.data()), hidden(frame.size()), found), "the floor's decoding");
    look_at(found);
  });
  measure("floor decode, text checked byte by byte", count, [&]() INLINED {
    ByHand found;
    must(floor_decode(hidden(frame.data()), hidden(frame.size()), found) && floor_text(found), "decoding");
    look_at(found);
  });
  zeps::Deliver deliver;
  measure("zeps decode", count, [&]() INLINED {
    must(decode({hidden(frame.data()), hidden(frame.size())}, deliver, error), "our decoding");
    look_at(deliver);
  });
  zeps::Message message;
  measure("zeps decode, any message", count, [&]() INLINED {
    must(zeps::decode({hidden(frame.data()), hidden(frame.size())}, message, error), "our decoding");
    look_at(message);
  });

  peer::Deliver proto;
  std::string proto_frame;
  measure("protobuf encode", count, [&]() INLINED {
    proto.set_sequence(sequence);
    proto.mutable_key()->assign(key.data(), key.size());
    proto.mutable_body()->assign(reinterpret_cast<const char*>(body.data()), body.size());
    must(proto.SerializeToString(&proto_frame), "protobuf's encoding");
    look_at(proto_frame);
  });
  peer::Deliver parsed;
  measure("protobuf decode", count, [&]() INLINED {
    must(parsed.ParseFromArray(hidden(proto_frame.data()), static_cast<int>(proto_frame.size())), "decoding");
    look_at(parsed);
  });

  flatbuffers::FlatBufferBuilder builder(1024);
  const auto build = [&]() INLINED {
    builder.Clear();
    const auto key_at = builder.CreateString(key.data(), key.size());
    const auto body_at = builder.CreateVector(body.data(), body.size());
    builder.Finish(peer_flat::CreateDeliver(builder, sequence, key_at, body_at));
    look_at(builder);
  };
  measure("flatbuffers encode", count, build);
  const std::vector<std::uint8_t> flat(builder.GetBufferPointer(),
                                       builder.GetBufferPointer() + builder.GetSize());
  measure("flatbuffers decode", count, [&]() INLINED {
    const std::uint8_t* data = hidden(flat.data());
    flatbuffers::Verifier verifier(data, flat.size());
    must(peer_flat::VerifyDeliverBuffer(verifier), "flatbuffers' decoding");
    const auto* found = peer_flat::GetDeliver(data);
    std::array<std::uint64_t, 3> seen = {found->sequence(), found->key()->size(), found->body()->size()};
    look_at(seen);
  });

  for (unsigned run = 0; run < runs; ++run) {
    for (unsigned batch = 0; batch < batches; ++batch) {
      for (Peer& peer : peers) {
        peer.measure();
      }
    }
    for (Peer& peer : peers) {
      peer.finish_run();
    }
  }
  for (const Peer& peer : peers) {
    peer.print();
  }
  return 0;
}
