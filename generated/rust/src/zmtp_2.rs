//! ZMTP 2.0.
//!
//! What opens a connection of version 2.0.

use crate::error::{DecodeError, EncodeError};
use crate::wire::{self, Encode};
#[allow(unused_imports)] // the messages determine which are used
use crate::{list, text::Text};

/// Values of socket type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SocketType {
    /// PAIR.
    Pair,
    /// XPUB too.
    Pub,
    /// XSUB too.
    Sub,
    /// REQ.
    Req,
    /// REP.
    Rep,
    /// DEALER.
    Dealer,
    /// ROUTER.
    Router,
    /// PULL.
    Pull,
    /// PUSH.
    Push,
}

impl SocketType {
    /// The member's number.
    #[must_use]
    pub const fn number(self) -> u64 {
        match self {
            Self::Pair => 0,
            Self::Pub => 1,
            Self::Sub => 2,
            Self::Req => 3,
            Self::Rep => 4,
            Self::Dealer => 5,
            Self::Router => 6,
            Self::Pull => 7,
            Self::Push => 8,
        }
    }

    /// The member with this number, if it exists.
    #[must_use]
    pub const fn from_number(number: u64) -> Option<Self> {
        match number {
            0 => Some(Self::Pair),
            1 => Some(Self::Pub),
            2 => Some(Self::Sub),
            3 => Some(Self::Req),
            4 => Some(Self::Rep),
            5 => Some(Self::Dealer),
            6 => Some(Self::Router),
            7 => Some(Self::Pull),
            8 => Some(Self::Push),
            _ => None,
        }
    }
}

impl crate::list::Numbered for SocketType {
    const ANY: Self = Self::Pair;

    fn of_number(number: u64) -> Option<Self> {
        Self::from_number(number)
    }

    fn to_number(self) -> u64 {
        self.number()
    }
}

impl From<SocketType> for u64 {
    fn from(value: SocketType) -> Self {
        crate::list::Numbered::to_number(value)
    }
}

/// The signature, the version, the socket's type, and a frame with an identity that subscribers
/// leave empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Greeting<'a> {
    /// What the sender is.
    pub socket_type: SocketType,
    /// Nothing, for publishers and subscribers.
    pub identity: &'a [u8],
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
    /// Version 2.0.
    pub const REVISION: u64 = 1;
    /// Flags of the identity's frame.
    pub const FINAL_SHORT: u64 = 0;

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
        reader.constant("revision", b"\x01")?;
        let socket_type =
            reader.field::<list::Member<SocketType, list::U8>>("socket_type", u8::MAX)?;
        reader.constant("final_short", b"\x00")?;
        let identity = reader.field::<list::Octets<1>>("identity", u64::MAX)?;
        reader.end()?;
        Ok(Self {
            socket_type,
            identity,
        })
    }
}

impl wire::Put for Greeting<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\xff");
        to.put(&[0; 8])?;
        to.put(b"\x7f")?;
        to.put(b"\x01")?;
        to.field::<list::Member<SocketType, list::U8>>("socket_type", self.socket_type, u8::MAX)?;
        to.put(b"\x00")?;
        to.field::<list::Octets<1>>("identity", self.identity, u64::MAX)?;
        Ok(())
    }
}

impl Encode for Greeting<'_> {}

impl<'a> From<Greeting<'a>> for Message<'a> {
    fn from(message: Greeting<'a>) -> Self {
        Message::Greeting(message)
    }
}

/// A message of the protocol, borrowed from its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant)] // nothing is boxed: a message is a view of its frame
pub enum Message<'a> {
    /// The signature, the version, the socket's type, and a frame with an identity that subscribers
    /// leave empty.
    Greeting(Greeting<'a>),
}

impl Message<'_> {
    /// The message's name in the model.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Message::Greeting(_) => Greeting::NAME,
        }
    }
}

impl wire::Put for Message<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        match self {
            Message::Greeting(message) => wire::Put::put(message, sink),
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
        [0xff, ..] => Greeting::read(frame).map(Message::Greeting),
        _ => Err(unknown(frame)),
    }
}

#[cold]
fn unknown(frame: &[u8]) -> DecodeError {
    wire::unknown_beginning(frame, &[b"\xff"])
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
        /// See [`socket_type`](super::Greeting::socket_type).
        pub socket_type: super::SocketType,
        /// See [`identity`](super::Greeting::identity).
        pub identity: Vec<u8>,
    }

    impl Greeting {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Greeting<'_> {
            super::Greeting {
                socket_type: self.socket_type,
                identity: &self.identity,
            }
        }
    }

    impl super::Greeting<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Greeting {
            Greeting {
                socket_type: self.socket_type,
                identity: self.identity.into(),
            }
        }
    }

    /// A message of the protocol.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[allow(clippy::large_enum_variant)] // as the borrowed one
    pub enum Message {
        /// The signature, the version, the socket's type, and a frame with an identity that subscribers
        /// leave empty.
        Greeting(Greeting),
    }

    impl Message {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Message<'_> {
            match self {
                Message::Greeting(message) => super::Message::Greeting(message.as_message()),
            }
        }
    }

    impl super::Message<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Message {
            match self {
                super::Message::Greeting(message) => Message::Greeting(message.into_owned()),
            }
        }
    }
}
