//! Reading and writing octets: what every message is decoded with and encoded into.

mod frames;
mod read;
mod write;

use alloc::vec::Vec;

use crate::error::{Code, DecodeError, EncodeError};

pub use frames::Frames;
pub use read::{Fault, Reader};
#[allow(unused_imports)] // which of them dispatch depends on the models
pub(crate) use read::{unknown_beginning, unknown_name, unknown_number};
pub use write::{Sink, Writer};

/// A message, or any of a protocol's messages: what is put into frames.
pub trait Put {
    /// Check the message or write it, as the sink wants.
    fn put<S: Sink>(&self, sink: &mut S) -> Result<(), EncodeError>;
}

/// The frame, if it begins with what the dispatcher compares.
#[inline]
pub(crate) fn begins<'a>(
    frame: &'a [u8],
    dispatch: &[u8],
    unknown: impl FnOnce(&[u8]) -> DecodeError,
) -> Result<&'a [u8], DecodeError> {
    if frame.starts_with(dispatch) {
        return Ok(frame);
    }
    Err(unknown(frame))
}

/// Octets of the encoded message, all its frames together.
#[inline]
pub(crate) fn size_of<M: Put + ?Sized>(message: &M) -> usize {
    let mut count = write::Count(0);
    let _ = message.put(&mut count); // which checks nothing
    count.0
}

/// Whether the format can carry the message.
#[inline]
pub(crate) fn check<M: Put + ?Sized>(message: &M) -> Result<(), EncodeError> {
    message.put(&mut write::Check)
}

/// A message, or any of a protocol's messages, that can be put into a frame.
pub trait Encode: Put {
    /// Octets of the encoded message.
    #[inline]
    fn size(&self) -> usize {
        size_of(self)
    }

    /// Whether the format can carry the message.
    ///
    /// # Errors
    ///
    /// What is wrong with the first field that it cannot carry.
    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        check(self)
    }

    /// The message as one frame.
    ///
    /// # Errors
    ///
    /// As `check` says.
    #[inline]
    fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        self.check()?;
        let mut frame = Vec::with_capacity(self.size());
        self.put(&mut frame)?;
        Ok(frame)
    }

    /// Append the frame to `buffer`, which grows at most once.
    ///
    /// # Errors
    ///
    /// As `check` says; `buffer` is then as it was.
    #[inline]
    fn encode_into(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.check()?;
        buffer.reserve(self.size());
        self.put(buffer)
    }

    /// Put the frame at the start of `buffer`; how many octets it has.
    ///
    /// # Errors
    ///
    /// As `check` says; `truncated`, without a field, if the buffer is too small.
    #[inline]
    fn encode_to_slice(&self, buffer: &mut [u8]) -> Result<usize, EncodeError> {
        self.check()?;
        let size = self.size();
        let octets = buffer.get_mut(..size).ok_or_else(too_small)?;
        self.put(&mut write::Octets(octets))?;
        Ok(size)
    }
}

/// A message that can be put into frames: those of protocols whose messages may have several, and all others into one.
pub trait EncodeFrames: Put {
    /// The message as frames.
    ///
    /// # Errors
    ///
    /// What is wrong with the first field that the format cannot carry.
    fn encode_frames(&self) -> Result<Vec<Vec<u8>>, EncodeError> {
        check(self)?;
        let mut frames = Vec::new();
        self.put(&mut frames)?;
        Ok(frames)
    }
}

impl<M: Put + ?Sized> EncodeFrames for M {}

#[cold]
fn too_small() -> EncodeError {
    EncodeError {
        code: Code::Truncated,
        message: None,
        field: None,
    }
}

/// A length or a count in the `N` octets before what it counts; the encoder has checked that it fits.
#[inline]
pub(crate) fn put_length<const N: usize, S: Sink>(length: usize, sink: &mut S) {
    let octets = (length as u64).to_be_bytes();
    sink.put(&octets[8 - N..]);
}

/// Put `value` in LEB128.
#[inline]
pub(crate) fn put_varint<S: Sink>(value: u64, sink: &mut S) {
    let size = (70 - (value | 1).leading_zeros() as usize) / 7;
    let mut octets = [0; 10];
    for (index, octet) in octets[..size].iter_mut().enumerate() {
        let more = if index + 1 < size { 0x80 } else { 0 };
        *octet = (value >> (7 * index)) as u8 & 0x7f | more;
    }
    sink.put(&octets[..size]);
}

/// A signed number as the unsigned one that stands for it.
#[inline]
pub(crate) fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

/// The signed number that an unsigned one stands for.
#[inline]
pub(crate) fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// The greatest number of `N` octets.
pub(crate) const fn greatest<const N: usize>() -> u64 {
    u64::MAX >> (64 - 8 * N)
}

/// A number that is compared with another one.
#[inline]
pub(crate) fn number(value: impl Into<u64>) -> u64 {
    value.into()
}

/// The value, unless it is greater.
#[inline]
pub(crate) fn at_most<T: PartialOrd>(value: T, max: T) -> Result<T, Code> {
    if value > max {
        return Err(Code::TooLong);
    }
    Ok(value)
}
