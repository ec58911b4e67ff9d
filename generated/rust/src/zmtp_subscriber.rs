//! ZMTP connection of a subscriber.
//!
//! What a SUB or XSUB socket does on one connection. The host frames, keeps the socket's
//! subscriptions, makes a new machine for each connection, and brings every subscription again
//! when one has opened.

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
use crate::{list, zmtp};
#[allow(unused_imports)]
use alloc::{string::String, vec::Vec};

/// The states. The first is the initial one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Nothing was sent yet. A socket that is greeted first greets back, even if it refuses the
    /// peer.
    Start,
    /// Our greeting is sent; theirs is not there.
    Greeting,
    /// Both greetings are there. Our READY does not wait for theirs.
    Introducing,
    /// Their READY was first; the host still owes ours.
    Answering,
    /// Our READY is sent; theirs is not there.
    Handshake,
    /// The two talk. Subscriptions go out in the form that both versions have in common.
    Open,
    /// The connection is over.
    Closed,
}

impl State {
    /// The name in the model.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Greeting => "greeting",
            Self::Introducing => "introducing",
            Self::Answering => "answering",
            Self::Handshake => "handshake",
            Self::Open => "open",
            Self::Closed => "closed",
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
    /// Raised by a host action: the peer's greeting or its metadata is not acceptable.
    OnRefused,
}

impl InternalEvent {
    /// The name in the model.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OnRefused => "refused",
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
    /// Opens a connection, in either direction.
    Greeting,
    /// Command: the sender is ready, and this is what it is.
    Ready,
    /// Command: the sender refuses the peer.
    Error,
    /// Command: asks for a sign of life.
    Ping,
    /// Command: answers PING.
    Pong,
    /// Command of version 3.1: asks for the messages that begin with a topic.
    Subscribe,
    /// Command of version 3.1: takes one subscription back.
    Cancel,
    /// Message of version 3.0: asks for the messages that begin with a topic.
    Subscription,
    /// Message of version 3.0: takes one subscription back.
    Cancellation,
    /// Command of our extension, for version 3.1: asks for the messages that a filter of some kind
    /// lets pass.
    SubscribeX,
    /// Command of our extension, for version 3.1: takes one filter back.
    CancelX,
    /// Message of our extension, for version 3.0: asks for the messages that a filter of some kind
    /// lets pass.
    SubscriptionX,
    /// Message of our extension, for version 3.0: takes one filter back.
    CancellationX,
    /// Before the start: speak version 3.0.
    OnDowngrade,
    /// The transport has connected the two.
    OnConnected,
    /// The host's own READY. It follows at once when the machine asks for it, before anything else
    /// is read.
    OnIntroduce,
    /// Raised by a host action: the peer's greeting or its metadata is not acceptable.
    OnRefused,
    /// Nothing has arrived for a while.
    OnHeartbeat,
    /// The handshake takes too long, or the peer's time to live has passed.
    OnExpired,
    /// Something arrived that does not decode.
    OnMalformed,
    /// A command arrived that the models do not have.
    OnUnknown,
    /// The transport has lost the connection.
    OnDisconnected,
    /// Ask for the messages that begin with a topic, once more.
    OnSubscribe,
    /// Take one subscription back.
    OnUnsubscribe,
    /// Ask for the messages that a filter of some kind lets pass, once more.
    OnSubscribeFilter,
    /// Take one filter back.
    OnUnsubscribeFilter,
}

impl Event {
    /// The name in the model.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Greeting => "GREETING",
            Self::Ready => "READY",
            Self::Error => "ERROR",
            Self::Ping => "PING",
            Self::Pong => "PONG",
            Self::Subscribe => "SUBSCRIBE",
            Self::Cancel => "CANCEL",
            Self::Subscription => "SUBSCRIPTION",
            Self::Cancellation => "CANCELLATION",
            Self::SubscribeX => "SUBSCRIBE-X",
            Self::CancelX => "CANCEL-X",
            Self::SubscriptionX => "SUBSCRIPTION-X",
            Self::CancellationX => "CANCELLATION-X",
            Self::OnDowngrade => "downgrade",
            Self::OnConnected => "connected",
            Self::OnIntroduce => "introduce",
            Self::OnRefused => "refused",
            Self::OnHeartbeat => "heartbeat",
            Self::OnExpired => "expired",
            Self::OnMalformed => "malformed",
            Self::OnUnknown => "unknown",
            Self::OnDisconnected => "disconnected",
            Self::OnSubscribe => "subscribe",
            Self::OnUnsubscribe => "unsubscribe",
            Self::OnSubscribeFilter => "subscribe_filter",
            Self::OnUnsubscribeFilter => "unsubscribe_filter",
        }
    }
}

impl core::fmt::Display for Event {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.pad(self.name())
    }
}

/// The parameters of `subscribe`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubscribeCall<'a> {
    /// The parameter `topic`.
    pub topic: &'a [u8],
}

/// The parameters of `unsubscribe`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsubscribeCall<'a> {
    /// The parameter `topic`.
    pub topic: &'a [u8],
}

/// The parameters of `subscribe_filter`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubscribeFilterCall<'a> {
    /// The parameter `kind`.
    pub kind: u8,
    /// The parameter `octets`.
    pub octets: &'a [u8],
}

/// The parameters of `unsubscribe_filter`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsubscribeFilterCall<'a> {
    /// The parameter `kind`.
    pub kind: u8,
    /// The parameter `octets`.
    pub octets: &'a [u8],
}

/// An event with its message or parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant)] // nothing is boxed: a message is a view of its frame
pub enum Input<'a> {
    /// Opens a connection, in either direction.
    Greeting(zmtp::Greeting<'a>),
    /// Command: the sender is ready, and this is what it is.
    Ready(zmtp::Ready<'a>),
    /// Command: the sender refuses the peer.
    Error(zmtp::Error<'a>),
    /// Command: asks for a sign of life.
    Ping(zmtp::Ping<'a>),
    /// Command: answers PING.
    Pong(zmtp::Pong<'a>),
    /// Command of version 3.1: asks for the messages that begin with a topic.
    Subscribe(zmtp::Subscribe<'a>),
    /// Command of version 3.1: takes one subscription back.
    Cancel(zmtp::Cancel<'a>),
    /// Message of version 3.0: asks for the messages that begin with a topic.
    Subscription(zmtp::Subscription<'a>),
    /// Message of version 3.0: takes one subscription back.
    Cancellation(zmtp::Cancellation<'a>),
    /// Command of our extension, for version 3.1: asks for the messages that a filter of some kind
    /// lets pass.
    SubscribeX(zmtp::SubscribeX<'a>),
    /// Command of our extension, for version 3.1: takes one filter back.
    CancelX(zmtp::CancelX<'a>),
    /// Message of our extension, for version 3.0: asks for the messages that a filter of some kind
    /// lets pass.
    SubscriptionX(zmtp::SubscriptionX<'a>),
    /// Message of our extension, for version 3.0: takes one filter back.
    CancellationX(zmtp::CancellationX<'a>),
    /// Before the start: speak version 3.0.
    OnDowngrade,
    /// The transport has connected the two.
    OnConnected,
    /// The host's own READY. It follows at once when the machine asks for it, before anything else
    /// is read.
    OnIntroduce(zmtp::Ready<'a>),
    /// Raised by a host action: the peer's greeting or its metadata is not acceptable.
    OnRefused,
    /// Nothing has arrived for a while.
    OnHeartbeat,
    /// The handshake takes too long, or the peer's time to live has passed.
    OnExpired,
    /// Something arrived that does not decode.
    OnMalformed,
    /// A command arrived that the models do not have.
    OnUnknown,
    /// The transport has lost the connection.
    OnDisconnected,
    /// Ask for the messages that begin with a topic, once more.
    OnSubscribe(SubscribeCall<'a>),
    /// Take one subscription back.
    OnUnsubscribe(UnsubscribeCall<'a>),
    /// Ask for the messages that a filter of some kind lets pass, once more.
    OnSubscribeFilter(SubscribeFilterCall<'a>),
    /// Take one filter back.
    OnUnsubscribeFilter(UnsubscribeFilterCall<'a>),
}

impl Input<'_> {
    /// The event.
    #[must_use]
    pub const fn event(&self) -> Event {
        match self {
            Input::Greeting(_) => Event::Greeting,
            Input::Ready(_) => Event::Ready,
            Input::Error(_) => Event::Error,
            Input::Ping(_) => Event::Ping,
            Input::Pong(_) => Event::Pong,
            Input::Subscribe(_) => Event::Subscribe,
            Input::Cancel(_) => Event::Cancel,
            Input::Subscription(_) => Event::Subscription,
            Input::Cancellation(_) => Event::Cancellation,
            Input::SubscribeX(_) => Event::SubscribeX,
            Input::CancelX(_) => Event::CancelX,
            Input::SubscriptionX(_) => Event::SubscriptionX,
            Input::CancellationX(_) => Event::CancellationX,
            Input::OnDowngrade => Event::OnDowngrade,
            Input::OnConnected => Event::OnConnected,
            Input::OnIntroduce(_) => Event::OnIntroduce,
            Input::OnRefused => Event::OnRefused,
            Input::OnHeartbeat => Event::OnHeartbeat,
            Input::OnExpired => Event::OnExpired,
            Input::OnMalformed => Event::OnMalformed,
            Input::OnUnknown => Event::OnUnknown,
            Input::OnDisconnected => Event::OnDisconnected,
            Input::OnSubscribe(_) => Event::OnSubscribe,
            Input::OnUnsubscribe(_) => Event::OnUnsubscribe,
            Input::OnSubscribeFilter(_) => Event::OnSubscribeFilter,
            Input::OnUnsubscribeFilter(_) => Event::OnUnsubscribeFilter,
        }
    }
}

/// The host of the machine. An action gets the machine's context, and the message or parameters of the event.
///
/// An action cannot call the machine. A host that wants to raise other events does so after the machine's method
/// returns.
pub trait Host {
    /// Sends a message.
    fn send(&mut self, context: &mut Context, message: zmtp::Message<'_>);

    /// Reports a message that cannot be sent: a value does not fit its field.
    fn unsendable(&mut self, error: crate::EncodeError);

    /// Reports a row that was taken, after its last step or the failed step. The default implementation is empty.
    fn on_transition(&mut self, _from: State, _event: Event, _to: State) {}

    /// Checks the mechanism and the version of the peer; fails with `refused` if they are not
    /// acceptable.
    ///
    /// May fail with `refused`.
    fn check_greeting(&mut self, context: &mut Context, message: &zmtp::Greeting<'_>);

    /// Asks the host for its own READY, which it raises as `introduce` at once.
    fn ask_for_introduction(&mut self, context: &mut Context, message: &zmtp::Greeting<'_>);

    /// Close the transport: the peer is gone or breaks the protocol.
    fn close_connection(&mut self, context: &mut Context, input: &Input<'_>);

    /// Checks the metadata of READY; fails with `refused` if the socket types do not fit.
    ///
    /// May fail with `refused`.
    fn check_peer(&mut self, context: &mut Context, message: &zmtp::Ready<'_>);

    /// The handshake is complete.
    fn opened(&mut self, context: &mut Context, message: &zmtp::Ready<'_>);

    /// The peer refuses the connection; ERROR says why.
    fn peer_refused(&mut self, context: &mut Context, message: &zmtp::Error<'_>);
}

/// The state and the variables of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    state: State,
    terminated: bool,
    signals: machine::Signals<InternalEvent>,
    /// The security mechanism of the socket, 20 octets padded with zeros; set by the host before
    /// anything else.
    pub mechanism: Vec<u8>,
    /// Minor version that is announced.
    pub minor: u8,
    /// Minor version of the peer: decides how subscriptions are sent.
    pub peer_minor: u8,
    /// Tenths of a second after which the peer may give up; sent with PING.
    pub ttl: u16,
    /// PINGs without a sign of life since.
    pub unanswered: u8,
    /// PINGs without a sign of life that mean the peer is gone.
    pub unanswered_max: u8,
    /// Why the host refuses the peer; set before it raises refused.
    pub reason: Vec<u8>,
}

impl Default for Context {
    fn default() -> Self {
        Context {
            state: State::Start,
            terminated: false,
            signals: Default::default(),
            mechanism: b"".into(),
            minor: 1,
            peer_minor: 0,
            ttl: 0,
            unanswered: 0,
            unanswered_max: 1,
            reason: b"".into(),
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
    pub fn receive(&mut self, message: zmtp::Message<'_>) -> Result<(), MachineError> {
        let input = match message {
            zmtp::Message::Greeting(message) => Input::Greeting(message),
            zmtp::Message::Ready(message) => Input::Ready(message),
            zmtp::Message::Error(message) => Input::Error(message),
            zmtp::Message::Ping(message) => Input::Ping(message),
            zmtp::Message::Pong(message) => Input::Pong(message),
            zmtp::Message::Subscribe(message) => Input::Subscribe(message),
            zmtp::Message::Cancel(message) => Input::Cancel(message),
            zmtp::Message::Subscription(message) => Input::Subscription(message),
            zmtp::Message::Cancellation(message) => Input::Cancellation(message),
            zmtp::Message::SubscribeX(message) => Input::SubscribeX(message),
            zmtp::Message::CancelX(message) => Input::CancelX(message),
            zmtp::Message::SubscriptionX(message) => Input::SubscriptionX(message),
            zmtp::Message::CancellationX(message) => Input::CancellationX(message),
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

    /// Before the start: speak version 3.0.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn downgrade(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnDowngrade)
    }

    /// The transport has connected the two.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn connected(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnConnected)
    }

    /// The host's own READY. It follows at once when the machine asks for it, before anything else
    /// is read.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn introduce(&mut self, message: zmtp::Ready<'_>) -> Result<bool, MachineError> {
        self.handle(&Input::OnIntroduce(message))
    }

    /// Raised by a host action: the peer's greeting or its metadata is not acceptable.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn refused(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnRefused)
    }

    /// Nothing has arrived for a while.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn heartbeat(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnHeartbeat)
    }

    /// The handshake takes too long, or the peer's time to live has passed.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn expired(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnExpired)
    }

    /// Something arrived that does not decode.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn malformed(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnMalformed)
    }

    /// A command arrived that the models do not have.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn unknown(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnUnknown)
    }

    /// The transport has lost the connection.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn disconnected(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnDisconnected)
    }

    /// Ask for the messages that begin with a topic, once more.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn subscribe(&mut self, topic: &[u8]) -> Result<bool, MachineError> {
        self.handle(&Input::OnSubscribe(SubscribeCall { topic }))
    }

    /// Take one subscription back.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn unsubscribe(&mut self, topic: &[u8]) -> Result<bool, MachineError> {
        self.handle(&Input::OnUnsubscribe(UnsubscribeCall { topic }))
    }

    /// Ask for the messages that a filter of some kind lets pass, once more.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn subscribe_filter(&mut self, kind: u8, octets: &[u8]) -> Result<bool, MachineError> {
        self.handle(&Input::OnSubscribeFilter(SubscribeFilterCall {
            kind,
            octets,
        }))
    }

    /// Take one filter back.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn unsubscribe_filter(&mut self, kind: u8, octets: &[u8]) -> Result<bool, MachineError> {
        self.handle(&Input::OnUnsubscribeFilter(UnsubscribeFilterCall {
            kind,
            octets,
        }))
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
            Input::OnDowngrade => {
                self.context.minor = 0;
                Ok(Verdict::Taken)
            }
            Input::OnConnected => {
                let sent_mechanism = self.context.mechanism.clone();
                let build = || {
                    Ok(zmtp::Message::Greeting(zmtp::Greeting {
                        major: 3,
                        minor: machine::number(
                            u64::from(self.context.minor),
                            ("GREETING", "minor"),
                        )?,
                        mechanism: machine::octets(
                            sent_mechanism.as_slice(),
                            ("GREETING", "mechanism"),
                        )?,
                        as_server: 0,
                    }))
                };
                match build() {
                    Ok(sent) => {
                        self.act(|host, context| host.send(context, sent))?;
                    }
                    Err(error) => self.host.unsendable(error),
                }
                self.context.state = State::Greeting;
                Ok(Verdict::Taken)
            }
            Input::Greeting(message) => {
                let sent_mechanism = self.context.mechanism.clone();
                let build = || {
                    Ok(zmtp::Message::Greeting(zmtp::Greeting {
                        major: 3,
                        minor: machine::number(
                            u64::from(self.context.minor),
                            ("GREETING", "minor"),
                        )?,
                        mechanism: machine::octets(
                            sent_mechanism.as_slice(),
                            ("GREETING", "mechanism"),
                        )?,
                        as_server: 0,
                    }))
                };
                match build() {
                    Ok(sent) => {
                        self.act(|host, context| host.send(context, sent))?;
                    }
                    Err(error) => self.host.unsendable(error),
                }
                self.act(|host, context| host.check_greeting(context, message))?;
                self.context.peer_minor = u64::min(u64::from(message.minor), 255) as u8;
                self.act(|host, context| host.ask_for_introduction(context, message))?;
                self.context.state = State::Introducing;
                Ok(Verdict::Taken)
            }
            Input::OnRefused
            | Input::OnMalformed
            | Input::OnUnknown
            | Input::OnDisconnected
            | Input::Ready(_)
            | Input::Error(_)
            | Input::Ping(_)
            | Input::Pong(_)
            | Input::Subscribe(_)
            | Input::Cancel(_)
            | Input::Subscription(_)
            | Input::Cancellation(_)
            | Input::SubscribeX(_)
            | Input::CancelX(_)
            | Input::SubscriptionX(_)
            | Input::CancellationX(_) => {
                self.context.state = State::Closed;
                self.act(|host, context| host.close_connection(context, input))?;
                self.context.terminated = true;
                Ok(Verdict::Taken)
            }
            Input::OnExpired => Ok(Verdict::Taken),
            _ => Ok(Verdict::NoRow),
        }
    }

    fn in_greeting(
        &mut self,
        input: &Input<'_>,
    ) -> Result<Verdict, <Self as machine::Rows>::Internal> {
        match input {
            Input::Greeting(message) => {
                self.act(|host, context| host.check_greeting(context, message))?;
                self.context.peer_minor = u64::min(u64::from(message.minor), 255) as u8;
                self.act(|host, context| host.ask_for_introduction(context, message))?;
                self.context.state = State::Introducing;
                Ok(Verdict::Taken)
            }
            Input::OnRefused
            | Input::OnMalformed
            | Input::OnUnknown
            | Input::OnDisconnected
            | Input::OnExpired
            | Input::Ready(_)
            | Input::Error(_)
            | Input::Ping(_)
            | Input::Pong(_)
            | Input::Subscribe(_)
            | Input::Cancel(_)
            | Input::Subscription(_)
            | Input::Cancellation(_)
            | Input::SubscribeX(_)
            | Input::CancelX(_)
            | Input::SubscriptionX(_)
            | Input::CancellationX(_) => {
                self.context.state = State::Closed;
                self.act(|host, context| host.close_connection(context, input))?;
                self.context.terminated = true;
                Ok(Verdict::Taken)
            }
            _ => Ok(Verdict::NoRow),
        }
    }

    fn in_introducing(
        &mut self,
        input: &Input<'_>,
    ) -> Result<Verdict, <Self as machine::Rows>::Internal> {
        match input {
            Input::OnIntroduce(message) => {
                let sent = zmtp::Message::Ready(*message);
                self.act(|host, context| host.send(context, sent))?;
                self.context.state = State::Handshake;
                Ok(Verdict::Taken)
            }
            Input::Ready(message) => {
                self.act(|host, context| host.check_peer(context, message))?;
                self.context.state = State::Answering;
                Ok(Verdict::Taken)
            }
            Input::OnRefused => {
                let sent_reason = self.context.reason.clone();
                let sent = zmtp::Message::Error(zmtp::Error {
                    reason: sent_reason.as_slice(),
                });
                self.act(|host, context| host.send(context, sent))?;
                self.context.state = State::Closed;
                self.act(|host, context| host.close_connection(context, input))?;
                self.context.terminated = true;
                Ok(Verdict::Taken)
            }
            Input::OnMalformed
            | Input::OnUnknown
            | Input::OnDisconnected
            | Input::OnExpired
            | Input::Greeting(_)
            | Input::Error(_)
            | Input::Ping(_)
            | Input::Pong(_)
            | Input::Subscribe(_)
            | Input::Cancel(_)
            | Input::Subscription(_)
            | Input::Cancellation(_)
            | Input::SubscribeX(_)
            | Input::CancelX(_)
            | Input::SubscriptionX(_)
            | Input::CancellationX(_) => {
                self.context.state = State::Closed;
                self.act(|host, context| host.close_connection(context, input))?;
                self.context.terminated = true;
                Ok(Verdict::Taken)
            }
            _ => Ok(Verdict::NoRow),
        }
    }

    fn in_answering(
        &mut self,
        input: &Input<'_>,
    ) -> Result<Verdict, <Self as machine::Rows>::Internal> {
        match input {
            Input::OnIntroduce(message) => {
                let sent = zmtp::Message::Ready(*message);
                self.act(|host, context| host.send(context, sent))?;
                self.context.state = State::Open;
                self.act(|host, context| host.opened(context, message))?;
                Ok(Verdict::Taken)
            }
            Input::OnMalformed
            | Input::OnUnknown
            | Input::OnDisconnected
            | Input::OnExpired
            | Input::Greeting(_)
            | Input::Ready(_)
            | Input::Error(_)
            | Input::Ping(_)
            | Input::Pong(_)
            | Input::Subscribe(_)
            | Input::Cancel(_)
            | Input::Subscription(_)
            | Input::Cancellation(_)
            | Input::SubscribeX(_)
            | Input::CancelX(_)
            | Input::SubscriptionX(_)
            | Input::CancellationX(_) => {
                self.context.state = State::Closed;
                self.act(|host, context| host.close_connection(context, input))?;
                self.context.terminated = true;
                Ok(Verdict::Taken)
            }
            _ => Ok(Verdict::NoRow),
        }
    }

    fn in_handshake(
        &mut self,
        input: &Input<'_>,
    ) -> Result<Verdict, <Self as machine::Rows>::Internal> {
        match input {
            Input::Ready(message) => {
                self.act(|host, context| host.check_peer(context, message))?;
                self.context.state = State::Open;
                self.act(|host, context| host.opened(context, message))?;
                Ok(Verdict::Taken)
            }
            Input::OnRefused => {
                let sent_reason = self.context.reason.clone();
                let sent = zmtp::Message::Error(zmtp::Error {
                    reason: sent_reason.as_slice(),
                });
                self.act(|host, context| host.send(context, sent))?;
                self.context.state = State::Closed;
                self.act(|host, context| host.close_connection(context, input))?;
                self.context.terminated = true;
                Ok(Verdict::Taken)
            }
            Input::Error(message) => {
                self.act(|host, context| host.peer_refused(context, message))?;
                self.context.state = State::Closed;
                self.act(|host, context| host.close_connection(context, input))?;
                self.context.terminated = true;
                Ok(Verdict::Taken)
            }
            Input::OnMalformed
            | Input::OnUnknown
            | Input::OnDisconnected
            | Input::OnExpired
            | Input::Greeting(_)
            | Input::Ping(_)
            | Input::Pong(_)
            | Input::Subscribe(_)
            | Input::Cancel(_)
            | Input::Subscription(_)
            | Input::Cancellation(_)
            | Input::SubscribeX(_)
            | Input::CancelX(_)
            | Input::SubscriptionX(_)
            | Input::CancellationX(_) => {
                self.context.state = State::Closed;
                self.act(|host, context| host.close_connection(context, input))?;
                self.context.terminated = true;
                Ok(Verdict::Taken)
            }
            _ => Ok(Verdict::NoRow),
        }
    }

    fn in_open(&mut self, input: &Input<'_>) -> Result<Verdict, <Self as machine::Rows>::Internal> {
        match input {
            Input::OnSubscribe(message) => {
                if (u64::from(self.context.minor) >= 1) && (u64::from(self.context.peer_minor) >= 1)
                {
                    let sent = zmtp::Message::Subscribe(zmtp::Subscribe {
                        topic: message.topic,
                    });
                    self.act(|host, context| host.send(context, sent))?;
                    return Ok(Verdict::Taken);
                }
                let sent = zmtp::Message::Subscription(zmtp::Subscription {
                    topic: message.topic,
                });
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
            Input::OnUnsubscribe(message) => {
                if (u64::from(self.context.minor) >= 1) && (u64::from(self.context.peer_minor) >= 1)
                {
                    let sent = zmtp::Message::Cancel(zmtp::Cancel {
                        topic: message.topic,
                    });
                    self.act(|host, context| host.send(context, sent))?;
                    return Ok(Verdict::Taken);
                }
                let sent = zmtp::Message::Cancellation(zmtp::Cancellation {
                    topic: message.topic,
                });
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
            Input::OnSubscribeFilter(message) => {
                if (u64::from(self.context.minor) >= 1) && (u64::from(self.context.peer_minor) >= 1)
                {
                    let sent = zmtp::Message::SubscribeX(zmtp::SubscribeX {
                        kind: u64::from(message.kind) as u8,
                        filter: message.octets,
                    });
                    self.act(|host, context| host.send(context, sent))?;
                    return Ok(Verdict::Taken);
                }
                let sent = zmtp::Message::SubscriptionX(zmtp::SubscriptionX {
                    kind: u64::from(message.kind) as u8,
                    filter: message.octets,
                });
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
            Input::OnUnsubscribeFilter(message) => {
                if (u64::from(self.context.minor) >= 1) && (u64::from(self.context.peer_minor) >= 1)
                {
                    let sent = zmtp::Message::CancelX(zmtp::CancelX {
                        kind: u64::from(message.kind) as u8,
                        filter: message.octets,
                    });
                    self.act(|host, context| host.send(context, sent))?;
                    return Ok(Verdict::Taken);
                }
                let sent = zmtp::Message::CancellationX(zmtp::CancellationX {
                    kind: u64::from(message.kind) as u8,
                    filter: message.octets,
                });
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
            Input::OnUnknown | Input::Pong(_) => {
                self.context.unanswered = 0;
                Ok(Verdict::Taken)
            }
            Input::Ping(message) => {
                self.context.unanswered = 0;
                let sent = zmtp::Message::Pong(zmtp::Pong {
                    context: message.context,
                });
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
            Input::Error(message) => {
                self.act(|host, context| host.peer_refused(context, message))?;
                self.context.state = State::Closed;
                self.act(|host, context| host.close_connection(context, input))?;
                self.context.terminated = true;
                Ok(Verdict::Taken)
            }
            Input::OnHeartbeat => {
                if u64::from(self.context.unanswered) >= u64::from(self.context.unanswered_max) {
                    self.context.state = State::Closed;
                    self.act(|host, context| host.close_connection(context, input))?;
                    self.context.terminated = true;
                    return Ok(Verdict::Taken);
                }
                self.context.unanswered = u64::min(
                    u64::saturating_add(u64::from(self.context.unanswered), 1),
                    255,
                ) as u8;
                let build = || {
                    Ok(zmtp::Message::Ping(zmtp::Ping {
                        ttl: machine::number(u64::from(self.context.ttl), ("PING", "ttl"))?,
                        context: "".as_bytes(),
                    }))
                };
                match build() {
                    Ok(sent) => {
                        self.act(|host, context| host.send(context, sent))?;
                    }
                    Err(error) => self.host.unsendable(error),
                }
                Ok(Verdict::Taken)
            }
            Input::OnMalformed
            | Input::OnDisconnected
            | Input::OnExpired
            | Input::Greeting(_)
            | Input::Ready(_)
            | Input::Subscribe(_)
            | Input::Cancel(_)
            | Input::Subscription(_)
            | Input::Cancellation(_)
            | Input::SubscribeX(_)
            | Input::CancelX(_)
            | Input::SubscriptionX(_)
            | Input::CancellationX(_) => {
                self.context.state = State::Closed;
                self.act(|host, context| host.close_connection(context, input))?;
                self.context.terminated = true;
                Ok(Verdict::Taken)
            }
            _ => Ok(Verdict::NoRow),
        }
    }

    fn in_closed(
        &mut self,
        input: &Input<'_>,
    ) -> Result<Verdict, <Self as machine::Rows>::Internal> {
        match input {
            Input::OnMalformed
            | Input::Greeting(_)
            | Input::Ready(_)
            | Input::Error(_)
            | Input::Ping(_)
            | Input::Pong(_)
            | Input::Subscribe(_)
            | Input::Cancel(_)
            | Input::Subscription(_)
            | Input::Cancellation(_)
            | Input::SubscribeX(_)
            | Input::CancelX(_)
            | Input::SubscriptionX(_)
            | Input::CancellationX(_) => Ok(Verdict::Taken),
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
            InternalEvent::OnRefused => Input::OnRefused,
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
            State::Greeting => self.in_greeting(input),
            State::Introducing => self.in_introducing(input),
            State::Answering => self.in_answering(input),
            State::Handshake => self.in_handshake(input),
            State::Open => self.in_open(input),
            State::Closed => self.in_closed(input),
        }
    }
}

/// The machine as data, in the model's order.
pub static TABLE: &[Row<State, Event>] = &[
    Row {
        state: State::Start,
        event: Event::OnDowngrade,
        guard: None,
        steps: &["minor := 0"],
        next: None,
        before_at: 1,
    },
    Row {
        state: State::Start,
        event: Event::OnConnected,
        guard: None,
        steps: &["send GREETING(major = 3, minor = minor, mechanism = mechanism, as_server = 0)"],
        next: Some(State::Greeting),
        before_at: 1,
    },
    Row {
        state: State::Start,
        event: Event::Greeting,
        guard: None,
        steps: &[
            "send GREETING(major = 3, minor = minor, mechanism = mechanism, as_server = 0)",
            "check_greeting",
            "peer_minor := message.minor",
            "ask_for_introduction",
        ],
        next: Some(State::Introducing),
        before_at: 4,
    },
    Row {
        state: State::Start,
        event: Event::OnRefused,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::OnExpired,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::OnMalformed,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::OnUnknown,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::OnDisconnected,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::Ready,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::Error,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::Ping,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::Pong,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::Subscribe,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::Cancel,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::Subscription,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::Cancellation,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::SubscribeX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::CancelX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::SubscriptionX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::CancellationX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Greeting,
        event: Event::Greeting,
        guard: None,
        steps: &[
            "check_greeting",
            "peer_minor := message.minor",
            "ask_for_introduction",
        ],
        next: Some(State::Introducing),
        before_at: 3,
    },
    Row {
        state: State::Greeting,
        event: Event::OnRefused,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Greeting,
        event: Event::OnMalformed,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Greeting,
        event: Event::OnUnknown,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Greeting,
        event: Event::OnDisconnected,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Greeting,
        event: Event::OnExpired,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Greeting,
        event: Event::Ready,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Greeting,
        event: Event::Error,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Greeting,
        event: Event::Ping,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Greeting,
        event: Event::Pong,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Greeting,
        event: Event::Subscribe,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Greeting,
        event: Event::Cancel,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Greeting,
        event: Event::Subscription,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Greeting,
        event: Event::Cancellation,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Greeting,
        event: Event::SubscribeX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Greeting,
        event: Event::CancelX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Greeting,
        event: Event::SubscriptionX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Greeting,
        event: Event::CancellationX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Introducing,
        event: Event::OnIntroduce,
        guard: None,
        steps: &["send READY"],
        next: Some(State::Handshake),
        before_at: 1,
    },
    Row {
        state: State::Introducing,
        event: Event::Ready,
        guard: None,
        steps: &["check_peer"],
        next: Some(State::Answering),
        before_at: 1,
    },
    Row {
        state: State::Introducing,
        event: Event::OnRefused,
        guard: None,
        steps: &[
            "send ERROR(reason = reason)",
            "close_connection",
            "terminate",
        ],
        next: Some(State::Closed),
        before_at: 1,
    },
    Row {
        state: State::Introducing,
        event: Event::OnMalformed,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Introducing,
        event: Event::OnUnknown,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Introducing,
        event: Event::OnDisconnected,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Introducing,
        event: Event::OnExpired,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Introducing,
        event: Event::Greeting,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Introducing,
        event: Event::Error,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Introducing,
        event: Event::Ping,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Introducing,
        event: Event::Pong,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Introducing,
        event: Event::Subscribe,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Introducing,
        event: Event::Cancel,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Introducing,
        event: Event::Subscription,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Introducing,
        event: Event::Cancellation,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Introducing,
        event: Event::SubscribeX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Introducing,
        event: Event::CancelX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Introducing,
        event: Event::SubscriptionX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Introducing,
        event: Event::CancellationX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Answering,
        event: Event::OnIntroduce,
        guard: None,
        steps: &["send READY", "opened"],
        next: Some(State::Open),
        before_at: 1,
    },
    Row {
        state: State::Answering,
        event: Event::OnMalformed,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Answering,
        event: Event::OnUnknown,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Answering,
        event: Event::OnDisconnected,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Answering,
        event: Event::OnExpired,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Answering,
        event: Event::Greeting,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Answering,
        event: Event::Ready,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Answering,
        event: Event::Error,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Answering,
        event: Event::Ping,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Answering,
        event: Event::Pong,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Answering,
        event: Event::Subscribe,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Answering,
        event: Event::Cancel,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Answering,
        event: Event::Subscription,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Answering,
        event: Event::Cancellation,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Answering,
        event: Event::SubscribeX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Answering,
        event: Event::CancelX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Answering,
        event: Event::SubscriptionX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Answering,
        event: Event::CancellationX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Handshake,
        event: Event::Ready,
        guard: None,
        steps: &["check_peer", "opened"],
        next: Some(State::Open),
        before_at: 1,
    },
    Row {
        state: State::Handshake,
        event: Event::OnRefused,
        guard: None,
        steps: &[
            "send ERROR(reason = reason)",
            "close_connection",
            "terminate",
        ],
        next: Some(State::Closed),
        before_at: 1,
    },
    Row {
        state: State::Handshake,
        event: Event::Error,
        guard: None,
        steps: &["peer_refused", "close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 1,
    },
    Row {
        state: State::Handshake,
        event: Event::OnMalformed,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Handshake,
        event: Event::OnUnknown,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Handshake,
        event: Event::OnDisconnected,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Handshake,
        event: Event::OnExpired,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Handshake,
        event: Event::Greeting,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Handshake,
        event: Event::Ping,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Handshake,
        event: Event::Pong,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Handshake,
        event: Event::Subscribe,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Handshake,
        event: Event::Cancel,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Handshake,
        event: Event::Subscription,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Handshake,
        event: Event::Cancellation,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Handshake,
        event: Event::SubscribeX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Handshake,
        event: Event::CancelX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Handshake,
        event: Event::SubscriptionX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Handshake,
        event: Event::CancellationX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Open,
        event: Event::OnSubscribe,
        guard: Some("minor >= 1 and peer_minor >= 1"),
        steps: &["send SUBSCRIBE(topic = message.topic)"],
        next: None,
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::OnSubscribe,
        guard: None,
        steps: &["send SUBSCRIPTION(topic = message.topic)"],
        next: None,
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::OnUnsubscribe,
        guard: Some("minor >= 1 and peer_minor >= 1"),
        steps: &["send CANCEL(topic = message.topic)"],
        next: None,
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::OnUnsubscribe,
        guard: None,
        steps: &["send CANCELLATION(topic = message.topic)"],
        next: None,
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::OnSubscribeFilter,
        guard: Some("minor >= 1 and peer_minor >= 1"),
        steps: &["send SUBSCRIBE-X(kind = message.kind, filter = message.octets)"],
        next: None,
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::OnSubscribeFilter,
        guard: None,
        steps: &["send SUBSCRIPTION-X(kind = message.kind, filter = message.octets)"],
        next: None,
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::OnUnsubscribeFilter,
        guard: Some("minor >= 1 and peer_minor >= 1"),
        steps: &["send CANCEL-X(kind = message.kind, filter = message.octets)"],
        next: None,
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::OnUnsubscribeFilter,
        guard: None,
        steps: &["send CANCELLATION-X(kind = message.kind, filter = message.octets)"],
        next: None,
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::OnUnknown,
        guard: None,
        steps: &["unanswered := 0"],
        next: None,
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::Ping,
        guard: None,
        steps: &["unanswered := 0", "send PONG(context = message.context)"],
        next: None,
        before_at: 2,
    },
    Row {
        state: State::Open,
        event: Event::Pong,
        guard: None,
        steps: &["unanswered := 0"],
        next: None,
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::Error,
        guard: None,
        steps: &["peer_refused", "close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::OnHeartbeat,
        guard: Some("unanswered >= unanswered_max"),
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Open,
        event: Event::OnHeartbeat,
        guard: None,
        steps: &[
            "unanswered := unanswered + 1",
            "send PING(ttl = ttl, context = '')",
        ],
        next: None,
        before_at: 2,
    },
    Row {
        state: State::Open,
        event: Event::OnMalformed,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Open,
        event: Event::OnDisconnected,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Open,
        event: Event::OnExpired,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Open,
        event: Event::Greeting,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Open,
        event: Event::Ready,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Open,
        event: Event::Subscribe,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Open,
        event: Event::Cancel,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Open,
        event: Event::Subscription,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Open,
        event: Event::Cancellation,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Open,
        event: Event::SubscribeX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Open,
        event: Event::CancelX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Open,
        event: Event::SubscriptionX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Open,
        event: Event::CancellationX,
        guard: None,
        steps: &["close_connection", "terminate"],
        next: Some(State::Closed),
        before_at: 0,
    },
    Row {
        state: State::Closed,
        event: Event::OnMalformed,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Closed,
        event: Event::Greeting,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Closed,
        event: Event::Ready,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Closed,
        event: Event::Error,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Closed,
        event: Event::Ping,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Closed,
        event: Event::Pong,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Closed,
        event: Event::Subscribe,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Closed,
        event: Event::Cancel,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Closed,
        event: Event::Subscription,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Closed,
        event: Event::Cancellation,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Closed,
        event: Event::SubscribeX,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Closed,
        event: Event::CancelX,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Closed,
        event: Event::SubscriptionX,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Closed,
        event: Event::CancellationX,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
];
