//! What every driver shares: requests are read here, and answers written.

#![allow(dead_code)] // which of it is used depends on the models

use std::borrow::Cow;
use std::cmp::Ordering;

use zeps_wire::list::{self, Item, ListBuf, Numbered, Raw, Worded};
use zeps_wire::{Code, DecodeError, EncodeError};

/// How deep values may lie in one another.
const DEPTH_MAX: usize = 32;

/// A request that cannot be parsed, or asks for what there is not.
pub type Refusal = String;

/// A value of a request, as it stands.
pub enum Value<'r> {
    Unsigned(u64),
    Signed(i64),
    Text(&'r [u8]),
    Octets(&'r [u8]),
    List(Vec<Value<'r>>),
    Hash(Vec<(Value<'r>, Value<'r>)>),
}

/// A position in a request.
pub struct Cursor<'r> {
    rest: &'r [u8],
}

impl<'r> Cursor<'r> {
    pub fn new(rest: &'r [u8]) -> Self {
        Cursor { rest }
    }

    fn take(&mut self, count: usize) -> Result<&'r [u8], Refusal> {
        if count > self.rest.len() {
            return Err("the request ends too early".into());
        }
        let (head, rest) = self.rest.split_at(count);
        self.rest = rest;
        Ok(head)
    }

    pub fn octet(&mut self) -> Result<u8, Refusal> {
        Ok(self.take(1)?[0])
    }

    pub fn number(&mut self) -> Result<usize, Refusal> {
        let octets = self.take(4)?;
        Ok(octets
            .iter()
            .fold(0, |value, octet| value << 8 | usize::from(*octet)))
    }

    fn long(&mut self) -> Result<u64, Refusal> {
        let octets = self.take(8)?;
        Ok(octets
            .iter()
            .fold(0, |value, octet| value << 8 | u64::from(*octet)))
    }

    pub fn name(&mut self) -> Result<&'r str, Refusal> {
        let count = self.octet()?;
        std::str::from_utf8(self.take(usize::from(count))?)
            .map_err(|_| "a name is not UTF-8".into())
    }

    pub fn blob(&mut self) -> Result<&'r [u8], Refusal> {
        let count = self.number()?;
        self.take(count)
    }

    pub fn end(&self) -> Result<(), Refusal> {
        if self.rest.is_empty() {
            return Ok(());
        }
        Err("octets follow the request".into())
    }

    pub fn value(&mut self) -> Result<Value<'r>, Refusal> {
        self.value_at(0)
    }

    fn value_at(&mut self, depth: usize) -> Result<Value<'r>, Refusal> {
        if depth > DEPTH_MAX {
            return Err("too deep".into());
        }
        Ok(match self.octet()? {
            b'u' => Value::Unsigned(self.long()?),
            b'i' => Value::Signed(self.long()? as i64),
            b's' => Value::Text(self.blob()?),
            b'b' => Value::Octets(self.blob()?),
            b'l' => {
                let count = self.count(1)?;
                let items = (0..count).map(|_| self.value_at(depth + 1));
                Value::List(items.collect::<Result<_, _>>()?)
            }
            b'h' => {
                let count = self.count(2)?;
                let mut pairs = Vec::new();
                for _ in 0..count {
                    pairs.push((self.value_at(depth + 1)?, self.value_at(depth + 1)?));
                }
                Value::Hash(pairs)
            }
            other => return Err(format!("no value begins with {other:#04x}")),
        })
    }

    pub fn values(&mut self) -> Result<Vec<Value<'r>>, Refusal> {
        let count = self.count(1)?;
        (0..count).map(|_| self.value()).collect()
    }

    fn count(&mut self, least: usize) -> Result<usize, Refusal> {
        let count = self.number()?;
        if count.saturating_mul(least) > self.rest.len() {
            return Err("a count goes beyond the request".into());
        }
        Ok(count)
    }
}

// --- answers

pub fn put_name(answer: &mut Vec<u8>, name: &str) {
    answer.push(name.len().min(255) as u8);
    answer.extend_from_slice(&name.as_bytes()[..name.len().min(255)]);
}

pub fn put_count(answer: &mut Vec<u8>, count: usize) {
    answer.extend_from_slice(&(count as u32).to_be_bytes());
}

pub fn put_blob(answer: &mut Vec<u8>, octets: &[u8]) {
    put_count(answer, octets.len());
    answer.extend_from_slice(octets);
}

pub fn refused(refusal: &str) -> Vec<u8> {
    let mut answer = vec![b'?'];
    put_name(&mut answer, refusal);
    answer
}

fn error(code: Code, message: Option<&str>, field: Option<&str>) -> Vec<u8> {
    let mut answer = vec![b'-'];
    put_name(&mut answer, code.as_str());
    put_name(&mut answer, message.unwrap_or(""));
    put_name(&mut answer, field.unwrap_or(""));
    answer
}

pub fn not_decoded(fault: DecodeError) -> Vec<u8> {
    error(fault.code, fault.message, fault.field)
}

pub fn not_encoded(fault: EncodeError) -> Vec<u8> {
    error(fault.code, fault.message, fault.field)
}

/// A message's values, one after the other.
#[derive(Default)]
pub struct Values {
    pub count: usize,
    pub octets: Vec<u8>,
}

impl Values {
    pub fn put(&mut self, value: impl Shown) {
        self.count += 1;
        value.show(&mut self.octets);
    }

    /// Text without UTF-8 is octets in Rust, and text in an answer.
    pub fn put_text(&mut self, octets: &[u8]) {
        self.count += 1;
        self.octets.push(b's');
        put_blob(&mut self.octets, octets);
    }
}

/// What an answer can show.
pub trait Shown {
    fn show(&self, answer: &mut Vec<u8>);
}

macro_rules! shown_numbers {
    ($tag:literal, $wide:ty: $($number:ty)*) => {$(
        impl Shown for $number {
            fn show(&self, answer: &mut Vec<u8>) {
                answer.push($tag);
                answer.extend_from_slice(&<$wide>::from(*self).to_be_bytes());
            }
        }
    )*};
}

shown_numbers! { b'u', u64: u8 u16 u32 u64 bool }
shown_numbers! { b'i', i64: i8 i16 i32 i64 }

impl Shown for &str {
    fn show(&self, answer: &mut Vec<u8>) {
        answer.push(b's');
        put_blob(answer, self.as_bytes());
    }
}

impl Shown for &[u8] {
    fn show(&self, answer: &mut Vec<u8>) {
        answer.push(b'b');
        put_blob(answer, self);
    }
}

impl<const N: usize> Shown for &[u8; N] {
    fn show(&self, answer: &mut Vec<u8>) {
        self.as_slice().show(answer);
    }
}

/// An enumeration's member, as a field of this signedness shows it.
pub fn member(value: impl Numbered, signed: bool) -> Number {
    Number(value.to_number(), signed)
}

pub struct Number(u64, bool);

impl Shown for Number {
    fn show(&self, answer: &mut Vec<u8>) {
        if self.1 {
            (self.0 as i64).show(answer);
        } else {
            self.0.show(answer);
        }
    }
}

// --- lists: what their items look like in requests and answers

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
fn listed<C: Listed>(value: &Value<'_>, wrong: &mut Option<Code>) -> Option<ListBuf<C>> {
    let Value::List(items) = value else {
        return None;
    };
    let mut list = ListBuf::new();
    for item in items {
        C::push(item, &mut list, wrong)?;
    }
    Some(list)
}

fn fixed<const N: usize>(octets: &[u8]) -> Result<&[u8; N], Code> {
    octets.try_into().map_err(|_| {
        if octets.len() > N {
            Code::TooLong
        } else {
            Code::Truncated
        }
    })
}

// --- hashes: of a key that occurs twice, the last value counts, where the key was first

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

fn unique<'p>(pairs: impl Iterator<Item = (&'p [u8], &'p [u8])>) -> Vec<(&'p [u8], &'p [u8])> {
    let mut places = std::collections::HashMap::new();
    let mut found: Vec<(&[u8], &[u8])> = Vec::new();
    for (key, value) in pairs {
        let place = *places.entry(key).or_insert(found.len());
        if place == found.len() {
            found.push((key, value));
        } else {
            found[place].1 = value;
        }
    }
    found
}

/// The pairs of a message, each key once.
pub fn hashed<K: Part, V: Part>(pairs: list::List<'_, Pairs<K, V>>) -> ListBuf<Pairs<K, V>> {
    let once = unique(
        pairs
            .iter()
            .map(|(key, value)| (K::octets(key), V::octets(value))),
    );
    hash_of(&once, &mut None)
}

/// The pairs, with placeholders from the first on that cannot be.
fn hash_of<K: Part, V: Part>(
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

// --- a message's values

/// What was asked for and no value of a type can be. An encoder never sees it; what it says itself still counts,
/// if it looks at that first.
#[derive(Default)]
pub struct Doubts {
    /// The first list that is not as long as one it ought to be as long as: that is found before all else.
    first: Option<EncodeError>,
    /// The first value that an encoder would refuse where it stands.
    early: Option<(usize, EncodeError)>,
    /// The first number that its octets cannot hold, which is found after all else.
    late: Option<EncodeError>,
    fields: Vec<&'static str>,
}

impl Doubts {
    pub fn any(&self) -> bool {
        self.early.is_some() || self.late.is_some()
    }

    /// What an encoder would say that had seen the values as they were asked for.
    pub fn settle(self, encoded: Result<Vec<u8>, EncodeError>) -> Result<Vec<u8>, EncodeError> {
        let place = |error: &EncodeError| {
            let mut fields = self.fields.iter();
            fields.position(|field| Some(*field) == error.field)
        };
        if let Some(first) = self.first {
            return Err(first);
        }
        match (encoded, self.early, self.late) {
            (Err(error), Some((first, _)), _) if place(&error) <= Some(first) => Err(error),
            (_, Some((_, early)), _) => Err(early),
            (Ok(_), None, Some(late)) => Err(late),
            (encoded, _, _) => encoded,
        }
    }
}

/// The values of a message or of a call, taken one by one.
pub struct Fields<'v, 'r> {
    message: &'static str,
    values: std::slice::Iter<'v, Value<'r>>,
    doubts: Doubts,
}

impl<'v, 'r> Fields<'v, 'r> {
    pub fn new(
        message: &'static str,
        values: &'v [Value<'r>],
        wanted: usize,
    ) -> Result<Self, Refusal> {
        if values.len() != wanted {
            return Err(format!(
                "{message} has {wanted} values, not {}",
                values.len()
            ));
        }
        Ok(Fields {
            message,
            values: values.iter(),
            doubts: Doubts::default(),
        })
    }

    pub fn doubts(self) -> Doubts {
        self.doubts
    }

    fn next(&mut self, field: &'static str) -> Result<&'v Value<'r>, Refusal> {
        self.doubts.fields.push(field);
        self.values
            .next()
            .ok_or_else(|| format!("{} has more values", self.message))
    }

    /// The lists of `field` and of one before it have one count: say so if they do not agree.
    pub fn agree(&mut self, field: &'static str, seen: usize, wanted: usize) {
        let code = match seen.cmp(&wanted) {
            Ordering::Equal => return,
            Ordering::Less => Code::Truncated,
            Ordering::Greater => Code::TooLong,
        };
        self.doubts.first.get_or_insert(EncodeError {
            code,
            message: Some(self.message),
            field: Some(field),
        });
    }

    fn doubt(&mut self, code: Code, late: bool) {
        let place = self.doubts.fields.len() - 1;
        let error = EncodeError {
            code,
            message: Some(self.message),
            field: Some(self.doubts.fields[place]),
        };
        if late {
            self.doubts.late.get_or_insert(error);
        } else {
            self.doubts.early.get_or_insert((place, error));
        }
    }

    /// A number; one that is too large becomes the greatest, one that is too small the least.
    pub fn number<T: Bounded>(&mut self, field: &'static str) -> Result<T, Refusal> {
        let wide = match self.next(field)? {
            Value::Unsigned(number) if !T::SIGNED => i128::from(*number),
            Value::Signed(number) if T::SIGNED => i128::from(*number),
            _ => return Err(kind_of(field)),
        };
        let (number, fits) = T::clamped(wide);
        if !fits {
            self.doubt(Code::TooLong, true);
        }
        Ok(number)
    }

    pub fn boolean(&mut self, field: &'static str) -> Result<bool, Refusal> {
        Ok(self.number::<u64>(field)? != 0)
    }

    pub fn member<E: Numbered>(&mut self, field: &'static str, signed: bool) -> Result<E, Refusal> {
        let number = match self.next(field)? {
            Value::Unsigned(number) if !signed => *number,
            Value::Signed(number) if signed => *number as u64,
            _ => return Err(kind_of(field)),
        };
        Ok(E::of_number(number).unwrap_or_else(|| {
            self.doubt(Code::BadConstant, false);
            E::ANY
        }))
    }

    pub fn word<E: Worded>(&mut self, field: &'static str) -> Result<E, Refusal> {
        let text = String::from_utf8_lossy(self.text_octets(field)?);
        Ok(E::of_text(&text).unwrap_or_else(|| {
            self.doubt(Code::BadConstant, false);
            E::ANY
        }))
    }

    /// Text; octets that are no UTF-8 become control characters, as many.
    pub fn text(&mut self, field: &'static str) -> Result<Cow<'r, str>, Refusal> {
        let octets = self.text_octets(field)?;
        let text = text_of(octets);
        if matches!(text, Cow::Owned(_)) {
            self.doubt(Code::BadText, false);
        }
        Ok(text)
    }

    pub fn text_octets(&mut self, field: &'static str) -> Result<&'r [u8], Refusal> {
        match self.next(field)? {
            Value::Text(octets) => Ok(octets),
            _ => Err(kind_of(field)),
        }
    }

    pub fn octets(&mut self, field: &'static str) -> Result<&'r [u8], Refusal> {
        match self.next(field)? {
            Value::Octets(octets) => Ok(octets),
            _ => Err(kind_of(field)),
        }
    }

    pub fn fixed<const N: usize>(&mut self, field: &'static str) -> Result<&'r [u8; N], Refusal> {
        let octets = self.octets(field)?;
        Ok(fixed(octets).unwrap_or_else(|code| {
            self.doubt(code, false);
            &[0; N]
        }))
    }

    pub fn list<C: Listed>(&mut self, field: &'static str) -> Result<ListBuf<C>, Refusal> {
        let value = self.next(field)?;
        let mut wrong = None;
        let list = listed(value, &mut wrong).ok_or_else(|| kind_of(field))?;
        if let Some(code) = wrong {
            self.doubt(code, false);
        }
        Ok(list)
    }

    pub fn hash<K: Part, V: Part>(
        &mut self,
        field: &'static str,
    ) -> Result<ListBuf<Pairs<K, V>>, Refusal> {
        let Value::Hash(pairs) = self.next(field)? else {
            return Err(kind_of(field));
        };
        let mut found = Vec::new();
        for pair in pairs {
            let (Value::Text(key), Value::Text(value)) = pair else {
                return Err(kind_of(field));
            };
            found.push((*key, *value));
        }
        let mut wrong = None;
        let list = hash_of(&unique(found.into_iter()), &mut wrong);
        if let Some(code) = wrong {
            self.doubt(code, false);
        }
        Ok(list)
    }
}

fn kind_of(field: &str) -> Refusal {
    format!("{field}: a value of another kind is wanted")
}

fn text_of(octets: &[u8]) -> Cow<'_, str> {
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

// --- machines

/// The host of any machine: it writes down what it is asked for, and fails when it has been told to.
pub struct Recorder<E> {
    log: Vec<(&'static str, Vec<u8>)>,
    armed: Vec<(&'static str, E)>,
    refused: bool,
}

impl<E: Copy> Recorder<E> {
    pub fn new() -> Self {
        Recorder {
            log: Vec::new(),
            armed: Vec::new(),
            refused: false,
        }
    }

    pub fn sent(&mut self, frame: Result<Vec<u8>, EncodeError>) {
        self.refused |= frame.is_err();
        self.log.push(("send", frame.unwrap_or_default()));
    }

    /// A host action runs: the event that it fails with, if it has been told to.
    pub fn act(&mut self, action: &'static str) -> Option<E> {
        self.log.push((action, Vec::new()));
        let place = self.armed.iter().position(|(name, _)| *name == action)?;
        Some(self.armed.remove(place).1)
    }

    pub fn arm(&mut self, action: &'static str, event: E) {
        self.armed.retain(|(name, _)| *name != action);
        self.armed.push((action, event));
    }

    fn begin(&mut self) {
        self.log.clear();
        self.refused = false;
    }

    fn report(&self, outcome: u8) -> u8 {
        if self.refused {
            b'e'
        } else {
            outcome
        }
    }
}

/// A machine that requests can drive.
pub trait Runner {
    type Event: Copy;

    fn recorder(&mut self) -> &mut Recorder<Self::Event>;
    fn receive(&mut self, frame: &[u8]) -> u8;
    fn call(&mut self, event: &str, values: &[Value<'_>]) -> Result<u8, Refusal>;
    fn set(&mut self, variable: &str, values: &[Value<'_>]) -> Result<u8, Refusal>;
    fn arm(&mut self, action: &str, event: &str) -> u8;
    fn place(&self) -> (&'static str, bool);
    fn variables(&self) -> Values;
}

/// Take a fresh machine through the steps of a request.
pub fn run(mut runner: impl Runner, cursor: &mut Cursor<'_>) -> Result<Vec<u8>, Refusal> {
    let mut answer = vec![b'+'];
    for _ in 0..cursor.number()? {
        runner.recorder().begin();
        let outcome = step(&mut runner, cursor)?;
        answer.push(runner.recorder().report(outcome));
        let (state, terminated) = runner.place();
        put_name(&mut answer, state);
        answer.push(u8::from(terminated));
        let variables = runner.variables();
        put_count(&mut answer, variables.count);
        answer.extend_from_slice(&variables.octets);
        let log = &runner.recorder().log;
        put_count(&mut answer, log.len());
        for (name, frame) in log {
            put_name(&mut answer, name);
            put_blob(&mut answer, frame);
        }
    }
    cursor.end()?;
    Ok(answer)
}

fn step(runner: &mut impl Runner, cursor: &mut Cursor<'_>) -> Result<u8, Refusal> {
    match cursor.octet()? {
        b'm' => Ok(runner.receive(cursor.blob()?)),
        b'c' => {
            let event = cursor.name()?;
            runner.call(event, &cursor.values()?)
        }
        b'v' => {
            let variable = cursor.name()?;
            runner.set(variable, &[cursor.value()?])
        }
        b'f' => {
            let action = cursor.name()?;
            Ok(runner.arm(action, cursor.name()?))
        }
        other => Err(format!("no step begins with {other:#04x}")),
    }
}

/// The outcome of a call: taken, no guard held, or not handled.
pub fn called<E>(outcome: Result<bool, E>) -> u8 {
    match outcome {
        Ok(true) => b't',
        Ok(false) => b'n',
        Err(_) => b'h',
    }
}
