//! The codec, called by handwritten code.

use zeps_wire::list::ListBuf;
use zeps_wire::{zeps, zmtp, Code, DecodeError, Encode};

const DELIVER: zeps::Deliver<'static> = zeps::Deliver {
    sequence: 1 << 40,
    key: "stock.AAPL",
    body: b"191.24",
};

#[test]
fn a_frame_is_what_the_specification_says() {
    let frame = DELIVER.encode().unwrap();
    let wanted = b"\xaa\xa5\x07\0\0\x01\0\0\0\0\0\x0astock.AAPL\0\0\0\x06191.24";
    assert_eq!(frame, wanted);
    assert_eq!(frame.len(), DELIVER.size());
}

#[test]
fn text_and_octets_lie_in_the_frame() {
    let frame = DELIVER.encode().unwrap();
    let Ok(zeps::Message::Deliver(message)) = zeps::decode(&frame) else {
        panic!("a DELIVER");
    };
    assert_eq!(message, DELIVER);
    assert!(frame.as_ptr_range().contains(&message.key.as_ptr()));
    assert!(frame.as_ptr_range().contains(&message.body.as_ptr()));
}

#[test]
fn a_message_outlives_the_name_of_its_frame() {
    fn key_of(frame: &[u8]) -> &str {
        match zeps::decode(frame) {
            Ok(zeps::Message::Deliver(message)) => message.key,
            _ => "",
        }
    }
    assert_eq!(key_of(&DELIVER.encode().unwrap()), "stock.AAPL");
}

#[test]
fn every_cut_is_truncated_where_the_field_begins() {
    let frame = DELIVER.encode().unwrap();
    let fields = [(3, "sequence"), (11, "key"), (22, "body")];
    for size in 3..frame.len() {
        let (offset, field) = *fields.iter().rfind(|(start, _)| *start <= size).unwrap();
        // if the frame contains a field to its last byte, the error names the next field
        let error = zeps::decode(&frame[..size]).unwrap_err();
        assert_eq!(
            (error.code, error.message),
            (Code::Truncated, Some("DELIVER"))
        );
        assert_eq!((error.field, error.offset), (Some(field), offset), "{size}");
    }
}

#[test]
fn an_error_is_a_sentence() {
    let error = zeps::decode(b"\xaa\xa5\x01\x04ZEPS\0\x01\x01\x07").unwrap_err();
    let wanted = DecodeError {
        code: Code::BadText,
        message: Some("ATTACH"),
        field: Some("stream"),
        offset: 10,
    };
    assert_eq!(error, wanted);
    assert_eq!(error.to_string(), "bad-text: ATTACH.stream at byte 10");
    let error = zeps::Attach {
        stream: &"x".repeat(256),
    }
    .encode()
    .unwrap_err();
    assert_eq!(error.to_string(), "too-long: ATTACH.stream");
}

#[cfg(feature = "std")]
#[test]
fn errors_are_errors() {
    fn decode(frame: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
        zeps::decode(frame)?;
        Ok(())
    }
    assert!(decode(b"").is_err());
}

#[test]
fn a_control_character_is_found_wherever_it_stands() {
    for length in 0..40 {
        for place in 0..length {
            for control in ["\u{7}", "\u{7f}", "\u{85}", "\u{9f}", "\0", "\u{1f}"] {
                let mut key = "x".repeat(length);
                key.replace_range(place..=place, control);
                let error = zeps::Publish {
                    key: &key,
                    body: b"",
                }
                .encode()
                .unwrap_err();
                assert_eq!(error.code, Code::BadText);
            }
        }
    }
    for key in [
        "",
        "x",
        " ~",
        "\u{a0}",
        "é",
        "§ 1.2.3.4.5.6.7.8",
        "日本語日本語日本語",
    ] {
        let frame = zeps::Publish { key, body: b"" }.encode().unwrap();
        assert!(zeps::decode(&frame).is_ok(), "{key}");
    }
}

#[test]
fn octets_that_are_no_text_are_refused() {
    for octets in [&b"\xff"[..], b"\xc0\x80", b"\xed\xa0\x80", b"ok\xe2\x82"] {
        let mut frame = b"\xaa\xa5\x0c".to_vec();
        frame.push(octets.len() as u8);
        frame.extend_from_slice(octets);
        assert_eq!(zeps::decode(&frame).unwrap_err().code, Code::BadText);
    }
}

#[test]
fn encoders_append_or_fill() {
    let mut buffer = b"before".to_vec();
    DELIVER.encode_into(&mut buffer).unwrap();
    assert_eq!(&buffer[..6], b"before");
    assert_eq!(buffer[6..], DELIVER.encode().unwrap());

    let mut place = [0xee; 64];
    let size = DELIVER.encode_to_slice(&mut place).unwrap();
    assert_eq!(place[..size], buffer[6..]);
    assert!(place[size..].iter().all(|octet| *octet == 0xee));
    let short = DELIVER.encode_to_slice(&mut place[..size - 1]).unwrap_err();
    assert_eq!((short.code, short.field), (Code::Truncated, None));
}

#[test]
fn what_cannot_be_encoded_leaves_the_buffer_alone() {
    let mut buffer = b"before".to_vec();
    let bad = zeps::Publish {
        key: "\n",
        body: b"",
    };
    assert!(bad.encode_into(&mut buffer).is_err());
    assert_eq!(buffer, b"before");
}

#[test]
fn any_message_encodes_as_the_one_it_is() {
    let message = zeps::Message::from(DELIVER);
    assert_eq!(message.encode(), DELIVER.encode());
    assert_eq!(
        (message.name(), message.size()),
        ("DELIVER", DELIVER.size())
    );
}

#[test]
fn constants_are_there() {
    assert_eq!((zeps::Attach::PROTOCOL, zeps::Attach::VERSION), ("ZEPS", 1));
    assert_eq!((zeps::Deliver::ID, zeps::Deliver::NAME), (7, "DELIVER"));
    assert_eq!((zeps::LATEST_ALL, zeps::LATEST_NEW), (0, u64::MAX));
}

#[test]
fn without_the_standard_library() {
    assert_eq!(
        zeps_wire_api::sequence_of(&DELIVER.encode().unwrap()),
        Ok(Some(1 << 40))
    );
}

#[test]
fn one_kind_of_message_is_decoded() {
    let frame = DELIVER.encode().unwrap();
    assert_eq!(zeps::Deliver::decode(&frame), Ok(DELIVER));
    let error = |result: Result<zeps::Ping, DecodeError>| {
        let error = result.unwrap_err();
        (error.code, error.message, error.offset)
    };
    assert_eq!(
        error(zeps::Ping::decode(&frame)),
        (Code::UnknownMessage, None, 2)
    );
    assert_eq!(
        error(zeps::Ping::decode(b"\xaa\xa5")),
        (Code::Truncated, None, 2)
    );
    assert_eq!(
        error(zeps::Ping::decode(b"\xbb")),
        (Code::BadSignature, None, 0)
    );
    assert_eq!(
        error(zeps::Ping::decode(b"\xaa\xa5\x08\0")),
        (Code::Trailing, Some("PING"), 3)
    );
}

#[test]
fn a_message_with_values_of_its_own_outlives_its_frame() {
    let owned = {
        let frame = DELIVER.encode().unwrap();
        zeps::decode(&frame).unwrap().into_owned()
    };
    assert_eq!(owned.as_message(), zeps::Message::Deliver(DELIVER));
    let mut deliver = DELIVER.into_owned();
    deliver.key.push_str(".X");
    assert_eq!(deliver.as_message().key, "stock.AAPL.X");
    let properties = ListBuf::of([(&b"Socket-Type"[..], &b"PUB"[..])]).unwrap();
    let ready = zmtp::Ready {
        properties: properties.as_list(),
    };
    assert_eq!(ready.into_owned().as_message(), ready);
}
