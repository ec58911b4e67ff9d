//! Reads requests and writes answers.

#![allow(dead_code)] // the models determine which parts are used

use zeps_wire::{DecodeError, EncodeError};

/// The greatest depth of nested values.
const DEPTH_MAX: usize = 32;

/// The reason why a request is refused: a syntax error, an unknown name, or a value that the type cannot hold.
pub enum Refusal {
    Request(String),
    Value(EncodeError),
}

impl From<String> for Refusal {
    fn from(reason: String) -> Self {
        Refusal::Request(reason)
    }
}

impl From<DecodeError> for Refusal {
    fn from(error: DecodeError) -> Self {
        let DecodeError { code, message, field, .. } = error;
        Refusal::Value(EncodeError { code, message, field })
    }
}

impl From<&str> for Refusal {
    fn from(reason: &str) -> Self {
        Refusal::Request(reason.into())
    }
}

/// A value of a request.
pub enum Value<'r> {
    Unsigned(u64),
    Signed(i64),
    Text(&'r [u8]),
    Octets(&'r [u8]),
    List(Vec<Value<'r>>),
    /// An item of a hash.
    Pair(Box<(Value<'r>, Value<'r>)>),
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
            return Err("the request is truncated".into());
        }
        let (head, rest) = self.rest.split_at(count);
        self.rest = rest;
        Ok(head)
    }

    pub fn octet(&mut self) -> Result<u8, Refusal> {
        Ok(self.take(1)?[0])
    }

    pub fn number(&mut self, size: usize) -> Result<u64, Refusal> {
        let octets = self.take(size)?.iter();
        Ok(octets.fold(0, |value, octet| value << 8 | u64::from(*octet)))
    }

    pub fn name(&mut self) -> Result<&'r str, Refusal> {
        let count = self.octet()?;
        std::str::from_utf8(self.take(count.into())?)
            .map_err(|_| "a name is not UTF-8".into())
    }

    pub fn blob(&mut self) -> Result<&'r [u8], Refusal> {
        let count = self.number(4)?;
        self.take(count as usize)
    }

    pub fn blobs(&mut self) -> Result<Vec<&'r [u8]>, Refusal> {
        let count = self.count(4)?;
        (0..count).map(|_| self.blob()).collect()
    }

    pub fn end(&self) -> Result<(), Refusal> {
        if self.rest.is_empty() {
            return Ok(());
        }
        Err("bytes follow the request".into())
    }

    pub fn value(&mut self) -> Result<Value<'r>, Refusal> {
        self.value_at(0)
    }

    fn value_at(&mut self, depth: usize) -> Result<Value<'r>, Refusal> {
        if depth > DEPTH_MAX {
            return Err("values are nested too deeply".into());
        }
        Ok(match self.octet()? {
            b'u' => Value::Unsigned(self.number(8)?),
            b'i' => Value::Signed(self.number(8)? as i64),
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
                    let pair = (self.value_at(depth + 1)?, self.value_at(depth + 1)?);
                    pairs.push(Value::Pair(Box::new(pair)));
                }
                Value::List(pairs)
            }
            other => return Err(format!("unknown kind of value {other:#04x}").into()),
        })
    }

    pub fn values(&mut self) -> Result<Vec<Value<'r>>, Refusal> {
        let count = self.count(1)?;
        (0..count).map(|_| self.value()).collect()
    }

    fn count(&mut self, least: usize) -> Result<usize, Refusal> {
        let count = self.number(4)? as usize;
        if count.saturating_mul(least) > self.rest.len() {
            return Err("a count exceeds the request".into());
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

pub fn refused(refusal: Refusal) -> Vec<u8> {
    let mut answer = vec![b'-'];
    match refusal {
        Refusal::Request(reason) => {
            answer[0] = b'?';
            put_name(&mut answer, &reason);
        }
        Refusal::Value(error) => {
            put_name(&mut answer, error.code.as_str());
            put_name(&mut answer, error.message.unwrap_or(""));
            put_name(&mut answer, error.field.unwrap_or(""));
        }
    }
    answer
}
