//! Lists and hashes: what their items look like in requests and answers.

#![allow(dead_code)] // which of it is used depends on the models

use std::borrow::Cow;

use zeps_wire::list::{self, Item, ListBuf, Numbered, Raw, Worded};
use zeps_wire::Code;

use super::request::{put_blob, put_count, Shown, Value, Values};

/// The form of an item that a request may bring and an answer may show.
pub trait Listed: Item + Sized {
    /// Append the value, or what stands for one that cannot be; None if it is of another kind.
    fn push(value: &Value<'_>, into: &mut ListBuf<Self>, wrong: &mut Option<Code>) -> Option<()>;
    fn show(value: Self::Value<'_>, answer: &mut Vec<u8>);
}

/// Append `value`; or `instead` if there is none or it has no room, and for whatever follows: an encoder that is
/// content with what stands before would have stopped here.
fn put<'v, C: Item>(
    value: Result<C::Value<'v>, Code>,
    instead: C::Value<'v>,
    into: &mut ListBuf<C>,
    wrong: &mut Option<Code>,
) -> Option<()> {
    if wrong.is_none() {
        match value.and_then(|value| into.push(value)) {
            Ok(()) => return Some(()),
            Err(code) => *wrong = Some(code),
        }
    }
    into.push(instead).ok()
}

macro_rules! listed_numbers {
    ($($form:ident $number:ty, $kind:ident;)*) => {$(
        impl Listed for list::$form {
            fn push(
                value: &Value<'_>,
                into: &mut ListBuf<Self>,
                wrong: &mut Option<Code>,
            ) -> Option<()> {
                let Value::$kind(number) = value else {
                    return None;
                };
                let (number, fits) = <$number>::clamped(i128::from(*number));
                if !fits {
                    wrong.get_or_insert(Code::TooLong);
                }
                put(Ok(number), 0, into, wrong)
            }

            fn show(value: $number, answer: &mut Vec<u8>) {
                Shown::show(&value, answer);
            }
        }
    )*};
}

listed_numbers! {
    U8 u8, Unsigned;
    U16 u16, Unsigned;
    U32 u32, Unsigned;
    U64 u64, Unsigned;
    Varint u64, Unsigned;
    I8 i8, Signed;
    I16 i16, Signed;
    I32 i32, Signed;
    I64 i64, Signed;
    Zigzag i64, Signed;
}

impl<const N: usize> Listed for list::Text<N> {
    fn push(value: &Value<'_>, into: &mut ListBuf<Self>, wrong: &mut Option<Code>) -> Option<()> {
        let Value::Text(octets) = value else {
            return None;
        };
        let text = text_of(octets);
        if matches!(text, Cow::Owned(_)) {
            wrong.get_or_insert(Code::BadText);
        }
        put(Ok(&*text), "", into, wrong)
    }

    fn show(value: &str, answer: &mut Vec<u8>) {
        Shown::show(&value, answer);
    }
}

impl<const N: usize> Listed for list::Octets<N> {
    fn push(value: &Value<'_>, into: &mut ListBuf<Self>, wrong: &mut Option<Code>) -> Option<()> {
        let (Value::Octets(octets) | Value::Text(octets)) = value else {
            return None;
        };
        put::<Self>(Ok(*octets), &[], into, wrong)
    }

    fn show(value: &[u8], answer: &mut Vec<u8>) {
        Shown::show(&value, answer);
    }
}

impl<const N: usize> Listed for list::Fixed<N> {
    fn push(value: &Value<'_>, into: &mut ListBuf<Self>, wrong: &mut Option<Code>) -> Option<()> {
        let Value::Octets(octets) = value else {
            return None;
        };
        put(fixed(octets), &[0; N], into, wrong)
    }

    fn show(value: &[u8; N], answer: &mut Vec<u8>) {
        Shown::show(&value, answer);
    }
}

impl<C: Listed, const N: usize> Listed for list::Nested<C, N> {
    fn push(value: &Value<'_>, into: &mut ListBuf<Self>, wrong: &mut Option<Code>) -> Option<()> {
        let inner = listed::<C>(value, wrong)?;
        put(Ok(inner.as_list()), list::List::empty(), into, wrong)
    }

    fn show(value: list::List<'_, C>, answer: &mut Vec<u8>) {
        Shown::show(&value, answer);
    }
}

impl<E, C> Listed for list::Member<E, C>
where
    E: Numbered,
    C: Listed,
    for<'a> C::Value<'a>: Raw,
{
    fn push(value: &Value<'_>, into: &mut ListBuf<Self>, wrong: &mut Option<Code>) -> Option<()> {
        let number = match value {
            Value::Unsigned(number) => *number,
            Value::Signed(number) => *number as u64,
            _ => return None,
        };
        let member = E::of_number(number).ok_or(Code::BadConstant);
        put(member, E::ANY, into, wrong)
    }

    fn show(value: E, answer: &mut Vec<u8>) {
        C::show(Raw::from_raw(value.to_number()), answer);
    }
}

impl<E: Worded, const N: usize> Listed for list::Word<E, N> {
    fn push(value: &Value<'_>, into: &mut ListBuf<Self>, wrong: &mut Option<Code>) -> Option<()> {
        let Value::Text(octets) = value else {
            return None;
        };
        let member = E::of_text(&String::from_utf8_lossy(octets)).ok_or(Code::BadConstant);
        put(member, E::ANY, into, wrong)
    }

    fn show(value: E, answer: &mut Vec<u8>) {
        Shown::show(&value.to_text(), answer);
    }
}

impl<C: Listed> Shown for list::List<'_, C> {
    fn show(&self, answer: &mut Vec<u8>) {
        answer.push(b'l');
        put_count(answer, self.len());
        for value in self.iter() {
            C::show(value, answer);
        }
    }
}

/// The list with a placeholder for each item that cannot be; None if a value is of another kind.
pub fn listed<C: Listed>(value: &Value<'_>, wrong: &mut Option<Code>) -> Option<ListBuf<C>> {
    let Value::List(items) = value else {
        return None;
    };
    let mut list = ListBuf::new();
    for item in items {
        C::push(item, &mut list, wrong)?;
    }
    Some(list)
}

pub fn fixed<const N: usize>(octets: &[u8]) -> Result<&[u8; N], Code> {
    octets.try_into().map_err(|_| {
        if octets.len() > N {
            Code::TooLong
        } else {
            Code::Truncated
        }
    })
}

// --- hashes

/// The part of a pair: text, or text that is octets.
pub trait Part: Item {
    fn octets<'a>(value: Self::Value<'a>) -> &'a [u8]
    where
        Self: 'a;

    /// None if the octets are no text.
    fn value(octets: &[u8]) -> Option<Self::Value<'_>>;
}

impl<const N: usize> Part for list::Text<N> {
    fn octets<'a>(value: &'a str) -> &'a [u8]
    where
        Self: 'a,
    {
        value.as_bytes()
    }

    fn value(octets: &[u8]) -> Option<&str> {
        std::str::from_utf8(octets).ok()
    }
}

impl<const N: usize> Part for list::Octets<N> {
    fn octets<'a>(value: &'a [u8]) -> &'a [u8]
    where
        Self: 'a,
    {
        value
    }

    fn value(octets: &[u8]) -> Option<&[u8]> {
        Some(octets)
    }
}

pub type Pairs<K, V> = list::Pair<K, V>;

/// The pairs, with placeholders from the first on that cannot be.
pub fn hash_of<K: Part, V: Part>(
    pairs: &[(&[u8], &[u8])],
    wrong: &mut Option<Code>,
) -> ListBuf<Pairs<K, V>> {
    let mut list = ListBuf::new();
    let empty = || K::value(b"").zip(V::value(b""));
    for (key, value) in pairs {
        let pair = K::value(key).zip(V::value(value)).ok_or(Code::BadText);
        let instead = match pair {
            // the value may be wrong too, which is found before the key's length
            Ok((_, value)) if wrong.is_none() => K::value(b"").map(|key| (key, value)),
            _ => empty(),
        };
        if let Some(instead) = instead {
            put(pair, instead, &mut list, wrong);
        }
    }
    list
}

impl Values {
    pub fn put_hash<K: Part, V: Part>(&mut self, pairs: list::List<'_, Pairs<K, V>>) {
        self.count += 1;
        self.octets.push(b'h');
        put_count(&mut self.octets, pairs.len());
        for (key, value) in pairs {
            for octets in [K::octets(key), V::octets(value)] {
                self.octets.push(b's');
                put_blob(&mut self.octets, octets);
            }
        }
    }

    /// Items that are text without UTF-8.
    pub fn put_texts<const N: usize>(&mut self, texts: list::List<'_, list::Octets<N>>) {
        self.count += 1;
        self.octets.push(b'l');
        put_count(&mut self.octets, texts.len());
        for octets in texts {
            self.octets.push(b's');
            put_blob(&mut self.octets, octets);
        }
    }
}

pub fn text_of(octets: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(octets) {
        Ok(text) => text.into(),
        Err(_) => "\u{1}".repeat(octets.len()).into(),
    }
}

/// A number's type, which a request's number may not fit.
pub trait Bounded: Sized {
    const SIGNED: bool;
    fn clamped(wide: i128) -> (Self, bool);
}

macro_rules! bounded {
    ($($number:ty, $signed:literal;)*) => {$(
        impl Bounded for $number {
            const SIGNED: bool = $signed;

            fn clamped(wide: i128) -> (Self, bool) {
                let (least, most) = (i128::from(<$number>::MIN), i128::from(<$number>::MAX));
                (wide.clamp(least, most) as $number, (least..=most).contains(&wide))
            }
        }
    )*};
}

bounded! { u8, false; u16, false; u32, false; u64, false; i8, true; i16, true; i32, true; i64, true; }

