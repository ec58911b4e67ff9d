//! Errors of codecs and machines. The codes have the same names in every language.

use core::fmt;

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// The frame ends before the field does.
    Truncated,
    /// Bytes follow the last field.
    Trailing,
    /// The frame does not begin with the protocol's signature.
    BadSignature,
    /// No message has this number, name or beginning.
    UnknownMessage,
    /// A constant field has another value, or a value is not in its enumeration.
    BadConstant,
    /// Text that is not UTF-8 or holds a character that its class forbids.
    BadText,
    /// A length, a count or a number beyond its limit.
    TooLong,
    /// A relation between numbers that is false.
    BadRelation,
    /// A field that the host has not filled.
    NotSet,
}

impl Code {
    /// The name of the code.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Code::Truncated => "truncated",
            Code::Trailing => "trailing",
            Code::BadSignature => "bad-signature",
            Code::UnknownMessage => "unknown-message",
            Code::BadConstant => "bad-constant",
            Code::BadText => "bad-text",
            Code::TooLong => "too-long",
            Code::BadRelation => "bad-relation",
            Code::NotSet => "not-set",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

fn place(
    formatter: &mut fmt::Formatter<'_>,
    code: Code,
    message: Option<&str>,
    field: Option<&str>,
) -> fmt::Result {
    formatter.write_str(code.as_str())?;
    if let Some(message) = message {
        write!(formatter, ": {message}")?;
        if let Some(field) = field {
            write!(formatter, ".{field}")?;
        }
    }
    Ok(())
}

/// A frame that cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// The kind of the error.
    pub code: Code,
    /// The message's name in the model, if it is known.
    pub message: Option<&'static str>,
    /// The field's name in the model, if it is known.
    pub field: Option<&'static str>,
    /// The offset of the field in the frame, in bytes.
    pub offset: usize,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        place(formatter, self.code, self.message, self.field)?;
        write!(formatter, " at byte {}", self.offset)
    }
}

/// A message that cannot be encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodeError {
    /// The kind of the error.
    pub code: Code,
    /// The message's name in the model.
    pub message: Option<&'static str>,
    /// The field's name in the model.
    pub field: Option<&'static str>,
}

impl EncodeError {
    #[cold]
    pub(crate) fn new(code: Code, message: &'static str, field: &'static str) -> Self {
        EncodeError {
            code,
            message: Some(message),
            field: Some(field),
        }
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        place(formatter, self.code, self.message, self.field)
    }
}

/// An event that the machine's state does not handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineError {
    /// The peer sent a message that the state does not handle.
    Unexpected {
        /// The event's name in the model.
        event: &'static str,
        /// The state's name in the model.
        state: &'static str,
    },
    /// The host or the application raised an event that the state does not handle.
    Unhandled {
        /// The event's name in the model.
        event: &'static str,
        /// The state's name in the model.
        state: &'static str,
    },
    /// Host actions failed with or raised more than `RAISES_MAX` events while one event was handled.
    TooDeep {
        /// The last event's name in the model.
        event: &'static str,
        /// The state's name in the model.
        state: &'static str,
    },
}

impl fmt::Display for MachineError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MachineError::Unexpected { event, state } => {
                write!(formatter, "{event} is unexpected in state {state}")
            }
            MachineError::Unhandled { event, state } => {
                write!(formatter, "{event} is not handled in state {state}")
            }
            MachineError::TooDeep { event, state } => {
                write!(formatter, "{event} is not handled in state {state}: more than RAISES_MAX events follow each other")
            }
        }
    }
}

#[cfg(feature = "std")]
impl std::error::Error for DecodeError {}

#[cfg(feature = "std")]
impl std::error::Error for EncodeError {}

#[cfg(feature = "std")]
impl std::error::Error for MachineError {}
