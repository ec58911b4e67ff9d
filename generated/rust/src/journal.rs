//! ZEPS journal.
//!
//! A stream's journal is a folder of segments. A segment is a file: one SEGMENT header, then
//! BLOCKs back to back. A block holds the messages that were written together, as the DELIVER
//! frames that subscribers receive, so that replay is slicing. Before the frames stands an
//! index with checksums of its own: who wants some keys only reads the index, and of the frames
//! no more than the pages on which those messages lie. All numbers are unsigned and in network
//! byte order.
//!
//! ```
//! use zeps_wire::{journal, Encode};
//!
//! let message = journal::Segment { first_sequence: 7, created: 7, stream: "some" };
//! let frame = message.encode()?;
//! assert_eq!(journal::decode(&frame), Ok(journal::Message::Segment(message)));
//! assert!(journal::decode(&frame[..frame.len() - 1]).is_err());
//! # Ok::<(), zeps_wire::EncodeError>(())
//! ```

use crate::error::{Code, DecodeError, EncodeError};
use crate::list::{self};
use crate::text::Text;
use crate::wire::{self, Encode};

/// The head of a segment file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    /// Sequence of the segment's first message.
    pub first_sequence: u64,
    /// Time of creation, in microseconds since 1970-01-01T00:00:00Z.
    pub created: u64,
    /// The stream's name. UTF-8 without control characters, at most 255 octets.
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

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        reader.constant(b"ZEPSJRNL", "magic")?;
        reader.constant(b"\x00\x01", "version")?;
        let first_sequence = u64::from_be_bytes(reader.array("first_sequence")?);
        let created = u64::from_be_bytes(reader.array("created")?);
        let stream = reader.text::<1>("stream", u64::MAX, Text::Printable)?;
        reader.end()?;
        Ok(Segment {
            first_sequence,
            created,
            stream,
        })
    }
}

impl Encode for Segment<'_> {
    #[inline]
    fn size(&self) -> usize {
        27 + self.stream.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        if !Text::Printable.admits(self.stream) {
            return Err(EncodeError::new(Code::BadText, "SEGMENT", "stream"));
        }
        if self.stream.len() as u64 > 255 {
            return Err(EncodeError::new(Code::TooLong, "SEGMENT", "stream"));
        }
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"ZEPSJRNL\x00\x01");
        sink.put(&self.first_sequence.to_be_bytes());
        sink.put(&self.created.to_be_bytes());
        wire::put_length::<1, S>(self.stream.len(), sink);
        sink.put(self.stream.as_bytes());
    }
}

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

    #[inline]
    fn read(mut reader: wire::Reader<'a>) -> Result<Self, DecodeError> {
        reader.constant(b"ZBLK", "magic")?;
        let checksum = u32::from_be_bytes(reader.array("checksum")?);
        let index_checksum = u32::from_be_bytes(reader.array("index_checksum")?);
        let first_sequence = u64::from_be_bytes(reader.array("first_sequence")?);
        let first_time = u64::from_be_bytes(reader.array("first_time")?);
        let last_time = u64::from_be_bytes(reader.array("last_time")?);
        let start = reader.offset();
        let count = u32::from_be_bytes(reader.array("count")?);
        if count > 65536 {
            return Err(reader.error(Code::TooLong, "count", start));
        }
        let start = reader.offset();
        let frames_size = u32::from_be_bytes(reader.array("frames_size")?);
        if frames_size > 268435456 {
            return Err(reader.error(Code::TooLong, "frames_size", start));
        }
        let start = reader.offset();
        let page_count = u32::from_be_bytes(reader.array("page_count")?);
        if page_count > 65536 {
            return Err(reader.error(Code::TooLong, "page_count", start));
        }
        let start = reader.offset();
        let key_count = u32::from_be_bytes(reader.array("key_count")?);
        if key_count > 65536 {
            return Err(reader.error(Code::TooLong, "key_count", start));
        }
        let start = reader.offset();
        let keys_size = u32::from_be_bytes(reader.array("keys_size")?);
        if keys_size > 16711680 {
            return Err(reader.error(Code::TooLong, "keys_size", start));
        }
        let items = reader.counted(u64::from(count), "times", u64::MAX, 8)?;
        reader.skip(&items, 8);
        let times = reader.listed(&items);
        let items = reader.counted(u64::from(count), "ends", u64::MAX, 4)?;
        reader.skip(&items, 4);
        let ends = reader.listed(&items);
        let items = reader.counted(u64::from(count), "key_numbers", u64::MAX, 2)?;
        reader.skip(&items, 2);
        let key_numbers = reader.listed(&items);
        let items = reader.counted(u64::from(page_count), "page_checksums", u64::MAX, 4)?;
        reader.skip(&items, 4);
        let page_checksums = reader.listed(&items);
        let items = reader.counted(u64::from(key_count), "key_ends", u64::MAX, 4)?;
        reader.skip(&items, 4);
        let key_ends = reader.listed(&items);
        let keys = reader.measured(u64::from(keys_size), "keys", u64::MAX)?;
        let frames = reader.measured(u64::from(frames_size), "frames", u64::MAX)?;
        reader.end()?;
        Ok(Block {
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

impl Encode for Block<'_> {
    #[inline]
    fn size(&self) -> usize {
        56 + self.times.size()
            + self.ends.size()
            + self.key_numbers.size()
            + self.page_checksums.size()
            + self.key_ends.size()
            + self.keys.len()
            + self.frames.len()
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        if self.ends.len() != self.times.len() {
            return Err(wire::miscounted(
                self.ends.len(),
                self.times.len(),
                "BLOCK",
                "ends",
            ));
        }
        if self.key_numbers.len() != self.times.len() {
            return Err(wire::miscounted(
                self.key_numbers.len(),
                self.times.len(),
                "BLOCK",
                "key_numbers",
            ));
        }
        if self.times.len() as u64 > 65536 {
            return Err(EncodeError::new(Code::TooLong, "BLOCK", "times"));
        }
        if self.frames.len() as u64 > 268435456 {
            return Err(EncodeError::new(Code::TooLong, "BLOCK", "frames"));
        }
        if self.page_checksums.len() as u64 > 65536 {
            return Err(EncodeError::new(Code::TooLong, "BLOCK", "page_checksums"));
        }
        if self.key_ends.len() as u64 > 65536 {
            return Err(EncodeError::new(Code::TooLong, "BLOCK", "key_ends"));
        }
        if self.keys.len() as u64 > 16711680 {
            return Err(EncodeError::new(Code::TooLong, "BLOCK", "keys"));
        }
        Ok(())
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        sink.put(b"ZBLK");
        sink.put(&self.checksum.to_be_bytes());
        sink.put(&self.index_checksum.to_be_bytes());
        sink.put(&self.first_sequence.to_be_bytes());
        sink.put(&self.first_time.to_be_bytes());
        sink.put(&self.last_time.to_be_bytes());
        wire::put_length::<4, S>(self.times.len(), sink);
        wire::put_length::<4, S>(self.frames.len(), sink);
        wire::put_length::<4, S>(self.page_checksums.len(), sink);
        wire::put_length::<4, S>(self.key_ends.len(), sink);
        wire::put_length::<4, S>(self.keys.len(), sink);
        self.times.write(sink);
        self.ends.write(sink);
        self.key_numbers.write(sink);
        self.page_checksums.write(sink);
        self.key_ends.write(sink);
        sink.put(self.keys);
        sink.put(self.frames);
    }
}

impl<'a> From<Block<'a>> for Message<'a> {
    fn from(message: Block<'a>) -> Self {
        Message::Block(message)
    }
}

/// Any message of the protocol, borrowed from its frame.
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

impl Encode for Message<'_> {
    #[inline]
    fn size(&self) -> usize {
        match self {
            Message::Segment(message) => message.size(),
            Message::Block(message) => message.size(),
        }
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        match self {
            Message::Segment(message) => message.check(),
            Message::Block(message) => message.check(),
        }
    }

    #[inline]
    fn write<S: wire::Sink>(&self, sink: &mut S) {
        match self {
            Message::Segment(message) => message.write(sink),
            Message::Block(message) => message.write(sink),
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
        [0x5a, 0x45, 0x50, 0x53, 0x4a, 0x52, 0x4e, 0x4c, ..] => {
            Segment::read(wire::Reader::new(frame, 0, Segment::NAME)).map(Message::Segment)
        }
        [0x5a, 0x42, 0x4c, 0x4b, ..] => {
            Block::read(wire::Reader::new(frame, 0, Block::NAME)).map(Message::Block)
        }
        _ => Err(wire::unknown_beginning(frame, &[b"ZEPSJRNL", b"ZBLK"])),
    }
}
