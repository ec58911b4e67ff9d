//! ZMTP frames.
//!
//! A frame is its flags, the size of its body in one or in eight octets, and the body. The
//! flags say what the frame is, so they are what a frame's number stands for here; flags that
//! no frame has are refused.
//!
//! ```
//! use zeps_wire::{zmtp_frame, Encode};
//!
//! let message = zmtp_frame::Last { body: b"octets" };
//! let frame = message.encode()?;
//! assert_eq!(zmtp_frame::decode(&frame), Ok(zmtp_frame::Message::Last(message)));
//! assert!(zmtp_frame::decode(&frame[..frame.len() - 1]).is_err());
//! # Ok::<(), zeps_wire::EncodeError>(())
//! ```

use crate::error::{Code, DecodeError, EncodeError};
use crate::wire::{self, Encode};

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

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        let body = reader.octets::<1>("body", u64::MAX)?;
        reader.end()?;
        Ok(Last { body })
    }
}

impl Encode for Last<'_> {
    #[inline]
    fn size(&self) -> usize {
        2 + self.body.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        if self.body.len() as u64 > 255 {
            return Err(EncodeError::new(Code::TooLong, "LAST", "body"));
        }
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\x00");
        wire::put_length::<1, S>(self.body.len(), sink);
        sink.put(self.body);
    }
}

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

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        let body = reader.octets::<1>("body", u64::MAX)?;
        reader.end()?;
        Ok(More { body })
    }
}

impl Encode for More<'_> {
    #[inline]
    fn size(&self) -> usize {
        2 + self.body.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        if self.body.len() as u64 > 255 {
            return Err(EncodeError::new(Code::TooLong, "MORE", "body"));
        }
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\x01");
        wire::put_length::<1, S>(self.body.len(), sink);
        sink.put(self.body);
    }
}

impl<'a> From<More<'a>> for Message<'a> {
    fn from(message: More<'a>) -> Self {
        Message::More(message)
    }
}

/// The last or only frame of a message, of any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongLast<'a> {
    /// The octets. At most 9223372036854775807 octets.
    pub body: &'a [u8],
}

impl<'a> LongLast<'a> {
    /// The message's number.
    pub const ID: u32 = 2;
    /// The message's name in the model.
    pub const NAME: &'static str = "LONG-LAST";

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        let body = reader.octets::<8>("body", 9223372036854775807)?;
        reader.end()?;
        Ok(LongLast { body })
    }
}

impl Encode for LongLast<'_> {
    #[inline]
    fn size(&self) -> usize {
        9 + self.body.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        if self.body.len() as u64 > 9223372036854775807 {
            return Err(EncodeError::new(Code::TooLong, "LONG-LAST", "body"));
        }
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\x02");
        wire::put_length::<8, S>(self.body.len(), sink);
        sink.put(self.body);
    }
}

impl<'a> From<LongLast<'a>> for Message<'a> {
    fn from(message: LongLast<'a>) -> Self {
        Message::LongLast(message)
    }
}

/// A frame of a message that goes on, of any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongMore<'a> {
    /// The octets. At most 9223372036854775807 octets.
    pub body: &'a [u8],
}

impl<'a> LongMore<'a> {
    /// The message's number.
    pub const ID: u32 = 3;
    /// The message's name in the model.
    pub const NAME: &'static str = "LONG-MORE";

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        let body = reader.octets::<8>("body", 9223372036854775807)?;
        reader.end()?;
        Ok(LongMore { body })
    }
}

impl Encode for LongMore<'_> {
    #[inline]
    fn size(&self) -> usize {
        9 + self.body.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        if self.body.len() as u64 > 9223372036854775807 {
            return Err(EncodeError::new(Code::TooLong, "LONG-MORE", "body"));
        }
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\x03");
        wire::put_length::<8, S>(self.body.len(), sink);
        sink.put(self.body);
    }
}

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

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        let body = reader.octets::<1>("body", u64::MAX)?;
        reader.end()?;
        Ok(Command { body })
    }
}

impl Encode for Command<'_> {
    #[inline]
    fn size(&self) -> usize {
        2 + self.body.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        if self.body.len() as u64 > 255 {
            return Err(EncodeError::new(Code::TooLong, "COMMAND", "body"));
        }
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\x04");
        wire::put_length::<1, S>(self.body.len(), sink);
        sink.put(self.body);
    }
}

impl<'a> From<Command<'a>> for Message<'a> {
    fn from(message: Command<'a>) -> Self {
        Message::Command(message)
    }
}

/// A command, of any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongCommand<'a> {
    /// The command. At most 9223372036854775807 octets.
    pub body: &'a [u8],
}

impl<'a> LongCommand<'a> {
    /// The message's number.
    pub const ID: u32 = 6;
    /// The message's name in the model.
    pub const NAME: &'static str = "LONG-COMMAND";

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        let body = reader.octets::<8>("body", 9223372036854775807)?;
        reader.end()?;
        Ok(LongCommand { body })
    }
}

impl Encode for LongCommand<'_> {
    #[inline]
    fn size(&self) -> usize {
        9 + self.body.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        if self.body.len() as u64 > 9223372036854775807 {
            return Err(EncodeError::new(Code::TooLong, "LONG-COMMAND", "body"));
        }
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"\x06");
        wire::put_length::<8, S>(self.body.len(), sink);
        sink.put(self.body);
    }
}

impl<'a> From<LongCommand<'a>> for Message<'a> {
    fn from(message: LongCommand<'a>) -> Self {
        Message::LongCommand(message)
    }
}

/// Any message of the protocol, borrowed from its frame.
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

impl Encode for Message<'_> {
    #[inline]
    fn size(&self) -> usize {
        match self {
            Message::Last(message) => message.size(),
            Message::More(message) => message.size(),
            Message::LongLast(message) => message.size(),
            Message::LongMore(message) => message.size(),
            Message::Command(message) => message.size(),
            Message::LongCommand(message) => message.size(),
        }
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        match self {
            Message::Last(message) => message.check(),
            Message::More(message) => message.check(),
            Message::LongLast(message) => message.check(),
            Message::LongMore(message) => message.check(),
            Message::Command(message) => message.check(),
            Message::LongCommand(message) => message.check(),
        }
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        match self {
            Message::Last(message) => message.write(sink),
            Message::More(message) => message.write(sink),
            Message::LongLast(message) => message.write(sink),
            Message::LongMore(message) => message.write(sink),
            Message::Command(message) => message.write(sink),
            Message::LongCommand(message) => message.write(sink),
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
        [0x00, rest @ ..] => Last::read(wire::Reader::new(rest, 1, Last::NAME)).map(Message::Last),
        [0x01, rest @ ..] => More::read(wire::Reader::new(rest, 1, More::NAME)).map(Message::More),
        [0x02, rest @ ..] => {
            LongLast::read(wire::Reader::new(rest, 1, LongLast::NAME)).map(Message::LongLast)
        }
        [0x03, rest @ ..] => {
            LongMore::read(wire::Reader::new(rest, 1, LongMore::NAME)).map(Message::LongMore)
        }
        [0x04, rest @ ..] => {
            Command::read(wire::Reader::new(rest, 1, Command::NAME)).map(Message::Command)
        }
        [0x06, rest @ ..] => LongCommand::read(wire::Reader::new(rest, 1, LongCommand::NAME))
            .map(Message::LongCommand),
        _ => Err(wire::unknown_number(frame, &[])),
    }
}
