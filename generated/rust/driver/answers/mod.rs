//! Answers the driver's requests: the models' names on one side, the crate's types on the other.

// a model may have only one of a kind, or none
#![allow(clippy::match_single_binding, unused_imports, unused_variables)]

mod fields;
mod request;
mod runner;

use fields::{Fields, Values};
use request::{not_decoded, put_blob, put_count, put_name, refused, Cursor, Refusal, Value};
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
use zeps_wire::{list, Encode, EncodeError, EncodeFrames, MachineError};

/// The answer to one request, without the lengths of the frames around them.
pub fn handle(request: &[u8]) -> Vec<u8> {
    let mut cursor = Cursor::new(request);
    answer(&mut cursor).unwrap_or_else(refused)
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
            let mut values = Values::default();
            match protocol {
                "journal" => decode_journal(frame, &mut values),
                "zeps" => decode_zeps(frame, &mut values),
                "zmtp" => decode_zmtp(frame, &mut values),
                "zmtp_1" => decode_zmtp_1(frame, &mut values),
                "zmtp_2" => decode_zmtp_2(frame, &mut values),
                "zmtp_frame" => decode_zmtp_frame(frame, &mut values),
                _ => Err(format!("no protocol is called {protocol}").into()),
            }
        }
        b'E' => {
            let (protocol, message, values) = (cursor.name()?, cursor.name()?, cursor.values()?);
            cursor.end()?;
            let frames = match protocol {
                "journal" => build_journal(message, &values, |message| {
                    message.encode().map(|frame| vec![frame])
                })?,
                "zeps" => build_zeps(message, &values, |message| {
                    message.encode().map(|frame| vec![frame])
                })?,
                "zmtp" => build_zmtp(message, &values, |message| {
                    message.encode().map(|frame| vec![frame])
                })?,
                "zmtp_1" => build_zmtp_1(message, &values, |message| {
                    message.encode().map(|frame| vec![frame])
                })?,
                "zmtp_2" => build_zmtp_2(message, &values, |message| {
                    message.encode().map(|frame| vec![frame])
                })?,
                "zmtp_frame" => build_zmtp_frame(message, &values, |message| {
                    message.encode().map(|frame| vec![frame])
                })?,
                _ => return Err(format!("no protocol is called {protocol}").into()),
            };
            let mut answer = vec![b'+'];
            put_blob(&mut answer, &one_frame(frames.map_err(Refusal::Value)?)?);
            Ok(answer)
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
            name => Err(format!("no machine is called {name}").into()),
        },
        other => Err(format!("no request begins with {other:#04x}").into()),
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

fn one_frame(mut frames: Vec<Vec<u8>>) -> Result<Vec<u8>, Refusal> {
    match frames.pop() {
        Some(frame) if frames.is_empty() => Ok(frame),
        _ => Err("the message has several frames".into()),
    }
}

fn decode_journal(frame: &[u8], values: &mut Values) -> Result<Vec<u8>, Refusal> {
    let message = match journal::decode(frame) {
        Ok(message) => message,
        Err(error) => return Ok(not_decoded(error)),
    };
    let again = match message {
        journal::Message::Segment(message) => {
            values.put::<list::U64>(message.first_sequence, b'b');
            values.put::<list::U64>(message.created, b'b');
            values.put::<list::Text<1>>(message.stream, b's');
            message.encode().map(|frame| vec![frame])
        }
        journal::Message::Block(message) => {
            values.put::<list::U32>(message.checksum, b'b');
            values.put::<list::U32>(message.index_checksum, b'b');
            values.put::<list::U64>(message.first_sequence, b'b');
            values.put::<list::U64>(message.first_time, b'b');
            values.put::<list::U64>(message.last_time, b'b');
            values.put::<list::Nested<list::U64, 8>>(message.times, b'b');
            values.put::<list::Nested<list::U32, 8>>(message.ends, b'b');
            values.put::<list::Nested<list::U16, 8>>(message.key_numbers, b'b');
            values.put::<list::Nested<list::U32, 8>>(message.page_checksums, b'b');
            values.put::<list::Nested<list::U32, 8>>(message.key_ends, b'b');
            values.put::<list::Octets<8>>(message.keys, b'b');
            values.put::<list::Octets<8>>(message.frames, b'b');
            message.encode().map(|frame| vec![frame])
        }
    };
    let frames = again.map_err(|error| format!("what was decoded cannot be encoded: {error}"))?;
    let mut answer = vec![b'+'];
    put_name(&mut answer, message.name());
    values.end(&mut answer);
    put_blob(&mut answer, &one_frame(frames)?);
    Ok(answer)
}

/// Hand the message of that name with these values to `then`.
fn build_journal<R>(
    name: &str,
    values: &[Value<'_>],
    then: impl FnOnce(journal::Message<'_>) -> R,
) -> Result<R, Refusal> {
    match name {
        "SEGMENT" => {
            let mut fields = Fields::new("SEGMENT", values);
            let field_0 = fields.take::<list::U64>("first_sequence")?;
            let field_1 = fields.take::<list::U64>("created")?;
            let field_2 = fields.take::<list::Text<1>>("stream")?;
            fields.end()?;
            Ok(then(journal::Message::Segment(journal::Segment {
                first_sequence: field_0.get(),
                created: field_1.get(),
                stream: field_2.get(),
            })))
        }
        "BLOCK" => {
            let mut fields = Fields::new("BLOCK", values);
            let field_0 = fields.take::<list::U32>("checksum")?;
            let field_1 = fields.take::<list::U32>("index_checksum")?;
            let field_2 = fields.take::<list::U64>("first_sequence")?;
            let field_3 = fields.take::<list::U64>("first_time")?;
            let field_4 = fields.take::<list::U64>("last_time")?;
            let field_5 = fields.take::<list::Nested<list::U64, 8>>("times")?;
            let field_6 = fields.take::<list::Nested<list::U32, 8>>("ends")?;
            let field_7 = fields.take::<list::Nested<list::U16, 8>>("key_numbers")?;
            let field_8 = fields.take::<list::Nested<list::U32, 8>>("page_checksums")?;
            let field_9 = fields.take::<list::Nested<list::U32, 8>>("key_ends")?;
            let field_10 = fields.take::<list::Octets<8>>("keys")?;
            let field_11 = fields.take::<list::Octets<8>>("frames")?;
            fields.end()?;
            Ok(then(journal::Message::Block(journal::Block {
                checksum: field_0.get(),
                index_checksum: field_1.get(),
                first_sequence: field_2.get(),
                first_time: field_3.get(),
                last_time: field_4.get(),
                times: field_5.get(),
                ends: field_6.get(),
                key_numbers: field_7.get(),
                page_checksums: field_8.get(),
                key_ends: field_9.get(),
                keys: field_10.get(),
                frames: field_11.get(),
            })))
        }
        _ => Err(format!("no message is called {name}").into()),
    }
}

fn decode_zeps(frame: &[u8], values: &mut Values) -> Result<Vec<u8>, Refusal> {
    let message = match zeps::decode(frame) {
        Ok(message) => message,
        Err(error) => return Ok(not_decoded(error)),
    };
    let again = match message {
        zeps::Message::Attach(message) => {
            values.put::<list::Text<1>>(message.stream, b's');
            message.encode().map(|frame| vec![frame])
        }
        zeps::Message::AttachOk(message) => message.encode().map(|frame| vec![frame]),
        zeps::Message::Subscribe(message) => {
            values.put::<list::Text<1>>(message.pattern, b's');
            values.put::<list::U64>(message.latest, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zeps::Message::SubscribeOk(message) => message.encode().map(|frame| vec![frame]),
        zeps::Message::Credit(message) => {
            values.put::<list::U64>(message.credit, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zeps::Message::Publish(message) => {
            values.put::<list::Text<1>>(message.key, b's');
            values.put::<list::Octets<4>>(message.body, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zeps::Message::Deliver(message) => {
            values.put::<list::U64>(message.sequence, b'b');
            values.put::<list::Text<1>>(message.key, b's');
            values.put::<list::Octets<4>>(message.body, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zeps::Message::Ping(message) => message.encode().map(|frame| vec![frame]),
        zeps::Message::PingOk(message) => message.encode().map(|frame| vec![frame]),
        zeps::Message::Detach(message) => message.encode().map(|frame| vec![frame]),
        zeps::Message::DetachOk(message) => message.encode().map(|frame| vec![frame]),
        zeps::Message::Invalid(message) => {
            values.put::<list::Text<1>>(message.reason, b's');
            message.encode().map(|frame| vec![frame])
        }
    };
    let frames = again.map_err(|error| format!("what was decoded cannot be encoded: {error}"))?;
    let mut answer = vec![b'+'];
    put_name(&mut answer, message.name());
    values.end(&mut answer);
    put_blob(&mut answer, &one_frame(frames)?);
    Ok(answer)
}

/// Hand the message of that name with these values to `then`.
fn build_zeps<R>(
    name: &str,
    values: &[Value<'_>],
    then: impl FnOnce(zeps::Message<'_>) -> R,
) -> Result<R, Refusal> {
    match name {
        "ATTACH" => {
            let mut fields = Fields::new("ATTACH", values);
            let field_0 = fields.take::<list::Text<1>>("stream")?;
            fields.end()?;
            Ok(then(zeps::Message::Attach(zeps::Attach {
                stream: field_0.get(),
            })))
        }
        "ATTACH-OK" => {
            let mut fields = Fields::new("ATTACH-OK", values);
            fields.end()?;
            Ok(then(zeps::Message::AttachOk(zeps::AttachOk)))
        }
        "SUBSCRIBE" => {
            let mut fields = Fields::new("SUBSCRIBE", values);
            let field_0 = fields.take::<list::Text<1>>("pattern")?;
            let field_1 = fields.take::<list::U64>("latest")?;
            fields.end()?;
            Ok(then(zeps::Message::Subscribe(zeps::Subscribe {
                pattern: field_0.get(),
                latest: field_1.get(),
            })))
        }
        "SUBSCRIBE-OK" => {
            let mut fields = Fields::new("SUBSCRIBE-OK", values);
            fields.end()?;
            Ok(then(zeps::Message::SubscribeOk(zeps::SubscribeOk)))
        }
        "CREDIT" => {
            let mut fields = Fields::new("CREDIT", values);
            let field_0 = fields.take::<list::U64>("credit")?;
            fields.end()?;
            Ok(then(zeps::Message::Credit(zeps::Credit {
                credit: field_0.get(),
            })))
        }
        "PUBLISH" => {
            let mut fields = Fields::new("PUBLISH", values);
            let field_0 = fields.take::<list::Text<1>>("key")?;
            let field_1 = fields.take::<list::Octets<4>>("body")?;
            fields.end()?;
            Ok(then(zeps::Message::Publish(zeps::Publish {
                key: field_0.get(),
                body: field_1.get(),
            })))
        }
        "DELIVER" => {
            let mut fields = Fields::new("DELIVER", values);
            let field_0 = fields.take::<list::U64>("sequence")?;
            let field_1 = fields.take::<list::Text<1>>("key")?;
            let field_2 = fields.take::<list::Octets<4>>("body")?;
            fields.end()?;
            Ok(then(zeps::Message::Deliver(zeps::Deliver {
                sequence: field_0.get(),
                key: field_1.get(),
                body: field_2.get(),
            })))
        }
        "PING" => {
            let mut fields = Fields::new("PING", values);
            fields.end()?;
            Ok(then(zeps::Message::Ping(zeps::Ping)))
        }
        "PING-OK" => {
            let mut fields = Fields::new("PING-OK", values);
            fields.end()?;
            Ok(then(zeps::Message::PingOk(zeps::PingOk)))
        }
        "DETACH" => {
            let mut fields = Fields::new("DETACH", values);
            fields.end()?;
            Ok(then(zeps::Message::Detach(zeps::Detach)))
        }
        "DETACH-OK" => {
            let mut fields = Fields::new("DETACH-OK", values);
            fields.end()?;
            Ok(then(zeps::Message::DetachOk(zeps::DetachOk)))
        }
        "INVALID" => {
            let mut fields = Fields::new("INVALID", values);
            let field_0 = fields.take::<list::Text<1>>("reason")?;
            fields.end()?;
            Ok(then(zeps::Message::Invalid(zeps::Invalid {
                reason: field_0.get(),
            })))
        }
        _ => Err(format!("no message is called {name}").into()),
    }
}

fn decode_zmtp(frame: &[u8], values: &mut Values) -> Result<Vec<u8>, Refusal> {
    let message = match zmtp::decode(frame) {
        Ok(message) => message,
        Err(error) => return Ok(not_decoded(error)),
    };
    let again = match message {
        zmtp::Message::Greeting(message) => {
            values.put::<list::U8>(message.major, b'b');
            values.put::<list::U8>(message.minor, b'b');
            values.put::<list::Fixed<20>>(message.mechanism, b'b');
            values.put::<list::U8>(message.as_server, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zmtp::Message::Ready(message) => {
            values.put::<list::Nested<list::Pair<list::Octets<1>, list::Octets<4>>, 8>>(
                message.properties,
                b's',
            );
            message.encode().map(|frame| vec![frame])
        }
        zmtp::Message::Error(message) => {
            values.put::<list::Octets<1>>(message.reason, b's');
            message.encode().map(|frame| vec![frame])
        }
        zmtp::Message::Ping(message) => {
            values.put::<list::U16>(message.ttl, b'b');
            values.put::<list::Octets<8>>(message.context, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zmtp::Message::Pong(message) => {
            values.put::<list::Octets<8>>(message.context, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zmtp::Message::Subscribe(message) => {
            values.put::<list::Octets<8>>(message.topic, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zmtp::Message::Cancel(message) => {
            values.put::<list::Octets<8>>(message.topic, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zmtp::Message::Subscription(message) => {
            values.put::<list::Octets<8>>(message.topic, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zmtp::Message::Cancellation(message) => {
            values.put::<list::Octets<8>>(message.topic, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zmtp::Message::SubscribeX(message) => {
            values.put::<list::U8>(message.kind, b'b');
            values.put::<list::Octets<8>>(message.filter, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zmtp::Message::CancelX(message) => {
            values.put::<list::U8>(message.kind, b'b');
            values.put::<list::Octets<8>>(message.filter, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zmtp::Message::SubscriptionX(message) => {
            values.put::<list::U8>(message.kind, b'b');
            values.put::<list::Octets<8>>(message.filter, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zmtp::Message::CancellationX(message) => {
            values.put::<list::U8>(message.kind, b'b');
            values.put::<list::Octets<8>>(message.filter, b'b');
            message.encode().map(|frame| vec![frame])
        }
    };
    let frames = again.map_err(|error| format!("what was decoded cannot be encoded: {error}"))?;
    let mut answer = vec![b'+'];
    put_name(&mut answer, message.name());
    values.end(&mut answer);
    put_blob(&mut answer, &one_frame(frames)?);
    Ok(answer)
}

/// Hand the message of that name with these values to `then`.
fn build_zmtp<R>(
    name: &str,
    values: &[Value<'_>],
    then: impl FnOnce(zmtp::Message<'_>) -> R,
) -> Result<R, Refusal> {
    match name {
        "GREETING" => {
            let mut fields = Fields::new("GREETING", values);
            let field_0 = fields.take::<list::U8>("major")?;
            let field_1 = fields.take::<list::U8>("minor")?;
            let field_2 = fields.take::<list::Fixed<20>>("mechanism")?;
            let field_3 = fields.take::<list::U8>("as_server")?;
            fields.end()?;
            Ok(then(zmtp::Message::Greeting(zmtp::Greeting {
                major: field_0.get(),
                minor: field_1.get(),
                mechanism: field_2.get(),
                as_server: field_3.get(),
            })))
        }
        "READY" => {
            let mut fields = Fields::new("READY", values);
            let field_0 = fields
                .take::<list::Nested<list::Pair<list::Octets<1>, list::Octets<4>>, 8>>(
                    "properties",
                )?;
            fields.end()?;
            Ok(then(zmtp::Message::Ready(zmtp::Ready {
                properties: field_0.get(),
            })))
        }
        "ERROR" => {
            let mut fields = Fields::new("ERROR", values);
            let field_0 = fields.take::<list::Octets<1>>("reason")?;
            fields.end()?;
            Ok(then(zmtp::Message::Error(zmtp::Error {
                reason: field_0.get(),
            })))
        }
        "PING" => {
            let mut fields = Fields::new("PING", values);
            let field_0 = fields.take::<list::U16>("ttl")?;
            let field_1 = fields.take::<list::Octets<8>>("context")?;
            fields.end()?;
            Ok(then(zmtp::Message::Ping(zmtp::Ping {
                ttl: field_0.get(),
                context: field_1.get(),
            })))
        }
        "PONG" => {
            let mut fields = Fields::new("PONG", values);
            let field_0 = fields.take::<list::Octets<8>>("context")?;
            fields.end()?;
            Ok(then(zmtp::Message::Pong(zmtp::Pong {
                context: field_0.get(),
            })))
        }
        "SUBSCRIBE" => {
            let mut fields = Fields::new("SUBSCRIBE", values);
            let field_0 = fields.take::<list::Octets<8>>("topic")?;
            fields.end()?;
            Ok(then(zmtp::Message::Subscribe(zmtp::Subscribe {
                topic: field_0.get(),
            })))
        }
        "CANCEL" => {
            let mut fields = Fields::new("CANCEL", values);
            let field_0 = fields.take::<list::Octets<8>>("topic")?;
            fields.end()?;
            Ok(then(zmtp::Message::Cancel(zmtp::Cancel {
                topic: field_0.get(),
            })))
        }
        "SUBSCRIPTION" => {
            let mut fields = Fields::new("SUBSCRIPTION", values);
            let field_0 = fields.take::<list::Octets<8>>("topic")?;
            fields.end()?;
            Ok(then(zmtp::Message::Subscription(zmtp::Subscription {
                topic: field_0.get(),
            })))
        }
        "CANCELLATION" => {
            let mut fields = Fields::new("CANCELLATION", values);
            let field_0 = fields.take::<list::Octets<8>>("topic")?;
            fields.end()?;
            Ok(then(zmtp::Message::Cancellation(zmtp::Cancellation {
                topic: field_0.get(),
            })))
        }
        "SUBSCRIBE-X" => {
            let mut fields = Fields::new("SUBSCRIBE-X", values);
            let field_0 = fields.take::<list::U8>("kind")?;
            let field_1 = fields.take::<list::Octets<8>>("filter")?;
            fields.end()?;
            Ok(then(zmtp::Message::SubscribeX(zmtp::SubscribeX {
                kind: field_0.get(),
                filter: field_1.get(),
            })))
        }
        "CANCEL-X" => {
            let mut fields = Fields::new("CANCEL-X", values);
            let field_0 = fields.take::<list::U8>("kind")?;
            let field_1 = fields.take::<list::Octets<8>>("filter")?;
            fields.end()?;
            Ok(then(zmtp::Message::CancelX(zmtp::CancelX {
                kind: field_0.get(),
                filter: field_1.get(),
            })))
        }
        "SUBSCRIPTION-X" => {
            let mut fields = Fields::new("SUBSCRIPTION-X", values);
            let field_0 = fields.take::<list::U8>("kind")?;
            let field_1 = fields.take::<list::Octets<8>>("filter")?;
            fields.end()?;
            Ok(then(zmtp::Message::SubscriptionX(zmtp::SubscriptionX {
                kind: field_0.get(),
                filter: field_1.get(),
            })))
        }
        "CANCELLATION-X" => {
            let mut fields = Fields::new("CANCELLATION-X", values);
            let field_0 = fields.take::<list::U8>("kind")?;
            let field_1 = fields.take::<list::Octets<8>>("filter")?;
            fields.end()?;
            Ok(then(zmtp::Message::CancellationX(zmtp::CancellationX {
                kind: field_0.get(),
                filter: field_1.get(),
            })))
        }
        _ => Err(format!("no message is called {name}").into()),
    }
}

fn decode_zmtp_1(frame: &[u8], values: &mut Values) -> Result<Vec<u8>, Refusal> {
    let message = match zmtp_1::decode(frame) {
        Ok(message) => message,
        Err(error) => return Ok(not_decoded(error)),
    };
    let again = match message {
        zmtp_1::Message::Frame(message) => {
            values.put::<list::Octets<1>>(message.content, b'b');
            message.encode().map(|frame| vec![frame])
        }
    };
    let frames = again.map_err(|error| format!("what was decoded cannot be encoded: {error}"))?;
    let mut answer = vec![b'+'];
    put_name(&mut answer, message.name());
    values.end(&mut answer);
    put_blob(&mut answer, &one_frame(frames)?);
    Ok(answer)
}

/// Hand the message of that name with these values to `then`.
fn build_zmtp_1<R>(
    name: &str,
    values: &[Value<'_>],
    then: impl FnOnce(zmtp_1::Message<'_>) -> R,
) -> Result<R, Refusal> {
    match name {
        "FRAME" => {
            let mut fields = Fields::new("FRAME", values);
            let field_0 = fields.take::<list::Octets<1>>("content")?;
            fields.end()?;
            Ok(then(zmtp_1::Message::Frame(zmtp_1::Frame {
                content: field_0.get(),
            })))
        }
        _ => Err(format!("no message is called {name}").into()),
    }
}

fn decode_zmtp_2(frame: &[u8], values: &mut Values) -> Result<Vec<u8>, Refusal> {
    let message = match zmtp_2::decode(frame) {
        Ok(message) => message,
        Err(error) => return Ok(not_decoded(error)),
    };
    let again = match message {
        zmtp_2::Message::Greeting(message) => {
            values.put::<list::Member<zmtp_2::SocketType, list::U8>>(message.socket_type, b'b');
            values.put::<list::Octets<1>>(message.identity, b'b');
            message.encode().map(|frame| vec![frame])
        }
    };
    let frames = again.map_err(|error| format!("what was decoded cannot be encoded: {error}"))?;
    let mut answer = vec![b'+'];
    put_name(&mut answer, message.name());
    values.end(&mut answer);
    put_blob(&mut answer, &one_frame(frames)?);
    Ok(answer)
}

/// Hand the message of that name with these values to `then`.
fn build_zmtp_2<R>(
    name: &str,
    values: &[Value<'_>],
    then: impl FnOnce(zmtp_2::Message<'_>) -> R,
) -> Result<R, Refusal> {
    match name {
        "GREETING" => {
            let mut fields = Fields::new("GREETING", values);
            let field_0 =
                fields.take::<list::Member<zmtp_2::SocketType, list::U8>>("socket_type")?;
            let field_1 = fields.take::<list::Octets<1>>("identity")?;
            fields.end()?;
            Ok(then(zmtp_2::Message::Greeting(zmtp_2::Greeting {
                socket_type: field_0.get(),
                identity: field_1.get(),
            })))
        }
        _ => Err(format!("no message is called {name}").into()),
    }
}

fn decode_zmtp_frame(frame: &[u8], values: &mut Values) -> Result<Vec<u8>, Refusal> {
    let message = match zmtp_frame::decode(frame) {
        Ok(message) => message,
        Err(error) => return Ok(not_decoded(error)),
    };
    let again = match message {
        zmtp_frame::Message::Last(message) => {
            values.put::<list::Octets<1>>(message.body, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zmtp_frame::Message::More(message) => {
            values.put::<list::Octets<1>>(message.body, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zmtp_frame::Message::LongLast(message) => {
            values.put::<list::Octets<8>>(message.body, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zmtp_frame::Message::LongMore(message) => {
            values.put::<list::Octets<8>>(message.body, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zmtp_frame::Message::Command(message) => {
            values.put::<list::Octets<1>>(message.body, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zmtp_frame::Message::LongCommand(message) => {
            values.put::<list::Octets<8>>(message.body, b'b');
            message.encode().map(|frame| vec![frame])
        }
    };
    let frames = again.map_err(|error| format!("what was decoded cannot be encoded: {error}"))?;
    let mut answer = vec![b'+'];
    put_name(&mut answer, message.name());
    values.end(&mut answer);
    put_blob(&mut answer, &one_frame(frames)?);
    Ok(answer)
}

/// Hand the message of that name with these values to `then`.
fn build_zmtp_frame<R>(
    name: &str,
    values: &[Value<'_>],
    then: impl FnOnce(zmtp_frame::Message<'_>) -> R,
) -> Result<R, Refusal> {
    match name {
        "LAST" => {
            let mut fields = Fields::new("LAST", values);
            let field_0 = fields.take::<list::Octets<1>>("body")?;
            fields.end()?;
            Ok(then(zmtp_frame::Message::Last(zmtp_frame::Last {
                body: field_0.get(),
            })))
        }
        "MORE" => {
            let mut fields = Fields::new("MORE", values);
            let field_0 = fields.take::<list::Octets<1>>("body")?;
            fields.end()?;
            Ok(then(zmtp_frame::Message::More(zmtp_frame::More {
                body: field_0.get(),
            })))
        }
        "LONG-LAST" => {
            let mut fields = Fields::new("LONG-LAST", values);
            let field_0 = fields.take::<list::Octets<8>>("body")?;
            fields.end()?;
            Ok(then(zmtp_frame::Message::LongLast(zmtp_frame::LongLast {
                body: field_0.get(),
            })))
        }
        "LONG-MORE" => {
            let mut fields = Fields::new("LONG-MORE", values);
            let field_0 = fields.take::<list::Octets<8>>("body")?;
            fields.end()?;
            Ok(then(zmtp_frame::Message::LongMore(zmtp_frame::LongMore {
                body: field_0.get(),
            })))
        }
        "COMMAND" => {
            let mut fields = Fields::new("COMMAND", values);
            let field_0 = fields.take::<list::Octets<1>>("body")?;
            fields.end()?;
            Ok(then(zmtp_frame::Message::Command(zmtp_frame::Command {
                body: field_0.get(),
            })))
        }
        "LONG-COMMAND" => {
            let mut fields = Fields::new("LONG-COMMAND", values);
            let field_0 = fields.take::<list::Octets<8>>("body")?;
            fields.end()?;
            Ok(then(zmtp_frame::Message::LongCommand(
                zmtp_frame::LongCommand {
                    body: field_0.get(),
                },
            )))
        }
        _ => Err(format!("no message is called {name}").into()),
    }
}

impl zeps_client::Host for Recorder<zeps_client::Event> {
    fn send(&mut self, message: zeps::Message<'_>) {
        self.sent(message.encode().map(|frame| vec![frame]));
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
                let mut fields = Fields::new("heartbeat", values);
                fields.end()?;
                Ok(called(self.0.heartbeat()))
            }
            "expired" => {
                let mut fields = Fields::new("expired", values);
                fields.end()?;
                Ok(called(self.0.expired()))
            }
            "malformed" => {
                let mut fields = Fields::new("malformed", values);
                fields.end()?;
                Ok(called(self.0.malformed()))
            }
            "ended" => {
                let mut fields = Fields::new("ended", values);
                fields.end()?;
                Ok(called(self.0.ended()))
            }
            "subscribe_refused" => {
                let mut fields = Fields::new("subscribe_refused", values);
                fields.end()?;
                Ok(called(self.0.subscribe_refused()))
            }
            "open" => {
                let mut fields = Fields::new("open", values);
                let field_0 = fields.take::<list::Text<1>>("stream")?;
                fields.end()?;
                Ok(called(self.0.open(field_0.get())))
            }
            "follow" => {
                let mut fields = Fields::new("follow", values);
                let field_0 = fields.take::<list::Text<1>>("pattern")?;
                let field_1 = fields.take::<list::U64>("latest")?;
                fields.end()?;
                Ok(called(self.0.follow(field_0.get(), field_1.get())))
            }
            "grant" => {
                let mut fields = Fields::new("grant", values);
                let field_0 = fields.take::<list::U64>("octets")?;
                fields.end()?;
                Ok(called(self.0.grant(field_0.get())))
            }
            "post" => {
                let mut fields = Fields::new("post", values);
                let field_0 = fields.take::<list::Text<1>>("key")?;
                let field_1 = fields.take::<list::Octets<4>>("body")?;
                fields.end()?;
                Ok(called(self.0.post(field_0.get(), field_1.get())))
            }
            "probe" => {
                let mut fields = Fields::new("probe", values);
                fields.end()?;
                Ok(called(self.0.probe()))
            }
            "close" => {
                let mut fields = Fields::new("close", values);
                fields.end()?;
                Ok(called(self.0.close()))
            }
            _ => Ok(b'x'),
        }
    }

    fn set(&mut self, variable: &str, fields: &mut Fields<'_, '_>) -> Result<u8, Refusal> {
        match variable {
            "credit" => self.0.context.credit = fields.take::<list::U64>("value")?.get(),
            "pending" => self.0.context.pending = fields.take::<list::U32>("value")?.get(),
            "unanswered" => self.0.context.unanswered = fields.take::<list::U8>("value")?.get(),
            "unanswered_max" => {
                self.0.context.unanswered_max = fields.take::<list::U8>("value")?.get()
            }
            "stale" => self.0.context.stale = fields.take::<list::U8>("value")?.get(),
            "stream" => self.0.context.stream = fields.take::<list::Text<8>>("value")?.get().into(),
            _ => return Ok(b'x'),
        }
        #[allow(unreachable_code)] // a machine may have no variable
        Ok(b'v')
    }

    fn arm(&mut self, action: &str, event: &str) -> u8 {
        let events = [
            zeps_client::Event::Attach,
            zeps_client::Event::AttachOk,
            zeps_client::Event::Subscribe,
            zeps_client::Event::SubscribeOk,
            zeps_client::Event::Credit,
            zeps_client::Event::Publish,
            zeps_client::Event::Deliver,
            zeps_client::Event::Ping,
            zeps_client::Event::PingOk,
            zeps_client::Event::Detach,
            zeps_client::Event::DetachOk,
            zeps_client::Event::Invalid,
            zeps_client::Event::OnHeartbeat,
            zeps_client::Event::OnExpired,
            zeps_client::Event::OnMalformed,
            zeps_client::Event::OnEnded,
            zeps_client::Event::OnSubscribeRefused,
            zeps_client::Event::OnOpen,
            zeps_client::Event::OnFollow,
            zeps_client::Event::OnGrant,
            zeps_client::Event::OnPost,
            zeps_client::Event::OnProbe,
            zeps_client::Event::OnClose,
        ];
        let actions: &[&'static str] = &[
            "attached",
            "attach_refused",
            "detached",
            "broker_lost",
            "subscribed",
            "take_message",
            "answered",
            "read_notice",
            "session_lost",
            "refused",
        ];
        let event = events.into_iter().find(|one| one.name() == event);
        let action = actions.iter().find(|one| **one == action);
        match event.zip(action) {
            Some((event, action)) => self.0.host.arm(action, event),
            None => return b'x',
        }
        b'v'
    }

    fn place(&self) -> (&'static str, bool) {
        (self.0.state().name(), self.0.terminated())
    }

    fn variables(&self, values: &mut Values) {
        values.put::<list::U64>(self.0.context.credit, b'b');
        values.put::<list::U32>(self.0.context.pending, b'b');
        values.put::<list::U8>(self.0.context.unanswered, b'b');
        values.put::<list::U8>(self.0.context.unanswered_max, b'b');
        values.put::<list::U8>(self.0.context.stale, b'b');
        values.put::<list::Text<8>>(&self.0.context.stream, b'b');
    }
}

impl zeps_server::Host for Recorder<zeps_server::Event> {
    fn send(&mut self, message: zeps::Message<'_>) {
        self.sent(message.encode().map(|frame| vec![frame]));
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
                let mut fields = Fields::new("malformed", values);
                fields.end()?;
                Ok(called(self.0.malformed()))
            }
            "attach_refused" => {
                let mut fields = Fields::new("attach_refused", values);
                fields.end()?;
                Ok(called(self.0.attach_refused()))
            }
            "subscribe_refused" => {
                let mut fields = Fields::new("subscribe_refused", values);
                fields.end()?;
                Ok(called(self.0.subscribe_refused()))
            }
            "gap" => {
                let mut fields = Fields::new("gap", values);
                fields.end()?;
                Ok(called(self.0.gap()))
            }
            "expired" => {
                let mut fields = Fields::new("expired", values);
                fields.end()?;
                Ok(called(self.0.expired()))
            }
            "heartbeat" => {
                let mut fields = Fields::new("heartbeat", values);
                fields.end()?;
                Ok(called(self.0.heartbeat()))
            }
            "shutdown" => {
                let mut fields = Fields::new("shutdown", values);
                fields.end()?;
                Ok(called(self.0.shutdown()))
            }
            "deliver" => {
                build_zeps("DELIVER", values, |message| match message {
                    zeps::Message::Deliver(message) => called(self.0.deliver(message)),
                    #[allow(unreachable_patterns)] // a protocol may have one message only
                    _ => b'x',
                })
            }
            _ => Ok(b'x'),
        }
    }

    fn set(&mut self, variable: &str, fields: &mut Fields<'_, '_>) -> Result<u8, Refusal> {
        match variable {
            "credit" => self.0.context.credit = fields.take::<list::U64>("value")?.get(),
            "reason" => self.0.context.reason = fields.take::<list::Text<8>>("value")?.get().into(),
            _ => return Ok(b'x'),
        }
        #[allow(unreachable_code)] // a machine may have no variable
        Ok(b'v')
    }

    fn arm(&mut self, action: &str, event: &str) -> u8 {
        let events = [
            zeps_server::Event::Attach,
            zeps_server::Event::AttachOk,
            zeps_server::Event::Subscribe,
            zeps_server::Event::SubscribeOk,
            zeps_server::Event::Credit,
            zeps_server::Event::Publish,
            zeps_server::Event::Deliver,
            zeps_server::Event::Ping,
            zeps_server::Event::PingOk,
            zeps_server::Event::Detach,
            zeps_server::Event::DetachOk,
            zeps_server::Event::Invalid,
            zeps_server::Event::OnMalformed,
            zeps_server::Event::OnAttachRefused,
            zeps_server::Event::OnSubscribeRefused,
            zeps_server::Event::OnGap,
            zeps_server::Event::OnExpired,
            zeps_server::Event::OnHeartbeat,
            zeps_server::Event::OnShutdown,
            zeps_server::Event::OnDeliver,
        ];
        let actions: &[&'static str] = &[
            "open_stream",
            "close_stream",
            "check_subscription",
            "add_subscription",
            "use_credit",
            "store_message",
        ];
        let event = events.into_iter().find(|one| one.name() == event);
        let action = actions.iter().find(|one| **one == action);
        match event.zip(action) {
            Some((event, action)) => self.0.host.arm(action, event),
            None => return b'x',
        }
        b'v'
    }

    fn place(&self) -> (&'static str, bool) {
        (self.0.state().name(), self.0.terminated())
    }

    fn variables(&self, values: &mut Values) {
        values.put::<list::U64>(self.0.context.credit, b'b');
        values.put::<list::Text<8>>(&self.0.context.reason, b'b');
    }
}

impl zmtp_publisher::Host for Recorder<zmtp_publisher::Event> {
    fn send(&mut self, message: zmtp::Message<'_>) {
        self.sent(message.encode().map(|frame| vec![frame]));
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
                let mut fields = Fields::new("downgrade", values);
                fields.end()?;
                Ok(called(self.0.downgrade()))
            }
            "connected" => {
                let mut fields = Fields::new("connected", values);
                fields.end()?;
                Ok(called(self.0.connected()))
            }
            "introduce" => {
                build_zmtp("READY", values, |message| match message {
                    zmtp::Message::Ready(message) => called(self.0.introduce(message)),
                    #[allow(unreachable_patterns)] // a protocol may have one message only
                    _ => b'x',
                })
            }
            "refused" => {
                let mut fields = Fields::new("refused", values);
                fields.end()?;
                Ok(called(self.0.refused()))
            }
            "heartbeat" => {
                let mut fields = Fields::new("heartbeat", values);
                fields.end()?;
                Ok(called(self.0.heartbeat()))
            }
            "expired" => {
                let mut fields = Fields::new("expired", values);
                fields.end()?;
                Ok(called(self.0.expired()))
            }
            "malformed" => {
                let mut fields = Fields::new("malformed", values);
                fields.end()?;
                Ok(called(self.0.malformed()))
            }
            "unknown" => {
                let mut fields = Fields::new("unknown", values);
                fields.end()?;
                Ok(called(self.0.unknown()))
            }
            "disconnected" => {
                let mut fields = Fields::new("disconnected", values);
                fields.end()?;
                Ok(called(self.0.disconnected()))
            }
            _ => Ok(b'x'),
        }
    }

    fn set(&mut self, variable: &str, fields: &mut Fields<'_, '_>) -> Result<u8, Refusal> {
        match variable {
            "mechanism" => {
                self.0.context.mechanism = fields.take::<list::Octets<8>>("value")?.get().into()
            }
            "minor" => self.0.context.minor = fields.take::<list::U8>("value")?.get(),
            "ttl" => self.0.context.ttl = fields.take::<list::U16>("value")?.get(),
            "unanswered" => self.0.context.unanswered = fields.take::<list::U8>("value")?.get(),
            "unanswered_max" => {
                self.0.context.unanswered_max = fields.take::<list::U8>("value")?.get()
            }
            "reason" => {
                self.0.context.reason = fields.take::<list::Octets<8>>("value")?.get().into()
            }
            _ => return Ok(b'x'),
        }
        #[allow(unreachable_code)] // a machine may have no variable
        Ok(b'v')
    }

    fn arm(&mut self, action: &str, event: &str) -> u8 {
        let events = [
            zmtp_publisher::Event::Greeting,
            zmtp_publisher::Event::Ready,
            zmtp_publisher::Event::Error,
            zmtp_publisher::Event::Ping,
            zmtp_publisher::Event::Pong,
            zmtp_publisher::Event::Subscribe,
            zmtp_publisher::Event::Cancel,
            zmtp_publisher::Event::Subscription,
            zmtp_publisher::Event::Cancellation,
            zmtp_publisher::Event::SubscribeX,
            zmtp_publisher::Event::CancelX,
            zmtp_publisher::Event::SubscriptionX,
            zmtp_publisher::Event::CancellationX,
            zmtp_publisher::Event::OnDowngrade,
            zmtp_publisher::Event::OnConnected,
            zmtp_publisher::Event::OnIntroduce,
            zmtp_publisher::Event::OnRefused,
            zmtp_publisher::Event::OnHeartbeat,
            zmtp_publisher::Event::OnExpired,
            zmtp_publisher::Event::OnMalformed,
            zmtp_publisher::Event::OnUnknown,
            zmtp_publisher::Event::OnDisconnected,
        ];
        let actions: &[&'static str] = &[
            "check_greeting",
            "ask_for_introduction",
            "close_connection",
            "check_peer",
            "opened",
            "peer_refused",
            "add_subscription",
            "remove_subscription",
        ];
        let event = events.into_iter().find(|one| one.name() == event);
        let action = actions.iter().find(|one| **one == action);
        match event.zip(action) {
            Some((event, action)) => self.0.host.arm(action, event),
            None => return b'x',
        }
        b'v'
    }

    fn place(&self) -> (&'static str, bool) {
        (self.0.state().name(), self.0.terminated())
    }

    fn variables(&self, values: &mut Values) {
        values.put::<list::Octets<8>>(&self.0.context.mechanism, b'b');
        values.put::<list::U8>(self.0.context.minor, b'b');
        values.put::<list::U16>(self.0.context.ttl, b'b');
        values.put::<list::U8>(self.0.context.unanswered, b'b');
        values.put::<list::U8>(self.0.context.unanswered_max, b'b');
        values.put::<list::Octets<8>>(&self.0.context.reason, b'b');
    }
}

impl zmtp_subscriber::Host for Recorder<zmtp_subscriber::Event> {
    fn send(&mut self, message: zmtp::Message<'_>) {
        self.sent(message.encode().map(|frame| vec![frame]));
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
                let mut fields = Fields::new("downgrade", values);
                fields.end()?;
                Ok(called(self.0.downgrade()))
            }
            "connected" => {
                let mut fields = Fields::new("connected", values);
                fields.end()?;
                Ok(called(self.0.connected()))
            }
            "introduce" => {
                build_zmtp("READY", values, |message| match message {
                    zmtp::Message::Ready(message) => called(self.0.introduce(message)),
                    #[allow(unreachable_patterns)] // a protocol may have one message only
                    _ => b'x',
                })
            }
            "refused" => {
                let mut fields = Fields::new("refused", values);
                fields.end()?;
                Ok(called(self.0.refused()))
            }
            "heartbeat" => {
                let mut fields = Fields::new("heartbeat", values);
                fields.end()?;
                Ok(called(self.0.heartbeat()))
            }
            "expired" => {
                let mut fields = Fields::new("expired", values);
                fields.end()?;
                Ok(called(self.0.expired()))
            }
            "malformed" => {
                let mut fields = Fields::new("malformed", values);
                fields.end()?;
                Ok(called(self.0.malformed()))
            }
            "unknown" => {
                let mut fields = Fields::new("unknown", values);
                fields.end()?;
                Ok(called(self.0.unknown()))
            }
            "disconnected" => {
                let mut fields = Fields::new("disconnected", values);
                fields.end()?;
                Ok(called(self.0.disconnected()))
            }
            "subscribe" => {
                let mut fields = Fields::new("subscribe", values);
                let field_0 = fields.take::<list::Octets<4>>("topic")?;
                fields.end()?;
                Ok(called(self.0.subscribe(field_0.get())))
            }
            "unsubscribe" => {
                let mut fields = Fields::new("unsubscribe", values);
                let field_0 = fields.take::<list::Octets<4>>("topic")?;
                fields.end()?;
                Ok(called(self.0.unsubscribe(field_0.get())))
            }
            "subscribe_filter" => {
                let mut fields = Fields::new("subscribe_filter", values);
                let field_0 = fields.take::<list::U8>("kind")?;
                let field_1 = fields.take::<list::Octets<4>>("octets")?;
                fields.end()?;
                Ok(called(
                    self.0.subscribe_filter(field_0.get(), field_1.get()),
                ))
            }
            "unsubscribe_filter" => {
                let mut fields = Fields::new("unsubscribe_filter", values);
                let field_0 = fields.take::<list::U8>("kind")?;
                let field_1 = fields.take::<list::Octets<4>>("octets")?;
                fields.end()?;
                Ok(called(
                    self.0.unsubscribe_filter(field_0.get(), field_1.get()),
                ))
            }
            _ => Ok(b'x'),
        }
    }

    fn set(&mut self, variable: &str, fields: &mut Fields<'_, '_>) -> Result<u8, Refusal> {
        match variable {
            "mechanism" => {
                self.0.context.mechanism = fields.take::<list::Octets<8>>("value")?.get().into()
            }
            "minor" => self.0.context.minor = fields.take::<list::U8>("value")?.get(),
            "peer_minor" => self.0.context.peer_minor = fields.take::<list::U8>("value")?.get(),
            "ttl" => self.0.context.ttl = fields.take::<list::U16>("value")?.get(),
            "unanswered" => self.0.context.unanswered = fields.take::<list::U8>("value")?.get(),
            "unanswered_max" => {
                self.0.context.unanswered_max = fields.take::<list::U8>("value")?.get()
            }
            "reason" => {
                self.0.context.reason = fields.take::<list::Octets<8>>("value")?.get().into()
            }
            _ => return Ok(b'x'),
        }
        #[allow(unreachable_code)] // a machine may have no variable
        Ok(b'v')
    }

    fn arm(&mut self, action: &str, event: &str) -> u8 {
        let events = [
            zmtp_subscriber::Event::Greeting,
            zmtp_subscriber::Event::Ready,
            zmtp_subscriber::Event::Error,
            zmtp_subscriber::Event::Ping,
            zmtp_subscriber::Event::Pong,
            zmtp_subscriber::Event::Subscribe,
            zmtp_subscriber::Event::Cancel,
            zmtp_subscriber::Event::Subscription,
            zmtp_subscriber::Event::Cancellation,
            zmtp_subscriber::Event::SubscribeX,
            zmtp_subscriber::Event::CancelX,
            zmtp_subscriber::Event::SubscriptionX,
            zmtp_subscriber::Event::CancellationX,
            zmtp_subscriber::Event::OnDowngrade,
            zmtp_subscriber::Event::OnConnected,
            zmtp_subscriber::Event::OnIntroduce,
            zmtp_subscriber::Event::OnRefused,
            zmtp_subscriber::Event::OnHeartbeat,
            zmtp_subscriber::Event::OnExpired,
            zmtp_subscriber::Event::OnMalformed,
            zmtp_subscriber::Event::OnUnknown,
            zmtp_subscriber::Event::OnDisconnected,
            zmtp_subscriber::Event::OnSubscribe,
            zmtp_subscriber::Event::OnUnsubscribe,
            zmtp_subscriber::Event::OnSubscribeFilter,
            zmtp_subscriber::Event::OnUnsubscribeFilter,
        ];
        let actions: &[&'static str] = &[
            "check_greeting",
            "ask_for_introduction",
            "close_connection",
            "check_peer",
            "opened",
            "peer_refused",
        ];
        let event = events.into_iter().find(|one| one.name() == event);
        let action = actions.iter().find(|one| **one == action);
        match event.zip(action) {
            Some((event, action)) => self.0.host.arm(action, event),
            None => return b'x',
        }
        b'v'
    }

    fn place(&self) -> (&'static str, bool) {
        (self.0.state().name(), self.0.terminated())
    }

    fn variables(&self, values: &mut Values) {
        values.put::<list::Octets<8>>(&self.0.context.mechanism, b'b');
        values.put::<list::U8>(self.0.context.minor, b'b');
        values.put::<list::U8>(self.0.context.peer_minor, b'b');
        values.put::<list::U16>(self.0.context.ttl, b'b');
        values.put::<list::U8>(self.0.context.unanswered, b'b');
        values.put::<list::U8>(self.0.context.unanswered_max, b'b');
        values.put::<list::Octets<8>>(&self.0.context.reason, b'b');
    }
}
