//! The forms of values: their encodings.

use core::fmt;
use core::marker::PhantomData;

use super::{FixedWidth, Item, List, ListBuf};
use crate::error::Code;
use crate::text;
use crate::wire::{self, at_most, Fault, Reader, Sink};

/// A number that can be the value of an enumeration's member.
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
            #[inline]
            fn from_raw(raw: u64) -> Self {
                raw as $number
            }

            #[inline]
            fn to_raw(self) -> u64 {
                self as u64
            }
        }

        impl Item for $form {
            type Value<'a> = $number;
            type Rules = $number; // the maximum value
            const ANY: $number = <$number>::MAX;
            const LEAST: usize = $size;
            const WIDTH: Option<usize> = Some($size);

            #[inline]
            fn read(reader: &mut Reader<'_>, max: $number) -> Result<$number, Fault> {
                reader.checked(Reader::array, |octets| at_most(<$number>::from_be_bytes(*octets), max))
            }

            #[inline]
            fn check(value: $number, max: $number) -> Result<(), Code> {
                at_most(value, max).map(drop)
            }

            #[inline]
            fn admits_all(max: $number) -> bool {
                max == Self::ANY
            }

            #[inline]
            fn write<S: Sink>(value: $number, sink: &mut S) {
                sink.put(&value.to_be_bytes());
            }
        }

        impl FixedWidth for $form {}

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
    U8, u8, 1, "A number of one byte.";
    U16, u16, 2, "A number of two bytes.";
    U32, u32, 4, "A number of four bytes.";
    U64, u64, 8, "A number of eight bytes.";
    I8, i8, 1, "A signed number of one byte.";
    I16, i16, 2, "A signed number of two bytes.";
    I32, i32, 4, "A signed number of four bytes.";
    I64, i64, 8, "A signed number of eight bytes.";
}

macro_rules! varints {
    ($($form:ident, $number:ty, $from:expr, $to:expr, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[derive(Debug)]
        pub enum $form {}

        impl Item for $form {
            type Value<'a> = $number;
            type Rules = $number; // the maximum value
            const ANY: $number = <$number>::MAX;
            const LEAST: usize = 1;
            const CANONICAL: bool = false;

            #[inline]
            fn read(reader: &mut Reader<'_>, max: $number) -> Result<$number, Fault> {
                reader.checked(Reader::varint, |raw| at_most($from(raw), max))
            }

            #[inline]
            fn check(value: $number, max: $number) -> Result<(), Code> {
                at_most(value, max).map(drop)
            }

            #[inline]
            fn admits_all(max: $number) -> bool {
                max == Self::ANY
            }

            #[inline]
            fn write<S: Sink>(value: $number, sink: &mut S) {
                wire::put_varint($to(value), sink);
            }
        }
    )*};
}

varints! {
    Varint, u64, core::convert::identity, core::convert::identity, "A number in LEB128.";
    Zigzag, i64, wire::unzigzag, wire::zigzag, "A signed number in LEB128, zigzag.";
}

/// A length of `N` bytes, then bytes.
#[derive(Debug)]
pub enum Octets<const N: usize> {}

impl<const N: usize> Item for Octets<N> {
    type Value<'a> = &'a [u8];
    type Rules = u64; // the maximum number of bytes
    const ANY: u64 = u64::MAX;
    const LEAST: usize = N;

    #[inline]
    fn read<'a>(reader: &mut Reader<'a>, max: u64) -> Result<&'a [u8], Fault> {
        reader.sized::<N>(max)
    }

    #[inline]
    fn check(value: &[u8], max: u64) -> Result<(), Code> {
        at_most(value.len() as u64, max.min(wire::greatest::<N>())).map(drop)
    }

    #[inline]
    fn admits_all(max: u64) -> bool {
        max >= wire::greatest::<N>()
    }

    #[inline]
    fn write<S: Sink>(value: &[u8], sink: &mut S) {
        wire::put_length::<N, S>(value.len(), sink);
        sink.put(value);
    }
}

/// A length of `N` bytes, then text.
#[derive(Debug)]
pub enum Text<const N: usize> {}

impl<const N: usize> Item for Text<N> {
    type Value<'a> = &'a str;
    type Rules = (u64, text::Text); // the maximum number of bytes, and the class of the text
    const ANY: Self::Rules = (u64::MAX, text::Text::Utf8);
    const LEAST: usize = N;

    #[inline]
    fn read<'a>(reader: &mut Reader<'a>, (max, class): Self::Rules) -> Result<&'a str, Fault> {
        reader.checked(|reader| reader.sized::<N>(max), |octets| class.of(octets))
    }

    #[inline]
    fn check(value: &str, (max, class): Self::Rules) -> Result<(), Code> {
        class.check(value)?;
        Octets::<N>::check(value.as_bytes(), max)
    }

    #[inline]
    fn admits_all((max, class): Self::Rules) -> bool {
        class == text::Text::Utf8 && Octets::<N>::admits_all(max)
    }

    #[inline]
    fn write<S: Sink>(value: &str, sink: &mut S) {
        Octets::<N>::write(value.as_bytes(), sink);
    }
}

/// `N` bytes.
#[derive(Debug)]
pub enum Fixed<const N: usize> {}

impl<const N: usize> Item for Fixed<N> {
    type Value<'a> = &'a [u8; N];
    type Rules = ();
    const ANY: () = ();
    const LEAST: usize = N;
    const WIDTH: Option<usize> = Some(N);

    #[inline]
    fn read<'a>(reader: &mut Reader<'a>, (): ()) -> Result<&'a [u8; N], Fault> {
        reader.array()
    }

    #[inline]
    fn check(_value: &[u8; N], (): ()) -> Result<(), Code> {
        Ok(())
    }

    #[inline]
    fn admits_all((): ()) -> bool {
        true
    }

    #[inline]
    fn write<S: Sink>(value: &[u8; N], sink: &mut S) {
        sink.put(value);
    }
}

impl<const N: usize> FixedWidth for Fixed<N> {}

/// A list: a count of `N` bytes, then items.
#[derive(Debug)]
pub struct Nested<C, const N: usize>(PhantomData<C>);

impl<C: Item, const N: usize> Item for Nested<C, N> {
    type Value<'a> = List<'a, C>;
    type Rules = (u64, C::Rules); // the maximum number of items, and the rules of each
    const ANY: Self::Rules = (u64::MAX, C::ANY);
    const LEAST: usize = N;
    const CANONICAL: bool = C::CANONICAL;

    #[inline]
    fn read<'a>(reader: &mut Reader<'a>, rules: Self::Rules) -> Result<List<'a, C>, Fault> {
        reader.list::<C, N>(rules)
    }

    #[inline]
    fn check(value: List<'_, C>, (max, rules): Self::Rules) -> Result<(), Code> {
        value.check((max.min(wire::greatest::<N>()), rules))
    }

    #[inline]
    fn admits_all((max, rules): Self::Rules) -> bool {
        max >= wire::greatest::<N>() && C::admits_all(rules)
    }

    #[inline]
    fn write<S: Sink>(value: List<'_, C>, sink: &mut S) {
        wire::put_length::<N, S>(value.len(), sink);
        value.write(sink);
    }
}

/// A pair of a hash: a key and a value.
#[derive(Debug)]
pub struct Pair<K, V>(PhantomData<(K, V)>);

impl<K: Item, V: Item> Item for Pair<K, V> {
    type Value<'a> = (K::Value<'a>, V::Value<'a>);
    type Rules = (K::Rules, V::Rules);
    const ANY: Self::Rules = (K::ANY, V::ANY);
    const LEAST: usize = K::LEAST + V::LEAST;
    const CANONICAL: bool = K::CANONICAL && V::CANONICAL;

    #[inline]
    fn read<'a>(
        reader: &mut Reader<'a>,
        (key, value): Self::Rules,
    ) -> Result<Self::Value<'a>, Fault> {
        Ok((K::read(reader, key)?, V::read(reader, value)?))
    }

    #[inline]
    fn check((key, value): Self::Value<'_>, (of_key, of_value): Self::Rules) -> Result<(), Code> {
        K::check(key, of_key)?;
        V::check(value, of_value)
    }

    #[inline]
    fn admits_all((key, value): Self::Rules) -> bool {
        K::admits_all(key) && V::admits_all(value)
    }

    #[inline]
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

    /// Whether a member is negative.
    #[doc(hidden)]
    const IS_SIGNED: bool = false;

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

/// A member of the enumeration `E`, encoded as a number in the form `C`.
#[derive(Debug)]
pub struct Member<E, C>(PhantomData<(E, C)>);

impl<E, C> Item for Member<E, C>
where
    E: Numbered,
    C: Item,
    for<'a> C::Value<'a>: Raw,
{
    type Value<'a> = E;
    type Rules = C::Rules;
    const ANY: C::Rules = C::ANY;
    const LEAST: usize = C::LEAST;
    const WIDTH: Option<usize> = C::WIDTH;
    const CANONICAL: bool = C::CANONICAL;

    #[inline]
    fn read(reader: &mut Reader<'_>, rules: C::Rules) -> Result<E, Fault> {
        let number = |reader: &mut Reader<'_>| C::read(reader, rules).map(Raw::to_raw);
        reader.checked(number, |raw| E::of_number(raw).ok_or(Code::BadConstant))
    }

    #[inline]
    fn check(value: E, rules: C::Rules) -> Result<(), Code> {
        C::check(Raw::from_raw(value.to_number()), rules)
    }

    #[inline]
    fn write<S: Sink>(value: E, sink: &mut S) {
        C::write(Raw::from_raw(value.to_number()), sink);
    }
}

impl<E, C> FixedWidth for Member<E, C>
where
    E: Numbered,
    C: FixedWidth,
    for<'a> C::Value<'a>: Raw,
{
}

/// A member of the enumeration `E`, as text after a length of `N` bytes.
#[derive(Debug)]
pub struct Word<E, const N: usize>(PhantomData<E>);

impl<E: Worded, const N: usize> Item for Word<E, N> {
    type Value<'a> = E;
    type Rules = (u64, text::Text);
    const ANY: Self::Rules = Text::<N>::ANY;
    const LEAST: usize = N;

    #[inline]
    fn read(reader: &mut Reader<'_>, rules: Self::Rules) -> Result<E, Fault> {
        let text = |reader: &mut Reader<'_>| Text::<N>::read(reader, rules).map(E::of_text);
        reader.checked(text, |member| member.ok_or(Code::BadConstant))
    }

    #[inline]
    fn check(value: E, rules: Self::Rules) -> Result<(), Code> {
        Text::<N>::check(value.to_text(), rules)
    }

    #[inline]
    fn write<S: Sink>(value: E, sink: &mut S) {
        Text::<N>::write(value.to_text(), sink);
    }
}
