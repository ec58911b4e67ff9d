//! A message of several frames: PARCEL has a label, a frame as a field, and a list of frames to the end.

use zeps_wire::{frames, frames_server, Code, EncodeFrames, Frames};

const LABEL: &[u8] = b"\xaa\xa9\x02\x01x";

fn parcel(label: &str) -> frames::owned::Parcel {
    frames::owned::Parcel {
        label: label.into(),
        content: b"content".to_vec(),
        more: vec![b"first".to_vec(), Vec::new()],
    }
}

#[test]
fn frames_lie_where_they_came_from() {
    let octets: [&[u8]; 4] = [LABEL, b"content", b"first", b""];
    let message = frames::Parcel::decode_frames(&octets[..]).unwrap();
    assert_eq!((message.label, message.content), ("x", &b"content"[..]));
    assert_eq!(message.more.iter().collect::<Vec<_>>(), octets[2..]);
    assert_eq!(message.more.get(0), Some(octets[2]));
    assert!(std::ptr::eq(message.content, octets[1]));
    assert_eq!(message.encode_frames().unwrap(), octets);
    let any = frames::decode_frames(&octets[..]).unwrap();
    assert_eq!(any, frames::Message::Parcel(message));
    assert_eq!(any.into_owned().as_message(), any);
}

#[test]
fn frames_of_vectors_are_taken_too() {
    let message = parcel("x");
    let octets = message.as_message().encode_frames().unwrap();
    assert_eq!(
        frames::Parcel::decode_frames(&octets[..]),
        Ok(message.as_message())
    );
    assert_eq!(message.as_message().into_owned(), message);
}

#[test]
fn an_error_names_the_end_of_the_first_frame() {
    let error = |octets: &[&[u8]]| {
        let error = frames::decode_frames(octets).unwrap_err();
        (error.code, error.field, error.offset)
    };
    assert_eq!(error(&[LABEL]), (Code::Truncated, Some("content"), 5));
    assert_eq!(error(&[LABEL, b""]), (Code::Truncated, Some("more"), 5));
    assert_eq!(error(&[b"\xaa\xa9\x03", b""]), (Code::Trailing, None, 3));
    assert_eq!(
        error(&[b"\xaa\xa9\x02\x01xy", b""]),
        (Code::Trailing, None, 5)
    );
    assert_eq!(error(&[]), (Code::Truncated, None, 0));
    assert_eq!(frames::decode(LABEL).unwrap_err().field, Some("content"));
    assert_eq!(frames::Again::decode(b"\xaa\xa9\x03"), Ok(frames::Again));
    assert_eq!(
        frames::Again::decode(LABEL).unwrap_err().code,
        Code::UnknownMessage
    );
}

#[test]
fn no_frame_is_not_a_message() {
    let message = parcel("x");
    let message = frames::Parcel {
        more: Frames::default(),
        ..message.as_message()
    };
    let error = message.encode_frames().unwrap_err();
    assert_eq!((error.code, error.field), (Code::Truncated, Some("more")));
}

#[derive(Default)]
struct Door(Vec<Vec<Vec<u8>>>);

impl frames_server::Host for Door {
    fn send(&mut self, _: &mut frames_server::Context, message: frames::Message<'_>) {
        self.0.push(message.encode_frames().unwrap());
    }

    fn open_door(&mut self, _: &mut frames_server::Context, _: &frames::Hello) {}

    fn fetch(&mut self, _: &mut frames_server::Context, _: &frames_server::Input<'_>) {}
}

#[test]
fn a_machine_sends_them() {
    let mut machine = frames_server::Machine::new(Door::default());
    machine.receive(frames::Hello { ticket: 7 }.into()).unwrap();
    let message = parcel("y");
    assert_eq!(machine.parcel(message.as_message()), Ok(true));
    assert_eq!(
        machine.host.0,
        [message.as_message().encode_frames().unwrap()]
    );
    assert_eq!(machine.state().to_string(), "serving");
}
