//! A request of the suite.

use bytes::Bytes;
use serde_json::{Map, Value};

use crate::failure::Failure;

pub struct Request(Map<String, Value>);

impl Request {
    pub fn parse(line: &[u8]) -> Result<Self, Failure> {
        serde_json::from_slice(line)
            .map(Request)
            .map_err(Failure::error)
    }

    /// A required member.
    pub fn text(&self, name: &str) -> Result<&str, Failure> {
        self.optional(name)
            .ok_or_else(|| Failure::Error(format!("no {name}")))
    }

    /// An optional member, which may be null.
    pub fn optional(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    pub fn number(&self, name: &str) -> u64 {
        self.0.get(name).and_then(Value::as_u64).unwrap_or(0)
    }

    pub fn options(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0
            .get("options")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
    }

    pub fn octets(&self, name: &str) -> Result<Bytes, Failure> {
        octets(self.text(name)?)
    }

    /// The parts of a message, at least one.
    pub fn parts(&self) -> Result<Vec<Bytes>, Failure> {
        let parts = self.0.get("parts").and_then(Value::as_array);
        let parts = parts.ok_or_else(|| Failure::error("no parts"))?;
        if parts.is_empty() {
            return Err(Failure::error("a message needs at least one part"));
        }
        let text = |part: &Value| part.as_str().map(octets);
        parts
            .iter()
            .map(|part| {
                text(part).unwrap_or_else(|| Err(Failure::error("a part must be a string")))
            })
            .collect()
    }
}

fn octets(text: &str) -> Result<Bytes, Failure> {
    hex::decode(text).map(Bytes::from).map_err(Failure::error)
}
