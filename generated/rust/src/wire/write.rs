//! Checking and writing a message operation by operation.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::{at_most, Frames};
use crate::error::{Code, EncodeError};
use crate::list::{Item, List, Raw};

/// The destination of an encoder. It has space for the whole message.
pub trait Sink {
    /// Whether the sink checks values instead of writing them.
    #[doc(hidden)]
    const CHECKS: bool = false;

    /// Appends `octets`.
    fn put(&mut self, octets: &[u8]);

    /// Begins a frame.
    #[doc(hidden)]
    fn begin(&mut self) {}
}

impl Sink for Vec<u8> {
    #[inline]
    fn put(&mut self, octets: &[u8]) {
        self.extend_from_slice(octets);
    }
}

/// Appends to the last frame.
impl Sink for Vec<Vec<u8>> {
    fn put(&mut self, octets: &[u8]) {
        if let Some(frame) = self.last_mut() {
            frame.put(octets);
        }
    }

    fn begin(&mut self) {
        self.push(Vec::new());
    }
}

/// Overwrites a slice of exactly the size of the frame.
pub(super) struct Octets<'a>(pub(super) &'a mut [u8]);

impl Sink for Octets<'_> {
    #[inline]
    fn put(&mut self, octets: &[u8]) {
        let (head, tail) = core::mem::take(&mut self.0).split_at_mut(octets.len());
        copy(octets, head);
        self.0 = tail;
    }
}

/// Copies a slice to one of the same size; 8 to 16 bytes, as short text has, without a call.
#[inline]
fn copy(from: &[u8], to: &mut [u8]) {
    match (from.first_chunk::<8>(), from.last_chunk::<8>()) {
        (Some(first), Some(last)) if from.len() <= 16 => {
            to[..8].copy_from_slice(first);
            to[from.len() - 8..].copy_from_slice(last);
        }
        _ => to.copy_from_slice(from),
    }
}

/// Counts bytes.
pub(super) struct Count(pub(super) usize);

impl Sink for Count {
    #[inline]
    fn put(&mut self, octets: &[u8]) {
        self.0 += octets.len();
    }
}

/// Checks values.
pub(super) struct Check;

impl Sink for Check {
    const CHECKS: bool = true;

    #[inline]
    fn put(&mut self, _octets: &[u8]) {}
}

/// Checks or writes one message.
pub struct Writer<'s, S> {
    sink: &'s mut S,
    message: &'static str,
}

impl<'s, S: Sink> Writer<'s, S> {
    /// Writes a message that begins with `head`.
    #[inline]
    pub(crate) fn new(sink: &'s mut S, message: &'static str, head: &[u8]) -> Self {
        sink.begin();
        sink.put(head);
        Writer { sink, message }
    }

    /// Checks or writes a value.
    #[inline]
    fn value(
        &mut self,
        field: &'static str,
        check: impl FnOnce() -> Result<(), Code>,
        write: impl FnOnce(&mut S),
    ) -> Result<(), EncodeError> {
        if S::CHECKS {
            return check().map_err(|code| EncodeError::new(code, self.message, field));
        }
        write(self.sink);
        Ok(())
    }

    // --- the operations of an encoder

    /// A value in the form `F`.
    #[inline]
    pub(crate) fn field<F: Item>(
        &mut self,
        field: &'static str,
        value: F::Value<'_>,
        rules: F::Rules,
    ) -> Result<(), EncodeError> {
        self.value(
            field,
            || F::check(value, rules),
            |sink| F::write(value, sink),
        )
    }

    /// Constant bytes.
    #[inline]
    pub(crate) fn put(&mut self, octets: &[u8]) -> Result<(), EncodeError> {
        self.sink.put(octets);
        Ok(())
    }

    /// Text and a zero byte.
    #[inline]
    pub(crate) fn topic(&mut self, field: &'static str, topic: &str) -> Result<(), EncodeError> {
        let check = || {
            if topic.contains('\0') {
                Err(Code::BadText)
            } else {
                Ok(())
            }
        };
        self.value(field, check, |sink| {
            sink.put(topic.as_bytes());
            sink.put(b"\0");
        })
    }

    /// Compares the length of `field` with the length of another field that has the same count.
    #[inline]
    pub(crate) fn agree(
        &mut self,
        field: &'static str,
        length: usize,
        wanted: usize,
    ) -> Result<(), EncodeError> {
        let check = || match length.cmp(&wanted) {
            Ordering::Less => Err(Code::Truncated),
            Ordering::Equal => Ok(()),
            Ordering::Greater => Err(Code::TooLong),
        };
        self.value(field, check, |_| ())
    }

    /// Checks a relation between the number `field` and another one.
    #[inline]
    pub(crate) fn related(&mut self, field: &'static str, holds: bool) -> Result<(), EncodeError> {
        let check = || {
            if holds {
                Ok(())
            } else {
                Err(Code::BadRelation)
            }
        };
        self.value(field, check, |_| ())
    }

    /// The length or the count of `field`, in the form `F`.
    #[inline]
    pub(crate) fn length<F>(
        &mut self,
        field: &'static str,
        length: usize,
        max: u64,
    ) -> Result<(), EncodeError>
    where
        F: Item,
        for<'a> F::Value<'a>: Raw,
    {
        let length = length as u64;
        self.value(
            field,
            || at_most(length, max).map(drop),
            |sink| F::write(Raw::from_raw(length), sink),
        )
    }

    /// Bytes whose length is in another field, or that continue until the end of the frame.
    #[inline]
    pub(crate) fn octets(
        &mut self,
        field: &'static str,
        octets: &[u8],
        max: u64,
    ) -> Result<(), EncodeError> {
        self.value(
            field,
            || at_most(octets.len() as u64, max).map(drop),
            |sink| sink.put(octets),
        )
    }

    /// Items whose count is in another field, or that continue until the end of the frame.
    #[inline]
    pub(crate) fn items<C: Item>(
        &mut self,
        field: &'static str,
        items: List<'_, C>,
        rules: (u64, C::Rules),
    ) -> Result<(), EncodeError> {
        self.value(field, || items.check(rules), |sink| items.write(sink))
    }

    /// A separate frame.
    pub(crate) fn frame(
        &mut self,
        field: &'static str,
        frame: &[u8],
        max: u64,
    ) -> Result<(), EncodeError> {
        self.sink.begin();
        self.octets(field, frame, max)
    }

    /// Frames, at least one.
    pub(crate) fn frames(
        &mut self,
        field: &'static str,
        frames: Frames<'_>,
        max: u64,
    ) -> Result<(), EncodeError> {
        if frames.is_empty() {
            self.value(field, || Err(Code::Truncated), |_| ())?;
        }
        frames
            .iter()
            .try_for_each(|frame| self.frame(field, frame, max))
    }
}
