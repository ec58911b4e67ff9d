//! ZEPS client session.
//!
//! What a client does for its application. Methods are the application's calls; the host owns
//! the clock, the socket and the resumption point.

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
    /// Not attached.
    Start,
    /// ATTACH is sent again on entry, whatever led here. A lost session answers every command that
    /// was on its way with INVALID; those come before the answer to ATTACH, which only ATTACH-OK or
    /// the timer tells from them.
    Attaching,
    /// The application closed before ATTACH was answered. DETACH waits for the answer: were both on
    /// their way, nobody could tell which of them an INVALID is for.
    Leaving,
    /// Attached.
    Open,
    /// DETACH is sent; what was on its way still arrives and is dropped. A PING needs no answer any
    /// more, nor does a DETACH of the broker's that crosses this one: the broker takes this one for
    /// it, and says DETACH-OK.
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
    /// Nothing was sent for a while.
    OnHeartbeat,
    /// No answer to ATTACH or DETACH came in time.
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
    /// Let the broker send so many octets more.
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

/// What `open` is called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenCall<'a> {
    /// The parameter `stream`.
    pub stream: &'a str,
}

/// What `follow` is called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FollowCall<'a> {
    /// The parameter `pattern`.
    pub pattern: &'a str,
    /// The parameter `latest`.
    pub latest: u64,
}

/// What `grant` is called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrantCall {
    /// The parameter `octets`.
    pub octets: u64,
}

/// What `post` is called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostCall<'a> {
    /// The parameter `key`.
    pub key: &'a str,
    /// The parameter `body`.
    pub body: &'a [u8],
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
    /// Nothing was sent for a while.
    OnHeartbeat,
    /// No answer to ATTACH or DETACH came in time.
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
    /// Let the broker send so many octets more.
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

/// What the machine asks of its host. An action gets the machine's variables, and what the event carries.
///
/// An action cannot call the machine, which is at work: the host keeps for later what it wants to do next.
pub trait Host {
    /// Send a message.
    fn send(&mut self, message: zeps::Message<'_>);

    /// The action `attached`.
    fn attached(&mut self, context: &mut Context, message: &zeps::AttachOk);

    /// The action `attach_refused`.
    fn attach_refused(&mut self, context: &mut Context, message: &zeps::Invalid<'_>);

    /// The action `detached`.
    fn detached(&mut self, context: &mut Context, input: &Input<'_>);

    /// The action `broker_lost`.
    fn broker_lost(&mut self, context: &mut Context, input: &Input<'_>);

    /// The action `subscribed`.
    fn subscribed(&mut self, context: &mut Context, message: &zeps::SubscribeOk);

    /// The action `take_message`.
    fn take_message(&mut self, context: &mut Context, message: &zeps::Deliver<'_>);

    /// The action `answered`.
    fn answered(&mut self, context: &mut Context, message: &zeps::PingOk);

    /// The action `read_notice`.
    ///
    /// May fail with `ended`, `subscribe_refused`.
    fn read_notice(&mut self, context: &mut Context, message: &zeps::Invalid<'_>);

    /// The action `session_lost`.
    fn session_lost(&mut self, context: &mut Context);

    /// The action `refused`.
    fn refused(&mut self, context: &mut Context);
}

/// Where the machine is, and what it remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    state: State,
    terminated: bool,
    failed: Option<Event>,
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
            failed: None,
            credit: 0,
            pending: 0,
            unanswered: 0,
            unanswered_max: 3,
            stale: 0,
            stream: String::new(),
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

    /// Nothing was sent for a while.
    ///
    /// Whether a guard held.
    ///
    /// # Errors
    ///
    /// As `handle` says.
    pub fn heartbeat(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnHeartbeat)
    }

    /// No answer to ATTACH or DETACH came in time.
    ///
    /// Whether a guard held.
    ///
    /// # Errors
    ///
    /// As `handle` says.
    pub fn expired(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnExpired)
    }

    /// The host received something that does not decode.
    ///
    /// Whether a guard held.
    ///
    /// # Errors
    ///
    /// As `handle` says.
    pub fn malformed(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnMalformed)
    }

    /// Raised when the code of an INVALID is one that ends the session, or is not known.
    ///
    /// Whether a guard held.
    ///
    /// # Errors
    ///
    /// As `handle` says.
    pub fn ended(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnEnded)
    }

    /// Raised when the code of an INVALID is one that refuses a SUBSCRIBE.
    ///
    /// Whether a guard held.
    ///
    /// # Errors
    ///
    /// As `handle` says.
    pub fn subscribe_refused(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnSubscribeRefused)
    }

    /// Attach to a stream.
    ///
    /// Whether a guard held.
    ///
    /// # Errors
    ///
    /// As `handle` says.
    pub fn open(&mut self, stream: &str) -> Result<bool, MachineError> {
        self.handle(&Input::OnOpen(OpenCall { stream }))
    }

    /// Subscribe.
    ///
    /// Whether a guard held.
    ///
    /// # Errors
    ///
    /// As `handle` says.
    pub fn follow(&mut self, pattern: &str, latest: u64) -> Result<bool, MachineError> {
        self.handle(&Input::OnFollow(FollowCall { pattern, latest }))
    }

    /// Let the broker send so many octets more.
    ///
    /// Whether a guard held.
    ///
    /// # Errors
    ///
    /// As `handle` says.
    pub fn grant(&mut self, octets: u64) -> Result<bool, MachineError> {
        self.handle(&Input::OnGrant(GrantCall { octets }))
    }

    /// Publish.
    ///
    /// Whether a guard held.
    ///
    /// # Errors
    ///
    /// As `handle` says.
    pub fn post(&mut self, key: &str, body: &[u8]) -> Result<bool, MachineError> {
        self.handle(&Input::OnPost(PostCall { key, body }))
    }

    /// Ask for PING-OK: when it comes, everything published before has its sequence.
    ///
    /// Whether a guard held.
    ///
    /// # Errors
    ///
    /// As `handle` says.
    pub fn probe(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnProbe)
    }

    /// Detach.
    ///
    /// Whether a guard held.
    ///
    /// # Errors
    ///
    /// As `handle` says.
    pub fn close(&mut self) -> Result<bool, MachineError> {
        self.handle(&Input::OnClose)
    }

    fn in_start(&mut self, input: &Input<'_>) -> Result<Verdict, Event> {
        match input {
            Input::OnOpen(message) => {
                self.context.stream = message.stream.into();
                self.context.state = State::Attaching;
                self.context.credit = 0;
                self.context.pending = 0;
                self.context.unanswered = 0;
                self.host.send(zeps::Message::Attach(zeps::Attach {
                    stream: self.context.stream.as_str(),
                }));
                Ok(Verdict::Taken)
            }
            Input::Detach(_) => {
                self.host.send(zeps::Message::DetachOk(zeps::DetachOk));
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

    fn in_attaching(&mut self, input: &Input<'_>) -> Result<Verdict, Event> {
        match input {
            Input::AttachOk(message) => {
                self.context.stale = 0;
                self.host.attached(&mut self.context, message);
                machine::done(&mut self.context.failed)?;
                self.context.state = State::Open;
                Ok(Verdict::Taken)
            }
            Input::Invalid(message) => {
                if u64::from(self.context.stale) == 1 {
                    return Ok(Verdict::Taken);
                }
                self.host.attach_refused(&mut self.context, message);
                machine::done(&mut self.context.failed)?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::Detach(_) => {
                self.host.send(zeps::Message::DetachOk(zeps::DetachOk));
                self.host.detached(&mut self.context, input);
                machine::done(&mut self.context.failed)?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::OnExpired => {
                self.context.stale = 0;
                self.host.broker_lost(&mut self.context, input);
                machine::done(&mut self.context.failed)?;
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
                self.host.broker_lost(&mut self.context, input);
                machine::done(&mut self.context.failed)?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::Ping(_) => {
                self.host.send(zeps::Message::PingOk(zeps::PingOk));
                Ok(Verdict::Taken)
            }
            _ => Ok(Verdict::NoRow),
        }
    }

    fn in_leaving(&mut self, input: &Input<'_>) -> Result<Verdict, Event> {
        match input {
            Input::AttachOk(_) => {
                self.host.send(zeps::Message::Detach(zeps::Detach));
                self.context.state = State::Detaching;
                Ok(Verdict::Taken)
            }
            Input::Invalid(_) => {
                if u64::from(self.context.stale) == 1 {
                    return Ok(Verdict::Taken);
                }
                self.host.detached(&mut self.context, input);
                machine::done(&mut self.context.failed)?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::Detach(_) => {
                self.host.send(zeps::Message::DetachOk(zeps::DetachOk));
                self.host.detached(&mut self.context, input);
                machine::done(&mut self.context.failed)?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::OnExpired => {
                self.context.stale = 0;
                self.host.detached(&mut self.context, input);
                machine::done(&mut self.context.failed)?;
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
                self.host.send(zeps::Message::PingOk(zeps::PingOk));
                Ok(Verdict::Taken)
            }
            _ => Ok(Verdict::NoRow),
        }
    }

    fn in_open(&mut self, input: &Input<'_>) -> Result<Verdict, Event> {
        match input {
            Input::OnFollow(message) => {
                self.context.pending = u64::from(self.context.pending)
                    .saturating_add(1)
                    .min(4294967295) as u32;
                self.host.send(zeps::Message::Subscribe(zeps::Subscribe {
                    pattern: message.pattern,
                    latest: message.latest,
                }));
                Ok(Verdict::Taken)
            }
            Input::SubscribeOk(message) => {
                if u64::from(self.context.pending) > 0 {
                    self.context.pending = u64::from(self.context.pending)
                        .saturating_sub(1)
                        .min(4294967295) as u32;
                    self.host.subscribed(&mut self.context, message);
                    machine::done(&mut self.context.failed)?;
                    return Ok(Verdict::Taken);
                }
                self.host.broker_lost(&mut self.context, input);
                machine::done(&mut self.context.failed)?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::OnGrant(message) => {
                self.context.credit = self.context.credit.saturating_add(message.octets);
                self.host.send(zeps::Message::Credit(zeps::Credit {
                    credit: message.octets,
                }));
                Ok(Verdict::Taken)
            }
            Input::Deliver(message) => {
                if self.context.credit >= crate::wire::size_of(message) as u64 {
                    self.context.credit = self
                        .context
                        .credit
                        .saturating_sub(crate::wire::size_of(message) as u64);
                    self.host.take_message(&mut self.context, message);
                    machine::done(&mut self.context.failed)?;
                    return Ok(Verdict::Taken);
                }
                self.host.broker_lost(&mut self.context, input);
                machine::done(&mut self.context.failed)?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::OnPost(message) => {
                self.host.send(zeps::Message::Publish(zeps::Publish {
                    key: message.key,
                    body: message.body,
                }));
                Ok(Verdict::Taken)
            }
            Input::OnProbe => {
                self.context.unanswered = u64::from(self.context.unanswered)
                    .saturating_add(1)
                    .min(255) as u8;
                self.host.send(zeps::Message::Ping(zeps::Ping));
                Ok(Verdict::Taken)
            }
            Input::OnHeartbeat => {
                if u64::from(self.context.unanswered) >= u64::from(self.context.unanswered_max) {
                    self.context.stale = 1;
                    self.host.broker_lost(&mut self.context, input);
                    machine::done(&mut self.context.failed)?;
                    self.context.state = State::Start;
                    return Ok(Verdict::Taken);
                }
                self.context.unanswered = u64::from(self.context.unanswered)
                    .saturating_add(1)
                    .min(255) as u8;
                self.host.send(zeps::Message::Ping(zeps::Ping));
                Ok(Verdict::Taken)
            }
            Input::PingOk(message) => {
                self.context.unanswered = 0;
                self.host.answered(&mut self.context, message);
                machine::done(&mut self.context.failed)?;
                Ok(Verdict::Taken)
            }
            Input::Invalid(message) => {
                self.host.read_notice(&mut self.context, message);
                machine::done(&mut self.context.failed)?;
                Ok(Verdict::Taken)
            }
            Input::OnEnded => {
                self.context.stale = 1;
                self.host.session_lost(&mut self.context);
                machine::done(&mut self.context.failed)?;
                self.context.state = State::Attaching;
                self.context.credit = 0;
                self.context.pending = 0;
                self.context.unanswered = 0;
                self.host.send(zeps::Message::Attach(zeps::Attach {
                    stream: self.context.stream.as_str(),
                }));
                Ok(Verdict::Taken)
            }
            Input::OnSubscribeRefused => {
                if u64::from(self.context.pending) > 0 {
                    self.context.pending = u64::from(self.context.pending)
                        .saturating_sub(1)
                        .min(4294967295) as u32;
                    self.host.refused(&mut self.context);
                    machine::done(&mut self.context.failed)?;
                    return Ok(Verdict::Taken);
                }
                Ok(Verdict::Taken)
            }
            Input::Detach(_) => {
                self.host.send(zeps::Message::DetachOk(zeps::DetachOk));
                self.host.detached(&mut self.context, input);
                machine::done(&mut self.context.failed)?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::OnClose => {
                self.host.send(zeps::Message::Detach(zeps::Detach));
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
                self.host.broker_lost(&mut self.context, input);
                machine::done(&mut self.context.failed)?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::Ping(_) => {
                self.host.send(zeps::Message::PingOk(zeps::PingOk));
                Ok(Verdict::Taken)
            }
            _ => Ok(Verdict::NoRow),
        }
    }

    fn in_detaching(&mut self, input: &Input<'_>) -> Result<Verdict, Event> {
        match input {
            Input::DetachOk(_) | Input::OnExpired => {
                self.context.stale = 0;
                self.host.detached(&mut self.context, input);
                machine::done(&mut self.context.failed)?;
                self.context.state = State::Start;
                Ok(Verdict::Taken)
            }
            Input::Invalid(message) => {
                self.host.read_notice(&mut self.context, message);
                machine::done(&mut self.context.failed)?;
                Ok(Verdict::Taken)
            }
            Input::OnEnded => {
                self.context.stale = 1;
                self.host.detached(&mut self.context, input);
                machine::done(&mut self.context.failed)?;
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
            Event::OnHeartbeat => Some(Input::OnHeartbeat),
            Event::OnExpired => Some(Input::OnExpired),
            Event::OnMalformed => Some(Input::OnMalformed),
            Event::OnEnded => Some(Input::OnEnded),
            Event::OnSubscribeRefused => Some(Input::OnSubscribeRefused),
            Event::OnProbe => Some(Input::OnProbe),
            Event::OnClose => Some(Input::OnClose),
            _ => None,
        }
    }

    fn take_failed(&mut self) -> Option<Event> {
        self.context.failed.take()
    }

    fn step(&mut self, input: &Input<'_>) -> Result<Verdict, Event> {
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
