//! ZMTP 2.0.
//!
//! What opens a connection of version 2.0.

use crate::error::{Code, DecodeError, EncodeError};
use crate::list::{self};
use crate::wire::{self, Encode};

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

    /// The member with this number, if there is one.
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

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        reader.constant(b"\xff", "signature")?;
        reader.fixed::<8>("padding")?;
        reader.constant(b"\x7f", "signature_end")?;
        reader.constant(b"\x01", "revision")?;
        let start = reader.offset();
        let raw = u8::from_be_bytes(reader.array("socket_type")?);
        let socket_type = <SocketType as list::Numbered>::of_number(u64::from(raw))
            .ok_or_else(|| reader.error(Code::BadConstant, "socket_type", start))?;
        reader.constant(b"\x00", "final_short")?;
        let identity = reader.octets::<1>("identity", u64::MAX)?;
        reader.end()?;
        Ok(Greeting {
            socket_type,
            identity,
        })
    }
}

impl Encode for Greeting<'_> {
    #[inline]
    fn size(&self) -> usize {
        14 + self.identity.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        if self.identity.len() as u64 > 255 {
            return Err(EncodeError::new(Code::TooLong, "GREETING", "identity"));
        }
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\xff");
        sink.put(&[0; 8]);
        sink.put(b"\x7f");
        sink.put(b"\x01");
        sink.put(&(list::Numbered::to_number(self.socket_type) as u8).to_be_bytes());
        sink.put(b"\x00");
        wire::put_length::<1, S>(self.identity.len(), sink);
        sink.put(self.identity);
    }
}

impl<'a> From<Greeting<'a>> for Message<'a> {
    fn from(message: Greeting<'a>) -> Self {
        Message::Greeting(message)
    }
}

/// Any message of the protocol, borrowed from its frame.
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

impl Encode for Message<'_> {
    #[inline]
    fn size(&self) -> usize {
        match self {
            Message::Greeting(message) => message.size(),
        }
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        match self {
            Message::Greeting(message) => message.check(),
        }
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        match self {
            Message::Greeting(message) => message.write(sink),
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
        [0xff, ..] => {
            Greeting::read(wire::Reader::new(frame, 0, Greeting::NAME)).map(Message::Greeting)
        }
        _ => Err(wire::unknown_beginning(frame, &[b"\xff"])),
    }
}
