//! ZEPS journal.
//!
//! A stream's journal is a folder of segments. A segment is a file: one SEGMENT header, then
//! BLOCKs back to back. A block holds the messages that were written together, as the DELIVER
//! frames that subscribers receive, so that replay is slicing. An index with checksums of its
//! own precedes the frames: a reader of some keys only reads the index, and of the frames no
//! more than the pages that hold those messages. All numbers are unsigned and in network byte
//! order.
//!
//! ```
//! use zeps_wire::{journal, Encode};
//!
//! let message = journal::Segment { first_sequence: 1, created: 1, stream: "a" };
//! let frame = message.encode()?;
//! assert_eq!(journal::decode(&frame), Ok(journal::Message::Segment(message)));
//! if let Err(error) = journal::decode(&frame[1..]) {
//!     println!("{error}"); // the kind of the error, and the offset
//! }
//! # Ok::<(), zeps_wire::EncodeError>(())
//! ```

use crate::error::{DecodeError, EncodeError};
use crate::wire::{self, Encode};
#[allow(unused_imports)] // the messages determine which are used
use crate::{list, text::Text};

/// The head of a segment file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    /// Sequence of the segment's first message.
    pub first_sequence: u64,
    /// Time of creation, in microseconds since 1970-01-01T00:00:00Z.
    pub created: u64,
    /// The stream's name. UTF-8 without control characters, at most 255 bytes.
    pub stream: &'a str,
}

impl<'a> Segment<'a> {
    /// The message's number.
    pub const ID: u32 = 1;
    /// The message's name in the model.
    pub const NAME: &'static str = "SEGMENT";
    /// Names the file type.
    pub const MAGIC: [u8; 8] = *b"ZEPSJRNL";
    /// Version of this format.
    pub const VERSION: u64 = 1;

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"ZEPSJRNL", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 0, Self::NAME);
        reader.constant("magic", b"ZEPSJRNL")?;
        reader.constant("version", b"\x00\x01")?;
        let first_sequence = reader.field::<list::U64>("first_sequence", u64::MAX)?;
        let created = reader.field::<list::U64>("created", u64::MAX)?;
        let stream = reader.field::<list::Text<1>>("stream", (u64::MAX, Text::Printable))?;
        reader.end()?;
        Ok(Self {
            first_sequence,
            created,
            stream,
        })
    }
}

impl wire::Put for Segment<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"ZEPSJRNL\x00\x01");
        to.field::<list::U64>("first_sequence", self.first_sequence, u64::MAX)?;
        to.field::<list::U64>("created", self.created, u64::MAX)?;
        to.field::<list::Text<1>>("stream", self.stream, (u64::MAX, Text::Printable))?;
        Ok(())
    }
}

impl Encode for Segment<'_> {}

impl<'a> From<Segment<'a>> for Message<'a> {
    fn from(message: Segment<'a>) -> Self {
        Message::Segment(message)
    }
}

/// Messages that were written together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block<'a> {
    /// CRC-32C of everything in the block that follows this field.
    pub checksum: u32,
    /// CRC-32C of everything between this field and the frames.
    pub index_checksum: u32,
    /// Sequence of the first message; the others follow without gaps.
    pub first_sequence: u64,
    /// Earliest of the times, in microseconds since 1970-01-01T00:00:00Z.
    pub first_time: u64,
    /// Latest of the times.
    pub last_time: u64,
    /// When each message was stored.
    pub times: list::List<'a, list::U64>,
    /// Where each frame ends, counted from the start of the first.
    pub ends: list::List<'a, list::U32>,
    /// Which of the distinct keys each message has, from 0.
    pub key_numbers: list::List<'a, list::U16>,
    /// CRC-32C of each page: 4,096 octets of the frames, counted from the start of the first.
    pub page_checksums: list::List<'a, list::U32>,
    /// Where each distinct key ends, counted from the start of the first.
    pub key_ends: list::List<'a, list::U32>,
    /// The distinct keys, back to back, in the order in which they first occur.
    pub keys: &'a [u8],
    /// The DELIVER frames, back to back.
    pub frames: &'a [u8],
}

impl<'a> Block<'a> {
    /// The message's number.
    pub const ID: u32 = 2;
    /// The message's name in the model.
    pub const NAME: &'static str = "BLOCK";
    /// Names the block.
    pub const MAGIC: [u8; 4] = *b"ZBLK";

    /// Decodes a frame that must hold exactly this message.
    ///
    /// # Errors
    ///
    /// As for [`decode`]; `unknown-message` also if the frame holds another message.
    #[inline]
    pub fn decode(frame: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(wire::begins(frame, b"ZBLK", unknown)?)
    }

    #[inline]
    fn read(frame: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = wire::Reader::new(frame, 0, Self::NAME);
        reader.constant("magic", b"ZBLK")?;
        let checksum = reader.field::<list::U32>("checksum", u32::MAX)?;
        let index_checksum = reader.field::<list::U32>("index_checksum", u32::MAX)?;
        let first_sequence = reader.field::<list::U64>("first_sequence", u64::MAX)?;
        let first_time = reader.field::<list::U64>("first_time", u64::MAX)?;
        let last_time = reader.field::<list::U64>("last_time", u64::MAX)?;
        let count = reader.field::<list::U32>("count", 65536)?;
        let frames_size = reader.field::<list::U32>("frames_size", 268435456)?;
        let page_count = reader.field::<list::U32>("page_count", 65536)?;
        let key_count = reader.field::<list::U32>("key_count", 65536)?;
        let keys_size = reader.field::<list::U32>("keys_size", 16711680)?;
        let times = reader.items("times", count, (u64::MAX, u64::MAX))?;
        let ends = reader.items("ends", count, (u64::MAX, u32::MAX))?;
        let key_numbers = reader.items("key_numbers", count, (u64::MAX, u16::MAX))?;
        let page_checksums = reader.items("page_checksums", page_count, (u64::MAX, u32::MAX))?;
        let key_ends = reader.items("key_ends", key_count, (u64::MAX, u32::MAX))?;
        let keys = reader.octets("keys", keys_size, u64::MAX)?;
        let frames = reader.octets("frames", frames_size, u64::MAX)?;
        reader.end()?;
        Ok(Self {
            checksum,
            index_checksum,
            first_sequence,
            first_time,
            last_time,
            times,
            ends,
            key_numbers,
            page_checksums,
            key_ends,
            keys,
            frames,
        })
    }
}

impl wire::Put for Block<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        let mut to = wire::Writer::new(sink, Self::NAME, b"ZBLK");
        to.agree("ends", self.ends.len(), self.times.len())?;
        to.agree("key_numbers", self.key_numbers.len(), self.times.len())?;
        to.field::<list::U32>("checksum", self.checksum, u32::MAX)?;
        to.field::<list::U32>("index_checksum", self.index_checksum, u32::MAX)?;
        to.field::<list::U64>("first_sequence", self.first_sequence, u64::MAX)?;
        to.field::<list::U64>("first_time", self.first_time, u64::MAX)?;
        to.field::<list::U64>("last_time", self.last_time, u64::MAX)?;
        to.length::<list::U32>("times", self.times.len(), 65536)?;
        to.length::<list::U32>("frames", self.frames.len(), 268435456)?;
        to.length::<list::U32>("page_checksums", self.page_checksums.len(), 65536)?;
        to.length::<list::U32>("key_ends", self.key_ends.len(), 65536)?;
        to.length::<list::U32>("keys", self.keys.len(), 16711680)?;
        to.items("times", self.times, (u64::MAX, u64::MAX))?;
        to.items("ends", self.ends, (u64::MAX, u32::MAX))?;
        to.items("key_numbers", self.key_numbers, (u64::MAX, u16::MAX))?;
        to.items("page_checksums", self.page_checksums, (u64::MAX, u32::MAX))?;
        to.items("key_ends", self.key_ends, (u64::MAX, u32::MAX))?;
        to.octets("keys", self.keys, u64::MAX)?;
        to.octets("frames", self.frames, u64::MAX)?;
        Ok(())
    }
}

impl Encode for Block<'_> {}

impl<'a> From<Block<'a>> for Message<'a> {
    fn from(message: Block<'a>) -> Self {
        Message::Block(message)
    }
}

/// A message of the protocol, borrowed from its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant)] // nothing is boxed: a message is a view of its frame
pub enum Message<'a> {
    /// The head of a segment file.
    Segment(Segment<'a>),
    /// Messages that were written together.
    Block(Block<'a>),
}

impl Message<'_> {
    /// The message's name in the model.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Message::Segment(_) => Segment::NAME,
            Message::Block(_) => Block::NAME,
        }
    }
}

impl wire::Put for Message<'_> {
    #[inline]
    fn put<S: wire::Sink>(&self, sink: &mut S) -> Result<(), EncodeError> {
        match self {
            Message::Segment(message) => wire::Put::put(message, sink),
            Message::Block(message) => wire::Put::put(message, sink),
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
        [0x5a, 0x45, 0x50, 0x53, 0x4a, 0x52, 0x4e, 0x4c, ..] => {
            Segment::read(frame).map(Message::Segment)
        }
        [0x5a, 0x42, 0x4c, 0x4b, ..] => Block::read(frame).map(Message::Block),
        _ => Err(unknown(frame)),
    }
}

#[cold]
fn unknown(frame: &[u8]) -> DecodeError {
    wire::unknown_beginning(frame, &[b"ZEPSJRNL", b"ZBLK"])
}

/// Messages that own their values and outlive the frames that they were decoded from.
pub mod owned {
    #[allow(unused_imports)] // the messages determine which are used
    use crate::list;
    #[allow(unused_imports)]
    use alloc::{string::String, vec::Vec};

    /// See [`Segment`](super::Segment).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Segment {
        /// See [`first_sequence`](super::Segment::first_sequence).
        pub first_sequence: u64,
        /// See [`created`](super::Segment::created).
        pub created: u64,
        /// See [`stream`](super::Segment::stream).
        pub stream: String,
    }

    impl Segment {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Segment<'_> {
            super::Segment {
                first_sequence: self.first_sequence,
                created: self.created,
                stream: &self.stream,
            }
        }
    }

    impl super::Segment<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Segment {
            Segment {
                first_sequence: self.first_sequence,
                created: self.created,
                stream: self.stream.into(),
            }
        }
    }

    /// See [`Block`](super::Block).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Block {
        /// See [`checksum`](super::Block::checksum).
        pub checksum: u32,
        /// See [`index_checksum`](super::Block::index_checksum).
        pub index_checksum: u32,
        /// See [`first_sequence`](super::Block::first_sequence).
        pub first_sequence: u64,
        /// See [`first_time`](super::Block::first_time).
        pub first_time: u64,
        /// See [`last_time`](super::Block::last_time).
        pub last_time: u64,
        /// See [`times`](super::Block::times).
        pub times: list::ListBuf<list::U64>,
        /// See [`ends`](super::Block::ends).
        pub ends: list::ListBuf<list::U32>,
        /// See [`key_numbers`](super::Block::key_numbers).
        pub key_numbers: list::ListBuf<list::U16>,
        /// See [`page_checksums`](super::Block::page_checksums).
        pub page_checksums: list::ListBuf<list::U32>,
        /// See [`key_ends`](super::Block::key_ends).
        pub key_ends: list::ListBuf<list::U32>,
        /// See [`keys`](super::Block::keys).
        pub keys: Vec<u8>,
        /// See [`frames`](super::Block::frames).
        pub frames: Vec<u8>,
    }

    impl Block {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Block<'_> {
            super::Block {
                checksum: self.checksum,
                index_checksum: self.index_checksum,
                first_sequence: self.first_sequence,
                first_time: self.first_time,
                last_time: self.last_time,
                times: self.times.as_list(),
                ends: self.ends.as_list(),
                key_numbers: self.key_numbers.as_list(),
                page_checksums: self.page_checksums.as_list(),
                key_ends: self.key_ends.as_list(),
                keys: &self.keys,
                frames: &self.frames,
            }
        }
    }

    impl super::Block<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Block {
            Block {
                checksum: self.checksum,
                index_checksum: self.index_checksum,
                first_sequence: self.first_sequence,
                first_time: self.first_time,
                last_time: self.last_time,
                times: self.times.to_buf(),
                ends: self.ends.to_buf(),
                key_numbers: self.key_numbers.to_buf(),
                page_checksums: self.page_checksums.to_buf(),
                key_ends: self.key_ends.to_buf(),
                keys: self.keys.into(),
                frames: self.frames.into(),
            }
        }
    }

    /// A message of the protocol.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[allow(clippy::large_enum_variant)] // as the borrowed one
    pub enum Message {
        /// The head of a segment file.
        Segment(Segment),
        /// Messages that were written together.
        Block(Block),
    }

    impl Message {
        /// Borrows the message.
        #[must_use]
        pub fn as_message(&self) -> super::Message<'_> {
            match self {
                Message::Segment(message) => super::Message::Segment(message.as_message()),
                Message::Block(message) => super::Message::Block(message.as_message()),
            }
        }
    }

    impl super::Message<'_> {
        /// Copies the values of the message.
        #[must_use]
        pub fn into_owned(self) -> Message {
            match self {
                super::Message::Segment(message) => Message::Segment(message.into_owned()),
                super::Message::Block(message) => Message::Block(message.into_owned()),
            }
        }
    }
}
