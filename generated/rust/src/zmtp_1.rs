//! ZMTP 1.0.
//!
//! A frame of version 1.0, shorter than 255 octets. A connection opens with one that holds the
//! identity, which is mostly empty; a subscriber says nothing after it.
//!
//! ```
//! use zeps_wire::{zmtp_1, Encode};
//!
//! let message = zmtp_1::Frame { content: b"a" };
//! let frame = message.encode()?;
//! assert_eq!(zmtp_1::decode(&frame), Ok(zmtp_1::Message::Frame(message)));
//! if let Err(error) = zmtp_1::decode(&frame[1..]) {
//!     println!("{error}"); // the kind of the error, and the offset
//! }
//! # Ok::<(), zeps_wire::EncodeError>(())
//! ```

use crate::error::{DecodeError, EncodeError};
use crate::wire::{self, Encode};
#[allow(unused_imports)] // the messages determine which are used
use crate::{list, text::Text};

/// Flags and body behind one octet of length; a longer frame has %xFF there, and eight octets
/// of length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// One octet of flags, zero or one, and the body. At most 254 bytes.
    pub content: &'a [u8],
}

impl<'a> Frame<'a> {
    /// The message's number.
    pub const ID: u32 = 1;
    /// The message's name in the model.
    pub const NAME: &'static str = "FRAME";

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 0, Self::NAME);
        let content = reader.field::<list::Octets<1>>("content", 254)?;
        reader.end()?;
        Ok(Self { content })
    }
}

impl wire::Put for Frame<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"");
        to.field::<list::Octets<1>>("content", self.content, 254)?;
        Ok(())
    }
}

impl Encode for Frame<'_> {}

impl<'a> From<Frame<'a>> for Message<'a> {
    fn from(message: Frame<'a>) -> Self {
        Message::Frame(message)
    }
}

/// A message of the protocol, borrowed from its frame.
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

impl wire::Put for Message<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        match self {
            Message::Frame(message) => wire::Put::put(message, sink),
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
    Frame::read(frame).map(Message::Frame)
}

#[cold]
fn unknown(frame: &[u8]) -> DecodeError {
    wire::unknown_beginning(frame, &[b""])
}

/// Messages that own their values and outlive the frames that they were decoded from.
pub mod owned {
    #[allow(unused_imports)] // the messages determine which are used
    use crate::list;
    #[allow(unused_imports)]
    use alloc::{string::String, vec::Vec};

    /// See [`Frame`](super::Frame).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Frame {
        /// See [`content`](super::Frame::content).
        pub content: Vec<u8>,
    }

    impl Frame {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Frame<'_> {
            super::Frame {
                content: &self.content,
            }
        }
    }

    impl super::Frame<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Frame {
            Frame {
                content: self.content.into(),
            }
        }
    }

    /// A message of the protocol.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[allow(clippy::large_enum_variant)] // as the borrowed one
    pub enum Message {
        /// Flags and body behind one octet of length; a longer frame has %xFF there, and eight octets
        /// of length.
        Frame(Frame),
    }

    impl Message {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Message<'_> {
            match self {
                Message::Frame(message) => super::Message::Frame(message.as_message()),
            }
        }
    }

    impl super::Message<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Message {
            match self {
                super::Message::Frame(message) => Message::Frame(message.into_owned()),
            }
        }
    }
}
