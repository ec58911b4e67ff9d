//! Reads a frame operation by operation.

use super::{at_most, Frames};
use crate::error::{Code, DecodeError};
use crate::list::{Item, List};
use crate::text::Text;

/// A position in the frame of a known message, and the frames that follow.
pub struct Reader<'a> {
    rest: &'a [u8],
    /// The offset of the last number that has relations.
    start: usize,
    size: usize,
    message: &'static str,
    more: Frames<'a>,
}

/// An invalid value and its offset in the frame.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    code: Code,
    offset: usize,
}

impl<'a> Reader<'a> {
    /// Reads `frame` from byte `seen` on.
    #[inline]
    pub(crate) fn new(frame: &'a [u8], seen: usize, message: &'static str) -> Self {
        Reader {
            rest: frame.get(seen..).unwrap_or_default(),
            start: 0,
            size: frame.len(),
            message,
            more: Frames::default(),
        }
    }

    /// Reads `frame` from byte `seen` on, and the frames after it.
    #[inline]
    pub(crate) fn of_frames(
        frame: &'a [u8],
        more: Frames<'a>,
        seen: usize,
        message: &'static str,
    ) -> Self {
        Reader {
            more,
            ..Reader::new(frame, seen, message)
        }
    }

    /// The offset of the next byte in the frame.
    #[inline]
    fn offset(&self) -> usize {
        self.size - self.rest.len()
    }

    #[inline]
    fn error(&self, fault: Fault, field: Option<&'static str>) -> DecodeError {
        error(fault.code, Some(self.message), field, fault.offset)
    }

    // --- the operations of a decoder

    /// A value in the form `F`.
    #[inline]
    pub(crate) fn field<F: Item>(
        &mut self,
        field: &'static str,
        rules: F::Rules,
    ) -> Result<F::Value<'a>, DecodeError> {
        F::read(self, rules).map_err(|fault| self.error(fault, Some(field)))
    }

    /// A value in the form `F`; at the end of the frame the value that `default` encodes.
    #[inline]
    pub(crate) fn field_or<F: Item>(
        &mut self,
        field: &'static str,
        rules: F::Rules,
        default: &'a [u8],
    ) -> Result<F::Value<'a>, DecodeError> {
        if !self.rest.is_empty() {
            return self.field::<F>(field, rules);
        }
        let value = F::read(&mut Reader::of_items(default), rules);
        value.map_err(|fault| self.error(fault, Some(field)))
    }

    /// Remembers the offset of a number that has relations.
    #[inline]
    pub(crate) fn mark(&mut self) -> Result<(), DecodeError> {
        self.start = self.offset();
        Ok(())
    }

    /// Checks a relation between the number that was read last and another one.
    #[inline]
    pub(crate) fn related(&self, field: &'static str, holds: bool) -> Result<(), DecodeError> {
        if holds {
            return Ok(());
        }
        let (code, offset) = (Code::BadRelation, self.start);
        Err(self.error(Fault { code, offset }, Some(field)))
    }

    /// Constant bytes.
    #[inline]
    pub(crate) fn constant(&mut self, field: &'static str, octets: &[u8]) -> Result<(), DecodeError> {
        match self.rest.strip_prefix(octets) {
            Some(rest) => self.rest = rest,
            None => {
                let is_cut = octets.starts_with(self.rest);
                let code = if is_cut { Code::Truncated } else { Code::BadConstant };
                return Err(self.error(self.fault(code), Some(field)));
            }
        }
        Ok(())
    }

    /// `N` reserved bytes.
    #[inline]
    pub(crate) fn reserved<const N: usize>(&mut self, field: &'static str) -> Result<(), DecodeError> {
        self.array::<N>().map_err(|fault| self.error(fault, Some(field)))?;
        Ok(())
    }

    /// Text and the zero byte that ends it.
    #[inline]
    pub(crate) fn topic(&mut self, field: &'static str) -> Result<&'a str, DecodeError> {
        let topic = self.checked(Self::until_zero, |octets| Text::Utf8.of(octets));
        topic.map_err(|fault| self.error(fault, Some(field)))
    }

    /// `length` bytes; the length comes from another field, or is the rest of the frame.
    #[inline]
    pub(crate) fn octets(
        &mut self,
        field: &'static str,
        length: impl Into<u64>,
        max: u64,
    ) -> Result<&'a [u8], DecodeError> {
        let octets = self.cut(length.into(), max, self.offset());
        octets.map_err(|fault| self.error(fault, Some(field)))
    }

    /// The number of remaining bytes in the frame.
    #[inline]
    pub(crate) fn len(&self) -> u64 {
        self.rest.len() as u64
    }

    /// `count` items; the count was read from another field.
    #[inline]
    pub(crate) fn items<C: Item>(
        &mut self,
        field: &'static str,
        count: impl Into<u64>,
        rules: (u64, C::Rules),
    ) -> Result<List<'a, C>, DecodeError> {
        let items = self.many(count.into(), rules, self.offset());
        items.map_err(|fault| self.error(fault, Some(field)))
    }

    /// Items until the end of the frame.
    #[inline]
    pub(crate) fn open<C: Item>(
        &mut self,
        field: &'static str,
        rules: (u64, C::Rules),
    ) -> Result<List<'a, C>, DecodeError> {
        self.all(rules).map_err(|fault| self.error(fault, Some(field)))
    }

    /// Checks that the frame ends here.
    #[inline]
    pub(crate) fn end(&mut self) -> Result<(), DecodeError> {
        if self.rest.is_empty() {
            return Ok(());
        }
        Err(self.error(self.fault(Code::Trailing), None))
    }

    /// Skips bytes that a later version of the message may have.
    #[inline]
    pub(crate) fn skip_rest(&mut self) -> Result<(), DecodeError> {
        self.rest = &[];
        Ok(())
    }

    /// A separate frame.
    #[inline]
    pub(crate) fn frame(&mut self, field: &'static str, max: u64) -> Result<&'a [u8], DecodeError> {
        let first = self.more.split_first().ok_or(Code::Truncated);
        let (frame, more) = first
            .and_then(|found| at_most(found.0.len() as u64, max).map(|_| found))
            .map_err(|code| error(code, Some(self.message), Some(field), self.size))?;
        self.more = more;
        Ok(frame)
    }

    /// All remaining frames, at least one.
    #[inline]
    pub(crate) fn frames(&mut self, field: &'static str, max: u64) -> Result<Frames<'a>, DecodeError> {
        let frames = self.more;
        self.frame(field, max)?;
        while !self.more.is_empty() {
            self.frame(field, max)?;
        }
        Ok(frames)
    }

    /// Checks that no frame follows.
    #[inline]
    pub(crate) fn last(&self) -> Result<(), DecodeError> {
        if self.more.is_empty() {
            return Ok(());
        }
        Err(error(Code::Trailing, Some(self.message), None, self.size))
    }

    // --- for the forms of values

    /// Reads items of a list that was checked before.
    #[inline]
    pub(crate) fn of_items(octets: &'a [u8]) -> Self {
        Reader::new(octets, 0, "")
    }

    /// The remaining bytes.
    #[inline]
    pub(crate) fn left(&self) -> &'a [u8] {
        self.rest
    }

    /// A fault at the current offset.
    #[inline]
    fn fault(&self, code: Code) -> Fault {
        Fault {
            code,
            offset: self.offset(),
        }
    }

    /// Reads a value and applies `check`, whose error is a fault at the value's offset.
    #[inline]
    pub(crate) fn checked<T, U>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Fault>,
        check: impl FnOnce(T) -> Result<U, Code>,
    ) -> Result<U, Fault> {
        let offset = self.offset();
        check(read(self)?).map_err(|code| Fault { code, offset })
    }

    /// `N` bytes.
    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Result<&'a [u8; N], Fault> {
        match self.rest.split_first_chunk::<N>() {
            Some((octets, rest)) => {
                self.rest = rest;
                Ok(octets)
            }
            None => Err(self.fault(Code::Truncated)),
        }
    }

    /// A number in LEB128.
    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, Fault> {
        let mut value = 0;
        for (index, octet) in self.rest.iter().take(10).enumerate() {
            if index == 9 && *octet > 1 {
                break;
            }
            value |= u64::from(octet & 0x7f) << (7 * index);
            if *octet < 0x80 {
                self.rest = &self.rest[index + 1..];
                return Ok(value);
            }
        }
        let is_cut = self.rest.len() < 10;
        Err(self.fault(if is_cut { Code::Truncated } else { Code::TooLong }))
    }

    /// A length of `N` bytes, then bytes, at most `max`.
    #[inline]
    pub(crate) fn sized<const N: usize>(&mut self, max: u64) -> Result<&'a [u8], Fault> {
        let start = self.offset();
        let length = self.length::<N>()?;
        self.cut(length, max, start)
    }

    /// A count of `N` bytes, then items.
    #[inline]
    pub(crate) fn list<C: Item, const N: usize>(
        &mut self,
        rules: (u64, C::Rules),
    ) -> Result<List<'a, C>, Fault> {
        let start = self.offset();
        let count = self.length::<N>()?;
        self.many(count, rules, start)
    }

    /// A length or a count of `N` bytes.
    #[inline]
    fn length<const N: usize>(&mut self) -> Result<u64, Fault> {
        let mut octets = [0; 8];
        octets[8 - N..].copy_from_slice(self.array::<N>()?);
        Ok(u64::from_be_bytes(octets))
    }

    /// `length` bytes of a value that begins at `offset`.
    #[inline]
    fn cut(&mut self, length: u64, max: u64, offset: usize) -> Result<&'a [u8], Fault> {
        let fault = |code| Fault { code, offset };
        at_most(length, max).map_err(fault)?;
        if length > self.rest.len() as u64 {
            return Err(fault(Code::Truncated));
        }
        let (octets, rest) = self.rest.split_at(length as usize);
        self.rest = rest;
        Ok(octets)
    }

    fn until_zero(&mut self) -> Result<&'a [u8], Fault> {
        let zero = self.rest.iter().position(|octet| *octet == 0);
        let length = zero.ok_or(self.fault(Code::Truncated))?;
        let topic = &self.rest[..length];
        self.rest = &self.rest[length + 1..];
        Ok(topic)
    }

    /// `count` items of a list that begins at `offset`.
    #[inline]
    fn many<C: Item>(
        &mut self,
        count: u64,
        (max, rules): (u64, C::Rules),
        offset: usize,
    ) -> Result<List<'a, C>, Fault> {
        let fault = |code| Fault { code, offset };
        at_most(count, max).map_err(fault)?;
        if count > (self.rest.len() / C::LEAST.max(1)) as u64 {
            return Err(fault(Code::Truncated));
        }
        let (start, count) = (self.rest, count as usize);
        match C::WIDTH {
            Some(width) if C::admits_all(rules) => self.rest = &start[count * width..],
            _ => {
                for _ in 0..count {
                    C::read(self, rules)?;
                }
            }
        }
        Ok(List::new(&start[..start.len() - self.rest.len()], count))
    }

    /// Items until the end of the frame.
    #[inline]
    fn all<C: Item>(&mut self, (max, rules): (u64, C::Rules)) -> Result<List<'a, C>, Fault> {
        let (start, too_long) = (self.rest, self.fault(Code::TooLong));
        if let Some(width @ 1..) = C::WIDTH {
            let count = (start.len() / width) as u64;
            if start.len() % width == 0 && count <= max {
                return self.many(count, (max, rules), too_long.offset);
            }
        }
        let mut count = 0;
        while !self.rest.is_empty() {
            if count as u64 == max {
                return Err(too_long);
            }
            C::read(self, rules)?;
            count += 1;
        }
        Ok(List::new(start, count))
    }
}

#[cold]
fn error(
    code: Code,
    message: Option<&'static str>,
    field: Option<&'static str>,
    offset: usize,
) -> DecodeError {
    DecodeError {
        code,
        message,
        field,
        offset,
    }
}

/// The error of a frame that does not begin with `signature` and a message's number of one byte.
#[cold]
pub(crate) fn unknown_number(frame: &[u8], signature: &[u8]) -> DecodeError {
    let (code, offset) = match frame.strip_prefix(signature) {
        Some([]) => (Code::Truncated, signature.len()),
        Some(_) => (Code::UnknownMessage, signature.len()),
        None if signature.starts_with(frame) => (Code::Truncated, 0),
        None => (Code::BadSignature, 0),
    };
    error(code, None, None, offset)
}

/// The error of a frame that does not begin with a length of one byte and a message's name.
#[cold]
pub(crate) fn unknown_name(frame: &[u8]) -> DecodeError {
    let whole = frame
        .split_first()
        .is_some_and(|(length, rest)| rest.len() >= usize::from(*length));
    let code = if whole { Code::UnknownMessage } else { Code::Truncated };
    error(code, None, None, 0)
}

/// The error of a frame that does not begin with any of `beginnings`.
#[cold]
pub(crate) fn unknown_beginning(frame: &[u8], beginnings: &[&[u8]]) -> DecodeError {
    let is_cut = beginnings.iter().any(|one| one.starts_with(frame));
    let code = if is_cut { Code::Truncated } else { Code::UnknownMessage };
    error(code, None, None, 0)
}
