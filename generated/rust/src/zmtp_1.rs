//! ZMTP 1.0.
//!
//! A frame of version 1.0, shorter than 255 octets. A connection opens with one that holds the
//! identity, which is mostly empty; a subscriber says nothing after it.
//!
//! ```
//! use zeps_wire::{zmtp_1, Encode};
//!
//! let message = zmtp_1::Frame { content: b"octets" };
//! let frame = message.encode()?;
//! assert_eq!(zmtp_1::decode(&frame), Ok(zmtp_1::Message::Frame(message)));
//! assert!(zmtp_1::decode(&frame[..frame.len() - 1]).is_err());
//! # Ok::<(), zeps_wire::EncodeError>(())
//! ```

use crate::error::{Code, DecodeError, EncodeError};
use crate::wire::{self, Encode};

/// Flags and body behind one octet of length; a longer frame has %xFF there, and eight octets
/// of length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// One octet of flags, zero or one, and the body. At most 254 octets.
    pub content: &'a [u8],
}

impl<'a> Frame<'a> {
    /// The message's number.
    pub const ID: u32 = 1;
    /// The message's name in the model.
    pub const NAME: &'static str = "FRAME";

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        let content = reader.octets::<1>("content", 254)?;
        reader.end()?;
        Ok(Frame { content })
    }
}

impl Encode for Frame<'_> {
    #[inline]
    fn size(&self) -> usize {
        1 + self.content.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        if self.content.len() as u64 > 254 {
            return Err(EncodeError::new(Code::TooLong, "FRAME", "content"));
        }
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        wire::put_length::<1, S>(self.content.len(), sink);
        sink.put(self.content);
    }
}

impl<'a> From<Frame<'a>> for Message<'a> {
    fn from(message: Frame<'a>) -> Self {
        Message::Frame(message)
    }
}

/// Any message of the protocol, borrowed from its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant)] // nothing is boxed: a message is a view of its frame
pub enum Message<'a> {
    /// Flags and body behind one octet of length; a longer frame has %xFF there, and eight octets
    /// of length.
    Frame(Frame<'a>),
}

impl Message<'_> {
    /// The message's name in the model.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Message::Frame(_) => Frame::NAME,
        }
    }
}

impl Encode for Message<'_> {
    #[inline]
    fn size(&self) -> usize {
        match self {
            Message::Frame(message) => message.size(),
        }
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        match self {
            Message::Frame(message) => message.check(),
        }
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        match self {
            Message::Frame(message) => message.write(sink),
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
    Frame::read(wire::Reader::new(frame, 0, Frame::NAME)).map(Message::Frame)
}
