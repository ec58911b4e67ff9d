/// @file
/// client ENDPOINT STREAM COUNT: attach to a stream, publish COUNT messages, receive them all back, detach.
///
/// The machine decides what a client may say and when; a session is its host. It owns the socket, the clock, and what
/// its user wants. Actions only note what is to follow: it is done once the machine has finished its step.
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include "socket.hpp"
#include "zeps_wire/zeps_client.hpp"

namespace {

namespace zeps = zeps_wire::zeps;
using zeps_wire::zeps_client::ClientHost;
using zeps_wire::zeps_client::ClientMachine;
using zeps_wire::zeps_client::State;

constexpr std::string_view prefix = "demo/";
constexpr std::uint64_t window = 65536;
constexpr int silence_max = 30;

class Session final : public ClientHost {
 public:
  Session(Socket& socket, std::string stream, std::size_t count)
      : socket_(socket), stream_(std::move(stream)), count_(count) {
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    tag_ = std::to_string(now) + ' ' + std::to_string(getpid()) + ' ';
  }

  /// Receives until the session is over; pings when nothing comes. Whether all went well.
  bool run();

  [[nodiscard]] std::string report() const {
    return "received " + std::to_string(received_) + " messages, sequences " + std::to_string(first_) + ".." +
           std::to_string(last_);
  }

 private:
  // What the machine asks of its host.

  void send(const zeps::Message& message) override {
    zeps_wire::Error error;
    if (!check(message, error)) {
      fail("a message cannot be encoded: " + describe(error));
    } else if (!socket_.send(message, encoded_size(message))) {
      fail("cannot send: " + Socket::trouble());
    }
  }
  void attached(const zeps::AttachOk& /*message*/) override { is_attached_ = true; }
  void subscribed(const zeps::SubscribeOk& /*message*/) override { is_subscribed_ = true; }
  void detached(const zeps::Message* /*message*/) override { is_over_ = true; }
  void answered(const zeps::PingOk& /*message*/) override {}
  void attach_refused(const zeps::Invalid& message) override {
    fail("the broker refused: " + std::string(message.reason));
  }
  void session_lost(const zeps::Invalid& message) override {
    fail("the session is lost: " + std::string(message.reason));
  }
  /// A client that lives longer would attach again, and resume after its last sequence.
  void broker_lost(const zeps::Message* /*message*/) override { fail("the broker is lost"); }
  void take_message(const zeps::Deliver& message) override;

  // What the user wants.

  void take(zeps_wire::Octets frame);
  void go_on();
  void publish();
  void insist(zeps_wire::Outcome outcome) {
    if (outcome != zeps_wire::Outcome::taken) {
      fail("the machine does not take this now");
    }
  }
  void fail(const std::string& why) {
    if (!has_failed_) {
      std::cerr << "client: " << why << '\n';
    }
    has_failed_ = true;
  }

  Socket& socket_;
  ClientMachine machine_{*this};
  std::string stream_;
  std::string tag_;  // begins the bodies of this run, so that messages of others are not taken for ours
  std::size_t count_;
  std::size_t received_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t used_ = 0;  // octets of credit since the last grant
  bool is_attached_ = false;
  bool is_subscribed_ = false;
  bool is_closing_ = false;
  bool is_over_ = false;
  bool has_failed_ = false;
};

void Session::take_message(const zeps::Deliver& message) {
  used_ += encoded_size(message);
  if (zeps_wire::text_of(message.body).substr(0, tag_.size()) != tag_) {
    return;
  }
  ++received_;
  if (message.key != std::string(prefix) + std::to_string(received_) || message.sequence <= last_) {
    fail("out of order: " + std::string(message.key));
  }
  first_ = received_ == 1 ? message.sequence : first_;
  last_ = message.sequence;
}

void Session::publish() {
  for (std::size_t number = 1; number <= count_ && !has_failed_; ++number) {
    const std::string key = std::string(prefix) + std::to_string(number);
    const std::string body = tag_ + std::to_string(number);
    insist(machine_.post(key, zeps_wire::octets_of(body)));
  }
}

/// What follows from the actions of the last step.
void Session::go_on() {
  if (is_attached_) {
    is_attached_ = false;
    insist(machine_.follow(prefix, zeps::latest_all));
  }
  if (is_subscribed_) {
    is_subscribed_ = false;
    insist(machine_.grant(window));
    publish();
  }
  if (used_ > window / 2) {
    insist(machine_.grant(used_));
    used_ = 0;
  }
  if (received_ == count_ && !is_closing_ && machine_.state() == State::open) {
    is_closing_ = true;
    insist(machine_.close());
  }
}

void Session::take(zeps_wire::Octets frame) {
  const auto message = zeps::decode(frame);
  insist(message ? machine_.receive(*message) : machine_.malformed());
  if (!is_over_ && !has_failed_) {
    go_on();
  }
}

bool Session::run() {
  insist(machine_.open(stream_));
  for (int silence = 0; !is_over_ && !has_failed_;) {
    Frame frame;
    const Arrival arrival = socket_.receive(frame);
    if (arrival == Arrival::frame) {
      silence = 0;
      take(frame.octets());
    } else if (arrival == Arrival::error || ++silence == silence_max) {
      fail("nothing comes any more");
    } else {
      insist(machine_.heartbeat());
    }
  }
  if (!has_failed_ && received_ != count_) {
    fail("detached before all messages came");
  }
  return !has_failed_;
}

std::optional<std::size_t> parsed(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<std::size_t> count = argc == 4 ? parsed(argv[3]) : std::nullopt;
  if (!count) {
    std::cerr << "usage: client ENDPOINT STREAM COUNT\n";
    return 2;
  }
  Socket socket;
  if (!socket.connect(argv[1])) {
    std::cerr << "client: cannot connect: " << Socket::trouble() << '\n';
    return 1;
  }
  Session session(socket, argv[2], *count);
  if (!session.run()) {
    return 1;
  }
  std::cout << session.report() << '\n';
  return 0;
}
