//! ZEPS client session.
//!
//! What a client does for its application. Methods are the application's calls; the host owns
//! the clock, the socket and the resumption point.

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
    /// Not attached.
    Start,
    /// ATTACH is sent on entry. If an earlier session was lost, the broker answers each command of
    /// it that was still on its way by INVALID, before it answers ATTACH; these INVALIDs are
    /// ignored until ATTACH-OK or the timer.
    Attaching,
    /// The application closed before ATTACH was answered. DETACH waits for the answer: if both were
    /// on their way, an INVALID could answer either.
    Leaving,
    /// Attached.
    Open,
    /// DETACH is sent; what still arrives is dropped. PING is not answered any more, nor is a
    /// DETACH of the broker that crosses this one: the broker takes this one for the answer, and
    /// sends DETACH-OK.
    Detaching,
}

impl State {
    /// The name in the model.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Attaching => "attaching",
            Self::Leaving => "leaving",
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
    /// Raised when the code of an INVALID is one that ends the session, or is not known.
    OnEnded,
    /// Raised when the code of an INVALID is one that refuses a SUBSCRIBE.
    OnSubscribeRefused,
}

impl InternalEvent {
    /// The name in the model.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OnEnded => "ended",
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
    /// Nothing was sent for a while. Also raised if a PING has no answer and nothing has arrived
    /// for a while.
    OnHeartbeat,
    /// ATTACH or DETACH was not answered in time.
    OnExpired,
    /// The host received something that does not decode.
    OnMalformed,
    /// Raised when the code of an INVALID is one that ends the session, or is not known.
    OnEnded,
    /// Raised when the code of an INVALID is one that refuses a SUBSCRIBE.
    OnSubscribeRefused,
    /// Attach to a stream.
    OnOpen,
    /// Subscribe.
    OnFollow,
    /// Let the broker send this many octets of DELIVER frames more.
    OnGrant,
    /// Publish.
    OnPost,
    /// Ask for PING-OK: when it comes, everything published before has its sequence.
    OnProbe,
    /// Detach.
    OnClose,
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
            Self::OnHeartbeat => "heartbeat",
            Self::OnExpired => "expired",
            Self::OnMalformed => "malformed",
            Self::OnEnded => "ended",
            Self::OnSubscribeRefused => "subscribe_refused",
            Self::OnOpen => "open",
            Self::OnFollow => "follow",
            Self::OnGrant => "grant",
            Self::OnPost => "post",
            Self::OnProbe => "probe",
            Self::OnClose => "close",
        }
    }
}

impl core::fmt::Display for Event {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.pad(self.name())
    }
}

/// The parameters of `open`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenCall<'a> {
    /// The parameter `stream`.
    pub stream: &'a str,
}

/// The parameters of `follow`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FollowCall<'a> {
    /// The parameter `pattern`.
    pub pattern: &'a str,
    /// The parameter `latest`.
    pub latest: u64,
}

/// The parameters of `grant`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrantCall {
    /// The parameter `octets`.
    pub octets: u64,
}

/// The parameters of `post`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostCall<'a> {
    /// The parameter `key`.
    pub key: &'a str,
    /// The parameter `body`.
    pub body: &'a [u8],
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
    /// Nothing was sent for a while. Also raised if a PING has no answer and nothing has arrived
    /// for a while.
    OnHeartbeat,
    /// ATTACH or DETACH was not answered in time.
    OnExpired,
    /// The host received something that does not decode.
    OnMalformed,
    /// Raised when the code of an INVALID is one that ends the session, or is not known.
    OnEnded,
    /// Raised when the code of an INVALID is one that refuses a SUBSCRIBE.
    OnSubscribeRefused,
    /// Attach to a stream.
    OnOpen(OpenCall<'a>),
    /// Subscribe.
    OnFollow(FollowCall<'a>),
    /// Let the broker send this many octets of DELIVER frames more.
    OnGrant(GrantCall),
    /// Publish.
    OnPost(PostCall<'a>),
    /// Ask for PING-OK: when it comes, everything published before has its sequence.
    OnProbe,
    /// Detach.
    OnClose,
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
            Input::OnHeartbeat => Event::OnHeartbeat,
            Input::OnExpired => Event::OnExpired,
            Input::OnMalformed => Event::OnMalformed,
            Input::OnEnded => Event::OnEnded,
            Input::OnSubscribeRefused => Event::OnSubscribeRefused,
            Input::OnOpen(_) => Event::OnOpen,
            Input::OnFollow(_) => Event::OnFollow,
            Input::OnGrant(_) => Event::OnGrant,
            Input::OnPost(_) => Event::OnPost,
            Input::OnProbe => Event::OnProbe,
            Input::OnClose => Event::OnClose,
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

    /// The session is open: subscribe, grant credit, publish.
    fn attached(&mut self, context: &mut Context, message: &zeps::AttachOk);

    /// The broker has refused ATTACH; the reason of INVALID says why.
    fn attach_refused(&mut self, context: &mut Context, message: &zeps::Invalid<'_>);

    /// The session is over: DETACH was answered, or no answer is expected any more.
    fn detached(&mut self, context: &mut Context, input: &Input<'_>);

    /// The broker is gone or breaks the protocol; connect again and attach.
    fn broker_lost(&mut self, context: &mut Context, input: &Input<'_>);

    /// A SUBSCRIBE was granted, the oldest of those that wait.
    fn subscribed(&mut self, context: &mut Context, message: &zeps::SubscribeOk);

    /// A message for the application. It has used up its part of the credit.
    fn take_message(&mut self, context: &mut Context, message: &zeps::Deliver<'_>);

    /// PING-OK has arrived: everything that was published before the PING has its sequence.
    fn answered(&mut self, context: &mut Context, message: &zeps::PingOk);

    /// Reads the code of INVALID: fails with `ended` or `subscribe_refused` if the code ends the
    /// session or refuses a SUBSCRIBE.
    ///
    /// May fail with `ended`, `subscribe_refused`.
    fn read_notice(&mut self, context: &mut Context, message: &zeps::Invalid<'_>);

    /// The broker has ended the session; the machine attaches again, with no subscriptions and no
    /// credit.
    fn session_lost(&mut self, context: &mut Context);

    /// A SUBSCRIBE was refused, the oldest of those that wait.
    fn refused(&mut self, context: &mut Context);
}

/// The state and the variables of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    state: State,
    terminated: bool,
    signals: machine::Signals<InternalEvent>,
    /// Octets of DELIVER frames that the broker may still send.
    pub credit: u64,
    /// SUBSCRIBE commands without an answer.
    pub pending: u32,
    /// PING commands without an answer.
    pub unanswered: u8,
    /// PING commands without an answer that mean the broker is gone.
    pub unanswered_max: u8,
    /// 1 while INVALIDs may still arrive that answer commands of a session that is over.
    pub stale: u8,
    /// The stream to attach to.
    pub stream: String,
}

impl Default for Context {
    fn default() -> Self {
        Context {
            state: State::Start,
            terminated: false,
            signals: Default::default(),
            credit: 0,
            pending: 0,
            unanswered: 0,
            unanswered_max: 3,
            stale: 0,
            stream: "".into(),
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

    /// Nothing was sent for a while. Also raised if a PING has no answer and nothing has arrived
    /// for a while.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn heartbeat(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnHeartbeat)
    }

    /// ATTACH or DETACH was not answered in time.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn expired(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnExpired)
    }

    /// The host received something that does not decode.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn malformed(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnMalformed)
    }

    /// Raised when the code of an INVALID is one that ends the session, or is not known.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn ended(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnEnded)
    }

    /// Raised when the code of an INVALID is one that refuses a SUBSCRIBE.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn subscribe_refused(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnSubscribeRefused)
    }

    /// Attach to a stream.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn open(&mut self, stream: &str) -> Result<bool, MachineError> {
        self.handle(&Input::OnOpen(OpenCall { stream }))
    }

    /// Subscribe.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn follow(&mut self, pattern: &str, latest: u64) -> Result<bool, MachineError> {
        self.handle(&Input::OnFollow(FollowCall { pattern, latest }))
    }

    /// Let the broker send this many octets of DELIVER frames more.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn grant(&mut self, octets: u64) -> Result<bool, MachineError> {
        self.handle(&Input::OnGrant(GrantCall { octets }))
    }

    /// Publish.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn post(&mut self, key: &str, body: &[u8]) -> Result<bool, MachineError> {
        self.handle(&Input::OnPost(PostCall { key, body }))
    }

    /// Ask for PING-OK: when it comes, everything published before has its sequence.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn probe(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnProbe)
    }

    /// Detach.
    ///
    /// Returns false if no guard is true.
    ///
    /// # Errors
    ///
    /// As for `handle`.
    pub fn close(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnClose)
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
            Input::OnOpen(message) => {
                self.context.stream = message.stream.into();
                self.context.state = State::Attaching;
                self.context.credit = 0;
                self.context.pending = 0;
                self.context.unanswered = 0;
                let sent_stream = self.context.stream.clone();
                let sent = zeps::Message::Attach(zeps::Attach {
                    stream: sent_stream.as_str(),
                });
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
            Input::Detach(_) => {
                let sent = zeps::Message::DetachOk(zeps::DetachOk);
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
            Input::OnMalformed
            | Input::OnHeartbeat
            | Input::OnExpired
            | Input::Attach(_)
            | Input::AttachOk(_)
            | Input::Subscribe(_)
            | Input::SubscribeOk(_)
            | Input::Credit(_)
            | Input::Publish(_)
            | Input::Deliver(_)
            | Input::Ping(_)
            | Input::PingOk(_)
            | Input::DetachOk(_)
            | Input::Invalid(_) => Ok(Verdict::Taken),
            _ => Ok(Verdict::NoRow),
        }
    }

    fn in_attaching(
        &mut self,
        input: &Input<'_>,
    ) -> Result<Verdict, <Self as machine::Rows>::Internal> {
        match input {
            Input::AttachOk(message) => {
                self.context.stale = 0;
                self.act(|host, context| host.attached(context, message))?;
                self.context.state = State::Open;
                Ok(Verdict::Taken)
            }
            Input::Invalid(message) => {
                if u64::from(self.context.stale) == 1 {
                    return Ok(Verdict::Taken);
                }
                self.act(|host, context| host.attach_refused(context, message))?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::Detach(_) => {
                let sent = zeps::Message::DetachOk(zeps::DetachOk);
                self.act(|host, context| host.send(context, sent))?;
                self.act(|host, context| host.detached(context, input))?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::OnExpired => {
                self.context.stale = 0;
                self.act(|host, context| host.broker_lost(context, input))?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::OnClose => {
                self.context.state = State::Leaving;
                Ok(Verdict::Taken)
            }
            Input::OnHeartbeat
            | Input::Attach(_)
            | Input::Subscribe(_)
            | Input::SubscribeOk(_)
            | Input::Credit(_)
            | Input::Publish(_)
            | Input::Deliver(_)
            | Input::PingOk(_)
            | Input::DetachOk(_) => Ok(Verdict::Taken),
            Input::OnMalformed => {
                self.act(|host, context| host.broker_lost(context, input))?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::Ping(_) => {
                let sent = zeps::Message::PingOk(zeps::PingOk);
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
            _ => Ok(Verdict::NoRow),
        }
    }

    fn in_leaving(
        &mut self,
        input: &Input<'_>,
    ) -> Result<Verdict, <Self as machine::Rows>::Internal> {
        match input {
            Input::AttachOk(_) => {
                let sent = zeps::Message::Detach(zeps::Detach);
                self.act(|host, context| host.send(context, sent))?;
                self.context.state = State::Detaching;
                Ok(Verdict::Taken)
            }
            Input::Invalid(_) => {
                if u64::from(self.context.stale) == 1 {
                    return Ok(Verdict::Taken);
                }
                self.act(|host, context| host.detached(context, input))?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::Detach(_) => {
                let sent = zeps::Message::DetachOk(zeps::DetachOk);
                self.act(|host, context| host.send(context, sent))?;
                self.act(|host, context| host.detached(context, input))?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::OnExpired => {
                self.context.stale = 0;
                self.act(|host, context| host.detached(context, input))?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::OnHeartbeat
            | Input::OnMalformed
            | Input::Attach(_)
            | Input::Subscribe(_)
            | Input::SubscribeOk(_)
            | Input::Credit(_)
            | Input::Publish(_)
            | Input::Deliver(_)
            | Input::PingOk(_)
            | Input::DetachOk(_) => Ok(Verdict::Taken),
            Input::Ping(_) => {
                let sent = zeps::Message::PingOk(zeps::PingOk);
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
            _ => Ok(Verdict::NoRow),
        }
    }

    fn in_open(&mut self, input: &Input<'_>) -> Result<Verdict, <Self as machine::Rows>::Internal> {
        match input {
            Input::OnFollow(message) => {
                self.context.pending = u64::min(
                    u64::saturating_add(u64::from(self.context.pending), 1),
                    4294967295,
                ) as u32;
                let sent = zeps::Message::Subscribe(zeps::Subscribe {
                    pattern: message.pattern,
                    latest: message.latest,
                });
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
            Input::SubscribeOk(message) => {
                if u64::from(self.context.pending) > 0 {
                    self.context.pending = u64::min(
                        u64::saturating_sub(u64::from(self.context.pending), 1),
                        4294967295,
                    ) as u32;
                    self.act(|host, context| host.subscribed(context, message))?;
                    return Ok(Verdict::Taken);
                }
                self.act(|host, context| host.broker_lost(context, input))?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::OnGrant(message) => {
                self.context.credit = u64::saturating_add(self.context.credit, message.octets);
                let sent = zeps::Message::Credit(zeps::Credit {
                    credit: message.octets,
                });
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
            Input::Deliver(message) => {
                if self.context.credit >= crate::wire::size_of(message) as u64 {
                    self.context.credit = u64::saturating_sub(
                        self.context.credit,
                        crate::wire::size_of(message) as u64,
                    );
                    self.act(|host, context| host.take_message(context, message))?;
                    return Ok(Verdict::Taken);
                }
                self.act(|host, context| host.broker_lost(context, input))?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::OnPost(message) => {
                let sent = zeps::Message::Publish(zeps::Publish {
                    key: message.key,
                    body: message.body,
                });
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
            Input::OnProbe => {
                self.context.unanswered = u64::min(
                    u64::saturating_add(u64::from(self.context.unanswered), 1),
                    255,
                ) as u8;
                let sent = zeps::Message::Ping(zeps::Ping);
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
            Input::OnHeartbeat => {
                if u64::from(self.context.unanswered) >= u64::from(self.context.unanswered_max) {
                    self.context.stale = 1;
                    self.act(|host, context| host.broker_lost(context, input))?;
                    self.context.state = State::Start;
                    return Ok(Verdict::Taken);
                }
                self.context.unanswered = u64::min(
                    u64::saturating_add(u64::from(self.context.unanswered), 1),
                    255,
                ) as u8;
                let sent = zeps::Message::Ping(zeps::Ping);
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
            Input::PingOk(message) => {
                self.context.unanswered = 0;
                self.act(|host, context| host.answered(context, message))?;
                Ok(Verdict::Taken)
            }
            Input::Invalid(message) => {
                self.act(|host, context| host.read_notice(context, message))?;
                Ok(Verdict::Taken)
            }
            Input::OnEnded => {
                self.context.stale = 1;
                self.act(|host, context| host.session_lost(context))?;
                self.context.state = State::Attaching;
                self.context.credit = 0;
                self.context.pending = 0;
                self.context.unanswered = 0;
                let sent_stream = self.context.stream.clone();
                let sent = zeps::Message::Attach(zeps::Attach {
                    stream: sent_stream.as_str(),
                });
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
            Input::OnSubscribeRefused => {
                if u64::from(self.context.pending) > 0 {
                    self.context.pending = u64::min(
                        u64::saturating_sub(u64::from(self.context.pending), 1),
                        4294967295,
                    ) as u32;
                    self.act(|host, context| host.refused(context))?;
                    return Ok(Verdict::Taken);
                }
                Ok(Verdict::Taken)
            }
            Input::Detach(_) => {
                let sent = zeps::Message::DetachOk(zeps::DetachOk);
                self.act(|host, context| host.send(context, sent))?;
                self.act(|host, context| host.detached(context, input))?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::OnClose => {
                let sent = zeps::Message::Detach(zeps::Detach);
                self.act(|host, context| host.send(context, sent))?;
                self.context.state = State::Detaching;
                Ok(Verdict::Taken)
            }
            Input::OnExpired => Ok(Verdict::Taken),
            Input::OnMalformed
            | Input::Attach(_)
            | Input::AttachOk(_)
            | Input::Subscribe(_)
            | Input::Credit(_)
            | Input::Publish(_)
            | Input::DetachOk(_) => {
                self.act(|host, context| host.broker_lost(context, input))?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::Ping(_) => {
                let sent = zeps::Message::PingOk(zeps::PingOk);
                self.act(|host, context| host.send(context, sent))?;
                Ok(Verdict::Taken)
            }
            _ => Ok(Verdict::NoRow),
        }
    }

    fn in_detaching(
        &mut self,
        input: &Input<'_>,
    ) -> Result<Verdict, <Self as machine::Rows>::Internal> {
        match input {
            Input::DetachOk(_) | Input::OnExpired => {
                self.context.stale = 0;
                self.act(|host, context| host.detached(context, input))?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::Invalid(message) => {
                self.act(|host, context| host.read_notice(context, message))?;
                Ok(Verdict::Taken)
            }
            Input::OnEnded => {
                self.context.stale = 1;
                self.act(|host, context| host.detached(context, input))?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::OnSubscribeRefused
            | Input::OnHeartbeat
            | Input::OnMalformed
            | Input::Attach(_)
            | Input::AttachOk(_)
            | Input::Subscribe(_)
            | Input::SubscribeOk(_)
            | Input::Credit(_)
            | Input::Publish(_)
            | Input::Deliver(_)
            | Input::Ping(_)
            | Input::PingOk(_)
            | Input::Detach(_) => Ok(Verdict::Taken),
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
            InternalEvent::OnEnded => Input::OnEnded,
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
            State::Attaching => self.in_attaching(input),
            State::Leaving => self.in_leaving(input),
            State::Open => self.in_open(input),
            State::Detaching => self.in_detaching(input),
        }
    }
}

/// The machine as data, in the model's order.
pub static TABLE: &[Row<State, Event>] = &[
    Row {
        state: State::Start,
        event: Event::OnOpen,
        guard: None,
        steps: &[
            "stream := message.stream",
            "credit := 0",
            "pending := 0",
            "unanswered := 0",
            "send ATTACH(stream = stream)",
        ],
        next: Some(State::Attaching),
        before_at: 1,
    },
    Row {
        state: State::Start,
        event: Event::Detach,
        guard: None,
        steps: &["send DETACH-OK"],
        next: None,
        before_at: 1,
    },
    Row {
        state: State::Start,
        event: Event::OnMalformed,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::OnHeartbeat,
        guard: None,
        steps: &[],
        next: None,
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
        event: Event::Attach,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::AttachOk,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::Subscribe,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::SubscribeOk,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::Credit,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::Publish,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::Deliver,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::Ping,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::PingOk,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::DetachOk,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Start,
        event: Event::Invalid,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Attaching,
        event: Event::AttachOk,
        guard: None,
        steps: &["stale := 0", "attached"],
        next: Some(State::Open),
        before_at: 2,
    },
    Row {
        state: State::Attaching,
        event: Event::Invalid,
        guard: Some("stale == 1"),
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Attaching,
        event: Event::Invalid,
        guard: None,
        steps: &["attach_refused"],
        next: Some(State::Start),
        before_at: 1,
    },
    Row {
        state: State::Attaching,
        event: Event::Detach,
        guard: None,
        steps: &["send DETACH-OK", "detached"],
        next: Some(State::Start),
        before_at: 2,
    },
    Row {
        state: State::Attaching,
        event: Event::OnExpired,
        guard: None,
        steps: &["stale := 0", "broker_lost"],
        next: Some(State::Start),
        before_at: 2,
    },
    Row {
        state: State::Attaching,
        event: Event::OnClose,
        guard: None,
        steps: &[],
        next: Some(State::Leaving),
        before_at: 0,
    },
    Row {
        state: State::Attaching,
        event: Event::OnHeartbeat,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Attaching,
        event: Event::OnMalformed,
        guard: None,
        steps: &["broker_lost"],
        next: Some(State::Start),
        before_at: 1,
    },
    Row {
        state: State::Attaching,
        event: Event::Ping,
        guard: None,
        steps: &["send PING-OK"],
        next: None,
        before_at: 1,
    },
    Row {
        state: State::Attaching,
        event: Event::Attach,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Attaching,
        event: Event::Subscribe,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Attaching,
        event: Event::SubscribeOk,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Attaching,
        event: Event::Credit,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Attaching,
        event: Event::Publish,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Attaching,
        event: Event::Deliver,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Attaching,
        event: Event::PingOk,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Attaching,
        event: Event::DetachOk,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Leaving,
        event: Event::AttachOk,
        guard: None,
        steps: &["send DETACH"],
        next: Some(State::Detaching),
        before_at: 1,
    },
    Row {
        state: State::Leaving,
        event: Event::Invalid,
        guard: Some("stale == 1"),
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Leaving,
        event: Event::Invalid,
        guard: None,
        steps: &["detached"],
        next: Some(State::Start),
        before_at: 1,
    },
    Row {
        state: State::Leaving,
        event: Event::Detach,
        guard: None,
        steps: &["send DETACH-OK", "detached"],
        next: Some(State::Start),
        before_at: 2,
    },
    Row {
        state: State::Leaving,
        event: Event::OnExpired,
        guard: None,
        steps: &["stale := 0", "detached"],
        next: Some(State::Start),
        before_at: 2,
    },
    Row {
        state: State::Leaving,
        event: Event::OnHeartbeat,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Leaving,
        event: Event::OnMalformed,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Leaving,
        event: Event::Ping,
        guard: None,
        steps: &["send PING-OK"],
        next: None,
        before_at: 1,
    },
    Row {
        state: State::Leaving,
        event: Event::Attach,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Leaving,
        event: Event::Subscribe,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Leaving,
        event: Event::SubscribeOk,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Leaving,
        event: Event::Credit,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Leaving,
        event: Event::Publish,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Leaving,
        event: Event::Deliver,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Leaving,
        event: Event::PingOk,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Leaving,
        event: Event::DetachOk,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Open,
        event: Event::OnFollow,
        guard: None,
        steps: &[
            "pending := pending + 1",
            "send SUBSCRIBE(pattern = message.pattern, latest = message.latest)",
        ],
        next: None,
        before_at: 2,
    },
    Row {
        state: State::Open,
        event: Event::SubscribeOk,
        guard: Some("pending > 0"),
        steps: &["pending := pending - 1", "subscribed"],
        next: None,
        before_at: 2,
    },
    Row {
        state: State::Open,
        event: Event::OnGrant,
        guard: None,
        steps: &[
            "credit := credit + message.octets",
            "send CREDIT(credit = message.octets)",
        ],
        next: None,
        before_at: 2,
    },
    Row {
        state: State::Open,
        event: Event::Deliver,
        guard: Some("credit >= size(DELIVER)"),
        steps: &["credit := credit - size(DELIVER)", "take_message"],
        next: None,
        before_at: 2,
    },
    Row {
        state: State::Open,
        event: Event::OnPost,
        guard: None,
        steps: &["send PUBLISH(key = message.key, body = message.body)"],
        next: None,
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::OnProbe,
        guard: None,
        steps: &["unanswered := unanswered + 1", "send PING"],
        next: None,
        before_at: 2,
    },
    Row {
        state: State::Open,
        event: Event::OnHeartbeat,
        guard: Some("unanswered >= unanswered_max"),
        steps: &["stale := 1", "broker_lost"],
        next: Some(State::Start),
        before_at: 2,
    },
    Row {
        state: State::Open,
        event: Event::OnHeartbeat,
        guard: None,
        steps: &["unanswered := unanswered + 1", "send PING"],
        next: None,
        before_at: 2,
    },
    Row {
        state: State::Open,
        event: Event::PingOk,
        guard: None,
        steps: &["unanswered := 0", "answered"],
        next: None,
        before_at: 2,
    },
    Row {
        state: State::Open,
        event: Event::Invalid,
        guard: None,
        steps: &["read_notice"],
        next: None,
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::OnEnded,
        guard: None,
        steps: &[
            "stale := 1",
            "session_lost",
            "credit := 0",
            "pending := 0",
            "unanswered := 0",
            "send ATTACH(stream = stream)",
        ],
        next: Some(State::Attaching),
        before_at: 2,
    },
    Row {
        state: State::Open,
        event: Event::OnSubscribeRefused,
        guard: Some("pending > 0"),
        steps: &["pending := pending - 1", "refused"],
        next: None,
        before_at: 2,
    },
    Row {
        state: State::Open,
        event: Event::OnSubscribeRefused,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Open,
        event: Event::Detach,
        guard: None,
        steps: &["send DETACH-OK", "detached"],
        next: Some(State::Start),
        before_at: 2,
    },
    Row {
        state: State::Open,
        event: Event::OnClose,
        guard: None,
        steps: &["send DETACH"],
        next: Some(State::Detaching),
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::OnExpired,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Open,
        event: Event::OnMalformed,
        guard: None,
        steps: &["broker_lost"],
        next: Some(State::Start),
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::Ping,
        guard: None,
        steps: &["send PING-OK"],
        next: None,
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::Attach,
        guard: None,
        steps: &["broker_lost"],
        next: Some(State::Start),
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::AttachOk,
        guard: None,
        steps: &["broker_lost"],
        next: Some(State::Start),
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::Subscribe,
        guard: None,
        steps: &["broker_lost"],
        next: Some(State::Start),
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::SubscribeOk,
        guard: None,
        steps: &["broker_lost"],
        next: Some(State::Start),
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::Credit,
        guard: None,
        steps: &["broker_lost"],
        next: Some(State::Start),
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::Publish,
        guard: None,
        steps: &["broker_lost"],
        next: Some(State::Start),
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::Deliver,
        guard: None,
        steps: &["broker_lost"],
        next: Some(State::Start),
        before_at: 1,
    },
    Row {
        state: State::Open,
        event: Event::DetachOk,
        guard: None,
        steps: &["broker_lost"],
        next: Some(State::Start),
        before_at: 1,
    },
    Row {
        state: State::Detaching,
        event: Event::DetachOk,
        guard: None,
        steps: &["stale := 0", "detached"],
        next: Some(State::Start),
        before_at: 2,
    },
    Row {
        state: State::Detaching,
        event: Event::Invalid,
        guard: None,
        steps: &["read_notice"],
        next: None,
        before_at: 1,
    },
    Row {
        state: State::Detaching,
        event: Event::OnEnded,
        guard: None,
        steps: &["stale := 1", "detached"],
        next: Some(State::Start),
        before_at: 2,
    },
    Row {
        state: State::Detaching,
        event: Event::OnSubscribeRefused,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Detaching,
        event: Event::OnExpired,
        guard: None,
        steps: &["stale := 0", "detached"],
        next: Some(State::Start),
        before_at: 2,
    },
    Row {
        state: State::Detaching,
        event: Event::OnHeartbeat,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Detaching,
        event: Event::OnMalformed,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Detaching,
        event: Event::Attach,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Detaching,
        event: Event::AttachOk,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Detaching,
        event: Event::Subscribe,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Detaching,
        event: Event::SubscribeOk,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Detaching,
        event: Event::Credit,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Detaching,
        event: Event::Publish,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Detaching,
        event: Event::Deliver,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Detaching,
        event: Event::Ping,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Detaching,
        event: Event::PingOk,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
    Row {
        state: State::Detaching,
        event: Event::Detach,
        guard: None,
        steps: &[],
        next: None,
        before_at: 0,
    },
];
