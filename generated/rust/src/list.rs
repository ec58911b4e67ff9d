//! Lists of items.
//!
//! A [`List`] borrows the encoded items from a frame and decodes an item on access. A [`ListBuf`] encodes items for a
//! message.

mod forms;

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use crate::error::Code;
use crate::wire::{at_most, Fault, Reader, Sink};

pub use forms::{
    Fixed, Member, Nested, Numbered, Octets, Pair, Raw, Text, Varint, Word, Worded, Zigzag, I16,
    I32, I64, I8, U16, U32, U64, U8,
};

/// The form of a value: its encoding and its type in Rust.
pub trait Item {
    /// The type of the value, which borrows from the frame.
    type Value<'a>: Copy + PartialEq + fmt::Debug;

    /// The limits and checks of a message's field.
    #[doc(hidden)]
    type Rules: Copy;

    /// The rules that admit every value of the form.
    #[doc(hidden)]
    const ANY: Self::Rules;

    /// The least size of a value in bytes.
    #[doc(hidden)]
    const LEAST: usize;

    /// The size of a value in bytes, if all values have the same.
    #[doc(hidden)]
    const WIDTH: Option<usize> = None;

    /// Whether each value has only one encoding.
    #[doc(hidden)]
    const CANONICAL: bool = true;

    #[doc(hidden)]
    fn read<'a>(reader: &mut Reader<'a>, rules: Self::Rules) -> Result<Self::Value<'a>, Fault>;

    /// Checks a value against the rules.
    #[doc(hidden)]
    fn check(value: Self::Value<'_>, rules: Self::Rules) -> Result<(), Code>;

    /// Whether the rules admit every value of the form.
    #[doc(hidden)]
    fn admits_all(_rules: Self::Rules) -> bool {
        false
    }

    #[doc(hidden)]
    fn write<S: Sink>(value: Self::Value<'_>, sink: &mut S);
}

/// A form whose values all have the same size.
pub trait FixedWidth: Item {}

/// A list that borrows its encoded items. They were checked when the frame was decoded.
pub struct List<'a, C> {
    octets: &'a [u8],
    count: usize,
    form: PhantomData<C>,
}

impl<'a, C: Item> List<'a, C> {
    /// Makes a list of `octets`, which encode `count` items.
    #[inline]
    pub(crate) fn new(octets: &'a [u8], count: usize) -> Self {
        List {
            octets,
            count,
            form: PhantomData,
        }
    }

    /// A list without items.
    #[must_use]
    pub fn empty() -> Self {
        List::new(&[], 0)
    }

    /// The number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether the list has no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Iterates over the items and decodes each.
    #[must_use]
    pub fn iter(&self) -> Iter<'a, C> {
        Iter { list: *self }
    }

    /// The item at `index`: in constant time if the form is [`FixedWidth`], else in time linear in `index`.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<C::Value<'a>> {
        self.iter().nth(index)
    }

    /// Copies the list.
    #[must_use]
    pub fn to_buf(&self) -> ListBuf<C> {
        ListBuf {
            octets: self.octets.to_vec(),
            count: self.count,
            form: PhantomData,
        }
    }

    /// Checks the number of items and each item.
    #[inline]
    pub(crate) fn check(&self, (max, rules): (u64, C::Rules)) -> Result<(), Code> {
        at_most(self.count as u64, max)?;
        if C::admits_all(rules) {
            return Ok(());
        }
        self.iter().try_for_each(|value| C::check(value, rules))
    }

    #[inline]
    pub(crate) fn write<S: Sink>(&self, sink: &mut S) {
        if C::CANONICAL {
            sink.put(self.octets);
        } else {
            self.iter().for_each(|value| C::write(value, sink));
        }
    }
}

impl<C> Clone for List<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for List<'_, C> {}

impl<C: Item> Default for List<'_, C> {
    fn default() -> Self {
        List::empty()
    }
}

impl<C: Item> fmt::Debug for List<'_, C> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

impl<C: Item> PartialEq for List<'_, C> {
    fn eq(&self, other: &Self) -> bool {
        self.count == other.count && self.iter().eq(other.iter())
    }
}

impl<C: Item> Eq for List<'_, C> {}

impl<'a, C: Item> IntoIterator for List<'a, C> {
    type Item = C::Value<'a>;
    type IntoIter = Iter<'a, C>;

    fn into_iter(self) -> Iter<'a, C> {
        self.iter()
    }
}

/// Iterates over the items of a [`List`].
pub struct Iter<'a, C> {
    list: List<'a, C>,
}

impl<'a, C: Item> Iterator for Iter<'a, C> {
    type Item = C::Value<'a>;

    #[inline]
    fn next(&mut self) -> Option<C::Value<'a>> {
        self.list.count = self.list.count.checked_sub(1)?;
        let mut reader = Reader::of_items(self.list.octets);
        let value = C::read(&mut reader, C::ANY).ok();
        self.list.octets = reader.left();
        value
    }

    #[inline]
    fn nth(&mut self, index: usize) -> Option<C::Value<'a>> {
        let skipped = index.min(self.list.count);
        match C::WIDTH {
            Some(width) => {
                self.list.octets = &self.list.octets[skipped * width..];
                self.list.count -= skipped;
            }
            None => self.by_ref().take(skipped).for_each(drop),
        }
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.list.count, Some(self.list.count))
    }
}

impl<C: FixedWidth> DoubleEndedIterator for Iter<'_, C> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let last = self.list.count.checked_sub(1)?;
        let value = self.list.get(last);
        self.list.octets = &self.list.octets[..last * C::WIDTH.unwrap_or_default()];
        self.list.count = last;
        value
    }
}

impl<C: Item> ExactSizeIterator for Iter<'_, C> {}

impl<C: Item> core::iter::FusedIterator for Iter<'_, C> {}

impl<C> Clone for Iter<'_, C> {
    fn clone(&self) -> Self {
        Iter { list: self.list }
    }
}

impl<C: Item> fmt::Debug for Iter<'_, C> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.list.fmt(formatter)
    }
}

/// A list that owns its encoded items.
///
/// A message borrows it with [`as_list`](ListBuf::as_list).
pub struct ListBuf<C> {
    octets: Vec<u8>,
    count: usize,
    form: PhantomData<C>,
}

impl<C: Item> ListBuf<C> {
    /// A list without items.
    #[must_use]
    pub fn new() -> Self {
        ListBuf {
            octets: Vec::new(),
            count: 0,
            form: PhantomData,
        }
    }

    /// Appends an item.
    ///
    /// # Errors
    ///
    /// `too-long` if the form cannot hold the value; then the list is unchanged.
    pub fn push(&mut self, value: C::Value<'_>) -> Result<(), Code> {
        C::check(value, C::ANY)?;
        self.append(value);
        Ok(())
    }

    /// Appends an item that was checked before.
    fn append(&mut self, value: C::Value<'_>) {
        C::write(value, &mut self.octets);
        self.count += 1;
    }

    /// Makes a list of `values`.
    ///
    /// # Errors
    ///
    /// As for `push`.
    pub fn of<'v>(values: impl IntoIterator<Item = C::Value<'v>>) -> Result<Self, Code> {
        let mut list = ListBuf::new();
        for value in values {
            list.push(value)?;
        }
        Ok(list)
    }

    /// Borrows the list for a message.
    #[must_use]
    pub fn as_list(&self) -> List<'_, C> {
        List::new(&self.octets, self.count)
    }
}

impl<C> Clone for ListBuf<C> {
    fn clone(&self) -> Self {
        ListBuf {
            octets: self.octets.clone(),
            count: self.count,
            form: PhantomData,
        }
    }
}

impl<C: Item> PartialEq for ListBuf<C> {
    fn eq(&self, other: &Self) -> bool {
        self.as_list() == other.as_list()
    }
}

impl<C: Item> Eq for ListBuf<C> {}

impl<C: Item> Default for ListBuf<C> {
    fn default() -> Self {
        ListBuf::new()
    }
}

impl<C: Item> fmt::Debug for ListBuf<C> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_list().fmt(formatter)
    }
}
