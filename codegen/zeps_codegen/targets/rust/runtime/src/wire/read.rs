//! Reading a frame field by field, and what is wrong with one.

use crate::error::{Code, DecodeError};
use crate::list::{Item, List};
use crate::text::Text;

/// A position in a frame whose message is known.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    size: usize,
    message: &'static str,
}

/// A list that is being read: where its items begin, and how many there are.
pub(crate) struct Items<'a> {
    start: &'a [u8],
    pub(crate) count: usize,
}

impl<'a> Reader<'a> {
    /// Read `rest`, which follows `before` octets of the frame.
    #[inline]
    pub(crate) fn new(rest: &'a [u8], before: usize, message: &'static str) -> Self {
        Reader {
            rest,
            size: before + rest.len(),
            message,
        }
    }

    /// Octets from the frame's start.
    #[inline]
    pub(crate) fn offset(&self) -> usize {
        self.size - self.rest.len()
    }

    /// The error of a field that begins at `offset`.
    #[cold]
    pub(crate) fn error(&self, code: Code, field: &'static str, offset: usize) -> DecodeError {
        DecodeError {
            code,
            message: Some(self.message),
            field: Some(field),
            offset,
        }
    }

    /// The error of a field that begins where `octets` do, which go up to the frame's end.
    #[cold]
    fn fault(&self, code: Code, field: &'static str, octets: &[u8]) -> DecodeError {
        self.error(code, field, self.size - octets.len())
    }

    /// Nothing may follow.
    #[inline]
    pub(crate) fn end(&self) -> Result<(), DecodeError> {
        if self.rest.is_empty() {
            return Ok(());
        }
        Err(self.trailing())
    }

    #[cold]
    fn trailing(&self) -> DecodeError {
        DecodeError {
            code: Code::Trailing,
            message: Some(self.message),
            field: None,
            offset: self.offset(),
        }
    }

    /// Octets that never vary.
    #[inline]
    pub(crate) fn constant(
        &mut self,
        octets: &[u8],
        field: &'static str,
    ) -> Result<(), DecodeError> {
        match self.rest.strip_prefix(octets) {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None => {
                let short = octets.starts_with(self.rest);
                let code = if short {
                    Code::Truncated
                } else {
                    Code::BadConstant
                };
                Err(self.error(code, field, self.offset()))
            }
        }
    }

    /// `N` octets.
    #[inline]
    pub(crate) fn fixed<const N: usize>(
        &mut self,
        field: &'static str,
    ) -> Result<&'a [u8; N], DecodeError> {
        match self.rest.split_first_chunk::<N>() {
            Some((octets, rest)) => {
                self.rest = rest;
                Ok(octets)
            }
            None => Err(self.fault(Code::Truncated, field, self.rest)),
        }
    }

    /// The octets of a number.
    #[inline]
    pub(crate) fn array<const N: usize>(
        &mut self,
        field: &'static str,
    ) -> Result<[u8; N], DecodeError> {
        self.fixed(field).copied()
    }

    /// A number in LEB128.
    #[inline]
    pub(crate) fn varint(&mut self, field: &'static str) -> Result<u64, DecodeError> {
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
        let code = if self.rest.len() < 10 {
            Code::Truncated
        } else {
            Code::TooLong
        };
        Err(self.fault(code, field, self.rest))
    }

    /// `length` octets of a field that begins where `start` does; `max` is the most it may have.
    #[inline]
    fn content(
        &mut self,
        length: u64,
        start: &'a [u8],
        field: &'static str,
        max: u64,
    ) -> Result<&'a [u8], DecodeError> {
        if length > max {
            return Err(self.fault(Code::TooLong, field, start));
        }
        if length > self.rest.len() as u64 {
            return Err(self.fault(Code::Truncated, field, start));
        }
        let (octets, rest) = self.rest.split_at(length as usize);
        self.rest = rest;
        Ok(octets)
    }

    /// A length or a count of `N` octets.
    #[inline]
    fn length<const N: usize>(&mut self, field: &'static str) -> Result<u64, DecodeError> {
        let mut octets = [0; 8];
        octets[8 - N..].copy_from_slice(self.fixed::<N>(field)?);
        Ok(u64::from_be_bytes(octets))
    }

    /// `N` octets of length, then octets.
    #[inline]
    pub(crate) fn octets<const N: usize>(
        &mut self,
        field: &'static str,
        max: u64,
    ) -> Result<&'a [u8], DecodeError> {
        let start = self.rest;
        let length = self.length::<N>(field)?;
        self.content(length, start, field, max)
    }

    /// `N` octets of length, then text.
    #[inline]
    pub(crate) fn text<const N: usize>(
        &mut self,
        field: &'static str,
        max: u64,
        class: Text,
    ) -> Result<&'a str, DecodeError> {
        let start = self.rest;
        let octets = self.octets::<N>(field, max)?;
        self.checked(octets, start, field, class)
    }

    #[inline]
    fn checked(
        &self,
        octets: &'a [u8],
        start: &[u8],
        field: &'static str,
        class: Text,
    ) -> Result<&'a str, DecodeError> {
        match core::str::from_utf8(octets) {
            Ok(text) if class.admits(text) => Ok(text),
            _ => Err(self.fault(Code::BadText, field, start)),
        }
    }

    /// Text up to a zero octet.
    #[inline]
    pub(crate) fn topic(&mut self, field: &'static str) -> Result<&'a str, DecodeError> {
        let start = self.rest;
        match start.iter().position(|octet| *octet == 0) {
            Some(end) => {
                self.rest = &start[end + 1..];
                self.checked(&start[..end], start, field, Text::Utf8)
            }
            None => Err(self.fault(Code::Truncated, field, start)),
        }
    }

    /// As many octets as a sibling said.
    #[inline]
    pub(crate) fn measured(
        &mut self,
        length: u64,
        field: &'static str,
        max: u64,
    ) -> Result<&'a [u8], DecodeError> {
        self.content(length, self.rest, field, max)
    }

    /// All that is left.
    #[inline]
    pub(crate) fn rest(&mut self, field: &'static str, max: u64) -> Result<&'a [u8], DecodeError> {
        self.content(self.rest.len() as u64, self.rest, field, max)
    }

    /// A list after `N` octets of count; each item has at least `least` octets.
    #[inline]
    pub(crate) fn list<const N: usize>(
        &mut self,
        field: &'static str,
        max: u64,
        least: usize,
    ) -> Result<Items<'a>, DecodeError> {
        let start = self.rest;
        let count = self.length::<N>(field)?;
        self.items(count, start, field, max, least)
    }

    /// A list whose items a sibling counted.
    #[inline]
    pub(crate) fn counted(
        &mut self,
        count: u64,
        field: &'static str,
        max: u64,
        least: usize,
    ) -> Result<Items<'a>, DecodeError> {
        self.items(count, self.rest, field, max, least)
    }

    #[inline]
    fn items(
        &mut self,
        count: u64,
        start: &'a [u8],
        field: &'static str,
        max: u64,
        least: usize,
    ) -> Result<Items<'a>, DecodeError> {
        if count > max {
            return Err(self.fault(Code::TooLong, field, start));
        }
        if count > (self.rest.len() / least) as u64 {
            return Err(self.fault(Code::Truncated, field, start));
        }
        Ok(Items {
            start: self.rest,
            count: count as usize,
        })
    }

    /// A list whose items, [`more`](Reader::more) by `more`, go on to the frame's end.
    #[inline]
    pub(crate) fn open(&self) -> Items<'a> {
        Items {
            start: self.rest,
            count: 0,
        }
    }

    /// Whether another one of `items` follows, which then counts.
    #[inline]
    pub(crate) fn more(
        &self,
        items: &mut Items<'a>,
        field: &'static str,
        max: u64,
    ) -> Result<bool, DecodeError> {
        if self.rest.is_empty() {
            return Ok(false);
        }
        if items.count as u64 == max {
            return Err(self.fault(Code::TooLong, field, items.start));
        }
        items.count += 1;
        Ok(true)
    }

    /// Items of `each` octets, whatever they hold, to the frame's end.
    #[inline]
    pub(crate) fn all(
        &mut self,
        field: &'static str,
        max: u64,
        each: usize,
    ) -> Result<Items<'a>, DecodeError> {
        let start = self.rest;
        if start.len().div_ceil(each) as u64 > max {
            return Err(self.fault(Code::TooLong, field, start));
        }
        let count = start.len() / each;
        let (whole, cut) = start.split_at(count * each);
        if !cut.is_empty() {
            return Err(self.fault(Code::Truncated, field, cut));
        }
        self.rest = &start[whole.len()..];
        Ok(Items { start, count })
    }

    /// Step over `items`, which have `each` octets each, whatever they hold.
    #[inline]
    pub(crate) fn skip(&mut self, items: &Items<'a>, each: usize) {
        self.rest = self.rest.get(items.count * each..).unwrap_or_default();
    }

    /// The list whose items have been read.
    #[inline]
    pub(crate) fn listed<C: Item>(&self, items: &Items<'a>) -> List<'a, C> {
        let octets = items.start.len() - self.rest.len();
        List::new(&items.start[..octets], items.count)
    }
}

#[cold]
fn nameless(code: Code, offset: usize) -> DecodeError {
    DecodeError {
        code,
        message: None,
        field: None,
        offset,
    }
}

/// The error of a frame that does not begin with `signature` and one octet that numbers a message.
#[cold]
pub(crate) fn unknown_number(frame: &[u8], signature: &[u8]) -> DecodeError {
    let code = if !frame.starts_with(signature) {
        if signature.starts_with(frame) {
            Code::Truncated
        } else {
            Code::BadSignature
        }
    } else if frame.len() == signature.len() {
        return nameless(Code::Truncated, signature.len());
    } else {
        return nameless(Code::UnknownMessage, signature.len());
    };
    nameless(code, 0)
}

/// The error of a frame that does not begin with one octet of length and a message's name.
#[cold]
pub(crate) fn unknown_name(frame: &[u8]) -> DecodeError {
    let whole = frame
        .split_first()
        .is_some_and(|(length, rest)| rest.len() >= usize::from(*length));
    let code = if whole {
        Code::UnknownMessage
    } else {
        Code::Truncated
    };
    nameless(code, 0)
}

/// The error of a frame that begins with none of `beginnings`.
#[cold]
pub(crate) fn unknown_beginning(frame: &[u8], beginnings: &[&[u8]]) -> DecodeError {
    let short = beginnings.iter().any(|one| one.starts_with(frame));
    let code = if short {
        Code::Truncated
    } else {
        Code::UnknownMessage
    };
    nameless(code, 0)
}
