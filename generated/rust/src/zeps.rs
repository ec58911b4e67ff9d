//! ZeroMQ Enterprise Publish-Subscribe.
//!
//! ZEPS is a broker-based publish-subscribe protocol. A client attaches to one stream of a
//! broker, publishes messages to it, and receives those that match its subscriptions, from any
//! point of the stream's history on.
//!
//! ```
//! use zeps_wire::{zeps, Encode};
//!
//! let message = zeps::Deliver { sequence: 7, key: "some", body: b"octets" };
//! let frame = message.encode()?;
//! assert_eq!(zeps::decode(&frame), Ok(zeps::Message::Deliver(message)));
//! assert!(zeps::decode(&frame[..frame.len() - 1]).is_err());
//! # Ok::<(), zeps_wire::EncodeError>(())
//! ```

use crate::error::{Code, DecodeError, EncodeError};
use crate::text::Text;
use crate::wire::{self, Encode};

/// A `latest` that asks for everything retained.
pub const LATEST_ALL: u64 = 0;
/// A `latest` that asks for new messages only.
pub const LATEST_NEW: u64 = 18446744073709551615;

/// Codes of INVALID after which there is no session. A code that a client does not know counts
/// as one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndingCode {
    /// What arrived cannot be decoded.
    Malformed,
    /// The command's number is not defined in this version.
    UnknownCommand,
    /// A command other than ATTACH came without a session.
    NoSession,
    /// The connection chose its own routing id.
    RoutingId,
    /// Refuses ATTACH: another protocol.
    UnsupportedProtocol,
    /// Refuses ATTACH: a version that the broker does not speak.
    UnsupportedVersion,
    /// Refuses ATTACH: the stream name is empty.
    StreamName,
    /// Refuses ATTACH: the broker cannot serve the stream; trying again later may help.
    StreamUnavailable,
    /// Refuses ATTACH: the broker has as many sessions as it may have; trying again later may help.
    TooManySessions,
    /// Refuses ATTACH: the broker is stopping; trying again later may help.
    Stopping,
}

impl EndingCode {
    /// The member's text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::UnknownCommand => "unknown-command",
            Self::NoSession => "no-session",
            Self::RoutingId => "routing-id",
            Self::UnsupportedProtocol => "unsupported-protocol",
            Self::UnsupportedVersion => "unsupported-version",
            Self::StreamName => "stream-name",
            Self::StreamUnavailable => "stream-unavailable",
            Self::TooManySessions => "too-many-sessions",
            Self::Stopping => "stopping",
        }
    }
}

impl crate::list::Worded for EndingCode {
    const ANY: Self = Self::Malformed;

    fn of_text(text: &str) -> Option<Self> {
        match text {
            "malformed" => Some(Self::Malformed),
            "unknown-command" => Some(Self::UnknownCommand),
            "no-session" => Some(Self::NoSession),
            "routing-id" => Some(Self::RoutingId),
            "unsupported-protocol" => Some(Self::UnsupportedProtocol),
            "unsupported-version" => Some(Self::UnsupportedVersion),
            "stream-name" => Some(Self::StreamName),
            "stream-unavailable" => Some(Self::StreamUnavailable),
            "too-many-sessions" => Some(Self::TooManySessions),
            "stopping" => Some(Self::Stopping),
            _ => None,
        }
    }

    fn to_text(self) -> &'static str {
        self.as_str()
    }
}

/// Codes of INVALID that leave an open session as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpenCode {
    /// A command that only the broker sends, or DETACH-OK without DETACH; it was ignored.
    Unexpected,
    /// Refuses SUBSCRIBE: the pattern does not have the syntax of the stream's matching style.
    BadPattern,
    /// Refuses SUBSCRIBE: the session has as many subscriptions as it may have.
    TooManySubscriptions,
    /// Refuses SUBSCRIBE: the sequences from first, which is `latest` + 1, to last are no longer
    /// retained.
    NotRetained,
    /// Refuses SUBSCRIBE: the sequences from first to last, which is `latest`, do not exist; the
    /// stream ends before first.
    BeyondEnd,
    /// A notice: the sequences from first to last were to be delivered, and retention has removed
    /// them.
    Retention,
    /// A notice: the sequences from first to last were to be delivered, and the journal is damaged
    /// there.
    Damage,
}

impl OpenCode {
    /// The member's text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unexpected => "unexpected",
            Self::BadPattern => "bad-pattern",
            Self::TooManySubscriptions => "too-many-subscriptions",
            Self::NotRetained => "not-retained",
            Self::BeyondEnd => "beyond-end",
            Self::Retention => "retention",
            Self::Damage => "damage",
        }
    }
}

impl crate::list::Worded for OpenCode {
    const ANY: Self = Self::Unexpected;

    fn of_text(text: &str) -> Option<Self> {
        match text {
            "unexpected" => Some(Self::Unexpected),
            "bad-pattern" => Some(Self::BadPattern),
            "too-many-subscriptions" => Some(Self::TooManySubscriptions),
            "not-retained" => Some(Self::NotRetained),
            "beyond-end" => Some(Self::BeyondEnd),
            "retention" => Some(Self::Retention),
            "damage" => Some(Self::Damage),
            _ => None,
        }
    }

    fn to_text(self) -> &'static str {
        self.as_str()
    }
}

/// Client opens stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attach<'a> {
    /// Stream name. UTF-8 without control characters, at most 255 octets.
    pub stream: &'a str,
}

impl<'a> Attach<'a> {
    /// The message's number.
    pub const ID: u32 = 1;
    /// The message's name in the model.
    pub const NAME: &'static str = "ATTACH";
    /// Constant "ZEPS".
    pub const PROTOCOL: &'static str = "ZEPS";
    /// Protocol version 1.
    pub const VERSION: u64 = 1;

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        reader.constant(b"\x04ZEPS", "protocol")?;
        reader.constant(b"\x00\x01", "version")?;
        let stream = reader.text::<1>("stream", u64::MAX, Text::Printable)?;
        reader.end()?;
        Ok(Attach { stream })
    }
}

impl Encode for Attach<'_> {
    #[inline]
    fn size(&self) -> usize {
        11 + self.stream.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        if !Text::Printable.admits(self.stream) {
            return Err(EncodeError::new(Code::BadText, "ATTACH", "stream"));
        }
        if self.stream.len() as u64 > 255 {
            return Err(EncodeError::new(Code::TooLong, "ATTACH", "stream"));
        }
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\xaa\xa5\x01\x04ZEPS\x00\x01");
        wire::put_length::<1, S>(self.stream.len(), sink);
        sink.put(self.stream.as_bytes());
    }
}

impl<'a> From<Attach<'a>> for Message<'a> {
    fn from(message: Attach<'a>) -> Self {
        Message::Attach(message)
    }
}

/// Server grants the client access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttachOk;

impl AttachOk {
    /// The message's number.
    pub const ID: u32 = 2;
    /// The message's name in the model.
    pub const NAME: &'static str = "ATTACH-OK";

    #[inline]
    fn read(reader: wire::Reader<'_>) -> Result<Self, DecodeError> {
        reader.end()?;
        Ok(AttachOk)
    }
}

impl Encode for AttachOk {
    #[inline]
    fn size(&self) -> usize {
        3
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\xaa\xa5\x02");
    }
}

impl<'a> From<AttachOk> for Message<'a> {
    fn from(message: AttachOk) -> Self {
        Message::AttachOk(message)
    }
}

/// Client subscribes to a set of topics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subscribe<'a> {
    /// Subscription pattern. UTF-8 without control characters, at most 255 octets.
    pub pattern: &'a str,
    /// Last known sequence.
    pub latest: u64,
}

impl<'a> Subscribe<'a> {
    /// The message's number.
    pub const ID: u32 = 3;
    /// The message's name in the model.
    pub const NAME: &'static str = "SUBSCRIBE";

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        let pattern = reader.text::<1>("pattern", u64::MAX, Text::Printable)?;
        let latest = u64::from_be_bytes(reader.array("latest")?);
        reader.end()?;
        Ok(Subscribe { pattern, latest })
    }
}

impl Encode for Subscribe<'_> {
    #[inline]
    fn size(&self) -> usize {
        12 + self.pattern.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        if !Text::Printable.admits(self.pattern) {
            return Err(EncodeError::new(Code::BadText, "SUBSCRIBE", "pattern"));
        }
        if self.pattern.len() as u64 > 255 {
            return Err(EncodeError::new(Code::TooLong, "SUBSCRIBE", "pattern"));
        }
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\xaa\xa5\x03");
        wire::put_length::<1, S>(self.pattern.len(), sink);
        sink.put(self.pattern.as_bytes());
        sink.put(&self.latest.to_be_bytes());
    }
}

impl<'a> From<Subscribe<'a>> for Message<'a> {
    fn from(message: Subscribe<'a>) -> Self {
        Message::Subscribe(message)
    }
}

/// Server confirms the subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubscribeOk;

impl SubscribeOk {
    /// The message's number.
    pub const ID: u32 = 4;
    /// The message's name in the model.
    pub const NAME: &'static str = "SUBSCRIBE-OK";

    #[inline]
    fn read(reader: wire::Reader<'_>) -> Result<Self, DecodeError> {
        reader.end()?;
        Ok(SubscribeOk)
    }
}

impl Encode for SubscribeOk {
    #[inline]
    fn size(&self) -> usize {
        3
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\xaa\xa5\x04");
    }
}

impl<'a> From<SubscribeOk> for Message<'a> {
    fn from(message: SubscribeOk) -> Self {
        Message::SubscribeOk(message)
    }
}

/// Client sends credit to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credit {
    /// Credit, in octets.
    pub credit: u64,
}

impl Credit {
    /// The message's number.
    pub const ID: u32 = 5;
    /// The message's name in the model.
    pub const NAME: &'static str = "CREDIT";

    #[inline]
    fn read(mut reader: wire::Reader<'_>) -> Result<Self, DecodeError> {
        let credit = u64::from_be_bytes(reader.array("credit")?);
        reader.end()?;
        Ok(Credit { credit })
    }
}

impl Encode for Credit {
    #[inline]
    fn size(&self) -> usize {
        11
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\xaa\xa5\x05");
        sink.put(&self.credit.to_be_bytes());
    }
}

impl<'a> From<Credit> for Message<'a> {
    fn from(message: Credit) -> Self {
        Message::Credit(message)
    }
}

/// Client publishes a new message to the open stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Publish<'a> {
    /// Message routing key. UTF-8 without control characters, at most 255 octets.
    pub key: &'a str,
    /// Message contents. At most 16777216 octets.
    pub body: &'a [u8],
}

impl<'a> Publish<'a> {
    /// The message's number.
    pub const ID: u32 = 6;
    /// The message's name in the model.
    pub const NAME: &'static str = "PUBLISH";

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        let key = reader.text::<1>("key", u64::MAX, Text::Printable)?;
        let body = reader.octets::<4>("body", 16777216)?;
        reader.end()?;
        Ok(Publish { key, body })
    }
}

impl Encode for Publish<'_> {
    #[inline]
    fn size(&self) -> usize {
        8 + self.key.len() + self.body.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        if !Text::Printable.admits(self.key) {
            return Err(EncodeError::new(Code::BadText, "PUBLISH", "key"));
        }
        if self.body.len() as u64 > 16777216 {
            return Err(EncodeError::new(Code::TooLong, "PUBLISH", "body"));
        }
        if self.key.len() as u64 > 255 {
            return Err(EncodeError::new(Code::TooLong, "PUBLISH", "key"));
        }
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\xaa\xa5\x06");
        wire::put_length::<1, S>(self.key.len(), sink);
        sink.put(self.key.as_bytes());
        wire::put_length::<4, S>(self.body.len(), sink);
        sink.put(self.body);
    }
}

impl<'a> From<Publish<'a>> for Message<'a> {
    fn from(message: Publish<'a>) -> Self {
        Message::Publish(message)
    }
}

/// Server delivers a message to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deliver<'a> {
    /// Sequenced per stream.
    pub sequence: u64,
    /// Message routing key. UTF-8 without control characters, at most 255 octets.
    pub key: &'a str,
    /// Message contents. At most 16777216 octets.
    pub body: &'a [u8],
}

impl<'a> Deliver<'a> {
    /// The message's number.
    pub const ID: u32 = 7;
    /// The message's name in the model.
    pub const NAME: &'static str = "DELIVER";

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        let sequence = u64::from_be_bytes(reader.array("sequence")?);
        let key = reader.text::<1>("key", u64::MAX, Text::Printable)?;
        let body = reader.octets::<4>("body", 16777216)?;
        reader.end()?;
        Ok(Deliver {
            sequence,
            key,
            body,
        })
    }
}

impl Encode for Deliver<'_> {
    #[inline]
    fn size(&self) -> usize {
        16 + self.key.len() + self.body.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        if !Text::Printable.admits(self.key) {
            return Err(EncodeError::new(Code::BadText, "DELIVER", "key"));
        }
        if self.body.len() as u64 > 16777216 {
            return Err(EncodeError::new(Code::TooLong, "DELIVER", "body"));
        }
        if self.key.len() as u64 > 255 {
            return Err(EncodeError::new(Code::TooLong, "DELIVER", "key"));
        }
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\xaa\xa5\x07");
        sink.put(&self.sequence.to_be_bytes());
        wire::put_length::<1, S>(self.key.len(), sink);
        sink.put(self.key.as_bytes());
        wire::put_length::<4, S>(self.body.len(), sink);
        sink.put(self.body);
    }
}

impl<'a> From<Deliver<'a>> for Message<'a> {
    fn from(message: Deliver<'a>) -> Self {
        Message::Deliver(message)
    }
}

/// Client or server sends a heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ping;

impl Ping {
    /// The message's number.
    pub const ID: u32 = 8;
    /// The message's name in the model.
    pub const NAME: &'static str = "PING";

    #[inline]
    fn read(reader: wire::Reader<'_>) -> Result<Self, DecodeError> {
        reader.end()?;
        Ok(Ping)
    }
}

impl Encode for Ping {
    #[inline]
    fn size(&self) -> usize {
        3
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\xaa\xa5\x08");
    }
}

impl<'a> From<Ping> for Message<'a> {
    fn from(message: Ping) -> Self {
        Message::Ping(message)
    }
}

/// Client or server answers a heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PingOk;

impl PingOk {
    /// The message's number.
    pub const ID: u32 = 9;
    /// The message's name in the model.
    pub const NAME: &'static str = "PING-OK";

    #[inline]
    fn read(reader: wire::Reader<'_>) -> Result<Self, DecodeError> {
        reader.end()?;
        Ok(PingOk)
    }
}

impl Encode for PingOk {
    #[inline]
    fn size(&self) -> usize {
        3
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\xaa\xa5\x09");
    }
}

impl<'a> From<PingOk> for Message<'a> {
    fn from(message: PingOk) -> Self {
        Message::PingOk(message)
    }
}

/// Client or server closes the peering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detach;

impl Detach {
    /// The message's number.
    pub const ID: u32 = 10;
    /// The message's name in the model.
    pub const NAME: &'static str = "DETACH";

    #[inline]
    fn read(reader: wire::Reader<'_>) -> Result<Self, DecodeError> {
        reader.end()?;
        Ok(Detach)
    }
}

impl Encode for Detach {
    #[inline]
    fn size(&self) -> usize {
        3
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\xaa\xa5\x0a");
    }
}

impl<'a> From<Detach> for Message<'a> {
    fn from(message: Detach) -> Self {
        Message::Detach(message)
    }
}

/// Client or server confirms the close.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DetachOk;

impl DetachOk {
    /// The message's number.
    pub const ID: u32 = 11;
    /// The message's name in the model.
    pub const NAME: &'static str = "DETACH-OK";

    #[inline]
    fn read(reader: wire::Reader<'_>) -> Result<Self, DecodeError> {
        reader.end()?;
        Ok(DetachOk)
    }
}

impl Encode for DetachOk {
    #[inline]
    fn size(&self) -> usize {
        3
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\xaa\xa5\x0b");
    }
}

impl<'a> From<DetachOk> for Message<'a> {
    fn from(message: DetachOk) -> Self {
        Message::DetachOk(message)
    }
}

/// Server tells client it sent an invalid message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invalid<'a> {
    /// Printable explanation. UTF-8 without control characters, at most 255 octets.
    pub reason: &'a str,
}

impl<'a> Invalid<'a> {
    /// The message's number.
    pub const ID: u32 = 12;
    /// The message's name in the model.
    pub const NAME: &'static str = "INVALID";

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        let reason = reader.text::<1>("reason", u64::MAX, Text::Printable)?;
        reader.end()?;
        Ok(Invalid { reason })
    }
}

impl Encode for Invalid<'_> {
    #[inline]
    fn size(&self) -> usize {
        4 + self.reason.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        if !Text::Printable.admits(self.reason) {
            return Err(EncodeError::new(Code::BadText, "INVALID", "reason"));
        }
        if self.reason.len() as u64 > 255 {
            return Err(EncodeError::new(Code::TooLong, "INVALID", "reason"));
        }
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\xaa\xa5\x0c");
        wire::put_length::<1, S>(self.reason.len(), sink);
        sink.put(self.reason.as_bytes());
    }
}

impl<'a> From<Invalid<'a>> for Message<'a> {
    fn from(message: Invalid<'a>) -> Self {
        Message::Invalid(message)
    }
}

/// Any message of the protocol, borrowed from its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant)] // nothing is boxed: a message is a view of its frame
pub enum Message<'a> {
    /// Client opens stream.
    Attach(Attach<'a>),
    /// Server grants the client access.
    AttachOk(AttachOk),
    /// Client subscribes to a set of topics.
    Subscribe(Subscribe<'a>),
    /// Server confirms the subscription.
    SubscribeOk(SubscribeOk),
    /// Client sends credit to the server.
    Credit(Credit),
    /// Client publishes a new message to the open stream.
    Publish(Publish<'a>),
    /// Server delivers a message to the client.
    Deliver(Deliver<'a>),
    /// Client or server sends a heartbeat.
    Ping(Ping),
    /// Client or server answers a heartbeat.
    PingOk(PingOk),
    /// Client or server closes the peering.
    Detach(Detach),
    /// Client or server confirms the close.
    DetachOk(DetachOk),
    /// Server tells client it sent an invalid message.
    Invalid(Invalid<'a>),
}

impl Message<'_> {
    /// The message's name in the model.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Message::Attach(_) => Attach::NAME,
            Message::AttachOk(_) => AttachOk::NAME,
            Message::Subscribe(_) => Subscribe::NAME,
            Message::SubscribeOk(_) => SubscribeOk::NAME,
            Message::Credit(_) => Credit::NAME,
            Message::Publish(_) => Publish::NAME,
            Message::Deliver(_) => Deliver::NAME,
            Message::Ping(_) => Ping::NAME,
            Message::PingOk(_) => PingOk::NAME,
            Message::Detach(_) => Detach::NAME,
            Message::DetachOk(_) => DetachOk::NAME,
            Message::Invalid(_) => Invalid::NAME,
        }
    }
}

impl Encode for Message<'_> {
    #[inline]
    fn size(&self) -> usize {
        match self {
            Message::Attach(message) => message.size(),
            Message::AttachOk(message) => message.size(),
            Message::Subscribe(message) => message.size(),
            Message::SubscribeOk(message) => message.size(),
            Message::Credit(message) => message.size(),
            Message::Publish(message) => message.size(),
            Message::Deliver(message) => message.size(),
            Message::Ping(message) => message.size(),
            Message::PingOk(message) => message.size(),
            Message::Detach(message) => message.size(),
            Message::DetachOk(message) => message.size(),
            Message::Invalid(message) => message.size(),
        }
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        match self {
            Message::Attach(message) => message.check(),
            Message::AttachOk(message) => message.check(),
            Message::Subscribe(message) => message.check(),
            Message::SubscribeOk(message) => message.check(),
            Message::Credit(message) => message.check(),
            Message::Publish(message) => message.check(),
            Message::Deliver(message) => message.check(),
            Message::Ping(message) => message.check(),
            Message::PingOk(message) => message.check(),
            Message::Detach(message) => message.check(),
            Message::DetachOk(message) => message.check(),
            Message::Invalid(message) => message.check(),
        }
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        match self {
            Message::Attach(message) => message.write(sink),
            Message::AttachOk(message) => message.write(sink),
            Message::Subscribe(message) => message.write(sink),
            Message::SubscribeOk(message) => message.write(sink),
            Message::Credit(message) => message.write(sink),
            Message::Publish(message) => message.write(sink),
            Message::Deliver(message) => message.write(sink),
            Message::Ping(message) => message.write(sink),
            Message::PingOk(message) => message.write(sink),
            Message::Detach(message) => message.write(sink),
            Message::DetachOk(message) => message.write(sink),
            Message::Invalid(message) => message.write(sink),
        }
    }
}

/// The message that `frame` holds, to its last octet.
///
/// # Errors
///
/// What is wrong with the first field that is wrong, and where it is.
#[inline]
pub fn decode(frame: &[u8]) -> Result<Message<'_>, DecodeError> {
    match frame {
        [0xaa, 0xa5, 0x01, rest @ ..] => {
            Attach::read(wire::Reader::new(rest, 3, Attach::NAME)).map(Message::Attach)
        }
        [0xaa, 0xa5, 0x02, rest @ ..] => {
            AttachOk::read(wire::Reader::new(rest, 3, AttachOk::NAME)).map(Message::AttachOk)
        }
        [0xaa, 0xa5, 0x03, rest @ ..] => {
            Subscribe::read(wire::Reader::new(rest, 3, Subscribe::NAME)).map(Message::Subscribe)
        }
        [0xaa, 0xa5, 0x04, rest @ ..] => {
            SubscribeOk::read(wire::Reader::new(rest, 3, SubscribeOk::NAME))
                .map(Message::SubscribeOk)
        }
        [0xaa, 0xa5, 0x05, rest @ ..] => {
            Credit::read(wire::Reader::new(rest, 3, Credit::NAME)).map(Message::Credit)
        }
        [0xaa, 0xa5, 0x06, rest @ ..] => {
            Publish::read(wire::Reader::new(rest, 3, Publish::NAME)).map(Message::Publish)
        }
        [0xaa, 0xa5, 0x07, rest @ ..] => {
            Deliver::read(wire::Reader::new(rest, 3, Deliver::NAME)).map(Message::Deliver)
        }
        [0xaa, 0xa5, 0x08, rest @ ..] => {
            Ping::read(wire::Reader::new(rest, 3, Ping::NAME)).map(Message::Ping)
        }
        [0xaa, 0xa5, 0x09, rest @ ..] => {
            PingOk::read(wire::Reader::new(rest, 3, PingOk::NAME)).map(Message::PingOk)
        }
        [0xaa, 0xa5, 0x0a, rest @ ..] => {
            Detach::read(wire::Reader::new(rest, 3, Detach::NAME)).map(Message::Detach)
        }
        [0xaa, 0xa5, 0x0b, rest @ ..] => {
            DetachOk::read(wire::Reader::new(rest, 3, DetachOk::NAME)).map(Message::DetachOk)
        }
        [0xaa, 0xa5, 0x0c, rest @ ..] => {
            Invalid::read(wire::Reader::new(rest, 3, Invalid::NAME)).map(Message::Invalid)
        }
        _ => Err(wire::unknown_number(frame, &[0xaa, 0xa5])),
    }
}
