//! ZMTP 3, publish-subscribe.
//!
//! What two ZMTP peers say to each other on one connection: a greeting, which stands by itself,
//! and then what frames hold, the body of a command or of a message. A publisher takes a
//! message for what it begins with: SUBSCRIPTION and CANCELLATION are what version 3.0 has for
//! the commands SUBSCRIBE and CANCEL of version 3.1. An extension of ours, ZMTP-E, lets a
//! subscriber ask by filters of other kinds than the beginning of a message. A filter has a
//! kind, one octet, whose meaning publishers and subscribers agree on elsewhere, and any
//! octets. A publisher that does not know the kind of a filter sends everything, which is
//! always right: a filter only saves traffic.
//!
//! ```
//! use zeps_wire::{zmtp, Encode};
//!
//! let message = zmtp::Ping { ttl: 1, context: b"a" };
//! let frame = message.encode()?;
//! assert_eq!(zmtp::decode(&frame), Ok(zmtp::Message::Ping(message)));
//! if let Err(error) = zmtp::decode(&frame[1..]) {
//!     println!("{error}"); // the kind of the error, and the offset
//! }
//! # Ok::<(), zeps_wire::EncodeError>(())
//! ```

use crate::error::{DecodeError, EncodeError};
use crate::wire::{self, Encode};
#[allow(unused_imports)] // the messages determine which are used
use crate::{list, text::Text};

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

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\xff", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 0, Self::NAME);
        reader.constant("signature", b"\xff")?;
        reader.reserved::<8>("padding")?;
        reader.constant("signature_end", b"\x7f")?;
        let major = reader.field::<list::U8>("major", u8::MAX)?;
        let minor = reader.field::<list::U8>("minor", u8::MAX)?;
        let mechanism = reader.field::<list::Fixed<20>>("mechanism", ())?;
        let as_server = reader.field::<list::U8>("as_server", u8::MAX)?;
        reader.reserved::<31>("filler")?;
        reader.end()?;
        Ok(Self {
            major,
            minor,
            mechanism,
            as_server,
        })
    }
}

impl wire::Put for Greeting<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\xff");
        to.put(&[0; 8])?;
        to.put(b"\x7f")?;
        to.field::<list::U8>("major", self.major, u8::MAX)?;
        to.field::<list::U8>("minor", self.minor, u8::MAX)?;
        to.field::<list::Fixed<20>>("mechanism", self.mechanism, ())?;
        to.field::<list::U8>("as_server", self.as_server, u8::MAX)?;
        to.put(&[0; 31])?;
        Ok(())
    }
}

impl Encode for Greeting<'_> {}

impl<'a> From<Greeting<'a>> for Message<'a> {
    fn from(message: Greeting<'a>) -> Self {
        Message::Greeting(message)
    }
}

/// Command: the sender is ready, and this is what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready<'a> {
    /// Metadata of the connection: Socket-Type, Identity and others. It ends with the frame. Pairs
    /// of key and value in the order of the frame; equal keys stay separate pairs. At most 255
    /// items.
    pub properties: list::List<'a, list::Pair<list::Octets<1>, list::Octets<4>>>,
}

impl<'a> Ready<'a> {
    /// The message's number.
    pub const ID: u32 = 2;
    /// The message's name in the model.
    pub const NAME: &'static str = "READY";
    /// The command's name.
    pub const NAME_: &'static str = "READY";

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\x05READY", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 0, Self::NAME);
        reader.constant("name", b"\x05READY")?;
        let properties = reader.open("properties", (255, (u64::MAX, u64::MAX)))?;
        reader.end()?;
        Ok(Self { properties })
    }
}

impl wire::Put for Ready<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\x05READY");
        to.items("properties", self.properties, (255, (u64::MAX, u64::MAX)))?;
        Ok(())
    }
}

impl Encode for Ready<'_> {}

impl<'a> From<Ready<'a>> for Message<'a> {
    fn from(message: Ready<'a>) -> Self {
        Message::Ready(message)
    }
}

/// Command: the sender refuses the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error<'a> {
    /// Says why, to people. Bytes, at most 255 bytes.
    pub reason: &'a [u8],
}

impl<'a> Error<'a> {
    /// The message's number.
    pub const ID: u32 = 3;
    /// The message's name in the model.
    pub const NAME: &'static str = "ERROR";
    /// The command's name.
    pub const NAME_: &'static str = "ERROR";

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\x05ERROR", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 0, Self::NAME);
        reader.constant("name", b"\x05ERROR")?;
        let reason = reader.field::<list::Octets<1>>("reason", u64::MAX)?;
        reader.end()?;
        Ok(Self { reason })
    }
}

impl wire::Put for Error<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\x05ERROR");
        to.field::<list::Octets<1>>("reason", self.reason, u64::MAX)?;
        Ok(())
    }
}

impl Encode for Error<'_> {}

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
    /// Comes back in PONG. At most 16 bytes.
    pub context: &'a [u8],
}

impl<'a> Ping<'a> {
    /// The message's number.
    pub const ID: u32 = 4;
    /// The message's name in the model.
    pub const NAME: &'static str = "PING";
    /// The command's name.
    pub const NAME_: &'static str = "PING";

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\x04PING", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 0, Self::NAME);
        reader.constant("name", b"\x04PING")?;
        let ttl = reader.field::<list::U16>("ttl", u16::MAX)?;
        let context = reader.octets("context", reader.len(), 16)?;
        reader.end()?;
        Ok(Self { ttl, context })
    }
}

impl wire::Put for Ping<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\x04PING");
        to.field::<list::U16>("ttl", self.ttl, u16::MAX)?;
        to.octets("context", self.context, 16)?;
        Ok(())
    }
}

impl Encode for Ping<'_> {}

impl<'a> From<Ping<'a>> for Message<'a> {
    fn from(message: Ping<'a>) -> Self {
        Message::Ping(message)
    }
}

/// Command: answers PING.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pong<'a> {
    /// What came with PING. At most 16 bytes.
    pub context: &'a [u8],
}

impl<'a> Pong<'a> {
    /// The message's number.
    pub const ID: u32 = 5;
    /// The message's name in the model.
    pub const NAME: &'static str = "PONG";
    /// The command's name.
    pub const NAME_: &'static str = "PONG";

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\x04PONG", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 0, Self::NAME);
        reader.constant("name", b"\x04PONG")?;
        let context = reader.octets("context", reader.len(), 16)?;
        reader.end()?;
        Ok(Self { context })
    }
}

impl wire::Put for Pong<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\x04PONG");
        to.octets("context", self.context, 16)?;
        Ok(())
    }
}

impl Encode for Pong<'_> {}

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

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\x09SUBSCRIBE", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 0, Self::NAME);
        reader.constant("name", b"\x09SUBSCRIBE")?;
        let topic = reader.octets("topic", reader.len(), u64::MAX)?;
        reader.end()?;
        Ok(Self { topic })
    }
}

impl wire::Put for Subscribe<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\x09SUBSCRIBE");
        to.octets("topic", self.topic, u64::MAX)?;
        Ok(())
    }
}

impl Encode for Subscribe<'_> {}

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

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\x06CANCEL", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 0, Self::NAME);
        reader.constant("name", b"\x06CANCEL")?;
        let topic = reader.octets("topic", reader.len(), u64::MAX)?;
        reader.end()?;
        Ok(Self { topic })
    }
}

impl wire::Put for Cancel<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\x06CANCEL");
        to.octets("topic", self.topic, u64::MAX)?;
        Ok(())
    }
}

impl Encode for Cancel<'_> {}

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

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\x01", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 0, Self::NAME);
        reader.constant("form", b"\x01")?;
        let topic = reader.octets("topic", reader.len(), u64::MAX)?;
        reader.end()?;
        Ok(Self { topic })
    }
}

impl wire::Put for Subscription<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\x01");
        to.octets("topic", self.topic, u64::MAX)?;
        Ok(())
    }
}

impl Encode for Subscription<'_> {}

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

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\x00", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 0, Self::NAME);
        reader.constant("form", b"\x00")?;
        let topic = reader.octets("topic", reader.len(), u64::MAX)?;
        reader.end()?;
        Ok(Self { topic })
    }
}

impl wire::Put for Cancellation<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\x00");
        to.octets("topic", self.topic, u64::MAX)?;
        Ok(())
    }
}

impl Encode for Cancellation<'_> {}

impl<'a> From<Cancellation<'a>> for Message<'a> {
    fn from(message: Cancellation<'a>) -> Self {
        Message::Cancellation(message)
    }
}

/// Command of our extension, for version 3.1: asks for the messages that a filter of some kind
/// lets pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubscribeX<'a> {
    /// What the filter means; 255 is not a kind.
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

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\x0bSUBSCRIBE-X", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 0, Self::NAME);
        reader.constant("name", b"\x0bSUBSCRIBE-X")?;
        let kind = reader.field::<list::U8>("kind", u8::MAX)?;
        let filter = reader.octets("filter", reader.len(), u64::MAX)?;
        reader.end()?;
        Ok(Self { kind, filter })
    }
}

impl wire::Put for SubscribeX<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\x0bSUBSCRIBE-X");
        to.field::<list::U8>("kind", self.kind, u8::MAX)?;
        to.octets("filter", self.filter, u64::MAX)?;
        Ok(())
    }
}

impl Encode for SubscribeX<'_> {}

impl<'a> From<SubscribeX<'a>> for Message<'a> {
    fn from(message: SubscribeX<'a>) -> Self {
        Message::SubscribeX(message)
    }
}

/// Command of our extension, for version 3.1: takes one filter back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CancelX<'a> {
    /// What the filter means; 255 is not a kind.
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

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\x08CANCEL-X", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 0, Self::NAME);
        reader.constant("name", b"\x08CANCEL-X")?;
        let kind = reader.field::<list::U8>("kind", u8::MAX)?;
        let filter = reader.octets("filter", reader.len(), u64::MAX)?;
        reader.end()?;
        Ok(Self { kind, filter })
    }
}

impl wire::Put for CancelX<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\x08CANCEL-X");
        to.field::<list::U8>("kind", self.kind, u8::MAX)?;
        to.octets("filter", self.filter, u64::MAX)?;
        Ok(())
    }
}

impl Encode for CancelX<'_> {}

impl<'a> From<CancelX<'a>> for Message<'a> {
    fn from(message: CancelX<'a>) -> Self {
        Message::CancelX(message)
    }
}

/// Message of our extension, for version 3.0: asks for the messages that a filter of some kind
/// lets pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubscriptionX<'a> {
    /// What the filter means; 255 is not a kind.
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

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\x02", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 0, Self::NAME);
        reader.constant("form", b"\x02")?;
        let kind = reader.field::<list::U8>("kind", u8::MAX)?;
        let filter = reader.octets("filter", reader.len(), u64::MAX)?;
        reader.end()?;
        Ok(Self { kind, filter })
    }
}

impl wire::Put for SubscriptionX<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\x02");
        to.field::<list::U8>("kind", self.kind, u8::MAX)?;
        to.octets("filter", self.filter, u64::MAX)?;
        Ok(())
    }
}

impl Encode for SubscriptionX<'_> {}

impl<'a> From<SubscriptionX<'a>> for Message<'a> {
    fn from(message: SubscriptionX<'a>) -> Self {
        Message::SubscriptionX(message)
    }
}

/// Message of our extension, for version 3.0: takes one filter back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CancellationX<'a> {
    /// What the filter means; 255 is not a kind.
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

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\x03", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 0, Self::NAME);
        reader.constant("form", b"\x03")?;
        let kind = reader.field::<list::U8>("kind", u8::MAX)?;
        let filter = reader.octets("filter", reader.len(), u64::MAX)?;
        reader.end()?;
        Ok(Self { kind, filter })
    }
}

impl wire::Put for CancellationX<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\x03");
        to.field::<list::U8>("kind", self.kind, u8::MAX)?;
        to.octets("filter", self.filter, u64::MAX)?;
        Ok(())
    }
}

impl Encode for CancellationX<'_> {}

impl<'a> From<CancellationX<'a>> for Message<'a> {
    fn from(message: CancellationX<'a>) -> Self {
        Message::CancellationX(message)
    }
}

/// A message of the protocol, borrowed from its frame.
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

impl wire::Put for Message<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        match self {
            Message::Greeting(message) => wire::Put::put(message, sink),
            Message::Ready(message) => wire::Put::put(message, sink),
            Message::Error(message) => wire::Put::put(message, sink),
            Message::Ping(message) => wire::Put::put(message, sink),
            Message::Pong(message) => wire::Put::put(message, sink),
            Message::Subscribe(message) => wire::Put::put(message, sink),
            Message::Cancel(message) => wire::Put::put(message, sink),
            Message::Subscription(message) => wire::Put::put(message, sink),
            Message::Cancellation(message) => wire::Put::put(message, sink),
            Message::SubscribeX(message) => wire::Put::put(message, sink),
            Message::CancelX(message) => wire::Put::put(message, sink),
            Message::SubscriptionX(message) => wire::Put::put(message, sink),
            Message::CancellationX(message) => wire::Put::put(message, sink),
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
        [0x0b, 0x53, 0x55, 0x42, 0x53, 0x43, 0x52, 0x49, 0x42, 0x45, 0x2d, 0x58, ..] => {
            SubscribeX::read(frame).map(Message::SubscribeX)
        }
        [0x09, 0x53, 0x55, 0x42, 0x53, 0x43, 0x52, 0x49, 0x42, 0x45, ..] => {
            Subscribe::read(frame).map(Message::Subscribe)
        }
        [0x08, 0x43, 0x41, 0x4e, 0x43, 0x45, 0x4c, 0x2d, 0x58, ..] => {
            CancelX::read(frame).map(Message::CancelX)
        }
        [0x06, 0x43, 0x41, 0x4e, 0x43, 0x45, 0x4c, ..] => Cancel::read(frame).map(Message::Cancel),
        [0x05, 0x52, 0x45, 0x41, 0x44, 0x59, ..] => Ready::read(frame).map(Message::Ready),
        [0x05, 0x45, 0x52, 0x52, 0x4f, 0x52, ..] => Error::read(frame).map(Message::Error),
        [0x04, 0x50, 0x49, 0x4e, 0x47, ..] => Ping::read(frame).map(Message::Ping),
        [0x04, 0x50, 0x4f, 0x4e, 0x47, ..] => Pong::read(frame).map(Message::Pong),
        [0xff, ..] => Greeting::read(frame).map(Message::Greeting),
        [0x01, ..] => Subscription::read(frame).map(Message::Subscription),
        [0x00, ..] => Cancellation::read(frame).map(Message::Cancellation),
        [0x02, ..] => SubscriptionX::read(frame).map(Message::SubscriptionX),
        [0x03, ..] => CancellationX::read(frame).map(Message::CancellationX),
        _ => Err(unknown(frame)),
    }
}

#[cold]
fn unknown(frame: &[u8]) -> DecodeError {
    wire::unknown_beginning(
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
    )
}

/// Messages that own their values and outlive the frames that they were decoded from.
pub mod owned {
    #[allow(unused_imports)] // the messages determine which are used
    use crate::list;
    #[allow(unused_imports)]
    use alloc::{string::String, vec::Vec};

    /// See [`Greeting`](super::Greeting).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Greeting {
        /// See [`major`](super::Greeting::major).
        pub major: u8,
        /// See [`minor`](super::Greeting::minor).
        pub minor: u8,
        /// See [`mechanism`](super::Greeting::mechanism).
        pub mechanism: [u8; 20],
        /// See [`as_server`](super::Greeting::as_server).
        pub as_server: u8,
    }

    impl Greeting {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Greeting<'_> {
            super::Greeting {
                major: self.major,
                minor: self.minor,
                mechanism: &self.mechanism,
                as_server: self.as_server,
            }
        }
    }

    impl super::Greeting<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Greeting {
            Greeting {
                major: self.major,
                minor: self.minor,
                mechanism: *self.mechanism,
                as_server: self.as_server,
            }
        }
    }

    /// See [`Ready`](super::Ready).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Ready {
        /// See [`properties`](super::Ready::properties).
        pub properties: list::ListBuf<list::Pair<list::Octets<1>, list::Octets<4>>>,
    }

    impl Ready {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Ready<'_> {
            super::Ready {
                properties: self.properties.as_list(),
            }
        }
    }

    impl super::Ready<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Ready {
            Ready {
                properties: self.properties.to_buf(),
            }
        }
    }

    /// See [`Error`](super::Error).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Error {
        /// See [`reason`](super::Error::reason).
        pub reason: Vec<u8>,
    }

    impl Error {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Error<'_> {
            super::Error {
                reason: &self.reason,
            }
        }
    }

    impl super::Error<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Error {
            Error {
                reason: self.reason.into(),
            }
        }
    }

    /// See [`Ping`](super::Ping).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Ping {
        /// See [`ttl`](super::Ping::ttl).
        pub ttl: u16,
        /// See [`context`](super::Ping::context).
        pub context: Vec<u8>,
    }

    impl Ping {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Ping<'_> {
            super::Ping {
                ttl: self.ttl,
                context: &self.context,
            }
        }
    }

    impl super::Ping<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Ping {
            Ping {
                ttl: self.ttl,
                context: self.context.into(),
            }
        }
    }

    /// See [`Pong`](super::Pong).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Pong {
        /// See [`context`](super::Pong::context).
        pub context: Vec<u8>,
    }

    impl Pong {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Pong<'_> {
            super::Pong {
                context: &self.context,
            }
        }
    }

    impl super::Pong<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Pong {
            Pong {
                context: self.context.into(),
            }
        }
    }

    /// See [`Subscribe`](super::Subscribe).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Subscribe {
        /// See [`topic`](super::Subscribe::topic).
        pub topic: Vec<u8>,
    }

    impl Subscribe {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Subscribe<'_> {
            super::Subscribe { topic: &self.topic }
        }
    }

    impl super::Subscribe<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Subscribe {
            Subscribe {
                topic: self.topic.into(),
            }
        }
    }

    /// See [`Cancel`](super::Cancel).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Cancel {
        /// See [`topic`](super::Cancel::topic).
        pub topic: Vec<u8>,
    }

    impl Cancel {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Cancel<'_> {
            super::Cancel { topic: &self.topic }
        }
    }

    impl super::Cancel<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Cancel {
            Cancel {
                topic: self.topic.into(),
            }
        }
    }

    /// See [`Subscription`](super::Subscription).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Subscription {
        /// See [`topic`](super::Subscription::topic).
        pub topic: Vec<u8>,
    }

    impl Subscription {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Subscription<'_> {
            super::Subscription { topic: &self.topic }
        }
    }

    impl super::Subscription<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Subscription {
            Subscription {
                topic: self.topic.into(),
            }
        }
    }

    /// See [`Cancellation`](super::Cancellation).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Cancellation {
        /// See [`topic`](super::Cancellation::topic).
        pub topic: Vec<u8>,
    }

    impl Cancellation {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Cancellation<'_> {
            super::Cancellation { topic: &self.topic }
        }
    }

    impl super::Cancellation<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Cancellation {
            Cancellation {
                topic: self.topic.into(),
            }
        }
    }

    /// See [`SubscribeX`](super::SubscribeX).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SubscribeX {
        /// See [`kind`](super::SubscribeX::kind).
        pub kind: u8,
        /// See [`filter`](super::SubscribeX::filter).
        pub filter: Vec<u8>,
    }

    impl SubscribeX {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::SubscribeX<'_> {
            super::SubscribeX {
                kind: self.kind,
                filter: &self.filter,
            }
        }
    }

    impl super::SubscribeX<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> SubscribeX {
            SubscribeX {
                kind: self.kind,
                filter: self.filter.into(),
            }
        }
    }

    /// See [`CancelX`](super::CancelX).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct CancelX {
        /// See [`kind`](super::CancelX::kind).
        pub kind: u8,
        /// See [`filter`](super::CancelX::filter).
        pub filter: Vec<u8>,
    }

    impl CancelX {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::CancelX<'_> {
            super::CancelX {
                kind: self.kind,
                filter: &self.filter,
            }
        }
    }

    impl super::CancelX<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> CancelX {
            CancelX {
                kind: self.kind,
                filter: self.filter.into(),
            }
        }
    }

    /// See [`SubscriptionX`](super::SubscriptionX).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SubscriptionX {
        /// See [`kind`](super::SubscriptionX::kind).
        pub kind: u8,
        /// See [`filter`](super::SubscriptionX::filter).
        pub filter: Vec<u8>,
    }

    impl SubscriptionX {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::SubscriptionX<'_> {
            super::SubscriptionX {
                kind: self.kind,
                filter: &self.filter,
            }
        }
    }

    impl super::SubscriptionX<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> SubscriptionX {
            SubscriptionX {
                kind: self.kind,
                filter: self.filter.into(),
            }
        }
    }

    /// See [`CancellationX`](super::CancellationX).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct CancellationX {
        /// See [`kind`](super::CancellationX::kind).
        pub kind: u8,
        /// See [`filter`](super::CancellationX::filter).
        pub filter: Vec<u8>,
    }

    impl CancellationX {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::CancellationX<'_> {
            super::CancellationX {
                kind: self.kind,
                filter: &self.filter,
            }
        }
    }

    impl super::CancellationX<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> CancellationX {
            CancellationX {
                kind: self.kind,
                filter: self.filter.into(),
            }
        }
    }

    /// A message of the protocol.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[allow(clippy::large_enum_variant)] // as the borrowed one
    pub enum Message {
        /// Opens a connection, in either direction.
        Greeting(Greeting),
        /// Command: the sender is ready, and this is what it is.
        Ready(Ready),
        /// Command: the sender refuses the peer.
        Error(Error),
        /// Command: asks for a sign of life.
        Ping(Ping),
        /// Command: answers PING.
        Pong(Pong),
        /// Command of version 3.1: asks for the messages that begin with a topic.
        Subscribe(Subscribe),
        /// Command of version 3.1: takes one subscription back.
        Cancel(Cancel),
        /// Message of version 3.0: asks for the messages that begin with a topic.
        Subscription(Subscription),
        /// Message of version 3.0: takes one subscription back.
        Cancellation(Cancellation),
        /// Command of our extension, for version 3.1: asks for the messages that a filter of some kind
        /// lets pass.
        SubscribeX(SubscribeX),
        /// Command of our extension, for version 3.1: takes one filter back.
        CancelX(CancelX),
        /// Message of our extension, for version 3.0: asks for the messages that a filter of some kind
        /// lets pass.
        SubscriptionX(SubscriptionX),
        /// Message of our extension, for version 3.0: takes one filter back.
        CancellationX(CancellationX),
    }

    impl Message {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Message<'_> {
            match self {
                Message::Greeting(message) => super::Message::Greeting(message.as_message()),
                Message::Ready(message) => super::Message::Ready(message.as_message()),
                Message::Error(message) => super::Message::Error(message.as_message()),
                Message::Ping(message) => super::Message::Ping(message.as_message()),
                Message::Pong(message) => super::Message::Pong(message.as_message()),
                Message::Subscribe(message) => super::Message::Subscribe(message.as_message()),
                Message::Cancel(message) => super::Message::Cancel(message.as_message()),
                Message::Subscription(message) => {
                    super::Message::Subscription(message.as_message())
                }
                Message::Cancellation(message) => {
                    super::Message::Cancellation(message.as_message())
                }
                Message::SubscribeX(message) => super::Message::SubscribeX(message.as_message()),
                Message::CancelX(message) => super::Message::CancelX(message.as_message()),
                Message::SubscriptionX(message) => {
                    super::Message::SubscriptionX(message.as_message())
                }
                Message::CancellationX(message) => {
                    super::Message::CancellationX(message.as_message())
                }
            }
        }
    }

    impl super::Message<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Message {
            match self {
                super::Message::Greeting(message) => Message::Greeting(message.into_owned()),
                super::Message::Ready(message) => Message::Ready(message.into_owned()),
                super::Message::Error(message) => Message::Error(message.into_owned()),
                super::Message::Ping(message) => Message::Ping(message.into_owned()),
                super::Message::Pong(message) => Message::Pong(message.into_owned()),
                super::Message::Subscribe(message) => Message::Subscribe(message.into_owned()),
                super::Message::Cancel(message) => Message::Cancel(message.into_owned()),
                super::Message::Subscription(message) => {
                    Message::Subscription(message.into_owned())
                }
                super::Message::Cancellation(message) => {
                    Message::Cancellation(message.into_owned())
                }
                super::Message::SubscribeX(message) => Message::SubscribeX(message.into_owned()),
                super::Message::CancelX(message) => Message::CancelX(message.into_owned()),
                super::Message::SubscriptionX(message) => {
                    Message::SubscriptionX(message.into_owned())
                }
                super::Message::CancellationX(message) => {
                    Message::CancellationX(message.into_owned())
                }
            }
        }
    }
}
