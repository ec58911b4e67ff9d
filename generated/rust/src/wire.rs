//! The traits of encoders, and the common parts of decoders and encoders.

mod frames;
mod read;
mod write;

use alloc::vec::Vec;

use crate::error::{Code, DecodeError, EncodeError};

pub use frames::Frames;
#[allow(unused_imports)] // the models determine which are used
pub(crate) use read::{unknown_beginning, unknown_name, unknown_number};
pub use read::{Fault, Reader};
pub use write::{Sink, Writer};

/// A message or the enum of a protocol's messages.
pub trait Put {
    /// Checks the message or writes it, depending on the sink.
    fn put<S: Sink>(&self, sink: &mut S) -> Result<(), EncodeError>;
}

/// Returns the frame if it begins with `dispatch`.
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

/// The size of the encoded message, all frames together.
#[inline]
pub(crate) fn size_of<M: Put + ?Sized>(message: &M) -> usize {
    let mut count = write::Count(0);
    let _ = message.put(&mut count); // which makes no checks
    count.0
}

/// Checks whether the message can be encoded.
#[inline]
pub(crate) fn check<M: Put + ?Sized>(message: &M) -> Result<(), EncodeError> {
    message.put(&mut write::Check)
}

/// Encodes a message into one frame. Implemented by messages and by the enum of a protocol's messages.
pub trait Encode: Put {
    /// The size of the frame in bytes.
    #[inline]
    fn size(&self) -> usize {
        size_of(self)
    }

    /// Checks whether the message can be encoded.
    ///
    /// # Errors
    ///
    /// The first field that cannot be encoded.
    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        check(self)
    }

    /// Returns the message as one frame.
    ///
    /// # Errors
    ///
    /// As for `check`.
    #[inline]
    fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        self.check()?;
        let mut frame = Vec::with_capacity(self.size());
        self.put(&mut frame)?;
        Ok(frame)
    }

    /// Appends the frame to `buffer`, which is enlarged at most once.
    ///
    /// # Errors
    ///
    /// As for `check`; then `buffer` is unchanged.
    #[inline]
    fn encode_into(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.check()?;
        buffer.reserve(self.size());
        self.put(buffer)
    }

    /// Writes the frame to the start of `buffer`. Returns its size in bytes.
    ///
    /// # Errors
    ///
    /// As for `check`; `truncated` without a field if the buffer is too small.
    #[inline]
    fn encode_to_slice(&self, buffer: &mut [u8]) -> Result<usize, EncodeError> {
        self.check()?;
        let size = self.size();
        match buffer.get_mut(..size) {
            Some(octets) => self.put(&mut write::Octets(octets))?,
            None => return Err(too_small()),
        }
        Ok(size)
    }
}

/// Encodes a message into frames: into several if it has frames of its own, else into one.
pub trait EncodeFrames: Put {
    /// Returns the message as frames.
    ///
    /// # Errors
    ///
    /// The first field that cannot be encoded.
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

/// Writes a length or a count of `N` bytes, which was checked before.
#[inline]
pub(crate) fn put_length<const N: usize, S: Sink>(length: usize, sink: &mut S) {
    let octets = (length as u64).to_be_bytes();
    sink.put(&octets[8 - N..]);
}

/// Writes `value` in LEB128.
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

/// Encodes a signed number as an unsigned one (zigzag).
#[inline]
pub(crate) fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

/// Decodes a signed number from an unsigned one (zigzag).
#[inline]
pub(crate) fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// The greatest number of `N` bytes.
pub(crate) const fn greatest<const N: usize>() -> u64 {
    u64::MAX >> (64 - 8 * N)
}

/// Widens a number for a comparison.
#[inline]
pub(crate) fn number(value: impl Into<u64>) -> u64 {
    value.into()
}

/// Returns the value, or `too-long` if it is greater than `max`.
#[inline]
pub(crate) fn at_most<T: PartialOrd>(value: T, max: T) -> Result<T, Code> {
    if value > max {
        return Err(Code::TooLong);
    }
    Ok(value)
}
