//! Lists: views of items where they lie in a frame, and what such octets are made with.
//!
//! A [`List`] holds no items; it decodes each when it is asked for. [`ListBuf`] makes one.

mod forms;

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use crate::error::Code;
use crate::wire::{at_most, Fault, Reader, Sink};

pub use forms::{
    Fixed, Member, Nested, Numbered, Octets, Pair, Raw, Text, Varint, Word, Worded, Zigzag, I16, I32,
    I64, I8, U16, U32, U64, U8,
};

/// How an item lies on the wire, and what it is in Rust.
pub trait Item {
    /// What an item is in Rust; it borrows from the frame.
    type Value<'a>: Copy + PartialEq + fmt::Debug;

    /// Which values a message admits.
    #[doc(hidden)]
    type Rules: Copy;

    /// The rules that admit all that the form can hold.
    #[doc(hidden)]
    const ANY: Self::Rules;

    /// The fewest octets of a value.
    #[doc(hidden)]
    const LEAST: usize;

    /// Octets of each value, if all have as many.
    #[doc(hidden)]
    const WIDTH: Option<usize> = None;

    /// Whether each value has only one form.
    #[doc(hidden)]
    const CANONICAL: bool = true;

    #[doc(hidden)]
    fn read<'a>(reader: &mut Reader<'a>, rules: Self::Rules) -> Result<Self::Value<'a>, Fault>;

    /// What the rules say of a value.
    #[doc(hidden)]
    fn check(value: Self::Value<'_>, rules: Self::Rules) -> Result<(), Code>;

    /// Whether the rules admit all that the form can hold.
    #[doc(hidden)]
    fn admits_all(_rules: Self::Rules) -> bool {
        false
    }

    #[doc(hidden)]
    fn write<S: Sink>(value: Self::Value<'_>, sink: &mut S);
}

/// A form whose values all have the same number of octets.
pub trait FixedWidth: Item {}

/// The items of a list, where they lie. They were checked when it was made.
pub struct List<'a, C> {
    octets: &'a [u8],
    count: usize,
    form: PhantomData<C>,
}

impl<'a, C: Item> List<'a, C> {
    /// `octets` are those of exactly `count` items.
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

    /// How many items there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The items, each decoded when it is asked for.
    #[must_use]
    pub fn iter(&self) -> Iter<'a, C> {
        Iter { list: *self }
    }

    /// The item at `index`. Items that vary in size are stepped over up to it.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<C::Value<'a>> {
        self.iter().nth(index)
    }

    /// A list with octets of its own.
    #[must_use]
    pub fn to_buf(&self) -> ListBuf<C> {
        ListBuf {
            octets: self.octets.to_vec(),
            count: self.count,
            form: PhantomData,
        }
    }

    /// Whether there are at most as many items as the rules say, and they admit each.
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

/// The items of a [`List`].
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

/// A list that is being made: each item is put into its form when it is pushed.
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

    /// Append an item.
    ///
    /// # Errors
    ///
    /// `too-long` if its form has no room for the value: it is then not appended.
    pub fn push(&mut self, value: C::Value<'_>) -> Result<(), Code> {
        C::check(value, C::ANY)?;
        self.append(value);
        Ok(())
    }

    /// Append an item that fits.
    fn append(&mut self, value: C::Value<'_>) {
        C::write(value, &mut self.octets);
        self.count += 1;
    }

    /// A list of all that `values` brings.
    ///
    /// # Errors
    ///
    /// As `push` says.
    pub fn of<'v>(values: impl IntoIterator<Item = C::Value<'v>>) -> Result<Self, Code> {
        let mut list = ListBuf::new();
        for value in values {
            list.push(value)?;
        }
        Ok(list)
    }

    /// The list, for a message.
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
