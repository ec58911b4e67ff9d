//! ZMTP frames.
//!
//! A frame is its flags, the size of its body in one or in eight octets, and the body. The
//! flags say what the frame is, so they are what a frame's number stands for here; flags that
//! no frame has are refused.
//!
//! ```
//! use zeps_wire::{zmtp_frame, Encode};
//!
//! let message = zmtp_frame::Last { body: b"a" };
//! let frame = message.encode()?;
//! assert_eq!(zmtp_frame::decode(&frame), Ok(zmtp_frame::Message::Last(message)));
//! if let Err(error) = zmtp_frame::decode(&frame[1..]) {
//!     println!("{error}"); // the kind of the error, and the offset
//! }
//! # Ok::<(), zeps_wire::EncodeError>(())
//! ```

use crate::error::{DecodeError, EncodeError};
use crate::wire::{self, Encode};
#[allow(unused_imports)] // the messages determine which are used
use crate::{list, text::Text};

/// The last or only frame of a message, of up to 255 octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Last<'a> {
    /// The octets.
    pub body: &'a [u8],
}

impl<'a> Last<'a> {
    /// The message's number.
    pub const ID: u32 = 0;
    /// The message's name in the model.
    pub const NAME: &'static str = "LAST";

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
        let mut reader = wire::Reader::new(frame, 1, Self::NAME);
        let body = reader.field::<list::Octets<1>>("body", u64::MAX)?;
        reader.end()?;
        Ok(Self { body })
    }
}

impl wire::Put for Last<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\x00");
        to.field::<list::Octets<1>>("body", self.body, u64::MAX)?;
        Ok(())
    }
}

impl Encode for Last<'_> {}

impl<'a> From<Last<'a>> for Message<'a> {
    fn from(message: Last<'a>) -> Self {
        Message::Last(message)
    }
}

/// A frame of a message that goes on, of up to 255 octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct More<'a> {
    /// The octets.
    pub body: &'a [u8],
}

impl<'a> More<'a> {
    /// The message's number.
    pub const ID: u32 = 1;
    /// The message's name in the model.
    pub const NAME: &'static str = "MORE";

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
        let mut reader = wire::Reader::new(frame, 1, Self::NAME);
        let body = reader.field::<list::Octets<1>>("body", u64::MAX)?;
        reader.end()?;
        Ok(Self { body })
    }
}

impl wire::Put for More<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\x01");
        to.field::<list::Octets<1>>("body", self.body, u64::MAX)?;
        Ok(())
    }
}

impl Encode for More<'_> {}

impl<'a> From<More<'a>> for Message<'a> {
    fn from(message: More<'a>) -> Self {
        Message::More(message)
    }
}

/// The last or only frame of a message, of any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongLast<'a> {
    /// The octets. At most 9223372036854775807 bytes.
    pub body: &'a [u8],
}

impl<'a> LongLast<'a> {
    /// The message's number.
    pub const ID: u32 = 2;
    /// The message's name in the model.
    pub const NAME: &'static str = "LONG-LAST";

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
        let mut reader = wire::Reader::new(frame, 1, Self::NAME);
        let body = reader.field::<list::Octets<8>>("body", 9223372036854775807)?;
        reader.end()?;
        Ok(Self { body })
    }
}

impl wire::Put for LongLast<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\x02");
        to.field::<list::Octets<8>>("body", self.body, 9223372036854775807)?;
        Ok(())
    }
}

impl Encode for LongLast<'_> {}

impl<'a> From<LongLast<'a>> for Message<'a> {
    fn from(message: LongLast<'a>) -> Self {
        Message::LongLast(message)
    }
}

/// A frame of a message that goes on, of any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongMore<'a> {
    /// The octets. At most 9223372036854775807 bytes.
    pub body: &'a [u8],
}

impl<'a> LongMore<'a> {
    /// The message's number.
    pub const ID: u32 = 3;
    /// The message's name in the model.
    pub const NAME: &'static str = "LONG-MORE";

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
        let mut reader = wire::Reader::new(frame, 1, Self::NAME);
        let body = reader.field::<list::Octets<8>>("body", 9223372036854775807)?;
        reader.end()?;
        Ok(Self { body })
    }
}

impl wire::Put for LongMore<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\x03");
        to.field::<list::Octets<8>>("body", self.body, 9223372036854775807)?;
        Ok(())
    }
}

impl Encode for LongMore<'_> {}

impl<'a> From<LongMore<'a>> for Message<'a> {
    fn from(message: LongMore<'a>) -> Self {
        Message::LongMore(message)
    }
}

/// A command, of up to 255 octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command<'a> {
    /// The command.
    pub body: &'a [u8],
}

impl<'a> Command<'a> {
    /// The message's number.
    pub const ID: u32 = 4;
    /// The message's name in the model.
    pub const NAME: &'static str = "COMMAND";

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\x04", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 1, Self::NAME);
        let body = reader.field::<list::Octets<1>>("body", u64::MAX)?;
        reader.end()?;
        Ok(Self { body })
    }
}

impl wire::Put for Command<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\x04");
        to.field::<list::Octets<1>>("body", self.body, u64::MAX)?;
        Ok(())
    }
}

impl Encode for Command<'_> {}

impl<'a> From<Command<'a>> for Message<'a> {
    fn from(message: Command<'a>) -> Self {
        Message::Command(message)
    }
}

/// A command, of any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongCommand<'a> {
    /// The command. At most 9223372036854775807 bytes.
    pub body: &'a [u8],
}

impl<'a> LongCommand<'a> {
    /// The message's number.
    pub const ID: u32 = 6;
    /// The message's name in the model.
    pub const NAME: &'static str = "LONG-COMMAND";

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"\x06", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 1, Self::NAME);
        let body = reader.field::<list::Octets<8>>("body", 9223372036854775807)?;
        reader.end()?;
        Ok(Self { body })
    }
}

impl wire::Put for LongCommand<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"\x06");
        to.field::<list::Octets<8>>("body", self.body, 9223372036854775807)?;
        Ok(())
    }
}

impl Encode for LongCommand<'_> {}

impl<'a> From<LongCommand<'a>> for Message<'a> {
    fn from(message: LongCommand<'a>) -> Self {
        Message::LongCommand(message)
    }
}

/// A message of the protocol, borrowed from its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant)] // nothing is boxed: a message is a view of its frame
pub enum Message<'a> {
    /// The last or only frame of a message, of up to 255 octets.
    Last(Last<'a>),
    /// A frame of a message that goes on, of up to 255 octets.
    More(More<'a>),
    /// The last or only frame of a message, of any size.
    LongLast(LongLast<'a>),
    /// A frame of a message that goes on, of any size.
    LongMore(LongMore<'a>),
    /// A command, of up to 255 octets.
    Command(Command<'a>),
    /// A command, of any size.
    LongCommand(LongCommand<'a>),
}

impl Message<'_> {
    /// The message's name in the model.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Message::Last(_) => Last::NAME,
            Message::More(_) => More::NAME,
            Message::LongLast(_) => LongLast::NAME,
            Message::LongMore(_) => LongMore::NAME,
            Message::Command(_) => Command::NAME,
            Message::LongCommand(_) => LongCommand::NAME,
        }
    }
}

impl wire::Put for Message<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        match self {
            Message::Last(message) => wire::Put::put(message, sink),
            Message::More(message) => wire::Put::put(message, sink),
            Message::LongLast(message) => wire::Put::put(message, sink),
            Message::LongMore(message) => wire::Put::put(message, sink),
            Message::Command(message) => wire::Put::put(message, sink),
            Message::LongCommand(message) => wire::Put::put(message, sink),
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
        [0x00, ..] => Last::read(frame).map(Message::Last),
        [0x01, ..] => More::read(frame).map(Message::More),
        [0x02, ..] => LongLast::read(frame).map(Message::LongLast),
        [0x03, ..] => LongMore::read(frame).map(Message::LongMore),
        [0x04, ..] => Command::read(frame).map(Message::Command),
        [0x06, ..] => LongCommand::read(frame).map(Message::LongCommand),
        _ => Err(unknown(frame)),
    }
}

#[cold]
fn unknown(frame: &[u8]) -> DecodeError {
    wire::unknown_number(frame, &[])
}

/// Messages that own their values and outlive the frames that they were decoded from.
pub mod owned {
    #[allow(unused_imports)] // the messages determine which are used
    use crate::list;
    #[allow(unused_imports)]
    use alloc::{string::String, vec::Vec};

    /// See [`Last`](super::Last).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Last {
        /// See [`body`](super::Last::body).
        pub body: Vec<u8>,
    }

    impl Last {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Last<'_> {
            super::Last { body: &self.body }
        }
    }

    impl super::Last<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Last {
            Last {
                body: self.body.into(),
            }
        }
    }

    /// See [`More`](super::More).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct More {
        /// See [`body`](super::More::body).
        pub body: Vec<u8>,
    }

    impl More {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::More<'_> {
            super::More { body: &self.body }
        }
    }

    impl super::More<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> More {
            More {
                body: self.body.into(),
            }
        }
    }

    /// See [`LongLast`](super::LongLast).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct LongLast {
        /// See [`body`](super::LongLast::body).
        pub body: Vec<u8>,
    }

    impl LongLast {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::LongLast<'_> {
            super::LongLast { body: &self.body }
        }
    }

    impl super::LongLast<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> LongLast {
            LongLast {
                body: self.body.into(),
            }
        }
    }

    /// See [`LongMore`](super::LongMore).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct LongMore {
        /// See [`body`](super::LongMore::body).
        pub body: Vec<u8>,
    }

    impl LongMore {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::LongMore<'_> {
            super::LongMore { body: &self.body }
        }
    }

    impl super::LongMore<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> LongMore {
            LongMore {
                body: self.body.into(),
            }
        }
    }

    /// See [`Command`](super::Command).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Command {
        /// See [`body`](super::Command::body).
        pub body: Vec<u8>,
    }

    impl Command {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Command<'_> {
            super::Command { body: &self.body }
        }
    }

    impl super::Command<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Command {
            Command {
                body: self.body.into(),
            }
        }
    }

    /// See [`LongCommand`](super::LongCommand).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct LongCommand {
        /// See [`body`](super::LongCommand::body).
        pub body: Vec<u8>,
    }

    impl LongCommand {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::LongCommand<'_> {
            super::LongCommand { body: &self.body }
        }
    }

    impl super::LongCommand<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> LongCommand {
            LongCommand {
                body: self.body.into(),
            }
        }
    }

    /// A message of the protocol.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[allow(clippy::large_enum_variant)] // as the borrowed one
    pub enum Message {
        /// The last or only frame of a message, of up to 255 octets.
        Last(Last),
        /// A frame of a message that goes on, of up to 255 octets.
        More(More),
        /// The last or only frame of a message, of any size.
        LongLast(LongLast),
        /// A frame of a message that goes on, of any size.
        LongMore(LongMore),
        /// A command, of up to 255 octets.
        Command(Command),
        /// A command, of any size.
        LongCommand(LongCommand),
    }

    impl Message {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Message<'_> {
            match self {
                Message::Last(message) => super::Message::Last(message.as_message()),
                Message::More(message) => super::Message::More(message.as_message()),
                Message::LongLast(message) => super::Message::LongLast(message.as_message()),
                Message::LongMore(message) => super::Message::LongMore(message.as_message()),
                Message::Command(message) => super::Message::Command(message.as_message()),
                Message::LongCommand(message) => super::Message::LongCommand(message.as_message()),
            }
        }
    }

    impl super::Message<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Message {
            match self {
                super::Message::Last(message) => Message::Last(message.into_owned()),
                super::Message::More(message) => Message::More(message.into_owned()),
                super::Message::LongLast(message) => Message::LongLast(message.into_owned()),
                super::Message::LongMore(message) => Message::LongMore(message.into_owned()),
                super::Message::Command(message) => Message::Command(message.into_owned()),
                super::Message::LongCommand(message) => Message::LongCommand(message.into_owned()),
            }
        }
    }
}
