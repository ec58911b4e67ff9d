//! A message's values: what a type can hold of them, and what an encoder would have said of the others.

#![allow(dead_code)] // which of it is used depends on the models

use std::borrow::Cow;
use std::cmp::Ordering;

use zeps_wire::list::{ListBuf, Numbered, Worded};
use zeps_wire::{Code, EncodeError};

use super::lists::{fixed, hash_of, listed, text_of, Bounded, Listed, Pairs, Part};
use super::request::{Refusal, Value};

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
        let list = hash_of(&found, &mut wrong);
        if let Some(code) = wrong {
            self.doubt(code, false);
        }
        Ok(list)
    }
}

fn kind_of(field: &str) -> Refusal {
    format!("{field}: a value of another kind is wanted")
}

