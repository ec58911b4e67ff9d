//! ZMTP 3, publish-subscribe.
//!
//! What two ZMTP peers say to each other on one connection: a greeting, which stands by itself,
//! and then what frames hold, the body of a command or of a message. A publisher takes a
//! message for what it begins with: SUBSCRIPTION and CANCELLATION are what version 3.0 has for
//! the commands SUBSCRIBE and CANCEL of version 3.1. An extension of ours, ZMTP-E, lets a
//! subscriber ask by filters of other kinds than the beginning of a message. A filter has a
//! kind, one octet, whose meaning publishers and subscribers agree on elsewhere, and any
//! octets. Whoever does not know the kind of a filter sends everything, which is always right:
//! filtering at the publisher saves traffic and nothing else.
//!
//! ```
//! use zeps_wire::{zmtp, Encode};
//!
//! let message = zmtp::Error { reason: b"some" };
//! let frame = message.encode()?;
//! assert_eq!(zmtp::decode(&frame), Ok(zmtp::Message::Error(message)));
//! assert!(zmtp::decode(&frame[..frame.len() - 1]).is_err());
//! # Ok::<(), zeps_wire::EncodeError>(())
//! ```

use crate::error::{Code, DecodeError, EncodeError};
use crate::list::{self};
use crate::wire::{self, Encode};

/// Opens a connection, in either direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Greeting<'a> {
    /// Major version.
    pub major: u8,
    /// Minor version.
    pub minor: u8,
    /// Name of the security mechanism, padded with zeros.
    pub mechanism: &'a [u8; 20],
    /// 1 for the server of a mechanism that has one.
    pub as_server: u8,
}

impl<'a> Greeting<'a> {
    /// The message's number.
    pub const ID: u32 = 1;
    /// The message's name in the model.
    pub const NAME: &'static str = "GREETING";
    /// First octet of the signature.
    pub const SIGNATURE: u64 = 255;
    /// Last octet of the signature.
    pub const SIGNATURE_END: u64 = 127;

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        reader.constant(b"\xff", "signature")?;
        reader.fixed::<8>("padding")?;
        reader.constant(b"\x7f", "signature_end")?;
        let major = u8::from_be_bytes(reader.array("major")?);
        let minor = u8::from_be_bytes(reader.array("minor")?);
        let mechanism = reader.fixed::<20>("mechanism")?;
        let as_server = u8::from_be_bytes(reader.array("as_server")?);
        reader.fixed::<31>("filler")?;
        reader.end()?;
        Ok(Greeting {
            major,
            minor,
            mechanism,
            as_server,
        })
    }
}

impl Encode for Greeting<'_> {
    #[inline]
    fn size(&self) -> usize {
        64
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\xff");
        sink.put(&[0; 8]);
        sink.put(b"\x7f");
        sink.put(&self.major.to_be_bytes());
        sink.put(&self.minor.to_be_bytes());
        sink.put(self.mechanism);
        sink.put(&self.as_server.to_be_bytes());
        sink.put(&[0; 31]);
    }
}

impl<'a> From<Greeting<'a>> for Message<'a> {
    fn from(message: Greeting<'a>) -> Self {
        Message::Greeting(message)
    }
}

/// Command: the sender is ready, and this is what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready<'a> {
    /// Metadata of the connection: Socket-Type, Identity and others. To the end of the frame. Keys
    /// and values in the order of the wire; equal keys are pairs of their own.
    pub properties: list::List<'a, list::Pair<list::Octets<1>, list::Octets<4>>>,
}

impl<'a> Ready<'a> {
    /// The message's number.
    pub const ID: u32 = 2;
    /// The message's name in the model.
    pub const NAME: &'static str = "READY";
    /// The command's name.
    pub const NAME_: &'static str = "READY";

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        reader.constant(b"\x05READY", "name")?;
        let mut items = reader.open();
        while reader.more(&mut items, "properties", u64::MAX)? {
            reader.octets::<1>("properties", u64::MAX)?;
            reader.octets::<4>("properties", u64::MAX)?;
        }
        let properties = reader.listed(&items);
        reader.end()?;
        Ok(Ready { properties })
    }
}

impl Encode for Ready<'_> {
    #[inline]
    fn size(&self) -> usize {
        6 + self.properties.size()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\x05READY");
        self.properties.write(sink);
    }
}

impl<'a> From<Ready<'a>> for Message<'a> {
    fn from(message: Ready<'a>) -> Self {
        Message::Ready(message)
    }
}

/// Command: the sender refuses the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error<'a> {
    /// Says why, to people. Octets, at most 255 octets.
    pub reason: &'a [u8],
}

impl<'a> Error<'a> {
    /// The message's number.
    pub const ID: u32 = 3;
    /// The message's name in the model.
    pub const NAME: &'static str = "ERROR";
    /// The command's name.
    pub const NAME_: &'static str = "ERROR";

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        reader.constant(b"\x05ERROR", "name")?;
        let reason = reader.octets::<1>("reason", u64::MAX)?;
        reader.end()?;
        Ok(Error { reason })
    }
}

impl Encode for Error<'_> {
    #[inline]
    fn size(&self) -> usize {
        7 + self.reason.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        if self.reason.len() as u64 > 255 {
            return Err(EncodeError::new(Code::TooLong, "ERROR", "reason"));
        }
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\x05ERROR");
        wire::put_length::<1, S>(self.reason.len(), sink);
        sink.put(self.reason);
    }
}

impl<'a> From<Error<'a>> for Message<'a> {
    fn from(message: Error<'a>) -> Self {
        Message::Error(message)
    }
}

/// Command: asks for a sign of life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ping<'a> {
    /// Tenths of a second after which silence means that the sender is gone; 0 for none.
    pub ttl: u16,
    /// Comes back in PONG. At most 16 octets.
    pub context: &'a [u8],
}

impl<'a> Ping<'a> {
    /// The message's number.
    pub const ID: u32 = 4;
    /// The message's name in the model.
    pub const NAME: &'static str = "PING";
    /// The command's name.
    pub const NAME_: &'static str = "PING";

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        reader.constant(b"\x04PING", "name")?;
        let ttl = u16::from_be_bytes(reader.array("ttl")?);
        let context = reader.rest("context", 16)?;
        reader.end()?;
        Ok(Ping { ttl, context })
    }
}

impl Encode for Ping<'_> {
    #[inline]
    fn size(&self) -> usize {
        7 + self.context.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        if self.context.len() as u64 > 16 {
            return Err(EncodeError::new(Code::TooLong, "PING", "context"));
        }
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\x04PING");
        sink.put(&self.ttl.to_be_bytes());
        sink.put(self.context);
    }
}

impl<'a> From<Ping<'a>> for Message<'a> {
    fn from(message: Ping<'a>) -> Self {
        Message::Ping(message)
    }
}

/// Command: answers PING.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pong<'a> {
    /// What came with PING. At most 16 octets.
    pub context: &'a [u8],
}

impl<'a> Pong<'a> {
    /// The message's number.
    pub const ID: u32 = 5;
    /// The message's name in the model.
    pub const NAME: &'static str = "PONG";
    /// The command's name.
    pub const NAME_: &'static str = "PONG";

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        reader.constant(b"\x04PONG", "name")?;
        let context = reader.rest("context", 16)?;
        reader.end()?;
        Ok(Pong { context })
    }
}

impl Encode for Pong<'_> {
    #[inline]
    fn size(&self) -> usize {
        5 + self.context.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        if self.context.len() as u64 > 16 {
            return Err(EncodeError::new(Code::TooLong, "PONG", "context"));
        }
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\x04PONG");
        sink.put(self.context);
    }
}

impl<'a> From<Pong<'a>> for Message<'a> {
    fn from(message: Pong<'a>) -> Self {
        Message::Pong(message)
    }
}

/// Command of version 3.1: asks for the messages that begin with a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subscribe<'a> {
    /// Any octets, or none.
    pub topic: &'a [u8],
}

impl<'a> Subscribe<'a> {
    /// The message's number.
    pub const ID: u32 = 6;
    /// The message's name in the model.
    pub const NAME: &'static str = "SUBSCRIBE";
    /// The command's name.
    pub const NAME_: &'static str = "SUBSCRIBE";

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        reader.constant(b"\x09SUBSCRIBE", "name")?;
        let topic = reader.rest("topic", u64::MAX)?;
        reader.end()?;
        Ok(Subscribe { topic })
    }
}

impl Encode for Subscribe<'_> {
    #[inline]
    fn size(&self) -> usize {
        10 + self.topic.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\x09SUBSCRIBE");
        sink.put(self.topic);
    }
}

impl<'a> From<Subscribe<'a>> for Message<'a> {
    fn from(message: Subscribe<'a>) -> Self {
        Message::Subscribe(message)
    }
}

/// Command of version 3.1: takes one subscription back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancel<'a> {
    /// Any octets, or none.
    pub topic: &'a [u8],
}

impl<'a> Cancel<'a> {
    /// The message's number.
    pub const ID: u32 = 7;
    /// The message's name in the model.
    pub const NAME: &'static str = "CANCEL";
    /// The command's name.
    pub const NAME_: &'static str = "CANCEL";

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        reader.constant(b"\x06CANCEL", "name")?;
        let topic = reader.rest("topic", u64::MAX)?;
        reader.end()?;
        Ok(Cancel { topic })
    }
}

impl Encode for Cancel<'_> {
    #[inline]
    fn size(&self) -> usize {
        7 + self.topic.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\x06CANCEL");
        sink.put(self.topic);
    }
}

impl<'a> From<Cancel<'a>> for Message<'a> {
    fn from(message: Cancel<'a>) -> Self {
        Message::Cancel(message)
    }
}

/// Message of version 3.0: asks for the messages that begin with a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subscription<'a> {
    /// Any octets, or none.
    pub topic: &'a [u8],
}

impl<'a> Subscription<'a> {
    /// The message's number.
    pub const ID: u32 = 8;
    /// The message's name in the model.
    pub const NAME: &'static str = "SUBSCRIPTION";
    /// Tells a subscription from a cancellation.
    pub const FORM: u64 = 1;

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        reader.constant(b"\x01", "form")?;
        let topic = reader.rest("topic", u64::MAX)?;
        reader.end()?;
        Ok(Subscription { topic })
    }
}

impl Encode for Subscription<'_> {
    #[inline]
    fn size(&self) -> usize {
        1 + self.topic.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\x01");
        sink.put(self.topic);
    }
}

impl<'a> From<Subscription<'a>> for Message<'a> {
    fn from(message: Subscription<'a>) -> Self {
        Message::Subscription(message)
    }
}

/// Message of version 3.0: takes one subscription back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancellation<'a> {
    /// Any octets, or none.
    pub topic: &'a [u8],
}

impl<'a> Cancellation<'a> {
    /// The message's number.
    pub const ID: u32 = 9;
    /// The message's name in the model.
    pub const NAME: &'static str = "CANCELLATION";
    /// Tells a cancellation from a subscription.
    pub const FORM: u64 = 0;

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        reader.constant(b"\x00", "form")?;
        let topic = reader.rest("topic", u64::MAX)?;
        reader.end()?;
        Ok(Cancellation { topic })
    }
}

impl Encode for Cancellation<'_> {
    #[inline]
    fn size(&self) -> usize {
        1 + self.topic.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\x00");
        sink.put(self.topic);
    }
}

impl<'a> From<Cancellation<'a>> for Message<'a> {
    fn from(message: Cancellation<'a>) -> Self {
        Message::Cancellation(message)
    }
}

/// Command of our extension, for version 3.1: asks for the messages that a filter of some kind
/// lets pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubscribeX<'a> {
    /// What the filter means; 255 is no kind.
    pub kind: u8,
    /// Any octets, or none.
    pub filter: &'a [u8],
}

impl<'a> SubscribeX<'a> {
    /// The message's number.
    pub const ID: u32 = 10;
    /// The message's name in the model.
    pub const NAME: &'static str = "SUBSCRIBE-X";
    /// The command's name.
    pub const NAME_: &'static str = "SUBSCRIBE-X";

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        reader.constant(b"\x0bSUBSCRIBE-X", "name")?;
        let kind = u8::from_be_bytes(reader.array("kind")?);
        let filter = reader.rest("filter", u64::MAX)?;
        reader.end()?;
        Ok(SubscribeX { kind, filter })
    }
}

impl Encode for SubscribeX<'_> {
    #[inline]
    fn size(&self) -> usize {
        13 + self.filter.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\x0bSUBSCRIBE-X");
        sink.put(&self.kind.to_be_bytes());
        sink.put(self.filter);
    }
}

impl<'a> From<SubscribeX<'a>> for Message<'a> {
    fn from(message: SubscribeX<'a>) -> Self {
        Message::SubscribeX(message)
    }
}

/// Command of our extension, for version 3.1: takes one filter back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CancelX<'a> {
    /// What the filter means; 255 is no kind.
    pub kind: u8,
    /// Any octets, or none.
    pub filter: &'a [u8],
}

impl<'a> CancelX<'a> {
    /// The message's number.
    pub const ID: u32 = 11;
    /// The message's name in the model.
    pub const NAME: &'static str = "CANCEL-X";
    /// The command's name.
    pub const NAME_: &'static str = "CANCEL-X";

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        reader.constant(b"\x08CANCEL-X", "name")?;
        let kind = u8::from_be_bytes(reader.array("kind")?);
        let filter = reader.rest("filter", u64::MAX)?;
        reader.end()?;
        Ok(CancelX { kind, filter })
    }
}

impl Encode for CancelX<'_> {
    #[inline]
    fn size(&self) -> usize {
        10 + self.filter.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\x08CANCEL-X");
        sink.put(&self.kind.to_be_bytes());
        sink.put(self.filter);
    }
}

impl<'a> From<CancelX<'a>> for Message<'a> {
    fn from(message: CancelX<'a>) -> Self {
        Message::CancelX(message)
    }
}

/// Message of our extension, for version 3.0: asks for the messages that a filter of some kind
/// lets pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubscriptionX<'a> {
    /// What the filter means; 255 is no kind.
    pub kind: u8,
    /// Any octets, or none.
    pub filter: &'a [u8],
}

impl<'a> SubscriptionX<'a> {
    /// The message's number.
    pub const ID: u32 = 12;
    /// The message's name in the model.
    pub const NAME: &'static str = "SUBSCRIPTION-X";
    /// Tells it from the other forms.
    pub const FORM: u64 = 2;

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        reader.constant(b"\x02", "form")?;
        let kind = u8::from_be_bytes(reader.array("kind")?);
        let filter = reader.rest("filter", u64::MAX)?;
        reader.end()?;
        Ok(SubscriptionX { kind, filter })
    }
}

impl Encode for SubscriptionX<'_> {
    #[inline]
    fn size(&self) -> usize {
        2 + self.filter.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\x02");
        sink.put(&self.kind.to_be_bytes());
        sink.put(self.filter);
    }
}

impl<'a> From<SubscriptionX<'a>> for Message<'a> {
    fn from(message: SubscriptionX<'a>) -> Self {
        Message::SubscriptionX(message)
    }
}

/// Message of our extension, for version 3.0: takes one filter back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CancellationX<'a> {
    /// What the filter means; 255 is no kind.
    pub kind: u8,
    /// Any octets, or none.
    pub filter: &'a [u8],
}

impl<'a> CancellationX<'a> {
    /// The message's number.
    pub const ID: u32 = 13;
    /// The message's name in the model.
    pub const NAME: &'static str = "CANCELLATION-X";
    /// Tells it from the other forms.
    pub const FORM: u64 = 3;

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        reader.constant(b"\x03", "form")?;
        let kind = u8::from_be_bytes(reader.array("kind")?);
        let filter = reader.rest("filter", u64::MAX)?;
        reader.end()?;
        Ok(CancellationX { kind, filter })
    }
}

impl Encode for CancellationX<'_> {
    #[inline]
    fn size(&self) -> usize {
        2 + self.filter.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\x03");
        sink.put(&self.kind.to_be_bytes());
        sink.put(self.filter);
    }
}

impl<'a> From<CancellationX<'a>> for Message<'a> {
    fn from(message: CancellationX<'a>) -> Self {
        Message::CancellationX(message)
    }
}

/// Any message of the protocol, borrowed from its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant)] // nothing is boxed: a message is a view of its frame
pub enum Message<'a> {
    /// Opens a connection, in either direction.
    Greeting(Greeting<'a>),
    /// Command: the sender is ready, and this is what it is.
    Ready(Ready<'a>),
    /// Command: the sender refuses the peer.
    Error(Error<'a>),
    /// Command: asks for a sign of life.
    Ping(Ping<'a>),
    /// Command: answers PING.
    Pong(Pong<'a>),
    /// Command of version 3.1: asks for the messages that begin with a topic.
    Subscribe(Subscribe<'a>),
    /// Command of version 3.1: takes one subscription back.
    Cancel(Cancel<'a>),
    /// Message of version 3.0: asks for the messages that begin with a topic.
    Subscription(Subscription<'a>),
    /// Message of version 3.0: takes one subscription back.
    Cancellation(Cancellation<'a>),
    /// Command of our extension, for version 3.1: asks for the messages that a filter of some kind
    /// lets pass.
    SubscribeX(SubscribeX<'a>),
    /// Command of our extension, for version 3.1: takes one filter back.
    CancelX(CancelX<'a>),
    /// Message of our extension, for version 3.0: asks for the messages that a filter of some kind
    /// lets pass.
    SubscriptionX(SubscriptionX<'a>),
    /// Message of our extension, for version 3.0: takes one filter back.
    CancellationX(CancellationX<'a>),
}

impl Message<'_> {
    /// The message's name in the model.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Message::Greeting(_) => Greeting::NAME,
            Message::Ready(_) => Ready::NAME,
            Message::Error(_) => Error::NAME,
            Message::Ping(_) => Ping::NAME,
            Message::Pong(_) => Pong::NAME,
            Message::Subscribe(_) => Subscribe::NAME,
            Message::Cancel(_) => Cancel::NAME,
            Message::Subscription(_) => Subscription::NAME,
            Message::Cancellation(_) => Cancellation::NAME,
            Message::SubscribeX(_) => SubscribeX::NAME,
            Message::CancelX(_) => CancelX::NAME,
            Message::SubscriptionX(_) => SubscriptionX::NAME,
            Message::CancellationX(_) => CancellationX::NAME,
        }
    }
}

impl Encode for Message<'_> {
    #[inline]
    fn size(&self) -> usize {
        match self {
            Message::Greeting(message) => message.size(),
            Message::Ready(message) => message.size(),
            Message::Error(message) => message.size(),
            Message::Ping(message) => message.size(),
            Message::Pong(message) => message.size(),
            Message::Subscribe(message) => message.size(),
            Message::Cancel(message) => message.size(),
            Message::Subscription(message) => message.size(),
            Message::Cancellation(message) => message.size(),
            Message::SubscribeX(message) => message.size(),
            Message::CancelX(message) => message.size(),
            Message::SubscriptionX(message) => message.size(),
            Message::CancellationX(message) => message.size(),
        }
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        match self {
            Message::Greeting(message) => message.check(),
            Message::Ready(message) => message.check(),
            Message::Error(message) => message.check(),
            Message::Ping(message) => message.check(),
            Message::Pong(message) => message.check(),
            Message::Subscribe(message) => message.check(),
            Message::Cancel(message) => message.check(),
            Message::Subscription(message) => message.check(),
            Message::Cancellation(message) => message.check(),
            Message::SubscribeX(message) => message.check(),
            Message::CancelX(message) => message.check(),
            Message::SubscriptionX(message) => message.check(),
            Message::CancellationX(message) => message.check(),
        }
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        match self {
            Message::Greeting(message) => message.write(sink),
            Message::Ready(message) => message.write(sink),
            Message::Error(message) => message.write(sink),
            Message::Ping(message) => message.write(sink),
            Message::Pong(message) => message.write(sink),
            Message::Subscribe(message) => message.write(sink),
            Message::Cancel(message) => message.write(sink),
            Message::Subscription(message) => message.write(sink),
            Message::Cancellation(message) => message.write(sink),
            Message::SubscribeX(message) => message.write(sink),
            Message::CancelX(message) => message.write(sink),
            Message::SubscriptionX(message) => message.write(sink),
            Message::CancellationX(message) => message.write(sink),
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
        [0x0b, 0x53, 0x55, 0x42, 0x53, 0x43, 0x52, 0x49, 0x42, 0x45, 0x2d, 0x58, ..] => {
            SubscribeX::read(wire::Reader::new(frame, 0, SubscribeX::NAME)).map(Message::SubscribeX)
        }
        [0x09, 0x53, 0x55, 0x42, 0x53, 0x43, 0x52, 0x49, 0x42, 0x45, ..] => {
            Subscribe::read(wire::Reader::new(frame, 0, Subscribe::NAME)).map(Message::Subscribe)
        }
        [0x08, 0x43, 0x41, 0x4e, 0x43, 0x45, 0x4c, 0x2d, 0x58, ..] => {
            CancelX::read(wire::Reader::new(frame, 0, CancelX::NAME)).map(Message::CancelX)
        }
        [0x06, 0x43, 0x41, 0x4e, 0x43, 0x45, 0x4c, ..] => {
            Cancel::read(wire::Reader::new(frame, 0, Cancel::NAME)).map(Message::Cancel)
        }
        [0x05, 0x52, 0x45, 0x41, 0x44, 0x59, ..] => {
            Ready::read(wire::Reader::new(frame, 0, Ready::NAME)).map(Message::Ready)
        }
        [0x05, 0x45, 0x52, 0x52, 0x4f, 0x52, ..] => {
            Error::read(wire::Reader::new(frame, 0, Error::NAME)).map(Message::Error)
        }
        [0x04, 0x50, 0x49, 0x4e, 0x47, ..] => {
            Ping::read(wire::Reader::new(frame, 0, Ping::NAME)).map(Message::Ping)
        }
        [0x04, 0x50, 0x4f, 0x4e, 0x47, ..] => {
            Pong::read(wire::Reader::new(frame, 0, Pong::NAME)).map(Message::Pong)
        }
        [0xff, ..] => {
            Greeting::read(wire::Reader::new(frame, 0, Greeting::NAME)).map(Message::Greeting)
        }
        [0x01, ..] => Subscription::read(wire::Reader::new(frame, 0, Subscription::NAME))
            .map(Message::Subscription),
        [0x00, ..] => Cancellation::read(wire::Reader::new(frame, 0, Cancellation::NAME))
            .map(Message::Cancellation),
        [0x02, ..] => SubscriptionX::read(wire::Reader::new(frame, 0, SubscriptionX::NAME))
            .map(Message::SubscriptionX),
        [0x03, ..] => CancellationX::read(wire::Reader::new(frame, 0, CancellationX::NAME))
            .map(Message::CancellationX),
        _ => Err(wire::unknown_beginning(
            frame,
            &[
                b"\xff",
                b"\x05READY",
                b"\x05ERROR",
                b"\x04PING",
                b"\x04PONG",
                b"\x09SUBSCRIBE",
                b"\x06CANCEL",
                b"\x01",
                b"\x00",
                b"\x0bSUBSCRIBE-X",
                b"\x08CANCEL-X",
                b"\x02",
                b"\x03",
            ],
        )),
    }
}
