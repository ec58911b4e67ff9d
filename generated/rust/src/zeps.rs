//! ZeroMQ Enterprise Publish-Subscribe.
//!
//! ZEPS is a broker-based publish-subscribe protocol. A client attaches to one stream of a
//! broker, publishes messages to it, and receives those that match its subscriptions, from any
//! point of the stream's history on.
//!
//! ```
//! use zeps_wire::{zeps, Encode};
//!
//! let message = zeps::Deliver { sequence: 1, key: "a", body: b"a" };
//! let frame = message.encode()?;
//! assert_eq!(zeps::decode(&frame), Ok(zeps::Message::Deliver(message)));
//! if let Err(error) = zeps::decode(&frame[1..]) {
//!     println!("{error}"); // the kind of the error, and the offset
//! }
//! # Ok::<(), zeps_wire::EncodeError>(())
//! ```

use crate::error::{DecodeError, EncodeError};
use crate::wire::{self, Encode};
#[allow(unused_imports)] // the messages determine which are used
use crate::{list, text::Text};

/// A `latest` that asks for everything retained.
pub const LATEST_ALL: u64 = 0;
/// A `latest` that asks for new messages only.
pub const LATEST_NEW: u64 = 18446744073709551615;

/// Codes of INVALID that end the session. A code that a client does not know counts as one of
/// these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndingCode {
    /// The frame cannot be decoded, or the message has several parts.
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
    /// Refuses ATTACH: the broker cannot read the stream, or may not begin another one; trying
    /// again later may help.
    StreamUnavailable,
    /// Refuses ATTACH: the broker has as many sessions as it may have, or no memory for another;
    /// trying again later may help.
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
    /// Refuses SUBSCRIBE: the session has as many subscriptions as it may have, or the broker no
    /// resources for another.
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
    /// Stream name. UTF-8 without control characters, at most 255 bytes.
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

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\xaa\xa5\x01", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 3, Self::NAME);
        reader.constant("protocol", b"\x04ZEPS")?;
        reader.constant("version", b"\x00\x01")?;
        let stream = reader.field::<list::Text<1>>("stream", (u64::MAX, Text::Printable))?;
        reader.end()?;
        Ok(Self { stream })
    }
}

impl wire::Put for Attach<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\xaa\xa5\x01\x04ZEPS\x00\x01");
        to.field::<list::Text<1>>("stream", self.stream, (u64::MAX, Text::Printable))?;
        Ok(())
    }
}

impl Encode for Attach<'_> {}

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

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &[u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\xaa\xa5\x02", unknown)?)
    }

    #[inline]
    fn read(frame: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 3, Self::NAME);
        reader.end()?;
        Ok(Self)
    }
}

impl wire::Put for AttachOk {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let _ = wire::Writer::new(sink, Self::NAME, b"\xaa\xa5\x02");
        Ok(())
    }
}

impl Encode for AttachOk {}

impl<'a> From<AttachOk> for Message<'a> {
    fn from(message: AttachOk) -> Self {
        Message::AttachOk(message)
    }
}

/// Client subscribes to a set of topics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subscribe<'a> {
    /// Subscription pattern. UTF-8 without control characters, at most 255 bytes.
    pub pattern: &'a str,
    /// Last known sequence.
    pub latest: u64,
}

impl<'a> Subscribe<'a> {
    /// The message's number.
    pub const ID: u32 = 3;
    /// The message's name in the model.
    pub const NAME: &'static str = "SUBSCRIBE";

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\xaa\xa5\x03", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 3, Self::NAME);
        let pattern = reader.field::<list::Text<1>>("pattern", (u64::MAX, Text::Printable))?;
        let latest = reader.field::<list::U64>("latest", u64::MAX)?;
        reader.end()?;
        Ok(Self { pattern, latest })
    }
}

impl wire::Put for Subscribe<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\xaa\xa5\x03");
        to.field::<list::Text<1>>("pattern", self.pattern, (u64::MAX, Text::Printable))?;
        to.field::<list::U64>("latest", self.latest, u64::MAX)?;
        Ok(())
    }
}

impl Encode for Subscribe<'_> {}

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

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &[u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\xaa\xa5\x04", unknown)?)
    }

    #[inline]
    fn read(frame: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 3, Self::NAME);
        reader.end()?;
        Ok(Self)
    }
}

impl wire::Put for SubscribeOk {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let _ = wire::Writer::new(sink, Self::NAME, b"\xaa\xa5\x04");
        Ok(())
    }
}

impl Encode for SubscribeOk {}

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

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &[u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\xaa\xa5\x05", unknown)?)
    }

    #[inline]
    fn read(frame: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 3, Self::NAME);
        let credit = reader.field::<list::U64>("credit", u64::MAX)?;
        reader.end()?;
        Ok(Self { credit })
    }
}

impl wire::Put for Credit {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\xaa\xa5\x05");
        to.field::<list::U64>("credit", self.credit, u64::MAX)?;
        Ok(())
    }
}

impl Encode for Credit {}

impl<'a> From<Credit> for Message<'a> {
    fn from(message: Credit) -> Self {
        Message::Credit(message)
    }
}

/// Client publishes a new message to the open stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Publish<'a> {
    /// Message routing key. UTF-8 without control characters, at most 255 bytes.
    pub key: &'a str,
    /// Message contents. At most 16777216 bytes.
    pub body: &'a [u8],
}

impl<'a> Publish<'a> {
    /// The message's number.
    pub const ID: u32 = 6;
    /// The message's name in the model.
    pub const NAME: &'static str = "PUBLISH";

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\xaa\xa5\x06", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 3, Self::NAME);
        let key = reader.field::<list::Text<1>>("key", (u64::MAX, Text::Printable))?;
        let body = reader.field::<list::Octets<4>>("body", 16777216)?;
        reader.end()?;
        Ok(Self { key, body })
    }
}

impl wire::Put for Publish<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\xaa\xa5\x06");
        to.field::<list::Text<1>>("key", self.key, (u64::MAX, Text::Printable))?;
        to.field::<list::Octets<4>>("body", self.body, 16777216)?;
        Ok(())
    }
}

impl Encode for Publish<'_> {}

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
    /// Message routing key. UTF-8 without control characters, at most 255 bytes.
    pub key: &'a str,
    /// Message contents. At most 16777216 bytes.
    pub body: &'a [u8],
}

impl<'a> Deliver<'a> {
    /// The message's number.
    pub const ID: u32 = 7;
    /// The message's name in the model.
    pub const NAME: &'static str = "DELIVER";

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\xaa\xa5\x07", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 3, Self::NAME);
        let sequence = reader.field::<list::U64>("sequence", u64::MAX)?;
        let key = reader.field::<list::Text<1>>("key", (u64::MAX, Text::Printable))?;
        let body = reader.field::<list::Octets<4>>("body", 16777216)?;
        reader.end()?;
        Ok(Self {
            sequence,
            key,
            body,
        })
    }
}

impl wire::Put for Deliver<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\xaa\xa5\x07");
        to.field::<list::U64>("sequence", self.sequence, u64::MAX)?;
        to.field::<list::Text<1>>("key", self.key, (u64::MAX, Text::Printable))?;
        to.field::<list::Octets<4>>("body", self.body, 16777216)?;
        Ok(())
    }
}

impl Encode for Deliver<'_> {}

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

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &[u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\xaa\xa5\x08", unknown)?)
    }

    #[inline]
    fn read(frame: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 3, Self::NAME);
        reader.end()?;
        Ok(Self)
    }
}

impl wire::Put for Ping {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let _ = wire::Writer::new(sink, Self::NAME, b"\xaa\xa5\x08");
        Ok(())
    }
}

impl Encode for Ping {}

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

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &[u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\xaa\xa5\x09", unknown)?)
    }

    #[inline]
    fn read(frame: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 3, Self::NAME);
        reader.end()?;
        Ok(Self)
    }
}

impl wire::Put for PingOk {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let _ = wire::Writer::new(sink, Self::NAME, b"\xaa\xa5\x09");
        Ok(())
    }
}

impl Encode for PingOk {}

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

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &[u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\xaa\xa5\x0a", unknown)?)
    }

    #[inline]
    fn read(frame: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 3, Self::NAME);
        reader.end()?;
        Ok(Self)
    }
}

impl wire::Put for Detach {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let _ = wire::Writer::new(sink, Self::NAME, b"\xaa\xa5\x0a");
        Ok(())
    }
}

impl Encode for Detach {}

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

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &[u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\xaa\xa5\x0b", unknown)?)
    }

    #[inline]
    fn read(frame: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 3, Self::NAME);
        reader.end()?;
        Ok(Self)
    }
}

impl wire::Put for DetachOk {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let _ = wire::Writer::new(sink, Self::NAME, b"\xaa\xa5\x0b");
        Ok(())
    }
}

impl Encode for DetachOk {}

impl<'a> From<DetachOk> for Message<'a> {
    fn from(message: DetachOk) -> Self {
        Message::DetachOk(message)
    }
}

/// Server tells client it sent an invalid message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invalid<'a> {
    /// Printable explanation. UTF-8 without control characters, at most 255 bytes.
    pub reason: &'a str,
}

impl<'a> Invalid<'a> {
    /// The message's number.
    pub const ID: u32 = 12;
    /// The message's name in the model.
    pub const NAME: &'static str = "INVALID";

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\xaa\xa5\x0c", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 3, Self::NAME);
        let reason = reader.field::<list::Text<1>>("reason", (u64::MAX, Text::Printable))?;
        reader.end()?;
        Ok(Self { reason })
    }
}

impl wire::Put for Invalid<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\xaa\xa5\x0c");
        to.field::<list::Text<1>>("reason", self.reason, (u64::MAX, Text::Printable))?;
        Ok(())
    }
}

impl Encode for Invalid<'_> {}

impl<'a> From<Invalid<'a>> for Message<'a> {
    fn from(message: Invalid<'a>) -> Self {
        Message::Invalid(message)
    }
}

/// A message of the protocol, borrowed from its frame.
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

impl wire::Put for Message<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        match self {
            Message::Attach(message) => wire::Put::put(message, sink),
            Message::AttachOk(message) => wire::Put::put(message, sink),
            Message::Subscribe(message) => wire::Put::put(message, sink),
            Message::SubscribeOk(message) => wire::Put::put(message, sink),
            Message::Credit(message) => wire::Put::put(message, sink),
            Message::Publish(message) => wire::Put::put(message, sink),
            Message::Deliver(message) => wire::Put::put(message, sink),
            Message::Ping(message) => wire::Put::put(message, sink),
            Message::PingOk(message) => wire::Put::put(message, sink),
            Message::Detach(message) => wire::Put::put(message, sink),
            Message::DetachOk(message) => wire::Put::put(message, sink),
            Message::Invalid(message) => wire::Put::put(message, sink),
        }
    }
}

impl Encode for Message<'_> {}

/// Decodes a frame that must hold exactly one message.
///
/// # Errors
///
/// The first invalid field, with its offset.
#[inline]
pub fn decode(frame: &[u8]) -> Result<Message<'_>, DecodeError> {
    match frame {
        [0xaa, 0xa5, 0x01, ..] => Attach::read(frame).map(Message::Attach),
        [0xaa, 0xa5, 0x02, ..] => AttachOk::read(frame).map(Message::AttachOk),
        [0xaa, 0xa5, 0x03, ..] => Subscribe::read(frame).map(Message::Subscribe),
        [0xaa, 0xa5, 0x04, ..] => SubscribeOk::read(frame).map(Message::SubscribeOk),
        [0xaa, 0xa5, 0x05, ..] => Credit::read(frame).map(Message::Credit),
        [0xaa, 0xa5, 0x06, ..] => Publish::read(frame).map(Message::Publish),
        [0xaa, 0xa5, 0x07, ..] => Deliver::read(frame).map(Message::Deliver),
        [0xaa, 0xa5, 0x08, ..] => Ping::read(frame).map(Message::Ping),
        [0xaa, 0xa5, 0x09, ..] => PingOk::read(frame).map(Message::PingOk),
        [0xaa, 0xa5, 0x0a, ..] => Detach::read(frame).map(Message::Detach),
        [0xaa, 0xa5, 0x0b, ..] => DetachOk::read(frame).map(Message::DetachOk),
        [0xaa, 0xa5, 0x0c, ..] => Invalid::read(frame).map(Message::Invalid),
        _ => Err(unknown(frame)),
    }
}

#[cold]
fn unknown(frame: &[u8]) -> DecodeError {
    wire::unknown_number(frame, &[0xaa, 0xa5])
}

/// Messages that own their values and outlive the frames that they were decoded from.
pub mod owned {
    #[allow(unused_imports)] // the messages determine which are used
    use crate::list;
    #[allow(unused_imports)]
    use alloc::{string::String, vec::Vec};

    /// See [`Attach`](super::Attach).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Attach {
        /// See [`stream`](super::Attach::stream).
        pub stream: String,
    }

    impl Attach {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Attach<'_> {
            super::Attach {
                stream: &self.stream,
            }
        }
    }

    impl super::Attach<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Attach {
            Attach {
                stream: self.stream.into(),
            }
        }
    }

    /// See [`Subscribe`](super::Subscribe).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Subscribe {
        /// See [`pattern`](super::Subscribe::pattern).
        pub pattern: String,
        /// See [`latest`](super::Subscribe::latest).
        pub latest: u64,
    }

    impl Subscribe {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Subscribe<'_> {
            super::Subscribe {
                pattern: &self.pattern,
                latest: self.latest,
            }
        }
    }

    impl super::Subscribe<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Subscribe {
            Subscribe {
                pattern: self.pattern.into(),
                latest: self.latest,
            }
        }
    }

    /// See [`Publish`](super::Publish).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Publish {
        /// See [`key`](super::Publish::key).
        pub key: String,
        /// See [`body`](super::Publish::body).
        pub body: Vec<u8>,
    }

    impl Publish {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Publish<'_> {
            super::Publish {
                key: &self.key,
                body: &self.body,
            }
        }
    }

    impl super::Publish<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Publish {
            Publish {
                key: self.key.into(),
                body: self.body.into(),
            }
        }
    }

    /// See [`Deliver`](super::Deliver).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Deliver {
        /// See [`sequence`](super::Deliver::sequence).
        pub sequence: u64,
        /// See [`key`](super::Deliver::key).
        pub key: String,
        /// See [`body`](super::Deliver::body).
        pub body: Vec<u8>,
    }

    impl Deliver {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Deliver<'_> {
            super::Deliver {
                sequence: self.sequence,
                key: &self.key,
                body: &self.body,
            }
        }
    }

    impl super::Deliver<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Deliver {
            Deliver {
                sequence: self.sequence,
                key: self.key.into(),
                body: self.body.into(),
            }
        }
    }

    /// See [`Invalid`](super::Invalid).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Invalid {
        /// See [`reason`](super::Invalid::reason).
        pub reason: String,
    }

    impl Invalid {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Invalid<'_> {
            super::Invalid {
                reason: &self.reason,
            }
        }
    }

    impl super::Invalid<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Invalid {
            Invalid {
                reason: self.reason.into(),
            }
        }
    }

    /// A message of the protocol.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[allow(clippy::large_enum_variant)] // as the borrowed one
    pub enum Message {
        /// Client opens stream.
        Attach(Attach),
        /// Server grants the client access.
        AttachOk(super::AttachOk),
        /// Client subscribes to a set of topics.
        Subscribe(Subscribe),
        /// Server confirms the subscription.
        SubscribeOk(super::SubscribeOk),
        /// Client sends credit to the server.
        Credit(super::Credit),
        /// Client publishes a new message to the open stream.
        Publish(Publish),
        /// Server delivers a message to the client.
        Deliver(Deliver),
        /// Client or server sends a heartbeat.
        Ping(super::Ping),
        /// Client or server answers a heartbeat.
        PingOk(super::PingOk),
        /// Client or server closes the peering.
        Detach(super::Detach),
        /// Client or server confirms the close.
        DetachOk(super::DetachOk),
        /// Server tells client it sent an invalid message.
        Invalid(Invalid),
    }

    impl Message {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Message<'_> {
            match self {
                Message::Attach(message) => super::Message::Attach(message.as_message()),
                Message::AttachOk(message) => super::Message::AttachOk(*message),
                Message::Subscribe(message) => super::Message::Subscribe(message.as_message()),
                Message::SubscribeOk(message) => super::Message::SubscribeOk(*message),
                Message::Credit(message) => super::Message::Credit(*message),
                Message::Publish(message) => super::Message::Publish(message.as_message()),
                Message::Deliver(message) => super::Message::Deliver(message.as_message()),
                Message::Ping(message) => super::Message::Ping(*message),
                Message::PingOk(message) => super::Message::PingOk(*message),
                Message::Detach(message) => super::Message::Detach(*message),
                Message::DetachOk(message) => super::Message::DetachOk(*message),
                Message::Invalid(message) => super::Message::Invalid(message.as_message()),
            }
        }
    }

    impl super::Message<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Message {
            match self {
                super::Message::Attach(message) => Message::Attach(message.into_owned()),
                super::Message::AttachOk(message) => Message::AttachOk(message),
                super::Message::Subscribe(message) => Message::Subscribe(message.into_owned()),
                super::Message::SubscribeOk(message) => Message::SubscribeOk(message),
                super::Message::Credit(message) => Message::Credit(message),
                super::Message::Publish(message) => Message::Publish(message.into_owned()),
                super::Message::Deliver(message) => Message::Deliver(message.into_owned()),
                super::Message::Ping(message) => Message::Ping(message),
                super::Message::PingOk(message) => Message::PingOk(message),
                super::Message::Detach(message) => Message::Detach(message),
                super::Message::DetachOk(message) => Message::DetachOk(message),
                super::Message::Invalid(message) => Message::Invalid(message.into_owned()),
            }
        }
    }
}
