//! Errors of requests.

use std::fmt::Display;

use serde_json::{json, Value};

pub enum Failure {
    /// An error of the library or of the request.
    Error(String),
    /// A feature that the library lacks.
    Unsupported(String),
    /// The library has not returned in time.
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
            Failure::Blocks => json!({"ok": false, "error": "zeromq has blocked for 2 s"}),
        }
    }
}

impl From<zeromq::ZmqError> for Failure {
    fn from(error: zeromq::ZmqError) -> Self {
        Failure::error(error)
    }
}
