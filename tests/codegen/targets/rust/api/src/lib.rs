//! What tests of `zeps-wire` need: here a crate without the standard library that uses it.

#![no_std]
#![forbid(unsafe_code)]

use zeps_wire::{zeps, DecodeError};

/// The sequence of a DELIVER.
///
/// # Errors
///
/// The frame holds no message.
pub fn sequence_of(frame: &[u8]) -> Result<Option<u64>, DecodeError> {
    match zeps::decode(frame)? {
        zeps::Message::Deliver(message) => Ok(Some(message.sequence)),
        _ => Ok(None),
    }
}
