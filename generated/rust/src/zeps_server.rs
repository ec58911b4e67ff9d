//! ZEPS server session.
//!
//! What a broker does for one client. The host keeps streams, subscriptions and the clock; the
//! machine decides what is legal, what is answered, and how much may be sent.

// guards have the model's spelling
#![allow(
    unused_comparisons,
    clippy::absurd_extreme_comparisons,
    clippy::bool_comparison,
    clippy::comparison_to_empty,
    clippy::const_is_empty,
    clippy::eq_op,
    clippy::match_single_binding,
    clippy::nonminimal_bool,
    clippy::overly_complex_bool_expr
)]

use crate::error::MachineError;
use crate::machine::{self, Row, Verdict};
#[allow(unused_imports)] // the model determines which are used
use crate::{list, zeps};
#[allow(unused_imports)]
use alloc::{string::String, vec::Vec};

/// The states. The first is the initial one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// No session. Only ATTACH is understood.
    Start,
    /// The client is attached to a stream.
    Open,
    /// DETACH was sent. What the client published before it received DETACH is stored; its other
    /// commands are ignored.
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

/// The events that actions may fail with or raise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InternalEvent {
    /// Raised when the stream cannot be opened; reason says why.
    OnAttachRefused,
    /// Raised when the subscription cannot be granted; reason says why.
    OnSubscribeRefused,
}

impl InternalEvent {
    /// The name in the model.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OnAttachRefused => "attach_refused",
            Self::OnSubscribeRefused => "subscribe_refused",
        }
    }
}

impl core::fmt::Display for InternalEvent {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.pad(self.name())
    }
}

/// The events: received messages, and (`On…`) those that the host or the application raises.
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

/// An event with its message or parameters.
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

/// The host of the machine. An action gets the machine's context, and the message or parameters of the event.
///
/// An action cannot call the machine. A host that wants to raise other events does so after the machine's method
/// returns.
pub trait Host {
    /// Sends a message.
    fn send(&mut self, context: &mut Context, message: zeps::Message<'_>);

    /// Reports a row that was taken, after its last step or the failed step. The default implementation is empty.
    fn on_transition(&mut self, _from: State, _event: Event, _to: State) {}

    /// Attaches the client to the stream, or sets `reason` and fails with `attach_refused`.
    ///
    /// May fail with `attach_refused`.
    fn open_stream(&mut self, context: &mut Context, message: &zeps::Attach<'_>);

    /// Detaches the client from its stream, if it is attached to one.
    fn close_stream(&mut self, context: &mut Context, input: &Input<'_>);

    /// Checks whether the subscription can be granted; if not, sets `reason` and fails with
    /// `subscribe_refused`.
    ///
    /// May fail with `subscribe_refused`.
    fn check_subscription(&mut self, context: &mut Context, message: &zeps::Subscribe<'_>);

    /// Adds the subscription. Deliveries follow SUBSCRIBE-OK.
    fn add_subscription(&mut self, context: &mut Context, message: &zeps::Subscribe<'_>);

    /// The client has granted credit: deliver the messages that wait for it.
    fn use_credit(&mut self, context: &mut Context, message: &zeps::Credit);

    /// Gives the message its sequence and stores it.
    fn store_message(&mut self, context: &mut Context, message: &zeps::Publish<'_>);
}

/// The state and the variables of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    state: State,
    terminated: bool,
    signals: machine::Signals<InternalEvent>,
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
            signals: Default::default(),
            credit: 0,
            reason: "".into(),
        }
    }
}

impl Context {
    /// The current state.
    #[must_use]
    pub const fn state(&self) -> State {
        self.state
    }

    /// Whether the machine has terminated.
    #[must_use]
    pub const fn terminated(&self) -> bool {
        self.terminated
    }

    /// Makes the running action fail: the remaining steps are skipped, and `event` is handled. Returns false, without
    /// any effect, if no action runs.
    pub fn fail(&mut self, event: InternalEvent) -> bool {
        self.signals.fail(event)
    }

    /// Raises an event, which is handled after the row, in the new state. It replaces an earlier event of the same row.
    /// Returns false, without any effect, if no action runs.
    pub fn raise(&mut self, event: InternalEvent) -> bool {
        self.signals.raise(event)
    }
}

/// The machine and its host.
#[derive(Clone, Debug)]
pub struct Machine<H> {
    /// The host.
    pub host: H,
    /// The state and the variables.
    pub context: Context,
}

impl<H: Host> Machine<H> {
    /// Makes a machine in its initial state.
    pub fn new(host: H) -> Self {
        Machine {
            host,
            context: Context::default(),
        }
    }

    /// The current state.
    pub const fn state(&self) -> State {
        self.context.state
    }

    /// Whether the machine has terminated.
    pub const fn terminated(&self) -> bool {
        self.context.terminated
    }

    /// Handles a received message.
    ///
    /// # Errors
    ///
    /// `Unexpected` if no row of the state handles the message; `Unhandled` if a host action fails with or raises an
    /// event that no row handles; `TooDeep` if more than [`RAISES_MAX`](crate::RAISES_MAX) events follow each other.
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

    /// Handles an event of the host or the application. Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// `Unhandled` if the state has no row for the event; else as for `receive`.
    pub fn handle(&mut self, input: &Input<'_>) -> Result<bool, MachineError> {
        machine::handle(self, input)
    }

    /// The host received something that does not decode; reason says what.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn malformed(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnMalformed)
    }

    /// Raised when the stream cannot be opened; reason says why.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn attach_refused(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnAttachRefused)
    }

    /// Raised when the subscription cannot be granted; reason says why.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn subscribe_refused(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnSubscribeRefused)
    }

    /// Messages that this client was to be delivered are lost; reason says which.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn gap(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnGap)
    }

    /// The client was silent for longer than the timeout.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn expired(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnExpired)
    }

    /// The client has been silent for a while; ask whether it is there.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn heartbeat(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnHeartbeat)
    }

    /// The broker stops.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn shutdown(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnShutdown)
    }

    /// The host has a message for this client.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn deliver(&mut self, message: zeps::Deliver<'_>) -> Result<bool, MachineError> {
        self.handle(&Input::OnDeliver(message))
    }

    /// Runs a host action, which may fail.
    fn act(&mut self, action: impl FnOnce(&mut H, &mut Context)) -> Result<(), InternalEvent> {
        self.context.signals.begin();
        action(&mut self.host, &mut self.context);
        self.context.signals.end()
    }

    fn in_start(
        &mut self,
        input: &Input<'_>,
    ) -> Result<Verdict, <Self as machine::Rows>::Internal> {
        match input {
            Input::Attach(message) => {
                if message.stream == "" {
                    let sent = zeps::Message::Invalid(zeps::Invalid {
                        reason: "stream-name the stream name is empty",
                    });
                    self.act(|host, context| host.send(context, sent))?;
                    return Ok(Verdict::Taken);
                }
                self.context.credit = 0;
                self.act(|host, context| host.open_stream(context, message))?;
                let sent = zeps::Message::AttachOk(zeps::AttachOk);
                self.act(|host, context| host.send(context, sent))?;
                self.context.state = State::Open;
                Ok(Verdict::Taken)
            }
            Input::OnMalformed | Input::OnAttachRefused => {
                let sent_reason = self.context.reason.clone();
                let sent = zeps::Message::Invalid(zeps::Invalid {
                    reason: sent_reason.as_str(),
                });
                self.act(|host, context| host.send(context, sent))?;
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
                let sent = zeps::Message::Invalid(zeps::Invalid {
                    reason: "no-session ATTACH opens a session",
                });
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
            _ => Ok(Verdict::NoRow),
        }
    }

    fn in_open(&mut self, input: &Input<'_>) -> Result<Verdict, <Self as machine::Rows>::Internal> {
        match input {
            Input::Attach(message) => {
                if message.stream == "" {
                    self.act(|host, context| host.close_stream(context, input))?;
                    let sent = zeps::Message::Invalid(zeps::Invalid {
                        reason: "stream-name the stream name is empty",
                    });
                    self.act(|host, context| host.send(context, sent))?;
                    self.context.state = State::Start;
                    return Ok(Verdict::Taken);
                }
                self.act(|host, context| host.close_stream(context, input))?;
                self.context.credit = 0;
                self.act(|host, context| host.open_stream(context, message))?;
                let sent = zeps::Message::AttachOk(zeps::AttachOk);
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
            Input::Subscribe(message) => {
                self.act(|host, context| host.check_subscription(context, message))?;
                let sent = zeps::Message::SubscribeOk(zeps::SubscribeOk);
                self.act(|host, context| host.send(context, sent))?;
                self.act(|host, context| host.add_subscription(context, message))?;
                Ok(Verdict::Taken)
            }
            Input::Credit(message) => {
                self.context.credit = u64::saturating_add(self.context.credit, message.credit);
                self.act(|host, context| host.use_credit(context, message))?;
                Ok(Verdict::Taken)
            }
            Input::Publish(message) => {
                self.act(|host, context| host.store_message(context, message))?;
                Ok(Verdict::Taken)
            }
            Input::OnDeliver(message) => {
                if self.context.credit >= crate::wire::size_of(message) as u64 {
                    self.context.credit = u64::saturating_sub(
                        self.context.credit,
                        crate::wire::size_of(message) as u64,
                    );
                    let sent = zeps::Message::Deliver(*message);
                    self.act(|host, context| host.send(context, sent))?;
                    return Ok(Verdict::Taken);
                }
                Ok(Verdict::NotTaken)
            }
            Input::Ping(_) => {
                let sent = zeps::Message::PingOk(zeps::PingOk);
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
            Input::PingOk(_) => Ok(Verdict::Taken),
            Input::Detach(_) => {
                self.act(|host, context| host.close_stream(context, input))?;
                let sent = zeps::Message::DetachOk(zeps::DetachOk);
                self.act(|host, context| host.send(context, sent))?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::OnHeartbeat => {
                let sent = zeps::Message::Ping(zeps::Ping);
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
            Input::OnShutdown => {
                let sent = zeps::Message::Detach(zeps::Detach);
                self.act(|host, context| host.send(context, sent))?;
                self.context.state = State::Detaching;
                Ok(Verdict::Taken)
            }
            Input::OnExpired => {
                self.act(|host, context| host.close_stream(context, input))?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::OnMalformed | Input::OnAttachRefused => {
                self.act(|host, context| host.close_stream(context, input))?;
                let sent_reason = self.context.reason.clone();
                let sent = zeps::Message::Invalid(zeps::Invalid {
                    reason: sent_reason.as_str(),
                });
                self.act(|host, context| host.send(context, sent))?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::OnSubscribeRefused | Input::OnGap => {
                let sent_reason = self.context.reason.clone();
                let sent = zeps::Message::Invalid(zeps::Invalid {
                    reason: sent_reason.as_str(),
                });
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
            Input::AttachOk(_)
            | Input::SubscribeOk(_)
            | Input::Deliver(_)
            | Input::DetachOk(_)
            | Input::Invalid(_) => {
                let sent = zeps::Message::Invalid(zeps::Invalid {
                    reason: "unexpected a client does not send this command in an open session",
                });
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
        }
    }

    fn in_detaching(
        &mut self,
        input: &Input<'_>,
    ) -> Result<Verdict, <Self as machine::Rows>::Internal> {
        match input {
            Input::Publish(message) => {
                self.act(|host, context| host.store_message(context, message))?;
                Ok(Verdict::Taken)
            }
            Input::DetachOk(_) | Input::OnExpired => {
                self.act(|host, context| host.close_stream(context, input))?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::Detach(_) => {
                self.act(|host, context| host.close_stream(context, input))?;
                let sent = zeps::Message::DetachOk(zeps::DetachOk);
                self.act(|host, context| host.send(context, sent))?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::OnMalformed => {
                self.act(|host, context| host.close_stream(context, input))?;
                let sent_reason = self.context.reason.clone();
                let sent = zeps::Message::Invalid(zeps::Invalid {
                    reason: sent_reason.as_str(),
                });
                self.act(|host, context| host.send(context, sent))?;
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
    type State = State;
    type Event = Event;
    type Internal = InternalEvent;
    type Input<'a> = Input<'a>;

    fn state(&self) -> State {
        self.context.state
    }

    fn names(state: State, event: Event) -> (&'static str, &'static str) {
        (event.name(), state.name())
    }

    fn event_of(input: &Input<'_>) -> Event {
        input.event()
    }

    fn internal(event: Self::Internal) -> Input<'static> {
        match event {
            InternalEvent::OnAttachRefused => Input::OnAttachRefused,
            InternalEvent::OnSubscribeRefused => Input::OnSubscribeRefused,
        }
    }

    fn take_raised(&mut self) -> Option<InternalEvent> {
        let raised = self.context.signals.take_raised();
        raised.filter(|_| !self.context.terminated)
    }

    fn took(&mut self, from: State, event: Event) {
        self.host.on_transition(from, event, self.context.state);
    }

    fn step(&mut self, input: &Input<'_>) -> Result<Verdict, <Self as machine::Rows>::Internal> {
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
