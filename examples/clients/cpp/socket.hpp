/// @file
/// A DEALER socket of libzmq, with the functions that a client of one broker needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <zmq.h>

#include "zeps_wire/zeps.hpp"

/// Result of a read.
enum class Arrival : std::uint8_t { frame, nothing, error };

/// One received frame. Messages decoded from it refer to its memory.
class Frame {
 public:
  Frame() noexcept { zmq_msg_init(&message_); }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  Frame(Frame&&) = delete;
  Frame& operator=(Frame&&) = delete;
  ~Frame() { zmq_msg_close(&message_); }

  [[nodiscard]] zmq_msg_t* handle() noexcept { return &message_; }
  [[nodiscard]] zeps_wire::Octets octets() noexcept {
    return {static_cast<const std::uint8_t*>(zmq_msg_data(&message_)), zmq_msg_size(&message_)};
  }

 private:
  zmq_msg_t message_{};
};

/// A connection to one broker.
class Socket {
 public:
  Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  Socket(Socket&&) = delete;
  Socket& operator=(Socket&&) = delete;
  ~Socket();

  /// Returns false if the endpoint is invalid.
  bool connect(const std::string& endpoint);

  /// Waits for queue space. Returns false if the message cannot be sent.
  bool send(const zeps_wire::zeps::Message& message, std::size_t size);

  /// Waits at most a second.
  Arrival receive(Frame& frame);

  /// Makes the destructor discard unsent data.
  void drop() noexcept;

  /// The last error of libzmq.
  [[nodiscard]] static std::string last_error();

 private:
  void* context_;
  void* socket_;
};
