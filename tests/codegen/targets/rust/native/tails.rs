//! Lists that extend to the end of the frame, reserved bytes, and a protocol with a single message.

use zeps_wire::list::ListBuf;
use zeps_wire::{greeting, greeting_server, tails, Code, Encode};

const READY: &[u8] = b"RD\x01b\0\0\0\x011\x01a\0\0\0\0\x01b\0\0\0\x012";
const NUMBERS: &[u8] = b"NO\x01\x02\x03\0\x07\xff\xff\xff\xff\0\0\0\x05\0\0\0\x06";
const GREETING: &[u8] = b"\xff\xff\x7fNULL\0\x01\x02\x03";

fn ready(frame: &[u8]) -> tails::Ready<'_> {
    match tails::decode(frame) {
        Ok(tails::Message::Ready(found)) => found,
        other => panic!("{other:?}"),
    }
}

#[test]
fn pairs_are_those_of_the_frame() {
    let pairs = [(&b"b"[..], &b"1"[..]), (b"a", b""), (b"b", b"2")];
    let properties = ListBuf::of(pairs).unwrap();
    let properties = properties.as_list();
    let frame = tails::Ready { properties }.encode().unwrap();
    assert_eq!(frame, READY);
    assert_eq!(ready(&frame).properties.iter().collect::<Vec<_>>(), pairs);
    assert_eq!(ready(&frame).encode().unwrap(), frame);
    assert!(ready(b"RD").properties.is_empty());
}

#[test]
fn an_item_that_is_cut_is_truncated_where_its_part_begins() {
    for (size, offset) in [(READY.len() - 1, 17), (13, 11), (3, 2)] {
        let error = tails::decode(&READY[..size]).unwrap_err();
        assert_eq!((error.code, error.offset), (Code::Truncated, offset));
        assert_eq!(error.field, Some("properties"));
    }
    let error = tails::decode(&NUMBERS[..NUMBERS.len() - 1]).unwrap_err();
    assert_eq!((error.code, error.offset), (Code::Truncated, 15));
}

#[test]
fn more_items_than_the_limit_are_too_long() {
    let numbers: ListBuf<_> = (0..10).collect();
    let numbers = numbers.as_list();
    let error = tails::Numbers { kind: 7, numbers }.check().unwrap_err();
    assert_eq!((error.code, error.field), (Code::TooLong, Some("numbers")));
    let frame = [&NUMBERS[..11], &[0; 37]].concat(); // nine, and a part of a tenth
    let error = tails::decode(&frame).unwrap_err();
    assert_eq!((error.code, error.offset), (Code::TooLong, 11));
    assert!(tails::decode(&frame[..47]).is_ok());
}

#[test]
fn reserved_octets_are_zero_when_sent_and_not_looked_at_when_received() {
    let Ok(tails::Message::Numbers(found)) = tails::decode(NUMBERS) else {
        panic!("NUMBERS");
    };
    assert_eq!(found.kind, 7);
    assert_eq!(found.numbers.iter().collect::<Vec<_>>(), [5, 6]);
    let frame = found.encode().unwrap();
    assert_eq!(frame, b"NO\0\0\0\0\x07\0\0\0\0\0\0\0\x05\0\0\0\x06");
    let error = tails::decode(b"NO\0\0").unwrap_err();
    assert_eq!((error.code, error.field), (Code::Truncated, Some("filler")));
}

struct Peer(Vec<Vec<u8>>);

impl greeting_server::Host for Peer {
    fn send(&mut self, _: &mut greeting_server::Context, message: greeting::Message<'_>) {
        self.0.push(message.encode().expect("a message"));
    }

    fn unsendable(&mut self, error: zeps_wire::EncodeError) {
        panic!("{error}");
    }
}

#[test]
fn any_frame_is_the_only_message() {
    let mut machine = greeting_server::Machine::new(Peer(Vec::new()));
    machine
        .receive(greeting::decode(GREETING).unwrap())
        .unwrap();
    assert_eq!(machine.context.mechanism, b"NULL");
    assert_eq!(machine.host.0, [b"\0\0\x7fNULL\x01\0\0\0"]);
    let error = greeting::decode(b"").unwrap_err();
    assert_eq!(
        (error.code, error.message),
        (Code::Truncated, Some("GREETING"))
    );
}
