//! The forms that items have on the wire.

use core::fmt;
use core::marker::PhantomData;

use super::{Item, List, ListBuf};
use crate::wire::{self, Sink};

/// Octets from the front; as many as there are if there are too few, which there never are.
#[inline]
fn cut<'a>(octets: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (head, tail) = octets.split_at(count.min(octets.len()));
    *octets = tail;
    head
}

#[inline]
fn cut_array<const N: usize>(octets: &mut &[u8]) -> [u8; N] {
    let mut array = [0; N];
    let head = cut(octets, N);
    array[..head.len()].copy_from_slice(head);
    array
}

#[inline]
fn cut_length<const N: usize>(octets: &mut &[u8]) -> usize {
    let mut length = [0; 8];
    length[8 - N..].copy_from_slice(&cut_array::<N>(octets));
    u64::from_be_bytes(length) as usize
}

/// A number that an enumeration's member may stand for.
pub trait Raw {
    #[doc(hidden)]
    fn from_raw(raw: u64) -> Self;
    #[doc(hidden)]
    fn to_raw(self) -> u64;
}

macro_rules! numbers {
    ($($form:ident, $number:ty, $size:literal, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[derive(Debug)]
        pub enum $form {}

        impl Raw for $number {
            fn from_raw(raw: u64) -> Self {
                raw as $number
            }

            fn to_raw(self) -> u64 {
                self as u64
            }
        }

        impl Item for $form {
            type Value<'a> = $number;

            #[inline]
            fn take(octets: &mut &[u8]) -> $number {
                <$number>::from_be_bytes(cut_array(octets))
            }

            fn fits(_value: $number) -> bool {
                true
            }

            fn size(_value: $number) -> usize {
                $size
            }

            #[inline]
            fn write<S: Sink>(value: $number, sink: &mut S) {
                sink.put(&value.to_be_bytes());
            }
        }

        impl FromIterator<$number> for ListBuf<$form> {
            fn from_iter<I: IntoIterator<Item = $number>>(values: I) -> Self {
                let mut list = ListBuf::new();
                for value in values {
                    list.append(value);
                }
                list
            }
        }
    )*};
}

numbers! {
    U8, u8, 1, "A number of one octet.";
    U16, u16, 2, "A number of two octets.";
    U32, u32, 4, "A number of four octets.";
    U64, u64, 8, "A number of eight octets.";
    I8, i8, 1, "A signed number of one octet.";
    I16, i16, 2, "A signed number of two octets.";
    I32, i32, 4, "A signed number of four octets.";
    I64, i64, 8, "A signed number of eight octets.";
}

#[inline]
fn cut_varint(octets: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let [octet] = cut_array::<1>(octets);
        value |= u64::from(octet & 0x7f) << shift;
        if octet < 0x80 {
            break;
        }
    }
    value
}

/// A number in LEB128.
#[derive(Debug)]
pub enum Varint {}

impl Item for Varint {
    type Value<'a> = u64;
    const CANONICAL: bool = false;

    fn take(octets: &mut &[u8]) -> u64 {
        cut_varint(octets)
    }

    fn fits(_value: u64) -> bool {
        true
    }

    fn size(value: u64) -> usize {
        wire::varint_size(value)
    }

    fn write<S: Sink>(value: u64, sink: &mut S) {
        wire::put_varint(value, sink);
    }
}

/// A signed number in LEB128, zigzag.
#[derive(Debug)]
pub enum Zigzag {}

impl Item for Zigzag {
    type Value<'a> = i64;
    const CANONICAL: bool = false;

    fn take(octets: &mut &[u8]) -> i64 {
        wire::unzigzag(cut_varint(octets))
    }

    fn fits(_value: i64) -> bool {
        true
    }

    fn size(value: i64) -> usize {
        wire::varint_size(wire::zigzag(value))
    }

    fn write<S: Sink>(value: i64, sink: &mut S) {
        wire::put_varint(wire::zigzag(value), sink);
    }
}

/// `N` octets of length, then octets.
#[derive(Debug)]
pub enum Octets<const N: usize> {}

impl<const N: usize> Item for Octets<N> {
    type Value<'a> = &'a [u8];

    #[inline]
    fn take<'a>(octets: &mut &'a [u8]) -> &'a [u8] {
        let length = cut_length::<N>(octets);
        cut(octets, length)
    }

    fn fits(value: &[u8]) -> bool {
        value.len() as u64 <= wire::greatest::<N>()
    }

    fn size(value: &[u8]) -> usize {
        N + value.len()
    }

    #[inline]
    fn write<S: Sink>(value: &[u8], sink: &mut S) {
        wire::put_length::<N, S>(value.len(), sink);
        sink.put(value);
    }
}

/// `N` octets of length, then text.
#[derive(Debug)]
pub enum Text<const N: usize> {}

impl<const N: usize> Item for Text<N> {
    type Value<'a> = &'a str;

    #[inline]
    fn take<'a>(octets: &mut &'a [u8]) -> &'a str {
        core::str::from_utf8(Octets::<N>::take(octets)).unwrap_or_default()
    }

    fn fits(value: &str) -> bool {
        Octets::<N>::fits(value.as_bytes())
    }

    fn size(value: &str) -> usize {
        N + value.len()
    }

    #[inline]
    fn write<S: Sink>(value: &str, sink: &mut S) {
        Octets::<N>::write(value.as_bytes(), sink);
    }
}

/// `N` octets.
#[derive(Debug)]
pub enum Fixed<const N: usize> {}

impl<const N: usize> Item for Fixed<N> {
    type Value<'a> = &'a [u8; N];

    #[inline]
    fn take<'a>(octets: &mut &'a [u8]) -> &'a [u8; N] {
        cut(octets, N).first_chunk().unwrap_or(&[0; N])
    }

    fn fits(_value: &[u8; N]) -> bool {
        true
    }

    fn size(_value: &[u8; N]) -> usize {
        N
    }

    #[inline]
    fn write<S: Sink>(value: &[u8; N], sink: &mut S) {
        sink.put(value);
    }
}

/// A list within a list: `N` octets of count, then items.
#[derive(Debug)]
pub struct Nested<C, const N: usize>(PhantomData<C>);

impl<C: Item, const N: usize> Item for Nested<C, N> {
    type Value<'a> = List<'a, C>;
    const CANONICAL: bool = C::CANONICAL;

    fn take<'a>(octets: &mut &'a [u8]) -> List<'a, C> {
        let count = cut_length::<N>(octets);
        let start = *octets;
        for _ in 0..count {
            C::take(octets);
        }
        List::new(&start[..start.len() - octets.len()], count)
    }

    fn fits(value: List<'_, C>) -> bool {
        value.len() as u64 <= wire::greatest::<N>()
    }

    fn size(value: List<'_, C>) -> usize {
        N + value.size()
    }

    fn write<S: Sink>(value: List<'_, C>, sink: &mut S) {
        wire::put_length::<N, S>(value.len(), sink);
        value.write(sink);
    }
}

/// Two values, one after the other: a key, and what it stands for.
#[derive(Debug)]
pub struct Pair<K, V>(PhantomData<(K, V)>);

impl<K: Item, V: Item> Item for Pair<K, V> {
    type Value<'a> = (K::Value<'a>, V::Value<'a>);
    const CANONICAL: bool = K::CANONICAL && V::CANONICAL;

    fn take<'a>(octets: &mut &'a [u8]) -> Self::Value<'a> {
        (K::take(octets), V::take(octets))
    }

    fn fits((key, value): Self::Value<'_>) -> bool {
        K::fits(key) && V::fits(value)
    }

    fn size((key, value): Self::Value<'_>) -> usize {
        K::size(key) + V::size(value)
    }

    fn write<S: Sink>((key, value): Self::Value<'_>, sink: &mut S) {
        K::write(key, sink);
        V::write(value, sink);
    }
}

/// An enumeration whose members are numbers.
pub trait Numbered: Copy + PartialEq + fmt::Debug {
    /// Any member.
    #[doc(hidden)]
    const ANY: Self;

    #[doc(hidden)]
    fn of_number(number: u64) -> Option<Self>;

    #[doc(hidden)]
    fn to_number(self) -> u64;
}

/// An enumeration whose members are text.
pub trait Worded: Copy + PartialEq + fmt::Debug {
    /// Any member.
    #[doc(hidden)]
    const ANY: Self;

    #[doc(hidden)]
    fn of_text(text: &str) -> Option<Self>;

    #[doc(hidden)]
    fn to_text(self) -> &'static str;
}

/// A member of the enumeration `E`, in the form of its number.
#[derive(Debug)]
pub struct Member<E, C>(PhantomData<(E, C)>);

impl<E, C> Item for Member<E, C>
where
    E: Numbered,
    C: Item,
    for<'a> C::Value<'a>: Raw,
{
    type Value<'a> = E;
    const CANONICAL: bool = C::CANONICAL;

    fn take(octets: &mut &[u8]) -> E {
        E::of_number(C::take(octets).to_raw()).unwrap_or(E::ANY)
    }

    fn fits(_value: E) -> bool {
        true
    }

    fn size(value: E) -> usize {
        C::size(C::Value::from_raw(value.to_number()))
    }

    fn write<S: Sink>(value: E, sink: &mut S) {
        C::write(C::Value::from_raw(value.to_number()), sink);
    }
}

/// A member of the enumeration `E`, as text after `N` octets of length.
#[derive(Debug)]
pub struct Word<E, const N: usize>(PhantomData<E>);

impl<E: Worded, const N: usize> Item for Word<E, N> {
    type Value<'a> = E;

    fn take(octets: &mut &[u8]) -> E {
        E::of_text(Text::<N>::take(octets)).unwrap_or(E::ANY)
    }

    fn fits(value: E) -> bool {
        Text::<N>::fits(value.to_text())
    }

    fn size(value: E) -> usize {
        Text::<N>::size(value.to_text())
    }

    fn write<S: Sink>(value: E, sink: &mut S) {
        Text::<N>::write(value.to_text(), sink);
    }
}
