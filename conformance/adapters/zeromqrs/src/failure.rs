//! Why a request is not done.

use std::fmt::Display;

use serde_json::{json, Value};

pub enum Failure {
    /// What the library or the request is to blame for.
    Error(String),
    /// What the library does not offer.
    Unsupported(String),
    /// The library has not come back in time.
    Blocks,
}

impl Failure {
    pub fn error(reason: impl Display) -> Self {
        Failure::Error(reason.to_string())
    }

    pub fn answer(&self) -> Value {
        match self {
            Failure::Error(reason) => json!({"ok": false, "error": reason}),
            Failure::Unsupported(what) => json!({"ok": false, "unsupported": what}),
            Failure::Blocks => json!({"ok": false, "error": "zeromq blocks, for 2 s now"}),
        }
    }
}

impl From<zeromq::ZmqError> for Failure {
    fn from(error: zeromq::ZmqError) -> Self {
        Failure::error(error)
    }
}
