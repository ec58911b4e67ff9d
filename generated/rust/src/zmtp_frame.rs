//! ZMTP frames.
//!
//! A frame is its flags, the size of its body in one or in eight octets, and the body. The
//! flags say what the frame is, so they are what a frame's number stands for here; flags that
//! no frame has are refused.
//!
//! ```
//! use zeps_wire::{zmtp_frame, Encode};
//!
//! let message = zmtp_frame::Message_ { body: b"octets" };
//! let frame = message.encode()?;
//! assert_eq!(zmtp_frame::decode(&frame), Ok(zmtp_frame::Message::Message_(message)));
//! assert!(zmtp_frame::decode(&frame[..frame.len() - 1]).is_err());
//! # Ok::<(), zeps_wire::EncodeError>(())
//! ```

use crate::error::{Code, DecodeError, EncodeError};
use crate::wire::{self, Encode};

/// The last or only frame of a message, of up to 255 octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message_<'a> {
    /// The octets.
    pub body: &'a [u8],
}

impl<'a> Message_<'a> {
    /// The message's number.
    pub const ID: u32 = 0;
    /// The message's name in the model.
    pub const NAME: &'static str = "MESSAGE";

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        let body = reader.octets::<1>("body", u64::MAX)?;
        reader.end()?;
        Ok(Message_ { body })
    }
}

impl Encode for Message_<'_> {
    #[inline]
    fn size(&self) -> usize {
        2 + self.body.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        if self.body.len() as u64 > 255 {
            return Err(EncodeError::new(Code::TooLong, "MESSAGE", "body"));
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

impl<'a> From<Message_<'a>> for Message<'a> {
    fn from(message: Message_<'a>) -> Self {
        Message::Message_(message)
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
pub struct LongMessage<'a> {
    /// The octets. At most 9223372036854775807 octets.
    pub body: &'a [u8],
}

impl<'a> LongMessage<'a> {
    /// The message's number.
    pub const ID: u32 = 2;
    /// The message's name in the model.
    pub const NAME: &'static str = "LONG-MESSAGE";

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        let body = reader.octets::<8>("body", 9223372036854775807)?;
        reader.end()?;
        Ok(LongMessage { body })
    }
}

impl Encode for LongMessage<'_> {
    #[inline]
    fn size(&self) -> usize {
        9 + self.body.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        if self.body.len() as u64 > 9223372036854775807 {
            return Err(EncodeError::new(Code::TooLong, "LONG-MESSAGE", "body"));
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

impl<'a> From<LongMessage<'a>> for Message<'a> {
    fn from(message: LongMessage<'a>) -> Self {
        Message::LongMessage(message)
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
    Message_(Message_<'a>),
    /// A frame of a message that goes on, of up to 255 octets.
    More(More<'a>),
    /// The last or only frame of a message, of any size.
    LongMessage(LongMessage<'a>),
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
            Message::Message_(_) => Message_::NAME,
            Message::More(_) => More::NAME,
            Message::LongMessage(_) => LongMessage::NAME,
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
            Message::Message_(message) => message.size(),
            Message::More(message) => message.size(),
            Message::LongMessage(message) => message.size(),
            Message::LongMore(message) => message.size(),
            Message::Command(message) => message.size(),
            Message::LongCommand(message) => message.size(),
        }
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        match self {
            Message::Message_(message) => message.check(),
            Message::More(message) => message.check(),
            Message::LongMessage(message) => message.check(),
            Message::LongMore(message) => message.check(),
            Message::Command(message) => message.check(),
            Message::LongCommand(message) => message.check(),
        }
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        match self {
            Message::Message_(message) => message.write(sink),
            Message::More(message) => message.write(sink),
            Message::LongMessage(message) => message.write(sink),
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
        [0x00, rest @ ..] => {
            Message_::read(wire::Reader::new(rest, 1, Message_::NAME)).map(Message::Message_)
        }
        [0x01, rest @ ..] => More::read(wire::Reader::new(rest, 1, More::NAME)).map(Message::More),
        [0x02, rest @ ..] => LongMessage::read(wire::Reader::new(rest, 1, LongMessage::NAME))
            .map(Message::LongMessage),
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
