//! Converts values of requests to values of the crate, and values of messages to answers.

#![allow(dead_code)] // the models determine which parts are used

use zeps_wire::list::{self, Item, List, ListBuf, Numbered, Raw, Worded};
use zeps_wire::{Code, EncodeError, Frames};

use super::request::{put_blob, put_count, Refusal, Value};

/// The reason why a value of a request cannot be converted: its kind is wrong, or an encoder would refuse it.
pub enum Wrong {
    Kind,
    Code(Code),
}

impl From<Code> for Wrong {
    fn from(code: Code) -> Self {
        Wrong::Code(code)
    }
}

/// A form of values in requests and answers.
pub trait Form: Item + Sized {
    /// The tag of a list of such items.
    const LIST: u8 = b'l';

    /// Converts a value that borrows from the request; lists do not.
    fn value<'v>(_value: &'v Value<'_>) -> Result<Self::Value<'v>, Wrong> {
        Err(Wrong::Kind)
    }

    /// Converts the value and appends it to a list.
    fn push(value: &Value<'_>, list: &mut ListBuf<Self>) -> Result<(), Wrong> {
        Ok(list.push(Self::value(value)?)?)
    }

    /// Appends the value to an answer. `tag` is that of bytes, or of text with arbitrary bytes.
    fn show(value: Self::Value<'_>, tag: u8, answer: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($form:ident $number:ty, $kind:ident $tag:literal $wide:ty;)*) => {$(
        impl Form for list::$form {
            fn value(value: &Value<'_>) -> Result<$number, Wrong> {
                match value {
                    Value::$kind(number) => (*number).try_into().map_err(|_| Code::TooLong.into()),
                    _ => Err(Wrong::Kind),
                }
            }

            fn show(value: $number, _tag: u8, answer: &mut Vec<u8>) {
                answer.push($tag);
                answer.extend_from_slice(&<$wide>::from(value).to_be_bytes());
            }
        }
    )*};
}

numbers! {
    U8 u8, Unsigned b'u' u64;
    U16 u16, Unsigned b'u' u64;
    U32 u32, Unsigned b'u' u64;
    U64 u64, Unsigned b'u' u64;
    Varint u64, Unsigned b'u' u64;
    I8 i8, Signed b'i' i64;
    I16 i16, Signed b'i' i64;
    I32 i32, Signed b'i' i64;
    I64 i64, Signed b'i' i64;
    Zigzag i64, Signed b'i' i64;
}

fn show_octets(value: &[u8], tag: u8, answer: &mut Vec<u8>) {
    answer.push(tag);
    put_blob(answer, value);
}

impl<const N: usize> Form for list::Text<N> {
    fn value<'v>(value: &'v Value<'_>) -> Result<&'v str, Wrong> {
        match value {
            Value::Text(octets) => std::str::from_utf8(octets).map_err(|_| Code::BadText.into()),
            _ => Err(Wrong::Kind),
        }
    }

    fn show(value: &str, _tag: u8, answer: &mut Vec<u8>) {
        show_octets(value.as_bytes(), b's', answer);
    }
}

impl<const N: usize> Form for list::Octets<N> {
    fn value<'v>(value: &'v Value<'_>) -> Result<&'v [u8], Wrong> {
        match value {
            Value::Octets(octets) | Value::Text(octets) => Ok(octets),
            _ => Err(Wrong::Kind),
        }
    }

    fn show(value: &[u8], tag: u8, answer: &mut Vec<u8>) {
        show_octets(value, tag, answer);
    }
}

impl<const N: usize> Form for list::Fixed<N> {
    fn value<'v>(value: &'v Value<'_>) -> Result<&'v [u8; N], Wrong> {
        match value {
            Value::Octets(octets) if octets.len() > N => Err(Code::TooLong.into()),
            Value::Octets(octets) => (*octets).try_into().map_err(|_| Code::Truncated.into()),
            _ => Err(Wrong::Kind),
        }
    }

    fn show(value: &[u8; N], tag: u8, answer: &mut Vec<u8>) {
        show_octets(value, tag, answer);
    }
}

impl<E, C> Form for list::Member<E, C>
where
    E: Numbered,
    C: Form,
    for<'a> C::Value<'a>: Raw,
{
    fn value(value: &Value<'_>) -> Result<E, Wrong> {
        let number = match value {
            Value::Unsigned(number) => *number,
            Value::Signed(number) => *number as u64,
            _ => return Err(Wrong::Kind),
        };
        E::of_number(number).ok_or(Wrong::Code(Code::BadConstant))
    }

    fn show(value: E, tag: u8, answer: &mut Vec<u8>) {
        C::show(Raw::from_raw(value.to_number()), tag, answer);
    }
}

impl<E: Worded, const N: usize> Form for list::Word<E, N> {
    fn value(value: &Value<'_>) -> Result<E, Wrong> {
        match value {
            Value::Text(octets) => {
                let text = std::str::from_utf8(octets).ok();
                text.and_then(E::of_text).ok_or(Wrong::Code(Code::BadConstant))
            }
            _ => Err(Wrong::Kind),
        }
    }

    fn show(value: E, _tag: u8, answer: &mut Vec<u8>) {
        show_octets(value.to_text().as_bytes(), b's', answer);
    }
}

impl<K: Form, V: Form> Form for list::Pair<K, V> {
    const LIST: u8 = b'h';

    fn value<'v>(value: &'v Value<'_>) -> Result<Self::Value<'v>, Wrong> {
        match value {
            Value::Pair(pair) => Ok((K::value(&pair.0)?, V::value(&pair.1)?)),
            _ => Err(Wrong::Kind),
        }
    }

    fn show((key, value): Self::Value<'_>, _tag: u8, answer: &mut Vec<u8>) {
        K::show(key, b's', answer);
        V::show(value, b's', answer);
    }
}

impl<C: Form, const N: usize> Form for list::Nested<C, N> {
    fn push(value: &Value<'_>, list: &mut ListBuf<Self>) -> Result<(), Wrong> {
        let Value::List(values) = value else {
            return Err(Wrong::Kind);
        };
        let mut items = ListBuf::new();
        values.iter().try_for_each(|value| C::push(value, &mut items))?;
        Ok(list.push(items.as_list())?)
    }

    fn show(value: List<'_, C>, tag: u8, answer: &mut Vec<u8>) {
        answer.push(C::LIST);
        put_count(answer, value.len());
        value.iter().for_each(|item| C::show(item, tag, answer));
    }
}

/// The values of a message or of a call, taken one by one.
pub struct Fields<'v, 'r> {
    message: &'static str,
    values: std::slice::Iter<'v, Value<'r>>,
}

/// A converted value, held as the only item of a list.
pub struct Taken<F>(ListBuf<F>);

impl<F: Item> Taken<F> {
    pub fn get(&self) -> F::Value<'_> {
        self.0.as_list().get(0).expect("an item")
    }
}

impl<'v, 'r> Fields<'v, 'r> {
    pub fn new(message: &'static str, values: &'v [Value<'r>]) -> Self {
        Fields {
            message,
            values: values.iter(),
        }
    }

    /// Converts the next value, which is that of `field`.
    pub fn take<F: Form>(&mut self, field: &'static str) -> Result<Taken<F>, Refusal> {
        let (message, value) = (Some(self.message), self.values.next());
        let value = value.ok_or_else(|| format!("{} has more values", self.message))?;
        let mut list = ListBuf::new();
        match F::push(value, &mut list) {
            Ok(()) => Ok(Taken(list)),
            Err(Wrong::Kind) => Err(format!("{field}: a value of another type").into()),
            Err(Wrong::Code(code)) => Err(Refusal::Value(EncodeError {
                code,
                message,
                field: Some(field),
            })),
        }
    }

    /// Converts the next value with `own`, or returns the code that an encoder would refuse it with.
    pub fn draft<F: Form, T>(
        &mut self,
        own: impl FnOnce(F::Value<'_>) -> T,
    ) -> Result<Result<T, Code>, Refusal> {
        match self.take::<F>("value") {
            Ok(taken) => Ok(Ok(own(taken.get()))),
            Err(Refusal::Value(error)) => Ok(Err(error.code)),
            Err(refusal) => Err(refusal),
        }
    }

    /// Converts the next value, a list of frames.
    pub fn frames(&mut self, field: &'static str) -> Result<Vec<Vec<u8>>, Refusal> {
        let frames = self.take::<list::Nested<list::Octets<8>, 8>>(field)?;
        Ok(frames.get().iter().map(Vec::from).collect())
    }

    /// Checks that all values were used.
    pub fn end(&mut self) -> Result<(), Refusal> {
        match self.values.next() {
            Some(_) => Err(format!("{} has fewer values", self.message).into()),
            None => Ok(()),
        }
    }
}

/// The values of a message, in sequence.
#[derive(Default)]
pub struct Values {
    count: usize,
    octets: Vec<u8>,
}

impl Values {
    /// Appends a value in the form `F`.
    pub fn put<F: Form>(&mut self, value: F::Value<'_>, tag: u8) {
        self.count += 1;
        F::show(value, tag, &mut self.octets);
    }

    pub fn put_frames(&mut self, frames: Frames<'_>, tag: u8) {
        let mut list = ListBuf::<list::Octets<8>>::new();
        let pushed: Result<(), Code> = frames.iter().try_for_each(|frame| list.push(frame));
        pushed.expect("eight bytes hold any length");
        self.put::<list::Nested<list::Octets<8>, 8>>(list.as_list(), tag);
    }

    /// Appends the values to an answer.
    pub fn end(&self, answer: &mut Vec<u8>) {
        put_count(answer, self.count);
        answer.extend_from_slice(&self.octets);
    }
}
