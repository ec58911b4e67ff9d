//! What can go wrong with a message, with the same names in every language.

use core::fmt;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// The frame ends before the field does.
    Truncated,
    /// Octets follow the last field.
    Trailing,
    /// The frame does not begin as every frame of the protocol does.
    BadSignature,
    /// No message has this number, name or beginning.
    UnknownMessage,
    /// A constant field holds something else, or a value is not in its enumeration.
    BadConstant,
    /// Text that is not UTF-8, or holds what its class forbids.
    BadText,
    /// A length, a count or a number beyond its limit.
    TooLong,
    /// Numbers that are not related as they have to be.
    BadRelation,
    /// A field that the host was to fill, and has not.
    NotSet,
}

impl Code {
    /// The name that the code has in every language.
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

/// Octets that are not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// What is wrong.
    pub code: Code,
    /// The message's name in the model, as far as it is known.
    pub message: Option<&'static str>,
    /// The field's name in the model, as far as it is known.
    pub field: Option<&'static str>,
    /// Where the field begins, in octets from the frame's start.
    pub offset: usize,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        place(formatter, self.code, self.message, self.field)?;
        write!(formatter, " at octet {}", self.offset)
    }
}

/// A message that its format cannot carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodeError {
    /// What is wrong.
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

/// An event that the machine's state does not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineError {
    /// A message arrived that the state does not take: the other side's doing.
    Unexpected {
        /// The event's name in the model.
        event: &'static str,
        /// The state's name in the model.
        state: &'static str,
    },
    /// The host or the application raised an event that the state does not take.
    Unhandled {
        /// The event's name in the model.
        event: &'static str,
        /// The state's name in the model.
        state: &'static str,
    },
    /// Host actions failed with more events in turn than are handled: in a circle, it seems.
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
                write!(formatter, "{event} is not handled in state {state}: actions fail too deep")
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
