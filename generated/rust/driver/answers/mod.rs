//! Answers the driver's requests: the models' names on one side, the crate's types on the other.

// a model may have only one of a kind, or none
#![allow(clippy::match_single_binding)]

mod fields;
mod lists;
mod request;
mod runner;

use fields::{Doubts, Fields};
use request::{member, not_decoded, not_encoded, Cursor, Refusal, Value, Values};
use request::{put_blob, put_count, put_name, refused};
use runner::{called, run, Recorder, Runner};
use zeps_wire::journal;
use zeps_wire::zeps;
use zeps_wire::zeps_client;
use zeps_wire::zeps_server;
use zeps_wire::zmtp;
use zeps_wire::zmtp_1;
use zeps_wire::zmtp_2;
use zeps_wire::zmtp_frame;
use zeps_wire::zmtp_publisher;
use zeps_wire::zmtp_subscriber;
use zeps_wire::{list, list::ListBuf, Encode};
use zeps_wire::{EncodeError, MachineError};

/// The answer to one request, without the lengths of the frames around them.
pub fn handle(request: &[u8]) -> Vec<u8> {
    let mut cursor = Cursor::new(request);
    answer(&mut cursor).unwrap_or_else(|refusal| refused(&refusal))
}

fn answer(cursor: &mut Cursor<'_>) -> Result<Vec<u8>, Refusal> {
    match cursor.octet()? {
        b'I' => {
            cursor.end()?;
            Ok(info())
        }
        b'D' => {
            let (protocol, frame) = (cursor.name()?, cursor.blob()?);
            cursor.end()?;
            match protocol {
                "journal" => decode_journal(frame),
                "zeps" => decode_zeps(frame),
                "zmtp" => decode_zmtp(frame),
                "zmtp_1" => decode_zmtp_1(frame),
                "zmtp_2" => decode_zmtp_2(frame),
                "zmtp_frame" => decode_zmtp_frame(frame),
                _ => Err(format!("no protocol is called {protocol}")),
            }
        }
        b'E' => {
            let (protocol, message, values) = (cursor.name()?, cursor.name()?, cursor.values()?);
            cursor.end()?;
            match protocol {
                "journal" => encode_journal(message, &values),
                "zeps" => encode_zeps(message, &values),
                "zmtp" => encode_zmtp(message, &values),
                "zmtp_1" => encode_zmtp_1(message, &values),
                "zmtp_2" => encode_zmtp_2(message, &values),
                "zmtp_frame" => encode_zmtp_frame(message, &values),
                _ => Err(format!("no protocol is called {protocol}")),
            }
        }
        b'M' => match cursor.name()? {
            "zeps_client" => run(Runner0(zeps_client::Machine::new(Recorder::new())), cursor),
            "zeps_server" => run(Runner1(zeps_server::Machine::new(Recorder::new())), cursor),
            "zmtp_publisher" => run(
                Runner2(zmtp_publisher::Machine::new(Recorder::new())),
                cursor,
            ),
            "zmtp_subscriber" => run(
                Runner3(zmtp_subscriber::Machine::new(Recorder::new())),
                cursor,
            ),
            name => Err(format!("no machine is called {name}")),
        },
        other => Err(format!("no request begins with {other:#04x}")),
    }
}

fn info() -> Vec<u8> {
    let mut answer = vec![b'I'];
    put_name(&mut answer, "rust");
    let names: &[&str] = &[
        "journal",
        "zeps",
        "zmtp",
        "zmtp_1",
        "zmtp_2",
        "zmtp_frame",
        "zeps_client",
        "zeps_server",
        "zmtp_publisher",
        "zmtp_subscriber",
    ];
    put_count(&mut answer, names.len());
    names.iter().for_each(|name| put_name(&mut answer, name));
    answer
}

fn decode_journal(frame: &[u8]) -> Result<Vec<u8>, Refusal> {
    let message = match journal::decode(frame) {
        Ok(message) => message,
        Err(error) => return Ok(not_decoded(error)),
    };
    let mut values = Values::default();
    let again = match message {
        journal::Message::Segment(message) => {
            values.put(message.first_sequence);
            values.put(message.created);
            values.put(message.stream);
            message.encode()
        }
        journal::Message::Block(message) => {
            values.put(message.checksum);
            values.put(message.index_checksum);
            values.put(message.first_sequence);
            values.put(message.first_time);
            values.put(message.last_time);
            values.put(message.times);
            values.put(message.ends);
            values.put(message.key_numbers);
            values.put(message.page_checksums);
            values.put(message.key_ends);
            values.put(message.keys);
            values.put(message.frames);
            message.encode()
        }
    };
    let frame = again.map_err(|error| format!("what was decoded cannot be encoded: {error}"))?;
    let mut answer = vec![b'+'];
    put_name(&mut answer, message.name());
    put_count(&mut answer, values.count);
    answer.extend_from_slice(&values.octets);
    put_blob(&mut answer, &frame);
    Ok(answer)
}

fn encode_journal(name: &str, values: &[Value<'_>]) -> Result<Vec<u8>, Refusal> {
    let encoded = build_journal(name, values, |message, doubts| {
        doubts.settle(message.encode())
    });
    let error = match encoded {
        Ok(Ok(frame)) => {
            let mut answer = vec![b'+'];
            put_blob(&mut answer, &frame);
            return Ok(answer);
        }
        Ok(Err(error)) => error,
        Err(refusal) => return Err(refusal),
    };
    Ok(not_encoded(error))
}

/// Hand the message of that name with these values to `then`, with what its numbers could not hold.
fn build_journal<R>(
    name: &str,
    values: &[Value<'_>],
    then: impl FnOnce(journal::Message<'_>, Doubts) -> R,
) -> Result<R, Refusal> {
    match name {
        "SEGMENT" => {
            let mut fields = Fields::new("SEGMENT", values, 3)?;
            let field_0 = fields.number("first_sequence")?;
            let field_1 = fields.number("created")?;
            let field_2 = fields.text("stream")?;
            let doubts = fields.doubts();
            Ok(then(
                journal::Message::Segment(journal::Segment {
                    first_sequence: field_0,
                    created: field_1,
                    stream: &field_2,
                }),
                doubts,
            ))
        }
        "BLOCK" => {
            let mut fields = Fields::new("BLOCK", values, 12)?;
            let field_0 = fields.number("checksum")?;
            let field_1 = fields.number("index_checksum")?;
            let field_2 = fields.number("first_sequence")?;
            let field_3 = fields.number("first_time")?;
            let field_4 = fields.number("last_time")?;
            let field_5: ListBuf<list::U64> = fields.list("times")?;
            let field_6: ListBuf<list::U32> = fields.list("ends")?;
            let field_7: ListBuf<list::U16> = fields.list("key_numbers")?;
            let field_8: ListBuf<list::U32> = fields.list("page_checksums")?;
            let field_9: ListBuf<list::U32> = fields.list("key_ends")?;
            let field_10 = fields.octets("keys")?;
            let field_11 = fields.octets("frames")?;
            fields.agree("ends", field_6.as_list().len(), field_5.as_list().len());
            fields.agree(
                "key_numbers",
                field_7.as_list().len(),
                field_5.as_list().len(),
            );
            let doubts = fields.doubts();
            Ok(then(
                journal::Message::Block(journal::Block {
                    checksum: field_0,
                    index_checksum: field_1,
                    first_sequence: field_2,
                    first_time: field_3,
                    last_time: field_4,
                    times: field_5.as_list(),
                    ends: field_6.as_list(),
                    key_numbers: field_7.as_list(),
                    page_checksums: field_8.as_list(),
                    key_ends: field_9.as_list(),
                    keys: field_10,
                    frames: field_11,
                }),
                doubts,
            ))
        }
        _ => Err(format!("no message is called {name}")),
    }
}

fn decode_zeps(frame: &[u8]) -> Result<Vec<u8>, Refusal> {
    let message = match zeps::decode(frame) {
        Ok(message) => message,
        Err(error) => return Ok(not_decoded(error)),
    };
    let mut values = Values::default();
    let again = match message {
        zeps::Message::Attach(message) => {
            values.put(message.stream);
            message.encode()
        }
        zeps::Message::AttachOk(message) => message.encode(),
        zeps::Message::Subscribe(message) => {
            values.put(message.pattern);
            values.put(message.latest);
            message.encode()
        }
        zeps::Message::SubscribeOk(message) => message.encode(),
        zeps::Message::Credit(message) => {
            values.put(message.credit);
            message.encode()
        }
        zeps::Message::Publish(message) => {
            values.put(message.key);
            values.put(message.body);
            message.encode()
        }
        zeps::Message::Deliver(message) => {
            values.put(message.sequence);
            values.put(message.key);
            values.put(message.body);
            message.encode()
        }
        zeps::Message::Ping(message) => message.encode(),
        zeps::Message::PingOk(message) => message.encode(),
        zeps::Message::Detach(message) => message.encode(),
        zeps::Message::DetachOk(message) => message.encode(),
        zeps::Message::Invalid(message) => {
            values.put(message.reason);
            message.encode()
        }
    };
    let frame = again.map_err(|error| format!("what was decoded cannot be encoded: {error}"))?;
    let mut answer = vec![b'+'];
    put_name(&mut answer, message.name());
    put_count(&mut answer, values.count);
    answer.extend_from_slice(&values.octets);
    put_blob(&mut answer, &frame);
    Ok(answer)
}

fn encode_zeps(name: &str, values: &[Value<'_>]) -> Result<Vec<u8>, Refusal> {
    let encoded = build_zeps(name, values, |message, doubts| {
        doubts.settle(message.encode())
    });
    let error = match encoded {
        Ok(Ok(frame)) => {
            let mut answer = vec![b'+'];
            put_blob(&mut answer, &frame);
            return Ok(answer);
        }
        Ok(Err(error)) => error,
        Err(refusal) => return Err(refusal),
    };
    Ok(not_encoded(error))
}

/// Hand the message of that name with these values to `then`, with what its numbers could not hold.
fn build_zeps<R>(
    name: &str,
    values: &[Value<'_>],
    then: impl FnOnce(zeps::Message<'_>, Doubts) -> R,
) -> Result<R, Refusal> {
    match name {
        "ATTACH" => {
            let mut fields = Fields::new("ATTACH", values, 1)?;
            let field_0 = fields.text("stream")?;
            let doubts = fields.doubts();
            Ok(then(
                zeps::Message::Attach(zeps::Attach { stream: &field_0 }),
                doubts,
            ))
        }
        "ATTACH-OK" => {
            let fields = Fields::new("ATTACH-OK", values, 0)?;
            let doubts = fields.doubts();
            Ok(then(zeps::Message::AttachOk(zeps::AttachOk), doubts))
        }
        "SUBSCRIBE" => {
            let mut fields = Fields::new("SUBSCRIBE", values, 2)?;
            let field_0 = fields.text("pattern")?;
            let field_1 = fields.number("latest")?;
            let doubts = fields.doubts();
            Ok(then(
                zeps::Message::Subscribe(zeps::Subscribe {
                    pattern: &field_0,
                    latest: field_1,
                }),
                doubts,
            ))
        }
        "SUBSCRIBE-OK" => {
            let fields = Fields::new("SUBSCRIBE-OK", values, 0)?;
            let doubts = fields.doubts();
            Ok(then(zeps::Message::SubscribeOk(zeps::SubscribeOk), doubts))
        }
        "CREDIT" => {
            let mut fields = Fields::new("CREDIT", values, 1)?;
            let field_0 = fields.number("credit")?;
            let doubts = fields.doubts();
            Ok(then(
                zeps::Message::Credit(zeps::Credit { credit: field_0 }),
                doubts,
            ))
        }
        "PUBLISH" => {
            let mut fields = Fields::new("PUBLISH", values, 2)?;
            let field_0 = fields.text("key")?;
            let field_1 = fields.octets("body")?;
            let doubts = fields.doubts();
            Ok(then(
                zeps::Message::Publish(zeps::Publish {
                    key: &field_0,
                    body: field_1,
                }),
                doubts,
            ))
        }
        "DELIVER" => {
            let mut fields = Fields::new("DELIVER", values, 3)?;
            let field_0 = fields.number("sequence")?;
            let field_1 = fields.text("key")?;
            let field_2 = fields.octets("body")?;
            let doubts = fields.doubts();
            Ok(then(
                zeps::Message::Deliver(zeps::Deliver {
                    sequence: field_0,
                    key: &field_1,
                    body: field_2,
                }),
                doubts,
            ))
        }
        "PING" => {
            let fields = Fields::new("PING", values, 0)?;
            let doubts = fields.doubts();
            Ok(then(zeps::Message::Ping(zeps::Ping), doubts))
        }
        "PING-OK" => {
            let fields = Fields::new("PING-OK", values, 0)?;
            let doubts = fields.doubts();
            Ok(then(zeps::Message::PingOk(zeps::PingOk), doubts))
        }
        "DETACH" => {
            let fields = Fields::new("DETACH", values, 0)?;
            let doubts = fields.doubts();
            Ok(then(zeps::Message::Detach(zeps::Detach), doubts))
        }
        "DETACH-OK" => {
            let fields = Fields::new("DETACH-OK", values, 0)?;
            let doubts = fields.doubts();
            Ok(then(zeps::Message::DetachOk(zeps::DetachOk), doubts))
        }
        "INVALID" => {
            let mut fields = Fields::new("INVALID", values, 1)?;
            let field_0 = fields.text("reason")?;
            let doubts = fields.doubts();
            Ok(then(
                zeps::Message::Invalid(zeps::Invalid { reason: &field_0 }),
                doubts,
            ))
        }
        _ => Err(format!("no message is called {name}")),
    }
}

fn decode_zmtp(frame: &[u8]) -> Result<Vec<u8>, Refusal> {
    let message = match zmtp::decode(frame) {
        Ok(message) => message,
        Err(error) => return Ok(not_decoded(error)),
    };
    let mut values = Values::default();
    let again = match message {
        zmtp::Message::Greeting(message) => {
            values.put(message.major);
            values.put(message.minor);
            values.put(message.mechanism);
            values.put(message.as_server);
            message.encode()
        }
        zmtp::Message::Ready(message) => {
            values.put_hash(message.properties);
            message.encode()
        }
        zmtp::Message::Error(message) => {
            values.put_text(message.reason);
            message.encode()
        }
        zmtp::Message::Ping(message) => {
            values.put(message.ttl);
            values.put(message.context);
            message.encode()
        }
        zmtp::Message::Pong(message) => {
            values.put(message.context);
            message.encode()
        }
        zmtp::Message::Subscribe(message) => {
            values.put(message.topic);
            message.encode()
        }
        zmtp::Message::Cancel(message) => {
            values.put(message.topic);
            message.encode()
        }
        zmtp::Message::Subscription(message) => {
            values.put(message.topic);
            message.encode()
        }
        zmtp::Message::Cancellation(message) => {
            values.put(message.topic);
            message.encode()
        }
        zmtp::Message::SubscribeX(message) => {
            values.put(message.kind);
            values.put(message.filter);
            message.encode()
        }
        zmtp::Message::CancelX(message) => {
            values.put(message.kind);
            values.put(message.filter);
            message.encode()
        }
        zmtp::Message::SubscriptionX(message) => {
            values.put(message.kind);
            values.put(message.filter);
            message.encode()
        }
        zmtp::Message::CancellationX(message) => {
            values.put(message.kind);
            values.put(message.filter);
            message.encode()
        }
    };
    let frame = again.map_err(|error| format!("what was decoded cannot be encoded: {error}"))?;
    let mut answer = vec![b'+'];
    put_name(&mut answer, message.name());
    put_count(&mut answer, values.count);
    answer.extend_from_slice(&values.octets);
    put_blob(&mut answer, &frame);
    Ok(answer)
}

fn encode_zmtp(name: &str, values: &[Value<'_>]) -> Result<Vec<u8>, Refusal> {
    let encoded = build_zmtp(name, values, |message, doubts| {
        doubts.settle(message.encode())
    });
    let error = match encoded {
        Ok(Ok(frame)) => {
            let mut answer = vec![b'+'];
            put_blob(&mut answer, &frame);
            return Ok(answer);
        }
        Ok(Err(error)) => error,
        Err(refusal) => return Err(refusal),
    };
    Ok(not_encoded(error))
}

/// Hand the message of that name with these values to `then`, with what its numbers could not hold.
fn build_zmtp<R>(
    name: &str,
    values: &[Value<'_>],
    then: impl FnOnce(zmtp::Message<'_>, Doubts) -> R,
) -> Result<R, Refusal> {
    match name {
        "GREETING" => {
            let mut fields = Fields::new("GREETING", values, 4)?;
            let field_0 = fields.number("major")?;
            let field_1 = fields.number("minor")?;
            let field_2 = fields.fixed("mechanism")?;
            let field_3 = fields.number("as_server")?;
            let doubts = fields.doubts();
            Ok(then(
                zmtp::Message::Greeting(zmtp::Greeting {
                    major: field_0,
                    minor: field_1,
                    mechanism: field_2,
                    as_server: field_3,
                }),
                doubts,
            ))
        }
        "READY" => {
            let mut fields = Fields::new("READY", values, 1)?;
            let field_0: ListBuf<list::Pair<list::Octets<1>, list::Octets<4>>> =
                fields.hash("properties")?;
            let doubts = fields.doubts();
            Ok(then(
                zmtp::Message::Ready(zmtp::Ready {
                    properties: field_0.as_list(),
                }),
                doubts,
            ))
        }
        "ERROR" => {
            let mut fields = Fields::new("ERROR", values, 1)?;
            let field_0 = fields.text_octets("reason")?;
            let doubts = fields.doubts();
            Ok(then(
                zmtp::Message::Error(zmtp::Error { reason: field_0 }),
                doubts,
            ))
        }
        "PING" => {
            let mut fields = Fields::new("PING", values, 2)?;
            let field_0 = fields.number("ttl")?;
            let field_1 = fields.octets("context")?;
            let doubts = fields.doubts();
            Ok(then(
                zmtp::Message::Ping(zmtp::Ping {
                    ttl: field_0,
                    context: field_1,
                }),
                doubts,
            ))
        }
        "PONG" => {
            let mut fields = Fields::new("PONG", values, 1)?;
            let field_0 = fields.octets("context")?;
            let doubts = fields.doubts();
            Ok(then(
                zmtp::Message::Pong(zmtp::Pong { context: field_0 }),
                doubts,
            ))
        }
        "SUBSCRIBE" => {
            let mut fields = Fields::new("SUBSCRIBE", values, 1)?;
            let field_0 = fields.octets("topic")?;
            let doubts = fields.doubts();
            Ok(then(
                zmtp::Message::Subscribe(zmtp::Subscribe { topic: field_0 }),
                doubts,
            ))
        }
        "CANCEL" => {
            let mut fields = Fields::new("CANCEL", values, 1)?;
            let field_0 = fields.octets("topic")?;
            let doubts = fields.doubts();
            Ok(then(
                zmtp::Message::Cancel(zmtp::Cancel { topic: field_0 }),
                doubts,
            ))
        }
        "SUBSCRIPTION" => {
            let mut fields = Fields::new("SUBSCRIPTION", values, 1)?;
            let field_0 = fields.octets("topic")?;
            let doubts = fields.doubts();
            Ok(then(
                zmtp::Message::Subscription(zmtp::Subscription { topic: field_0 }),
                doubts,
            ))
        }
        "CANCELLATION" => {
            let mut fields = Fields::new("CANCELLATION", values, 1)?;
            let field_0 = fields.octets("topic")?;
            let doubts = fields.doubts();
            Ok(then(
                zmtp::Message::Cancellation(zmtp::Cancellation { topic: field_0 }),
                doubts,
            ))
        }
        "SUBSCRIBE-X" => {
            let mut fields = Fields::new("SUBSCRIBE-X", values, 2)?;
            let field_0 = fields.number("kind")?;
            let field_1 = fields.octets("filter")?;
            let doubts = fields.doubts();
            Ok(then(
                zmtp::Message::SubscribeX(zmtp::SubscribeX {
                    kind: field_0,
                    filter: field_1,
                }),
                doubts,
            ))
        }
        "CANCEL-X" => {
            let mut fields = Fields::new("CANCEL-X", values, 2)?;
            let field_0 = fields.number("kind")?;
            let field_1 = fields.octets("filter")?;
            let doubts = fields.doubts();
            Ok(then(
                zmtp::Message::CancelX(zmtp::CancelX {
                    kind: field_0,
                    filter: field_1,
                }),
                doubts,
            ))
        }
        "SUBSCRIPTION-X" => {
            let mut fields = Fields::new("SUBSCRIPTION-X", values, 2)?;
            let field_0 = fields.number("kind")?;
            let field_1 = fields.octets("filter")?;
            let doubts = fields.doubts();
            Ok(then(
                zmtp::Message::SubscriptionX(zmtp::SubscriptionX {
                    kind: field_0,
                    filter: field_1,
                }),
                doubts,
            ))
        }
        "CANCELLATION-X" => {
            let mut fields = Fields::new("CANCELLATION-X", values, 2)?;
            let field_0 = fields.number("kind")?;
            let field_1 = fields.octets("filter")?;
            let doubts = fields.doubts();
            Ok(then(
                zmtp::Message::CancellationX(zmtp::CancellationX {
                    kind: field_0,
                    filter: field_1,
                }),
                doubts,
            ))
        }
        _ => Err(format!("no message is called {name}")),
    }
}

fn decode_zmtp_1(frame: &[u8]) -> Result<Vec<u8>, Refusal> {
    let message = match zmtp_1::decode(frame) {
        Ok(message) => message,
        Err(error) => return Ok(not_decoded(error)),
    };
    let mut values = Values::default();
    let again = match message {
        zmtp_1::Message::Frame(message) => {
            values.put(message.content);
            message.encode()
        }
    };
    let frame = again.map_err(|error| format!("what was decoded cannot be encoded: {error}"))?;
    let mut answer = vec![b'+'];
    put_name(&mut answer, message.name());
    put_count(&mut answer, values.count);
    answer.extend_from_slice(&values.octets);
    put_blob(&mut answer, &frame);
    Ok(answer)
}

fn encode_zmtp_1(name: &str, values: &[Value<'_>]) -> Result<Vec<u8>, Refusal> {
    let encoded = build_zmtp_1(name, values, |message, doubts| {
        doubts.settle(message.encode())
    });
    let error = match encoded {
        Ok(Ok(frame)) => {
            let mut answer = vec![b'+'];
            put_blob(&mut answer, &frame);
            return Ok(answer);
        }
        Ok(Err(error)) => error,
        Err(refusal) => return Err(refusal),
    };
    Ok(not_encoded(error))
}

/// Hand the message of that name with these values to `then`, with what its numbers could not hold.
fn build_zmtp_1<R>(
    name: &str,
    values: &[Value<'_>],
    then: impl FnOnce(zmtp_1::Message<'_>, Doubts) -> R,
) -> Result<R, Refusal> {
    match name {
        "FRAME" => {
            let mut fields = Fields::new("FRAME", values, 1)?;
            let field_0 = fields.octets("content")?;
            let doubts = fields.doubts();
            Ok(then(
                zmtp_1::Message::Frame(zmtp_1::Frame { content: field_0 }),
                doubts,
            ))
        }
        _ => Err(format!("no message is called {name}")),
    }
}

fn decode_zmtp_2(frame: &[u8]) -> Result<Vec<u8>, Refusal> {
    let message = match zmtp_2::decode(frame) {
        Ok(message) => message,
        Err(error) => return Ok(not_decoded(error)),
    };
    let mut values = Values::default();
    let again = match message {
        zmtp_2::Message::Greeting(message) => {
            values.put(member(message.socket_type, false));
            values.put(message.identity);
            message.encode()
        }
    };
    let frame = again.map_err(|error| format!("what was decoded cannot be encoded: {error}"))?;
    let mut answer = vec![b'+'];
    put_name(&mut answer, message.name());
    put_count(&mut answer, values.count);
    answer.extend_from_slice(&values.octets);
    put_blob(&mut answer, &frame);
    Ok(answer)
}

fn encode_zmtp_2(name: &str, values: &[Value<'_>]) -> Result<Vec<u8>, Refusal> {
    let encoded = build_zmtp_2(name, values, |message, doubts| {
        doubts.settle(message.encode())
    });
    let error = match encoded {
        Ok(Ok(frame)) => {
            let mut answer = vec![b'+'];
            put_blob(&mut answer, &frame);
            return Ok(answer);
        }
        Ok(Err(error)) => error,
        Err(refusal) => return Err(refusal),
    };
    Ok(not_encoded(error))
}

/// Hand the message of that name with these values to `then`, with what its numbers could not hold.
fn build_zmtp_2<R>(
    name: &str,
    values: &[Value<'_>],
    then: impl FnOnce(zmtp_2::Message<'_>, Doubts) -> R,
) -> Result<R, Refusal> {
    match name {
        "GREETING" => {
            let mut fields = Fields::new("GREETING", values, 2)?;
            let field_0 = fields.member("socket_type", false)?;
            let field_1 = fields.octets("identity")?;
            let doubts = fields.doubts();
            Ok(then(
                zmtp_2::Message::Greeting(zmtp_2::Greeting {
                    socket_type: field_0,
                    identity: field_1,
                }),
                doubts,
            ))
        }
        _ => Err(format!("no message is called {name}")),
    }
}

fn decode_zmtp_frame(frame: &[u8]) -> Result<Vec<u8>, Refusal> {
    let message = match zmtp_frame::decode(frame) {
        Ok(message) => message,
        Err(error) => return Ok(not_decoded(error)),
    };
    let mut values = Values::default();
    let again = match message {
        zmtp_frame::Message::Last(message) => {
            values.put(message.body);
            message.encode()
        }
        zmtp_frame::Message::More(message) => {
            values.put(message.body);
            message.encode()
        }
        zmtp_frame::Message::LongLast(message) => {
            values.put(message.body);
            message.encode()
        }
        zmtp_frame::Message::LongMore(message) => {
            values.put(message.body);
            message.encode()
        }
        zmtp_frame::Message::Command(message) => {
            values.put(message.body);
            message.encode()
        }
        zmtp_frame::Message::LongCommand(message) => {
            values.put(message.body);
            message.encode()
        }
    };
    let frame = again.map_err(|error| format!("what was decoded cannot be encoded: {error}"))?;
    let mut answer = vec![b'+'];
    put_name(&mut answer, message.name());
    put_count(&mut answer, values.count);
    answer.extend_from_slice(&values.octets);
    put_blob(&mut answer, &frame);
    Ok(answer)
}

fn encode_zmtp_frame(name: &str, values: &[Value<'_>]) -> Result<Vec<u8>, Refusal> {
    let encoded = build_zmtp_frame(name, values, |message, doubts| {
        doubts.settle(message.encode())
    });
    let error = match encoded {
        Ok(Ok(frame)) => {
            let mut answer = vec![b'+'];
            put_blob(&mut answer, &frame);
            return Ok(answer);
        }
        Ok(Err(error)) => error,
        Err(refusal) => return Err(refusal),
    };
    Ok(not_encoded(error))
}

/// Hand the message of that name with these values to `then`, with what its numbers could not hold.
fn build_zmtp_frame<R>(
    name: &str,
    values: &[Value<'_>],
    then: impl FnOnce(zmtp_frame::Message<'_>, Doubts) -> R,
) -> Result<R, Refusal> {
    match name {
        "LAST" => {
            let mut fields = Fields::new("LAST", values, 1)?;
            let field_0 = fields.octets("body")?;
            let doubts = fields.doubts();
            Ok(then(
                zmtp_frame::Message::Last(zmtp_frame::Last { body: field_0 }),
                doubts,
            ))
        }
        "MORE" => {
            let mut fields = Fields::new("MORE", values, 1)?;
            let field_0 = fields.octets("body")?;
            let doubts = fields.doubts();
            Ok(then(
                zmtp_frame::Message::More(zmtp_frame::More { body: field_0 }),
                doubts,
            ))
        }
        "LONG-LAST" => {
            let mut fields = Fields::new("LONG-LAST", values, 1)?;
            let field_0 = fields.octets("body")?;
            let doubts = fields.doubts();
            Ok(then(
                zmtp_frame::Message::LongLast(zmtp_frame::LongLast { body: field_0 }),
                doubts,
            ))
        }
        "LONG-MORE" => {
            let mut fields = Fields::new("LONG-MORE", values, 1)?;
            let field_0 = fields.octets("body")?;
            let doubts = fields.doubts();
            Ok(then(
                zmtp_frame::Message::LongMore(zmtp_frame::LongMore { body: field_0 }),
                doubts,
            ))
        }
        "COMMAND" => {
            let mut fields = Fields::new("COMMAND", values, 1)?;
            let field_0 = fields.octets("body")?;
            let doubts = fields.doubts();
            Ok(then(
                zmtp_frame::Message::Command(zmtp_frame::Command { body: field_0 }),
                doubts,
            ))
        }
        "LONG-COMMAND" => {
            let mut fields = Fields::new("LONG-COMMAND", values, 1)?;
            let field_0 = fields.octets("body")?;
            let doubts = fields.doubts();
            Ok(then(
                zmtp_frame::Message::LongCommand(zmtp_frame::LongCommand { body: field_0 }),
                doubts,
            ))
        }
        _ => Err(format!("no message is called {name}")),
    }
}

impl zeps_client::Host for Recorder<zeps_client::Event> {
    fn send(&mut self, message: zeps::Message<'_>) {
        self.sent(message.encode());
    }

    fn attached(&mut self, context: &mut zeps_client::Context, _message: &zeps::AttachOk) {
        if let Some(event) = self.act("attached") {
            context.fail(event);
        }
    }

    fn attach_refused(&mut self, context: &mut zeps_client::Context, _message: &zeps::Invalid<'_>) {
        if let Some(event) = self.act("attach_refused") {
            context.fail(event);
        }
    }

    fn detached(&mut self, context: &mut zeps_client::Context, _input: &zeps_client::Input<'_>) {
        if let Some(event) = self.act("detached") {
            context.fail(event);
        }
    }

    fn broker_lost(&mut self, context: &mut zeps_client::Context, _input: &zeps_client::Input<'_>) {
        if let Some(event) = self.act("broker_lost") {
            context.fail(event);
        }
    }

    fn subscribed(&mut self, context: &mut zeps_client::Context, _message: &zeps::SubscribeOk) {
        if let Some(event) = self.act("subscribed") {
            context.fail(event);
        }
    }

    fn take_message(&mut self, context: &mut zeps_client::Context, _message: &zeps::Deliver<'_>) {
        if let Some(event) = self.act("take_message") {
            context.fail(event);
        }
    }

    fn answered(&mut self, context: &mut zeps_client::Context, _message: &zeps::PingOk) {
        if let Some(event) = self.act("answered") {
            context.fail(event);
        }
    }

    fn read_notice(&mut self, context: &mut zeps_client::Context, _message: &zeps::Invalid<'_>) {
        if let Some(event) = self.act("read_notice") {
            context.fail(event);
        }
    }

    fn session_lost(&mut self, context: &mut zeps_client::Context) {
        if let Some(event) = self.act("session_lost") {
            context.fail(event);
        }
    }

    fn refused(&mut self, context: &mut zeps_client::Context) {
        if let Some(event) = self.act("refused") {
            context.fail(event);
        }
    }
}

struct Runner0(zeps_client::Machine<Recorder<zeps_client::Event>>);

impl Runner for Runner0 {
    type Event = zeps_client::Event;

    fn recorder(&mut self) -> &mut Recorder<Self::Event> {
        &mut self.0.host
    }

    fn receive(&mut self, frame: &[u8]) -> u8 {
        let Ok(message) = zeps::decode(frame) else {
            return b'x';
        };
        match self.0.receive(message) {
            Ok(()) => b't',
            Err(MachineError::Unexpected { .. }) => b'u',
            Err(_) => b'h',
        }
    }

    fn call(&mut self, event: &str, values: &[Value<'_>]) -> Result<u8, Refusal> {
        match event {
            "heartbeat" => {
                Fields::new("heartbeat", values, 0)?;
                Ok(called(self.0.heartbeat()))
            }
            "expired" => {
                Fields::new("expired", values, 0)?;
                Ok(called(self.0.expired()))
            }
            "malformed" => {
                Fields::new("malformed", values, 0)?;
                Ok(called(self.0.malformed()))
            }
            "ended" => {
                Fields::new("ended", values, 0)?;
                Ok(called(self.0.ended()))
            }
            "subscribe_refused" => {
                Fields::new("subscribe_refused", values, 0)?;
                Ok(called(self.0.subscribe_refused()))
            }
            "open" => {
                let mut fields = Fields::new("open", values, 1)?;
                let field_0 = fields.text("stream")?;
                if fields.doubts().any() {
                    return Ok(b'x');
                }
                Ok(called(self.0.open(&field_0)))
            }
            "follow" => {
                let mut fields = Fields::new("follow", values, 2)?;
                let field_0 = fields.text("pattern")?;
                let field_1 = fields.number("latest")?;
                if fields.doubts().any() {
                    return Ok(b'x');
                }
                Ok(called(self.0.follow(&field_0, field_1)))
            }
            "grant" => {
                let mut fields = Fields::new("grant", values, 1)?;
                let field_0 = fields.number("octets")?;
                if fields.doubts().any() {
                    return Ok(b'x');
                }
                Ok(called(self.0.grant(field_0)))
            }
            "post" => {
                let mut fields = Fields::new("post", values, 2)?;
                let field_0 = fields.text("key")?;
                let field_1 = fields.octets("body")?;
                if fields.doubts().any() {
                    return Ok(b'x');
                }
                Ok(called(self.0.post(&field_0, field_1)))
            }
            "probe" => {
                Fields::new("probe", values, 0)?;
                Ok(called(self.0.probe()))
            }
            "close" => {
                Fields::new("close", values, 0)?;
                Ok(called(self.0.close()))
            }
            _ => Ok(b'x'),
        }
    }

    fn set(&mut self, variable: &str, values: &[Value<'_>]) -> Result<u8, Refusal> {
        let mut fields = Fields::new("a variable", values, 1)?;
        match variable {
            "credit" => self.0.context.credit = fields.number("value")?,
            "pending" => self.0.context.pending = fields.number("value")?,
            "unanswered" => self.0.context.unanswered = fields.number("value")?,
            "unanswered_max" => self.0.context.unanswered_max = fields.number("value")?,
            "stale" => self.0.context.stale = fields.number("value")?,
            "stream" => self.0.context.stream = String::from(fields.text("value")?),
            _ => return Ok(b'x'),
        }
        Ok(if fields.doubts().any() { b'x' } else { b'v' })
    }

    fn arm(&mut self, action: &str, event: &str) -> u8 {
        let event = match event {
            "ATTACH" => zeps_client::Event::Attach,
            "ATTACH-OK" => zeps_client::Event::AttachOk,
            "SUBSCRIBE" => zeps_client::Event::Subscribe,
            "SUBSCRIBE-OK" => zeps_client::Event::SubscribeOk,
            "CREDIT" => zeps_client::Event::Credit,
            "PUBLISH" => zeps_client::Event::Publish,
            "DELIVER" => zeps_client::Event::Deliver,
            "PING" => zeps_client::Event::Ping,
            "PING-OK" => zeps_client::Event::PingOk,
            "DETACH" => zeps_client::Event::Detach,
            "DETACH-OK" => zeps_client::Event::DetachOk,
            "INVALID" => zeps_client::Event::Invalid,
            "heartbeat" => zeps_client::Event::OnHeartbeat,
            "expired" => zeps_client::Event::OnExpired,
            "malformed" => zeps_client::Event::OnMalformed,
            "ended" => zeps_client::Event::OnEnded,
            "subscribe_refused" => zeps_client::Event::OnSubscribeRefused,
            "open" => zeps_client::Event::OnOpen,
            "follow" => zeps_client::Event::OnFollow,
            "grant" => zeps_client::Event::OnGrant,
            "post" => zeps_client::Event::OnPost,
            "probe" => zeps_client::Event::OnProbe,
            "close" => zeps_client::Event::OnClose,
            _ => return b'x',
        };
        let action = match action {
            "attached" => "attached",
            "attach_refused" => "attach_refused",
            "detached" => "detached",
            "broker_lost" => "broker_lost",
            "subscribed" => "subscribed",
            "take_message" => "take_message",
            "answered" => "answered",
            "read_notice" => "read_notice",
            "session_lost" => "session_lost",
            "refused" => "refused",
            _ => return b'x',
        };
        self.0.host.arm(action, event);
        b'v'
    }

    fn place(&self) -> (&'static str, bool) {
        (self.0.state().name(), self.0.terminated())
    }

    fn variables(&self) -> Values {
        let mut values = Values::default();
        values.put(self.0.context.credit);
        values.put(self.0.context.pending);
        values.put(self.0.context.unanswered);
        values.put(self.0.context.unanswered_max);
        values.put(self.0.context.stale);
        values.put(self.0.context.stream.as_str());
        values
    }
}

impl zeps_server::Host for Recorder<zeps_server::Event> {
    fn send(&mut self, message: zeps::Message<'_>) {
        self.sent(message.encode());
    }

    fn open_stream(&mut self, context: &mut zeps_server::Context, _message: &zeps::Attach<'_>) {
        if let Some(event) = self.act("open_stream") {
            context.fail(event);
        }
    }

    fn close_stream(
        &mut self,
        context: &mut zeps_server::Context,
        _input: &zeps_server::Input<'_>,
    ) {
        if let Some(event) = self.act("close_stream") {
            context.fail(event);
        }
    }

    fn check_subscription(
        &mut self,
        context: &mut zeps_server::Context,
        _message: &zeps::Subscribe<'_>,
    ) {
        if let Some(event) = self.act("check_subscription") {
            context.fail(event);
        }
    }

    fn add_subscription(
        &mut self,
        context: &mut zeps_server::Context,
        _message: &zeps::Subscribe<'_>,
    ) {
        if let Some(event) = self.act("add_subscription") {
            context.fail(event);
        }
    }

    fn use_credit(&mut self, context: &mut zeps_server::Context, _message: &zeps::Credit) {
        if let Some(event) = self.act("use_credit") {
            context.fail(event);
        }
    }

    fn store_message(&mut self, context: &mut zeps_server::Context, _message: &zeps::Publish<'_>) {
        if let Some(event) = self.act("store_message") {
            context.fail(event);
        }
    }
}

struct Runner1(zeps_server::Machine<Recorder<zeps_server::Event>>);

impl Runner for Runner1 {
    type Event = zeps_server::Event;

    fn recorder(&mut self) -> &mut Recorder<Self::Event> {
        &mut self.0.host
    }

    fn receive(&mut self, frame: &[u8]) -> u8 {
        let Ok(message) = zeps::decode(frame) else {
            return b'x';
        };
        match self.0.receive(message) {
            Ok(()) => b't',
            Err(MachineError::Unexpected { .. }) => b'u',
            Err(_) => b'h',
        }
    }

    fn call(&mut self, event: &str, values: &[Value<'_>]) -> Result<u8, Refusal> {
        match event {
            "malformed" => {
                Fields::new("malformed", values, 0)?;
                Ok(called(self.0.malformed()))
            }
            "attach_refused" => {
                Fields::new("attach_refused", values, 0)?;
                Ok(called(self.0.attach_refused()))
            }
            "subscribe_refused" => {
                Fields::new("subscribe_refused", values, 0)?;
                Ok(called(self.0.subscribe_refused()))
            }
            "gap" => {
                Fields::new("gap", values, 0)?;
                Ok(called(self.0.gap()))
            }
            "expired" => {
                Fields::new("expired", values, 0)?;
                Ok(called(self.0.expired()))
            }
            "heartbeat" => {
                Fields::new("heartbeat", values, 0)?;
                Ok(called(self.0.heartbeat()))
            }
            "shutdown" => {
                Fields::new("shutdown", values, 0)?;
                Ok(called(self.0.shutdown()))
            }
            "deliver" => build_zeps("DELIVER", values, |message, doubts| match message {
                zeps::Message::Deliver(message) if !doubts.any() => called(self.0.deliver(message)),
                _ => b'x',
            }),
            _ => Ok(b'x'),
        }
    }

    fn set(&mut self, variable: &str, values: &[Value<'_>]) -> Result<u8, Refusal> {
        let mut fields = Fields::new("a variable", values, 1)?;
        match variable {
            "credit" => self.0.context.credit = fields.number("value")?,
            "reason" => self.0.context.reason = String::from(fields.text("value")?),
            _ => return Ok(b'x'),
        }
        Ok(if fields.doubts().any() { b'x' } else { b'v' })
    }

    fn arm(&mut self, action: &str, event: &str) -> u8 {
        let event = match event {
            "ATTACH" => zeps_server::Event::Attach,
            "ATTACH-OK" => zeps_server::Event::AttachOk,
            "SUBSCRIBE" => zeps_server::Event::Subscribe,
            "SUBSCRIBE-OK" => zeps_server::Event::SubscribeOk,
            "CREDIT" => zeps_server::Event::Credit,
            "PUBLISH" => zeps_server::Event::Publish,
            "DELIVER" => zeps_server::Event::Deliver,
            "PING" => zeps_server::Event::Ping,
            "PING-OK" => zeps_server::Event::PingOk,
            "DETACH" => zeps_server::Event::Detach,
            "DETACH-OK" => zeps_server::Event::DetachOk,
            "INVALID" => zeps_server::Event::Invalid,
            "malformed" => zeps_server::Event::OnMalformed,
            "attach_refused" => zeps_server::Event::OnAttachRefused,
            "subscribe_refused" => zeps_server::Event::OnSubscribeRefused,
            "gap" => zeps_server::Event::OnGap,
            "expired" => zeps_server::Event::OnExpired,
            "heartbeat" => zeps_server::Event::OnHeartbeat,
            "shutdown" => zeps_server::Event::OnShutdown,
            "deliver" => zeps_server::Event::OnDeliver,
            _ => return b'x',
        };
        let action = match action {
            "open_stream" => "open_stream",
            "close_stream" => "close_stream",
            "check_subscription" => "check_subscription",
            "add_subscription" => "add_subscription",
            "use_credit" => "use_credit",
            "store_message" => "store_message",
            _ => return b'x',
        };
        self.0.host.arm(action, event);
        b'v'
    }

    fn place(&self) -> (&'static str, bool) {
        (self.0.state().name(), self.0.terminated())
    }

    fn variables(&self) -> Values {
        let mut values = Values::default();
        values.put(self.0.context.credit);
        values.put(self.0.context.reason.as_str());
        values
    }
}

impl zmtp_publisher::Host for Recorder<zmtp_publisher::Event> {
    fn send(&mut self, message: zmtp::Message<'_>) {
        self.sent(message.encode());
    }

    fn unsendable(&mut self, error: EncodeError) {
        self.sent(Err(error));
    }

    fn check_greeting(
        &mut self,
        context: &mut zmtp_publisher::Context,
        _message: &zmtp::Greeting<'_>,
    ) {
        if let Some(event) = self.act("check_greeting") {
            context.fail(event);
        }
    }

    fn ask_for_introduction(
        &mut self,
        context: &mut zmtp_publisher::Context,
        _message: &zmtp::Greeting<'_>,
    ) {
        if let Some(event) = self.act("ask_for_introduction") {
            context.fail(event);
        }
    }

    fn close_connection(
        &mut self,
        context: &mut zmtp_publisher::Context,
        _input: &zmtp_publisher::Input<'_>,
    ) {
        if let Some(event) = self.act("close_connection") {
            context.fail(event);
        }
    }

    fn check_peer(&mut self, context: &mut zmtp_publisher::Context, _message: &zmtp::Ready<'_>) {
        if let Some(event) = self.act("check_peer") {
            context.fail(event);
        }
    }

    fn opened(&mut self, context: &mut zmtp_publisher::Context, _message: &zmtp::Ready<'_>) {
        if let Some(event) = self.act("opened") {
            context.fail(event);
        }
    }

    fn peer_refused(&mut self, context: &mut zmtp_publisher::Context, _message: &zmtp::Error<'_>) {
        if let Some(event) = self.act("peer_refused") {
            context.fail(event);
        }
    }

    fn add_subscription(
        &mut self,
        context: &mut zmtp_publisher::Context,
        _input: &zmtp_publisher::Input<'_>,
    ) {
        if let Some(event) = self.act("add_subscription") {
            context.fail(event);
        }
    }

    fn remove_subscription(
        &mut self,
        context: &mut zmtp_publisher::Context,
        _input: &zmtp_publisher::Input<'_>,
    ) {
        if let Some(event) = self.act("remove_subscription") {
            context.fail(event);
        }
    }
}

struct Runner2(zmtp_publisher::Machine<Recorder<zmtp_publisher::Event>>);

impl Runner for Runner2 {
    type Event = zmtp_publisher::Event;

    fn recorder(&mut self) -> &mut Recorder<Self::Event> {
        &mut self.0.host
    }

    fn receive(&mut self, frame: &[u8]) -> u8 {
        let Ok(message) = zmtp::decode(frame) else {
            return b'x';
        };
        match self.0.receive(message) {
            Ok(()) => b't',
            Err(MachineError::Unexpected { .. }) => b'u',
            Err(_) => b'h',
        }
    }

    fn call(&mut self, event: &str, values: &[Value<'_>]) -> Result<u8, Refusal> {
        match event {
            "downgrade" => {
                Fields::new("downgrade", values, 0)?;
                Ok(called(self.0.downgrade()))
            }
            "connected" => {
                Fields::new("connected", values, 0)?;
                Ok(called(self.0.connected()))
            }
            "introduce" => build_zmtp("READY", values, |message, doubts| match message {
                zmtp::Message::Ready(message) if !doubts.any() => called(self.0.introduce(message)),
                _ => b'x',
            }),
            "refused" => {
                Fields::new("refused", values, 0)?;
                Ok(called(self.0.refused()))
            }
            "heartbeat" => {
                Fields::new("heartbeat", values, 0)?;
                Ok(called(self.0.heartbeat()))
            }
            "expired" => {
                Fields::new("expired", values, 0)?;
                Ok(called(self.0.expired()))
            }
            "malformed" => {
                Fields::new("malformed", values, 0)?;
                Ok(called(self.0.malformed()))
            }
            "unknown" => {
                Fields::new("unknown", values, 0)?;
                Ok(called(self.0.unknown()))
            }
            "disconnected" => {
                Fields::new("disconnected", values, 0)?;
                Ok(called(self.0.disconnected()))
            }
            _ => Ok(b'x'),
        }
    }

    fn set(&mut self, variable: &str, values: &[Value<'_>]) -> Result<u8, Refusal> {
        let mut fields = Fields::new("a variable", values, 1)?;
        match variable {
            "mechanism" => self.0.context.mechanism = fields.octets("value")?.to_vec(),
            "minor" => self.0.context.minor = fields.number("value")?,
            "ttl" => self.0.context.ttl = fields.number("value")?,
            "unanswered" => self.0.context.unanswered = fields.number("value")?,
            "unanswered_max" => self.0.context.unanswered_max = fields.number("value")?,
            "reason" => self.0.context.reason = fields.octets("value")?.to_vec(),
            _ => return Ok(b'x'),
        }
        Ok(if fields.doubts().any() { b'x' } else { b'v' })
    }

    fn arm(&mut self, action: &str, event: &str) -> u8 {
        let event = match event {
            "GREETING" => zmtp_publisher::Event::Greeting,
            "READY" => zmtp_publisher::Event::Ready,
            "ERROR" => zmtp_publisher::Event::Error,
            "PING" => zmtp_publisher::Event::Ping,
            "PONG" => zmtp_publisher::Event::Pong,
            "SUBSCRIBE" => zmtp_publisher::Event::Subscribe,
            "CANCEL" => zmtp_publisher::Event::Cancel,
            "SUBSCRIPTION" => zmtp_publisher::Event::Subscription,
            "CANCELLATION" => zmtp_publisher::Event::Cancellation,
            "SUBSCRIBE-X" => zmtp_publisher::Event::SubscribeX,
            "CANCEL-X" => zmtp_publisher::Event::CancelX,
            "SUBSCRIPTION-X" => zmtp_publisher::Event::SubscriptionX,
            "CANCELLATION-X" => zmtp_publisher::Event::CancellationX,
            "downgrade" => zmtp_publisher::Event::OnDowngrade,
            "connected" => zmtp_publisher::Event::OnConnected,
            "introduce" => zmtp_publisher::Event::OnIntroduce,
            "refused" => zmtp_publisher::Event::OnRefused,
            "heartbeat" => zmtp_publisher::Event::OnHeartbeat,
            "expired" => zmtp_publisher::Event::OnExpired,
            "malformed" => zmtp_publisher::Event::OnMalformed,
            "unknown" => zmtp_publisher::Event::OnUnknown,
            "disconnected" => zmtp_publisher::Event::OnDisconnected,
            _ => return b'x',
        };
        let action = match action {
            "check_greeting" => "check_greeting",
            "ask_for_introduction" => "ask_for_introduction",
            "close_connection" => "close_connection",
            "check_peer" => "check_peer",
            "opened" => "opened",
            "peer_refused" => "peer_refused",
            "add_subscription" => "add_subscription",
            "remove_subscription" => "remove_subscription",
            _ => return b'x',
        };
        self.0.host.arm(action, event);
        b'v'
    }

    fn place(&self) -> (&'static str, bool) {
        (self.0.state().name(), self.0.terminated())
    }

    fn variables(&self) -> Values {
        let mut values = Values::default();
        values.put(self.0.context.mechanism.as_slice());
        values.put(self.0.context.minor);
        values.put(self.0.context.ttl);
        values.put(self.0.context.unanswered);
        values.put(self.0.context.unanswered_max);
        values.put(self.0.context.reason.as_slice());
        values
    }
}

impl zmtp_subscriber::Host for Recorder<zmtp_subscriber::Event> {
    fn send(&mut self, message: zmtp::Message<'_>) {
        self.sent(message.encode());
    }

    fn unsendable(&mut self, error: EncodeError) {
        self.sent(Err(error));
    }

    fn check_greeting(
        &mut self,
        context: &mut zmtp_subscriber::Context,
        _message: &zmtp::Greeting<'_>,
    ) {
        if let Some(event) = self.act("check_greeting") {
            context.fail(event);
        }
    }

    fn ask_for_introduction(
        &mut self,
        context: &mut zmtp_subscriber::Context,
        _message: &zmtp::Greeting<'_>,
    ) {
        if let Some(event) = self.act("ask_for_introduction") {
            context.fail(event);
        }
    }

    fn close_connection(
        &mut self,
        context: &mut zmtp_subscriber::Context,
        _input: &zmtp_subscriber::Input<'_>,
    ) {
        if let Some(event) = self.act("close_connection") {
            context.fail(event);
        }
    }

    fn check_peer(&mut self, context: &mut zmtp_subscriber::Context, _message: &zmtp::Ready<'_>) {
        if let Some(event) = self.act("check_peer") {
            context.fail(event);
        }
    }

    fn opened(&mut self, context: &mut zmtp_subscriber::Context, _message: &zmtp::Ready<'_>) {
        if let Some(event) = self.act("opened") {
            context.fail(event);
        }
    }

    fn peer_refused(&mut self, context: &mut zmtp_subscriber::Context, _message: &zmtp::Error<'_>) {
        if let Some(event) = self.act("peer_refused") {
            context.fail(event);
        }
    }
}

struct Runner3(zmtp_subscriber::Machine<Recorder<zmtp_subscriber::Event>>);

impl Runner for Runner3 {
    type Event = zmtp_subscriber::Event;

    fn recorder(&mut self) -> &mut Recorder<Self::Event> {
        &mut self.0.host
    }

    fn receive(&mut self, frame: &[u8]) -> u8 {
        let Ok(message) = zmtp::decode(frame) else {
            return b'x';
        };
        match self.0.receive(message) {
            Ok(()) => b't',
            Err(MachineError::Unexpected { .. }) => b'u',
            Err(_) => b'h',
        }
    }

    fn call(&mut self, event: &str, values: &[Value<'_>]) -> Result<u8, Refusal> {
        match event {
            "downgrade" => {
                Fields::new("downgrade", values, 0)?;
                Ok(called(self.0.downgrade()))
            }
            "connected" => {
                Fields::new("connected", values, 0)?;
                Ok(called(self.0.connected()))
            }
            "introduce" => build_zmtp("READY", values, |message, doubts| match message {
                zmtp::Message::Ready(message) if !doubts.any() => called(self.0.introduce(message)),
                _ => b'x',
            }),
            "refused" => {
                Fields::new("refused", values, 0)?;
                Ok(called(self.0.refused()))
            }
            "heartbeat" => {
                Fields::new("heartbeat", values, 0)?;
                Ok(called(self.0.heartbeat()))
            }
            "expired" => {
                Fields::new("expired", values, 0)?;
                Ok(called(self.0.expired()))
            }
            "malformed" => {
                Fields::new("malformed", values, 0)?;
                Ok(called(self.0.malformed()))
            }
            "unknown" => {
                Fields::new("unknown", values, 0)?;
                Ok(called(self.0.unknown()))
            }
            "disconnected" => {
                Fields::new("disconnected", values, 0)?;
                Ok(called(self.0.disconnected()))
            }
            "subscribe" => {
                let mut fields = Fields::new("subscribe", values, 1)?;
                let field_0 = fields.octets("topic")?;
                if fields.doubts().any() {
                    return Ok(b'x');
                }
                Ok(called(self.0.subscribe(field_0)))
            }
            "unsubscribe" => {
                let mut fields = Fields::new("unsubscribe", values, 1)?;
                let field_0 = fields.octets("topic")?;
                if fields.doubts().any() {
                    return Ok(b'x');
                }
                Ok(called(self.0.unsubscribe(field_0)))
            }
            "subscribe_filter" => {
                let mut fields = Fields::new("subscribe_filter", values, 2)?;
                let field_0 = fields.number("kind")?;
                let field_1 = fields.octets("octets")?;
                if fields.doubts().any() {
                    return Ok(b'x');
                }
                Ok(called(self.0.subscribe_filter(field_0, field_1)))
            }
            "unsubscribe_filter" => {
                let mut fields = Fields::new("unsubscribe_filter", values, 2)?;
                let field_0 = fields.number("kind")?;
                let field_1 = fields.octets("octets")?;
                if fields.doubts().any() {
                    return Ok(b'x');
                }
                Ok(called(self.0.unsubscribe_filter(field_0, field_1)))
            }
            _ => Ok(b'x'),
        }
    }

    fn set(&mut self, variable: &str, values: &[Value<'_>]) -> Result<u8, Refusal> {
        let mut fields = Fields::new("a variable", values, 1)?;
        match variable {
            "mechanism" => self.0.context.mechanism = fields.octets("value")?.to_vec(),
            "minor" => self.0.context.minor = fields.number("value")?,
            "peer_minor" => self.0.context.peer_minor = fields.number("value")?,
            "ttl" => self.0.context.ttl = fields.number("value")?,
            "unanswered" => self.0.context.unanswered = fields.number("value")?,
            "unanswered_max" => self.0.context.unanswered_max = fields.number("value")?,
            "reason" => self.0.context.reason = fields.octets("value")?.to_vec(),
            _ => return Ok(b'x'),
        }
        Ok(if fields.doubts().any() { b'x' } else { b'v' })
    }

    fn arm(&mut self, action: &str, event: &str) -> u8 {
        let event = match event {
            "GREETING" => zmtp_subscriber::Event::Greeting,
            "READY" => zmtp_subscriber::Event::Ready,
            "ERROR" => zmtp_subscriber::Event::Error,
            "PING" => zmtp_subscriber::Event::Ping,
            "PONG" => zmtp_subscriber::Event::Pong,
            "SUBSCRIBE" => zmtp_subscriber::Event::Subscribe,
            "CANCEL" => zmtp_subscriber::Event::Cancel,
            "SUBSCRIPTION" => zmtp_subscriber::Event::Subscription,
            "CANCELLATION" => zmtp_subscriber::Event::Cancellation,
            "SUBSCRIBE-X" => zmtp_subscriber::Event::SubscribeX,
            "CANCEL-X" => zmtp_subscriber::Event::CancelX,
            "SUBSCRIPTION-X" => zmtp_subscriber::Event::SubscriptionX,
            "CANCELLATION-X" => zmtp_subscriber::Event::CancellationX,
            "downgrade" => zmtp_subscriber::Event::OnDowngrade,
            "connected" => zmtp_subscriber::Event::OnConnected,
            "introduce" => zmtp_subscriber::Event::OnIntroduce,
            "refused" => zmtp_subscriber::Event::OnRefused,
            "heartbeat" => zmtp_subscriber::Event::OnHeartbeat,
            "expired" => zmtp_subscriber::Event::OnExpired,
            "malformed" => zmtp_subscriber::Event::OnMalformed,
            "unknown" => zmtp_subscriber::Event::OnUnknown,
            "disconnected" => zmtp_subscriber::Event::OnDisconnected,
            "subscribe" => zmtp_subscriber::Event::OnSubscribe,
            "unsubscribe" => zmtp_subscriber::Event::OnUnsubscribe,
            "subscribe_filter" => zmtp_subscriber::Event::OnSubscribeFilter,
            "unsubscribe_filter" => zmtp_subscriber::Event::OnUnsubscribeFilter,
            _ => return b'x',
        };
        let action = match action {
            "check_greeting" => "check_greeting",
            "ask_for_introduction" => "ask_for_introduction",
            "close_connection" => "close_connection",
            "check_peer" => "check_peer",
            "opened" => "opened",
            "peer_refused" => "peer_refused",
            _ => return b'x',
        };
        self.0.host.arm(action, event);
        b'v'
    }

    fn place(&self) -> (&'static str, bool) {
        (self.0.state().name(), self.0.terminated())
    }

    fn variables(&self) -> Values {
        let mut values = Values::default();
        values.put(self.0.context.mechanism.as_slice());
        values.put(self.0.context.minor);
        values.put(self.0.context.peer_minor);
        values.put(self.0.context.ttl);
        values.put(self.0.context.unanswered);
        values.put(self.0.context.unanswered_max);
        values.put(self.0.context.reason.as_slice());
        values
    }
}
