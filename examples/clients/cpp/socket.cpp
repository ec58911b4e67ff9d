#include "socket.hpp"

#include <cerrno>

namespace {

constexpr int leave_ms = 10000;
constexpr int quiet_ms = 1000;

}  // namespace

Socket::Socket() : context_(zmq_ctx_new()), socket_(zmq_socket(context_, ZMQ_DEALER)) {
  zmq_setsockopt(socket_, ZMQ_LINGER, &leave_ms, sizeof leave_ms);
  zmq_setsockopt(socket_, ZMQ_SNDTIMEO, &leave_ms, sizeof leave_ms);
  zmq_setsockopt(socket_, ZMQ_RCVTIMEO, &quiet_ms, sizeof quiet_ms);
}

Socket::~Socket() {
  zmq_close(socket_);
  zmq_ctx_term(context_);
}

bool Socket::connect(const std::string& endpoint) { return zmq_connect(socket_, endpoint.c_str()) == 0; }

bool Socket::send(const zeps_wire::zeps::Message& message, std::size_t size) {
  zmq_msg_t frame;
  if (zmq_msg_init_size(&frame, size) != 0) {
    return false;
  }
  write(message, static_cast<std::uint8_t*>(zmq_msg_data(&frame)));
  if (zmq_msg_send(&frame, socket_, 0) < 0) {
    zmq_msg_close(&frame);
    return false;
  }
  return true;
}

Arrival Socket::receive(Frame& frame) {
  if (zmq_msg_recv(frame.handle(), socket_, 0) >= 0) {
    return Arrival::frame;
  }
  return zmq_errno() == EAGAIN ? Arrival::nothing : Arrival::error;
}

void Socket::drop() noexcept {
  const int linger = 0;
  zmq_setsockopt(socket_, ZMQ_LINGER, &linger, sizeof linger);
}

std::string Socket::last_error() { return zmq_strerror(zmq_errno()); }
