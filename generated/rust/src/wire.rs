//! Reading and writing octets: what every message is decoded with and encoded into.

mod read;

use alloc::vec::Vec;

use crate::error::{Code, EncodeError};

#[allow(unused_imports)] // which of it is used depends on the models
pub(crate) use read::{unknown_beginning, unknown_name, unknown_number, Reader};

/// A message, or any of a protocol's messages, that can be put into a frame.
pub trait Encode {
    /// Octets of the encoded message.
    fn size(&self) -> usize;

    /// Whether the format can carry the message.
    ///
    /// # Errors
    ///
    /// What is wrong with the first field that it cannot carry.
    fn check(&self) -> Result<(), EncodeError>;

    #[doc(hidden)]
    fn write<S: Sink>(&self, sink: &mut S);

    /// The message as one frame.
    ///
    /// # Errors
    ///
    /// As `check` says.
    #[inline]
    fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        self.check()?;
        let mut frame = Vec::with_capacity(self.size());
        self.write(&mut frame);
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
        self.write(buffer);
        Ok(())
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
        match buffer.get_mut(..size) {
            Some(octets) => self.write(&mut Octets { rest: octets }),
            None => return Err(too_small()),
        }
        Ok(size)
    }
}

#[cold]
fn too_small() -> EncodeError {
    EncodeError {
        code: Code::Truncated,
        message: None,
        field: None,
    }
}

/// What an encoder writes to. It has room for all that is put.
pub trait Sink {
    /// Append `octets`.
    fn put(&mut self, octets: &[u8]);
}

impl Sink for Vec<u8> {
    #[inline]
    fn put(&mut self, octets: &[u8]) {
        self.extend_from_slice(octets);
    }
}

/// Octets that are there already, of exactly the size that is needed.
struct Octets<'a> {
    rest: &'a mut [u8],
}

impl Sink for Octets<'_> {
    #[inline]
    fn put(&mut self, octets: &[u8]) {
        let (head, tail) = core::mem::take(&mut self.rest).split_at_mut(octets.len());
        head.copy_from_slice(octets);
        self.rest = tail;
    }
}

/// A length or a count in the `N` octets before what it counts; the encoder has checked that it fits.
#[inline]
pub(crate) fn put_length<const N: usize, S: Sink>(length: usize, sink: &mut S) {
    let octets = (length as u64).to_be_bytes();
    sink.put(&octets[8 - N..]);
}

/// Octets of `value` in LEB128.
#[inline]
pub(crate) fn varint_size(value: u64) -> usize {
    (70 - (value | 1).leading_zeros() as usize) / 7
}

/// Put `value` in LEB128.
#[inline]
pub(crate) fn put_varint<S: Sink>(mut value: u64, sink: &mut S) {
    while value > 0x7f {
        sink.put(&[value as u8 | 0x80]);
        value >>= 7;
    }
    sink.put(&[value as u8]);
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

/// A value that counts or measures what has `seen` items or octets, where a sibling says `wanted`.
#[cold]
pub(crate) fn miscounted(
    seen: usize,
    wanted: usize,
    message: &'static str,
    field: &'static str,
) -> EncodeError {
    let code = if seen > wanted {
        Code::TooLong
    } else {
        Code::Truncated
    };
    EncodeError::new(code, message, field)
}
