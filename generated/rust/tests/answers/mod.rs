//! Answers the driver's requests: maps the names of the models to the types of the crate.

// a model may lack some kinds of parts, or have only one
#![allow(clippy::match_single_binding, unused_imports, unused_variables)]

mod costs;
mod fields;
mod request;
mod runner;

use costs::measured;
use fields::{Fields, Values};
use request::{put_blob, put_count, put_name, refused, Cursor, Refusal, Value};
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
use zeps_wire::{list, Code, DecodeError, Encode, EncodeError, EncodeFrames, MachineError};

/// The answer to a request, without the lengths of frames.
pub fn handle(request: &[u8]) -> Vec<u8> {
    let mut cursor = Cursor::new(request);
    answer(&mut cursor).unwrap_or_else(refused)
}

fn answer(cursor: &mut Cursor<'_>) -> Result<Vec<u8>, Refusal> {
    let kind = cursor.octet()?;
    let mut answer = vec![b'+'];
    match kind {
        b'I' => {
            cursor.end()?;
            let names = [
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
            answer = vec![b'I'];
            put_name(&mut answer, "rust");
            put_count(&mut answer, names.len());
            names.iter().for_each(|name| put_name(&mut answer, name));
        }
        b'D' | b'd' => {
            let protocol = cursor.name()?;
            let frames = if kind == b'd' {
                cursor.blobs()?
            } else {
                vec![cursor.blob()?]
            };
            cursor.end()?;
            let mut values = Values::default();
            let (name, again) = match protocol {
                "journal" => {
                    let message = read_journal(&frames)?;
                    (message.name(), show_journal(message, &mut values))
                }
                "zeps" => {
                    let message = read_zeps(&frames)?;
                    (message.name(), show_zeps(message, &mut values))
                }
                "zmtp" => {
                    let message = read_zmtp(&frames)?;
                    (message.name(), show_zmtp(message, &mut values))
                }
                "zmtp_1" => {
                    let message = read_zmtp_1(&frames)?;
                    (message.name(), show_zmtp_1(message, &mut values))
                }
                "zmtp_2" => {
                    let message = read_zmtp_2(&frames)?;
                    (message.name(), show_zmtp_2(message, &mut values))
                }
                "zmtp_frame" => {
                    let message = read_zmtp_frame(&frames)?;
                    (message.name(), show_zmtp_frame(message, &mut values))
                }
                _ => return Err(format!("unknown protocol {protocol}").into()),
            };
            put_name(&mut answer, name);
            values.end(&mut answer);
            put_frames(kind == b'd', again, &mut answer)?;
        }
        b'E' | b'e' => {
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
                _ => return Err(format!("unknown protocol {protocol}").into()),
            };
            put_frames(kind == b'e', frames, &mut answer)?;
        }
        b'b' => {
            let (protocol, count, frames) = (cursor.name()?, cursor.octet()?, cursor.blobs()?);
            cursor.end()?;
            answer = match protocol {
                "journal" => measured(count, || read_journal(&frames)),
                "zeps" => measured(count, || read_zeps(&frames)),
                "zmtp" => measured(count, || read_zmtp(&frames)),
                "zmtp_1" => measured(count, || read_zmtp_1(&frames)),
                "zmtp_2" => measured(count, || read_zmtp_2(&frames)),
                "zmtp_frame" => measured(count, || read_zmtp_frame(&frames)),
                _ => return Err(format!("unknown protocol {protocol}").into()),
            };
        }
        b'M' => match cursor.name()? {
            "zeps_client" => {
                return run(
                    Runner0(zeps_client::Machine::new(Recorder::default())),
                    cursor,
                )
            }
            "zeps_server" => {
                return run(
                    Runner1(zeps_server::Machine::new(Recorder::default())),
                    cursor,
                )
            }
            "zmtp_publisher" => {
                return run(
                    Runner2(zmtp_publisher::Machine::new(Recorder::default())),
                    cursor,
                )
            }
            "zmtp_subscriber" => {
                return run(
                    Runner3(zmtp_subscriber::Machine::new(Recorder::default())),
                    cursor,
                )
            }
            name => return Err(format!("unknown machine {name}").into()),
        },
        other => return Err(format!("unknown kind of request {other:#04x}").into()),
    }
    Ok(answer)
}

fn put_frames(
    several: bool,
    frames: Result<Vec<Vec<u8>>, EncodeError>,
    answer: &mut Vec<u8>,
) -> Result<(), Refusal> {
    let frames = frames.map_err(Refusal::Value)?;
    if several {
        put_count(answer, frames.len());
    } else if frames.len() > 1 {
        return Err("the message has several frames".into());
    }
    frames.iter().for_each(|frame| put_blob(answer, frame));
    Ok(())
}

fn read_journal<'f>(frames: &'f [&'f [u8]]) -> Result<journal::Message<'f>, DecodeError> {
    let message = journal::decode(frames.first().copied().unwrap_or_default())?;
    if frames.len() > 1 {
        let (code, message, offset) = (Code::Trailing, Some(message.name()), frames[0].len());
        return Err(DecodeError {
            code,
            message,
            field: None,
            offset,
        });
    }
    Ok(message)
}

fn show_journal(
    message: journal::Message<'_>,
    values: &mut Values,
) -> Result<Vec<Vec<u8>>, EncodeError> {
    match message {
        journal::Message::Segment(message) => {
            values.put::<list::U64>(message.first_sequence, b'b');
            values.put::<list::U64>(message.created, b'b');
            values.put::<list::Text<8>>(message.stream, b's');
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
    }
}

/// Calls `then` with the message that has this name and these values.
fn build_journal<R>(
    name: &str,
    values: &[Value<'_>],
    then: impl FnOnce(journal::Message<'_>) -> R,
) -> Result<R, Refusal> {
    match name {
        "SEGMENT" => {
            let mut fields = Fields::new("SEGMENT", values);
            let field_1 = fields.take::<list::U64>("first_sequence")?;
            let field_2 = fields.take::<list::U64>("created")?;
            let field_3 = fields.take::<list::Text<8>>("stream")?;
            fields.end()?;
            Ok(then(journal::Message::Segment(journal::Segment {
                first_sequence: field_1.get(),
                created: field_2.get(),
                stream: field_3.get(),
            })))
        }
        "BLOCK" => {
            let mut fields = Fields::new("BLOCK", values);
            let field_1 = fields.take::<list::U32>("checksum")?;
            let field_2 = fields.take::<list::U32>("index_checksum")?;
            let field_3 = fields.take::<list::U64>("first_sequence")?;
            let field_4 = fields.take::<list::U64>("first_time")?;
            let field_5 = fields.take::<list::U64>("last_time")?;
            let field_6 = fields.take::<list::Nested<list::U64, 8>>("times")?;
            let field_7 = fields.take::<list::Nested<list::U32, 8>>("ends")?;
            let field_8 = fields.take::<list::Nested<list::U16, 8>>("key_numbers")?;
            let field_9 = fields.take::<list::Nested<list::U32, 8>>("page_checksums")?;
            let field_10 = fields.take::<list::Nested<list::U32, 8>>("key_ends")?;
            let field_11 = fields.take::<list::Octets<8>>("keys")?;
            let field_12 = fields.take::<list::Octets<8>>("frames")?;
            fields.end()?;
            Ok(then(journal::Message::Block(journal::Block {
                checksum: field_1.get(),
                index_checksum: field_2.get(),
                first_sequence: field_3.get(),
                first_time: field_4.get(),
                last_time: field_5.get(),
                times: field_6.get(),
                ends: field_7.get(),
                key_numbers: field_8.get(),
                page_checksums: field_9.get(),
                key_ends: field_10.get(),
                keys: field_11.get(),
                frames: field_12.get(),
            })))
        }
        _ => Err(format!("unknown message {name}").into()),
    }
}

fn read_zeps<'f>(frames: &'f [&'f [u8]]) -> Result<zeps::Message<'f>, DecodeError> {
    let message = zeps::decode(frames.first().copied().unwrap_or_default())?;
    if frames.len() > 1 {
        let (code, message, offset) = (Code::Trailing, Some(message.name()), frames[0].len());
        return Err(DecodeError {
            code,
            message,
            field: None,
            offset,
        });
    }
    Ok(message)
}

fn show_zeps(message: zeps::Message<'_>, values: &mut Values) -> Result<Vec<Vec<u8>>, EncodeError> {
    match message {
        zeps::Message::Attach(message) => {
            values.put::<list::Text<8>>(message.stream, b's');
            message.encode().map(|frame| vec![frame])
        }
        zeps::Message::AttachOk(message) => message.encode().map(|frame| vec![frame]),
        zeps::Message::Subscribe(message) => {
            values.put::<list::Text<8>>(message.pattern, b's');
            values.put::<list::U64>(message.latest, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zeps::Message::SubscribeOk(message) => message.encode().map(|frame| vec![frame]),
        zeps::Message::Credit(message) => {
            values.put::<list::U64>(message.credit, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zeps::Message::Publish(message) => {
            values.put::<list::Text<8>>(message.key, b's');
            values.put::<list::Octets<8>>(message.body, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zeps::Message::Deliver(message) => {
            values.put::<list::U64>(message.sequence, b'b');
            values.put::<list::Text<8>>(message.key, b's');
            values.put::<list::Octets<8>>(message.body, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zeps::Message::Ping(message) => message.encode().map(|frame| vec![frame]),
        zeps::Message::PingOk(message) => message.encode().map(|frame| vec![frame]),
        zeps::Message::Detach(message) => message.encode().map(|frame| vec![frame]),
        zeps::Message::DetachOk(message) => message.encode().map(|frame| vec![frame]),
        zeps::Message::Invalid(message) => {
            values.put::<list::Text<8>>(message.reason, b's');
            message.encode().map(|frame| vec![frame])
        }
    }
}

/// Calls `then` with the message that has this name and these values.
fn build_zeps<R>(
    name: &str,
    values: &[Value<'_>],
    then: impl FnOnce(zeps::Message<'_>) -> R,
) -> Result<R, Refusal> {
    match name {
        "ATTACH" => {
            let mut fields = Fields::new("ATTACH", values);
            let field_1 = fields.take::<list::Text<8>>("stream")?;
            fields.end()?;
            Ok(then(zeps::Message::Attach(zeps::Attach {
                stream: field_1.get(),
            })))
        }
        "ATTACH-OK" => {
            let mut fields = Fields::new("ATTACH-OK", values);
            fields.end()?;
            Ok(then(zeps::Message::AttachOk(zeps::AttachOk)))
        }
        "SUBSCRIBE" => {
            let mut fields = Fields::new("SUBSCRIBE", values);
            let field_1 = fields.take::<list::Text<8>>("pattern")?;
            let field_2 = fields.take::<list::U64>("latest")?;
            fields.end()?;
            Ok(then(zeps::Message::Subscribe(zeps::Subscribe {
                pattern: field_1.get(),
                latest: field_2.get(),
            })))
        }
        "SUBSCRIBE-OK" => {
            let mut fields = Fields::new("SUBSCRIBE-OK", values);
            fields.end()?;
            Ok(then(zeps::Message::SubscribeOk(zeps::SubscribeOk)))
        }
        "CREDIT" => {
            let mut fields = Fields::new("CREDIT", values);
            let field_1 = fields.take::<list::U64>("credit")?;
            fields.end()?;
            Ok(then(zeps::Message::Credit(zeps::Credit {
                credit: field_1.get(),
            })))
        }
        "PUBLISH" => {
            let mut fields = Fields::new("PUBLISH", values);
            let field_1 = fields.take::<list::Text<8>>("key")?;
            let field_2 = fields.take::<list::Octets<8>>("body")?;
            fields.end()?;
            Ok(then(zeps::Message::Publish(zeps::Publish {
                key: field_1.get(),
                body: field_2.get(),
            })))
        }
        "DELIVER" => {
            let mut fields = Fields::new("DELIVER", values);
            let field_1 = fields.take::<list::U64>("sequence")?;
            let field_2 = fields.take::<list::Text<8>>("key")?;
            let field_3 = fields.take::<list::Octets<8>>("body")?;
            fields.end()?;
            Ok(then(zeps::Message::Deliver(zeps::Deliver {
                sequence: field_1.get(),
                key: field_2.get(),
                body: field_3.get(),
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
            let field_1 = fields.take::<list::Text<8>>("reason")?;
            fields.end()?;
            Ok(then(zeps::Message::Invalid(zeps::Invalid {
                reason: field_1.get(),
            })))
        }
        _ => Err(format!("unknown message {name}").into()),
    }
}

fn read_zmtp<'f>(frames: &'f [&'f [u8]]) -> Result<zmtp::Message<'f>, DecodeError> {
    let message = zmtp::decode(frames.first().copied().unwrap_or_default())?;
    if frames.len() > 1 {
        let (code, message, offset) = (Code::Trailing, Some(message.name()), frames[0].len());
        return Err(DecodeError {
            code,
            message,
            field: None,
            offset,
        });
    }
    Ok(message)
}

fn show_zmtp(message: zmtp::Message<'_>, values: &mut Values) -> Result<Vec<Vec<u8>>, EncodeError> {
    match message {
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
            values.put::<list::Octets<8>>(message.reason, b's');
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
    }
}

/// Calls `then` with the message that has this name and these values.
fn build_zmtp<R>(
    name: &str,
    values: &[Value<'_>],
    then: impl FnOnce(zmtp::Message<'_>) -> R,
) -> Result<R, Refusal> {
    match name {
        "GREETING" => {
            let mut fields = Fields::new("GREETING", values);
            let field_1 = fields.take::<list::U8>("major")?;
            let field_2 = fields.take::<list::U8>("minor")?;
            let field_3 = fields.take::<list::Fixed<20>>("mechanism")?;
            let field_4 = fields.take::<list::U8>("as_server")?;
            fields.end()?;
            Ok(then(zmtp::Message::Greeting(zmtp::Greeting {
                major: field_1.get(),
                minor: field_2.get(),
                mechanism: field_3.get(),
                as_server: field_4.get(),
            })))
        }
        "READY" => {
            let mut fields = Fields::new("READY", values);
            let field_1 = fields
                .take::<list::Nested<list::Pair<list::Octets<1>, list::Octets<4>>, 8>>(
                    "properties",
                )?;
            fields.end()?;
            Ok(then(zmtp::Message::Ready(zmtp::Ready {
                properties: field_1.get(),
            })))
        }
        "ERROR" => {
            let mut fields = Fields::new("ERROR", values);
            let field_1 = fields.take::<list::Octets<8>>("reason")?;
            fields.end()?;
            Ok(then(zmtp::Message::Error(zmtp::Error {
                reason: field_1.get(),
            })))
        }
        "PING" => {
            let mut fields = Fields::new("PING", values);
            let field_1 = fields.take::<list::U16>("ttl")?;
            let field_2 = fields.take::<list::Octets<8>>("context")?;
            fields.end()?;
            Ok(then(zmtp::Message::Ping(zmtp::Ping {
                ttl: field_1.get(),
                context: field_2.get(),
            })))
        }
        "PONG" => {
            let mut fields = Fields::new("PONG", values);
            let field_1 = fields.take::<list::Octets<8>>("context")?;
            fields.end()?;
            Ok(then(zmtp::Message::Pong(zmtp::Pong {
                context: field_1.get(),
            })))
        }
        "SUBSCRIBE" => {
            let mut fields = Fields::new("SUBSCRIBE", values);
            let field_1 = fields.take::<list::Octets<8>>("topic")?;
            fields.end()?;
            Ok(then(zmtp::Message::Subscribe(zmtp::Subscribe {
                topic: field_1.get(),
            })))
        }
        "CANCEL" => {
            let mut fields = Fields::new("CANCEL", values);
            let field_1 = fields.take::<list::Octets<8>>("topic")?;
            fields.end()?;
            Ok(then(zmtp::Message::Cancel(zmtp::Cancel {
                topic: field_1.get(),
            })))
        }
        "SUBSCRIPTION" => {
            let mut fields = Fields::new("SUBSCRIPTION", values);
            let field_1 = fields.take::<list::Octets<8>>("topic")?;
            fields.end()?;
            Ok(then(zmtp::Message::Subscription(zmtp::Subscription {
                topic: field_1.get(),
            })))
        }
        "CANCELLATION" => {
            let mut fields = Fields::new("CANCELLATION", values);
            let field_1 = fields.take::<list::Octets<8>>("topic")?;
            fields.end()?;
            Ok(then(zmtp::Message::Cancellation(zmtp::Cancellation {
                topic: field_1.get(),
            })))
        }
        "SUBSCRIBE-X" => {
            let mut fields = Fields::new("SUBSCRIBE-X", values);
            let field_1 = fields.take::<list::U8>("kind")?;
            let field_2 = fields.take::<list::Octets<8>>("filter")?;
            fields.end()?;
            Ok(then(zmtp::Message::SubscribeX(zmtp::SubscribeX {
                kind: field_1.get(),
                filter: field_2.get(),
            })))
        }
        "CANCEL-X" => {
            let mut fields = Fields::new("CANCEL-X", values);
            let field_1 = fields.take::<list::U8>("kind")?;
            let field_2 = fields.take::<list::Octets<8>>("filter")?;
            fields.end()?;
            Ok(then(zmtp::Message::CancelX(zmtp::CancelX {
                kind: field_1.get(),
                filter: field_2.get(),
            })))
        }
        "SUBSCRIPTION-X" => {
            let mut fields = Fields::new("SUBSCRIPTION-X", values);
            let field_1 = fields.take::<list::U8>("kind")?;
            let field_2 = fields.take::<list::Octets<8>>("filter")?;
            fields.end()?;
            Ok(then(zmtp::Message::SubscriptionX(zmtp::SubscriptionX {
                kind: field_1.get(),
                filter: field_2.get(),
            })))
        }
        "CANCELLATION-X" => {
            let mut fields = Fields::new("CANCELLATION-X", values);
            let field_1 = fields.take::<list::U8>("kind")?;
            let field_2 = fields.take::<list::Octets<8>>("filter")?;
            fields.end()?;
            Ok(then(zmtp::Message::CancellationX(zmtp::CancellationX {
                kind: field_1.get(),
                filter: field_2.get(),
            })))
        }
        _ => Err(format!("unknown message {name}").into()),
    }
}

fn read_zmtp_1<'f>(frames: &'f [&'f [u8]]) -> Result<zmtp_1::Message<'f>, DecodeError> {
    let message = zmtp_1::decode(frames.first().copied().unwrap_or_default())?;
    if frames.len() > 1 {
        let (code, message, offset) = (Code::Trailing, Some(message.name()), frames[0].len());
        return Err(DecodeError {
            code,
            message,
            field: None,
            offset,
        });
    }
    Ok(message)
}

fn show_zmtp_1(
    message: zmtp_1::Message<'_>,
    values: &mut Values,
) -> Result<Vec<Vec<u8>>, EncodeError> {
    match message {
        zmtp_1::Message::Frame(message) => {
            values.put::<list::Octets<8>>(message.content, b'b');
            message.encode().map(|frame| vec![frame])
        }
    }
}

/// Calls `then` with the message that has this name and these values.
fn build_zmtp_1<R>(
    name: &str,
    values: &[Value<'_>],
    then: impl FnOnce(zmtp_1::Message<'_>) -> R,
) -> Result<R, Refusal> {
    match name {
        "FRAME" => {
            let mut fields = Fields::new("FRAME", values);
            let field_1 = fields.take::<list::Octets<8>>("content")?;
            fields.end()?;
            Ok(then(zmtp_1::Message::Frame(zmtp_1::Frame {
                content: field_1.get(),
            })))
        }
        _ => Err(format!("unknown message {name}").into()),
    }
}

fn read_zmtp_2<'f>(frames: &'f [&'f [u8]]) -> Result<zmtp_2::Message<'f>, DecodeError> {
    let message = zmtp_2::decode(frames.first().copied().unwrap_or_default())?;
    if frames.len() > 1 {
        let (code, message, offset) = (Code::Trailing, Some(message.name()), frames[0].len());
        return Err(DecodeError {
            code,
            message,
            field: None,
            offset,
        });
    }
    Ok(message)
}

fn show_zmtp_2(
    message: zmtp_2::Message<'_>,
    values: &mut Values,
) -> Result<Vec<Vec<u8>>, EncodeError> {
    match message {
        zmtp_2::Message::Greeting(message) => {
            values.put::<list::Member<zmtp_2::SocketType, list::U8>>(message.socket_type, b'b');
            values.put::<list::Octets<8>>(message.identity, b'b');
            message.encode().map(|frame| vec![frame])
        }
    }
}

/// Calls `then` with the message that has this name and these values.
fn build_zmtp_2<R>(
    name: &str,
    values: &[Value<'_>],
    then: impl FnOnce(zmtp_2::Message<'_>) -> R,
) -> Result<R, Refusal> {
    match name {
        "GREETING" => {
            let mut fields = Fields::new("GREETING", values);
            let field_1 =
                fields.take::<list::Member<zmtp_2::SocketType, list::U8>>("socket_type")?;
            let field_2 = fields.take::<list::Octets<8>>("identity")?;
            fields.end()?;
            Ok(then(zmtp_2::Message::Greeting(zmtp_2::Greeting {
                socket_type: field_1.get(),
                identity: field_2.get(),
            })))
        }
        _ => Err(format!("unknown message {name}").into()),
    }
}

fn read_zmtp_frame<'f>(frames: &'f [&'f [u8]]) -> Result<zmtp_frame::Message<'f>, DecodeError> {
    let message = zmtp_frame::decode(frames.first().copied().unwrap_or_default())?;
    if frames.len() > 1 {
        let (code, message, offset) = (Code::Trailing, Some(message.name()), frames[0].len());
        return Err(DecodeError {
            code,
            message,
            field: None,
            offset,
        });
    }
    Ok(message)
}

fn show_zmtp_frame(
    message: zmtp_frame::Message<'_>,
    values: &mut Values,
) -> Result<Vec<Vec<u8>>, EncodeError> {
    match message {
        zmtp_frame::Message::Last(message) => {
            values.put::<list::Octets<8>>(message.body, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zmtp_frame::Message::More(message) => {
            values.put::<list::Octets<8>>(message.body, b'b');
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
            values.put::<list::Octets<8>>(message.body, b'b');
            message.encode().map(|frame| vec![frame])
        }
        zmtp_frame::Message::LongCommand(message) => {
            values.put::<list::Octets<8>>(message.body, b'b');
            message.encode().map(|frame| vec![frame])
        }
    }
}

/// Calls `then` with the message that has this name and these values.
fn build_zmtp_frame<R>(
    name: &str,
    values: &[Value<'_>],
    then: impl FnOnce(zmtp_frame::Message<'_>) -> R,
) -> Result<R, Refusal> {
    match name {
        "LAST" => {
            let mut fields = Fields::new("LAST", values);
            let field_1 = fields.take::<list::Octets<8>>("body")?;
            fields.end()?;
            Ok(then(zmtp_frame::Message::Last(zmtp_frame::Last {
                body: field_1.get(),
            })))
        }
        "MORE" => {
            let mut fields = Fields::new("MORE", values);
            let field_1 = fields.take::<list::Octets<8>>("body")?;
            fields.end()?;
            Ok(then(zmtp_frame::Message::More(zmtp_frame::More {
                body: field_1.get(),
            })))
        }
        "LONG-LAST" => {
            let mut fields = Fields::new("LONG-LAST", values);
            let field_1 = fields.take::<list::Octets<8>>("body")?;
            fields.end()?;
            Ok(then(zmtp_frame::Message::LongLast(zmtp_frame::LongLast {
                body: field_1.get(),
            })))
        }
        "LONG-MORE" => {
            let mut fields = Fields::new("LONG-MORE", values);
            let field_1 = fields.take::<list::Octets<8>>("body")?;
            fields.end()?;
            Ok(then(zmtp_frame::Message::LongMore(zmtp_frame::LongMore {
                body: field_1.get(),
            })))
        }
        "COMMAND" => {
            let mut fields = Fields::new("COMMAND", values);
            let field_1 = fields.take::<list::Octets<8>>("body")?;
            fields.end()?;
            Ok(then(zmtp_frame::Message::Command(zmtp_frame::Command {
                body: field_1.get(),
            })))
        }
        "LONG-COMMAND" => {
            let mut fields = Fields::new("LONG-COMMAND", values);
            let field_1 = fields.take::<list::Octets<8>>("body")?;
            fields.end()?;
            Ok(then(zmtp_frame::Message::LongCommand(
                zmtp_frame::LongCommand {
                    body: field_1.get(),
                },
            )))
        }
        _ => Err(format!("unknown message {name}").into()),
    }
}

impl zeps_client::Host for Recorder {
    fn send(&mut self, context: &mut zeps_client::Context, message: zeps::Message<'_>) {
        self.sent(message.encode().map(|frame| vec![frame]));
    }

    fn attached(&mut self, context: &mut zeps_client::Context, _message: &zeps::AttachOk) {
        let (failed, raised) = self.act("attached");
        if raised == Some("ended") {
            assert!(context.raise(zeps_client::InternalEvent::OnEnded));
        }
        if failed == Some("ended") {
            assert!(context.fail(zeps_client::InternalEvent::OnEnded));
        }
        if raised == Some("subscribe_refused") {
            assert!(context.raise(zeps_client::InternalEvent::OnSubscribeRefused));
        }
        if failed == Some("subscribe_refused") {
            assert!(context.fail(zeps_client::InternalEvent::OnSubscribeRefused));
        }
    }

    fn attach_refused(&mut self, context: &mut zeps_client::Context, _message: &zeps::Invalid<'_>) {
        let (failed, raised) = self.act("attach_refused");
        if raised == Some("ended") {
            assert!(context.raise(zeps_client::InternalEvent::OnEnded));
        }
        if failed == Some("ended") {
            assert!(context.fail(zeps_client::InternalEvent::OnEnded));
        }
        if raised == Some("subscribe_refused") {
            assert!(context.raise(zeps_client::InternalEvent::OnSubscribeRefused));
        }
        if failed == Some("subscribe_refused") {
            assert!(context.fail(zeps_client::InternalEvent::OnSubscribeRefused));
        }
    }

    fn detached(&mut self, context: &mut zeps_client::Context, _input: &zeps_client::Input<'_>) {
        let (failed, raised) = self.act("detached");
        if raised == Some("ended") {
            assert!(context.raise(zeps_client::InternalEvent::OnEnded));
        }
        if failed == Some("ended") {
            assert!(context.fail(zeps_client::InternalEvent::OnEnded));
        }
        if raised == Some("subscribe_refused") {
            assert!(context.raise(zeps_client::InternalEvent::OnSubscribeRefused));
        }
        if failed == Some("subscribe_refused") {
            assert!(context.fail(zeps_client::InternalEvent::OnSubscribeRefused));
        }
    }

    fn broker_lost(&mut self, context: &mut zeps_client::Context, _input: &zeps_client::Input<'_>) {
        let (failed, raised) = self.act("broker_lost");
        if raised == Some("ended") {
            assert!(context.raise(zeps_client::InternalEvent::OnEnded));
        }
        if failed == Some("ended") {
            assert!(context.fail(zeps_client::InternalEvent::OnEnded));
        }
        if raised == Some("subscribe_refused") {
            assert!(context.raise(zeps_client::InternalEvent::OnSubscribeRefused));
        }
        if failed == Some("subscribe_refused") {
            assert!(context.fail(zeps_client::InternalEvent::OnSubscribeRefused));
        }
    }

    fn subscribed(&mut self, context: &mut zeps_client::Context, _message: &zeps::SubscribeOk) {
        let (failed, raised) = self.act("subscribed");
        if raised == Some("ended") {
            assert!(context.raise(zeps_client::InternalEvent::OnEnded));
        }
        if failed == Some("ended") {
            assert!(context.fail(zeps_client::InternalEvent::OnEnded));
        }
        if raised == Some("subscribe_refused") {
            assert!(context.raise(zeps_client::InternalEvent::OnSubscribeRefused));
        }
        if failed == Some("subscribe_refused") {
            assert!(context.fail(zeps_client::InternalEvent::OnSubscribeRefused));
        }
    }

    fn take_message(&mut self, context: &mut zeps_client::Context, _message: &zeps::Deliver<'_>) {
        let (failed, raised) = self.act("take_message");
        if raised == Some("ended") {
            assert!(context.raise(zeps_client::InternalEvent::OnEnded));
        }
        if failed == Some("ended") {
            assert!(context.fail(zeps_client::InternalEvent::OnEnded));
        }
        if raised == Some("subscribe_refused") {
            assert!(context.raise(zeps_client::InternalEvent::OnSubscribeRefused));
        }
        if failed == Some("subscribe_refused") {
            assert!(context.fail(zeps_client::InternalEvent::OnSubscribeRefused));
        }
    }

    fn answered(&mut self, context: &mut zeps_client::Context, _message: &zeps::PingOk) {
        let (failed, raised) = self.act("answered");
        if raised == Some("ended") {
            assert!(context.raise(zeps_client::InternalEvent::OnEnded));
        }
        if failed == Some("ended") {
            assert!(context.fail(zeps_client::InternalEvent::OnEnded));
        }
        if raised == Some("subscribe_refused") {
            assert!(context.raise(zeps_client::InternalEvent::OnSubscribeRefused));
        }
        if failed == Some("subscribe_refused") {
            assert!(context.fail(zeps_client::InternalEvent::OnSubscribeRefused));
        }
    }

    fn read_notice(&mut self, context: &mut zeps_client::Context, _message: &zeps::Invalid<'_>) {
        let (failed, raised) = self.act("read_notice");
        if raised == Some("ended") {
            assert!(context.raise(zeps_client::InternalEvent::OnEnded));
        }
        if failed == Some("ended") {
            assert!(context.fail(zeps_client::InternalEvent::OnEnded));
        }
        if raised == Some("subscribe_refused") {
            assert!(context.raise(zeps_client::InternalEvent::OnSubscribeRefused));
        }
        if failed == Some("subscribe_refused") {
            assert!(context.fail(zeps_client::InternalEvent::OnSubscribeRefused));
        }
    }

    fn session_lost(&mut self, context: &mut zeps_client::Context) {
        let (failed, raised) = self.act("session_lost");
        if raised == Some("ended") {
            assert!(context.raise(zeps_client::InternalEvent::OnEnded));
        }
        if failed == Some("ended") {
            assert!(context.fail(zeps_client::InternalEvent::OnEnded));
        }
        if raised == Some("subscribe_refused") {
            assert!(context.raise(zeps_client::InternalEvent::OnSubscribeRefused));
        }
        if failed == Some("subscribe_refused") {
            assert!(context.fail(zeps_client::InternalEvent::OnSubscribeRefused));
        }
    }

    fn refused(&mut self, context: &mut zeps_client::Context) {
        let (failed, raised) = self.act("refused");
        if raised == Some("ended") {
            assert!(context.raise(zeps_client::InternalEvent::OnEnded));
        }
        if failed == Some("ended") {
            assert!(context.fail(zeps_client::InternalEvent::OnEnded));
        }
        if raised == Some("subscribe_refused") {
            assert!(context.raise(zeps_client::InternalEvent::OnSubscribeRefused));
        }
        if failed == Some("subscribe_refused") {
            assert!(context.fail(zeps_client::InternalEvent::OnSubscribeRefused));
        }
    }
}

struct Runner0(zeps_client::Machine<Recorder>);

impl Runner for Runner0 {
    const ACTIONS: &'static [&'static str] = &[
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
    const INTERNAL: &'static [&'static str] = &["ended", "subscribe_refused"];

    fn recorder(&mut self) -> &mut Recorder {
        &mut self.0.host
    }

    fn receive(&mut self, frames: &[&[u8]]) -> u8 {
        let Ok(message) = read_zeps(frames) else {
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
                let field_1 = fields.take::<list::Text<8>>("stream")?;
                fields.end()?;
                Ok(called(self.0.open(field_1.get())))
            }
            "follow" => {
                let mut fields = Fields::new("follow", values);
                let field_1 = fields.take::<list::Text<8>>("pattern")?;
                let field_2 = fields.take::<list::U64>("latest")?;
                fields.end()?;
                Ok(called(self.0.follow(field_1.get(), field_2.get())))
            }
            "grant" => {
                let mut fields = Fields::new("grant", values);
                let field_1 = fields.take::<list::U64>("octets")?;
                fields.end()?;
                Ok(called(self.0.grant(field_1.get())))
            }
            "post" => {
                let mut fields = Fields::new("post", values);
                let field_1 = fields.take::<list::Text<8>>("key")?;
                let field_2 = fields.take::<list::Octets<8>>("body")?;
                fields.end()?;
                Ok(called(self.0.post(field_1.get(), field_2.get())))
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
            "stream" => self.0.context.stream = fields.take::<list::Text<4>>("value")?.get().into(),
            _ => return Ok(b'x'),
        }
        #[allow(unreachable_code)] // a machine may have no variables
        Ok(b'v')
    }

    fn fill(
        &mut self,
        message: &str,
        field: &str,
        fields: &mut Fields<'_, '_>,
    ) -> Result<u8, Refusal> {
        match (message, field) {
            _ => return Ok(b'x'),
        }
        #[allow(unreachable_code)] // the host may have no fields to fill
        Ok(b'v')
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
        values.put::<list::Text<4>>(&self.0.context.stream, b'b');
    }
}

impl zeps_server::Host for Recorder {
    fn send(&mut self, context: &mut zeps_server::Context, message: zeps::Message<'_>) {
        self.sent(message.encode().map(|frame| vec![frame]));
    }

    fn open_stream(&mut self, context: &mut zeps_server::Context, _message: &zeps::Attach<'_>) {
        let (failed, raised) = self.act("open_stream");
        if raised == Some("attach_refused") {
            assert!(context.raise(zeps_server::InternalEvent::OnAttachRefused));
        }
        if failed == Some("attach_refused") {
            assert!(context.fail(zeps_server::InternalEvent::OnAttachRefused));
        }
        if raised == Some("subscribe_refused") {
            assert!(context.raise(zeps_server::InternalEvent::OnSubscribeRefused));
        }
        if failed == Some("subscribe_refused") {
            assert!(context.fail(zeps_server::InternalEvent::OnSubscribeRefused));
        }
    }

    fn close_stream(
        &mut self,
        context: &mut zeps_server::Context,
        _input: &zeps_server::Input<'_>,
    ) {
        let (failed, raised) = self.act("close_stream");
        if raised == Some("attach_refused") {
            assert!(context.raise(zeps_server::InternalEvent::OnAttachRefused));
        }
        if failed == Some("attach_refused") {
            assert!(context.fail(zeps_server::InternalEvent::OnAttachRefused));
        }
        if raised == Some("subscribe_refused") {
            assert!(context.raise(zeps_server::InternalEvent::OnSubscribeRefused));
        }
        if failed == Some("subscribe_refused") {
            assert!(context.fail(zeps_server::InternalEvent::OnSubscribeRefused));
        }
    }

    fn check_subscription(
        &mut self,
        context: &mut zeps_server::Context,
        _message: &zeps::Subscribe<'_>,
    ) {
        let (failed, raised) = self.act("check_subscription");
        if raised == Some("attach_refused") {
            assert!(context.raise(zeps_server::InternalEvent::OnAttachRefused));
        }
        if failed == Some("attach_refused") {
            assert!(context.fail(zeps_server::InternalEvent::OnAttachRefused));
        }
        if raised == Some("subscribe_refused") {
            assert!(context.raise(zeps_server::InternalEvent::OnSubscribeRefused));
        }
        if failed == Some("subscribe_refused") {
            assert!(context.fail(zeps_server::InternalEvent::OnSubscribeRefused));
        }
    }

    fn add_subscription(
        &mut self,
        context: &mut zeps_server::Context,
        _message: &zeps::Subscribe<'_>,
    ) {
        let (failed, raised) = self.act("add_subscription");
        if raised == Some("attach_refused") {
            assert!(context.raise(zeps_server::InternalEvent::OnAttachRefused));
        }
        if failed == Some("attach_refused") {
            assert!(context.fail(zeps_server::InternalEvent::OnAttachRefused));
        }
        if raised == Some("subscribe_refused") {
            assert!(context.raise(zeps_server::InternalEvent::OnSubscribeRefused));
        }
        if failed == Some("subscribe_refused") {
            assert!(context.fail(zeps_server::InternalEvent::OnSubscribeRefused));
        }
    }

    fn use_credit(&mut self, context: &mut zeps_server::Context, _message: &zeps::Credit) {
        let (failed, raised) = self.act("use_credit");
        if raised == Some("attach_refused") {
            assert!(context.raise(zeps_server::InternalEvent::OnAttachRefused));
        }
        if failed == Some("attach_refused") {
            assert!(context.fail(zeps_server::InternalEvent::OnAttachRefused));
        }
        if raised == Some("subscribe_refused") {
            assert!(context.raise(zeps_server::InternalEvent::OnSubscribeRefused));
        }
        if failed == Some("subscribe_refused") {
            assert!(context.fail(zeps_server::InternalEvent::OnSubscribeRefused));
        }
    }

    fn store_message(&mut self, context: &mut zeps_server::Context, _message: &zeps::Publish<'_>) {
        let (failed, raised) = self.act("store_message");
        if raised == Some("attach_refused") {
            assert!(context.raise(zeps_server::InternalEvent::OnAttachRefused));
        }
        if failed == Some("attach_refused") {
            assert!(context.fail(zeps_server::InternalEvent::OnAttachRefused));
        }
        if raised == Some("subscribe_refused") {
            assert!(context.raise(zeps_server::InternalEvent::OnSubscribeRefused));
        }
        if failed == Some("subscribe_refused") {
            assert!(context.fail(zeps_server::InternalEvent::OnSubscribeRefused));
        }
    }
}

struct Runner1(zeps_server::Machine<Recorder>);

impl Runner for Runner1 {
    const ACTIONS: &'static [&'static str] = &[
        "open_stream",
        "close_stream",
        "check_subscription",
        "add_subscription",
        "use_credit",
        "store_message",
    ];
    const INTERNAL: &'static [&'static str] = &["attach_refused", "subscribe_refused"];

    fn recorder(&mut self) -> &mut Recorder {
        &mut self.0.host
    }

    fn receive(&mut self, frames: &[&[u8]]) -> u8 {
        let Ok(message) = read_zeps(frames) else {
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
                    #[allow(unreachable_patterns)] // a protocol may have only one message
                    _ => b'x',
                })
            }
            _ => Ok(b'x'),
        }
    }

    fn set(&mut self, variable: &str, fields: &mut Fields<'_, '_>) -> Result<u8, Refusal> {
        match variable {
            "credit" => self.0.context.credit = fields.take::<list::U64>("value")?.get(),
            "reason" => self.0.context.reason = fields.take::<list::Text<4>>("value")?.get().into(),
            _ => return Ok(b'x'),
        }
        #[allow(unreachable_code)] // a machine may have no variables
        Ok(b'v')
    }

    fn fill(
        &mut self,
        message: &str,
        field: &str,
        fields: &mut Fields<'_, '_>,
    ) -> Result<u8, Refusal> {
        match (message, field) {
            _ => return Ok(b'x'),
        }
        #[allow(unreachable_code)] // the host may have no fields to fill
        Ok(b'v')
    }

    fn place(&self) -> (&'static str, bool) {
        (self.0.state().name(), self.0.terminated())
    }

    fn variables(&self, values: &mut Values) {
        values.put::<list::U64>(self.0.context.credit, b'b');
        values.put::<list::Text<4>>(&self.0.context.reason, b'b');
    }
}

impl zmtp_publisher::Host for Recorder {
    fn send(&mut self, context: &mut zmtp_publisher::Context, message: zmtp::Message<'_>) {
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
        let (failed, raised) = self.act("check_greeting");
        if raised == Some("refused") {
            assert!(context.raise(zmtp_publisher::InternalEvent::OnRefused));
        }
        if failed == Some("refused") {
            assert!(context.fail(zmtp_publisher::InternalEvent::OnRefused));
        }
    }

    fn ask_for_introduction(
        &mut self,
        context: &mut zmtp_publisher::Context,
        _message: &zmtp::Greeting<'_>,
    ) {
        let (failed, raised) = self.act("ask_for_introduction");
        if raised == Some("refused") {
            assert!(context.raise(zmtp_publisher::InternalEvent::OnRefused));
        }
        if failed == Some("refused") {
            assert!(context.fail(zmtp_publisher::InternalEvent::OnRefused));
        }
    }

    fn close_connection(
        &mut self,
        context: &mut zmtp_publisher::Context,
        _input: &zmtp_publisher::Input<'_>,
    ) {
        let (failed, raised) = self.act("close_connection");
        if raised == Some("refused") {
            assert!(context.raise(zmtp_publisher::InternalEvent::OnRefused));
        }
        if failed == Some("refused") {
            assert!(context.fail(zmtp_publisher::InternalEvent::OnRefused));
        }
    }

    fn check_peer(&mut self, context: &mut zmtp_publisher::Context, _message: &zmtp::Ready<'_>) {
        let (failed, raised) = self.act("check_peer");
        if raised == Some("refused") {
            assert!(context.raise(zmtp_publisher::InternalEvent::OnRefused));
        }
        if failed == Some("refused") {
            assert!(context.fail(zmtp_publisher::InternalEvent::OnRefused));
        }
    }

    fn opened(&mut self, context: &mut zmtp_publisher::Context, _message: &zmtp::Ready<'_>) {
        let (failed, raised) = self.act("opened");
        if raised == Some("refused") {
            assert!(context.raise(zmtp_publisher::InternalEvent::OnRefused));
        }
        if failed == Some("refused") {
            assert!(context.fail(zmtp_publisher::InternalEvent::OnRefused));
        }
    }

    fn peer_refused(&mut self, context: &mut zmtp_publisher::Context, _message: &zmtp::Error<'_>) {
        let (failed, raised) = self.act("peer_refused");
        if raised == Some("refused") {
            assert!(context.raise(zmtp_publisher::InternalEvent::OnRefused));
        }
        if failed == Some("refused") {
            assert!(context.fail(zmtp_publisher::InternalEvent::OnRefused));
        }
    }

    fn add_subscription(
        &mut self,
        context: &mut zmtp_publisher::Context,
        _input: &zmtp_publisher::Input<'_>,
    ) {
        let (failed, raised) = self.act("add_subscription");
        if raised == Some("refused") {
            assert!(context.raise(zmtp_publisher::InternalEvent::OnRefused));
        }
        if failed == Some("refused") {
            assert!(context.fail(zmtp_publisher::InternalEvent::OnRefused));
        }
    }

    fn remove_subscription(
        &mut self,
        context: &mut zmtp_publisher::Context,
        _input: &zmtp_publisher::Input<'_>,
    ) {
        let (failed, raised) = self.act("remove_subscription");
        if raised == Some("refused") {
            assert!(context.raise(zmtp_publisher::InternalEvent::OnRefused));
        }
        if failed == Some("refused") {
            assert!(context.fail(zmtp_publisher::InternalEvent::OnRefused));
        }
    }
}

struct Runner2(zmtp_publisher::Machine<Recorder>);

impl Runner for Runner2 {
    const ACTIONS: &'static [&'static str] = &[
        "check_greeting",
        "ask_for_introduction",
        "close_connection",
        "check_peer",
        "opened",
        "peer_refused",
        "add_subscription",
        "remove_subscription",
    ];
    const INTERNAL: &'static [&'static str] = &["refused"];

    fn recorder(&mut self) -> &mut Recorder {
        &mut self.0.host
    }

    fn receive(&mut self, frames: &[&[u8]]) -> u8 {
        let Ok(message) = read_zmtp(frames) else {
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
                    #[allow(unreachable_patterns)] // a protocol may have only one message
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
                self.0.context.mechanism = fields.take::<list::Octets<4>>("value")?.get().into()
            }
            "minor" => self.0.context.minor = fields.take::<list::U8>("value")?.get(),
            "ttl" => self.0.context.ttl = fields.take::<list::U16>("value")?.get(),
            "unanswered" => self.0.context.unanswered = fields.take::<list::U8>("value")?.get(),
            "unanswered_max" => {
                self.0.context.unanswered_max = fields.take::<list::U8>("value")?.get()
            }
            "reason" => {
                self.0.context.reason = fields.take::<list::Octets<4>>("value")?.get().into()
            }
            _ => return Ok(b'x'),
        }
        #[allow(unreachable_code)] // a machine may have no variables
        Ok(b'v')
    }

    fn fill(
        &mut self,
        message: &str,
        field: &str,
        fields: &mut Fields<'_, '_>,
    ) -> Result<u8, Refusal> {
        match (message, field) {
            _ => return Ok(b'x'),
        }
        #[allow(unreachable_code)] // the host may have no fields to fill
        Ok(b'v')
    }

    fn place(&self) -> (&'static str, bool) {
        (self.0.state().name(), self.0.terminated())
    }

    fn variables(&self, values: &mut Values) {
        values.put::<list::Octets<4>>(&self.0.context.mechanism, b'b');
        values.put::<list::U8>(self.0.context.minor, b'b');
        values.put::<list::U16>(self.0.context.ttl, b'b');
        values.put::<list::U8>(self.0.context.unanswered, b'b');
        values.put::<list::U8>(self.0.context.unanswered_max, b'b');
        values.put::<list::Octets<4>>(&self.0.context.reason, b'b');
    }
}

impl zmtp_subscriber::Host for Recorder {
    fn send(&mut self, context: &mut zmtp_subscriber::Context, message: zmtp::Message<'_>) {
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
        let (failed, raised) = self.act("check_greeting");
        if raised == Some("refused") {
            assert!(context.raise(zmtp_subscriber::InternalEvent::OnRefused));
        }
        if failed == Some("refused") {
            assert!(context.fail(zmtp_subscriber::InternalEvent::OnRefused));
        }
    }

    fn ask_for_introduction(
        &mut self,
        context: &mut zmtp_subscriber::Context,
        _message: &zmtp::Greeting<'_>,
    ) {
        let (failed, raised) = self.act("ask_for_introduction");
        if raised == Some("refused") {
            assert!(context.raise(zmtp_subscriber::InternalEvent::OnRefused));
        }
        if failed == Some("refused") {
            assert!(context.fail(zmtp_subscriber::InternalEvent::OnRefused));
        }
    }

    fn close_connection(
        &mut self,
        context: &mut zmtp_subscriber::Context,
        _input: &zmtp_subscriber::Input<'_>,
    ) {
        let (failed, raised) = self.act("close_connection");
        if raised == Some("refused") {
            assert!(context.raise(zmtp_subscriber::InternalEvent::OnRefused));
        }
        if failed == Some("refused") {
            assert!(context.fail(zmtp_subscriber::InternalEvent::OnRefused));
        }
    }

    fn check_peer(&mut self, context: &mut zmtp_subscriber::Context, _message: &zmtp::Ready<'_>) {
        let (failed, raised) = self.act("check_peer");
        if raised == Some("refused") {
            assert!(context.raise(zmtp_subscriber::InternalEvent::OnRefused));
        }
        if failed == Some("refused") {
            assert!(context.fail(zmtp_subscriber::InternalEvent::OnRefused));
        }
    }

    fn opened(&mut self, context: &mut zmtp_subscriber::Context, _message: &zmtp::Ready<'_>) {
        let (failed, raised) = self.act("opened");
        if raised == Some("refused") {
            assert!(context.raise(zmtp_subscriber::InternalEvent::OnRefused));
        }
        if failed == Some("refused") {
            assert!(context.fail(zmtp_subscriber::InternalEvent::OnRefused));
        }
    }

    fn peer_refused(&mut self, context: &mut zmtp_subscriber::Context, _message: &zmtp::Error<'_>) {
        let (failed, raised) = self.act("peer_refused");
        if raised == Some("refused") {
            assert!(context.raise(zmtp_subscriber::InternalEvent::OnRefused));
        }
        if failed == Some("refused") {
            assert!(context.fail(zmtp_subscriber::InternalEvent::OnRefused));
        }
    }
}

struct Runner3(zmtp_subscriber::Machine<Recorder>);

impl Runner for Runner3 {
    const ACTIONS: &'static [&'static str] = &[
        "check_greeting",
        "ask_for_introduction",
        "close_connection",
        "check_peer",
        "opened",
        "peer_refused",
    ];
    const INTERNAL: &'static [&'static str] = &["refused"];

    fn recorder(&mut self) -> &mut Recorder {
        &mut self.0.host
    }

    fn receive(&mut self, frames: &[&[u8]]) -> u8 {
        let Ok(message) = read_zmtp(frames) else {
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
                    #[allow(unreachable_patterns)] // a protocol may have only one message
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
                let field_1 = fields.take::<list::Octets<8>>("topic")?;
                fields.end()?;
                Ok(called(self.0.subscribe(field_1.get())))
            }
            "unsubscribe" => {
                let mut fields = Fields::new("unsubscribe", values);
                let field_1 = fields.take::<list::Octets<8>>("topic")?;
                fields.end()?;
                Ok(called(self.0.unsubscribe(field_1.get())))
            }
            "subscribe_filter" => {
                let mut fields = Fields::new("subscribe_filter", values);
                let field_1 = fields.take::<list::U8>("kind")?;
                let field_2 = fields.take::<list::Octets<8>>("octets")?;
                fields.end()?;
                Ok(called(
                    self.0.subscribe_filter(field_1.get(), field_2.get()),
                ))
            }
            "unsubscribe_filter" => {
                let mut fields = Fields::new("unsubscribe_filter", values);
                let field_1 = fields.take::<list::U8>("kind")?;
                let field_2 = fields.take::<list::Octets<8>>("octets")?;
                fields.end()?;
                Ok(called(
                    self.0.unsubscribe_filter(field_1.get(), field_2.get()),
                ))
            }
            _ => Ok(b'x'),
        }
    }

    fn set(&mut self, variable: &str, fields: &mut Fields<'_, '_>) -> Result<u8, Refusal> {
        match variable {
            "mechanism" => {
                self.0.context.mechanism = fields.take::<list::Octets<4>>("value")?.get().into()
            }
            "minor" => self.0.context.minor = fields.take::<list::U8>("value")?.get(),
            "peer_minor" => self.0.context.peer_minor = fields.take::<list::U8>("value")?.get(),
            "ttl" => self.0.context.ttl = fields.take::<list::U16>("value")?.get(),
            "unanswered" => self.0.context.unanswered = fields.take::<list::U8>("value")?.get(),
            "unanswered_max" => {
                self.0.context.unanswered_max = fields.take::<list::U8>("value")?.get()
            }
            "reason" => {
                self.0.context.reason = fields.take::<list::Octets<4>>("value")?.get().into()
            }
            _ => return Ok(b'x'),
        }
        #[allow(unreachable_code)] // a machine may have no variables
        Ok(b'v')
    }

    fn fill(
        &mut self,
        message: &str,
        field: &str,
        fields: &mut Fields<'_, '_>,
    ) -> Result<u8, Refusal> {
        match (message, field) {
            _ => return Ok(b'x'),
        }
        #[allow(unreachable_code)] // the host may have no fields to fill
        Ok(b'v')
    }

    fn place(&self) -> (&'static str, bool) {
        (self.0.state().name(), self.0.terminated())
    }

    fn variables(&self, values: &mut Values) {
        values.put::<list::Octets<4>>(&self.0.context.mechanism, b'b');
        values.put::<list::U8>(self.0.context.minor, b'b');
        values.put::<list::U8>(self.0.context.peer_minor, b'b');
        values.put::<list::U16>(self.0.context.ttl, b'b');
        values.put::<list::U8>(self.0.context.unanswered, b'b');
        values.put::<list::U8>(self.0.context.unanswered_max, b'b');
        values.put::<list::Octets<4>>(&self.0.context.reason, b'b');
    }
}
