/// @file
/// A DEALER socket of libzmq's: what of it a client of one broker needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <zmq.h>

#include "zeps_wire/zeps.hpp"

/// What a read brought.
enum class Arrival : std::uint8_t { frame, nothing, error };

/// One frame that arrived, and what a message that is decoded from it shows.
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

  /// False if the endpoint is none.
  bool connect(const std::string& endpoint);

  /// Waits for room; what is on its way when the socket goes has a while to leave. False if it cannot be sent.
  bool send(const zeps_wire::zeps::Message& message, std::size_t size);

  /// Waits a second.
  Arrival receive(Frame& frame);

  /// What is still on its way goes with the socket.
  void drop() noexcept;

  /// What went wrong last.
  [[nodiscard]] static std::string trouble();

 private:
  void* context_;
  void* socket_;
};
