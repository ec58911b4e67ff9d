//! ZEPS server session.
//!
//! What a broker does for one client. The host keeps streams, subscriptions and the clock; the
//! machine decides what is legal, what is answered, and how much may be sent.

// guards and events are as the model has them
#![allow(
    unused_comparisons,
    clippy::absurd_extreme_comparisons,
    clippy::bool_comparison,
    clippy::const_is_empty,
    clippy::eq_op,
    clippy::match_single_binding,
    clippy::nonminimal_bool,
    clippy::overly_complex_bool_expr
)]

use crate::error::MachineError;
use crate::machine::{self, Row, Verdict};
#[allow(unused_imports)] // which of them the machine needs depends on the model
use crate::{list, zeps};
#[allow(unused_imports)]
use alloc::{string::String, vec::Vec};

/// Where a session is. It begins in the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// No session. Only ATTACH is understood.
    Start,
    /// The client is attached to a stream.
    Open,
    /// The broker said DETACH. What the client had published before it heard of it still counts.
    Detaching,
}

impl State {
    /// The name in the model.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Open => "open",
            Self::Detaching => "detaching",
        }
    }
}

impl core::fmt::Display for State {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.pad(self.name())
    }
}

/// What may happen: a message arrives, or (`On…`) the host or the application says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// Client opens stream.
    Attach,
    /// Server grants the client access.
    AttachOk,
    /// Client subscribes to a set of topics.
    Subscribe,
    /// Server confirms the subscription.
    SubscribeOk,
    /// Client sends credit to the server.
    Credit,
    /// Client publishes a new message to the open stream.
    Publish,
    /// Server delivers a message to the client.
    Deliver,
    /// Client or server sends a heartbeat.
    Ping,
    /// Client or server answers a heartbeat.
    PingOk,
    /// Client or server closes the peering.
    Detach,
    /// Client or server confirms the close.
    DetachOk,
    /// Server tells client it sent an invalid message.
    Invalid,
    /// The host received something that does not decode; reason says what.
    OnMalformed,
    /// Raised when the stream cannot be opened; reason says why.
    OnAttachRefused,
    /// Raised when the subscription cannot be granted; reason says why.
    OnSubscribeRefused,
    /// Messages that this client was to be delivered are lost; reason says which.
    OnGap,
    /// The client was silent for longer than the timeout.
    OnExpired,
    /// The client has been silent for a while; ask whether it is there.
    OnHeartbeat,
    /// The broker stops.
    OnShutdown,
    /// The host has a message for this client.
    OnDeliver,
}

impl Event {
    /// The name in the model.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Attach => "ATTACH",
            Self::AttachOk => "ATTACH-OK",
            Self::Subscribe => "SUBSCRIBE",
            Self::SubscribeOk => "SUBSCRIBE-OK",
            Self::Credit => "CREDIT",
            Self::Publish => "PUBLISH",
            Self::Deliver => "DELIVER",
            Self::Ping => "PING",
            Self::PingOk => "PING-OK",
            Self::Detach => "DETACH",
            Self::DetachOk => "DETACH-OK",
            Self::Invalid => "INVALID",
            Self::OnMalformed => "malformed",
            Self::OnAttachRefused => "attach_refused",
            Self::OnSubscribeRefused => "subscribe_refused",
            Self::OnGap => "gap",
            Self::OnExpired => "expired",
            Self::OnHeartbeat => "heartbeat",
            Self::OnShutdown => "shutdown",
            Self::OnDeliver => "deliver",
        }
    }
}

impl core::fmt::Display for Event {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.pad(self.name())
    }
}

/// An event with what it carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant)] // nothing is boxed: a message is a view of its frame
pub enum Input<'a> {
    /// Client opens stream.
    Attach(zeps::Attach<'a>),
    /// Server grants the client access.
    AttachOk(zeps::AttachOk),
    /// Client subscribes to a set of topics.
    Subscribe(zeps::Subscribe<'a>),
    /// Server confirms the subscription.
    SubscribeOk(zeps::SubscribeOk),
    /// Client sends credit to the server.
    Credit(zeps::Credit),
    /// Client publishes a new message to the open stream.
    Publish(zeps::Publish<'a>),
    /// Server delivers a message to the client.
    Deliver(zeps::Deliver<'a>),
    /// Client or server sends a heartbeat.
    Ping(zeps::Ping),
    /// Client or server answers a heartbeat.
    PingOk(zeps::PingOk),
    /// Client or server closes the peering.
    Detach(zeps::Detach),
    /// Client or server confirms the close.
    DetachOk(zeps::DetachOk),
    /// Server tells client it sent an invalid message.
    Invalid(zeps::Invalid<'a>),
    /// The host received something that does not decode; reason says what.
    OnMalformed,
    /// Raised when the stream cannot be opened; reason says why.
    OnAttachRefused,
    /// Raised when the subscription cannot be granted; reason says why.
    OnSubscribeRefused,
    /// Messages that this client was to be delivered are lost; reason says which.
    OnGap,
    /// The client was silent for longer than the timeout.
    OnExpired,
    /// The client has been silent for a while; ask whether it is there.
    OnHeartbeat,
    /// The broker stops.
    OnShutdown,
    /// The host has a message for this client.
    OnDeliver(zeps::Deliver<'a>),
}

impl Input<'_> {
    /// The event.
    #[must_use]
    pub const fn event(&self) -> Event {
        match self {
            Input::Attach(_) => Event::Attach,
            Input::AttachOk(_) => Event::AttachOk,
            Input::Subscribe(_) => Event::Subscribe,
            Input::SubscribeOk(_) => Event::SubscribeOk,
            Input::Credit(_) => Event::Credit,
            Input::Publish(_) => Event::Publish,
            Input::Deliver(_) => Event::Deliver,
            Input::Ping(_) => Event::Ping,
            Input::PingOk(_) => Event::PingOk,
            Input::Detach(_) => Event::Detach,
            Input::DetachOk(_) => Event::DetachOk,
            Input::Invalid(_) => Event::Invalid,
            Input::OnMalformed => Event::OnMalformed,
            Input::OnAttachRefused => Event::OnAttachRefused,
            Input::OnSubscribeRefused => Event::OnSubscribeRefused,
            Input::OnGap => Event::OnGap,
            Input::OnExpired => Event::OnExpired,
            Input::OnHeartbeat => Event::OnHeartbeat,
            Input::OnShutdown => Event::OnShutdown,
            Input::OnDeliver(_) => Event::OnDeliver,
        }
    }
}

/// What the machine asks of its host. An action gets the machine's variables, and what the event carries.
///
/// An action cannot call the machine, which is at work: the host keeps for later what it wants to do next.
pub trait Host {
    /// Send a message.
    fn send(&mut self, message: zeps::Message<'_>);

    /// The action `open_stream`.
    ///
    /// May fail with `attach_refused`.
    fn open_stream(&mut self, context: &mut Context, message: &zeps::Attach<'_>);

    /// The action `close_stream`.
    fn close_stream(&mut self, context: &mut Context, input: &Input<'_>);

    /// The action `check_subscription`.
    ///
    /// May fail with `subscribe_refused`.
    fn check_subscription(&mut self, context: &mut Context, message: &zeps::Subscribe<'_>);

    /// The action `add_subscription`.
    fn add_subscription(&mut self, context: &mut Context, message: &zeps::Subscribe<'_>);

    /// The action `use_credit`.
    fn use_credit(&mut self, context: &mut Context, message: &zeps::Credit);

    /// The action `store_message`.
    fn store_message(&mut self, context: &mut Context, message: &zeps::Publish<'_>);
}

/// Where the machine is, and what it remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    state: State,
    terminated: bool,
    failed: Option<Event>,
    /// Octets of DELIVER frames that the client still accepts.
    pub credit: u64,
    /// Why the host refused; set by the host before any event that sends it.
    pub reason: String,
}

impl Default for Context {
    fn default() -> Self {
        Context {
            state: State::Start,
            terminated: false,
            failed: None,
            credit: 0,
            reason: String::new(),
        }
    }
}

impl Context {
    /// Where the machine is.
    #[must_use]
    pub const fn state(&self) -> State {
        self.state
    }

    /// Whether it has come to its end.
    #[must_use]
    pub const fn terminated(&self) -> bool {
        self.terminated
    }

    /// Called by the host from inside an action: skip the steps that are left, then handle `event`. Anywhere else it
    /// does nothing.
    pub fn fail(&mut self, event: Event) {
        self.failed = Some(event);
    }
}

/// The machine, as its table says, and its host.
#[derive(Clone, Debug)]
pub struct Machine<H> {
    /// Whom the machine asks.
    pub host: H,
    /// Where it is, and what it remembers.
    pub context: Context,
}

impl<H: Host> Machine<H> {
    /// A machine in its first state.
    pub fn new(host: H) -> Self {
        Machine {
            host,
            context: Context::default(),
        }
    }

    /// Where it is.
    pub const fn state(&self) -> State {
        self.context.state
    }

    /// Whether it has come to its end.
    pub const fn terminated(&self) -> bool {
        self.context.terminated
    }

    /// Handle a message that arrived.
    ///
    /// # Errors
    ///
    /// `Unexpected` if no row takes it; `Unhandled` if a host action fails with an event that no row takes; `TooDeep`
    /// if more than [`RAISES_MAX`](crate::RAISES_MAX) in turn do.
    pub fn receive(&mut self, message: zeps::Message<'_>) -> Result<(), MachineError> {
        let input = match message {
            zeps::Message::Attach(message) => Input::Attach(message),
            zeps::Message::AttachOk(message) => Input::AttachOk(message),
            zeps::Message::Subscribe(message) => Input::Subscribe(message),
            zeps::Message::SubscribeOk(message) => Input::SubscribeOk(message),
            zeps::Message::Credit(message) => Input::Credit(message),
            zeps::Message::Publish(message) => Input::Publish(message),
            zeps::Message::Deliver(message) => Input::Deliver(message),
            zeps::Message::Ping(message) => Input::Ping(message),
            zeps::Message::PingOk(message) => Input::PingOk(message),
            zeps::Message::Detach(message) => Input::Detach(message),
            zeps::Message::DetachOk(message) => Input::DetachOk(message),
            zeps::Message::Invalid(message) => Input::Invalid(message),
        };
        machine::receive(self, &input)
    }

    /// Handle an event of the host's or the application's; whether a guard held.
    ///
    /// # Errors
    ///
    /// `Unhandled` if the state has no row for it; as `receive` says if a host action fails.
    pub fn handle(&mut self, input: &Input<'_>) -> Result<bool, MachineError> {
        machine::handle(self, input)
    }

    /// The host received something that does not decode; reason says what.
    ///
    /// Whether a guard held.
    ///
    /// # Errors
    ///
    /// As `handle` says.
    pub fn malformed(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnMalformed)
    }

    /// Raised when the stream cannot be opened; reason says why.
    ///
    /// Whether a guard held.
    ///
    /// # Errors
    ///
    /// As `handle` says.
    pub fn attach_refused(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnAttachRefused)
    }

    /// Raised when the subscription cannot be granted; reason says why.
    ///
    /// Whether a guard held.
    ///
    /// # Errors
    ///
    /// As `handle` says.
    pub fn subscribe_refused(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnSubscribeRefused)
    }

    /// Messages that this client was to be delivered are lost; reason says which.
    ///
    /// Whether a guard held.
    ///
    /// # Errors
    ///
    /// As `handle` says.
    pub fn gap(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnGap)
    }

    /// The client was silent for longer than the timeout.
    ///
    /// Whether a guard held.
    ///
    /// # Errors
    ///
    /// As `handle` says.
    pub fn expired(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnExpired)
    }

    /// The client has been silent for a while; ask whether it is there.
    ///
    /// Whether a guard held.
    ///
    /// # Errors
    ///
    /// As `handle` says.
    pub fn heartbeat(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnHeartbeat)
    }

    /// The broker stops.
    ///
    /// Whether a guard held.
    ///
    /// # Errors
    ///
    /// As `handle` says.
    pub fn shutdown(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnShutdown)
    }

    /// The host has a message for this client.
    ///
    /// Whether a guard held.
    ///
    /// # Errors
    ///
    /// As `handle` says.
    pub fn deliver(&mut self, message: zeps::Deliver<'_>) -> Result<bool, MachineError> {
        self.handle(&Input::OnDeliver(message))
    }

    fn in_start(&mut self, input: &Input<'_>) -> Result<Verdict, Event> {
        match input {
            Input::Attach(message) => {
                if message.stream.is_empty() {
                    self.host.send(zeps::Message::Invalid(zeps::Invalid {
                        reason: "stream-name the stream name is empty",
                    }));
                    return Ok(Verdict::Taken);
                }
                self.context.credit = 0;
                self.host.open_stream(&mut self.context, message);
                machine::done(&mut self.context.failed)?;
                self.host.send(zeps::Message::AttachOk(zeps::AttachOk));
                self.context.state = State::Open;
                Ok(Verdict::Taken)
            }
            Input::OnMalformed | Input::OnAttachRefused => {
                self.host.send(zeps::Message::Invalid(zeps::Invalid {
                    reason: self.context.reason.as_str(),
                }));
                Ok(Verdict::Taken)
            }
            Input::AttachOk(_)
            | Input::Subscribe(_)
            | Input::SubscribeOk(_)
            | Input::Credit(_)
            | Input::Publish(_)
            | Input::Deliver(_)
            | Input::Ping(_)
            | Input::PingOk(_)
            | Input::Detach(_)
            | Input::DetachOk(_)
            | Input::Invalid(_) => {
                self.host.send(zeps::Message::Invalid(zeps::Invalid {
                    reason: "no-session ATTACH opens a session",
                }));
                Ok(Verdict::Taken)
            }
            _ => Ok(Verdict::NoRow),
        }
    }

    fn in_open(&mut self, input: &Input<'_>) -> Result<Verdict, Event> {
        match input {
            Input::Attach(message) => {
                if message.stream.is_empty() {
                    self.host.close_stream(&mut self.context, input);
                    machine::done(&mut self.context.failed)?;
                    self.host.send(zeps::Message::Invalid(zeps::Invalid {
                        reason: "stream-name the stream name is empty",
                    }));
                    self.context.state = State::Start;
                    return Ok(Verdict::Taken);
                }
                self.host.close_stream(&mut self.context, input);
                machine::done(&mut self.context.failed)?;
                self.context.credit = 0;
                self.host.open_stream(&mut self.context, message);
                machine::done(&mut self.context.failed)?;
                self.host.send(zeps::Message::AttachOk(zeps::AttachOk));
                Ok(Verdict::Taken)
            }
            Input::Subscribe(message) => {
                self.host.check_subscription(&mut self.context, message);
                machine::done(&mut self.context.failed)?;
                self.host
                    .send(zeps::Message::SubscribeOk(zeps::SubscribeOk));
                self.host.add_subscription(&mut self.context, message);
                machine::done(&mut self.context.failed)?;
                Ok(Verdict::Taken)
            }
            Input::Credit(message) => {
                self.context.credit = self.context.credit.saturating_add(message.credit);
                self.host.use_credit(&mut self.context, message);
                machine::done(&mut self.context.failed)?;
                Ok(Verdict::Taken)
            }
            Input::Publish(message) => {
                self.host.store_message(&mut self.context, message);
                machine::done(&mut self.context.failed)?;
                Ok(Verdict::Taken)
            }
            Input::OnDeliver(message) => {
                if self.context.credit >= crate::wire::size_of(message) as u64 {
                    self.context.credit = self
                        .context
                        .credit
                        .saturating_sub(crate::wire::size_of(message) as u64);
                    self.host.send(zeps::Message::Deliver(*message));
                    return Ok(Verdict::Taken);
                }
                Ok(Verdict::NotTaken)
            }
            Input::Ping(_) => {
                self.host.send(zeps::Message::PingOk(zeps::PingOk));
                Ok(Verdict::Taken)
            }
            Input::PingOk(_) => Ok(Verdict::Taken),
            Input::Detach(_) => {
                self.host.close_stream(&mut self.context, input);
                machine::done(&mut self.context.failed)?;
                self.host.send(zeps::Message::DetachOk(zeps::DetachOk));
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::OnHeartbeat => {
                self.host.send(zeps::Message::Ping(zeps::Ping));
                Ok(Verdict::Taken)
            }
            Input::OnShutdown => {
                self.host.send(zeps::Message::Detach(zeps::Detach));
                self.context.state = State::Detaching;
                Ok(Verdict::Taken)
            }
            Input::OnExpired => {
                self.host.close_stream(&mut self.context, input);
                machine::done(&mut self.context.failed)?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::OnMalformed | Input::OnAttachRefused => {
                self.host.close_stream(&mut self.context, input);
                machine::done(&mut self.context.failed)?;
                self.host.send(zeps::Message::Invalid(zeps::Invalid {
                    reason: self.context.reason.as_str(),
                }));
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::OnSubscribeRefused | Input::OnGap => {
                self.host.send(zeps::Message::Invalid(zeps::Invalid {
                    reason: self.context.reason.as_str(),
                }));
                Ok(Verdict::Taken)
            }
            Input::AttachOk(_)
            | Input::SubscribeOk(_)
            | Input::Deliver(_)
            | Input::DetachOk(_)
            | Input::Invalid(_) => {
                self.host.send(zeps::Message::Invalid(zeps::Invalid {
                    reason: "unexpected a client does not send this command in an open session",
                }));
                Ok(Verdict::Taken)
            }
        }
    }

    fn in_detaching(&mut self, input: &Input<'_>) -> Result<Verdict, Event> {
        match input {
            Input::Publish(message) => {
                self.host.store_message(&mut self.context, message);
                machine::done(&mut self.context.failed)?;
                Ok(Verdict::Taken)
            }
            Input::DetachOk(_) | Input::OnExpired => {
                self.host.close_stream(&mut self.context, input);
                machine::done(&mut self.context.failed)?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::Detach(_) => {
                self.host.close_stream(&mut self.context, input);
                machine::done(&mut self.context.failed)?;
                self.host.send(zeps::Message::DetachOk(zeps::DetachOk));
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::OnMalformed => {
                self.host.close_stream(&mut self.context, input);
                machine::done(&mut self.context.failed)?;
                self.host.send(zeps::Message::Invalid(zeps::Invalid {
                    reason: self.context.reason.as_str(),
                }));
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::Attach(_)
            | Input::AttachOk(_)
            | Input::Subscribe(_)
            | Input::SubscribeOk(_)
            | Input::Credit(_)
            | Input::Deliver(_)
            | Input::Ping(_)
            | Input::PingOk(_)
            | Input::Invalid(_) => Ok(Verdict::Taken),
            _ => Ok(Verdict::NoRow),
        }
    }
}

impl<H: Host> machine::Rows for Machine<H> {
    type Event = Event;
    type Input<'a> = Input<'a>;

    fn state_name(&self) -> &'static str {
        self.context.state.name()
    }

    fn event_name(event: Event) -> &'static str {
        event.name()
    }

    fn event_of(input: &Input<'_>) -> Event {
        input.event()
    }

    fn bare(event: Event) -> Option<Input<'static>> {
        match event {
            Event::AttachOk => Some(Input::AttachOk(zeps::AttachOk)),
            Event::SubscribeOk => Some(Input::SubscribeOk(zeps::SubscribeOk)),
            Event::Ping => Some(Input::Ping(zeps::Ping)),
            Event::PingOk => Some(Input::PingOk(zeps::PingOk)),
            Event::Detach => Some(Input::Detach(zeps::Detach)),
            Event::DetachOk => Some(Input::DetachOk(zeps::DetachOk)),
            Event::OnMalformed => Some(Input::OnMalformed),
            Event::OnAttachRefused => Some(Input::OnAttachRefused),
            Event::OnSubscribeRefused => Some(Input::OnSubscribeRefused),
            Event::OnGap => Some(Input::OnGap),
            Event::OnExpired => Some(Input::OnExpired),
            Event::OnHeartbeat => Some(Input::OnHeartbeat),
            Event::OnShutdown => Some(Input::OnShutdown),
            _ => None,
        }
    }

    fn take_failed(&mut self) -> Option<Event> {
        self.context.failed.take()
    }

    fn step(&mut self, input: &Input<'_>) -> Result<Verdict, Event> {
        match self.context.state {
            State::Start => self.in_start(input),
            State::Open => self.in_open(input),
            State::Detaching => self.in_detaching(input),
        }
    }
}

/// The machine as data, in the model's order.
pub static TABLE: &[Row<State, Event>] = &[
    Row { state: State::Start, event: Event::Attach, guard: Some("message.stream == ''"), steps: &["send INVALID(reason = 'stream-name the stream name is empty')"], next: None, before_at: 1 },
    Row { state: State::Start, event: Event::Attach, guard: None, steps: &["credit := 0", "open_stream", "send ATTACH-OK"], next: Some(State::Open), before_at: 3 },
    Row { state: State::Start, event: Event::OnMalformed, guard: None, steps: &["send INVALID(reason = reason)"], next: None, before_at: 1 },
    Row { state: State::Start, event: Event::OnAttachRefused, guard: None, steps: &["send INVALID(reason = reason)"], next: None, before_at: 1 },
    Row { state: State::Start, event: Event::AttachOk, guard: None, steps: &["send INVALID(reason = 'no-session ATTACH opens a session')"], next: None, before_at: 1 },
    Row { state: State::Start, event: Event::Subscribe, guard: None, steps: &["send INVALID(reason = 'no-session ATTACH opens a session')"], next: None, before_at: 1 },
    Row { state: State::Start, event: Event::SubscribeOk, guard: None, steps: &["send INVALID(reason = 'no-session ATTACH opens a session')"], next: None, before_at: 1 },
    Row { state: State::Start, event: Event::Credit, guard: None, steps: &["send INVALID(reason = 'no-session ATTACH opens a session')"], next: None, before_at: 1 },
    Row { state: State::Start, event: Event::Publish, guard: None, steps: &["send INVALID(reason = 'no-session ATTACH opens a session')"], next: None, before_at: 1 },
    Row { state: State::Start, event: Event::Deliver, guard: None, steps: &["send INVALID(reason = 'no-session ATTACH opens a session')"], next: None, before_at: 1 },
    Row { state: State::Start, event: Event::Ping, guard: None, steps: &["send INVALID(reason = 'no-session ATTACH opens a session')"], next: None, before_at: 1 },
    Row { state: State::Start, event: Event::PingOk, guard: None, steps: &["send INVALID(reason = 'no-session ATTACH opens a session')"], next: None, before_at: 1 },
    Row { state: State::Start, event: Event::Detach, guard: None, steps: &["send INVALID(reason = 'no-session ATTACH opens a session')"], next: None, before_at: 1 },
    Row { state: State::Start, event: Event::DetachOk, guard: None, steps: &["send INVALID(reason = 'no-session ATTACH opens a session')"], next: None, before_at: 1 },
    Row { state: State::Start, event: Event::Invalid, guard: None, steps: &["send INVALID(reason = 'no-session ATTACH opens a session')"], next: None, before_at: 1 },
    Row { state: State::Open, event: Event::Attach, guard: Some("message.stream == ''"), steps: &["close_stream", "send INVALID(reason = 'stream-name the stream name is empty')"], next: Some(State::Start), before_at: 2 },
    Row { state: State::Open, event: Event::Attach, guard: None, steps: &["close_stream", "credit := 0", "open_stream", "send ATTACH-OK"], next: None, before_at: 4 },
    Row { state: State::Open, event: Event::Subscribe, guard: None, steps: &["check_subscription", "send SUBSCRIBE-OK", "add_subscription"], next: None, before_at: 3 },
    Row { state: State::Open, event: Event::Credit, guard: None, steps: &["credit := credit + message.credit", "use_credit"], next: None, before_at: 2 },
    Row { state: State::Open, event: Event::Publish, guard: None, steps: &["store_message"], next: None, before_at: 1 },
    Row { state: State::Open, event: Event::OnDeliver, guard: Some("credit >= size(DELIVER)"), steps: &["credit := credit - size(DELIVER)", "send DELIVER"], next: None, before_at: 2 },
    Row { state: State::Open, event: Event::Ping, guard: None, steps: &["send PING-OK"], next: None, before_at: 1 },
    Row { state: State::Open, event: Event::PingOk, guard: None, steps: &[], next: None, before_at: 0 },
    Row { state: State::Open, event: Event::Detach, guard: None, steps: &["close_stream", "send DETACH-OK"], next: Some(State::Start), before_at: 2 },
    Row { state: State::Open, event: Event::OnHeartbeat, guard: None, steps: &["send PING"], next: None, before_at: 1 },
    Row { state: State::Open, event: Event::OnShutdown, guard: None, steps: &["send DETACH"], next: Some(State::Detaching), before_at: 1 },
    Row { state: State::Open, event: Event::OnExpired, guard: None, steps: &["close_stream"], next: Some(State::Start), before_at: 1 },
    Row { state: State::Open, event: Event::OnMalformed, guard: None, steps: &["close_stream", "send INVALID(reason = reason)"], next: Some(State::Start), before_at: 2 },
    Row { state: State::Open, event: Event::OnAttachRefused, guard: None, steps: &["close_stream", "send INVALID(reason = reason)"], next: Some(State::Start), before_at: 2 },
    Row { state: State::Open, event: Event::OnSubscribeRefused, guard: None, steps: &["send INVALID(reason = reason)"], next: None, before_at: 1 },
    Row { state: State::Open, event: Event::OnGap, guard: None, steps: &["send INVALID(reason = reason)"], next: None, before_at: 1 },
    Row { state: State::Open, event: Event::AttachOk, guard: None, steps: &["send INVALID(reason = 'unexpected a client does not send this command in an open session')"], next: None, before_at: 1 },
    Row { state: State::Open, event: Event::SubscribeOk, guard: None, steps: &["send INVALID(reason = 'unexpected a client does not send this command in an open session')"], next: None, before_at: 1 },
    Row { state: State::Open, event: Event::Deliver, guard: None, steps: &["send INVALID(reason = 'unexpected a client does not send this command in an open session')"], next: None, before_at: 1 },
    Row { state: State::Open, event: Event::DetachOk, guard: None, steps: &["send INVALID(reason = 'unexpected a client does not send this command in an open session')"], next: None, before_at: 1 },
    Row { state: State::Open, event: Event::Invalid, guard: None, steps: &["send INVALID(reason = 'unexpected a client does not send this command in an open session')"], next: None, before_at: 1 },
    Row { state: State::Detaching, event: Event::Publish, guard: None, steps: &["store_message"], next: None, before_at: 1 },
    Row { state: State::Detaching, event: Event::DetachOk, guard: None, steps: &["close_stream"], next: Some(State::Start), before_at: 1 },
    Row { state: State::Detaching, event: Event::Detach, guard: None, steps: &["close_stream", "send DETACH-OK"], next: Some(State::Start), before_at: 2 },
    Row { state: State::Detaching, event: Event::OnExpired, guard: None, steps: &["close_stream"], next: Some(State::Start), before_at: 1 },
    Row { state: State::Detaching, event: Event::OnMalformed, guard: None, steps: &["close_stream", "send INVALID(reason = reason)"], next: Some(State::Start), before_at: 2 },
    Row { state: State::Detaching, event: Event::Attach, guard: None, steps: &[], next: None, before_at: 0 },
    Row { state: State::Detaching, event: Event::AttachOk, guard: None, steps: &[], next: None, before_at: 0 },
    Row { state: State::Detaching, event: Event::Subscribe, guard: None, steps: &[], next: None, before_at: 0 },
    Row { state: State::Detaching, event: Event::SubscribeOk, guard: None, steps: &[], next: None, before_at: 0 },
    Row { state: State::Detaching, event: Event::Credit, guard: None, steps: &[], next: None, before_at: 0 },
    Row { state: State::Detaching, event: Event::Deliver, guard: None, steps: &[], next: None, before_at: 0 },
    Row { state: State::Detaching, event: Event::Ping, guard: None, steps: &[], next: None, before_at: 0 },
    Row { state: State::Detaching, event: Event::PingOk, guard: None, steps: &[], next: None, before_at: 0 },
    Row { state: State::Detaching, event: Event::Invalid, guard: None, steps: &[], next: None, before_at: 0 },
];
