/// @file
/// What the driver knows of the protocols and machines.
///
/// Generated from the model; edit that instead.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <variant>
#include <vector>

#include "codec.hpp"
#include "driver.hpp"
#include "machine.hpp"
#include "zeps_wire/journal.hpp"
#include "zeps_wire/zeps.hpp"
#include "zeps_wire/zeps_client.hpp"
#include "zeps_wire/zeps_server.hpp"
#include "zeps_wire/zmtp.hpp"
#include "zeps_wire/zmtp_1.hpp"
#include "zeps_wire/zmtp_2.hpp"
#include "zeps_wire/zmtp_frame.hpp"
#include "zeps_wire/zmtp_publisher.hpp"
#include "zeps_wire/zmtp_subscriber.hpp"

namespace zeps_driver {
namespace {

namespace of_journal {

namespace wire = zeps_wire::journal;

struct Codec {
  using Message = wire::Message;

  static void put_values(const Message& message, Answer& answer) {
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Segment>(&message)) {
      answer.put_number(3, 4);
      put<wire::layout::Segment::first_sequence>(answer, one->first_sequence);
      put<wire::layout::Segment::created>(answer, one->created);
      put<wire::layout::Segment::stream>(answer, one->stream);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Block>(&message)) {
      answer.put_number(12, 4);
      put<wire::layout::Block::checksum>(answer, one->checksum);
      put<wire::layout::Block::index_checksum>(answer, one->index_checksum);
      put<wire::layout::Block::first_sequence>(answer, one->first_sequence);
      put<wire::layout::Block::first_time>(answer, one->first_time);
      put<wire::layout::Block::last_time>(answer, one->last_time);
      put<wire::layout::Block::times>(answer, one->times);
      put<wire::layout::Block::ends>(answer, one->ends);
      put<wire::layout::Block::key_numbers>(answer, one->key_numbers);
      put<wire::layout::Block::page_checksums>(answer, one->page_checksums);
      put<wire::layout::Block::key_ends>(answer, one->key_ends);
      put<wire::layout::Block::keys>(answer, one->keys);
      put<wire::layout::Block::frames>(answer, one->frames);
    }
  }

  static Built build(std::string_view name, const std::vector<Value>& values, Message& message,
                     [[maybe_unused]] Storage& storage) {
    if (name == wire::Segment::message_name) {
      if (values.size() != 3) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Segment>();
      const bool fits =
          take<wire::layout::Segment::first_sequence>(values[0], made.first_sequence, storage) &&
          take<wire::layout::Segment::created>(values[1], made.created, storage) &&
          take<wire::layout::Segment::stream>(values[2], made.stream, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::Block::message_name) {
      if (values.size() != 12) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Block>();
      const bool fits = take<wire::layout::Block::checksum>(values[0], made.checksum, storage) &&
                        take<wire::layout::Block::index_checksum>(values[1], made.index_checksum, storage) &&
                        take<wire::layout::Block::first_sequence>(values[2], made.first_sequence, storage) &&
                        take<wire::layout::Block::first_time>(values[3], made.first_time, storage) &&
                        take<wire::layout::Block::last_time>(values[4], made.last_time, storage) &&
                        take<wire::layout::Block::times>(values[5], made.times, storage) &&
                        take<wire::layout::Block::ends>(values[6], made.ends, storage) &&
                        take<wire::layout::Block::key_numbers>(values[7], made.key_numbers, storage) &&
                        take<wire::layout::Block::page_checksums>(values[8], made.page_checksums, storage) &&
                        take<wire::layout::Block::key_ends>(values[9], made.key_ends, storage) &&
                        take<wire::layout::Block::keys>(values[10], made.keys, storage) &&
                        take<wire::layout::Block::frames>(values[11], made.frames, storage);
      return fits ? Built::done : Built::mistyped;
    }
    return Built::unknown;
  }
};

}  // namespace of_journal

namespace of_zeps {

namespace wire = zeps_wire::zeps;

struct Codec {
  using Message = wire::Message;

  static void put_values(const Message& message, Answer& answer) {
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Attach>(&message)) {
      answer.put_number(1, 4);
      put<wire::layout::Attach::stream>(answer, one->stream);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::AttachOk>(&message)) {
      answer.put_number(0, 4);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Subscribe>(&message)) {
      answer.put_number(2, 4);
      put<wire::layout::Subscribe::pattern>(answer, one->pattern);
      put<wire::layout::Subscribe::latest>(answer, one->latest);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::SubscribeOk>(&message)) {
      answer.put_number(0, 4);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Credit>(&message)) {
      answer.put_number(1, 4);
      put<wire::layout::Credit::credit>(answer, one->credit);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Publish>(&message)) {
      answer.put_number(2, 4);
      put<wire::layout::Publish::key>(answer, one->key);
      put<wire::layout::Publish::body>(answer, one->body);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Deliver>(&message)) {
      answer.put_number(3, 4);
      put<wire::layout::Deliver::sequence>(answer, one->sequence);
      put<wire::layout::Deliver::key>(answer, one->key);
      put<wire::layout::Deliver::body>(answer, one->body);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Ping>(&message)) {
      answer.put_number(0, 4);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::PingOk>(&message)) {
      answer.put_number(0, 4);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Detach>(&message)) {
      answer.put_number(0, 4);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::DetachOk>(&message)) {
      answer.put_number(0, 4);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Invalid>(&message)) {
      answer.put_number(1, 4);
      put<wire::layout::Invalid::reason>(answer, one->reason);
    }
  }

  static Built build(std::string_view name, const std::vector<Value>& values, Message& message,
                     [[maybe_unused]] Storage& storage) {
    if (name == wire::Attach::message_name) {
      if (values.size() != 1) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Attach>();
      const bool fits = take<wire::layout::Attach::stream>(values[0], made.stream, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::AttachOk::message_name) {
      if (values.size() != 0) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::AttachOk>();
      return Built::done;
    }
    if (name == wire::Subscribe::message_name) {
      if (values.size() != 2) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Subscribe>();
      const bool fits = take<wire::layout::Subscribe::pattern>(values[0], made.pattern, storage) &&
                        take<wire::layout::Subscribe::latest>(values[1], made.latest, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::SubscribeOk::message_name) {
      if (values.size() != 0) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::SubscribeOk>();
      return Built::done;
    }
    if (name == wire::Credit::message_name) {
      if (values.size() != 1) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Credit>();
      const bool fits = take<wire::layout::Credit::credit>(values[0], made.credit, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::Publish::message_name) {
      if (values.size() != 2) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Publish>();
      const bool fits = take<wire::layout::Publish::key>(values[0], made.key, storage) &&
                        take<wire::layout::Publish::body>(values[1], made.body, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::Deliver::message_name) {
      if (values.size() != 3) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Deliver>();
      const bool fits = take<wire::layout::Deliver::sequence>(values[0], made.sequence, storage) &&
                        take<wire::layout::Deliver::key>(values[1], made.key, storage) &&
                        take<wire::layout::Deliver::body>(values[2], made.body, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::Ping::message_name) {
      if (values.size() != 0) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Ping>();
      return Built::done;
    }
    if (name == wire::PingOk::message_name) {
      if (values.size() != 0) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::PingOk>();
      return Built::done;
    }
    if (name == wire::Detach::message_name) {
      if (values.size() != 0) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Detach>();
      return Built::done;
    }
    if (name == wire::DetachOk::message_name) {
      if (values.size() != 0) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::DetachOk>();
      return Built::done;
    }
    if (name == wire::Invalid::message_name) {
      if (values.size() != 1) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Invalid>();
      const bool fits = take<wire::layout::Invalid::reason>(values[0], made.reason, storage);
      return fits ? Built::done : Built::mistyped;
    }
    return Built::unknown;
  }
};

}  // namespace of_zeps

namespace of_zmtp {

namespace wire = zeps_wire::zmtp;

struct Codec {
  using Message = wire::Message;

  static void put_values(const Message& message, Answer& answer) {
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Greeting>(&message)) {
      answer.put_number(4, 4);
      put<wire::layout::Greeting::major_>(answer, one->major_);
      put<wire::layout::Greeting::minor_>(answer, one->minor_);
      put<wire::layout::Greeting::mechanism>(answer, one->mechanism);
      put<wire::layout::Greeting::as_server>(answer, one->as_server);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Ready>(&message)) {
      answer.put_number(1, 4);
      put<wire::layout::Ready::properties>(answer, one->properties);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Error>(&message)) {
      answer.put_number(1, 4);
      put<wire::layout::Error::reason>(answer, one->reason);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Ping>(&message)) {
      answer.put_number(2, 4);
      put<wire::layout::Ping::ttl>(answer, one->ttl);
      put<wire::layout::Ping::context>(answer, one->context);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Pong>(&message)) {
      answer.put_number(1, 4);
      put<wire::layout::Pong::context>(answer, one->context);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Subscribe>(&message)) {
      answer.put_number(1, 4);
      put<wire::layout::Subscribe::topic>(answer, one->topic);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Cancel>(&message)) {
      answer.put_number(1, 4);
      put<wire::layout::Cancel::topic>(answer, one->topic);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Subscription>(&message)) {
      answer.put_number(1, 4);
      put<wire::layout::Subscription::topic>(answer, one->topic);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Cancellation>(&message)) {
      answer.put_number(1, 4);
      put<wire::layout::Cancellation::topic>(answer, one->topic);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::SubscribeX>(&message)) {
      answer.put_number(2, 4);
      put<wire::layout::SubscribeX::kind>(answer, one->kind);
      put<wire::layout::SubscribeX::filter>(answer, one->filter);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::CancelX>(&message)) {
      answer.put_number(2, 4);
      put<wire::layout::CancelX::kind>(answer, one->kind);
      put<wire::layout::CancelX::filter>(answer, one->filter);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::SubscriptionX>(&message)) {
      answer.put_number(2, 4);
      put<wire::layout::SubscriptionX::kind>(answer, one->kind);
      put<wire::layout::SubscriptionX::filter>(answer, one->filter);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::CancellationX>(&message)) {
      answer.put_number(2, 4);
      put<wire::layout::CancellationX::kind>(answer, one->kind);
      put<wire::layout::CancellationX::filter>(answer, one->filter);
    }
  }

  static Built build(std::string_view name, const std::vector<Value>& values, Message& message,
                     [[maybe_unused]] Storage& storage) {
    if (name == wire::Greeting::message_name) {
      if (values.size() != 4) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Greeting>();
      const bool fits = take<wire::layout::Greeting::major_>(values[0], made.major_, storage) &&
                        take<wire::layout::Greeting::minor_>(values[1], made.minor_, storage) &&
                        take<wire::layout::Greeting::mechanism>(values[2], made.mechanism, storage) &&
                        take<wire::layout::Greeting::as_server>(values[3], made.as_server, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::Ready::message_name) {
      if (values.size() != 1) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Ready>();
      const bool fits = take<wire::layout::Ready::properties>(values[0], made.properties, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::Error::message_name) {
      if (values.size() != 1) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Error>();
      const bool fits = take<wire::layout::Error::reason>(values[0], made.reason, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::Ping::message_name) {
      if (values.size() != 2) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Ping>();
      const bool fits = take<wire::layout::Ping::ttl>(values[0], made.ttl, storage) &&
                        take<wire::layout::Ping::context>(values[1], made.context, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::Pong::message_name) {
      if (values.size() != 1) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Pong>();
      const bool fits = take<wire::layout::Pong::context>(values[0], made.context, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::Subscribe::message_name) {
      if (values.size() != 1) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Subscribe>();
      const bool fits = take<wire::layout::Subscribe::topic>(values[0], made.topic, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::Cancel::message_name) {
      if (values.size() != 1) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Cancel>();
      const bool fits = take<wire::layout::Cancel::topic>(values[0], made.topic, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::Subscription::message_name) {
      if (values.size() != 1) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Subscription>();
      const bool fits = take<wire::layout::Subscription::topic>(values[0], made.topic, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::Cancellation::message_name) {
      if (values.size() != 1) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Cancellation>();
      const bool fits = take<wire::layout::Cancellation::topic>(values[0], made.topic, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::SubscribeX::message_name) {
      if (values.size() != 2) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::SubscribeX>();
      const bool fits = take<wire::layout::SubscribeX::kind>(values[0], made.kind, storage) &&
                        take<wire::layout::SubscribeX::filter>(values[1], made.filter, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::CancelX::message_name) {
      if (values.size() != 2) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::CancelX>();
      const bool fits = take<wire::layout::CancelX::kind>(values[0], made.kind, storage) &&
                        take<wire::layout::CancelX::filter>(values[1], made.filter, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::SubscriptionX::message_name) {
      if (values.size() != 2) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::SubscriptionX>();
      const bool fits = take<wire::layout::SubscriptionX::kind>(values[0], made.kind, storage) &&
                        take<wire::layout::SubscriptionX::filter>(values[1], made.filter, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::CancellationX::message_name) {
      if (values.size() != 2) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::CancellationX>();
      const bool fits = take<wire::layout::CancellationX::kind>(values[0], made.kind, storage) &&
                        take<wire::layout::CancellationX::filter>(values[1], made.filter, storage);
      return fits ? Built::done : Built::mistyped;
    }
    return Built::unknown;
  }
};

}  // namespace of_zmtp

namespace of_zmtp_1 {

namespace wire = zeps_wire::zmtp_1;

struct Codec {
  using Message = wire::Message;

  static void put_values(const Message& message, Answer& answer) {
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Frame>(&message)) {
      answer.put_number(1, 4);
      put<wire::layout::Frame::content>(answer, one->content);
    }
  }

  static Built build(std::string_view name, const std::vector<Value>& values, Message& message,
                     [[maybe_unused]] Storage& storage) {
    if (name == wire::Frame::message_name) {
      if (values.size() != 1) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Frame>();
      const bool fits = take<wire::layout::Frame::content>(values[0], made.content, storage);
      return fits ? Built::done : Built::mistyped;
    }
    return Built::unknown;
  }
};

}  // namespace of_zmtp_1

namespace of_zmtp_2 {

namespace wire = zeps_wire::zmtp_2;

struct Codec {
  using Message = wire::Message;

  static void put_values(const Message& message, Answer& answer) {
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Greeting>(&message)) {
      answer.put_number(2, 4);
      put<wire::layout::Greeting::socket_type>(answer, one->socket_type);
      put<wire::layout::Greeting::identity>(answer, one->identity);
    }
  }

  static Built build(std::string_view name, const std::vector<Value>& values, Message& message,
                     [[maybe_unused]] Storage& storage) {
    if (name == wire::Greeting::message_name) {
      if (values.size() != 2) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Greeting>();
      const bool fits = take<wire::layout::Greeting::socket_type>(values[0], made.socket_type, storage) &&
                        take<wire::layout::Greeting::identity>(values[1], made.identity, storage);
      return fits ? Built::done : Built::mistyped;
    }
    return Built::unknown;
  }
};

}  // namespace of_zmtp_2

namespace of_zmtp_frame {

namespace wire = zeps_wire::zmtp_frame;

struct Codec {
  using Message = wire::Message;

  static void put_values(const Message& message, Answer& answer) {
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Last>(&message)) {
      answer.put_number(1, 4);
      put<wire::layout::Last::body>(answer, one->body);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::More>(&message)) {
      answer.put_number(1, 4);
      put<wire::layout::More::body>(answer, one->body);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::LongLast>(&message)) {
      answer.put_number(1, 4);
      put<wire::layout::LongLast::body>(answer, one->body);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::LongMore>(&message)) {
      answer.put_number(1, 4);
      put<wire::layout::LongMore::body>(answer, one->body);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::Command>(&message)) {
      answer.put_number(1, 4);
      put<wire::layout::Command::body>(answer, one->body);
    }
    if ([[maybe_unused]] const auto* one = std::get_if<wire::LongCommand>(&message)) {
      answer.put_number(1, 4);
      put<wire::layout::LongCommand::body>(answer, one->body);
    }
  }

  static Built build(std::string_view name, const std::vector<Value>& values, Message& message,
                     [[maybe_unused]] Storage& storage) {
    if (name == wire::Last::message_name) {
      if (values.size() != 1) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Last>();
      const bool fits = take<wire::layout::Last::body>(values[0], made.body, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::More::message_name) {
      if (values.size() != 1) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::More>();
      const bool fits = take<wire::layout::More::body>(values[0], made.body, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::LongLast::message_name) {
      if (values.size() != 1) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::LongLast>();
      const bool fits = take<wire::layout::LongLast::body>(values[0], made.body, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::LongMore::message_name) {
      if (values.size() != 1) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::LongMore>();
      const bool fits = take<wire::layout::LongMore::body>(values[0], made.body, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::Command::message_name) {
      if (values.size() != 1) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::Command>();
      const bool fits = take<wire::layout::Command::body>(values[0], made.body, storage);
      return fits ? Built::done : Built::mistyped;
    }
    if (name == wire::LongCommand::message_name) {
      if (values.size() != 1) {
        return Built::miscounted;
      }
      [[maybe_unused]] auto& made = message.emplace<wire::LongCommand>();
      const bool fits = take<wire::layout::LongCommand::body>(values[0], made.body, storage);
      return fits ? Built::done : Built::mistyped;
    }
    return Built::unknown;
  }
};

}  // namespace of_zmtp_frame

namespace of_zeps_client {

namespace wire = zeps_wire::zeps_client;
namespace zeps = zeps_wire::zeps;
namespace kind = zeps_wire::kind;

/// A machine and its host.
struct Runner final : wire::ClientHost {
  using Codec = of_zeps::Codec;

  void send(const zeps::Message& message) override { record.send(message); }
  void attached(const zeps::AttachOk&) override { act("attached"); }
  void attach_refused(const zeps::Invalid&) override { act("attach_refused"); }
  void detached(const zeps::Message*) override { act("detached"); }
  void broker_lost(const zeps::Message*) override { act("broker_lost"); }
  void subscribed(const zeps::SubscribeOk&) override { act("subscribed"); }
  void take_message(const zeps::Deliver&) override { act("take_message"); }
  void answered(const zeps::PingOk&) override { act("answered"); }
  void read_notice(const zeps::Invalid&) override { act("read_notice"); }
  void session_lost() override { act("session_lost"); }
  void refused() override { act("refused"); }

  void act(std::string_view action) {
    if (const auto event = record.act(action)) {
      machine.fail(*event);
    }
  }

  char call(std::string_view name, [[maybe_unused]] const std::vector<Value>& values,
            [[maybe_unused]] Cursor& cursor) {
    [[maybe_unused]] Storage storage;
    if (name == "heartbeat") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.heartbeat());
    }
    if (name == "expired") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.expired());
    }
    if (name == "malformed") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.malformed());
    }
    if (name == "ended") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.ended());
    }
    if (name == "subscribe_refused") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.subscribe_refused());
    }
    if (name == "open") {
      wire::OpenCall call{};
      if (values.size() != 1 ||
          !take<zeps_wire::kind::String<1, zeps_wire::Text::utf8>>(values[0], call.stream, storage)) {
        cursor.fail("a parameter is missing, or of another kind");
        return 'x';
      }
      return letter_of(machine.open(call.stream));
    }
    if (name == "follow") {
      wire::FollowCall call{};
      if (values.size() != 2 ||
          !take<zeps_wire::kind::String<1, zeps_wire::Text::utf8>>(values[0], call.pattern, storage) ||
          !take<zeps_wire::kind::Number<8>>(values[1], call.latest, storage)) {
        cursor.fail("a parameter is missing, or of another kind");
        return 'x';
      }
      return letter_of(machine.follow(call.pattern, call.latest));
    }
    if (name == "grant") {
      wire::GrantCall call{};
      if (values.size() != 1 || !take<zeps_wire::kind::Number<8>>(values[0], call.octets, storage)) {
        cursor.fail("a parameter is missing, or of another kind");
        return 'x';
      }
      return letter_of(machine.grant(call.octets));
    }
    if (name == "post") {
      wire::PostCall call{};
      if (values.size() != 2 ||
          !take<zeps_wire::kind::String<1, zeps_wire::Text::utf8>>(values[0], call.key, storage) ||
          !take<zeps_wire::kind::Chunk<4>>(values[1], call.body, storage)) {
        cursor.fail("a parameter is missing, or of another kind");
        return 'x';
      }
      return letter_of(machine.post(call.key, call.body));
    }
    if (name == "probe") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.probe());
    }
    if (name == "close") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.close());
    }
    return 'x';
  }

  char set([[maybe_unused]] std::string_view name, [[maybe_unused]] const Value& value,
           [[maybe_unused]] Cursor& cursor) {
    if (name == "credit") {
      if (!take_variable(value, machine.credit)) {
        cursor.fail("a variable is of another kind");
      }
      return 'v';
    }
    if (name == "pending") {
      if (!take_variable(value, machine.pending)) {
        cursor.fail("a variable is of another kind");
      }
      return 'v';
    }
    if (name == "unanswered") {
      if (!take_variable(value, machine.unanswered)) {
        cursor.fail("a variable is of another kind");
      }
      return 'v';
    }
    if (name == "unanswered_max") {
      if (!take_variable(value, machine.unanswered_max)) {
        cursor.fail("a variable is of another kind");
      }
      return 'v';
    }
    if (name == "stale") {
      if (!take_variable(value, machine.stale)) {
        cursor.fail("a variable is of another kind");
      }
      return 'v';
    }
    if (name == "stream") {
      if (!take_variable(value, machine.stream)) {
        cursor.fail("a variable is of another kind");
      }
      return 'v';
    }
    return 'x';
  }

  char arm(std::string_view action, std::string_view event) {
    constexpr std::array<std::string_view, 10> actions = {
        "attached",     "attach_refused", "detached",    "broker_lost",  "subscribed",
        "take_message", "answered",       "read_notice", "session_lost", "refused",
    };
    constexpr std::array<std::string_view, 23> events = {
        "ATTACH",
        "ATTACH-OK",
        "SUBSCRIBE",
        "SUBSCRIBE-OK",
        "CREDIT",
        "PUBLISH",
        "DELIVER",
        "PING",
        "PING-OK",
        "DETACH",
        "DETACH-OK",
        "INVALID",
        "heartbeat",
        "expired",
        "malformed",
        "ended",
        "subscribe_refused",
        "open",
        "follow",
        "grant",
        "post",
        "probe",
        "close",
    };
    const auto* named = std::find(events.begin(), events.end(), event);
    if (named == events.end() || std::find(actions.begin(), actions.end(), action) == actions.end()) {
      return 'x';
    }
    record.armed[std::string(action)] = static_cast<wire::Event>(named - events.begin());
    return 'v';
  }

  void put_variables(Answer& answer) const {
    answer.put_number(6, 4);
    put_variable(answer, machine.credit);
    put_variable(answer, machine.pending);
    put_variable(answer, machine.unanswered);
    put_variable(answer, machine.unanswered_max);
    put_variable(answer, machine.stale);
    put_variable(answer, machine.stream);
  }

  Record<wire::Event> record;
  wire::ClientMachine machine{*this};
};

}  // namespace of_zeps_client

namespace of_zeps_server {

namespace wire = zeps_wire::zeps_server;
namespace zeps = zeps_wire::zeps;
namespace kind = zeps_wire::kind;

/// A machine and its host.
struct Runner final : wire::ServerHost {
  using Codec = of_zeps::Codec;

  void send(const zeps::Message& message) override { record.send(message); }
  void open_stream(const zeps::Attach&) override { act("open_stream"); }
  void close_stream(const zeps::Message*) override { act("close_stream"); }
  void check_subscription(const zeps::Subscribe&) override { act("check_subscription"); }
  void add_subscription(const zeps::Subscribe&) override { act("add_subscription"); }
  void use_credit(const zeps::Credit&) override { act("use_credit"); }
  void store_message(const zeps::Publish&) override { act("store_message"); }

  void act(std::string_view action) {
    if (const auto event = record.act(action)) {
      machine.fail(*event);
    }
  }

  char call(std::string_view name, [[maybe_unused]] const std::vector<Value>& values,
            [[maybe_unused]] Cursor& cursor) {
    [[maybe_unused]] Storage storage;
    if (name == "malformed") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.malformed());
    }
    if (name == "attach_refused") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.attach_refused());
    }
    if (name == "subscribe_refused") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.subscribe_refused());
    }
    if (name == "gap") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.gap());
    }
    if (name == "expired") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.expired());
    }
    if (name == "heartbeat") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.heartbeat());
    }
    if (name == "shutdown") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.shutdown());
    }
    if (name == "deliver") {
      zeps::Message message;
      if (!build<Codec>(zeps::Deliver::message_name, values, message, storage, cursor)) {
        return 'x';
      }
      return letter_of(machine.deliver(*std::get_if<zeps::Deliver>(&message)));
    }
    return 'x';
  }

  char set([[maybe_unused]] std::string_view name, [[maybe_unused]] const Value& value,
           [[maybe_unused]] Cursor& cursor) {
    if (name == "credit") {
      if (!take_variable(value, machine.credit)) {
        cursor.fail("a variable is of another kind");
      }
      return 'v';
    }
    if (name == "reason") {
      if (!take_variable(value, machine.reason)) {
        cursor.fail("a variable is of another kind");
      }
      return 'v';
    }
    return 'x';
  }

  char arm(std::string_view action, std::string_view event) {
    constexpr std::array<std::string_view, 6> actions = {
        "open_stream",      "close_stream", "check_subscription",
        "add_subscription", "use_credit",   "store_message",
    };
    constexpr std::array<std::string_view, 20> events = {
        "ATTACH",    "ATTACH-OK", "SUBSCRIBE", "SUBSCRIBE-OK",   "CREDIT",
        "PUBLISH",   "DELIVER",   "PING",      "PING-OK",        "DETACH",
        "DETACH-OK", "INVALID",   "malformed", "attach_refused", "subscribe_refused",
        "gap",       "expired",   "heartbeat", "shutdown",       "deliver",
    };
    const auto* named = std::find(events.begin(), events.end(), event);
    if (named == events.end() || std::find(actions.begin(), actions.end(), action) == actions.end()) {
      return 'x';
    }
    record.armed[std::string(action)] = static_cast<wire::Event>(named - events.begin());
    return 'v';
  }

  void put_variables(Answer& answer) const {
    answer.put_number(2, 4);
    put_variable(answer, machine.credit);
    put_variable(answer, machine.reason);
  }

  Record<wire::Event> record;
  wire::ServerMachine machine{*this};
};

}  // namespace of_zeps_server

namespace of_zmtp_publisher {

namespace wire = zeps_wire::zmtp_publisher;
namespace zmtp = zeps_wire::zmtp;
namespace kind = zeps_wire::kind;

/// A machine and its host.
struct Runner final : wire::ServerHost {
  using Codec = of_zmtp::Codec;

  void send(const zmtp::Message& message) override { record.send(message); }
  void unsendable(const zeps_wire::Error& /*error*/) override { record.unsent(); }
  void check_greeting(const zmtp::Greeting&) override { act("check_greeting"); }
  void ask_for_introduction(const zmtp::Greeting&) override { act("ask_for_introduction"); }
  void close_connection(const zmtp::Message*) override { act("close_connection"); }
  void check_peer(const zmtp::Ready&) override { act("check_peer"); }
  void opened(const zmtp::Ready&) override { act("opened"); }
  void peer_refused(const zmtp::Error&) override { act("peer_refused"); }
  void add_subscription(const zmtp::Message*) override { act("add_subscription"); }
  void remove_subscription(const zmtp::Message*) override { act("remove_subscription"); }

  void act(std::string_view action) {
    if (const auto event = record.act(action)) {
      machine.fail(*event);
    }
  }

  char call(std::string_view name, [[maybe_unused]] const std::vector<Value>& values,
            [[maybe_unused]] Cursor& cursor) {
    [[maybe_unused]] Storage storage;
    if (name == "downgrade") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.downgrade());
    }
    if (name == "connected") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.connected());
    }
    if (name == "introduce") {
      zmtp::Message message;
      if (!build<Codec>(zmtp::Ready::message_name, values, message, storage, cursor)) {
        return 'x';
      }
      return letter_of(machine.introduce(*std::get_if<zmtp::Ready>(&message)));
    }
    if (name == "refused") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.refused());
    }
    if (name == "heartbeat") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.heartbeat());
    }
    if (name == "expired") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.expired());
    }
    if (name == "malformed") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.malformed());
    }
    if (name == "unknown") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.unknown());
    }
    if (name == "disconnected") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.disconnected());
    }
    return 'x';
  }

  char set([[maybe_unused]] std::string_view name, [[maybe_unused]] const Value& value,
           [[maybe_unused]] Cursor& cursor) {
    if (name == "mechanism") {
      if (!take_variable(value, machine.mechanism)) {
        cursor.fail("a variable is of another kind");
      }
      return 'v';
    }
    if (name == "minor") {
      if (!take_variable(value, machine.minor_)) {
        cursor.fail("a variable is of another kind");
      }
      return 'v';
    }
    if (name == "ttl") {
      if (!take_variable(value, machine.ttl)) {
        cursor.fail("a variable is of another kind");
      }
      return 'v';
    }
    if (name == "unanswered") {
      if (!take_variable(value, machine.unanswered)) {
        cursor.fail("a variable is of another kind");
      }
      return 'v';
    }
    if (name == "unanswered_max") {
      if (!take_variable(value, machine.unanswered_max)) {
        cursor.fail("a variable is of another kind");
      }
      return 'v';
    }
    if (name == "reason") {
      if (!take_variable(value, machine.reason)) {
        cursor.fail("a variable is of another kind");
      }
      return 'v';
    }
    return 'x';
  }

  char arm(std::string_view action, std::string_view event) {
    constexpr std::array<std::string_view, 8> actions = {
        "check_greeting", "ask_for_introduction", "close_connection", "check_peer",
        "opened",         "peer_refused",         "add_subscription", "remove_subscription",
    };
    constexpr std::array<std::string_view, 22> events = {
        "GREETING",       "READY",        "ERROR",        "PING",         "PONG",     "SUBSCRIBE",
        "CANCEL",         "SUBSCRIPTION", "CANCELLATION", "SUBSCRIBE-X",  "CANCEL-X", "SUBSCRIPTION-X",
        "CANCELLATION-X", "downgrade",    "connected",    "introduce",    "refused",  "heartbeat",
        "expired",        "malformed",    "unknown",      "disconnected",
    };
    const auto* named = std::find(events.begin(), events.end(), event);
    if (named == events.end() || std::find(actions.begin(), actions.end(), action) == actions.end()) {
      return 'x';
    }
    record.armed[std::string(action)] = static_cast<wire::Event>(named - events.begin());
    return 'v';
  }

  void put_variables(Answer& answer) const {
    answer.put_number(6, 4);
    put_variable(answer, machine.mechanism);
    put_variable(answer, machine.minor_);
    put_variable(answer, machine.ttl);
    put_variable(answer, machine.unanswered);
    put_variable(answer, machine.unanswered_max);
    put_variable(answer, machine.reason);
  }

  Record<wire::Event> record;
  wire::ServerMachine machine{*this};
};

}  // namespace of_zmtp_publisher

namespace of_zmtp_subscriber {

namespace wire = zeps_wire::zmtp_subscriber;
namespace zmtp = zeps_wire::zmtp;
namespace kind = zeps_wire::kind;

/// A machine and its host.
struct Runner final : wire::ClientHost {
  using Codec = of_zmtp::Codec;

  void send(const zmtp::Message& message) override { record.send(message); }
  void unsendable(const zeps_wire::Error& /*error*/) override { record.unsent(); }
  void check_greeting(const zmtp::Greeting&) override { act("check_greeting"); }
  void ask_for_introduction(const zmtp::Greeting&) override { act("ask_for_introduction"); }
  void close_connection(const zmtp::Message*) override { act("close_connection"); }
  void check_peer(const zmtp::Ready&) override { act("check_peer"); }
  void opened(const zmtp::Ready&) override { act("opened"); }
  void peer_refused(const zmtp::Error&) override { act("peer_refused"); }

  void act(std::string_view action) {
    if (const auto event = record.act(action)) {
      machine.fail(*event);
    }
  }

  char call(std::string_view name, [[maybe_unused]] const std::vector<Value>& values,
            [[maybe_unused]] Cursor& cursor) {
    [[maybe_unused]] Storage storage;
    if (name == "downgrade") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.downgrade());
    }
    if (name == "connected") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.connected());
    }
    if (name == "introduce") {
      zmtp::Message message;
      if (!build<Codec>(zmtp::Ready::message_name, values, message, storage, cursor)) {
        return 'x';
      }
      return letter_of(machine.introduce(*std::get_if<zmtp::Ready>(&message)));
    }
    if (name == "refused") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.refused());
    }
    if (name == "heartbeat") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.heartbeat());
    }
    if (name == "expired") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.expired());
    }
    if (name == "malformed") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.malformed());
    }
    if (name == "unknown") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.unknown());
    }
    if (name == "disconnected") {
      if (!values.empty()) {
        cursor.fail("the event has no parameters");
        return 'x';
      }
      return letter_of(machine.disconnected());
    }
    if (name == "subscribe") {
      wire::SubscribeCall call{};
      if (values.size() != 1 || !take<zeps_wire::kind::Chunk<4>>(values[0], call.topic, storage)) {
        cursor.fail("a parameter is missing, or of another kind");
        return 'x';
      }
      return letter_of(machine.subscribe(call.topic));
    }
    if (name == "unsubscribe") {
      wire::UnsubscribeCall call{};
      if (values.size() != 1 || !take<zeps_wire::kind::Chunk<4>>(values[0], call.topic, storage)) {
        cursor.fail("a parameter is missing, or of another kind");
        return 'x';
      }
      return letter_of(machine.unsubscribe(call.topic));
    }
    if (name == "subscribe_filter") {
      wire::SubscribeFilterCall call{};
      if (values.size() != 2 || !take<zeps_wire::kind::Number<1>>(values[0], call.kind, storage) ||
          !take<zeps_wire::kind::Chunk<4>>(values[1], call.octets, storage)) {
        cursor.fail("a parameter is missing, or of another kind");
        return 'x';
      }
      return letter_of(machine.subscribe_filter(call.kind, call.octets));
    }
    if (name == "unsubscribe_filter") {
      wire::UnsubscribeFilterCall call{};
      if (values.size() != 2 || !take<zeps_wire::kind::Number<1>>(values[0], call.kind, storage) ||
          !take<zeps_wire::kind::Chunk<4>>(values[1], call.octets, storage)) {
        cursor.fail("a parameter is missing, or of another kind");
        return 'x';
      }
      return letter_of(machine.unsubscribe_filter(call.kind, call.octets));
    }
    return 'x';
  }

  char set([[maybe_unused]] std::string_view name, [[maybe_unused]] const Value& value,
           [[maybe_unused]] Cursor& cursor) {
    if (name == "mechanism") {
      if (!take_variable(value, machine.mechanism)) {
        cursor.fail("a variable is of another kind");
      }
      return 'v';
    }
    if (name == "minor") {
      if (!take_variable(value, machine.minor_)) {
        cursor.fail("a variable is of another kind");
      }
      return 'v';
    }
    if (name == "peer_minor") {
      if (!take_variable(value, machine.peer_minor)) {
        cursor.fail("a variable is of another kind");
      }
      return 'v';
    }
    if (name == "ttl") {
      if (!take_variable(value, machine.ttl)) {
        cursor.fail("a variable is of another kind");
      }
      return 'v';
    }
    if (name == "unanswered") {
      if (!take_variable(value, machine.unanswered)) {
        cursor.fail("a variable is of another kind");
      }
      return 'v';
    }
    if (name == "unanswered_max") {
      if (!take_variable(value, machine.unanswered_max)) {
        cursor.fail("a variable is of another kind");
      }
      return 'v';
    }
    if (name == "reason") {
      if (!take_variable(value, machine.reason)) {
        cursor.fail("a variable is of another kind");
      }
      return 'v';
    }
    return 'x';
  }

  char arm(std::string_view action, std::string_view event) {
    constexpr std::array<std::string_view, 6> actions = {
        "check_greeting", "ask_for_introduction", "close_connection", "check_peer", "opened", "peer_refused",
    };
    constexpr std::array<std::string_view, 26> events = {
        "GREETING",
        "READY",
        "ERROR",
        "PING",
        "PONG",
        "SUBSCRIBE",
        "CANCEL",
        "SUBSCRIPTION",
        "CANCELLATION",
        "SUBSCRIBE-X",
        "CANCEL-X",
        "SUBSCRIPTION-X",
        "CANCELLATION-X",
        "downgrade",
        "connected",
        "introduce",
        "refused",
        "heartbeat",
        "expired",
        "malformed",
        "unknown",
        "disconnected",
        "subscribe",
        "unsubscribe",
        "subscribe_filter",
        "unsubscribe_filter",
    };
    const auto* named = std::find(events.begin(), events.end(), event);
    if (named == events.end() || std::find(actions.begin(), actions.end(), action) == actions.end()) {
      return 'x';
    }
    record.armed[std::string(action)] = static_cast<wire::Event>(named - events.begin());
    return 'v';
  }

  void put_variables(Answer& answer) const {
    answer.put_number(7, 4);
    put_variable(answer, machine.mechanism);
    put_variable(answer, machine.minor_);
    put_variable(answer, machine.peer_minor);
    put_variable(answer, machine.ttl);
    put_variable(answer, machine.unanswered);
    put_variable(answer, machine.unanswered_max);
    put_variable(answer, machine.reason);
  }

  Record<wire::Event> record;
  wire::ClientMachine machine{*this};
};

}  // namespace of_zmtp_subscriber

constexpr std::array<ProtocolEntry, 6> all_protocols = {{
    {"journal", &decode_answer<of_journal::Codec>, &encode_answer<of_journal::Codec>},
    {"zeps", &decode_answer<of_zeps::Codec>, &encode_answer<of_zeps::Codec>},
    {"zmtp", &decode_answer<of_zmtp::Codec>, &encode_answer<of_zmtp::Codec>},
    {"zmtp_1", &decode_answer<of_zmtp_1::Codec>, &encode_answer<of_zmtp_1::Codec>},
    {"zmtp_2", &decode_answer<of_zmtp_2::Codec>, &encode_answer<of_zmtp_2::Codec>},
    {"zmtp_frame", &decode_answer<of_zmtp_frame::Codec>, &encode_answer<of_zmtp_frame::Codec>},
}};

constexpr std::array<MachineEntry, 4> all_machines = {{
    {"zeps_client", &machine_answer<of_zeps_client::Runner>},
    {"zeps_server", &machine_answer<of_zeps_server::Runner>},
    {"zmtp_publisher", &machine_answer<of_zmtp_publisher::Runner>},
    {"zmtp_subscriber", &machine_answer<of_zmtp_subscriber::Runner>},
}};

}  // namespace

zeps_wire::Span<const ProtocolEntry> protocols() noexcept { return all_protocols; }

zeps_wire::Span<const MachineEntry> machines() noexcept { return all_machines; }

}  // namespace zeps_driver
