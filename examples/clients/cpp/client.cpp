/// @file
/// client ENDPOINT STREAM COUNT [PATTERN [LATEST]]: attach to a stream, subscribe to PATTERN (demo/) from LATEST (0)
/// on, publish COUNT messages, receive them all back, detach.
///
/// The machine decides which messages a client may send and when; a session is its host. It owns the socket and the
/// clock. Actions only set flags for further steps, which are taken after the machine has finished its step.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "socket.hpp"
#include "zeps_wire/zeps_client.hpp"

namespace {

namespace zeps = zeps_wire::zeps;
using zeps::OpenCode;
using zeps_wire::zeps_client::ClientHost;
using zeps_wire::zeps_client::ClientMachine;
using zeps_wire::zeps_client::InternalEvent;
using zeps_wire::zeps_client::State;

constexpr std::string_view prefix = "demo/";
constexpr std::uint64_t window = 65536;
constexpr int silence_max = 30;
constexpr int answer_max = 3;

std::uint64_t parsed_or_zero(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// An INVALID's reason: `code [SP first SP last] SP text`.
struct Notice {
  Notice() = default;
  explicit Notice(std::string_view reason) : text(reason) {
    const std::size_t second = reason.find(' ');
    code = reason.substr(0, second);
    if (second != std::string_view::npos) {
      const std::string_view numbers = reason.substr(second + 1);
      first = parsed_or_zero(numbers);
      last = parsed_or_zero(numbers.substr(std::min(numbers.find(' '), numbers.size() - 1) + 1));
    }
  }

  [[nodiscard]] bool is_gap() const { return code == OpenCode::retention || code == OpenCode::damage; }
  [[nodiscard]] bool is_refusal() const {
    return code == OpenCode::bad_pattern || code == OpenCode::too_many_subscriptions ||
           code == OpenCode::not_retained || code == OpenCode::beyond_end;
  }

  std::string text;
  std::string code;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// Arguments of the command line.
struct Options {
  std::string endpoint;
  std::string stream;
  std::uint64_t count = 0;
  std::string pattern{prefix};
  std::uint64_t latest = 0;
};

class Session final : public ClientHost {
 public:
  explicit Session(Options options) : options_(std::move(options)) {
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    tag_ = std::to_string(now) + ' ' + std::to_string(getpid()) + ' ';
  }

  /// Receives until the session is over; sends PING if the broker is silent. Returns whether the run succeeded.
  bool run();

  [[nodiscard]] std::string report() const {
    return "received " + std::to_string(received_) + " messages, sequences " + std::to_string(first_) + ".." +
           std::to_string(last_);
  }

 private:
  // Actions of the machine.

  void send(const zeps::Message& message) override {
    zeps_wire::Error error;
    if (!check(message, error)) {
      fail("a message cannot be encoded: " + describe(error));
    } else if (!socket_->send(message, encoded_size(message))) {
      fail("cannot send: " + Socket::last_error());
    }
  }
  void attached(const zeps::AttachOk& /*message*/) override { is_to_subscribe_ = true; }
  void subscribed(const zeps::SubscribeOk& /*message*/) override { is_subscribed_ = true; }
  void detached(const zeps::Message* /*message*/) override { is_over_ = true; }
  void answered(const zeps::PingOk& /*message*/) override {}
  void attach_refused(const zeps::Invalid& message) override {
    fail("the broker refused: " + std::string(message.reason));
  }
  void read_notice(const zeps::Invalid& message) override;
  void refused() override;
  /// The machine attaches again, over the same socket.
  void session_lost() override {
    std::cerr << "client: the session is lost: " << notice_.text << '\n';
    forget_steps();
  }
  void broker_lost(const zeps::Message* /*message*/) override {
    std::cerr << "client: the broker is lost\n";
    forget_steps();
    is_lost_ = true;
  }
  void take_message(const zeps::Deliver& message) override;

  // Steps of the client.

  void attach();
  void miss();
  void forget_steps() { is_to_subscribe_ = is_subscribed_ = is_closing_ = false; }
  void take(zeps_wire::Octets frame);
  void go_on();
  void publish();
  void insist(zeps_wire::Outcome outcome) {
    if (outcome != zeps_wire::Outcome::taken) {
      fail("the machine does not accept this event in its present state");
    }
  }
  void fail(const std::string& why) {
    if (!has_failed_) {
      std::cerr << "client: " << why << '\n';
    }
    has_failed_ = true;
  }

  // latest: last sequence that was delivered or is lost; subscribing resumes after it
  Options options_;
  std::unique_ptr<Socket> socket_;
  ClientMachine machine_{*this};
  std::string tag_;           // prefix of this run's bodies; messages of other clients do not have it
  Notice notice_;             // the last one
  std::uint64_t number_ = 0;  // of the last own message that was received back
  std::uint64_t received_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t used_ = 0;  // bytes of credit used since the last grant
  int waited_ = 0;          // number of receive timeouts while waiting for an answer
  bool has_gap_ = false;    // since the last own message
  bool is_lost_ = false;    // a new connection is needed
  bool is_to_subscribe_ = false;
  bool is_subscribed_ = false;
  bool is_closing_ = false;
  bool is_over_ = false;
  bool has_failed_ = false;
};

/// Handles INVALID by its code: a gap, a refused SUBSCRIBE, another notice, or the end of the session.
void Session::read_notice(const zeps::Invalid& message) {
  notice_ = Notice(message.reason);
  if (notice_.is_gap()) {
    miss();
  } else if (notice_.is_refusal()) {
    machine_.fail(InternalEvent::on_subscribe_refused);
  } else if (zeps::is_open_code(notice_.code)) {
    std::cerr << "client: notice from the broker: " << notice_.text << '\n';
  } else {  // also for an unknown code (ZEPS-INVALID-6)
    machine_.fail(InternalEvent::on_ended);
  }
}

/// Subscribes again with a request that the broker accepts.
void Session::refused() {
  is_to_subscribe_ = true;
  if (notice_.code == OpenCode::not_retained) {
    miss();
  } else if (notice_.code == OpenCode::beyond_end) {
    options_.latest = notice_.first - 1;
    std::cout << "reset " << options_.latest << '\n';
  } else if (!options_.pattern.empty()) {
    std::cout << "refused " << options_.pattern << ": " << notice_.text << '\n';
    options_.pattern.clear();  // matches every key
  } else {
    fail("the broker refused: " + notice_.text);
  }
}

void Session::miss() {
  std::cout << "missing " << notice_.first << ' ' << notice_.last << ' ' << notice_.code << '\n';
  options_.latest =
      options_.latest == zeps::latest_new ? notice_.last : std::max(options_.latest, notice_.last);
  has_gap_ = true;
}

void Session::take_message(const zeps::Deliver& message) {
  used_ += encoded_size(message);
  if (options_.latest != zeps::latest_new && message.sequence <= options_.latest) {
    fail("sequences do not ascend: " + std::string(message.key));
  }
  options_.latest = message.sequence;
  const std::string_view body = zeps_wire::text_of(message.body);
  if (body.substr(0, tag_.size()) != tag_) {
    return;
  }
  const std::uint64_t number = parsed_or_zero(body.substr(tag_.size()));
  if (number <= number_) {
    return;  // a duplicate: published again after the session was lost
  }
  if (number > number_ + 1 && !has_gap_) {
    fail("out of order: " + std::string(message.key));
  }
  number_ = number;
  has_gap_ = false;
  first_ = received_ == 0 ? message.sequence : first_;
  last_ = message.sequence;
  ++received_;
}

/// Attaches over a new connection: data that is queued in the old one does not reach the new session.
void Session::attach() {
  if (socket_) {
    socket_->drop();
  }
  socket_ = std::make_unique<Socket>();
  is_lost_ = false;
  waited_ = 0;
  if (!socket_->connect(options_.endpoint)) {
    fail("cannot connect: " + Socket::last_error());
  } else {
    insist(machine_.open(options_.stream));
  }
}

/// Publishes the messages that were not received back yet.
void Session::publish() {
  for (std::uint64_t number = number_ + 1; number <= options_.count && !has_failed_; ++number) {
    const std::string key = std::string(prefix) + std::to_string(number);
    const std::string body = tag_ + std::to_string(number);
    insist(machine_.post(key, zeps_wire::octets_of(body)));
  }
}

/// Performs the steps that the machine's actions have queued.
void Session::go_on() {
  if (is_lost_) {
    attach();
  }
  if (is_to_subscribe_) {
    is_to_subscribe_ = false;
    insist(machine_.follow(options_.pattern, options_.latest));
  }
  if (is_subscribed_) {
    is_subscribed_ = false;
    used_ = 0;
    insist(machine_.grant(window));
    publish();
  }
  if (used_ > window / 2) {
    insist(machine_.grant(used_));
    used_ = 0;
  }
  if (number_ == options_.count && !is_closing_ && machine_.state() == State::open) {
    is_closing_ = true;
    insist(machine_.close());
  }
}

void Session::take(zeps_wire::Octets frame) {
  const auto message = zeps::decode(frame);
  insist(message ? machine_.receive(*message) : machine_.malformed());
}

bool Session::run() {
  attach();
  for (int silence = 0; !is_over_ && !has_failed_;) {
    Frame frame;
    const Arrival arrival = socket_->receive(frame);
    if (arrival == Arrival::frame) {
      silence = waited_ = 0;
      take(frame.octets());
    } else if (arrival == Arrival::error || ++silence == silence_max) {
      fail("the broker does not answer");
    } else if (machine_.state() == State::open || ++waited_ < answer_max) {
      insist(machine_.heartbeat());
    } else {
      insist(machine_.expired());
    }
    if (!is_over_ && !has_failed_) {
      go_on();
    }
  }
  if (!has_failed_ && number_ != options_.count) {
    fail("detached before all messages were received");
  }
  return !has_failed_;
}

std::optional<std::uint64_t> parsed(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<std::uint64_t> count = argc >= 4 && argc <= 6 ? parsed(argv[3]) : std::nullopt;
  const std::optional<std::uint64_t> latest = argc == 6 ? parsed(argv[5]) : 0;
  if (!count || !latest) {
    std::cerr << "usage: client ENDPOINT STREAM COUNT [PATTERN [LATEST]]\n";
    return 2;
  }
  std::cout << std::unitbuf;  // a reader of a pipe learns of a gap at once
  Options options{argv[1], argv[2], *count, argc > 4 ? argv[4] : std::string(prefix), *latest};
  Session session(std::move(options));
  if (!session.run()) {
    return 1;
  }
  std::cout << session.report() << '\n';
  return 0;
}
