//! Messages that hosts fill, events that they raise, timers, and the reported rows.

use zeps_wire::features_server::{
    Context, Event, Host, Input, InternalEvent, Machine, State, TIMERS,
};
use zeps_wire::list::ListBuf;
use zeps_wire::{features, Code, EncodeError, EncodeFrames, Since};

#[derive(Default)]
struct Peer {
    sent: Vec<features::owned::Message>,
    refused: Vec<EncodeError>,
    rows: Vec<(State, Event, State)>,
    notes: usize,
    raises: Option<InternalEvent>,
}

impl Host for Peer {
    fn send(&mut self, context: &mut Context, message: features::Message<'_>) {
        message.encode_frames().expect("a message that fits");
        if let Some(event) = self.raises {
            assert!(context.raise(event));
        }
        self.sent.push(message.into_owned());
    }

    fn unsendable(&mut self, error: EncodeError) {
        self.refused.push(error);
    }

    fn on_transition(&mut self, from: State, event: Event, to: State) {
        self.rows.push((from, event, to));
    }

    fn look_up(&mut self, context: &mut Context, message: &features::Question<'_>) {
        match message.topic {
            "" => assert!(context.fail(InternalEvent::OnUnknown)),
            topic => {
                context.fill_answer_title(topic);
                assert!(context.raise(InternalEvent::OnUnknown));
                assert!(context.raise(InternalEvent::OnFound));
            }
        }
    }

    fn note(&mut self, _context: &mut Context, _input: &Input<'_>) {
        self.notes += 1;
    }
}

fn question(topic: &str) -> features::Question<'_> {
    features::Question { number: 9, topic }
}

/// Fills every field of ANSWER except the title.
fn fill(context: &mut Context) {
    context.fill_answer_level(7);
    context.fill_answer_balance(-5);
    context.fill_answer_count(1);
    context.fill_answer_difference(-1);
    context.fill_answer_colour(features::Colour::Green);
    context.fill_answer_rights(features::Rights::READ | features::Rights::WRITE);
    context.fill_answer_raw(b"\xff");
    context.fill_answer_text("text");
    context.fill_answer_body(vec![1, 2]);
    context.fill_answer_token([3; 16]);
    context.fill_answer_code(*b"code");
    context.fill_answer_words(ListBuf::of(["a", "b"]).unwrap());
    context.fill_answer_headers(ListBuf::of([("k", "v")]).unwrap());
    context.fill_answer_numbers((1..4).collect());
    context.fill_answer_parts(ListBuf::of([&b"part"[..]]).unwrap());
}

#[test]
fn a_host_fills_what_is_sent() {
    let mut machine = Machine::new(Peer::default());
    fill(&mut machine.context);
    machine.receive(question("topic").into()).unwrap();
    let [features::owned::Message::Answer(answer)] = &machine.host.sent[..] else {
        panic!("{:?}", machine.host.sent);
    };
    assert_eq!((answer.number, answer.title.as_str()), (9, "topic"));
    assert_eq!(answer.rights.bits(), 3);
    assert!(answer.numbers.as_list().iter().eq([1, 2, 3]));
    let rows = [
        (State::Waiting, Event::Question, State::Working),
        (State::Working, Event::OnFound, State::Waiting),
    ];
    assert_eq!(machine.host.rows, rows); // the later event took the earlier one's place
}

#[test]
fn what_is_not_filled_is_not_sent_and_a_draft_serves_once() {
    let mut machine = Machine::new(Peer::default());
    fill(&mut machine.context);
    for _ in 0..2 {
        machine.receive(question("topic").into()).unwrap();
    }
    assert_eq!(machine.host.sent.len(), 1);
    let [error] = machine.host.refused[..] else {
        panic!("{:?}", machine.host.refused);
    };
    let found = (error.code, error.message, error.field);
    assert_eq!(found, (Code::NotSet, Some("ANSWER"), Some("level")));
    assert_eq!(error.to_string(), "not-set: ANSWER.level");
}

#[test]
fn an_event_that_an_action_fails_with_ends_the_row() {
    let mut machine = Machine::new(Peer::default());
    machine.receive(question("").into()).unwrap();
    assert_eq!((machine.state(), machine.host.notes), (State::Waiting, 1));
    assert_eq!(machine.host.rows[0].1, Event::Question);
    assert_eq!(machine.host.rows[1].1, Event::OnUnknown);
}

#[test]
fn send_raises_as_any_action() {
    let mut machine = Machine::new(Peer::default());
    machine.host.raises = Some(InternalEvent::OnUnknown);
    let card = features::Card {
        number: 1,
        picture: b"",
    };
    machine.receive(card.into()).unwrap();
    assert_eq!(machine.host.rows[1].1, Event::OnUnknown);
    assert!(!machine.context.raise(InternalEvent::OnFound)); // no action is at work
}

#[test]
fn timers_run_from_the_first_time_on() {
    let mut machine = Machine::new(Peer::default());
    machine.context.beat = 100;
    assert_eq!(machine.deadline(), None);
    assert_eq!(machine.advance(1000), Ok(false));
    assert_eq!(machine.deadline(), Some(1100)); // nothing was sent
    assert_eq!(machine.advance(1100), Ok(true));
    assert_eq!(machine.deadline(), Some(1200));
    machine.context.beat = 0; // never, from the next start on
    assert_eq!(machine.advance(1200), Ok(true));
    assert_eq!(machine.deadline(), Some(4000)); // nothing was received
    assert_eq!(machine.advance(3), Ok(false)); // an earlier time is ignored
    assert_eq!(machine.advance(u64::MAX), Ok(true));
    assert_eq!((machine.state(), machine.deadline()), (State::Ending, None));
    assert_eq!(TIMERS[1].since, Since::Received);
}

#[test]
fn a_frame_may_end_before_what_has_a_default() {
    let report =
        features::Report::decode(b"\xaa\xa3\x05\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x02").unwrap();
    assert_eq!((report.level, report.title, report.change), (3, "none", -2));
    assert_eq!(report.colour, features::Colour::Green);
    let error = features::Report::decode(b"\xaa\xa3\x05\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\x02");
    let error = error.unwrap_err();
    assert_eq!(
        (error.code, error.field, error.offset),
        (Code::BadRelation, Some("last"), 11)
    );
    assert_eq!(
        features::Grown::decode(b"\xaa\xa3\x07\x05and more")
            .unwrap()
            .size,
        5
    );
}
