//! Lists: views of items where they lie in a frame, and what such octets are made with.
//!
//! A [`List`] holds no items; it decodes each when it is asked for. [`ListBuf`] makes one.

mod forms;

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use crate::error::Code;
use crate::wire::Sink;

pub use forms::{
    Fixed, Member, Nested, Numbered, Octets, Pair, Raw, Text, Varint, Word, Worded, Zigzag, I16, I32,
    I64, I8, U16, U32, U64, U8,
};

/// How an item lies on the wire, and what it is in Rust.
pub trait Item {
    /// What an item is in Rust; it borrows from the frame.
    type Value<'a>: Copy + PartialEq + fmt::Debug;

    /// Whether each value has only one form.
    #[doc(hidden)]
    const CANONICAL: bool = true;

    /// The value at the front of octets that were checked when the list was made.
    #[doc(hidden)]
    fn take<'a>(octets: &mut &'a [u8]) -> Self::Value<'a>;

    /// Whether the form can hold the value.
    #[doc(hidden)]
    fn fits(value: Self::Value<'_>) -> bool;

    #[doc(hidden)]
    fn size(value: Self::Value<'_>) -> usize;

    #[doc(hidden)]
    fn write<S: Sink>(value: Self::Value<'_>, sink: &mut S);
}

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

    /// The item at `index`; those before it are stepped over.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<C::Value<'a>> {
        self.iter().nth(index)
    }

    #[inline]
    pub(crate) fn size(&self) -> usize {
        if C::CANONICAL {
            return self.octets.len();
        }
        self.iter().map(C::size).sum()
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
        Some(C::take(&mut self.list.octets))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.list.count, Some(self.list.count))
    }
}

impl<C: Item> ExactSizeIterator for Iter<'_, C> {}

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
        if !C::fits(value) {
            return Err(Code::TooLong);
        }
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
