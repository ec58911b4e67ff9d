//! The machines, in a broker and in a client.

use zeps_wire::list::Worded;
use zeps_wire::{zeps, zeps_client, zeps_server, Encode, MachineError, RAISES_MAX};

/// The part of a broker that serves a client, reduced to the needs of these tests.
#[derive(Default)]
struct Broker {
    sent: Vec<Vec<u8>>,
    done: Vec<&'static str>,
    refuses: Option<&'static str>,
    stuck: bool,
}

impl Broker {
    fn refuse(&mut self, context: &mut zeps_server::Context, event: zeps_server::InternalEvent) {
        if let Some(reason) = self.refuses.take() {
            context.reason = reason.into();
            context.fail(event);
        }
    }

    fn last(&self) -> zeps::Message<'_> {
        zeps::decode(self.sent.last().expect("something was sent")).expect("a message")
    }
}

impl zeps_server::Host for Broker {
    fn send(&mut self, _context: &mut zeps_server::Context, message: zeps::Message<'_>) {
        self.sent.push(message.encode().expect("a message"));
    }

    fn open_stream(&mut self, context: &mut zeps_server::Context, message: &zeps::Attach<'_>) {
        assert!(!message.stream.is_empty());
        self.done.push("open");
        self.refuse(context, zeps_server::InternalEvent::OnAttachRefused);
    }

    fn close_stream(
        &mut self,
        context: &mut zeps_server::Context,
        _input: &zeps_server::Input<'_>,
    ) {
        self.done.push("close");
        if self.stuck {
            context.fail(zeps_server::InternalEvent::OnAttachRefused);
        }
    }

    fn check_subscription(
        &mut self,
        context: &mut zeps_server::Context,
        _message: &zeps::Subscribe<'_>,
    ) {
        self.done.push("check");
        self.refuse(context, zeps_server::InternalEvent::OnSubscribeRefused);
    }

    fn add_subscription(
        &mut self,
        _context: &mut zeps_server::Context,
        _message: &zeps::Subscribe<'_>,
    ) {
        self.done.push("add");
    }

    fn use_credit(&mut self, context: &mut zeps_server::Context, _message: &zeps::Credit) {
        assert!(context.credit > 0);
        self.done.push("use");
    }

    fn store_message(&mut self, _context: &mut zeps_server::Context, _message: &zeps::Publish<'_>) {
        self.done.push("store");
    }
}

fn attached() -> zeps_server::Machine<Broker> {
    let mut machine = zeps_server::Machine::new(Broker::default());
    machine
        .receive(zeps::Attach { stream: "stocks" }.into())
        .unwrap();
    assert_eq!(machine.state(), zeps_server::State::Open);
    machine
}

#[test]
fn a_session_without_attach_is_refused() {
    let mut machine = zeps_server::Machine::new(Broker::default());
    machine.receive(zeps::Ping.into()).unwrap();
    let reason = "no-session ATTACH opens a session";
    assert_eq!(
        machine.host.last(),
        zeps::Message::Invalid(zeps::Invalid { reason })
    );
    assert_eq!(machine.state(), zeps_server::State::Start);
}

#[test]
fn credit_pays_for_what_is_delivered() {
    let mut machine = attached();
    let message = zeps::Deliver {
        sequence: 1,
        key: "k",
        body: b"body",
    };
    assert_eq!(machine.deliver(message), Ok(false));
    let credit = message.size() as u64 + 1;
    machine.receive(zeps::Credit { credit }.into()).unwrap();
    assert_eq!(machine.deliver(message), Ok(true));
    assert_eq!(machine.context.credit, 1);
    assert_eq!(machine.host.last(), message.into());
    machine
        .receive(zeps::Credit { credit: u64::MAX }.into())
        .unwrap();
    assert_eq!(machine.context.credit, u64::MAX);
}

#[test]
fn a_refused_subscribe_leaves_the_session_open() {
    let mut machine = attached();
    let reason = "bad-pattern not that one";
    machine.host.refuses = Some(reason);
    let subscribe = zeps::Subscribe {
        pattern: "(",
        latest: 0,
    };
    machine.receive(subscribe.into()).unwrap();
    assert_eq!(
        machine.host.last(),
        zeps::Message::Invalid(zeps::Invalid { reason })
    );
    assert_eq!(machine.state(), zeps_server::State::Open);
    machine.receive(subscribe.into()).unwrap();
    assert_eq!(machine.host.last(), zeps::SubscribeOk.into());
    assert_eq!(machine.host.done, ["open", "check", "check", "add"]);
}

#[test]
fn a_refused_attach_ends_the_session() {
    let mut machine = attached();
    let reason = "stopping the broker is stopping";
    machine.host.refuses = Some(reason);
    let attach = zeps::Attach { stream: "bonds" };
    machine.receive(attach.into()).unwrap();
    assert_eq!(machine.host.last(), zeps::Invalid { reason }.into());
    assert_eq!(machine.host.done, ["open", "close", "open", "close"]);
    assert_eq!(machine.state(), zeps_server::State::Start);
}

#[test]
fn codes_are_two_tables() {
    use zeps::{EndingCode, OpenCode};
    assert_eq!(OpenCode::of_text("retention"), Some(OpenCode::Retention));
    assert_eq!(OpenCode::of_text("no-session"), None);
    let code = EndingCode::of_text("no-session");
    assert_eq!(code, Some(EndingCode::NoSession));
    assert_eq!(EndingCode::of_text("code-of-a-later-version"), None);
}

#[test]
fn actions_that_fail_in_a_circle_are_an_error() {
    let mut machine = attached();
    machine.host.stuck = true; // with the very event that asks for it
    let error = machine.attach_refused().unwrap_err();
    let (event, state) = ("attach_refused", "open");
    assert_eq!(error, MachineError::TooDeep { event, state });
    let text = "attach_refused is not handled in state open: more than RAISES_MAX events follow each other";
    assert_eq!(error.to_string(), text);
    assert_eq!(machine.host.done.len(), 1 + 1 + RAISES_MAX);
    machine.host.stuck = false;
    assert_eq!(machine.attach_refused(), Ok(true));
    assert_eq!(machine.state(), zeps_server::State::Start);
}

#[test]
fn nothing_fails_but_an_action() {
    let mut machine = attached();
    let event = zeps_server::InternalEvent::OnAttachRefused;
    assert!(!machine.context.fail(event));
    assert!(!machine.context.raise(event));
    machine.receive(zeps::Credit { credit: 9 }.into()).unwrap();
    assert_eq!(machine.host.done, ["open", "use"]);
    assert_eq!(machine.state(), zeps_server::State::Open);
}

#[test]
fn an_event_that_no_row_takes_is_an_error() {
    let mut machine = zeps_server::Machine::new(Broker::default());
    let error = machine.shutdown().unwrap_err();
    let (event, state) = ("shutdown", "start");
    assert_eq!(error, MachineError::Unhandled { event, state });
    assert_eq!(error.to_string(), "shutdown is not handled in state start");
}

/// A client that only records the messages that it sends.
#[derive(Default)]
struct Quiet(Vec<Vec<u8>>);

impl zeps_client::Host for Quiet {
    fn send(&mut self, _: &mut zeps_client::Context, message: zeps::Message<'_>) {
        self.0.push(message.encode().expect("a message"));
    }

    fn attached(&mut self, _: &mut zeps_client::Context, _: &zeps::AttachOk) {}
    fn attach_refused(&mut self, _: &mut zeps_client::Context, _: &zeps::Invalid<'_>) {}
    fn detached(&mut self, _: &mut zeps_client::Context, _: &zeps_client::Input<'_>) {}
    fn broker_lost(&mut self, _: &mut zeps_client::Context, _: &zeps_client::Input<'_>) {}
    fn subscribed(&mut self, _: &mut zeps_client::Context, _: &zeps::SubscribeOk) {}
    fn take_message(&mut self, _: &mut zeps_client::Context, _: &zeps::Deliver<'_>) {}
    fn answered(&mut self, _: &mut zeps_client::Context, _: &zeps::PingOk) {}
    fn read_notice(&mut self, _: &mut zeps_client::Context, _: &zeps::Invalid<'_>) {}
    fn session_lost(&mut self, _: &mut zeps_client::Context) {}
    fn refused(&mut self, _: &mut zeps_client::Context) {}
}

#[test]
fn client_and_server_understand_each_other() {
    let mut client = zeps_client::Machine::new(Quiet::default());
    let mut server = zeps_server::Machine::new(Broker::default());
    client.open("stocks").unwrap();
    for step in 0..4 {
        for frame in std::mem::take(&mut client.host.0) {
            server.receive(zeps::decode(&frame).unwrap()).unwrap();
        }
        for frame in std::mem::take(&mut server.host.sent) {
            client.receive(zeps::decode(&frame).unwrap()).unwrap();
        }
        match step {
            0 => client.follow("stock.", zeps::LATEST_ALL).unwrap(),
            1 => client.post("stock.AAPL", b"191.24").unwrap(),
            2 => client.close().unwrap(),
            _ => true,
        };
    }
    assert_eq!(client.state(), zeps_client::State::Start);
    assert_eq!(server.state(), zeps_server::State::Start);
    assert_eq!(server.host.done, ["open", "check", "add", "store", "close"]);
}

#[test]
fn the_table_is_the_machine() {
    let rows = zeps_server::TABLE
        .iter()
        .filter(|row| row.event == zeps_server::Event::OnDeliver);
    let [row] = rows.collect::<Vec<_>>()[..] else {
        panic!("one row for deliver");
    };
    assert_eq!(row.guard, Some("credit >= size(DELIVER)"));
    assert_eq!(
        row.steps,
        ["credit := credit - size(DELIVER)", "send DELIVER"]
    );
    assert_eq!((row.state, row.next), (zeps_server::State::Open, None));
}

#[test]
fn states_and_events_have_names() {
    assert_eq!(zeps_server::State::Open.to_string(), "open");
    assert_eq!(
        format!("{:>12}", zeps_server::Event::OnHeartbeat),
        "   heartbeat"
    );
}
